"""Judgments, runs and features from files and folders, each by the reader of its format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

from gradeval._core import InputError
from gradeval.arguments import Number, Several, known_arguments
from gradeval.atomic_files import Path
from gradeval.collection.qrels import Qrels, RepeatedGrades
from gradeval.collection.runs import Repeated, Run
from gradeval.files.column_names import InputKind
from gradeval.files.folders import Folder, is_of_parts, list_run_files, saying_how_to_leave_out, several_in_folder
from gradeval.files.input_formats import (
    TREC,
    InputFormat,
    format_called,
    format_of,
    has_prefix,
    own_columns,
    reader_named,
    recognise_format,
    refuse_features,
    refuse_unknown_prefix,
)
from gradeval.files.named_columns import Columns
from gradeval.files.named_runs import NamedRuns, RunNaming, name_uniquely
from gradeval.files.other_tools import is_frame
from gradeval.files.run_columns import several_runs
from gradeval.files.source import Source, size_of
from gradeval.messages import kind_of, shown

if TYPE_CHECKING:
    from gradeval.features.features import Features
    from gradeval.files.feature_columns import FeatureColumns

ColumnNames: TypeAlias = Columns | Mapping[str, str | int] | str | None
LEVELS = Several(Number(least=0, kind="a grade"), "grades that ascend from 0, as in 0,1,2", "0,1,2")


@known_arguments()
def read_qrels(
    path: Path,
    *,
    levels: Annotated[Sequence[float] | None, LEVELS] = None,
    shift: Annotated[float, Number()] = 0.0,
    recode: Mapping[float, float] | Mapping[str, float] | None = None,
    name: str | None = None,
    format: str | None = None,
    columns: ColumnNames = None,
    encoding: str | None = None,
    repeated: RepeatedGrades | None = None,
    folder: Folder | None = None,
) -> Qrels:
    """Judgments from a file, plain or compressed (``-`` for standard input), whose format is told by its content: TREC
    text, BEIR tsv, tsv or csv with a header or of three columns, JSON, JSONL, Parquet, Feather. Or a folder of parts,
    or ``irds:DATASET`` for a data set of ir_datasets, or ``letor:FILE`` for the grades of a file of features.

    Parameters
    ----------
    levels : the grades of the collection, ascending from 0; others are errors. Default: those in the file, gaps filled.
    shift : a number to add to every grade, before recode and rel. -1 turns ratings from 1 to 10 into grades from 0 to
        9; AP(rel=6) then counts ratings from 7.
    recode : turn grades into others on reading; words of the column of grades into grades.
    name : how messages call the judgments; default: the path.
    format : the format of the file, where its content does not tell. One of "trec", "columns", "lists", "json",
        "parquet", "feather" or "letor". A prefix says it, too, as in json:FILE.
    columns : which columns hold query, doc, grade, score and rank. Each by the name of its column or by its number from
        1. Default: by their usual names.
    folder : whether the files of a folder are parts of one run, or several runs. Default: parts where they are called
        part-* or lie in folders called key=value, or next to _SUCCESS or _metadata.
    encoding : the encoding of the text, as Python calls it, as in cp1252. Default: UTF-8, UTF-16 by its mark, else
        cp1252 with a warning.
    repeated : which grade counts where several raters judged a document: the first, the highest (best), or the mean.
        Default: other grades of a document are an error, and the same judgment counts once.

    ``recode={4: 3}`` turns 4 into 3, ``recode={"click": 1, "purchase": 2}`` words into grades,
    ``columns={"query": "q", "doc": 2, "grade": "g"}`` names columns, and so does
    ``columns="query=q,doc=2,grade=g"``.

    Whatever is wrong with the file is an InputError that names the line.
    """
    how: dict[str, Any] = {"encoding": encoding, "repeated": repeated, "folder": folder}
    words = words_of_recoding(recode)
    given: Any = path
    if not isinstance(given, str | os.PathLike):
        changes = f".shifted({shift:g})" * bool(shift) + f".recoded({recode})" * bool(recode)
        _require_place(given, "read_qrels", changes + f".with_levels({levels})" * (levels is not None))
    qrels: Qrels = _read_by_format("qrels", path, name, format, columns, words=words, **how)
    if shift:
        qrels = qrels.shifted(shift)
    numbers: Any = recode
    if recode and not words:
        qrels = qrels.recoded(numbers)
    return qrels if levels is None else qrels.with_levels(levels)


def words_of_recoding(recode: object) -> dict[str, float]:
    """The words that become grades, all or none."""
    if not isinstance(recode, Mapping) or not any(isinstance(word, str) for word in recode):
        return {}
    for word, grade in recode.items():
        if not (isinstance(word, str) and isinstance(grade, Real) and isfinite(grade)):
            raise InputError(
                f"recoding {shown(word)} to {shown(grade)}: a word becomes a finite number, as in {{'click': 1}}; "
                "recoded() turns the numbers into others"
            )
    return {word: float(grade) for word, grade in recode.items()}


@known_arguments()
def read_run(
    path: Path,
    *,
    name: str | None = None,
    format: str | None = None,
    columns: ColumnNames = None,
    encoding: str | None = None,
    repeated: Repeated | None = None,
    folder: Folder | None = None,
) -> Run:
    """A run from a file in one of the formats of ``read_qrels``, or ``letor:FILE#9`` for the documents of a file of
    features by their feature 9. The third of three columns is the score or, as in MS MARCO's runs, the rank.

    The run is called ``name``, else by the tag of its first line or a column run, system, tag ..., else by its file
    name without the ending. A file of several runs, by such a column, is an InputError: ``read_runs`` takes it. A run
    holds all bytes of the file: what happens to the file later does not change it. Its lines are parsed and checked
    when it is judged; what is wrong with them is then an InputError that names the line. ``format``, ``columns``,
    ``folder``: see ``read_qrels``; the values are in the column ``score`` or ``rank`` (a document at rank r gets the
    score -r). ``repeated``: see ``read_runs``.
    """
    read = partial(_read_by_format, "run", path, name, format, columns, encoding=encoding, folder=folder)
    return _only(read(repeated=repeated), name).keeping(repeated)


def open_run(path: Path) -> Run:
    """The run of ``read_run``, but plain TREC text stays in its file: it is read from there, a few megabytes at a time,
    whenever the run is judged or its topics are needed. So files may be larger than the memory.

    If the file has changed since the run was opened, reading it is an InputError.
    """
    return _only(open_runs(path), None)


def open_runs(
    path: Path,
    *,
    name: str | None = None,
    format: str | None = None,
    columns: ColumnNames = None,
    encoding: str | None = None,
    repeated: Repeated | None = None,
    folder: Folder | None = None,
) -> list[Run]:
    """The run of ``open_run``, or all runs of a file with a column that names them."""
    opened = partial(_read_by_format, "run", path, name, format, columns, lambda format: format.open_run or format.run)
    runs: list[Run] = opened(repeated=repeated, encoding=encoding, folder=folder)
    return runs if repeated is None else [run.keeping(repeated) for run in runs]


def _only(runs: Sequence[Run], name: str | None) -> Run:
    """The only run, under this name; several are an error."""
    if len(runs) > 1:
        raise several_runs([run.name for run in runs], runs[0].place, "read_runs() takes them all")
    return name_uniquely(runs).runs[0] if name is None else replace(runs[0], name=name)


def read_features(path: Path, *, name: str | None = None, given: FeatureColumns | None = None) -> Features:
    """Features from a file: LETOR text (see ``read_letor``), or by its ending Parquet, csv or tsv; a prefix, as in
    ``letor:FILE``, says it otherwise. ``given``: what a user says of columns, see its ``require_met``."""
    from gradeval.files.feature_columns import FeatureColumns  # here, as judgments and runs need none

    place = _require_place(path, "read_features")
    format = format_of(place)
    if has_prefix(place) and not format.whole_place:
        path = place.removeprefix(format.prefix)
    features: Features = reader_named(format.features)(path, name, given or FeatureColumns())
    return features


@known_arguments()
def read_runs(
    paths: Path | Iterable[Path],
    names: RunNaming = "tag",
    *,
    format: str | None = None,
    columns: ColumnNames = None,
    encoding: str | None = None,
    repeated: Repeated | None = None,
    folder: Folder | None = None,
) -> NamedRuns:
    """Runs from files, folders and patterns such as ``runs/*.gz``, each named by its tag or (``names="file"``) by its
    file name, no two alike. Endings such as ``.csv.gz`` are left out where that leaves the names different; tags
    stay as they are. A column run, system, tag ... of a file tells its runs apart.

    Parameters
    ----------
    columns : see ``read_qrels``; ``{"run": "arm"}`` names the column that tells the runs of a table apart.
    names : call runs by their tags or files. Runs that share a tag go by their files, and those that share a file name
        by their paths.
    repeated : which line counts where a topic of a run has a document several times. Its first or its best scored line,
        as where chunks of documents are ranked. Default: that is an error.
    folder : see ``read_qrels``.
    """
    chosen = columns if isinstance(columns, Columns) else Columns.of(columns)
    several: Any = paths if isinstance(paths, Iterable) and not _is_one_place(paths) else [paths]
    places = [_require_place(path, "read_runs") for path in several]
    listed = list_run_files(places, folder, format, chosen)
    read = partial(
        _read_by_format, "run", name=None, forced=format, columns=chosen, encoding=encoding, repeated=repeated
    )
    runs: list[Run] = []
    for path in listed:
        with saying_how_to_leave_out(path, places):
            runs += [run.keeping(repeated) for run in read(path=path, folder=folder)]
    if columns is not chosen:
        chosen.require_met("columns")
    return name_uniquely(runs, names)


def _read_by_format(
    kind: InputKind,
    path: Path,
    name: str | None,
    forced: str | None,
    columns: ColumnNames,
    reader_of: Callable[[InputFormat], str] | None = None,
    *,
    repeated: RepeatedGrades | None = None,
    encoding: str | None = None,
    folder: Folder | None = None,
    words: Mapping[str, float] = MappingProxyType({}),
) -> Any:
    """Judgments, or a list of runs."""
    given = columns if isinstance(columns, Columns) else Columns().with_words(words)
    place = _require_place(path, "read_qrels" if kind == "qrels" else "read_run")
    own = own_columns(place)
    if own is not None or not isinstance(columns, Columns):  # names for this file alone, which must be there
        others = columns if isinstance(columns, Columns) else Columns.of(columns)
        named, path = (others, path) if own is None else (Columns.of(own[0]), own[1])
        chosen = named.with_words_of(given)
        how: dict[str, Any] = {"repeated": repeated, "encoding": encoding, "folder": folder}
        read = _read_by_format(kind, path, name, forced, chosen.filled_by(others), reader_of, **how)
        chosen.require_met(f"{place}: columns")
        others.met.update(chosen.met)
        if own is not None and kind == "run":
            read = [replace(run, column=named.of_values(kind) or named.doc or "") for run in read]
        return read
    chosen = columns
    known = None if forced is None else format_called(forced)
    if has_prefix(place):
        known = format_of(place)
        file = path if known.whole_place else place.removeprefix(known.prefix)
        source = Source(file, repeated=repeated, encoding=encoding)
    else:
        refuse_unknown_prefix(place)
        source = Source(path, repeated=repeated, encoding=encoding)
    if (known is None or known.has_parts) and source.is_folder:
        read = _read_folder(kind, source, name, known, chosen, folder)
    else:
        source.named_format = known is not None
        try:
            format = known or recognise_format(source, kind, chosen)
            read = _read_source(kind, source, name, format, chosen, reader_of)
        except InputError:
            if known is None:
                refuse_features(source, kind)
            raise
    return replace(read, joins=chosen.joins) if kind == "qrels" else read


def trec_source(
    kind: InputKind, place: str, *, format: str | None, columns: Columns, encoding: str | None
) -> Source | None:
    """The source of a file that is read as TREC text; None for other formats, folders, and what is read but once."""
    file = _source_of_file(kind, place, format, columns, encoding)
    return file[0] if file is not None and file[1] is TREC else None


HEADS = {"columns": 1, "json": 0}
"""The formats of text with a record a line, and how many lines stand above the records."""


class RecordReader(NamedTuple):
    """A file with a record a line, what reads such a text, and how many lines stand above the records."""

    source: Source
    read: Callable[[Source], object]
    head: int


def record_reader(
    kind: InputKind, place: str, *, format: str | None, columns: Columns, encoding: str | None
) -> RecordReader | None:
    """What reads a file of csv or JSON; None for other formats, folders, and what is read but once."""
    file = _source_of_file(kind, place, format, columns, encoding)
    if file is None or file[1].name not in HEADS:
        return None
    source, known = file
    return RecordReader(source, lambda part: _read_source(kind, part, None, known, columns, None), HEADS[known.name])


def _source_of_file(
    kind: InputKind, place: str, format: str | None, columns: Columns, encoding: str | None
) -> tuple[Source, InputFormat] | None:
    """A file and its format; None for folders, for what is read but once, and where the place names columns."""
    if own_columns(place) is not None:
        return None
    known = None if format is None else format_called(format)
    if has_prefix(place):
        known = format_of(place)
        if known.whole_place:  # a feature of LETOR text may stand behind its file
            return None
        place = place.removeprefix(known.prefix)
    if (known is not None and not known.is_file) or not size_of(place):
        return None
    source = Source(place, encoding=encoding)
    return None if source.is_folder else (source, known or recognise_format(source, kind, columns))


def _read_folder(
    kind: InputKind,
    source: Source,
    name: str | None,
    known: InputFormat | None,
    columns: Columns,
    folder: Folder | None,
) -> Any:
    """Judgments, or a list of runs, from a folder of parts."""
    from gradeval.files.parts import open_parts, require_lines  # here, as most input is no folder

    if not is_of_parts(source.place, "one" if folder == "one" else None) and not (
        kind == "run" and folder == "several"
    ):
        raise several_in_folder(source.place, judgments=kind == "qrels")
    read: list[Any] = []
    groups = open_parts(source, kind)
    for called, parts in groups:
        format = _format_of_parts(parts.parts, kind, known, columns)
        if format is TREC:
            require_lines(parts, kind)
        one = _read_source(kind, parts, name, format, columns, None)
        size = f"in {len(parts.parts)} part{'s' * (len(parts.parts) > 1)}"
        for each in [one] if kind == "qrels" else one:
            what = "judgments" if kind == "qrels" else "one run"
            each = replace(each, read_as=f"{what} {size}{', ' * bool(each.read_as)}{each.read_as}")
            if called:
                each = replace(each, name=called if len(one) == 1 else f"{called} {each.name}")
            read.append(each)
    return read[0] if kind == "qrels" else read


def _format_of_parts(
    parts: Sequence[Source], kind: InputKind, known: InputFormat | None, columns: Columns
) -> InputFormat:
    """The format that all parts of a folder have."""
    first: InputFormat | None = None
    for part in parts:
        format = known or recognise_format(part, kind, columns)
        if not format.has_parts:
            raise InputError(f"{part.place}: {format.name} is not read in parts; name the file by itself")
        if first is not None and format is not first:
            raise InputError(
                f"{part.place}: reads as {format.name}, where {parts[0].place} reads as {first.name}; write all parts "
                "of a folder in one format"
            )
        first = format
    assert first is not None  # there is a part
    return first


def _read_source(
    kind: InputKind,
    source: Source,
    name: str | None,
    format: InputFormat,
    chosen: Columns,
    reader_of: Callable[[InputFormat], str] | None,
) -> Any:
    if format is TREC or format.name == "columns":
        chosen.require_all_numbers(kind, source.place)
    reader = reader_of(format) if reader_of is not None else format.qrels if kind == "qrels" else format.run
    if format.has_columns:  # its reader of runs gives a list
        return reader_named(reader)(source, name, chosen)
    if (value := chosen.of_values(kind)) is not None:
        raise InputError(
            f"{source.place}: the column {value!r} is asked for, and {format.name} has no columns with names; number "
            "them, as in query=1,doc=3,score=5, or leave the column out"
        )
    read = reader_named(reader)(source, name)
    return read if kind == "qrels" else [read]


READERS_OF_FRAMES = {
    "read_qrels": "qrels_from_frame",
    "read_run": "run_from_frame",
    "read_runs": "run_from_frame",
    "read_features": "features_from_frame",
}
READERS_OF_MAPPINGS = {"read_qrels": "Qrels.from_dict", "read_run": "Run.from_dict", "read_runs": "Run.from_dict"}
"""The functions that take frames and mappings, by the functions that read files."""


def _is_one_place(given: Any) -> bool:
    """Is it one place, or anything but a list of places?"""
    return isinstance(given, str | os.PathLike | Mapping) or is_frame(given) or hasattr(given, "read")


def _require_place(given: Any, function: str, changes: str = "") -> str:
    """The place of a file; an error for anything else, which names the function that takes it, and which ``changes``
    follow it."""
    if isinstance(given, str | os.PathLike):
        return str(os.fspath(given))
    remedy = "give the place of a file"
    if isinstance(given, Mapping):
        reader = (READERS_OF_FRAMES | READERS_OF_MAPPINGS)[function]
        remedy = f"give it to {reader}()" + f", as in {reader}(QRELS){changes}" * bool(changes)
    elif is_frame(given) or hasattr(given, "__arrow_c_stream__"):
        reader = READERS_OF_FRAMES[function]
        remedy = f"give it to {reader}()" + f", as in {reader}(FRAME){changes}" * bool(changes)
    elif hasattr(given, "read"):
        remedy = "give the place of that file, or - for standard input"
    raise InputError(f"{function}() reads files, and got {kind_of(given)}; {remedy}")
