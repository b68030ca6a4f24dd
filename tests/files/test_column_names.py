"""Names of columns: which is which; and a column of names of runs, of which a table holds one, in every format."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from refusing import said_of

from gradeval import InputError, evaluate, read_run, run_from_frame
from gradeval.files.column_names import GUESSED, Columns, are_known, choose_columns, normal_name

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}}
FORMATS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, place: frame.to_csv(place, index=False),
    "tsv": lambda frame, place: frame.to_csv(place, index=False, sep="\t"),
    "semicolons": lambda frame, place: frame.to_csv(place, index=False, sep=";"),
    "jsonl": lambda frame, place: frame.to_json(place, orient="records", lines=True),
    "json": lambda frame, place: frame.to_json(place, orient="records"),
    "parquet": lambda frame, place: frame.to_parquet(place),
    "categories": lambda frame, place: frame.astype({frame.columns[-1]: "category"}).to_parquet(place),
    "frame": lambda frame, _: frame,
    "records": lambda frame, _: frame.to_dict("records"),
    "objects": lambda frame, _: [
        SimpleNamespace(**{frame.columns[-1]: row[-1]}, query_id=row[0], doc_id=row[1], score=row[2])
        for row in frame.values.tolist()
    ],
}


@pytest.mark.parametrize(
    ("name", "normal"),
    [("Query-ID", "query_id"), (" doc.id ", "doc_id"), ("item_id:token", "item_id"), ("title:token_seq", "title")],
)
def test_names_are_compared_in_one_spelling(name: str, normal: str) -> None:
    assert normal_name(name) == normal


@pytest.mark.parametrize("names", [*permutations(["query-id", "text", "Doc_ID", "score"])])
def test_usual_names_are_found_wherever_they_stand(names: tuple[str, ...]) -> None:
    assert are_known(names, "run", GUESSED)
    chosen = choose_columns(names, "run", GUESSED, "run.csv")
    found = tuple(names[place] for place in chosen[:3] if place is not None)
    assert found == ("query-id", "Doc_ID", "score")


def test_names_that_are_given_go_before_usual_ones() -> None:
    columns = Columns.parse("query=q, doc=d, grade=rating")
    assert Columns.of({"query": "q", "doc": "d", "grade": "rating"}) == columns
    names = ["query_id", "q", "doc_id", "d", "rating", "relevance"]
    chosen = choose_columns(names, "qrels", columns, "qrels.csv")
    assert [names[place] for place in chosen[:3] if place is not None] == ["q", "d", "rating"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query", "'query' names no column"),
        ("query=a,query=b", "names the column query twice"),
        ("quury=a", r"no column is called 'quury' \(did you mean query"),
        ("score=a,rank=b", "by a score or by a rank, not by both"),
    ],
)
def test_what_names_no_columns_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Columns.parse(text)


def as_given(form: str, column: str, names: list[Any], tmp_path: Path) -> Any:
    """Four lines of a run, of which the last two have a document and topic of the first ones; a name in each."""
    lines = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d1", 1.5), ("q2", "d2", 1.0)]
    if len(set(filter(None, names))) > 1:
        lines[3] = lines[0]
    frame = pd.DataFrame(lines, columns=["query_id", "doc_id", "score"]).assign(**{column: names})
    place = tmp_path / "lines"
    given = FORMATS[form](frame, place)
    return place if given is None else given


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("column", ["run", "system", "model", "tag", "run_id"])
def test_several_runs_in_a_table_are_refused(form: str, column: str, tmp_path: Path) -> None:
    given = as_given(form, column, ["oak", "oak", "elm", "elm"], tmp_path)
    said = said_of(lambda: evaluate(QRELS, given, "AP"))
    assert f": column {column} has 2 values (oak, elm); a file or frame holds one run: make one for each" in said


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "objects"])
@pytest.mark.parametrize("column", ["Model", "RUN-ID"])
def test_whole_numbers_name_runs_and_case_does_not_matter(form: str, column: str, tmp_path: Path) -> None:
    given = as_given(form, column, [1, 2, 3, 4], tmp_path)
    assert f": column {column} has 4 values (1, 2, 3 and 1 more)" in said_of(lambda: evaluate(QRELS, given, "AP"))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("column", "names"), [("run", ["oak"] * 4), ("note", list("abcd")), ("tag", [None] * 4)])
def test_a_column_of_one_name_or_of_something_else_is_no_matter(
    form: str, column: str, names: list[str], tmp_path: Path
) -> None:
    frame = pd.DataFrame({"query_id": ["q1", "q1", "q2", "q2"], "doc_id": ["d2", "d1"] * 2, "score": [2.0, 1, 2, 1]})
    place = tmp_path / "lines"
    given = FORMATS[form](frame.assign(**{column: pd.Series(names, dtype="object")}), place)
    assert evaluate(QRELS, place if given is None else given, "AP").mean().tolist() == [[0.5]]


def test_a_column_of_models_may_be_that_of_the_topics_or_stand_in_judgments(tmp_path: Path) -> None:
    place, judgments = tmp_path / "run.csv", tmp_path / "qrels.csv"
    place.write_text("model,doc,score\nq1,d2,2\nq1,d1,1\nq2,d1,1\n")
    judgments.write_text("qid,docno,rel,run\nq1,d1,1,oak\nq2,d1,1,elm\n")
    run = read_run(place, columns={"query": "model"})
    assert evaluate(judgments, run, "AP").mean().tolist() == [[0.75]]


@pytest.mark.parametrize("form", FORMATS.keys() - {"objects", "categories"})
@pytest.mark.parametrize("column", ["distance", "_distance", "Cosine Distance", "dist"])
def test_the_advice_for_a_column_of_distances_puts_the_nearest_first(form: str, column: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], column: [0.1, 0.7]})
    place = tmp_path / "lines"
    given = FORMATS[form](frame, place)
    given = place if given is None else given
    said = said_of(lambda: evaluate(QRELS, given, "AP"))
    assert f": column {column!r} is no score, as less of it is better" in said
    if form in ("frame", "records"):
        assert said.endswith(f": rank={column!r}, or call the column rank")
        called = frame.rename(columns={column: "rank"})
        given = called if form == "frame" else called.to_dict("records")
        assert evaluate({"q1": {"d1": 1}}, given, "AP").mean().item() == 1
        nearest_first = run_from_frame(frame, rank=column)
    else:
        assert f": --columns rank={column}, or columns={{'rank': {column!r}}} in Python" in said
        nearest_first = (
            read_run(place, columns={"rank": column}) if given is place else run_from_frame(frame, rank=column)
        )
    assert evaluate({"q1": {"d1": 1}}, nearest_first, "AP").mean().item() == 1


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_records_are_not_advised_what_their_reader_does_not_take(kind: str) -> None:
    unknown = [{"query_id": "q1", "doc_id": "d1", "unknown": 1}]
    given = (unknown, QRELS) if kind == "qrels" else (QRELS, unknown)
    said = said_of(lambda: evaluate(*given, "AP"))
    assert "columns" not in said
    assert '; write records as in {"query_id": "q1"' in said


def test_lines_without_a_header_have_the_name_in_the_last_of_six_columns(tmp_path: Path) -> None:
    place = tmp_path / "run.csv"
    place.write_text("q1,Q0,d1,1,2.0,oak\nq1,Q0,d2,2,1.0,elm\n")
    assert "column 6 has 2 values (oak, elm)" in said_of(lambda: evaluate(QRELS, place, "AP"))
    place.write_text("q1,Q0,d1,1,2.0,oak of May\nq1,Q0,d2,2,1.0,oak and more\n")
    assert read_run(place).topics == ["q1"]
