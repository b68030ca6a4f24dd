"""Measures of use and of estimation: what a filtered set is worth, and how well scores predict relevance."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Positive, Threshold


@measure(base=None, exempt={"appended": "every non-relevant document costs B"})
def SCU(judged: JudgedRankings, *, A: Positive = 3, B: Positive = 2, s: Positive = 100, rel: Threshold = 1) -> Array:
    """Scaled utility of a filtered set: A for a relevant document, -B for another, on a scale from 0 to 1.

    u = A C_N - B (N - C_N), U(s) = -B s, MaxU = A RB and SCU = (max(u, U(s)) - U(s)) / (MaxU - U(s)): 0 where
    s or more non-relevant documents are left uncompensated, 1 where exactly the relevant documents are
    retrieved.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; a set without any document is worth u =
    0, and no topic is empty for it: where nothing is relevant, retrieving nothing scores 1.
    LF1 is A=3, B=2 (the default), LF2 is A=3, B=1.
    Source: Hull & Robertson (1999), "The TREC-8 filtering track final report".
    """
    found, floor = judged.found(rel), -B * s
    utility = A * found - B * (judged.retrieved - found)
    return ratio(np.maximum(utility, floor) - floor, A * judged.recall_base(rel) - floor)
