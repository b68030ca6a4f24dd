"""Who leads, by how much, and is that sure?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import tiny
from gradeval.page.ranks_picture import ranks_picture
from gradeval.page.section import Material, Section, Still, Titled
from gradeval.scores.notes import join_names
from gradeval.scores.score_table import bounds_at, decimals
from gradeval.studies.paired_power import MOST_TOPICS, topics_for
from gradeval.studies.report_results import Overview
from gradeval.studies.significance import pair_values

HEADING = "Which run is best, and how sure is that?"
MOST = 40
"""Runs that the picture shows."""
NAMED = 6
"""Runs that may be the best, of which so many are named."""


def answer(material: Material) -> Section:
    """The leader, the runs that cannot be told from it, by how much it leads, and what to do if one must choose."""
    overview = material.overview
    measure = str(overview.measure)
    leader = overview.scores.runs[overview.order[0]]
    mean = f"{overview.scores.mean()[overview.order[0], 0]:.{decimals(overview.measure, 4)}f}"
    if len(overview.scores.runs) == 1:
        return Section("answer", HEADING, f"There is one run, {leader}: its {measure} is {mean}.")
    if overview.ranks is None:
        said = f"{leader} has the highest {measure}, {mean}; how sure that is cannot be said."
        return Section("answer", HEADING, said, details=[overview.absent["ranks"]])
    caption = f"Each run's rank by {measure} (dot) and the interval in which it may lie (line; blue: may be the best)."
    tables = []
    if overview.sizes is not None:
        tables.append(Titled("Topics needed to find a difference between two runs", overview.sizes.table(), True))
    ranked = len(overview.ranks.runs)
    return Section(
        "answer",
        HEADING,
        _answer_who_leads(overview, mean),
        facts=list(_facts(overview)),
        details=[f"The picture shows the first {MOST} of {ranked:,} runs; the leaderboard goes on."] * (ranked > MOST),
        meaning=_meaning(overview),
        tables=tables,
        redo=[material.redo("ranks", "-m", measure, "--seed", str(overview.seed))],
        stills=[Still(ranks_picture(overview.ranks, MOST), caption)],
    )


def _answer_who_leads(overview: Overview, mean: str) -> str:
    """Who leads, by how much, and who else may be the best."""
    ranks, measure = overview.ranks, overview.measure
    assert ranks is not None
    if overview.decision is not None:
        return f"{overview.decision.sentence}."
    leaders, best, runs = ranks.leaders(measure), ranks.best(measure), len(ranks.runs)
    if len(leaders) > 1:
        lead = f"{join_names(leaders, 3)} lead by {measure} with {mean} each"
    else:
        lead = f"{leaders[0]} {'is the best' if len(best) == 1 else 'leads'}"
    follower = _follower(overview)
    if follower is not None:
        means = overview.scores.mean()[:, 0]
        gap = f"{means[overview.order[0]] - means[follower]:.{decimals(measure, 4)}f}"
        lead += f", by {gap} over {overview.scores.runs[follower]}"
    if len(best) == 1:
        others = "the other run may not" if runs == 2 else f"none of the other {runs - 1} runs may"
        return f"{lead}; {others} be the best."
    return f"{lead}; may be best: {join_names(best, NAMED)} ({len(best)} of {runs} runs)."


def _follower(overview: Overview) -> int | None:
    """The best run whose mean is lower than that of the leader; None: all are equal."""
    ranks = overview.ranks
    assert ranks is not None
    return next((run for run in overview.order if ranks.rank[0, run] > 1), None)


def _facts(overview: Overview) -> Iterator[tuple[str, str]]:
    """The leader and the next, topic by topic, how sure the answer is, and what to do about it."""
    ranks, measure, scores = overview.ranks, overview.measure, overview.scores
    assert ranks is not None
    first, second = overview.order[0], _follower(overview)
    if second is not None:
        yield str(measure), ", ".join(_mean(overview, run) for run in (first, second))
        differences = np.subtract(*pair_values(scores)[0].T[[first, second]])
        equal = tiny(differences, np.abs(scores.credited[[first, second], :, 0]).max())
        better, same = int((~equal & (differences > 0)).sum()), int(equal.sum())
        text = f"better than {scores.runs[second]} on {better} of {len(equal)} topics, worse on "
        yield "By topic", f"{text}{len(equal) - better - same}" + (f", equal on {same}" if same else "")
    best, confidence = ranks.best(measure), f"{100 * (1 - ranks.alpha):.4g}%"
    if len(best) == 1:
        yield "How sure", f"with {confidence} confidence it is the best of these runs"
        return
    yield "How sure", f"with {confidence} confidence the best run is one of these {len(best)}"
    choice = " or ".join(ranks.leaders(measure)[:3])
    yield "If you must choose", f"{choice}: no run is shown to be better. {_topics_for_the_lead(overview, second)}"


def _mean(overview: Overview, run: int) -> str:
    """A run, its mean and, where there is one, the interval of that."""
    digits = decimals(overview.measure, 4)
    value = f"{overview.scores.runs[run]} {overview.scores.mean()[run, 0]:.{digits}f}"
    bounds = bounds_at(overview.bounds, run, 0)
    return value if bounds is None else f"{value} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"


def _topics_for_the_lead(overview: Overview, second: int | None) -> str:
    """How many topics would show a lead as large as that of the first run over this one."""
    sizes, first = overview.sizes, overview.order[0]
    if second is None:
        return "All have the same mean."
    other = overview.scores.runs[second]
    differences = np.subtract(*pair_values(overview.scores)[0].T[[first, second]])
    lead, spread = float(differences.mean()), float(differences.std(ddof=1))
    if sizes is None or not lead > 0 or not spread > 0:
        return f"These topics do not tell it from {other}."
    try:
        needed = f"{topics_for(lead / spread, sizes.alpha, sizes.beta):,}"
    except InputError:
        needed = f"more than {MOST_TOPICS:,}"
    return (
        f"A paired t test of it and {other} alone would find a lead of this size with probability "
        f"{1 - sizes.beta:g} over {needed} topics like these (a lead that was picked after looking is usually too "
        f"large); there are {len(differences)}."
    )


def _meaning(overview: Overview) -> list[str]:
    """How to read the picture, and what the confidence is in."""
    ranks, sizes = overview.ranks, overview.sizes
    assert ranks is not None
    confidence = f"{100 * (1 - ranks.alpha):.4g}%"
    meaning = [
        f"A run is what one system answered to {len(ranks.topics)} topics, that is, queries: for each a ranked list of "
        f"documents. People judged documents by grades, of which 0 is not relevant. {overview.measure} rates each list "
        "by where it has the relevant ones, and the mean over the topics rates the run: higher is better.",
        "Other topics might put the runs in another order. The interval of a run holds the rank that it would have "
        f"over all topics like these, with {confidence} confidence for all {len(ranks.runs)} runs at once (alpha is "
        "what is left: the risk that some interval is wrong). Which run is the best is a smaller question: with "
        f"{confidence} confidence the best run is one of those in blue, so a run whose interval begins at 1 need not "
        f"be one of them. Both compare the differences between runs with what chance makes of them: {ranks.method}.",
    ]
    if sizes is not None:
        needed = sizes.needed[0].tolist()
        counts = ", ".join(f"{number:,} for {by:g}" for number, by in zip(needed, sizes.differences, strict=True))
        meaning.append(
            f"To show with probability {1 - sizes.beta:g} that two runs differ whose means by {overview.measure} are "
            f"so far apart, a paired t test at {sizes.alpha:g} takes this many topics: {counts}. There are "
            f"{len(sizes.topics)}."
        )
    return meaning
