"""The queries in the data sets of LightGBM and XGBoost."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.features.arrays import offsets_of
from gradeval.formula.arithmetic import Array


def is_xgboost(data: Any) -> bool:
    """Whether this is a DMatrix of XGBoost, and no Dataset of LightGBM."""
    return hasattr(data, "get_uint_info")


def offsets_of_matrix(matrix: Any) -> Array:
    """int64[query + 1]: where each query of a DMatrix begins, and the number of rows; an InputError without queries."""
    offsets: Array = matrix.get_uint_info("group_ptr").astype(np.int64)
    if len(offsets) < 2:
        raise InputError("the XGBoost DMatrix has no groups: give it qid=, the query of each row, or set_group()")
    return offsets


def offsets_of_groups(groups: Array | None) -> Array:
    """The same from the numbers of rows of the queries, as a Dataset of LightGBM has them."""
    if groups is None:
        raise InputError("the LightGBM Dataset has no groups: give it group=, the number of rows of each query")
    return offsets_of(groups)
