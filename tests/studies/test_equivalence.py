"""Two one-sided tests against SciPy's, one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gradeval.studies.equivalence import equivalence

from ..support.score_tables import scores_of


def test_equal_to_two_tests_of_scipy() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((30, 1)) * 0.5 + rng.random((30, 4)) * 0.2
    study = equivalence(scores_of(values.T), margin=0.03, correction="none", alpha=0.1)
    for pair, (first, second) in enumerate(study.pairs.tolist()):
        d = values[:, first] - values[:, second]
        below = stats.ttest_1samp(d, -0.03, alternative="greater").pvalue
        above = stats.ttest_1samp(d, 0.03, alternative="less").pvalue
        assert study.p[0, pair] == pytest.approx(max(below, above), rel=1e-9)
        low, high = stats.ttest_1samp(d, 0).confidence_interval(0.8)
        np.testing.assert_allclose(study.interval[0, pair], [low, high])
        assert study.equivalent[0, pair] == (low > -0.03 and high < 0.03)


def test_same_runs_are_equivalent_and_constant_differences_are_decided_exactly() -> None:
    values = np.random.default_rng(0).random((9, 1)) * 0.5 + np.array([0.0, 0.0, 0.25])
    study = equivalence(scores_of(values.T), margin=0.1)
    assert study.equivalent[0].tolist() == [True, False, False]
    assert study.p[0].tolist() == [2**-9, 1, 1]


@pytest.mark.parametrize("topics", range(3, 9))
def test_a_constant_difference_within_the_margin_is_shown_by_the_signs_alone(topics: int) -> None:
    values = np.linspace(0.1, 0.3, topics)
    study = equivalence(scores_of(np.stack([values, values, values + 0.25])), margin=0.3, correction="none")
    assert study.p[0].tolist() == [0.5**topics] * 3
    assert study.equivalent[0].tolist() == [0.5**topics < 0.05] * 3
    assert np.isnan(study.interval).all() == (0.5**topics >= 0.05)  # else it lies within the margins
    assert ("+nan" in str(study), "none" in str(study)) == (False, topics < 5)


def test_a_constant_difference_of_just_the_margin_is_not_within_it() -> None:
    values = np.random.default_rng(0).integers(0, 32, (9, 1)) / 64 + np.array([0.0, 0.25])  # exact in doubles
    assert equivalence(scores_of(values.T), margin=0.25).p[0].tolist() == [1]
    assert equivalence(scores_of(values.T), margin=0.2501).p[0].tolist() == [2**-9]


def test_a_small_p_is_below_what_its_decimals_show() -> None:
    values = np.random.default_rng(2).random((20, 1)) * 0.1 + np.arange(20)[:, None] * [0, 1e-5, 2e-3]
    study = equivalence(scores_of(values.T), margin=0.1, correction="none")
    shown = {row.split()[0] + row.split()[1]: row for row in str(study.table()).splitlines() if " A " in f" {row} "}
    assert study.p[0, 0] < 1e-4
    assert shown["AB"].split()[-2] == "<0.0001"
    assert " 0.0000 " not in str(study.table())


def test_the_correction_and_the_baseline() -> None:
    values = np.random.default_rng(2).random((20, 4)) * 0.3
    alone = equivalence(scores_of(values.T), margin=0.08, baseline="A", correction="bonferroni")
    assert alone.corrected[0].tolist() == pytest.approx(np.minimum(1, alone.p[0] * 3).tolist())
    assert "equivalent at 0.05" in str(alone.table())


def test_a_baseline_that_was_picked_after_looking_is_said() -> None:
    scores = scores_of(np.random.default_rng(4).random((4, 12)))
    leader = scores.runs[int(scores.mean()[:, 0].argmax())]
    said, named = (str(equivalence(scores, margin=0.3, baseline=one).notes) for one in ("best", leader))
    assert f"the baseline is {leader}, the run with the highest mean" in said
    assert "the run with the highest mean" not in named


def test_where_all_intervals_are_wider_than_the_margins_no_pair_can_be_equivalent_and_it_is_said() -> None:
    """One pair: half its interval of 1 - 2 alpha is t(n-1) s / sqrt(n). It is as wide as a margin of its own size."""
    values = np.random.default_rng(3).random((10, 2))
    difference = values[:, 0] - values[:, 1]
    half = float(stats.t.ppf(0.95, 9) * stats.sem(difference))
    wide, narrow = (equivalence(scores_of(values.T), margin=half * share) for share in (0.99, 1.01))
    assert f"intervals are wider than the margin: AP ±{half:.2g}" in str(wide.notes)
    assert "no pair can be" not in str(narrow.notes)


def test_the_pairs_of_many_runs_are_counted_by_measure() -> None:
    """21 runs: by AP one differs from the 20 others, which are equal; by nDCG each differs from each."""
    wobble = np.random.default_rng(0).random((1, 30)) * 0.1
    by_ap = wobble + np.array([0.0] * 20 + [0.5])[:, None]
    by_ndcg = wobble + 0.04 * np.arange(21)[:, None]
    table = equivalence(scores_of(np.stack([by_ap, by_ndcg], axis=-1), "AP nDCG"), margin=0.02).table()
    (counts,) = table.grids
    pairs, equal = 21 * 20 // 2, 20 * 19 // 2
    assert counts.texts() == [["AP", f"{pairs}", f"{equal}", "20"], ["nDCG", f"{pairs}", "0", f"{pairs}"]]
