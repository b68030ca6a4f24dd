"""What studies return: results that know their tables, notes and charts, and what was found of slices with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

from gradeval._core import InputError
from gradeval.messages import nearest
from gradeval.scores.mistakes import NAMED
from gradeval.scores.notes import join_places
from gradeval.scores.score_table import ALL
from gradeval.scores.scores import Scores, Unit
from gradeval.scores.slice_table import labels_in
from gradeval.scores.slices import Slice
from gradeval.tables.joined_slices import SliceTable, join_tables
from gradeval.tables.table import Table, Tabular
from gradeval.upward import plot_result
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

_WORDS = re.compile("[A-Z][a-z0-9]*")  # of the name of a class


@dataclass(frozen=True, eq=False, repr=False)
class Result(Tabular):
    """What a study found: it knows its table, its notes and its chart.

    Attributes
    ----------
    notes : what a reader should know: how it was computed, what was left out, what is probably a mistake.
    unit : what the topics are: see ``Scores``.
    """

    notes: list[Note] = field(default_factory=list, kw_only=True)
    unit: Unit = field(default="topics", kw_only=True)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "table" in vars(cls):
            cls.table = _with_notes(cls.table)  # type: ignore[method-assign]  # of each kind of result

    @property
    def description(self) -> str:
        """What was computed, and how, in a sentence; empty where notes say it alone."""
        return ""

    @property
    def _in_captions(self) -> str:
        """What captions say of each table behind its title; empty: nothing."""
        return self.description

    def plot(self, *file: Any, **options: Any) -> Any:
        """The chart of the result; ``save`` writes it. See ``gradeval.plot``."""
        return plot_result(self, options, file)


def _with_notes(table: Callable[..., Table]) -> Callable[..., Table]:
    """The method ``table`` of a result, with its description in the captions, and its notes below a table that says
    nothing itself."""

    @wraps(table)
    def noted(self: Result, /, *args: Any, **options: Any) -> Table:
        made = table(self, *args, **options)
        if self._in_captions:
            name = "-".join(_WORDS.findall(type(self).__name__)).lower()
            made = made.captioned(self._in_captions, name, [*map(str, getattr(self, "measures", ()))])
        return made if made.notes else replace(made, notes=[*map(str, self.notes)])

    return noted


@dataclass(frozen=True, eq=False)
class StudiedSlice:
    """A slice, and what a study found of its topics.

    Attributes
    ----------
    slice : its column, label and topics.
    data : what the study was given of these topics.
    result : None: nothing, as there are too few topics, or for another reason.
    why : the reason.
    """

    slice: Slice
    data: Any
    result: Any | None
    why: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class SlicedResult(Result):
    """What a study found of all topics, and of each slice of them.

    Attributes
    ----------
    whole : the result of all topics.
    slices : the slices, each with its result; a slice without one is left out of the table.
    columns : the names of the columns of labels.
    topics : all topics.
    scores : of all topics, which know over how many each mean is; None: over all of them.
    """

    whole: Any
    slices: Sequence[StudiedSlice]
    columns: Sequence[str]
    topics: Sequence[str]
    scores: Scores | None = None

    def of(self, label: str, column: str | None = None) -> Any:
        """The result of a slice by its label; ``column``: of which column, where several have the label.

        Raises
        ------
        InputError : no such slice, or one without a result.
        """
        for one in self.slices:
            if one.slice.label == label and column in (None, one.slice.column):
                if one.result is None:
                    raise InputError(f"{one.slice}: {one.why}")
                return one.result
        raise InputError(f"no slice {label!r}{nearest(label, [one.slice.label for one in self.slices])}")

    def table(self, *args: Any, **options: Any) -> Table:
        """The table of the study, with rows of all topics, then of each slice.

        It takes the parameters of the study's table.
        """
        return join_tables(self._tables(args, options), self.unit)

    def _count(self, topics: Sequence[str]) -> dict[tuple[str, str], int]:
        """Over how many of some topics each mean is, by the names of run and measure; empty: over all of them."""
        return {} if self.scores is None else self.scores.count_topics(topics)

    def _tables(self, args: Sequence[Any], options: dict[str, Any]) -> list[SliceTable]:
        """The table of all topics, and of each slice that has one."""
        of_all = self.whole.table(*args, **options)
        tables = [SliceTable(ALL, dict.fromkeys(self.columns, ALL), len(self.topics), of_all, self._count(self.topics))]
        for one in self.slices:
            if one.result is not None:
                labels = labels_in(*one.slice[:2], self.columns)
                made = one.result.table(*args, **options)
                topics = one.slice.topics
                tables.append(SliceTable(str(one.slice), labels, len(topics), made, self._count(topics)))
        return tables


def put_slices_side_by_side(result: SlicedResult) -> SlicedResult:
    """The results of slices with their notes, and with which slices have no result."""
    left = [
        Note(f"{one.why}; it is left out", CoverageWarning, str(one.slice))
        for one in result.slices
        if one.result is None
    ]
    return replace(result, notes=[*gather_notes(result), *join_places(left)])


def gather_notes(result: SlicedResult) -> list[Note]:
    """The notes of the whole, and of each slice those that say something else; of many slices none counts as answer."""
    said = frozenset(result.whole.notes)
    most = NoteWeight.ANSWER if len(result.slices) <= NAMED else NoteWeight.MEANING
    more = [
        replace(note.within(str(one.slice)), own_weight=min(note.weight, most))
        for one in result.slices
        if one.result is not None
        for note in one.result.notes
        if note not in said
    ]
    return [*result.whole.notes, *join_places(more)]
