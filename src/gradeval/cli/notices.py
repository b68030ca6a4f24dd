"""Notes and warnings on stderr: what was ignored, what counts 0, what was assumed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import click

from gradeval.arguments import visible
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.scores import notes
from gradeval.scores.notes import list_some as list_some
from gradeval.scores.notes import plural as plural
from gradeval.warning_categories import EncodingGuessWarning, GradevalWarning

COMPARED = 1000  # topics that are searched for the one most similar to another


Note: TypeAlias = str | notes.Note


def warned(text: str) -> notes.Note:
    """A note on what is probably a mistake."""
    return notes.Note(text, GradevalWarning)


def say(line: str, *, error: bool = False) -> None:
    """Print a line on standard output or standard error; control characters of the names in it are written out."""
    click.echo(visible(line), err=error)


def print_notes(notes: Iterable[Note]) -> None:
    """Print notes on stderr."""
    for note in notes:
        is_warning = not isinstance(note, str) and note.category is not None
        say(f"gradeval: warning: {note}" if is_warning else f"note: {note}", error=True)


@contextmanager
def notes_instead_of_warnings() -> Iterator[None]:
    """Warn of nothing that the notes of a result say, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradevalWarning)
        warnings.simplefilter("default", EncodingGuessWarning)  # no result knows of it
        yield


def within(place: str, found: Iterable[Note]) -> Iterator[Note]:
    """The same notes, said of a place."""
    for note in found:
        yield (notes.Note(note) if isinstance(note, str) else note).within(place)


def about_names(renamed: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Tags that several runs share."""
    for tag, names in renamed.items():
        yield f"{len(names)} runs have the tag {tag!r} and go by their files: {list_some(names)}"


def about_formats(qrels: Qrels | None, runs: Sequence[Run]) -> Iterator[str]:
    """The formats that were recognised, but for TREC text."""
    if qrels is not None and qrels.read_as:
        yield f"{qrels.name}: read as {qrels.read_as}"
    by_format: dict[str, list[str]] = {}
    for run in runs:
        by_format.setdefault(run.read_as, []).append(run.place or run.name)
    by_format.pop("", None)
    for format, places in by_format.items():
        yield f"{list_some(places, 3)}: read as {format}"
