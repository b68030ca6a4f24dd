"""Maximum entropy where little is left to infer: the best list, the worst, no order, one grade, grades alike."""

from __future__ import annotations

import math

import numpy as np
import pytest
from inferred_lists import form_of, inferred, one_hot

from gradeval import xGAP
from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.maximum_entropy import maximum_entropy


def entropy(p: Array) -> float:
    return -sum(x * math.log(x) for x in p.ravel() if x > 0)


def test_the_list_without_order_is_inferred_from_its_own_value() -> None:
    form, counts = form_of("GAP", [40, 6, 3], 20), np.array([14.0, 4, 2])
    even = np.repeat(counts[:, None] / 20, 20, 1)
    lists = maximum_entropy(form, counts, form.value(even))
    assert lists.converged
    assert lists.probability == pytest.approx(even, abs=1e-9)
    assert lists.multiplier == pytest.approx(0, abs=1e-6)
    assert lists.entropy == pytest.approx(20 * entropy(counts / 20))


@pytest.mark.parametrize("measure", ["AP", "GAP", "xGAP", "eGAP", "nDCG", "Q"])
def test_the_best_list_is_itself(measure: str) -> None:
    ranking = [2, 2, 1, 1, 1, 0, 0, 0]
    result = inferred(measure, ranking, [9, 4, 2])
    assert result.converged
    assert result.multiplier == math.inf
    if measure == "AP":  # which cannot tell grades 1 and 2
        assert result.probability[1:, :5] == pytest.approx(np.array([[3 / 5] * 5, [2 / 5] * 5]))
        assert result.probability[0, 5:] == pytest.approx(1)
    else:
        assert result.probability.tolist() == one_hot(ranking, 3).tolist()
        assert result.entropy == 0


@pytest.mark.parametrize("measure", ["AP", "GAP", "eGAP", "nDCG"])
def test_the_worst_list_is_itself(measure: str) -> None:
    result = inferred(measure, [0, 0, 0, 1, 1], [9, 3])
    assert result.converged
    assert result.multiplier == -math.inf
    assert result.probability.tolist() == one_hot([0, 0, 0, 1, 1], 2).tolist()


def test_beyond_a_cutoff_the_best_list_is_without_order() -> None:
    result = inferred("nDCG@2", [2, 2, 0, 1, 0, 2], [9, 3, 3])
    assert result.converged
    assert result.probability[:, :2].tolist() == [[0, 0], [0, 0], [1, 1]]
    assert result.probability[:, 2:] == pytest.approx(np.repeat([[2 / 4], [1 / 4], [1 / 4]], 4, 1))


@pytest.mark.parametrize(("ranking", "inside"), [([1, 1, 0, 0, 0, 0], 2 / 4), ([0, 0, 0, 0, 1, 1], 0)])
def test_precision_at_its_extremes_leaves_open_what_it_cannot_tell(ranking: list[int], inside: float) -> None:
    result = inferred("P@4", ranking, [9, 2])
    assert result.converged
    assert result.probability[1] == pytest.approx([inside] * 4 + [(2 - 4 * inside) / 2] * 2)


def test_a_reversed_list_need_not_be_the_worst_for_xgap() -> None:
    """For pool 3,2,1 and g = (2/3, 1/3) the list [0,0,2,1] scores 8/27, the reversed [0,0,1,2] 11/36."""
    form = form_of(xGAP(g=[2 / 3, 1 / 3]), [3, 2, 1], 4)
    lists = maximum_entropy(form, np.array([2, 1, 1]), np.array(0.3))  # 8/27 < 0.3 < 11/36
    assert lists.converged
    assert lists.value == pytest.approx(0.3)
    assert lists.entropy > 0.5


@pytest.mark.parametrize("ranking", [[0, 0, 0], [1, 1, 1], [2, 2], [1], [0]])
@pytest.mark.parametrize("measure", ["AP", "AP(rel=2)", "xGAP", "nDCG", "P@2"])
def test_a_list_of_one_grade_leaves_nothing_to_infer(measure: str, ranking: list[int]) -> None:
    result = inferred(measure, ranking, [4, 4, 4])
    assert result.converged
    assert result.probability.tolist() == one_hot(ranking, 3).tolist()


def test_grades_that_a_measure_cannot_tell_share_each_rank_as_they_share_the_list() -> None:
    result = inferred("AP", [1, 0, 2, 0, 1, 1, 0, 2, 0, 0], [20, 4, 3])
    assert result.converged
    assert result.probability[1] / result.probability[2] == pytest.approx(3 / 2)
