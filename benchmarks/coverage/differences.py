"""How often does an interval of a difference between two measures hold the true difference?

    python benchmarks/coverage/differences.py [--samples 1000]

Collections are drawn at random: the value of a run for a topic is the quality of the run, the difficulty of the topic,
noise that the measures share, and noise of each measure's own, of which A has less than B. Beside them, RMS errors with
effects of the run and of the topic, lower by 0.02 for A than for B on average.

The true difference is the mean of the difference over all collections of as many topics (for RMS it is known), with the
same runs, or, where the runs are resampled too, with other runs each time. For rank correlations there is a second one:
that of the order of the true means, which only infinitely many topics show.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from counting import ROUNDING, markdown, standard_error
from populations import evaluated, folder

from gradeval import (
    GradevalWarning,
    Measure,
    Scores,
    correlation_differences,
    discriminate,
    inform,
    parse_measure,
    power_differences,
    read_qrels,
)
from gradeval.formula.arithmetic import Array, rounded
from gradeval.studies.correlation import correlation_matrix
from gradeval.studies.informativeness.inform import Informativeness
from gradeval.studies.informativeness.rms_differences import differences_of
from gradeval.studies.measure_differences import MeasureDifferences

MEASURES = [parse_measure(name) for name in ("AP", "nDCG", "P@5")]  # called A, B and the reference here
NOISE = (0.08, 0.2, 0.02)  # standard deviation of each measure's own noise
BIAS = (0.01, 0.05, 0.0)  # how far what a measure finds of a run is from its quality
LESS = 0.02  # A's RMS errors than B's
COLLECTION = "trec-dl21-passage"
REAL = ("AP", "RR", "nDCG@10")  # A, B and the reference there
RMS_COLLECTIONS = ("trec-dl21-passage", "trec-covid-r5", "trec14-robust2005")
RMS_PAIRS = (("GAP", "AP"), ("AP", "nDCG"))
RMS_RUNS = 20  # of a collection, from the first to the last by name
SIZES = ((10, 20), (20, 50), (30, 25), (60, 50))  # runs, topics
RESAMPLED, SAMPLES = 100, 200  # of power: resamples of the topics, and the samples of the test


def section(samples: int) -> str:
    """A row for each statistic, size of the collection and truth."""
    titles = ["difference of", "resampled", "runs x topics", "truth", "is", "estimates, mean", "width, mean", "held"]
    said = f"{samples // 5} drawn collections; of power {samples // 25}. The standard error of .95 is"
    errors = f"{standard_error(0.95, samples // 5):.3f} and {standard_error(0.95, samples // 25):.3f}."
    return f"{said} {errors}\n\n{markdown(titles, rows(samples // 5, samples // 25, 2 * samples))}"


def rows(many: int, of_power: int, truths: int) -> Iterator[list[str]]:
    """Counted over so many collections; the truth with as many topics is a mean over ``truths`` others."""
    for runs, topics in SIZES:
        means = draw_qualities(np.random.default_rng(1), runs)
        intervals = [tau(fixed(seed, means, topics), False) for seed in range(many)]
        alike = [observed_tau(fixed(seed, means, topics)) for seed in range(many, many + truths)]
        size = f"{runs} x {topics}"
        yield held("tau", "topics", size, "with as many topics", float(np.mean(alike)), intervals)
        yield held("tau", "topics", size, "order of the true means", tau_of(means), intervals)
    for topics in (20, 50):
        whole = evaluated(COLLECTION, REAL)
        size = f"{len(whole.runs)} x {topics} of DL 2021"
        intervals = [tau(real(seed, topics), False, "nDCG@10") for seed in range(many)]
        alike = [observed_tau(real(seed, topics)) for seed in range(many, many + truths)]
        yield held("tau", "topics", size, "with as many topics", float(np.mean(alike)), intervals)
        yield held("tau", "topics", size, "order of the true means", observed_tau(whole), intervals)
    runs, topics = 20, 50
    size = f"{runs} x {topics}"
    means = draw_qualities(np.random.default_rng(1), runs)
    few = max(20, truths // 20)
    for of_runs, drawn in ((False, "topics"), (True, "topics and runs")):
        draw = partial(anew, runs=runs, topics=topics) if of_runs else partial(fixed, means=means, topics=topics)
        if of_runs:
            alike = [observed_tau(draw(seed)) for seed in range(many, many + truths)]
            intervals = [tau(draw(seed), True) for seed in range(many)]
            yield held("tau", drawn, size, "with as many topics and runs", float(np.mean(alike)), intervals)
        powers = [observed_power(draw(seed)) for seed in range(many, many + few)]
        found = [power(draw(seed), of_runs) for seed in range(of_power)]
        yield held("power", drawn, size, "with as many topics", float(np.mean(powers)), found)
        errors = [rms(draw_errors(seed, runs, topics, of_runs), of_runs) for seed in range(many)]
        yield held("RMS", drawn, size, "known", -LESS, errors)


def section_of_rms(samples: int) -> str:
    """A row for each real collection, pair of measures, threshold of relevance and number of topics."""
    many = samples // 8
    titles = ["collection", "A, B", "relevant from", "topics", "truth", "estimates, mean", "width, mean", "held"]
    said = (
        f"{many} draws of the topics, with all their lists, of at most {RMS_RUNS} runs; the standard error of .95 is "
        f"{standard_error(0.95, many):.3f}."
    )
    return f"{said}\n\n{markdown(titles, rows_of_rms(many))}"


def rows_of_rms(many: int) -> Iterator[list[str]]:
    """How often the intervals hold the difference over all topics of a collection."""
    for name in RMS_COLLECTIONS:
        place = folder(name)
        runs = sorted((place / "runs").iterdir())
        chosen = [runs[one] for one in np.unique(np.linspace(0, len(runs) - 1, RMS_RUNS).astype(int))]
        for first, second in RMS_PAIRS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", GradevalWarning)
                whole = inform(read_qrels(place / "qrels.txt"), chosen, f"{first} {second}", samples=0)
            truth = whole.mean()
            for topics in (10, 20, 50):
                found = [rms(draw_lists(whole, seed, topics), False) for seed in range(many)]
                for level, threshold in enumerate(whole.thresholds):
                    difference = float(truth[0, level] - truth[1, level])
                    row = held("", "", "", "", difference, found, level)[4:]
                    yield [name, f"{first}, {second}", f"{threshold:g}", str(topics), *row]


def draw_lists(whole: Informativeness, seed: int, topics: int) -> Informativeness:
    """Topics that have lists, drawn with replacement, with these."""
    there = np.unique(whole.topic[whole.counted])
    drawn = np.random.default_rng([4, seed]).choice(there, topics)
    lists = [np.flatnonzero((whole.topic == topic) & whole.counted) for topic in drawn]
    places = np.concatenate(lists)
    return replace(
        whole,
        errors=whole.errors[:, :, places],
        converged=whole.converged[:, places],
        run=whole.run[places],
        topic=np.repeat(np.arange(topics), list(map(len, lists))),
        topics=list(map(str, range(topics))),
        values=None,
    )


def real(seed: int, topics: int) -> Scores:
    """Topics of a collection, drawn with replacement."""
    scores = evaluated(COLLECTION, REAL)
    drawn = np.random.default_rng([3, seed]).integers(len(scores.topics), size=topics)
    return replace(
        scores,
        values=scores.values[:, drawn],
        present=scores.present[:, drawn],
        vacant=scores.vacant[drawn],
        topics=list(map(str, range(topics))),
        coverage=None,
    )


def fixed(seed: int, means: Array, topics: int) -> Scores:
    """The scores of a collection with these runs."""
    return draw_scores(np.random.default_rng([0, seed]), means, topics)


def anew(seed: int, runs: int, topics: int) -> Scores:
    """The scores of a collection with other runs each time."""
    rng = np.random.default_rng([1, seed])
    return draw_scores(rng, draw_qualities(rng, runs), topics)


def draw_qualities(rng: np.random.Generator, runs: int) -> Array:
    """float64[run, measure]: the mean of each measure over all topics."""
    return 0.1 * rng.normal(size=(runs, 1)) + np.array(BIAS) * rng.normal(size=(runs, len(MEASURES)))


def draw_scores(rng: np.random.Generator, means: Array, topics: int) -> Scores:
    """The scores of a collection."""
    runs = len(means)
    shared = 0.2 * rng.normal(size=(1, topics, 1)) + 0.1 * rng.normal(size=(runs, topics, 1))
    values = means[:, None] + shared + np.array(NOISE) * rng.normal(size=(runs, topics, len(MEASURES)))
    return Scores(
        values=values,
        present=np.ones((runs, topics), bool),
        vacant=np.zeros((topics, len(MEASURES)), bool),
        runs=[f"run{number}" for number in range(runs)],
        topics=[str(number) for number in range(topics)],
        measures=MEASURES,
        missing="zero",
        empty="zero",
    )


def draw_errors(seed: int, runs: int, topics: int, of_runs: bool) -> Informativeness:
    """RMS errors of the rankings of a collection; where the runs are fixed, their effects are the same each time."""
    rng = np.random.default_rng([2, seed])
    by_run = 0.02 * (rng if of_runs else np.random.default_rng(2)).normal(size=(2, runs, 1))
    by_run -= 0.0 if of_runs else by_run.mean(1, keepdims=True)
    by_topic = 0.05 * rng.normal(size=(1, 1, topics)) + 0.03 * rng.normal(size=(2, 1, topics))
    own = 0.04 * (rng.exponential(size=(2, runs, topics)) - 1)  # skewed, as such errors are
    errors = 0.2 + by_run + by_topic + own - np.array([LESS, 0.0])[:, None, None]
    run, topic = (places.ravel() for places in np.indices((runs, topics)))
    return Informativeness(
        errors=errors.reshape(2, 1, -1),
        converged=np.ones((2, runs * topics), bool),
        run=run,
        topic=topic,
        measures=MEASURES[:2],
        thresholds=(1.0,),
        runs=[f"run{number}" for number in range(runs)],
        topics=[str(number) for number in range(topics)],
        counts="retrieved",
        least=1,
        rankings=runs * topics,
    )


def tau(scores: Scores, runs: bool, reference: str | Measure = MEASURES[2]) -> MeasureDifferences:
    """tau(A, reference) - tau(B, reference)."""
    return correlation_differences.silently(scores, reference=reference, resample_runs=runs)


def observed_tau(scores: Scores) -> float:
    """The same, without an interval."""
    return tau_of(scores.mean())


def tau_of(means: Array) -> float:
    """The same, of means[run, measure]."""
    by_measure = rounded(means.T)
    first, second = correlation_matrix("kendall", by_measure[[2]], by_measure[:2])[0]
    return float(first - second)


def power(scores: Scores, runs: bool) -> MeasureDifferences:
    """power(A) - power(B)."""
    return power_differences(scores, measures=MEASURES[:2], resample_runs=runs, samples=SAMPLES, resamples=RESAMPLED)


def observed_power(scores: Scores) -> float:
    """The same, without an interval."""
    first, second = discriminate(scores, measures=MEASURES[:2], samples=SAMPLES).power
    return float(first - second)


def rms(errors: Informativeness, runs: bool) -> MeasureDifferences:
    """RMS(A) - RMS(B)."""
    return differences_of(errors, resample_runs=runs, samples=1000)


def held(
    statistic: str, drawn: str, size: str, what: str, truth: float, results: list[MeasureDifferences], level: int = 0
) -> list[str]:
    """A row: how often the intervals hold the truth, at a threshold of relevance."""
    low, high = np.array([result.interval[0, level] for result in results]).T
    estimate = float(np.mean([result.difference[0, level] for result in results]))
    share = float(np.mean((low - ROUNDING <= truth) & (truth <= high + ROUNDING)))
    return [statistic, drawn, size, what, *(f"{value:.3f}" for value in (truth, estimate, np.mean(high - low), share))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000, help="a fifth of it are collections")
    print(section(parser.parse_args().samples))


if __name__ == "__main__":
    main()
