"""What each statistic of a comparison of judges is, and where it comes from: ``explain`` shows it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from gradeval.tables.markup import escape


@dataclass(frozen=True)
class StatisticExplanation:
    """What a statistic of ``judges`` is; ``print`` shows all.

    Attributes
    ----------
    statistic : what is explained.
    meaning : what it is, with its formula.
    source : where it comes from.
    """

    statistic: str
    meaning: str
    source: str

    def __str__(self) -> str:
        return "\n".join([self.statistic, "", *textwrap.wrap(self.meaning, 100), "", f"Source: {self.source}."])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>\n"


OURS = "gradeval's own; docs/judges/public-runs.md shows it"

STATISTICS: dict[str, tuple[str, str]] = {
    "pairs": (
        "The pairs of topic and document that humans and judge both judged. pairs-human-only and pairs-model-only are "
        "judged by one side; no grade is assumed for them.",
        "a count",
    ),
    "count": ("The common pairs with one grade of the humans and one of the judge, as in 2>1.", "a count"),
    "kappa": (
        "Cohen's kappa with quadratic weights: 1 - sum (a-b)^2 n_ab / sum (a-b)^2 n_a. n_.b / n over the grades a of "
        "the humans and b of the judge; 1: the same labels, 0: as alike as by chance. Intervals: bootstrap over "
        "topics.",
        'Cohen (1968), "Weighted kappa", Psychological Bulletin 70',
    ),
    "alpha": (
        "Krippendorff's alpha for ordinal grades: 1 - observed disagreement / disagreement expected if the pooled "
        "labels of both were dealt at random. A grade is as far from another as there are labels between them. "
        "Intervals: bootstrap over topics.",
        'Krippendorff (2011), "Computing Krippendorff\'s alpha-reliability"',
    ),
    "bias": (
        "The mean of the judge's grade less that of the humans, over the common pairs; above 0 the judge is lenient. "
        "bias-grade: the same for the pairs of one human grade. Intervals: bootstrap over topics.",
        "the mean difference of Bland & Altman (1986)",
    ),
    "kendall": (
        "Kendall's tau-b (or AP correlation, the humans being the truth) between the orders of the runs by their means "
        "with the humans' and with the judge's grades. Intervals: bootstrap over topics, the same topics for both.",
        "Kendall (1945); Voorhees (2000) for judgments of two assessors; tau-ap: Yilmaz, Aslam & Robertson (2008)",
    ),
    "floor": (
        "The mean tau of judges that know nothing: the humans' grades, shuffled within each topic. It is far above 0 "
        "for measures that reward whoever retrieves much of the pool. Intervals: bootstrap over topics and over such "
        "judges.",
        OURS,
    ),
    "floor-constant": (
        "The tau of a judge that gives every document of the pool the highest grade: runs by how much of the pool they "
        "retrieve.",
        OURS + "; a pool taken for relevant: Soboroff, Nicholas & Cahan (2001)",
    ),
    "split-halves": (
        "The mean tau between the humans' orders of the runs by two halves of the topics, split at random 100 times. "
        "It says how far the topics alone leave the order open, and is no ceiling: a second assessor would give that.",
        OURS,
    ),
    "skill": (
        "(tau - floor) / (1 - floor): 0 for a judge that knows nothing, 1 for the order of the humans. Intervals: "
        "bootstrap over topics and over judges that know nothing.",
        "skill scores as in Murphy (1988), with the floor as the reference",
    ),
    "shift": (
        "The mean over runs and topics of the value by the judge's grades less that by the humans'. slope: b of the "
        "line judge = a + b human through the means of the runs; a judge that errs at random draws the runs together, "
        "b < 1.",
        OURS,
    ),
    "shift-run": (
        "By how much more a run gains from the judge's grades than from those of drawn judges that make the same "
        "errors and know no run: the judge's grades, dealt anew in each topic among the documents of one human grade; "
        "less the mean of that over the runs. shift-group: the same of a group, less that of the other runs. p: the "
        "share of all these judges in which some run (or group) gains or loses as much, in standard deviations; "
        "corrected for all of them.",
        OURS + "; the largest of all under permutations: Westfall & Young (1993), Resampling-Based Multiple Testing",
    ),
    "kept": (
        "The share of the humans' significant differences between runs, by the test of compare, that the judge finds "
        "in the same direction. reversed: that it finds in the opposite one; missed: that it does not find; "
        "not-confirmed: of its own, the share that the humans do not find. significant and significant-judge: their "
        "number. -floor: the mean of judges that know nothing (see floor); -skill: (value - floor) / (best - floor), "
        "with the best value 1 of kept, 0 of errors. Intervals: bootstrap over topics, for as many topics.",
        "as in Urbano, Marrero & Martín (2013), two collections there, two assessors here",
    ),
    "verdict": (
        "For what a judge is good enough: order, differences, absolute-scores, labels. 1: as good as is asked, 0: not "
        "decided, -1: below. decided: the figures with the bounds that decide. As good: the lower bound reaches the "
        "ceiling (tau .9, kept .95, alpha .8; minus the shift -5% of the mean; minus the distance of the slope from 1 "
        "-.1); below: the upper bound does not. order and differences also need an interval of skill above 0. With a "
        "second assessor tau, kept and alpha are the judge's less the assessor's, the ceiling is 0, and labels must be "
        "better than shuffled ones. topics-needed: about how many topics would decide, at most 1,000.",
        "gradeval's own; docs/judges/verdict.md shows it, with the sources of the ceilings",
    ),
    "top-tau": (
        "kendall (or tau-ap) among the best runs by the humans, at most top-runs and half of all. top-kept: the share "
        "of their top-significant significant differences that the judge keeps. Undefined for fewer than 5 runs.",
        "tau among the best runs: Clarke & Dietz (2024), \"LLM-based relevance assessment still can't replace human "
        'relevance assessment", arXiv 2412.17156',
    ),
    "ceiling": (
        "The mean of the pool ranked by the judge's grades and scored by the humans, expected over the orders of tied "
        "documents. Runs above it (runs-above) know more than the judge: it cannot tell them apart.",
        OURS + "; expectation over ties: McSherry & Najork (2008)",
    ),
    "worth": (
        "What a document of a human grade counts for the measure after the judge: W(a) = sum_b P(judge says b | humans "
        "say a) V(b), with V the measure's value of a grade, 1 for the highest. share: the steps of W, the "
        "g of users for which the judge's grades stand, g_a = (W(a) - W(a-1)) / (W(highest) - W(0)).",
        OURS + "; V for GAP: Robertson, Kanoulas & Yilmaz (2010)",
    ),
}
"""What each is, with its formula, and where it comes from."""

EXPLAINED_WITH = {
    "tau": "kendall",
    "tau-ap": "kendall",
    "pairs-human-only": "pairs",
    "pairs-model-only": "pairs",
    "bias-grade": "bias",
    "slope": "shift",
    "shift-group": "shift-run",
    "reversed": "kept",
    "missed": "kept",
    "not-confirmed": "kept",
    "significant": "kept",
    "significant-judge": "kept",
    **{f"{name}-{part}": "kept" for name in ("kept", "reversed", "not-confirmed") for part in ("floor", "skill")},
    "runs-above": "ceiling",
    "share": "worth",
    "decided": "verdict",
    "topics-needed": "verdict",
    "top-runs": "top-tau",
    "top-kept": "top-tau",
    "top-significant": "top-tau",
}
"""Statistics that are explained with another one."""


def explain_statistic(name: str) -> StatisticExplanation | None:
    """What is known of a statistic; None where there is none of the name."""
    statistic = STATISTICS.get(EXPLAINED_WITH.get(name, name))
    return None if statistic is None else StatisticExplanation(name, *statistic)
