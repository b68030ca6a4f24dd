"""The bootstrap over topics: which are drawn, and the intervals of what they give. One seed is one set of resamples.

Every interval and test that resamples topics draws them here, so that all parts of a report rest on the same resamples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradeval.formula.arithmetic import Array


def draw(size: int, samples: int, seed: int | np.random.Generator) -> Array:
    """float64[sample, topic]: how often each of some topics is in each resample of as many, drawn with replacement.

    With more samples, the first ones stay as they are. Where something else is drawn, too, as the runs are, it comes
    after the topics, from the generator that drew them: the topics are then the same as without.
    """
    return np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), size=samples).astype(float)


def interval(drawn: Array, alpha: float, *, around: Array | float | None = None) -> Array:
    """float64[..., 2]: percentiles alpha/2 and 1 - alpha/2 of drawn[sample, ...], of those samples that are no NaN.

    ``around``: the percentiles are moved so that their median is this value. Topics that are drawn twice add noise,
    which shifts a correlation or a power in every resample; moved back, the interval is free of that bias.
    """
    missing = np.isnan(drawn)
    quantile = np.nanquantile if missing.any() else np.quantile
    nowhere = np.asarray(missing.all(0))
    tails = [alpha / 2, 0.5, 1 - alpha / 2]
    low, centre, high = quantile(np.where(nowhere, 0.0, drawn), tails, axis=0)
    shift = 0.0 if around is None else around - centre
    return np.where(nowhere[..., None], np.nan, np.stack([low + shift, high + shift], axis=-1))


def blocks(number: int, together: int) -> Iterator[slice]:
    """The parts of so many resamples (or pairs of runs) of which as many as memory allows are computed at once."""
    for begin in range(0, number, max(1, together)):
        yield slice(begin, min(number, begin + max(1, together)))
