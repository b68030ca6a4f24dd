from __future__ import annotations

import numpy as np
import pytest
from random_levels import LENGTHS, LEVEL, LEVELS, POOL, TOLERANCE, at_a_place

from gradeval import AP, GAP, InputError, JudgedRankings
from gradeval.formula.definition import REGISTRY
from gradeval.kernels import lookup as exact
from gradeval.kernels.lookup import kernel_of

NONE = "AUC Bpref G IPrec IPrec11 NumQ NumRel NumRet RBPresidual SCU Success Utility binG gmBpref infAP nDCGrel".split()


def test_the_exact_way_scores_the_swapped_lists_of_any_measure() -> None:
    bpref = REGISTRY["Bpref"]
    ranking = [0, 2, 0, 1, 3]
    change = exact.score_swaps(bpref, np.array([[*ranking, -1]]), np.array([[2, 1, 1, 1]]), LEVELS)[0]
    for a in range(5):
        for b in range(a + 1, 5):
            swapped = ranking.copy()
            swapped[a], swapped[b] = swapped[b], swapped[a]
            after, before = (bpref(JudgedRankings.of(one, levels=LEVELS))[0] for one in (swapped, ranking))
            assert change[a, b] == pytest.approx(after - before, abs=TOLERANCE)
    assert not change[np.tril_indices(6)[0], np.tril_indices(6)[1]].any()
    assert not change[:, 5].any()


def test_the_exact_way_can_do_the_first_ranks_only() -> None:
    whole = exact.score_swaps(AP, LEVEL, POOL, LEVELS)
    np.testing.assert_array_equal(exact.score_swaps(AP, LEVEL, POOL, LEVELS, top=3), whole[:, :3])


@pytest.mark.parametrize("name", NONE)
def test_measures_that_are_no_sums_over_pairs_have_no_kernel(name: str) -> None:
    assert kernel_of(at_a_place(REGISTRY[name]), POOL, LEVELS, LENGTHS) is None


def test_an_error_in_a_kernel_names_the_measure() -> None:
    with pytest.raises(InputError, match=r"GAP\(g=\[0\.5,0\.5\]\): g has 2 probabilities"):
        kernel_of(GAP(g=(0.5, 0.5)), POOL, LEVELS, LENGTHS)
