"""How many topics does it take to find a difference of a given size?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from gradeval.arguments import Alpha, Number, Several, Share
from gradeval.formula.arithmetic import Array, tiny
from gradeval.formula.definition import Measure
from gradeval.messages import plural
from gradeval.scores.notes import topics_counted
from gradeval.scores.scores import ONE, Scores
from gradeval.studies.equivalence import ENOUGH, about_logarithms
from gradeval.studies.paired_power import topics_for
from gradeval.studies.significance import MEASURES, pair_values
from gradeval.studies.study import Result, study
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

DIFFERENCES = (0.02, 0.05, 0.1)
"""The differences of means for which topics are counted by default."""


@dataclass(frozen=True, eq=False, repr=False)
class TopicSetSize(Result):
    """The topics that a paired test needs, by measure and difference.

    Attributes
    ----------
    needed : int64[measure, difference]: the fewest topics.
    variance : float64[measure]: the residual variance of one score.
    differences : the differences of two means to be found.
    counted : int64[measure]: topics that were counted.
    measures, runs, topics : what the variance was estimated from.
    alpha, beta : the level of the test, two-sided, and the probability that it misses the difference.
    """

    needed: Array
    variance: Array
    differences: tuple[float, ...]
    counted: Array
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    alpha: float
    beta: float

    def table(self, digits: int = 4) -> Table:
        """One row a measure, a column a difference."""
        needed = [Column(f"topics for {difference:g}", spec="d") for difference in self.differences]
        grid = Grid.of_columns(
            (Column("measure", "name"), map(str, self.measures)),
            (Column("residual variance", spec=f".{digits}f"), self.variance),
            *zip(needed, self.needed.T, strict=True),
        )
        records = Records.over(
            {"measure": self.measures, "difference": self.differences},
            statistic="topics",
            value=self.needed,
            variance=self.variance[:, None],
            alpha=self.alpha,
            beta=self.beta,
            runs=len(self.runs),
            topics=self.counted[:, None],
        )
        return Table([grid], records)

    @property
    def description(self) -> str:
        """What was computed, and from what, in a sentence."""
        topics = topics_counted(self.counted.tolist(), self.unit)
        return (
            f"{self.unit} needed to find a difference by a paired t test at {self.alpha:g} with probability "
            f"{1 - self.beta:g}; variance from {len(self.runs)} runs, {topics}, not from their means"
        )


@study(
    measures=MEASURES,
    examples="""
      gradeval topic-set-size qrels.txt runs/*
      gradeval topic-set-size qrels.txt runs/* --differences 0.02,0.05,0.1 --beta 0.1 -m "AP nDCG@10 GAP\"""",
)
def topic_set_size(
    scores: Scores,
    /,
    *,
    differences: Annotated[
        float | Sequence[float], Several(Number(above=0.0), "differences of means above 0, as in 0.02,0.05")
    ] = DIFFERENCES,
    alpha: Alpha = 0.05,
    beta: Annotated[float, Share(0.2, metavar="SHARE")] = 0.2,
) -> TopicSetSize:
    """Count the topics with which a paired t test finds a difference of two means, by each measure.

    Scores are x_ij = mean + topic_i + run_j + residual_ij. The residual variance, pooled over all R runs and n topics,

        V = sum_ij (x_ij - x_i. - x_.j + x_..)^2 / ((n - 1) (R - 1))

    does not depend on how much the runs at hand differ. The difference of two runs on a topic has variance 2 V, so a
    difference D of means is an effect of D / sqrt(2 V) standard deviations; ``topics_for`` counts the topics.
    Where V is 0, all topics differ by the same amount, and n of them decide by their signs alone: 2^(1-n) < alpha.

    Parameters
    ----------
    differences : the differences of means to be found, one or several, above 0.
    alpha : the level of the two-sided test.
    beta : the probability to miss the difference.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, alpha or beta outside (0, 1), a difference that is not above 0.
    Source: Sakai (2016), "Topic set size design", Information Retrieval Journal 19(3), the t-test method.
    """
    wanted = tuple(dict.fromkeys([differences] if isinstance(differences, float) else differences))
    matrices = pair_values(scores)
    variance, counted = (np.array([one(values) for values in matrices]) for one in (residual_variance, len))
    needed = [
        [topics_for(value / np.sqrt(2 * v) if v > 0 else np.inf, alpha, beta) for value in wanted] for v in variance
    ]
    what = (scores.measures, scores.runs, scores.topics)
    sizes = TopicSetSize(np.array(needed), variance, wanted, counted, *what, alpha, beta, unit=scores.unit)
    about = [Note.method(sizes.description), *about_logarithms(sizes.measures)]
    if counted.min() < ENOUGH:
        few = plural(int(counted.min()), ONE[scores.unit])
        far = f"tell little of the variance, so the {scores.unit} needed may be far off"
        about.append(Note.doubt(f"{few} {far}; accepted: {ENOUGH} or more"))
    return replace(sizes, notes=about)


def residual_variance(values: Array) -> float:
    """What is left of the variance of values[topic, run] after topics and runs (two-way, without replication)."""
    topics, runs = values.shape
    residual = values - values.mean(0) - values.mean(1, keepdims=True) + values.mean()
    residual[tiny(residual, np.abs(values).max())] = 0.0
    return float(np.square(residual).sum() / ((topics - 1) * (runs - 1)))
