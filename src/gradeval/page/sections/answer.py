"""Who leads, and is that sure?"""

from __future__ import annotations

from gradeval.page.ranks_picture import ranks_picture
from gradeval.page.section import Material, Section, Still, Titled
from gradeval.scores.notes import join_names
from gradeval.scores.score_table import decimals
from gradeval.studies.overview import Overview

HEADING = "Which run is best, and how sure is that?"
MOST = 40
"""Runs that the picture shows."""


def answer(material: Material) -> Section:
    """The leader, the runs that cannot be told from it, and how many topics it would take."""
    overview = material.overview
    measure = str(overview.measure)
    leader = overview.scores.runs[overview.order[0]]
    mean = f"{overview.scores.mean()[overview.order[0], 0]:.{decimals(overview.measure, 4)}f}"
    if len(overview.scores.runs) == 1:
        return Section("answer", HEADING, f"There is one run, {leader}: its {measure} is {mean}.")
    if overview.ranks is None:
        said = f"{leader} has the highest {measure}, {mean}; how sure that is cannot be said."
        return Section("answer", HEADING, said, [overview.absent["ranks"]])
    caption = f"Each run's rank by {measure} (dot) and the interval in which it may lie (line; blue: may be the best)."
    tables = []
    if overview.sizes is not None:
        tables.append(Titled("Topics needed to find a difference between two runs", overview.sizes.table()))
    return Section(
        "answer",
        HEADING,
        _sentence(overview, mean),
        _details(overview),
        tables=tables,
        redo=[
            material.redo("ranks", "-m", measure, "--seed", str(overview.seed)),
        ],
        stills=[Still(ranks_picture(overview.ranks, MOST), caption)],
    )


def _sentence(overview: Overview, mean: str) -> str:
    ranks, measure = overview.ranks, overview.measure
    assert ranks is not None
    leaders, best, runs = ranks.leaders(measure), ranks.best(measure), len(ranks.runs)
    if len(best) == 1:
        return f"{best[0]} is the best of {runs} runs: its {measure} is {mean}, and no other run may be the best."
    alone = len(leaders) == 1
    return (
        f"{join_names(leaders, 3)} {'leads' if alone else 'lead'} by {measure} with {mean}{'' if alone else ' each'}, "
        f"but {len(best)} of {runs} runs, {'itself' if alone else 'these'} included, may be the best at alpha "
        f"{ranks.alpha:g}."
    )


def _details(overview: Overview) -> list[str]:
    ranks, sizes = overview.ranks, overview.sizes
    assert ranks is not None
    confidence = f"{100 * (1 - ranks.alpha):.4g}%"
    details = [
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
        details.append(
            f"To show with probability {1 - sizes.beta:g} that two runs differ whose means by {overview.measure} are "
            f"so far apart, a paired t test at {sizes.alpha:g} takes this many topics: {counts}. There are "
            f"{len(sizes.topics)}."
        )
    if len(ranks.runs) > MOST:
        details.append(f"The picture shows the first {MOST} of {len(ranks.runs):,} runs; the leaderboard goes on.")
    return details
