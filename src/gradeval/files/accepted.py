"""Judgments and runs in whatever form a user has them: objects, files, frames, dictionaries, records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from gradeval import arguments
from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_names import Kind
from gradeval.files.other_tools import is_record, name_of, read_objects
from gradeval.files.readers import (
    ColumnNames,
    NamedRuns,
    list_run_files,
    name_uniquely,
    open_run,
    read_features,
    read_qrels,
)

if TYPE_CHECKING:
    from gradeval.features.features import Features

Table: TypeAlias = Mapping[str, Mapping[str, float]]


MAPPINGS = (dict, Mapping)
"""Mappings for isinstance(), dictionaries first: to find that they are mappings takes several times as long."""


class Frame(Protocol):
    """Anything that speaks Arrow: a table of pyarrow, a frame of pandas or Polars, a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns as an Arrow stream."""


Judgments: TypeAlias = Qrels | Path | Table | Frame
Ranked: TypeAlias = Run | Path | Table | Frame
RankedRuns: TypeAlias = Ranked | Mapping[str, Ranked] | Iterable[Ranked] | NamedRuns


def as_qrels(judgments: object, *, format: str | None = None, columns: ColumnNames = None) -> Qrels:
    """Judgments from anything that ``evaluate`` and ``judge`` accept; ``format``, ``columns``: see ``read_qrels``."""
    match judgments:
        case Qrels():
            return judgments
        case Mapping():
            return Qrels.from_dict(_numbered(judgments, "qrels", "qrels"))
        case str() | PathLike():
            return read_qrels(judgments, format=format, columns=columns)
    if _is_frame(judgments):
        from gradeval.files.frames import qrels_from_frame  # here, as files need none

        return qrels_from_frame(judgments)
    if isinstance(judgments, Iterator):
        judgments = list(judgments)
    table = read_objects(judgments, "relevance", "qrels")
    if table is not None:
        return Qrels.from_dict(table)
    accepted = "Qrels, a file, a frame, records or {topic: {document: grade}}"
    raise InputError(f"qrels are {accepted}, not {arguments.kind_of(judgments)}")


def as_features(features: Features | Path | Iterable[Path]) -> Features:
    """Features, or those of a file, or of several files that are the parts of one collection."""
    from gradeval.features.features import Features  # here, as runs need none

    if isinstance(features, Features):
        return features
    parts = [read_features(place) for place in ([features] if isinstance(features, str | PathLike) else features)]
    return Features.concat(parts, name=parts[0].name + (f" and {len(parts) - 1} more" if parts[1:] else ""))


def as_runs(runs: object) -> list[Run]:
    """One or several runs from anything that ``evaluate`` and ``judge`` accept, under distinct names."""
    if isinstance(runs, NamedRuns):
        return runs.runs
    listed = list_runs(runs)
    if len(listed) == 1 and listed[0].alone:
        return [as_run(listed[0])]
    return name_uniquely([as_run(one) for one in listed]).runs


class Listed(NamedTuple):
    """One of several runs, not yet read.

    Attributes
    ----------
    run : a Run, a file, a frame, records or a dictionary.
    name : what it is called, where the user says it.
    number : its place among the runs, from 1.
    alone : was it given by itself, not in a list?
    """

    run: object
    name: str | None = None
    number: int = 1
    alone: bool = False


def list_runs(runs: object) -> list[Listed]:
    """The runs of anything that ``evaluate`` and ``judge`` accept: the files of folders and patterns, too."""
    if isinstance(runs, NamedRuns):
        runs = runs.runs
    if isinstance(runs, MAPPINGS):
        if not _holds_runs(runs):
            return [Listed(runs, alone=True)]
        return [Listed(run, str(name)) for name, run in runs.items()]
    if isinstance(runs, str | PathLike):
        runs = [runs]
    elif isinstance(runs, Run) or not isinstance(runs, Iterable) or _is_frame(runs):
        return [Listed(runs, alone=True)]
    if isinstance(runs, Iterator):
        runs = list(runs)
    if is_record(next(iter(runs), None), "score"):
        return [Listed(runs, alone=True)]
    files = [file for run in runs for file in (list_run_files([run]) if isinstance(run, str | PathLike) else [run])]
    several = [Listed(run, number=number) for number, run in enumerate(files, 1)]
    if not several:
        raise InputError("no run given")
    return several


def as_run(listed: Listed, *, format: str | None = None, columns: ColumnNames = None) -> Run:
    """The run; ``format``, ``columns``: see ``read_qrels``."""
    run = _as_run(listed.run, "run" if listed.number == 1 else f"run {listed.number}", format, columns)
    return run if listed.name is None else replace(run, name=listed.name)


def _holds_runs(mapping: Mapping[object, object]) -> bool:
    """Is it {name: run} rather than {topic: {document: score}}?"""
    first = next(iter(mapping.values()), None)
    if isinstance(first, MAPPINGS):
        return isinstance(next(iter(first.values()), None), (*MAPPINGS, list, tuple))
    return isinstance(first, Run | str | PathLike) or _is_frame(first)


def _as_run(run: object, name: str, format: str | None, columns: ColumnNames) -> Run:
    if isinstance(run, MAPPINGS):
        return Run.over(_numbered(run, "run", name), name)
    match run:
        case Run():
            return run
        case str() | PathLike():
            return open_run(run, format=format, columns=columns)
    if _is_frame(run):
        from gradeval.files.frames import run_from_frame

        return run_from_frame(run, name=name)
    if isinstance(run, Iterator):
        run = list(run)
    table = read_objects(run, "score", name)
    if table is not None:
        return Run.from_dict(table, name_of(run) or name)
    accepted = "a Run, a file, a frame, records, {topic: {document: score}}, or several as in {name: run}"
    raise InputError(f"a run is {accepted}, not {arguments.kind_of(run)}")


def _numbered(table: Mapping[Any, Any], kind: Kind, place: str) -> Mapping[Any, Any]:
    """The same table; ``{topic: [document, ...]}`` as ``{topic: {document: number}}``."""
    if not isinstance(next(iter(table.values()), None), list | tuple | set | frozenset):
        return table
    from gradeval.files.id_lists import is_of_lists, read_mapping_of_lists  # here, as few need it

    if not is_of_lists(table):
        return table
    return read_mapping_of_lists(table, kind, place)


def _is_frame(value: object) -> bool:
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "columns")
