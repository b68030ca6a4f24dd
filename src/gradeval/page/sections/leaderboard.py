"""All runs by all measures, with what there is to say against the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.formula.arithmetic import rounded
from gradeval.formula.definition import Measure
from gradeval.messages import capitalised, join_names, plural
from gradeval.page.section import JUDGED, Material, Section, Titled
from gradeval.scores.coverage import TOP
from gradeval.scores.score_table import bounds_at, decimals
from gradeval.studies.compared_runs import MARKS
from gradeval.studies.ranks import RankSets
from gradeval.studies.report_results import RANKED, Overview
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

MAY_BE_BEST = "may be best"
"""The title of a column, and the word in it; page.html and scripts/board.js know it, too."""
NAMED = 8
"""Measures that a sentence names."""

FIELDS = "run measure value lower upper rank rank_lower rank_upper may_be_best".split()


def leaderboard(material: Material) -> Section:
    """A table of runs and measures; the page sorts, filters and copies it."""
    overview = material.overview
    scores = overview.scores
    measures, runs = scores.measures, len(scores.runs)
    winners = _winners(overview)
    if runs == 1:
        said = f"The means of {scores.runs[0]} by {len(measures)} measures."
    elif len(winners) == 1:
        best = next(iter(winners))
        mean = f"mean {measures[0]}" if len(measures) == 1 else "mean by each measure"
        said = f"{best} {'has' if best in scores.runs else 'have'} the highest {mean}."
    else:
        text = "; ".join(f"{best} by {join_names(names, NAMED)}" for best, names in winners.items())
        said = f"Which run has the highest mean depends on the measure: {text}."
    return Section(
        "leaderboard",
        "How good is each run?",
        said,
        list(_explain_marks(overview)),
        tables=[
            Titled("Leaderboard", Table([_grid(overview)], Records.of(FIELDS, _records_of_means(overview))), bars=True)
        ],
        redo=[material.redo("evaluate", "-m", " ".join(map(str, measures)), "--ci")]
        if overview.judged is not None
        else [],
        measures=_name_meanings(measures),
        meaning=list(_meaning(overview)),
    )


def _winners(overview: Overview) -> dict[str, list[str]]:
    """The measures by which a run, or several with the same mean, have the highest one."""
    scores = overview.scores
    winners: dict[str, list[str]] = {}
    for measure, means in zip(scores.measures, rounded(scores.mean().T), strict=True):
        best = [scores.runs[run] for run in np.flatnonzero(means == means.max()).tolist()]
        winners.setdefault(join_names(best, 3), []).append(str(measure))
    return winners


def _explain_marks(overview: Overview) -> Iterator[str]:
    """What the marks say, and what is not there."""
    if overview.ranks is not None and len(overview.ranks.measures) < len(overview.scores.measures):
        yield (
            f"With more than {RANKED} runs, ranks are by {overview.measure} alone; run gradeval ranks for the other "
            "measures."
        )
    if overview.comparison is not None:
        yield (
            f"▲ is significantly better and ▼ worse than {overview.baseline} ({overview.comparison.test} test"
            f"{overview.comparison.correction_clause}; level {overview.comparison.alpha:g})."
        )


def _meaning(overview: Overview) -> Iterator[str]:
    """What the columns hold."""
    cutoff = next((one.cutoff for one in overview.scores.measures if one.cutoff is not None), None)
    only = "" if cutoff is None else f"; with @{cutoff} it looks at the first {plural(cutoff, 'document')} only"
    yield f"A measure rates a ranked list{only}."
    if overview.bounds is not None:
        said = "; ".join(overview.scores.about_ci())
        bold = "the highest mean of a measure is bold; " if len(overview.order) > 1 else ""
        yield f"The interval stands below each mean; {bold}{said}."
    if _standing(overview) is not None:
        yield (
            f"Ranks: the interval of each run's rank by {overview.measure}; all intervals hold at once. "
            f"May be best: no other run is shown to be better by {overview.measure}."
        )
    if overview.scores.coverage is not None:
        yield (
            f"{capitalised(JUDGED)}: judged documents among the first {TOP} of the topics that the run has. "
            "Unjudged: documents of the run without a judgment; most measures count them as not relevant. "
            "Tied: documents that share their score with another. "
            "Missing: topics for which the run returned nothing."
        )


def _name_meanings(measures: Sequence[Measure]) -> list[tuple[str, str]]:
    """Measures by their names, and what each is; those that are the same except for their parameters stand together."""
    named: dict[str, list[str]] = {}
    for measure in measures:
        named.setdefault(measure.meaning, []).append(str(measure))
    return [(join_names(names), meaning) for meaning, names in named.items() if meaning]


def _standing(overview: Overview) -> RankSets | None:
    """Intervals of ranks; None where they are not known, and of two runs, of which the first answer decides."""
    return overview.ranks if overview.decision is None else None


def _grid(overview: Overview) -> Grid:
    scores, ranks, standing_known = overview.scores, overview.ranks, _standing(overview) is not None
    means = scores.mean()
    marks = {} if overview.comparison is None else overview.comparison.verdicts_by_run()
    shares = _shares(overview)
    rows: list[list[Cell]] = []
    for place, run in enumerate(overview.order, 1):
        name = scores.runs[run]
        row: list[Cell] = []
        for measure, mean in enumerate(means[run].tolist()):
            bounds = bounds_at(overview.bounds, run, measure)
            mark = MARKS[marks[name][measure]] if name in marks else ""
            row.append(Estimate(mean, mark, bounds) if bounds or mark else mean)
        standing: list[Cell] = [place if ranks is None else int(ranks.rank[0, run])]
        if ranks is not None and standing_known:
            standing += [(int(ranks.lower[0, run]), int(ranks.upper[0, run]))]
            standing += [MAY_BE_BEST if ranks.may_be_best[0, run] else ""]
        rows.append([name, row[0], *standing, *row[1:], *(values[run] for values in shares.values())])
    means_by = [Column(str(measure), spec=f".{decimals(measure, 3)}f") for measure in scores.measures]
    standing_of = [Column("rank", spec="d")]
    standing_of += [Column("ranks", spec="d"), Column(MAY_BE_BEST, "text")] if standing_known else []
    columns = [Column("run", "name"), means_by[0], *standing_of, *means_by[1:]]
    places = [1, *range(2 + len(standing_of), len(columns))]
    columns += [Column(title, spec=".1%") for title in shares]
    means = rounded(means.T).T
    highest = means.max(0)
    best = {
        (row, places[measure])
        for row, run in enumerate(overview.order)
        for measure in range(len(scores.measures))
        if means[run, measure] == highest[measure] and len(overview.order) > 1
    }
    return Grid(columns, rows, best=frozenset(best))


def _shares(overview: Overview) -> dict[str, list[float | None]]:
    """By title for each run: how much of it the judgments cover."""
    coverage, judged_top = overview.scores.coverage, overview.judged_top
    if coverage is None or judged_top is None:
        return {}
    return {
        JUDGED: judged_top,
        "unjudged": coverage.unjudged_share.tolist(),
        "tied": coverage.tied_share.tolist(),
        "missing": (coverage.missing / coverage.retrieved.shape[-1]).tolist(),
    }


def _records_of_means(overview: Overview) -> Iterator[list[Value]]:
    """The mean of each run by each measure; its rank by the first."""
    scores, ranks = overview.scores, overview.ranks
    means = scores.mean()
    for run in overview.order:
        for measure, name in enumerate(scores.measures):
            bounds = bounds_at(overview.bounds, run, measure) or (None, None)
            at = (measure, run)
            rank = (
                [None] * 4
                if ranks is None or measure >= len(ranks.measures)
                else [int(ranks.rank[at]), int(ranks.lower[at]), int(ranks.upper[at]), bool(ranks.may_be_best[at])]
            )
            yield [scores.runs[run], str(name), float(means[run, measure]), *bounds, *rank]
