from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests
from two_assessors import two_assessors

from gradeval import compare, evaluate
from gradeval.formula.aggregation import widening
from gradeval.formula.arithmetic import Array
from gradeval.studies.judges.conclusions import Rule, count_conclusions, find_signs, resample_signs, shares_of
from gradeval.studies.judges.floors import around, compare_with_floor

PLAIN = Rule("t", "none", 0.05)
METHODS = {"none": None, "holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}


def literal_signs(values: Array, correction: str = "none", alpha: float = 0.05) -> list[float]:
    """Of values[run, topic], by the t tests of SciPy and the corrections of statsmodels."""
    tests = [ttest_rel(values[first], values[second]) for first, second in combinations(range(len(values)), 2)]
    p = np.array([1.0 if np.isnan(one.pvalue) else one.pvalue for one in tests])
    method = METHODS[correction]
    corrected = p if method is None else multipletests(p, method=method)[1]
    return [float(np.sign(one.statistic)) if p < alpha else 0.0 for one, p in zip(tests, corrected, strict=True)]


def test_pairs_are_counted_by_who_finds_them_different_and_in_which_direction() -> None:
    drawn = two_assessors(1, topics=10, runs=8)
    backwards = {topic: {one: 3 - grade for one, grade in grades.items()} for topic, grades in drawn.judge.items()}
    for other in (drawn.judge, backwards):
        sides = [evaluate(one, drawn.runs, "AP nDCG") for one in (drawn.human, other)]
        found = [find_signs(one, PLAIN) for one in sides]
        for place in range(2):
            human, judge = (np.array(literal_signs(one.values[..., place])) for one in sides)
            counts = count_conclusions(found[0][place], found[1][place])
            assert counts.kept == ((human == judge) & (human != 0)).sum()
            assert counts.reversed == (human * judge < 0).sum()
            assert counts.missed == ((human != 0) & (judge == 0)).sum()
            assert counts.not_confirmed == ((human == 0) & (judge != 0)).sum()
            assert (counts.human, counts.judge) == ((human != 0).sum(), (judge != 0).sum())
            shares = shares_of(found[0][place], found[1][place]).tolist()
            totals = (counts.human, counts.human, counts.judge)
            parts = (counts.kept, counts.reversed, counts.not_confirmed)
            expected = [part / total if total else np.nan for part, total in zip(parts, totals, strict=True)]
            assert shares == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey-hsd"])
def test_what_is_significant_is_so_for_compare(test: str) -> None:
    drawn = two_assessors(1, topics=10, runs=8)
    scores = evaluate(drawn.human, drawn.runs, "AP nDCG")
    correction = "none" if test == "tukey-hsd" else "holm"
    found = compare(scores, test=test, correction=correction, samples=200, seed=3)
    expected = np.where(found.significant, np.sign(found.difference), 0)
    np.testing.assert_array_equal(find_signs(scores, Rule(test, correction, 0.05, 200, 3)), expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("correction", METHODS)
def test_resamples_are_tested_as_the_topics_that_they_hold(correction: str) -> None:
    drawn = two_assessors(3, topics=9, runs=6)
    scores = evaluate(drawn.human, drawn.runs, "AP P@5")
    weights = np.random.default_rng(0).multinomial(9, np.full(9, 1 / 9), size=40).astype(float)
    rule = Rule("t", correction, 0.05)  # type: ignore[arg-type]
    for place, signs in enumerate(resample_signs(scores, weights, rule)):
        for sample in range(40):
            topics = np.repeat(np.arange(9), weights[sample].astype(int))
            values = scores.values[:, topics, place]
            assert signs[sample].tolist() == literal_signs(values, correction), (sample, place)


def test_topics_that_do_not_count_are_no_part_of_resamples() -> None:
    drawn = two_assessors(3, topics=9, runs=6)
    empty = {**drawn.human, "t02": dict.fromkeys(drawn.human["t02"], 0.0)}
    scores = evaluate(empty, drawn.runs, "AP", empty="skip")
    weights = np.random.default_rng(0).multinomial(9, np.full(9, 1 / 9), size=20).astype(float)
    without = scores.sel(topics=[topic for topic in scores.topics if topic != "t02"])
    found, expected = (
        next(resample_signs(scores, weights, PLAIN)),
        next(resample_signs(without, np.delete(weights, 2, axis=1), PLAIN)),
    )
    np.testing.assert_array_equal(found, expected)


def test_a_figure_stands_beside_its_floor_with_intervals() -> None:
    rng = np.random.default_rng(0)
    resampled = 0.9 + 0.05 * rng.standard_normal(400)
    floors, again = np.array([0.5, 0.7]), 0.6 + 0.1 * rng.standard_normal((150, 2))
    found = compare_with_floor(0.95, resampled, floors, again, 20, 0.05, within=(0, 1))
    assert found.value is not None
    assert found.floor is not None
    assert found.skill is not None
    assert found.floor.value == pytest.approx(0.6)
    assert found.skill.value == pytest.approx((0.95 - 0.6) / (1 - 0.6))
    low, middle, high = np.quantile(resampled, [0.025, 0.5, 0.975])
    wide = np.sqrt(20 / 19) * 2.0930240544082634 / 1.959963984540054  # t of 19 degrees of freedom
    assert widening(20, 0.05) == pytest.approx(wide)
    assert found.value.bounds == pytest.approx((0.95 + wide * (low - middle), min(1.0, 0.95 + wide * (high - middle))))
    assert found.skill.bounds is not None
    assert found.skill.bounds[0] < found.skill.value <= found.skill.bounds[1] <= 1
    errors = compare_with_floor(
        0.1, 0.1 * np.ones(9), np.array([0.4]), np.full((9, 1), 0.4), 20, 0.05, within=(0, 1), best=0
    )
    assert errors.skill is not None
    assert errors.skill.value == pytest.approx(1 - 0.1 / 0.4)  # without errors it would be 1


def test_what_is_the_same_in_all_resamples_has_no_interval() -> None:
    found = around(1.0, np.ones(50), 10, 0.05)
    assert found is not None
    assert found.bounds is None
