from __future__ import annotations

import math
from typing import Any

import pytest
from gain_oracle import SCHEEL, best, gain, ndcg
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, by_grade, gained_topics, topics

from gradeval import NDCNG, InputError, JudgedRankings, MeannDCG, MeanNDCNG, RnDCG, nDCG, nDCGrel

FAMILY = [MeannDCG, MeannDCG @ 4, MeanNDCNG, MeanNDCNG @ 4, nDCGrel, RnDCG]


@given(gained_topics(more=[0.5, 0.1]), st.none() | st.integers(1, 15), st.sampled_from(["ms", "letor", "linear"]))
def test_mean_ndcg_is_the_mean_over_the_ranks(drawn: tuple[Topic, list[float]], k: int | None, kind: str) -> None:
    topic, gains = drawn
    length = k or len(topic.ranking)
    mean = math.fsum(ndcg(topic, gains, n, kind) for n in range(1, length + 1)) / max(1, length)
    measure = MeannDCG(gains=by_grade(gains), discount=kind, cutoff=k)
    assert measure(topic.judged) == pytest.approx(mean)


@given(gained_topics(more=[0.5, 0.1]), st.none() | st.integers(1, 15), st.sampled_from([None, 10, 12.5]))
def test_mean_ndcng_is_the_mean_over_the_ranks(
    drawn: tuple[Topic, list[float]], k: int | None, scale_max: float | None
) -> None:
    topic, values = drawn
    largest = scale_max or max(best(topic, values), default=0) or 1
    gains = [2 ** (value / largest) - 1 for value in values]
    length = k or len(topic.ranking)
    mean = math.fsum(ndcg(topic, gains, n) for n in range(1, length + 1)) / max(1, length)
    assert MeanNDCNG(gains=by_grade(values), scale_max=scale_max, cutoff=k)(topic.judged) == pytest.approx(mean)


def test_scheel_table_2_means_are_over_all_ranks_of_the_list(golden: dict[str, Any]) -> None:
    one, two, three = (example for example in golden["examples"] if "Table 2" in example["name"])
    judged, doubled = JudgedRankings.of(SCHEEL), JudgedRankings.of([2 * grade for grade in SCHEEL])
    common = {"dcg": "exp-log2", "base": 10}
    assert MeannDCG(**common)(judged) == pytest.approx(one["mean_ndcg"])
    assert MeannDCG(**common)(doubled) == pytest.approx(two["mean_ndcg"])
    for same in (judged, doubled):
        assert MeanNDCNG(same) == pytest.approx(sum(three["ndcg"]) / 8)
        assert (MeanNDCNG @ 5)(same) == pytest.approx(sum(three["ndcg"][:5]) / 5)


@given(topics())
def test_mean_ndcng_does_not_depend_on_the_unit_of_the_grades(topic: Topic) -> None:
    levels = [5 * grade for grade in range(len(topic.pool))]
    ranking = [5 * item if isinstance(item, int) else item for item in topic.ranking]
    scaled = JudgedRankings.of(ranking, pool=topic.pool, levels=levels)
    assert MeanNDCNG(scaled) == pytest.approx(MeanNDCNG(topic.judged))


@given(gained_topics(more=[0.5, 0.1]))
def test_ndcg_over_relevant_documents_follows_its_definition(drawn: tuple[Topic, list[float]]) -> None:
    topic, gains = drawn
    relevant = sum(value > 0 for value in best(topic, gains))
    retrieved = [n for n, item in enumerate(topic.ranking, 1) if gain(item, gains) > 0]
    places = [*retrieved, *[None] * (relevant - len(retrieved))]
    mean = math.fsum(ndcg(topic, gains, n) for n in places) / max(1, relevant)
    assert nDCGrel(gains=by_grade(gains))(topic.judged) == pytest.approx(mean)


@given(gained_topics(more=[0.5, 0.1]))
def test_ndcg_over_ends_of_gains_follows_its_definition(drawn: tuple[Topic, list[float]]) -> None:
    topic, gains = drawn
    ideal = [value for value in best(topic, gains) if value > 0]
    places: list[int | None] = [n for n in range(1, len(ideal) + 1) if n == len(ideal) or ideal[n] < ideal[n - 1]]
    if places and len(topic.ranking) >= len(ideal) + 2:
        places.append(None)
    mean = math.fsum(ndcg(topic, gains, n) for n in places) / max(1, len(places))
    assert RnDCG(gains=by_grade(gains))(topic.judged) == pytest.approx(mean)


def test_places_of_a_small_example() -> None:
    judged = JudgedRankings.of([1, 2, 0, 0, 1], pool=[9, 2, 1])
    assert RnDCG(judged) == pytest.approx(((nDCG @ 1)(judged) + (nDCG @ 3)(judged) + nDCG(judged)) / 3)
    at_documents = [(nDCG @ n)(judged) for n in (1, 2, 5)]
    assert nDCGrel(judged) == pytest.approx(sum(at_documents) / 3)


def test_the_ideal_list_scores_exactly_1() -> None:
    for size in (3, 50, 1000):
        judged = JudgedRankings.of(sorted((grade % 4 for grade in range(size)), reverse=True))
        for measure in (MeannDCG @ 20, MeannDCG, MeanNDCNG @ 20, MeanNDCNG, nDCGrel, RnDCG):
            assert measure(judged) == pytest.approx(1.0, abs=1e-14), (measure, size)
        assert (MeannDCG @ 20)(judged) == 1.0


def test_a_cutoff_far_beyond_the_lists_costs_nothing_and_leads_to_ndcg() -> None:
    judged = JudgedRankings.of([0, 1, 2], pool=[1, 2, 2])
    for mean, plain in ((MeannDCG, nDCG), (MeanNDCNG, NDCNG)):
        assert (mean @ 10**9)(judged) == pytest.approx(plain(judged), abs=1e-8)


def test_what_contradicts_is_an_error() -> None:
    judged = JudgedRankings.of([1, 2, 1])
    with pytest.raises(InputError, match=r"scale_max=1 is below 2"):
        MeanNDCNG(scale_max=1)(judged)
    for measure in FAMILY:
        with pytest.raises(InputError, match=r"gains=\{1:1,4:10\} names grade 4.* levels 0,1,2:"):
            measure(gains={1: 1, 4: 10})(judged)
