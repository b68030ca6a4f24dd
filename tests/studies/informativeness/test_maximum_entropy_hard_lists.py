"""Maximum entropy near the best and the worst values of a measure: solved, or said not to be inferred."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from inferred_lists import form_of

from gradeval.studies.informativeness.maximum_entropy import maximum_entropy

# Measure, documents of each level in the list and in the pool, value. The most random lists of these values have rivals
# (the first four), one grade without a choice, or lie next to the best list there is.
HARD = [
    ("xGAP(g=[0.329,0.124,0.547])", [14, 0, 5, 6], [28, 1, 10, 12], 0.1131355648968088),
    ("xGAP(g=[0.291,0.595,0.114])", [14, 0, 8, 1], [70, 1, 40, 5], 0.04686292893173298),
    ("xGAP(g=[0.500,0.500])", [8, 2, 5], [11, 3, 7], 0.19863818821302154),
    ("xGAP(g=[0.033,0.615,0.352])", [15, 0, 7, 3], [20, 1, 10, 4], 0.16496429994537049),
    ("GAP(g=[0.954,0.046])", [21, 5, 2], [23, 5, 5], 0.6928927382397867),
    ("eGAP(g=[0.596,0.404])", [1, 5, 5], [3, 9, 7], 0.6610712898143373),
    ("eGAP(g=[0.596,0.404])", [1, 5, 5], [3, 9, 7], 0.6610714146957195),
]


@pytest.mark.parametrize(("measure", "counts", "pool", "value"), HARD)
def test_a_hard_list_has_its_value_and_documents_and_is_stationary_or_counts_as_not_inferred(
    measure: str, counts: list[int], pool: list[int], value: float
) -> None:
    """Stationary: ln p[a, n] - lambda D[a, n] depends on the level, and on the rank, but not on both."""
    form = form_of(measure, pool, sum(counts))
    inferred = maximum_entropy(form, np.array(counts, float), np.array(value))
    assert np.isfinite(inferred.probability).all()
    if inferred.converged:
        assert inferred.value == pytest.approx(value, abs=1e-6)
        assert inferred.probability.sum(-1) == pytest.approx(counts, abs=1e-6)
        held = np.array(counts) > 0
        p = inferred.probability[held]
        clear = (p > 1e-6).all(0)
        logits = np.log(p[:, clear]) - inferred.multiplier * form.gradient(inferred.probability)[held][:, clear]
        if clear.any():
            assert np.ptp(logits[1:] - logits[:1], axis=1) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("measure", ["AP", "GAP", "eGAP", "nDCG", "Q"])
def test_the_worst_value_there_is_converges(measure: str) -> None:
    counts, pool = [4, 2, 2], [6, 3, 4]
    form = form_of(measure, pool, 8)
    lists = np.array(sorted(set(permutations([0] * 4 + [1] * 2 + [2] * 2))))
    values = form.value((lists[:, None] == np.arange(3)[:, None]).astype(float))
    inferred = maximum_entropy(form, np.array(counts, float), values.min())
    assert inferred.converged
    assert inferred.value == pytest.approx(values.min(), abs=1e-6)
    assert inferred.multiplier == -np.inf


def test_where_the_reversed_list_is_not_the_worst_the_worst_value_counts_as_not_inferred() -> None:
    """As for xGAP: no smooth path leads to a list that is worse than the reversed one."""
    counts, pool = [4, 2, 2], [6, 3, 4]
    form = form_of("xGAP", pool, 8)
    lists = np.array(sorted(set(permutations([0] * 4 + [1] * 2 + [2] * 2))))
    values = form.value((lists[:, None] == np.arange(3)[:, None]).astype(float))
    assert not maximum_entropy(form, np.array(counts, float), values.min()).converged


@pytest.mark.parametrize("measure", ["xGAP", "Q"])
def test_every_short_list_converges(measure: str) -> None:
    """Every eleventh of the lists of six ranks and three levels."""
    lists = np.array(list(product(range(3), repeat=6)))[::11]
    form = form_of(measure, [6, 6, 6], 6)
    held = (lists[:, None, :] == np.arange(3)[:, None]).astype(float)
    inferred = maximum_entropy(form, held.sum(-1), form.value(held))
    assert inferred.converged.all()
    assert inferred.value == pytest.approx(form.value(held), abs=1e-6)
