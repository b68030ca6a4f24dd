"""Do runs differ? Paired tests, intervals, effect sizes, corrections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Names, OneOf, Seed, Threads, Whole, plain
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.progress import Progress
from gradeval.scores.notes import Note, list_some, plural
from gradeval.scores.run_names import drop_endings
from gradeval.scores.scores import ONE, Scores
from gradeval.studies.baselines import BEST, is_best, name_baselines, pair_with
from gradeval.studies.best import compare_with_best
from gradeval.studies.decision import PairDecision, Verdict, decide
from gradeval.studies.interaction import FEWEST
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import require_samples
from gradeval.studies.sign_flips import FLIPS, count_draws
from gradeval.studies.significance import (
    ARE_SKEWED,
    CORRECTIONS,
    MEASURES,
    MOSTLY_ALIKE,
    SKEWED,
    TEST_NAMES,
    TUKEY,
    Correction,
    compare_pairs,
    count_steps,
    is_random,
    least_p,
    out_of_reach,
    pair_values,
    pair_with_one,
    samples_to_reach,
    share_alike,
    skewness,
)
from gradeval.studies.sliced_comparison import compare_slices
from gradeval.studies.study import Result, study
from gradeval.tables.grid import Cell, Column, Estimate, Grid, places_of_best, write_p
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import SignificanceWarning

SAMPLES = 10_000
"""Resamples of the tests, by default."""


ENOUGH = 20
"""Topics for a bootstrap interval, and to see that differences are skewed."""

MANY_ENOUGH = 3
"""Runs from which on a note says that differences are skewed: a single pair is often skewed by chance."""

FOUND = {
    "t": "38% of the draws of 10, 10% of 30, 8% of 50",
    "permutation": "11% of the draws of 30",
    "bootstrap": "11% of the draws of 10, 9% of 30",
    TUKEY: "13% of the draws of 10, 15% of 30",
}
"""In which draws the bench found a false difference among all pairs of 10 runs of equal means, by Holm's correction (or
Tukey's) at 0.05, in the worst source but for RR (docs/inference/pairs.md; t: skewed-pairs.md)."""

FOUND_ALIKE = {"t": "up to 94% of the draws of 10, 58% of 30, 30% of 50"}
"""The same where most values of a run are one and the same, as of RR (skewed-pairs.md)."""

MARKED = "9% of the draws of 10"
MARKED_ALIKE = "up to 40% of the draws of 10, 16% of 30, 9% of 50"
"""How often the baseline "best" marked a run of 10 equally good ones, in the worst source but for RR, and by RR."""

BROKEN_ALIKE = 100
"""Topics up to which such measures are noted without skewness, too: over 50, the most counted, tests still broke."""

COUNTED_AT, COUNTED_BY = 0.05, {"t": "holm", "permutation": "holm", "bootstrap": "holm", TUKEY: "none"}
"""The level and the corrections that these were counted with."""

ASKS = {
    "wilcoxon": "whether the differences of topics are symmetric around 0",
    "sign": "whether a run wins as many topics as it loses",
}
"""What tests of something else than means ask."""


@study(
    measures=MEASURES,
    by_slices=compare_slices,
    fewest=FEWEST,
    examples="""
      gradeval compare qrels.txt runs/* --baseline elm
      gradeval compare qrels.txt runs/elm.txt runs/oak.txt -m "AP nDCG@10 GAP" --test permutation
      gradeval compare qrels.txt runs/* --baseline elm --baseline oak
      gradeval compare qrels.txt runs/* --baseline best --only-means --caption "Our runs." -o means.tex
      gradeval compare qrels.txt runs/* --baseline elm --by segments.csv
      gradeval compare qrels.txt runs/* --runs top:5:AP --test tukey-hsd -o differences.tex
      gradeval compare --scores scores.tsv --baseline bm25 --correction bh --plot differences.svg""",
)
def compare(
    scores: Scores,
    /,
    *,
    baseline: Annotated[str | Sequence[str] | None, Names("RUN")] = None,
    test: Annotated[str, OneOf(TEST_NAMES)] = "t",
    correction: Correction | None = None,
    alpha: Alpha = 0.05,
    samples: Annotated[int | None, Whole(2, 10_000_000)] = None,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
) -> Comparison:
    """Test the differences of runs from a baseline, or of all pairs of runs, by each measure.

    Runs are sorted by the mean of the first measure, the best mean is bold. ▲ and ▼ mark runs that are better and worse
    than the other one, corrected for the number of pairs. Columns: difference of the means with its interval, p value,
    corrected p value, effect size (mean difference over its standard deviation), topics won, tied and lost. With t and
    tukey-hsd, intervals come from these tests, else from percentiles of bootstrap samples of the topics, which are too
    narrow over few topics.

    With the baseline "best" the question is which run is the best: ▼ marks runs outside the set that holds the best one
    with probability 1 - alpha, by each measure, as ``ranks`` says it. p is for the test against the run with the
    highest mean; p (best) is the smallest alpha at which a run is outside; the interval is of the difference from the
    best, whichever that is, for each run by itself, and excludes 0 where the run is outside.

    With slices of the topics each slice is compared by itself, without a test if it has fewer than 5 topics. Welch's
    test of equal mean differences over the other slices says whether a difference depends on the slice, corrected by
    Holm over all pairs, measures and columns of labels.

    A difference that is not significant does not show that runs are equal: ``equivalence`` tests that, and
    ``topic_set_size`` says how many topics a collection needs.

    Parameters
    ----------
    baseline : the run that the others are compared with, or several. Pairs with several are corrected together, each
        pair once; "best", which stands alone: the best run by each measure, whichever that is. Default: all pairs.
    test : the test of the differences, paired and two-sided. "permutation" of the signs of the differences (all 2^n of
        them where ``samples`` allows, else drawn ones, p = (count + 1)/(samples + 1)); "bootstrap" (studentised,
        likewise); "wilcoxon" (signed ranks, zeros dropped); "sign" (ties dropped); "tukey-hsd" (randomised, over all
        runs, p = (count + 1)/(samples + 1)).
    correction : the correction of p values for the number of pairs, default "holm". It is made measure by measure;
        tukey-hsd corrects by itself and takes "none" only; comparisons with the best take none.
    alpha : the level of the intervals: they cover 1 - alpha. They are Student's for "t", from Tukey's range for
        "tukey-hsd", else percentiles of a bootstrap over topics.
    samples : how many resamples tests and intervals take, default 10000. They are of permutation, bootstrap and
        tukey-hsd, and of the intervals beside the ranks; with the baseline "best" also draws of the signs of the
        topics, default 2000, as in ``ranks``.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, an unknown baseline, fewer samples than tukey-hsd needs for alpha.
    Source: Smucker, Allan & Carterette (2007); Sakai (2006); Carterette (2012); Hsu (1984).
    """
    best = is_best(baseline, scores.runs)
    if best and correction is not None:
        raise InputError(
            plain("correction", correction),
            ": comparisons with the best correct for having picked it themselves; leave it out",
        )
    chosen: Correction | Literal["best"] = "best" if best else choose_correction(test, correction)
    samples = samples or (FLIPS if best else SAMPLES)
    if test == TUKEY or best:
        require_samples(samples, alpha)
    matrices = pair_values(scores)
    runs = len(scores.runs)
    baselines = [BEST] if best else name_baselines(baseline, scores)
    pairs = pair_with_one(runs, runs) if best else pair_with(scores.runs, baselines)
    how = (test, alpha, samples, seed)
    tasks = [
        partial(compare_with_best, values, *how) if best else partial(compare_pairs, values, pairs, *how)
        for values in matrices
    ]
    draws = sum(2 * count_draws(len(values), samples) for values in matrices) if best else 0
    parts = run_in_parallel(tasks, threads, progress, draws + len(tasks) * count_steps(test, len(pairs), samples))
    difference, interval, p, effect, wins, losses, *of_best = (np.stack(part) for part in zip(*parts, strict=True))
    topics = np.array([len(values) for values in matrices])
    random = best or is_random(test)
    comparison = Comparison(
        pairs=pairs,
        difference=difference,
        interval=interval,
        p=p,
        corrected=of_best[0] if chosen == "best" else CORRECTIONS[chosen](p),
        effect=effect,
        wins=wins,
        ties=topics[:, None] - wins - losses,
        losses=losses,
        topics=topics,
        means=scores.mean(),
        measures=scores.measures,
        runs=scores.runs,
        baselines=baselines,
        test=test,
        correction=chosen,
        alpha=alpha,
        samples=samples if random else None,
        seed=seed if random else None,
        unit=scores.unit,
    )
    cautions = _find_cautions(comparison, matrices, samples)
    decision = comparison.decision
    decided = [] if decision is None else [Note(decision.sentence)]
    return replace(comparison, notes=[*decided, Note(comparison.description), *cautions])


def _find_cautions(comparison: Comparison, matrices: Sequence[Array], samples: int) -> Iterator[Note]:
    """What can never be significant, what finds too much, intervals that are too narrow, and what tables leave out."""
    if comparison.test in ASKS:
        yield Note(
            f"test {comparison.test} asks {ASKS[comparison.test]}, not whether means are equal; with skewed "
            "differences it calls runs of equal means different (docs/inference/pairs.md); use test t to compare means"
        )
    yield from _about_skewed(comparison, matrices)
    if comparison.correction == "best":
        return
    yield from (Note(text, SignificanceWarning) for text in _about_reach(comparison, samples))
    topics = int(comparison.topics.min())
    if comparison.test != TUKEY and is_random(comparison.test) and topics < ENOUGH:
        text = (
            f"take more {comparison.unit}, or test t: bootstrap intervals over {plural(topics, ONE[comparison.unit])} "
            f"are too narrow; of 95% intervals about 88% hold over 10 {comparison.unit} and 93% over 25"
        )
        yield Note(text, SignificanceWarning)
    if are_many_pairs(comparison.baselines, comparison.runs):
        yield Note(about_pairs_left_out(len(comparison.pairs)))


def are_many_pairs(baselines: Sequence[str], runs: Sequence[str]) -> bool:
    """Are there more pairs than a reader of tables would look at?"""
    return not baselines and len(runs) > MANY


def _about_skewed(comparison: Comparison, matrices: Sequence[Array]) -> Iterator[Note]:
    """By which measures differences are so skewed that the test finds too many, or topics too few to show it."""
    best = comparison.correction == "best"
    if (comparison.test not in FOUND and not best) or len(comparison.runs) < MANY_ENOUGH:
        return
    by_kind: dict[str, list[str]] = {}
    for measure, values in zip(comparison.measures, matrices, strict=True):
        skewed, few = skewness(values) > SKEWED, len(values) < ENOUGH
        if share_alike(values) > MOSTLY_ALIKE:
            if skewed or len(values) <= BROKEN_ALIKE:
                by_kind.setdefault("alike", []).append(str(measure))
        elif skewed and (few or not best):
            by_kind.setdefault("skewed", []).append(str(measure))
        elif few and not best:
            by_kind.setdefault("unseen", []).append(str(measure))
    said = {
        "alike": "most values of a run are equal, as by RR",
        "skewed": ARE_SKEWED,
        "unseen": f"differences may be skewed, which fewer than {ENOUGH} {comparison.unit} cannot show; if they are",
    }
    for kind, measures in by_kind.items():
        stop = ", " if kind == "unseen" else "; "
        yield Note(f"{list_some(measures)}: {said[kind]}{stop}{_about_errors(comparison, kind == 'alike')}")


def _about_errors(comparison: Comparison, alike: bool) -> str:
    """What was counted where differences are skewed, if this was counted as it is used here."""
    page, by = "(docs/inference/skewed-pairs.md)", " by RR" if alike else ""
    if comparison.correction == "best":
        if comparison.alpha != COUNTED_AT:
            return f"the truly best run can be marked more often than the level says {page}"
        marked = MARKED_ALIKE if alike else MARKED
        return f"one of 10 equally good runs was wrongly marked{by} in {marked} {comparison.unit} {page}"
    test, found = comparison.test, (FOUND_ALIKE if alike else FOUND).get(comparison.test)
    as_counted = (comparison.alpha, comparison.correction) == (COUNTED_AT, COUNTED_BY[test])
    if found is None or not as_counted or comparison.baselines:
        return f"test {test} can call runs of equal means different more often than its level says {page}"
    correction = "" if test == TUKEY else f" and {COUNTED_BY[test]}"
    return (
        f"among 10 runs of equal means, test {test}{correction} at 0.05 found a false difference{by} in {found} "
        f"{comparison.unit} {page}"
    )


def about_pairs_left_out(pairs: int) -> str:
    """Which differences tables have not, and how to see them."""
    return (
        f"tables do not show the differences of {pairs} pairs; write tsv, csv or jsonl for all pairs, or take the "
        f"baseline {BEST} for the differences from the best run"
    )


def _about_reach(comparison: Comparison, samples: int) -> Iterator[str]:
    """Measures by which no pair can be significant, whatever the differences, and how to change that."""
    assert comparison.correction != "best"
    how, pairs = (comparison.test, comparison.correction, comparison.alpha), len(comparison.pairs)
    by_topics: dict[int, list[str]] = {}
    for place, (measure, topics) in enumerate(zip(comparison.measures, comparison.topics.tolist(), strict=True)):
        if not comparison.significant[place].any():  # with tied ranks some may be, as SciPy decides
            by_topics.setdefault(topics, []).append(str(measure))
    for topics, measures in by_topics.items():
        if not out_of_reach(*how, topics, samples, pairs):
            continue
        least = least_p(comparison.test, topics, samples)
        corrected = f" before the correction for {plural(pairs, 'pair')}" if comparison.correction != "none" else ""
        needed = samples_to_reach(*how, topics, pairs)
        untied = " where no ranks are tied" if comparison.test == "wilcoxon" else ""
        remedies = [f"{needed} samples or more" if needed is not None else f"more {comparison.unit}", "test t"]
        if not comparison.baselines:
            remedies.insert(1, "a baseline (fewer pairs)")
        yield (
            f"{list_some(measures)}: no pair can be significant at {comparison.alpha:g}, "
            f"as p is {least:.2g} or more{untied}{corrected}; take {' or '.join(remedies)}"
        )


def choose_correction(test: str, correction: Correction | None) -> Correction:
    """The correction that was asked for, or the usual one of the test; refused where the test corrects by itself."""
    if correction is None:
        return "none" if test == TUKEY else "holm"
    if test == TUKEY and correction != "none":
        raise InputError(
            plain("correction", correction), ": tukey-hsd corrects for the number of pairs by itself; leave it out"
        )
    return correction


MANY = 20  # runs of which all pairs are still shown

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
    difference : float64[measure, pair]: mean of the first run less that of the second (of logarithms for gmAP).
    interval : float64[measure, pair, 2]: confidence interval of the difference, not corrected except for tukey-hsd; of
        that from the best run, whichever it is, if that is the baseline.
    p, corrected : float64[measure, pair]: p values of the two-sided test, and after the correction for the pairs; or
        that the run is the best one.
    effect : float64[measure, pair]: the mean of the topics' differences over their standard deviation (Cohen's d for
        pairs); infinite where all topics differ by the same amount, 0 where none differs.
    wins, ties, losses : int64[measure, pair]: topics on which the first run is better, equal, worse.
    topics : int64[measure]: topics that were counted.
    means : float64[run, measure]: the means of the runs.
    baselines : the runs with which the others are compared; none: each with each.
    test, correction, alpha, samples, seed : as for ``compare``; samples and seed are None where nothing is random.
    tested : False: there are too few topics for intervals, p values and effects, which are 0 and not shown.
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
        candidate, other = (drop_endings(self.runs)[place] for place in (1 - baseline, baseline))
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
        )

    @property
    def significant(self) -> Array:
        """bool[measure, pair]: is the corrected p value below alpha?"""
        return (self.corrected < self.alpha) & self.tested

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
        caption : the caption of the means in LaTeX. Default: what was tested; an empty one is left out.
        label : the label of the means in LaTeX. Default: from what was tested; an empty one is left out.
        """
        caption = self._caption if caption is None else caption
        if self.baselines:
            means = [self._means(baseline, digits) for baseline in self.baselines]
        else:
            means = [self._standings(digits)]
        labels = [label, *(f"{label}-{number}" for number in range(2, len(means) + 1))]
        means = [replace(grid, caption=caption, label=one) for grid, one in zip(means, labels, strict=True)]

        def shown(values: Array) -> Array:
            return values if self.tested else np.ma.array(values, mask=True)

        differences = [] if only_means or are_many_pairs(self.baselines, self.runs) else range(len(self.measures))
        grids = [*means, *(self._pairs(place, digits) for place in differences)]
        records = Records.over(
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
            test=self.test,
            correction=self.correction,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
        )
        return Table(grids, records)

    @property
    def order(self) -> list[int]:
        """The places of the runs by the mean of the first measure, best first."""
        places: list[int] = np.argsort(-self.means[:, 0], kind="stable").tolist()
        return places

    @property
    def _caption(self) -> str:
        if self.correction == "best":
            return f"Means over {int(self.topics.max())} topics; ▼: not the best (level {self.alpha:g})."
        marks = f"▲, ▼: better and worse than {' and '.join(self.baselines)}" if self.baselines else "bold: best"
        correction = f", correction {self.correction}" if self.correction != "none" else ""
        return f"Means over {int(self.topics.max())} topics; {marks} ({self.test}{correction}, level {self.alpha:g})."

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        if self.correction == "best":
            return (
                f"▼: the run is not the best, at level {self.alpha:g} of p (best); interval: a run's difference from "
                f"the truly best run, with {1 - self.alpha:.4g} confidence; {self.samples} samples, seed {self.seed}; "
                f"p: two-sided {self.test} test against the run with the highest mean; "
                "p ignores that you picked the winner after looking; p (best) does not"
            )
        against = f"against {' and '.join(self.baselines)}" if self.baselines else "all pairs of runs"
        resampling = f", {self.samples} samples, seed {self.seed}" if self.samples is not None else ""
        return (
            f"test: {self.test}, two-sided, paired by {ONE[self.unit]}, {against}{resampling}; correction "
            f"{self.correction} for {plural(len(self.pairs), 'pair')} by each measure; marks at {self.alpha:g}, "
            f"intervals of {1 - self.alpha:.4g}"
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
