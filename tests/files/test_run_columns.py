"""Columns that name runs: they tell runs apart, in every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from frame_forms import FORMATS, QRELS, as_given
from refusing import said_of

from gradeval import check, evaluate, read_run, read_runs
from gradeval.warning_categories import FilesWarning

NAMED = [("run", ["oak", "oak", "elm", "elm"]), ("tag", ["oak", "elm", "oak", "elm"]), ("RUN-ID", [1, 2, 3, 4])]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("column", "names"), [*NAMED, ("system", ["b", "a", "b", "c"]), ("model", list("abca"))])
def test_a_column_of_names_tells_runs_apart(form: str, column: str, names: list[Any], tmp_path: Path) -> None:
    if form == "objects" and not column.isidentifier():
        return
    given = as_given(form, column, names, tmp_path)
    lines = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d1", 1.5), ("q1", "d1", 2.0)]
    apart: dict[str, dict[str, dict[str, float]]] = {}
    for (topic, document, score), name in zip(lines, names, strict=True):
        apart.setdefault(str(name), {}).setdefault(topic, {})[document] = score
    if column == "model":  # a document twice in a run is an error, as ever
        assert "d1" in said_of(lambda: evaluate(QRELS, given, "AP"))
        return
    read, expected = evaluate(QRELS, given, "AP nDCG@2"), evaluate(QRELS, apart, "AP nDCG@2")
    assert read.runs == expected.runs
    assert read.values.tolist() == expected.values.tolist()
    assert f"holds {len(apart)} runs" in said_of(lambda: evaluate(QRELS, {"mine": given}, "AP"))
    if isinstance(given, Path):
        assert [run.name for run in read_runs(given).runs] == expected.runs
        assert [one.tag for one in check(QRELS, given).files[1:]] == expected.runs
        assert "read_runs() takes them all" in said_of(lambda: read_run(given))
        twice = evaluate(QRELS, [given, pd.DataFrame({"topic": ["q1"], "doc": ["d1"], "score": [1.0]})], "AP")
        assert twice.runs == [*expected.runs, "run 2"]


def test_names_come_from_the_columns_that_tell_runs_apart() -> None:
    lines = {"topic": ["q1"] * 4, "doc": ["d1"] * 4, "score": [1.0] * 4}
    both = {"system": ["oak", "oak", "elm", "elm"], "run": ["1", "2", "1", "2"]}
    assert evaluate(QRELS, pd.DataFrame(lines | both), "AP").runs == ["1 oak", "2 oak", "1 elm", "2 elm"]
    assert evaluate(QRELS, pd.DataFrame(lines | {"run": list("wxyz"), "tag": list("aabb")}), "AP").runs == list("wxyz")
    assert evaluate(QRELS, pd.DataFrame(lines | {"run": ["r"] * 4, "tag": list("wxyz")}), "AP").runs == list("wxyz")
    gaps = pd.DataFrame(lines | {"run": ["a", "b", None, "c"]})
    assert "column run names 3 runs (a, b, c), and is empty in some lines" in said_of(
        lambda: evaluate(QRELS, gaps, "AP")
    )


@pytest.mark.parametrize("form", FORMATS)
def test_a_column_of_one_value_names_the_run_unless_a_mapping_does(form: str, tmp_path: Path) -> None:
    given = as_given(form, "system", ["oak"] * 4, tmp_path)
    assert evaluate(QRELS, given, "AP").runs == ["oak"]
    assert evaluate(QRELS, {"mine": given}, "AP").runs == ["mine"]
    if isinstance(given, Path):
        assert read_run(given).name == "oak"
        assert read_run(given, name="mine").name == "mine"


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


def test_lines_without_a_header_have_the_name_in_the_last_of_six_columns(tmp_path: Path) -> None:
    place = tmp_path / "run.csv"
    place.write_text("q1,Q0,d1,1,2.0,oak\nq1,Q0,d2,2,1.0,elm\n")
    assert evaluate(QRELS, place, "AP").runs == ["oak", "elm"]
    assert evaluate(QRELS, place, "AP").mean()[:, 0].tolist() == [0.5, 0.0]
    place.write_text("q1,Q0,d1,1,2.0,oak of May\nq1,Q0,d2,2,1.0,oak and more\n")
    assert read_run(place).topics == ["q1"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_column_of_ids_of_requests_names_no_runs(form: str, tmp_path: Path) -> None:
    """As traces have a run_id each: what has another value in each topic is no name, unless the user says so."""
    ids = {"run_id": ["7f", "7f", "fd", "fd"]}
    frame = pd.DataFrame({"query_id": ["q1", "q1", "q2", "q2"], "doc_id": ["d2", "d1"] * 2, "score": [2.0, 1, 2, 1]})
    place = tmp_path / "lines"
    given = FORMATS[form](frame.assign(**ids), place)
    with pytest.warns(FilesWarning, match="column run_id has another value in each topic, and is not read as names"):
        found = evaluate(QRELS, place if given is None else given, "AP")
    assert found.mean().tolist() == [[0.5]]
    if given is None:
        with pytest.warns(FilesWarning, match="if it names them: --columns run=run_id, "):
            assert read_run(place, name="mine").name == "mine"
        assert [run.name for run in read_runs(place, columns="run=run_id").runs] == ["7f", "fd"]


@pytest.mark.parametrize("form", FORMATS)
def test_several_ids_of_requests_in_a_topic_are_refused(form: str, tmp_path: Path) -> None:
    lines = {"query_id": ["q1", "q2", "q3", "q3"], "doc_id": ["d1", "d1", "d1", "d2"], "score": [2.0, 1, 2, 1]}
    place = tmp_path / "lines"
    given = FORMATS[form](pd.DataFrame(lines).assign(run_id=list("abcd")), place)
    said = said_of(lambda: evaluate(QRELS, place if given is None else given, "AP"))
    assert "each run_id is in one topic only, and topic q3 has 2 of them; keep one ranking of each topic" in said
