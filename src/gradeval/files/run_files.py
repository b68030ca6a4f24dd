"""Several runs: the files of a folder or a pattern, and a name for each."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias, get_args

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.runs import Run
from gradeval.tables.grid import Grid
from gradeval.tables.html import html
from gradeval.tables.table import SHOWN
from gradeval.whole import Path

Names: TypeAlias = Literal["tag", "file"]


class NamedRuns(NamedTuple):
    """Runs whose names differ.

    Attributes
    ----------
    runs : in the order of the files.
    renamed : for each tag that several runs share, the names that they have instead.
    """

    runs: list[Run]
    renamed: dict[str, list[str]]

    def _repr_html_(self) -> str:
        rows = [[run.name, run.place] for run in self.runs]
        return "".join(html([Grid.of_texts(["run", "file"], rows).shortened(SHOWN)]))


def list_run_files(places: Iterable[Path]) -> list[str]:
    """The files of runs: those of a folder (not hidden ones, nor those of folders in it) and of a pattern such as
    ``runs/*.gz``, in the order of their names; other places as they are."""
    return [file for place in places for file in _files_of(os.fspath(place))]


def _files_of(place: str) -> Iterator[str]:
    if os.path.isdir(place):
        with os.scandir(place) as entries:
            files = sorted(entry.path for entry in entries if entry.is_file() and not entry.name.startswith("."))
        if not files:
            raise InputError(f"{place}: the folder holds no files")
        yield from files
    elif glob.has_magic(place) and not os.path.exists(place):
        yield from sorted(filter(os.path.isfile, glob.glob(place))) or [place]
    else:
        yield place


def name_uniquely(runs: Sequence[Run], names: Names = "tag") -> NamedRuns:
    """The same runs under distinct names: see ``read_runs``. A run given twice is an InputError."""
    arguments.one_of("names", names, get_args(Names))
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
