"""Gain maps: the gain of each grade, and the ideal list of a pool under these gains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, add_in_order, running_sums
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, OtherLevels, show_levels
from gradeval.formula.parameters import ByGrade, write

Growth: TypeAlias = Literal["log2", "exp-log2"]
LARGEST = 2.0**1000  # leaves room for sums below the largest double, 2^1024


@dataclass(frozen=True)
class GainMap:
    """The gain of each level of a collection: any non-negative numbers, not necessarily ascending.

    A document that is not judged gains 0, also where judged documents of grade 0 gain something. A document
    is relevant if its gain is above 0. The ideal list orders the relevant documents of the pool by gain.

    Attributes
    ----------
    levels : the grades of the collection, ascending from 0.
    gains : the gain of each.
    """

    levels: Levels
    gains: tuple[float, ...]

    @property
    def top(self) -> float:
        """The largest gain that a document of the collection can have."""
        return max(self.gains)

    @cached_property
    def best_first(self) -> Array:
        """intp[b]: the levels with a gain above 0, largest gain first."""
        gains = np.array(self.gains)
        return np.argsort(-gains, kind="stable")[: np.count_nonzero(gains)]

    @cached_property
    def steps(self) -> Array:
        """float64[b]: by how much each of these levels gains more than the next.

        A gain is the sum of the steps from its level on, so a sum over the ideal list is a sum over a few
        steps.
        """
        gains = np.array(self.gains)[self.best_first]
        return -np.diff(gains, append=0.0)

    def ends(self, judged: JudgedRankings) -> Array:
        """int64[..., b]: the rank at which each level of ``best_first`` ends in the ideal list."""
        return judged.of_pool(("ends", self.gains), self.pool_ends)

    def pool_ends(self, pool: Array) -> Array:
        """int64[..., b]: ``ends`` of a pool [..., a]."""
        ends: Array = pool[..., self.best_first].cumsum(-1)
        return ends

    def ends_above_0(self, pool: Array) -> Array:
        """float64[..., b]: ``pool_ends``; 1 where the pool has no gain."""
        ends = self.pool_ends(pool)
        return np.where(ends[..., -1:] == 0, 1.0, ends)

    def relevant(self, judged: JudgedRankings) -> Array:
        """int64[...]: R, the relevant documents of the pool."""
        return judged.of_pool(("relevant", self.gains), lambda pool: pool[..., self.best_first].sum(-1))

    def total(self, judged: JudgedRankings) -> Array:
        """float64[...]: the gain of the whole pool."""
        return judged.of_pool(("total", self.gains), lambda pool: add_in_order(pool * np.array(self.gains)))

    def of(self, judged: JudgedRankings) -> Array:
        """float64[..., j]: the gain of each document."""
        if self.gains == self.levels:
            return judged.grades

        def look_up() -> Array:
            gain = judged.by_level(np.array(self.gains))
            return np.where(judged.judged, gain, 0.0) if self.gains[0] else gain

        return judged.compute_once(("gain", self.gains), look_up)

    def hits(self, judged: JudgedRankings) -> Array:
        """bool[..., j]: I(n), is the document relevant?"""
        lowest = self._threshold
        return self.of(judged) > 0 if lowest is None else judged.hits(lowest)

    def counts(self, judged: JudgedRankings) -> Array:
        """float64[..., j]: count(n), the relevant documents down to the rank n of each document."""
        lowest = self._threshold
        return running_sums(self.hits(judged)).astype(float) if lowest is None else judged.counts(lowest)

    def cumulated(self, judged: JudgedRankings) -> Array:
        """float64[..., j]: cg(n), the gain cumulated down to the rank n of each document."""
        return judged.compute_once(("cumulated", self.gains), lambda: running_sums(self.of(judged)))

    def ideal_list(self, pool: Array, length: int) -> Array:
        """float64[..., n]: the gains at the ranks 1..length of the ideal list of a pool, 0 after its end."""
        return ideal_gains(self.pool_ends(pool), self.steps, length)

    @cached_property
    def _threshold(self) -> float | None:
        """The grade from which on documents are relevant; None where no grade separates them from the others."""
        relevant = [gain > 0 for gain in self.gains]
        first = relevant.index(True) if any(relevant) else 0
        return self.levels[first] if first and all(relevant[first:]) else None


def ideal_gains(ends: Array, steps: Array, length: int) -> Array:
    """float64[..., n]: the gains at the ranks 1..length of the ideal list whose levels end at these ranks."""
    ranks = np.arange(1, length + 1)
    gains = np.zeros((*ends.shape[:-1], length))
    for place in range(ends.shape[-1]):
        gains += steps[..., place, None] * (ranks <= ends[..., place, None])
    return gains


def exponential(level: float) -> float:
    """2^level - 1, also exact where the level is close to 0; beyond 2^1023 it grows no more."""
    return 2.0 ** min(level, 1023) - 1 if level >= 1 else math.expm1(math.log(2) * level)


@lru_cache(maxsize=256)
def gain_map(levels: Levels, gains: ByGrade | None = None, dcg: Growth = "log2") -> GainMap:
    """The gain of each level: the grade (log2) or 2^grade - 1 (exp-log2), unless ``gains`` says otherwise.

    Raises
    ------
    InputError : a grade in ``gains`` is not a level of the collection, or a gain is beyond 2^1000.
    """
    chosen = {level: level if dcg == "log2" else exponential(level) for level in levels}
    for grade, gain in gains or ():
        if grade not in chosen:
            raise OtherLevels(
                f"gains={write(gains)} names grade {grade:g}, the collection has the levels "
                f"{show_levels(levels)}: name only these, or declare the levels"
            )
        chosen[grade] = float(gain)
    for level, gain in chosen.items():
        if gain > LARGEST:
            raise InputError(
                f"the gain of grade {level:g} is beyond 2^1000, too large to be summed: give smaller gains"
            )
    return GainMap(levels, tuple(map(float, chosen.values())))
