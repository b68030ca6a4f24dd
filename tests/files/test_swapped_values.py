"""Swapped dictionaries of judgments and of a run are told by their numbers."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from gradeval import FilesWarning, GradevalWarning, InputError, Run, compare, evaluate

QRELS = {f"q{topic}": {f"d{at}": at % 3 for at in range(5)} for topic in range(3)}
RUN = {f"q{topic}": {f"d{at}": 7.5 - topic / 7 - at / 3 for at in range(5)} for topic in range(3)}
SAID = "if they are swapped, give the judgments first"


@pytest.mark.parametrize("scale", [1, -0.125])
@pytest.mark.parametrize("named", [False, True])
def test_swapped_dictionaries_are_warned_of(named: bool, scale: float) -> None:
    run = {topic: {document: scale * score for document, score in scores.items()} for topic, scores in RUN.items()}
    with pytest.warns(FilesWarning, match=SAID):
        evaluate(run, {"mine": QRELS} if named else QRELS, "AP")


def test_named_runs_in_the_place_of_judgments_are_refused() -> None:
    for runs in ({"mine": RUN, "other": RUN}, {"mine": Run.from_dict(RUN), "other": Run.from_dict(RUN)}):
        for study in (evaluate, compare):
            with pytest.raises(InputError, match=r"^qrels come first, and hold runs here: mine, other; swap the two$"):
                study(runs, QRELS, "AP")


@pytest.mark.parametrize("step", [1, 10])
def test_swapped_dictionaries_are_warned_of_where_scores_are_whole_numbers(step: int) -> None:
    grades = {f"q{topic}": {f"d{at}": (at + topic) % 3 for at in range(8)} for topic in range(3)}
    run = {topic: {f"d{at}": step * (8 - at) for at in range(8)} for topic in grades}
    with pytest.warns(FilesWarning, match=SAID):
        evaluate(run, grades, "AP")


def test_rankings_without_scores_in_the_place_of_judgments_are_warned_of() -> None:
    ranked = {topic: [f"d{at}" for at in range(10)] for topic in QRELS}
    with pytest.warns(FilesWarning, match=SAID):
        evaluate(ranked, QRELS, "AP")


MAY_BE: dict[str, tuple[Any, Any]] = {
    "in their places": (QRELS, RUN),
    "grades in halves": ({"q1": {"a": 0.5, "b": 1, "c": 0.5, "d": 0.5}}, {"q1": {"a": 1, "b": 1, "c": 0, "d": 0}}),
    "scores by rank": (RUN, {topic: {f"d{at}": 5 - at for at in range(5)} for topic in RUN}),
    "scores with fractions": (RUN, RUN),
    "grades of 0 to 100, a run without ties": (
        {"q1": {f"d{at}": 13 * at for at in range(8)}},
        {"q1": {f"d{at}": 8 - at for at in range(8)}},
    ),
    "one document": ({"q1": {"a": 0.7}}, {"q1": {"a": 1}}),
    "lists of judgments": ({topic: ["d1", "d2"] for topic in QRELS}, QRELS),
    "lists": ({"q1": ["a"]}, {"q1": ["a", "b"]}),
}


@pytest.mark.parametrize("name", MAY_BE)
def test_what_may_be_right_is_not_warned_of(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GradevalWarning)
        evaluate(*MAY_BE[name], "nDCG@10")
    assert not [one for one in caught if SAID in str(one.message)]
