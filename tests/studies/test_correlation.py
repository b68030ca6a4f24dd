"""Rank correlation: against counting by hand, all ways to break ties, SciPy and the golden values."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from gradeval import InputError, rbo
from gradeval.studies.correlation import STATISTICS, correlation_matrix, is_constant, kendall_tau, spearman, tau_ap

Vector = list[float]
PAIRS = st.integers(2, 9).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 5), min_size=size, max_size=size)] * 2)
)


def varied(*vectors: list[int]) -> bool:
    return all(len(set(vector)) > 1 for vector in vectors)


def concordance(x: Vector, y: Vector) -> tuple[int, int]:
    products = [(x[i] - x[j]) * (y[i] - y[j]) for i, j in combinations(range(len(x)), 2)]
    return sum(p > 0 for p in products), sum(p < 0 for p in products)


def untied(x: Vector) -> int:
    return sum(x[i] != x[j] for i, j in combinations(range(len(x)), 2))


def plain_tau_ap(truth: Vector, order: tuple[int, ...]) -> float:
    """Yilmaz et al., for an estimate that puts the items in this order and a truth without ties."""
    size = len(order)
    shares = [sum(truth[above] > truth[order[place]] for above in order[:place]) / place for place in range(1, size)]
    return 2 / (size - 1) * sum(shares) - 1


def broken(vector: Vector) -> list[tuple[int, ...]]:
    """Every order of the items from best to worst that the vector allows."""
    levels = sorted(set(vector), reverse=True)
    groups = [[i for i, value in enumerate(vector) if value == level] for level in levels]
    return [sum(parts, ()) for parts in product(*(tuple(permutations(group)) for group in groups))]


def test_golden_values(golden: dict[str, Any]) -> None:
    first, *rest = golden["rank_correlation"]
    columns = np.array(first["X"], float).T
    assert correlation_matrix("tau-ap", columns, columns) == pytest.approx(np.array(first["expected"]), abs=1e-12)
    computed = {
        "tau_a": lambda x, y: kendall_tau(x, y, form="a"),
        "tau_b": kendall_tau,
        "spearman": spearman,
        "tau_ap": tau_ap,
        "tau_ap_sym": lambda x, y: tau_ap(x, y, symmetric=True),
        "tau_ap_a": tau_ap,
        "tau_ap_b": lambda x, y: tau_ap(x, y, form="b"),
    }
    for case in rest:
        for name in case.keys() & computed.keys():
            assert computed[name](case["x"], case["y"]) == pytest.approx(case[name], abs=1e-12), case["name"]


@given(PAIRS)
def test_tau_counts_pairs(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    assume(varied(x, y))
    alike, apart = concordance(x, y)
    pairs = math.comb(len(x), 2)
    assert kendall_tau(x, y, form="a") == pytest.approx((alike - apart) / pairs)
    assert kendall_tau(x, y) == pytest.approx((alike - apart) / math.sqrt(untied(x) * untied(y)))


@given(PAIRS)
def test_tau_and_spearman_are_those_of_scipy(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    assume(varied(x, y))
    assert kendall_tau(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


@given(st.permutations(range(7)), st.lists(st.integers(0, 3), min_size=7, max_size=7))
def test_tau_ap_is_the_mean_over_all_ways_to_break_the_ties_of_the_estimate(
    truth: list[int], estimate: list[int]
) -> None:
    assume(varied(estimate))
    values = [plain_tau_ap(truth, order) for order in broken(estimate)]
    assert tau_ap(truth, estimate) == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


@given(PAIRS)
def test_tau_ap_breaks_the_ties_of_the_truth_too(pair: tuple[list[int], list[int]]) -> None:
    truth, estimate = (vector[:5] for vector in pair)
    assume(varied(truth, estimate))
    ranked = [[-order.index(item) for item in range(len(truth))] for order in broken(truth)]
    values = [plain_tau_ap(ranks, order) for ranks in ranked for order in broken(estimate)]
    assert tau_ap(truth, estimate) == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


@given(PAIRS)
def test_tau_ap_b_is_the_mean_of_both_orders_over_items_below_the_first_group(
    pair: tuple[list[int], list[int]],
) -> None:
    x, y = pair
    assume(varied(x, y))

    def one_way(truth: list[int], estimate: list[int]) -> float:
        shares = []
        for item, value in enumerate(estimate):
            above = [other for other, its in enumerate(estimate) if its > value]
            if above:
                shares.append(sum(truth[other] > truth[item] for other in above) / len(above))
        return 2 * math.fsum(shares) / len(shares) - 1

    assert tau_ap(x, y, form="b") == pytest.approx((one_way(x, y) + one_way(y, x)) / 2, abs=1e-12)


def test_tau_ap_weighs_the_top() -> None:
    truth = [6, 5, 4, 3, 2, 1]
    swapped_at_the_top, swapped_at_the_bottom = [5, 6, 4, 3, 2, 1], [6, 5, 4, 3, 1, 2]
    assert tau_ap(truth, swapped_at_the_top) == pytest.approx(2 / 5 * (0 + 1 + 1 + 1 + 1) - 1)
    assert tau_ap(truth, swapped_at_the_bottom) == pytest.approx(2 / 5 * (1 + 1 + 1 + 1 + 4 / 5) - 1)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_a_vector_correlates_with_itself_by_exactly_one(x: Vector) -> None:
    assume(varied(x))
    assert kendall_tau(x, x) == 1
    assert spearman(x, x) == 1
    assert kendall_tau(x, [-value for value in x]) == -1


@given(st.permutations(range(9)))
def test_without_ties_tau_ap_of_a_vector_with_itself_is_one(x: list[int]) -> None:
    assert tau_ap(x, x) == pytest.approx(1, abs=1e-12)
    assert tau_ap(x, x, form="b") == pytest.approx(1, abs=1e-12)
    assert tau_ap(x, [-value for value in x]) == pytest.approx(-1, abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_matrix_holds_each_pair_of_vectors(statistic: Any) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 6, (3, 4, 10)), rng.integers(0, 6, (3, 2, 10))
    whole = correlation_matrix(statistic, x, y)
    assert whole.shape == (3, 4, 2)
    for s, a, b in np.ndindex(whole.shape):
        assert whole[s, a, b] == pytest.approx(
            correlation_matrix(statistic, x[s, a][None], y[s, b][None])[0, 0], abs=1e-12
        )


@pytest.mark.parametrize("statistic", STATISTICS)
def test_many_vectors_are_cut_into_small_products(statistic: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 9, (2, 9, 12)), rng.integers(0, 9, (2, 5, 12))
    whole = correlation_matrix(statistic, x, y)
    monkeypatch.setattr("gradeval.studies.parallel.SMALL", 128)
    assert correlation_matrix(statistic, x, y) == pytest.approx(whole, abs=1e-12)
    assert correlation_matrix(statistic, x[:, :1], y[:, :1]) == pytest.approx(whole[:, :1, :1], abs=1e-12)


@pytest.mark.parametrize("ties", ["a", "b"])
@given(x=st.lists(st.integers(0, 4), min_size=7, max_size=7), y=st.lists(st.integers(0, 4), min_size=7, max_size=7))
def test_rank_biased_overlap_of_vectors_is_that_of_rankings(ties: Any, x: list[int], y: list[int]) -> None:
    assume(len(set(x)) > 1 < len(set(y)))
    rankings = [{f"{place}": float(value) for place, value in enumerate(vector)} for vector in (x, y)]
    found = correlation_matrix(f"rbo-{ties}", np.array([x]), np.array([y]))[0, 0]
    assert found == pytest.approx(rbo(*rankings, p=0.9, ties=ties).extrapolated)


def test_leading_axes_broadcast() -> None:
    x = np.array([[1, 2, 3, 4], [4, 3, 2, 1]])
    assert kendall_tau(x, [1, 2, 3, 4]).tolist() == [1, -1]
    assert spearman(x[:, None], x[None]).tolist() == [[1, -1], [-1, 1]]
    assert tau_ap(x, x[0]) == pytest.approx(np.array([1, -1]))


def test_a_matrix_is_zero_where_a_vector_is_constant() -> None:
    x = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]])
    assert is_constant(x).tolist() == [True, False]
    for statistic in STATISTICS:
        assert correlation_matrix(statistic, x, x)[0].tolist() == [0, 0]
        assert correlation_matrix(statistic, x, x)[1, 0] == 0


@pytest.mark.parametrize("function", [kendall_tau, spearman, tau_ap])
def test_a_vector_without_an_order_is_an_error_that_says_which(function: Any) -> None:
    with pytest.raises(InputError, match=r"the second vector is constant \(all 3 values are 0.5\)"):
        function([1, 2, 3], [0.5, 0.5, 0.5])
    with pytest.raises(InputError, match=r"the first vector\[1\] is constant"):
        function([[1, 2, 3], [7, 7, 7]], [1, 2, 3])
    with pytest.raises(InputError, match="the first vector has fewer than 2 values"):
        function([1], [1])
    with pytest.raises(InputError, match="the vectors have 3 and 2 values"):
        function([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="not a finite number"):
        function([1, 2, float("nan")], [1, 2, 3])


def test_an_unknown_statistic_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="'pearson' is not one of kendall, kendall-a, spearman, tau-ap"):
        correlation_matrix("pearson", np.eye(2), np.eye(2))


@pytest.mark.parametrize("function", [kendall_tau, tau_ap])
def test_an_unknown_form_is_refused(function: Any) -> None:
    with pytest.raises(InputError, match=rf"{function.__name__}: form='c' is not 'a' or 'b'"):
        function([1, 2, 3], [1, 3, 2], form="c")
