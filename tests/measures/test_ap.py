from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, share, topics

from gradeval import AP, YAAP, InputError, JudgedRankings, gmAP, muAP

SCHEEL = [1, 0, 3, 3, 2, 0, 1, 4]


def average_precision(topic: Topic, rel: int, cutoff: int | None = None, least: bool = False) -> Fraction:
    """The mean over all relevant documents of the precision at their ranks, 0 for those not retrieved."""
    ranks = [n for n in topic.relevant_ranks(rel) if cutoff is None or n <= cutoff]
    base = topic.base(rel)
    if least and cutoff is not None:
        base = min(base, cutoff)
    return share(sum((topic.precision(n, rel) for n in ranks), Fraction(0)), base)


def test_golden_average_precision(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "ap"):
        measure = AP(rel=params["k"], norm=params.get("norm", "R"), cutoff=params.get("cutoff"))
        assert measure(judged) == pytest.approx(value, abs=1e-12), what


def test_golden_mu_ap(golden: dict[str, Any]) -> None:
    for what, judged, _, _, value in golden_cases(golden, "muap"):
        assert muAP(judged) == pytest.approx(value, abs=1e-12), what


@given(topics(), st.integers(1, 3), st.integers(1, 12))
def test_average_precision_follows_its_definition(topic: Topic, rel: int, cutoff: int) -> None:
    measure = AP(rel=rel)
    assert measure(topic.judged) == pytest.approx(float(average_precision(topic, rel)))
    assert gmAP(rel=rel)(topic.judged) == measure(topic.judged)
    assert (measure @ cutoff)(topic.judged) == pytest.approx(float(average_precision(topic, rel, cutoff)))
    least = measure(norm="min") @ cutoff
    assert least(topic.judged) == pytest.approx(float(average_precision(topic, rel, cutoff, least=True)))


@given(topics(), st.integers(1, 3))
def test_yet_another_average_precision_is_a_log_odds(topic: Topic, rel: int) -> None:
    base = topic.base(rel)
    found = base * average_precision(topic, rel)
    assert YAAP(rel=rel)(topic.judged) == pytest.approx(math.log((1 + found) / (1 + base - found)))


@given(topics())
def test_mu_ap_weighs_thresholds_by_their_distance(topic: Topic) -> None:
    used = [grade for grade in range(1, len(topic.pool)) if topic.pool[grade]]
    distances = [high - low for low, high in zip([0, *used], used, strict=False)]
    total = sum((d * average_precision(topic, grade) for d, grade in zip(distances, used, strict=True)), Fraction(0))
    assert muAP(topic.judged) == pytest.approx(float(share(total, sum(distances))))
    everything = sum(average_precision(topic, grade) for grade in range(1, len(topic.pool))) / (len(topic.pool) - 1)
    assert muAP(levels="global")(topic.judged) == pytest.approx(float(everything))


@given(topics())
def test_mu_ap_is_the_integral_of_ap_over_the_threshold(topic: Topic) -> None:
    best = max((grade for grade in range(len(topic.pool)) if topic.pool[grade]), default=0)
    # AP is constant between two grades: the sum over slices of half a grade is its integral.
    slices = [float(AP(rel=(2 * i + 1) / 4)(topic.judged)[0]) / 2 for i in range(2 * best)]
    assert muAP(topic.judged) == pytest.approx(sum(slices) / best if best else 0)


@given(topics(), st.sampled_from([0.5, 2, 10]))
def test_mu_ap_does_not_change_with_the_unit_of_the_ratings_or_with_unused_levels(topic: Topic, unit: float) -> None:
    levels = [unit * level for level in range(len(topic.pool))]
    ranking = [unit * item if isinstance(item, int) else item for item in topic.ranking]
    scaled = JudgedRankings.of(ranking, pool=topic.pool, levels=levels)
    assert muAP(scaled) == pytest.approx(muAP(topic.judged))
    wider = [level for pair in ((level, level + 0.25) for level in levels) for level in pair]
    pool = [count for pair in ((count, 0) for count in topic.pool) for count in pair]
    unused = JudgedRankings.of(ranking, pool=pool, levels=wider)
    assert muAP(unused) == pytest.approx(muAP(topic.judged))


def test_zhai_average_precision_example() -> None:
    # Figure 9.4: of ten relevant documents four are retrieved; the mean is over ten, not over four.
    judged = JudgedRankings.of([1, 1, 0, 0, 1, 0, 0, 1, 0, 0], pool=[6, 10])
    assert AP(judged) == pytest.approx((1 / 1 + 2 / 2 + 3 / 5 + 4 / 8) / 10)
    assert AP(judged) == pytest.approx(0.31)


def test_scheel_table_1(golden: dict[str, Any]) -> None:
    judged = JudgedRankings.of(SCHEEL)
    [table] = [one for one in golden["examples"] if one["name"].startswith("Scheel11 Table 1: AP at thresholds")]
    values = [float(AP(rel=t)(judged)[0]) for t in (5, 4, 3, 2, 1)]
    assert values == pytest.approx(table["expected"][:-1], abs=1e-12)  # the last is t = 0: every document, 1
    assert np.round(values, 3).tolist() == table["printed"][:-1]
    assert AP(rel=4)(judged) == 1 / 8
    assert AP(rel=3)(judged) == pytest.approx((1 / 3 + 2 / 4 + 3 / 8) / 3)
    assert muAP(judged) == pytest.approx(2257 / 5040, abs=1e-12)
    assert muAP(judged) == pytest.approx(np.mean(values[1:]))


def test_scheel_table_1_mean_over_six_thresholds() -> None:
    judged = JudgedRankings.of(SCHEEL)
    # AP at threshold 0, where everything is relevant, is 1; at 5 nothing is.
    total = sum(AP(rel=rel)(judged)[0] for rel in (1, 2, 3, 4)) + 1
    assert total / 6 == pytest.approx(float(Fraction(3517, 7560)))


def test_mu_ap_worked_example_with_real_ratings() -> None:
    judged = JudgedRankings.of([0, 0.3, 1, 0, 0.3], levels=[0, 0.3, 1])
    at_least_03, at_least_1 = (1 / 2 + 2 / 3 + 3 / 5) / 3, 1 / 3
    assert muAP(judged) == pytest.approx(0.3 * at_least_03 + 0.7 * at_least_1)
    assert muAP(judged) == pytest.approx(0.41)


def test_geometric_mean_is_taken_over_topics() -> None:
    assert gmAP.definition.aggregate == "geometric"
    assert AP.definition.aggregate == muAP.definition.aggregate == "mean"


def test_thresholds_are_grades_above_0() -> None:
    with pytest.raises(InputError, match="AP: rel=0 is not a grade above 0"):
        AP(rel=0)
    with pytest.raises(InputError, match="AP: norm='max' is not 'R' or 'min'"):
        AP(norm="max")
    with pytest.raises(InputError, match=r"AP: cutoff=2\.5 is not a whole number of ranks from 1"):
        AP @ 2.5
