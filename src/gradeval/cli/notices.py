"""Notes and warnings on stderr: what was ignored, what counts 0, what was assumed; the weightiest first."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeAlias

import click

from gradeval._core import InputError
from gradeval.cli.given_options import spell_option
from gradeval.cli.streams import ALL_NOTES, WAITING, end_with
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.messages import list_some, plural, visible
from gradeval.scores.notes import join_places
from gradeval.warning_categories import EncodingGuessWarning, GradevalWarning, Note, NoteWeight

MOST = 3
"""Notes and warnings that are printed without -v. All warnings are printed; the result in sentences and what it leaves
out come first and are not counted."""
SAID = f"{__name__}.said"

Notice: TypeAlias = str | Note


def say(line: str, *, error: bool = False) -> None:
    """Print a line on standard output or standard error; control characters of the names in it are written out."""
    click.echo(visible(line), err=error)


def take_notes(notices: Iterable[Notice]) -> None:
    """Keep notes until the command prints its next notes, so that these are chosen among all of them."""
    _of_command(WAITING).extend(map(_as_note, notices))


def print_notes(notices: Iterable[Notice] = (), *, everything: bool = False) -> None:
    """Print the notes that matter most on stderr, of these and of those that wait, and how many there are besides.

    ``everything``: print all of them, as -v does. No note of a command is printed twice.
    """
    waiting, said = _of_command(WAITING), _of_command(SAID)
    joined = join_places([*waiting, *map(_as_note, notices)])
    notes = [note for note in joined if note not in said and not _is_answered(note)]
    waiting.clear()
    said.extend(notes)
    notes.sort(key=lambda note: -note.weight)
    always = [note for note in notes if note.weight >= NoteWeight.OMISSION or note.category is not None]
    counted = sum(note.weight < NoteWeight.OMISSION for note in always)
    others = [note for note in notes if note not in always]
    shown = others if everything or _meta().get(ALL_NOTES, True) else others[: max(0, MOST - counted)]
    for note in [note for note in notes if note in always or note in shown]:
        label = "note:" if note.category is None else "gradeval: warning:"
        click.echo(f"{_dimmed(label)} {visible(str(_spelled(note)))}", err=True)
    left_out = any(note.cause is not None for note in notes)
    if left_out and click.get_current_context(silent=True) is not None:
        end_with(1)
    if left := others[len(shown) :]:
        them = "it" if len(left) == 1 else "them"
        click.echo(f"{_dimmed('note:')} {plural(len(left), 'more note')}: add -v to read {them}", err=True)


def _is_answered(note: Note) -> bool:
    """Did the user set the parameter that the note asks about?"""
    context = click.get_current_context(silent=True)
    source = None if context is None else context.get_parameter_source(note.asks)
    return source is click.core.ParameterSource.COMMANDLINE


def _spelled(note: Note) -> Note:
    """The note, whose cause names options as the command at hand spells them."""
    context = click.get_current_context(silent=True)
    if context is None or not isinstance(note.cause, InputError):
        return note
    cause = note.cause.write(lambda given: spell_option(given, context))
    return replace(note, text=f"{note.text}{cause}", cause=None)


def _as_note(note: Notice) -> Note:
    return Note(note) if isinstance(note, str) else note


def _meta() -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    return {} if context is None else context.meta


def _of_command(name: str) -> list[Note]:
    """The notes that the command at hand keeps under a name."""
    kept: list[Note] = _meta().setdefault(name, [])
    return kept


def _dimmed(text: str) -> str:
    """Text in a dim colour where the terminal has colours, and nobody asked for none."""
    plain = not sys.stderr.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else click.style(text, dim=True)


@contextmanager
def notes_instead_of_warnings() -> Iterator[None]:
    """Warn of nothing that the notes of a result say, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradevalWarning)
        warnings.simplefilter("default", EncodingGuessWarning)  # no result has it
        yield


def within(place: str, notices: Iterable[Notice]) -> Iterator[Note]:
    """The same notes, said of a place."""
    for note in notices:
        yield _as_note(note).within(place)


def about_names(renamed: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    """Tags that several runs share."""
    for tag, names in renamed.items():
        yield Note.method(f"{len(names)} runs have the tag {tag!r} and go by their files: {list_some(names)}")


def about_formats(qrels: Qrels | None, runs: Sequence[Run]) -> Iterator[Note]:
    """The formats that were recognised, except TREC text."""
    if qrels is not None and qrels.read_as:
        weight = NoteWeight.OMISSION if qrels.leaves_out else NoteWeight.METHOD
        yield Note(f"{qrels.name}: read as {qrels.read_as}", own_weight=weight)
    by_format: dict[str, dict[str, None]] = {}
    for run in runs:
        by_format.setdefault(run.read_as, {})[run.place or run.name] = None
    by_format.pop("", None)
    for format, places in by_format.items():
        yield Note.method(f"{list_some([*places], 3)}: read as {format}")
