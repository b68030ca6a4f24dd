"""How often do intervals of means hold the true mean? On all populations, by several methods.

    python benchmarks/coverage/means.py [--samples 1000] [--resampled 100] [--alpha 0.05]

Prints a table for each number of topics, a row a method, then the default by measure. ``t``, ``wilson`` and
``bootstrap`` are those of ``Scores.ci``; beside them other bootstraps, whose coverage was no reason to offer them:
studentised and BCa (Efron & Tibshirani 1993, chapters 12 and 14) and smooth (Bowyer et al. 2025, arXiv 2503.01747).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import get_args

import numpy as np
from counting import Array, Coverage, count, markdown, standard_error
from populations import NUMBERS_OF_TOPICS, Population, designs, real
from scipy.special import ndtr, ndtri, stdtrit

from gradeval.formula.aggregation import draw
from gradeval.scores.intervals import IntervalMethod, score_bounds, t_bounds, wilson_bounds

Bounds = tuple[Array, Array]
RESAMPLES = 1000
FORM = 10
"""Topics at which the form of intervals is shown."""
TITLES = ("method", "mean", "worst measure", "worst run", "width", "zero width", "bounds outside")


def closed(formula: Callable[..., Bounds], values: Array, alpha: float) -> Bounds:
    """Bounds[sample, run] of values[sample, topic, run] by a formula of the library."""
    return formula(values, np.ones(values.shape, bool), alpha)


def clipped_t(values: Array, alpha: float, bounded: bool) -> Bounds:
    low, high = closed(t_bounds, values, alpha)
    return (np.clip(low, 0, 1), np.clip(high, 0, 1)) if bounded else (low, high)


def wilson(values: Array, alpha: float, bounded: bool) -> Bounds:
    return closed(wilson_bounds, values, alpha)


def default(values: Array, alpha: float, bounded: bool) -> Bounds:
    return wilson(values, alpha, bounded) if bounded else clipped_t(values, alpha, bounded)


def resampled(one: Callable[[Array, Array, float], Bounds]) -> Callable[[Array, float, bool], Bounds]:
    """A method of values[topic, run] and of weights[resample, topic], for values[sample, topic, run]."""

    def bounds(values: Array, alpha: float, bounded: bool) -> Bounds:
        weights = draw(values.shape[1], RESAMPLES, 0)
        found = [one(sample, weights, alpha) for sample in values]
        low, high = (np.stack(each) for each in zip(*found, strict=True))
        return low, high

    return bounds


def percentile(values: Array, weights: Array, alpha: float) -> Bounds:
    low, high = np.quantile(weights @ values / len(values), [alpha / 2, 1 - alpha / 2], axis=0)
    return low, high


def studentised(values: Array, weights: Array, alpha: float) -> Bounds:
    """Percentiles of (mean* - mean) / s*, times s; where s* is 0, s* is a thousandth of s."""
    mean, spread = values.mean(0), values.std(0)
    means = weights @ values / len(values)
    spreads = np.sqrt(np.maximum(weights @ values**2 / len(values) - means**2, 0))
    scaled = (means - mean) / np.maximum(np.maximum(spreads, spread / 1000), 1e-12)
    low, high = np.quantile(scaled, [alpha / 2, 1 - alpha / 2], axis=0)
    return mean - high * spread, mean - low * spread


def bca(values: Array, weights: Array, alpha: float) -> Bounds:
    """Percentiles corrected for bias and acceleration."""
    mean = values.mean(0)
    means = np.sort(weights @ values / len(values), axis=0)
    below = (means < mean).mean(0) + (means == mean).mean(0) / 2
    bias = ndtri(np.clip(below, 1 / RESAMPLES, 1 - 1 / RESAMPLES))
    deviations = values - mean
    cubes = np.maximum((deviations**2).sum(0), 1e-12) ** 1.5
    acceleration = (deviations**3).sum(0) / (6 * cubes)
    found = []
    for tail in (alpha / 2, 1 - alpha / 2):
        moved = bias + ndtri(tail)
        share = ndtr(bias + moved / (1 - acceleration * moved))
        place = np.clip((share * RESAMPLES).astype(int), 0, RESAMPLES - 1)
        found.append(np.take_along_axis(means, place[None], 0)[0])
    return found[0], found[1]


def smooth(values: Array, weights: Array, alpha: float) -> Bounds:
    """Percentiles after normal noise on each drawn value, of the width of Silverman's rule."""
    topics = len(values)
    noise = np.random.default_rng(1).normal(size=(len(weights), 1)) / np.sqrt(topics)
    means = weights @ values / topics + 1.06 * values.std(0, ddof=1) * topics**-0.2 * noise
    low, high = np.quantile(means, [alpha / 2, 1 - alpha / 2], axis=0)
    return low, high


METHODS: dict[str, Callable[[Array, float, bool], Bounds]] = {"wilson": wilson, "t": clipped_t}
RESAMPLING = {
    "bootstrap": resampled(percentile),
    "studentised": resampled(studentised),
    "BCa": resampled(bca),
    "smooth": resampled(smooth),
}


def counted(
    population: Population, topics: int, samples: int, method: Callable[[Array, float, bool], Bounds], alpha: float
) -> Coverage:
    """How often the intervals of a method hold the means of a population."""
    values = np.stack(list(population.samples(topics, samples)))
    low, high = method(values, alpha, population.is_bounded)
    return count(low, high, population.truth, bounded=population.is_bounded)


def summary(name: str, found: Sequence[tuple[str, Coverage]]) -> Iterator[object]:
    """A row: the mean over populations and runs, the measure and the run that are worst, and what is wrong in form."""
    by_measure: dict[str, list[float]] = {}
    for measure, coverage in found:
        by_measure.setdefault(measure, []).append(coverage.mean)
    means = {measure: float(np.mean(each)) for measure, each in by_measure.items()}
    worst = min(means, key=means.__getitem__)
    yield name
    yield float(np.mean([coverage.mean for _, coverage in found]))
    yield f"{means[worst]:.3f} {worst}"
    run = min(found, key=lambda pair: pair[1].worst)
    yield f"{run[1].worst:.3f} {run[0]}"
    yield float(np.nanmean([coverage.width for _, coverage in found]))
    yield float(np.mean([coverage.zero for _, coverage in found]))
    yield float(np.mean([coverage.outside for _, coverage in found]))


def table(populations: Iterable[Population], topics: int, samples: int, resampled: int, alpha: float) -> str:
    """All methods that fit the populations, at a number of topics."""
    among = list(populations)
    bounded = among[0].is_bounded
    methods = {name: (method, samples) for name, method in METHODS.items() if bounded or name != "wilson"}
    methods |= {name: (method, resampled) for name, method in RESAMPLING.items() if resampled}
    rows = []
    for name, (method, number) in methods.items():
        found = [(str(each.measure), counted(each, topics, number, method, alpha)) for each in among]
        rows.append(list(summary(name, found)))
    return markdown(TITLES, rows)


def by_measure(populations: Iterable[Population], samples: int, alpha: float) -> str:
    """Mean coverage and that of the worst run by the default, a row a measure."""
    found: dict[str, dict[int, list[Coverage]]] = {}
    for each in populations:
        for topics in NUMBERS_OF_TOPICS:
            coverage = counted(each, topics, samples, default, alpha)
            found.setdefault(str(each.measure), {}).setdefault(topics, []).append(coverage)
    titles = ["measure", *(f"{topics} topics" for topics in NUMBERS_OF_TOPICS)]
    rows = [
        [
            measure,
            *(f"{np.mean([c.mean for c in each]):.3f} / {min(c.worst for c in each):.3f}" for each in by.values()),
        ]
        for measure, by in found.items()
    ]
    return markdown(titles, rows)


def lighter(extra: float) -> Callable[[Array, float, bool], Bounds]:
    """Wilson's interval with t for z, and so many topics more of the largest variance: 1 and z are the default."""

    def bounds(values: Array, alpha: float, bounded: bool) -> Bounds:
        topics = values.shape[1]
        mean = np.clip(values.mean(1), 0, 1)
        most = mean * (1 - mean)
        squares = np.square(values - mean[:, None]).sum(1) * topics / (topics - 1)
        phi = np.where(most > 0, (squares + extra * most) / np.maximum(topics * most, 1e-300), 1.0)
        level = 2 * ndtr(-stdtrit(topics - 1, 1 - alpha / 2))
        return score_bounds(mean, phi / topics, level)

    return bounds


KINDS = {
    "of all ranks": ("AP", "AP(rel=2)", "nDCG", "GAP", "Q", "Bpref"),
    "of the first ranks": ("nDCG@10", "nDCG@20", "RBP", "ERR@20", "P@10"),
    "of few values": ("RR", "RR(rel=2)", "P@5", "P@1", "P(rel=2)@1", "Success@5", "Success(rel=2)@5", "Success@10"),
}
"""Measures from 0 to 1 by how their values vary."""
CANDIDATES = {"wilson": wilson, "t": clipped_t}
CANDIDATES |= {f"wilson by t, {extra:g} topics more": lighter(extra) for extra in (1, 0.5, 0.25, 0)}
LEAST = {10: 0.90, 20: 0.92, 30: 0.92, 50: 0.92}
"""The coverage of the worst run that an interval should have."""


def by_kind(populations: Iterable[Population], samples: int) -> str:
    """A row a kind of measure and a method: coverage, mean and of the worst run, and the width as a share of t's."""
    among, rows = list(populations), []
    for kind, names in KINDS.items():
        those = [each for each in among if str(each.measure) in names]
        widths: dict[int, float] = {}
        table = {}
        for name in ("t", *(one for one in CANDIDATES if one != "t")):
            cells, holds = [], True
            for topics, least in LEAST.items():
                found = [counted(each, topics, samples, CANDIDATES[name], 0.05) for each in those]
                width, worst = float(np.mean([one.width for one in found])), min(one.worst for one in found)
                widths.setdefault(topics, width)
                holds &= worst >= least
                cells.append(f"{np.mean([one.mean for one in found]):.3f} / {worst:.2f}, {width / widths[topics]:.2f}")
            table[name] = [kind, f"`{name}`" if name in METHODS else name, *cells, "yes" if holds else "no"]
        rows += [table[name] for name in CANDIDATES]
    return markdown(["measures", "method", *(f"{topics} topics" for topics in LEAST), "holds"], rows)


def section_of_kinds(samples: int) -> str:
    """What docs/inference/width-of-means.md shows."""
    draws = samples // 2
    said = (
        f"{draws:,} draws, standard error of one run's coverage {standard_error(0.95, draws):.3f}: mean / worst run, "
        "width as a share of t's.\nHolds: the worst run in .90 over 10 topics, in .92 over more."
    )
    return f"{said}\n\n{by_kind((each for each in real() if each.is_bounded), draws)}"


def section(samples: int) -> str:
    """What docs/inference/means.md shows: all methods where values are from 0 to 1, then the default by measure."""
    everything = list(real())
    among = [each for each in everything if each.is_bounded]
    rows = []
    for name, method in {**METHODS, **RESAMPLING}.items():
        number = samples if name in METHODS else max(10, samples // 20)
        cells = []
        for topics in NUMBERS_OF_TOPICS:
            found = [counted(each, topics, number, method, 0.05) for each in among]
            cells.append(f"{np.mean([each.mean for each in found]):.3f} / {min(each.worst for each in found):.2f}")
            if topics == FORM:
                form = [float(np.mean([each.zero for each in found])), float(np.mean([each.outside for each in found]))]
        rows.append([f"`{name}`" if name in get_args(IntervalMethod) else name, *cells, *form])
    titles = ["method", *(f"{topics} topics" for topics in NUMBERS_OF_TOPICS), "zero width", "outside"]
    runs = sum(len(each.truth) for each in among)
    errors = [f"{standard_error(0.95, number):.3f}" for number in (samples, max(10, samples // 20))]
    said = [
        f"Coverage over {len(among)} pairs of measure and collection with {runs:,} runs in all: mean / worst run.",
        f"Then the shares of intervals of zero width and of bounds outside 0 to 1, at {FORM} topics.",
        f"{samples:,} draws; methods that resample have a twentieth;",
        f"the standard error of one run's coverage is {errors[0]} and {errors[1]}.",
    ]
    parts = ["\n".join(said), markdown(titles, rows), "The default by measure:", by_measure(everything, samples, 0.05)]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000, help="of topics")
    parser.add_argument("--resampled", type=int, default=100, help="of topics, for methods that resample")
    parser.add_argument("--alpha", type=float, default=0.05)
    options = parser.parse_args()
    how = options.samples, options.resampled, options.alpha
    everything = list(real())
    groups = {
        "Real, values from 0 to 1": [each for each in everything if each.is_bounded],
        "Real, no range": [each for each in everything if not each.is_bounded],
        "Designs, values from 0 to 1": [each for each in designs(20) if each.is_bounded],
        "Designs, no range": [each for each in designs(20) if not each.is_bounded],
    }
    for title, populations in groups.items():
        for topics in NUMBERS_OF_TOPICS:
            print(f"{title}, {topics} topics\n\n{table(populations, topics, *how)}\n", flush=True)
    print(
        f"The default by measure: mean coverage / worst run\n\n{by_measure(everything, options.samples, options.alpha)}"
    )


if __name__ == "__main__":
    main()
