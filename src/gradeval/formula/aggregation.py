"""Measures over topics: means, sums, geometric means, with percentiles and resampled topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure


def combine(measures: Sequence[Measure], total: Array, number: Array) -> Array:
    """float64[..., measure]: means, sums or geometric means, as each measure aggregates.

    ``total`` and ``number`` are sums over the topics that count: of values (of logarithms for geometric means), and of
    ones.
    """
    kinds = np.array([measure.definition.aggregate for measure in measures])
    geometric = kinds == "geometric"
    average = ratio(total, number)
    if geometric.any():
        average = np.where(geometric & (number > 0), np.exp(np.where(geometric, average, 0.0)), average)
    return np.where(kinds == "sum", total, average) if (kinds == "sum").any() else average


def weighted_totals(values: Array, counted: Array, weights: Array) -> tuple[Array, Array]:
    """float64[sample, run, measure], twice: the sum and the number of the topics that count, topic t weights[sample, t]
    times.

    ``values`` and ``counted`` are float64 and bool[run, topic, measure], on the scale on which topics are averaged.
    """
    if counted.all():
        total = np.einsum("st,rtm->srm", weights, values, optimize=True)
        return total, np.broadcast_to(weights.sum(-1, dtype=float)[:, None, None], total.shape)
    number = counted.astype(float)
    total = np.einsum("st,rtm->srm", weights, values * number, optimize=True)
    return total, np.einsum("st,rtm->srm", weights, number, optimize=True)


def draw(size: int, samples: int, seed: int | np.random.Generator) -> Array:
    """float64[sample, topic]: how often each of some topics is in each resample of as many, drawn with replacement.

    With more samples, the first ones stay as they are. Where something else is drawn, too, as the runs are, it comes
    after the topics, from the generator that drew them: the topics are then the same as without.
    """
    return draw_some(size, size, samples, seed)


def draw_some(size: int, number: int, samples: int, seed: int | np.random.Generator) -> Array:
    """float64[sample, topic]: the same where another number of topics is drawn."""
    return np.random.default_rng(seed).multinomial(number, np.full(size, 1 / size), size=samples).astype(float)


def interval(drawn: Array, alpha: float, *, around: Array | float | None = None) -> Array:
    """float64[..., 2]: percentiles alpha/2 and 1 - alpha/2 of drawn[sample, ...], of those samples that are no NaN.

    ``around``: the percentiles are moved so that their median is this value. Topics that are drawn twice add noise,
    which shifts a correlation or a power in every resample; moved back, the interval is free of that bias.
    """
    tails = [alpha / 2, 1 - alpha / 2, *([] if around is None else [0.5])]
    missing = np.isnan(drawn)
    if missing.any():
        nowhere = np.asarray(missing.all(0))
        percentiles = np.where(nowhere, np.nan, np.nanquantile(np.where(nowhere, 0.0, drawn), tails, axis=0))
    else:
        percentiles = np.quantile(drawn, tails, axis=0)
    bounds = percentiles[:2] if around is None else percentiles[:2] + (around - percentiles[2])
    return np.moveaxis(bounds, 0, -1)


def widening(topics: int, alpha: float) -> float:
    """sqrt(n / (n-1)) t_{n-1, 1 - alpha/2} / z_{1 - alpha/2}: how many times farther an interval should reach than
    percentiles over resamples of n topics do, which spread less than other topics would: 1.22 of 10, 1.04 of 50.

    Source: Hesterberg (2015), "What teachers should know about the bootstrap", section 3.2 on narrowness bias.
    """
    from scipy.special import ndtri, stdtrit

    tail = 1 - alpha / 2
    return float(np.sqrt(topics / (topics - 1)) * stdtrit(topics - 1, tail) / ndtri(tail))


def blocks(number: int, together: int) -> Iterator[slice]:
    """The parts of so many resamples (or pairs of runs) of which as many as memory allows are computed at once."""
    for begin in range(0, number, max(1, together)):
        yield slice(begin, min(number, begin + max(1, together)))
