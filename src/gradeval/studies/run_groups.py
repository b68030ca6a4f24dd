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
from gradeval.files.column_names import is_name_of_run, normal_name, place_among_runs, show_names
from gradeval.files.header_rows import find_delimiter, first_line, names_separator, strip_cells
from gradeval.files.plain_text import decode, quote
from gradeval.files.separated_rows import TextRows, read_rows
from gradeval.files.source import read_bytes
from gradeval.messages import kind_of, list_some, nearest, plural, shown, unbox
from gradeval.scores.slices import split_place
from gradeval.warning_categories import Note, NoteWeight

ACCEPTED = "a run and its group, as in bm25 lexical"
WIDE = "or a header that names both columns, as in run,team,contact"
NAMES = "group groups team teams family participant participants organisation organization org lab affiliation".split()
NAMES += [f"{name}_{which}" for name in ("group", "team") for which in ("name", "id")]
"""How a column of groups is usually called."""
UNSPLIT = re.compile(r"\s*(\"|\S*[,;])")
"""The beginning of a line of csv, where a quote opens it or no blank stands before the first comma."""


class RunGroups(dict[str, str]):
    """The group of each run; ``places``: where runs stand, for messages."""

    places: Mapping[str, str]

    def __init__(self, groups: Mapping[str, str], places: Mapping[str, str]) -> None:
        super().__init__(groups)
        self.places = places


@dataclass(eq=False, repr=False)
class Groups(InFile):
    """The group of each run: ``{run: group}``, or a file of a run and its group in each line, as ``read_groups``."""

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
    """The group of each run, from lines of a run and its group: csv, tsv, or with blanks; # begins a comment.

    A header may name the two columns among others; ``FILE:COLUMN`` says which one holds the groups.
    """
    file, column = split_place(place) or (place, "")
    text = decode(read_bytes(file), file)
    line = first_line(text)
    if line.lstrip().startswith("{"):
        raise InputError(f"{file}: is JSON; accepted: lines of {ACCEPTED}")
    separator = find_delimiter(line) if _is_separated(line, file) else ""
    return read_rows(text, separator, file, lambda rows: _take_groups(rows, column))


def _is_separated(line: str, file: str) -> bool:
    """Do tabs, commas or semicolons separate the columns, rather than blanks? As the ending of the file or the first
    line says it."""
    separator = find_delimiter(line)
    named = separator and _find_columns([cell.strip('" ') for cell in line.split(separator)]) is not None
    return "\t" in line or bool(named or UNSPLIT.match(line) or (separator and file.lower().endswith(".csv")))


def _take_groups(rows: TextRows, column: str) -> RunGroups:
    groups: dict[str, str] = {}
    places: dict[str, str] = {}
    for place, run, group in _data_rows(rows, column):
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


def _data_rows(rows: TextRows, column: str) -> Iterator[tuple[str, str, str]]:
    """Of each row its place, a run and its group: no comments, no names of columns; ``column``: of the groups."""
    columns: tuple[int, int] | None = None
    width, first = 0, True
    for line, row in rows:
        cells, place = strip_cells(row), f"{rows.place}:{line}"
        header, cells[0] = first, cells[0].removeprefix("# ") if first else cells[0]
        if row[0].startswith("#") and not (first and rows.delimiter and _find_columns(cells)):
            continue
        if names_separator(cells[0]) and not any(cells[1:]):
            continue
        first = False
        if header and (rows.delimiter or len(cells) == 2 or column):
            columns, width = _find_columns(cells, column, place), len(cells)
            if columns is not None:
                rows.read_header_once(line)
                continue
        if columns is not None and rows.delimiter:
            if len(cells) != width:
                raise InputError(f"{place}: found {plural(len(cells), 'column')}; the header has {width}")
            yield place, cells[columns[0]], cells[columns[1]]
            continue
        if rows.delimiter and len(cells) > 2:
            raise InputError(f"{place}: found {len(cells)} columns; accepted: two, {ACCEPTED}, {WIDE}")
        yield place, cells[0], " ".join(cells[1:])


def _find_columns(cells: Sequence[str], column: str = "", place: str = "") -> tuple[int, int] | None:
    """The columns of runs and of groups in a header, by their usual names; None: these cells are no header.

    ``column``: the name of the column of groups, where it is given; ``place``: of the header, for messages.
    """
    named = [at for at, name in enumerate(cells) if is_name_of_run(name)]
    run = min(named, key=lambda at: place_among_runs(cells[at]), default=None)
    groups = [at for at, name in enumerate(cells) if normal_name(name) in NAMES and at != run]
    if column:
        groups = [at for at, name in enumerate(cells) if name == column]
        if run is None or not groups:
            wanted = "runs, as Run tag" if groups else f"groups {quote(column)}"
            raise InputError(f"{place}: no column of {wanted} (the header is {show_names(cells)}); rename one")
    if run is None or not groups:
        return None
    if groups[1:] and place:
        file = place.rpartition(":")[0]
        ways = " or ".join(f"{file}:{cells[at]}" for at in groups)
        raise InputError(f"{place}: {len(groups)} columns may name the groups; write {ways}")
    return run, groups[0]


def places_of_groups(groups: Mapping[str, str] | None, runs: Sequence[str]) -> dict[str, list[int]]:
    """The places of the runs of each group; names that are no run, as of withdrawn runs, are left out.

    Raises
    ------
    InputError : a name that is no run and like a run without a group, a run that stands there twice, a group of all
        runs, no name of a run.
    """
    members: dict[str, list[int]] = {}
    known = {run: place for place, run in enumerate(runs)}
    of_run: dict[str, str] = {}
    for name, group in (groups or {}).items():
        if (run := find_run(name, runs)) is None:
            continue
        if of_run.setdefault(run, group) != group:
            where = _where(groups, name)
            raise InputError(f"{where}: {quote(name)} is {run}, which is in {quote(of_run[run])} already")
        if known[run] not in members.setdefault(group, []):
            members[group].append(known[run])
    alone = [run for run in runs if run not in of_run]
    for name in find_absent(groups, runs):
        meant = nearest(name, alone)
        if meant or not of_run:
            raise InputError(f"{_where(groups, name)}: no run {quote(name)}{meant}; the runs are {list_some(runs)}")
    for group, places in members.items():
        if len(places) == len(runs):
            raise InputError(
                f"groups: {quote(group)} holds all {len(runs)} runs; leave some out, or name a second group"
            )
    return members


def find_absent(groups: Mapping[str, str] | None, runs: Sequence[str]) -> list[str]:
    """The names with a group that are no run."""
    return [name for name in groups or () if find_run(name, runs) is None]


def about_absent(names: Sequence[str]) -> list[Note]:
    """Which names with a group are no run here."""
    are = "is no run here and is" if len(names) == 1 else "are no runs here and are"
    said = f"groups: {plural(len(names), 'name')} {are} ignored ({list_some(names)})"
    return [Note(said, own_weight=NoteWeight.OMISSION)] if names else []


def _where(groups: Mapping[str, str] | None, name: str) -> str:
    return groups.places[name] if isinstance(groups, RunGroups) else "groups"
