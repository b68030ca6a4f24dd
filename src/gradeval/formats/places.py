"""The readers of each input format, chosen by the ending of a file name or by a prefix such as ``letor:``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import Path

if TYPE_CHECKING:
    from gradeval.features.features import Features

Names: TypeAlias = Literal["tag", "file"]


@dataclass(frozen=True)
class Format:
    """An input format: how a place is recognised, and the functions that read it.

    Attributes
    ----------
    mark : how the place begins, as in "letor:", or ends, as in ".parquet".
    qrels, run, features : the readers, as "module:function" of a path and a name (or None); each is imported when it is
        needed. Features that no format claims are LETOR text.
    open_run : a reader of runs that leaves the lines in their file until they are needed, where there is one.
    is_file : does a file follow the prefix?
    """

    mark: str
    qrels: str
    run: str
    features: str = "gradeval.formats.text.letor:features_of_place"
    open_run: str = ""
    is_file: bool = True

    def matches(self, place: str) -> bool:
        """Is the place of this format?"""
        return place.startswith(self.mark) if self.is_prefix else place.lower().endswith(self.mark)

    @property
    def is_prefix(self) -> bool:
        """Does the mark stand before the place?"""
        return self.mark.endswith(":")


TREC = Format(
    "",
    "gradeval.formats.text.trec:read_trec_qrels",
    "gradeval.formats.text.trec:read_trec_run",
    open_run="gradeval.formats.text.trec:open_trec_run",
)
"""The format of every place that matches no other."""

FORMATS = (
    Format("irds:", "gradeval.formats.irds:read_irds", "gradeval.formats.irds:refuse_run", is_file=False),
    Format("letor:", "gradeval.formats.text.letor:qrels_of_place", "gradeval.formats.text.letor:run_of_place"),
    Format(
        ".parquet", "gradeval.formats.frames.frame:read_parquet_qrels", "gradeval.formats.frames.frame:read_parquet_run"
    ),
)
"""All formats but TREC text. A new input format is one more row here, and one more file with its readers."""


def format_of(place: str) -> Format:
    """The format of a place: that of the first row that matches."""
    return next((format for format in FORMATS if format.matches(place)), TREC)


def file_of(place: str) -> str:
    """The file that a place names: FILE of letor:FILE#9; the place itself where it has no prefix, or names no file."""
    format = format_of(place)
    if not (format.is_prefix and format.is_file):
        return place
    whole = place.removeprefix(format.mark)
    path, mark, _ = whole.rpartition("#")
    return path if mark and not os.path.exists(whole) else whole


def read_qrels(
    path: Path,
    *,
    levels: Sequence[float] | None = None,
    shift: float = 0.0,
    recode: Mapping[float, float] | None = None,
    name: str | None = None,
) -> Qrels:
    """Judgments from a file: TREC text (plain or compressed, ``-`` for standard input), ``.parquet``,
    ``irds:DATASET`` for a data set of ir_datasets, or ``letor:FILE`` for the grades of a file of features.

    Parameters
    ----------
    levels : the grades of the collection, ascending from 0, as in ``(0, 1, 2)``; a grade outside them is an
        error. Default: those in the file, gaps filled.
    shift : a number to add to every grade: -1 turns ratings from 1 to 10 into grades from 0 to 9.
    recode : grades to merge or rename on reading, after the shift: ``{4: 3}`` turns 4 into 3.
    name : how messages call the judgments; default: the path.

    Whatever is wrong with the file is an InputError that names the line.
    """
    qrels: Qrels = _read(format_of(os.fspath(path)).qrels, path, name)
    if shift:
        qrels = qrels.shifted(shift)
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
    run: Run = _read(format_of(os.fspath(path)).run, path, name)
    return run


def open_run(path: Path, *, name: str | None = None) -> Run:
    """The run of ``read_run``, but plain text stays in its file: it is read from there, a few megabytes at a time,
    whenever the run is judged or its topics are needed. So files may be larger than the memory.

    If the file has changed since the run was opened, reading it is an InputError.
    """
    format = format_of(os.fspath(path))
    run: Run = _read(format.open_run or format.run, path, name)
    return run


def read_features(path: Path, *, name: str | None = None) -> Features:
    """Features from a file, ``FILE`` or ``letor:FILE``: see ``read_letor``."""
    features: Features = _read(format_of(os.fspath(path)).features, path, name)
    return features


def _read(reader: str, path: Path, name: str | None) -> Any:
    module, _, function = reader.partition(":")
    return getattr(import_module(module), function)(path, name)


class NamedRuns(NamedTuple):
    """Runs whose names differ.

    Attributes
    ----------
    runs : in the order of the files.
    renamed : for each tag that several runs share, the names that they have instead.
    """

    runs: list[Run]
    renamed: dict[str, list[str]]


def read_runs(paths: Iterable[Path], names: Names = "tag") -> NamedRuns:
    """Runs from files, each named by its tag or (``names="file"``) by its file name, no two alike.

    Runs that share a tag all take their file names, and those that share a file name too their paths.
    """
    return name_uniquely([read_run(path) for path in paths], names)


def open_runs(paths: Iterable[Path], names: Names = "tag") -> NamedRuns:
    """The runs of ``read_runs``, opened as by ``open_run``."""
    return name_uniquely([open_run(path) for path in paths], names)


def name_uniquely(runs: Sequence[Run], names: Names = "tag") -> NamedRuns:
    """The same runs under distinct names: see ``read_runs``. A run given twice is an InputError."""
    checks.one_of("names", names, get_args(Names))
    spellings = [(run.name, os.path.basename(run.place), run.place) for run in runs]
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
