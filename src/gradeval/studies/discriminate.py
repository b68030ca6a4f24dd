"""Discriminative power: how many pairs of runs does a measure tell apart?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal, TypeAlias

import numpy as np

from gradeval.arguments import Alpha, Seed, Threads, Whole
from gradeval.formula.aggregation import draw
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure
from gradeval.messages import plural
from gradeval.progress import Progress, Step
from gradeval.scores.notes import topics_counted
from gradeval.scores.scores import Scores
from gradeval.scores.selection import Top
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import require_samples
from gradeval.studies.significance import (
    all_pairs,
    bootstrap_levels,
    largest_required,
    pair_values,
    rank_of,
    shuffles,
    tukey_spreads,
    tukey_tests,
)
from gradeval.studies.study import Result, study
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table

PowerTest: TypeAlias = Literal["bootstrap", "tukey-hsd"]

TESTS: dict[PowerTest, tuple[str, str]] = {
    "bootstrap": ("paired bootstrap test", "no correction"),
    "tukey-hsd": ("randomised Tukey test", "corrected for all pairs"),
}
"""The tests as readers know them, and whether they correct for the number of pairs."""
BEST = 15
"""Runs that are also tested without the others, where there are more than twice as many."""


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(Result):
    """Achieved significance levels of all pairs of runs, by each measure.

    Attributes
    ----------
    asl : float64[measure, pair]: the share of resamples with a difference at least as large by chance alone.
    required : float64[measure]: the difference of two means from which it is significant. "bootstrap": an estimate, for
        the pair that needs the largest. "tukey-hsd": the range of all means that a share of alpha of the shuffles
        reaches or exceeds, the same for all pairs; a difference must be larger than that.
    pairs : intp[pair, 2]: places of the two runs.
    counted : int64[measure]: topics that were counted.
    measures, runs, topics, method, samples, alpha, seed : what was tested, and how.
    best : the same of the 15 best runs by all measures alone; None where there are not more than 30.
    """

    asl: Array
    required: Array
    pairs: Array
    counted: Array
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    method: PowerTest
    samples: int
    alpha: float
    seed: int
    best: Discrimination | None = None

    @property
    def power(self) -> Array:
        """float64[measure]: discriminative power, the share of pairs with an ASL below alpha."""
        return np.asarray((self.asl < self.alpha).mean(-1))

    def curve(self, measure: str | Measure) -> Array:
        """float64[pair]: the ASL curve of a measure, in descending order; the closer to 0, the more discriminative."""
        return np.sort(self.asl[place_of_measure(measure, self.measures, "test")])[::-1]

    def table(self, digits: int = 4) -> Table:
        """One row a measure, the highest power first; the records are the levels of all pairs."""
        order = np.argsort(-self.power, kind="stable")
        power, told_apart = self.power[order], (self.asl < self.alpha).sum(-1)[order]
        best = np.flatnonzero((power == power.max()) & (power.min() < power.max())).tolist()
        grid = Grid.of_columns(
            (Column("measure", "name"), [str(self.measures[place]) for place in order]),
            (Column(f"power at {self.alpha:g}", spec=".1%"), power),
            (Column("pairs told apart", "text"), [f"{number} of {len(self.pairs)}" for number in told_apart]),
            (Column("required difference", spec=f".{digits}f"), self.required[order]),
            best=frozenset((row, 1) for row in best),
        )
        grid = replace(grid, foot=f"power: pairs told apart by the {self.description}")
        records = Records.over(
            {"measure": self.measures, "run other": [(self.runs[one], self.runs[two]) for one, two in self.pairs]},
            statistic="asl",
            value=self.asl,
            significant=self.asl < self.alpha,
            required=self.required[:, None],
            method=self.method,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
            topics=self.counted[:, None],
        )
        return Table([grid], records)

    @property
    def _in_captions(self) -> str:
        required = "required difference: the difference of two means from which it is significant"
        return f"power: pairs told apart by the {self.description}; {required}"

    @property
    def description(self) -> str:
        """By which test, and what was tested, in a sentence."""
        test, correction = TESTS[self.method]
        pairs = f"{plural(len(self.pairs), 'pair')} of {len(self.runs)} runs"
        topics = topics_counted(self.counted.tolist(), self.unit)
        return (
            f"{test}, {self.samples} samples, seed {self.seed}, level {self.alpha:g}, {correction}; {pairs}, {topics}"
        )


@study(
    tells_apart=True,
    examples="""
      gradeval discriminate qrels.txt runs/* -m "GAP(g=[0.2,0.3,0.5]) nDCG AP"
      gradeval discriminate qrels.txt runs/* -m "GAP nDCG" --runs top:15 --plot asl.svg
      gradeval discriminate qrels.txt runs/* --method tukey-hsd --samples 10000 --alpha 0.01
      gradeval discriminate --scores ERR@20=err20.csv --scores nDCG@20=ndcg20.csv""",
)
def discriminate(
    scores: Scores,
    /,
    *,
    method: PowerTest = "bootstrap",
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = 1000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
) -> Discrimination:
    """Test all pairs of runs by each measure: discriminative power is the share of pairs that are told apart.

    All measures and pairs are tested with the same resamples. The bootstrap does not correct for the number of pairs:
    it is an index that compares measures, not a set of findings (for findings use 'gradeval compare'). The records hold
    the achieved significance level (asl) of every pair, the table their summary.

    Parameters
    ----------
    method : the test: "bootstrap" or "tukey-hsd". "bootstrap": Sakai's paired bootstrap test, pair by pair; alpha of
        the pairs are expected to pass by chance alone. "tukey-hsd": the randomised Tukey test of all pairs at once,
        which controls the family-wise error.
    alpha : level below which a pair is told apart.
    samples : resamples of a test; no level is finer than 1/samples.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, alpha outside (0, 1), fewer samples than alpha needs.
    Source: Sakai (2006), "Evaluating evaluation metrics based on the bootstrap"; Carterette (2012); Sakai (2012).
    """
    require_samples(samples, alpha)

    def test(values: Array, step: Step) -> tuple[Array, float]:
        pairs = all_pairs(values.shape[1])
        if method == "bootstrap":
            drawn = draw(len(values), samples, seed)
            return bootstrap_levels(values, pairs, drawn, step), largest_required(values, drawn, alpha)
        spreads = tukey_spreads(values, shuffles(values.shape, samples, seed), step)
        return tukey_tests(values, pairs, spreads), np.sort(spreads)[-rank_of(alpha, samples)]

    alone = len(scores.runs) > 2 * BEST
    groups = [scores, scores.sel(runs=Top(BEST).runs(scores))] if alone else [scores]
    matrices = [values for group in groups for values in pair_values(group)]
    steps = [len(all_pairs(values.shape[1])) if method == "bootstrap" else samples for values in matrices]
    results = run_in_parallel([partial(test, values) for values in matrices], threads, progress, sum(steps))
    by_group = []
    for place, group in enumerate(groups):
        here = results[place * len(scores.measures) :][: len(scores.measures)]
        asl, required = (np.array(column) for column in zip(*here, strict=True))
        counted = np.array([len(values) for values in matrices[: len(scores.measures)]])
        pairs, what = all_pairs(len(group.runs)), (counted, group.measures, group.runs, group.topics)
        one = Discrimination(asl, required, pairs, *what, method, samples, alpha, seed, unit=group.unit)
        by_group.append(one)
    return replace(by_group[0], best=by_group[1] if alone else None)
