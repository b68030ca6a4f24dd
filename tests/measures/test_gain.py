from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from gain_oracle import SCHEEL, best, dcg, gain, ndcg
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, by_grade, gained_topics, golden_cases, topics

from gradeval import CG, DCG, NDCNG, InputError, JudgedRankings, MeannDCG, gP, gR, nDCG


def test_golden_discounted_gain(golden: dict[str, Any]) -> None:
    for name, measure in (("dcg", DCG), ("ndcg", nDCG)):
        for what, judged, case, params, value in golden_cases(golden, name):
            discounted = measure(discount=params["discount"], base=params.get("base", 2), cutoff=params["n"])
            if params["gain"] == "exp":
                gains = {"dcg": "exp-log2"}
            else:
                gains = {"gains": by_grade(case["gain"])}
            assert discounted(**gains)(judged) == pytest.approx(value, abs=1e-9), what


def test_golden_ndcng(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "ndcng"):
        assert NDCNG(cutoff=params["n"])(judged) == pytest.approx(value, abs=1e-9), what


def test_golden_generalised_precision_and_recall(golden: dict[str, Any]) -> None:
    for name, measure in (("generalised_precision", gP), ("generalised_recall", gR)):
        for what, judged, case, _, value in golden_cases(golden, name):
            whole = measure(gains=by_grade(case["gain"])) @ max(1, len(case["ranking"]))
            assert whole(judged) == pytest.approx(value, abs=1e-12), what


def test_scheel_table_2_examples(golden: dict[str, Any]) -> None:
    one, two, three = (example for example in golden["examples"] if "Table 2" in example["name"])
    judged = JudgedRankings.of(SCHEEL)
    doubled = JudgedRankings.of([2 * grade for grade in SCHEEL])
    common = {"dcg": "exp-log2", "base": 10}
    for n in range(1, 9):
        assert (DCG(**common) @ n)(judged) == pytest.approx(one["dcg"][n - 1])
        assert (DCG(**common) @ n)(doubled) == pytest.approx(two["dcg"][n - 1])
        assert (nDCG(**common) @ n)(judged) == pytest.approx(one["ndcg"][n - 1])
        assert (nDCG(**common) @ n)(doubled) == pytest.approx(two["ndcg"][n - 1])
        assert (NDCNG @ n)(judged) == pytest.approx(three["ndcg"][n - 1])
        assert (NDCNG @ n)(doubled) == pytest.approx(three["ndcg"][n - 1])
    assert (MeannDCG(**common) @ 8)(judged) == pytest.approx(one["mean_ndcg"])
    assert (MeannDCG(**common) @ 8)(doubled) == pytest.approx(two["mean_ndcg"])


@given(gained_topics(more=[0.5, 0.1]), st.integers(1, 12))
def test_sums_of_gain_follow_their_definitions(drawn: tuple[Topic, list[float]], k: int) -> None:
    topic, gains = drawn
    found = [gain(item, gains) for item in topic.ranking]
    total, top = sum(best(topic, gains)), max(gains)
    assert (CG(gains=by_grade(gains)) @ k)(topic.judged) == pytest.approx(sum(found[:k]))
    assert (gP(gains=by_grade(gains)) @ k)(topic.judged) == pytest.approx(sum(found[:k]) / k / top if top else 0)
    assert (gR(gains=by_grade(gains)) @ k)(topic.judged) == pytest.approx(sum(found[:k]) / total if total else 0)


@given(
    gained_topics(more=[0.5, 0.1]),
    st.sampled_from(["ms", "jk"]),
    st.sampled_from([2, 3, 10, 1.5]),
    st.none() | st.integers(1, 12),
)
def test_discounted_gain_follows_its_definition(
    drawn: tuple[Topic, list[float]], kind: str, base: float, k: int | None
) -> None:
    topic, gains = drawn
    parameters = {"gains": by_grade(gains), "discount": kind, "base": base, "cutoff": k}
    with np.errstate(invalid="raise", divide="raise", over="raise"):
        plain, normalised = DCG(**parameters)(topic.judged), nDCG(**parameters)(topic.judged)
    assert plain == pytest.approx(dcg([gain(item, gains) for item in topic.ranking], k, kind, base))
    assert normalised == pytest.approx(ndcg(topic, gains, k, kind, base))
    assert 0 <= normalised <= 1


@given(gained_topics(more=[0.5, 0.1]), st.none() | st.integers(1, 12), st.sampled_from([None, 10, 12.5]))
def test_ndcng_follows_its_definition(drawn: tuple[Topic, list[float]], k: int | None, scale_max: float | None) -> None:
    topic, values = drawn
    largest = scale_max or max(best(topic, values), default=0) or 1
    gains = [2 ** (value / largest) - 1 for value in values]
    measure = NDCNG(gains=by_grade(values), scale_max=scale_max, cutoff=k)
    assert measure(topic.judged) == pytest.approx(ndcg(topic, gains, k))


@given(topics(), st.sampled_from([2, 5, 0.25]))
def test_ndcng_does_not_depend_on_the_unit_of_the_grades(topic: Topic, unit: float) -> None:
    levels = [unit * grade for grade in range(len(topic.pool))]
    ranking = [unit * item if isinstance(item, int) else item for item in topic.ranking]
    scaled = JudgedRankings.of(ranking, pool=topic.pool, levels=levels)
    assert NDCNG(scaled) == pytest.approx(NDCNG(topic.judged))


@given(topics())
def test_ndcng_does_not_depend_on_levels_that_nobody_used(topic: Topic) -> None:
    levels = [0, 0.5, *range(1, len(topic.pool)), 9999]  # 2^9999 is no double
    pool = [topic.pool[0], 0, *topic.pool[1:], 0]
    with np.errstate(invalid="raise", over="raise"):
        wider = NDCNG(JudgedRankings.of(list(topic.ranking), pool=pool, levels=levels))
    assert wider == pytest.approx(NDCNG(topic.judged))


def test_ndcng_depends_on_the_topics_best_document_unless_the_scale_is_declared() -> None:
    here = JudgedRankings.of([1, 2, 1], pool=[0, 2, 1, 0])
    there = JudgedRankings.of([1, 2, 1], pool=[0, 2, 1, 1])
    assert NDCNG(here) > NDCNG(there)
    same = nDCG(gains={1: 2 ** (1 / 3) - 1, 2: 2 ** (2 / 3) - 1})(here)
    assert NDCNG(scale_max=3)(here) == pytest.approx(same, abs=1e-15)
    with pytest.raises(InputError, match=r"scale_max=2 is below 3"):
        NDCNG(scale_max=2)(here)


def test_the_letor_discount_starts_at_the_third_rank() -> None:
    judged = JudgedRankings.of([1, 1, 1, 1])
    expected = 1 + 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert DCG(discount="letor")(judged) == pytest.approx(expected)
    assert DCG(discount="jk")(judged) == DCG(discount="letor")(judged)
    assert DCG(discount="jk", base=10)(judged) == 4
    with pytest.raises(InputError, match=r"base=10 with discount='letor'.*'jk'"):
        nDCG(discount="letor", base=10)(judged)


@given(gained_topics(more=[0.5, 0.1]), st.none() | st.integers(1, 12))
def test_the_linear_discount_divides_by_the_rank(drawn: tuple[Topic, list[float]], k: int | None) -> None:
    topic, gains = drawn
    parameters = {"gains": by_grade(gains), "discount": "linear", "cutoff": k}
    plain = math.fsum(gain(item, gains) / n for n, item in enumerate(topic.ranking[:k], 1))
    assert DCG(**parameters)(topic.judged) == pytest.approx(plain)
    assert nDCG(**parameters)(topic.judged) == pytest.approx(ndcg(topic, gains, k, "linear"))


def test_the_four_ndcgs_of_robertson_et_al() -> None:
    judged = JudgedRankings.of([1, 0, 2], pool=[1, 1, 1])
    logarithm = {1: 1, 2: math.log2(3), 3: 2}
    assert nDCG(judged) == pytest.approx((1 + 2 / logarithm[3]) / (2 + 1 / logarithm[2]))
    assert nDCG(dcg="exp-log2")(judged) == pytest.approx((1 + 3 / logarithm[3]) / (3 + 1 / logarithm[2]))
    assert nDCG(discount="linear")(judged) == pytest.approx((1 + 2 / 3) / (2 + 1 / 2))
    assert nDCG(dcg="exp-log2", discount="linear")(judged) == pytest.approx((1 + 3 / 3) / (3 + 1 / 2))
    with pytest.raises(InputError, match="base=10 with discount='linear', which has no logarithm"):
        nDCG(discount="linear", base=10)(judged)


def test_the_base_cancels_in_ndcg_with_the_ms_discount() -> None:
    judged = JudgedRankings.of([0, 2, 1, 3])
    assert nDCG(base=10)(judged) == pytest.approx(nDCG(judged))
    assert DCG(base=10)(judged) == pytest.approx(math.log2(10) * DCG(judged))


def test_gains_replace_the_grades_they_name_and_no_others() -> None:
    judged = JudgedRankings.of([2, 1, 3, 0], pool=[1, 1, 1, 1])
    assert (CG(gains={3: 10}) @ 4)(judged) == 2 + 1 + 10 + 0
    assert (CG(gains={0: 5, 2: 0}) @ 4)(judged) == 0 + 1 + 3 + 5
    assert nDCG(gains={1: 1, 2: 3, 3: 7})(judged) == nDCG(dcg="exp-log2")(judged)


def test_the_ideal_list_goes_by_gain_where_gains_do_not_ascend() -> None:
    judged = JudgedRankings.of([1, 2], pool=[0, 1, 1])
    assert nDCG(gains={1: 3, 2: 1})(judged) == 1
    assert (gR(gains={1: 3, 2: 1}) @ 1)(judged) == 3 / 4
    assert nDCG(judged) == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))


def test_a_gain_for_grade_0_is_for_judged_documents_only() -> None:
    judged = JudgedRankings.of([None, 0, "U", 1, 0], pool=[3, 1])
    assert (CG(gains={0: 2}) @ 5)(judged) == 2 + 1 + 2
    ideal = 2 + 2 / math.log2(3) + 2 / math.log2(4) + 1 / math.log2(5)
    found = 2 / math.log2(3) + 1 / math.log2(5) + 2 / math.log2(6)
    assert nDCG(gains={0: 2})(judged) == pytest.approx(found / ideal)


def test_grades_may_be_fractions() -> None:
    judged = JudgedRankings.of([0.3, 0, 1.0], pool=[1, 2, 1], levels=[0, 0.3, 1.0])
    found, ideal = 0.3 + 1 / math.log2(4), 1 + 0.3 / math.log2(3) + 0.3 / math.log2(4)
    assert nDCG(judged) == pytest.approx(found / ideal)
    assert (gP @ 2)(judged) == pytest.approx(0.3 / 2)
    assert nDCG(gains={0.3: 1})(judged) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2))


def test_a_cutoff_far_beyond_the_lists_costs_and_changes_nothing() -> None:
    judged = JudgedRankings.of([0, 1, 2], pool=[1, 2, 2])
    far = 10**9
    assert (nDCG @ far)(judged) == nDCG(judged)
    assert (CG @ far)(judged) == 3


def test_a_topic_is_empty_for_a_measure_if_its_pool_has_no_gain() -> None:
    judged = JudgedRankings.of([1, 0], pool=[1, 1, 0])
    assert nDCG(gains={1: 0}).base(judged) == 0
    assert nDCG(gains={1: 0, 2: 0})(judged) == 0
    assert nDCG(gains={0: 1, 1: 0})(judged) == pytest.approx(1 / math.log2(3))


def test_gains_and_the_exponential_gain_contradict_each_other() -> None:
    for measure in (DCG, nDCG, MeannDCG @ 3):
        with pytest.raises(InputError, match=r"gains=\{1:2\} together with dcg='exp-log2'"):
            measure(gains={1: 2}, dcg="exp-log2")(JudgedRankings.of([1, 0]))


def test_gains_too_large_to_be_summed_are_an_error() -> None:
    for measure, grade in ((nDCG(dcg="exp-log2"), 1500.0), (nDCG(gains={1: 1e305}), 1.0), (nDCG, 1e303)):
        with pytest.raises(InputError, match=r"the gain of grade .* is beyond 2\^1000"):
            measure(JudgedRankings.of([grade, 0], levels=[0, grade]))
