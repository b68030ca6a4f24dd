"""The largest t of the differences between runs, where chance alone gives every topic its sign.

Of two runs over n topics, d is the difference topic by topic and t = mean(d) / (sd(d) / sqrt(n)). Where two runs are
equally good and their errors as likely up as down, a topic could as well have had the opposite difference. With the
sign of each topic drawn, the same for all runs, the differences keep their sizes and their correlations, and the
largest t of many pairs is as likely to be anywhere among the largest t of the draws. A test by its rank holds its level
exactly for equal runs, however correlated, over any number of topics (Romano & Wolf, 2005; Fisher's randomisation).
Where a statement is about how large a difference is, deviations from the mean are drawn, too, as runs that differ much
would else all move together. The larger of the two decides, the second no more strictly than Bonferroni's t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import SAME, Array, ratio
from gradeval.progress import Step, ignore_step
from gradeval.studies.parallel import product
from gradeval.studies.significance import RunDifferences

FLIPS = 2000
"""Draws of the signs, by default."""
DRAWS_AT_ONCE = 256  # draws that are looked at together


@dataclass(frozen=True, eq=False)
class Flipped:
    """The largest |t| of each run's differences from the others, in draws of the signs.

    |t| is kept as u = |sum(d)| / sqrt(n sum(d^2)), which grows with it: t^2 = (n - 1) u^2 / (1 - u^2). The sum of the
    squares is the same in all draws.

    Attributes
    ----------
    values : float64[topic, run].
    differences : as observed.
    signs : float64[draw, topic]: 1 and -1; without the observed signs, which count with them.
    plain : float64[run, draw]: the largest u of the differences.
    centred : float64[run, draw]: the largest u of their deviations from the mean.
    """

    values: Array
    differences: RunDifferences
    signs: Array
    plain: Array
    centred: Array

    @property
    def observed(self) -> Array:
        """float64[run, run]: u of the differences that were observed, with the sign of t."""
        sizes = self.differences.sizes[0]
        return ratio(self.differences.mean * np.sqrt(self.differences.topics), np.sqrt(sizes))


def reaches(draws: int, alpha: float) -> bool:
    """Are there so many draws, with the one observed, that a rank among them can be rarer than alpha?"""
    return round(alpha * (1 + draws), 9) > 1


def flip_signs(values: Array, samples: int, seed: int, step: Step = ignore_step) -> Flipped:
    """Draw the signs of the topics of values[topic, run]; ``step`` counts draws, twice."""
    differences, signs = RunDifferences.of(values), draw_signs(len(values), samples, seed)
    plain, deviations = differences.sizes
    return Flipped(
        values,
        differences,
        signs,
        largest_by_run(values, plain, signs, step),
        largest_by_run(values - values.mean(0), deviations, signs, step),
    )


def count_draws(topics: int, samples: int) -> int:
    """The number of draws of the signs of so many topics: all there are, if that is not more than ``samples``.

    Opposite signs give the same |t| and are one draw; those that were observed are not drawn.
    """
    every: int = 2 ** (min(topics, 60) - 1) - 1
    return min(every, samples)


def draw_signs(topics: int, samples: int, seed: int) -> Array:
    """float64[draw, topic]: the signs of ``count_draws`` draws."""
    number = count_draws(topics, samples)
    if number == count_draws(topics, samples + 1):  # these are all
        every = np.arange(1, number + 1)[:, None]
        return np.asarray(1.0 - 2.0 * (every >> np.arange(topics) & 1))
    return np.random.default_rng(seed).choice([-1.0, 1.0], (samples, topics))


def largest_by_run(values: Array, sizes: Array, signs: Array, step: Step = ignore_step) -> Array:
    """float64[run, draw]: the largest u of the pairs of each run, of values[topic, run] with the signs of each draw.

    ``sizes[run, run]``: the sums of the squares of the differences; 0 where u is 0, infinite for pairs to leave out.
    """
    topics, runs = values.shape
    sums = product(signs, values).T
    scale = ratio(np.ones_like(sizes), np.sqrt(sizes * topics))
    largest = np.zeros(sums.shape)
    others = [(run, run + 1 + np.flatnonzero(scale[run, run + 1 :])) for run in range(runs - 1)]
    tested = [(run, slice(run + 1, runs) if len(each) == runs - run - 1 else each) for run, each in others if len(each)]
    for block in blocks(len(signs), DRAWS_AT_ONCE):
        here, largest_here = np.ascontiguousarray(sums[:, block]), np.zeros((runs, block.stop - block.start))
        for run, behind in tested:
            u = here[behind] - here[run]
            u *= scale[run, behind][:, None]
            np.abs(u, out=u)
            largest_here[run] = np.maximum(largest_here[run], u.max(0))
            largest_here[behind] = np.maximum(largest_here[behind], u)
        largest[:, block] = largest_here
        step(block.stop - block.start)
    return largest


def p_values(observed: Array, largest: Array) -> Array:
    """float64[...]: the share of the draws, and of the one observed, whose u in largest[..., draw] is as large."""
    reached = np.count_nonzero(largest >= (observed * (1 - SAME))[..., None], axis=-1)
    return np.asarray((1 + reached) / (1 + largest.shape[-1]))


def critical_value(largest: Array, alpha: float, topics: int) -> Array:
    """float64[...]: the t above which p is below alpha, of largest[..., draw]; infinite where none is."""
    rank = int(np.ceil(round(alpha * (1 + largest.shape[-1]), 9))) - 1
    u = np.minimum(np.partition(largest, -rank, axis=-1)[..., -rank] / (1 - SAME), 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt((topics - 1) * u**2 / (1 - u**2)))


def bonferroni_t(alpha: float, pairs: int, topics: int) -> float:
    """The two-sided critical value of Student's t for so many pairs at once."""
    from scipy.special import stdtrit

    return float(-stdtrit(topics - 1, alpha / (2 * pairs)))
