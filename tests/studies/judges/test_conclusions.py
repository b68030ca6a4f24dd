from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau, ttest_rel
from statsmodels.stats.multitest import multipletests
from two_assessors import two_assessors

from gradeval import compare, evaluate
from gradeval.formula.arithmetic import Array
from gradeval.studies.correlation import tau_ap
from gradeval.studies.judges.conclusions import (
    OrderAgreement,
    Rule,
    correlate_halves,
    correlate_means,
    count_conclusions,
    find_signs,
    ordered_means,
    resample_correlations,
    resample_signs,
    shares_of,
)
from gradeval.studies.judges.floors import add_interval
from gradeval.tables.grid import Estimate

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
    np.testing.assert_array_equal(find_signs(scores, Rule(test, correction, 0.05, 200, 3)), expected)


@pytest.mark.parametrize("correction", METHODS)
def test_resamples_are_tested_as_the_topics_that_they_hold(correction: str) -> None:
    drawn = two_assessors(3, topics=9, runs=6)
    scores = evaluate(drawn.human, drawn.runs, "AP P@5")
    weights = np.random.default_rng(0).multinomial(9, np.full(9, 1 / 9), size=6).astype(float)
    rule = Rule("t", correction, 0.05)
    for place, signs in enumerate(resample_signs(scores, weights, rule)):
        for sample in range(6):
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


@pytest.mark.parametrize("statistic", ["kendall", "tau-ap"])
def test_resampled_correlations_are_those_of_means_over_topics_drawn_anew(statistic: str) -> None:
    drawn = two_assessors(3)
    human, judge = (evaluate(one, drawn.runs, "AP nDCG@10") for one in (drawn.human, drawn.judge))
    weights = np.random.default_rng(0).multinomial(8, np.full(8, 1 / 8), size=15).astype(float)
    values = resample_correlations(statistic, human, [judge], weights)
    for sample, measure in np.ndindex(15, 2):
        topics = np.repeat(np.arange(8), weights[sample].astype(int))
        x, y = (one.values[:, topics, measure].mean(1) for one in (human, judge))
        expected = kendalltau(x, y).statistic if statistic == "kendall" else tau_ap(x, y)
        assert values[sample, 0, measure] == pytest.approx(expected, abs=1e-12)


def test_a_judge_that_ties_all_runs_has_no_tau() -> None:
    drawn = two_assessors()
    human = evaluate(drawn.human, drawn.runs, "AP")
    values = correlate_means("kendall", ordered_means(human), np.full((1, 1, 6), 0.25))
    assert np.isnan(values).all()
    assert add_interval(float(values[0, 0]), np.full(9, np.nan), 8, 0.05) is None


@pytest.mark.parametrize(
    ("tau", "floor", "skill"), [(0.9, 0.75, (0.9 - 0.75) / 0.25), (0.7, 0.75, -0.05 / 0.25), (1.0, -0.2, 1.0)]
)
def test_skill_is_the_share_of_the_way_from_the_floor_to_one(tau: float, floor: float, skill: float) -> None:
    assert OrderAgreement(Estimate(tau), Estimate(floor), None).skill == pytest.approx(skill)


def test_without_tau_or_floor_or_room_above_it_there_is_no_skill() -> None:
    assert OrderAgreement(None, Estimate(0.5), None).skill is None
    assert OrderAgreement(Estimate(0.5), None, None).skill is None
    assert OrderAgreement(Estimate(1.0), Estimate(1.0), None).skill is None


def test_halves_of_the_topics_order_alike_where_topics_do_not_differ() -> None:
    drawn = two_assessors(3, topics=7)
    human = evaluate(drawn.human, drawn.runs, "AP")
    assert 0 < correlate_halves("kendall", human, 0)[0] < 1
    alike = replace(human, values=np.repeat(human.values[:, :1], 7, axis=1))
    assert correlate_halves("kendall", alike, 0).tolist() == [1.0]
    tied = replace(human, values=np.full_like(human.values, 0.5))
    assert np.isnan(correlate_halves("kendall", tied, 0)).all()


def test_where_topics_drawn_leave_a_run_without_any_there_is_no_order() -> None:
    drawn = two_assessors(3)
    runs = {**drawn.runs, "run5": {"t00": drawn.runs["run5"]["t00"]}}
    human, judge = (evaluate(one, runs, "AP", missing="skip") for one in (drawn.human, drawn.judge))
    weights = np.ones((2, 8))
    weights[1, 0] = 0
    values = resample_correlations("kendall", human, [judge], weights)
    assert np.isnan(values[:, 0, 0]).tolist() == [False, True]
