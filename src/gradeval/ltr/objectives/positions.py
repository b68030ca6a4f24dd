"""Learning from clicks: what is shown higher is looked at more often, which is no sign of relevance."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.array_checks import read_numbers
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.graded_queries import Gradients
from gradeval.ltr.objectives.position_bias import PositionBias
from gradeval.warning_categories import ObjectiveWarning

Correction: TypeAlias = Literal["offsets", "weights"]

RATE = 0.1  # of the step that Newton's method would take, for each tree
STEPS = 3  # of Newton's method, where scores are known before the first tree
FARTHEST = 3.0  # logarithm of the largest factor of a propensity in a step
LEAST = 1e-9  # propensity


@dataclass(eq=False)
class LearntOffsets:
    """The offsets that are learnt along with the trees of a training, for the next of them.

    Attributes
    ----------
    first : float64[row], the scores before the first tree, by which a new training is told from one that goes on; None
        where it goes on from ``offset``.
    offset : float64[position], None before a training.
    bias : what was estimated so far, made when it is asked for; None before a training.
    """

    first: Array | None = None
    offset: Array | None = None
    bias: Callable[[], PositionBias] | None = None

    def belongs_to(self, scores: Array, same_rows: bool) -> bool:
        """Whether these are the offsets of the training that has come to these scores."""
        if self.offset is None or self.first is None:
            return self.offset is not None
        return same_rows and not np.array_equal(self.first, scores)


@dataclass(frozen=True, eq=False)
class Positions:
    """The positions at which the documents of the rows were shown to those who clicked, and what is made of them.

    Attributes
    ----------
    place : int64[row], the index of the position.
    propensity : float64[position], how often a position is looked at, relative to others; None: to be estimated.
    correction : "offsets" or "weights", see ``correct``.
    clip : the largest inverse propensity.
    rank : int64[position], the positions as they were given.
    """

    place: Array
    propensity: Array | None
    correction: Correction
    clip: float
    rank: Array

    @classmethod
    def of(cls, position: Any, propensities: Any, correction: Correction, clip: float) -> Positions:
        """Of positions from 1, whose propensities are given in their order; or without them of any whole numbers from
        0. Else an InputError."""
        numbers = read_numbers("position", position)
        least = 0 if propensities is None else 1
        if numbers.ndim != 1 or (numbers != np.floor(numbers)).any() or (numbers < least).any():
            raise InputError(f"position: give a whole number from {least} for each row, the place where it was shown")
        if propensities is None:
            rank, place = np.unique(numbers, return_inverse=True)
            return cls(place.astype(np.int64), None, correction, clip, rank)
        chances = read_numbers("propensities", propensities).astype(float)
        if chances.ndim != 1 or not ((chances > 0) & (chances <= 1)).all():
            raise InputError("propensities: give for each position from 1 a number above 0, up to 1")
        if numbers.size and numbers.max() > chances.size:
            raise InputError(f"position {int(numbers.max())} has no propensity: {chances.size} are given, from 1 on")
        return cls(numbers.astype(np.int64) - 1, chances, correction, clip, np.arange(1, chances.size + 1))

    def correct(self, scores: Array, sigma: float, offset: Array) -> tuple[Array, Array | None]:
        """The scores float64[row] by which pairs are compared, and what their weights are multiplied by for the better
        document, float64[row] or None.

        With the propensity theta of the position, which ``offset`` = log(theta) / sigma float64[position] gives,

            offsets:  s_i + log(theta_i) / sigma                  weights:  min(clip, max theta / theta_i).

        Where a document is clicked with the probability theta_i r_i, the odds of a click on i rather than on j, given
        one click on the two, approach theta_i r_i / (theta_j r_j) as clicks are rare: so offsets leave the scores what
        relevance explains. Inverse weights make the clicks an unbiased estimate of clicks at one position, of larger
        variance.
        """
        if self.correction == "offsets":
            return scores + offset[self.place], None
        propensity = np.maximum(np.exp(sigma * (offset - offset.max())), LEAST)
        return scores, np.minimum(self.clip, 1 / propensity)[self.place]

    def known_offset(self, sigma: float) -> Array:
        """log(theta) / sigma, float64[position], of the propensities that were given."""
        assert self.propensity is not None
        return np.asarray(np.log(np.maximum(self.propensity, LEAST)) / sigma)

    def begin(self, scores: Array, sigma: float, gradients: Callable[[Array], Gradients]) -> Array:
        """The offsets float64[position] from which learning begins, at the scores before the first tree: 0 where these
        say nothing; else some whole steps of Newton's method (see ``step``), by which they explain the clicks better
        with these scores. ``gradients`` are those at other scores."""
        offset = np.zeros(int(self.place.max(initial=0)) + 1)
        for _ in range(STEPS if np.ptp(scores) else 0):
            offset = self.step(offset, gradients(scores + offset[self.place]), sigma, rate=1.0)
            offset -= offset.max()
        return offset

    def step(self, offset: Array, gradients: Gradients, sigma: float, rate: float = RATE) -> Array:
        """The offsets after one more tree: each position takes a part of the step of Newton's method by itself,

            b_k <- b_k - rate (sum over its rows of the gradient) / (sum of the hessian).

        With whole steps the offsets would take over what the scores do not explain yet, and before trees have learnt
        anything, offsets would take all: trees and offsets have to learn side by side.
        """
        slope, bend = (np.bincount(self.place, each, len(offset)) for each in gradients)
        step = np.divide(slope, bend, out=np.zeros(len(offset)), where=bend > 0)
        return np.asarray(offset - rate * np.clip(step, -FARTHEST / sigma, FARTHEST / sigma))


def check_correction(correction: object, clip: object) -> float:
    """The largest inverse propensity, of checked parameters; else an InputError. For weights an ObjectiveWarning says,
    once in a process, that offsets rank better."""
    checked.one_of("correction", correction, get_args(Correction))
    if correction == "weights":
        warnings.warn_explicit(
            'correction="weights" ranks worse than "offsets", the default, by .002 to .02 GAP where clicks were '
            "simulated: weights vary more; leave it out",
            ObjectiveWarning,
            filename="gradeval.ltr",
            lineno=1,
            registry=_WARNED,
        )
    return checked.number("clip", clip, least=1, most=1e9)


_WARNED: dict[str | tuple[str, type[Warning], int], int] = {}
"""What has been warned of, as Python keeps it."""
