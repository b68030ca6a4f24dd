"""The options that say what a command works on and how it is read, and the steps that read it."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from typing import Any, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.arguments import Declared, Flag, find_twice
from gradeval.cli.declared_options import declared_by, declared_options
from gradeval.cli.notices import about_formats, about_names
from gradeval.cli.options import (
    FILE,
    Recoding,
    is_set,
    note_unused,
    read_columns,
    read_recoding,
    read_topics,
    require_inputs,
)
from gradeval.cli.streams import REMEDY, end_with
from gradeval.collection.exclusion import SELF
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import RepeatedBoth, Run, rule_of_grades, rule_of_runs
from gradeval.files.accepted import refuse_swapped
from gradeval.files.folders import Folder, list_run_files, saying_how_to_leave_out
from gradeval.files.input_formats import FORMATS, file_of
from gradeval.files.named_columns import Columns
from gradeval.files.named_runs import RunNaming, name_uniquely
from gradeval.files.readers import open_runs, read_qrels, read_runs, trec_source
from gradeval.messages import plural
from gradeval.scores.evaluation import evaluate, judge
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.selection import Named, chosen_by, topic_selection
from gradeval.warning_categories import FilesWarning, Note, NoteWeight

F = TypeVar("F", bound=Callable[..., Any])


DECLARED = declared_by(judge, evaluate, read_qrels, read_runs)
"""What the library declares of how judgments and runs are read, judged and scored."""
DECLARED["input_format"] = replace(DECLARED["format"], name="input_format")
DECLARED["skip_bad"] = Declared(  # of the command line alone, which has a status
    "skip_bad", Flag(), False, False, "Leave out runs that cannot be read and name them. The status is then 1."
)


AS_WORDS: dict[str, dict[str, Any]] = {
    "exclude": {"multiple": True},
    "recode": {
        "callback": read_recoding,
        "metavar": "[NAME:]4=3",
        "multiple": True,
        "help": f"{DECLARED['recode'].help} NAME is a judge or a file whose grades alone are meant. May be repeated.",
    },
    "input_format": {"type": click.Choice([format.name for format in FORMATS if format.is_file]), "metavar": None},
    "columns": {"callback": read_columns, "metavar": "query=Q,doc=D,score=S", "multiple": True},
}
"""How a command line says what Python says by lists, mappings or free text."""


def reading_options(*names: str) -> Callable[[F], F]:
    """The options that these names have in ``DECLARED``, in this order."""
    return declared_options(DECLARED, *names, **AS_WORDS)


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """How judgments and runs are read: the values of the options of these names."""

    missing: Missing = "zero"
    empty: Empty = "zero"
    ties: Ties = "docid"
    negative: Negative = "nonrelevant"
    exclude: tuple[str, ...] = ()
    repeated: RepeatedBoth = None
    folder: Folder | None = None
    levels: tuple[float, ...] | None = None
    recode: Recoding = field(default_factory=Recoding)
    shift: float = 0.0
    depth: int | None = None
    names: RunNaming = "tag"
    input_format: str | None = None
    columns: Columns = field(default_factory=Columns)
    encoding: str | None = None
    skip_bad: bool = False
    threads: int = 0

    def excluding(self) -> list[str]:
        """The files of --exclude."""
        return [place for place in self.exclude if place != SELF]


READ = tuple(Reading.__dataclass_fields__)


def name_of_file(place: str) -> str:
    """What a file of judgments is called: its name without its folder and its ending."""
    return os.path.splitext(os.path.basename(file_of(place)))[0]


def names_of_place(place: str, own: Sequence[str]) -> list[str]:
    """What --recode may call a file of judgments: its own names, its path, and its name with its ending."""
    file = file_of(place)
    return [*dict.fromkeys([*own, place, file, os.path.basename(file)])]


def read_judgments(
    paths: Sequence[str],
    reading: Reading,
    places: Sequence[str] = (),
    names: Sequence[list[str]] = (),
    refused: dict[str, InputError] | None = None,
) -> tuple[list[Qrels], list[Note]]:
    """The judgments of some assessors, and notes on their formats and on grades of --recode that they do not have.

    ``places``: the files and folders that were named. ``names``: what each is called, besides its path; default: as its
    file. ``refused``: a dictionary that takes the errors of judgments that cannot be read, by their names; these
    judgments are left out. Without it, for the first judgments, and where no others are left, the error is raised.
    """
    notes: list[Note] = []
    read, called = [], []
    for place, path in enumerate(paths):
        how: dict[str, Any] = {"columns": reading.columns, "encoding": reading.encoding, "folder": reading.folder}
        how |= {"format": reading.input_format, "repeated": rule_of_grades(reading.repeated)}
        own = names[place] if names else [name_of_file(path)]
        known_as = names_of_place(path, own)
        how["columns"] = reading.columns.with_words(reading.recode.words_of(known_as))
        try:
            with saying_how_to_leave_out(path, places):
                judgments = read_qrels(path, **how)
        except InputError as error:
            if refused is None or not place:
                raise error.followed_by(_how_to_mend(path, reading)) from None
            refused[own[0]] = error
            continue
        notes += about_formats(judgments, [])
        shifted = judgments.shifted(reading.shift) if reading.shift else judgments
        if more := int((shifted.grades < 0).sum()) - int((judgments.grades < 0).sum()):
            named = f"{plural(max(more, 0), 'grade')} of {judgments.name}"
            notes.append(Note(f"--shift {reading.shift:g}: {named} are now below 0", own_weight=NoteWeight.MEANING))
        read.append(shifted)
        called.append(known_as)
    if refused and len(read) == 1:
        raise next(iter(refused.values())).followed_by(" (and no other judge can be read)" if len(refused) > 1 else "")
    read, about = reading.recode.apply(read, called)
    notes += [*about, *reading.recode.words_in_vain(reading.columns.read)]
    if reading.levels is not None:
        read = [one.with_levels(reading.levels) for one in read]
    if reading.exclude:
        from gradeval.files.exclusions import as_exclusion  # here, as few exclude

        exclusion = as_exclusion(reading.exclude, reading.columns)
        read = [one.without(exclusion) for one in read]
    return read, notes


def open_collection_runs(
    places: Sequence[str], reading: Reading, *, are_all: bool = True
) -> tuple[list[Run], list[Note]]:
    """Runs from files, folders and patterns, and notes on formats, shared tags, and what --skip-bad leaves out.

    ``are_all``: are no further ones opened, so that each column that is named must have been met?
    """
    opened: list[Run] = []
    errors: dict[str, InputError] = {}
    rule = rule_of_runs(reading.repeated)
    how: dict[str, Any] = {"columns": reading.columns, "repeated": rule, "folder": reading.folder}
    judged = str(click.get_current_context().params.get("qrels"))
    features = {"features": file_of(judged)} if judged.startswith("letor:") else {}
    files = list_run_files(places, reading.folder, reading.input_format, reading.columns, **features)
    for file in files:
        try:
            with saying_how_to_leave_out(file, () if reading.skip_bad else places):
                runs = open_runs(file, format=reading.input_format, encoding=reading.encoding, **how)
            if reading.skip_bad:
                for run in runs:
                    len(run)  # reads and checks every line
            opened += runs
        except InputError as error:
            if not reading.skip_bad:
                raise error.followed_by(HOW_TO_SKIP if _may_skip(len(files)) else "") from None
            errors[file] = error
    if errors and not opened:
        raise next(iter(errors.values())).followed_by(" (and no other run can be read)")
    named = name_uniquely(opened, reading.names)
    notes: list[Note] = [*about_formats(None, named.runs), *about_names(named.renamed)]
    meta = click.get_current_context().meta
    meta.setdefault(OPENED, []).extend(named.runs)
    meta[REMEDY] = _how_to_skip
    if not errors:
        if are_all:
            reading.columns.require_met("--columns")
        return named.runs, notes
    end_with(1)
    return named.runs, [*_about_skipped(errors, len(opened) + len(errors)), *notes]


def _about_skipped(errors: Mapping[str, InputError], runs: int) -> Iterator[Note]:
    """Which runs are left out, all by name, and why; the first reasons are always printed, the others by -v."""
    if len(errors) > 1:
        names = ", ".join(map(os.path.basename, errors))
        text = f"{len(errors)} of {plural(runs, 'run')} left out by --skip-bad: {names}"
        yield Note(text, own_weight=NoteWeight.OMISSION)
    for place, error in enumerate(errors.values()):
        first = place < REASONS
        weight, category = (NoteWeight.OMISSION, FilesWarning) if first else (None, None)
        yield Note(f"skipped: {error}", category, own_weight=weight)


OPENED = f"{__name__}.opened"
"""Runs that the command at hand has opened."""
MOST_DELETED = 5
"""Wrong lines up to which a message says the command that deletes them."""
REASONS = 6
"""Runs of which one always reads why they are left out."""
HOW_TO_SKIP = "; --skip-bad leaves out unreadable runs and names them; 'gradeval check' names every fault"


def _how_to_mend(place: str, reading: Reading) -> str:
    """What to do about wrong lines of judgments in TREC text, which no option skips; empty: it is another fault."""
    from gradeval.files.line_faults import find_line_faults  # here, as errors are seldom

    how: dict[str, Any] = {"format": reading.input_format, "columns": reading.columns, "encoding": reading.encoding}
    with suppress(InputError):  # which is the error at hand
        if (source := trec_source("qrels", place, **how)) is not None:
            faults = find_line_faults(source, "qrels", MOST_DELETED, rule_of_grades(reading.repeated) is not None)
            if faults.number and faults.right:
                one = faults.number == 1
                lines = "1 line is wrong" if one else f"{faults.number} lines are wrong"
                how_to = "names it; mend or delete it" if one else "names each; mend or delete them"
                script = shlex.quote(";".join(f"{number}d" for number in faults.numbers))
                delete = f" (sed {script} FILE > NEW)" if faults.number == len(faults.numbers) else ""
                return f"; {lines}: 'gradeval check' {how_to}{delete}"
    return ""


def _may_skip(runs: int) -> bool:
    """Has the command an unused --skip-bad, and runs that would be left?"""
    context = click.get_current_context()
    able = any(option.name == "skip_bad" for option in context.command.params)
    return able and runs > 1 and not context.params["skip_bad"]


def _how_to_skip() -> str:
    """What to do where some of several runs cannot be read, which shows only when they are judged."""
    opened: list[Run] = click.get_current_context().meta[OPENED]
    return HOW_TO_SKIP if _may_skip(len(opened)) and not all(map(_is_readable, opened)) else ""


def _is_readable(run: Run) -> bool:
    try:
        len(run)  # reads and checks every line
    except InputError:
        return False
    return True


SCORES = (
    "Scores instead of QRELS and RUNS. Forms: parquet, tsv, csv or jsonl of ours, trec_eval -q, a csv of topics x "
    "systems. NAME is the measure of the last; of others the source, as in human=FILE (human:AP). Also a folder or a "
    "quoted pattern; may be repeated."
)
COLLECTION = "NAME QRELS RUNS-GLOB"
COLLECTIONS = (
    "A collection by its name, instead of QRELS and RUNS. Quote the pattern, as in 'c/runs/*'. May be repeated."
)


def collection_options(*, ready: bool, several: bool = False, sliced: bool = False) -> Callable[[F], F]:
    """The arguments QRELS and RUNS and the options that say how to read them.

    ``ready``: or --scores. ``several``: or --collection. ``sliced``: also --by.
    """
    least = not (ready or several)
    options: list[Callable[[Any], Any]] = [
        click.argument("qrels", metavar="QRELS" if least else "[QRELS", type=FILE, required=least),
        click.argument("run_files", metavar="RUNS..." if least else "RUNS...]", type=FILE, nargs=-1, required=least),
    ]
    if ready:
        options.append(click.option("--scores", type=FILE, multiple=True, metavar="[NAME=]FILE", help=SCORES))
    if several:
        options.append(
            click.option("--collection", "collections", nargs=3, multiple=True, metavar=COLLECTION, help=COLLECTIONS)
        )

    def add(command: F) -> F:
        for decorate in reversed(
            [*options, reading_options("topics", "runs", *(["by", "queries"] if sliced else []), *READ, "preset")]
        ):
            command = decorate(command)
        return command

    return add


def _describe_alone(place: str | None, means: bool) -> str:
    """What else to do about a file without others: it may hold scores; an error of means alone that are not taken."""
    if place is not None and os.path.isfile(place):
        from gradeval.scores.score_files import open_scores  # here, as few files stand alone

        try:
            with warnings.catch_warnings(action="ignore"):
                open_scores(place, means=True)
        except InputError:
            return f"; {place} alone holds no scores"
        if not means:
            open_scores(place)
    return f", or --scores {place or 'FILE'}"


def choice_of_topics(text: str | None) -> str | list[str] | None:
    """What --topics names: a selection, or the topics of a file."""
    return read_topics(text) if text is not None and os.path.exists(text) else text


def require_topics(text: str | None, known: Sequence[str], place: str) -> None:
    """Refuse an unknown topic that may have been meant as the name of a file; ``place``: whose topics are known."""
    if text is None or os.path.exists(text) or {",", ":"} & set(text):
        return
    selection = topic_selection(text)
    if isinstance(selection, Named) and not set(known).issuperset(selection.names):
        raise InputError(
            f"--topics {text}: no such file, and no such topic among the {len(known)} of {place}; accepted: a file "
            f"with a topic a line, or a list as in {','.join(known[:2])}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Collection(Reading):
    """The values of ``collection_options``."""

    qrels: str | None = None
    run_files: tuple[str, ...] = ()
    topics: str | None = None
    runs: str | None = None
    by: str | None = None
    queries: str | None = None
    scores: tuple[str, ...] = ()
    collections: tuple[tuple[str, str, str], ...] = ()
    preset: str | None = None

    @classmethod
    def take(cls, options: dict[str, Any], means: bool = False) -> Self:
        """Take these options out of the options of a command; an error where they exclude each other.

        ``means``: does the command take means alone?
        """
        taken = cls(**{name: options.pop(name) for name in cls.__dataclass_fields__ if name in options})
        if taken.scores and taken.qrels:
            raise InputError(
                f"--scores and {taken.qrels}: give ready scores, or judgments and runs, not both; each file of scores "
                "needs a --scores of its own"
            )
        if taken.collections:
            taken._require_collections()
        elif not taken.scores and not taken.run_files:
            raise InputError(f"nothing to study: give QRELS and RUNS{_describe_alone(taken.qrels, means)}")
        if taken.scores:
            unused = [name for name in (*READ, "preset") if name not in ("missing", "empty", "threads")]
            note_unused(unused, "says how judgments and runs are read and does nothing with --scores")
        measures = click.get_current_context().params.get("measures") or ()
        require_inputs(
            [*filter(None, [taken.qrels, taken.by, taken.queries]), *taken.run_files, *taken.excluding()], measures
        )
        return taken

    def _require_collections(self) -> None:
        names = [name for name, *_ in self.collections]
        if beside := "--scores" if self.scores else self.qrels:
            raise InputError(f"--collection and {beside}: give collections by name, or one without, not both")
        if (twice := find_twice(names)) is not None:
            raise InputError(f"--collection {twice} is given twice; each collection needs a name of its own")
        from gradeval.studies.study import refuse_mean  # here, as an evaluation needs no studies

        refuse_mean(names)
        files = [place for _, qrels, pattern in self.collections for place in (qrels, pattern)]
        require_inputs([place for place in files if not has_magic(place)])

    def each(self) -> Iterator[tuple[str, Self]]:
        """The collections of --collection by name, with the files of their runs."""
        for name, qrels, pattern in self.collections:
            files = tuple(sorted(glob(pattern))) if has_magic(pattern) else (pattern,)
            if not files:
                raise InputError(f"--collection {name}: no file is called {pattern}; give a pattern as in 'c/runs/*'")
            yield name, replace(self, qrels=qrels, run_files=files, collections=())

    def asked(self, names: str) -> dict[str, Any]:
        """The values of the options that the user set, among some; else a preset or Python decides."""
        return {name: getattr(self, name) for name in names.split() if is_set(name)}

    def slicing(self) -> dict[str, str]:
        """What the options say of slices, where they are given."""
        return {name: place for name, place in (("by", self.by), ("queries", self.queries)) if place is not None}

    def scoring(self) -> dict[str, Any]:
        """What ``evaluate`` is told of these options."""
        asked = self.asked("missing empty ties negative depth threads")
        asked |= self.slicing()
        return asked | {"topics": choice_of_topics(self.topics), "runs": self.runs, "preset": self.preset}


def open_collection(collection: Collection) -> tuple[Qrels, list[Run], list[Note]]:
    """Read judgments, and open runs, which have not met yet; and notes on their files."""
    [judgments], runs, notes = open_with_others(collection, ())
    return judgments, runs, notes


def open_with_others(
    collection: Collection, others: Sequence[tuple[str, list[str]]]
) -> tuple[list[Qrels], list[Run], list[Note]]:
    """As ``open_collection``, with judgments by others behind the first: places, and what --recode calls them."""
    assert collection.qrels is not None  # click requires it, or Collection.take does
    refuse_swapped(collection.qrels, collection.run_files, collection.columns, click.get_current_context().command_path)
    places = [collection.qrels, *(place for place, _ in others)]
    judgments, notes = read_judgments(
        places, collection, names=[[name_of_file(collection.qrels)], *(names for _, names in others)]
    )
    runs, more = open_collection_runs(collection.run_files, collection)
    return judgments, runs, [*notes, *more]


def open_ready_scores(collection: Collection, means: bool = False, extra: Sequence[str] = ()) -> Scores:
    """Read ready scores, all of them; their notes say what there is to know of the files. ``means``: may they be means
    alone? ``extra``: more measures that are needed than --measures names."""
    from gradeval.scores.score_files import open_scores  # here, as most commands read runs

    policies = collection.asked("missing empty")  # else as the files say
    asked = click.get_current_context().params.get("measures") if is_set("measures") else None
    needed = [*asked, *extra, *chosen_by(collection.runs)] if asked else []
    topics = choice_of_topics(collection.topics)
    return open_scores(*collection.scores, topics=topics, means=means, needed=needed, runs=collection.runs, **policies)
