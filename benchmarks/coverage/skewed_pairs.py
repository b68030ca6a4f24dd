"""Where do tests of all pairs find what is not there? Student's t with Holm beside step-down maxima of resamples.

    python benchmarks/coverage/skewed_pairs.py [--draws 200] [--runs 10]

As in tests_of_pairs.py, whose sources these are: designs, and the errors of runs of real collections, by measures of
many and of few values. FWER: the share of the draws in which a pair of runs with equal means is told apart. Power: the
share of the pairs of halves that are found, where the second half of the runs is worse.

The step-down procedures (Romano & Wolf 2005) correct by the largest t of all pairs that are not told apart yet, in
resamples of the topics' signs, or of the topics. t is studentised in each.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from counting import Array, markdown, standard_error
from populations import Population, designs, real
from tests_of_pairs import ALPHA, centred, shares

from gradeval.formula.aggregation import draw
from gradeval.formula.arithmetic import SAME, ratio
from gradeval.studies.best import find_best_runs
from gradeval.studies.sign_flips import draw_signs, flip_signs
from gradeval.studies.significance import TESTS, all_pairs, differences_of, holm
from gradeval.studies.skewed_differences import SKEWED, share_alike, skewness

TOPICS = (10, 30, 50)
WORSE = {10: 1.0, 30: 0.6, 50: 0.45}
"""By how many standard deviations of the errors the second half of the runs is worse, by the number of topics."""
MEASURES = ("AP", "nDCG@10", "GAP", "P@10", "RR", "ERR@20")
RESAMPLES = 500
CONSTANT = ", RR"
"""Sources that stand apart: nearly all topics have one value, so that less their means runs differ by a constant."""
HOLDS = 0.08
"""What t may err in a source that is called one in which it holds: .05 and two standard errors."""


def sources(runs: int, worse: float) -> list[Population]:
    """The designs, and real errors."""
    return [*designs(runs, min(worse, 0.9)), *(centred(each, runs, worse) for each in real(MEASURES, matrices=()))]


def step_down(observed: Array, drawn: Array) -> Array:
    """float64[pair]: corrected p values from the largest drawn[draw, pair] of the pairs that are no further ahead."""
    order = np.argsort(observed, kind="stable")
    largest = np.maximum.accumulate(drawn[:, order], axis=1)
    p = (1 + (largest >= observed[order] * (1 - SAME)).sum(0)) / (1 + len(drawn))
    corrected = np.empty(len(p))
    corrected[order] = np.maximum.accumulate(p[::-1])[::-1]
    return corrected


def squared_share(means: Array, squares: Array) -> Array:
    """M^2/Q of the means and the mean squares of differences, which grows with t^2."""
    return np.where(squares > SAME**2, ratio(np.square(means), np.maximum(squares, SAME**2)), 0.0)


def by_signs(values: Array, differences: Array) -> Array:
    """Of each topic's differences as they are, or all turned round."""
    topics = len(values)
    signs = draw_signs(topics, RESAMPLES, 0)
    squares = np.square(differences).mean(1)
    return step_down(
        squared_share(differences.mean(1), squares), squared_share(signs @ differences.T / topics, squares)
    )


def by_topics(values: Array, differences: Array) -> Array:
    """Of the topics, with replacement, of the differences less their mean."""
    topics = len(values)
    shares_of = draw(topics, RESAMPLES, 0) / topics
    deviations = differences - differences.mean(1, keepdims=True)
    drawn = squared_share(shares_of @ deviations.T, shares_of @ np.square(deviations).T)
    return step_down(squared_share(differences.mean(1), np.square(differences).mean(1)), drawn)


def by_t(values: Array, differences: Array) -> Array:
    """Student's t, corrected by Holm."""
    return holm(TESTS["t"](differences, 0, 0))


def by_skewness(values: Array, differences: Array) -> Array:
    """The bootstrap where differences are so skewed that a note says so, else t."""
    return (by_topics if skewness(values) > SKEWED else by_t)(values, differences)


PROCEDURES: dict[str, Callable[[Array, Array], Array]] = {
    "t, holm": by_t,
    "signs, step-down": by_signs,
    "bootstrap, step-down": by_topics,
    "bootstrap where skewed, else t, holm": by_skewness,
}


def count(population: Population, topics: int, draws: int) -> tuple[dict[str, tuple[float, float]], float]:
    """By procedure the share of draws with a false finding and the power; how often differences are called skewed."""
    pairs, noted = all_pairs(len(population.truth)), []
    signs: dict[str, list[Array]] = {name: [] for name in PROCEDURES}
    for values in population.samples(topics, draws):
        differences = differences_of(values, pairs)
        noted.append(skewness(values) > SKEWED)
        for name, procedure in PROCEDURES.items():
            found = procedure(values, differences) <= ALPHA
            signs[name].append(np.sign(differences.mean(1)) * found)
    kept = {name: shares(population.truth, np.stack(each)) for name, each in signs.items()}
    return {name: (wrong, power) for name, (wrong, _, power) in kept.items()}, float(np.mean(noted))


def section(samples: int, runs: int = 10) -> str:
    """A row a procedure and number of topics, then of t with Holm a row a source, and by the number of runs."""
    draws = max(20, samples // 5)
    rows: list[list[object]] = []
    of_t: dict[str, list[str]] = {}
    for topics in TOPICS:
        equal = {source.name: count(source, topics, draws) for source in sources(runs, 0.0)}
        halves = {source.name: count(source, topics, draws)[0] for source in sources(runs, WORSE[topics])}
        judged = [source for source in equal if not source.endswith(CONSTANT)]
        holding = [source for source in judged if equal[source][0]["t, holm"][0] <= HOLDS]
        for name in PROCEDURES:
            wrong = {source: equal[source][0][name][0] for source in judged}
            worst = max(wrong, key=wrong.__getitem__)
            powers = [float(np.mean([halves[source][name][1] for source in each])) for each in (judged, holding)]
            rows.append([name, str(topics), float(np.mean([*wrong.values()])), f"{wrong[worst]:.3f} {worst}", *powers])
        for source, (found, noted) in equal.items():
            of_t.setdefault(source, []).extend([f"{found['t, holm'][0]:.3f}", f"{noted:.2f}"])
    rows.sort(key=lambda row: list(PROCEDURES).index(str(row[0])))
    said = (
        f"All pairs of {runs} runs at level {ALPHA}; {draws} draws of each source, standard error of .05 in one of "
        f"them\n{standard_error(0.05, draws):.3f}; {RESAMPLES} resamples. Means and the worst are without RR. The last "
        f"column\nis over the sources in which t with Holm erred in {HOLDS} or less."
    )
    titles = ["source", *(title for topics in TOPICS for title in (f"FWER, {topics}", f"noted, {topics}"))]
    parts = [
        said,
        markdown(["test", "topics", "FWER, mean", "FWER, worst source", "power, mean", "where t holds"], rows),
        "t with Holm by source, and in which share of the draws differences are skewed beyond the bound of the note:",
        markdown(titles, ([name, *cells] for name, cells in of_t.items())),
        "The same by the number of runs, over 10 topics:",
        by_runs(draws),
        with_best(runs, draws),
    ]
    return "\n\n".join(parts)


def with_best(runs: int, draws: int) -> str:
    """How often a run as good as the best is called outside the set of the best, by the baseline "best"; and which
    share of a run's values is one and the same, by which RR stands apart."""
    rows: list[list[object]] = []
    for whole in [*designs(runs, 0.0), *real(MEASURES, matrices=())]:
        source, alike = whole, ""
        if whole.values is not None:
            source = centred(whole, runs, 0.0)
            among = whole.values[:, np.linspace(0, len(whole.truth) - 1, runs).astype(int)]
            alike = f"{share_alike(among):.2f}"
        row: list[object] = [source.name, alike]
        for topics in TOPICS:
            drawn = [flip_signs(values, RESAMPLES, 0) for values in source.samples(topics, draws)]
            row.append(float(np.mean([~find_best_runs(one, ALPHA).inside for one in drawn])))
        rows.append(row)
    said = (
        f'Comparisons with the best, {draws} draws: the share of {runs} equally good runs that the baseline "best" '
        "marks as not\nthe best. Alike: of a run's values, which share is its most frequent one, mean over runs."
    )
    return said + "\n\n" + markdown(["source", "alike", *(f"marked, {topics}" for topics in TOPICS)], rows)


def by_runs(draws: int) -> str:
    """t with Holm where differences are skewed, by the number of runs."""
    numbers = (2, 3, 4, 5, 10)
    rows = []
    for name in ("skewed", "trec-covid-r5, ERR@20"):
        found = []
        for runs in numbers:
            source = next(each for each in sources(runs, 0.0) if each.name == name)
            pairs, wrong = all_pairs(len(source.truth)), []
            for values in source.samples(10, 2 * draws):
                wrong.append(by_t(values, differences_of(values, pairs)).min() <= ALPHA)
            found.append(float(np.mean(wrong)))
        rows.append([name, *found])
    return markdown(["source", *(f"{runs} runs" for runs in numbers)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    print(section(5 * options.draws, options.runs))


if __name__ == "__main__":
    main()
