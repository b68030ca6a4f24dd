from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradeval import simulate_clicks
from gradeval._core import InputError
from gradeval.studies.simulate import SimulatedCollection, simulate_collection


def retrieved(drawn: SimulatedCollection, topic: str) -> set[str]:
    return {document for run in drawn.runs.values() for document in run.get(topic, {})}


def tied_share(drawn: SimulatedCollection, system: str) -> float:
    lines = tied = 0
    for scores in drawn.runs[system].values():
        lines += len(scores)
        tied += sum(times for times in Counter(scores.values()).values() if times > 1)
    return tied / lines


def mean_gain(drawn: SimulatedCollection, system: str, depth: int) -> float:
    """Mean grade of the first `depth` documents: any sensible quality will do here."""
    grades = [
        drawn.qrels[topic].get(document, 0)
        for topic, scores in drawn.runs[system].items()
        for document in list(scores)[:depth]
    ]
    return sum(grades) / len(grades)


def test_the_same_seed_gives_the_same_collection() -> None:
    first, again, other = (simulate_collection(topics=3, systems=3, depth=20, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first.qrels != other.qrels
    assert first.runs != other.runs


@settings(max_examples=30, deadline=None)
@given(
    topics=st.integers(1, 6),
    systems=st.integers(1, 15),
    levels=st.integers(2, 6),
    depth=st.integers(1, 40),
    extra=st.integers(0, 60),
    ties=st.floats(0, 0.9),
    judged_share=st.floats(0.01, 1),
    spread=st.floats(0, 2),
    seed=st.integers(0, 1000),
)
def test_every_collection_is_well_formed(
    topics: int,
    systems: int,
    levels: int,
    depth: int,
    extra: int,
    ties: float,
    judged_share: float,
    spread: float,
    seed: int,
) -> None:
    drawn = simulate_collection(
        topics=topics,
        systems=systems,
        levels=levels,
        depth=depth,
        documents=depth + extra,
        ties=ties,
        judged_share=judged_share,
        spread=spread,
        missing=0,
        seed=seed,
    )
    labels = [str(401 + topic) for topic in range(topics)]
    assert list(drawn.qrels) == labels
    assert list(drawn.runs) == list(drawn.noise)
    assert len(drawn.runs) == systems
    for run in drawn.runs.values():
        assert list(run) == labels
        for scores in run.values():
            assert len(scores) == depth
            assert all(higher >= lower for higher, lower in pairwise(scores.values()))
    for topic, grades in drawn.qrels.items():
        assert set(grades.values()) <= set(range(levels))
        assert list(grades) == sorted(grades)
        assert grades.keys() <= retrieved(drawn, topic)
        assert len(grades) == int(np.ceil(judged_share * len(retrieved(drawn, topic))))


@pytest.mark.parametrize("ties", [0.05, 0.2, 0.5, 0.8])
def test_the_share_of_tied_lines_is_near_the_one_asked_for(ties: float) -> None:
    drawn = simulate_collection(ties=ties, seed=3)
    assert [tied_share(drawn, system) for system in drawn.runs] == pytest.approx([ties] * 12, abs=0.03)


def test_without_ties_scores_differ() -> None:
    drawn = simulate_collection(ties=0, seed=3)
    assert max(tied_share(drawn, system) for system in drawn.runs) < 0.001


def test_noise_orders_the_systems() -> None:
    drawn = simulate_collection(spread=0.8, judged_share=1, seed=5)
    by_noise = sorted(drawn.noise, key=lambda system: drawn.noise[system])
    quality = [mean_gain(drawn, system, 10) for system in by_noise]
    better = sum(quality[i] > quality[j] for i in range(12) for j in range(i + 1, 12))
    assert better >= 0.95 * 12 * 11 / 2


def test_noise_is_as_unequal_as_spread_says() -> None:
    drawn = simulate_collection(topics=2, systems=3, spread=0.5, seed=5)
    assert sorted(drawn.noise.values()) == pytest.approx([2 * np.exp(-0.5), 2.0, 2 * np.exp(0.5)])
    assert set(simulate_collection(topics=2, systems=3, spread=0, seed=5).noise.values()) == {2.0}


def test_higher_grades_are_rarer() -> None:
    drawn = simulate_collection(topics=100, seed=5)
    times = Counter(grade for grades in drawn.qrels.values() for grade in grades.values())
    assert times[0] > times[1] > times[2] > times[3] > 0


def test_some_topics_have_one_document_of_the_top_grade_or_none() -> None:
    drawn = simulate_collection(topics=4, documents=2000, depth=500, judged_share=1, seed=5)
    top = [list(grades.values()).count(3) for grades in drawn.qrels.values()]
    assert sum(times <= 1 for times in top) >= 2
    assert 0 in top


def test_runs_outside_the_pool_have_more_unjudged_documents() -> None:
    drawn = simulate_collection(systems=12, spread=0, judged_share=0.3, seed=5)
    judged = [
        np.mean([document in drawn.qrels[topic] for topic, scores in run.items() for document in scores])
        for run in drawn.runs.values()
    ]
    assert min(judged[:8]) > max(judged[8:])


def test_as_many_runs_as_asked_miss_one_topic() -> None:
    drawn = simulate_collection(topics=5, systems=6, missing=4, seed=5)
    assert sorted(len(run) for run in drawn.runs.values()) == [4, 4, 4, 4, 5, 5]


def test_names_stay_unique_beyond_the_first_series() -> None:
    drawn = simulate_collection(topics=2, systems=30, depth=5, documents=20, seed=5)
    assert len(drawn.runs) == 30
    assert list(drawn.runs)[12] == "alder-2"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"topics": 0}, "topics=0 is not a whole number from 1"),
        ({"levels": 1}, "levels=1 is not a whole number from 2"),
        ({"depth": 501}, "depth=501 is not a whole number of documents from 1 to 500"),
        ({"ties": 1.0}, "ties=1.0 is not a number from 0 to below 1"),
        ({"judged_share": float("nan")}, "judged_share=nan is not a number above 0, up to 1"),
        ({"spread": -1.0}, "spread=-1.0 is not a number from 0"),
        ({"missing": 13}, "missing=13 is not a whole number of systems from 0 to 12"),
        ({"topics": 1}, "missing=1; accepted: 0 where there is only one topic"),
    ],
)
def test_a_number_out_of_range_is_an_error_with_the_range(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        simulate_collection(**wrong, seed=1)


def test_clicks_show_what_is_not_excluded() -> None:
    qrels = {"q": {"q": 1, "a": 1, "b": 0}, "r": {"r": 1, "c": 1}}
    run = {"q": {"q": 4.0, "a": 3.0, "b": 2.0}, "r": {"c": 2.0, "r": 1.0}}
    left = {topic: {name: score for name, score in one.items() if name != topic} for topic, one in run.items()}
    how: dict[str, Any] = {"sessions": 40, "depth": 2, "seed": 3}
    found, expected = simulate_clicks(qrels, run, exclude="self", **how), simulate_clicks(qrels, left, **how)
    assert (found.document, found.click.tolist()) == (expected.document, expected.click.tolist())
    assert not {"q", "r"} & set(found.document)
