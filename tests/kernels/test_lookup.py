from __future__ import annotations

import numpy as np
import pytest

from gradeval import AP, GAP, InputError, JudgedRankings, Measure
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, REQUIRED
from gradeval.kernels import lookup as exact
from gradeval.kernels.lookup import kernel_of
from gradeval.kernels.pairs import pool_of

LEVELS = (0.0, 1.0, 2.0, 3.0)

NONE = "AUC Bpref G IPrec IPrec11 NumQ NumRel NumRet RBPresidual SCU Success Utility binG gmBpref infAP nDCGrel".split()

QUERIES, LENGTH = 60, 12

TOLERANCE = 1e-12


def random_rankings() -> tuple[Array, Array, Array]:
    """Rankings of 0 to 12 documents as levels (-1: padding), their lengths, and pools that may hold more; every
    seventh query has no relevant document in its list."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, LENGTH + 1, QUERIES)
    lengths[:3] = LENGTH, 1, 0
    level = rng.integers(0, len(LEVELS), (QUERIES, LENGTH))
    level[::7] = 0
    level[np.arange(LENGTH) >= lengths[:, None]] = -1
    elsewhere = rng.integers(0, 3, (QUERIES, len(LEVELS))) * (rng.random((QUERIES, 1)) < 0.5)
    return level, lengths, pool_of(level, LEVELS) + elsewhere


LEVEL, LENGTHS, POOL = random_rankings()


def at_a_place(measure: Measure) -> Measure:
    """The measure, with a place to look at where it needs one."""
    at = measure.definition.at
    if at is None or measure.parameters[at] is not REQUIRED:
        return measure
    return measure @ (0.5 if at == "recall" else 4)


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
