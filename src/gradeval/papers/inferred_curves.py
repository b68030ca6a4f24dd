"""Rankings inferred from the values of measures, beside the true ones: precision-recall curves and grades by rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import get_args

import numpy as np

from gradeval import arguments
from gradeval.arguments import known_arguments
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import parse_measures
from gradeval.measures.curves import precision_recall_curve
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.notes import plural
from gradeval.studies.informativeness.inform import (
    MEASURES,
    PORTION,
    Counts,
    choose_thresholds,
    find_eligible,
    infer_lists,
    inferred_curve,
    rms_error,
)
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import Measures, require_judged
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = "run topic measure threshold statistic rank recall value".split()


@dataclass(frozen=True, eq=False)
class InferredList:
    """One ranking, and what the value of a measure lets one infer of it.

    Attributes
    ----------
    run, topic, measure : which ranking, and from whose value it was inferred.
    value : that value.
    converged : was the list of maximum entropy found?
    grade, expected_grade : float64[rank]: the true grade, and the one to be expected.
    actual : for each threshold float64[point, 3]: rank, recall and precision at the relevant documents.
    recall, precision : float64[threshold, rank]: of the inferred list.
    errors : float64[threshold]: root mean square difference of precision at the points of the actual curve.
    """

    run: str
    topic: str
    measure: Measure
    value: float
    converged: bool
    grade: Array
    expected_grade: Array
    actual: list[Array]
    recall: Array
    precision: Array
    errors: Array


@dataclass(frozen=True, eq=False, repr=False)
class InferredCurves(Tabular):
    """Curves inferred from the values of measures, beside the actual ones.

    Attributes
    ----------
    lists : for each ranking (run by run, topic by topic) and each measure.
    measures, thresholds : what was studied.
    counts, least : as ``inform`` takes them.
    """

    lists: list[InferredList]
    measures: list[Measure]
    thresholds: Levels
    counts: Counts
    least: int

    @property
    def rankings(self) -> list[list[InferredList]]:
        """For each ranking, what each measure lets one infer."""
        width = len(self.measures)
        return [self.lists[first : first + width] for first in range(0, len(self.lists), width)]

    def table(self, digits: int = 4) -> Table:
        """The value of each measure for each ranking, and the error of the curves; the records hold the curves."""
        spec = f".{digits}f"
        columns = [
            *(Column(name, "name") for name in ("run", "topic", "measure")),
            Column("value", spec=spec),
            *(Column(f"RMS from grade {grade:g}", spec=spec) for grade in self.thresholds),
        ]
        rows: list[list[Cell]] = [
            [
                each.run,
                each.topic,
                str(each.measure),
                each.value,
                *(each.errors.tolist() if each.converged else [None] * len(self.thresholds)),
            ]
            for each in self.lists
        ]
        return Table([Grid(columns, rows)], Records.of(FIELDS, self._records()), self.notes)

    @property
    def notes(self) -> list[str]:
        """How many rankings there are, and how many could not be inferred."""
        number = len(self.lists) // max(1, len(self.measures))
        notes = [f"{plural(number, 'ranking')} by {len(self.measures)} measures"]
        if failed := sum(not each.converged for each in self.lists):
            notes.append(f"{failed} lists of maximum entropy were not found: their fields are empty")
        return notes

    def _records(self) -> Iterator[list[Value]]:
        for ranking in self.rankings:
            yield from self._actual(ranking[0])
            for each in ranking:
                yield from self._inferred(each)

    def _actual(self, of: InferredList) -> Iterator[list[Value]]:
        """What is true of a ranking, whatever the measure."""
        for rank, grade in enumerate(of.grade.tolist(), 1):
            yield [of.run, of.topic, None, None, "grade", rank, None, grade]
        for threshold, points in zip(self.thresholds, of.actual, strict=True):
            for rank, recall, precision in points.tolist():
                yield [of.run, of.topic, None, threshold, "actual precision", int(rank), recall, precision]

    def _inferred(self, of: InferredList) -> Iterator[list[Value]]:
        """What the value of a measure lets one infer."""
        names: list[Value] = [of.run, of.topic, str(of.measure)]
        yield [*names, None, "value", None, None, of.value]
        if not of.converged:
            return
        for rank, grade in enumerate(of.expected_grade.tolist(), 1):
            yield [*names, None, "expected grade", rank, None, grade]
        for place, threshold in enumerate(self.thresholds):
            yield [*names, threshold, "rms of ranking", None, None, float(of.errors[place])]
            curve = zip(of.recall[place].tolist(), of.precision[place].tolist(), strict=True)
            for rank, (recall, precision) in enumerate(curve, 1):
                yield [*names, threshold, "inferred precision", rank, recall, precision]


@known_arguments()
@with_progress_bar
def infer_curves(
    judged: JudgedRuns,
    measures: Measures | None = None,
    *,
    thresholds: Sequence[float] | None = None,
    least: int = 5,
    counts: Counts = "retrieved",
    threads: int = 0,
    progress: ShowProgress = False,
) -> InferredCurves:
    """Infer rankings from the values of measures, and keep the inferred curves beside the actual ones.

    What ``inform`` summarises by root mean square errors, ranking by ranking: for each threshold of relevance the
    precision-recall curve of the list of maximum entropy and the true one, and for each rank the grade to be expected
    there and the true one. The more a measure tells, the nearer are the two.

    Parameters
    ----------
    judged, measures, thresholds, least, counts, threads, progress : as ``inform`` takes them.

    Raises
    ------
    InputError : a measure without a closed form, no ranking that holds enough documents.

    Source: Aslam, Yilmaz & Pavlu (2005); Robertson, Kanoulas & Yilmaz (2010), section 4.1.
    """
    require_judged(judged)
    chosen = parse_measures(MEASURES if measures is None else measures)
    grades = choose_thresholds(thresholds, judged.levels)
    arguments.one_of("counts", counts, get_args(Counts))
    rows = find_eligible(judged, grades, least)
    inferred: dict[tuple[int, int], InferredList] = {}

    def infer(first: int, place: int, step: Step) -> None:
        part = rows[first : first + PORTION]
        for row, each in zip(part.tolist(), _infer(judged, part, chosen[place], grades, counts), strict=True):
            inferred[row, place] = each
        step(len(part))

    tasks = [partial(infer, *task) for task in product(range(0, len(rows), PORTION), range(len(chosen)))]
    run_in_parallel(tasks, threads, progress, len(rows) * len(chosen))
    lists = [inferred[row, place] for row in sorted(rows.tolist()) for place in range(len(chosen))]
    return InferredCurves(lists, chosen, grades, counts, least)


def _infer(
    judged: JudgedRuns, rows: Array, measure: Measure, thresholds: Levels, counts: Counts
) -> Iterator[InferredList]:
    """The lists of some rows, inferred from the values of a measure."""
    block = judged.rows(rows)
    inferred = infer_lists(block, measure, counts)
    values = measure(block)
    levels = np.array(block.levels)
    curves = [inferred_curve(inferred.probability, block.recall_base(grade), levels >= grade) for grade in thresholds]
    for i, row in enumerate(rows.tolist()):
        run, topic = divmod(row, len(judged.topics))
        length = int(block.retrieved[i])
        recall, precision = (np.stack([curve[of][i, :length] for curve in curves]) for of in (0, 1))
        actual = [_points(block, i, grade) for grade in thresholds]
        errors = [rms_error(*each) for each in zip(recall, precision, *_columns(actual), strict=True)]
        yield InferredList(
            judged.runs[run],
            judged.topics[topic],
            measure,
            float(values[i]),
            bool(inferred.converged[i]),
            _grades(block, i, length),
            levels @ inferred.probability[i, :, :length],
            actual,
            recall,
            precision,
            np.array(errors),
        )


def _points(block: JudgedRankings, i: int, grade: float) -> Array:
    """float64[point, 3]: rank, recall and precision at the relevant documents of the i-th ranking."""
    curve = precision_recall_curve(block, grade)
    points: Array = np.stack([block.ranks, curve.recall, curve.precision], axis=-1)[i, curve.point[i]]
    return points


def _columns(points: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """Recall and precision of the points at each threshold."""
    return [each[:, 1] for each in points], [each[:, 2] for each in points]


def _grades(block: JudgedRankings, i: int, length: int) -> Array:
    """float64[rank]: the grade at each rank of the i-th ranking, 0 for what is not judged."""
    grades = np.zeros(length)
    pooled = np.isfinite(block.ranks[i])
    grades[block.ranks[i, pooled].astype(int) - 1] = block.grades[i, pooled]
    return grades
