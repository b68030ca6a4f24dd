"""Are the judged documents all that is known, as items are that users rated and a test holds out?

Nobody can judge the others, and over judged documents alone no ranking is bad.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.scores.coverage import TOP

MOSTLY = 0.5
"""The share of unjudged documents in the top of every run from which no run was judged on purpose."""


def _hold_negatives(pool: Array) -> bool:
    """Do half of the topics hold a document that is judged not relevant? Else judged documents alone are the relevant
    ones, among which no ranking is bad. ``pool``: int64[topic, level]."""
    return bool(2 * np.count_nonzero(pool[:, 0]) >= len(pool))


def are_held_out(pool: Array, tops: Sequence[float] | Array) -> bool:
    """Do too few topics hold a document of grade 0; or have most topics fewer judged documents than a top holds, while
    the top of every run is mostly unjudged?

    ``tops``: by run the share of unjudged documents in the first ``TOP`` ranks.
    """
    few = bool(2 * np.count_nonzero(pool.sum(1) < TOP) > len(pool))
    return not _hold_negatives(pool) or (few and bool(np.min(tops, initial=1.0) > MOSTLY))
