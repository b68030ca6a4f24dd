"""Agreement of measures over runs: point values, bootstrap over topics, and what is refused."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from score_tables import drawn_scores, scores_of

from gradeval import AP, GAP, CoverageWarning, InputError, SignificanceWarning, nDCG
from gradeval.scores.scores import Scores
from gradeval.studies.correlate import correlate, lay_out
from gradeval.studies.correlation import kendall_tau


def test_measures_are_correlated_by_their_means_over_topics() -> None:
    scores = drawn_scores(runs=15, measures="AP nDCG P@10")
    means = scores.mean()
    result = correlate(scores, samples=0)
    assert result.values.shape == (3, 3)
    for a, b in np.ndindex(3, 3):
        assert result.values[a, b] == pytest.approx(stats.kendalltau(means[:, a], means[:, b]).statistic)
    assert result.of("AP", nDCG) == result.values[0, 1]
    assert result.interval is None


def test_a_measure_agrees_with_itself_by_exactly_one() -> None:
    scores = drawn_scores(runs=30, measures="AP nDCG P@10")
    for statistic in ("kendall", "kendall-a", "spearman"):
        result = correlate(scores, statistic=statistic, samples=20)
        assert np.diag(result.values).tolist() == [1, 1, 1]
        assert result.interval is not None
        assert result.interval[0, 0].tolist() == [1, 1]


def test_the_column_is_the_truth_for_tau_ap_in_the_table_the_array_and_by_name() -> None:
    from gradeval.studies.correlation import tau_ap

    scores = drawn_scores(runs=10)
    means = scores.mean().T
    found = correlate(scores, statistic="tau-ap", samples=50)
    truth_is_ndcg, truth_is_ap = tau_ap(means[1], means[0]), tau_ap(means[0], means[1])
    assert truth_is_ndcg != pytest.approx(truth_is_ap)
    assert found.of(AP, nDCG) == found.values[0, 1] == pytest.approx(truth_is_ndcg)
    assert found.of(nDCG, AP) == found.values[1, 0] == pytest.approx(truth_is_ap)
    rows = found.table(17).grids[0].rows
    assert rows[0][2].value == found.of(AP, nDCG)
    assert found.interval is not None
    low, high = found.interval[0, 1]
    assert low <= found.of(AP, nDCG) <= high


def test_runs_that_are_equal_tie_in_every_resample() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((12, 25, 2))
    values[5:10] = values[4]
    result = correlate(scores_of(values, "AP nDCG"), statistic="kendall-a", samples=50)
    pairs = 12 * 11 / 2
    tied = 6 * 5 / 2
    assert np.diag(result.values) == pytest.approx((pairs - tied) / pairs)
    assert result.interval is not None
    assert result.interval[0, 0] == pytest.approx((pairs - tied) / pairs)


def test_rounding_makes_ties() -> None:
    scores = scores_of(np.stack([[[0.12341, 0.3], [0.12339, 0.2], [0.5, 0.1]]] * 3, axis=1), "AP nDCG")
    assert correlate(scores, samples=0).of("AP", "nDCG") == pytest.approx(-1 / 3)
    assert correlate(scores, samples=0, round_to=4).of("AP", "nDCG") == pytest.approx(-2 / np.sqrt(2 * 3))


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_interval_has_the_width_of_the_bootstrap_and_holds_the_value(alpha: float) -> None:
    scores = drawn_scores(runs=12, topics=30)
    result = correlate(scores, samples=400, seed=5, alpha=alpha)
    drawn = np.random.default_rng(5).multinomial(30, np.full(30, 1 / 30), size=400)
    taus = [stats.kendalltau(*np.average(scores.values, axis=1, weights=weights).T).statistic for weights in drawn]
    low, centre, high = np.quantile(taus, [alpha / 2, 0.5, 1 - alpha / 2])
    assert result.alpha == alpha
    assert result.interval is not None
    value = result.of("AP", "nDCG")
    assert result.interval[0, 1] == pytest.approx([value + low - centre, min(1, value + high - centre)])
    assert (result.interval[..., 0] <= result.values).all()
    assert (result.values <= result.interval[..., 1]).all()


def test_the_same_seed_gives_the_same_intervals_however_the_work_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn_scores()
    one = correlate(scores, samples=60, seed=1).interval
    monkeypatch.setattr("gradeval.studies.correlate.PAIRS_AT_ONCE", 1000)
    monkeypatch.setattr("gradeval.studies.correlate.MEANS_AT_ONCE", 200)
    assert np.array_equal(correlate(scores, samples=60, seed=1).interval, one)
    assert not np.array_equal(correlate(scores, samples=60, seed=2).interval, one)


def test_resamples_in_which_all_runs_are_equal_are_counted_and_left_out() -> None:
    values = np.zeros((3, 4, 2))
    values[:, :, 0] = np.arange(3)[:, None]
    values[:, 0, 1] = np.arange(3)  # only the first topic tells the runs apart
    result = correlate(scores_of(values, "AP nDCG"), samples=500)
    assert result.undefined[0, 0] == 0
    assert result.undefined[0, 1] == pytest.approx(500 * (3 / 4) ** 4, abs=60)
    assert result.interval is not None
    assert result.interval[0, 1].tolist() == [1, 1]


def test_statistics_and_selections_stand_side_by_side() -> None:
    scores = drawn_scores(runs=8, topics=9, measures="AP nDCG", noise=0.3)
    both = correlate(scores, statistic=["spearman", "kendall"], samples=0)
    rho, tau = (correlate(scores, statistic=name, samples=0).of("AP", "nDCG") for name in ("spearman", "kendall"))
    (grid,) = both.table().grids
    assert grid.head == ["measure: spearman / kendall", "AP", "nDCG"]
    assert grid.texts()[0][2] == f"{rho:.3f} / {tau:.3f}"
    assert both.to_dict()["statistic"] == ["spearman", "kendall"] * 4
    assert both.to_dict()["value"][2:4] == [rho, tau]


def test_extremely_high_correlations_are_marked_but_not_of_a_measure_with_itself() -> None:
    values = np.array([[4, 9, 3], [3, 8, 4], [2, 7, 2], [1, 6, 1]], float)
    result = correlate(scores_of(np.stack([values] * 3, axis=1), "AP nDCG GAP"), samples=0)
    assert [row[1:] for row in result.table().grids[0].texts()[:2]] == [
        ["1.000", "1.000†", "0.667"],
        ["1.000†", "1.000", "0.667"],
    ]
    said = "Kendall's tau-b: 4 runs by their means over 3 topics; † above 0.99"
    assert result.table().grids[0].foot == said
    assert str(result).count(said) == 1


@pytest.mark.parametrize("runs", [2, 3, 4, 5])
def test_a_few_runs_are_warned_of_once_with_the_number_of_values_of_tau(runs: int) -> None:
    scores = drawn_scores(runs=runs)
    values = {round(float(kendall_tau(range(runs), order)), 9) for order in permutations(range(runs))}
    for statistic in ("kendall", ("kendall", "spearman")):
        result = correlate(scores, samples=0, statistic=statistic)
        few = [note for note in result.notes if note.category is SignificanceWarning]
        said = [f"{runs} runs: Kendall's tau without ties has only {len(values)} values"]
        assert [note.text.partition(",")[0] for note in few] == (said if runs < 5 else [])
        assert all(note.weight > CoverageWarning.weight for note in few)  # before long warnings of topics


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (scores_of(np.full((4, 5, 2), 0.5), "AP nDCG"), {}, "AP: all 4 runs have the same mean 0.5"),
        (drawn_scores(measures="AP"), {}, "AP: one measure has nothing to be correlated with; name others, or a ref"),
        (drawn_scores(measures="AP"), {"reference": "AP"}, "AP: there is no other measure to correlate it with"),
        (drawn_scores(), {"samples": 1}, "samples=1: one resample has no spread; accepted: 0"),
    ],
)
def test_what_cannot_be_correlated_is_refused(scores: Scores, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        correlate(scores, **options)


def test_an_unknown_measure_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="no correlation of RR; accepted: AP, nDCG"):
        correlate(drawn_scores(), samples=0).of("AP", "RR")


FOUR = (0.0, 1.0, 2.0, 3.0)


def test_measures_are_correlated_with_each_other() -> None:
    table = lay_out([AP, nDCG, GAP])
    assert table.rows == [(("AP",), AP), (("nDCG",), nDCG), (("GAP",), GAP)]
    assert table.columns == [("AP", [AP] * 3), ("nDCG", [nDCG] * 3), ("GAP", [GAP] * 3)]
    assert table.measures == [AP, nDCG, GAP]


def test_a_reference_is_the_only_column_and_no_row() -> None:
    table = lay_out([AP, nDCG, GAP], nDCG)
    assert table.rows == [(("AP",), AP), (("GAP",), GAP)]
    assert table.columns == [("nDCG", [nDCG] * 2)]
    with pytest.raises(InputError, match="AP: there is no other measure to correlate it with"):
        lay_out([AP], AP)
