from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Item, Topic, by_grade, gained_topics, golden_cases, share, topics

from gradeval import AP, AWP, BR, RWP, SR, JudgedRankings, P, Q, RMeasure, Rprec, parse_measure

FAMILY = [Q, Q @ 4, Q(beta=0.1, norm="min") @ 4, AWP, AWP @ 4, RWP, RMeasure, RMeasure(beta=5), BR, BR @ 4, SR @ 4]


class Sums:
    """count, cg and cig of a ranking at every rank, literally."""

    def __init__(self, topic: Topic, gains: list[int]) -> None:
        self.found = [self.gain(item, gains) for item in topic.ranking]
        documents = [gains[grade] for grade, count in enumerate(topic.pool) for _ in range(count)]
        self.ideal = sorted(filter(None, documents), reverse=True)
        self.R = len(self.ideal)

    @staticmethod
    def gain(item: Item, gains: list[int]) -> int:
        return gains[item] if isinstance(item, int) else 0

    def count(self, n: int) -> int:
        return sum(gain > 0 for gain in self.found[:n])

    def cg(self, n: int) -> int:
        return sum(self.found[:n])

    def cig(self, n: int) -> int:
        return sum(self.ideal[:n])

    def sliding(self, n: int) -> Fraction:
        return share(self.cg(n), self.cig(n))

    def blended(self, n: int, beta: Fraction) -> Fraction:
        return share(self.count(n) + beta * self.cg(n), n + beta * self.cig(n))

    def relevant_ranks(self, cutoff: int | None) -> list[int]:
        return [n for n, gain in enumerate(self.found[:cutoff], 1) if gain]


def test_golden_sakai_family(golden: dict[str, Any]) -> None:
    for name, measure in {"awp": AWP, "r_wp": RWP}.items():
        for what, judged, case, _, value in golden_cases(golden, name):
            assert measure(gains=by_grade(case["gain"]))(judged) == pytest.approx(value, abs=1e-12), what
    for name, measure in {"sliding_ratio": SR, "blended_ratio": BR}.items():
        for what, judged, case, params, value in golden_cases(golden, name):
            gained = measure(gains=by_grade(case["gain"])) @ params["n"]
            assert gained(judged) == pytest.approx(value, abs=1e-12), what
    for name, measure in {"q_measure": Q, "r_measure": RMeasure}.items():
        for what, judged, case, params, value in golden_cases(golden, name):
            gained = measure(beta=float(Fraction(params["beta"])), gains=by_grade(case["gain"]))
            if "cutoff" in params:
                gained = gained(norm=params["norm"], cutoff=params["cutoff"])
            assert gained(judged) == pytest.approx(value, abs=1e-12), what


@given(gained_topics(), st.sampled_from([0, Fraction(1, 10), 1, 10]), st.none() | st.integers(1, 12))
def test_averages_follow_their_definitions(drawn: tuple[Topic, list[int]], beta: Fraction, cutoff: int | None) -> None:
    topic, gains = drawn
    sums = Sums(topic, gains)
    ranks = sums.relevant_ranks(cutoff)
    least = sums.R if cutoff is None else min(sums.R, cutoff)
    total = sum((sums.blended(n, beta) for n in ranks), Fraction(0))
    q = Q(beta=float(beta), gains=by_grade(gains), cutoff=cutoff)
    with np.errstate(invalid="raise", divide="raise", over="raise"):
        assert q(topic.judged) == pytest.approx(float(share(total, sums.R)))
        assert q(norm="min")(topic.judged) == pytest.approx(float(share(total, least)))
        weighted = share(sum((sums.sliding(n) for n in ranks), Fraction(0)), sums.R)
        assert AWP(gains=by_grade(gains), cutoff=cutoff)(topic.judged) == pytest.approx(float(weighted))


@given(gained_topics(), st.sampled_from([0, Fraction(1, 10), 1, 10]), st.integers(1, 12))
def test_ratios_at_a_rank_follow_their_definitions(drawn: tuple[Topic, list[int]], beta: Fraction, k: int) -> None:
    topic, gains = drawn
    sums = Sums(topic, gains)
    common = {"gains": by_grade(gains)}
    blended = {"beta": float(beta), **common}
    assert (SR(**common) @ k)(topic.judged) == pytest.approx(float(sums.sliding(k)))
    assert RWP(**common)(topic.judged) == pytest.approx(float(sums.sliding(sums.R)))
    assert (BR(**blended) @ k)(topic.judged) == pytest.approx(float(sums.blended(k, beta)))
    assert RMeasure(**blended)(topic.judged) == pytest.approx(float(sums.blended(sums.R, beta)))
    assert BR(**blended)(topic.judged) == pytest.approx(float(sums.blended(len(topic.ranking), beta)))


def test_sakai_freezing_example(golden: dict[str, Any]) -> None:
    """R = 5 binary documents, one of them retrieved: AWP cannot tell rank 5 from rank 1000."""
    system_a = JudgedRankings.of([None] * 4 + [1], pool=[0, 5])
    system_b = JudgedRankings.of([None] * 999 + [1], pool=[0, 5])
    for judged, rank in ((system_a, 5), (system_b, 1000)):
        assert AWP(judged) == pytest.approx((1 / 5) / 5)
        assert Q(judged) == pytest.approx((2 / (rank + 5)) / 5)
        assert AP(judged) == pytest.approx((1 / rank) / 5)
    printed = next(example for example in golden["examples"] if "Sakai05" in example["name"])
    for measure, name in ((AWP, "AWP"), (Q, "Q"), (AP, "AP")):
        assert measure(system_b) == pytest.approx(printed[name]["value"])


def test_ntcireval_sample() -> None:
    judged = JudgedRankings.of([0, 3, None, 2], pool=[1, 4, 3, 3])
    printed = {
        "Q": 0.0967,
        "Q(gains={1:1,2:4,3:9})": 0.0929,
        "AP": 0.1000,
        "nDCG(discount='jk')": 0.3380,
        "nDCG": 0.2760,
        "RBP(p=0.95)": 0.0761,
    }
    for name, value in printed.items():
        assert round(parse_measure(name)(judged)[0], 4) == value, name
    assert Q(judged) == pytest.approx(((1 + 3) / (2 + 6) + (2 + 5) / (4 + 11)) / 10)


@given(topics(), st.none() | st.integers(1, 12))
def test_beta_0_gives_the_binary_measures(topic: Topic, cutoff: int | None) -> None:
    judged = topic.judged
    for norm in ("R", "min"):
        q, ap = Q(beta=0, norm=norm, cutoff=cutoff), AP(norm=norm, cutoff=cutoff)
        assert q(judged) == pytest.approx(ap(judged))
    assert RMeasure(beta=0)(judged) == pytest.approx(Rprec(judged))
    assert (BR(beta=0) @ 5)(judged) == pytest.approx((P @ 5)(judged))


@pytest.mark.parametrize("beta", [1e12, 1e300, 1.7e308])
@given(topics())
def test_a_large_beta_gives_the_weighted_measures(beta: float, topic: Topic) -> None:
    judged = topic.judged
    with np.errstate(invalid="raise", over="raise"):
        assert Q(beta=beta)(judged) == pytest.approx(AWP(judged))
        assert RMeasure(beta=beta)(judged) == pytest.approx(RWP(judged))
        assert (BR(beta=beta) @ 5)(judged) == pytest.approx((SR @ 5)(judged))


@given(topics())
def test_gains_times_ten_are_beta_times_ten(topic: Topic) -> None:
    tens = {float(grade): 10.0 * grade for grade in range(1, len(topic.pool))}
    for measure in (Q, RMeasure, BR @ 5):
        assert measure(gains=tens)(topic.judged) == pytest.approx(measure(beta=10)(topic.judged))


@given(topics(levels=[2]))
def test_relations_with_binary_grades(topic: Topic) -> None:
    judged, base = topic.judged, topic.base(1)
    for n in range(1, base + 1):
        assert (SR @ n)(judged) == pytest.approx((P @ n)(judged))
    assert RWP(judged) == pytest.approx(Rprec(judged))
    assert RMeasure(judged) == pytest.approx(Rprec(judged))
    assert AP(judged) <= Q(judged) + 1e-12
    assert Q(judged) <= AWP(judged) + 1e-12
    if all(n <= base for n in topic.relevant_ranks(1)):
        assert Q(judged) == pytest.approx(AP(judged))
        assert AWP(judged) == pytest.approx(AP(judged))


@given(topics())
def test_measures_at_rank_r_are_1_only_if_the_top_r_are_all_relevant(topic: Topic) -> None:
    base = topic.base(1)
    perfect = base > 0 and topic.count(base, 1) == base
    assert (RWP(topic.judged)[0] == 1) == perfect
    assert (RMeasure(topic.judged)[0] == 1) == perfect


def test_swap_counterexamples() -> None:
    """Moving the better of two documents up can lower Q and AWP."""
    worse, better = (JudgedRankings.of(list(r), pool=[1, 1, 0, 1]) for r in ([1, 3, 0], [0, 3, 1]))
    assert Q(worse) == pytest.approx(3 / 4)
    assert Q(better) == pytest.approx(16 / 21)
    assert AWP(worse) == pytest.approx(2 / 3)
    assert AWP(better) == pytest.approx(7 / 8)


@given(topics(), st.data())
def test_exchanging_two_relevant_documents_for_the_worse_never_raises(topic: Topic, data: st.DataObject) -> None:
    ranks = topic.relevant_ranks(1)
    if len(ranks) < 2:
        return
    first, second = sorted(data.draw(st.permutations(ranks))[:2])
    ranking = list(topic.ranking)
    high, low = sorted((topic.grades[first - 1], topic.grades[second - 1]), reverse=True)
    ranking[first - 1], ranking[second - 1] = high, low
    before = Topic(tuple(ranking), topic.pool).judged
    ranking[first - 1], ranking[second - 1] = low, high
    after = Topic(tuple(ranking), topic.pool).judged
    for measure in (Q, AWP, SR @ 3, RMeasure):
        assert measure(after) <= measure(before) + 1e-12


def test_relevant_is_what_has_a_gain() -> None:
    judged = JudgedRankings.of([1, 2, 0], pool=[2, 1, 1])
    rigid = {1: 0.0}
    assert Q(gains=rigid)(judged) == pytest.approx((1 + 2) / (2 + 2))
    assert Q(gains=rigid).base(judged) == 1
    assert Q(gains={0: 1}).base(judged) == 4
    assert Q(gains={1: 0, 2: 0}).base(judged) == 0
    for measure in FAMILY:
        assert measure(gains={1: 0, 2: 0})(judged) == 0


def test_unjudged_documents_gain_nothing_even_if_grade_0_does() -> None:
    judged = JudgedRankings.of(["U", 0, None], pool=[1, 1])
    assert AWP(gains={0: 1})(judged) == pytest.approx((1 / 2) / 2)


def test_grades_may_be_fractions() -> None:
    judged = JudgedRankings.of([0.3, 0, 1.0], pool=[1, 2, 1], levels=[0, 0.3, 1.0])
    assert AWP(judged) == pytest.approx((0.3 / 1 + 1.3 / 1.6) / 3)
    assert RWP(judged) == pytest.approx(1.3 / 1.6)
