"""Matrix products on one core each.

The linear algebra library computes a large product on all cores. The studies compute many products of middling size,
for which its threads wait for each other longer than they work, above all where other processes are busy. Cut into
small ones, products run on the calling core, have the same result on any number of cores, and leave the other cores to
the study.
"""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array

SMALL = 2**18  # multiplications up to which OpenBLAS takes one core
COLUMNS = 1024


def product(a: Array, b: Array) -> Array:
    """float64[n, s]: a[n, k] @ b[k, s]."""
    (size, inner), width = a.shape, b.shape[-1]
    columns = min(width, COLUMNS, max(1, SMALL // inner))
    rows = max(1, SMALL // (inner * columns))
    whole = size // rows * rows
    result = np.empty((size, width))
    stacked = result[:whole].reshape(-1, rows, width)
    for begin in range(0, width, columns):
        part = slice(begin, begin + columns)
        np.matmul(a[:whole].reshape(-1, rows, inner), b[:, part], out=stacked[..., part])
        np.matmul(a[whole:], b[:, part], out=result[whole:, part])
    return result


def inner_products(x: Array, y: Array) -> Array:
    """float64[..., a, b]: the sums over the last axis of x[..., a, :] y[..., b, :]."""
    a, b = x.shape[-2], y.shape[-2]
    if a * b > SMALL // 64:
        if a < b:
            return np.swapaxes(inner_products(y, x), -1, -2)
        halves = [inner_products(part, y) for part in (x[..., : a // 2, :], x[..., a // 2 :, :])]
        return np.concatenate(halves, axis=-2)
    width = SMALL // (a * b)
    whole = x.shape[-1] // width * width
    # [..., part, a, width]: views, nothing is copied.
    parts = [np.swapaxes(v[..., :whole].reshape(*v.shape[:-1], -1, width), -2, -3) for v in (x, y)]
    total: Array = (parts[0] @ np.swapaxes(parts[1], -1, -2)).sum(-3, dtype=float)
    total += x[..., whole:] @ np.swapaxes(y[..., whole:], -1, -2)
    return total
