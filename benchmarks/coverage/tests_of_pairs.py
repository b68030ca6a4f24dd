"""How often do the tests of ``compare`` find what is not there, and what is? Every test with every correction.

    python benchmarks/coverage/tests_of_pairs.py [--draws 200] [--runs 10]

All pairs of runs are tested at level 0.05. Where all means are equal, every finding is false: FWER is the share of the
draws with any. Where the second half of the runs is worse, FDR is the mean share of the findings that are false (pairs
within a half, and pairs of halves in the wrong order), and power the share of the pairs of halves that are found.
Beside the designs stand real errors: the runs of a collection, each less its own mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from counting import Array, markdown, standard_error
from populations import Population, designs, finite, real

from gradeval.studies.significance import (
    CORRECTIONS,
    TESTS,
    all_pairs,
    differences_of,
    shuffles,
    tukey_spreads,
    tukey_tests,
)

ALPHA = 0.05
SAMPLES = 1000
TOPICS = (10, 30)
WORSE = {10: 1.0, 30: 0.6}
"""By how many standard deviations of the errors the second half of the runs is worse, by the number of topics."""
RANKED = "wilcoxon"
"""Left out where most values are tied: SciPy then goes through all signs of each pair, which takes seconds."""
REAL = ("AP", "nDCG@10", "ERR@20")
SHAKE = 1e-4
"""Added to a real topic, as standard deviation: one that is drawn twice would else tie, which real topics do not."""


def centred(population: Population, runs: int, worse: float) -> Population:
    """Some runs of a collection with equal means, or the second half of them worse, in standard deviations of pairs."""
    assert population.values is not None
    among = population.values[:, np.linspace(0, len(population.truth) - 1, runs).astype(int)]
    errors = among - among.mean(0)
    spread = (errors[:, 1:] - errors[:, :-1]).std() / np.sqrt(2)
    shifted = errors - worse * spread * (np.arange(runs) >= runs / 2)
    drawn = finite(f"{population.name}, {population.measure}", population.measure, shifted)

    def draw(topics: int, rng: np.random.Generator) -> Array:
        return drawn.draw(topics, rng) + SHAKE * rng.normal(size=(topics, len(drawn.truth)))

    return replace(drawn, draw=draw)


def sources(runs: int, worse: float) -> list[Population]:
    """The designs, and real errors."""
    collections = real(REAL, ("trec-dl21-passage", "trec-covid-r5"), ())
    return [*designs(runs, min(worse, 0.9)), *(centred(each, runs, worse) for each in collections)]


def tukey(values: Array, pairs: Array) -> Array:
    """p values of the randomised Tukey test, as ``compare`` has them."""
    spreads = tukey_spreads(values, shuffles(values.shape, SAMPLES, 0))
    return (tukey_tests(values, pairs, spreads) * SAMPLES + 1) / (SAMPLES + 1)


def of_differences(name: str, values: Array, pairs: Array) -> Array:
    """p values of a test of the differences of each pair."""
    return TESTS[name].function(differences_of(values, pairs), SAMPLES, 0, lambda _: None)


PROCEDURES: dict[str, tuple[Callable[[Array, Array], Array], tuple[str, ...]]] = {
    **{name: (partial(of_differences, name), ("none", "bonferroni", "holm", "bh")) for name in TESTS},
    "tukey-hsd": (tukey, ("none",)),
}
"""By test: its p values of values[topic, run] and pairs, and the corrections that it takes."""


def found(population: Population, topics: int, draws: int) -> Iterator[tuple[str, Array]]:
    """By test and correction: float64[draw, pair], 1 where the first run is found better, -1 where the second is."""
    pairs = all_pairs(len(population.truth))
    signs: dict[str, list[Array]] = {}
    for values in population.samples(topics, draws):
        means = values.mean(0)
        better = np.sign(means[pairs[:, 0]] - means[pairs[:, 1]])
        tied = len(np.unique(values)) < values.size / 2
        for test, (procedure, corrections) in PROCEDURES.items():
            if tied and test == RANKED:
                continue
            p = procedure(values, pairs)
            for correction in corrections:
                shown = f"{test}, {correction}" if len(corrections) > 1 else test
                signs.setdefault(shown, []).append(better * (CORRECTIONS[correction](p) <= ALPHA))
    yield from ((name, np.stack(each)) for name, each in signs.items())


def shares(truth: Array, signs: Array) -> tuple[float, float, float]:
    """The share of draws with a false finding, the mean share of false ones, and that of true differences found."""
    pairs = all_pairs(len(truth))
    gaps = truth[pairs[:, 0]] - truth[pairs[:, 1]]
    right = np.where(np.abs(gaps) < 1e-9, 0, np.sign(gaps))
    false = ((signs != 0) & (signs != right)).sum(1)
    number = (signs != 0).sum(1)
    real_ones = right != 0
    power = float((signs[:, real_ones] == right[real_ones]).mean()) if real_ones.any() else 0.0
    return float((false > 0).mean()), float((false / np.maximum(number, 1)).mean()), power


def section(samples: int, runs: int = 10) -> str:
    """A row a test and correction: mean over the sources, and the worst."""
    draws = max(20, samples // 5)
    cells: dict[str, list[str]] = {}
    for topics in TOPICS:
        equal: dict[str, dict[str, float]] = {}
        halves: dict[str, dict[str, tuple[float, float]]] = {}
        for source in sources(runs, 0.0):
            for name, signs in found(source, topics, draws):
                equal.setdefault(name, {})[source.name] = shares(source.truth, signs)[0]
        for source in sources(runs, WORSE[topics]):
            for name, signs in found(source, topics, draws):
                halves.setdefault(name, {})[source.name] = shares(source.truth, signs)[1:]
        for name, by_source in equal.items():
            worst = max(by_source, key=by_source.__getitem__)
            without = [share for source, share in by_source.items() if source != "skewed"]
            rates = [rate for rate, _ in halves[name].values()]
            powers = [power for _, power in halves[name].values()]
            cells.setdefault(name, []).extend(
                [
                    f"{np.mean(without):.3f}",
                    f"{by_source[worst]:.3f} {worst}",
                    f"{np.mean(rates):.3f} / {max(rates):.3f}",
                    f"{np.mean(powers):.3f}",
                ]
            )
    titles = ["test, correction"]
    titles += [f"{what}, {topics}" for topics in TOPICS for what in ("FWER", "worst", "FDR / worst", "power")]
    said = [
        f"All pairs of {runs} runs at level {ALPHA}, {TOPICS[0]} and {TOPICS[1]} topics.",
        'FWER: any finding where all means are equal: mean without "skewed" (exponential errors), and worst.',
        f"FDR and power: half of the runs worse by {WORSE[10]} and {WORSE[30]} standard deviations, mean (and worst).",
        f"{draws} draws of each source (wilcoxon: without sources of few values); standard error of .05 in one of them "
        f"{standard_error(0.05, draws):.3f}.",
    ]
    return "\n".join(said) + "\n\n" + markdown(titles, ([name, *row] for name, row in cells.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    print(section(5 * options.draws, options.runs))


if __name__ == "__main__":
    main()
