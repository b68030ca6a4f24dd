from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr
from score_tables import drawn_scores, scores_of

from gradeval import InputError, Scores
from gradeval.studies.correlate import correlate
from gradeval.studies.correlation_differences import correlation_differences
from gradeval.studies.power_differences import power_differences


def literal_differences(scores: Scores, runs: bool, samples: int, seed: int, correlation) -> list[list[float]]:
    """tau(A, first measure) - tau(B, first measure) in each resample, from lists of drawn topics and runs."""
    rng = np.random.default_rng(seed)
    topics = range(len(scores.topics))
    drawn = rng.multinomial(len(topics), [1 / len(topics)] * len(topics), size=samples)
    everyone = list(range(len(scores.runs)))
    drawn_runs = rng.integers(0, len(everyone), (samples, len(everyone))).tolist() if runs else [everyone] * samples
    found: list[list[float]] = []
    for weights, here in zip(drawn, drawn_runs, strict=True):
        these = [topic for topic in topics for _ in range(weights[topic])]
        means = [[sum(scores.values[run, topic, m] for topic in these) / len(these) for run in here] for m in range(4)]
        taus = [correlation(means[0], means[m]).statistic for m in (1, 2, 3)]
        found.append([taus[0] - taus[1], taus[0] - taus[2], taus[1] - taus[2]])
    return found


@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize(("statistic", "correlation"), [("kendall", kendalltau), ("spearman", spearmanr)])
def test_intervals_are_those_of_a_literal_bootstrap(statistic, correlation, runs: bool) -> None:
    scores = drawn_scores(runs=9, topics=10, measures="AP nDCG GAP P@5", noise=0.2)
    result = correlation_differences(
        scores, reference="AP", statistic=statistic, resample_runs=runs, samples=80, alpha=0.1, seed=3
    )
    drawn = np.array(literal_differences(scores, runs, 80, 3, correlation))
    assert [str(measure) for measure in result.measures] == ["nDCG", "GAP", "P@5"]
    assert result.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    correlations = correlate(scores, statistic=statistic, samples=0)
    for pair, (first, second) in enumerate([("nDCG", "GAP"), ("nDCG", "P@5"), ("GAP", "P@5")]):
        expected = correlations.of("AP", first) - correlations.of("AP", second)
        assert result.difference[pair, 0] == pytest.approx(expected)
        low, centre, high = np.quantile(drawn[:, pair], [0.05, 0.5, 0.95])
        assert result.interval[pair, 0] == pytest.approx([expected + low - centre, expected + high - centre])


def test_a_measure_differs_from_itself_by_nothing() -> None:
    values = drawn_scores(runs=6, topics=8, measures="AP nDCG").values
    scores = scores_of(values[..., [0, 1, 1]], "AP nDCG GAP")
    result = correlation_differences(scores, reference="AP", samples=30, resample_runs=True)
    assert result.difference.tolist() == [[0.0]]
    assert result.interval.tolist() == [[[0.0, 0.0]]]


def test_the_reference_is_the_truth_of_ap_correlation() -> None:
    scores = drawn_scores(runs=8, topics=10, measures="AP nDCG GAP", noise=0.2)
    result = correlation_differences(scores, reference="AP", statistic="tau-ap", samples=10)
    correlations = correlate(scores, statistic="tau-ap", samples=0)
    expected = correlations.of("nDCG", "AP") - correlations.of("GAP", "AP")
    assert result.difference[0, 0] == pytest.approx(expected)


def test_resamples_of_one_run_alone_are_left_out_and_counted() -> None:
    scores = drawn_scores(runs=3, topics=10, measures="AP nDCG GAP", noise=0.2)
    result = correlation_differences(scores, reference="AP", resample_runs=True, samples=100, seed=1)
    rng = np.random.default_rng(1)
    rng.multinomial(10, [1 / 10] * 10, size=100)
    alone = sum(len(set(drawn)) == 1 for drawn in rng.integers(0, 3, (100, 3)).tolist())
    assert alone > 0
    assert result.undefined.tolist() == [[alone]]
    assert f"100 bootstrap samples of the topics and runs, seed 1, up to {alone} of them left out" in result.description


def test_it_is_said_what_the_interval_is_of() -> None:
    scores = drawn_scores(runs=5, measures="AP nDCG GAP")
    tau = correlation_differences(scores, reference="AP", samples=5)
    assert tau.description.startswith(
        "differences of Kendall's tau-b with AP over as many other topics: 0.95 confidence"
    )
    assert "the difference over unlimited topics lay inside in" in str(tau.notes[1])
    power = power_differences(scores, samples=20, resamples=5)
    assert power.description.startswith("differences of power over as many other topics: ")
    assert len(power.notes) == 1


def test_the_reference_need_not_be_among_the_measures() -> None:
    scores = drawn_scores(runs=5, measures="AP nDCG GAP P@5")
    result = correlation_differences(scores, reference="AP", measures="nDCG P@5", samples=5)
    assert [str(measure) for measure in result.measures] == ["nDCG", "P@5"]
    assert str(result.reference) == "AP"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"measures": "nDCG"}, "AP: differences need at least 2 measures to correlate with it"),
        ({"resample_runs": "no"}, "resample_runs='no' is not True or False"),
    ],
)
def test_what_has_no_differences_is_said(how, message: str) -> None:
    with pytest.raises(InputError, match=message):
        correlation_differences(drawn_scores(measures="AP nDCG GAP"), reference="AP", samples=5, **how)
