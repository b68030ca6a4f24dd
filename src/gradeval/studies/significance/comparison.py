"""The result of a comparison of runs, and its tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.studies.significance.corrections import Correction
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

Verdict: TypeAlias = Literal["better", "worse", "not told apart"]


MARKS: dict[Verdict, str] = {"better": "▲", "worse": "▼", "not told apart": " "}
"""The last is a blank, so that numbers align."""

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
    baseline : the run with which the others are compared; None: each with each.
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
    baseline: str | None
    test: str
    correction: Correction
    alpha: float
    samples: int | None
    seed: int | None

    @property
    def significant(self) -> Array:
        """bool[measure, pair]: is the corrected p value below alpha?"""
        return self.corrected < self.alpha

    def verdict(self, measure: int, pair: int) -> Verdict:
        """Is the first run of a pair significantly better or worse than the second?"""
        if not self.significant[measure, pair]:
            return "not told apart"
        return "better" if self.difference[measure, pair] > 0 else "worse"

    def table(self, digits: int = 4) -> Table:
        """The differences by each measure; with a baseline also the means of all runs, above.

        ▲ and ▼ mark runs that are significantly better and worse than the other one.
        """
        grids = [self._pairs(place, digits) for place in range(len(self.measures))]
        if self.baseline is not None:
            grids = [self._means(digits), *grids]
        return Table(grids, Records.of(FIELDS, self._records()), [self.description])

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        against = f"against {self.baseline}" if self.baseline is not None else "all pairs of runs"
        resampling = f", {self.samples} samples, seed {self.seed}" if self.samples is not None else ""
        pairs = "1 pair" if len(self.pairs) == 1 else f"{len(self.pairs)} pairs"
        return (
            f"test: {self.test}, two-sided, paired by topic, {against}{resampling}; correction {self.correction} for "
            f"{pairs} by each measure; marks at {self.alpha:g}, intervals of {1 - self.alpha:.4g}"
        )

    def _means(self, digits: int) -> Grid:
        """The means of all runs, marked where they differ from the baseline."""
        verdicts = self.verdicts_by_run()
        rows: list[list[Cell]] = []
        for run, means in zip(self.runs, self.means.tolist(), strict=True):
            marks = [MARKS[verdict] for verdict in verdicts[run]]
            rows.append([run, *(Estimate(mean, mark) for mean, mark in zip(means, marks, strict=True))])
        columns = [Column(str(measure), spec=f".{digits}f") for measure in self.measures]
        return Grid([Column("run", "name"), *columns], rows, title="means")

    def verdicts_by_run(self) -> dict[str, list[Verdict]]:
        """The verdict on each run against the baseline, by each measure; the baseline itself is "not told apart"."""
        measures = range(len(self.measures))
        verdicts: dict[str, list[Verdict]] = {run: ["not told apart" for _ in measures] for run in self.runs}
        for pair, (first, _) in enumerate(self.pairs.tolist()):
            verdicts[self.runs[first]] = [self.verdict(measure, pair) for measure in measures]
        return verdicts

    def _pairs(self, measure: int, digits: int) -> Grid:
        """Differences by one measure."""
        signed, alone = f"+.{digits}f", self.baseline is not None
        corrected = self.correction != "none"
        rows: list[list[Cell]] = []
        for pair, (first, second) in enumerate(self.pairs.tolist()):
            at = measure, pair
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
