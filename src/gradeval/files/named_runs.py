"""Runs under names that differ, and how files and tags give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args, overload

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.runs import FileName, Run, drop_endings, name_file
from gradeval.tables.grid import Grid
from gradeval.tables.table import SHOWN

RunNaming: TypeAlias = Literal["tag", "file"]


@dataclass(frozen=True)
class NamedRuns(Sequence[Run]):
    """Runs whose names differ, in the order of the files.

    Attributes
    ----------
    runs : the same as a list.
    renamed : for each tag that several runs share, the names that they have instead.
    """

    runs: list[Run]
    renamed: dict[str, list[str]]

    @overload
    def __getitem__(self, at: int) -> Run: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Run]: ...

    def __getitem__(self, at: int | slice) -> Run | Sequence[Run]:
        return self.runs[at]

    def __len__(self) -> int:
        return len(self.runs)

    def _repr_html_(self) -> str:
        from gradeval.tables.markup import html

        rows = [[run.name, run.place] for run in self.runs]
        return "".join(html([Grid.of_texts(["run", "file"], rows).shortened(SHOWN)]))


def name_uniquely(runs: Sequence[Run], names: RunNaming = "tag") -> NamedRuns:
    """The same runs under distinct names: see ``read_runs``. A run given twice is an InputError."""
    arguments.one_of("names", names, get_args(RunNaming))
    of_place = Counter(place for place, _ in {(run.place, run.name) for run in runs})
    alike = Counter((run.place, run.name) for run in runs)
    spellings = []
    for run in runs:
        which = run.name if of_place[run.place] > 1 else ""
        if alike[run.place, run.name] > 1:  # of several columns of one file
            which = run.column or which
        spellings.append((run.name, name_file(run.place, which), FileName(run.place, which)))
    first = 0 if names == "tag" else 1
    called, choice = spell_apart([spelled[first:] for spelled in spellings])
    called = drop_endings(called)
    renamed: dict[str, list[str]] = {}
    for run, name, place in zip(runs, called, choice, strict=True):
        if names == "tag" and place and not isinstance(run.name, FileName):
            renamed.setdefault(run.name, []).append(name)
    return NamedRuns([replace(run, name=name) for run, name in zip(runs, called, strict=True)], renamed)


def spell_apart(spellings: Sequence[Sequence[str]]) -> tuple[list[str], list[int]]:
    """A spelling of each name, and which of its spellings that is: the first by which it differs from all others.

    >>> spell_apart([["bm25", "a.run"], ["bm25", "b.run"], ["elm"]])
    (['a.run', 'b.run', 'elm'], [1, 1, 0])
    """
    choice = [0] * len(spellings)
    while True:
        called = [spelled[place] for spelled, place in zip(spellings, choice, strict=True)]
        times = Counter(called)
        shared = [number for number, name in enumerate(called) if times[name] > 1]
        if not shared:
            return called, choice
        last = [number for number in shared if choice[number] + 1 == len(spellings[number])]
        if len({called[number] for number in last}) < len(last):
            raise InputError(f"{called[last[0]]}: is given twice; name each run once")
        for number in shared:
            choice[number] = min(choice[number] + 1, len(spellings[number]) - 1)
