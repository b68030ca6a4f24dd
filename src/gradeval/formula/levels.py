"""The levels of a collection: its grades, ascending from 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

import gradeval._core as _core
from gradeval import arguments
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, readable
from gradeval.messages import Given

Levels: TypeAlias = tuple[float, ...]
LONGEST = 1000
"""The highest grade up to which gaps between integers are filled."""
SHOWN = 128
"""Levels up to which all are shown."""
MOST_TYPED = 12
"""Levels that somebody types; counts have more."""
FEW = 16
"""Levels that are counted before it is known which of them occur."""


class OtherLevels(InputError):
    """Grades that the collection does not have, or one number for each of other levels than it has."""


def levels_of(grades: Array) -> Levels:
    """The levels of a collection from its grades: 0..max where all are integers (gaps filled, to ``LONGEST``),
    else 0 and the values seen. Negative grades are never levels."""
    top = float(grades.max(initial=0.0))
    small = 0 < top <= LONGEST and grades.min(initial=0.0) >= -LONGEST
    if small and (grades.dtype.kind in "iub" or not np.count_nonzero(grades.astype(np.int32) != grades)):
        return whole_levels(int(top))
    positive = np.sort(grades[grades > 0], axis=None)
    seen = positive[np.diff(positive, prepend=0) > 0]  # np.unique would import numpy.ma, a third of a small run's time
    if seen.size and seen[-1] <= LONGEST and bool((seen == np.floor(seen)).all()):
        return whole_levels(int(seen[-1]))
    return (0.0, *map(float, seen)) if seen.size else (0.0, 1.0)


@lru_cache(maxsize=64)
def whole_levels(top: int) -> Levels:
    """The levels 0, 1, 2 ... top."""
    return tuple(map(float, range(top + 1)))


def require_levels(levels: Sequence[float]) -> Levels:
    """Levels as a tuple: ascending from 0, or an error."""
    given: Any = levels
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(Given("levels", given), " is no list of levels; they ascend from 0, as in (0, 1, 2)")
    try:
        values = tuple(arguments.number("level", level) for level in levels)
    except InputError as error:
        raise InputError(f"{error}; levels must ascend from 0, as in 0,1,2") from None
    ascending = all(low < high < np.inf for low, high in pairwise(values))
    if len(values) < 2 or values[0] != 0 or not ascending:
        raise InputError(f"levels {show_levels(values)} must ascend from 0, as in 0,1,2")
    return values


def show_levels(levels: Sequence[float]) -> str:
    """Levels as they are typed: 0,1,2; of more than ``SHOWN`` the first and the last."""
    shown = [f"{level:g}" for level in (levels if len(levels) <= SHOWN else levels[:8])]
    more = [] if len(levels) <= SHOWN else ["...", f"{levels[-1]:g} ({len(levels):,} in all)"]
    return ",".join([*shown, *more])


def count_whole_grades(grades: Array, there: Array | None, levels: Levels | None) -> tuple[Array, Levels] | None:
    """int64[..., level]: how many of the documents there[..., j] are of each level, in one pass over grades[..., j]
    that also finds the levels where none are given, as ``levels_of``.

    None where a grade is not a whole number from 0, or is too large for that, or is not one of the levels.
    """
    width = FEW if levels is None else len(levels)
    if levels is not None and levels != whole_levels(width - 1):
        return None
    counts = np.empty((*grades.shape[:-1], width), np.int64)
    top = _core.count_levels(readable(grades), there, counts)
    if top < 0:
        return None
    levels = whole_levels(max(top, 1)) if levels is None else levels
    return counts[..., : len(levels)], levels


def count_grades(grades: Array, there: Array | None, levels: Levels) -> Array:
    """int64[..., level]: how many of the documents there[..., j] are of each level; an error for a grade outside the
    levels."""
    level = np.searchsorted(levels, grades)
    known = np.take(levels, level, mode="clip") == grades
    if not known.all():
        raise InputError(
            f"grade {grades[~known].min():g} is not one of the levels {show_levels(levels)}; declare it in levels="
        )
    counts = np.empty((*grades.shape[:-1], len(levels)), np.int64)
    _core.count_levels(level, there, counts)
    return counts
