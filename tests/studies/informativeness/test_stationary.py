"""Stationary points of the entropy, by the literal conditions: softmax of the gradient, and the constraints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from inferred_lists import form_of

from gradeval.studies.informativeness.expected import AdditiveMeasure
from gradeval.studies.informativeness.stationary import ROUNDS, SETTLED, IterationState, Lists, entropy, settle

LENGTH, COUNT = 8, 3.0


def lists_of(measure: str, value: float) -> Lists:
    """A list of 3 relevant documents among 8: p[relevant, rank], what remains is not relevant."""
    form = form_of(measure, [9, 4], LENGTH)
    alone = AdditiveMeasure(form.linear[None, 1:], form.pair[None, 1:, 1:], form.discount[None])  # level 0 adds nothing
    one = np.ones(1)
    return Lists(
        alone, np.zeros(1), np.ones((1, 1, LENGTH)), np.array([[COUNT]]), value * one, min(value, 1 - value) * one
    )


@pytest.mark.parametrize(("measure", "value"), [("AP", 0.3), ("AP", 0.6), ("nDCG", 0.5), ("RBP", 0.4)])
def test_a_settled_list_is_a_softmax_of_its_gradient_and_meets_its_constraints(measure: str, value: float) -> None:
    lists = lists_of(measure, value)
    start = IterationState.without_order(lists, np.array([LENGTH - COUNT]))
    found = settle(lists, start, np.full(1, SETTLED), ROUNDS)
    assert found.settled.all()
    p = lists.distribution(found.logit)
    reached, gradient = lists.form.value_and_gradient(p)
    assert reached == pytest.approx([value], abs=1e-7)
    assert p.sum() == pytest.approx(COUNT, abs=1e-7)
    by_value, of_class = found.x[0]
    logits = [by_value * slope + of_class for slope in gradient[0, 0]]
    assert p[0, 0] == pytest.approx([1 / (1 + math.exp(-logit)) for logit in logits], abs=1e-6)


@pytest.mark.parametrize("largest", [3.0, 499.0, 501.0, 2000.0])  # exp(2000) is no double
def test_a_distribution_is_a_softmax_however_large_its_logits_are(largest: float) -> None:
    lists = lists_of("AP", 0.5)
    logits = np.linspace(-largest, largest, LENGTH)
    found = lists.distribution(logits[None, None])[0, 0]
    smaller = [math.exp(-abs(logit)) for logit in logits]  # the smaller odds
    expected = [1 / (1 + odds) if logit > 0 else odds / (1 + odds) for logit, odds in zip(logits, smaller, strict=True)]
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_entropy_is_the_sum_over_classes_and_ranks_and_certain_ranks_add_nothing() -> None:
    p = np.array([[[0.5, 1.0, 0.1], [0.5, 0.0, 0.9]], [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]])
    expected = [-sum(one * math.log(one) for one in row.flat if one) for row in p]
    assert entropy(p) == pytest.approx(expected)
