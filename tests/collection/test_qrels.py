"""Judgments in memory, against dictionaries."""

from __future__ import annotations

from typing import Any

import pytest

from gradeval import InputError, Qrels

GRADES = {"2": {"a": 3, "b": 0, "c": -1}, "1": {"a": 1}, "10": {"x": 0.5, "y": 2}}


def test_judgments_read_back_in_the_order_in_which_they_came() -> None:
    qrels = Qrels.from_dict(GRADES)
    assert (qrels.topics, len(qrels), qrels.to_dict()) == (["2", "1", "10"], 6, GRADES)
    assert qrels.of("10") == GRADES["10"]
    with pytest.raises(InputError, match="no topic '7'"):
        qrels.of("7")


def test_a_selection_keeps_the_levels_of_the_collection() -> None:
    qrels = Qrels.from_dict(GRADES)
    chosen = qrels.select(["10", "2"])
    assert chosen.to_dict() == {topic: GRADES[topic] for topic in ("2", "10")}
    assert chosen.levels == qrels.levels == (0, 0.5, 1, 2, 3)


def test_grades_are_recoded_and_moved_one_by_one() -> None:
    qrels = Qrels.from_dict(GRADES)
    recoded = {topic: {d: {3: 2}.get(g, g) for d, g in documents.items()} for topic, documents in GRADES.items()}
    assert qrels.recoded({3: 2}).to_dict() == recoded
    moved = {topic: {d: g + 1 for d, g in documents.items()} for topic, documents in GRADES.items()}
    assert qrels.shifted(1).to_dict() == moved


def test_a_grade_outside_the_declared_levels_is_refused() -> None:
    with pytest.raises(InputError, match=r"0\.5"):
        Qrels.from_dict(GRADES).with_levels([0, 1, 2, 3])


def test_negative_grades_are_judged_or_not() -> None:
    qrels = Qrels.from_dict(GRADES)
    assert qrels.grading("nonrelevant").pools.pool.sum() == 6
    assert qrels.grading("unjudged").pools.pool.sum() == 5


@pytest.mark.parametrize("table", [{"2": "1"}, {2: "1"}, {2: None}, {2: float("nan")}, [2], "2=1"])
def test_what_is_no_number_recodes_nothing(table: Any) -> None:
    with pytest.raises(InputError, match=r"^qrels: rec.* (no grade|no mapping); "):
        Qrels.from_dict(GRADES).recoded(table)


@pytest.mark.parametrize("by", ["1", [1], float("inf")])
def test_what_is_no_number_shifts_nothing(by: Any) -> None:
    with pytest.raises(InputError, match=r"^qrels: grades cannot be shifted by .*; give a finite number, as in -1"):
        Qrels.from_dict(GRADES).shifted(by)


@pytest.mark.parametrize(
    ("grades", "kind"),
    [([3, 0, -1], int), ([3.0, 0.0], int), ([0.5, 2], float), ([1e300, 1], float), ([1e16, 0], float)],
)
def test_whole_grades_are_whole_in_frames_and_others_as_they_are(grades: list[float], kind: type) -> None:
    pytest.importorskip("pyarrow")
    qrels = Qrels.from_dict({"1": {str(place): grade for place, grade in enumerate(grades)}})
    found = qrels.to_frame()["relevance"].to_pylist()
    assert found == grades
    assert {type(grade) for grade in found} == {kind}


def test_pytrec_eval_takes_the_grades_of_a_frame() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    pytest.importorskip("pandas")
    frame = Qrels.from_dict({"1": {"a": 2, "b": 0}}).to_pandas()
    judgments = {"1": dict(zip(frame["doc_id"], frame["relevance"].tolist(), strict=True))}
    values = pytrec_eval.RelevanceEvaluator(judgments, {"map"}).evaluate({"1": {"b": 2.0, "a": 1.0}})
    assert values["1"]["map"] == 0.5
