"""A number that a claim rests on, with its bootstrap interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gradeval.formula.arithmetic import Array


class Found(NamedTuple):
    """What a collection says of a claim, which ``gradeval.papers.claims_register`` names."""

    claim: str
    collection: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Quantity:
    """A number computed from all topics, and the same number computed from each bootstrap sample of the topics.

    Sums, differences and extremes of quantities are taken sample by sample: they share the samples.
    ``centred``: the percentiles are put around the number by their median. Topics that a sample holds twice add noise,
    which pulls all rank correlations down; a mean over topics needs no such correction.
    """

    value: float
    drawn: Array
    centred: bool

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.value - other.value, self.drawn - other.drawn, self.centred)

    def __abs__(self) -> Quantity:
        return Quantity(abs(self.value), np.abs(self.drawn), self.centred)

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval; samples in which the quantity is undefined are left out."""
        low, middle, high = np.nanquantile(self.drawn, [0.025, 0.5, 0.975])
        shift = self.value - middle if self.centred else 0.0
        return float(low + shift), float(high + shift)

    def found(self, claim: str, collection: str, highest: float = np.inf) -> Found:
        """The number as what a collection says of a claim; ``highest``: it can be no higher."""
        low, high = self.interval
        return Found(claim, collection, self.value, low, min(high, highest))


def most(quantities: Sequence[Quantity]) -> Quantity:
    """The largest of some quantities, in each sample."""
    drawn = np.max([each.drawn for each in quantities], axis=0)
    return Quantity(max(each.value for each in quantities), drawn, quantities[0].centred)


def least(quantities: Sequence[Quantity]) -> Quantity:
    """The smallest of some quantities, in each sample."""
    drawn = np.min([each.drawn for each in quantities], axis=0)
    return Quantity(min(each.value for each in quantities), drawn, quantities[0].centred)
