"""The result of a comparison of runs, and its tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.scores.notes import plural
from gradeval.studies.significance.corrections import Correction
from gradeval.tables.grid import Cell, Column, Estimate, Grid, find_best
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

Verdict: TypeAlias = Literal["better", "worse", "not told apart"]


MANY = 20  # runs of which all pairs are still shown

MARKS: dict[Verdict, str] = {"better": "▲", "worse": "▼", "not told apart": " "}
"""The last is a blank, so that numbers align."""

OPPOSITE: dict[Verdict, Verdict] = {"better": "worse", "worse": "better", "not told apart": "not told apart"}
"""The verdict on the second run of a pair, by that on the first."""

FIELDS = (
    "measure run other statistic value lower upper p corrected significant effect wins ties losses topics "
    "test correction alpha samples seed"
).split()


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tabular):
    """Differences between runs by each measure, with intervals, p values and effect sizes.

    Attributes
    ----------
    pairs : intp[pair, 2]: places of the run and of the one it is compared with (the baseline, if there is one).
    difference : float64[measure, pair]: mean of the first run less that of the second (of logarithms for gmAP).
    interval : float64[measure, pair, 2]: confidence interval of the difference, not corrected except for tukey-hsd.
    p, corrected : float64[measure, pair]: p values of the two-sided test, and after the correction for the pairs.
    effect : float64[measure, pair]: the mean of the topics' differences over their standard deviation (Cohen's d for
        pairs); infinite where all topics differ by the same amount, 0 where none differs.
    wins, ties, losses : int64[measure, pair]: topics on which the first run is better, equal, worse.
    topics : int64[measure]: topics that were counted.
    means : float64[run, measure]: the means of the runs.
    baselines : the runs with which the others are compared; none: each with each.
    test, correction, alpha, samples, seed : as for ``compare``; samples and seed are None where nothing is random.
    """

    pairs: Array
    difference: Array
    interval: Array
    p: Array
    corrected: Array
    effect: Array
    wins: Array
    ties: Array
    losses: Array
    topics: Array
    means: Array
    measures: list[Measure]
    runs: list[str]
    baselines: list[str]
    test: str
    correction: Correction
    alpha: float
    samples: int | None
    seed: int | None

    @property
    def baseline(self) -> str | None:
        """The run with which the others are compared, where it is a single one."""
        return self.baselines[0] if len(self.baselines) == 1 else None

    @property
    def significant(self) -> Array:
        """bool[measure, pair]: is the corrected p value below alpha?"""
        return self.corrected < self.alpha

    def verdict(self, measure: int, pair: int) -> Verdict:
        """Is the first run of a pair significantly better or worse than the second?"""
        if not self.significant[measure, pair]:
            return "not told apart"
        return "better" if self.difference[measure, pair] > 0 else "worse"

    def table(
        self, digits: int = 4, *, only_means: bool = False, caption: str | None = None, label: str = "tab:comparison"
    ) -> Table:
        """The means of all runs by each measure side by side, best first; below them the differences by each measure.

        ▲ and ▼ mark runs that are significantly better and worse than the other one. Without a baseline the means have
        the numbers of runs that are significantly worse and better beside them. The differences of all pairs of more
        than 20 runs are in the records only.

        Parameters
        ----------
        digits : decimals.
        only_means : leave out the differences.
        caption, label : of the means in LaTeX; default: what was tested; an empty one is left out.
        """
        caption = self._caption if caption is None else caption
        if self.baselines:
            means = [self._means(baseline, digits) for baseline in self.baselines]
        else:
            means = [self._standings(digits)]
        labels = [label, *(f"{label}-{number}" for number in range(2, len(means) + 1))]
        means = [replace(grid, caption=caption, label=one) for grid, one in zip(means, labels, strict=True)]
        differences = [] if only_means or self.leaves_pairs_out else range(len(self.measures))
        grids = [*means, *(self._pairs(place, digits) for place in differences)]
        return Table(grids, Records.of(FIELDS, self._records()), [self.description])

    @property
    def leaves_pairs_out(self) -> bool:
        """Are there more pairs than a reader of tables would look at?"""
        return not self.baselines and len(self.runs) > MANY

    @property
    def order(self) -> list[int]:
        """The places of the runs by the mean of the first measure, best first."""
        places: list[int] = np.argsort(-self.means[:, 0], kind="stable").tolist()
        return places

    @property
    def _caption(self) -> str:
        marks = f"▲, ▼: better and worse than {' and '.join(self.baselines)}" if self.baselines else "bold: best"
        correction = f", correction {self.correction}" if self.correction != "none" else ""
        return f"Means over {int(self.topics.max())} topics; {marks} ({self.test}{correction}, level {self.alpha:g})."

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        against = f"against {' and '.join(self.baselines)}" if self.baselines else "all pairs of runs"
        resampling = f", {self.samples} samples, seed {self.seed}" if self.samples is not None else ""
        return (
            f"test: {self.test}, two-sided, paired by topic, {against}{resampling}; correction {self.correction} for "
            f"{plural(len(self.pairs), 'pair')} by each measure; marks at {self.alpha:g}, intervals of "
            f"{1 - self.alpha:.4g}"
        )

    def _means(self, baseline: str, digits: int) -> Grid:
        """The means of all runs, marked where they differ from a baseline."""
        verdicts = self.verdicts_by_run(baseline)
        rows: list[list[Cell]] = []
        for place in self.order:
            marks = [MARKS[verdict] for verdict in verdicts[self.runs[place]]]
            means = self.means[place].tolist()
            rows.append([self.runs[place], *(Estimate(mean, mark) for mean, mark in zip(means, marks, strict=True))])
        columns = [Column(str(measure), spec=f".{digits}f") for measure in self.measures]
        return Grid(
            [Column("run", "name"), *columns],
            rows,
            title="means" if len(self.baselines) == 1 else f"means, marked against {baseline}",
            best=self._best(digits, 1),
        )

    def _standings(self, digits: int) -> Grid:
        """The means of all runs; beside each, than how many runs it is significantly better and worse."""
        better, worse = (np.zeros((len(self.runs), len(self.measures)), int) for _ in range(2))
        for measure, significant in enumerate(self.significant):
            ahead = self.difference[measure, significant] > 0
            first, second = self.pairs[significant].T
            np.add.at(better[:, measure], np.where(ahead, first, second), 1)
            np.add.at(worse[:, measure], np.where(ahead, second, first), 1)
        rows: list[list[Cell]] = []
        for place in self.order:
            row: list[Cell] = [self.runs[place]]
            for measure in range(len(self.measures)):
                row += [float(self.means[place, measure]), f"{better[place, measure]}/{worse[place, measure]}"]
            rows.append(row)
        columns = [Column("run", "name")]
        for name in self.measures:
            columns += [Column(str(name), spec=f".{digits}f"), Column("beats/loses to", "text")]
        return Grid(columns, rows, title="means", best=self._best(digits, 2))

    def _best(self, digits: int, step: int) -> frozenset[tuple[int, int]]:
        """The cells of the best means, where every measure has ``step`` columns behind the name of the run."""
        cells = set()
        for measure in range(len(self.measures)):
            texts = [f"{mean:.{digits}f}" for mean in self.means[self.order, measure].tolist()]
            best = f"{self.means[:, measure].max():.{digits}f}"
            cells |= {(row, 1 + step * measure) for row in find_best(texts, best)}
        return frozenset(cells)

    def verdicts_by_run(self, baseline: str | None = None) -> dict[str, list[Verdict]]:
        """By run, the verdicts by each measure against a baseline (default: the only one)."""
        baseline = self.baseline if baseline is None else baseline
        measures = range(len(self.measures))
        verdicts: dict[str, list[Verdict]] = {run: ["not told apart" for _ in measures] for run in self.runs}
        for pair, (first, second) in enumerate(self.pairs.tolist()):
            here = [self.verdict(measure, pair) for measure in measures]
            if self.runs[second] == baseline:
                verdicts[self.runs[first]] = here
            elif self.runs[first] == baseline:
                verdicts[self.runs[second]] = [OPPOSITE[verdict] for verdict in here]
        return verdicts

    def _pairs(self, measure: int, digits: int) -> Grid:
        """Differences by one measure."""
        signed, alone = f"+.{digits}f", self.baseline is not None
        corrected = self.correction != "none"
        rows: list[list[Cell]] = []
        pairs = self.pairs.tolist()
        order = np.argsort(-self.difference[measure], kind="stable").tolist() if alone else range(len(pairs))
        for pair in order:
            (first, second), at = pairs[pair], (measure, pair)
            names = [self.runs[first]] if alone else [self.runs[first], self.runs[second]]
            low, high = self.interval[at].tolist()
            rows.append(
                [
                    *names,
                    Estimate(float(self.difference[at]), MARKS[self.verdict(*at)]),
                    (low, high),
                    self._p(float(self.p[at]), digits),
                    *([self._p(float(self.corrected[at]), digits)] if corrected else []),
                    float(self.effect[at]),
                    "/".join(str(int(count[at])) for count in (self.wins, self.ties, self.losses)),
                ]
            )
        columns = [
            *(Column(title, "name") for title in (["run"] if alone else ["run", "other"])),
            Column("difference", spec=signed),
            Column("interval", spec=signed),
            *(Column(title, "text") for title in (["p", f"p ({self.correction})"] if corrected else ["p"])),
            Column("effect", spec="+.2f"),
            Column("won/tied/lost", "text"),
        ]
        return Grid(columns, rows, title=str(self.measures[measure]))

    def _p(self, value: float, digits: int) -> str:
        """A p value, or its upper bound where the decimals or the samples cannot show it."""
        least = max(10.0**-digits, 1 / self.samples if self.samples and value == 0 else 0.0)
        return f"<{least:.{digits}f}" if value < least and digits else f"{value:.{digits}f}"

    def _records(self) -> Iterator[list[Value]]:
        settings: list[Value] = [self.test, self.correction, self.alpha, self.samples, self.seed]
        for measure, name in enumerate(self.measures):
            for pair, (first, second) in enumerate(self.pairs.tolist()):
                at = measure, pair
                yield [
                    str(name),
                    self.runs[first],
                    self.runs[second],
                    "difference",
                    float(self.difference[at]),
                    *self.interval[at].tolist(),
                    float(self.p[at]),
                    float(self.corrected[at]),
                    bool(self.significant[at]),
                    float(self.effect[at]),
                    *(int(count[at]) for count in (self.wins, self.ties, self.losses)),
                    int(self.topics[measure]),
                    *settings,
                ]
