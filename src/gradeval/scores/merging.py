"""When parts of scores, computed apart, are parts of one table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.identity import Identity
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.warning_categories import CollectionWarning

Axis: TypeAlias = Literal["run", "topic"]
AXES = {"run": 0, "topic": 1}


class Part(Protocol):
    """What decides whether scores can be merged, as Scores have it."""

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""

    @property
    def topics(self) -> list[str]:
        """Names of the topics."""

    @property
    def measures(self) -> list[Measure]:
        """The measures."""

    @property
    def missing(self) -> str:
        """How topics count that a run misses."""

    @property
    def empty(self) -> str:
        """How topics count that hold nothing to be found."""

    @property
    def collection(self) -> Identity | None:
        """The judgments, if they are known."""

    @property
    def vacant(self) -> Array:
        """bool[topic, measure]: nothing is to be found."""

    @property
    def ties(self) -> str | None:
        """How documents of equal score were ordered, if that is known."""


def require_parts_of_one_table(parts: Sequence[Part], axis: Axis, stacklevel: int) -> None:
    """Refuse parts that differ in more than the runs (the topics), or have one of these in common.

    Scores without a collection, such as those read from text, are taken on trust, with a CollectionWarning.
    """
    arguments.one_of("axis", axis, tuple(AXES))
    if not parts:
        raise InputError("no scores to concatenate; give one part or more")
    first = parts[0]
    for number, part in enumerate(parts[1:], 2):
        if (part.missing, part.empty) != (first.missing, first.empty):
            raise InputError(
                f"part {number} counts topics with missing={part.missing!r}, empty={part.empty!r}, part 1 with "
                f"missing={first.missing!r}, empty={first.empty!r}; evaluate all parts alike"
            )
        _require_same("measure", number, map(str, part.measures), map(str, first.measures))
        if axis == "run":
            _require_same("topic", number, part.topics, first.topics)
        else:
            _require_same("run", number, part.runs, first.runs)
    _require_distinct(axis, [part.runs if axis == "run" else part.topics for part in parts])
    _require_same_collection(parts, stacklevel + 1)


def _require_same(what: str, number: int, names: Iterable[str], expected: Iterable[str]) -> None:
    here, there = list(names), list(expected)
    for lacking, having, name in (
        (number, 1, next(iter(set(there) - set(here)), None)),
        (1, number, next(iter(set(here) - set(there)), None)),
    ):
        if name is not None:
            raise InputError(
                f"part {lacking} has no {what} {name!r}, part {having} has; the parts of a table have the same "
                f"{what}s: score them alike, or select with sel({what}s=...)"
            )


def _require_distinct(axis: Axis, names_of_parts: Sequence[Sequence[str]]) -> None:
    part_of: dict[str, int] = {}
    for number, names in enumerate(names_of_parts, 1):
        for name in names:
            if name in part_of:
                raise InputError(f"{axis} {name!r} is in part {part_of[name]} and in part {number}; give it once")
            part_of[name] = number


def _require_same_collection(parts: Sequence[Part], stacklevel: int) -> None:
    known = [(number, part.collection) for number, part in enumerate(parts, 1) if part.collection is not None]
    if len(parts) > 1 and len(known) < len(parts):
        unknown = next(number for number, part in enumerate(parts, 1) if part.collection is None)
        warnings.warn(
            f"part {unknown} does not say by which judgments it was scored; it is merged as if by the same",
            CollectionWarning,
            stacklevel=stacklevel + 1,
        )
    for number, collection in known[1:]:
        first_number, first = known[0]
        if collection is not first and collection.digest != first.digest:
            raise InputError(
                f"part {number} was scored by other judgments than part {first_number}, or with other ties, negative "
                "or depth; give all parts the whole qrels, and choose topics with evaluate(..., topics=...)"
            )


def require_same_vacant(parts: Sequence[Part]) -> None:
    """Refuse parts of which one has documents to be found where another has none, for the same topics."""
    for number, part in enumerate(parts[1:], 2):
        differs = part.vacant != parts[0].vacant
        if differs.any():
            topic, measure = np.argwhere(differs)[0]
            raise InputError(
                f"topic {part.topics[topic]!r}: part 1 or part {number} has nothing to be found for "
                f"{part.measures[measure]}, but the other has: they were scored by other judgments"
            )


def require_same_ties(parts: Iterable[Part]) -> None:
    """Refuse to put together scores whose tied documents were ordered differently."""
    known = dict.fromkeys(part.ties for part in parts if part.ties is not None)
    if len(known) > 1:
        first, second, *_ = known
        raise InputError(
            f"some scores have ties={first!r}, others ties={second!r}: they do not mix; score all runs with the same"
        )
