"""Which scores can be joined as parts of one table, and what judgments and residuals they then have."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import one_of
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Identity
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, show_levels
from gradeval.scores.coverage import Judging
from gradeval.warning_categories import CollectionWarning

Axis: TypeAlias = Literal["run", "topic"]
AXES = {"run": 0, "topic": 1}
"""The axis of the arrays along which groups of these are joined."""


class ScoresPart(Protocol):
    """What joining asks of ``Scores``."""

    @property
    def runs(self) -> list[str]: ...
    @property
    def topics(self) -> list[str]: ...
    @property
    def measures(self) -> list[Measure]: ...
    @property
    def missing(self) -> str: ...
    @property
    def empty(self) -> str: ...
    @property
    def vacant(self) -> Array: ...
    @property
    def residuals(self) -> Array | None: ...
    @property
    def values(self) -> Array: ...
    @property
    def as_often(self) -> Array | None: ...
    @property
    def judging(self) -> Judging | None: ...
    @property
    def collection(self) -> Identity | None: ...
    @property
    def levels(self) -> Levels | None: ...


def require_parts_of_one_table(parts: Sequence[ScoresPart], axis: Axis, stacklevel: int) -> None:
    """Refuse parts that differ in more than the runs (the topics), or have one of these in common.

    Scores without a collection, such as those read from text, are taken on trust, with a CollectionWarning.
    """
    one_of("axis", axis, tuple(AXES))
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
    _require_same_collection(parts, axis, stacklevel + 1)


def _require_same(what: str, number: int, names: Iterable[str], expected: Iterable[str]) -> None:
    here, there = list(names), list(expected)
    for lacking, having, name in (
        (number, 1, next(iter(set(there) - set(here)), None)),
        (1, number, next(iter(set(here) - set(there)), None)),
    ):
        if name is not None:
            other = f"; groups of {what}s take axis={what!r}" if what in AXES and set(here).isdisjoint(there) else ""
            raise InputError(
                f"part {lacking} has no {what} {name!r}, part {having} has; the parts of a table have the same "
                f"{what}s: score them alike, or select with sel({what}s=...){other}"
            )


def _require_distinct(axis: Axis, names_of_parts: Sequence[Sequence[str]]) -> None:
    part_of: dict[str, int] = {}
    for number, names in enumerate(names_of_parts, 1):
        for name in names:
            if name in part_of:
                raise InputError(f"{axis} {name!r} is in part {part_of[name]} and in part {number}; give it once")
            part_of[name] = number


def _require_same_collection(parts: Sequence[ScoresPart], axis: Axis, stacklevel: int) -> None:
    """Refuse parts by other judgments; groups of topics may have judgments of their own, but the same levels."""
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
        if collection is first or collection.digest == first.digest:
            continue
        if axis == "run" or not first.reading or collection.reading != first.reading:
            raise InputError(
                f"part {number} was scored {collection.tell_apart(first, f'part {first_number}')}; "
                "give all parts the whole qrels, and choose topics with evaluate(..., topics=...)"
            )
    levels = {number: part.levels for number, part in enumerate(parts, 1) if part.levels is not None}
    for number, one in levels.items():
        first_number, first_levels = next(iter(levels.items()))
        if one != first_levels:
            every = ", ".join(f"{level:g}" for level in sorted({*one, *first_levels}))
            raise InputError(
                f"part {number} was scored by the levels {show_levels(one)}, part {first_number} by "
                f"{show_levels(first_levels)}; score all parts by the same, as with qrels.with_levels(({every}))"
            )


def join_residuals(parts: Sequence[ScoresPart], along: int) -> Array | None:
    """The residuals of all parts; None where some part has none."""
    known = [part.residuals for part in parts if part.residuals is not None]
    return np.concatenate(known, along) if len(known) == len(parts) else None


def join_judging(parts: Sequence[ScoresPart], along: int) -> Judging | None:
    """How many documents of all parts are judged; None where some part does not say it."""
    known = [one for part in parts if (one := part.judging) is not None]
    counts = [Judging(one.retrieved, one.judged, one.judged_top) for one in known]
    return Judging.concat(counts, along) if len(known) == len(parts) else None


def join_as_often(parts: Sequence[ScoresPart], along: int) -> Array | None:
    """The values of all parts if unjudged documents were relevant as often; None where some part does not know them."""
    if all(part.as_often is None for part in parts):
        return None
    known = [values for part in parts if (values := _values_as_often(part)) is not None]
    return np.concatenate(known, along) if len(known) == len(parts) else None


def _values_as_often(part: ScoresPart) -> Array | None:
    """The values if unjudged documents were relevant as often, which are all values where no document is unjudged."""
    all_judged = part.judging is not None and part.judging.judged_top is None
    return part.values if part.as_often is None and all_judged else part.as_often


def join_collections(parts: Sequence[ScoresPart]) -> Identity | None:
    """The judgments of all parts: the shared ones, or the judgments of all their topics."""
    known = {part.collection.digest: part.collection for part in parts if part.collection is not None}
    return Identity.of_all(list(known.values())) if known else None


def require_same_vacant(parts: Sequence[ScoresPart]) -> None:
    """Refuse parts of which one has documents to be found where another has none, for the same topics."""
    for number, part in enumerate(parts[1:], 2):
        differs = part.vacant != parts[0].vacant
        if differs.any():
            topic, measure = np.argwhere(differs)[0]
            raise InputError(
                f"topic {part.topics[topic]!r}: only one of part 1 and part {number} has relevant documents for "
                f"{part.measures[measure]}; score both by the same judgments"
            )


def require_same_ties(ties: Iterable[Ties | None]) -> None:
    """Refuse to put together scores whose tied documents were ordered differently; None: not known."""
    known = dict.fromkeys(one for one in ties if one is not None)
    if len(known) > 1:
        first, second, *_ = known
        raise InputError(
            f"some scores have ties={first!r}, others ties={second!r}: they do not mix; score all runs with the same"
        )
