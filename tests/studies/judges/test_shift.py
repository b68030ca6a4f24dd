from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp, ttest_rel
from statsmodels.stats.multitest import multipletests
from two_assessors import two_assessors

from gradeval import evaluate
from gradeval.studies.judges.orders import measure_shift


def test_the_shift_of_the_means_of_runs_and_of_groups() -> None:
    drawn = two_assessors(2)
    human, judge = (evaluate(one, drawn.runs, "GAP") for one in (drawn.human, drawn.judge))
    shift = measure_shift(human, judge, 0, {"strong": [0, 1], "weak": [4, 5]}, 0.05)
    assert shift is not None
    moved = (judge.values - human.values)[..., 0]
    assert shift.level == pytest.approx(float((judge.mean() - human.mean()).mean()))
    over_runs = moved.mean(0)
    assert shift.interval == pytest.approx(t.interval(0.95, 7, over_runs.mean(), over_runs.std(ddof=1) / np.sqrt(8)))
    line = np.polyfit(human.mean()[:, 0], judge.mean()[:, 0], 1)
    assert shift.slope == pytest.approx(line[0])
    residuals = judge.mean()[:, 0] - np.polyval(line, human.mean()[:, 0])
    beyond = (judge.values - line[0] * human.values)[..., 0]
    beyond -= beyond.mean(0)
    expected = multipletests(ttest_1samp(beyond, 0, axis=1).pvalue, method="holm")[1]
    np.testing.assert_allclose(shift.runs.p, expected, atol=1e-12)
    np.testing.assert_allclose(shift.runs.value, residuals, atol=1e-12)
    assert shift.groups is not None
    own, others = beyond[[4, 5]].mean(0), beyond[:4].mean(0)
    by_group = [ttest_rel(beyond[:2].mean(0), beyond[2:].mean(0)).pvalue, ttest_rel(own, others).pvalue]
    np.testing.assert_allclose(shift.groups.p, multipletests(by_group, method="holm")[1], atol=1e-12)
    assert shift.groups.value[1] == pytest.approx(float((own - others).mean()))


def test_a_judge_who_raises_all_runs_alike_favours_none() -> None:
    drawn = two_assessors()
    human = evaluate(drawn.human, drawn.runs, "GAP")
    shift = measure_shift(human, human, 0, None, 0.05)
    assert shift is not None
    assert shift.level == 0
    assert not shift.runs.significant.any()
    assert shift.groups is None


def test_who_loses_by_errors_at_random_alone_is_not_out_of_favour() -> None:
    """A judge whose values are halved draws the runs together; on the line all of them stay."""
    drawn = two_assessors(5)
    human = evaluate(drawn.human, drawn.runs, "GAP")
    shift = measure_shift(human, replace(human, values=0.2 + 0.5 * human.values), 0, {"best": [0]}, 0.05)
    assert shift is not None
    assert shift.slope == pytest.approx(0.5)
    np.testing.assert_allclose(shift.runs.value, 0, atol=1e-12)
    assert not shift.runs.significant.any()
    assert shift.groups is not None
    assert not shift.groups.significant.any()


def test_a_favoured_run_is_found() -> None:
    drawn = two_assessors(5, topics=30)
    human = evaluate(drawn.human, drawn.runs, "GAP")
    favoured = human.values.copy()
    favoured[3] += 0.1
    shift = measure_shift(human, replace(human, values=favoured), 0, None, 0.05)
    assert shift is not None
    assert int(shift.runs.value.argmax()) == 3
    assert shift.runs.significant[3]
