"""Discriminative power: how many pairs of runs does a measure tell apart, beyond chance?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.measure_names import place_of_measure
from gradeval.scores.notes import plural
from gradeval.scores.scores import Scores
from gradeval.studies.differences import Differences, differences_of_measures
from gradeval.studies.paired_tests import shuffles, tukey_spreads, tukey_tests
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import TOPICS, Measures, as_scores
from gradeval.studies.resampling import all_pairs, bootstrap_tests, pair_values, rank_of, resample_topics, tell_apart
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

Method: TypeAlias = Literal["bootstrap", "tukey-hsd"]


FIELDS = "measure run other statistic value significant required method alpha samples seed topics".split()


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(Tabular):
    """Achieved significance levels of all pairs of runs, by each measure.

    Attributes
    ----------
    asl : float64[measure, pair]: the share of resamples with a difference at least as large by chance alone.
    required : float64[measure]: the difference of two means from which it is significant. "bootstrap": an estimate, for
        the pair that needs the largest. "tukey-hsd": the range of all means that a share of alpha of the shuffles
        reaches or exceeds, the same for all pairs; a difference must be larger than that.
    pairs : intp[pair, 2]: places of the two runs.
    measures, runs, topics, method, samples, alpha, seed : what was tested, and how.
    """

    asl: Array
    required: Array
    pairs: Array
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    method: Method
    samples: int
    alpha: float
    seed: int

    @property
    def power(self) -> Array:
        """float64[measure]: discriminative power, the share of pairs with an ASL below alpha."""
        return np.asarray((self.asl < self.alpha).mean(-1))

    def curve(self, measure: str | Measure) -> Array:
        """float64[pair]: the ASL curve of a measure, in descending order; the closer to 0, the more discriminative."""
        return np.sort(self.asl[place_of_measure(measure, self.measures, "test")])[::-1]

    def table(self, digits: int = 4) -> Table:
        """One row a measure, that of the highest power first; the records are the levels of all pairs."""
        order = np.argsort(-self.power, kind="stable").tolist()
        power, told_apart = self.power[order].tolist(), (self.asl < self.alpha).sum(-1)[order].tolist()
        columns = [
            Column("measure", "name"),
            Column(f"power at {self.alpha:g}", spec=".1%"),
            Column("pairs told apart", "text"),
            Column("required difference", spec=f".{digits}f"),
        ]
        rows: list[list[Cell]] = [
            [str(self.measures[place]), share, f"{number} of {len(self.pairs)}", float(self.required[place])]
            for place, share, number in zip(order, power, told_apart, strict=True)
        ]
        best = {(row, 1) for row, share in enumerate(power) if share == max(power) and min(power) < max(power)}
        return Table(
            [Grid(columns, rows, best=frozenset(best))], Records.of(FIELDS, self._records()), [self.description]
        )

    @property
    def description(self) -> str:
        """What was tested, and how, in a sentence."""
        size = f"{plural(len(self.pairs), 'pair')} of {len(self.runs)} runs, {len(self.topics)} topics"
        return f"{self.method}: {self.samples} samples, seed {self.seed}; {size}"

    def _records(self) -> Iterator[list[Value]]:
        settings: list[Value] = [self.method, self.alpha, self.samples, self.seed, len(self.topics)]
        for measure, levels, required in zip(self.measures, self.asl.tolist(), self.required.tolist(), strict=True):
            for (first, second), asl in zip(self.pairs.tolist(), levels, strict=True):
                pair = [self.runs[first], self.runs[second]]
                yield [str(measure), *pair, "asl", asl, asl < self.alpha, required, *settings]


@with_progress_bar
def discriminate(
    scores: Scores | JudgedRuns,
    method: Method = "bootstrap",
    *,
    measures: Measures | None = None,
    samples: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
) -> Discrimination:
    """Test all pairs of runs by each measure, with the same resamples for all of them.

    "bootstrap" is Sakai's paired bootstrap test, pair by pair: an index that compares measures, not a set of findings
    (alpha of the pairs are expected to pass by chance alone). "tukey-hsd" is the randomised Tukey test, which controls
    the family-wise error. ``threads``: 0 takes all cores; the answer is the same.

    ``scores`` may be judged runs, which are then scored by ``measures``, default AP, nDCG, GAP, xGAP,
    eGAP, RBP(rel=1) and Bpref.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, alpha outside (0, 1), no samples.
    Source: Sakai (2006), "Evaluating evaluation metrics based on the bootstrap"; Carterette (2012); Sakai (2012).
    """
    alpha = arguments.share("alpha", alpha, 0.05)
    samples, seed = arguments.whole("samples", samples, 1), arguments.seed(seed)
    threads = arguments.threads(threads)
    arguments.one_of("method", method, get_args(Method))
    scores = as_scores(scores, measures)
    matrices = pair_values(scores)
    pairs = all_pairs(len(scores.runs))

    def test(values: Array, step: Step) -> tuple[Array, float]:
        if method == "bootstrap":
            levels, differences = bootstrap_tests(
                values, pairs, resample_topics(len(values), samples, seed), alpha, step
            )
            return levels, differences.max()
        spreads = tukey_spreads(values, shuffles(values.shape, samples, seed), step)
        return tukey_tests(values, pairs, spreads), np.sort(spreads)[-rank_of(alpha, samples)]

    steps = len(pairs) if method == "bootstrap" else samples  # of a measure
    results = run_in_parallel([partial(test, values) for values in matrices], threads, progress, steps * len(matrices))
    asl, required = (np.array(column) for column in zip(*results, strict=True))
    return Discrimination(
        asl, required, pairs, scores.measures, scores.runs, scores.topics, method, samples, alpha, seed
    )


RESAMPLES = 200
"""Resamples of the topics behind an interval where nobody says; each repeats the whole test."""


@with_progress_bar
def power_differences(
    scores: Scores | JudgedRuns,
    method: Method = "bootstrap",
    *,
    measures: Measures | None = None,
    runs: bool = False,
    samples: int = 1000,
    alpha: float = 0.05,
    resampled: int = RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
) -> Differences:
    """power(A) - power(B) for each two measures, with bootstrap intervals over topics.

    Parameters
    ----------
    scores, method, measures, samples, alpha, seed, threads : as of ``discriminate``, whose test is repeated in each
        resample.
    runs : resample the runs, too: power is then over the pairs of different runs that were drawn, each as often as the
        two were drawn together.
    resampled : resamples of the topics, at least 2.
    level : of the intervals. Percentiles are taken from their median: topics drawn twice let the tests of a resample
        find more than there is.

    Raises
    ------
    InputError : as of ``discriminate``; fewer than 2 measures.
    """
    alpha, level = arguments.share("alpha", alpha, 0.05), arguments.share("level", level, 0.95)
    samples, resampled = arguments.whole("samples", samples, 1), arguments.whole("resampled", resampled, 2)
    seed = arguments.seed(seed)
    arguments.one_of("method", method, get_args(Method))
    scores = as_scores(scores, measures)
    matrices = pair_values(scores)
    pairs = all_pairs(len(scores.runs))
    rng = np.random.default_rng(seed)
    topics, size = len(scores.topics), len(scores.runs)
    of_topics = rng.multinomial(topics, np.full(topics, 1 / topics), size=resampled)
    of_pairs: Array = np.ones((resampled, len(pairs)))
    if runs:
        of_runs = rng.multinomial(size, np.full(size, 1 / size), size=resampled)
        of_pairs = of_runs[:, pairs[:, 0]] * of_runs[:, pairs[:, 1]]

    def told_apart(values: Array, step: Step) -> Array:
        """bool[pair]: is its ASL below alpha in values[topic, run]?"""
        if method == "bootstrap":
            apart = tell_apart(values, pairs, resample_topics(len(values), samples, seed), alpha)
        else:
            apart = tukey_tests(values, pairs, tukey_spreads(values, shuffles(values.shape, samples, seed))) < alpha
        step(1)
        return apart

    def resample(number: int, step: Step) -> list[float]:
        """The power by each measure in a resample; NaN where no pairs or too few topics are left."""
        power = []
        for values, kept in zip(matrices, np.moveaxis(scores.counted[0], -1, 0), strict=True):
            drawn = values.repeat(of_topics[number, kept], axis=0)
            if len(drawn) < TOPICS or not of_pairs[number].any():
                power.append(np.nan)
                step(1)
            else:
                power.append(float(np.average(told_apart(drawn, step), weights=of_pairs[number])))
        return power

    total = (resampled + 1) * len(matrices)
    observed = partial(lambda step: [float(told_apart(values, step).mean()) for values in matrices])
    tasks = [observed, *(partial(resample, number) for number in range(resampled))]
    power, *drawn = run_in_parallel(tasks, threads, progress, total)
    return differences_of_measures(
        "power",
        scores.measures,
        np.array(power)[:, None],
        np.array(drawn)[..., None],
        centred=True,
        runs=runs,
        level=level,
        seed=seed,
    )
