"""Do measures order the same systems alike? Rank correlation between all measures of some scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.progress import ShowProgress, with_progress_bar
from gradeval.scores.measure_names import place_of_measure
from gradeval.scores.scores import Scores
from gradeval.studies.correlation import Statistic, correlation_matrix, is_constant
from gradeval.studies.differences import Differences, differences_of_measures
from gradeval.studies.layouts import Layout, lay_out_measures
from gradeval.studies.requirements import STUDIED, Measures, as_scores, refuse_constant, require_enough
from gradeval.tables.grid import Cell, Column, Estimate, Grid, SideBySide
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

BLOCK = 2**22  # pairs of runs, times measures, times resamples, that are held in memory at once
ROOM = 2**24  # means of runs, times measures, times resamples, that are held at once
HIGH = 0.99  # above it correlations are marked, as in Sakai (2005)
MARK = "†"

FIELDS = "selection measure against column statistic value lower upper runs topics samples seed".split()


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Tabular):
    """Correlation between the orders in which measures put the same runs.

    Attributes
    ----------
    values : float64[measure, measure]; for "tau-ap" the row is the truth and the column the estimate.
    interval : float64[measure, measure, 2]: the spread over bootstrap samples of the topics, around the value; None
        where there were no resamples. Topics drawn twice add noise, which pulls every resampled correlation down:
        the percentiles are taken from the median of the resamples, not from the value, to take this bias out.
    undefined : int64[measure, measure]: resamples left out, in which one of the two measures tied all runs.
    statistic, measures, runs, topics : what was correlated, and over what.
    samples, level, seed : the bootstrap.
    """

    values: Array
    interval: Array | None
    undefined: Array
    statistic: Statistic
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    samples: int
    level: float
    seed: int

    def of(self, first: str | Measure, second: str | Measure) -> float:
        """The correlation of two measures; for "tau-ap" the first is the truth."""
        return self.estimate(first, second).value

    def estimate(self, first: str | Measure, second: str | Measure) -> Estimate:
        """The correlation of two measures and its interval, if there is one."""
        at = tuple(place_of_measure(wanted, self.measures, "correlation") for wanted in (first, second))
        bounds = None if self.interval is None else tuple(self.interval[at].tolist())
        return Estimate(float(self.values[at]), bounds=bounds)

    def record(self, truth: Measure, measure: Measure) -> list[Value]:
        """The fields of one correlation, from "statistic" on."""
        cell = self.estimate(truth, measure)
        size: list[Value] = [len(self.runs), len(self.topics), self.samples, self.seed if self.samples else None]
        return [self.statistic, cell.value, *(cell.bounds or (None, None)), *size]

    def table(self, digits: int = 3, *, reference: str | Measure | None = None) -> Table:
        """The correlations of all measures, or of all with one of them; for "tau-ap" a column is the truth.

        Intervals stand in a table of one column, and in the records.
        """
        if reference is not None:
            reference = self.measures[place_of_measure(reference, self.measures, "correlation")]
        table = correlations_table([lay_out_measures(self.measures, reference)], [("all", [self])], digits)
        return replace(table, notes=[self.description, *table.notes])

    @property
    def description(self) -> str:
        """What was correlated, and how, in a sentence."""
        resampling = f"; {self.samples} bootstrap samples of the topics, seed {self.seed}" if self.samples else ""
        return f"{self.statistic}: {len(self.runs)} runs by their means over {len(self.topics)} topics{resampling}"


def correlations_table(
    layouts: Sequence[Layout], parts: Sequence[tuple[str, Sequence[Correlations]]], digits: int = 3
) -> Table:
    """Tables of correlations, one a layout.

    ``parts``: the name of each selection of topics, and the correlations over it, by one statistic or by several, which
    then stand side by side. Values above 0.99 are marked, other than of a measure with itself.
    """
    grids = [_grid(layout, parts, digits) for layout in layouts]
    records = [record for part in parts for layout in layouts for record in _records(layout, *part)]
    return Table(grids, Records.of(FIELDS, records), explain_marks(grids))


def _grid(layout: Layout, parts: Sequence[tuple[str, Sequence[Correlations]]], digits: int) -> Grid:
    single, several = len(layout.columns) == 1, len(parts) > 1
    rows: list[list[Cell]] = []
    for selection, by_statistic in parts:
        for place, (labels, measure) in enumerate(layout.rows):
            cells = [correlation_cell(by_statistic, column[place], measure, single) for _, column in layout.columns]
            rows.append([*([selection] * several), *labels, *cells])
    heads = [*(["topics"] * several), *layout.heads]
    heads[-1] += name_statistics([correlations.statistic for correlations in parts[0][1]])
    columns = [Column(title, spec=f".{digits}f") for title, _ in layout.columns]
    return Grid([*(Column(head, "name") for head in heads), *columns], rows, layout.title)


def _records(layout: Layout, selection: str, by_statistic: Sequence[Correlations]) -> Iterator[list[Value]]:
    for place, (_, measure) in enumerate(layout.rows):
        for title, column in layout.columns:
            for correlations in by_statistic:
                names: list[Value] = [selection, str(measure), str(column[place]), title]
                yield [*names, *correlations.record(column[place], measure)]


def correlation_cell(by_statistic: Sequence[Correlations], truth: Measure, measure: Measure, bounds: bool) -> Cell:
    """The correlation of two measures by each statistic, with its mark and, if wanted, its interval."""
    cells = []
    for correlations in by_statistic:
        estimate = correlations.estimate(truth, measure)
        cells.append(replace(estimate, bounds=estimate.bounds if bounds else None))
    marked = cells if truth == measure else [replace(cell, mark=mark_high(cell.value)) for cell in cells]
    return marked[0] if len(marked) == 1 else SideBySide(tuple(marked))


def explain_marks(grids: Sequence[Grid]) -> list[str]:
    """What the mark in the cells of some tables says, if it is there."""
    marked = any(MARK in text for grid in grids for row in grid.texts() for text in row[grid.names :])
    return [f"{MARK}: above {HIGH}"] if marked else []


def mark_high(value: float) -> str:
    """The mark of an extremely high correlation."""
    return MARK if value > HIGH else ""


def name_statistics(statistics: Sequence[Statistic]) -> str:
    """What stands behind the title of the measures, where several statistics stand side by side."""
    return f": {' / '.join(statistics)}" if len(statistics) > 1 else ""


@with_progress_bar
def correlate(
    scores: Scores | JudgedRuns,
    statistic: Statistic = "kendall",
    *,
    measures: Measures | None = None,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    round_to: int | None = None,
    progress: ShowProgress = False,
) -> Correlations:
    """Correlate the orders of the runs by each pair of measures, each by its mean over topics.

    Parameters
    ----------
    scores : of ``evaluate``, ``read_scores`` ..., or judged runs, which are then scored.
    measures : which; default all of the scores, or AP, nDCG, GAP, xGAP, eGAP, RBP(rel=1) and Bpref of judged runs.
    statistic : "kendall" (tau-b), "kendall-a", "spearman", "tau-ap" or "tau-ap-b"; see the functions of these names in
        ``gradeval.studies.correlation``.
    samples, level, seed : bootstrap over topics, the same resamples for every measure; 0 samples: no intervals.
    round_to : decimals to which means are rounded before they are compared; None: means that differ by rounding
        errors alone tie.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; a measure by which all runs are equal.
    """
    scores = as_scores(scores, measures)
    require_enough(scores)
    level = arguments.share("level", level, 0.95)
    samples, seed = arguments.whole("samples", samples, 0), arguments.seed(seed)
    round_to = None if round_to is None else arguments.whole("round_to", round_to, 0)
    means = _comparable(scores.mean().T, round_to)
    refuse_constant(means, scores.measures)
    weights = np.random.default_rng(seed).multinomial(
        len(scores.topics), np.full(len(scores.topics), 1 / len(scores.topics)), size=samples
    )
    resampled, undefined = _resample(scores, statistic, weights.astype(float), round_to, progress)
    values = correlation_matrix(statistic, means, means)
    return Correlations(
        values=values,
        interval=_interval(values, resampled, undefined, scores.measures, level) if samples else None,
        undefined=undefined.sum(0),
        statistic=statistic,
        measures=scores.measures,
        runs=scores.runs,
        topics=scores.topics,
        samples=samples,
        level=level,
        seed=seed,
    )


def _comparable(means: Array, round_to: int | None) -> Array:
    """float64[..., run]: the means as they are compared."""
    return rounded(means) if round_to is None else np.round(means, round_to)


def _resample(
    scores: Scores, statistic: Statistic, weights: Array, round_to: int | None, progress: ShowProgress
) -> tuple[Array, Array]:
    """float64 and bool[sample, measure, measure]: correlations of resampled means, and where they are undefined."""
    size = len(scores.measures)
    values = np.zeros((len(weights), size, size))
    undefined = np.zeros((len(weights), size, size), bool)
    for means, chunk in _resample_means(scores, weights, round_to):
        step = max(1, BLOCK // (size * len(scores.runs) ** 2))
        for begin in range(0, len(means), step):
            here = means[begin : begin + step]
            block = slice(chunk + begin, chunk + begin + len(here))
            values[block] = correlation_matrix(statistic, here, here)
            same = is_constant(here)
            undefined[block] = same[:, :, None] | same[:, None, :]
            if callable(progress):
                progress(block.stop, len(weights))
    return values, undefined


def _resample_means(scores: Scores, weights: Array, round_to: int | None) -> Iterator[tuple[Array, int]]:
    """float64[sample, measure, run] and the number of the first sample, as many samples at a time as memory allows."""
    step = max(1, ROOM // (len(scores.runs) * len(scores.measures)))
    for begin in range(0, len(weights), step):
        means = np.swapaxes(scores.aggregate(weights[begin : begin + step]), -1, -2)
        yield np.ascontiguousarray(_comparable(means, round_to)), begin


def _interval(estimate: Array, values: Array, undefined: Array, measures: list[Measure], level: float) -> Array:
    if undefined.all(0).any():
        place = int(np.argwhere(undefined.all(0))[0][0])
        raise InputError(f"{measures[place]}: all runs are equal in every resample of the topics; there is no interval")
    tails = [(1 - level) / 2, 0.5, (1 + level) / 2]
    if undefined.any():
        low, centre, high = np.nanquantile(np.where(undefined, np.nan, values), tails, axis=0)
    else:
        low, centre, high = np.quantile(values, tails, axis=0)
    bounds = np.stack([estimate + low - centre, estimate + high - centre], axis=-1)
    return np.asarray(np.clip(bounds, -1.0, 1.0))


TOGETHER = 2**22  # pairs of runs, times measures, times resamples, that are held at once


@with_progress_bar
def correlation_differences(
    scores: Scores | JudgedRuns,
    reference: str | Measure,
    statistic: Statistic = "kendall",
    *,
    measures: Measures | None = None,
    runs: bool = False,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    progress: ShowProgress = False,
) -> Differences:
    """tau(A, reference) - tau(B, reference) for each two measures A and B, with bootstrap intervals.

    Parameters
    ----------
    scores : of ``evaluate``, ``read_scores`` ..., or judged runs, which are then scored.
    reference : the measure that the others are correlated with; the truth of "tau-ap".
    statistic, measures, level, seed : as of ``correlate``; the resamples are the same, too.
    runs : resample the runs as well as the topics; a run that is drawn twice ties with itself.
    samples : resamples of the topics, at least 2.

    Percentiles are taken from their median, as in ``correlate``; for the same reason.

    Raises
    ------
    InputError : fewer than 2 runs, 3 topics, or 2 measures beside the reference; a measure by which all runs are equal.
    """
    scores = _score(scores, measures, reference)
    require_enough(scores)
    level, seed = arguments.share("level", level, 0.95), arguments.seed(seed)
    samples = arguments.whole("samples", samples, 2)
    truth = place_of_measure(reference, scores.measures, "correlation")
    means = rounded(scores.mean().T)
    refuse_constant(means, scores.measures)
    others = [place for place in range(len(scores.measures)) if place != truth]
    if len(others) < 2:
        raise InputError(f"{scores.measures[truth]}: differences need at least 2 measures to correlate with it")
    rng = np.random.default_rng(seed)
    topics = len(scores.topics)
    drawn = rng.multinomial(topics, np.full(topics, 1 / topics), size=samples).astype(float)
    of_runs = rng.integers(0, len(scores.runs), (samples, len(scores.runs))) if runs else None
    resampled = np.zeros((samples, len(others)))
    together = max(1, TOGETHER // (len(scores.measures) * len(scores.runs) ** 2))
    for begin in range(0, samples, together):
        block = slice(begin, min(samples, begin + together))
        here = rounded(np.swapaxes(scores.aggregate(drawn[block]), -1, -2))
        if of_runs is not None:
            here = np.take_along_axis(here, of_runs[block, None, :], axis=-1)
        resampled[block] = _with_reference(statistic, here, truth, others)
        if callable(progress):
            progress(block.stop, samples)
    return differences_of_measures(
        statistic,
        [scores.measures[place] for place in others],
        correlation_matrix(statistic, means[[truth]], means[others]).T,
        resampled[..., None],
        reference=scores.measures[truth],
        centred=True,
        resample_runs=runs,
        alpha=1 - level,
        seed=seed,
    )


def _score(scores: Scores | JudgedRuns, measures: Measures | None, reference: str | Measure) -> Scores:
    """Scores by the measures that were asked for, or the default ones, and by the reference."""
    if measures is None and isinstance(scores, Scores):
        return scores
    chosen = STUDIED if measures is None else measures
    listed = [chosen] if isinstance(chosen, str | Measure) else list(chosen)
    return as_scores(scores, [*listed, reference])


def _with_reference(statistic: Statistic, means: Array, truth: int, others: list[int]) -> Array:
    """float64[sample, other]: correlations of means[sample, measure, run] with the reference; NaN if undefined."""
    means = np.ascontiguousarray(means)
    values = correlation_matrix(statistic, means[:, [truth]], means[:, others])[:, 0]
    same = is_constant(means)
    return np.where(same[:, [truth]] | same[:, others], np.nan, values)
