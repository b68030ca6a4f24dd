"""Measures for incomplete judgments: what to make of documents that nobody judged, and how many there are."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Cutoff, Threshold

Variant: TypeAlias = Literal["trec_eval", "sigir04", "old", "bpref10"]
EPSILON = 1e-5  # infAP's smoothing, as in trec_eval


@measure
def Bpref(judged: JudgedRankings, *, rel: Threshold = 1, variant: Variant = "trec_eval") -> Array:
    """Binary preference: how rarely a document judged non-relevant stands above one judged relevant.

    Bpref = 1/RB * sum_{retrieved relevant documents} (1 - min(x, B) / D), with x the documents judged
    non-relevant that stand above, RB and N the relevant and the non-relevant documents of the pool, and

    variant       B          D
    'trec_eval'   RB         min(N, RB)
    'sigir04'     RB         RB
    'old'         RB         min(N, RB), N counted among the retrieved only (trec_eval before 8.0)
    'bpref10'     RB + 10    RB + 10

    Conventions: relevant is grade >= rel; unjudged documents are passed over; a relevant document that is not
    retrieved contributes 0; an empty topic (RB = 0) scores 0.
    Source: Buckley & Voorhees (2004), "Retrieval evaluation with incomplete information", SIGIR; trec_eval
    bpref.
    """
    return binary_preference(judged, rel, variant)


def binary_preference(judged: JudgedRankings, rel: float, variant: Variant) -> Array:
    """float64[...]: Bpref."""

    def compare_with_misses() -> Array:
        base = judged.recall_base(rel)
        misses = (judged.judged_counts() - judged.whole_counts(rel)).astype(float)
        match variant:
            case "trec_eval":
                most, scale = base, np.minimum(judged.recall_base(0) - base, base)
            case "sigir04":
                most, scale = base, base
            case "old":
                most, scale = base, np.minimum(judged.total(judged.judged) - judged.relevant_retrieved(rel), base)
            case "bpref10":
                most, scale = base + 10, base + 10
        above = np.minimum(misses, most[..., None].astype(float))
        preferred = (1 - ratio(above, scale[..., None].astype(float))) * judged.hits(rel)
        return ratio(judged.total(preferred), base)

    return judged.compute_once(("Bpref", rel, variant), compare_with_misses)


@measure(aggregate="geometric")
def gmBpref(judged: JudgedRankings, *, rel: Threshold = 1, variant: Variant = "trec_eval") -> Array:
    """Binary preference whose topics are put together by the geometric mean, which rewards doing well on hard topics.

    gmBpref = exp(mean_topic ln max(Bpref, 1e-5)).

    Conventions: as for Bpref; the floor 1e-5 is trec_eval's.
    Source: trec_eval gm_bpref; Robertson (2006), "On GMAP", CIKM.
    """
    return binary_preference(judged, rel, variant)


@measure(
    exempt={
        "swap": "unjudged documents are expected to be relevant as often as judged ones: exchanged with one, a "
        "relevant document may gain"
    }
)
def infAP(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Inferred average precision: average precision estimated from a pool of which only a sample is judged.

    infAP = 1/RB * sum_{n: r[n] >= rel} (1/n) (1 + d (c + e) / (c + m + 2 e)), with d the pooled documents
    above rank n, judged or not, c and m those judged relevant and non-relevant, and e = 1e-5: above a
    relevant document, pooled documents are expected to be relevant as often as the judged ones, all others
    never.

    Conventions: relevant is grade >= rel; documents outside the pool are non-relevant; RB counts the judged
    relevant documents; an empty topic (RB = 0) scores 0. Departure: the pool must tell unjudged documents
    (negative='unjudged' where their grade is negative, or a thinned pool); without any, infAP is AP up to e.
    Source: Yilmaz & Aslam (2006), "Estimating average precision with incomplete and imperfect judgments",
    CIKM; trec_eval infAP.
    """
    hits = judged.hits(rel)
    relevant = judged.counts(rel) - 1
    known = judged.judged_counts().astype(float) - 1
    pooled = np.arange(float(known.shape[-1]))  # only pooled documents are stored, so j of them stand above the j-th
    expected = (1 + pooled * (relevant + EPSILON) / (known + 2 * EPSILON)) / judged.ranks
    return ratio(judged.total(expected * hits), judged.recall_base(rel))


@measure(
    base=None,
    exempt={
        "appended": "every further document changes the share",
        "ideal": "where nothing is relevant the ideal list is empty, and of nothing no share is judged",
    },
)
def Judged(judged: JudgedRankings, *, cutoff: Cutoff | None = None) -> Array:
    """Judged share: how many of the first k retrieved documents have a judgment.

    Judged@k = judged documents among the first k / min(k, N), with N the documents retrieved; without @ of
    all.

    Conventions: it says how far other measures can be trusted, not how good the ranking is, so no topic is
    empty for it; a ranking that retrieves nothing scores 0; negative grades are judgments unless
    negative='unjudged'. Notes, reports and gates tell shares of all documents of the topics that a run has; this
    is a mean over topics. Departure: it divides by min(k, N), as ir_measures does, where P@k divides by k;
    among equal scores ir_measures takes the smallest document id first, we (as trec_eval) the largest.
    Source: ir_measures Judged.
    """
    return ratio(judged.judged.sum(-1), judged.retrieved)


@measure(
    base=None,
    exempt={
        "appended": "every further document changes the share",
        "cutoff": "with a cutoff it is a share of k ranks, without one of the documents retrieved",
        "ideal": "not a score: it does not depend on grades",
    },
)
def Unjudged(judged: JudgedRankings, *, cutoff: Cutoff | None = None) -> Array:
    """Unjudged share: how many of the first k ranks hold a document without a judgment.

    Unjudged@k = documents without a judgment among the first k / k; without @ of all that are retrieved.

    Conventions: ranks beyond the end of the ranking hold nothing, so are not unjudged: 1 - Judged@k is larger for
    rankings of fewer than k documents. No topic is empty for it; negative grades are judgments unless
    negative='unjudged'.
    Source: trec_eval 10, unj.
    """
    unjudged = judged.retrieved - judged.judged.sum(-1)
    share: Array = ratio(unjudged, judged.retrieved) if cutoff is None else unjudged / cutoff
    return share
