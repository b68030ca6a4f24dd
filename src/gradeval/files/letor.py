"""LETOR text (SVMlight with queries): grade qid:topic number:value ... #docid = document."""

from __future__ import annotations

import os
import re
import warnings
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gradeval import arguments
from gradeval._core import InputError, Letor
from gradeval.arguments import known_arguments
from gradeval.atomic_files import STANDARD, Path, whole_file
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.features.features import Features
from gradeval.features.single_precision import ALL_IN_SINGLE
from gradeval.files.column_names import usual_column
from gradeval.files.plain_text import BLANK, write_number
from gradeval.files.source import Source, as_source, name_place, read_bytes
from gradeval.formula.arithmetic import Array
from gradeval.messages import Typed
from gradeval.warning_categories import UnusedFilesWarning

if TYPE_CHECKING:
    from gradeval.files.feature_columns import FeatureColumns

PREFIX = "letor:"

SIZES_ENDINGS = (".query", ".group")  # what LightGBM and XGBoost look for next to a file
WEIGHTS_ENDING = ".weight"
BESIDE = {
    WEIGHTS_ENDING: "pass its numbers as sample_weight=, or train with --weights",
    ".position": "pass its numbers as position= to fit",
    ".init": "training begins with scores of 0, or goes on from init_model=",
    ".base_margin": "training begins with scores of 0, or goes on from init_model=",
}
"""The other files that they read with one, by their endings, and what to do instead."""
FEATURE = re.compile(rb"[0-9]{1,9}:[-+.0-9eE]{1,40}")
"""A feature, as lines have it."""
ROWS = 4096  # written at a time
TABLES = (".csv", ".tsv")
GRADE = "grade=NAME"
BEGINNING = 1 << 16  # bytes of a first line


@known_arguments()
def read_letor(
    path: Path, *, query: Path | None = None, name: str | None = None, features: int | None = None
) -> Features:
    """Features from a file of learning to rank, plain or compressed (``-`` for standard input).

    A line is ``grade qid:topic number:value ... #docid = document``. Features that a line leaves out are 0. NULL, which
    LETOR 4.0 writes where a language model gives minus infinity, becomes the least value that the feature has in its
    query (0 where it has none), as in LETOR's own MIN version; ``nan`` is a missing value, which trees take and other
    rankers refuse. A line without a grade, or with ``?`` or ``-`` in its place, is a document that can be ranked only.
    A comment may name the document; its rest is ignored.

    Parameters
    ----------
    query : the file with the number of rows of each query, one a line, for files without ``qid:``; the topics are then
        called 1, 2 ... Default: the file of that name with ``.query`` (LightGBM) or ``.group`` (XGBoost) behind it,
        where the first line has no ``qid:``.
    name : what messages and runs call the features; default: the path.
    features : how many features there are, where the file may lack the last ones. Default: up to the highest number
        in it.

    Numbers are kept in single precision, or as they are from 2^24 on, as times and dates. The largest double, which
    Istella's files have where there is no value, is a missing value, which a FeaturesWarning says; another one says
    where single precision makes values of a feature equal. A FilesWarning says where the last line seems to be cut, as
    it has no line end and less than all lines above. An UnusedFilesWarning names the files of LightGBM and XGBoost that
    lie next to it (``.weight`` ...) and are not read.

    A negative grade or ``nan`` for one, a feature out of order, twice or infinite, and a query whose lines do not stand
    together are InputErrors that name the line.
    """
    _refuse_columns(os.fspath(path))
    features_read = _read(path, query, name, features)
    for note in unused_beside(os.fspath(path)):
        warnings.warn(note, UnusedFilesWarning, stacklevel=2)
    return features_read


def unused_beside(place: str, used: Sequence[str] = ()) -> Iterator[str]:
    """What to say of unread files next to a file of features; ``used``: the endings of the files that are read."""
    if place == STANDARD:
        return
    for ending, remedy in BESIDE.items():
        if ending not in used and os.path.exists(place + ending):
            yield f"{place}{ending} lies next to {os.path.basename(place)} and is not used: {remedy}"


def _read(path: Path, query: Path | None = None, name: str | None = None, features: int | None = None) -> Features:
    if not os.fspath(path):
        raise InputError("no file of features is named; write letor:FILE for judgments, letor:FILE#NUMBER for a run")
    source = as_source(path)
    place = source.place
    number, words = _first_words(source.beginning)
    if query is None and not (len(words) > 1 and words[1].startswith(b"qid:")):
        query = find_sizes_file(os.fspath(path))
        begins_with_grade = len(words) > 1 and b":" not in words[0]
        if query is None and begins_with_grade and FEATURE.fullmatch(words[1]):
            raise InputError(
                f"{place}:{number}: found '{words[1].decode()}' where qid:query belongs; write it, or put the sizes "
                f"of queries, one a line, into {place}.query (or .group)"
            )
    sizes = None if query is None else read_sizes(query)
    width = 0 if features is None else arguments.whole(f"{place}: features", features, 1)
    try:
        if source.plain is not None:  # the core reads the file itself, a few megabytes at a time
            letor = Letor.of_file(os.fsencode(source), place, sizes, width)
        else:
            letor = Letor.of_bytes(source.data, place, sizes, width)
    except InputError:
        if query is not None and sizes is not None:
            _require_sizes_of_rows(name_place(query), int(sizes.sum()), source)
        raise
    return Features.of_letor(letor, name or place)


@known_arguments()
def write_letor(features: Features, path: Path, *, query: Path | None = None) -> None:
    """Write features as LETOR text: read again, they are the same.

    Zeros are left out except in the last feature, values are the shortest text that reads back exactly, and a document
    that has an id stands in the comment.

    ``query`` names a file for the number of rows of each query; the lines then have no ``qid:``, as LightGBM (FILE and
    FILE.query) and XGBoost (FILE and FILE.group) expect.
    """
    place = name_place(path)
    first = 0 if features.columns[:1] == ("0",) else 1
    if features.columns != tuple(str(first + number) for number in range(len(features.columns))):
        raise InputError(
            f"{place}: LETOR text numbers features 1, 2 ... (or from 0); these are {', '.join(features.columns)[:60]}; "
            "rename them: columns="
        )
    for name in features.topics:
        _require_word(name, "topic", place)
    sizes = np.diff(features.offsets)
    if query is not None:
        with whole_file(query) as file:
            file.write("".join(f"{size}\n" for size in sizes.tolist()).encode())
    queries = np.repeat(np.array([f" qid:{name}" if query is None else "" for name in features.topics], object), sizes)
    with whole_file(path) as file:
        for begin in range(0, len(features), ROWS):
            rows = slice(begin, begin + ROWS)
            grades = [write_number(grade) if grade == grade else "?" for grade in features.grades[rows].tolist()]
            columns = (
                grades,
                queries[rows],
                _spell_values(features.X[rows], first),
                _spell_documents(features, rows, place),
            )
            file.write("".join("".join(line) + "\n" for line in zip(*columns, strict=True)).encode())


def _first_words(beginning: bytes) -> tuple[int, list[bytes]]:
    """The words of the first line that is not blank or a comment, and its number. (Errors in it are the core's.)"""
    lines = (line.split(b"#")[0].split() for line in beginning.removeprefix(BOM_UTF8).split(b"\n"))
    return next(((number, words) for number, words in enumerate(lines, 1) if words), (1, []))


def features_of_place(path: Path, name: str | None, given: FeatureColumns) -> Features:
    """The features of ``letor:FILE``, or of FILE."""
    return given.leave_out_of(read_letor(_without_prefix(path), name=name))


def qrels_of_place(path: Path, name: str | None = None) -> Qrels:
    """The judgments of ``letor:FILE``: its grades."""
    _refuse_table(_without_prefix(path), GRADE)
    return _read(_without_prefix(path), name=name or os.fspath(path)).qrels


def run_of_place(path: Path, name: str | None = None) -> Run:
    """The run of ``letor:FILE#9``: the documents by their feature 9. It is called FILE#9."""
    place = os.fspath(path)
    file, mark, feature = _without_prefix(path).rpartition("#")
    if not mark:
        raise InputError(f"{place}: which feature is the score? Write letor:FILE#NUMBER, as in {place}#1")
    _refuse_table(file, f"score={feature}")
    return _read(file).run(feature, name=name)


def _refuse_table(place: str, named: str) -> None:
    """Refuse Parquet, and csv or tsv whose first line is none of LETOR text; ``named``: what would name its column."""
    if not (place.lower().endswith((*TABLES, ".parquet")) and os.path.isfile(place)):
        return
    with open(place, "rb") as file:
        first = file.readline(BEGINNING)
    if b"qid:" in first:
        return
    from gradeval.files.feature_columns import GRADES, QUERIES_OF_ROWS  # here, as names are seldom needed

    names = [name.strip() for name in first.decode(errors="replace").replace(";", ",").replace("\t", ",").split(",")]
    known = first.startswith(b"PAR1") or all(usual_column(names, usual) for usual in (GRADES, QUERIES_OF_ROWS))
    written = place if known and named == GRADE else f"columns:{named}:{place}"
    raise InputError(f"{place}: is a table by its beginning, not LETOR text; write {written}")


def _refuse_columns(place: str) -> None:
    """Refuse Parquet, and a table whose first line names columns, and say what reads it."""
    if not (place.lower().endswith((*TABLES, ".parquet")) and os.path.isfile(place)):
        return
    with open(place, "rb") as file:
        first = file.readline(BEGINNING).strip()
    names: list[str] = []
    if first.startswith(b"PAR1"):
        frame = f"pandas.read_parquet({place!r})"
    elif re.match(rb"\"?[A-Za-z_]", first) and b"qid:" not in first:
        mark = max(",;\t", key=lambda sign: first.count(sign.encode()))
        names = [name.strip().strip('"') for name in first.decode(errors="replace").split(mark)]
        frame = f"pandas.read_csv({place!r}{'' if mark == ',' else f', sep={mark!r}'})"
    else:
        return
    from gradeval.files.feature_columns import GRADES, QUERIES_OF_ROWS  # here, as names are seldom needed

    query, grade = (usual_column(names, usual) for usual in (QUERIES_OF_ROWS, GRADES))
    words = ["NAME" if name is None else repr(name) for name in (query, grade)]
    python = f"write features_from_frame({frame}, query_id={words[0]}, relevance={words[1]})"
    raise InputError(f"{place}: is a table, not LETOR text; ", Typed("leave out letor:", python))


def _without_prefix(path: Path) -> str:
    return os.fspath(path).removeprefix(PREFIX)


def find_sizes_file(place: str) -> str | None:
    """The file next to one of features that has the sizes of its queries; None: there is none."""
    if place == STANDARD:
        return None
    found = [place + ending for ending in SIZES_ENDINGS if os.path.exists(place + ending)]
    if len(found) > 1 and not np.array_equal(read_sizes(found[0]), read_sizes(found[1])):
        raise InputError(f"{place}: {' and '.join(found)} have other sizes of queries; remove one of them")
    return next(iter(found), None)


def read_sizes(path: Path) -> Array:
    """int64[query]: the rows of each query, one number a line."""
    place = name_place(path)
    sizes = []
    for number, line in enumerate(bytes(read_bytes(path)).decode("utf-8", "replace").split("\n"), 1):
        text = line.strip()
        if not text:
            continue
        if not (text.isascii() and text.isdecimal()) or not 0 < int(text) < 1 << 31:
            raise InputError(
                f"{place}:{number}: {text[:60]!r} is no number of rows; each line holds the rows of a query, 1 or more"
            )
        sizes.append(int(text))
    if not sizes:
        raise InputError(f"{place}: names no query; each line has the number of rows of one")
    return np.array(sizes, np.int64)


def _require_sizes_of_rows(place: str, total: int, source: Source) -> None:
    """Refuse sizes that do not add up to the lines of features."""
    lines = bytes(source.data).removeprefix(BOM_UTF8).split(b"\n")
    rows = sum(1 for line in lines if line.split(b"#")[0].strip())
    if rows != total:
        raise InputError(
            f"{place}: the sizes of the queries add up to {total}, and {source.place} has {rows} rows; give the "
            "number of rows of each query"
        )


def _spell_values(X: Array, first: int) -> list[str]:
    """The features of each row as text; ``first`` is the number of the first one."""
    shown = X != 0
    shown[:, -1:] = True  # the last feature shows how many there are,
    shown[:, : 1 - first] = True  # and feature 0, that they count from 0
    row, column = np.nonzero(shown)
    values = X[shown]
    small = np.abs(values) < ALL_IN_SINGLE
    texts = np.where(small, np.where(small, values, 0).astype(np.float32).astype(str), values.astype(float).astype(str))
    cells = [
        f" {c}:{text.removesuffix('.0')}" for c, text in zip((column + first).tolist(), texts.tolist(), strict=True)
    ]
    ends = np.searchsorted(row, np.arange(len(X) + 1)).tolist()
    return ["".join(cells[begin:end]) for begin, end in pairwise(ends)]


def _spell_documents(features: Features, rows: slice, place: str) -> list[str]:
    ends = features.ids[0][rows.start : rows.stop + 1]
    data = features.ids[1][ends[0] : ends[-1]].tobytes()
    documents = [data[begin:end].decode() for begin, end in pairwise((ends - ends[0]).tolist())]
    for document in documents:
        if document:
            _require_word(document, "document", place)
    return [document and f" #docid = {document}" for document in documents]


def _require_word(identifier: str, what: str, place: str) -> None:
    if not identifier or BLANK.search(identifier) or (what == "topic" and "#" in identifier):
        why = "LETOR text has blanks between columns, and comments begin with #"
        raise InputError(f"{place}: cannot write {what} {identifier!r}: {why}; rename it")
