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
        "labels of both were assigned at random. Two grades are as far apart as there are labels between them. "
        "Intervals: bootstrap over topics.",
        'Krippendorff (2011), "Computing Krippendorff\'s alpha-reliability"',
    ),
    "bias": (
        "The mean of the judge's grade less the humans' grade, over the common pairs; above 0 the judge is lenient. "
        "bias-grade: the same for the pairs of one human grade. Intervals: bootstrap over topics.",
        "the mean difference of Bland & Altman (1986)",
    ),
    "kendall": (
        "Kendall's tau-b between the order of the runs by the humans' grades and by the judge's grades. "
        "Or AP correlation, with the humans as the truth. Intervals: bootstrap over topics, the same topics for both.",
        "Kendall (1945); Voorhees (2000) for judgments of two assessors; tau-ap: Yilmaz, Aslam & Robertson (2008)",
    ),
    "floor": (
        "The mean tau of judges that know nothing: the humans' grades, shuffled within each topic. It is far above 0 "
        "for measures that reward whoever retrieves much of the pool. Intervals: bootstrap over topics and over such "
        "judges.",
        OURS,
    ),
    "floor-constant": (
        "The tau of a judge that gives every document of the pool the highest grade. It orders runs by how much of the "
        "pool they retrieve.",
        OURS + "; a pool taken for relevant: Soboroff, Nicholas & Cahan (2001)",
    ),
    "split-halves": (
        "The mean tau between the humans' orders by two random halves of the topics, over 100 splits. "
        "It shows the noise of topics. It is no ceiling for a judge; a second assessor would be one.",
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
        "How much more a run gains from the judge's grades than from drawn judges; less the mean of this over the "
        "runs. A drawn judge makes the same errors and knows no run. Its grades are the judge's, shuffled in each "
        "topic among the documents of one human grade. shift-group: the same for a group, less the other runs. p: the "
        "share of drawn judges by which some run (or group) gains or loses as much, in standard deviations; it is "
        "corrected for all runs. human-shift-run: the humans' gain, likewise, among documents of one grade of the "
        "judge. If the humans err, both gains have the same sign. The judge favours a run that gains by the judge and "
        "loses by the humans, both beyond chance.",
        OURS + "; the largest of all under permutations: Westfall & Young (1993), Resampling-Based Multiple Testing",
    ),
    "kept": (
        "The share of the humans' significant differences that the judge finds in the same direction (test of "
        "compare). reversed: the share that it finds in the opposite direction; missed: the share that it does not "
        "find; not-confirmed: the share of the judge's differences that the humans do not find. significant and "
        "significant-judge: how many differences the humans and the judge find. -floor: the mean of judges that know "
        "nothing (see floor); -skill: (value - floor) / (best - floor), with the best value 1 of kept, 0 of errors. "
        "Intervals: bootstrap over topics, for as many topics.",
        "as in Urbano, Marrero & Martín (2013), two collections there, two assessors here",
    ),
    "verdict": (
        "What a judge is good enough for: order, differences, absolute-scores, labels. 1: as good as required, 0: not "
        "decided, -1: below. decided: the figures with the bounds that decide. As good: the lower bound reaches the "
        "ceiling; below: the upper bound does not. Ceilings: tau .9, kept .95, alpha .8; shift within 5% of the mean; "
        "slope within .1 of 1. order and differences also need an interval of skill above 0. With a "
        "second assessor tau, kept and alpha are the judge's less the assessor's, and the ceiling is 0; labels must be "
        "better than shuffled labels. topics-needed: about how many topics would decide, at most 1,000. "
        "same-winner, of two runs: 1 if humans and judge take the same run, -1 if not, 0 if not decided.",
        "gradeval's own; docs/judges/verdict.md shows it, with the sources of the ceilings",
    ),
    "top-tau": (
        "kendall (or tau-ap) among the best runs by the humans, at most top-runs and half of all. top-kept: the share "
        "of their top-significant significant differences that the judge keeps. Undefined for fewer than 5 runs.",
        "tau among the best runs: Clarke & Dietz (2024), \"LLM-based relevance assessment still can't replace human "
        'relevance assessment", arXiv 2412.17156',
    ),
    "ceiling": (
        "The humans' mean of the pool ranked by the judge's grades, averaged over the orders of ties. "
        "The judge cannot tell apart the runs above this mean (runs-above), which know more.",
        OURS + "; expectation over ties: McSherry & Najork (2008)",
    ),
    "worth": (
        "The gain that a document of a human grade has if we believe the judge. "
        "W(a) = sum_b P(judge says b | humans say a) V(b). V is the measure's gain of a grade, 1 for the highest. "
        "share: the g that gives the gains W; g_a = (W(a) - W(a-1)) / (W(highest) - W(0)).",
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
    "human-shift-run": "shift-run",
    "human-shift-group": "shift-run",
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
    "same-winner": "verdict",
    "top-runs": "top-tau",
    "top-kept": "top-tau",
    "top-significant": "top-tau",
}
"""Statistics that are explained with another one."""


def explain_statistic(name: str) -> StatisticExplanation | None:
    """What is known of a statistic; None for an unknown name."""
    statistic = STATISTICS.get(EXPLAINED_WITH.get(name, name))
    return None if statistic is None else StatisticExplanation(name, *statistic)
