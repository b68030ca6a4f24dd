from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, share, topics

from gradeval import RR, F, Hits, IPrec, IPrec11, JudgedRankings, P, R, RelP, Rprec, Success

TENTHS = [Fraction(tenth, 10) for tenth in range(11)]


def best_from(topic: Topic, rel: int, needed: int) -> Fraction:
    """The best precision at a rank with `needed` relevant documents or more."""
    return max(
        (topic.precision(n, rel) for n in range(1, len(topic.ranking) + 1) if topic.count(n, rel) >= needed),
        default=Fraction(0),
    )


def interpolated(topic: Topic, rel: int, recall: Fraction) -> Fraction:
    """max{Prec_n : Rec_n >= x}, literally."""
    base = topic.base(rel)
    ranks = range(1, len(topic.ranking) + 1)
    return max(
        (topic.precision(n, rel) for n in ranks if base and Fraction(topic.count(n, rel), base) >= recall),
        default=Fraction(0),
    )


def test_golden_precision(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "p_at"):
        assert (P(rel=params["k"]) @ params["n"])(judged) == pytest.approx(value, abs=1e-12), what


def test_golden_r_precision(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "r_precision"):
        assert Rprec(rel=params["k"])(judged) == pytest.approx(value, abs=1e-12), what


def test_golden_reciprocal_rank(golden: dict[str, Any]) -> None:
    for what, judged, _, _, value in golden_cases(golden, "reciprocal_rank"):
        assert RR(judged) == pytest.approx(value, abs=1e-12), what


def test_golden_interpolated_precision(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "iprec"):
        measure = IPrec(rel=params["k"]) @ float(Fraction(params["level"]))
        assert measure(judged) == pytest.approx(value, abs=1e-12), what
    for what, judged, _, _, value in golden_cases(golden, "eleven_point"):
        assert IPrec11(judged) == pytest.approx(value, abs=1e-12), what


@given(topics(), st.integers(1, 3), st.integers(1, 12))
def test_measures_at_a_rank_follow_their_definitions(topic: Topic, rel: int, n: int) -> None:
    found, ranks = topic.count(n, rel), topic.relevant_ranks(rel)
    assert (P(rel=rel) @ n)(topic.judged) == pytest.approx(float(Fraction(found, n)))
    assert (R(rel=rel) @ n)(topic.judged) == pytest.approx(float(share(found, topic.base(rel))))
    assert (Success(rel=rel) @ n)(topic.judged) == (found > 0)
    assert RR(rel=rel)(topic.judged) == pytest.approx(1 / ranks[0] if ranks else 0)
    assert (RR(rel=rel) @ n)(topic.judged) == pytest.approx(1 / ranks[0] if ranks and ranks[0] <= n else 0)
    base = topic.base(rel)
    assert Rprec(rel=rel)(topic.judged) == pytest.approx(float(share(topic.count(base, rel), base)))
    assert (RelP(rel=rel) @ n)(topic.judged) == pytest.approx(float(share(found, min(n, base))))
    assert (Hits(rel=rel) @ n)(topic.judged) == found
    assert Hits(rel=rel)(topic.judged) == len(ranks)


@given(topics(), st.integers(1, 3), st.integers(1, 12), st.sampled_from([0, 0.5, 1, 4]))
def test_the_f_measure_is_the_harmonic_mean_of_precision_and_recall(
    topic: Topic, rel: int, n: int, beta: float
) -> None:
    precision, recall = Fraction(topic.count(n, rel), n), share(topic.count(n, rel), topic.base(rel))
    weight = Fraction(beta)
    mean = share((weight + 1) * precision * recall, weight * precision + recall)
    assert (F(rel=rel, beta=beta) @ n)(topic.judged) == pytest.approx(float(mean))


@given(topics(most=9), st.integers(1, 3), st.sampled_from([Fraction(fifth, 5) for fifth in range(11)]))
def test_precision_at_a_multiple_of_the_recall_base(topic: Topic, rel: int, multiple: Fraction) -> None:
    depth = math.ceil(multiple * topic.base(rel))
    expected = share(topic.count(depth, rel), depth)
    assert Rprec(rel=rel, multiple=float(multiple))(topic.judged) == pytest.approx(float(expected))


@pytest.mark.parametrize(("multiple", "depth"), [(0.1, 1), (0.0999, 0), (1.1, 2), (1.0999, 1), (2.1, 3)])
def test_a_multiple_is_rounded_up_from_a_tenth_on_as_trec_eval_rounds(multiple: float, depth: int) -> None:
    """trec_eval looks at floor(multiple RB + 0.9) documents; here RB is 1 and the relevant document stands first."""
    judged = JudgedRankings.of([1, 0, 0, 0])
    assert Rprec(multiple=multiple)(judged) == (1 / depth if depth else 0)


@given(topics(), st.integers(1, 3), st.integers(0, 100))
def test_interpolated_precision_compares_recall_exactly(topic: Topic, rel: int, percent: int) -> None:
    measure = IPrec(rel=rel) @ (percent / 100)
    assert measure(topic.judged) == pytest.approx(float(interpolated(topic, rel, Fraction(percent, 100))))


@given(topics(), st.integers(1, 3))
def test_eleven_points_are_the_mean_of_eleven_interpolated_precisions(topic: Topic, rel: int) -> None:
    mean = sum(interpolated(topic, rel, tenth) for tenth in TENTHS) / 11
    assert IPrec11(rel=rel)(topic.judged) == pytest.approx(float(mean))


@given(topics(most=9), st.integers(1, 3), st.sampled_from(TENTHS))
def test_trec_eval_counts_relevant_documents_instead_of_comparing_recall(
    topic: Topic, rel: int, recall: Fraction
) -> None:
    base = topic.base(rel)
    up = math.floor(float(recall) * base + 0.9)
    half = math.floor(float(recall) * base + 0.5)
    assert (IPrec(rel=rel, mode="trec9") @ float(recall))(topic.judged) == pytest.approx(
        float(best_from(topic, rel, up))
    )
    assert (IPrec(rel=rel, mode="trec10") @ float(recall))(topic.judged) == pytest.approx(
        float(best_from(topic, rel, half))
    )


def test_recall_levels_are_decimals_not_binary_fractions() -> None:
    # 0.07 * 100 is 7.000000000000001 in floating point: seven documents reach it all the same.
    ranking = [1] * 7 + [0] * 10
    judged = JudgedRankings.of(ranking, pool=[10, 10])
    assert (IPrec @ 0.7)(judged) == 1
    assert (IPrec @ 0.71)(judged) == 0
    assert (IPrec @ 0.07)(JudgedRankings.of(ranking, pool=[10, 100])) == 1


def test_interpolated_precision_modes_differ_on_short_topics() -> None:
    # Three relevant documents, at ranks 1, 4 and 9: recall 0.4 asks for 1.2 of them.
    judged = JudgedRankings.of([1, 0, 0, 1, 0, 0, 0, 0, 1])
    assert (IPrec @ 0.4)(judged) == 2 / 4
    assert (IPrec(mode="trec9") @ 0.4)(judged) == 2 / 4
    assert (IPrec(mode="trec10") @ 0.4)(judged) == 1


def test_precision_divides_by_the_cutoff_even_where_less_was_retrieved() -> None:
    assert (P @ 10)(JudgedRankings.of([1, 1, 0])) == 2 / 10


def test_r_precision_sees_no_further_than_the_recall_base() -> None:
    assert Rprec(JudgedRankings.of([1, None, 1, 1], pool=[0, 3])) == 2 / 3


def test_each_topic_has_its_own_recall_base_in_a_batch() -> None:
    one = JudgedRankings.of([1, 0, 1], pool=[1, 2])
    pools = np.array([[[1, 2]], [[1, 4]]])  # two pools for one ranking
    many = JudgedRankings(one.grades, one.ranks, one.judged, one.document, pools, one.levels, one.retrieved)
    assert (R @ 3)(many).tolist() == [[2 / 2], [2 / 4]]
    assert Rprec(many).tolist() == [[1 / 2], [2 / 4]]
    assert (IPrec @ 0.5)(many).tolist() == [[1], [2 / 3]]
