"""Judgments and runs that were given in each other's place, told by what the files look like."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from gradeval._core import InputError
from gradeval.files.list_cells import find_lists_of_runs
from gradeval.files.list_names import is_list_of
from gradeval.files.named_columns import Columns
from gradeval.files.shapes import PEEK, FileShape, shape_of
from gradeval.files.source import are_alike, open_unpacked
from gradeval.files.trec import is_trec


def refuse_swapped_files(place: str, files: Sequence[str], columns: Columns, command: str, called: str) -> None:
    """Refuse files of judgments and runs that were swapped; see ``refuse_swapped`` in accepted.py."""
    first = shape_of(place, columns)
    if any(are_alike(os.path.samefile, place, file) for file in files):
        _refuse_same(place, files, first, command, called)
        return
    shapes = {file: shape_of(file, columns) for file in files if first.run and os.path.isfile(file)}
    swapped = [file for file, shape in shapes.items() if _are_swapped(first, shape)]
    for file in sorted(swapped, key=lambda file: shapes[file].run)[:1]:  # what can be no run comes first
        right = [file, place, *(one for one in files if one != file)]  # which of two runs comes first may matter
        raise InputError(
            f"{place}: looks like a run, and {file} looks like judgments: these look swapped; "
            + (f"write: {command} {shlex.join(right)}" if command else "give the judgments first")
        )


def _are_swapped(first: FileShape, second: FileShape) -> bool:
    """Are they a run and judgments, one of them for sure, or is each what the other should be?"""
    if not (first.run and second.judgments):
        return False
    wrong = (not first.judgments, not second.run)
    return all(wrong) or (wrong[0] and first.sure) or (wrong[1] and second.sure)


def _refuse_same(place: str, files: Sequence[str], shape: FileShape, command: str, called: str) -> None:
    """Refuse a file that is given as both, and can only be one of them."""
    if not shape.judgments and not shape.run:
        return

    def written(*runs: str) -> str:
        """The command with other runs in place of the file."""
        among = [one for file in files for one in (runs if are_alike(os.path.samefile, place, file) else [file])]
        return f"{command} {shlex.join([place if shape.judgments else called, *dict.fromkeys(among)])}"

    both, column = f"{place}: is given as judgments and as a run", ""
    if command and shape.judgments:
        with open_unpacked(place) as file:
            beginning = file.read(PEEK)
        lists = find_lists_of_runs(beginning)
        lists = [] if shape.run and any(is_list_of(name, "run") for name in lists) else lists  # which is the run
        if lists:
            runs = [f"columns:doc={name}:{place}" for name in lists]
            raise InputError(f"{both}; name the lists of runs: {written(*runs)}")
        if shape.sure and not is_trec(beginning, "qrels"):
            column = f"; if a column holds scores, name it: {written(f'columns:score=NAME:{place}')}"
    if shape.judgments == shape.run:
        return
    looks = f"{both}, and looks like {'judgments' if shape.judgments else 'a run'}"
    if not command:
        raise InputError(f"{looks}; give both files")
    raise InputError(f"{looks}; name both files: {written('RUN' if shape.judgments else place)}{column}")
