"""Do runs differ, by a few human grades and many grades of a model?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from gradeval.arguments import Alpha, Names
from gradeval.formula.arithmetic import Array, ratio, tiny
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.assisted_estimates import Estimates, TopicsAre, estimate_means
from gradeval.studies.assisted_means import (
    ABOUT_ALONE,
    ALONE,
    WORTH,
    about_worth,
    cells_of_worth,
    describe_topics,
    has_few_values,
    pair_scores,
    stands_alone,
    values_of_worth,
)
from gradeval.studies.baselines import about_leader, name_baselines, pair_with
from gradeval.studies.compared_runs import MARKS, about_pairs_left_out, are_many_pairs
from gradeval.studies.decision import Verdict
from gradeval.studies.requirements import require_runs
from gradeval.studies.significance import CORRECTIONS, MEASURES, Correction, correction_clause, name_correction
from gradeval.studies.study import Result, study
from gradeval.studies.study_parameters import OtherScores
from gradeval.tables.grid import Cell, Column, Estimate, Grid, write_p
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

FIELDS = (
    "measure run other statistic value lower upper p corrected significant correlation worth worth_lower worth_upper "
    "limit human_topics model_topics topics_are correction alpha ties"
).split()


@dataclass(frozen=True, eq=False, repr=False)
class AssistedComparison(Result):
    """Differences of runs, from few human and many model grades, and from the human grades alone.

    Attributes
    ----------
    pairs : intp[pair, 2]: places of the run and of the one it is compared with.
    estimates : the differences with their errors, and what the human topics are worth: arrays [measure, pair].
    p, corrected : float64[measure, pair]: p values of the two-sided t test, and after the correction for the pairs.
    human_p, human_corrected : the same of the human topics alone.
    baselines, runs, measures, human_topics, model_topics : what is compared.
    topics_are, correction, alpha : as for ``compare_assisted``.
    ties : how equal scores were treated.
    """

    pairs: Array
    estimates: Estimates
    p: Array
    corrected: Array
    human_p: Array
    human_corrected: Array
    baselines: list[str]
    runs: list[str]
    measures: list[Measure]
    human_topics: list[str]
    model_topics: list[str]
    topics_are: TopicsAre
    correction: Correction
    alpha: float
    ties: str | None

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        against = f"against {' and '.join(self.baselines)}" if self.baselines else "all pairs of runs"
        topics = describe_topics(self.topics_are, len(self.human_topics), len(self.model_topics), self.unit)
        return (
            f"{topics}; t test of the assisted difference, two-sided, {against}"
            f"{correction_clause(self.correction, len(self.pairs))}; marks at {self.alpha:g}, "
            f"intervals of {1 - self.alpha:.4g}"
        )

    def table(self, digits: int = 4) -> Table:
        """How many pairs are told apart with and without the model; below it the differences by each measure."""
        places = [] if are_many_pairs(self.baselines, self.runs) else range(len(self.measures))
        differences = [replace(self._differences(place, digits), legend=self._foot) for place in places]
        differences[:1] = [replace(grid, foot=self._foot) for grid in differences[:1]]
        grids = [self._told_apart(), *differences]
        return Table(grids, Records.of(FIELDS, self._records()))

    @property
    def _foot(self) -> str:
        """What the marks say."""
        other = " and ".join(self.baselines) or "the other run"
        correction = f", {name_correction(self.correction)}" if self.correction != "none" else ""
        return (
            f"▲ better, ▼ worse than {other}: t test{correction}, level {self.alpha:g}; "
            f"{100 * (1 - self.alpha):g}% intervals{f'; {ABOUT_ALONE}' if stands_alone(self.estimates).any() else ''}"
        )

    def _told_apart(self) -> Grid:
        columns = [Column("measure", "name"), Column("pairs", spec="d"), Column("told apart", spec="d")]
        columns += [Column("by human grades alone", spec="d"), *WORTH]
        rows: list[list[Cell]] = []
        for place, measure in enumerate(self.measures):
            told = [int((p[place] < self.alpha).sum()) for p in (self.corrected, self.human_corrected)]
            median: list[Cell] = []
            for values in (self.estimates.correlation, self.estimates.worth, self.estimates.limit):
                finite = values[place][np.isfinite(values[place])]
                median.append(float(np.median(finite)) if finite.size else None)
            rows.append([str(measure), len(self.pairs), *told, *median])
        return Grid(columns, rows, title="pairs told apart; medians over pairs")

    def _differences(self, measure: int, digits: int) -> Grid:
        signed, alone = f"+.{digits}f", len(self.baselines) == 1
        columns = [
            *(Column(title, "name") for title in (["run"] if alone else ["run", "other"])),
            Column("difference", spec=signed),
            Column(f"p ({self.correction})" if self.correction != "none" else "p", "text"),
            Column("human alone", spec=signed),
            *WORTH,
        ]
        e = self.estimates
        unaided = stands_alone(e)
        order = np.argsort(-e.value[measure], kind="stable").tolist() if alone else range(len(self.pairs))
        rows: list[list[Cell]] = []
        for pair in order:
            at = measure, pair
            names: list[Cell] = [self.runs[place] for place in self.pairs[pair][: 1 if alone else 2]]
            cells = []
            for value, reach, q, own in (
                (e.value, e.reach, self.corrected, ALONE if unaided[at] else ""),
                (e.human, e.human_reach, self.human_corrected, ""),
            ):
                mark = MARKS[_verdict(value[at], q[at], self.alpha)]
                cells.append(Estimate(float(value[at]), mark.strip() + own or mark, _bounds(value[at], reach[at])))
            p = write_p(float(self.corrected[at]), digits)
            rows.append([*names, cells[0], p, cells[1], *cells_of_worth(e, at)])
        return Grid(columns, rows, title=str(self.measures[measure]))

    def _records(self) -> Iterator[list[Value]]:
        e = self.estimates
        settings: list[Value] = [len(self.human_topics), len(self.model_topics), self.topics_are]
        settings += [self.correction, self.alpha, self.ties]
        for measure, of in enumerate(map(str, self.measures)):
            for pair, (first, second) in enumerate(self.pairs.tolist()):
                at, names = (measure, pair), [of, self.runs[first], self.runs[second]]
                parts = (
                    ("assisted", e.value, e.reach, self.p, self.corrected, values_of_worth(e, at)),
                    ("human alone", e.human, e.human_reach, self.human_p, self.human_corrected, [None] * 5),
                )
                for statistic, value, reach, p, corrected, worth in parts:
                    tested = [float(p[at]), float(corrected[at]), bool(corrected[at] < self.alpha)]
                    numbers = [float(value[at]), *_bounds(value[at], reach[at]), *tested]
                    yield [*names, statistic, *numbers, *worth, *settings]


@study(
    tells_apart=True,
    measures=MEASURES,
    examples="""
      gradeval compare-assisted human.txt runs/* --model model.txt -m GAP --baseline bm25
      gradeval compare-assisted human.txt runs/* --model model.txt --topics-are all""",
)
def compare_assisted(
    human: Scores,
    /,
    *,
    model: OtherScores,
    baseline: Annotated[str | Sequence[str] | None, Names("RUN")] = None,
    topics_are: TopicsAre = "sample",
    correction: Correction = "holm",
    alpha: Alpha = 0.05,
) -> AssistedComparison:
    """Test the differences of runs from human grades of few topics and a model's grades of many.

    The judgments are the human grades. The estimator of ``assisted_means``, of the topics' differences between two
    runs: t tests with its degrees of freedom. See there for what makes it valid. Where all n human topics differ by the
    same amount, only their signs tell, and p is 2^(1-n).

    Parameters
    ----------
    model : a model's grades of the topics of the humans, and of more.
    baseline : the run that the others are compared with, or several. Otherwise as in ``compare``; "best" is the run
        with the highest human mean of the first measure; p ignores that it was picked after looking.
    topics_are : whether the topics that the model graded are a sample, or all. "sample": a sample of the topics of
        interest; "all": all of them.
    correction : the correction of p values for the number of pairs. It is made measure by measure.
    alpha : level of the tests; intervals cover 1 - alpha.

    Raises
    ------
    InputError : as ``assisted_means``; fewer than 2 runs; an unknown baseline.
    """
    require_runs(len(human.runs))
    baselines = name_baselines(baseline, human)
    pairs = pair_with(human.runs, baselines)
    paired = pair_scores(human, model, topics_are)
    by_human, by_model = (_differences_of(values, pairs) for values in (paired.human, paired.model))
    few = np.repeat(has_few_values(paired.human), len(pairs))
    flat = estimate_means(by_human, by_model, paired.both, paired.topics_are, alpha, alone=few)
    estimates = flat.reshape((len(human.measures), len(pairs)))
    p = _p_values(estimates.value, estimates.error, estimates.freedom)
    human_p = _p_values(estimates.human, estimates.human_error, np.array(len(human.topics) - 1))
    comparison = AssistedComparison(
        pairs=pairs,
        estimates=estimates,
        p=p,
        corrected=CORRECTIONS[correction](p),
        human_p=human_p,
        human_corrected=CORRECTIONS[correction](human_p),
        baselines=baselines,
        runs=human.runs,
        measures=human.measures,
        human_topics=human.topics,
        model_topics=model.topics,
        topics_are=paired.topics_are,
        correction=correction,
        alpha=alpha,
        ties=human.ties,
        unit=human.unit,
    )
    about = about_worth(
        comparison.description, estimates.slope.T, estimates.correlation.T, comparison.measures, comparison.unit
    )
    left_out = [Note(about_pairs_left_out(len(pairs)))] if are_many_pairs(comparison.baselines, comparison.runs) else []
    return replace(comparison, notes=[*about, *about_leader(baseline, human), *left_out])


def _differences_of(values: Array, pairs: Array) -> Array:
    """float64[topic, measure x pair] of values[topic, run, measure]; rounding errors are exactly 0."""
    differences = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    differences[tiny(differences, np.abs(values).max((0, 1)))] = 0.0
    return np.moveaxis(differences, 2, 1).reshape(len(values), -1)


def _p_values(value: Array, error: Array, freedom: Array) -> Array:
    """Of two-sided t tests; without errors, as where all topics differ by the same amount, only signs tell."""
    from scipy.special import stdtr

    p = np.where(error > 0, 2 * stdtr(freedom, -ratio(np.abs(value), error)), 2.0**-freedom)
    return np.where(value == 0, 1.0, p)


def _verdict(value: float, p: float, alpha: float) -> Verdict:
    if p >= alpha:
        return "not told apart"
    return "better" if value > 0 else "worse"


def _bounds(value: float, reach: float) -> tuple[float, float]:
    return float(value - reach), float(value + reach)
