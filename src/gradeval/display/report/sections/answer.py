"""Who leads, and is that sure?"""

from __future__ import annotations

from gradeval.display.page.section import Section, Still, Titled
from gradeval.display.report.material import Material
from gradeval.display.report.sections.ranks_picture import ranks_picture
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
    caption = f"Each run's rank by {measure} (dot) and the interval in which it lies (line)."
    tables = []
    if overview.sizes is not None:
        tables.append(Titled("Topics needed to find a difference between two runs", overview.sizes.table()))
    return Section(
        "answer",
        HEADING,
        _sentence(overview, leader, mean),
        _details(overview),
        tables=tables,
        redo=[
            material.redo(
                "ranks", "-m", measure, "--samples", str(overview.ranks.samples), "--seed", str(overview.seed)
            ),
        ],
        stills=[Still(ranks_picture(overview.ranks, MOST), caption)],
    )


def _sentence(overview: Overview, leader: str, mean: str) -> str:
    ranks, measure = overview.ranks, overview.measure
    assert ranks is not None
    best, runs = ranks.best(measure), len(ranks.runs)
    if len(best) == 1:
        return f"{leader} is the best of {runs} runs: its {measure} is {mean}, and no other run may have rank 1."
    return (
        f"{leader} leads by {measure} with {mean}, but {len(best)} of {runs} runs, itself included, cannot be told "
        f"from the best at alpha {ranks.alpha:g}."
    )


def _details(overview: Overview) -> list[str]:
    ranks, sizes = overview.ranks, overview.sizes
    assert ranks is not None
    details = [
        f"A run is what one system answered to {len(ranks.topics)} topics, that is, queries: for each a ranked list of "
        f"documents. People judged documents by grades, of which 0 is not relevant. {overview.measure} rates each list "
        "by where it has the relevant ones, and the mean over the topics rates the run: higher is better.",
        f"The interval of a run holds its rank over all topics like these: with {1 - ranks.alpha:.0%} confidence, for "
        f"all {len(ranks.runs)} runs at once. It comes from {ranks.samples} bootstrap samples of the "
        f"{len(ranks.topics)} topics (seed {ranks.seed}).",
    ]
    if sizes is not None:
        needed = sizes.needed[0].tolist()
        listed = ", ".join(f"{number:,} for {by:g}" for number, by in zip(needed, sizes.differences, strict=True))
        details.append(
            f"To find a difference of two means by {overview.measure} with probability {1 - sizes.beta:g}, a paired t "
            f"test at {sizes.alpha:g} takes this many topics: {listed}. There are {len(sizes.topics)}."
        )
    if len(ranks.runs) > MOST:
        details.append(f"The picture shows the first {MOST} runs; the leaderboard holds all of them.")
    return details
