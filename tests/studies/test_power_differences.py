from __future__ import annotations

from itertools import combinations
from math import inf, sqrt
from statistics import mean, stdev

import numpy as np
import pytest
from score_tables import drawn_scores, scores_of

from gradeval import Scores
from gradeval.formula.aggregation import draw
from gradeval.studies.discriminate import discriminate
from gradeval.studies.power_differences import power_differences


def size_of_t(differences: list[float]) -> float:
    """|mean| over its standard error."""
    spread = stdev(differences) / sqrt(len(differences))
    return abs(mean(differences)) / spread if spread > 1e-12 else inf


def literal_asl(differences: list[float], samples: int, seed: int) -> float:
    """Sakai's paired bootstrap test, topic by topic."""
    topics = len(differences)
    centred = [difference - mean(differences) for difference in differences]
    drawn = [np.arange(topics).repeat(often) for often in draw(topics, samples, seed).astype(int)]
    observed = size_of_t(differences)
    return sum(size_of_t([centred[topic] for topic in sample]) >= observed for sample in drawn) / samples


def literal_power(
    scores: Scores, measure: int, topics: list[int], weights: list[int], samples: int, seed: int
) -> float:
    """The share of the pairs of different runs that are told apart over these topics, runs as often as drawn."""
    told = every = 0
    for first, second in combinations(range(len(scores.runs)), 2):
        z = [scores.values[first, topic, measure] - scores.values[second, topic, measure] for topic in topics]
        times = weights[first] * weights[second]
        every += times
        told += times * (literal_asl(z, samples, seed) < 0.2)
    return told / every if every else float("nan")


@pytest.mark.parametrize("runs", [False, True])
def test_intervals_are_those_of_a_literal_bootstrap(runs: bool) -> None:
    scores = drawn_scores(runs=4, topics=9, measures="AP nDCG P@5", noise=0.1, spread=0.15)
    resampled, samples, seed = 12, 40, 2
    result = power_differences(scores, resample_runs=runs, samples=samples, resamples=resampled, alpha=0.2, seed=seed)
    rng = np.random.default_rng(seed)
    of_topics = rng.multinomial(9, [1 / 9] * 9, size=resampled).tolist()
    of_runs = rng.multinomial(4, [1 / 4] * 4, size=resampled).tolist() if runs else [[1] * 4] * resampled
    drawn = []
    for weights, run_weights in zip(of_topics, of_runs, strict=True):
        topics = [topic for topic, times in enumerate(weights) for _ in range(times)]
        drawn.append([literal_power(scores, m, topics, run_weights, samples, seed) for m in (0, 1, 2)])
    power = discriminate(scores, alpha=0.2, samples=samples, seed=seed).power
    values = np.array(drawn)
    assert len(np.unique(values[:, 0] - values[:, 1])) > 2  # there is something to see
    for pair, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        expected = power[first] - power[second]
        assert result.difference[pair, 0] == pytest.approx(expected)
        low, centre, high = np.nanquantile(values[:, first] - values[:, second], [0.1, 0.5, 0.9])
        ends = [expected + low - centre, expected + high - centre]
        assert result.interval[pair, 0] == pytest.approx([max(-1.0, ends[0]), min(1.0, ends[1])])


def test_powers_and_their_differences_end_where_no_power_can_be() -> None:
    """By AP all pairs of runs are told apart on all topics, by nDCG few are: the difference is close to 1."""
    rng = np.random.default_rng(4)
    sure = 0.2 * np.arange(4)[:, None] + rng.random((4, 8)) * 0.02
    scores = scores_of(np.stack([sure, rng.random((4, 8))], axis=-1), "AP nDCG")
    result = power_differences(scores, samples=200, resamples=60, seed=1)
    assert result.difference[0, 0] > 0.8
    assert np.abs(result.interval).max() <= 1.0
    assert 0.0 <= result.bounds.min() <= result.bounds.max() <= 1.0


@pytest.mark.parametrize("method", ["bootstrap", "tukey-hsd"])
def test_a_measure_differs_from_itself_by_nothing(method) -> None:
    values = drawn_scores(runs=5, topics=12, measures="AP").values
    scores = scores_of(values[..., [0, 0]], "AP nDCG")
    result = power_differences(scores, method=method, samples=50, resamples=10)
    assert result.values[:, 0] == pytest.approx(discriminate(scores, method=method, samples=50).power)
    assert result.interval.tolist() == [[[0.0, 0.0]]]
