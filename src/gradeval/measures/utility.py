"""Measures of use and of estimation: what a filtered set is worth, and how well scores predict relevance."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Positive, Threshold, Weight


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
    relevant, floor = judged.relevant_retrieved(rel), -B * s
    utility = A * relevant - B * (judged.retrieved - relevant)
    return ratio(np.maximum(utility, floor) - floor, A * judged.recall_base(rel) - floor)


@measure(
    base=None,
    exempt={
        "bounded": "a sum of what documents are worth, not normalised",
        "appended": "every non-relevant document that is retrieved is worth p2",
    },
)
def Utility(
    judged: JudgedRankings,
    *,
    p1: float = 1,
    p2: float = -1,
    p3: float = 0,
    p4: float = 0,
    documents: Weight = 0,
    rel: Threshold = 1,
) -> Array:
    """Utility of a set: the documents that it has and lacks, relevant and not, each weighed.

    Utility = p1 a + p2 b + p3 c + p4 d, with a = C_N the relevant documents retrieved, b = N - C_N the others
    retrieved, c = RB - C_N the relevant ones left out and d = documents - N - c the others left out.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; no topic is empty for it. documents is the size of
    the whole collection, which only p4 needs; with documents=0, as trec_eval has it unless told otherwise, d is
    negative.
    Source: trec_eval utility.
    """
    a = judged.relevant_retrieved(rel)
    b = judged.retrieved - a
    c = judged.recall_base(rel) - a
    d = documents - judged.retrieved - c
    utility: Array = p1 * a + p2 * b + p3 * c + p4 * d
    return utility.astype(float)
