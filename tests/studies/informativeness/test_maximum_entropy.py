"""Maximum entropy: golden values, a general optimiser, the conditions of a stationary point, and every corner."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inferred_lists import counts_of, form_of, inferred, noisy_list, one_hot
from scipy.optimize import minimize

from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.expected import AdditiveMeasure
from gradeval.studies.informativeness.inform import inferred_curve, rms_error
from gradeval.studies.informativeness.maximum_entropy import maximum_entropy

QUADRATIC = "AP AP(rel=2) GAP GAP(g=[0.8,0.2]) eGAP(g=[0.3,0.7]) xGAP xGAP(g=[0.8,0.2]) muAP Q".split()
LINEAR = "nDCG nDCG(dcg='exp-log2')@9 P@9 RBP R(rel=2)@9".split()


def measure_of(case: dict[str, Any]) -> str:
    g = case["g"][1:]
    gains = ",".join(f"{level}:{gain}" for level, gain in enumerate(case["gain"]) if level)
    spellings = {"ap": "AP", "gap": f"GAP(g={g})", "egap": f"eGAP(g={g})", "xgap": f"xGAP(g={g})"}
    return spellings.get(case["kind"], f"nDCG(gains={{{gains}}})")


def test_golden_distributions_entropies_and_errors(golden: dict[str, Any]) -> None:
    assert len(golden["mem"]) == 8
    for case in golden["mem"]:
        ranking, pool = case["ranking"], np.array(case["R"])
        form = form_of(measure_of(case), case["R"], len(ranking))
        assert form.value(one_hot(ranking, len(pool))) == pytest.approx(case["value"], abs=1e-12)
        lists = maximum_entropy(form, np.array(case["M"]), np.array(case["value"]))
        assert lists.converged
        first = np.array(case["p_first5"]).T
        assert lists.probability[:, :5] == pytest.approx(first, abs=1e-6)
        assert lists.entropy == pytest.approx(case["entropy"], abs=1e-6)
        assert lists.multiplier == pytest.approx(case["lam"], rel=1e-3)
        for threshold, error in case["rms"].items():
            hit = np.arange(len(pool)) >= int(threshold)
            base = pool[hit].sum()
            ranks = np.flatnonzero(hit[ranking]) + 1
            found_so_far = np.arange(1, len(ranks) + 1)
            curve = inferred_curve(lists.probability, base, hit)
            assert rms_error(*curve, found_so_far / base, found_so_far / ranks) == pytest.approx(error, abs=1e-6)


def by_general_optimiser(form: AdditiveMeasure, counts: Array, value: float, start: Array) -> float:
    """The highest entropy that SLSQP finds."""
    shape = levels, ranks = start.shape
    of_ranks, of_levels = np.tile(np.eye(ranks), levels), np.repeat(np.eye(levels), ranks, 1)[1:]
    nearby = 1e-7 * np.eye(start.size).reshape(-1, *shape)

    def slope(x: Array) -> Array:
        """By differences, independent of the gradient of the form."""
        above, below = (form.value(x.reshape(shape) + sign * nearby) for sign in (1, -1))
        return (above - below) / 2e-7

    constraints = [
        {"type": "eq", "fun": lambda x: of_ranks @ x - 1, "jac": lambda _: of_ranks},
        {"type": "eq", "fun": lambda x: of_levels @ x - counts[1:], "jac": lambda _: of_levels},
        {"type": "eq", "fun": lambda x: form.value(x.reshape(shape)) - value, "jac": slope},
    ]
    result = minimize(
        lambda x: float((x * np.log(x)).sum()),
        start.ravel(),
        jac=lambda x: np.log(x) + 1,
        constraints=constraints,
        bounds=[(1e-12, 1)] * start.size,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return -float(result.fun) if result.success else -math.inf


@pytest.mark.parametrize("measure", ["AP", "GAP", "eGAP(g=[0.3,0.7])", "xGAP", "nDCG", "nDCG@3"])
def test_no_general_optimiser_finds_more_entropy(measure: str) -> None:
    for ranking in ([2, 1, 0, 0, 0, 0, 1], [0, 0, 1, 0, 2, 1]):
        pool, length = [20, 6, 5], len(ranking)
        form, counts = form_of(measure, pool, length), counts_of(ranking, 3)
        value = float(form.value(one_hot(ranking, 3)))
        lists = maximum_entropy(form, counts, np.array(value))
        assert lists.converged
        drawn = np.random.default_rng(1).dirichlet(np.ones(3), length).T
        starts = [np.repeat(counts[:, None] / length, length, 1), drawn]
        best = max(by_general_optimiser(form, counts, value, start) for start in starts)
        assert best == pytest.approx(float(lists.entropy), abs=1e-6)


@pytest.mark.parametrize("measure", QUADRATIC + LINEAR)
@pytest.mark.parametrize(("length", "noise"), [(30, 2.0), (200, 4.0), (60, -3.0)])
def test_the_logarithms_of_probabilities_follow_the_gradient(measure: str, length: int, noise: float) -> None:
    """Stationary: ln p[a, n] - lambda D[a, n] depends on the level, and on the rank, but not on both."""
    ranking = noisy_list(3, length, abs(noise), 4)
    if noise < 0:
        ranking = ranking[::-1]
    pool = [length, *(counts_of(ranking, 3)[1:] + 3).astype(int)]
    form = form_of(measure, pool, length)
    result = inferred(measure, ranking, pool)
    assert result.converged
    p = result.probability
    assert p.sum(0) == pytest.approx(1, abs=1e-12)
    assert p.sum(1) == pytest.approx(counts_of(ranking, 3), rel=1e-8)
    assert form.value(p) == pytest.approx(form.value(one_hot(ranking, 3)), abs=1e-9)
    clear = (p > 1e-6).all(0)  # rounding is relative to the larger probabilities
    assert clear.sum() > length / 3
    logits = np.log(p[:, clear]) - result.multiplier * form.gradient(p)[:, clear]
    logits -= logits[:1]
    for level in (1, 2):
        assert np.ptp(logits[level]) < 1e-6


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(QUADRATIC + LINEAR), st.integers(0, 10_000), st.floats(0.2, 5))
def test_no_neighbour_that_meets_the_constraints_is_more_random(measure: str, seed: int, noise: float) -> None:
    ranking, pool = noisy_list(3, 14, noise, seed), [14, 14, 14]
    form, result = form_of(measure, pool, 14), inferred(measure, ranking, pool)
    p = result.probability
    if not result.converged or p.min() < 1e-9:
        return
    step = 1e-3 * np.random.default_rng(seed).normal(size=p.shape) * p.min()
    # To first order along the constraints: project out ranks, levels and the gradient.
    normals = [np.outer(np.eye(3)[level], np.ones(14)) for level in range(3)]
    normals += [np.outer(np.ones(3), np.eye(14)[rank]) for rank in range(14)] + [form.gradient(p)]
    basis, _ = np.linalg.qr(np.stack([each.ravel() for each in normals], 1))
    step -= (basis @ (basis.T @ step.ravel())).reshape(p.shape)
    assert float(-(step * np.log(p)).sum()) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("measure", ["AP", "GAP", "nDCG"])
def test_a_value_that_no_list_has_does_not_converge(measure: str) -> None:
    form, counts = form_of(measure, [20, 4, 3], 10), np.array([0.0, 2, 2])
    lists = maximum_entropy(form, counts, np.array([-0.1, 0.0, 0.99, 2.0, math.nan, math.inf]))
    assert not lists.converged.any()
    assert np.isfinite(lists.probability).all()
    assert lists.probability.sum(1) == pytest.approx(1)


def test_more_documents_than_ranks_do_not_converge() -> None:
    lists = maximum_entropy(form_of("AP", [20, 9], 5), np.array([0.0, 6]), np.array(0.5))
    assert not lists.converged
    assert np.isfinite(lists.probability).all()


def test_numbers_of_documents_need_not_be_whole() -> None:
    form, counts = form_of("GAP", [20, 4, 3], 12), np.array([0, 2.5, 1.25])
    for value in (0.15, 0.25, 0.45):
        lists = maximum_entropy(form, counts, np.array(value))
        assert lists.converged
        assert lists.probability.sum(-1) == pytest.approx([12 - 3.75, 2.5, 1.25])


def test_no_list_gives_no_result() -> None:
    lists = maximum_entropy(form_of("AP", [3, 2], 4), np.zeros((0, 2)), np.zeros(0))
    assert lists.probability.shape == (0, 2, 4)
    assert lists.converged.shape == (0,)


def test_shorter_and_longer_lists_together_are_inferred_as_each_alone() -> None:
    lists = [noisy_list(3, length, 1.0, length) for length in (30, 12, 21, 12, 1)]
    pool, depth = [40, 15, 15], 30
    for measure in ("xGAP", "nDCG@5", "P@20", "AP(rel=2)"):
        form = form_of(measure, pool, depth)
        value = np.array([form_of(measure, pool, len(r)).value(one_hot(r, 3)) for r in lists])
        result = maximum_entropy(
            form, np.stack([counts_of(r, 3) for r in lists]), value, np.array([len(r) for r in lists])
        )
        for i, ranking in enumerate(lists):
            alone = inferred(measure, ranking, pool)
            assert result.converged[i] == alone.converged
            assert result.probability[i, :, : len(ranking)] == pytest.approx(alone.probability, abs=1e-8)
            assert not result.probability[i, :, len(ranking) :].any()
            assert result.entropy[i] == pytest.approx(float(alone.entropy), abs=1e-7)


def test_leading_axes_broadcast() -> None:
    form = form_of("GAP", [20, 4, 3], 10)
    values = np.array([[0.25, 0.3, 0.4], [0.28, 0.35, 0.45]])
    lists = maximum_entropy(form, np.array([0, 3, 2]), values)
    assert lists.probability.shape == (2, 3, 3, 10)
    assert lists.value == pytest.approx(values, abs=1e-9)
    assert (np.diff(lists.multiplier, axis=-1) > 0).all()


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from([*QUADRATIC, *LINEAR]),
    st.lists(st.integers(0, 3), min_size=1, max_size=25),
    st.integers(0, 4),
    st.data(),
)
def test_any_list_is_inferred_without_raising(measure: str, ranking: list[int], more: int, data: st.DataObject) -> None:
    measure = measure.replace("[0.8,0.2]", "[0.7,0.2,0.1]").replace("[0.3,0.7]", "[0,0.3,0.7]")
    pool = [int(count) + more for count in counts_of(ranking, 4)]
    form, counts = form_of(measure, pool, len(ranking)), counts_of(ranking, 4)
    true = float(form.value(one_hot(ranking, 4)))
    value = data.draw(st.just(true) | st.floats(-1, 2))
    lists = maximum_entropy(form, counts, np.array(value))
    p = lists.probability
    assert np.isfinite(p).all()
    assert (p >= -1e-12).all()
    assert p.sum(0) == pytest.approx(1)
    assert not math.isnan(lists.entropy)
    assert not math.isnan(lists.multiplier)
    assert lists.value == pytest.approx(form.value(p), abs=1e-12)
    if lists.converged:
        assert p.sum(1) == pytest.approx(counts, abs=1e-6)
        assert form.value(p) == pytest.approx(value, abs=1e-6)
        assert lists.entropy >= -1e-9


@pytest.mark.parametrize("measure", ["AP", "GAP", "xGAP", "nDCG"])
def test_every_short_list_with_some_freedom_converges(measure: str) -> None:
    """All lists of six ranks and three levels, as they are."""
    pool, lists = [6, 6, 6], np.array(list(product(range(3), repeat=6)))
    form = form_of(measure, pool, 6)
    holds = (lists[:, None, :] == np.arange(3)[:, None]).astype(float)
    counts, value = holds.sum(-1), form.value(holds)
    result = maximum_entropy(form, counts, value)
    even = form.value(np.repeat(counts[..., None] / 6, 6, -1))
    better = value >= even - 1e-12
    assert result.converged[better].all()
    assert (result.entropy[result.converged] >= -1e-9).all()
