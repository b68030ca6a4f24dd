"""Maximum entropy near the worst value of xGAP and Q: rivals, leaps, and lists worse than the sorted one."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from gradeval import xGAP
from gradeval.studies.information.classes import Classes
from gradeval.studies.information.expected import Expected, expected
from gradeval.studies.information.maximum_entropy import maximum_entropy
from gradeval.studies.information.worst_list import lower_list
from inferred_lists import form_of, one_hot

# Measure, documents of each level in the list and in the pool, value; entropy that a slow independent solver finds
# (successive linearisation, else bisection over fixed multipliers, each solved by a damped fixed point).
RIVALS = [
    ("xGAP(g=[0.329,0.124,0.547])", [14, 0, 5, 6], [28, 1, 10, 12], 0.1131355648968088, 0.688575),
    ("xGAP(g=[0.291,0.595,0.114])", [14, 0, 8, 1], [70, 1, 40, 5], 0.04686292893173298, 4.380968),
    ("xGAP(g=[0.500,0.500])", [8, 2, 5], [11, 3, 7], 0.19863818821302154, 2.090341),
    ("xGAP(g=[0.033,0.615,0.352])", [15, 0, 7, 3], [20, 1, 10, 4], 0.16496429994537049, 11.450292),
]


@pytest.mark.parametrize(("measure", "counts", "pool", "value", "entropy"), RIVALS)
def test_the_highest_of_several_peaks_is_found(
    measure: str, counts: list[int], pool: list[int], value: float, entropy: float
) -> None:
    form = form_of(measure, pool, sum(counts))
    found = maximum_entropy(form, np.array(counts, float), np.array(value))
    assert found.converged
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.probability.sum(-1) == pytest.approx(counts, abs=1e-6)
    assert found.entropy >= entropy - 1e-6


@pytest.mark.parametrize(
    ("measure", "pool", "ranking"),
    [
        ("xGAP(g=[0.016,0.052,0.932])", [500, 4, 1, 2], [0] * 33 + [1, 1, 1, 1, 2, 3, 3]),
        ("eGAP(g=[0.068,0.932])", [500, 4, 5], [0] * 31 + [1, 1, 1, 2, 1, 2, 2, 2, 2]),
    ],
)
def test_lists_in_which_one_grade_has_no_choice_are_climbed_by_the_others(
    measure: str, pool: list[int], ranking: list[int]
) -> None:
    form, held = form_of(measure, pool, len(ranking)), one_hot(ranking, len(pool))
    found = maximum_entropy(form, held.sum(-1), form.value(held))
    assert found.converged
    assert found.value == pytest.approx(form.value(held), abs=1e-9)
    assert found.probability.sum(-1) == pytest.approx(held.sum(-1), abs=1e-6)


# Values 10^-4, 10^-6 and 10^-7 of the way from the best list to that without order; entropies that were found.
BELOW_THE_BEST = [
    ("GAP(g=[0.954,0.046])", [21, 5, 2], [23, 5, 5], 0.6928927382397867, 1.106421),
    ("eGAP(g=[0.596,0.404])", [1, 5, 5], [3, 9, 7], 0.6610712898143373, 0.096582),
    ("eGAP(g=[0.596,0.404])", [1, 5, 5], [3, 9, 7], 0.6610714146957195, 0.035957),
]


@pytest.mark.parametrize(("measure", "counts", "pool", "value", "entropy"), BELOW_THE_BEST)
def test_values_just_below_the_best_are_reached_from_above_the_middle(
    measure: str, counts: list[int], pool: list[int], value: float, entropy: float
) -> None:
    form = form_of(measure, pool, sum(counts))
    found = maximum_entropy(form, np.array(counts, float), np.array(value))
    assert found.converged
    assert found.multiplier > 0
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.probability.sum(-1) == pytest.approx(counts, abs=1e-6)
    assert found.entropy >= entropy - 1e-5


@pytest.mark.parametrize(
    ("g", "ranking", "pool", "entropy"),
    [
        ("0.811,0.189", [0] * 9 + [1, 2, 2, 2, 2], [18, 2, 8], 0.662359),
        ("0.385,0.286,0.329", [0, 0, 0, 0, 0, 1, 2], [25, 5, 5, 1], 0.789900),
        ("0.688,0.312", [0] * 20 + [1, 2, 2, 2, 2], [40, 2, 8], 1.262683),
    ],
)
def test_more_lists_than_the_reversed_one_have_its_value(
    g: str, ranking: list[int], pool: list[int], entropy: float
) -> None:
    form, held = form_of(f"xGAP(g=[{g}])", pool, len(ranking)), one_hot(ranking, len(pool))
    found = maximum_entropy(form, held.sum(-1), form.value(held))
    assert found.converged
    assert found.entropy >= entropy


@pytest.mark.parametrize("measure", ["AP", "GAP", "eGAP", "xGAP", "nDCG", "Q"])
def test_the_worst_value_there_is_converges(measure: str) -> None:
    counts, pool = [4, 2, 2], [6, 3, 4]
    form = form_of(measure, pool, 8)
    lists = np.array(sorted(set(permutations([0] * 4 + [1] * 2 + [2] * 2))))
    values = form.value((lists[:, None] == np.arange(3)[:, None]).astype(float))
    found = maximum_entropy(form, np.array(counts, float), values.min())
    assert found.converged
    assert found.value == pytest.approx(values.min(), abs=1e-6)
    assert found.multiplier == -np.inf


@pytest.mark.parametrize("measure", ["xGAP", "Q"])
def test_every_short_list_converges(measure: str) -> None:
    """Every eleventh of the lists of six ranks and three levels."""
    lists = np.array(list(product(range(3), repeat=6)))[::11]
    form = form_of(measure, [6, 6, 6], 6)
    held = (lists[:, None, :] == np.arange(3)[:, None]).astype(float)
    found = maximum_entropy(form, held.sum(-1), form.value(held))
    assert found.converged.all()
    assert found.value == pytest.approx(form.value(held), abs=1e-6)


def test_a_peak_is_stationary() -> None:
    """ln p[a, n] - lambda D[a, n] depends on the level, and on the rank, but not on both."""
    measure, counts, pool, value, _ = RIVALS[3]
    form = form_of(measure, pool, sum(counts))
    found = maximum_entropy(form, np.array(counts, float), np.array(value))
    p = found.probability[[0, 2, 3]]
    clear = (p > 1e-6).all(0)
    logits = np.log(p[:, clear]) - found.multiplier * form.gradient(found.probability)[[0, 2, 3]][:, clear]
    assert np.ptp(logits[1:] - logits[:1], axis=1) == pytest.approx(0, abs=1e-5)


def test_exchanges_find_a_list_worse_than_the_reversed_one() -> None:
    """For pool 3,2,1 and g = (2/3, 1/3) the list [0,0,2,1] scores 8/27, the reversed [0,0,1,2] 11/36."""
    form = expected(xGAP(g=[2 / 3, 1 / 3]), np.array([3, 2, 1]), (0.0, 1.0, 2.0), 4)
    counts = np.array([[2.0, 1, 1]])
    classes = Classes.of(Expected(form.linear[None], form.pair[None], form.discount[None]), np.ones((1, 4)), counts)
    lists = classes.others(np.array([0.0]), np.ones(1))
    found = lower_list(lists, np.array([0, 0, 1, 2]))
    assert found.tolist() == [0, 0, 2, 1]
    value, _ = lists.measured(one_hot(found.tolist(), 3)[None, 1:])
    assert value == pytest.approx(8 / 27)
