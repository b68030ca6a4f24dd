"""A list of lower value than the sorted one, where sorting worst first does not give the worst list (xGAP, Q)."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.studies.information.stationary import Lists

_SWAPS = 150
_BELOW = 1e-8


def lower_list(lists: Lists, start: Array) -> Array:
    """int[rank]: the class at each rank of a list whose value is below the one asked for, or as low as it gets.

    ``start[rank]``: the classes to begin with, 0 for the reference, c + 1 for class c of ``lists``. Greedily: each time
    those two documents are exchanged that lower the value most.
    """
    classes = start.copy()
    size = lists.form.linear.shape[1] + 1
    pair = np.zeros((size, size))
    pair[1:, 1:] = lists.form.pair[0]
    both = pair + pair.T - np.diag(pair)[:, None] - np.diag(pair)
    discount = lists.form.discount[0]
    for _ in range(_SWAPS):
        held = (classes == np.arange(size)[:, None]).astype(float)
        value, gradient = lists.measured(held[None, 1:])
        if value[0] < lists.value[0] - _BELOW:
            break
        worth = np.concatenate([np.zeros((1, len(classes))), gradient[0]])
        change, place = min(_best_swap(classes, worth, both, discount, a, b) for a in range(size) for b in range(a))
        if change >= -1e-15:
            break
        classes[list(place)] = classes[list(reversed(place))]
    return classes


def _best_swap(
    classes: Array, worth: Array, both: Array, discount: Array, a: int, b: int
) -> tuple[float, tuple[int, int]]:
    """The exchange of a document of class a for one of class b that lowers the value most: by how much, and where."""
    first, second = np.flatnonzero(classes == a), np.flatnonzero(classes == b)
    if not (len(first) and len(second)):
        return 0.0, (0, 0)
    gap = worth[b] - worth[a]
    # The value is quadratic: the gradient, and what the two say of each other.
    change = gap[first, None] - gap[second] + discount[np.maximum(first[:, None], second)] * both[a, b]
    i, j = np.unravel_index(change.argmin(), change.shape)
    return float(change[i, j]), (int(first[i]), int(second[j]))
