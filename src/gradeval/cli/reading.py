"""The options that say how judgments and runs are read, and the steps that read them so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click

from gradeval._core import InputError
from gradeval.arguments import MOST
from gradeval.cli.notices import Note, about_formats, about_names, list_some, plural, warned
from gradeval.cli.options import choice_option, number_option, shift_option
from gradeval.cli.streams import end_with
from gradeval.cli.values import name_option_in_errors, read_levels, read_recoding
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_names import Columns
from gradeval.files.places import FORMATS, Names, list_run_files, name_uniquely, open_run, read_qrels
from gradeval.scores.scores import Empty, Missing

F = TypeVar("F", bound=Callable[..., Any])


def _read_columns(_: click.Context, __: click.Parameter, text: str | None) -> Columns:
    with name_option_in_errors("--columns", text):
        return Columns() if text is None else Columns.parse(text)


levels_option = click.option(
    "--levels", callback=read_levels, metavar="0,1,2", help="The grades of the collection; others are errors."
)
recode_option = click.option(
    "--recode", callback=read_recoding, multiple=True, metavar="4=3", help="Turn grades into others on reading."
)


def reading_options(*, without: Collection[str] = ()) -> Callable[[F], F]:
    """The options of ``Reading``, without some of them."""
    options: list[Callable[[Any], Any]] = [
        choice_option("--missing", Missing, "Topics that a run misses count 0, or are left out of its mean."),
        choice_option("--empty", Empty, "Topics that hold nothing relevant count 0, are left out, or count 1."),
        choice_option(
            "--ties",
            Ties,
            "Equal scores: by document id, descending (in single precision), in file order; averaged over all orders "
            "(expected); by grade, best or worst first.",
        ),
        choice_option("--negative", Negative, "What documents with negative grades are."),
        levels_option,
        recode_option,
        shift_option,
        number_option("--depth", 1, None, "Only the first N documents of each ranking.", MOST),
        choice_option("--names", Names, "Call runs by their tags or files. Runs that share a tag go by their files."),
        *files_options(),
        click.option(
            "--skip-bad", is_flag=True, help="Leave out runs that cannot be read and name them; the status is then 1."
        ),
        number_option("--threads", 0, 0, "Processor cores; 0 takes all.", MOST),
    ]

    def add(command: F) -> F:
        for name, decorate in reversed(list(zip(Reading.__dataclass_fields__, options, strict=True))):
            command = command if name in without else decorate(command)
        return command

    return add


def files_options() -> list[Callable[[Any], Any]]:
    """The options that say how files are read."""
    return [
        click.option(
            "--input-format",
            type=click.Choice([format.name for format in FORMATS if format.is_file]),
            help="How files are read. A prefix says it of one file, as in json:FILE.  [default: by their content]",
        ),
        click.option(
            "--columns",
            callback=_read_columns,
            metavar="query=Q,doc=D,score=S",
            help="Columns by name, or from 1; also grade=, rank=.  [default: by their usual names]",
        ),
    ]


@dataclass(frozen=True)
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
    names: Names = "tag"
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
    files = list_run_files(places)
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
