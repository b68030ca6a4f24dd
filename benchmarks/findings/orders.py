"""Rank correlations of measures over the same bootstrap samples of the topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from claims import Quantity

from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.scores.scoring import score
from gradeval.studies.correlation import Statistic, correlation_matrix, is_constant

SAMPLES, SEED = 1000, 0


def draw_topics(topics: int) -> Array:
    """float64[1 + sample, topic]: how often a topic is counted: once in the first row, then as drawn.

    The draws are those of ``gradeval correlation-differences``.
    """
    rng = np.random.default_rng(SEED)
    drawn = rng.multinomial(topics, np.full(topics, 1 / topics), size=SAMPLES)
    return np.concatenate([np.ones((1, topics)), drawn])


class Orders:
    """The orders in which measures put runs, in the whole collection and in each bootstrap sample.

    ``weights``: float64[1 + sample, topic]; where they leave fewer than three different topics, nothing is defined.
    """

    def __init__(
        self, judged: JudgedRuns, runs: Sequence[str], topics: Sequence[str], weights: Array | None = None
    ) -> None:
        self.judged, self.runs, self.topics = judged, list(runs), list(topics)
        self.weights = draw_topics(len(topics)) if weights is None else weights
        self.means: dict[Measure, Array] = {}

    def _mean(self, measure: Measure) -> Array:
        """float64[1 + sample, run]"""
        if measure not in self.means:
            scores = score(self.judged, [measure]).sel(runs=self.runs, topics=self.topics)
            self.means[measure] = np.ascontiguousarray(rounded(scores.aggregate(self.weights)[..., 0]))
        return self.means[measure]

    def correlate(self, one: Measure | str, other: Measure | str, statistic: Statistic = "kendall") -> Quantity:
        """The correlation of two measures; nothing in samples by which all runs are equal."""
        x, y = (self._mean(parse_measure(m) if isinstance(m, str) else m) for m in (one, other))
        values = correlation_matrix(statistic, x[:, None], y[:, None])[:, 0, 0]
        few = np.count_nonzero(self.weights, axis=1) < 3
        values = np.where(is_constant(x) | is_constant(y) | few, np.nan, values)
        return Quantity(float(values[0]), values[1:], centred=True)
