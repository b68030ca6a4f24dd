"""What a claim rests on: a difference with its bootstrap interval, and the verdict that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array

HOLDS, FAILS, OPEN = "holds", "does not", "cannot be told"


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

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.value + other.value, self.drawn + other.drawn, self.centred)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.value - other.value, self.drawn - other.drawn, self.centred)

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval; samples in which the quantity is undefined are left out."""
        low, middle, high = np.nanquantile(self.drawn, [0.025, 0.5, 0.975])
        shift = self.value - middle if self.centred else 0.0
        return float(low + shift), float(high + shift)

    @property
    def verdict(self) -> str:
        """Of the claim that the quantity is above 0."""
        low, high = (round(bound, 9) for bound in self.interval)
        return HOLDS if low > 0 else FAILS if high < 0 else OPEN

    def show(self, digits: int = 3, sign: str = "+") -> str:
        """The number with its interval."""
        spec = f"{sign}.{digits}f"
        value, low, high = (round(number, digits) + 0.0 for number in (self.value, *self.interval))  # no -0
        return f"{value:{spec}} [{low:{spec}}, {high:{spec}}]"


def most(quantities: Sequence[Quantity]) -> Quantity:
    """The largest of some quantities, in each sample."""
    drawn = np.max([each.drawn for each in quantities], axis=0)
    return Quantity(max(each.value for each in quantities), drawn, quantities[0].centred)


def count_verdicts(quantities: Sequence[Quantity]) -> str:
    """For how many quantities the claim holds, cannot be told, and does not hold; and how many are above 0 at all."""
    verdicts = [each.verdict for each in quantities]
    above = sum(each.value > 1e-9 for each in quantities)
    held, unclear, failed = (verdicts.count(word) for word in (HOLDS, OPEN, FAILS))
    return f"{above} of {len(quantities)}: {held} / {unclear} / {failed}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; a head that ends with a colon is of a column of numbers."""
    rules = ["--:" if head.endswith(":") else "---" for head in heads]
    lines = [[head.rstrip(":") for head in heads], rules, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
