"""Which ranking does the value of a measure suggest? Inferred curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

from gradeval.arguments import Threads
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.measures.curves import precision_recall_curve
from gradeval.progress import Progress, Step
from gradeval.studies.informativeness.inform import (
    MEASURES,
    NOTHING,
    PORTION,
    Counts,
    Least,
    Thresholds,
    about_eligible,
    choose_thresholds,
    find_eligible,
    infer_lists,
    inferred_curve,
    rms_error,
    studied_rankings,
)
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

FIELDS = "run topic measure threshold statistic rank recall value".split()


@dataclass(frozen=True, eq=False)
class InferredList:
    """One ranking, and what the value of a measure lets one infer.

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
class InferredCurves(Result):
    """Curves inferred from the values of measures, with the actual ones.

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
        grid = Grid.of_columns(
            (Column("run", "name"), [each.run for each in self.lists]),
            (Column("topic", "name"), [each.topic for each in self.lists]),
            (Column("measure", "name"), [str(each.measure) for each in self.lists]),
            (Column("value", spec=spec), [each.value for each in self.lists]),
            *(
                (
                    Column(f"RMS from grade {grade:g}", spec=spec),
                    [float(each.errors[place]) if each.converged else None for each in self.lists],
                )
                for place, grade in enumerate(self.thresholds)
            ),
        )
        return Table([grid], Records.of(FIELDS, self._records()))

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


@study(
    measures=MEASURES,
    consequence=NOTHING,
    examples="""
      gradeval infer-curves qrels.txt runs/elm.txt -m "nDCG GAP" --topics 405 --least 1 --plot curves.svg
      gradeval infer-curves qrels.txt runs/* -m "nDCG GAP" -o curves.tsv""",
)
def infer_curves(
    data: Judged,
    /,
    *,
    threads: Threads = 0,
    progress: Progress | None,
    thresholds: Thresholds = None,
    least: Least = 5,
    counts: Counts = "retrieved",
) -> InferredCurves:
    """Infer rankings from the values of measures, and keep the inferred and the actual curves.

    What inform summarises by root mean square errors, ranking by ranking: for each threshold of relevance the
    precision-recall curve of the list of maximum entropy and the true one, and for each rank the grade to be expected
    there and the true one. The more a measure tells, the nearer are the two. tsv, csv and jsonl hold the curves; a
    picture shows up to 12 rankings.

    Parameters
    ----------
    thresholds : the grades from which on a document is relevant, one curve each. Default: all positive levels.
    least : how many documents from each threshold to the next a list must hold.
    counts : how many documents of each grade a list is assumed to hold. retrieved: as many as it retrieved; pool: all
        there are.

    Raises
    ------
    InputError : a measure without a closed form, no ranking that holds enough documents.

    Source: Aslam, Yilmaz & Pavlu (2005); Robertson, Kanoulas & Yilmaz (2010), section 4.1.
    """
    judged, chosen = studied_rankings(data), data.scores.measures
    grades = choose_thresholds(thresholds, judged.levels)
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
    curves = InferredCurves(lists, chosen, grades, counts, least)
    eligible = about_eligible(len(rows), int(data.scores.present.sum()), least, grades)
    return replace(curves, notes=[Note(eligible), *map(Note, _about_not_inferred(curves))])


def _about_not_inferred(curves: InferredCurves) -> Iterator[str]:
    """How many rankings could not be inferred."""
    if failed := sum(not each.converged for each in curves.lists):
        yield f"{failed} lists of maximum entropy were not found: their fields are empty"


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
        actual = [_points_of_curve(block, i, grade) for grade in thresholds]
        errors = [rms_error(*each) for each in zip(recall, precision, *_columns(actual), strict=True)]
        yield InferredList(
            judged.runs[run],
            judged.topics[topic],
            measure,
            float(values[i]),
            bool(inferred.converged[i]),
            _grades_by_rank(block, i, length),
            levels @ inferred.probability[i, :, :length],
            actual,
            recall,
            precision,
            np.array(errors),
        )


def _points_of_curve(block: JudgedRankings, i: int, grade: float) -> Array:
    """float64[point, 3]: rank, recall and precision at the relevant documents of the i-th ranking."""
    curve = precision_recall_curve(block, grade)
    points: Array = np.stack([block.ranks, curve.recall, curve.precision], axis=-1)[i, curve.point[i]]
    return points


def _columns(points: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """Recall and precision of the points at each threshold."""
    return [each[:, 1] for each in points], [each[:, 2] for each in points]


def _grades_by_rank(block: JudgedRankings, i: int, length: int) -> Array:
    """float64[rank]: the grade at each rank of the i-th ranking, 0 for what is not judged."""
    grades = np.zeros(length)
    pooled = np.isfinite(block.ranks[i])
    grades[block.ranks[i, pooled].astype(int) - 1] = block.grades[i, pooled]
    return grades
