from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, share, topics

from gradeval import AP, Bpref, Judged, JudgedRankings, Unjudged, evaluate, gmBpref, infAP

VARIANTS = ["trec_eval", "sigir04", "old", "bpref10"]
EPSILON = Fraction(1, 100_000)


def bpref(topic: Topic, rel: int, variant: str) -> Fraction:
    """The walk down the ranking, unjudged documents passed over."""
    judged = [item for item in topic.ranking if isinstance(item, int)]
    base, others = topic.base(rel), sum(topic.pool[:rel])
    retrieved_others = sum(grade < rel for grade in judged)
    total, above = Fraction(0), 0
    for grade in judged:
        if grade < rel:
            above += 1
        elif variant == "trec_eval":
            total += 1 - (Fraction(min(above, base), min(others, base)) if above else 0)
        elif variant == "sigir04":
            total += 1 - Fraction(min(above, base), base)
        elif variant == "old":
            total += 1 - (Fraction(min(above, base), min(retrieved_others, base)) if above else 0)
        else:
            total += 1 - Fraction(min(above, 10 + base), 10 + base)
    return share(total, base)


def inferred(topic: Topic, rel: int) -> Fraction:
    """Expected precision at each relevant document, term by term as Yilmaz and Aslam write it."""
    total, relevant, others, unjudged = Fraction(0), 0, 0, 0
    for n, item in enumerate(topic.ranking, 1):
        if item == "U":
            unjudged += 1
        elif isinstance(item, int) and item < rel:
            others += 1
        elif isinstance(item, int):
            if n == 1:
                total += 1
            else:
                in_pool = Fraction(relevant + others + unjudged, n - 1)
                relevant_there = (relevant + EPSILON) / (relevant + others + 2 * EPSILON)
                total += Fraction(1, n) + Fraction(n - 1, n) * in_pool * relevant_there
            relevant += 1
    return share(total, topic.base(rel))


def test_golden_bpref(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "bpref"):
        measure = Bpref(rel=params["k"], variant=params["version"])
        assert measure(judged) == pytest.approx(value, abs=1e-12), what


@given(topics(), st.integers(1, 3), st.sampled_from(VARIANTS))
def test_the_geometric_mean_is_taken_of_bpref(topic: Topic, rel: int, variant: str) -> None:
    assert gmBpref(rel=rel, variant=variant)(topic.judged) == Bpref(rel=rel, variant=variant)(topic.judged)


def test_the_geometric_mean_is_that_over_topics() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 1, "c": 0}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 3.0, "c": 2.0, "b": 1.0}}
    assert evaluate(qrels, run, "Bpref").mean() == pytest.approx((1 + 1 / 2) / 2)
    assert evaluate(qrels, run, "gmBpref").mean() == pytest.approx((1 * 1 / 2) ** (1 / 2))


def test_golden_inferred_ap(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "infap"):
        assert infAP(rel=params["k"])(judged) == pytest.approx(value, abs=1e-12), what


@given(topics(), st.integers(1, 3), st.sampled_from(VARIANTS))
def test_bpref_follows_its_definition(topic: Topic, rel: int, variant: str) -> None:
    assert Bpref(rel=rel, variant=variant)(topic.judged) == pytest.approx(float(bpref(topic, rel, variant)))


@given(topics(unjudged=5), st.integers(1, 3))
def test_inferred_ap_follows_its_definition(topic: Topic, rel: int) -> None:
    assert infAP(rel=rel)(topic.judged) == pytest.approx(float(inferred(topic, rel)))


@given(topics(unjudged=0))
def test_inferred_ap_of_a_fully_judged_pool_is_ap(topic: Topic) -> None:
    assert infAP(topic.judged) == pytest.approx(AP(topic.judged), abs=2e-5)


@given(topics())
def test_bpref_passes_over_unjudged_documents(topic: Topic) -> None:
    assert Bpref(judged_only=True)(topic.judged) == Bpref(topic.judged)


@given(topics(unjudged=4), st.integers(1, 12))
def test_judged_share_divides_by_what_was_retrieved(topic: Topic, n: int) -> None:
    known = [isinstance(item, int) for item in topic.ranking]
    assert Judged(topic.judged) == pytest.approx(float(share(sum(known), len(known))))
    assert (Judged @ n)(topic.judged) == pytest.approx(float(share(sum(known[:n]), min(n, len(known)))))


@given(topics(unjudged=4), st.integers(1, 12))
def test_unjudged_share_divides_by_the_cutoff(topic: Topic, n: int) -> None:
    unknown = [not isinstance(item, int) for item in topic.ranking]
    assert Unjudged(topic.judged) == pytest.approx(float(share(sum(unknown), len(unknown))))
    assert (Unjudged @ n)(topic.judged) == pytest.approx(sum(unknown[:n]) / n)


def test_bpref_bug_note_of_trec_eval_8() -> None:
    # One of four judged non-relevant documents stands above four of six relevant ones, which the old code,
    # counting only what was retrieved, took for the worst possible.
    judged = JudgedRankings.of([0, 1, 1, 1, 1], pool=[4, 6])
    assert Bpref(judged) == pytest.approx(4 * (1 - 1 / 4) / 6)
    assert Bpref(judged) == 1 / 2
    assert Bpref(variant="old")(judged) == 0


def test_infap_expects_unjudged_documents_to_be_relevant_as_often_as_judged_ones() -> None:
    judged = JudgedRankings.of([1, 0, "U", "U", None, 1], pool=[3, 2])
    # Above rank 6: 4 of 5 documents in the pool, of the two judged ones half are relevant.
    assert infAP(judged) == pytest.approx((1 + (1 / 6) * (1 + 4 * (1 / 2))) / 2)


def test_topics_without_relevant_documents_are_empty_for_bpref_but_not_for_judged() -> None:
    judged = JudgedRankings.of([0, 0])
    assert Bpref.base(judged) == infAP.base(judged) == 0
    assert Judged.base(judged) is None
