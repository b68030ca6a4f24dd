"""TREC text: judgments (topic iteration document grade) and runs (topic Q0 document rank score tag)."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from gradeval._core import InputError, Lines, Pools
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import Path, name_place, read_bytes, whole_file

Names: TypeAlias = Literal["tag", "file"]

BLANK = re.compile(r"[\x00-\x20]")


def read_qrels(
    path: Path,
    *,
    levels: Sequence[float] | None = None,
    recode: Mapping[float, float] | None = None,
    name: str | None = None,
) -> Qrels:
    """Judgments from a file: TREC text (plain or compressed, ``-`` for standard input), ``.parquet``,
    ``irds:DATASET`` for a data set of ir_datasets, or ``letor:FILE`` for the grades of a file of features.

    Parameters
    ----------
    levels : the grades of the collection, ascending from 0, as in ``(0, 1, 2)``; a grade outside them is an
        error. Default: those that were given, gaps filled.
    recode : grades to merge or rename on reading: ``{4: 3}`` turns 4 into 3.
    name : how messages call the judgments; default: the path.

    Whatever is wrong with the file is an InputError that names the line.
    """
    place = name_place(path)
    if place.startswith("irds:"):
        from gradeval.formats.irds import read_irds

        qrels = read_irds(place, name)
    elif place.startswith("letor:"):
        from gradeval.formats.text.letor import qrels_from_letor

        qrels = qrels_from_letor(place, name)
    elif is_parquet(place):
        from gradeval.formats.frames.frame import qrels_from_frame
        from gradeval.formats.frames.parquet import read_parquet

        table = read_parquet(path, ("query_id", "doc_id", "relevance"))
        qrels = qrels_from_frame(table, name=name or place)
    else:
        qrels = Qrels.of_pools(Pools.of_bytes(read_bytes(path), place), name or place)
    if recode:
        qrels = qrels.recoded(recode)
    return qrels if levels is None else qrels.with_levels(levels)


def read_run(path: Path, *, name: str | None = None) -> Run:
    """A run from a file: TREC text (plain or compressed, ``-`` for standard input), ``.parquet``, or
    ``letor:FILE#9`` for the documents of a file of features by their feature 9.

    The run is called ``name``, else by the tag of its first line, else by its file name. Its lines are parsed
    and checked when it is judged; what is wrong with them is then an InputError that names the line.
    """
    place = name_place(path)
    if place.startswith("irds:"):
        raise InputError(f"{place}: data sets of ir_datasets give judgments, not runs; name a file of a run")
    if place.startswith("letor:"):
        from gradeval.formats.text.letor import run_from_letor

        return run_from_letor(place, name)
    if is_parquet(place):
        from gradeval.formats.frames.frame import run_from_frame
        from gradeval.formats.frames.parquet import read_parquet

        table = read_parquet(path, ("query_id", "doc_id", "score"))
        return run_from_frame(table, name=name or _file_name(place), place=place)
    lines = Lines.of_bytes(read_bytes(path), place)
    return Run(lines, name or lines.tag() or _file_name(place), place)


def is_parquet(place: str) -> bool:
    """Does the name of a file say that it holds Parquet data?"""
    return place.lower().endswith(".parquet")


def _file_name(place: str) -> str:
    return os.path.basename(place)


class NamedRuns(NamedTuple):
    """Runs whose names differ.

    Attributes
    ----------
    runs : in the order of the files.
    renamed : for each tag that several runs share, the names that they have instead; worth a notice.
    """

    runs: list[Run]
    renamed: dict[str, list[str]]


def read_runs(paths: Iterable[Path], names: Names = "tag") -> NamedRuns:
    """Runs from files, each named by its tag or (``names="file"``) by its file name, no two alike.

    Runs that share a tag all take their file names, and those that share a file name too their paths.
    """
    return name_apart([read_run(path) for path in paths], names)


def name_apart(runs: Sequence[Run], names: Names = "tag") -> NamedRuns:
    """The same runs, no two of one name: see ``read_runs``. A run given twice is an InputError."""
    if names not in ("tag", "file"):
        raise InputError(f"names={names!r} is not 'tag' or 'file'")
    spellings = [(run.name, _file_name(run.place), run.place) for run in runs]
    choice = [0 if names == "tag" else 1] * len(runs)
    while True:
        called = [spelling[place] for spelling, place in zip(spellings, choice, strict=True)]
        times = Counter(called)
        shared = [number for number, name in enumerate(called) if times[name] > 1]
        if not shared:
            break
        for number in shared:
            if choice[number] == 2:
                raise InputError(f"{called[number]}: is given twice; name each run once")
            choice[number] += 1
    renamed: dict[str, list[str]] = {}
    for run, name, place in zip(runs, called, choice, strict=True):
        if names == "tag" and place:
            renamed.setdefault(run.name, []).append(name)
    return NamedRuns([replace(run, name=name) for run, name in zip(runs, called, strict=True)], renamed)


def write_run(run: Run, path: Path, tag: str | None = None) -> None:
    """Write a run as TREC text: each topic by score descending, then document id descending, ranks from 1.

    Scores are the shortest text that reads back exactly. ``tag`` is the last column; default: the run's name.
    """
    tag = tag if tag is not None else run.name
    place = name_place(path)
    if not tag or BLANK.search(tag):
        raise InputError(f"{place}: tag {tag!r} would not be one column; give a tag without blanks: tag=")
    with whole_file(path) as file:
        for topic in run.topics:
            _require_columns(topic, "topic", place)
            # Strings compare by code point, which is the order of their UTF-8 bytes.
            ranked = sorted(run.of(topic).items(), key=lambda line: (line[1], line[0]), reverse=True)
            lines = [
                f"{topic} Q0 {document} {rank} {write_number(score)} {tag}\n"
                for rank, (document, score) in enumerate(ranked, start=1)
            ]
            for document, _ in ranked:
                _require_columns(document, "document", place)
            file.write("".join(lines).encode())


def write_qrels(qrels: Qrels, path: Path) -> None:
    """Write judgments as TREC text, in their order and with their grades as given: read again, they are the
    same."""
    place = name_place(path)
    offsets = qrels.pools.offsets.tolist()
    with whole_file(path) as file:
        for number, topic in enumerate(qrels.topics):
            _require_columns(topic, "topic", place)
            documents = qrels.pools.documents(number)
            grades = qrels.grades[offsets[number] : offsets[number + 1]].tolist()
            for document in documents:
                _require_columns(document, "document", place)
            lines = [
                f"{topic} 0 {document} {write_number(grade)}\n"
                for document, grade in zip(documents, grades, strict=True)
            ]
            file.write("".join(lines).encode())


def write_number(number: float) -> str:
    """The shortest decimal text that reads back as the same double: 3, 0.1, -7.99e-10."""
    return repr(number).removesuffix(".0")


def _require_columns(identifier: str, what: str, place: str) -> None:
    """An id from elsewhere may hold what a text in columns cannot."""
    if not identifier or BLANK.search(identifier):
        raise InputError(f"{place}: cannot write {what} {identifier!r}: an id in a TREC file has no blanks; rename it")
    if what == "topic" and identifier.startswith(("#", "\ufeff")):
        raise InputError(
            f"{place}: cannot write topic {identifier!r}, its line would be taken for a comment; rename it"
        )
