"""Are differences between runs so skewed, or so often the same, that tests of means say more than they should?"""

from __future__ import annotations

import numpy as np

from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import Array, rounded
from gradeval.studies.parallel import product

PAIRS_AT_ONCE = 2**22  # pairs of runs that are compared at once
ALIKE = 1e-8
"""The variance of a difference, as a share of both runs' variances, up to which rounding hides its third moment."""
SKEWED = 0.5
"""The skewness of differences from which a reader is told that statements hold less often than they should."""
ARE_SKEWED = "differences between runs are skewed (a long tail on one side)"
"""What a reader is told there."""
MOSTLY_ALIKE = 0.5
"""The share of a run's values that are one and the same from which tests of means break as those of RR do, which is 1
on most topics of a collection with many relevant documents."""


def share_alike(values: Array) -> float:
    """Of values[topic, run] the share of a run's values that is its most frequent one, mean over all runs."""
    most = [np.unique(rounded(own), return_counts=True)[1].max() for own in values.T]
    return float(np.mean(most) / len(values))


def skewness(values: Array) -> float:
    """How skewed differences between runs are in one direction, of values[topic, run]: |mean over all pairs of g1|.

    g1 is the third moment about the mean over the cube of the standard deviation, of the run that varies more about the
    mean of all runs less the one that varies less. Where errors are symmetric, or all runs have the same, these cancel
    out, however skewed single pairs happen to be. Differences that hardly vary are left out.

    Of two runs with deviations a and b from their means over topics the moments of the difference are mean(a^2) +
    mean(b^2) - 2 mean(a b), and mean(a^3) - 3 mean(a^2 b) + 3 mean(a b^2) - mean(b^3).
    """
    topics, runs = values.shape
    own = values - values.mean(1, keepdims=True)
    own -= own.mean(0)
    squares, cubes = np.square(own), own**3
    variance, third = squares.mean(0), cubes.mean(0)
    total, number = 0.0, 0
    for block in blocks(runs, PAIRS_AT_ONCE // runs):
        mine, later = own[:, block].T, np.arange(runs) > np.arange(block.start, block.stop)[:, None]
        both = variance[block, None] + variance
        square = both - 2 / topics * product(mine, own)
        cube = third[block, None] - third - 3 / topics * (product(np.square(mine), own) - product(mine, squares))
        varied = later & (square > ALIKE * both)
        sign = np.where(variance[block, None] > variance, 1.0, -1.0)
        total += float((sign[varied] * cube[varied] / square[varied] ** 1.5).sum())
        number += int(varied.sum())
    return abs(total) / max(1, number)
