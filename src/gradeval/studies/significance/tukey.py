"""The randomised Tukey HSD test: how far would the best and the worst run differ if all runs were equal?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gradeval.formula.arithmetic import SAME, Array
from gradeval.progress import Step, ignore_step

SHUFFLES = 32  # permutations of the runs in memory at once


def shuffles(shape: tuple[int, ...], samples: int, seed: int) -> Iterator[Array]:
    """intp[sample, topic, run]: random orders of the runs, a new one for each topic, some samples at a time."""
    topics, runs = shape
    rng = np.random.default_rng(seed)
    for begin in range(0, samples, SHUFFLES):
        here = min(SHUFFLES, samples - begin)
        yield rng.permuted(np.broadcast_to(np.arange(runs), (here, topics, runs)), axis=-1)


def tukey_spreads(values: Array, orders: Iterable[Array], step: Step = ignore_step) -> Array:
    """float64[sample]: the range of the runs' means after values[topic, run] are shuffled within each topic.

    ``step`` counts samples.
    """
    spreads = []
    for order in orders:
        means = np.take_along_axis(values[None], order, axis=-1).mean(1)
        spreads.append(means.max(-1) - means.min(-1))
        step(len(order))
    return np.concatenate(spreads)


def tukey_tests(values: Array, pairs: Array, spreads: Array) -> Array:
    """float64[pair]: randomised Tukey HSD, p = share of the samples with a range of at least |mean_i - mean_j|."""
    means = values.mean(0)
    differences = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])
    below = np.searchsorted(np.sort(spreads), differences - SAME * np.abs(values).max(), side="left")
    return np.asarray((len(spreads) - below) / len(spreads))
