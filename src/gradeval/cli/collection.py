"""The options that say what a study works on: judgments and runs, or ready scores; which topics, which runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import glob, has_magic
from typing import Any, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.cli.inputs import require_inputs, require_known
from gradeval.cli.notices import Note, tell
from gradeval.cli.options import FILE, is_set, note_unused
from gradeval.cli.reading import Reading, reading_options
from gradeval.cli.values import name_option_in_errors, read_topics
from gradeval.formula.definition import Measure
from gradeval.scores.presets import PRESETS, configure_measures
from gradeval.scores.selection import (
    AboveFirstQuartile,
    All,
    Named,
    RunSelection,
    Top,
    TopicSelection,
    parse_runs,
    parse_topics,
    split_selections,
    topic_selection,
)

F = TypeVar("F", bound=Callable[..., Any])

SCORES = (
    "Scores instead of QRELS and RUNS: parquet, tsv, csv or jsonl of ours, trec_eval -q, a csv of topics x systems. "
    "NAME is the measure of the last; of others the source, as in human=FILE (human:AP). Also a folder or a quoted "
    "pattern; may be repeated."
)


def collection_options(*, ready: bool, several: bool = False) -> Callable[[F], F]:
    """The arguments QRELS and RUNS and the options that say how to read them.

    ``ready``: or --scores. ``several``: or --collection.
    """

    def add(command: F) -> F:
        command = selection_options({"topics", "runs"})(reading_options()(selection_options({"preset"})(command)))
        command = several_collections_option(command) if several else command
        for decorate in reversed(_arguments(ready, ready or several)):
            command = decorate(command)
        return command

    return add


def several_collections_option(command: F) -> F:
    """The option --collection."""
    return click.option(
        "--collection",
        "collections",
        nargs=3,
        multiple=True,
        metavar="NAME QRELS RUNS-GLOB",
        help="Instead of QRELS and RUNS, one or several by name; quote the pattern, as in 'c/runs/*'. May be repeated.",
    )(command)


def _arguments(ready: bool, optional: bool) -> list[Callable[[Any], Any]]:
    scores = click.option("--scores", type=FILE, multiple=True, metavar="[NAME=]FILE", help=SCORES)
    return [
        click.argument("qrels", metavar="[QRELS" if optional else "QRELS", type=FILE, required=not optional),
        click.argument(
            "run_files", metavar="RUNS...]" if optional else "RUNS...", type=FILE, nargs=-1, required=not optional
        ),
        *([scores] if ready else []),
    ]


def selection_options(names: Container[str]) -> Callable[[F], F]:
    """Those of the options --topics, --runs and --preset that are among the names."""
    options = {
        "topics": click.option(
            "--topics",
            metavar="SELECTION",
            help="few:2 (few of grade 2), atleast:5:2 (5 of grade 2 or better), a file, or 301,302.",
        ),
        "runs": click.option(
            "--runs", metavar="SELECTION", help="above-q1:AP, top:15, top:15:AP, or names with commas."
        ),
        "preset": click.option(
            "--preset",
            type=click.Choice(list(PRESETS)),
            help="Conventions of a community; what you set goes before them.",
        ),
    }

    def add(command: F) -> F:
        for name, decorate in reversed(options.items()):
            command = decorate(command) if name in names else command
        return command

    return add


def choice_of_topics(text: str | None) -> str | list[str] | None:
    """What --topics names: a selection, or the topics of a file."""
    return read_topics(text) if text is not None and os.path.exists(text) else text


def require_topics(text: str | None, known: Sequence[str], place: str) -> None:
    """Refuse an unknown topic that may have been meant as the name of a file; ``place``: whose topics are known."""
    with name_option_in_errors("--topics", text):
        selection = topic_selection(choice_of_topics(text))
    if text is not None and isinstance(selection, Named):
        require_known(text, selection.names, known, place)


@contextmanager
def choices_named(topics: str | None, runs: str | None) -> Iterator[None]:
    """Begin errors about a selection of topics or runs with its option."""
    try:
        yield
    except InputError as error:
        message = str(error)
        choices = (("--topics", topics, "no topic "), ("--runs", runs, "no run "))
        for option, text, unknown in choices:
            begins = message.startswith((f"{text}: ", unknown))
            if text is not None and (begins or (repr(text) in message and not message.startswith(option))):
                raise InputError(f"{option} {text}: {message.removeprefix(f'{text}: ')}") from None
        raise


MEAN = "mean"  # the column beside those of several collections
READING = tuple("levels recode shift depth ties negative names input_format columns skip_bad preset".split())
"""Options that ready scores have no use for."""


@dataclass(frozen=True)
class Collection(Reading):
    """The values of ``collection_options``."""

    qrels: str | None = None
    run_files: tuple[str, ...] = ()
    topics: str | None = None
    runs: str | None = None
    scores: tuple[str, ...] = ()
    collections: tuple[tuple[str, str, str], ...] = ()
    preset: str | None = None

    @classmethod
    def take(cls, options: dict[str, Any]) -> Self:
        """Take these options out of those of a command; an error where they exclude each other."""
        collection = cls(**{name: options.pop(name) for name in cls.__dataclass_fields__ if name in options})
        collection._require()
        measures = click.get_current_context().params.get("measures") or ()
        require_inputs([*filter(None, [collection.qrels]), *collection.run_files], measures)
        if collection.preset is None or collection.scores:
            return collection
        words, context = PRESETS[collection.preset].options.items(), click.get_current_context()
        conventions: dict[str, Any] = {name: word for name, word in words if not is_set(context, name)}
        return replace(collection, **conventions)

    def parse(self, measures: str | Iterable[str]) -> list[Measure]:
        """Measures from their spellings, as --preset defines them."""
        parsed, notes = configure_measures(self.preset, measures, vars(self))
        told: list[Note] = click.get_current_context().meta.setdefault(__name__, [])
        new = [note for note in notes if note not in told]
        told.extend(new)
        tell(new)
        return parsed

    def parse_one(self, measure: str) -> Measure:
        """One measure from its spelling, as --preset defines it."""
        [parsed] = self.parse(measure)
        return parsed

    def _require(self) -> None:
        if self.scores and self.qrels:
            raise InputError(f"--scores and {self.qrels}: give ready scores, or judgments and runs, not both")
        if self.collections:
            self._require_collections()
        elif not self.scores and not self.run_files:
            raise InputError("nothing to study: give QRELS and RUNS, or --scores FILE")
        if self.scores:
            note_unused(READING, "says how judgments and runs are read and has no use beside --scores")

    def _require_collections(self) -> None:
        names = [name for name, *_ in self.collections]
        if beside := "--scores" if self.scores else self.qrels:
            raise InputError(f"--collection and {beside}: give collections by name, or one without, not both")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"--collection {twice} is given twice; each collection needs a name of its own")
        if MEAN in names:
            raise InputError(f"--collection {MEAN}: is the name of the column of means; give it another name")
        files = [place for _, qrels, pattern in self.collections for place in (qrels, pattern)]
        require_inputs([place for place in files if not has_magic(place)])

    def each(self) -> Iterator[tuple[str, Self]]:
        """The collections of --collection by name, with the files of their runs."""
        for name, qrels, pattern in self.collections:
            files = tuple(sorted(glob(pattern))) if has_magic(pattern) else (pattern,)
            if not files:
                raise InputError(f"--collection {name}: no file is called {pattern}; give a pattern as in 'c/runs/*'")
            yield name, replace(self, qrels=qrels, run_files=files, collections=())

    def run_selection(self) -> RunSelection:
        """The runs that --runs names."""
        if self.runs is None:
            return All()
        with name_option_in_errors("--runs", self.runs):
            return parse_runs(self.runs, self.parse_one)

    def topic_selection(self) -> TopicSelection:
        """The topics that --topics names."""
        if self.topics is None:
            return All()
        if os.path.exists(self.topics):
            return Named(tuple(read_topics(self.topics)))
        with name_option_in_errors("--topics", self.topics):
            return parse_topics(self.topics)

    def topic_choice(self) -> str | list[str] | None:
        """What --topics names: a selection, or the topics of a file."""
        return choice_of_topics(self.topics)

    def scoring(self) -> dict[str, Any]:
        """What ``evaluate`` is told of these options."""
        names = "runs preset missing empty ties negative depth threads".split()
        return {name: getattr(self, name) for name in names} | {"topics": self.topic_choice()}

    def by_topics(self) -> list[Self]:
        """The same collection with each selection of --topics, where there are several, as in all,few:2."""
        if self.topics is None or os.path.exists(self.topics):
            return [self]
        with name_option_in_errors("--topics", self.topics):
            return [replace(self, topics=selection) for selection in split_selections(self.topics)]

    @property
    def chosen_by(self) -> Measure | None:
        """The measure by which --runs chooses runs, where it names one."""
        selection = self.run_selection()
        return selection.measure if isinstance(selection, AboveFirstQuartile | Top) else None
