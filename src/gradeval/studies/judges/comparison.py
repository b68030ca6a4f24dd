"""The result of a comparison of judges with humans, and its answer in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import place_of_measure
from gradeval.scores.notes import plural
from gradeval.studies.judges.labels import Labels
from gradeval.studies.judges.orders import FLOORS, Consequences, Favours
from gradeval.studies.study import Result
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

FIELDS = "judge measure statistic value lower upper of p topics samples seed".split()


@dataclass(frozen=True, eq=False, repr=False)
class JudgeComparison(Result):
    """Judges compared with humans: by their labels, and by what follows for the runs.

    Attributes
    ----------
    human : what the humans' judgments are called.
    judges : the names of the judges.
    levels : the grades that both sides may give.
    labels : by judge.
    runs, measures : what was scored; empty without runs.
    consequences : by judge, for each measure; empty without runs.
    topics : by judge, the number of topics that both judged.
    statistic : "kendall" or "tau-ap".
    test, correction, alpha : of the significant differences; intervals cover 1 - alpha. Without runs test, correction
        and statistic are None.
    samples, seed : of everything random.
    """

    human: str
    judges: list[str]
    levels: Levels
    labels: dict[str, Labels]
    runs: list[str]
    measures: list[Measure]
    consequences: dict[str, list[Consequences]]
    topics: dict[str, int]
    statistic: str | None
    test: str | None
    correction: str | None
    alpha: float
    samples: int
    seed: int

    def of(self, judge: str, measure: str | Measure) -> Consequences:
        """What a judge's grades make of the runs by one measure."""
        if judge not in self.consequences:
            known = ", ".join(self.consequences) or "none, as no runs were given"
            raise InputError(f"no judge {judge!r} was compared on runs; those that were: {known}")
        return self.consequences[judge][place_of_measure(measure, self.measures)]

    def answer(self, judge: str, measure: str | Measure) -> str:
        """In a sentence, which significant differences a judge keeps."""
        counts = self.of(judge, measure).conclusions
        spelled = self.measures[place_of_measure(measure, self.measures)]
        return (
            f"{spelled}, {judge}: {counts.kept:,} of {counts.human:,} significant differences kept, "
            f"{counts.reversed:,} reversed, {counts.not_confirmed:,} not confirmed by humans."
        )

    @property
    def answers(self) -> list[str]:
        """What the first measure says of each judge, in a sentence; of many judges of the one with the highest skill.

        Without runs the sentences are about the labels, and of many judges of the one with the highest kappa.
        """
        skills = {judge: results[0].orders.skill for judge, results in self.consequences.items()}
        kappas = {judge: labels.kappa.value if labels.kappa else None for judge, labels in self.labels.items()}
        known = {judge: value for judge, value in (skills or kappas).items() if value is not None}
        judges, which = self.judges, ""
        if len(judges) > FEW and known:
            judges = [max(known, key=known.__getitem__)]
            highest = "highest skill, which has no interval" if skills else f"highest kappa{self._apart(judges[0])}"
            which = f" (of {len(self.judges)} judges the one with the {highest})"
        sentences = [self.answer(one, self.measures[0]) if skills else self._about_labels(one) for one in judges]
        return [sentence[:-1] + which + "." for sentence in sentences]

    def _apart(self, judge: str) -> str:
        """How many judges the interval of kappa does not tell from this one, in words."""
        ours, others = self.labels[judge].kappa, [one.kappa for name, one in self.labels.items() if name != judge]
        low = -1.0 if ours is None or ours.bounds is None else ours.bounds[0]
        alike = sum(other is not None and (other.bounds is None or other.bounds[1] >= low) for other in others)
        return f", not told apart from {alike} of the others" if alike else ""

    def _about_labels(self, judge: str) -> str:
        labels = self.labels[judge]
        pairs = f"with {self.human} on the {labels.pairs:,} common pairs"
        if labels.kappa is None:
            return f"{judge}: no kappa {pairs}, as all grades are the same."
        return f"{judge}: kappa {labels.kappa.value:.3f} {pairs}."

    @property
    def description(self) -> str:
        """What was compared, and how, in a sentence."""
        resampling = f"intervals of {1 - self.alpha:.4g}, {self.samples} bootstrap samples of the topics" + (
            f", seed {self.seed}"
        )
        if not self.runs:
            return f"{plural(len(self.judges), 'judge')} against {self.human}; {resampling}"
        error = max(one.ceiling.error for results in self.consequences.values() for one in results)
        floors = f"shuffled grades: within topics, mean over {FLOORS}; pool ranked by the judge: expected over ties"
        if error > 0:
            floors += f", from drawn orders with a standard error of at most {error:.2g}"
        return (
            f"{plural(len(self.judges), 'judge')} against {self.human}, {len(self.runs)} runs; {self.statistic}; "
            f"{floors}; significant: test {self.test}, correction {self.correction}, level {self.alpha:g}; {resampling}"
        )

    def table(self, digits: int = 3) -> Table:
        """Labels, orders of the runs, significant differences, grades, and who is favoured; all in the records."""
        grids = judge_grids(self.levels, self.labels, self.measures, self.consequences, digits)
        return Table(grids, Records.of(FIELDS, self._records()), list(map(str, self.notes)))

    def _records(self) -> Iterator[list[Value]]:
        for judge, labels in self.labels.items():
            size: list[Value] = [self.topics[judge], self.samples, self.seed]
            for figure in self._figures_of_labels(labels):
                yield [judge, None, *figure.fields, *size]
            for measure, results in zip(self.measures, self.consequences.get(judge, []), strict=False):
                for figure in self._figures_of_runs(results):
                    yield [judge, str(measure), *figure.fields, *size]

    def _figures_of_labels(self, labels: Labels) -> Iterator[_Figure]:
        yield _Figure("pairs", labels.pairs)
        yield _Figure("pairs-human-only", labels.human_only)
        yield _Figure("pairs-model-only", labels.judge_only)
        yield _Figure("kappa", labels.kappa)
        yield _Figure("alpha", labels.alpha)
        yield _Figure("bias", labels.bias)
        for level, bias in zip(self.levels, labels.bias_by_grade, strict=True):
            yield _Figure("bias-grade", bias, f"{level:g}")
        for level, row in zip(self.levels, labels.confusion.tolist(), strict=True):
            for other, number in zip(self.levels, row, strict=True):
                yield _Figure("count", number, f"{level:g}>{other:g}")

    def _figures_of_runs(self, results: Consequences) -> Iterator[_Figure]:
        yield _Figure(str(self.statistic), results.orders.tau)
        yield _Figure("floor", results.orders.floor)
        yield _Figure("floor-constant", results.orders.constant)
        yield _Figure("skill", results.orders.skill)
        if (shift := results.shift) is not None:
            yield _Figure("shift", Estimate(shift.level, bounds=shift.interval))
            yield _Figure("slope", shift.slope)
            yield from _figures_of_favours("shift-run", shift.runs)
            if shift.groups is not None:
                yield from _figures_of_favours("shift-group", shift.groups)
        yield _Figure("kept", results.conclusions.kept)
        yield _Figure("reversed", results.conclusions.reversed)
        yield _Figure("missed", results.conclusions.missed)
        yield _Figure("not-confirmed", results.conclusions.not_confirmed)
        yield _Figure("ceiling", results.ceiling.mean)
        yield _Figure("runs-above", len(results.ceiling.above))
        if (worth := results.worth) is not None:
            yield from (
                _Figure("worth", value, f"{level:g}")
                for level, value in zip(self.levels, _or_none(worth.value), strict=True)
            )
            yield from (
                _Figure("share", share, f"{level:g}")
                for level, share in zip(self.levels[1:], _or_none(worth.shares), strict=True)
            )


@dataclass(frozen=True)
class _Figure:
    """A statistic as a record: ``of`` names the grade, run or group that it is of."""

    statistic: str
    value: Estimate | float | None
    of: str | None = None
    p: float | None = None

    @property
    def fields(self) -> list[Value]:
        estimate = self.value if isinstance(self.value, Estimate) else None
        value = estimate.value if estimate is not None else self.value
        low, high = (None, None) if estimate is None or estimate.bounds is None else estimate.bounds
        return [self.statistic, value, low, high, self.of, self.p]  # type: ignore[list-item]  # no Estimate is left


def _figures_of_favours(statistic: str, favours: Favours) -> Iterator[_Figure]:
    rows = zip(favours.names, favours.value.tolist(), favours.interval.tolist(), favours.p.tolist(), strict=True)
    for name, value, (low, high), p in rows:
        yield _Figure(statistic, Estimate(value, bounds=(low, high)), name, p)


def _or_none(values: Array) -> list[float | None]:
    """The values as Python numbers; None for NaN."""
    return [None if np.isnan(value) else value for value in values.tolist()]


FEW = 4
"""Judges whose grades are shown one by one."""
FAVOURED = 20
"""Favoured runs that are shown, at most."""
NONE = "-"

Results = Mapping[str, Sequence[Consequences]]


def judge_grids(
    levels: Levels, labels: Mapping[str, Labels], measures: Sequence[Measure], results: Results, digits: int
) -> list[Grid]:
    """The tables for people; those with nothing in them are left out.

    The grades of more than ``FEW`` judges, and more than ``FAVOURED`` favoured runs, stand in the records only.
    """
    grids = [_labels(labels, digits)]
    if results:
        grids += [_orders(measures, results, digits), _conclusions(measures, results, digits)]
    if len(labels) <= FEW:
        grids.append(_grades(levels, labels, measures, results, digits))
    return [*grids, *_favours(measures, results, digits)]


def _labels(labels: Mapping[str, Labels], digits: int) -> Grid:
    columns = [Column("judge", "name")]
    columns += [
        Column(title, spec=",d") for title in ("topics", "pairs of both", "of humans only", "of the judge only")
    ]
    columns += [Column("kappa", spec=f".{digits}f"), Column("alpha", spec=f".{digits}f")]
    columns.append(Column("judge - human", spec=f"+.{digits}f"))
    rows: list[list[Cell]] = [
        [judge, one.topics, one.pairs, one.human_only, one.judge_only, _cell(one.kappa), _cell(one.alpha), one.bias]
        for judge, one in labels.items()
    ]
    return Grid(columns, rows, title="labels")


def _orders(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    plain, signed = f".{digits}f", f"+.{digits}f"
    columns = [
        Column("judge", "name"),
        Column("measure", "name"),
        Column("tau with humans", spec=plain),
        Column("tau of shuffled grades", spec=plain),
        Column("tau of equal grades", spec=plain),
        Column("skill", spec=plain),
        Column("shift of the means", spec=signed),
        Column("their slope", spec=plain),
    ]
    rows: list[list[Cell]] = []
    for judge, measure, one in _each(measures, results):
        floor = one.orders.floor and replace(one.orders.floor, bounds=None)
        level = None if one.shift is None else Estimate(one.shift.level, bounds=one.shift.interval)
        slope = None if one.shift is None else one.shift.slope
        cells = (one.orders.tau, floor, one.orders.constant, one.orders.skill, level, slope)
        rows.append([judge, str(measure), *map(_cell, cells)])
    return Grid(columns, rows, title="order of the runs")


def _conclusions(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    columns = [Column("judge", "name"), Column("measure", "name")]
    titles = ("significant for humans", "kept", "reversed", "missed", "not confirmed")
    columns += [Column(title, spec=",d") for title in titles]
    columns += [Column("pool ranked by the judge", spec=f".{digits}f"), Column("runs above it", spec="d")]
    rows: list[list[Cell]] = []
    for judge, measure, one in _each(measures, results):
        counts = one.conclusions
        numbers = (counts.human, counts.kept, counts.reversed, counts.missed, counts.not_confirmed)
        rows.append([judge, str(measure), *numbers, one.ceiling.mean, len(one.ceiling.above)])
    return Grid(columns, rows, title="significant differences between runs, and what the judge can still tell apart")


def _grades(
    levels: Levels, labels: Mapping[str, Labels], measures: Sequence[Measure], results: Results, digits: int
) -> Grid:
    """What each judge says of the documents of each human grade, and what these are then worth."""
    weighing = [place for place in range(len(measures)) if any(one[place].worth for one in results.values())]
    columns = [Column("judge", "name"), Column("human grade", "name")]
    columns += [Column(f"judged {level:g}", spec=",d") for level in levels]
    columns.append(Column("judge - human", spec=f"+.{digits}f"))
    columns += [Column(f"worth for {measures[place]}", spec=f".{digits}f") for place in weighing]
    rows: list[list[Cell]] = []
    for judge, one in labels.items():
        for number, level in enumerate(levels):
            worths = [results[judge][place].worth for place in weighing]
            values = [None if worth is None else float(worth.value[number]) for worth in worths]
            row = one.confusion[number].tolist()
            rows.append([judge, f"{level:g}", *row, *map(_cell, [one.bias_by_grade[number], *values])])
    return Grid(columns, rows, title="grades")


def _favours(measures: Sequence[Measure], results: Results, digits: int) -> Iterator[Grid]:
    """The groups of runs, and the runs that gain significantly more or less than the line of all explains."""
    for what, title in (
        ("group", "groups of runs, against the others"),
        ("run", "runs that a judge favours, or the opposite"),
    ):
        columns = [Column("judge", "name"), Column("measure", "name"), Column(what, "name")]
        columns += [Column("gains beyond the line", spec=f"+.{digits}f"), Column("p (holm)", spec=".4f")]
        rows: list[list[Cell]] = []
        for judge, measure, one in _each(measures, results):
            favours = one.shift and (one.shift.runs if what == "run" else one.shift.groups)
            if favours:
                only = favours.significant if what == "run" else np.ones(len(favours.names), bool)
                rows += [[judge, str(measure), *cells] for cells in _rows_of(favours, only)]
        if len(rows) > 0 and (what == "group" or len(rows) <= FAVOURED):
            yield Grid(columns, rows, title=title)


def _rows_of(favours: Favours, only: np.ndarray) -> Iterator[list[Cell]]:
    for place in np.flatnonzero(only).tolist():
        low, high = favours.interval[place].tolist()
        mark = "*" if favours.significant[place] else ""
        yield [favours.names[place], Estimate(float(favours.value[place]), mark, (low, high)), float(favours.p[place])]


def _each(measures: Sequence[Measure], results: Results) -> Iterator[tuple[str, Measure, Consequences]]:
    for judge, by_measure in results.items():
        for measure, one in zip(measures, by_measure, strict=True):
            yield judge, measure, one


def _cell(value: Estimate | float | None) -> Cell:
    """A dash for what is undefined."""
    undefined = value is None or (isinstance(value, float) and np.isnan(value))
    return NONE if undefined else value
