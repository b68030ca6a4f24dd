"""Lists inferred from P@k, against solvers of their own: the convex dual by quasi-Newton, SLSQP, and reasoning."""

from __future__ import annotations

import numpy as np
import pytest
from inferred_lists import counts_of, form_of, inferred
from scipy.optimize import minimize
from scipy.special import logsumexp

from gradeval import JudgedRuns, Qrels, Run, judge
from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.inform import inform
from gradeval.studies.informativeness.maximum_entropy import MaximumEntropy, maximum_entropy


def by_the_dual(cutoff: int, counts: Array, value: float, length: int, rel: int = 1) -> Array:
    """p[level, rank] of the highest entropy: the minimum over multipliers of a sum of log-sum-exps, less the targets.

    P@k = sum over the first k ranks of P(relevant) / k, so p[a, n] is proportional to
    exp(x0 [a relevant][n <= k] / k + x_a), with x_0 = 0.
    """
    levels = len(counts)
    worth = np.zeros((levels, length))
    worth[rel:, :cutoff] = 1 / cutoff

    def logits(x: Array) -> Array:
        return x[0] * worth + np.concatenate([[0.0], x[1:]])[:, None]

    def dual(x: Array) -> tuple[float, Array]:
        free = logsumexp(logits(x), axis=0)
        p = np.exp(logits(x) - free)
        slope = np.concatenate([[(p * worth).sum() - value], p.sum(1)[1:] - counts[1:]])
        return float(free.sum() - x[0] * value - x[1:] @ counts[1:]), slope

    found = minimize(dual, np.zeros(levels), jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 2000})
    assert np.abs(dual(found.x)[1]).max() < 1e-6
    return np.exp(logits(found.x) - logsumexp(logits(found.x), axis=0))


def by_slsqp(cutoff: int, counts: Array, value: float, length: int) -> Array:
    """The same by a general optimiser on the probabilities themselves."""
    shape = (len(counts), length)
    found = minimize(
        lambda x: float((x * np.log(x)).sum()),
        np.full(shape, 1 / len(counts)).ravel(),
        jac=lambda x: np.log(x) + 1,
        bounds=[(1e-12, 1)] * (len(counts) * length),
        constraints=[
            {"type": "eq", "fun": lambda x: x.reshape(shape).sum(0) - 1},
            {"type": "eq", "fun": lambda x: x.reshape(shape)[1:].sum(1) - counts[1:]},
            {"type": "eq", "fun": lambda x: x.reshape(shape)[1:, :cutoff].sum() / cutoff - value},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assert found.success
    return np.asarray(found.x).reshape(shape)


def found_for(cutoff: int, counts: list[int], value: float) -> MaximumEntropy:
    """What gradeval infers from a value of P for a list with these numbers of documents of each level."""
    form = form_of(f"P@{cutoff}", counts, sum(counts))
    return maximum_entropy(form, np.array(counts, float), np.array(value))


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("cutoff", [1, 5, 10, 20])
@pytest.mark.parametrize("counts", [[12, 18], [10, 12, 8], [11, 10, 6, 3]])
def test_the_list_is_that_of_the_convex_dual(counts: list[int], cutoff: int, share: float) -> None:
    relevant = sum(counts[1:])
    least, most = max(0, relevant - (30 - cutoff)) / cutoff, min(cutoff, relevant) / cutoff
    value = least + share * (most - least)  # of a list of 30
    found = found_for(cutoff, counts, value)
    assert found.converged
    assert found.probability == pytest.approx(by_the_dual(cutoff, np.array(counts), value, 30), abs=1e-6)


@pytest.mark.parametrize("value", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("counts", [[8, 6], [7, 4, 3]])
def test_the_list_is_that_of_slsqp(counts: list[int], value: float) -> None:
    found = found_for(5, counts, value)
    assert found.probability == pytest.approx(by_slsqp(5, np.array(counts), value, 14), abs=1e-5)


def test_a_threshold_of_relevance_leaves_lower_grades_even() -> None:
    ranking = [2, 0, 1, 2, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0]
    found = inferred("P(rel=2)@5", ranking, [9, 3, 3])
    assert found.probability == pytest.approx(by_the_dual(5, counts_of(ranking, 3), 2 / 5, 15, rel=2), abs=1e-6)


@pytest.mark.parametrize(("ranking", "value"), [([1] * 5 + [0] * 7 + [1] * 3, 1.0), ([0] * 5 + [1] * 6 + [0] * 4, 0.0)])
def test_at_its_ends_p_says_what_stands_within_the_cutoff_and_nothing_of_the_rest(
    ranking: list[int], value: float
) -> None:
    found = inferred("P@5", ranking, [15 - sum(ranking), sum(ranking)])
    below = (sum(ranking) - 5 * value) / 10
    assert found.converged
    assert found.probability[1] == pytest.approx([value] * 5 + [below] * 10, abs=1e-6)


def test_errors_of_p_are_those_of_the_dual() -> None:
    judged = drawn_collection()
    informativeness = inform(judged, "P@5", least=2, samples=0, thresholds=[1, 2])
    assert informativeness.converged.all()
    for place, (run, topic) in enumerate(zip(informativeness.run, informativeness.topic, strict=True)):
        ranking = RANKINGS[run][topic]
        value = sum(grade > 0 for grade in ranking[:5]) / 5
        p = by_the_dual(5, counts_of(ranking, 3), value, len(ranking))
        for threshold in (1, 2):
            expected = p[threshold:].sum(0).cumsum()
            precision, recall = (
                expected / np.arange(1, len(ranking) + 1),
                expected / sum(g >= threshold for g in ranking),
            )
            ranks = [rank for rank, grade in enumerate(ranking, 1) if grade >= threshold]
            there = [(number / rank, number / len(ranks)) for number, rank in enumerate(ranks, 1)]
            squares = [(true - np.interp(at, recall, precision)) ** 2 for true, at in there]
            error = np.sqrt(np.mean(squares))
            assert informativeness.errors[0, threshold - 1, place] == pytest.approx(error, abs=1e-5)


RANKINGS = [
    [[1, 0, 2, 0, 1, 0, 2, 0, 0, 1, 2, 0], [0, 1, 2, 2, 0, 1, 0, 0, 1, 0, 0, 0]],
    [[2, 0, 0, 1, 0, 1, 0, 2, 0, 0, 2, 1], [2, 0, 1, 1, 0, 0, 0, 2, 0, 0, 1, 0]],
]
"""Grades by run and topic, in rank order; every run retrieves the whole pool."""


def drawn_collection() -> JudgedRuns:
    """Two runs over two topics, whose rankings have the grades of ``RANKINGS``."""
    pools = [sorted(RANKINGS[0][topic]) for topic in (0, 1)]
    assert all(sorted(run[topic]) == pools[topic] for run in RANKINGS for topic in (0, 1))
    qrels = {str(topic): {f"d{place}": grade for place, grade in enumerate(pools[topic])} for topic in (0, 1)}
    runs = []
    for name, rankings in zip("ab", RANKINGS, strict=True):
        scores: dict[str, dict[str, float]] = {}
        for topic, ranking in enumerate(rankings):
            left = {
                grade: [f"d{place}" for place, each in enumerate(pools[topic]) if each == grade] for grade in (0, 1, 2)
            }
            scores[str(topic)] = {left[grade].pop(): float(-rank) for rank, grade in enumerate(ranking)}
        runs.append(Run.from_dict(scores, name))
    return judge(Qrels.from_dict(qrels), runs)
