"""Counts of topics and documents; over topics they add up."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Threshold

BOUNDED = {"bounded": "a number of documents"}


@measure(aggregate="sum", base=None)
def NumQ(judged: JudgedRankings) -> Array:
    """Number of topics: 1 for each.

    Conventions: every topic of the qrels counts, also one that the run misses, unless missing topics are left
    out.
    Source: trec_eval num_q.
    """
    return np.ones(np.broadcast_shapes(judged.retrieved.shape, judged.pool.shape[:-1]))


@measure(
    aggregate="sum",
    base=None,
    exempt={
        **BOUNDED,
        "ideal": "the ideal list holds relevant documents only, others may be longer",
        "appended": "it counts every document",
    },
)
def NumRet(judged: JudgedRankings, *, rel: Threshold | None = None) -> Array:
    """Number of documents retrieved.

    Conventions: judged or not, relevant or not; with rel, those with grade >= rel only, which is how
    ir_measures spells NumRelRet.
    Source: trec_eval num_ret.
    """
    if rel is not None:
        return judged.relevant_retrieved(rel).astype(float)
    return judged.retrieved * np.ones(judged.pool.shape[:-1])


@measure(aggregate="sum", base=None, exempt=BOUNDED)
def NumRel(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Number of relevant documents in the pool, retrieved or not.

    Conventions: relevant is grade >= rel.
    Source: trec_eval num_rel.
    """
    relevant, _ = np.broadcast_arrays(judged.recall_base(rel), judged.retrieved)
    return relevant.astype(float)


@measure(aggregate="sum", base=None, exempt=BOUNDED)
def NumRelRet(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Number of relevant documents retrieved.

    Conventions: relevant is grade >= rel; unjudged is non-relevant.
    Source: trec_eval num_rel_ret.
    """
    return judged.relevant_retrieved(rel).astype(float)


@measure(
    aggregate="sum",
    base=None,
    exempt={
        **BOUNDED,
        "ideal": "the ideal list holds none of them",
        "appended": "it counts every judged document that is not relevant",
    },
)
def NumNonRelRet(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Number of documents retrieved that are judged non-relevant.

    Conventions: non-relevant is grade < rel; unjudged documents are not counted, nor documents of negative grade where
    negative='unjudged'.
    Source: trec_eval num_nonrel_judged_ret.
    """
    misses: Array = (judged.judged & ~judged.hits(rel)).sum(-1)
    return misses.astype(float)
