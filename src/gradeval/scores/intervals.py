"""Intervals of means over topics: Wilson's for measures from 0 to 1, Student's t for others, the bootstrap on request.

``benchmarks/coverage/means.py`` counts how often each of them holds the true mean; docs/inference/means.md shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from gradeval._core import InputError
from gradeval.formula.aggregation import combine, draw, interval, weighted_totals
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure

IntervalMethod: TypeAlias = Literal["wilson", "t", "bootstrap"]
METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
DEFAULTS: dict[bool, IntervalMethod] = {True: "wilson", False: "t"}
"""The method for a mean of values from 0 to 1, and for all others."""
ROUNDING = 1e-9
"""How far rounding may take a value beyond 0 or 1."""


def intervals_of_means(
    measures: Sequence[Measure],
    values: Array,
    counted: Array,
    method: IntervalMethod | None,
    alpha: float,
    samples: int,
    seed: int,
) -> Array:
    """float64[run, measure, 2]: bounds of the means of values[run, topic, measure] over the topics that are counted.

    ``values`` are on the scale on which topics are averaged: logarithms for a geometric mean. No bound leaves the
    range of its measure. NaN where a method knows no width: t and the bootstrap, where all values are equal.
    """
    chosen = np.array(choose_methods(measures, values, counted, method))
    intervals = np.empty((*values.shape[::2], 2))
    for name in dict.fromkeys(chosen.tolist()):
        some = chosen == name
        those = [measure for measure, this in zip(measures, some, strict=True) if this]
        if name == "bootstrap":
            intervals[:, some] = bootstrap_bounds(those, values[..., some], counted[..., some], alpha, samples, seed)
        else:
            bounds, number = CLOSED[name](values[..., some], counted[..., some], alpha), counted[..., some].sum(1)
            intervals[:, some] = np.stack([combine(those, end * number, number) for end in bounds], axis=-1)
    ranged = [has_range(measure, values[..., place], counted[..., place]) for place, measure in enumerate(measures)]
    intervals = np.where(np.array(ranged)[:, None], np.clip(intervals, 0.0, 1.0), intervals)
    equal = np.where(counted, values, -np.inf).max(1) == np.where(counted, values, np.inf).min(1)
    without = (equal & (chosen != "wilson")) | (intervals[..., 0] >= intervals[..., 1])
    return np.where(without[..., None], np.nan, intervals)


def choose_methods(
    measures: Sequence[Measure], values: Array, counted: Array, method: IntervalMethod | None = None
) -> list[IntervalMethod]:
    """The method for each measure: the one that is asked for, else the default for its values[run, topic, measure].

    Raises
    ------
    InputError : Wilson's interval is asked for a measure whose values are not from 0 to 1.
    """
    shares = [
        measure.definition.aggregate == "mean" and has_range(measure, values[..., place], counted[..., place])
        for place, measure in enumerate(measures)
    ]
    if method == "wilson" and not all(shares):
        other = measures[shares.index(False)]
        raise InputError(f"method='wilson' is for means of values from 0 to 1, which {other} is not; use method='t'")
    return [method or DEFAULTS[share] for share in shares]


def has_range(measure: Measure, values: Array, counted: Array) -> bool:
    """Do the means of a measure lie between 0 and 1?

    Its definition says so; a user's definition may not, so all values[run, topic] are looked at, too.
    """
    definition = measure.definition
    if definition.aggregate == "geometric":  # the values are logarithms of numbers between 0 and 1
        return True
    inside = (values >= -ROUNDING) & (values <= 1 + ROUNDING)
    return definition.aggregate == "mean" and "bounded" not in definition.exempt and bool((inside | ~counted).all())


def wilson_bounds(values: Array, counted: Array, alpha: float) -> tuple[Array, Array]:
    """float64[run, measure], twice: Wilson's score interval for means of values[run, topic, measure] from 0 to 1.

    The variance of a value whose mean is mu is taken as phi mu (1 - mu): a share of the largest variance between 0 and
    1, which values 0 and 1 have. The bounds are the two mu with

        (mean - mu)^2 = z^2 / n * phi * mu (1 - mu)

    phi is found from the n topics, and from one more of the largest variance, as equal values are no proof:

        phi = (sum of (value - mean)^2 + mean (1 - mean)) / (n mean (1 - mean))

    and 1 where the mean is 0 or 1. For values 0 and 1 this is Wilson's interval, with phi = (n + 1)/n. As in Wilson's,
    z is the quantile of the normal distribution. Wilson (1927), Probable inference; phi: McCullagh & Nelder (1989),
    Generalized linear models, section 4.5.
    """
    number = counted.sum(1)
    mean = np.clip(ratio(np.where(counted, values, 0.0).sum(1), number), 0.0, 1.0)
    squares = np.where(counted, (values - mean[:, None]) ** 2, 0.0).sum(1)
    most = mean * (1 - mean)
    phi = np.where(most > 0, ratio(squares + most, number * most), 1.0)
    return score_bounds(mean, ratio(phi, number), alpha)


def score_bounds(mean: Array, share: Array, alpha: float) -> tuple[Array, Array]:
    """float64[...], twice: the two mu with (mean - mu)^2 = z^2 share mu (1 - mu), for a mean between 0 and 1."""
    from scipy.special import ndtri

    reach = ndtri(1 - alpha / 2) ** 2 * share
    centre = (mean + reach / 2) / (1 + reach)
    half = np.sqrt(reach * mean * (1 - mean) + reach**2 / 4) / (1 + reach)
    return centre - half, centre + half


def t_bounds(values: Array, counted: Array, alpha: float) -> tuple[Array, Array]:
    """float64[run, measure], twice: mean -+ t(n-1) s/sqrt(n) of values[run, topic, measure] over the n topics that are
    counted, two at least."""
    from scipy.special import stdtrit

    number = counted.sum(1)
    mean = ratio(np.where(counted, values, 0.0).sum(1), number)
    squares = np.where(counted, (values - mean[:, None]) ** 2, 0.0).sum(1)
    half = stdtrit(number - 1, 1 - alpha / 2) * np.sqrt(squares / (number - 1) / number)
    return mean - half, mean + half


def bootstrap_bounds(
    measures: Sequence[Measure], values: Array, counted: Array, alpha: float, samples: int, seed: int
) -> Array:
    """float64[run, measure, 2]: percentiles over resamples of the topics, the same for every run and measure.

    Resamples that leave no topic to average do not count.
    """
    total, number = weighted_totals(values, counted, draw(values.shape[1], samples, seed))
    return interval(np.where(number > 0, combine(measures, total, number), np.nan), alpha)


CLOSED: dict[str, Callable[[Array, Array, float], tuple[Array, Array]]] = {"wilson": wilson_bounds, "t": t_bounds}
"""The methods that are a formula: values[run, topic, measure], counted and alpha give both bounds of the mean."""
TITLES: dict[str, str] = {
    "wilson": "Wilson's score interval",
    "t": "Student's t",
    "bootstrap": "percentiles of {samples} bootstrap samples of the topics, seed {seed}",
}
FEW = 20
"""Topics below which it is said how often an interval holds, in the words of ``MISSES``."""
FEW_LOGARITHMS = 50
"""The same for a geometric mean, of which one topic without a find is far from the others."""
HELD = "95% intervals over 10 topics held the true mean of public runs in"
MISSES = {
    "wilson": "97% of the draws, of the worst run in 83%; narrower ones miss more (docs/inference/width-of-means.md)",
    "geometric": "92% of the draws, of the worst run in 65%",
    "sum": "92% of the draws, of the worst run in 83%",
    "t": "93% of the draws, of the worst run in 80%",
    "bootstrap": "85% of the draws, of the worst run in 10%",
}
"""What the bench counted of nominal 95%, by the way in which topics are put together where that is no mean, else by the
method: Wilson's of all measures from 0 to 1, gmAP, counts (NumRelRet), and of the others with Student's t DCG@10, which
has no range."""


def describe_intervals(
    measures: Sequence[Measure],
    methods: Sequence[IntervalMethod],
    bounds: Array,
    topics: int,
    alpha: float,
    samples: int,
    seed: int,
) -> list[str]:
    """How bounds[run, measure, 2] came about, which measures have none for some runs, and which miss too often."""
    by_method: dict[str, list[str]] = {}
    for measure, method in zip(measures, methods, strict=True):
        by_method.setdefault(method, []).append(str(measure))
    titles = {method: TITLES[method].format(samples=samples, seed=seed) for method in by_method}
    first, *others = by_method
    shown = "; ".join([titles[first], *(f"{titles[name]} for {', '.join(by_method[name])}" for name in others)])
    said = [f"intervals: {100 * (1 - alpha):g}% confidence over topics, {shown}"]
    lacking = [str(measure) for place, measure in enumerate(measures) if np.isnan(bounds[:, place]).any()]
    if lacking:
        said.append(f"no interval where all topics have the same value: {', '.join(lacking)}")
    missing: dict[str, list[str]] = {}
    for measure, method in zip(measures, methods, strict=True):
        aggregate = measure.definition.aggregate
        kind = aggregate if method == "t" and aggregate in MISSES else method
        few = FEW_LOGARITHMS if kind == "geometric" else FEW
        if topics < few and str(measure) not in lacking:
            missing.setdefault(kind, []).append(str(measure))
    return [*said, *(f"{', '.join(names)}: {HELD} {MISSES[kind]}" for kind, names in missing.items())]
