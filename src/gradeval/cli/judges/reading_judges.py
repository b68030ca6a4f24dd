"""The judgments of humans and judges from files, under one recoding; and groups of runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.cli.options.reading import Reading, read_judgments
from gradeval.cli.screen.notices import Note
from gradeval.collection.qrels import Qrels
from gradeval.files.read import read_bytes
from gradeval.formats.places import file_of
from gradeval.formats.run_files import list_run_files


def name_judges(texts: Sequence[str]) -> dict[str, str]:
    """The places of judges by name, from the values of --judge: NAME=FILE, a file, a folder or a pattern.

    A file without a name is called by its own, without the ending.
    """
    places: dict[str, str] = {}
    for text in texts:
        for name, place in _named(text):
            if name in places:
                raise InputError(
                    f"--judge {text}: two judges are called {name!r} ({places[name]} and {place}); name them, as in "
                    f"{name}-2={place}"
                )
            places[name] = place
    return places


def _named(text: str) -> Iterator[tuple[str, str]]:
    name, sign, place = text.partition("=")
    if sign and not os.path.exists(text):
        if not name or not place:
            raise InputError(f"--judge {text}: accepted: NAME=FILE or FILE")
        yield name, place
        return
    for file in list_run_files([text]):
        yield os.path.splitext(os.path.basename(file_of(file)))[0], file


def read_assessors(
    human: str, judges: Mapping[str, str], reading: Reading
) -> tuple[Qrels, dict[str, Qrels], list[Note]]:
    """The judgments of humans and judges, shifted and recoded alike, and notes; levels are declared later."""
    plain = replace(reading, levels=None, recode={})
    read: list[Qrels] = []
    notes: list[Note] = []
    for place in (human, *judges.values()):
        judgments, more = read_judgments(place, plain)
        read.append(judgments)
        notes += more
    for old, new in reading.recode.items():
        if not any((one.grades == old).any() for one in read):
            notes.append(f"--recode {old:g}={new:g}: neither {human} nor a judge has the grade {old:g}")
    truth, *others = (one.recoded(reading.recode) if reading.recode else one for one in read)
    return truth, dict(zip(judges, others, strict=True)), notes


def read_groups(place: str, runs: Sequence[str]) -> dict[str, str]:
    """The group of each run, from lines of a run and its group; # begins a comment."""
    try:
        lines = bytes(read_bytes(place)).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; --groups takes lines of a run and its group") from None
    groups: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        run, _, group = line.strip().replace("\t", " ").partition(" ")
        group = group.strip()
        if not run or run.startswith("#"):
            continue
        if not group:
            raise InputError(
                f"{place}:{number}: {run!r} has no group; accepted: a run and its group, as in bm25 lexical"
            )
        if run not in runs:
            raise InputError(f"{place}:{number}: no run {run!r}{nearest(run, runs)} among the {len(runs)} runs")
        if groups.setdefault(run, group) != group:
            raise InputError(f"{place}:{number}: {run!r} is in {groups[run]!r} already; a run has one group")
    if not groups:
        raise InputError(f"{place}: names no run; accepted: lines of a run and its group, as in bm25 lexical")
    return groups
