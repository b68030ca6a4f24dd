"""Which reader is for which place."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias, get_args

from gradeval import checks
from gradeval._core import InputError, Lines, Pools
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import Path, name_place, read_beginning, read_bytes

Names: TypeAlias = Literal["tag", "file"]


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

    The run is called ``name``, else by the tag of its first line, else by its file name. It holds all bytes of the
    file: what happens to the file later does not change it. Its lines are parsed and checked when it is judged; what is
    wrong with them is then an InputError that names the line.
    """
    place = name_place(path)
    if place.startswith("irds:"):
        raise InputError(f"{place}: data sets of ir_datasets give judgments, not runs; name a file of a run")
    if place.startswith("letor:"):
        return run_from_letor(place, name)
    if is_parquet(place):
        from gradeval.formats.frames.frame import run_from_frame
        from gradeval.formats.frames.parquet import read_parquet

        table = read_parquet(path, ("query_id", "doc_id", "score"))
        return run_from_frame(table, name=name or _file_name(place), place=place)
    lines = Lines.of_bytes(read_bytes(path), place)
    return Run(lines, name or lines.tag() or _file_name(place), place)


def open_run(path: Path, *, name: str | None = None) -> Run:
    """The run of ``read_run``, for use at once: plain text stays in its file and is read from there, a few megabytes at
    a time, whenever the run is judged or asked for its topics. So files may be larger than the memory.

    A file that is not what it was when the run was opened is then an InputError.
    """
    place = name_place(path)
    if place.startswith(SCHEMES) or is_parquet(place) or read_beginning(path) is None:
        return read_run(path, name=name)
    lines = Lines.of_file(os.fsencode(path), place)
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


def open_runs(paths: Iterable[Path], names: Names = "tag") -> NamedRuns:
    """The runs of ``read_runs``, for use at once: see ``open_run``."""
    return name_apart([open_run(path) for path in paths], names)


def name_apart(runs: Sequence[Run], names: Names = "tag") -> NamedRuns:
    """The same runs, no two of one name: see ``read_runs``. A run given twice is an InputError."""
    checks.one_of("names", names, get_args(Names))
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


PREFIX = "letor:"
SCHEMES = ("irds:", PREFIX)


def qrels_from_letor(place: str, name: str | None = None) -> Qrels:
    """The judgments of ``letor:FILE``."""
    from gradeval.formats.text.letor import read_letor

    return read_letor(place.removeprefix(PREFIX), name=name or place).qrels


def run_from_letor(place: str, name: str | None = None) -> Run:
    """The run of ``letor:FILE#9``: the documents by their feature 9. It is called FILE#9."""
    from gradeval.formats.text.letor import read_letor

    path, mark, feature = place.removeprefix(PREFIX).rpartition("#")
    if not mark:
        raise InputError(f"{place}: which feature is the score? Write letor:FILE#NUMBER, as in {place}#1")
    return read_letor(path).run(feature, name=name)
