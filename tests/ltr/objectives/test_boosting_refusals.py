"""Data, options and scores that LambdaMART's objective refuses, in a line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval import GAP, InputError, SetP
from gradeval.ltr import LambdaObjective

GRADES = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("grades", "offsets", "message"),
    [
        ([0, -1, 1], [0, 3], "grade -1 is not one of the levels 0,1; declare"),
        ([0, float("nan"), 1], [0, 3], "the label of row 1 is nan: give a grade"),
        ([0, 1, 1], [0, 2], "the queries have 2 rows, the data has 3"),
        ([0, 1, 1], [0, 3, 2, 3], "offsets must ascend from 0"),
        ([0, 1, 1], [1, 3], "offsets must ascend from 0"),
        ([0, 0, 0], [0, 3], "nothing to learn: no exchange of two documents of a query changes GAP"),
        ([0, 1, 2], [0, 1, 2, 3], "nothing to learn"),
    ],
)
@pytest.mark.filterwarnings("ignore::gradeval.ltr.InferredLevelsWarning")
def test_data_without_anything_to_learn_is_a_clear_error(grades: list[float], offsets: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LambdaObjective(GAP).gradients(np.zeros(3), np.array(grades), np.array(offsets))


@pytest.mark.parametrize("truncation", [None, 1])
@pytest.mark.parametrize("measure", [GAP, "Bpref"])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_so_far_apart_that_hessians_underflow_are_no_lack_of_something_to_learn(
    sign: int, measure: Any, truncation: int | None
) -> None:
    scores, grades = sign * np.array([2e4, 1e4, 0.0]), np.array([2, 1, 0])
    objective = LambdaObjective(measure, levels=GRADES, truncation=truncation)
    gradient, hessian = objective.gradients(scores, grades, np.array([0, 3]))
    assert not hessian.any()
    assert gradient.any() == (sign < 0)  # pairs in the right order push no more, those in the wrong one do


def test_a_measure_of_sets_cannot_be_learnt() -> None:
    with pytest.raises(InputError, match="nothing to learn: no exchange of two documents of a query changes SetP"):
        LambdaObjective(SetP, levels=GRADES).gradients(np.zeros(3), np.array([0, 1, 2]), np.array([0, 3]))


def test_options_and_scores_that_make_no_sense_are_clear_errors() -> None:
    with pytest.raises(InputError, match="norm='yes' is not True or False"):
        LambdaObjective(GAP, norm="yes")
    with pytest.raises(InputError, match="unknown measure 'GAPP'"):
        LambdaObjective("GAPP")
    data = np.array([0.0, 1.0, 2.0]), np.array([0, 3])
    with pytest.raises(InputError, match="the score of row 1 is nan"):
        LambdaObjective(GAP, levels=GRADES).gradients(np.array([0, np.nan, 1]), *data)
    with pytest.raises(InputError, match="give one of each for a row"):
        LambdaObjective(GAP, levels=GRADES).gradients(np.zeros(2), *data)
    with pytest.raises(InputError, match="grade 2 is not one of the levels 0,1"):
        LambdaObjective(GAP, levels=(0, 1)).gradients(np.zeros(3), *data)
