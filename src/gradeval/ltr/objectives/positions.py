"""Learning from clicks: what is shown higher is looked at more often, which is no sign of relevance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.array_checks import read_numbers
from gradeval.formula.arithmetic import Array

Correction: TypeAlias = Literal["offsets", "weights"]

STEPS = 3  # of Newton's method
FARTHEST = 3.0  # logarithm of the largest factor of a propensity in a step
LEAST = 1e-9  # propensity


@dataclass(frozen=True, eq=False)
class Positions:
    """The positions at which the documents of the rows were shown to those who clicked, and what is made of them.

    Attributes
    ----------
    place : int64[row], the index of the position.
    propensity : float64[position], how often a position is looked at, relative to others; None: to be estimated.
    correction : "offsets" or "weights", see ``correct``.
    clip : the largest inverse propensity.
    """

    place: Array
    propensity: Array | None
    correction: Correction
    clip: float

    @classmethod
    def of(cls, position: Any, propensities: Sequence[float] | None, correction: Correction, clip: float) -> Positions:
        """Of positions from 1, whose propensities are given in their order; or without them of any whole numbers from
        0. Else an InputError."""
        numbers = read_numbers("position", position)
        least = 0 if propensities is None else 1
        if numbers.ndim != 1 or (numbers != np.floor(numbers)).any() or (numbers < least).any():
            raise InputError(f"position: give a whole number from {least} for each row, the place where it was shown")
        if propensities is None:
            return cls(np.unique(numbers, return_inverse=True)[1].astype(np.int64), None, correction, clip)
        chances = read_numbers("propensities", propensities).astype(float)
        if chances.ndim != 1 or not ((chances > 0) & (chances <= 1)).all():
            raise InputError("propensities: give for each position from 1 a number above 0, up to 1")
        if numbers.size and numbers.max() > chances.size:
            raise InputError(f"position {int(numbers.max())} has no propensity: {chances.size} are given, from 1 on")
        return cls(numbers.astype(np.int64) - 1, chances, correction, clip)

    def correct(
        self, scores: Array, sigma: float, gradients: Callable[[Array], tuple[Array, Array]]
    ) -> tuple[Array, Array | None]:
        """The scores float64[row] by which pairs are compared, and what their weights are multiplied by for the better
        document, float64[row] or None.

        With the propensity theta of the position,

            offsets:  s_i + log(theta_i) / sigma                  weights:  min(clip, max theta / theta_i).

        Where a document is clicked with the probability theta_i r_i, the odds that of two the one was clicked, given
        that one of them was, approach theta_i r_i / (theta_j r_j) as clicks are rare: so offsets leave the scores what
        relevance explains. Inverse weights make of the clicks an unbiased estimate of those at one position, of larger
        variance. ``gradients`` are those of scores without correction, by which propensities are estimated.
        """
        propensity = self.estimate(scores, sigma, gradients) if self.propensity is None else self.propensity
        if self.correction == "offsets":
            return scores + np.log(np.maximum(propensity, LEAST))[self.place] / sigma, None
        return scores, np.minimum(self.clip, propensity.max() / np.maximum(propensity, LEAST))[self.place]

    def estimate(self, scores: Array, sigma: float, gradients: Callable[[Array], tuple[Array, Array]]) -> Array:
        """float64[position]: the propensities, at most 1, by which offsets to these scores explain the clicks better.

        Some steps of Newton's method for the pairwise loss, each position by itself:
        b_k <- b_k - (sum over its rows of the gradient) / (sum of the hessian), theta_k = exp(sigma b_k) / the largest.
        They begin at equal propensities whatever came before, so that a training that goes on comes to the same trees.
        """
        offset = np.zeros(int(self.place.max(initial=0)) + 1)
        for _ in range(STEPS):
            gradient, hessian = gradients(scores + offset[self.place])
            slope, bend = (np.bincount(self.place, each, len(offset)) for each in (gradient, hessian))
            step = np.divide(slope, bend, out=np.zeros(len(offset)), where=bend > 0)
            offset -= np.clip(step, -FARTHEST / sigma, FARTHEST / sigma)
            offset -= offset.max()
        return np.exp(sigma * offset)


def check_correction(correction: object, clip: object) -> float:
    """The largest inverse propensity, of checked parameters; else an InputError."""
    checked.one_of("correction", correction, get_args(Correction))
    return checked.number("clip", clip, least=1, most=1e9)
