"""How often do the intervals of rank and the set of the runs that may be the best hold, and how wide are they?

Prints a line for each population and number of topics, and writes the same as tsv: in which share of the collections
all intervals of rank hold (``ranks``), which share of the pairs they put in an order, how often the best run is in
the set (``best``), how many runs are (``set``), each beside the same by Bonferroni's t (``, t``); the critical value
for all pairs as a share of Bonferroni's; in which share all lower bounds of the distances to the best hold
(``behind``), how many of them are above 0; how often the interval of the distance of a run holds (mean, and the worst
run).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from counting import markdown, standard_error
from populations import Array, Population, designs, real
from scipy.stats import t

from gradeval.studies.best import find_best_runs
from gradeval.studies.ranks import certainly_before
from gradeval.studies.sign_flips import critical_value, flip_signs
from gradeval.studies.skewed_differences import SKEWED, skewness

ALPHA = 0.05
DRAWS = 500
MEASURES = ("AP", "nDCG@10", "GAP", "RR", "P@1", "Success@10")


def look(population: Population, values: Array) -> Iterator[tuple[str, float | Array]]:
    """What holds, and how much is said, in one sample of the topics."""
    truth, topics = population.truth, len(values)
    runs, pairs = len(truth), len(truth) * (len(truth) - 1) / 2
    flipped = flip_signs(values, DRAWS, 0)
    found = find_best_runs(flipped, ALPHA)
    no_better = truth[:, None] <= truth + 1e-12
    statistic = flipped.differences.t
    before = {"": certainly_before(flipped, found, ALPHA), ", t": statistic > t.isf(ALPHA / pairs / 2, topics - 1)}
    inside = {"": found.inside, ", t": ~(statistic > t.isf(ALPHA / (runs - 1) / 2, topics - 1)).any(0)}
    best, distance = truth >= truth.max() - 1e-12, truth.max() - truth
    for name, one in before.items():
        yield f"ranks{name}", not (one & no_better).any()
        yield f"ordered{name}", one.sum() / pairs
        yield f"best{name}", inside[name][best].mean()
        yield f"set{name}", inside[name].sum()
    yield "critical / t", critical_value(flipped.plain.max(0), ALPHA, topics) / t.isf(ALPHA / pairs / 2, topics - 1)
    yield "behind", bool((found.behind <= distance + 1e-12).all())
    yield "above 0", (found.behind > 0).mean()
    yield "distances", (found.lower <= distance + 1e-12) & (found.upper >= distance - 1e-12)
    yield "skewness", skewness(values)
    yield "noted", skewness(values) > SKEWED


SIZES = ((10, 10), (10, 50), (60, 10), (60, 20), (60, 50))
"""Runs and topics of the designs."""
SHOWN = {"normal": "normal", "correlated": "neighbours correlate by .9", "families": "families that correlate by .96"}
SHOWN |= {"skewed": "**exponential, sd .2 to 2**", "reciprocal ranks": "reciprocal ranks", "binary": "successes"}


def section(samples: int) -> str:
    """Designs of equal means, then the real populations, of which the worst of each kind is shown."""
    titles = ["errors", "runs x topics", "ranks", "by Bonferroni's t", "critical value", "best", "noted"]
    rows = []
    for runs, topics in SIZES:
        many = samples if runs == 10 else samples // 4
        for population in designs(runs):
            means = {name: np.mean(one) for name, one in look_often(population, topics, many).items()}
            said = [f"{means[name]:.3f}" for name in ("ranks", "ranks, t")]
            said += [f"{means['critical / t']:.2f}", f"{means['best']:.3f}", f"{means['noted']:.2f}"]
            rows.append([SHOWN[population.name], f"{runs} x {topics}", *said])
    rows.sort(key=lambda row: list(SHOWN.values()).index(row[0]))
    error = max(standard_error(0.95, many) for many in (samples, samples // 4))
    of_designs = (
        f"{samples:,} collections of 10 runs, {samples // 4:,} of 60; standard error of .95 at most {error:.3f}."
    )
    return f"{of_designs}\n\n{markdown(titles, rows)}\n\n{section_of_real(samples // 20)}"


def section_of_real(samples: int) -> str:
    """Over all real populations, by the number of topics: the mean and the worst."""
    titles = ["topics", "ranks", "ranks, worst", "best", "best, worst", "behind, worst", "distance, worst run"]
    titles += ["pairs in order", "by Bonferroni's t"]
    rows = []
    for topics in (10, 20, 50):
        found = [look_often(one, topics, samples) for one in real(MEASURES)]
        means = {name: [np.mean(one[name]) for one in found] for name in ("ranks", "best", "behind")}
        run = min(np.mean(one["distances"], axis=0).min() for one in found)
        ordered = [np.mean([np.mean(one[name]) for one in found]) for name in ("ordered", "ordered, t")]
        both = [f(means[name]) for name in ("ranks", "best") for f in (np.mean, np.min)]
        rows.append([str(topics), *(f"{value:.3f}" for value in (*both, min(means["behind"]), run, *ordered))])
    return f"Real populations, {len(found)} of them, {samples} draws each.\n\n{markdown(titles, rows)}"


def look_often(population: Population, topics: int, samples: int) -> dict[str, list[float | Array]]:
    """What ``look`` finds in so many samples of the topics, by name."""
    looked: dict[str, list[float | Array]] = {}
    for values in population.samples(topics, samples):
        for name, value in look(population, values):
            looked.setdefault(name, []).append(value)
    return looked


def populations(options: argparse.Namespace) -> Iterator[Population]:
    """Those of a kind: real, or designs of some numbers of runs, whose means are equal or not."""
    if options.kind == "real":
        yield from real(MEASURES)
    else:
        for runs in options.runs:
            for worse in options.worse:
                yield from designs(runs, worse)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["real", "designs"])
    parser.add_argument("--collections", type=int, default=200)
    parser.add_argument("--topics", type=int, nargs="*", default=[10, 20, 50])
    parser.add_argument("--runs", type=int, nargs="*", default=[10, 60], help="of designs")
    worse = "by how much half of the runs of a design is worse; 0: all means are equal"
    parser.add_argument("--worse", type=float, nargs="*", default=[0.0, 0.2], help=worse)
    parser.add_argument("--only", default="", help="populations whose name has this")
    parser.add_argument("-o", type=Path, help="the same lines as tsv")
    options = parser.parse_args()
    rows: list[dict[str, str]] = []
    for population in populations(options):
        if options.only not in population.name:
            continue
        for topics in options.topics:
            looked = look_often(population, topics, options.collections)
            worst = np.mean(looked["distances"], axis=0).min()
            means = {name: f"{np.mean(values):.3f}" for name, values in looked.items()} | {"worst run": f"{worst:.3f}"}
            name = f"{population.name} {population.measure}, {len(population.truth)} runs, {topics} topics"
            rows.append({"population": name, **means})
            print(name, *(f"{key} {value}" for key, value in means.items()), sep="; ", flush=True)
    if options.o:
        with options.o.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter="\t")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
