"""Expected measures: all lists enumerated, literal definitions in fractions, finite differences, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradeval import InputError, JudgedRankings, Measure
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY
from gradeval.formula.spelling import parse_measure
from gradeval.studies.informativeness.expected import expected

SPELLINGS = (
    "AP AP(rel=2) AP@3 AP(norm='min')@2 gmAP muAP GAP GAP(g=[0.9,0.1]) GAP(g={2:1})@3 GAP(norm='min')@2 eGAP "
    "eGAP(g=[0.3,0.7],renormalise=True) xGAP xGAP(g=[0.2,0.8]) xGAP@3 nDCG nDCG@2 nDCG(dcg='exp-log2') "
    "nDCG(gains={1:5,2:1})@3 NDCNG@3 P@2 P(rel=2)@3 R@2 Rprec Rprec(rel=2) RBP RBP(rel=1) Q "
    "Q(gains={2:0}) RMeasure gP@3"
).split()
"""Of a collection with the levels 0, 1, 2."""

Literal = Callable[[tuple[int, ...], list[int], list[Fraction]], Fraction]


def distribution(levels: int, ranks: int, seed: int = 0) -> Array:
    """p[level, rank], each rank's drawn at random."""
    return np.random.default_rng(seed).dirichlet(np.ones(levels), size=ranks).T


def scored(measure: Measure, lists: Array, pool: list[int]) -> Array:
    """Values of lists[list, rank] of levels, all of them judged."""
    count, length = lists.shape
    everywhere = np.broadcast_to(np.arange(length), lists.shape)
    return measure(
        JudgedRankings(
            grades=lists.astype(float),
            ranks=everywhere + 1.0,
            judged=np.ones(lists.shape, bool),
            document=everywhere.astype(np.int32),
            pool=np.broadcast_to(pool, (count, len(pool))),
            levels=tuple(map(float, range(len(pool)))),
            retrieved=np.full(count, length),
        )
    )


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_expected_value_is_the_mean_over_all_lists(spelling: str) -> None:
    measure, pool, length = parse_measure(spelling), [9, 6, 5], 5
    p = distribution(3, length)
    lists = np.array(list(product(range(3), repeat=length)))
    chance = p[lists, np.arange(length)].prod(-1)
    form = expected(measure, np.array(pool), (0.0, 1.0, 2.0), length)
    assert form.value(p) == pytest.approx(chance @ scored(measure, lists, pool), abs=1e-13)


def literal_gap(ranking: tuple[int, ...], pool: list[int], g: list[Fraction]) -> Fraction:
    total = Fraction(0)
    for n, pivot in enumerate(ranking, 1):
        total += Fraction(1, n) * sum(sum(g[: min(pivot, above)], Fraction(0)) for above in ranking[:n])
    return total / sum(share * sum(pool[level:]) for level, share in enumerate(g, 1))


def literal_egap(ranking: tuple[int, ...], pool: list[int], g: list[Fraction]) -> Fraction:
    def precision_at(rel: int) -> Fraction:
        hits = [n for n, level in enumerate(ranking, 1) if level >= rel]
        return sum((Fraction(k, n) for k, n in enumerate(hits, 1)), Fraction(0)) / sum(pool[rel:])

    return sum((share * precision_at(level) for level, share in enumerate(g, 1)), Fraction(0))


def literal_xgap(ranking: tuple[int, ...], pool: list[int], g: list[Fraction]) -> Fraction:
    total = Fraction(0)
    for n, pivot in enumerate(ranking, 1):
        reached = sum(g[:pivot], Fraction(0))
        if reached:
            weight = sum(g[k - 1] / sum(pool[k:]) for k in range(1, pivot + 1)) / reached
            seen = sum(g[h - 1] * sum(level >= h for level in ranking[:n]) for h in range(1, pivot + 1))
            total += Fraction(1, n) * weight * seen
    return total


@pytest.mark.parametrize(("name", "literal"), [("GAP", literal_gap), ("eGAP", literal_egap), ("xGAP", literal_xgap)])
def test_expected_graded_measures_agree_with_their_definitions_in_fractions(name: str, literal: Literal) -> None:
    pool, g, length = [7, 4, 5, 4], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], 4
    rows = [[4, 1, 2, 1], [2, 2, 2, 2], [1, 4, 1, 2], [5, 1, 1, 1]]
    p = [[Fraction(part, 8) for part in row] for row in rows]
    mean = Fraction(0)
    for ranking in product(range(4), repeat=length):
        chance = Fraction(1)
        for n, level in enumerate(ranking):
            chance *= p[n][level]
        mean += chance * literal(ranking, pool, g)
    measure = REGISTRY[name](g=[float(share) for share in g])
    form = expected(measure, np.array(pool), (0.0, 1.0, 2.0, 3.0), length)
    assert form.value(np.array(p, float).T) == pytest.approx(float(mean), abs=1e-14)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_gradient_is_the_limit_of_differences(spelling: str) -> None:
    length, step = 7, 1e-4
    form = expected(parse_measure(spelling), np.array([9, 6, 5]), (0.0, 1.0, 2.0), length)
    p = distribution(3, length, seed=1)
    gradient = form.gradient(p)
    for level in range(3):
        for rank in range(length):
            change = np.zeros_like(p)
            change[level, rank] = step
            slope = (form.value(p + change) - form.value(p - change)) / (2 * step)  # exact: E is quadratic
            assert gradient[level, rank] == pytest.approx(slope, abs=1e-10)


def test_expected_precision_at_k_is_the_mean_probability_of_relevance() -> None:
    p = distribution(3, 6)
    form = expected(parse_measure("P(rel=2)@4"), np.array([5, 5, 5]), (0.0, 1.0, 2.0), 6)
    assert not form.pair.any()
    assert form.value(p) == pytest.approx(p[2, :4].sum() / 4)


def test_a_relevant_document_counts_itself_with_certainty() -> None:
    """E[AP] of one rank with q = P(relevant) is q/RB, not q^2/RB."""
    form = expected(parse_measure("AP"), np.array([1, 4]), (0.0, 1.0), 1)
    assert form.value(np.array([[0.75], [0.25]])) == pytest.approx(0.25 / 4)


def test_a_level_that_the_pool_lacks_is_worth_nothing() -> None:
    form = expected(parse_measure("nDCG"), np.array([3, 2, 0]), (0.0, 1.0, 2.0), 4)
    assert not form.linear[2].any()


def test_documents_do_not_interact_in_ndcg_even_where_the_pool_has_but_one() -> None:
    form = expected(parse_measure("nDCG"), np.array([3, 0, 1]), (0.0, 1.0, 2.0), 4)
    assert not form.pair.any()
    assert form.linear[2] == pytest.approx(1 / np.log2(np.arange(2, 6)))


def test_many_topics_give_the_forms_of_each() -> None:
    pools, lengths = np.array([[9, 3, 2], [4, 5, 1]]), np.array([6, 4])
    for spelling in ("xGAP", "nDCG@3", "P@5", "SetP"):
        measure = parse_measure(spelling)
        together = expected(measure, pools, (0.0, 1.0, 2.0), lengths)
        for i, length in enumerate(lengths):
            single = expected(measure, pools[i], (0.0, 1.0, 2.0), length)
            assert together.linear[i, :, :length] == pytest.approx(single.linear)
            assert together.pair[i] == pytest.approx(single.pair)
            assert not together.linear[i, :, length:].any()


@pytest.mark.parametrize("spelling", ["ERR@10", "RR", "Bpref", "infAP", "Success@3", "IPrec@0.5", "Judged@5"])
def test_a_measure_that_does_not_add_up_is_refused_and_others_are_named(spelling: str) -> None:
    with pytest.raises(InputError, match=r"has no closed form; these have one .*: AP, .*GAP, .*nDCG.*xGAP"):
        expected(parse_measure(spelling), np.array([9, 3, 2]), (0.0, 1.0, 2.0), 6)


@pytest.mark.parametrize("spelling", ["AP(judged_only=True)", "RBP(gains={0:1})", "CG(gains={0:1})@5"])
def test_what_judged_non_relevant_documents_do_to_a_measure_is_no_part_of_a_form(spelling: str) -> None:
    with pytest.raises(InputError, match="no closed form"):
        expected(parse_measure(spelling), np.array([9, 3, 2]), (0.0, 1.0, 2.0), 6)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_measure_with_a_form_gets_its_value_from_it(data: st.DataObject) -> None:
    """Any registered measure, at any pool and ranking: refused, or exact."""
    name = data.draw(st.sampled_from(sorted(REGISTRY)))
    measure = REGISTRY[name]
    if measure.definition.at == "cutoff":
        measure = measure @ data.draw(st.integers(1, 12))
    pool = data.draw(st.lists(st.integers(1, 6), min_size=2, max_size=4))
    deck = [level for level, count in enumerate(pool) for _ in range(count)]
    ranking = np.array([data.draw(st.permutations(deck))])
    levels = tuple(map(float, range(len(pool))))
    try:
        form = expected(measure, np.array(pool), levels, ranking.shape[1])
    except InputError:
        return
    holds = (ranking == np.arange(len(pool))[:, None]).astype(float)
    assert form.value(holds) == pytest.approx(scored(measure, ranking, pool)[0], abs=1e-12)
