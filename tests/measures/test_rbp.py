from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, topics

from gradeval import RBP, InputError, JudgedRankings, RBPresidual

PERSISTENCES = [Fraction(0), Fraction(1, 2), Fraction(4, 5), Fraction(99, 100)]


def rate(gains: list[Fraction], p: Fraction) -> Fraction:
    """(1-p) * sum_n p^(n-1) gain(n), literally."""
    return (1 - p) * sum((p ** (n - 1) * gain for n, gain in enumerate(gains, 1)), Fraction(0))


def test_golden_rank_biased_precision(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "rbp"):
        measure = RBP(p=float(Fraction(params["p"])), rel=params["k"])
        assert measure(judged) == pytest.approx(value, abs=1e-12), what
    for what, judged, case, params, value in golden_cases(golden, "rbp_graded"):
        gains = {float(grade): gain for grade, gain in enumerate(case["gain"])}
        measure = RBP(p=float(Fraction(params["p"])), gains=gains)
        assert measure(judged) == pytest.approx(value, abs=1e-12), what
    for what, judged, _, params, value in golden_cases(golden, "rbp_residual"):
        measure = RBPresidual(p=float(Fraction(params["p"])))
        assert measure(judged) == pytest.approx(value, abs=1e-12), what


@given(topics(), st.sampled_from(PERSISTENCES), st.integers(1, 3), st.none() | st.integers(1, 12))
def test_it_follows_its_definition(topic: Topic, p: Fraction, rel: int, cutoff: int | None) -> None:
    grades, top = topic.grades[:cutoff], len(topic.pool) - 1
    measure = RBP(p=float(p), cutoff=cutoff)
    binary = rate([Fraction(grade >= rel) for grade in grades], p)
    graded = rate([Fraction(grade, top) for grade in grades], p)
    squared = rate([Fraction(grade**2, top**2) for grade in grades], p)
    assert measure(rel=rel)(topic.judged) == pytest.approx(float(binary))
    assert measure(topic.judged) == pytest.approx(float(graded))
    squares = {float(grade): float(grade**2) for grade in range(top + 1)}
    assert measure(gains=squares)(topic.judged) == pytest.approx(float(squared))


@given(topics(), st.sampled_from(PERSISTENCES), st.none() | st.integers(1, 12))
def test_the_residual_is_the_weight_of_what_is_unjudged(topic: Topic, p: Fraction, cutoff: int | None) -> None:
    ranking = topic.ranking[:cutoff]
    open_ranks = rate([Fraction(not isinstance(item, int)) for item in ranking], p) + p ** len(ranking)
    measure = RBPresidual(p=float(p), cutoff=cutoff)
    assert measure(topic.judged) == pytest.approx(float(open_ranks), abs=1e-12)


@given(topics(levels=[3], most=2), st.sampled_from(PERSISTENCES))
def test_whatever_is_judged_later_stays_within_the_residual(topic: Topic, p: Fraction) -> None:
    measure, judged = RBP(p=float(p)), topic.judged
    low = measure(judged)
    high = low + RBPresidual(p=float(p))(judged)
    unjudged = [place for place, item in enumerate(topic.ranking) if not isinstance(item, int)]
    for grades in itertools.product((0, 2), repeat=len(unjudged)):
        later = list(topic.ranking)
        for place, grade in zip(unjudged, grades, strict=True):
            later[place] = grade
        pool = [count + 9 for count in topic.pool]
        value = measure(JudgedRankings.of([*later, *[2] * 5], pool=pool))
        assert low - 1e-12 <= value <= high + 1e-12


def test_the_residual_counts_what_lies_beyond_a_fully_judged_ranking() -> None:
    judged = JudgedRankings.of([1, 0, 1])
    assert RBPresidual(p=0.5)(judged) == pytest.approx(0.5**3)
    assert (RBPresidual(p=0.5) @ 2)(judged) == pytest.approx(0.5**2)
    assert RBPresidual(p=0.5)(JudgedRankings.of([], pool=[1, 1])) == 1
    assert RBPresidual(p=0.5, judged_only=True)(JudgedRankings.of([1, None, 0])) == pytest.approx(0.5**2)


def test_the_top_gain_is_the_collections_not_the_topics() -> None:
    judged = JudgedRankings.of([1], pool=[0, 1, 0, 0])
    assert RBP(p=0.5)(judged) == pytest.approx(0.5 * 1 / 3)
    assert RBP(p=0.5, gains={3: 1})(judged) == pytest.approx(0.5 * 1 / 2)
    assert RBP(gains={1: 0, 2: 0, 3: 0})(judged) == 0


def test_grades_may_be_fractions() -> None:
    judged = JudgedRankings.of([0.3, 0, 1.5], levels=[0, 0.3, 1.5])
    assert RBP(p=0.5)(judged) == pytest.approx(0.5 * (0.3 / 1.5 + 0.25))


def test_an_impatient_user_sees_the_first_document_only() -> None:
    assert RBP(p=0)(JudgedRankings.of([1, 2, 2])) == 1 / 2
    assert RBPresidual(p=0)(JudgedRankings.of([None, 1])) == 1


def test_deep_ranks_weigh_nothing() -> None:
    deep = JudgedRankings.of([None] * 20_000 + [1])
    with np.errstate(invalid="raise", divide="raise"):
        assert RBP(deep) == 0
        assert RBPresidual(deep) == 1


def test_no_topic_is_empty_for_the_residual() -> None:
    judged = JudgedRankings.of([0, None], pool=[1, 0, 0])
    assert RBP.base(judged) == 0
    assert RBP(rel=1).base(judged) == 0
    assert RBP(rel=2).base(JudgedRankings.of([1], pool=[0, 1, 0])) == 0
    assert RBPresidual.base(judged) is None


def test_gains_and_a_threshold_contradict_each_other() -> None:
    with pytest.raises(InputError, match=r"gains=\{1:2\} together with rel=1"):
        RBP(rel=1, gains={1: 2})(JudgedRankings.of([1, 0]))
    with pytest.raises(InputError, match="names grade 3"):
        RBP(gains={3: 2})(JudgedRankings.of([1, 0]))
