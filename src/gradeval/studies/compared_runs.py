"""How runs differ: the means of all, their differences by each measure, and who is better; as tables and records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.messages import plural
from gradeval.scores.notes import topics_counted
from gradeval.scores.scores import ONE
from gradeval.studies.baselines import BEST
from gradeval.studies.decision import PairDecision, Verdict, decide, decides
from gradeval.studies.missing_topics import MissingLoss, list_lacking
from gradeval.studies.significance import Correction, correction_clause, name_correction
from gradeval.studies.study import Result
from gradeval.studies.unjudged_runs import UndecidedRun, UnjudgedLoss
from gradeval.tables.grid import Cell, Column, Estimate, Grid, as_label, places_of_best, write_p
from gradeval.tables.records import Records
from gradeval.tables.table import Table

MANY = 20  # runs of which all pairs are still shown

EFFECT = "mean difference over its standard deviation"
"""What tables call an effect, Cohen's d for pairs."""

MARKS: dict[Verdict, str] = {"better": "▲", "worse": "▼", "not told apart": " "}
"""The last is a blank, so that numbers align."""

OPPOSITE: dict[Verdict, Verdict] = {"better": "worse", "worse": "better", "not told apart": "not told apart"}
"""The verdict on the second run of a pair, by that on the first."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Differences between runs by each measure, with intervals, p values and effect sizes.

    Attributes
    ----------
    pairs : intp[pair, 2]: places of the run and of the one it is compared with (the baseline, if there is one); the
        place after the last run stands for the best one, which is the run with the highest mean by each measure.
    difference : float64[measure, pair]: mean of the first run less the second's (of logarithms for gmAP).
    interval : float64[measure, pair, 2]: confidence interval of the difference, not corrected except for tukey-hsd; the
        difference from the best run, whichever it is, if that is the baseline. NaN: test t has none, as all topics
        differ by the same amount and are too few to exclude another one.
    p, corrected : float64[measure, pair]: p values of the two-sided test, and after the correction for the pairs, of a
        single pair for the measures; or of "this run is the best".
    effect : float64[measure, pair]: the mean of the topics' differences over their standard deviation (Cohen's d for
        pairs); infinite where all topics differ by the same amount, 0 where none differs.
    wins, ties, losses : int64[measure, pair]: topics on which the first run is better, equal, worse.
    topics : int64[measure]: topics that were counted.
    means : float64[run, measure]: the means of the runs.
    baselines : the runs with which the others are compared; none: each with each.
    test, correction, alpha, samples, seed : as for ``compare``; samples and seed are None where nothing is random.
    tested : False: there are too few topics for intervals, p values and effects, which are 0 and not shown.
    lacking : by run how many topics it lacks that count 0.
    unjudged : the runs on which nothing is decided, as their documents or tops are not judged, or their ids seem to be
        spelled otherwise in the judgments; no difference to them is significant.
    unjudged_losses : by measure the runs that lose mostly for documents that nobody judged: where the loss is
        significant; of two runs also where the one behind would be ahead without these documents.
    missing_losses : likewise the runs that lose for topics that they lack, which count 0.
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
    correction: Correction | Literal["best"]
    alpha: float
    samples: int | None
    seed: int | None
    tested: bool = True
    lacking: Sequence[int] = ()
    unjudged: Sequence[UndecidedRun] = ()
    unjudged_losses: Sequence[Sequence[UnjudgedLoss]] = ()
    missing_losses: Sequence[Sequence[MissingLoss]] = ()

    @property
    def baseline(self) -> str | None:
        """The run with which the others are compared, where it is a single one."""
        return self.baselines[0] if len(self.baselines) == 1 else None

    @property
    def names(self) -> list[str]:
        """What the places of pairs stand for: the runs, and the best one."""
        return [*self.runs, BEST]

    @property
    def decision(self) -> PairDecision | None:
        """Of two runs, whether the other one may take the place of the baseline (default: the first); None of more."""
        if len(self.runs) != 2 or not self.tested or self.correction == "best":
            return None
        baseline = 0 if self.baseline is None else self.runs.index(self.baseline)
        sign = 1 if self.pairs[0, 0] == 1 - baseline else -1
        wins, losses = (self.wins, self.losses)[::sign]
        candidate, other = (self.runs[place] for place in (1 - baseline, baseline))
        return decide(
            (candidate, other),
            self.measures,
            self.means[[1 - baseline, baseline]],
            sign * self.difference[:, 0],
            np.sort(sign * self.interval[:, 0], axis=-1),
            self.p[:, 0],
            self.effect[:, 0],
            (wins[:, 0], losses[:, 0], self.topics),
            self.alpha,
            self.unit,
            {self.runs[run]: number for run, number in enumerate(self.lacking) if number},
            self.unjudged,
            self.unjudged_losses,
        )

    @property
    def family(self) -> int:
        """How many tests are corrected together: the pairs by a measure; a single pair by all measures."""
        return len(self.pairs) if len(self.pairs) > 1 else max(1, len(decides(self.measures)))

    @property
    def correction_clause(self) -> str:
        """How p values are corrected, as a clause behind a semicolon; empty where one pair is not corrected."""
        if len(self.pairs) > 1 or self.correction in ("none", "best"):
            return correction_clause(self.correction, len(self.pairs), self.test)
        return f"; {name_correction(self.correction)} over {plural(self.family, 'measure')}"

    @property
    def significant(self) -> Array:
        """bool[measure, pair]: is the corrected p value below alpha, and are documents of both runs judged?"""
        unjudged = [place for place, run in enumerate(self.runs) if run in self.unjudged]
        return (self.corrected < self.alpha) & self.tested & ~np.isin(self.pairs, unjudged).any(-1)

    def verdict(self, measure: int, pair: int) -> Verdict:
        """Is the first run of a pair significantly better or worse than the second?"""
        if not self.significant[measure, pair]:
            return "not told apart"
        return "better" if self.difference[measure, pair] > 0 else "worse"

    _names_tables = True

    def table(
        self, digits: int = 4, *, only_means: bool = False, caption: str | None = None, label: str | None = None
    ) -> Table:
        """The means of all runs by each measure side by side, best first; below them the differences by each measure.

        ▲ and ▼ mark runs that are significantly better and worse than the other one. Without a baseline the means have
        the numbers of runs that are significantly worse and better with them. The differences of all pairs of more
        than 20 runs are in the records only.

        Parameters
        ----------
        digits : decimals.
        only_means : leave out the differences; the records then hold the means.
        caption : the caption of the means in LaTeX, Markdown and HTML. What the marks mean stays behind it. Default:
            what was tested; an empty one leaves out all captions.
        label : the label of the means in LaTeX, with which labels of differences begin. Default: from the baseline and
            the first measures; an empty one leaves out all labels.
        """
        against = " ".join(self.baselines)
        of_means = as_label("compare", against, " ".join(map(str, self.measures))) if label is None else label
        pairs_left_out = only_means or are_many_pairs(self.baselines, self.runs)
        differences = [] if pairs_left_out else [self._pairs(place, digits) for place in range(len(self.measures))]
        grids = []
        for one in self.baselines or (None,):
            grid = self._standings(digits) if one is None else self._means(one, digits)
            about, foot = f"Means over {self._over}", self._with_lacking(self._foot(one, bool(differences)))
            grid = grid.described(about, self._with_lacking(self._marks_of_means(one)), label=of_means, foot=foot)
            grids.append(grid if caption is None else grid.captioned(caption))
        for grid in differences:
            name = as_label("differences", against, grid.title) if label is None else label and f"{label}-{grid.title}"
            grid = grid.described(self._about_pairs(grid.title), self._with_lacking(self._marks_of_pairs), label=name)
            grids.append(grid.captioned("") if caption == "" else grid)

        return Table(grids, self._records_of_means() if only_means else self._records())

    def _records_of_means(self) -> Records:
        return Records.over(
            {"run": self.runs, "measure": self.measures}, statistic="mean", value=self.means, topics=self.topics
        )

    def _records(self) -> Records:
        """The differences, by measure and pair."""

        def shown(values: Array) -> Array:
            return values if self.tested else np.ma.array(values, mask=True)

        return Records.over(
            {"measure": self.measures, "run other": [(self.names[one], self.names[two]) for one, two in self.pairs]},
            statistic="difference",
            value=self.difference,
            lower=shown(self.interval[..., 0]),
            upper=shown(self.interval[..., 1]),
            p=shown(self.p),
            corrected=shown(self.corrected),
            significant=shown(self.significant),
            effect=shown(self.effect),
            wins=self.wins,
            ties=self.ties,
            losses=self.losses,
            topics=self.topics[:, None],
            rests_on_missing=self._rest_on_missing,
            test=self.test,
            correction=self.correction,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
        )

    @property
    def _rest_on_missing(self) -> Array:
        """bool[measure, pair]: do topics that one of both runs lacks make the difference?"""
        rests = np.zeros(self.difference.shape, bool)
        for place, some in enumerate(self.missing_losses):
            told = {frozenset((one.run, one.other)) for one in some}
            best = self.runs[int(self.means[:, place].argmax())]
            names = [*self.runs, best]
            rests[place] = [frozenset((names[one], names[two])) in told for one, two in self.pairs.tolist()]
        return rests

    @property
    def order(self) -> list[int]:
        """The places of the runs by the mean of the first measure, best first."""
        places: list[int] = np.argsort(-self.means[:, 0], kind="stable").tolist()
        return places

    @property
    def _over(self) -> str:
        """Over how many topics the means and differences are."""
        return topics_counted(self.topics.tolist(), self.unit)

    def _with_lacking(self, text: str) -> str:
        """A text, and behind it which runs lack topics that count 0."""
        return "; ".join(filter(None, [text, list_lacking(self.runs, self.lacking)]))

    def _marks_of_means(self, baseline: str | None) -> str:
        """What the marks of the means say, and how was tested; empty where nothing is."""
        if not self.tested:
            return ""
        if baseline is None:
            marks = "beats/loses to: how many runs are significantly worse and better"
        else:
            marks = f"▲, ▼: better and worse than {baseline}"
        if self.correction == "best":
            marks = "▼: not the best run"
        return f"{marks} ({self._how})"

    def _foot(self, baseline: str | None, intervals: bool) -> str:
        """The same in a short line; ``intervals``: do tables with intervals follow?"""
        if not self.tested:
            return ""
        between = f"; {self._confidence} intervals{self._alone}; effect: {EFFECT}" if intervals else ""
        test = f"{self._test}, level {self.alpha:g}{between}"
        if self.correction == "best":
            return f"▼ not the best run: {test}"
        if baseline is None:
            marks = ", ▲ better, ▼ worse" if intervals else ""
            return f"beats/loses to{marks}: {test}"
        return f"▲ better, ▼ worse than {baseline}: {test}"

    def _about_pairs(self, measure: str) -> str:
        """What a table of differences shows, for a reader who sees nothing else."""
        other = f"from {self.baseline}" if self.baseline is not None else "between runs"
        if self.correction == "best":
            other = "from the run with the highest mean"
        few = "" if self.tested else "; they are too few for a test"
        return f"{measure}: differences {other} over {self._over}{few}"

    @property
    def _marks_of_pairs(self) -> str:
        """What stands in a table of differences, and what its marks say."""
        if not self.tested:
            return ""
        intervals = f"{self._confidence} confidence intervals"
        columns = f"effect: {EFFECT} (Cohen's d for pairs); won/tied/lost: {self.unit}"
        if self.correction == "best":
            columns = f"p: two-sided paired {self.test} test against that run; {columns}"
            best = f"{intervals} of the difference from the truly best run"
            return f"{best}; ▼: not the best run ({self._how}); {columns}"
        marks = f"▲, ▼: better and worse than {self.baseline or 'the other run'} ({self._how})"
        return f"{intervals}{self._alone}; {marks}; {columns}"

    @property
    def _alone(self) -> str:
        """That intervals of several pairs are not corrected, where p values are."""
        corrected = self.correction not in ("none", "best")
        return " of each pair by itself" if corrected and len(self.pairs) > 1 else ""

    @property
    def _confidence(self) -> str:
        return f"{100 * (1 - self.alpha):g}%"

    @property
    def _test(self) -> str:
        """The test and the correction."""
        if self.correction == "best":
            return f"{self.samples} draws of the signs of the {self.unit}, corrected for all runs"
        samples = f" with {self.samples} samples" if self.samples is not None else ""
        correction = f", {name_correction(self.correction)}" if self.correction != "none" else ""
        return f"{self.test} test{samples}{correction}"

    @property
    def _how(self) -> str:
        """The test as captions name it."""
        if self.correction == "best":
            return f"{self._test}, level {self.alpha:g}"
        over = (
            f"for {plural(len(self.pairs), 'pair')}"
            if len(self.pairs) > 1
            else f"over {plural(self.family, 'measure')}"
        )
        pairs = f" {over}" if self.correction != "none" else ""
        return f"two-sided paired {self._test}{pairs}, level {self.alpha:g}"

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        if self.correction == "best":
            return (
                f"▼: the run is not the best, as p (best) is at most {self.alpha:g}; interval: a run's difference from "
                f"the truly best run, with {1 - self.alpha:.4g} confidence for this run alone; "
                f"the bounds of ranks hold for all runs at once; {self.samples} samples, seed {self.seed}; "
                f"p: two-sided {self.test} test against the run with the highest mean; "
                "p ignores that you picked the winner after looking; p (best) does not"
            )
        against = f"against {' and '.join(self.baselines)}" if self.baselines else "all pairs of runs"
        resampling = f", {self.samples} samples, seed {self.seed}" if self.samples is not None else ""
        return (
            f"test: {self.test}, two-sided, paired by {ONE[self.unit]}, {against}{resampling}"
            f"{self.correction_clause}; marks at {self.alpha:g}, intervals of {1 - self.alpha:.4g}"
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
        """The means of all runs; with each, than how many runs it is significantly better and worse."""
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
                told = f"{better[place, measure]}/{worse[place, measure]}" if self.tested else None
                row += [float(self.means[place, measure]), told]
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
            cells |= {(row, 1 + step * measure) for row in places_of_best(texts, best)}
        return frozenset(cells)

    def verdicts_by_run(self, baseline: str | None = None) -> dict[str, list[Verdict]]:
        """By run, the verdicts by each measure against a baseline (default: the only one)."""
        baseline = self.baseline if baseline is None else baseline
        measures = range(len(self.measures))
        verdicts: dict[str, list[Verdict]] = {run: ["not told apart" for _ in measures] for run in self.runs}
        for pair, (first, second) in enumerate(self.pairs.tolist()):
            here = [self.verdict(measure, pair) for measure in measures]
            if self.names[second] == baseline:
                verdicts[self.runs[first]] = here
            elif self.names[first] == baseline:
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
            names = [self.names[first]] if alone else [self.names[first], self.names[second]]
            low, high = self.interval[at].tolist()
            told: list[Cell] = [
                (low, high),
                self._p(float(self.p[at]), digits),
                *([self._p(float(self.corrected[at]), digits)] if corrected else []),
                float(self.effect[at]),
            ]
            rows.append(
                [
                    *names,
                    Estimate(float(self.difference[at]), MARKS[self.verdict(*at)]),
                    *(told if self.tested else [None] * len(told)),
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
        return write_p(value, digits, 1 / self.samples if self.samples and value == 0 else 0.0)


def are_many_pairs(baselines: Sequence[str], runs: Sequence[str]) -> bool:
    """Are there more pairs than a reader of tables would look at?"""
    return not baselines and len(runs) > MANY


def about_pairs_left_out(pairs: int) -> str:
    """Which differences tables have not, and how to see them."""
    return (
        f"tables do not show the differences of {pairs} pairs; write tsv, csv or jsonl for all pairs, or take the "
        f"baseline {BEST} for the differences from the best run"
    )
