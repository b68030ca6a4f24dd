"""Rank sets: between which ranks does each run lie, all runs at once, and which may be the best?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np

from gradeval.arguments import Alpha, Seed, Threads, Whole
from gradeval.formula.aggregation import blocks, draw
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure
from gradeval.progress import Progress, Step
from gradeval.scores.notes import Note, join_names
from gradeval.scores.scores import Scores
from gradeval.studies.bootstrap_tests import all_pairs, centre, differences_of, pair_values, rank_of
from gradeval.studies.parallel import product, run_in_parallel
from gradeval.studies.requirements import require_enough, require_samples
from gradeval.studies.study import Result, study
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table

BLOCK = 2**15  # pairs times resamples, or topics, at once: what stays in the cache of a core


@dataclass(frozen=True, eq=False, repr=False)
class RankSets(Result):
    """Simultaneous intervals of the ranks of all runs, by each measure.

    Attributes
    ----------
    mean : float64[measure, run]: the means of the runs (of logarithms for gmAP).
    rank : int64[measure, run]: 1 + the number of runs with a larger mean.
    lower, upper : int64[measure, run]: the interval of the rank. With probability 1 - alpha, all intervals of a
        measure contain the ranks over the population of topics.
    measures, runs, topics : what was ranked, by what, over what.
    alpha, samples, seed : level and bootstrap.
    """

    mean: Array
    rank: Array
    lower: Array
    upper: Array
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    alpha: float
    samples: int
    seed: int

    def best(self, measure: str | Measure) -> list[str]:
        """The runs that cannot be told from the best: those whose interval holds rank 1, the highest mean first."""
        place = place_of_measure(measure, self.measures, "ranks")
        return [self.runs[run] for run in self._order(place) if self.lower[place, run] == 1]

    def leaders(self, measure: str | Measure) -> list[str]:
        """The runs with the highest mean; several where means are equal."""
        place = place_of_measure(measure, self.measures, "ranks")
        return [run for run, rank in zip(self.runs, self.rank[place].tolist(), strict=True) if rank == 1]

    def answer(self, measure: str | Measure) -> str:
        """Who leads and whether that is sure, in a sentence."""
        place = place_of_measure(measure, self.measures, "ranks")
        leaders, best = self.leaders(measure), self.best(measure)
        if len(best) == 1:
            return f"{self.measures[place]}: {leaders[0]} is the best of {len(self.runs)} runs at alpha {self.alpha:g}"
        lead = "leads" if len(leaders) == 1 else "lead"
        return (
            f"{self.measures[place]}: {join_names(leaders, 3)} {lead}, but {len(best)} of {len(self.runs)} runs cannot "
            f"be told from the best at alpha {self.alpha:g}"
        )

    def table(self, digits: int = 4) -> Table:
        """A grid a measure: its runs by their means, with rank and interval; ▲ marks those that may be the best."""
        grids = [self._grid(place, digits) for place in range(len(self.measures))]
        return Table(grids, self._records(), [str(note) for note in self.notes])

    @property
    def description(self) -> str:
        """What was computed, and how, in a sentence."""
        return (
            f"intervals of ranks: {1 - self.alpha:.4g} confidence for all {len(self.runs)} runs of a measure at once, "
            f"{self.samples} bootstrap samples of {len(self.topics)} topics, seed {self.seed}; "
            "best: may have rank 1"
        )

    def _order(self, measure: int) -> list[int]:
        order: list[int] = np.argsort(-self.mean[measure], kind="stable").tolist()
        return order

    def _grid(self, measure: int, digits: int) -> Grid:
        rows: list[list[Cell]] = []
        for run in self._order(measure):
            at = measure, run
            low, high = int(self.lower[at]), int(self.upper[at])
            interval = str(low) if low == high else f"{low} to {high}"
            rows.append(
                [self.runs[run], float(self.mean[at]), int(self.rank[at]), interval, "best" if low == 1 else ""]
            )
        columns = [
            Column("run", "name"),
            Column("mean", spec=f".{digits}f"),
            Column("rank", spec="d"),
            Column("ranks", "text"),
            Column("may be", "text"),
        ]
        return Grid(columns, rows, title=str(self.measures[measure]))

    def _records(self) -> Records:
        return Records.over(
            {"measure": list(map(str, self.measures)), "run": self.runs},
            statistic="rank",
            value=self.rank,
            lower=self.lower,
            upper=self.upper,
            mean=self.mean,
            best=self.lower == 1,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
            topics=len(self.topics),
        )


@study(
    measures="AP nDCG@10 GAP",
    examples="""
      gradeval ranks qrels.txt runs/*
      gradeval ranks qrels.txt runs/* -m "nDCG@10 GAP" --alpha 0.1
      gradeval ranks qrels.txt runs/* -m GAP --plot ranks.svg -o ranks.tsv
      gradeval ranks --scores scores.tsv""",
)
def ranks(
    scores: Scores,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = 2000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
) -> RankSets:
    """Give every run the interval of ranks that the topics leave possible, simultaneously for all runs of a measure.

    Run j certainly stands before run k where the hypothesis mean_j <= mean_k is rejected; all ordered pairs are tested
    with family-wise level alpha by the step-down method of Romano & Wolf, on T = difference / standard error. The
    interval of a run begins after the runs that certainly stand before it, and ends before those certainly behind it.

    The critical value is the 1 - alpha quantile of the largest T over bootstrap samples of the topics, carried from the
    normal distribution to Student's t with n - 1 degrees of freedom: over few topics the bootstrap alone is too
    short. In simulations with 20 equal runs some pair is told apart in 3 to 5 % of the collections of 50 topics, and
    in up to 6 % of those of 25 (benchmarks/rank_sets.py).

    Parameters
    ----------
    alpha : the probability that some interval of a measure misses.
    samples : bootstrap samples of the topics.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, alpha outside (0, 1), fewer samples than alpha needs.
    Source: Mogstad, Romano, Shaikh & Wilhelm (2024), "Inference for ranks"; Romano & Wolf (2005).

    >>> from gradeval import evaluate
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(9)}
    >>> good = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    >>> bad = {topic: {"a": 1.0, "b": 2.0 - (topic == "0") * 1.5} for topic in qrels}
    >>> sets = ranks(evaluate(qrels, [good, bad], "AP"))
    >>> print(sets.answer("AP"))
    AP: run is the best of 2 runs at alpha 0.05
    """
    require_enough(scores)
    require_samples(samples, alpha)
    pairs = all_pairs(len(scores.runs))

    def compute(values: Array, step: Step) -> Array:
        weights = draw(len(values), samples, seed)
        return _before(values, pairs, weights, alpha, step)

    matrices = pair_values(scores)
    before = np.array(
        run_in_parallel(
            [partial(compute, values) for values in matrices], threads, progress, len(pairs) * len(matrices)
        )
    )
    mean = np.array([values.mean(0) for values in matrices])
    result = RankSets(
        mean=mean,
        rank=_ranks(mean, pairs, matrices),
        lower=1 + before.sum(1),
        upper=len(scores.runs) - before.sum(2),
        measures=scores.measures,
        runs=scores.runs,
        topics=scores.topics,
        alpha=alpha,
        samples=samples,
        seed=seed,
    )
    return replace(result, notes=[*map(Note, map(result.answer, result.measures)), Note(result.description)])


def _ranks(mean: Array, pairs: Array, matrices: list[Array]) -> Array:
    """int64[measure, run]: 1 + the number of runs with a larger mean; means that differ by rounding are equal."""
    ranks = np.ones(mean.shape, np.int64)
    for place, values in enumerate(matrices):
        difference, _ = _means_and_deviations(values, pairs)
        np.add.at(ranks[place], pairs[difference < 0, 0], 1)
        np.add.at(ranks[place], pairs[difference > 0, 1], 1)
    return ranks


def _before(values: Array, pairs: Array, weights: Array, alpha: float, step: Step) -> Array:
    """bool[run, run]: does the first run certainly stand before the second, by values[topic, run]?"""
    topics, runs = values.shape
    difference, spread = _means_and_deviations(values, pairs)
    error = spread / np.sqrt(topics)
    certain = (spread == 0) & (difference != 0)  # the same difference on every topic
    statistic = np.where(certain, np.copysign(np.inf, difference), ratio(difference, error))
    # The bootstrap's variance is that of the topics divided by n, not n - 1.
    drawn = product(weights / topics, values - values.mean(0)).T * np.sqrt(topics / (topics - 1))

    rejected = np.zeros(len(pairs), bool)
    while not rejected.all():
        largest = _largest(drawn, pairs, error, np.where(rejected, np.sign(statistic), 0.0))
        critical = _carry_to_student(np.sort(largest)[-rank_of(alpha, len(largest))], topics)
        further = ~rejected & (np.abs(statistic) > critical)
        if not further.any():
            break
        rejected |= further
    step(len(pairs))
    before = np.zeros((runs, runs), bool)
    first, second = pairs.T
    before[first, second] = rejected & (statistic > 0)
    before[second, first] = rejected & (statistic < 0)
    return before


def _means_and_deviations(values: Array, pairs: Array) -> tuple[Array, Array]:
    """float64[pair] each: means and standard deviations of the differences over values[topic, run]."""
    difference, spread = np.empty((2, len(pairs)))
    for block in blocks(len(pairs), BLOCK // len(values)):
        difference[block], _, spread[block] = centre(differences_of(values, pairs[block]))
    return difference, spread


def _largest(drawn: Array, pairs: Array, error: Array, rejected: Array) -> Array:
    """float64[sample]: the largest T of the hypotheses that are left, in each bootstrap sample.

    Of each pair both directions are hypotheses; ``rejected[pair]``: 0 where both are left, else the sign of the
    difference in whose direction one is rejected, which leaves the other one.
    """
    largest = np.zeros(drawn.shape[1])
    divisor = np.where(error == 0, np.inf, error)[:, None]  # the same difference on every topic: T is 0
    ahead = np.where((rejected > 0)[:, None], pairs[:, ::-1], pairs)  # of a rejected direction the other one is left
    for left in (np.flatnonzero(rejected == 0), np.flatnonzero(rejected)):
        for part in blocks(len(left), BLOCK // drawn.shape[1]):
            block = left[part]
            first, second = ahead[block].T
            t = drawn[first]
            t -= drawn[second]
            t /= divisor[block]
            if not rejected[block[0]]:
                np.abs(t, out=t)
            np.maximum(largest, t.max(0), out=largest)
    return largest


def _carry_to_student(critical: float, topics: int) -> float:
    """The quantile of Student's t with n - 1 degrees of freedom that has the tail probability of a normal one."""
    from scipy.special import ndtr, stdtrit

    return float(-stdtrit(topics - 1, ndtr(-critical)))
