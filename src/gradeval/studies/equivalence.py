"""Are two runs equally good, up to a margin that does not matter?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from gradeval.arguments import Names, Number
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.messages import list_some, plural
from gradeval.progress import Progress
from gradeval.scores.scores import ONE, Scores
from gradeval.studies.baselines import about_leader, name_baselines
from gradeval.studies.compare import compare
from gradeval.studies.compare_cautions import about_no_intervals
from gradeval.studies.compared_runs import MANY, Comparison
from gradeval.studies.significance import CORRECTIONS, MEASURES, Correction, correction_clause
from gradeval.studies.study import Result, study
from gradeval.studies.unjudged_runs import UndecidedRun, say_undecided
from gradeval.tables.grid import Cell, Column, Grid, as_label, write_p
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, SignificanceWarning

ENOUGH = 20
"""Topics for a t test of differences that are not normal, or to estimate a variance."""


@dataclass(frozen=True, eq=False, repr=False)
class Equivalence(Result):
    """Two one-sided tests of pairs of runs, by each measure.

    Attributes
    ----------
    pairs : intp[pair, 2]: places of the two runs.
    difference : float64[measure, pair]: mean of the first run less the second's.
    interval : float64[measure, pair, 2]: interval of 1 - 2 alpha, which lies within the margins where the runs are
        equivalent (before the correction); NaN as for ``compare``.
    p, corrected : float64[measure, pair]: the larger p value of the two one-sided tests, and after the correction.
    margin : the largest difference that does not matter.
    topics : int64[measure]: topics that were counted.
    measures, runs, baselines, correction, alpha : as for ``compare``.
    unjudged : the runs on which nothing is decided, as nobody judged what they return.
    """

    pairs: Array
    difference: Array
    interval: Array
    p: Array
    corrected: Array
    margin: float
    topics: Array
    measures: list[Measure]
    runs: list[str]
    baselines: list[str]
    correction: Correction
    alpha: float
    unjudged: Sequence[UndecidedRun] = ()

    @property
    def equivalent(self) -> Array:
        """bool[measure, pair]: is the difference shown to lie within the margins, and are documents of both judged?"""
        return (self.corrected < self.alpha) & ~self._undecided

    @property
    def _undecided(self) -> Array:
        """bool[pair]: has one of both runs no judged document?"""
        unknown = np.isin(self.runs, self.unjudged)
        return np.asarray(unknown[self.pairs].any(-1))

    def table(self, digits: int = 4) -> Table:
        """The pairs of runs by each measure, and whether they are equivalent.

        All pairs of more than 20 runs are counted only; the records hold each.
        """
        if not self.baselines and len(self.runs) > MANY:
            grids = [self._counts()]
        else:
            grids = [self._grid(place, digits) for place in range(len(self.measures))]
        records = Records.over(
            {"measure": self.measures, "run other": [(self.runs[one], self.runs[two]) for one, two in self.pairs]},
            statistic="difference",
            value=self.difference,
            lower=self.interval[..., 0],
            upper=self.interval[..., 1],
            margin=self.margin,
            p=self.p,
            corrected=self.corrected,
            equivalent=self.equivalent,
            topics=self.topics[:, None],
            correction=self.correction,
            alpha=self.alpha,
        )
        return Table(grids, records)

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        return (
            f"test: do differences lie within -{self.margin:g} to +{self.margin:g}? Two one-sided t tests, paired by "
            f"{ONE[self.unit]}{correction_clause(self.correction, len(self.pairs))}; equivalent at {self.alpha:g}, "
            f"intervals of {1 - 2 * self.alpha:.4g}"
        )

    def _counts(self) -> Grid:
        """How many pairs are equivalent by each measure."""
        open_ones = int(self._undecided.sum())
        titles = ["pairs", "equivalent", "not shown", *["not decided"] * bool(open_ones)]
        columns = [Column("measure", "name"), *(Column(title, spec="d") for title in titles)]
        number = self.equivalent.sum(-1).tolist()
        rows: list[list[Cell]] = [
            [str(measure), len(self.pairs), shown, len(self.pairs) - shown - open_ones, *[open_ones] * bool(open_ones)]
            for measure, shown in zip(self.measures, number, strict=True)
        ]
        label = as_label("equivalence", " ".join(map(str, self.measures)))
        return Grid(columns, rows, title="equivalence", label=label)

    def _grid(self, measure: int, digits: int) -> Grid:
        first, second = self.pairs.T.tolist()
        signed, p = f"+.{digits}f", "p" if self.correction == "none" else f"p ({self.correction})"
        title = f"equivalence by {self.measures[measure]}"
        verdicts = np.where(
            self.equivalent[measure], "equivalent", np.where(self._undecided, "not decided", "not shown")
        )
        grid = Grid.of_columns(
            (Column("run", "name"), [self.runs[one] for one in first]),
            (Column("other", "name"), [self.runs[one] for one in second]),
            (Column("difference", spec=signed), self.difference[measure]),
            (Column("interval", spec=signed), map(tuple, self.interval[measure].tolist())),
            (Column(p, "text"), [write_p(one, digits) for one in self.corrected[measure].tolist()]),
            (Column("verdict", "text"), verdicts),
            title=title,
        )
        return replace(grid, label=as_label(title))


@study(
    tells_apart=True,
    measures=MEASURES,
    examples="""
      gradeval equivalence qrels.txt runs/* --margin 0.02 --baseline elm
      gradeval equivalence qrels.txt runs/* --runs top:5:AP --margin 0.05 -m AP --plot equivalent.svg""",
)
def equivalence(
    scores: Scores,
    /,
    *,
    margin: Annotated[float, Number(above=0.0)],
    baseline: Annotated[str | Sequence[str] | None, Names("RUN")] = None,
    correction: Correction = "holm",
    alpha: Annotated[float, Number(above=0.0, below=0.5, metavar="LEVEL")] = 0.05,
    progress: Progress,
) -> Equivalence:
    """Test whether runs differ by less than a margin; a difference without significance does not show this.

    Two one-sided t tests of the differences by topic, d, over n topics: t1 = (mean(d) + margin) / se against
    mean(d) <= -margin, and t2 = (margin - mean(d)) / se against mean(d) >= margin, with se = sd(d) / sqrt(n). p is the
    larger of the two. Where all topics differ by the same amount, only signs tell: p is 2^-n where it is within the
    margins, else 1.

    Parameters
    ----------
    margin : the largest difference of means that does not matter, above 0. Choose it before you look at the runs.
    baseline : the run that the others are compared with, or several. "best": the run with the highest mean of the first
        measure, as if it had been named before looking. Default: all pairs.
    correction : the correction of p values for the number of pairs. It is made measure by measure.
    alpha : level of each of the two tests, below 0.5.

    Raises
    ------
    InputError : as ``compare``; a margin that is not above 0.
    Source: Schuirmann (1987), "A comparison of the two one-sided tests procedure".
    """
    baselines = name_baselines(baseline, scores)
    how: dict[str, Any] = {"test": "t", "correction": "none", "alpha": 2 * alpha, "progress": progress}
    comparison = compare.silently(scores, baseline=baselines, **how)
    p = _p_values(comparison, margin, alpha)
    result = Equivalence(
        pairs=comparison.pairs,
        difference=comparison.difference,
        interval=comparison.interval,
        p=p,
        corrected=CORRECTIONS[correction](p),
        margin=margin,
        topics=comparison.topics,
        measures=comparison.measures,
        runs=comparison.runs,
        baselines=comparison.baselines,
        correction=correction,
        alpha=alpha,
        unjudged=comparison.unjudged,
        unit=scores.unit,
    )
    undecided = [Note.answer(say_undecided(result.unjudged))] if result._undecided.any() else []
    about = [Note.method(result.description), *about_leader(baseline, scores), *_find_cautions(result)]
    return replace(result, notes=[*undecided, *about])


def _find_cautions(result: Equivalence) -> Iterator[Note]:
    """Where the assumptions of the tests fail, and by which measures all intervals are wider than the margins."""
    yield from about_logarithms(result.measures)
    yield from about_no_intervals(result.measures, result.interval, result.unit)
    halves = np.nan_to_num(result.interval[..., 1] - result.interval[..., 0], nan=np.inf).min(-1) / 2
    narrow = [
        f"{measure} ±{half:.2g}"
        for measure, half in zip(result.measures, halves.tolist(), strict=True)
        if result.margin <= half < np.inf
    ]
    if narrow:
        text = (
            f"take a larger margin than {result.margin:g}, or more {result.unit}; no pair can be equivalent, as all "
            f"intervals are wider than the margin: {list_some(narrow)}"
        )
        yield Note(text, SignificanceWarning)
    topics = int(result.topics.min())
    if topics < ENOUGH:
        few = plural(topics, ONE[result.unit])
        yield Note.doubt(f"t tests over {few} hold if differences are normal, which so few cannot show")


def about_logarithms(measures: Sequence[Measure]) -> Iterator[Note]:
    """The measures whose differences are of mean logarithms."""
    names = [str(measure) for measure in measures if measure.definition.aggregate == "geometric"]
    if names:
        yield Note(f"differences by {list_some(names)} are differences of mean logarithms")


def _p_values(comparison: Comparison, margin: float, alpha: float) -> Array:
    """float64[measure, pair]: the larger p value; the interval of 1 - 2 alpha reaches se t_{n-1, 1-alpha} far."""
    from scipy.special import stdtr, stdtrit

    topics, width = comparison.topics[:, None], comparison.interval[..., 1] - comparison.interval[..., 0]
    room = margin - np.abs(comparison.difference)
    p = stdtr(topics - 1, -ratio(room, width / 2 / stdtrit(topics - 1, 1 - alpha)))
    alike = ~(width > 0)
    return np.where(alike, np.where(room > 0, 0.5**topics, 1.0), p)
