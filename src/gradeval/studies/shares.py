"""How documents are shared out among the grades: alike, by weights, or drawn anew from a Dirichlet distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Anything
from gradeval.files.plain_text import read_decimal
from gradeval.formula.arithmetic import Array
from gradeval.messages import Given, plain

UNIFORM, DIRICHLET = "uniform", "dirichlet"
ACCEPTED = "uniform, dirichlet:A with a parameter A above 0, or a weight for each grade from 0 on, as in 1,2,3"


@dataclass(frozen=True)
class Shares:
    """The shares of the grades.

    Attributes
    ----------
    concentration : the parameter, one for all grades, of the Dirichlet distribution from which shares are drawn anew
        each time; None where they are fixed.
    weights : of the grades from 0 on, where they are fixed; none where all are alike.
    """

    concentration: float | None = None
    weights: tuple[float, ...] = ()

    @classmethod
    def of(cls, value: Any) -> Self:
        """Shares from how they are spelled; an InputError for an unknown spelling."""
        if isinstance(value, cls):
            return value
        if value == UNIFORM:
            return cls()
        if isinstance(value, str) and value.startswith(f"{DIRICHLET}:"):
            parameter = read_decimal(value.partition(":")[2])
            if not parameter > 0:
                raise InputError(Given("shares", value), f": the parameter is no number above 0, as in {DIRICHLET}:0.5")
            return cls(parameter)
        weights = [read_decimal(part) for part in value.split(",")] if isinstance(value, str) else value
        if not isinstance(weights, Sequence) or not all(isinstance(one, int | float) and one >= 0 for one in weights):
            raise InputError(Given("shares", value), f": accepted: {ACCEPTED}")
        if sum(one > 0 for one in weights) < 2 or not math.isfinite(sum(weights)):
            raise InputError(Given("shares", value), ": two grades or more need a share, each a finite weight")
        return cls(weights=tuple(map(float, weights)))

    @property
    def alike(self) -> bool:
        """Have all grades the same share?"""
        return self.concentration is None and not self.weights

    def __str__(self) -> str:
        if self.concentration is not None:
            return f"{DIRICHLET}:{self.concentration:g}"
        return ",".join(f"{one:g}" for one in self.weights) or UNIFORM

    def draw(self, times: int, grades: int, rng: np.random.Generator) -> Array:
        """float64[time, grade]: the shares of so many grades; an InputError for weights of another number."""
        if self.concentration is not None:
            return rng.dirichlet(np.full(grades, self.concentration), size=times)
        if self.weights and len(self.weights) != grades:
            raise InputError(
                plain("shares", self), f": {len(self.weights)} weights for {grades} grades; give one for each"
            )
        weights = np.array(self.weights or (1.0,) * grades)
        return np.tile(weights / weights.sum(), (times, 1))


class SharesKind(Anything):
    """Shares, or how they are spelled."""

    def check(self, _: str, value: Any) -> Shares:
        """The shares."""
        return Shares.of(value)
