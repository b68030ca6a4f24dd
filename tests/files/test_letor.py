"""LETOR text in and out."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusing import said_of

from gradeval import UnusedFilesWarning, evaluate, features_from_frame, read_qrels, read_run, read_runs
from gradeval.features.features import Features
from gradeval.features.folds import rotate
from gradeval.files.letor import read_letor, write_letor

TEXT = (
    "2 qid:10 1:0.5 2:-3 #docid = a inc = 1 prob = 0.5\n"
    "0 qid:10 1:0 2:7.25 #docid = b\n"
    "1 qid:11 1:1 2:NULL #docid = a\n"
)
BARE = "2 1:0.5 2:-3\n0 2:7.25\n1 1:1\n"


def same(one: Features, other: Features) -> bool:
    arrays = all(
        np.array_equal(mine, theirs)
        for mine, theirs in [(one.X, other.X), (one.grades, other.grades), (one.offsets, other.offsets)]
    )
    return arrays and (one.topics, one.docs, one.columns) == (other.topics, other.docs, other.columns)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_is_read_plain_or_packed(here: Path, pack: Callable[[bytes], bytes]) -> None:
    Path("S1.txt").write_bytes(pack(TEXT.encode()))
    features = read_letor("S1.txt")
    assert features.X.tolist() == [[0.5, -3], [0, 7.25], [1, 0]]
    assert (features.topics, features.docs, features.columns) == (["10", "11"], ["a", "b", "a"], ("1", "2"))
    assert (features.name, read_letor(Path("S1.txt"), name="train").name) == ("S1.txt", "train")


def test_the_number_of_features_may_be_declared(here: Path) -> None:
    Path("S1.txt").write_text(TEXT)
    assert read_letor("S1.txt", features=4).columns == ("1", "2", "3", "4")
    assert said_of(read_letor, "S1.txt", features=1).startswith("S1.txt:1: feature 2 is none of the 1 features")
    assert said_of(read_letor, "S1.txt", features=0) == "S1.txt: features=0 is not a whole number from 1"


@pytest.mark.parametrize("ending", [".query", ".group"])
def test_a_file_of_sizes_beside_is_read_where_lines_name_no_query(here: Path, ending: str) -> None:
    Path("rank.train").write_text("# made\n" + BARE)
    Path("rank.train" + ending).write_text("1\n\n2\n")
    features = read_letor("rank.train")
    assert (features.topics, features.offsets.tolist()) == (["1", "2"], [0, 1, 3])
    assert features.docs == ["1-1", "2-1", "2-2"]


@pytest.mark.parametrize("ending", [".weight", ".position", ".init", ".base_margin"])
@pytest.mark.parametrize("content", [TEXT, BARE])
def test_other_files_beside_are_named_as_they_are_not_used(here: Path, content: str, ending: str) -> None:
    Path("S1.txt").write_text(content)
    Path("S1.txt.query").write_text("1\n2\n")
    Path("S1.txt" + ending).write_text("1\n2\n")
    with pytest.warns(UnusedFilesWarning, match=rf"^S1\.txt\{ending} lies next to S1\.txt and is not used: "):
        read_letor("S1.txt")
    read_qrels("letor:S1.txt")  # judgments have no use for it


def test_a_file_of_sizes_beside_is_not_looked_at_where_lines_name_their_queries(here: Path) -> None:
    Path("S1.txt").write_text(TEXT)
    Path("S1.txt.query").write_text("3\n")
    assert read_letor("S1.txt").topics == ["10", "11"]
    assert said_of(read_letor, "S1.txt", query="S1.txt.query").startswith(
        "S1.txt:1: the line names its query, 'qid:10'"
    )


def test_a_file_of_sizes_may_be_named(here: Path) -> None:
    Path("train").write_text(BARE)
    Path("sizes.gz").write_bytes(gzip.compress(b"2\r\n1\r\n"))
    assert read_letor("train", query="sizes.gz").offsets.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("2\nx\n", "sizes:2: 'x' is no number of rows; each line holds the rows of a query, 1 or more"),
        ("1\x0b2\n", r"sizes:1: '1\x0b2' is no number of rows; each line holds the rows of a query, 1 or more"),
        ("0\n3\n", "sizes:1: '0' is no number of rows; each line holds the rows of a query, 1 or more"),
        ("-3\n", "sizes:1: '-3' is no number of rows; each line holds the rows of a query, 1 or more"),
        (
            "99999999999\n",
            "sizes:1: '99999999999' is no number of rows; each line holds the rows of a query, 1 or more",
        ),
        ("\n", "sizes: names no query; each line has the number of rows of one"),
        (
            "2\n2\n",
            "sizes: the sizes of the queries add up to 4, and train has 3 rows; give the number of rows of each query",
        ),
    ],
)
def test_sizes_that_cannot_be(here: Path, sizes: str, message: str) -> None:
    Path("train").write_text(BARE)
    Path("sizes").write_text(sizes)
    assert said_of(read_letor, "train", query="sizes") == message


def test_lines_without_queries_or_sizes_are_refused(here: Path) -> None:
    Path("train").write_text(BARE)
    assert said_of(read_letor, "train").startswith("train:1: found '1:0.5' where qid:query belongs; ")
    assert said_of(read_letor, "tain") == "tain: no such file (did you mean train?)"


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("sizes", [None, "f.txt.query"])
def test_what_is_written_reads_the_same(here: Path, first: int, sizes: str | None) -> None:
    rng = np.random.default_rng(1)
    X = np.where(rng.random((60, 5)) < 0.3, 0, rng.normal(size=(60, 5)) * 10.0 ** rng.integers(-20, 20, (60, 5)))
    X[:, first - 1] = 0
    features = Features.from_arrays(
        X,
        rng.choice([0, 1, 2, 0.5], 60),
        sizes=[10, 20, 30],
        docs=["", "x"] * 30,
        columns=[str(number) for number in range(first, first + 5)],
    )
    write_letor(features, "f.txt", query=sizes)
    assert same(read_letor("f.txt"), features)
    if sizes is not None:
        assert Path(sizes).read_text() == "10\n20\n30\n"
        assert "qid" not in Path("f.txt").read_text()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_value_is_written_so_that_it_reads_back(tmp_path_factory: pytest.TempPathFactory, values: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "values.txt"
    features = Features.from_arrays([values], [1], sizes=[1])
    write_letor(features, path)
    assert np.array_equal(read_letor(path).X, features.X)


def test_what_is_written_is_short_and_says_how_many_features_there_are(here: Path) -> None:
    features = Features.from_arrays([[0, 0.1, 0], [3, 0, 1e20]], [0.5, 2], topics=["a", "b"], docs=["", "d"])
    write_letor(features, "f.txt")
    assert Path("f.txt").read_text() == "0.5 qid:a 2:0.1 3:0\n2 qid:b 1:3 3:1e+20 #docid = d\n"


def test_long_tables_are_written_whole(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.files.letor.ROWS", 7)
    features = Features.from_arrays(np.arange(60).reshape(30, 2), [0] * 30, sizes=[30], docs=range(30))
    write_letor(features, "f.txt")
    assert same(read_letor("f.txt"), features)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"topics": ["a b"]}, "f.txt: cannot write topic 'a b': LETOR text has blanks between columns, and "),
        ({"topics": ["a#b"]}, "f.txt: cannot write topic 'a#b': "),
        ({"topics": [""]}, "f.txt: cannot write topic '': "),
        ({"topics": ["a"], "docs": ["a b"]}, "f.txt: cannot write document 'a b': "),
        (
            {"topics": ["a"], "columns": ["bm25"]},
            "f.txt: LETOR text numbers features 1, 2 ... (or from 0); these are b",
        ),
        ({"topics": ["a"], "columns": ["2"]}, "f.txt: LETOR text numbers features 1, 2 ... (or from 0); these are 2; "),
    ],
)
def test_what_letor_text_cannot_hold_is_refused_and_nothing_written(
    here: Path, named: dict[str, Any], message: str
) -> None:
    assert said_of(write_letor, Features.from_arrays([[1]], [0], **named), "f.txt").startswith(message)
    assert not Path("f.txt").exists()


def test_judgments_and_runs_are_named_as_letor_files(here: Path) -> None:
    Path("S1.txt").write_text(TEXT)
    qrels = read_qrels("letor:S1.txt")
    assert (qrels.name, qrels.of("10"), qrels.levels) == ("letor:S1.txt", {"a": 2, "b": 0}, (0, 1, 2))
    assert read_qrels("letor:S1.txt", recode={2: 1}).of("10") == {"a": 1, "b": 0}
    run = read_run("letor:S1.txt#2")
    assert (run.name, run.of("10")) == ("S1.txt#2", {"a": -3.0, "b": 7.25})
    assert read_run("letor:S1.txt#1", name="tf").name == "tf"
    assert [run.name for run in read_runs(["letor:S1.txt#1", "letor:S1.txt#2"]).runs] == ["S1.txt#1", "S1.txt#2"]
    scores = evaluate("letor:S1.txt", ["letor:S1.txt#1", "letor:S1.txt#2"], "RR", ties="order")
    assert scores.values[..., 0].tolist() == [[1, 1], [1 / 2, 1]]


def test_a_letor_run_needs_its_feature(here: Path) -> None:
    Path("S1.txt").write_text(TEXT)
    assert said_of(read_run, "letor:S1.txt") == (
        "letor:S1.txt: which feature is the score? Write letor:FILE#NUMBER, as in letor:S1.txt#1"
    )
    assert said_of(read_run, "letor:S1.txt#3") == "S1.txt: no feature 3 among its 2 (1 to 2)"
    assert said_of(read_run, "letor:S2.txt#3").startswith("S2.txt: no such file")


def test_features_given_as_judgments_or_run_are_recognised(here: Path) -> None:
    Path("S1.txt").write_text(TEXT)
    assert "this looks like learning-to-rank features" in said_of(read_qrels, "S1.txt")
    assert "this looks like learning-to-rank features" in said_of(read_run, "S1.txt")


def literal_rows(path: Path) -> list[tuple[float, str, dict[int, float], str]]:
    rows = []
    for line in path.read_text().splitlines():
        content, _, comment = line.partition("#")
        grade, *words = content.split()
        query = words.pop(0).removeprefix("qid:") if words[0].startswith("qid:") else ""
        match = re.match(r"docid = (\S+)", comment)
        values = {int(index): float(value) for index, value in (word.split(":") for word in words)}
        rows.append((float(grade), query, values, match[1] if match else ""))
    return rows


SETS = [*(f"{name}/S{part}.txt" for name in ("mq2008", "ohsumed-letor2", "ohsumed-letor3") for part in range(1, 6))]


@pytest.mark.realdata
@pytest.mark.parametrize("file", [*SETS, "lightgbm-rank/rank.train", "lightgbm-rank/rank.test"])
def test_real_files_read_as_scikit_learn_and_a_literal_reader_do(data: Callable[[str], Path], file: str) -> None:
    load = pytest.importorskip("sklearn.datasets").load_svmlight_file
    path = data(file.split("/")[0]) / file.split("/")[1]
    features = read_letor(path)
    X, grades, queries = load(str(path), query_id=True, dtype=np.float32)
    assert np.array_equal(features.X, X.toarray())
    assert np.array_equal(features.grades, grades)
    rows = literal_rows(path)
    assert features.docs == [doc for _, _, _, doc in rows] or file.startswith("lightgbm")
    assert [row[0] for row in rows] == features.grades.tolist()
    row_topics = np.repeat(features.topics, np.diff(features.offsets)).tolist()
    if file.startswith("lightgbm"):
        sizes = np.loadtxt(f"{path}.query", dtype=int)
        assert np.diff(features.offsets).tolist() == sizes.tolist()
    else:
        assert row_topics == [query for _, query, _, _ in rows] == [str(query) for query in queries]


def published(path: Path) -> list[dict[str, float]]:
    """The means of each fold's test part as the evaluation script of LETOR printed them, in four decimals."""
    section = path.read_text().split("performance on testing set")[1].split("Performance on validation")[0]
    folds: list[dict[str, float]] = [{} for _ in range(5)]
    names: list[str] = []
    for words in map(str.split, section.splitlines()):
        if words[:1] == ["Folds"]:
            names = words[1:]
        elif words and re.fullmatch("Fold[1-5]", words[0]):
            folds[int(words[0][4]) - 1] |= dict(zip(names, map(float, words[1:]), strict=True))
    return folds


@pytest.mark.realdata
@pytest.mark.parametrize("ranker", ["ListNet", "RankBoost", "RankNet"])
@pytest.mark.parametrize(("name", "scores"), [("ohsumed-letor3", "OHSUMED"), ("mq2008", "Mq2008")])
def test_published_rankers_score_as_letor_published(
    data: Callable[[str], Path], name: str, scores: str, ranker: str
) -> None:
    parts = [read_letor(data(name) / f"S{part}.txt") for part in range(1, 6)]
    folder = data("ltr-system-scores") / scores / scores
    known = published(folder / f"{ranker}.selected_on_MAP.eval.txt")
    measures = {f"NDCG@{k}": f"nDCG(dcg='exp-log2',discount='letor')@{k}" for k in (1, 3, 5, 10)}
    measures |= {"P@1": "P@1", "P@10": "P@10", "MAP": "AP"}
    for number, (fold, expected) in enumerate(zip(rotate(parts), known, strict=True), 1):
        run = fold.test.run(np.loadtxt(folder / f"{ranker}.Fold{number}.test.score"), name=ranker)
        values = evaluate(fold.test.qrels, run, list(measures.values()), ties="order").values[0]
        if name == "mq2008":  # LETOR 4.0: a query with fewer than k documents has no NDCG@k, which counts 0
            values = values.copy()
            values[np.diff(fold.test.offsets) < 10, list(measures).index("NDCG@10")] = 0
        for measure, mean in zip(measures, values.mean(axis=0).tolist(), strict=True):
            assert mean == pytest.approx(expected[measure], abs=0.000051), (number, measure)


@pytest.mark.realdata
def test_real_files_are_written_and_read_the_same(data: Callable[[str], Path], tmp_path: Path) -> None:
    for path in (data("mq2008") / "S1.txt", data("lightgbm-rank") / "rank.test"):
        features = read_letor(path)
        write_letor(features, tmp_path / "f.txt")
        again = read_letor(tmp_path / "f.txt")
        assert same(again, features)
        assert [*pairwise(again.offsets.tolist())] == [*pairwise(features.offsets.tolist())]


@pytest.mark.parametrize(("group", "agree"), [("2\n1\n", True), ("2\n1\n\n", True), ("1\n2\n", False), ("3\n", False)])
def test_two_files_of_the_sizes_of_queries_agree_or_both_are_named(group: str, agree: bool, tmp_path: Path) -> None:
    place = tmp_path / "t.txt"
    place.write_text(BARE)
    (tmp_path / "t.txt.query").write_text("2\n1\n")
    (tmp_path / "t.txt.group").write_text(group)
    if agree:
        assert read_letor(place).offsets.tolist() == [0, 2, 3]
    else:
        assert f"{place}.query and {place}.group have other sizes of queries" in said_of(lambda: read_letor(place))
    assert read_letor(place, query=tmp_path / "t.txt.query").offsets.tolist() == [0, 2, 3]


@pytest.mark.parametrize("rest", ["#b 1:0.5", "#", "#docid = x", "# 1:0.5"])
@pytest.mark.parametrize("before", ["", "1 qid:a 1:1\n", "1 qid:a 1:1 #docid = y\n0 qid:a 1:2\n"])
def test_a_query_that_ends_at_a_comment_is_refused(rest: str, before: str, tmp_path: Path) -> None:
    place = tmp_path / "t.txt"
    place.write_text(f"{before}1 qid:a{rest}\n0 qid:a 1:0.25\n")
    said = said_of(lambda: read_letor(place))
    assert f"{place}:{before.count(chr(10)) + 1}: query 'a' ends at #, which begins a comment" in said
    place.write_text(f"{before}1 qid:a {rest}\n0 qid:a 1:0.25\n")
    assert read_letor(place).topics == ["a"]


@pytest.mark.parametrize("sizes", [[2, 2], [1, 1], [7]])
@pytest.mark.parametrize("packed", [False, True])
def test_sizes_that_do_not_add_up_are_looked_for_in_their_file(sizes: list[int], packed: bool, tmp_path: Path) -> None:
    place = tmp_path / ("t.txt.gz" if packed else "t.txt")
    place.write_bytes(gzip.compress(BARE.encode()) if packed else BARE.encode())
    beside = tmp_path / f"{place.name}.query"
    beside.write_text("".join(f"{size}\n" for size in sizes))
    said = said_of(lambda: read_letor(place))
    assert said.startswith(f"{beside}: the sizes of the queries add up to {sum(sizes)}, and {place} has 3 rows; ")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_a_table_given_as_letor_text_is_told_what_reads_it_and_it_works(ending: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    place, frame = tmp_path / f"x{ending}", pandas.DataFrame({"qid": ["a", "a"], "label": [1, 0], "bm25": [2.5, 1.0]})
    if ending == ".parquet":
        frame.to_parquet(place)
    else:
        frame.to_csv(place, index=False, sep="," if ending == ".csv" else "\t")
    said = said_of(lambda: read_letor(place))
    assert f"{place}: is a table, not LETOR text; write features_from_frame(pandas.read_" in said
    code = (
        said.split("write ")[1]
        .replace("query_id=NAME", "query_id='qid'")
        .replace("relevance=NAME", "relevance='label'")
    )
    read = eval(code, {"pandas": pandas, "features_from_frame": features_from_frame})
    assert (read.topics, read.grades.tolist(), read.columns) == (["a"], [1, 0], ("bm25",))


def test_letor_text_may_be_called_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1 qid:q 1:2\n")
    assert read_letor(tmp_path / "x.csv").grades.tolist() == [1]
