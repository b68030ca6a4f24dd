"""Stationary points of the entropy of many lists at once: the engine of ``maximum_entropy``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from gradeval._core import settle_lists
from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.expected import AdditiveMeasure, ListRows

SETTLED = 1e-9  # largest change of a probability, and relative error of the constraints
ROUNDS = 40  # steps tried before a list counts as unsettled


@dataclass(frozen=True, eq=False)
class Lists(ListRows):
    """Lists whose distribution over classes of documents is sought, in terms of all classes but one.

    What a rank does not give to these classes goes to the remaining one, the reference. Attributes have one row
    for each list:

    form, constant[i] : the expected value as a function of the probabilities of the classes, beyond its value where
        all are 0.
    live[i, 1, rank] : 1, or 0 beyond the end of a shorter list.
    mass[i, class] : documents of the class in the list; 0 for a class that it lacks.
    value[i] : expected value to be met.
    room[i] : how far the value is from the nearer end of what is possible; errors of the value count relative to it.
    """

    form: AdditiveMeasure
    constant: Array
    live: Array
    mass: Array
    value: Array
    room: Array

    def distribution(self, logit: Array) -> Array:
        """p[i, class, rank] of logits, the logarithms of the odds to the reference."""
        highest = np.maximum(logit.max(1, keepdims=True, initial=0.0), 0.0)
        p = np.exp(logit - highest)
        p *= self.live / (p.sum(1, keepdims=True) + np.exp(-highest))
        return np.asarray(p)


@dataclass(frozen=True, eq=False)
class IterationState(ListRows):
    """The state of the iteration for each list: logits, the multipliers behind them, and whether both have settled.

    Attributes
    ----------
    logit : float64[i, class, rank]: logarithms of the odds to the reference.
    x : float64[i, 1 + class]: lambda, of the value, and mu of each class.
    settled : bool[i]: whether the list is settled.
    """

    logit: Array
    x: Array
    settled: Array

    @classmethod
    def without_order(cls, lists: Lists, reference: Array) -> Self:
        """Every rank alike: the most random of all lists, whatever its value. ``reference[i]``: mass of that class."""
        with np.errstate(divide="ignore"):  # a class without mass never occurs: mu = -inf
            mu = np.log(lists.mass / reference[:, None])
        x = np.concatenate([np.zeros((len(mu), 1)), mu], 1)
        logit = np.repeat(mu[..., None], lists.live.shape[-1], -1)
        return cls(logit, x, np.zeros(len(mu), bool))


def settle(lists: Lists, start: IterationState, precision: Array, rounds: int) -> IterationState:
    """Find where the logits are lambda times the gradient of the measure plus mu, and the constraints hold.

    Damped Newton steps on all of these conditions at once (``random_list.hpp``). A list is settled when no probability
    would change by more than ``precision[i]``, nor are the constraints missed by more. ``rounds`` limits the steps.
    """
    form, length = lists.form, lists.live[:, 0].sum(-1).astype(np.int64)
    result = IterationState(start.logit.copy(), start.x.copy(), start.settled.copy())
    settle_lists(
        np.ascontiguousarray(form.linear),
        np.ascontiguousarray(form.pair),
        np.ascontiguousarray(form.discount),
        length,
        np.ascontiguousarray(lists.mass),
        lists.value - lists.constant,
        lists.room,
        precision,
        rounds,
        result.x,
        result.logit,
        result.settled,
        np.zeros(len(length), np.int64),  # counts the steps
    )
    return result


def entropy(p: Array) -> Array:
    """float64[i]: -sum p ln p of p[i, class, rank], in nats."""
    return np.asarray(-(p * np.log(np.where(p > 0, p, 1.0))).sum((1, 2)))
