"""Do measures put the runs in the same order? Rank correlations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Annotated

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Each, OneOf, Resamples, Seed, Whole
from gradeval.formula.aggregation import blocks, draw, interval
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure
from gradeval.progress import Progress
from gradeval.scores.mistakes import about_empty
from gradeval.scores.scores import Scores
from gradeval.studies.correlation import NAMES, STATISTICS, Statistic, correlation_matrix, is_constant
from gradeval.studies.requirements import about_few_runs, refuse_constant, require_enough, require_runs
from gradeval.studies.study import Judged, Result, study
from gradeval.studies.study_parameters import Reference
from gradeval.tables.grid import Cell, Column, Estimate, Grid, SideBySide, as_label
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import CoverageWarning, Note

PAIRS_AT_ONCE = 2**22  # pairs of runs, times measures, times resamples, that are in memory at once
MEANS_AT_ONCE = 2**24  # means of runs, times measures, times resamples, in memory at once
HIGH = 0.99  # above it correlations are marked, as in Sakai (2005)
MARK = "†"

FIELDS = "selection measure against column statistic value lower upper runs topics samples seed".split()

EachStatistic = Annotated[Statistic, Each(OneOf(tuple(STATISTICS)), ", ".join(STATISTICS))]
"""A rank correlation, or several, which then stand side by side."""


@dataclass(frozen=True)
class PairLayout:
    """The pairs of measures that a table of correlations holds.

    Attributes
    ----------
    heads : the titles above the labels of the rows, as in ("g", "measure").
    rows : the labels of each row, and its measure.
    columns : the title of each column, and for each row the measure that it is correlated with.
    title : of the table, where there are several.
    """

    heads: tuple[str, ...]
    rows: Sequence[tuple[tuple[str, ...], Measure]]
    columns: Sequence[tuple[str, Sequence[Measure]]]
    title: str = ""

    @property
    def measures(self) -> list[Measure]:
        """All measures of the layout, each once."""
        others = (measure for _, column in self.columns for measure in column)
        return list(dict.fromkeys([*(measure for _, measure in self.rows), *others]))


def lay_out(measures: Sequence[Measure], reference: Measure | None = None) -> PairLayout:
    """Each measure against each, or against one reference."""
    others = [measure for measure in measures if measure != reference]
    if not others:
        raise InputError(f"{reference}: there is no other measure to correlate it with")
    if reference is None and len(measures) == 1:
        raise InputError(f"{measures[0]}: one measure has nothing to be correlated with; name others, or a reference")
    rows = [((str(measure),), measure) for measure in others]
    against = measures if reference is None else [reference]
    return PairLayout(("measure",), rows, [(str(other), [other] * len(rows)) for other in against])


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Result):
    """Correlation between the orders in which measures put the same runs, by one statistic.

    Attributes
    ----------
    values : float64[measure, measure]; for "tau-ap" the column is the truth and the row is judged by it, as in tables.
    interval : float64[measure, measure, 2]: the spread over bootstrap samples of the topics, around the value; None
        where there were no resamples. Topics drawn twice add noise, which pulls every resampled correlation down:
        the percentiles are taken from the median of the resamples, not from the value, to take this bias out.
    undefined : int64[measure, measure]: resamples left out, in which one of the two measures tied all runs.
    statistic, measures, runs, topics : what was correlated, and over what.
    alpha, samples, seed : the bootstrap; alpha and seed are None where there were no resamples.
    layouts : which measures stand in the rows and in the columns of its tables.
    selection : how the topics were chosen, as in ``few:2``.
    """

    values: Array
    interval: Array | None
    undefined: Array
    statistic: Statistic
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    alpha: float | None
    samples: int
    seed: int | None
    layouts: Sequence[PairLayout]
    selection: str = "all"

    def of(self, first: str | Measure, second: str | Measure) -> float:
        """The correlation of two measures; for "tau-ap" the second is the truth, as a column of the table is."""
        return float(self.values[self._at(first, second)])

    def estimate(self, first: str | Measure, second: str | Measure) -> Estimate:
        """The correlation of two measures and its interval, if there is one; see ``of``."""
        at = self._at(first, second)
        bounds = None if self.interval is None else tuple(self.interval[at].tolist())
        return Estimate(float(self.values[at]), bounds=bounds)

    def _at(self, first: str | Measure, second: str | Measure) -> tuple[int, int]:
        places = [place_of_measure(wanted, self.measures, "correlation") for wanted in (first, second)]
        return places[0], places[1]

    def look_up(self, pairs: Sequence[tuple[Measure, Measure]]) -> Array:
        """float64[pair, 3]: the correlations of pairs (measure, truth), and their bounds; NaN where there are none."""
        place = {measure: number for number, measure in enumerate(self.measures)}
        at = tuple(np.array([[place[one] for one in pair] for pair in pairs]).T)
        bounds = np.full((len(pairs), 2), np.nan) if self.interval is None else self.interval[at]
        return np.column_stack([self.values[at], bounds])

    def table(self, digits: int = 3) -> Table:
        """The correlations; for "tau-ap" the title of a column is the truth.

        Intervals stand in a table of one column, and in the records.
        """
        return correlations_table([self], digits)

    @property
    def description(self) -> str:
        """What was correlated, and how, in a sentence."""
        return f"{NAMES[self.statistic]}: {self.size}"

    @property
    def size(self) -> str:
        """How many runs and topics there were."""
        over = "as given" if self.unit == "means" else f"over {len(self.topics)} {self.unit}"
        return f"{len(self.runs)} runs by their means {over}"

    @property
    def intervals(self) -> str:
        """Where the intervals come from; empty where there are none."""
        if self.alpha is None:
            return ""
        return f"{100 * (1 - self.alpha):g}% intervals from {self.samples} bootstrap samples, seed {self.seed}"


@dataclass(frozen=True, eq=False, repr=False)
class CorrelationStudies(Result):
    """Correlations over several selections of topics, each by the same statistics.

    Attributes
    ----------
    parts : a result for each selection and each statistic.
    """

    parts: list[Correlations]

    def table(self, digits: int = 3) -> Table:
        """The selections below each other, the statistics side by side."""
        return correlations_table(self.parts, digits)


def put_side_by_side(parts: list[Correlations]) -> CorrelationStudies:
    """Several correlations as one result."""
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return CorrelationStudies(parts, notes=list(notes))


def correlations_table(parts: Sequence[Correlations], digits: int) -> Table:
    """Tables of correlations, one a layout; values above 0.99 are marked, other than of a measure with itself.

    ``parts``: over several selections of topics, by several statistics, which stand side by side.
    """
    by_selection = [
        [one for one in parts if one.selection == name] for name in dict.fromkeys(one.selection for one in parts)
    ]
    layouts = range(len(parts[0].layouts))
    said = describe_parts(by_selection)
    intervals = by_selection[0][0].intervals
    grids = [with_foot(_grid(place, by_selection, digits), said, intervals) for place in layouts]
    records = reduce(Records.then, (_records_of_pairs(place, some) for some in by_selection for place in layouts))
    return Table(grids, records)


def describe_parts(by_selection: Sequence[Sequence[Correlations]]) -> str:
    """What several correlations are of, in a sentence: their statistics, and the size of each selection."""
    names = " / ".join(NAMES[one.statistic] for one in by_selection[0])
    several = len(by_selection) > 1
    sizes = [f"{one.selection}: {one.size}" if several else one.size for one, *_ in by_selection]
    return f"{names}: {'; '.join(sizes)}"


def with_foot(grid: Grid, said: str, intervals: str = "") -> Grid:
    """The grid with what it shows in its foot and its caption; ``intervals``: where they come from."""
    cells = [part for row in grid.rows for cell in row for part in getattr(cell, "parts", [cell])]
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    marked = f"{MARK} above {HIGH}" if any(cell.mark for cell in estimates) else ""
    between = intervals if any(cell.bounds is not None for cell in estimates) else ""
    legend = "; ".join(filter(None, [marked, between]))
    foot = "; ".join(filter(None, [said, legend]))
    label = as_label("correlations", grid.title, " ".join(column.title for column in grid.columns[grid.names :]))
    about = f"{grid.title}: {said}" if grid.title else said
    return grid.described(about, legend, label=label, foot=foot)


def _grid(place: int, by_selection: Sequence[Sequence[Correlations]], digits: int) -> Grid:
    layout = by_selection[0][0].layouts[place]
    single, several = len(layout.columns) == 1, len(by_selection) > 1
    rows: list[list[Cell]] = []
    for by_statistic in by_selection:
        here = by_statistic[0].layouts[place]
        for row, (labels, measure) in enumerate(here.rows):
            cells = [correlation_cell(by_statistic, measure, column[row], single) for _, column in here.columns]
            rows.append([*([by_statistic[0].selection] * several), *labels, *cells])
    heads = [*(["topics"] * several), *layout.heads]
    heads[-1] += name_statistics([one.statistic for one in by_selection[0]])
    columns = [Column(title, spec=f".{digits}f") for title, _ in layout.columns]
    return Grid([*(Column(head, "name") for head in heads), *columns], rows, layout.title)


def _records_of_pairs(place: int, by_statistic: Sequence[Correlations]) -> Records:
    layout = by_statistic[0].layouts[place]
    pairs = [
        (measure, column[row], title)
        for row, (_, measure) in enumerate(layout.rows)
        for title, column in layout.columns
    ]
    values = np.stack([one.look_up([(measure, truth) for measure, truth, _ in pairs]) for one in by_statistic], 1)
    first = by_statistic[0]
    records = Records.over(
        {"measure against column": pairs, "statistic": [one.statistic for one in by_statistic]},
        selection=first.selection,
        value=values[..., 0],
        lower=np.ma.masked_invalid(values[..., 1]),
        upper=np.ma.masked_invalid(values[..., 2]),
        runs=len(first.runs),
        topics=len(first.topics),
        samples=first.samples,
        seed=first.seed,
    )
    return records.ordered(FIELDS)


def correlation_cell(by_statistic: Sequence[Correlations], measure: Measure, truth: Measure, bounds: bool) -> Cell:
    """The correlation of two measures by each statistic, with its mark and, if wanted, its interval."""
    cells = []
    for correlations in by_statistic:
        estimate = correlations.estimate(measure, truth)
        cells.append(replace(estimate, bounds=estimate.bounds if bounds else None))
    marked = cells if truth == measure else [replace(cell, mark=mark_high(cell.value)) for cell in cells]
    return marked[0] if len(marked) == 1 else SideBySide(tuple(marked))


def mark_high(value: float) -> str:
    """The mark of an extremely high correlation."""
    return MARK if value > HIGH else ""


def name_statistics(statistics: Sequence[Statistic]) -> str:
    """What stands behind the title of the measures, where several statistics stand side by side."""
    return f": {' / '.join(statistics)}" if len(statistics) > 1 else ""


@study(
    examples="""
      gradeval correlate qrels.txt runs/* -m "GAP(g=[0.1,0.2,0.7]) AP nDCG RBP(rel=1) Bpref"
      gradeval correlate qrels.txt runs/* -m "GAP Q nDCG" --reference AP --statistic tau-ap
      gradeval correlate qrels.txt runs/* --topics all,few:2 --runs above-q1:AP --plot tau.svg
      gradeval correlate qrels.txt runs/* --statistic kendall,spearman -o table.tex
      gradeval correlate --scores ERR@20=err20.csv --scores nDCG@20=ndcg20.csv
      gradeval correlate --scores means-of-the-paper.csv --statistic kendall,tau-ap""",
    digits=3,
    takes_means=True,
    join=put_side_by_side,
)
def correlate(
    scores: Scores,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Resamples(0, 10_000_000)] = 1000,
    seed: Seed = 0,
    progress: Progress | None,
    statistic: EachStatistic = "kendall",
    reference: Reference = None,
    round_to: Annotated[int | None, Whole(0, 17, unit="decimals")] = None,
) -> Correlations:
    """Correlate the orders in which measures put the same runs, each by its mean over topics.

    From 0.9 on two orders are commonly called equivalent, below 0.8 noticeably different. Intervals stand in a table
    with a reference, and always in tsv, csv and jsonl. They say what other samples of as many topics would give; more
    topics usually give a higher correlation. Means alone, as a paper prints them, are correlated without intervals.

    Parameters
    ----------
    statistic : the rank correlation; several stand side by side. kendall (tau-b), kendall-a, spearman; AP correlation
        as tau-ap (the measure of a column has the true order), or symmetric as tau-ap-b; rank-biased overlap (p = 0.9;
        from 0 to 1) as rbo-a or rbo-b, which treat ties differently.
    reference : correlate all with this measure, with intervals; the truth of tau-ap.
    samples : bootstrap samples of the topics, the same for every measure; 0: no intervals.
    alpha : intervals cover 1 - alpha.
    round_to : decimals to which means are rounded before they are compared. Default: means tie that differ by rounding
        errors alone.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; one measure alone; a measure by which all runs are equal.
    """
    layout = lay_out(scores.measures, reference)
    return correlate_as([layout], scores, alpha, samples, seed, progress, statistic, round_to)


def correlate_as(
    layouts: Sequence[PairLayout],
    scores: Scores,
    alpha: float,
    samples: int,
    seed: int,
    progress: Progress | None,
    statistic: Statistic,
    round_to: int | None = None,
) -> Correlations:
    """``correlate`` all measures of the scores; ``layouts``: which stand in the tables."""
    if scores.unit == "means":
        require_runs(len(scores.runs))
        samples = 0
    else:
        require_enough(scores)
    means = _comparable(scores.mean().T, round_to)
    refuse_constant(means, scores.measures)
    resampled = _resample(scores, statistic, draw(len(scores.topics), samples, seed), round_to, progress)
    values = _correlate_all(statistic, means)
    result = Correlations(
        values=values,
        interval=_interval(values, resampled, scores.measures, alpha) if samples else None,
        undefined=np.isnan(resampled).sum(0),
        statistic=statistic,
        measures=scores.measures,
        runs=scores.runs,
        topics=[] if scores.unit == "means" else scores.topics,
        alpha=alpha if samples else None,
        samples=samples,
        seed=seed if samples else None,
        layouts=layouts,
        unit=scores.unit,
    )
    more = map(Note.method, _describe_intervals(result))
    return replace(result, notes=[*about_few_runs(len(result.runs)), *more])


def correlate_layouts(
    data: Judged,
    layouts: Sequence[PairLayout],
    alpha: float,
    samples: int,
    seed: int,
    progress: Progress | None,
    statistic: Statistic,
) -> Correlations:
    """``correlate_as`` for measures of which some are not among those that were asked for; notes on these, too."""
    scores = data.by(list(dict.fromkeys(measure for layout in layouts for measure in layout.measures)))
    result = correlate_as(layouts, scores, alpha, samples, seed, progress, statistic)
    added = [measure for measure in scores.measures if measure not in data.scores.measures]
    empty = about_empty(scores.sel(measures=added))
    return replace(result, notes=[*result.notes, *(Note(text, CoverageWarning) for text in empty)])


def _describe_intervals(result: Correlations) -> Iterator[str]:
    """What intervals of correlations are for, and how to see them; or why there are none."""
    if result.unit == "means":
        yield "no intervals, as these are means alone: intervals need values of single topics (run,topic,measure,value)"
    if result.alpha is not None:
        yield (
            f"intervals: {1 - result.alpha:.4g} confidence, {result.samples} bootstrap samples of the {result.unit}, "
            f"seed {result.seed}; they are for the correlation over as many {result.unit}, not over unlimited "
            f"{result.unit}; take one reference, or write tsv, csv or jsonl, to see them"
        )


def _comparable(means: Array, round_to: int | None) -> Array:
    """float64[..., run]: the means as they are compared."""
    return rounded(means) if round_to is None else np.round(means, round_to)


def _correlate_all(statistic: Statistic, means: Array) -> Array:
    """float64[..., measure, measure]: correlations of means[..., measure, run]; the column is the truth."""
    return np.swapaxes(correlation_matrix(statistic, means, means), -1, -2)


def _resample(
    scores: Scores, statistic: Statistic, weights: Array, round_to: int | None, progress: Progress | None
) -> Array:
    """float64[sample, measure, measure]: correlations of resampled means; NaN where they are undefined."""
    size, runs = len(scores.measures), len(scores.runs)
    values = np.zeros((len(weights), size, size))
    for block in blocks(len(weights), min(MEANS_AT_ONCE // (runs * size), PAIRS_AT_ONCE // (size * runs**2))):
        means = _comparable(np.swapaxes(scores.aggregate(weights[block]), -1, -2), round_to)
        means = np.ascontiguousarray(means)
        same = is_constant(means)
        undefined = same[:, :, None] | same[:, None, :]
        values[block] = np.where(undefined, np.nan, _correlate_all(statistic, means))
        if progress is not None:
            progress(block.stop, len(weights))
    return values


def _interval(estimate: Array, resampled: Array, measures: list[Measure], alpha: float) -> Array:
    if (nowhere := np.isnan(resampled).all(0)).any():
        place = int(np.argwhere(nowhere)[0][0])
        raise InputError(f"{measures[place]}: all runs are equal in every resample of the topics; there is no interval")
    return np.clip(interval(resampled, alpha, around=estimate), -1.0, 1.0)
