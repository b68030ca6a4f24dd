"""Input formats, told by a prefix such as ``letor:``, by content, or by the ending of a name."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from importlib import import_module
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import InputKind
from gradeval.files.named_columns import OF_ONE_FILE, Columns
from gradeval.files.source import Source
from gradeval.files.trec import is_separated_below, is_trec
from gradeval.messages import nearest

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


class InputFormat(NamedTuple):
    """An input format: how a place is recognised, and the functions that read it.

    Attributes
    ----------
    name : what ``--input-format`` calls it; a place may have it as a prefix, as in letor:FILE.
    qrels, run : the readers, as "module:function" of this folder; each is imported when it is needed. They take the
        file and a name (or None), and where the format has columns that a user may name, those. Such a reader of runs
        gives a list of them, and such readers take a folder of parts for a file.
    features : the reader of features. Features that no format claims are LETOR text.
    open_run : a reader of runs that leaves the lines in their file until they are needed, where there is one.
    content : tells the format by the first bytes, the kind of the file and the columns that the user named.
    endings : of file names, without the compression's; they decide where the content does not.
    is_file : does a file follow the prefix?
    whole_place : do the readers take the place with its prefix?
    has_columns : may the user name columns?
    """

    name: str
    qrels: str
    run: str
    features: str = "letor:features_of_place"
    open_run: str = ""
    content: str = ""
    endings: tuple[str, ...] = ()
    is_file: bool = True
    whole_place: bool = False
    has_columns: bool = False

    @property
    def has_parts(self) -> bool:
        """May it be the format of many files in a folder that are one?"""
        return self.has_columns or self is TREC

    @property
    def prefix(self) -> str:
        """The prefix of places that says the format."""
        return f"{self.name}:"

    def has_ending(self, place: str) -> bool:
        """Has the name of the file, except the ending of compression, an ending of this format?"""
        name = place.lower()
        return name.removesuffix(next(filter(name.endswith, COMPRESSED), "")).endswith(self.endings)


TREC = InputFormat("trec", "trec:read_trec_qrels", "trec:read_trec_run", open_run="trec:open_trec_run")
"""The format of every place that is of no other."""

FORMATS = (
    InputFormat("irds", "other_tools:read_irds", "other_tools:refuse_run", is_file=False, whole_place=True),
    InputFormat("letor", "feature_files:qrels_of_place", "feature_files:run_of_place", whole_place=True),
    InputFormat(
        "parquet",
        "columnar:read_columnar_qrels",
        "columnar:read_columnar_runs",
        features="feature_files:read_parquet_features",
        content="columnar:is_parquet",
        endings=(".parquet", ".pq"),
        has_columns=True,
    ),
    InputFormat(
        "feather",
        "columnar:read_columnar_qrels",
        "columnar:read_columnar_runs",
        content="columnar:is_feather",
        endings=(".feather", ".arrow", ".arrows"),
        has_columns=True,
    ),
    InputFormat(
        "json",
        "json_text:read_json_qrels",
        "json_text:read_json_runs",
        content="json_values:is_json",
        endings=(".json", ".jsonl"),
        has_columns=True,
    ),
    InputFormat(
        "lists",
        "list_cells:read_list_cells_qrels",
        "list_cells:read_list_cells_runs",
        content="list_cells:is_list_cells",
        has_columns=True,
    ),
    InputFormat(
        "columns",
        "json_cells:read_columns_qrels",
        "json_cells:read_columns_runs",
        features="feature_files:read_csv_features",
        content="line_layouts:is_delimited",
        endings=(".csv", ".tsv"),
        has_columns=True,
    ),
    TREC,
)
"""All formats. A new input format is one more row here, and one more file with its readers."""


def format_of(place: str) -> InputFormat:
    """The format of a place by its name alone: its prefix or its ending."""
    by_prefix = (format for format in FORMATS if place.startswith(format.prefix) and not os.path.exists(place))
    by_ending = (format for format in FORMATS if format.endings and format.has_ending(place))
    return next(by_prefix, None) or next(by_ending, TREC)


def has_prefix(place: str) -> bool:
    """Does the place say its format by a prefix?"""
    return place.startswith(format_of(place).prefix)


def own_columns(place: str) -> tuple[str, str] | None:
    """The columns that a place names for its file alone, and the file; None where it names none."""
    named = OF_ONE_FILE.fullmatch(place)
    return None if named is None or os.path.exists(place) else (named[1], named[2])


def file_of(place: str) -> str:
    """The file that a place names: FILE of letor:FILE#9; the place itself where it has no prefix, or names no file."""
    if (own := own_columns(place)) is not None:
        return own[1]
    format = format_of(place)
    if not (has_prefix(place) and format.is_file):
        return place
    whole = place.removeprefix(format.prefix)
    path, mark, _ = whole.rpartition("#")
    return path if mark and format.whole_place and not os.path.exists(whole) else whole


def refuse_unknown_prefix(place: str) -> None:
    """Refuse what looks like a misspelled prefix, where no file has that name."""
    prefix, colon, file = place.partition(":")
    if colon and file and not os.path.exists(place) and (meant := nearest(prefix, [one.name for one in FORMATS])):
        raise InputError(f"{place}: no such file, and no format is called {prefix!r}{meant}")


def format_called(name: str) -> InputFormat:
    """The format that the user names."""
    by_name = {format.name: format for format in FORMATS if format.is_file}
    if name not in by_name:
        raise InputError(f"format {name!r} is not one of {', '.join(by_name)}{nearest(name, list(by_name))}")
    return by_name[name]


def _are_features(beginning: bytes) -> bool:
    """Does a text begin with a line of features, as LETOR has it?"""
    lines = (line.split() for line in beginning[:8192].removeprefix(BOM_UTF8).split(b"\n"))
    first = next((words for words in lines if words and not words[0].startswith(b"#")), [])
    return len(first) > 2 and first[1].startswith(b"qid:") and b":" in first[2]


def refuse_features(source: Source, kind: InputKind) -> None:
    """Refuse a file that cannot be read and lies next to the sizes of its queries, as features do."""
    from gradeval.files.letor import find_sizes_file  # here, as most files can be read

    if (sizes := find_sizes_file(os.fspath(source))) is not None:
        place, what = source.place, "judgments" if kind == "qrels" else "a run"
        written = f"letor:{place}{'' if kind == 'qrels' else '#FEATURE'}"
        raise InputError(f"{place}: reads as features, as {sizes} has sizes of queries; for {what} write {written}")


def recognise_format(source: Source, kind: InputKind, columns: Columns) -> InputFormat:
    """The format of a file by its first bytes, else by the ending of its name."""
    beginning = source.beginning
    if _are_features(beginning):
        feature = "" if kind == "qrels" else "#NUMBER"
        raise InputError(
            f"{source.place}: this looks like learning-to-rank features; write letor:{source.place}{feature}"
        )
    worded = kind == "qrels" and bool(columns.words)  # which the reader of columns looks up
    if (
        columns.of_values(kind) is None
        and not worded
        and is_trec(beginning, kind)
        and not is_separated_below(source, kind)
    ):
        return TREC
    by_content = (
        format for format in FORMATS if format.content and reader_named(format.content)(beginning, kind, columns)
    )
    return next(by_content, None) or format_of(source.place)


def reader_named(name: str) -> Any:
    """The function that a format names, as "module:function" of this folder; its module is imported."""
    module, _, function = name.partition(":")
    return getattr(import_module(f"gradeval.files.{module}"), function)
