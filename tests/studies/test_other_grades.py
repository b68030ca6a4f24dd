"""Grades by others of a study: what they are read as, that they score as evaluate does, and which topics of slices."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import AP, InputError, Qrels, evaluate, judge
from gradeval.files.accepted import as_runs
from gradeval.scores.slices import RELEVANT, slice_topics
from gradeval.studies.other_grades import RunsToJudge, cut_others, read_others, require_labels_of_all, score_others

FIRST = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 0}}
OTHER = {"1": {"a": 0, "b": 2, "c": 1}, "2": {"a": 0, "d": 1}, "3": {"a": 1}}
RUNS = {"one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "d": 1.0}}, "two": {"1": {"c": 1.0}}}


def test_scores_and_judged_runs_stay_and_all_else_is_read() -> None:
    scores, judged = evaluate(FIRST, RUNS, "AP"), judge(FIRST, RUNS)
    read, notes = read_others({"scores": scores, "judged": judged, "model": OTHER}, Qrels.from_dict(FIRST))
    assert read["scores"] is scores
    assert read["judged"] is judged
    assert read["model"].to_dict() == OTHER
    assert notes == []


def test_the_runs_score_by_other_grades_as_evaluate_scores_them() -> None:
    qrels = Qrels.from_dict(OTHER)
    runs = RunsToJudge(as_runs(RUNS), {"ties": "docid"}, frozenset(OTHER))
    first, given = evaluate(FIRST, RUNS, "AP"), evaluate(FIRST, RUNS, "AP")
    scored, _ = score_others({"model": qrels, "given": given}, runs, [AP], first, None)
    assert scored["given"] is given
    assert scored["model"].topics == ["1", "2", "3"]
    with pytest.warns(UserWarning, match="returned nothing"):
        np.testing.assert_array_equal(scored["model"].values, evaluate(OTHER, RUNS, "AP").values)


def test_runs_that_are_judged_already_are_not_judged_again() -> None:
    with pytest.raises(InputError, match=r"model=.*: runs that are judged already are not judged again"):
        RunsToJudge(None, {}, frozenset()).judge("model", Qrels.from_dict(OTHER))


def test_a_slice_has_all_topics_of_the_others_with_its_label() -> None:
    slices = slice_topics({"1": "x", "2": "y", "3": "x"}, ["1", "2", "3"], None, None)
    [x, y] = slices.cut(["1", "2"])
    scores = evaluate(OTHER, {"one": {topic: {"a": 1.0} for topic in OTHER}}, "AP")
    assert [cut_others({"model": scores}, slices, one)["model"].topics for one in (x, y)] == [["1", "3"], ["2"]]


@pytest.mark.parametrize(
    ("by", "others", "refused"), [(RELEVANT, True, True), (RELEVANT, False, False), ("x", True, False)]
)
def test_relevant_documents_are_counted_for_the_first_judgments_only(by: str, others: bool, refused: bool) -> None:
    given = {"model": evaluate(FIRST, {"one": RUNS["one"]}, "AP")} if others else {}
    if not refused:
        require_labels_of_all(by, given)
        return
    with pytest.raises(InputError, match="only the first judgments have documents, model has more topics"):
        require_labels_of_all(by, given)
