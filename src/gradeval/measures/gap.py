"""Graded average precision and its two relatives: average precision for users with different thresholds."""

from __future__ import annotations

from functools import reduce
from typing import Literal

import numpy as np

from gradeval.formula.arithmetic import Array, add_in_order, along, ratio, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import ByGrade, Cutoff, Users
from gradeval.measures.ap import precision_at_threshold
from gradeval.measures.thresholds import each_level, on_own_levels, thresholds

NOTHING = np.zeros(())


def relevant_to_user(judged: JudgedRankings, *, g: ByGrade | tuple[float, ...] | None) -> Array:
    """float64[...]: E[RB(K)] = sum_k g_k RB(k), the documents that a user expects to be there; 0: an empty topic."""
    return judged.of_pool(("E[RB]", g), lambda pool: add_in_order(pool * thresholds(g, judged.levels).cumsum()))


@measure(base=relevant_to_user)
def GAP(
    judged: JudgedRankings, *, g: Users | None = None, norm: Literal["R", "min"] = "R", cutoff: Cutoff | None = None
) -> Array:
    """Graded average precision: expected precision at the relevant documents, for users of different standards.

    Users differ in the grade from which a document is relevant to them:
    GAP = 1/Z * sum_n (1/n) sum_{m<=n} G(min(r[m], r[n])), with G(a) = g_1 + ... + g_a the share of users to whom
    grade a is relevant, and Z = sum_k g_k RB(k). Equal to the mean of AP(k) weighted by g_k RB(k), which is how it
    is computed.

    Conventions: g lists one probability per positive level of the collection, or {grade: p}: the share of users to
    whom each grade is the lowest that is relevant; default uniform. The commands best-users and clicks find one.
    Unjudged is non-relevant; a topic that holds nothing for any user scores 0; at a cutoff the normaliser stays Z
    (norm='R') or is the value of the best list of that length (norm='min').
    Source: Robertson, Kanoulas & Yilmaz (2010), section 2; Ferrante et al. (2014), eq. 4.
    """
    users = thresholds(g, judged.levels)
    own = on_own_levels(judged, users)
    sums = (share * rankings.summed_precision(level) for rankings, level, share in each_level(*own))
    total = reduce(np.add, sums, NOTHING)
    if cutoff is None or norm == "R":
        return share_of_ideal(total, relevant_to_user(judged, g=g))
    return share_of_ideal(total, add_in_order(judged.ideal(cutoff) * users.cumsum()))


@measure(base=relevant_to_user)
def eGAP(
    judged: JudgedRankings, *, g: Users | None = None, renormalise: bool = False, cutoff: Cutoff | None = None
) -> Array:
    """Expected graded average precision: the mean of AP(k) over users' thresholds.

    eGAP = sum_{k <= tau} g_k AP(k), with tau the best grade judged for the topic.

    Conventions: as GAP, but users above tau find nothing and count 0, so that the ideal list scores G(tau);
    renormalise=True divides by it. Departure: the option is ours.
    Source: Ferrante, Ferro & Maistro (2014), eq. 6.
    """
    own = on_own_levels(judged, thresholds(g, judged.levels))
    values = (share * precision_at_threshold(rankings, level) for rankings, level, share in each_level(*own))
    value = reduce(np.add, values, NOTHING)
    best = satisfiable(judged, g)
    return share_of_ideal(value, best) if renormalise else np.minimum(value, best)


@measure(
    base=relevant_to_user,
    exempt={"swap": "moving a document up can lower xGAP: for pool 3,2,1 and g 2/3,1/3 [0,0,2,1] is below [0,0,1,2]"},
)
def xGAP(
    judged: JudgedRankings, *, g: Users | None = None, renormalise: bool = False, cutoff: Cutoff | None = None
) -> Array:
    """Extended graded average precision: a user picks a document relevant to them, another judges those above.

    xGAP = sum_n (1/n) A(r[n])/G(r[n]) sum_{h <= r[n]} g_h C_n(h), with A(a) = sum_{k<=a} g_k/RB(k).

    Conventions: as GAP; the ideal list scores G(tau), tau being the best grade judged for the topic;
    renormalise=True divides by it. Departure: the option is ours.
    Source: Ferrante, Ferro & Maistro (2014), eq. 5.
    """
    own, users = on_own_levels(judged, thresholds(g, judged.levels))
    precision = precision_at_documents(own, users)
    # With w(n) that precision: sum_n A(r[n]) w(n) = sum_k g_k/RB(k) * sum_{n: r[n] >= k} w(n)
    value = np.asarray(
        sum(
            share * ratio(rankings.total(precision * rankings.hits(level)), rankings.recall_base(level))
            for rankings, level, share in each_level(own, users)
        )
    )
    best = satisfiable(judged, g)
    return share_of_ideal(value, best) if renormalise else np.minimum(value, best)


def precision_at_documents(judged: JudgedRankings, users: Array) -> Array:
    """float64[..., j]: 1/(n G(r[n])) * sum_{h <= r[n]} g_h C_n(h): the precision that a user expects at the rank n of
    document j, given that it is relevant to them; 0 where it is relevant to nobody."""
    reached = users.cumsum(-1)
    expected = sum(
        share[..., None] * rankings.counts(level) * rankings.hits(level)
        for rankings, level, share in each_level(judged, users)
    )
    inverse = ratio(np.ones(reached.shape), reached)
    return np.asarray(expected) / judged.ranks * along(inverse, judged.level)


def satisfiable(judged: JudgedRankings, g: ByGrade | tuple[float, ...] | None) -> Array:
    """float64[...]: G(tau), the share of users to whom some document of the topic is relevant."""
    share = thresholds(g, judged.levels).cumsum()
    return judged.of_pool(("G(tau)", g), lambda pool: np.where(pool > 0, share, 0.0).max(-1))
