"""Discriminative power: how many pairs of runs does a measure tell apart, beyond chance?"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from gradeval._core import InputError
from gradeval.judged import Array
from gradeval.measure import Measure
from gradeval.meta.bootstrap import bootstrap_tests, rank_of, resamples
from gradeval.meta.paired import all_pairs, by_topic
from gradeval.meta.progress import Progress
from gradeval.meta.tukey import shuffles, tukey_spreads, tukey_tests
from gradeval.notation import parse_measure
from gradeval.scores import Scores

Method: TypeAlias = Literal["bootstrap", "tukey-hsd"]


@dataclass(frozen=True, eq=False)
class Discrimination:
    """Achieved significance levels of all pairs of runs, by each measure.

    Attributes
    ----------
    asl : float64[measure, pair]: the share of resamples in which chance alone made as large a difference.
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
        wanted = parse_measure(measure)
        if wanted not in self.measures:
            raise InputError(f"{wanted} was not tested; there are {', '.join(map(str, self.measures))}")
        return np.sort(self.asl[self.measures.index(wanted)])[::-1]


def discriminate(
    scores: Scores,
    method: Method = "bootstrap",
    *,
    samples: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Discrimination:
    """Test all pairs of runs by each measure, with the same resamples for all of them.

    "bootstrap" is Sakai's paired bootstrap test, pair by pair: an index that compares measures, not a set of findings
    (alpha of the pairs are expected to pass by chance alone). "tukey-hsd" is the randomised Tukey test, which controls
    the family-wise error. ``threads``: 0 takes all cores; the answer is the same.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, alpha outside (0, 1), no samples.
    Source: Sakai (2006), "Evaluating evaluation metrics based on the bootstrap"; Carterette (2012); Sakai (2012).
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha {alpha:g} is not between 0 and 1, as in 0.05")
    if samples < 1:
        raise InputError(f"samples {samples} is not a number of resamples from 1")
    if method not in get_args(Method):
        raise InputError(f"method {method!r} is not 'bootstrap' or 'tukey-hsd'")
    matrices = by_topic(scores)
    pairs = all_pairs(len(scores.runs))
    asl = np.zeros((len(matrices), len(pairs)))
    required = np.zeros(len(matrices))

    def test(values: Array) -> tuple[Array, float]:
        if method == "bootstrap":
            levels, differences = bootstrap_tests(values, pairs, resamples(len(values), samples, seed), alpha)
            return levels, differences.max()
        spreads = tukey_spreads(values, shuffles(values.shape, samples, seed))
        return tukey_tests(values, pairs, spreads), np.sort(spreads)[-rank_of(alpha, samples)]

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        for place, (levels, difference) in enumerate(pool.map(test, matrices)):
            asl[place], required[place] = levels, difference
            if progress:
                progress(place + 1, len(matrices))
    return Discrimination(
        asl, required, pairs, scores.measures, scores.runs, scores.topics, method, samples, alpha, seed
    )
