from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError
from gradeval.formula.spelling import parse_measures
from gradeval.studies.requirements import refuse_constant


def test_means_of_minus_zero_are_shown_as_zero() -> None:
    with pytest.raises(InputError, match="all 3 runs have the same mean 0, so"):
        refuse_constant(np.full((1, 3), -0.0), parse_measures("AP"))
