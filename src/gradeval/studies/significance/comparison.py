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

    def table(self, digits: int = 4) -> Table:
        """The differences by each measure; with baselines also the means of all runs, above, marked against each.

        ▲ and ▼ mark runs that are significantly better and worse than the other one.
        """
        grids = [self._pairs(place, digits) for place in range(len(self.measures))]
        grids = [*(self._means(baseline, digits) for baseline in self.baselines), *grids]
        return Table(grids, Records.of(FIELDS, self._records()), [self.description])

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        against = f"against {' and '.join(self.baselines)}" if self.baselines else "all pairs of runs"
        resampling = f", {self.samples} samples, seed {self.seed}" if self.samples is not None else ""
        pairs = "1 pair" if len(self.pairs) == 1 else f"{len(self.pairs)} pairs"
        return (
            f"test: {self.test}, two-sided, paired by topic, {against}{resampling}; correction {self.correction} for "
            f"{pairs} by each measure; marks at {self.alpha:g}, intervals of {1 - self.alpha:.4g}"
        )

    def _means(self, baseline: str, digits: int) -> Grid:
        """The means of all runs, marked where they differ from a baseline."""
        verdicts = self.verdicts_by_run(baseline)
        rows: list[list[Cell]] = []
        for run, means in zip(self.runs, self.means.tolist(), strict=True):
            marks = [MARKS[verdict] for verdict in verdicts[run]]
            rows.append([run, *(Estimate(mean, mark) for mean, mark in zip(means, marks, strict=True))])
        columns = [Column(str(measure), spec=f".{digits}f") for measure in self.measures]
        return Grid(
            [Column("run", "name"), *columns],
            rows,
            title="means" if len(self.baselines) == 1 else f"means, marked against {baseline}",
        )

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
