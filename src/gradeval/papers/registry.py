"""The tables and figures of five texts, for one's own files: ``run("ferro14", "table2", qrels, runs)``.

Each is an ``Item``: a study with settings, declared as data in ``texts/``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from gradeval._core import InputError
from gradeval.arguments import flag
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Qrels, change_of_any
from gradeval.files.accepted import as_qrels
from gradeval.formula.levels import OtherLevels
from gradeval.messages import list_some, nearest, plural
from gradeval.papers.item import TEXTS, Item, require_text
from gradeval.papers.published_numbers import PublishedComparison, compare_with_published
from gradeval.scores.selection import about_runs, run_selection
from gradeval.studies import list_studies
from gradeval.studies.study import CHOICES, Result, Study
from gradeval.tables.table import Table
from gradeval.upward import plot_result
from gradeval.warning_categories import Note, NoteWeight

TYPED = ("measures", *CHOICES)
"""What a study takes in Python as it is typed."""
MOST_MERGED = 8
"""Grades that a note merges one by one."""


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """A table or figure of a text, computed from one's own files.

    Attributes
    ----------
    item : which one.
    result : what its study found.
    shown : what its table is to show, as its study's does on demand.
    beside : the numbers that the text prints; None where they were not asked for, or there are none.
    """

    item: Item
    result: Any
    shown: Mapping[str, Any]
    beside: PublishedComparison | None = None

    def table(self, *args: Any, **options: Any) -> Table:
        """The table of the study."""
        table: Table = self.result.table(*args, **{**self.shown, **options})
        if self.beside is not None:
            table = table.above(self.beside.table(), title=str(self.item))
        return replace(table, notes=())  # the notes of the study are among its own

    def plot(self, *file: Any, **options: Any) -> Any:
        """The chart of the study."""
        return plot_result(self.result, options, file)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.item})"


def title_of(text: str) -> str:
    """Authors, year and title of a text."""
    title: str = _text(text).TITLE
    return title


def items_of(text: str) -> tuple[Item, ...]:
    """The tables and figures of a text, in its order."""
    items: tuple[Item, ...] = _text(text).ITEMS
    return items


def items() -> list[Item]:
    """The tables and figures of all texts."""
    return [item for text in TEXTS for item in items_of(text)]


def find(text: str, name: str) -> Item:
    """The item of two words; an InputError where there is none."""
    known = {item.name: item for item in items_of(text)}
    if name not in known:
        raise InputError(f"{text} has no {name!r}{nearest(name, known)}; it has {', '.join(known)}")
    return known[name]


def run(text: str, name: str, /, *data: Any, published: bool = False, **options: Any) -> Reproduction:
    """Compute a table or figure of a text from one's own files.

    Parameters
    ----------
    text, name : its two words, as in "ferro14", "table2"; ``items()`` lists them.
    data : what its study takes: judgments and runs, judged runs, files of features, or nothing.
    published : compare the numbers that the text prints with one's own.
    options : of its study; they go before the settings of the text.

    Raises
    ------
    InputError : no such text or item; as the study.
    """
    item = find(text, name)
    function, settings = function_of(item), settings_of(item)
    shown = {one: settings.pop(one) for one in list(settings) if one in of_table(function)}
    shown |= {one: options.pop(one) for one in list(options) if one in of_table(function)}
    compute = function.silently if isinstance(function, Study) else function
    if item.grades and len(data) > 1 and not isinstance(data[0], JudgedRuns):
        data = (as_qrels(data[0]), *data[1:])
    with for_its_grades(item):
        result = compute(*data, **{**settings, **options})
    reproduction = present(item, result, data, shown, published=flag("published", published))
    for note in reproduction.notes:
        if note.category is not None:
            warnings.warn(str(note), note.category, stacklevel=2)
    return reproduction


@contextmanager
def for_its_grades(item: Item) -> Iterator[None]:
    """Where a collection does not have the grades that an item takes, name the item that takes others."""
    try:
        yield
    except OtherLevels as error:
        if not item.grades:
            raise
        raise error.followed_by(f" ({item} takes {item.grades} positive grades{_list_others(item)})") from None


def _list_others(item: Item) -> str:
    """The items of the text that do the same for other numbers of grades, as part of a sentence."""
    return "".join(f", {one} {one.grades}" for one in _others(item))


def _others(item: Item) -> list[Item]:
    """The items of the text that do the same for other numbers of grades."""
    return [one for one in items_of(item.text) if one.study == item.study and one.grades not in (0, item.grades)]


def present(
    item: Item,
    result: Any,
    data: Sequence[Any] = (),
    shown: Mapping[str, Any] | None = None,
    *,
    published: bool = False,
) -> Reproduction:
    """What a study found as the item; ``data``: what it was computed from; ``published``: with the numbers that the
    text prints."""
    beside = compare_with_published(item, result.table().records) if published else None
    notes = [*map(Note, about_item(item)), *about_grades(item, data)]
    notes += map(Note.answer, about_printed(item, beside) if published else ())
    notes += with_data_used(item, result, data, getattr(result, "notes", []))
    return Reproduction(item, result, shown or {}, beside, notes=notes)


def with_data_used(item: Item, result: Any, data: Sequence[Any], notes: Sequence[Note]) -> list[Note]:
    """The notes of a study, before them one line on which runs and how many topics were used, where there are some.

    The line holds what a note of the study says of the selection of the item, so that the note is left out.
    """
    parts = [one for one in getattr(result, "parts", [result]) if _lists_data(one)]
    if not parts:
        return [*notes]
    runs = list(parts[0].runs)
    known = data[0].runs if data and isinstance(data[0], JudgedRuns) else data[1] if len(data) > 1 else runs
    number = len(known) if isinstance(known, list | tuple) else len(runs)
    selection = run_selection(item.settings["runs"]) if isinstance(item.settings.get("runs"), str) else None
    note = None if selection is None else about_runs(selection, runs, number)
    said = f"{len(runs)} of {plural(number, 'run')}: {list_some(runs)}" if note not in notes else str(note)
    whole = f" of {len(data[0].topics)}" if data and isinstance(data[0], Qrels | JudgedRuns) else ""
    by_selection = {getattr(one, "selection", "all"): len(one.topics) for one in parts}
    topics = ", ".join(f"{size}{whole}{f' ({name})' * (len(by_selection) > 1)}" for name, size in by_selection.items())
    line = Note(f"{said}; topics: {topics}", own_weight=NoteWeight.OMISSION)
    return [line.within(str(item)), *(one for one in notes if one != note)]


def _lists_data(result: Any) -> bool:
    """Does a result name the runs and the topics that it is of?"""
    return all(isinstance(getattr(result, name, None), list) for name in ("runs", "topics"))


def about_printed(item: Item, beside: PublishedComparison | None) -> Iterator[str]:
    """How one's own numbers compare with the printed ones, or why there are none."""
    if beside is None:
        yield f"{item}: no printed numbers to compare with: {item.lost}"
    else:
        yield from beside.notes()


def about_grades(item: Item, data: Sequence[Any]) -> Iterator[Note]:
    """That judgments or judged runs have another number of positive grades than the text's, and what to do."""
    if not item.grades or not data or not isinstance(data[0], Qrels | JudgedRuns):
        return
    positive = len(data[0].levels) - 1
    if positive == item.grades:
        return
    remedies = [f"run {one}" for one in _others(item) if one.grades == positive]
    if positive > item.grades:
        remedies.append(f"merge grades by {_tell_merging(data[0], item.grades)}")
    remedy = f"; {', or '.join(remedies)}" if remedies else ""
    yield Note(
        f"{item} takes {item.grades} positive grades, and this collection has {positive}, so this is not the text's "
        f"result{remedy}",
        own_weight=NoteWeight.OMISSION,
    )


def _tell_merging(judged: Qrels | JudgedRuns, positive: int) -> str:
    """How so many positive grades are kept: higher grades become the highest of these."""
    top = judged.levels[positive]
    merged = dict.fromkeys(judged.levels[positive + 1 :], top)
    tell = change_of_any
    if isinstance(judged, Qrels):
        tell = judged.tell_change
        before = [one.value for one in judged.regrading if one.parameter == "recode"][-1:]
        merged = {old: min(new, top) for table in before for old, new in table.items()} | merged
    if len(merged) > MOST_MERGED:
        return tell("recode", "OLD=NEW", "{OLD: NEW}")
    typed = ",".join(f"{old:g}={new:g}" for old, new in merged.items())
    return tell("recode", typed, f"{{{', '.join(f'{old:g}: {new:g}' for old, new in merged.items())}}}")


def about_item(item: Item) -> Iterator[str]:
    """What a reader should know of an item."""
    yield f"{item}: {item.question}"
    if item.differs:
        yield f"{item}: {item.differs}"


def function_of(item: Item) -> Any:
    """The study that computes an item, or else the function."""
    module, _, name = item.study.rpartition(":")
    return getattr(import_module(module or list_studies()[name][0]), name)


def of_table(function: Any) -> Mapping[str, Any]:
    """The parameters of the table of a study's result."""
    return function.of_table if isinstance(function, Study) else {}


def settings_of(item: Item) -> dict[str, Any]:
    """The settings of an item, as its study takes them in Python."""
    function = function_of(item)
    if not isinstance(function, Study):
        return dict(item.settings)
    parameters = {**function.of_table, **function.parameters}
    return {
        name: parameters[name].kind.parse(words) if isinstance(words, str) and name not in TYPED else words
        for name, words in item.settings.items()
    }


def _text(text: str) -> Any:
    require_text(text)
    return import_module(f"gradeval.papers.texts.{text}")
