"""Which columns are chosen: the ones that are named, the usual ones, and grades that are no model's."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from frame_forms import FORMATS, QRELS, as_given
from refusing import said_of

from gradeval import InputError, evaluate, judges, qrels_from_frame, read_qrels, run_from_frame
from gradeval.files.accepted import as_qrels, as_runs
from gradeval.files.column_choice import choose_columns
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.pair_columns import are_known
from gradeval.warning_categories import FilesWarning


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


@pytest.mark.parametrize("click", ["click", "clicked", "Is-Clicked"])
@pytest.mark.parametrize("columns", ["session,user_id,item_id,position,{}", "topic,document,{},rank"])
def test_a_log_of_clicks_is_no_run_unless_it_has_scores_or_its_ranks_are_named(click: str, columns: str) -> None:
    names = columns.format(click).split(",")
    with pytest.raises(InputError, match=f"x: has a column '{click}' and no scores: a log of clicks"):
        choose_columns(names, "run", GUESSED, "x")
    rank = next(name for name in names if name in ("position", "rank"))
    assert choose_columns(names, "run", Columns(rank=rank), "x").value == names.index(rank)
    assert choose_columns([*names, "score"], "run", GUESSED, "x").value == len(names)


def with_columns(form: str, tmp_path: Path, **columns: list[Any]) -> Any:
    """Two judgments with these columns of grades."""
    frame = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], **columns})
    given = FORMATS[form](frame, tmp_path / "grades")
    return tmp_path / "grades" if given is None else given


OF_GRADES = ["csv", "tsv", "semicolons", "jsonl", "json", "parquet", "frame", "records"]


@pytest.mark.parametrize("form", OF_GRADES)
@pytest.mark.parametrize("model", ["llm_grade", "LLM Label"])
@pytest.mark.parametrize("others", [["grade_anna", "grade_ben"], ["ben-rating"], ["Label A"], ["score2"]])
def test_the_grades_of_a_model_at_the_side_of_others_are_refused(
    form: str, model: str, others: list[str], tmp_path: Path
) -> None:
    given = with_columns(form, tmp_path, **{name: [2, 0] for name in others}, **{model: [0, 2]})
    said = said_of(lambda: as_qrels(given))
    assert f"column {model!r} holds a model's grades, and {', '.join(others)} may hold grades, too" in said
    if isinstance(given, Path):
        assert f"columns:grade={others[0]}:FILE" in said.replace("'", "")
        read = {name: as_qrels(f"columns:grade={name}:{given}").grades.tolist() for name in (model, others[0])}
        assert read == {model: [0, 2], others[0]: [2, 0]}


COLUMNS_KEPT = [form for form in OF_GRADES if form != "records"]


@pytest.mark.parametrize("form", COLUMNS_KEPT)
@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"grade_reason": ["a", "b"]},
        {"score_bm25": [0.5, 7.25]},
        {"rating_ids": [1234, 9876]},
        {"grade_ben": [""] * 2},
    ],
)
def test_a_model_grades_alone_where_no_other_column_holds_small_whole_numbers(
    form: str, beside: dict[str, list[Any]], tmp_path: Path
) -> None:
    read = as_qrels(with_columns(form, tmp_path, **beside, llm_grade=[0, 2]))
    assert (read.grades.tolist(), read.grade_column) == ([0, 2], "llm_grade")


@pytest.mark.parametrize("form", OF_GRADES)
@pytest.mark.parametrize("human", ["gold", "is_relevant", "human_grade", "label", "stars"])
def test_known_grades_of_humans_go_before_those_of_a_model(form: str, human: str, tmp_path: Path) -> None:
    assert as_qrels(with_columns(form, tmp_path, llm_grade=[0, 2], **{human: [1, 0]})).grades.tolist() == [1, 0]


@pytest.mark.parametrize("form", COLUMNS_KEPT)
def test_human_grades_of_a_column_of_a_model_are_a_warning(form: str, tmp_path: Path) -> None:
    given = with_columns(form, tmp_path, llm_grade=[0, 2])
    with pytest.warns(FilesWarning, match="the human grades are read from 'llm_grade', which is a usual name for"):
        judges(given, {"ben": {"q1": {"d1": 1, "d2": 2}}}, levels=[0, 1, 2])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "column", ["retriever", "Algorithm", "recommender", "method", "variant", "experiment", "config"]
)
def test_a_likely_name_of_runs_tells_repeated_documents_apart(form: str, column: str, tmp_path: Path) -> None:
    if form == "objects":
        return
    names = ["oak", "oak", "elm", "elm"]
    given = as_given(form, column, names, tmp_path)
    assert evaluate(QRELS, given, "AP").runs == ["oak", "elm"]
    assert [f"; a run by {column}" in run.read_as for run in as_runs(given)] == [form != "records"] * 2
    apart = {"oak": {"q1": {"d1": 2.0, "d2": 1.0}}, "elm": {"q2": {"d1": 1.5}, "q1": {"d1": 2.0}}}
    assert evaluate(QRELS, given, "AP").values.tolist() == evaluate(QRELS, apart, "AP").values.tolist()


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"objects"}))
@pytest.mark.parametrize("names", [["oak"] * 4, ["oak", "oak", "elm", "oak"], ["oak", "elm", "oak", ""]])
def test_a_likely_name_that_leaves_documents_repeated_names_no_runs(
    form: str, names: list[str], tmp_path: Path
) -> None:
    frame = pd.DataFrame([("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d1", 1.5), ("q1", "d1", 0.5)])
    frame.columns = pd.Index(["query_id", "doc_id", "score"])
    given = FORMATS[form](frame.assign(method=names), tmp_path / "lines")
    said = said_of(lambda: evaluate(QRELS, tmp_path / "lines" if given is None else given, "AP"))
    assert "d1" in said
    assert "--repeated best" in said


@pytest.mark.parametrize("form", FORMATS)
def test_a_likely_name_in_a_table_without_repeats_names_no_runs(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([("q1", "d1", 2.0), ("q1", "d2", 1.0)], columns=["query_id", "doc_id", "score"])
    given = FORMATS[form](frame.assign(retriever=["bm25", "dense"]), tmp_path / "fused")
    assert len(evaluate(QRELS, tmp_path / "fused" if given is None else given, "AP").runs) == 1


@pytest.mark.parametrize("file", [False, True])
def test_a_column_that_is_named_as_documents_is_no_grade(tmp_path: Path, file: bool) -> None:
    frame = {"question_id": ["q1", "q2"], "gold": ["d1", "d2"], "annotator": ["ann", "bob"]}
    graded = frame | {"label": [1, 2]}
    if file:
        rows = ["question_id,gold,annotator", *map(",".join, zip(*frame.values(), strict=True))]
        (tmp_path / "gold.csv").write_text("\n".join(rows))
        with pytest.raises(
            InputError, match=r"no column is known to hold the grades.*--columns query=question_id,doc=gold,grade="
        ):
            read_qrels(tmp_path / "gold.csv", columns="query=question_id,doc=gold")
        return
    with pytest.raises(InputError, match=r"no column is known to hold the grades.*relevance="):
        qrels_from_frame(frame, query_id="question_id", doc_id="gold")
    assert qrels_from_frame(graded, query_id="question_id", doc_id="gold").to_dict() == {
        "q1": {"d1": 1},
        "q2": {"d2": 2},
    }
    run = {"question_id": ["q1", "q1"], "score": ["d1", "d2"], "similarity": [0.5, 1.0]}
    assert run_from_frame(run, query_id="question_id", doc_id="score").of("q1") == {"d1": 0.5, "d2": 1.0}
