"""Make a cache of features from files that may be larger than the memory, piece by piece."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradeval import arguments
from gradeval._core import InputError, Letor
from gradeval.arguments import known_arguments
from gradeval.features.feature_arrays import concatenate_columns
from gradeval.features.features import Features
from gradeval.files.cached_features import open_features, require_replaceable_cache, write_cache
from gradeval.files.feature_frames import features_from_frame, usual_columns
from gradeval.files.parquet import open_parquet
from gradeval.files.read import read_content
from gradeval.files.source import Source
from gradeval.files.steady import SteadyFile
from gradeval.formula.levels import levels_of
from gradeval.progress import Progress, ShowProgress, progress_of
from gradeval.whole import Path

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
    """Features as a folder of plain arrays, which is mapped into memory instead of read.

        train = cache_features(["S1.txt", "S2.txt", "S3.txt"], "train.cache")
        LinearRanker("lambdarank:GAP").fit(train)  # later: train = open_features("train.cache")

    The source is read piece by piece, so that it may be larger than the memory. Training takes of the table what it
    needs at a time.

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

    Errors of files are those of ``read_letor`` and ``features_from_frame``.
    """
    if isinstance(source, Features):
        write_cache([source], folder, name)
        return open_features(folder)
    files = _list_files([source] if isinstance(source, str | os.PathLike) else list(source))
    if not files:
        raise InputError("no file to cache; give files of LETOR text, or Parquet")
    require_replaceable_cache(folder)
    sources = [Source(file) for file in files]
    with progress_of(progress, "caching") as tell:
        pieces = _pieces_of(sources, query_id, relevance, features, Told(tell, sources))
        write_cache(pieces, folder, name or files[0])
    return open_features(folder)


def _pieces_of(
    sources: Sequence[Source], query_id: str | None, relevance: str | None, features: int | None, told: Told
) -> Iterator[Features]:
    """The features of the files, whole queries at a time."""
    if all(source.place.endswith(ENDINGS) for source in sources):
        return _whole_queries(_read_row_groups(sources, query_id, relevance, told))
    if features is None:
        told.passes = 2
        ends = [(letor.first, letor.first + letor.X.shape[1]) for letor, _ in _read_text(sources, 0, told)]
        if not ends:
            raise InputError(f"{sources[0].place}: holds no rows")
        first, width = min(begin for begin, _ in ends), max(end for _, end in ends)
        width -= first
    else:
        first, width = 1, arguments.whole("features", features, 1)
    return (_widen(letor, file, first, width) for letor, file in _read_text(sources, width, told))


class Told:
    """Tells how many bytes of some files have been read, in one pass over them or two."""

    def __init__(self, tell: Progress | None, sources: Sequence[Source]) -> None:
        self.tell, self.done, self.passes = tell, 0, 1
        self.total = sum(source.file.size for source in sources if source.file is not None)

    def __call__(self, size: int) -> None:
        """So many bytes more."""
        self.done += size
        if self.tell is not None:
            self.tell(self.done, self.total * self.passes)


def _list_files(sources: Sequence[Path]) -> list[str]:
    """The files, with the Parquet files of folders in their place."""
    files: list[str] = []
    for source in [os.fspath(each) for each in sources]:
        if os.path.isdir(source):
            inside = sorted(name for name in os.listdir(source) if name.endswith(ENDINGS))
            if not inside:
                raise InputError(f"{source}: holds no .parquet file; name files, or a folder with such")
            files += [os.path.join(source, name) for name in inside]
        else:
            files.append(source)
    if tables := [file for file in files if file.endswith((".csv", ".tsv"))]:
        raise InputError(f"{tables[0]}: columns of text are not cached; write Parquet, or LETOR text by write_letor()")
    if len({file.endswith(ENDINGS) for file in files}) > 1:
        raise InputError(f"{files[0]}, {files[-1]}: give Parquet files or LETOR text, not both")
    return files


def _read_text(sources: Sequence[Source], width: int, told: Told) -> Iterator[tuple[Letor, str]]:
    """Whole queries of LETOR text at a time; errors name the line in the file."""
    for source in sources:
        file = source.place
        for text, line in _cut_text(source):
            try:
                yield Letor.of_bytes(text, file, None, width), file
                told(len(text))
            except InputError as error:
                raise InputError(_with_line(str(error), file, line)) from None


def _cut_text(source: Source) -> Iterator[tuple[bytes, int]]:
    """Pieces of a file that end where a query ends, and the number of lines before each."""
    if source.file is None:
        yield bytes(source.data), 0  # kept for the second pass, as it can be read but once
        return
    if source.plain_file is None:
        yield bytes(read_content(source, source.file)), 0
        return
    line, rest = 0, b""
    for chunk in source.plain_file.pieces(PIECE):
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


def _with_line(message: str, file: str, before: int) -> str:
    """The message of an error in a piece, with the number of the line in the file."""
    match = re.match(rf"{re.escape(file)}:(\d+)", message)
    return message if match is None else f"{file}:{int(match[1]) + before}{message[match.end() :]}"


def _widen(letor: Letor, file: str, first: int, width: int) -> Features:
    """The features of a piece, numbered from ``first``, as many as all pieces have."""
    features = Features.of_letor(letor, file)
    if letor.first == first:
        return features
    table = np.zeros((len(features), width), np.float32)  # no line of the piece has feature 0, but others do
    table[:, 1:] = features.X[:, : width - 1]
    return replace(features, X=table, columns=tuple(map(str, range(first, first + width))))


def _read_row_groups(
    sources: Sequence[Source], query_id: str | None, relevance: str | None, told: Told
) -> Iterator[Features]:
    for source in sources:
        file = SteadyFile(source) if source.file is None else source.file
        with open_parquet(file) as opened:
            query, doc, grade = _columns_of(opened.schema_arrow, query_id, relevance, file.place)
            for group in range(opened.num_row_groups):
                table = opened.read_row_group(group)
                step = max(1, PIECE // 8 // max(1, table.num_columns))
                for begin in range(0, len(table), step):
                    yield features_from_frame(
                        table.slice(begin, step), query_id=query, doc_id=doc, relevance=grade, name=file.place
                    )
                told(file.size // opened.num_row_groups)


def _columns_of(
    schema: pyarrow.Schema, query_id: str | None, relevance: str | None, file: str
) -> tuple[str, str | None, str]:
    """The columns of the queries, the documents and the grades: as the user says, else by their usual names."""
    query, doc, grade = usual_columns(schema)
    query, grade = query_id or query, relevance or grade
    for column, what, option in ((query, "queries", "query_id"), (grade, "grades", "relevance")):
        if column not in schema.names:
            known = "is known as that" if column is None else f"{column!r} is there"
            there = ", ".join(schema.names[:8])
            raise InputError(f"{file}: no column {known} of the {what} (it has {there}); name it with {option}=")
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
