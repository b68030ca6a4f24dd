"""What is made of values over topics: means, selections."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradeval import AP, GAP, InputError, Measure, NumRelRet, P, Scores, evaluate, gmAP
from gradeval.scores.coverage import Coverage


def made(values: Any, measures: list[Measure], **given_: Any) -> Scores:
    values = np.array(values, dtype=float)
    runs, topics, _ = values.shape
    return Scores(
        values=values,
        present=np.array(given_.pop("present", np.ones((runs, topics), bool))),
        vacant=np.array(given_.pop("vacant", np.zeros((topics, len(measures)), bool))),
        runs=[f"run {number}" for number in range(1, runs + 1)],
        topics=[str(300 + number) for number in range(1, topics + 1)],
        measures=measures,
        **given_,
    )


@pytest.fixture
def holes() -> Scores:
    """Two runs on four topics: the second misses the first topic, and the last topic is empty for AP, not for P."""
    return made(
        [[[0.5, 0.2], [0.25, 0.4], [1.0, 0.6], [0.0, 0.2]], [[0.0, 0.0], [0.75, 0.2], [0.5, 0.8], [0.0, 0.4]]],
        [AP, P @ 5],
        present=[[True] * 4, [False, True, True, True]],
        vacant=[[False, False], [False, False], [False, False], [True, False]],
    )


# Means


def test_by_default_missing_and_empty_topics_count_0(holes: Scores) -> None:
    assert holes.mean().tolist() == [
        [(0.5 + 0.25 + 1.0 + 0.0) / 4, math.fsum([0.2, 0.4, 0.6, 0.2]) / 4],
        [(0.0 + 0.75 + 0.5 + 0.0) / 4, math.fsum([0.0, 0.2, 0.8, 0.4]) / 4],
    ]


def test_missing_topics_may_be_left_out_of_the_mean_of_their_run(holes: Scores) -> None:
    skipped = replace(holes, missing="skip")
    assert skipped.mean().tolist() == [
        [(0.5 + 0.25 + 1.0 + 0.0) / 4, math.fsum([0.2, 0.4, 0.6, 0.2]) / 4],
        [(0.75 + 0.5 + 0.0) / 3, math.fsum([0.2, 0.8, 0.4]) / 3],
    ]
    assert skipped.counted[1, :, 0].tolist() == [False, True, True, True]


def test_empty_topics_may_be_left_out_where_a_measure_has_nothing_to_find(holes: Scores) -> None:
    assert replace(holes, empty="skip").mean().tolist() == [
        [(0.5 + 0.25 + 1.0) / 3, math.fsum([0.2, 0.4, 0.6, 0.2]) / 4],
        [(0.0 + 0.75 + 0.5) / 3, math.fsum([0.0, 0.2, 0.8, 0.4]) / 4],
    ]


def test_empty_topics_may_count_1(holes: Scores) -> None:
    credited = replace(holes, empty="one")
    assert credited.mean()[:, 0].tolist() == [(0.5 + 0.25 + 1.0 + 1.0) / 4, (0.0 + 0.75 + 0.5 + 1.0) / 4]
    assert credited.mean()[:, 1].tolist() == holes.mean()[:, 1].tolist()
    assert credited.values[0, 3, 0] == 0, "the values stay as they were computed"


def test_topics_that_some_run_misses_may_be_left_out_of_all_means(holes: Scores) -> None:
    common = replace(holes, missing="common")
    assert common.mean()[0].tolist() == [(0.25 + 1.0 + 0.0) / 3, math.fsum([0.4, 0.6, 0.2]) / 3]
    assert common.mean()[1].tolist() == replace(holes, missing="skip").mean()[1].tolist()
    assert "1" not in common.to_dict()["run 1"]


def test_missing_and_empty_topics_may_both_be_left_out(holes: Scores) -> None:
    assert replace(holes, missing="skip", empty="skip").mean()[1, 0] == (0.75 + 0.5) / 2


def test_sums_of_counts_are_whole() -> None:
    assert made(np.ones((1, 49, 1)), [NumRelRet]).mean().tolist() == [[49.0]]


def test_the_geometric_mean_has_the_floor_of_trec_eval() -> None:
    scores = made([[[0.5], [0.125], [0.0]]], [gmAP])
    assert scores.mean()[0, 0] == pytest.approx((0.5 * 0.125 * 1e-5) ** (1 / 3), rel=1e-12)


def test_no_topic_left_to_average_is_an_error_that_says_why() -> None:
    scores = made([[[0.5], [0.5]]], [AP], vacant=[[True], [True]], empty="skip")
    with pytest.raises(InputError, match=r"^AP: no topic is left to average for run 'run 1' .*empty='skip'"):
        scores.mean()
    absent = made([[[0.5]], [[0.0]]], [AP], present=[[True], [False]], missing="skip")
    with pytest.raises(InputError, match=r"run 'run 2' \(missing='skip'"):
        absent.mean()


@pytest.mark.parametrize(
    ("name", "accepted"), [("missing", "'zero', 'skip' or 'common'"), ("empty", "'zero', 'skip' or 'one'")]
)
def test_unknown_ways_to_count_are_an_error(holes: Scores, name: str, accepted: str) -> None:
    with pytest.raises(InputError, match=f"^{name}='drop' is not {accepted}$"):
        replace(holes, **{name: "drop"})


tables = st.integers(1, 3).flatmap(
    lambda runs: st.integers(1, 30).flatmap(
        lambda topics: st.lists(st.floats(0, 1), min_size=runs * topics * 2, max_size=runs * topics * 2).map(
            lambda flat: np.array(flat).reshape(runs, topics, 2)
        )
    )
)


@given(tables, st.randoms(use_true_random=False))
def test_a_mean_depends_on_neither_its_neighbours_nor_the_order_of_topics(values: Any, random: Any) -> None:
    scores = made(values, [AP, GAP])
    topics = list(scores.topics)
    random.shuffle(topics)
    means = scores.mean()
    assert scores.sel(topics=topics).mean().tolist() == means.tolist()
    for place, run in enumerate(scores.runs):
        assert scores.sel(runs=run).mean().tolist() == [means[place].tolist()]
        assert scores.sel(runs=run, measures="GAP").mean()[0, 0] == means[place, 1]


@given(tables)
def test_weights_of_one_make_the_mean(values: Any) -> None:
    scores = made(values, [AP, gmAP])
    np.testing.assert_allclose(scores.aggregate(np.ones((1, len(scores.topics))))[0], scores.mean(), rtol=1e-12)


def test_weights_count_topics_so_many_times(holes: Scores) -> None:
    weighted = replace(holes, missing="skip").aggregate(np.array([[2.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]))
    assert weighted[0, :, 0].tolist() == [(2 * 0.5 + 0.25 + 0.0) / 4, (0.75 + 0.0) / 2]
    assert weighted[1, :, 0].tolist() == [0.5, 0.0], "no topic of the second run is left"


def test_a_geometric_mean_over_no_topics_is_zero() -> None:
    scores = evaluate({"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}}, "AP gmAP", missing="skip")
    assert scores.aggregate(np.array([[0.0, 2.0]])).tolist() == [[[0.0, 0.0]]]
    assert scores.aggregate(np.array([[1.0, 1.0]])).tolist() == [[[1.0, 1.0]]]


# Selections


def test_the_values_of_one_measure_are_asked_for_by_name_or_by_measure(holes: Scores) -> None:
    assert holes.of("P@5").tolist() == [[0.2, 0.4, 0.6, 0.2], [0.0, 0.2, 0.8, 0.4]]
    assert holes.of(AP).tolist() == holes.values[:, :, 0].tolist()


def test_a_measure_that_was_not_scored_is_an_error_that_lists_those_that_were(holes: Scores) -> None:
    with pytest.raises(InputError, match=r"^no scores of P@50 \(did you mean P@5\?\); accepted: AP, P@5$"):
        holes.of("P@50")


def test_a_selection_has_the_order_that_was_asked_for(holes: Scores) -> None:
    chosen = holes.sel(runs=["run 2", "run 1"], topics=["304", "302"], measures=["P@5", AP])
    assert (chosen.runs, chosen.topics, chosen.measures) == (["run 2", "run 1"], ["304", "302"], [P @ 5, AP])
    assert chosen.values.tolist() == [[[0.4, 0.0], [0.2, 0.75]], [[0.2, 0.0], [0.4, 0.25]]]
    assert chosen.vacant.tolist() == [[False, True], [False, False]]
    assert chosen.present.all()


def test_a_single_name_selects_one(holes: Scores) -> None:
    assert holes.sel(runs="run 1", topics="303", measures="AP").values.tolist() == [[[1.0]]]


def test_a_selection_takes_its_coverage_along(holes: Scores) -> None:
    retrieved = np.array([[10, 10, 5, 5], [0, 10, 10, 10]])
    tied, judged = np.array([[2, 0, 0, 0]] * 2), np.array([[5, 5, 5, 0]] * 2)
    covered = replace(
        holes, coverage=Coverage(retrieved, judged, None, tied, 0 * tied, tied == 2, [["399"], []], [None, None])
    )
    assert covered.coverage is not None
    assert covered.coverage.missing.tolist() == [0, 1]
    assert covered.coverage.tied_share.tolist() == [2 / 30, 2 / 30]
    assert covered.coverage.unjudged_share.tolist() == [15 / 30, 15 / 30]
    chosen = covered.sel(runs="run 1", topics=["301", "303"]).coverage
    assert chosen is not None
    assert chosen.retrieved.tolist() == [[10, 5]]
    assert chosen.tied_share.tolist() == [2 / 15]
    assert chosen.unjudged_topics == [["399"]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"runs": "run 3"}, r"^no run 'run 3' \(did you mean run 2 or run 1\?\); the runs are run 1, run 2$"),
        ({"topics": ["301", "x"]}, r"^no topic 'x'; the topics are 301, 302, 303, 304$"),
        ({"measures": "GAP"}, r"^no scores of GAP"),
        ({"measures": "APP"}, r"^no scores of APP \(did you mean AP\?\); accepted: AP, P@5$"),
    ],
)
def test_what_is_not_there_cannot_be_selected(holes: Scores, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        holes.sel(**wrong)


# Display


def test_printing_many_runs_shows_the_first_and_the_last() -> None:
    lines = str(made(np.zeros((100, 1, 1)), [AP])).splitlines()
    assert len(lines) == 2 + 30 + 1 + 30
    assert lines[32].split() == ["...", "40", "more", "..."]
    assert lines[-1].startswith("run 100 ")
