from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, topics

from gradeval import Compat, evaluate, rbo


def overlap(first: list[str], second: list[str], p: float, depth: int) -> float:
    """The definition: the mean of the agreements at each depth, weighted by p^(d-1)."""
    weights = [p ** (d - 1) for d in range(1, depth + 1)]
    agreements = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, depth + 1)]
    return sum(w * a for w, a in zip(weights, agreements, strict=True)) / sum(weights)


def best_overlap(topic: Topic, p: float, *, normalize: bool) -> float:
    """Over all orders of documents of equal grade, which are all ideal, the one that agrees most."""
    ranking = [f"{rank}" for rank in range(len(topic.ranking))]
    by_grade: dict[int, list[str]] = {grade: [] for grade in range(len(topic.pool))}
    for name, item in zip(ranking, topic.ranking, strict=True):
        if isinstance(item, int):
            by_grade[item].append(name)
    for grade, number in enumerate(topic.pool):
        by_grade[grade] += [f"absent {grade} {place}" for place in range(number - len(by_grade[grade]))]
    orders = itertools.product(
        *(itertools.permutations(by_grade[grade]) for grade in range(len(topic.pool) - 1, 0, -1))
    )
    ideals = [list(itertools.chain.from_iterable(groups)) for groups in orders]
    depth = max(len(ranking), len(ideals[0]))
    if not ideals[0]:
        return 0.0
    best = max(overlap(ranking, ideal, p, depth) for ideal in ideals)
    return best / overlap(ideals[0], ideals[0], p, depth) if normalize else best


@given(topics().filter(lambda topic: sum(topic.pool[1:]) < 6), st.sampled_from([0.0, 0.5, 0.95]), st.booleans())
def test_the_overlap_is_the_largest_with_any_ideal_ranking(topic: Topic, p: float, normalize: bool) -> None:
    expected = best_overlap(topic, p, normalize=normalize)
    assert Compat(p=p, normalize=normalize)(topic.judged)[0] == pytest.approx(expected, abs=1e-12)


def test_the_overlap_of_the_best_three_in_order() -> None:
    # a, b, c preferred in this order; the ranking is b, x, a: they share b from depth 2, a from 3.
    value = evaluate({"1": {"a": 3, "b": 2, "c": 1}}, {"1": {"b": 3.0, "x": 2.0, "a": 1.0}}, Compat(p=0.5)).mean()
    assert value[0, 0] == pytest.approx((0.5 * 1 / 2 + 0.25 * 2 / 3) / (1 + 0.5 + 0.25))


def test_without_an_end_it_is_rank_biased_overlap() -> None:
    """Of two rankings of one length the sums to their end are those of ``rbo`` without what follows the end."""
    documents = [f"{number:03}" for number in range(60)]
    shuffled = np.random.default_rng(5).permutation(documents).tolist()
    qrels = {"1": {name: len(documents) - place for place, name in enumerate(documents)}}
    run = {"1": {name: float(len(documents) - place) for place, name in enumerate(shuffled)}}
    value = evaluate(qrels, run, "Compat(p=0.5,normalize=False)").mean()[0, 0]
    assert value == pytest.approx(rbo(shuffled, documents, p=0.5).extrapolated, abs=1e-15)


def test_ir_measures_gives_the_same() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    if not hasattr(ir_measures, "Compat"):
        pytest.skip("this ir_measures has no Compat")
    rng = np.random.default_rng(3)
    qrels, run = {}, {}
    for topic in range(60):
        documents = rng.permutation([f"d{number}" for number in range(25)]).tolist()
        judged, retrieved = rng.integers(0, 16, 2) + 1
        qrels[f"{topic}"] = {name: int(rng.integers(-1, 4)) for name in documents[:judged]}
        scores = rng.permutation(1000)[:retrieved] + 1.0  # different and above 0, as ir_measures has its own order else
        run[f"{topic}"] = dict(zip(rng.permutation(documents)[:retrieved].tolist(), scores.tolist(), strict=True))
    for text in ("Compat", "Compat(p=0.8)", "Compat(p=0.3,normalize=False)"):
        theirs = {
            one.query_id: one.value for one in ir_measures.iter_calc([ir_measures.parse_measure(text)], qrels, run)
        }
        ours = evaluate(qrels, run, text, missing="skip")
        assert dict(zip(ours.topics, ours.of(text)[0].tolist(), strict=True)) == pytest.approx(theirs, abs=1e-9)
