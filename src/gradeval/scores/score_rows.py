"""Values by run, topic and measure as one file or frame has them, before they are put together with others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import Ties
from gradeval.collection.missing_grades import is_nothing
from gradeval.collection.qrels import Identity
from gradeval.files.plain_text import read_decimal
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.scores.scores import Empty, Missing, Unit

ScoreLine: TypeAlias = tuple[str, tuple[str, str | None, str], str | float]
"""The place of a value (file and line), its run, topic (None: all of them) and measure, and the value or its text."""
ALL = "all"
"""What topic the means are of, in files."""
TEXT_MEASURES = ("relstring", "runid")
"""What trec_eval prints as measures, though its values are text."""


@dataclass
class ScoreRows:
    """Values by run, topic and measure, one a row, of one file or frame.

    Attributes
    ----------
    place : the file or frame in messages.
    names : runs, topics, measures; all of them occur.
    codes : intp[3, row]: which run, topic and measure each value is of.
    values : float64[row].
    where : the place of a row in messages.
    present, vacant : bool[row], as in ``Scores``; None: not known.
    levels : by which levels rows were scored, each of them once, and intp[row]: which; None: not known.
    means : means over topics, by run and measure, as the file has them.
    second_mean : the place, run and measure of a mean that is given twice.
    exact : are these exact, or rounded as trec_eval prints them?
    source : what tells its measures from the measures of other files.
    missing, empty, ties, unit, collection, seeds : as in ``Scores``; None: not known.
    beside : further columns of saved scores (see ``saved_facts``), by their names.
    questions : what saved scores ask of each run; empty: nothing.
    texts : measures that were left out, as their values are text.
    notes : what else there is to say.
    """

    place: str
    names: tuple[Sequence[str], Sequence[str], Sequence[str]]
    codes: Array
    values: Array
    where: Callable[[int], str]
    present: Array | None = None
    vacant: Array | None = None
    levels: tuple[list[Levels | None], Array] | None = None
    means: dict[tuple[str, str], float] = field(default_factory=dict)
    second_mean: tuple[str, str, str] | None = None
    exact: bool = True
    source: str = ""
    missing: Missing | None = None
    empty: Empty | None = None
    ties: Ties | None = None
    unit: Unit = "topics"
    collection: Identity | None = None
    seeds: int = 0
    beside: Mapping[str, Array] = field(default_factory=dict)
    questions: Sequence[str] = ()
    texts: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of_lines(cls, place: str, lines: Iterable[ScoreLine]) -> Self:
        """The rows of lines of text; lines of all topics are means."""
        places: list[str] = []
        keys: list[tuple[str, str, str]] = []
        values: list[float] = []
        means: dict[tuple[str, str], float] = {}
        second: tuple[str, str, str] | None = None
        texts: dict[str, None] = {}
        for where, (run, topic, measure), value in lines:
            if measure in TEXT_MEASURES:
                texts[measure] = None
            elif topic is None:
                second = second or ((where, run, measure) if (run, measure) in means else None)
                means[run, measure] = _number_or_nan(value)
            else:
                values.append(finite(where, value))
                keys.append((run, topic, measure))
                places.append(where)
        runs, topics, measures = (number_names([key[axis] for key in keys]) for axis in range(3))
        codes = np.array([runs[1], topics[1], measures[1]], np.intp)
        names, rows = (runs[0], topics[0], measures[0]), np.array(values)
        return cls(place, names, codes, rows, places.__getitem__, means=means, second_mean=second, texts=list(texts))

    @classmethod
    def of_columns(
        cls,
        place: str,
        where: Callable[[int], str],
        coded: Sequence[tuple[Sequence[str], Any]],
        values: Sequence[Any] | Array,
        flags: Mapping[str, Array],
        levels: tuple[list[Levels | None], Array] | None,
        sliced: Array | None = None,
        beside: Mapping[str, Array] = MappingProxyType({}),
    ) -> Self:
        """The rows of columns; without flags, rows of topic "all" are means.

        ``coded``: the different runs, topics and measures, and which of them each row is of. ``sliced``: bool[row],
        means of slices, which are left out; None: there are none. ``beside``: further columns.
        """
        names, codes = [list(axis) for axis, _ in coded], np.array([code for _, code in coded], np.intp).reshape(3, -1)
        texts = [name for name in names[2] if name in TEXT_MEASURES]
        kept = ~np.isin(codes[2], [names[2].index(name) for name in texts])
        kept &= True if sliced is None else ~sliced
        means: dict[tuple[str, str], float] = {}
        second: tuple[str, str, str] | None = None
        if "present" not in flags and ALL in names[1]:
            of_all = kept & (codes[1] == names[1].index(ALL))
            kept &= ~of_all
            for row in np.flatnonzero(of_all).tolist():
                run, measure = names[0][codes[0, row]], names[2][codes[2, row]]
                second = second or ((where(row), run, measure) if (run, measure) in means else None)
                means[run, measure] = _number_or_nan(values[row])
        rows = np.flatnonzero(kept)
        numbers = (
            np.array([_number_or_nan(value) for value in values])
            if isinstance(values, list)
            else np.asarray(values, float)
        )
        if not np.isfinite(numbers[rows]).all():
            first = int(rows[~np.isfinite(numbers[rows])][0])
            finite(where(first), values[first])
        chosen = [_compress(axis, code[rows]) for axis, code in zip(names, codes, strict=True)]
        return cls(
            place,
            (chosen[0][0], chosen[1][0], chosen[2][0]),
            np.array([code for _, code in chosen], np.intp).reshape(3, -1),
            numbers[rows],
            lambda row: where(int(rows[row])),
            present=flags["present"][rows] if "present" in flags else None,
            vacant=flags["vacant"][rows] if "vacant" in flags else None,
            levels=None if levels is None else (levels[0], levels[1][rows]),
            means=means,
            second_mean=second,
            beside={name: column[rows] for name, column in beside.items()},
            texts=texts,
        )

    @property
    def measures(self) -> list[str]:
        """The names of the measures, with the source before them."""
        return [f"{self.source}:{name}" if self.source else name for name in self.names[2]]


def finite(where: str, value: Any) -> float:
    """The number that a value or its text is; an error for none."""
    number = _number_or_nan(value)
    if math.isnan(number):
        how = "write it as in 2 or 0.5"
        if is_nothing(value):
            how = "write 0 where the run failed there, or leave out the lines of that topic for all runs"
        raise InputError(f"{where}: value {str(value).strip()!r} is not a finite number; {how}")
    return number


def _number_or_nan(value: Any) -> float:
    """The number that a value or its text is; NaN for none and for one that is not finite."""
    try:
        number = (
            read_decimal(value) if isinstance(value, str) else math.nan if isinstance(value, bool) else float(value)
        )
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def _compress(names: Sequence[str], codes: Array) -> tuple[list[str], Array]:
    """The names that occur among the codes, and the codes of them."""
    used = np.bincount(codes, minlength=len(names)) > 0
    return [name for name, there in zip(names, used.tolist(), strict=True) if there], (used.cumsum() - 1)[codes]


def number_names(names: Sequence[str]) -> tuple[list[str], list[int]]:
    """The distinct names in order of appearance, and the index of each name among them."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return list(places), [places[name] for name in names]
