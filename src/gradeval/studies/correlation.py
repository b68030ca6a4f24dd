"""Rank correlation of vectors. Larger values are better ones throughout.

Every statistic here is an inner product over the pairs (i, j) of items, so that all measures of all bootstrap samples
are correlated by matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.rank_biased_overlap import shares_down_to
from gradeval.formula.arithmetic import Array, ratio
from gradeval.studies.parallel import inner_products

Statistic: TypeAlias = Literal["kendall", "kendall-a", "spearman", "tau-ap", "tau-ap-b", "rbo-a", "rbo-b"]


def kendall_tau(x: ArrayLike, y: ArrayLike, *, form: Literal["a", "b"] = "b") -> Array:
    """Kendall's tau between vectors on the last axis; leading axes broadcast: float64[...].

    tau-a = (C - D) / (n(n-1)/2), with C and D the pairs that x and y order alike and differently;
    tau-b = (C - D) / sqrt(T_x T_y), with T the pairs that a vector does not tie. Without ties they are equal.

    Raises
    ------
    InputError : a constant vector (there is nothing to correlate), fewer than 2 items, unequal lengths, NaN, another
        form.
    Source: Kendall (1945), "The treatment of ties in ranking problems".
    """
    _require_form("kendall_tau", form)
    return _paired("kendall_tau", _kendall_b if form == "b" else _kendall_a, x, y)


def spearman(x: ArrayLike, y: ArrayLike) -> Array:
    """Spearman's rho between vectors on the last axis: Pearson's correlation of their average ranks; float64[...].

    Errors as ``kendall_tau``.
    """
    return _paired("spearman", _spearman, x, y)


def tau_ap(truth: ArrayLike, estimate: ArrayLike, *, form: Literal["a", "b"] = "a", symmetric: bool = False) -> Array:
    """AP correlation between vectors on the last axis, in which the top of ``estimate`` weighs most; float64[...].

    tau_AP = 2/(n-1) sum_{i=2}^{n} C(i)/(i-1) - 1, with C(i) the items above rank i of ``estimate`` that ``truth`` puts
    above that item too. It is not symmetric; ``symmetric`` takes the mean of both orders.

    Ties: form "a" is the exact mean over all ways to break them, as if each tie hid an order (ties of ``truth`` too:
    such a pair counts one half); form "b" lets a tied group share the rank of its first item, leaves out pairs that
    the estimate ties, counts pairs that only the truth ties as disagreeing, and is the mean of both orders.

    Errors as ``kendall_tau``.
    Source: Yilmaz, Aslam & Robertson (2008); Urbano & Marrero (2017), "The treatment of ties in AP correlation".
    """
    _require_form("tau_ap", form)
    if form == "b":
        return _paired("tau_ap", _tau_ap_b, truth, estimate)
    forth = _paired("tau_ap", _tau_ap_a, truth, estimate)
    return (forth + _paired("tau_ap", _tau_ap_a, estimate, truth)) / 2 if symmetric else forth


def correlation_matrix(statistic: Statistic, x: Array, y: Array) -> Array:
    """float64[..., a, b]: the correlation of each vector x[..., a, :] (the truth) with each y[..., b, :].

    0 where a vector is constant (see ``is_constant``).
    """
    arguments.one_of("statistic", statistic, STATISTICS)
    return STATISTICS[statistic](np.asarray(x, float), np.asarray(y, float))


def is_constant(x: Array) -> Array:
    """bool[...]: are all values of the vector on the last axis the same?"""
    return np.asarray((x == x[..., :1]).all(-1))


def _require_form(name: str, form: str) -> None:
    arguments.one_of(f"{name}: form", form, ("a", "b"))


def _paired(name: str, compute: Callable[[Array, Array], Array], x: ArrayLike, y: ArrayLike) -> Array:
    """Check the vectors, then compute a statistic of the first with the second, one by one."""
    vectors = [np.asarray(vector, float) for vector in (x, y)]
    for which, vector in zip(("first", "second"), vectors, strict=True):
        if vector.ndim == 0 or vector.shape[-1] < 2:
            raise InputError(f"{name}: the {which} vector has fewer than 2 values, there is no order to compare")
        if not np.isfinite(vector).all():
            raise InputError(f"{name}: the {which} vector holds a value that is not a finite number")
        if (same := is_constant(vector)).any():
            place = "".join(f"[{index}]" for index in np.argwhere(same)[0])
            value = vector[same][0, 0]
            raise InputError(
                f"{name}: the {which} vector{place} is constant (all {vector.shape[-1]} values are {value:g}), "
                "so its rank correlation is undefined; leave it out"
            )
    if vectors[0].shape[-1] != vectors[1].shape[-1]:
        raise InputError(
            f"{name}: the vectors have {vectors[0].shape[-1]} and {vectors[1].shape[-1]} values; give as many"
        )
    first, second = (vector[..., None, :] for vector in vectors)
    result: Array = compute(first, second)[..., 0, 0]
    return result


def _signs(x: Array) -> Array:
    """+1, -1 or 0 for each pair i < j, float32[..., n(n-1)/2] (float64 where so many would not sum exactly)."""
    size = x.shape[-1]
    pairs = size * (size - 1) // 2
    signs = np.empty((*x.shape[:-1], pairs), np.float32 if pairs < 2**24 else np.float64)
    begin = 0
    for i in range(size - 1):
        end = begin + size - 1 - i
        after, one = x[..., i + 1 :], x[..., i, None]
        above, below = (after > one).view(np.int8), (after < one).view(np.int8)  # bytes: three times as fast as np.sign
        np.subtract(above, below, out=signs[..., begin:end], dtype=np.int8, casting="unsafe")
        begin = end
    return signs


def _agreement(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """C - D for each pair of vectors, and T of each vector; whole numbers."""
    of_x = _signs(x)
    of_y = of_x if y is x else _signs(y)
    untied_x, untied_y = (np.count_nonzero(signs, axis=-1).astype(float) for signs in (of_x, of_y))
    return inner_products(of_x, of_y), untied_x[..., :, None], untied_y[..., None, :]


def _kendall_b(x: Array, y: Array) -> Array:
    agreement, untied_x, untied_y = _agreement(x, y)
    return ratio(agreement, np.sqrt(untied_x * untied_y))


def _kendall_a(x: Array, y: Array) -> Array:
    agreement, untied_x, untied_y = _agreement(x, y)
    return ratio(agreement, np.where(untied_x * untied_y > 0, x.shape[-1] * (x.shape[-1] - 1) / 2, 0.0))


def _spearman(x: Array, y: Array) -> Array:
    from scipy.stats import rankdata

    # Twice the distance from the mean rank: whole numbers, so that a vector correlates with itself by exactly 1.
    of_x, of_y = (2 * rankdata(vector, axis=-1) - (vector.shape[-1] + 1) for vector in (x, y))
    lengths = np.square(of_x).sum(-1)[..., :, None] * np.square(of_y).sum(-1)[..., None, :]
    return ratio(inner_products(of_x, of_y), np.sqrt(lengths))


@dataclass(frozen=True)
class _Orders:
    """The order of the pairs (i, j) of a vector's items, flattened to [..., n * n]."""

    above: Array  # is j above i?
    below: Array


def _orders(x: Array) -> _Orders:
    above = x[..., None, :] > x[..., :, None]
    flat = (*x.shape[:-1], -1)
    return _Orders(above.reshape(flat), np.swapaxes(above, -1, -2).reshape(flat))


def _tau_ap_a(truth: Array, estimate: Array) -> Array:
    size = truth.shape[-1]
    truly = _orders(truth)
    agreed = inner_products(1.0 + truly.above - truly.below, _expected_weights(estimate))
    undefined = is_constant(truth)[..., :, None] | is_constant(estimate)[..., None, :]
    return np.where(undefined, 0.0, agreed / (size - 1) - 1)


def _expected_weights(estimate: Array) -> Array:
    """float64[..., n * n]: E[1/(rank of i - 1)] over tie breakings in which j stands above i, pair by pair.

    With b items better than i and t tied with it (i included), i stands at rank b + s for s = 1..t alike. A better
    item then weighs 1/(b + s - 1), and each other of the group is above i in (s - 1)/(t - 1) of the cases.
    """
    orders = _orders(estimate)
    size = estimate.shape[-1]
    square = (*estimate.shape, size)
    better = orders.above.reshape(square).sum(-1)
    tied = size - better - orders.below.reshape(square).sum(-1)
    # Sums of 1/r, looked up: harmonic[k] = 1 + 1/2 + ... + 1/k; rank 1 has nobody above.
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, size + 1))])
    inverse = harmonic[better + tied - 1] - harmonic[np.maximum(better, 1) - 1]
    weights: Array = orders.above.reshape(square) * (inverse / tied)[..., None]
    if (tied == 1).all():
        return weights.reshape(*estimate.shape[:-1], -1)
    others = tied - 1
    # sum_s (s - 1)/(b + s - 1) = (t - 1) - b sum_{s >= 2} 1/(b + s - 1)
    within = others - better * (harmonic[better + tied - 1] - harmonic[better])
    same = ~(orders.above | orders.below).reshape(square)
    same &= ~np.eye(size, dtype=bool)
    weights += same * ratio(within, tied * others)[..., None]
    return weights.reshape(*estimate.shape[:-1], -1)


def _tau_ap_b(x: Array, y: Array) -> Array:
    back = np.swapaxes(_tau_ap_ties(y, x), -1, -2)
    return (_tau_ap_ties(x, y) + back) / 2


def _tau_ap_ties(truth: Array, estimate: Array) -> Array:
    """2/(n - t_1) sum over the items below the first tied group of C(i)/(p_i - 1), less 1; p_i - 1 items are better."""
    orders = _orders(estimate)
    square = (*estimate.shape, estimate.shape[-1])
    better = orders.above.reshape(square).sum(-1)
    weights = orders.above.reshape(square) * ratio(np.ones(better.shape), better)[..., None]
    weights = weights.reshape(orders.above.shape)
    counted = (better > 0).sum(-1)[..., None, :]
    agreed = inner_products(_orders(truth).above.astype(float), weights)
    defined = (counted > 0) & ~is_constant(truth)[..., :, None]
    return np.where(defined, 2 * ratio(agreed, counted) - 1, 0.0)


PERSISTENCE = 0.9  # of rank-biased overlap


def _rbo_a(x: Array, y: Array) -> Array:
    return _overlap(_shares_by_depth(x), _shares_by_depth(y), np.arange(1.0, x.shape[-1] + 1)[:, None])


def _rbo_b(x: Array, y: Array) -> Array:
    of_x, of_y = (share / np.sqrt(np.square(share).sum(-1, keepdims=True)) for share in map(_shares_by_depth, (x, y)))
    return _overlap(of_x, of_y, 1.0)


def _overlap(of_x: Array, of_y: Array, scale: Array | float) -> Array:
    """(1-p) sum_d p^(d-1) sum_i of_x[d, i] of_y[d, i] / scale[d]; beyond the last depth it stays as it is there."""
    size = of_x.shape[-1]
    weights = (1 - PERSISTENCE) * PERSISTENCE ** np.arange(float(size))
    weights[-1] = PERSISTENCE ** (size - 1)
    flat = [share.reshape(*share.shape[:-2], -1) for share in (of_x * weights[:, None] / scale, of_y)]
    undefined = _tied(of_x)[..., :, None] | _tied(of_y)[..., None, :]
    return np.where(undefined, 0.0, inner_products(*flat))


def _shares_by_depth(x: Array) -> Array:
    """float64[..., depth, item]: how much of each item is among the first ``depth``, over all orders of ties."""
    orders = _orders(x)
    square = (*x.shape, x.shape[-1])
    better, worse = (pairs.reshape(square).sum(-1, dtype=float) for pairs in (orders.above, orders.below))
    depths = np.arange(1.0, x.shape[-1] + 1)[:, None]
    return shares_down_to(better[..., None, :] + 1, x.shape[-1] - worse[..., None, :], depths)


def _tied(share: Array) -> Array:
    """bool[...]: are all items tied, so that the first depth holds as much of each?"""
    return is_constant(share[..., 0, :])


STATISTICS: dict[str, Callable[[Array, Array], Array]] = {
    "kendall": _kendall_b,
    "kendall-a": _kendall_a,
    "spearman": _spearman,
    "tau-ap": _tau_ap_a,
    "tau-ap-b": _tau_ap_b,
    "rbo-a": _rbo_a,
    "rbo-b": _rbo_b,
}
"""The statistics by name: functions of x[..., a, n] and y[..., b, n]."""
NAMES = {
    "kendall": "Kendall's tau-b",
    "kendall-a": "Kendall's tau-a",
    "spearman": "Spearman's rho",
    "tau-ap": "tau-AP, in which the measure of a column has the true order",
    "tau-ap-b": "symmetric tau-AP-b",
    "rbo-a": "RBO-a, p = 0.9",
    "rbo-b": "RBO-b, p = 0.9",
}
"""What readers call the statistics."""
