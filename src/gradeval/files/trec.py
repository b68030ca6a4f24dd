"""TREC text: judgments (topic iteration document grade) and runs (topic Q0 document rank score tag)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence

from gradeval._core import InputError, Lines, Pools
from gradeval.arguments import known_arguments
from gradeval.atomic_files import Path, whole_file
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_names import Kind, refuse_time
from gradeval.files.plain_text import BLANK, require_columns, write_number
from gradeval.files.source import Buffer, as_source, name_place

BOM = b"\xef\xbb\xbf"
NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def is_trec(beginning: bytes, kind: Kind) -> bool:
    """Has the first line the columns of TREC text, with a number where the value stands?"""
    width, at = (4, 3) if kind == "qrels" else (6, 4)
    _, columns = _first_line(beginning)
    return len(columns) == width and NUMBER.fullmatch(columns[at]) is not None


def _first_line(beginning: bytes) -> tuple[int, list[bytes]]:
    """The first line that is neither blank nor a comment: its number from 1, and its columns."""
    lines = enumerate((line.split() for line in beginning.removeprefix(BOM).splitlines()), 1)
    return next(((number, line) for number, line in lines if line and not line[0].startswith(b"#")), (0, []))


def read_trec_qrels(path: Path, name: str | None = None) -> Qrels:
    """Judgments from TREC text."""
    source = as_source(path)
    if is_trec(source.beginning, "qrels"):
        number, columns = _first_line(source.beginning)
        refuse_time(columns[2].decode("utf-8", "replace"), columns[3].decode(), f"{source.place}:{number}")
    return Qrels.of_pools(Pools.of_bytes(source.data, source.place), name or source.place)


def read_trec_run(path: Path, name: str | None = None) -> Run:
    """A run from TREC text, called by ``name``, else by its tag, else by its file name."""
    source = as_source(path)
    lines = Lines.of_bytes(source.data, source.place)
    called = name or lines.tag() or os.path.basename(source.place)
    return Run(lines, called, source.place, header=_read_header(source.data))


def open_trec_run(path: Path, name: str | None = None) -> Run:
    """The run of ``read_trec_run``, its lines left in the file where the core can read them from there."""
    source = as_source(path)
    if source.plain_file is None:
        return read_trec_run(source, name)
    with source.plain_file.read_by_others() as place:
        lines = Lines.of_file(os.fsencode(place), place)
        called = name or lines.tag() or os.path.basename(place)
    return Run(lines, called, place, header=_read_header(source.beginning))


def _read_header(data: Buffer) -> tuple[str, ...]:
    """The comments with which a text begins, also between blank lines."""
    header: list[str] = []
    start = len(BOM) if data.startswith(BOM) else 0
    while (end := data.find(b"\n", start)) >= 0:
        line = bytes(data[start:end]).rstrip(b"\r")
        if line.startswith(b"#"):
            header.append(line.decode("utf-8", "surrogateescape"))
        elif line.strip():
            break
        start = end + 1
    return tuple(header)


@known_arguments()
def write_run(run: Run, path: Path, tag: str | None = None) -> None:
    """Write a run as TREC text: each topic by score descending, then document id descending, ranks from 1.

    Scores are the shortest text that reads back exactly. ``tag`` is the last column; default: the run's name. The
    comments above the first line (``run.header``) are written, too.
    """
    # Strings compare by code point, which is the order of their UTF-8 bytes.
    rankings = (
        (topic, sorted(run.of(topic).items(), key=lambda line: (line[1], line[0]), reverse=True))
        for topic in run.topics
    )
    write_rankings(rankings, path, tag if tag is not None else run.name, header=run.header)


def write_rankings(
    rankings: Iterable[tuple[str, Iterable[tuple[str, float]]]],
    path: Path,
    tag: str,
    spell: Callable[[float], str] = write_number,
    header: Sequence[str] = (),
) -> None:
    """Write rankings as TREC text: topics with their documents and scores, in rank order; ranks from 1.

    ``spell`` makes the text of a score; ``header``: comments that stand above them.
    """
    place = name_place(path)
    if not tag or BLANK.search(tag):
        raise InputError(f"{place}: tag {tag!r} would not be one column; give a tag without blanks: tag=")
    for line in header:
        if not line.startswith("#") or "\n" in line:
            raise InputError(f"{place}: {line!r} is no comment of one line; a line of the header begins with #")
    with whole_file(path) as file:
        file.write("".join(f"{line}\n" for line in header).encode("utf-8", "surrogateescape"))
        for topic, ranking in rankings:
            require_columns([topic], "topic", place)
            ranked = list(ranking)
            require_columns([document for document, _ in ranked], "document", place)
            lines = [
                f"{topic} Q0 {document} {rank} {spell(score)} {tag}\n"
                for rank, (document, score) in enumerate(ranked, start=1)
            ]
            file.write("".join(lines).encode())


@known_arguments()
def write_qrels(qrels: Qrels, path: Path) -> None:
    """Write judgments as TREC text, in their order and with their original grades: read again, they are
    the same."""
    place = name_place(path)
    offsets = qrels.pools.offsets.tolist()
    with whole_file(path) as file:
        for number, topic in enumerate(qrels.topics):
            require_columns([topic], "topic", place)
            documents = qrels.pools.documents(number)
            grades = qrels.grades[offsets[number] : offsets[number + 1]].tolist()
            require_columns(documents, "document", place)
            lines = [
                f"{topic} 0 {document} {write_number(grade)}\n"
                for document, grade in zip(documents, grades, strict=True)
            ]
            file.write("".join(lines).encode())
