"""Classes of levels that a measure tells apart: nothing of a problem is lost, level by level and rank by rank."""

from __future__ import annotations

import numpy as np
import pytest
from inferred_lists import form_of

from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.classes import Classes
from gradeval.studies.informativeness.expected import AdditiveMeasure

LENGTH, POOL, COUNTS = 6, [9, 3, 2, 1], [2.0, 1.0, 2.0, 1.0]


def classes_of(measure: str) -> tuple[Classes, AdditiveMeasure]:
    form = form_of(measure, POOL, LENGTH)
    one = AdditiveMeasure(form.linear[None], form.pair[None], form.discount[None])
    return Classes.of(one, np.ones((1, LENGTH)), np.array([COUNTS])), one


def drawn(shape: tuple[int, int]) -> Array:
    """p[1, class, rank]: at each rank some distribution."""
    p = np.random.default_rng(3).uniform(0.1, 1, shape)
    return np.asarray(p / p.sum(0))[None]


@pytest.mark.parametrize(
    ("measure", "together"),
    [
        ("AP", [[0], [1, 2, 3]]),
        ("AP(rel=2)", [[0, 1], [2, 3]]),
        ("GAP", [[0], [1], [2], [3]]),
        ("P@3", [[0], [1, 2, 3]]),
    ],
)
def test_levels_that_a_measure_treats_alike_share_a_class_by_their_documents(
    measure: str, together: list[list[int]]
) -> None:
    classes, form = classes_of(measure)
    member = classes.member[0]
    assert {frozenset(np.flatnonzero(member == one)) for one in member} == set(map(frozenset, together))
    assert classes.mass[0] == pytest.approx(sorted(sum(COUNTS[level] for level in one) for one in together)[::-1])
    p = drawn((len(together), LENGTH))
    spread = classes.spread(p)
    for one in together:
        for level in one:
            share = COUNTS[level] / sum(COUNTS[each] for each in one)
            assert spread[0, level] == pytest.approx(share * p[0, member[level]])
    assert form.value(spread) == pytest.approx(classes.form.value(p))


def test_lists_without_and_in_order_hold_the_documents_of_each_level() -> None:
    classes, _ = classes_of("GAP")
    assert classes.spread(classes.even())[0] == pytest.approx(np.outer(COUNTS, np.full(LENGTH, 1 / LENGTH)))
    best = classes.spread(classes.in_order(best_first=True))[0]
    worst = classes.spread(classes.in_order(best_first=False))[0]
    for p, ranking in ((best, [3, 2, 2, 1, 0, 0]), (worst, [0, 0, 1, 2, 2, 3])):
        assert p == pytest.approx((np.array(ranking) == np.arange(4)[:, None]).astype(float))


@pytest.mark.parametrize("measure", ["AP", "GAP", "xGAP", "Q", "nDCG@4"])
def test_without_its_first_class_a_problem_expects_the_same_value(measure: str) -> None:
    classes, _ = classes_of(measure)
    p = drawn((classes.mass.shape[1], LENGTH))
    lists = classes.others(np.zeros(1), np.ones(1))
    value = lists.constant + lists.form.value(p[:, 1:])
    assert value == pytest.approx(classes.form.value(p))
