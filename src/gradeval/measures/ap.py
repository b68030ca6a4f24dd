"""Average precision and its mean over the grades of a topic."""

from __future__ import annotations

from typing import Literal

import numpy as np

from gradeval.formula.arithmetic import Array, add_in_order, ratio
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Cutoff, Threshold


def precision_at_threshold(judged: JudgedRankings, rel: float) -> Array:
    """float64[...]: AP(rel) = summed precision / RB(rel); 0 where no document reaches the threshold."""
    return ratio(judged.summed_precision(rel), judged.recall_base(rel))


@measure(many="cutoff")
def AP(
    judged: JudgedRankings, *, rel: Threshold = 1, norm: Literal["R", "min"] = "R", cutoff: Cutoff | None = None
) -> Array:
    """Average precision: the mean, over the relevant documents of the pool, of the precision at their ranks.

    AP = 1/RB * sum_{n: r[n] >= rel} C_n / n, with C_n the relevant documents down to rank n and RB the relevant
    documents of the pool: a relevant document that is not retrieved contributes 0.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic (RB = 0) scores 0; at a cutoff
    the denominator stays RB (norm='R', as trec_eval map_cut) or is min(RB, cutoff) (norm='min', as NTCIREVAL).
    Source: Zhai & Massung (2016), eq. 9.1; Ferrante et al. (2014), eq. 2.
    """
    base = judged.recall_base(rel)
    if norm == "min" and cutoff is not None:
        base = np.minimum(base, cutoff)
    return ratio(judged.summed_precision(rel, cutoff), base)


@measure(base=None, exempt={"bounded": "a logarithm, from -ln(1 + RB) to ln(1 + RB)"})
def YAAP(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Yet another average precision: average precision smoothed and on the scale of log odds, for means over topics.

    YAAP = ln( (1 + S) / (1 + RB - S) ), S = sum_{n: r[n] >= rel} C_n / n = RB AP, with C_n the relevant documents
    down to rank n.

    Conventions: as for AP; an empty topic (RB = 0) scores 0, which is also the value where S = RB / 2. On one topic
    it orders rankings as AP does.
    Source: Robertson (2012), "On smoothing average precision", ECIR; trec_eval yaap.
    """
    summed = judged.summed_precision(rel)
    lost = np.maximum(judged.recall_base(rel) - summed, 0)  # rounding may leave it below 0
    smoothed: Array = np.log((1 + summed) / (1 + lost))
    return smoothed


@measure(aggregate="geometric")
def gmAP(judged: JudgedRankings, *, rel: Threshold = 1, cutoff: Cutoff | None = None) -> Array:
    """Average precision whose topics are put together by the geometric mean, which rewards doing well on hard topics.

    GMAP = exp(mean_topic ln max(AP, 1e-5)).

    Conventions: as for AP; the floor 1e-5 is trec_eval's.
    Source: Robertson (2006), "On GMAP", CIKM; trec_eval gm_map.
    """
    return precision_at_threshold(judged, rel)


@measure
def muAP(
    judged: JudgedRankings, *, levels: Literal["query", "global"] = "query", cutoff: Cutoff | None = None
) -> Array:
    """Average precision over all thresholds of a rating scale, each weighted by its distance from the one below.

    muAP = sum_i d_i AP(t_i) / sum_i d_i over the positive levels t_1 < t_2 < ... present among the judged documents
    of the topic, with d_1 = t_1 and d_i = t_i - t_{i-1}. It does not change when all grades are multiplied by a
    constant, or when the scale has levels that nobody used.

    Conventions: levels='query' is the paper's; levels='global' runs over all levels of the collection, where a
    level above the topic's best grade counts AP = 0. Unjudged is non-relevant; an empty topic scores 0; a cutoff
    leaves the recall bases whole.
    Source: Scheel, Lommatzsch & Albayrak (2011), section 3.1.
    """
    scale = np.array(judged.levels)
    used = judged.pool > 0 if levels == "query" else np.ones(judged.pool.shape, bool)
    below = np.maximum.accumulate(np.where(used, scale, 0.0), axis=-1)[..., :-1]
    distance = np.where(used[..., 1:], scale[1:] - below, 0.0)
    precisions = [precision_at_threshold(judged, level) for level in judged.positive]
    weighted = sum(distance[..., i] * precision for i, precision in enumerate(precisions))
    return ratio(np.asarray(weighted), add_in_order(distance))
