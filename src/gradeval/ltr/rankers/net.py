"""Nets: scores from weights and features, on arrays of NumPy and tensors of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array

Net: TypeAlias = Callable[[Mapping[str, Any], Any, Callable[[Any], Any]], Any]
"""Scores [...] from weights, features [..., column] and the function tanh, of NumPy or of PyTorch."""
BLOCK = 1 << 20  # feature values converted to double precision at a time


def score_in_blocks(net: Net, weights: Mapping[str, Array], X: Array) -> Array:
    """float64[row]: the scores of features float32[row, column], computed in double precision."""
    weights = {name: values.astype(float) for name, values in weights.items()}
    step = max(1, BLOCK // X.shape[1])
    scores = np.empty(len(X))
    for begin in range(0, len(X), step):
        rows = slice(begin, begin + step)
        scores[rows] = net(weights, X[rows].astype(float), np.tanh)
    return scores
