"""Files that cannot be read: what is wrong with each line, and the run that the other lines are."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from gradeval._core import InputError, Lines
from gradeval.checking.checked_files import FileCheck
from gradeval.checking.run_inspection import InspectedRun
from gradeval.collection.runs import RepeatedBoth, Run, rule_of_grades, rule_of_runs
from gradeval.files.column_names import InputKind
from gradeval.files.folders import Folder
from gradeval.files.line_faults import LineFaults, find_line_faults
from gradeval.files.named_columns import Columns
from gradeval.files.readers import trec_source
from gradeval.files.record_faults import find_record_faults
from gradeval.files.source import Source
from gradeval.messages import LISTED, Given, Said, list_some, plural
from gradeval.warning_categories import NoteWeight


class InputOptions(NamedTuple):
    """How files are read, and whether every wrong line is named; see ``check``."""

    format: str | None
    columns: Columns
    encoding: str | None
    repeated: RepeatedBoth
    folder: Folder | None
    all: bool


MOST_LINES = 25
"""Wrong lines of a file that are named by default."""


def source_of_trec(kind: InputKind, given: str | os.PathLike[str], reading: InputOptions) -> Source | None:
    """See ``trec_source``."""
    format, columns, encoding, *_ = reading
    return trec_source(kind, os.fspath(given), format=format, columns=columns, encoding=encoding)


def add_wrong_lines(
    file: FileCheck, given: object, error: InputError, reading: InputOptions, kind: InputKind = "run"
) -> list[tuple[FileCheck, InspectedRun]]:
    """Add to a file that cannot be read what is wrong with each line of TREC text, csv or JSONL, else what its reader
    says; of TREC text a run of the other lines comes back, with the file."""
    of_lines: LineFaults | None = None
    if isinstance(given, str | os.PathLike):
        with suppress(InputError):  # which is the error at hand
            source = source_of_trec(kind, given, reading)
            rule = rule_of_grades if kind == "qrels" else rule_of_runs
            again = rule(reading.repeated) is not None
            of_lines = find_line_faults(source, kind, None if reading.all else MOST_LINES, again) if source else None
    every = (Given("all", True), " names them")
    if of_lines is None or not of_lines.said:
        repeated = rule_of_grades(reading.repeated) if kind == "qrels" else rule_of_runs(reading.repeated)
        of_records = find_record_faults(given, kind, *reading[:3], repeated, None if reading.all else MOST_LINES)
        file.faults += of_records.said or [Said.of(error)]
        if of_records.more:
            file.faults.append(Said.of(InputError(f"{file.place}: more lines cannot be read; ", *every)))
        return []
    if of_lines.number > MOST_LINES and not of_lines.right and not reading.all:
        file.faults += [
            Said.of(error),
            Said.of(InputError(f"{file.place}: none of its {of_lines.number} lines can be read; ", *every)),
        ]
        return []
    repeats = [] if reading.all or of_lines.repeated <= LISTED else [*map(str, of_lines.repeats[1:])]
    told = [one for number, one in zip(of_lines.numbers, of_lines.brief, strict=True) if str(number) not in repeats]
    alike = of_lines.repeated - 1 if repeats else 0
    file.faults += told
    if repeats:
        more_lines = list_some(repeats + [""] * (alike - len(repeats)))
        said = f"{file.place}: {alike} more lines repeat a document: {more_lines}; "
        file.faults.append(Said.of(InputError(said, *every)))
    if of_lines.tagged:
        lines = "1 more line has" if of_lines.tagged == 1 else f"{of_lines.tagged} more lines have"
        file.faults.append(Said.of(InputError(f"{file.place}: {lines} another tag than the first line; ", *every)))
    if more := of_lines.number - len(told) - alike - of_lines.tagged:
        file.faults.append(Said.of(InputError(f"{file.place}: {plural(more, 'more line')} cannot be read; ", *every)))
    if kind == "run" and of_lines.rest is None:
        file.add("is too large to check its other lines, too; mend these first", NoteWeight.COVERAGE)
    if kind == "qrels" or not of_lines.rest:
        return []
    rest = Run(Lines.of_bytes(of_lines.rest, file.place).keeping("first"), file.place, file.place)
    return [(file, InspectedRun(FileCheck(file.place, lost=of_lines.topics), rest, None))]
