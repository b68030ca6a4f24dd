"""Values of measures by run and topic from text, as gradeval and other tools write them.

It may be tsv, csv or jsonl (one value a line), the output of ``trec_eval -q``, or a csv of topics x systems. Such a
csv holds one measure, named by the caller or else by the file.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.files.read import name_place, read_bytes

Key: TypeAlias = tuple[str, str, str]
"""Run, topic, measure."""
Line: TypeAlias = tuple[str, Key, str | float]
"""The place of a value (file and line), its key, and its text."""
FIELDS = ("run", "topic", "measure", "value")


def read_score_lines(path: str, name: str = "") -> Iterator[Line]:
    """The values of single topics in a text file.

    ``name``: the measure of a csv of topics x systems; of any other file the source, put before its measures.
    """
    place = name_place(path)
    try:
        text = bytes(read_bytes(path)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; --scores takes parquet, tsv, csv, jsonl or trec_eval -q") from None
    lines = [(f"{place}:{number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(f"{place}: is empty; --scores takes parquet, tsv, csv, jsonl or trec_eval -q")
    rows = list(csv.reader(line for _, line in lines)) if _is_csv(lines[0][1]) else []
    if rows and not set(FIELDS) <= set(rows[0]):
        return _read_matrix(place, lines, rows, name or os.path.basename(path).split(".csv")[0])
    values = _read_measures(place, lines, rows)
    return from_source(values, name) if name else values


def from_source(lines: Iterator[Line], source: str) -> Iterator[Line]:
    """The same values with their source before the measures: SOURCE:MEASURE."""
    for place, (run, topic, measure), value in lines:
        yield place, (run, topic, f"{source}:{measure}"), value


def _is_csv(first: str) -> bool:
    """Does a file with this first line hold comma-separated values?"""
    return "," in first and not first.lstrip().startswith("{") and not set(FIELDS) <= set(first.split("\t"))


def _read_measures(place: str, lines: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    """Lines that name their measures; ``rows``: the fields of a csv, empty for any other file."""
    first = lines[0][1]
    if first.lstrip().startswith("{"):
        return _read_json(lines)
    if set(FIELDS) <= set(first.split("\t")):
        return _read_table(lines, [line.split("\t") for _, line in lines])
    return _read_table(lines, rows) if rows else _read_trec_eval(place, lines)


def _read_table(lines: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    """One value a line, below a line with the names of the fields; lines of topic "all" (means) are left out."""
    run, topic, measure, value = (rows[0].index(field) for field in FIELDS)
    for (place, _), row in zip(lines[1:], rows[1:], strict=True):
        if len(row) != len(rows[0]):
            raise InputError(f"{place}: has {len(row)} fields, not the {len(rows[0])} of the first line")
        if row[topic] != "all":
            yield place, (row[run], row[topic], row[measure]), row[value]


def _read_json(lines: Sequence[tuple[str, str]]) -> Iterator[Line]:
    for place, line in lines:
        try:
            record = json.loads(line)
            run, topic, measure, value = (record[field] for field in FIELDS)
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{place}: is not a JSON object with {', '.join(FIELDS)}") from None
        if topic != "all":
            yield place, (str(run), str(topic), str(measure)), value


def _read_matrix(
    place: str, lines: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], measure: str
) -> Iterator[Line]:
    """Systems in the first line, then one line a topic; a first column without a number in it names the topics."""
    runs, *body = rows
    named = bool(body) and all(not row or len(row) == len(runs) for row in body) and runs[0].strip() in ("", "topic")
    for number, (row, (where, _)) in enumerate(zip(body, lines[1:], strict=True), 1):
        if len(row) != len(runs):
            raise InputError(f"{where}: has {len(row)} values, not one for each of the {len(runs)} columns of {place}")
        topic = row[0] if named else str(number)
        for run, value in list(zip(runs, row, strict=True))[named:]:
            yield f"{where} (run {run})", (run, topic, measure), value


def _read_trec_eval(place: str, lines: Sequence[tuple[str, str]]) -> Iterator[Line]:
    """Lines of measure, topic and value; the line ``runid all NAME`` stands behind the topics of its run, or, in files
    that gradeval wrote, before them."""
    pending: list[tuple[str, str, str, str]] = []
    run = name_before = None
    topics = False
    for where, line in lines:
        parts = line.split(None, 2) if line.startswith("runid") else line.split()
        if len(parts) != 3:
            hint = {4: "; judgments, it seems", 6: "; a run, it seems"}.get(len(parts), "")
            raise InputError(f"{where}: has {len(parts)} columns{hint}; trec_eval -q prints measure, topic, value")
        measure, topic, value = parts
        if measure == "runid":
            if pending:
                run = value
                yield from _name_run(pending, run)
                pending = []
            name_before = value.strip()
        elif topic != "all":
            topics = True
            pending.append((where, measure, topic, value))
            if name_before is not None and run is None:  # our own format: the name stands before the values
                yield from _name_run(pending, name_before)
                pending = []
    if not topics:
        raise InputError(f"{place}: has no values of single topics; take trec_eval -q, or gradeval evaluate -q")
    yield from _name_run(pending, name_before or os.path.basename(place))


def _name_run(pending: Sequence[tuple[str, str, str, str]], run: str) -> Iterator[Line]:
    for where, measure, topic, value in pending:
        yield where, (run.strip(), topic, measure), value
