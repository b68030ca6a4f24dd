"""Qrels: the judgments of a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gradeval._core import InputError, Pools
from gradeval.judged import Array, Levels, checked_levels, levels_of, show_levels


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments by topic: which documents were judged, with which grade.

    Attributes
    ----------
    pools : the judged documents of each topic, hashed for the meeting with runs.
    grades : float64[n], the grades as given, topic after topic (negative ones too).
    levels : the grades of the collection, ascending from 0. They belong to the collection: choosing topics never
        changes them.
    name : the file's name, for messages.
    """

    pools: Pools
    grades: Array
    levels: Levels
    name: str = "qrels"

    @classmethod
    def of_pools(cls, pools: Pools, name: str) -> Self:
        """Judgments from parsed pools, their levels read off the grades."""
        return cls(pools, pools.grades, levels_of(pools.grades), name)

    @classmethod
    def from_dict(cls, judgments: Mapping[str, Mapping[str, float]], name: str = "qrels") -> Self:
        """Judgments from ``{topic: {document: grade}}``.

        >>> Qrels.from_dict({"301": {"d1": 2, "d2": 0}}).levels
        (0.0, 1.0, 2.0)
        """
        return cls.of_pools(Pools.of_mapping(judgments, name), name)

    @property
    def topics(self) -> list[str]:
        """Topics in the order of the file."""
        return self.pools.topics

    def __len__(self) -> int:
        """The number of judgments."""
        return len(self.grades)

    def __repr__(self) -> str:
        return f"Qrels({self.name!r}, {len(self.topics)} topics, {len(self)} judgments, levels {show_levels(self.levels)})"

    def of(self, topic: str) -> dict[str, float]:
        """``{document: grade}`` of one topic, as given."""
        if topic not in self.topics:
            raise InputError(f"{self.name}: no topic {topic!r}")
        place = self.topics.index(topic)
        first, last = self.pools.offsets[place : place + 2]
        grades = [int(grade) if grade.is_integer() else grade for grade in self.grades[first:last].tolist()]
        return dict(zip(self.pools.documents(place), grades, strict=True))

    def select(self, topics: Sequence[str]) -> Self:
        """The judgments of some topics only, in the order of the qrels; the levels stay those of the collection."""
        known = {topic: place for place, topic in enumerate(self.topics)}
        if missing := [topic for topic in topics if topic not in known]:
            raise InputError(f"{self.name}: no topic {missing[0]!r}" + (f" (and {len(missing) - 1} more)" if missing[1:] else ""))
        places = sorted(known[topic] for topic in set(topics))
        offsets = self.pools.offsets
        kept = [self.grades[offsets[place] : offsets[place + 1]] for place in places]
        return replace(self, pools=self.pools.select(places), grades=np.concatenate(kept) if kept else self.grades[:0])

    def with_levels(self, levels: Sequence[float]) -> Self:
        """The same judgments on a declared scale; a grade outside it is an error. Negative grades are never levels."""
        levels = checked_levels(levels)
        outside = np.setdiff1d(self.grades[self.grades >= 0], levels)
        if outside.size:
            raise InputError(f"{self.name}: grade {outside[0]:g} is not one of the levels {show_levels(levels)}; recode it or add it")
        return replace(self, levels=levels)

    def recoded(self, table: Mapping[float, float]) -> Self:
        """Grades merged or renamed: ``{4: 3, -2: 0}`` turns 4 into 3 and -2 into 0; the levels follow."""
        grades = self.grades.copy()
        for old, new in table.items():
            grades[self.grades == old] = new
        return replace(self, grades=grades, levels=levels_of(grades))
