"""Groups of runs, such as the runs of a team: what users give for them, and the runs of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from gradeval._core import InputError
from gradeval.arguments import InFile
from gradeval.collection.runs import find_run
from gradeval.files.column_names import is_name_of_run, normal_name
from gradeval.files.header_rows import find_delimiter, first_line, names_separator, strip_cells
from gradeval.files.plain_text import decode, quote
from gradeval.files.separated_rows import TextRows, read_rows
from gradeval.files.source import read_bytes
from gradeval.messages import kind_of, list_some, nearest, shown, unbox

ACCEPTED = "a run and its group, as in bm25 lexical"
NAMES = "group groups team family participant organisation organization org lab".split()
"""How a column of groups is usually called."""
UNSPLIT = re.compile(r"\S*[,;]")
"""The beginning of a line of csv, where no blank stands before the first comma."""


class RunGroups(dict[str, str]):
    """The group of each run; ``places``: where runs stand, for messages."""

    places: Mapping[str, str]

    def __init__(self, groups: Mapping[str, str], places: Mapping[str, str]) -> None:
        super().__init__(groups)
        self.places = places


@dataclass(eq=False, repr=False)
class Groups(InFile):
    """The group of each run: ``{run: group}``, or a file of lines of a run and its group."""

    def check(self, name: str, value: Any) -> RunGroups:
        """The group of each run."""
        if isinstance(value, str | PathLike):
            return read_groups(fspath(value))
        if not isinstance(value, Mapping):
            raise InputError(f"{name} are {{run: group}}, as in {{'bm25': 'lexical'}}, not {kind_of(value)}")
        for run, group in value.items():
            if not isinstance(unbox(group), str | int) or isinstance(group, bool) or not str(group).strip():
                raise InputError(f"{name}: the group of {shown(run)} is {shown(group)}; accepted: a text")
        return RunGroups({str(run): str(group) for run, group in value.items()}, dict.fromkeys(map(str, value), name))


def read_groups(place: str) -> RunGroups:
    """The group of each run, from lines of a run and its group: csv, tsv, or with blanks; # begins a comment."""
    text = decode(read_bytes(place), place)
    line = first_line(text)
    if line.lstrip().startswith("{"):
        raise InputError(f"{place}: is JSON; accepted: lines of {ACCEPTED}")
    separator = find_delimiter(line) if "\t" in line or UNSPLIT.match(line.lstrip()) else ""
    return read_rows(text, separator, place, _take_groups)


def _take_groups(rows: TextRows) -> RunGroups:
    groups: dict[str, str] = {}
    places: dict[str, str] = {}
    for place, cells in _data_rows(rows):
        run, group = cells[0], " ".join(cells[1:])
        if not run:
            raise InputError(f"{place}: the run is empty; accepted: {ACCEPTED}")
        if not group:
            raise InputError(f"{place}: {quote(run)} has no group; accepted: {ACCEPTED}")
        if groups.setdefault(run, group) != group:
            raise InputError(f"{place}: {quote(run)} is in {quote(groups[run])} already; a run has one group")
        places.setdefault(run, place)
    if not groups:
        raise InputError(f"{rows.place}: names no run; accepted: lines of {ACCEPTED}")
    return RunGroups(groups, places)


def _data_rows(rows: TextRows) -> Iterator[tuple[str, list[str]]]:
    """Each row that names a run, with its place: no comments, no names of columns."""
    first = True
    for line, row in rows:
        cells = strip_cells(row)
        if cells[0].startswith("#") or (names_separator(cells[0]) and not any(cells[1:])):
            continue
        named = first and len(cells) == 2 and is_name_of_run(cells[0]) and normal_name(cells[1]) in NAMES
        first = False
        if named:
            continue
        if rows.delimiter and len(cells) > 2:
            raise InputError(f"{rows.place}:{line}: found {len(cells)} columns; accepted: two, {ACCEPTED}")
        yield f"{rows.place}:{line}", cells


def places_of_groups(groups: Mapping[str, str] | None, runs: Sequence[str]) -> dict[str, list[int]]:
    """The places of the runs of each group.

    Raises
    ------
    InputError : a name that is no run, a run that stands there twice, a group of all runs.
    """
    members: dict[str, list[int]] = {}
    known = {run: place for place, run in enumerate(runs)}
    of_run: dict[str, str] = {}
    for name, group in (groups or {}).items():
        where = groups.places[name] if isinstance(groups, RunGroups) else "groups"
        if (run := find_run(name, runs)) is None:
            raise InputError(f"{where}: no run {quote(name)}{nearest(name, runs)}; the runs are {list_some(runs)}")
        if of_run.setdefault(run, group) != group:
            raise InputError(f"{where}: {quote(name)} is {run}, which is in {quote(of_run[run])} already")
        if known[run] not in members.setdefault(group, []):
            members[group].append(known[run])
    for group, places in members.items():
        if len(places) == len(runs):
            raise InputError(
                f"groups: {quote(group)} holds all {len(runs)} runs; leave some out, or name a second group"
            )
    return members
