"""Frames whose columns hold values of several types are read as files of such values are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusing import said_of

from gradeval import evaluate, qrels_from_frame, read_qrels, run_from_frame
from gradeval.files.mixed_columns import with_one_type_a_column

GRADES: dict[str, tuple[list[Any], dict[str, float]]] = {
    "text among numbers": ([1, "2", None], {"a": 1, "b": 2}),
    "numbers among words": (["Grade: 3", 2, np.nan], {"a": 3, "b": 2}),
    "truths of two kinds": ([True, np.False_, np.True_], {"a": 1, "b": 0, "c": 1}),
    "truths and 1": ([True, 0, "yes"], {"a": 1, "b": 0, "c": 1}),
    "numbers of NumPy": ([np.float32(0.5), "2", np.int64(3)], {"a": 0.5, "b": 2, "c": 3}),
    "nothing of pandas": (["1", pd.NA, 2], {"a": 1, "c": 2}),
}
SCORES: dict[str, tuple[list[Any], dict[str, float]]] = {
    "text among numbers": ([0.9, "0.5", 2], {"a": 0.9, "b": 0.5, "c": 2}),
    "numbers of NumPy": ([np.float32(0.5), "7e-1", np.int64(3)], {"a": 0.5, "b": 0.7, "c": 3}),
}


def give(form: str, name: str, values: list[Any]) -> Any:
    """The values as judgments or a run, by their form in Python."""
    match form:
        case "frame":
            return pd.DataFrame({"query": ["q"] * 3, "doc": [*"abc"], name: pd.Series(values, dtype=object)})
        case "records":
            return [{"query": "q", "doc": doc, name: value} for doc, value in zip("abc", values, strict=True)]
        case "mapping":
            return {"q": dict(zip("abc", values, strict=True))}
        case "rows":
            return [("q", doc, value) for doc, value in zip("abc", values, strict=True)]
    return {"q": [*zip("abc", values, strict=True)]}


FORMS = ["frame", "records", "mapping", "rows", "pairs"]


@pytest.mark.filterwarnings("ignore::gradeval.warning_categories.FilesWarning")
@pytest.mark.parametrize("case", GRADES)
@pytest.mark.parametrize("form", FORMS)
def test_grades_of_several_types_are_their_numbers(form: str, case: str) -> None:
    values, expected = GRADES[case]
    best = {"q": {doc: grade + 1 for doc, grade in expected.items()}}
    judged = evaluate(give(form, "grade", values), best, "DCG NumRet(rel=0.1)")
    gains = sorted(expected.values(), reverse=True)
    dcg = sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1))
    assert judged.mean()[0].tolist() == pytest.approx([dcg, sum(gain > 0 for gain in gains)])


@pytest.mark.parametrize("case", SCORES)
@pytest.mark.parametrize("form", FORMS)
def test_scores_of_several_types_order_the_run(form: str, case: str) -> None:
    values, expected = SCORES[case]
    order = sorted(expected, key=expected.__getitem__, reverse=True)
    for rank, document in enumerate(order, 1):
        value = evaluate({"q": {document: 1}}, give(form, "score", values), "RR").mean()[0, 0]
        assert value == pytest.approx(1 / rank)


@pytest.mark.parametrize("form", FORMS[:4])
@pytest.mark.parametrize("wrong", ["high", True, None])
def test_a_score_that_is_no_number_is_refused_and_named(form: str, wrong: Any) -> None:
    said = said_of(lambda: evaluate({"q": {"a": 1}}, give(form, "score", [0.9, wrong, "0.5"]), "AP"))
    assert "score" in said
    assert str(wrong) in said or "null" in said or "missing" in said


def test_words_of_a_frame_are_quoted_once() -> None:
    with pytest.warns(match="qrels: 1 without a grade is unjudged; 'N/A' is no grade; .*: 'Grade: 2' as 2"):
        qrels = qrels_from_frame(give("frame", "grade", ["Grade: 2", "N/A", 1]))
    assert qrels.to_dict() == {"q": {"a": 2, "c": 1}}


def test_a_dict_of_columns_may_hold_values_of_several_types() -> None:
    columns = {"query": ["q", "q"], "doc": ["a", "b"]}
    assert qrels_from_frame(columns | {"grade": [1, "2"]}).to_dict() == {"q": {"a": 1, "b": 2}}
    assert run_from_frame(columns | {"score": ["0.5", 2]}).to_dict() == {"q": {"a": 0.5, "b": 2}}


@pytest.mark.parametrize("form", [set, frozenset, tuple, list, np.array])
def test_cells_that_hold_several_documents_are_lists(form: Any) -> None:
    frame = pd.DataFrame({"query": ["q1", "q2"], "doc": [form(["b"]) if form is not np.array else np.array(["b"])] * 2})
    assert qrels_from_frame(frame).to_dict() == {"q1": {"b": 1}, "q2": {"b": 1}}
    if form in (set, frozenset):
        assert "holds sets, which have no order; give lists" in said_of(lambda: run_from_frame(frame))
    kept = evaluate({"q1": {"a": 1, "b": 1}}, {"q1": {"b": 2, "a": 1}}, "P@1 NumRel", exclude=frame)
    assert kept.mean()[0].tolist() == [1, 1]


def test_ids_of_several_types_and_other_objects_stay_as_they_are() -> None:
    for values in ([1, "b"], ["a", "b"], [object(), 1], [1.5, 2.5]):
        assert with_one_type_a_column(pd.DataFrame({"doc": pd.Series(values, dtype=object)})) is None
    assert "cannot be read as a table" in said_of(
        lambda: qrels_from_frame({"query": ["q", 1], "doc": ["a", "b"], "grade": [1, 2]})
    )


def test_a_reader_of_rows_of_text_is_judgments_and_a_run(tmp_path: Any) -> None:
    rows = [["q", "a", "2"], ["q", "b", "0.5"]]
    assert evaluate(rows, rows, "NumRet(rel=0.1)").mean()[0, 0] == 2
    (tmp_path / "q.json").write_text('{"q": [["a", "2"], ["b", "Grade: 1"]]}')
    assert read_qrels(tmp_path / "q.json").to_dict() == {"q": {"a": 2, "b": 1}}


@pytest.mark.parametrize("array", [list, tuple, np.array])
@pytest.mark.parametrize("odd", ["None", "d4", 3])
def test_the_cell_without_a_list_is_named_by_its_row(odd: Any, array: Any) -> None:
    cells = [array(["a"]), None, array(["b", "c"]), odd]
    frame = pd.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "docs": cells})
    said = said_of(lambda: qrels_from_frame(frame))
    assert said == f"qrels: row 3: 'docs' has '{odd}', and other rows have lists; give a list, or drop the row"
    assert qrels_from_frame(frame.drop([1, 3])).of("q3") == {"b": 1, "c": 1}
    frame.at[3, "docs"] = ["d4"]
    assert qrels_from_frame(frame.drop(1)).of("q4") == {"d4": 1}
