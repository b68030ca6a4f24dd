"""Ready scores: values of measures that were computed elsewhere, by run and topic.

Read are our parquet, tsv, csv and jsonl (one value a line), what ``trec_eval -q`` prints, and a csv of topics x
systems, which is one measure: its name is given, or that of the file.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.files.read import name_place, read_bytes
from gradeval.formats.frames.frame import arrow_table
from gradeval.formats.frames.scores import read_scores
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import measure_of_values

Key: TypeAlias = tuple[str, str, str]
Line: TypeAlias = tuple[str, Key, str | float]
FIELDS = ("run", "topic", "measure", "value")


def read_ready(files: Sequence[str]) -> dict[str, Any]:
    """The arguments of ``Scores`` from one or several files, ``FILE`` or ``MEASURE=FILE`` (csv of topics x systems).

    Several files are put together: other runs, other topics, other measures. A run that has no value at all for a
    topic misses it.

    Raises
    ------
    InputError : a file that is none of these, a value that is no number or is given twice, a run that has values of
        some measures for a topic but not of others.
    """
    if len(files) == 1 and files[0].lower().endswith(".parquet"):
        return read_scores(files[0])
    values: dict[Key, float] = {}
    spellings = _Spellings()
    for given in files:
        for place, (run, topic, measure), text in _lines(given):
            key = run, topic, spellings[measure]
            if key in values:
                raise InputError(f"{place}: {key[2]} of run {key[0]!r} for topic {key[1]!r} is given twice")
            values[key] = _number(place, text)
    if not values:
        raise InputError(
            f"{', '.join(files)}: has no values of single topics, only means or nothing; "
            "write those of topics, too: gradeval evaluate -q"
        )
    return _arguments(values, ", ".join(files))


def of_frame(frame: Any) -> dict[str, Any]:
    """The arguments of ``Scores`` from a table with columns run, topic, measure, value: see ``Scores.from_frame``."""
    table = arrow_table(frame, "frame")
    lacking = [field for field in FIELDS if field not in table.column_names]
    if lacking:
        raise InputError(f"frame: has no column {lacking[0]!r}; scores have {', '.join(FIELDS)}")
    values: dict[Key, float] = {}
    spellings = _Spellings()
    columns = [table.column(field).to_pylist() for field in FIELDS]
    for row, (run, topic, measure, value) in enumerate(zip(*columns, strict=True)):
        key = str(run), str(topic), spellings[str(measure)]
        if key in values:
            raise InputError(f"frame row {row}: {key[2]} of run {key[0]!r} for topic {key[1]!r} is given twice")
        values[key] = _number(f"frame row {row}", value)
    arguments = _arguments(values, "frame")
    for flag, axes in (("present", (0, 1)), ("vacant", (1, 2))):
        if flag in table.column_names:
            cells = tuple(_codes([key[axis] for key in values])[1] for axis in axes)
            arguments[flag][cells] = table.column(flag).to_numpy()
    return arguments


def known_measures(measures: Sequence[Measure], names: Sequence[str]) -> list[Measure]:
    """The measures that are called so, by our spelling or by theirs; all where no name is given."""
    if not names:
        return list(measures)
    known = {str(measure): measure for measure in measures}
    chosen = []
    for name in names:
        spelled = name if name in known else str(measure_of_values(name))
        if spelled not in known:
            raise InputError(f"no scores of {name}{nearest(name, known)}; accepted: {', '.join(known)}")
        chosen.append(known[spelled])
    return list(dict.fromkeys(chosen))


class _Spellings(dict[str, str]):
    """Our spelling of each name of a measure, looked up once for all the lines that have it."""

    def __missing__(self, name: str) -> str:
        self[name] = str(measure_of_values(name))
        return self[name]


def _lines(given: str) -> Iterator[Line]:
    """Where each value stands, whose it is, and its text."""
    path, measure = given, ""
    if not os.path.exists(given) and "=" in given:
        measure, _, path = given.rpartition("=")
    if path.lower().endswith(".parquet"):
        return _of_parquet(path)
    place = name_place(path)
    try:
        text = bytes(read_bytes(path)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; --scores takes parquet, tsv, csv, jsonl or trec_eval -q") from None
    lines = [(f"{place}:{number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(f"{place}: is empty; --scores takes parquet, tsv, csv, jsonl or trec_eval -q")
    first = lines[0][1]
    if first.lstrip().startswith("{"):
        return _of_json(lines)
    if set(FIELDS) <= set(first.split("\t")):
        return _of_table(lines, [line.split("\t") for _, line in lines])
    if "," in first:
        rows = list(csv.reader(line for _, line in lines))
        if set(FIELDS) <= set(rows[0]):
            return _of_table(lines, rows)
        stem = os.path.basename(path).split(".csv")[0]
        return _of_matrix(place, lines, rows, measure or stem)
    return _of_trec_eval(place, lines)


def _of_parquet(path: str) -> Iterator[Line]:
    held = read_scores(path)
    runs, topics, measures = held["runs"], held["topics"], list(map(str, held["measures"]))
    credited = np.where(held["vacant"], 1.0, held["values"]) if held["empty"] == "one" else held["values"]
    if held["empty"] == "skip" and held["vacant"].any():
        raise InputError(f"{path}: leaves empty topics out, which other files cannot say; read it alone")
    for run, topic in np.argwhere(held["present"]).tolist():
        for measure, value in zip(measures, credited[run, topic].tolist(), strict=True):
            yield path, (runs[run], topics[topic], measure), value


def _of_table(lines: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    """One value a line under the names of the fields; lines of all topics are left out."""
    run, topic, measure, value = (rows[0].index(field) for field in FIELDS)
    for (place, _), row in zip(lines[1:], rows[1:], strict=True):
        if len(row) != len(rows[0]):
            raise InputError(f"{place}: has {len(row)} fields, not the {len(rows[0])} of the first line")
        if row[topic] != "all":
            yield place, (row[run], row[topic], row[measure]), row[value]


def _of_json(lines: Sequence[tuple[str, str]]) -> Iterator[Line]:
    for place, line in lines:
        try:
            record = json.loads(line)
            run, topic, measure, value = (record[field] for field in FIELDS)
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{place}: is not a JSON object with {', '.join(FIELDS)}") from None
        if topic != "all":
            yield place, (str(run), str(topic), str(measure)), value


def _of_matrix(
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


def _of_trec_eval(place: str, lines: Sequence[tuple[str, str]]) -> Iterator[Line]:
    """measure, topic, value; the line ``runid all NAME`` stands behind the topics of its run, or (ours) before."""
    held: list[tuple[str, str, str, str]] = []
    run = before = None
    topics = False
    for where, line in lines:
        parts = line.split(None, 2) if line.startswith("runid") else line.split()
        if len(parts) != 3:
            meant = {4: "; judgments, it seems", 6: "; a run, it seems"}.get(len(parts), "")
            raise InputError(f"{where}: has {len(parts)} columns{meant}; trec_eval -q prints measure, topic, value")
        measure, topic, value = parts
        if measure == "runid":
            if held:
                run = value
                yield from _named(held, run)
                held = []
            before = value.strip()
        elif topic != "all":
            topics = True
            held.append((where, measure, topic, value))
            if before is not None and run is None:  # ours: the name came first
                yield from _named(held, before)
                held = []
    if not topics:
        raise InputError(f"{place}: has no values of single topics; take trec_eval -q, or gradeval evaluate -q")
    yield from _named(held, before or os.path.basename(place))


def _named(held: Sequence[tuple[str, str, str, str]], run: str) -> Iterator[Line]:
    for where, measure, topic, value in held:
        yield where, (run.strip(), topic, measure), value


def _number(place: str, text: str | float) -> float:
    try:
        number = float(text)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{place}: value {str(text).strip()!r} is not a finite number")
    return number


def _arguments(values: Mapping[Key, float], place: str) -> dict[str, Any]:
    (runs, run), (topics, topic), (measures, measure) = (_codes([key[axis] for key in values]) for axis in range(3))
    dense = np.full((len(runs), len(topics), len(measures)), np.nan)
    dense[run, topic, measure] = list(values.values())
    there = np.isfinite(dense)
    partly = there.any(-1) & ~there.all(-1)
    if partly.any():
        first, second = np.argwhere(partly)[0]
        lacks = measures[int(there[first, second].argmin())]
        raise InputError(
            f"{place}: run {runs[first]!r} has no {lacks} for topic {topics[second]!r}, though it has other measures; "
            "give every measure for the same runs and topics"
        )
    return {
        "values": np.where(there, dense, 0.0),
        "present": there.all(-1),
        "vacant": np.zeros((len(topics), len(measures)), bool),
        "runs": runs,
        "topics": topics,
        "measures": [measure_of_values(name) for name in measures],
    }


def _codes(names: Sequence[str]) -> tuple[list[str], list[int]]:
    """The different names in their order, and which of them each one is."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return list(places), [places[name] for name in names]
