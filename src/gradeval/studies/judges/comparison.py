"""The result of a comparison of judges with humans, and its answer: for what is a judge good enough?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import place_of_measure
from gradeval.messages import join_names, plural
from gradeval.studies.judges.bounded_figures import Answer
from gradeval.studies.judges.conclusions import SAMPLES
from gradeval.studies.judges.favoured import tell_of_favours, tell_of_others
from gradeval.studies.judges.favours import Favours, Shift
from gradeval.studies.judges.few_runs import LoneRun, TwoRuns
from gradeval.studies.judges.floors import FLOORS, RESAMPLES
from gradeval.studies.judges.labels import Labels
from gradeval.studies.judges.regraded_runs import Consequences
from gradeval.studies.judges.verdicts import MANY, NUMBERS, JudgeVerdict, weakest
from gradeval.studies.significance import correction_clause
from gradeval.studies.study import Result
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

EXCESS = (
    "excess gain: what the judge's grades add to a mean, beyond judges with the same errors; humans' excess: likewise; "
    "*: favoured (+) or at a disadvantage (-)"
)
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
    draws : how many drawn judges show whom a judge favours.
    second : which of the judges is a second human assessor, the ceiling of the others; None: none is.
    halves : by measure, the correlation of the humans' orders of the runs by two halves of the topics: how far the
        topics alone leave the order open.
    human_topics : the number of topics that the humans judged.
    label_verdicts : by judge, the verdict on its labels.
    two_runs : by judge, which of two runs it would take, and which the humans; empty for another number of runs.
    lone_run : by judge, for each measure, how far it moves the mean of the only run; empty likewise.
    refused : why a judge is left out, by judge.
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
    draws: int
    second: str | None
    halves: dict[Measure, float]
    human_topics: int
    label_verdicts: dict[str, JudgeVerdict]
    two_runs: dict[str, TwoRuns]
    lone_run: dict[str, list[LoneRun]]
    refused: dict[str, InputError]

    def of(self, judge: str, measure: str | Measure) -> Consequences:
        """What a judge's grades make of the runs by one measure."""
        if judge not in self.consequences:
            known = ", ".join(self.consequences) or "none, as fewer than two runs were given"
            raise InputError(f"no judge {judge!r} was compared on runs; those that were: {known}")
        return self.consequences[judge][place_of_measure(measure, self.measures)]

    def verdict(self, judge: str, measure: str | Measure | None = None) -> str:
        """For what a judge is good enough: its verdicts in one text."""
        return "; ".join(self.verdicts_of(judge, measure))

    def verdicts_of(self, judge: str, measure: str | Measure | None = None) -> list[str]:
        """In sentences, for what a judge is good enough; by the measure by which it is weakest, unless one is named."""
        labels = self.label_verdicts[judge].sentence(judge)
        if not self.measures:
            return [labels]
        places = range(len(self.measures)) if measure is None else [place_of_measure(measure, self.measures)]
        sentences: list[str] = []
        if judge in self.two_runs:
            some = "" if self.topics[judge] == self.human_topics else f" on {plural(self.topics[judge], 'topic')}"
            sentences += self.two_runs[judge].sentences(f"{self.human}{some}", judge)
        for each in self.by_use(judge, places):
            worst = weakest(each)
            sentences.append(each[worst].sentence(f"{judge} by {self.measures[places[worst]]}", len(each)))
        return [*sentences, labels, *self._tell_of_favours(judge, places)]

    def _tell_of_favours(self, judge: str, places: Sequence[int]) -> Iterator[str]:
        """Whom the judge favours by some of the measures, in at most a sentence on runs and one on groups."""
        results = [self.consequences[judge][place] for place in places] if judge in self.consequences else []
        measures = [self.measures[place] for place in places]
        if self.draws and results and results[0].one_grade is not None:
            yield f"Favours: not decided for {judge}, as the humans gave all common pairs one grade"
        for what, favours in (("", [one.runs for one in results]), ("group", [one.groups for one in results])):
            if results and (text := tell_of_favours(judge, measures, favours, what)):
                yield text

    def by_use(self, judge: str, places: Sequence[int]) -> list[list[JudgeVerdict]]:
        """By use of a judge's grades, the verdicts by the measures at these places; what few runs cannot tell is left
        out."""
        if judge in self.lone_run:
            return [[self.lone_run[judge][place].verdict for place in places]]
        results = [self.consequences[judge][place] for place in places]
        absolute = [one.absolute_scores for one in results]
        if judge in self.two_runs:
            return [absolute]
        return [[one.order for one in results], [one.differences for one in results], absolute]

    def answer(self, judge: str, measure: str | Measure) -> str:
        """In a sentence, which significant differences a judge keeps, with what knowing nothing keeps."""
        consequences = self.of(judge, measure)
        counts, shares = consequences.conclusions, consequences.shares
        spelled = self.measures[place_of_measure(measure, self.measures)]
        if shares.kept.value is None:
            return f"{spelled}, {judge}: no difference is significant for the humans, so there is none to keep."
        floor = "nothing" if shares.kept.floor is None else f"{shares.kept.floor.value:.1%}"
        skill = "" if shares.kept.skill is None else f", skill {shares.kept.skill.value:.2f}"
        return (
            f"{spelled}, {judge}: {shares.kept.value.in_percent()} of {counts.human:,} significant differences kept "
            f"(shuffled grades keep {floor}{skill}), {counts.reversed:,} reversed, {counts.not_confirmed:,} not "
            "confirmed by humans."
        )

    @property
    def answers(self) -> list[str]:
        """Which differences each judge keeps, by the first measure; of many judges the one with the highest skill.

        Of fewer than three runs the sentences are about the labels, and of many judges about the one with the highest
        kappa.
        """
        judges, which = self._shown()
        several = len(self.runs) >= MANY
        sentences = [self.answer(one, self.measures[0]) if several else self._about_labels(one) for one in judges]
        return [sentence[:-1] + which + "." for sentence in sentences]

    @property
    def verdicts(self) -> list[str]:
        """For what each judge is good enough, in sentences, as in ``answers``."""
        judges, which = self._shown()
        others = {
            judge: [one.runs for one in results] for judge, results in self.consequences.items() if judge not in judges
        }
        about = [*filter(None, [tell_of_others(others)])]
        about += [f"These are the verdicts on {judges[0]}{which}"] if which else []
        return [*dict.fromkeys(sentence for one in judges for sentence in self.verdicts_of(one)), *about]

    @property
    def in_short(self) -> list[str]:
        """For what each judge is good enough, in a sentence, as in ``answers``; of two runs the winners come first."""
        judges, which = self._shown()
        winners = [
            next(self.two_runs[judge].sentences(self.human, judge)) for judge in judges if judge in self.two_runs
        ]
        return [*winners, *(f"{judge}{which}: {self._tell_uses(judge)}" for judge in judges)]

    def _tell_uses(self, judge: str) -> str:
        uses: dict[Answer, list[str]] = {answer: [] for answer in IN_SHORT}
        by_use = self.by_use(judge, range(len(self.measures))) if self.measures else []
        for verdict in [*(each[weakest(each)] for each in by_use), self.label_verdicts[judge]]:
            uses[verdict.answer].append(verdict.use.name)
        return "; ".join(
            f"{words} for {join_names(uses[answer])}" for answer, words in IN_SHORT.items() if uses[answer]
        )

    def _shown(self) -> tuple[list[str], str]:
        """The judges that sentences are about: all of few, else the best one; and which one that is, in words.

        The best one has the highest skill by the measure by which its skill is lowest.
        """
        skills = {
            judge: _lowest([one.orders.skill_estimate for one in results])
            for judge, results in self.consequences.items()
        }
        kappas = {judge: labels.kappa for judge, labels in self.labels.items()}
        figures = skills or kappas
        known = {judge: one.value for judge, one in figures.items() if one is not None}
        if len(self.judges) <= FEW or not known:
            return self.judges, ""
        best = max(known, key=known.__getitem__)
        what = "with the highest skill" if skills else "with the highest kappa"
        if skills and len(self.measures) > 1:
            what = "whose lowest skill is the highest"
        return [best], f" (of {len(self.judges)} judges the one {what}{_apart(best, figures)})"

    def _about_labels(self, judge: str) -> str:
        labels = self.labels[judge]
        pairs = f"with {self.human} on the {labels.pairs:,} common pairs"
        if labels.kappa is None:
            return f"{judge}: no kappa {pairs}, as the humans gave all of them one grade."
        side = "above" if labels.bias.value > 0 else "below"
        bias = f"{abs(labels.bias.value):.3f} {side} these on average" if labels.bias.value else "as high on average"
        return f"{judge}: kappa {labels.kappa.value:.3f} (quadratic weights) {pairs}, grades {bias}."

    @property
    def description(self) -> str:
        """What was compared, and how, in a sentence."""
        resampling = (
            f"intervals of {1 - self.alpha:.4g}, {self.samples} bootstrap samples of the topics, seed {self.seed}"
        )
        if not self.consequences:
            return f"{plural(len(self.judges), 'judge')} against {self.human}; {WEIGHTS}; {resampling}"
        error = max(one.ceiling.error for results in self.consequences.values() for one in results)
        floors = f"shuffled grades: within topics, mean over {FLOORS}; pool ranked by the judge: expected over ties"
        if error > 0:
            floors += f", from drawn orders with a standard error of at most {error:.2g}"
        draws = f"favoured runs: {plural(self.draws, 'drawn judge')}" if self.draws else "favoured runs: left out"
        shares = "" if self.test == "t" else "; shares have no interval"
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        return (
            f"{plural(len(self.judges), 'judge')} against {self.human}, {len(self.runs)} runs; {self.statistic}; "
            f"{WEIGHTS}; {floors}; {draws}; significant: test {self.test}, level {self.alpha:g}"
            f"{correction_clause(str(self.correction), pairs, str(self.test))}{shares}; {resampling} (for shares the "
            f"first {min(self.samples, SAMPLES)}, for floors and skills the first {min(self.samples, RESAMPLES)})"
        )

    def table(self, digits: int = 3, *, all: bool = False) -> Table:  # as the option is called
        """For what each judge is good enough; the records hold all that was computed.

        Parameters
        ----------
        all : also show the tables of labels, orders, differences, grades and favoured runs.
        """
        grids = [_summary(self, digits)] if self.consequences else []
        grids += [_lone_run(self, digits)] if self.lone_run else []
        if all or not self.consequences:
            few = 0 < len(self.runs) < MANY
            grids += judge_grids(self.levels, self.labels, self.measures, self.consequences, digits, few)
        return Table(grids, Records.of(FIELDS, self._records()), list(map(str, self.notes)))

    def _records(self) -> Iterator[list[Value]]:
        for judge, labels in self.labels.items():
            size: list[Value] = [self.topics[judge], self.samples, self.seed]
            for figure in (*self._figures_of_labels(labels), *_figures_of_verdict(self.label_verdicts[judge])):
                yield [judge, None, *figure.fields, *size]
            if judge in self.two_runs:
                yield [judge, None, *_Figure("same-winner", SAME_WINNER[self.two_runs[judge].agreement]).fields, *size]
            for measure, results in zip(self.measures, self.consequences.get(judge, []), strict=False):
                for figure in self._figures_of_runs(results):
                    yield [judge, str(measure), *figure.fields, *size]
            for measure, alone in zip(self.measures, self.lone_run.get(judge, []), strict=False):
                shift = [] if alone.shift is None else [_figure_of_shift(alone.shift)]
                for figure in (*shift, *_figures_of_verdict(alone.verdict)):
                    yield [judge, str(measure), *figure.fields, *size]

        size = [self.human_topics, self.samples, self.seed]
        for measure, value in self.halves.items():
            yield [self.human, str(measure), *_Figure("split-halves", value).fields, *size]

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
        yield _Figure("skill", results.orders.skill_estimate)
        if (shift := results.shift) is not None:
            yield _figure_of_shift(shift)
            yield _Figure("slope", _estimate(shift.slope, np.array(shift.slope_bounds)))
        for of, favours in (("run", results.runs), ("group", results.groups)):
            yield from _figures_of_favours(f"shift-{of}", favours)
            yield from _figures_of_favours(f"human-shift-{of}", favours and favours.humans)
        counts = results.conclusions
        yield _Figure("significant", counts.human)
        yield _Figure("significant-judge", counts.judge)
        shares = results.shares
        for name, one in (
            ("kept", shares.kept),
            ("reversed", shares.reversed),
            ("not-confirmed", shares.not_confirmed),
        ):
            yield _Figure(name, one.value)
            yield _Figure(f"{name}-floor", one.floor)
            yield _Figure(f"{name}-skill", one.skill)
        yield _Figure("missed", counts.missed / counts.human if counts.human else None)
        yield _Figure("top-runs", len(results.top.runs))
        yield _Figure("top-tau", results.top.tau)
        yield _Figure("top-significant", results.top.significant)
        yield _Figure("top-kept", results.top.kept)
        for verdict in (results.order, results.differences, results.absolute_scores):
            yield from _figures_of_verdict(verdict)
        yield _Figure("ceiling", results.ceiling.mean)
        yield _Figure("runs-above", len(results.ceiling.above))
        if (worth := results.worth) is not None:
            for name, levels, values, bounds in (
                ("worth", self.levels, worth.value, worth.bounds),
                ("share", self.levels[1:], worth.shares, worth.share_bounds),
            ):
                for level, value, ends in zip(levels, values.tolist(), bounds, strict=True):
                    yield _Figure(name, _estimate(value, ends), f"{level:g}")


@dataclass(frozen=True)
class _Figure:
    """A statistic as a record: ``of`` names the grade, run or group that it is of."""

    statistic: str
    value: Estimate | float | None
    of: str | None = None
    p: float | None = None

    @property
    def fields(self) -> list[Value]:
        if not isinstance(self.value, Estimate):
            return [self.statistic, self.value, None, None, self.of, self.p]
        low, high = self.value.bounds or (None, None)
        return [self.statistic, self.value.value, low, high, self.of, self.p]


def _figure_of_shift(shift: Shift) -> _Figure:
    return _Figure("shift", Estimate(shift.level, bounds=shift.interval))


def _figures_of_verdict(verdict: JudgeVerdict) -> Iterator[_Figure]:
    """The answer as a number, the topics that would decide, and each figure with the bounds that decide."""
    use = verdict.use.name.lower().replace(" ", "-")
    yield _Figure("verdict", NUMBERS[verdict.answer], use)
    yield _Figure("topics-needed", verdict.topics_needed, use)
    for decision in verdict.decisions:
        name = f"top-{decision.name}" if decision is verdict.top else decision.name
        if decision is not verdict.chance:
            yield _Figure("decided", Estimate(decision.value, bounds=(decision.low, decision.high)), name)


def _lowest(figures: Sequence[Estimate | None]) -> Estimate | None:
    """The lowest of some figures; None where one is undefined."""
    known = [one for one in figures if one is not None]
    return min(known, key=lambda one: one.value) if known and len(known) == len(figures) else None


def _figures_of_favours(statistic: str, favours: Favours | None) -> Iterator[_Figure]:
    if favours is None:
        return
    rows = zip(favours.names, favours.value.tolist(), favours.interval, favours.p.tolist(), strict=True)
    for name, value, ends, p in rows:
        yield _Figure(statistic, _estimate(value, ends), name, p)


def _estimate(value: float, ends: Array) -> Estimate | None:
    """A value with its bounds; None for NaN."""
    if np.isnan(value):
        return None
    low, high = ends.tolist()
    return Estimate(value, bounds=None if np.isnan(low) or np.isnan(high) else (low, high))


FEW = 4
"""Judges whose grades are shown one by one."""
FAVOURED = 20
"""Favoured runs that are shown, at most."""
NONE = "-"
WEIGHTS = "kappa: quadratic weights"
"""Without weights, kappa of graded judgments is far lower."""

Results = Mapping[str, Sequence[Consequences]]


def judge_grids(
    levels: Levels, labels: Mapping[str, Labels], measures: Sequence[Measure], results: Results, digits: int, few: bool
) -> list[Grid]:
    """The tables for people; those with nothing in them are left out.

    ``few``: there are too few runs to speak of orders and differences. The grades of more than ``FEW`` judges, and more
    than ``FAVOURED`` favoured runs, stand in the records only.
    """
    grids = [_labels(labels, digits)]
    if results and few:
        grids += [_absolute_scores(measures, results, digits), _ceilings(measures, results, digits)]
    elif results:
        grids += [_orders(measures, results, digits), _conclusions(measures, results, digits)]
        grids += [_ceilings(measures, results, digits), _verdicts(measures, results)]
    if len(labels) <= FEW:
        grids.append(_grid_of_grades(levels, labels, measures, results, digits))
    return [*grids, *_favours(measures, results, digits)]


IN_SHORT: dict[Answer, str] = {"as good": "good enough", "below": "not good enough", "not decided": "not decided"}
"""What a judge is for some uses."""
USES = ("order", "differences", "absolute scores")
SAME_WINNER = {"same": 1, "not decided": 0, "opposite": -1}
"""Whether both sides name the same winner of two runs, in the records."""
KEPT = "kept: found by the judge, too; shuffled: by shuffled human grades; skill: 0 as these, 1 as the humans"
"""What columns of significant differences mean."""
DIFFERENT_BOUNDS = "intervals of these topics; verdicts have wider bounds"
"""What tables with intervals say of the bounds in sentences."""


def _summary(comparison: JudgeComparison, digits: int) -> Grid:
    """The verdicts on each judge, by the measure by which it is weakest."""
    two = bool(comparison.two_runs)
    uses = [*(("winner", USES[-1]) if two else USES), "labels"]
    columns = [Column("judge", "name"), *(Column(use, "text") for use in uses)]
    columns += [Column("kappa", spec=f".{digits}f"), Column("judge - human", spec=f"+.{digits}f")]
    rows: list[list[Cell]] = []
    for judge in comparison.judges:
        verdicts = comparison.by_use(judge, range(len(comparison.measures)))
        winner = [comparison.two_runs[judge].cell] if two else []
        cells = [*winner, *(each[weakest(each)].cell for each in verdicts)]
        labels = comparison.labels[judge]
        alike = map(_cell, map(_without_bounds, (labels.kappa, labels.bias)))
        rows.append([judge, *cells, comparison.label_verdicts[judge].cell, *alike])
    title = "do both name the same winner, and are the grades alike?"
    title = title if two else "good enough in place of a human? by the weakest measure"
    return Grid(columns, rows, title=title, foot=WEIGHTS)


def _lone_run(comparison: JudgeComparison, digits: int) -> Grid:
    """The mean of the only run by the humans and by each judge."""
    columns = [Column("judge", "name"), Column("measure", "name")]
    columns += [Column(title, spec=f".{digits}f") for title in ("by humans", "by judge")]
    columns += [Column("judge - human", spec=f"+.{digits}f"), Column(USES[-1], "text")]
    rows: list[list[Cell]] = []
    for judge, by_measure in comparison.lone_run.items():
        for measure, (shift, verdict) in zip(comparison.measures, by_measure, strict=True):
            means = [None, None] if shift is None else [shift.human, shift.human + shift.level]
            moved = None if shift is None else Estimate(shift.level, bounds=shift.interval)
            rows.append([judge, str(measure), *map(_cell, [*means, moved]), verdict.cell])
    return Grid(columns, rows, title=f"the mean of {comparison.runs[0]}")


def _verdicts(measures: Sequence[Measure], results: Results) -> Grid:
    columns = [Column("judge", "name"), Column("measure", "name"), *(Column(use, "text") for use in USES)]
    rows: list[list[Cell]] = [
        [judge, str(measure), one.order.cell, one.differences.cell, one.absolute_scores.cell]
        for judge, measure, one in _each(measures, results)
    ]
    return Grid(columns, rows, title="verdicts")


def _labels(labels: Mapping[str, Labels], digits: int) -> Grid:
    columns = [Column("judge", "name")]
    columns += [
        Column(title, spec=",d") for title in ("topics", "common pairs", "human-only pairs", "judge-only pairs")
    ]
    columns += [Column("kappa", spec=f".{digits}f"), Column("alpha", spec=f".{digits}f")]
    columns += [Column("judge - human", spec=f"+.{digits}f")]
    rows: list[list[Cell]] = []
    for judge, one in labels.items():
        figures = (_cell(one.kappa), _cell(one.alpha), one.bias)
        rows.append([judge, one.topics, one.pairs, one.human_only, one.judge_only, *figures])
    return Grid(columns, rows, title="labels", foot=WEIGHTS)


def _orders(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    plain, signed = f".{digits}f", f"+.{digits}f"
    columns = [
        Column("judge", "name"),
        Column("measure", "name"),
        Column("tau with humans", spec=plain),
        Column("shuffled tau", spec=plain),
        Column("equal-grades tau", spec=plain),
        Column("skill", spec=plain),
        Column("top runs", spec="d"),
        Column("top tau", spec=plain),
        Column("mean shift", spec=signed),
        Column("slope", spec=plain),
    ]
    rows: list[list[Cell]] = []
    for judge, measure, one in _each(measures, results):
        level = None if one.shift is None else Estimate(one.shift.level, bounds=one.shift.interval)
        slope = None if one.shift is None else _estimate(one.shift.slope, np.array(one.shift.slope_bounds))
        orders, top = one.orders, one.top
        cells = (orders.tau, _without_bounds(orders.floor), orders.constant, orders.skill_estimate)
        more = (len(top.runs), top.tau, level, slope)
        rows.append([judge, str(measure), *map(_cell, (*cells, *more))])
    return Grid(columns, rows, title=f"order of the runs: {DIFFERENT_BOUNDS}")


def _absolute_scores(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    """What two runs can tell: how far the judge moves their means."""
    columns = [Column("judge", "name"), Column("measure", "name")]
    columns += [Column("mean shift", spec=f"+.{digits}f"), Column(USES[-1], "text")]
    rows: list[list[Cell]] = []
    for judge, measure, one in _each(measures, results):
        level = None if one.shift is None else Estimate(one.shift.level, bounds=one.shift.interval)
        rows.append([judge, str(measure), _cell(level), one.absolute_scores.cell])
    return Grid(columns, rows, title=f"absolute scores; give {MANY} runs or more for order, differences and skill")


def _conclusions(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    share = f".{max(0, digits - 2)}%"
    columns = [Column("judge", "name"), Column("measure", "name"), Column("human differences", spec=",d")]
    columns += [Column(title, spec=share) for title in ("kept", "shuffled kept")]
    columns.append(Column("skill", spec=f".{digits}f"))
    columns += [Column(title, spec=share) for title in ("reversed", "unconfirmed", "shuffled unconfirmed")]
    columns += [Column("top significant", spec=",d"), Column("top kept", spec=share)]
    rows: list[list[Cell]] = []
    for judge, measure, one in _each(measures, results):
        kept, alone = one.shares.kept, one.shares.not_confirmed
        cells = (kept.value, _without_bounds(kept.floor), kept.skill)
        errors = (one.shares.reversed.value, alone.value, _without_bounds(alone.floor))
        top = (one.top.significant, one.top.kept)
        rows.append([judge, str(measure), one.conclusions.human, *map(_cell, (*cells, *errors, *top))])
    return Grid(columns, rows, title=f"significant differences between runs: {DIFFERENT_BOUNDS}", foot=KEPT)


def _ceilings(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    columns = [Column("judge", "name"), Column("measure", "name")]
    columns += [Column("judge's own ranking", spec=f".{digits}f"), Column("runs above judge", spec="d")]
    rows: list[list[Cell]] = [
        [judge, str(measure), one.ceiling.mean, len(one.ceiling.above)]
        for judge, measure, one in _each(measures, results)
    ]
    return Grid(columns, rows, title="what the judge can still tell apart")


def _without_bounds(figure: Estimate | None) -> Estimate | None:
    return figure and replace(figure, bounds=None)


def _grid_of_grades(
    levels: Levels, labels: Mapping[str, Labels], measures: Sequence[Measure], results: Results, digits: int
) -> Grid:
    """What each judge says of the documents of each human grade, and what these are then worth."""
    weighing = [place for place in range(len(measures)) if any(one[place].worth for one in results.values())]
    columns = [Column("judge", "name"), Column("human grade", "name")]
    columns += [Column(f"judged {level:g}", spec=",d") for level in levels]
    columns.append(Column("judge - human", spec=f"+.{digits}f"))
    columns += [Column(f"{measures[place]} gain", spec=f".{digits}f") for place in weighing]
    rows: list[list[Cell]] = []
    for judge, one in labels.items():
        for number, level in enumerate(levels):
            worths = [results[judge][place].worth for place in weighing]
            values = [None if worth is None else float(worth.value[number]) for worth in worths]
            row = one.confusion[number].tolist()
            rows.append([judge, f"{level:g}", *row, *map(_cell, [one.bias_by_grade[number], *values])])
    return Grid(columns, rows, title="grades")


def _favours(measures: Sequence[Measure], results: Results, digits: int) -> Iterator[Grid]:
    """The groups of runs, and the runs that gain more or less beyond chance than by judges with the same errors."""
    for what, title in (
        ("group", "groups of runs, against the others"),
        ("run", "runs that a judge moves beyond chance"),
    ):
        columns = [Column("judge", "name"), Column("measure", "name"), Column(what, "name")]
        for gain, p in (("excess gain", "p (all runs)"), ("humans' excess", "humans' p")):
            columns += [Column(gain, spec=f"+.{digits}f"), Column(p, spec=".3f")]
        rows: list[list[Cell]] = []
        for judge, measure, one in _each(measures, results):
            favours = one.runs if what == "run" else one.groups
            if favours:
                only = favours.beyond_chance if what == "run" else np.ones(len(favours.names), bool)
                rows += [[judge, str(measure), *cells] for cells in _rows_of(favours, only)]
        if len(rows) > 0 and (what == "group" or len(rows) <= FAVOURED):
            yield Grid(
                columns,
                rows,
                title=title,
                foot=f"{EXCESS}; minus the gain of the other runs" if what == "group" else EXCESS,
            )


def _rows_of(favours: Favours, only: np.ndarray) -> Iterator[list[Cell]]:
    for place in np.flatnonzero(only).tolist():
        mark = "*" if favours.significant[place] else ""
        gain = _estimate(float(favours.value[place]), favours.interval[place])
        cells: list[Cell] = [None if gain is None else replace(gain, mark=mark), float(favours.p[place])]
        if (humans := favours.humans) is None:
            cells += [NONE, NONE]
        else:
            cells += [_estimate(float(humans.value[place]), humans.interval[place]), float(humans.p[place])]
        yield [favours.names[place], *cells]


def _apart(best: str, figures: Mapping[str, Estimate | None]) -> str:
    """How many judges the interval of a figure does not tell from the best one, in words."""
    low = -np.inf if (ours := figures[best]) is None or ours.bounds is None else ours.bounds[0]
    others = [one for judge, one in figures.items() if judge != best]
    alike = sum(one is not None and (one.bounds is None or one.bounds[1] >= low) for one in others)
    return f", not told apart from {alike} of the others" if alike else ""


def _each(measures: Sequence[Measure], results: Results) -> Iterator[tuple[str, Measure, Consequences]]:
    for judge, by_measure in results.items():
        for measure, one in zip(measures, by_measure, strict=True):
            yield judge, measure, one


def _cell(value: Estimate | float | None) -> Cell:
    """A dash for what is undefined."""
    undefined = value is None or (isinstance(value, float) and np.isnan(value))
    return NONE if undefined else value
