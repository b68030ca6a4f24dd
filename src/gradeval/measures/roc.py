"""The ROC curve: how well a ranking tells relevant documents from non-relevant ones, as a classifier is judged."""

from __future__ import annotations

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Threshold


def pairs_of(judged: JudgedRankings, *, rel: float = 1) -> Array:
    """int64[...]: the pairs of a relevant and a non-relevant document of the pool; 0: an empty topic."""
    relevant = judged.recall_base(rel)
    pairs: Array = relevant * (judged.pool.sum(-1) - relevant)
    return pairs


@measure(
    base=pairs_of, exempt={"appended": "a relevant document that is not retrieved stands below every document that is"}
)
def AUC(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Area under the ROC curve: the share of pairs of judged documents whose relevant one stands above the other.

    AUC = 1/(RB S) * (sum_{n: r[n] >= rel} (S - M_n) + (RB - C_N)(S - M_N) / 2), with S the documents of the pool judged
    non-relevant and M_n the ones down to rank n: a pair counts 1 where the relevant document stands above, 0
    where it stands below and 1/2 where neither is retrieved.

    Conventions: relevant is grade >= rel; only judged documents count, others are passed over; those that are not
    retrieved share the last place; an empty topic (RB = 0 or S = 0: no pair) scores 0. A ranking that retrieves
    nothing scores 1/2, as does a random one on average.
    Source: Hanley & McNeil (1982), Radiology 143(1); named by Scheel, Lommatzsch & Albayrak (2011), section 2.3.
    """
    hits = judged.hits(rel)
    misses = judged.judged & ~hits
    relevant = judged.recall_base(rel)
    others = judged.pool.sum(-1) - relevant
    below = others[..., None] - misses.cumsum(-1)
    absent = (relevant - judged.relevant_retrieved(rel)) * (others - misses.sum(-1))
    return ratio((below * hits).sum(-1) + absent / 2, relevant * others)
