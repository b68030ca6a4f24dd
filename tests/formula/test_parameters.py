from __future__ import annotations

import numpy as np
import pytest

from gradeval import AP, GAP, InputError, parse_measure


def test_numpy_numbers_configure_as_plain_ones_do() -> None:

    assert AP(rel=np.float32(2)) @ np.int64(10) == AP(rel=2) @ 10
    assert GAP(g=np.array([0.5, 0.5])) == GAP(g=[0.5, 0.5])
    assert str(AP(rel=np.float64(0.1))) == "AP(rel=0.1)"


def test_shares_of_users_that_do_not_sum_to_one_are_summed_up() -> None:
    with pytest.raises(InputError, match=r"g=\[0.2,0.3\] is not probabilities that sum to 1.*: they sum to 0.5"):
        parse_measure("GAP(g=[0.2,0.3])")
