"""The options that say what a command works on and how it is read, and the steps that read it."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from typing import Any, NamedTuple, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.cli.declared_options import declared_by, declared_option, declared_options
from gradeval.cli.notices import Note, about_formats, about_names, list_some, plural, warned
from gradeval.cli.options import FILE, is_set, note_unused, read_recoding, read_topics, require_inputs
from gradeval.cli.streams import end_with
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_names import Columns
from gradeval.files.folders import list_files
from gradeval.files.readers import FORMATS, RunNaming, name_uniquely, open_run, read_qrels, read_runs
from gradeval.scores.evaluation import evaluate, judge
from gradeval.scores.presets import PRESETS
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.selection import Named, topic_selection

F = TypeVar("F", bound=Callable[..., Any])


DECLARED = declared_by(judge, evaluate, read_qrels, read_runs)
"""What the library declares of how judgments and runs are read, judged and scored."""
DECLARED["input_format"] = replace(DECLARED["format"], name="input_format")


def _read_columns(_: click.Context, __: click.Parameter, text: str | None) -> Columns:
    try:
        return Columns() if text is None else Columns.parse(text)
    except InputError as error:
        raise error.within(f"--columns {text}") from None


AS_WORDS: dict[str, dict[str, Any]] = {
    "recode": {"callback": read_recoding, "metavar": "4=3", "multiple": True},
    "input_format": {"type": click.Choice([format.name for format in FORMATS if format.is_file]), "metavar": None},
    "columns": {"callback": _read_columns, "metavar": "query=Q,doc=D,score=S"},
}
"""How a command line says what Python says by lists, mappings or free text."""
SKIP_BAD = "Leave out runs that cannot be read and name them; the status is then 1."


def reading_option(name: str) -> Callable[[F], F]:
    """The option of a field of ``Reading``."""
    if name == "skip_bad":  # for the command line alone, which has a status
        return click.option("--skip-bad", is_flag=True, help=SKIP_BAD)
    return declared_option(DECLARED[name], **AS_WORDS.get(name, {}))


def reading_options(*, without: Container[str] = ()) -> Callable[[F], F]:
    """The options of ``Reading``, without some of them."""

    def add(command: F) -> F:
        for name in reversed(Reading.__dataclass_fields__):
            command = command if name in without else reading_option(name)(command)
        return command

    return add


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """The values of ``reading_options``, in their order."""

    missing: Missing = "zero"
    empty: Empty = "zero"
    ties: Ties = "docid"
    negative: Negative = "nonrelevant"
    levels: tuple[float, ...] | None = None
    recode: Mapping[float, float] = field(default_factory=dict)
    shift: float = 0.0
    depth: int | None = None
    names: RunNaming = "tag"
    input_format: str | None = None
    columns: Columns = field(default_factory=Columns)
    skip_bad: bool = False
    threads: int = 0


def read_judgments(path: str, reading: Reading) -> tuple[Qrels, list[Note]]:
    """Judgments from a file, and notes on its format and on grades of --recode that it does not have."""
    [judgments], notes = read_assessors([path], reading)
    return judgments, notes


def read_assessors(paths: Sequence[str], reading: Reading) -> tuple[list[Qrels], list[Note]]:
    """The same of the judgments of several assessors, which are shifted and recoded alike."""
    notes: list[Note] = []
    read = []
    for path in paths:
        judgments = read_qrels(path, format=reading.input_format, columns=reading.columns)
        notes += about_formats(judgments, [])
        if reading.shift:
            below = int((judgments.grades < 0).sum())
            judgments = judgments.shifted(reading.shift)
            if more := int((judgments.grades < 0).sum()) - below:
                named = f"{plural(max(more, 0), 'grade')} of {judgments.name}"
                notes.append(f"--shift {reading.shift:g}: {named} are now below 0")
        read.append(judgments)
    if reading.recode:
        notes += _recoded_in_vain(read, reading.recode)
        read = [judgments.recoded(reading.recode) for judgments in read]
    return read if reading.levels is None else [one.with_levels(reading.levels) for one in read], notes


def open_collection_runs(places: Sequence[str], reading: Reading) -> tuple[list[Run], list[Note]]:
    """Runs from files, folders and patterns, and notes on formats, shared tags, and what --skip-bad leaves out."""
    files = list_files(places)
    errors: list[str] = []
    opened = []
    for file in files:
        try:
            run = open_run(file, format=reading.input_format, columns=reading.columns)
            if reading.skip_bad:
                len(run)  # reads and checks every line
            opened.append(run)
        except InputError as error:
            if not reading.skip_bad:
                raise
            errors.append(str(error))
    if errors and not opened:
        raise InputError(f"{errors[0]} (and no other run can be read)")
    if not errors:
        reading.columns.require_met("--columns")
    named = name_uniquely(opened, reading.names)
    notes: list[Note] = [*about_formats(None, named.runs), *about_names(named.renamed)]
    if errors:
        end_with(1)
        notes += [warned(f"skipped: {error}") for error in errors]
        notes.append(f"{len(errors)} of {plural(len(files), 'run')} left out by --skip-bad")
    return named.runs, notes


def _recoded_in_vain(read: Sequence[Qrels], recode: Mapping[float, float]) -> Iterator[str]:
    present = {grade for judgments in read for grade in judgments.grades.tolist()}
    for old, new in recode.items():
        if old in present:
            present = {new if grade == old else grade for grade in present}
        else:
            names = list_some([judgments.name for judgments in read])
            have = f"{names} has no" if len(read) == 1 else f"none of {names} has the"
            yield f"--recode {old:g}={new:g}: {have} grade {old:g}"


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
    return declared_options(DECLARED, *(name for name in ("topics", "runs", "preset") if name in names))


def choice_of_topics(text: str | None) -> str | list[str] | None:
    """What --topics names: a selection, or the topics of a file."""
    return read_topics(text) if text is not None and os.path.exists(text) else text


def require_topics(text: str | None, known: Sequence[str], place: str) -> None:
    """Refuse an unknown topic that may have been meant as the name of a file; ``place``: whose topics are known."""
    if text is None:
        return
    selection, among = topic_selection(choice_of_topics(text)), set(known)
    unknown = isinstance(selection, Named) and not among.issuperset(selection.names)
    if unknown and not os.path.exists(text) and not {",", ":"} & set(text):
        raise InputError(
            f"--topics {text}: no such file, and no such topic among the {len(among)} of {place}; accepted: a file "
            f"with a topic a line, or a list as in {','.join(known[:2])}"
        )


MEAN = "mean"  # the column beside those of several collections
READING = tuple("levels recode shift depth ties negative names input_format columns skip_bad preset".split())
"""Options that ready scores have no use for."""


@dataclass(frozen=True, eq=False, repr=False)
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
        if (twice := find_twice(names)) is not None:
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

    def topic_choice(self) -> str | list[str] | None:
        """What --topics names: a selection, or the topics of a file."""
        return choice_of_topics(self.topics)

    def judging(self) -> dict[str, Any]:
        """How runs meet the judgments."""
        return {name: getattr(self, name) for name in ("ties", "negative", "depth", "threads")}

    def scoring(self) -> dict[str, Any]:
        """What ``evaluate`` is told of these options."""
        names = "runs preset missing empty ties negative depth threads".split()
        return {name: getattr(self, name) for name in names} | {"topics": self.topic_choice()}


class Opened(NamedTuple):
    """Judgments and runs that have not met yet."""

    judgments: Qrels
    runs: list[Run]
    notes: list[Note]


def open_collection(collection: Collection) -> Opened:
    """Read judgments, and open runs."""
    assert collection.qrels is not None  # click requires it, or Collection.take does
    judgments, notes = read_judgments(collection.qrels, collection)
    runs, more = open_collection_runs(collection.run_files, collection)
    return Opened(judgments, list(runs), [*notes, *more])


def open_ready_scores(collection: Collection) -> tuple[Scores, list[Note]]:
    """Read ready scores, all of them."""
    from gradeval.scores.score_files import open_scores  # here, as most commands read runs

    context = click.get_current_context()  # policies that are not asked for are those of the files
    asked = {name: getattr(collection, name) for name in ("missing", "empty") if is_set(context, name)}
    scores = open_scores(*collection.scores, topics=collection.topic_choice(), **asked)
    return scores, list(scores.notes)
