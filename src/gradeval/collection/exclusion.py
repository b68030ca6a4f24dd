"""What must not count: pairs of topic and document, such as the query itself, or items seen in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from gradeval._core import Pools
from gradeval.formula.arithmetic import Array

SELF = "self"
"""Stands for the document that is called as its topic."""


@dataclass(frozen=True, eq=False)
class Exclusion:
    """Documents that leave judgments and rankings.

    Attributes
    ----------
    itself : the document with the id of its topic?
    pairs : all documents of these pools, whatever their grades.
    """

    itself: bool = False
    pairs: tuple[Pools, ...] = ()

    @classmethod
    def of_all(cls, parts: Sequence[Self]) -> Self:
        """What any of them excludes."""
        return cls(any(part.itself for part in parts), tuple(pool for part in parts for pool in part.pairs))

    @property
    def is_empty(self) -> bool:
        """Is there nothing that must not count?"""
        return not (self.itself or self.pairs)

    def of(self, topic: str) -> set[str]:
        """The documents of a topic that must not count."""
        excluded = {topic} if self.itself else set()
        for pools, places in zip(self.pairs, self._places, strict=True):
            if topic in places:
                excluded.update(pools.documents(places[topic]))
        return excluded

    @cached_property
    def _places(self) -> list[dict[str, int]]:
        """Where each topic stands in each of the pools."""
        return [{topic: place for place, topic in enumerate(pools.topics)} for pools in self.pairs]


@dataclass(frozen=True, eq=False)
class Excluded:
    """How much was removed.

    Attributes
    ----------
    documents : int64[run, topic]: of the rankings.
    judgments : int64[topic].
    emptied : topics that are left without judgments.
    """

    documents: Array
    judgments: Array
    emptied: tuple[str, ...] = ()

    @classmethod
    def concat(cls, parts: Sequence[Self], axis: int) -> Self:
        """The numbers of parts that differ in their runs (axis 0) or topics (axis 1)."""
        judgments = parts[0].judgments if axis == 0 else np.concatenate([part.judgments for part in parts])
        emptied = dict.fromkeys(topic for part in parts for topic in part.emptied)
        return cls(np.concatenate([part.documents for part in parts], axis), judgments, tuple(emptied))

    def select(self, run: Sequence[int], topic: Sequence[int]) -> Self:
        """The numbers of the runs and topics here."""
        return type(self)(self.documents[np.ix_(run, topic)], self.judgments[list(topic)], self.emptied)
