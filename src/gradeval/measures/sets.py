"""Measures of the retrieved documents as a set: their order does not matter."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Threshold, Weight

APPENDED = {"appended": "every further document enlarges the set that is scored"}


@measure(exempt=APPENDED)
def SetP(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Set precision: the share of the retrieved documents that are relevant.

    SetP = C_N / N, with N the documents retrieved.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; a ranking that retrieves nothing and an
    empty topic score 0.
    Source: trec_eval set_P.
    """
    return ratio(judged.relevant_retrieved(rel), judged.retrieved)


@measure
def SetR(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Set recall: the share of the relevant documents that are retrieved.

    SetR = C_N / RB, with N the documents retrieved and RB the relevant documents of the pool.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic (RB = 0) scores 0.
    Source: trec_eval set_recall.
    """
    return ratio(judged.relevant_retrieved(rel), judged.recall_base(rel))


@measure(exempt=APPENDED)
def SetF(judged: JudgedRankings, *, rel: Threshold = 1, beta: Weight = 1) -> Array:
    """F measure: the weighted harmonic mean of set precision and set recall.

    SetF = (beta + 1) SetP SetR / (beta SetP + SetR).

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic and a ranking without a
    relevant document score 0. Departure: beta weighs as in trec_eval and ir_measures; it is the square of van
    Rijsbergen's beta, so that his F_2 is SetF(beta=4).
    Source: van Rijsbergen (1979), Information Retrieval, chapter 7; trec_eval set_F.
    """
    relevant = judged.relevant_retrieved(rel)
    precision, recall = ratio(relevant, judged.retrieved), ratio(relevant, judged.recall_base(rel))
    return ratio((beta + 1) * precision * recall, beta * precision + recall)


@measure(exempt=APPENDED)
def SetAP(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Average precision of an unordered set: every retrieved relevant document has the set's precision.

    SetAP = SetP SetR = C_N^2 / (N RB).

    Conventions: relevant is grade >= rel; unjudged is non-relevant; a ranking that retrieves nothing and an
    empty topic score 0.
    Source: trec_eval set_map.
    """
    relevant = judged.relevant_retrieved(rel)
    return ratio(relevant * relevant, judged.retrieved * judged.recall_base(rel))


@measure(exempt=APPENDED)
def SetRelP(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Relative set precision: set precision as a share of the best that a set of that size can have.

    SetRelP = C_N / min(N, RB), with N the documents retrieved and RB the relevant documents of the pool.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; a ranking that retrieves nothing and an
    empty topic score 0. Unlike RelP@k it takes the size that the set has.
    Source: trec_eval set_relative_P.
    """
    return ratio(judged.relevant_retrieved(rel), np.minimum(judged.retrieved, judged.recall_base(rel)))
