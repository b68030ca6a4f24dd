"""Features in a folder of NumPy's files, mapped into memory and made piece by piece: tables larger than the memory."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from gradeval import arguments
from gradeval._core import InputError, Letor
from gradeval.arguments import known_arguments
from gradeval.atomic_files import Path, whole_folder
from gradeval.features.feature_arrays import Column, concatenate_columns, offsets_of
from gradeval.features.features import Features
from gradeval.files.columnar import open_parquet
from gradeval.files.feature_columns import usual_columns
from gradeval.files.feature_frames import features_from_frame
from gradeval.files.folders import files_in
from gradeval.files.source import Source, changed, open_file, read_bytes, read_some, size_of
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import levels_of
from gradeval.messages import shown
from gradeval.progress import Progress, ShowProgress, progress_of

if TYPE_CHECKING:
    import pyarrow

PIECE = 1 << 26  # bytes that are read at a time
ENDINGS = (".parquet", ".pq")
QUERY = re.compile(rb"\s*\S+\s+qid:(\S+)")


@known_arguments()
def cache_features(
    source: Features | Path | Sequence[Path],
    folder: Path,
    *,
    query_id: str | None = None,
    relevance: str | None = None,
    features: int | None = None,
    name: str | None = None,
    progress: ShowProgress = False,
) -> Features:
    """Features as a folder of NumPy's files, whose table is mapped into memory instead of read.

        train = cache_features(["S1.txt", "S2.txt", "S3.txt"], "train.cache")
        LinearRanker("lambdarank:GAP").fit(train)  # later: train = open_features("train.cache")

    The source is read piece by piece, so that it may be larger than the memory. Training reads the parts of the table
    that it needs at a time.

    Parameters
    ----------
    source : Features; files of LETOR text with ``qid:``; or Parquet files or a folder of them. The rows of a query
        stand together.
    query_id, relevance : the columns of Parquet with the queries and the grades. Default: the first of their usual
        names (``query_id``, ``qid`` ...; ``relevance``, ``label`` ...). A column of documents (``doc_id``, ``docno``
        ...) gives their ids; all others are features.
    folder : the cache, with about 4 bytes for each number. It appears whole or not at all; an earlier cache is
        replaced, anything else is an InputError.
    features : how many features LETOR text has. Default: up to the highest number in it, for which it is read twice.
    name : what messages call the features. Default: the first file.
    progress : True shows a bar; a function is called as progress(done, total), in bytes of the files.

    It raises the errors of ``read_letor`` and ``features_from_frame``.
    """
    if isinstance(source, Features):
        write_cache([source], folder, name)
        return open_features(folder)
    files = _list_files([source] if isinstance(source, str | os.PathLike) else list(source))
    if not files:
        raise InputError("no file to cache; give files of LETOR text, or Parquet")
    require_replaceable_cache(folder)
    sources = [Source(file) for file in files]
    with progress_of(progress, "caching") as report:
        pieces = _pieces_of(sources, query_id, relevance, features, ByteProgress(report, sources))
        write_cache(pieces, folder, name or files[0])
    return open_features(folder)


def _pieces_of(
    sources: Sequence[Source], query_id: str | None, relevance: str | None, features: int | None, count: ByteProgress
) -> Iterator[Features]:
    """The features of the files, whole queries at a time."""
    if all(source.place.endswith(ENDINGS) for source in sources):
        return _whole_queries(_read_row_groups(sources, query_id, relevance, count))
    if features is None:
        count.passes = 2
        seen: dict[str, int] = {}
        ends = [(letor.first, letor.first + letor.X.shape[1]) for letor, _ in _read_text(sources, 0, count, seen)]
        if not ends:
            raise InputError(f"{sources[0].place}: holds no rows")
        first, width = min(begin for begin, _ in ends), max(end for _, end in ends)
        width -= first
    else:
        first, width, seen = 1, arguments.whole("features", features, 1), {}
    return (_widen(letor, file, first, width) for letor, file in _read_text(sources, width, count, seen))


class ByteProgress:
    """Reports how many bytes of some files have been read, in one pass over them or two."""

    def __init__(self, report: Progress | None, sources: Sequence[Source]) -> None:
        self.report, self.done, self.passes = report, 0, 1
        self.total = sum(map(size_of, sources))

    def __call__(self, size: int) -> None:
        """So many bytes more."""
        self.done += size
        if self.report is not None:
            self.report(self.done, self.total * self.passes)


def _list_files(sources: Sequence[Path]) -> list[str]:
    """The files, with the Parquet files of folders in their place."""
    files: list[str] = []
    for source in [os.fspath(each) for each in sources]:
        if os.path.isdir(source):
            files += files_in(source, ".parquet files", ENDINGS)
        else:
            files.append(source)
    if tables := [file for file in files if file.endswith((".csv", ".tsv"))]:
        raise InputError(f"{tables[0]}: columns of text are not cached; write Parquet, or LETOR text by write_letor()")
    if len({file.endswith(ENDINGS) for file in files}) > 1:
        raise InputError(f"{files[0]}, {files[-1]}: give Parquet files or LETOR text, not both")
    return files


def _read_text(
    sources: Sequence[Source], width: int, count: ByteProgress, seen: dict[str, int]
) -> Iterator[tuple[Letor, str]]:
    """Whole queries of LETOR text at a time; errors name the line in the file.

    ``seen``: a checksum of each file, which is filled by the first pass and compared by the second.
    """
    for source in sources:
        file, checksum = source.place, 0
        for text, line in _cut_text(source):
            checksum = crc32(text, checksum)
            yield Letor.of_bytes(text, file, None, width, lines_before=line), file
            count(len(text))
        if seen.setdefault(file, checksum) != checksum:
            raise changed(file)


def _cut_text(source: Source) -> Iterator[tuple[bytes, int]]:
    """Pieces of a file that end where a query ends, and the number of lines before each."""
    if not size_of(source):
        yield bytes(source.data), 0  # kept for the second pass, as it can be read but once
        return
    if source.plain is None:
        yield bytes(read_bytes(source)), 0
        return
    line, rest = 0, b""
    with open_file(source) as file:
        while chunk := read_some(file, PIECE, source.place):
            text = rest + chunk
            end = _end_of_queries(text)
            if end:
                yield text[:end], line
                line += text.count(b"\n", 0, end)
            rest = text[end:]
    if rest:
        yield rest, line


def _end_of_queries(text: bytes) -> int:
    """Where the last query of the text begins, which may go on after it; 0 where there is only one."""
    end = text.rfind(b"\n") + 1
    last = None
    while end > 0:
        begin = text.rfind(b"\n", 0, end - 1) + 1
        query = QUERY.match(text, begin, end)
        if query is not None:
            if last is not None and query[1] != last:
                return end
            last = query[1]
        end = begin
    return 0


def _widen(letor: Letor, file: str, first: int, width: int) -> Features:
    """The features of a piece, numbered from ``first``, as many as all pieces have."""
    features = Features.of_letor(letor, file)
    if letor.first == first:
        return features
    table = np.zeros((len(features), width), features.X.dtype)  # no line of the piece has feature 0, but others do
    table[:, 1:] = features.X[:, : width - 1]
    return replace(features, X=table, columns=tuple(map(str, range(first, first + width))))


def _read_row_groups(
    sources: Sequence[Source], query_id: str | None, relevance: str | None, count: ByteProgress
) -> Iterator[Features]:
    for source in sources:
        with open_parquet(source) as opened:
            query, doc, grade = _columns_of(opened.schema_arrow, query_id, relevance, source.place)
            for group in range(opened.num_row_groups):
                table = opened.read_row_group(group)
                step = max(1, PIECE // 8 // max(1, table.num_columns))
                for begin in range(0, len(table), step):
                    yield features_from_frame(
                        table.slice(begin, step), query_id=query, doc_id=doc, relevance=grade, name=source.place
                    )
                count(size_of(source) // opened.num_row_groups)


def _columns_of(
    schema: pyarrow.Schema, query_id: str | None, relevance: str | None, file: str
) -> tuple[str, str | None, str]:
    """The columns of the queries, the documents and the grades: as the user says, else by their usual names."""
    query, doc, grade = usual_columns(schema)
    query, grade = query_id or query, relevance or grade
    for column, what, option in ((query, "queries", "query_id"), (grade, "grades", "relevance")):
        if column not in schema.names:
            known = "is known to hold" if column is None else f"{column!r} is there for"
            there = ", ".join(schema.names[:8])
            raise InputError(f"{file}: no column {known} the {what} (it has {there}); name it with {option}=")
    return str(query), doc, str(grade)


def _whole_queries(pieces: Iterable[Features]) -> Iterator[Features]:
    """The same rows, cut where queries end."""
    held: Features | None = None
    for piece in pieces:
        joined = piece if held is None else _join(held, piece)
        if len(joined.topics) > 1:
            yield joined.select(joined.topics[:-1])
        held = joined.select(joined.topics[-1])
    if held is not None:
        yield held


def _join(held: Features, piece: Features) -> Features:
    """A query and the rows after it, of which the first may be its own."""
    if held.topics[0] != piece.topics[0]:
        return Features.concat([held, piece], name=piece.name)
    offsets = piece.offsets + len(held)
    offsets[0] = 0
    return replace(
        piece,
        X=np.concatenate([held.X, piece.X]),
        grades=np.concatenate([held.grades, piece.grades]),
        offsets=offsets,
        ids=concatenate_columns([held.ids, piece.ids]),
        levels=levels_of(np.array([*held.levels, *piece.levels])),
    )


TABLE, REST = "table.npy", "rest.npz"
"""The files of a cache: the features; and grades, queries, ids and names, without pickles."""
FORMAT, VERSION = "gradeval features", 4
REMEDY = "make the cache again with cache_features()"
ROWS = 1 << 16  # written at a time


def write_cache(pieces: Iterable[Features], folder: Path, name: str | None = None) -> None:
    """Write pieces of a collection, one after the other, as one cache; the folder appears whole or not at all.

    Only one piece is in memory at a time. All have the same features; a query in two of them is an InputError.
    """
    require_replaceable_cache(folder)
    with whole_folder(folder) as beside:
        _write_pieces(pieces, beside, name)


def _write_pieces(pieces: Iterable[Features], beside: str, name: str | None) -> None:
    grades: list[Array] = []
    sizes: list[Array] = []
    ids: list[Column] = []
    topics: dict[str, None] = {}
    levels: set[float] = {0.0}
    first: Features | None = None
    kind: np.dtype[Any] = np.dtype("<f4")
    rows = 0
    with open(os.path.join(beside, TABLE), "w+b") as table:
        for piece in pieces:
            if first is None:
                first = piece.select(piece.topics[:1])
                _write_head_of_table(table, kind, 0, len(first.columns))
            if piece.X.dtype.itemsize > kind.itemsize:
                _rewrite_in_double(table, rows, len(first.columns))
                kind = np.dtype("<f8")
            if piece.categories:
                raise InputError(
                    f"{piece.name}: {next(iter(piece.categories))!r} is a category of words, and a cache holds numbers "
                    "alone; write codes 0, 1 ... in their place, or leave the column out"
                )
            rows += len(piece)
            if piece.columns != first.columns:
                raise InputError(
                    f"{piece.name}: {len(piece.columns)} features, the pieces before have {len(first.columns)}"
                )
            for topic in piece.topics:
                if topic in topics:
                    raise InputError(
                        f"{piece.name}: topic {topic} comes again; the rows of a query stand together: sort by query"
                    )
                topics[topic] = None
            for begin in range(0, len(piece), ROWS):
                table.write(np.ascontiguousarray(piece.X[begin : begin + ROWS], kind).data)
            grades.append(piece.grades)
            sizes.append(np.diff(piece.offsets))
            ids.append(piece.ids)
            levels |= set(piece.levels)
        if first is None:
            raise InputError("no features to cache: there are no rows")
        offsets = offsets_of(np.concatenate(sizes))
        table.seek(0)
        _write_head_of_table(table, kind, int(offsets[-1]), len(first.columns))
    ends, text = concatenate_columns(ids)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": name or first.name,
        "columns": first.columns,
        "levels": sorted(levels),
        "topics": list(topics),
    }
    np.savez(
        os.path.join(beside, REST),
        head=np.array(json.dumps(head).encode()),
        grades=np.concatenate(grades),
        offsets=offsets,
        id_ends=ends,
        ids=text,
    )


def _write_head_of_table(table: IO[bytes], kind: np.dtype[Any], rows: int, columns: int) -> None:
    """The head of a .npy file, which is as long whatever the number of rows, so that it can be written again."""
    head = {"descr": kind.str, "fortran_order": False, "shape": (rows, columns)}
    np.lib.format.write_array_header_1_0(table, head)


def _rewrite_in_double(table: IO[bytes], rows: int, columns: int) -> None:
    """Make doubles of the rows that were written, the last ones first, as they take twice the room."""
    begin = table.tell() - rows * columns * 4
    step = max(1, ROWS // max(1, columns))
    for first in reversed(range(0, rows, step)):
        table.seek(begin + first * columns * 4)
        block = np.frombuffer(table.read(min(step, rows - first) * columns * 4), "<f4")
        table.seek(begin + first * columns * 8)
        table.write(block.astype("<f8").data)
    table.seek(begin + rows * columns * 8)


@known_arguments()
def open_features(folder: Path) -> Features:
    """The features of a cache that ``cache_features`` wrote. Their table is mapped, so that it need not fit into the
    memory.
    """
    place = os.fspath(folder)
    for each in (TABLE, REST):
        if not os.path.isfile(os.path.join(place, each)):
            raise InputError(f"{place}: is no cache of features (it has no {each}); {REMEDY}")
    try:
        table = np.load(os.path.join(place, TABLE), mmap_mode="r", allow_pickle=False)
        with open(os.path.join(place, REST), "rb") as file, np.load(file, allow_pickle=False) as archive:
            rest = {each: archive[each] for each in archive.files}
        head = json.loads(rest["head"].item())
        if (head["format"], head["version"]) != (FORMAT, VERSION):
            raise InputError(f"{place}: a cache of another version; {REMEDY}")
        features = Features(
            X=table,
            grades=rest["grades"],
            topics=head["topics"],
            offsets=rest["offsets"],
            ids=(rest["id_ends"], rest["ids"]),
            columns=tuple(head["columns"]),
            levels=tuple(head["levels"]),
            name=head["name"],
        )
        fits = _fit_together(features)
    except InputError:
        raise
    except Exception as error:  # NumPy, zipfile and zlib have many for what is cut short
        raise InputError(f"{place}: is no whole cache of features ({error}); {REMEDY}") from error
    if not fits:
        raise InputError(f"{place}: its arrays do not fit together; {REMEDY}")
    return features


def _fit_together(features: Features) -> bool:
    """Do the kinds and lengths of the arrays agree, so that nobody reads past an end?"""
    rows = len(features.grades)
    ends, text = features.ids
    kind = "<f8" if features.X.dtype == "<f8" else "<f4"
    kinds = [(features.X, kind), (features.grades, "<f8"), (features.offsets, "<i8"), (ends, "<i8"), (text, "|u1")]
    return (
        all(values.dtype == kind for values, kind in kinds)
        and features.X.shape == (rows, len(features.columns))
        and features.offsets.shape == (len(features.topics) + 1,)
        and ends.shape == (rows + 1,)
        and _are_ends(features.offsets, rows)
        and bool((np.diff(features.offsets) > 0).all())
        and _are_ends(ends, len(text))
        and bool((np.isin(features.grades, features.levels) | np.isnan(features.grades)).all())
    )


def _are_ends(ends: Array, last: int) -> bool:
    return bool(ends[0] == 0 and ends[-1] == last and (np.diff(ends) >= 0).all())


def require_replaceable_cache(folder: Path) -> None:
    """An InputError where the folder holds anything but a cache, so that it is not replaced."""
    place = os.fspath(folder)
    if os.path.isdir(place) and (others := set(os.listdir(place)) - {TABLE, REST}):
        raise InputError(f"{place}: holds {shown(min(others))}, so it is no cache of features; name another folder")


def is_mapped(X: Array) -> bool:
    """Whether a table is mapped from a file, so that its copies should not fill the memory, either."""
    return isinstance(X, np.memmap)


def folder_of(X: Array) -> str:
    """The folder of the file that a table is mapped from."""
    assert isinstance(X, np.memmap)
    return os.path.dirname(os.path.abspath(str(X.filename)))
