"""Checks of a command's inputs before anything is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from gradeval._core import InputError
from gradeval.files.places import file_of, has_prefix
from gradeval.formula.spelling import parse_measure
from gradeval.whole import STANDARD

STANDARD_INPUT = (STANDARD, "/dev/stdin", "/dev/fd/0")


def require_inputs(inputs: Sequence[str], measures: Sequence[str] = ()) -> None:
    """Refuse to read standard input twice, and a measure among the files."""
    streams = [place for place in inputs if file_of(place) in STANDARD_INPUT]
    if len(streams) > 1:
        raise InputError(f"{' '.join(streams)}: standard input can be read once; name a file for the others")
    misplaced = [place for place in inputs if _reads_as_measure(place)] if measures else []
    if misplaced:
        written = " ".join([*measures, *misplaced])
        raise InputError(f'{misplaced[0]}: no such file (measures go in one quoted argument: -m "{written}")')


def refuse_overwriting(output: str, inputs: Iterable[str], option: str = "-o") -> None:
    """Refuse an output that would replace one of the inputs, under whatever path, or lie in a folder that is one.

    A folder that the command replaces as a whole may stand among the inputs, too.
    """
    if output == STANDARD:
        return
    folders = list(_folders_of(output))
    for place in inputs:
        path = file_of(place)
        if os.path.isfile(path) and os.path.isfile(output) and os.path.samefile(output, path):
            raise InputError(f"{option} {output}: would replace the input {place}; choose another place")
        if os.path.isdir(path) and any(os.path.samefile(folder, path) for folder in folders):
            raise InputError(
                f"{option} {output}: lies in the folder {place}, which is read or replaced whole; choose another place"
            )


def require_known(text: str, topics: Sequence[str], known: Sequence[str], place: str) -> None:
    """Refuse an unknown topic where the text may have been meant as the name of a file: there is neither."""
    among = set(known)
    unknown = next((topic for topic in topics if topic not in among), None)
    if unknown is not None and not os.path.exists(text) and not {",", ":"} & set(text):
        some = ",".join(known[:2])
        raise InputError(
            f"--topics {text}: no such file, and no such topic among the {len(among)} of {place}; "
            f"accepted: a file with a topic a line, or a list as in {some}"
        )


def _folders_of(place: str) -> Iterator[str]:
    """The existing folders that a place lies in, the nearest first, with links followed."""
    folder = os.path.realpath(place)
    while folder != (folder := os.path.dirname(folder)):
        if os.path.isdir(folder):
            yield folder


def _reads_as_measure(place: str) -> bool:
    if place in STANDARD_INPUT or has_prefix(place) or os.path.exists(place):
        return False
    try:
        parse_measure(place)
    except InputError:
        return False
    return True
