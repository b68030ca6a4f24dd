"""When is a comparison to be doubted? What its test finds too often, what it can never find, what tables leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.messages import list_some, plural
from gradeval.scores.scores import ONE
from gradeval.studies.compared_runs import Comparison, about_pairs_left_out, are_many_pairs
from gradeval.studies.run_seeds import about_seeds
from gradeval.studies.significance import TUKEY, is_random, least_p, out_of_reach, samples_to_reach
from gradeval.studies.skewed_differences import ARE_SKEWED, MOSTLY_ALIKE, SKEWED, share_alike, skewness
from gradeval.warning_categories import Note, SignificanceWarning

ENOUGH = 20
"""Topics for a bootstrap interval, and to see that differences are skewed."""

MANY_ENOUGH = 3
"""Runs from which on a note says that differences are skewed: a single pair is often skewed by chance."""

FOUND = {
    "t": "38% of the draws of 10, 10% of 30, 8% of 50",
    "permutation": "11% of the draws of 30",
    "bootstrap": "11% of the draws of 10, 9% of 30",
    TUKEY: "13% of the draws of 10, 15% of 30",
}
"""In which draws the bench found a false difference among all pairs of 10 runs of equal means, by Holm's correction (or
Tukey's) at 0.05, in the worst source except RR (docs/inference/pairs.md; t: skewed-pairs.md)."""

FOUND_ALIKE = {"t": "up to 94% of the draws of 10, 58% of 30, 30% of 50"}
"""The same where most values of a run are one and the same, as of RR (skewed-pairs.md)."""

MARKED = "9% of the draws of 10"
MARKED_ALIKE = "up to 40% of the draws of 10, 16% of 30, 9% of 50"
"""How often the baseline "best" marked a run of 10 equally good ones, in the worst source except RR, and by RR."""

BROKEN_ALIKE = 100
"""Topics up to which such measures are noted without skewness, too: over 50, the most counted, tests still broke."""

COUNTED_AT, COUNTED_BY = 0.05, {"t": "holm", "permutation": "holm", "bootstrap": "holm", TUKEY: "none"}
"""The level and the corrections that these were counted with."""

ASKS = {
    "wilcoxon": "whether the differences of topics are symmetric around 0",
    "sign": "whether a run wins as many topics as it loses",
}
"""What tests of something else than means ask."""


def find_cautions(comparison: Comparison, matrices: Sequence[Array], samples: int) -> Iterator[Note]:
    """Runs that may be seeds, tests that find too much or cannot find, intervals too narrow, pairs left out."""
    yield from about_seeds(comparison.runs)
    if comparison.test in ASKS:
        yield Note.doubt(
            f"test {comparison.test} asks {ASKS[comparison.test]}, not whether means are equal; with skewed "
            "differences it calls runs of equal means different (docs/inference/pairs.md); use test t to compare means"
        )
    yield from about_no_intervals(comparison.measures, comparison.interval, comparison.unit)
    yield from _about_skewed(comparison, matrices)
    if comparison.correction == "best":
        return
    yield from (Note(text, SignificanceWarning) for text in _about_reach(comparison, samples))
    topics = int(comparison.topics.min())
    if comparison.test != TUKEY and is_random(comparison.test) and topics < ENOUGH:
        text = (
            f"take more {comparison.unit}, or test t: bootstrap intervals over {plural(topics, ONE[comparison.unit])} "
            f"are too narrow; of 95% intervals about 88% hold over 10 {comparison.unit} and 93% over 25"
        )
        yield Note(text, SignificanceWarning)
    if are_many_pairs(comparison.baselines, comparison.runs):
        yield Note(about_pairs_left_out(len(comparison.pairs)))


def about_no_intervals(measures: Sequence[Measure], intervals: Array, unit: str) -> Iterator[Note]:
    """By which measures differences have no interval, of intervals[measure, ...]."""
    names = [str(measure) for measure, one in zip(measures, intervals, strict=True) if np.isnan(one).any()]
    if names:
        few = f"where all {unit} differ by the same amount and are too few to exclude any difference"
        yield Note.doubt(f"{list_some(names)}: no interval {few}")


def _about_skewed(comparison: Comparison, matrices: Sequence[Array]) -> Iterator[Note]:
    """By which measures differences are so skewed that the test finds too many, or topics too few to show it."""
    best = comparison.correction == "best"
    if (comparison.test not in FOUND and not best) or len(comparison.runs) < MANY_ENOUGH:
        return
    by_kind: dict[str, list[str]] = {}
    for measure, values in zip(comparison.measures, matrices, strict=True):
        skewed, few = skewness(values) > SKEWED, len(values) < ENOUGH
        if share_alike(values) > MOSTLY_ALIKE:
            if skewed or len(values) <= BROKEN_ALIKE:
                by_kind.setdefault("alike", []).append(str(measure))
        elif skewed and (few or not best):
            by_kind.setdefault("skewed", []).append(str(measure))
        elif few and not best:
            by_kind.setdefault("unseen", []).append(str(measure))
    said = {
        "alike": "most values of a run are equal, as by RR",
        "skewed": ARE_SKEWED,
        "unseen": f"differences may be skewed, which fewer than {ENOUGH} {comparison.unit} cannot show; if they are",
    }
    for kind, measures in by_kind.items():
        stop = ", " if kind == "unseen" else "; "
        yield Note.doubt(f"{list_some(measures)}: {said[kind]}{stop}{_about_errors(comparison, kind == 'alike')}")


def _about_errors(comparison: Comparison, alike: bool) -> str:
    """What was counted where differences are skewed, if this was counted as it is used here."""
    page, by = "(docs/inference/skewed-pairs.md)", " by RR" if alike else ""
    if comparison.correction == "best":
        if comparison.alpha != COUNTED_AT:
            return f"the truly best run can be marked more often than the level says {page}"
        marked = MARKED_ALIKE if alike else MARKED
        return f"one of 10 equally good runs was wrongly marked{by} in {marked} {comparison.unit} {page}"
    test, counted = comparison.test, (FOUND_ALIKE if alike else FOUND).get(comparison.test)
    as_counted = (comparison.alpha, comparison.correction) == (COUNTED_AT, COUNTED_BY[test])
    if counted is None or not as_counted or comparison.baselines:
        return f"test {test} can find a difference between equal runs more often than its level says {page}"
    correction = "" if test == TUKEY else f" and {COUNTED_BY[test]}"
    return (
        f"among 10 runs of equal means, test {test}{correction} at 0.05 found a false difference{by} in {counted} "
        f"{comparison.unit} {page}"
    )


def _about_reach(comparison: Comparison, samples: int) -> Iterator[str]:
    """Measures by which no pair can be significant, whatever the differences, and how to change that."""
    assert comparison.correction != "best"
    how, tests = (comparison.test, comparison.correction, comparison.alpha), comparison.family
    by_topics: dict[int, list[str]] = {}
    for place, (measure, topics) in enumerate(zip(comparison.measures, comparison.topics.tolist(), strict=True)):
        if not comparison.significant[place].any():  # with tied ranks some may be, as SciPy decides
            by_topics.setdefault(topics, []).append(str(measure))
    for topics, measures in by_topics.items():
        if not out_of_reach(*how, topics, samples, tests):
            continue
        least = least_p(comparison.test, topics, samples)
        of_what = "pair" if len(comparison.pairs) > 1 else "measure"
        corrected = f" before the correction for {plural(tests, of_what)}" if comparison.correction != "none" else ""
        needed = samples_to_reach(*how, topics, tests)
        untied = " where no ranks are tied" if comparison.test == "wilcoxon" else ""
        remedies = [f"{needed} samples or more" if needed is not None else f"more {comparison.unit}", "test t"]
        if not comparison.baselines and len(comparison.pairs) > 1:
            remedies.insert(1, "a baseline (fewer pairs)")
        yield (
            f"{list_some(measures)}: no pair can be significant at {comparison.alpha:g}, "
            f"as p is {least:.2g} or more{untied}{corrected}; take {' or '.join(remedies)}"
        )
