"""Random rankings as levels, and their pools."""

from __future__ import annotations

import numpy as np

from gradeval import Measure
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REQUIRED
from gradeval.kernels.pairs import pool_of

LEVELS = (0.0, 1.0, 2.0, 3.0)
QUERIES, LENGTH = 60, 12
TOLERANCE = 1e-12


def random_rankings() -> tuple[Array, Array, Array]:
    """Rankings of 0 to 12 documents as levels (-1: padding), their lengths, and pools that may hold more; every
    seventh query has no relevant document in its list."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, LENGTH + 1, QUERIES)
    lengths[:3] = LENGTH, 1, 0
    level = rng.integers(0, len(LEVELS), (QUERIES, LENGTH))
    level[::7] = 0
    level[np.arange(LENGTH) >= lengths[:, None]] = -1
    elsewhere = rng.integers(0, 3, (QUERIES, len(LEVELS))) * (rng.random((QUERIES, 1)) < 0.5)
    return level, lengths, pool_of(level, LEVELS) + elsewhere


LEVEL, LENGTHS, POOL = random_rankings()


def at_a_place(measure: Measure) -> Measure:
    """The measure, with a place to look at where it needs one."""
    at = measure.definition.at
    if at is None or measure.parameters[at] is not REQUIRED:
        return measure
    return measure @ (0.5 if at == "recall" else 4)
