"""Training on clicks, as a log or as a column of positions beside grades that are clicks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gradeval import Features, read_clicks, read_letor, write_clicks, write_letor
from gradeval.collection.user_clicks import Clicks
from gradeval.ltr import ClickedPages, TreeRanker, load_ranker

from ..conftest import Gradeval, refusal

pytest.importorskip("lightgbm")

TREES = "--objective lambdarank:AP --ranker tree --min-rows 3 --epochs 6".split()


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Documents without grades, LETOR text."""
    X = np.random.default_rng(1).normal(size=(60, 3)).round(3)
    names = [f"d{row % 10}" for row in range(60)]
    features = Features.from_arrays(X, np.zeros(60), topics=np.repeat([f"t{n}" for n in range(6)], 10), docs=names)
    write_letor(features, tmp_path / "documents.txt")
    return tmp_path / "documents.txt"


@pytest.fixture
def clicks(tmp_path: Path) -> Path:
    """Clicks on twenty pages of five of them, and one on a document that is none of them."""
    rng = np.random.default_rng(2)
    lines = []
    for session in range(20):
        for rank, document in enumerate(rng.permutation(10)[:5], 1):
            lines.append((f"s{session}", f"t{session % 6}", f"d{document}", rank, int(rng.random() < 1 / rank)))
    lines.append(("s0", "t0", "other", 6, 1))
    write_clicks(Clicks.of(*zip(*lines, strict=True)), tmp_path / "clicks.tsv")
    return tmp_path / "clicks.tsv"


def test_a_ranker_is_trained_on_the_pages_of_a_click_log(
    gradeval: Gradeval, documents: Path, clicks: Path, tmp_path: Path
) -> None:
    done = gradeval("train", documents, "--clicks", clicks, *TREES, "-o", tmp_path / "model")
    assert done.exit_code == 0, done.stderr
    pages = ClickedPages.of(read_letor(documents), read_clicks(clicks))
    queries, rows = len(pages.features.topics), len(pages.features)
    assert f"note: {queries} pages with a click, of {rows} documents" in done.stderr
    assert f"note: 1 document shown has no features in {documents}: left out" in done.stderr
    expected = TreeRanker("lambdarank:AP", min_rows=3, epochs=6).fit(pages.features, position=pages.position)
    trained = load_ranker(tmp_path / "model")
    assert np.array_equal(trained.score(pages.features), expected.score(pages.features))
    biased = TreeRanker("lambdarank:AP", min_rows=3, epochs=6).fit(pages.features)
    assert not np.array_equal(trained.score(pages.features), biased.score(pages.features))


def test_positions_may_be_a_column(gradeval: Gradeval, documents: Path, clicks: Path, tmp_path: Path) -> None:
    pages = ClickedPages.of(read_letor(documents), read_clicks(clicks))
    wide = np.column_stack([pages.position, pages.features.X])
    write_letor(replace(pages.features, X=wide.astype(np.float32), columns=("1", "2", "3", "4")), tmp_path / "rows.txt")
    args = ["--position", "1", "--valid", tmp_path / "rows.txt", "-o", tmp_path / "model"]
    done = gradeval("train", tmp_path / "rows.txt", *TREES, *args)
    assert done.exit_code == 0, done.stderr
    trained = load_ranker(tmp_path / "model")
    same = replace(pages.features, columns=("2", "3", "4"))
    expected = TreeRanker("lambdarank:AP", min_rows=3, epochs=6).fit(same, same, position=pages.position)
    assert np.array_equal(trained.score(same), expected.score(same))


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_pages_with_clicks_are_validated_by_human_grades_under_their_own_names(
    ending: str, gradeval: Gradeval, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2)).round(3)
    rows: dict[str, Any] = {"session_id": np.repeat(np.arange(24), 5), "query_id": np.repeat(list("abcdefgh"), 15)}
    rows |= {"doc_id": [f"d{row}" for row in range(120)], "position": np.tile(np.arange(1, 6), 24)}
    pages = pd.DataFrame(rows | {"clicked": (X[:, 0] > 0.5).astype(int), "f1": X[:, 0], "f2": X[:, 1]})
    valid = pages.rename(columns={"clicked": "label"})[["query_id", "doc_id", "label", "f2", "f1"]]
    for frame, name in ((pages, "pages"), (valid, "valid")):
        file = tmp_path / f"{name}{ending}"
        frame.to_parquet(file) if ending == ".parquet" else frame.to_csv(file, index=False)
    columns = "--columns query=session_id,doc=doc_id,grade=clicked --leave-out query_id --position position".split()
    given = [*columns, *TREES]
    places = [tmp_path / f"{name}{ending}" for name in ("pages", "valid", "model")]
    done = gradeval("train", places[0], *given, "--valid", places[1], "-o", places[2])
    assert done.exit_code == 0, done.stderr
    train = Features.from_arrays(X, pages.clicked, topics=pages.session_id.astype(str), columns=("f1", "f2"))
    human = Features.from_arrays(X, valid.label, topics=valid.query_id, columns=("f1", "f2"))
    expected = TreeRanker("lambdarank:AP", min_rows=3, epochs=6).fit(train, human, position=pages.position)
    assert np.array_equal(load_ranker(places[2]).score(human), expected.score(human))
    unnamed = tmp_path / f"unnamed{ending}"
    frame = valid.drop(columns="query_id")
    frame.to_parquet(unnamed) if ending == ".parquet" else frame.to_csv(unnamed, index=False)
    said = refusal(gradeval("train", places[0], *given, "--valid", unnamed))
    assert said.endswith("; call it 'session_id', which --columns names, or query_id")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("--clicks CLICKS --ranker linear", "--clicks has no effect on --ranker linear; take --ranker tree"),
        ("--position 1 --ranker neural", "--position has no effect on --ranker neural; take --ranker tree"),
        ("--position 9", "no column '9'; its features are 1, 2, 3"),
        ("--position 1", "position[60] for 60 rows: give a whole number for each"),
        ("--clicks CLICKS --position 1", "--position is for the rows of TRAIN, and with --clicks these are the pages"),
        ("--clicks CLICKS --weights WEIGHTS", "--weights is for the rows of TRAIN"),
        (
            "--clicks DOCUMENTS",
            "a header and lines with the columns session topic document rank click, or others named by",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    gradeval: Gradeval, documents: Path, clicks: Path, tmp_path: Path, args: str, message: str
) -> None:
    weights = tmp_path / "weights.txt"
    weights.write_text("1\n" * 60)
    files = {"CLICKS": clicks, "DOCUMENTS": documents, "WEIGHTS": weights}
    settings = ["--objective", "lambdarank:AP", *([] if "--ranker" in args else ["--ranker", "tree"])]
    words = [files.get(word, word) for word in args.split()]
    assert message in refusal(gradeval("train", documents, *settings, *words))


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_a_log_whose_pages_are_read_as_one_query_is_asked_about_and_the_advice_works(
    gradeval: Gradeval, documents: Path, clicks: Path, tmp_path: Path
) -> None:
    pages = ClickedPages.of(read_letor(documents), read_clicks(clicks))
    log, sizes = tmp_path / "log.csv", np.diff(pages.features.offsets)
    page = np.repeat(pages.features.topics, sizes)
    roles = {"session_id": page, "query_id": [one.split("-")[0] for one in page], "doc_id": pages.features.docs}
    shown = {"position": pages.position, "clicked": pages.features.grades.astype(int)}
    features = dict(zip(("f1", "f2", "f3"), pages.features.X.T, strict=True))
    frame = pd.DataFrame(roles | shown | features).sort_values("query_id", kind="stable")
    frame.to_csv(log, index=False)
    model = tmp_path / "model"
    words = ["train", log, *TREES, "-o", model]
    said = refusal(gradeval(*words))
    assert (
        "if 'session_id' names pages that users were shown, each page is a query: --columns query=session_id;" in said
    )
    merged = gradeval(*words, "--leave-out", "session_id", "--columns", "grade=clicked")
    times = frame.groupby(["query_id", "doc_id"]).size().max()
    assert f"stands {times} times in query t" in merged.stderr
    assert "as in --columns query=session_id (query= in Python), and the positions by --position" in merged.stderr
    assert "train on the documents, and give the log by --clicks" in merged.stderr
    assert "position may say where documents were shown; correct clicks for it by train's --position" in merged.stderr
    named = ["--columns", "query=session_id,grade=clicked", "--leave-out", "query_id", "--position", "position"]
    done = gradeval(*words, *named)
    assert done.exit_code == 0, done.stderr
    assert "warning" not in done.stderr
    assert load_ranker(model).feature_names_in_.tolist() == ["f1", "f2", "f3"]
    expected = TreeRanker("lambdarank:AP", min_rows=3, epochs=6).fit(
        frame[["f1", "f2", "f3"]], frame.clicked, qid=np.asarray(frame.session_id), position=np.asarray(frame.position)
    )
    X = frame[["f1", "f2", "f3"]]
    assert np.array_equal(load_ranker(model).predict(X), expected.predict(X))
