"""Runs in memory, against dictionaries."""

from __future__ import annotations

from math import nan

import pytest

from gradeval import InputError, Run, evaluate

SCORES = {"2": {"a": 3.0, "b": 0.5}, "1": {"a": 1e-300}}


def test_a_run_owns_what_it_was_given_unless_it_reads_it_in_place() -> None:
    scores = {topic: dict(documents) for topic, documents in SCORES.items()}
    owned, in_place = Run.from_dict(scores, "owned"), Run.over(scores, "in place")
    scores["1"]["new"] = 7.0
    assert owned.to_dict() == SCORES
    assert in_place.to_dict() == scores
    assert (owned.topics, in_place.topics) == (["2", "1"], ["2", "1"])


def test_a_topic_that_is_not_there_is_an_error_that_names_the_run() -> None:
    with pytest.raises(InputError, match="early: no topic '3' among its 2"):
        Run.from_dict(SCORES, "early").of("3")


@pytest.mark.parametrize(("ranks", "contradicting"), [([1, 2], 0), ([2, 1], 1), ([nan, nan], 0)])
def test_ranks_beside_scores_are_counted_where_they_contradict_and_decide_nothing(
    ranks: list[float], contradicting: int
) -> None:
    run = Run.of_table({"2": SCORES["2"]}, {"2": ranks})
    scores = evaluate({"2": {"a": 1, "b": 0}}, run, "RR")
    assert scores.values[0, 0, 0] == 1
    assert scores.coverage is not None
    assert int(scores.coverage.contradicting.sum()) == contradicting
