"""A cross-validation as a table: means with intervals and marks of significant differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradeval.formula.arithmetic import Array
from gradeval.scores.scores import Scores
from gradeval.studies.requirements import TOPICS
from gradeval.studies.significance.comparison import MARKS, Comparison
from gradeval.studies.significance.significance import compare
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Value

FIELDS = (
    "run measure statistic value lower upper baseline difference p corrected significant topics correction alpha "
    "ranker seeds folds"
).split()


def compare_by_measure(scores: Scores, baseline: str | None, alpha: float) -> list[Comparison | None]:
    """For each measure the comparison with the baseline, or else with the best; None with one run or too few topics."""
    if len(scores.runs) < 2 or len(scores.topics) < TOPICS:
        return [None] * len(scores.measures)
    best = scores.mean().argmax(0).tolist()
    return [
        compare(scores.sel(measures=[measure]), baseline or scores.runs[place], alpha=alpha)
        for measure, place in zip(scores.measures, best, strict=True)
    ]


def intervals(scores: Scores, alpha: float) -> Array | None:
    """float64[run, measure, 2]: bounds of the means; None for a single topic."""
    return scores.ci(1 - alpha, "t") if len(scores.topics) > 1 else None


def means_with_marks(
    scores: Scores, bounds: Array | None, comparisons: Sequence[Comparison | None], digits: int
) -> Grid:
    """The means: a row for each training objective, a column for each test measure."""
    means = scores.mean()
    rows: list[list[Cell]] = [[run] for run in scores.runs]
    for column, comparison in enumerate(comparisons):
        pairs = _pairs(comparison)
        for run, row in enumerate(rows):
            compared = comparison is not None and run in pairs
            mark = MARKS[comparison.verdict(0, pairs[run]) if comparison and compared else "not told apart"]
            low_high = None if bounds is None else (float(bounds[run, column, 0]), float(bounds[run, column, 1]))
            row.append(Estimate(float(means[run, column]), mark, low_high))
    best = {(int(row), column + 1) for column, row in enumerate(means.argmax(0))} if len(rows) > 1 else set()
    columns = [Column(str(measure), spec=f".{digits}f") for measure in scores.measures]
    return Grid([Column("trained for", "name"), *columns], rows, best=frozenset(best))


def records(
    scores: Scores,
    bounds: Array | None,
    comparisons: Sequence[Comparison | None],
    alpha: float,
    settings: Sequence[Value],
) -> Iterator[list[Value]]:
    """The means and their comparisons, by measure; ``settings`` are the ranker, the seeds and the folds."""
    means = scores.mean()
    for column, (measure, comparison) in enumerate(zip(scores.measures, comparisons, strict=True)):
        pairs = _pairs(comparison)
        for run, name in enumerate(scores.runs):
            between: list[Value] = [None, None] if bounds is None else bounds[run, column].tolist()
            tests: list[Value] = [None] * 5
            if comparison is not None and run in pairs:
                at = 0, pairs[run]
                numbers = (comparison.difference, comparison.p, comparison.corrected)
                tests = [comparison.baseline, *(float(each[at]) for each in numbers), bool(comparison.significant[at])]
            mean: list[Value] = [name, str(measure), "mean", float(means[run, column])]
            yield [*mean, *between, *tests, len(scores.topics), "holm", alpha, *settings]


def _pairs(comparison: Comparison | None) -> dict[int, int]:
    """For each run that was compared, the index of its pair in the comparison."""
    return {} if comparison is None else {int(run): pair for pair, (run, _) in enumerate(comparison.pairs.tolist())}
