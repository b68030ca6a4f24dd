"""How often does an interval of a difference between two measures contain the true difference?

    python benchmarks/difference_intervals.py [--collections 1000] [--runs 20] [--topics 50] [--truth 2000]

Collections are drawn at random: the value of a run for a topic is the quality of the run, the difficulty of the topic,
noise that the measures share, and noise of each measure's own, of which A has less than B. Beside them, RMS errors with
effects of the run and of the topic, lower by 0.02 for A than for B on average.

The true difference is the mean of the difference over all collections of as many topics (``--truth`` of them are drawn;
for RMS it is known), with the same runs, or, where the runs are resampled too, with other runs each time. For rank
correlations there is a second one: that of the true qualities, which only infinitely many topics show. "contain" is
the share of the 95% intervals that contain it; its own standard error is about 0.7 points for 1,000 collections.
"""

from __future__ import annotations

import argparse

import numpy as np

from gradeval import (
    Scores,
    correlation_differences,
    discriminate,
    parse_measure,
    power_differences,
)
from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.inform import Informativeness
from gradeval.studies.informativeness.rms_differences import differences_of
from gradeval.studies.measure_differences import Differences

MEASURES = [parse_measure(name) for name in ("AP", "nDCG", "P@5")]  # called A, B and the reference here
NOISE = (0.08, 0.2, 0.02)  # standard deviation of each measure's own noise
BIAS = (0.01, 0.05, 0.0)  # how far what a measure finds of a run is from its quality
LESS = 0.02  # A's RMS errors than B's
RESAMPLED, SAMPLES = 100, 200  # of power: resamples of the topics, and the samples of the test


def main() -> None:
    """Print a row for each statistic and each kind of resampling."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"collections": 1000, "runs": 20, "topics": 50, "truth": 2000}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    size, many = (options.runs, options.topics), options.collections
    print(f"{many} collections of {options.runs} runs and {options.topics} topics\n")
    print("| difference of | resampled | truth | is | estimates, mean | width, mean | contain |")
    print("|---|---|---|--:|--:|--:|--:|", flush=True)
    for runs in (False, True):
        means = draw_qualities(np.random.default_rng(1), options.runs)

        def draw(seed: int, runs: bool = runs, fixed: Array = means) -> Scores:
            rng = np.random.default_rng([int(runs), seed])
            return draw_scores(rng, draw_qualities(rng, len(fixed)) if runs else fixed, options.topics)

        drawn = "topics and runs" if runs else "topics"
        intervals = [tau(draw(seed), runs) for seed in range(many)]
        show("tau", drawn, "with as many topics", np.mean([observed_tau(draw(s)) for s in beyond(options)]), intervals)
        if not runs:
            show("tau", drawn, "with all topics", tau_of(means), intervals)
        intervals = [power(draw(seed), runs) for seed in range(many)]
        truth = np.mean([observed_power(draw(seed)) for seed in beyond(options)])
        show("power", drawn, "with as many topics", truth, intervals)
        show("RMS", drawn, "known", -LESS, [rms(draw_errors(seed, *size, runs), runs) for seed in range(many)])


def beyond(options: argparse.Namespace) -> range:
    """Seeds of the collections that show the truth: none is one of those whose intervals are looked at."""
    return range(options.collections, options.collections + options.truth)


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


def tau(scores: Scores, runs: bool) -> Differences:
    """tau(A, reference) - tau(B, reference)."""
    return correlation_differences.silently(scores, reference=MEASURES[2], resample_runs=runs)


def observed_tau(scores: Scores) -> float:
    """The same, without an interval."""
    return tau_of(scores.mean())


def tau_of(means: Array) -> float:
    """The same, of means[run, measure] without ties."""
    first, second = np.triu_indices(len(means), 1)
    order = np.sign(means[first] - means[second])
    return float(np.mean(order[:, 0] * order[:, 2]) - np.mean(order[:, 1] * order[:, 2]))


def power(scores: Scores, runs: bool) -> Differences:
    """power(A) - power(B)."""
    return power_differences(scores, measures=MEASURES[:2], resample_runs=runs, samples=SAMPLES, resamples=RESAMPLED)


def observed_power(scores: Scores) -> float:
    """The same, without an interval."""
    first, second = discriminate(scores, measures=MEASURES[:2], samples=SAMPLES).power
    return float(first - second)


def rms(errors: Informativeness, runs: bool) -> Differences:
    """RMS(A) - RMS(B)."""
    return differences_of(errors, resample_runs=runs, samples=1000)


def show(statistic: str, drawn: str, what: str, truth: float | np.floating, results: list[Differences]) -> None:
    """Print how often the intervals contain the truth."""
    low, high = np.array([result.interval[0, 0] for result in results]).T
    estimates = [result.difference[0, 0] for result in results]
    contain = np.mean((low - 1e-12 <= truth) & (truth <= high + 1e-12))
    numbers = f"{truth:.4f} | {np.mean(estimates):.4f} | {np.mean(high - low):.4f} | {contain:.1%}"
    print(f"| {statistic} | {drawn} | {what} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
