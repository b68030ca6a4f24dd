"""Scores that were computed elsewhere, or saved, from files and frames."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments, read_decimal
from gradeval.atomic_files import Path
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Identity
from gradeval.files.folders import list_files
from gradeval.files.frames import arrow_table, read_ids, read_parquet, require_frame_columns
from gradeval.files.seal import is_whole
from gradeval.files.source import name_place, read_bytes
from gradeval.formula.definition import Measure, values_only
from gradeval.formula.spelling import measure_of_values
from gradeval.scores.leaderboards import About, read_leaderboard, split_leaderboard
from gradeval.scores.nugget_scores import has_nuggets, read_nugget_scores
from gradeval.scores.score_table import VALUES, digest_of_values
from gradeval.scores.scores import FORMAT, Empty, Missing, Scores, require_same_ties
from gradeval.tables.arrow import KEY

if TYPE_CHECKING:
    import pyarrow

TEXT_MEASURES = ("relstring", "runid")
"""What trec_eval prints as measures, though its values are text."""


Files: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]


@known_arguments()
def read_scores(*files: Files, missing: Missing = "zero", empty: Empty = "zero") -> Scores:
    """Scores from one or several files, as ``Scores.save``, ``gradeval evaluate -q`` and ``trec_eval -q`` write them.

    A .parquet file that ``save`` wrote, read alone, gives the same scores back (without coverage), ``missing`` and
    ``empty`` too. The measure of a csv of topics x systems goes by the name of the file, or write ``MEASURE=FILE``.
    So does that of a leaderboard: csv, tsv or Markdown with the columns model, taskA, taskB ..., or task, modelA,
    modelB ...; models are its runs, tasks its topics; averages, ranks and columns of text are left out. A
    task counts where all runs have a value, unless ``missing="skip"`` leaves out that of one run alone.
    JSONL of AutoNuggetizer, nuggets with what an answer says of them or their scores, gives its four scores.
    Of any other file ``SOURCE=FILE`` puts the source before its measures, so that one measure may come from several:
    ``human=a.tsv`` and ``model=b.tsv`` give human:AP and model:AP. Text measures of trec_eval (relstring, runid) are
    left out.
    Several files, also as a list, a folder or a pattern such as ``eval/*.txt``, are put together: other runs, other
    topics, other measures. A run that has no value at all for a topic misses it. A measure that gradeval does not know
    keeps its name and its values, but cannot be computed. Two names of one measure, such as trec_eval's Rprec and
    Rprec_mult_1.00, are one where all their values agree; where they do not, both stay, each by its own name.

    Raises
    ------
    InputError : a file that is none of these, a value that is no number or is given twice by one name, a run that has
        values of some measures for a topic but not of others.
    """
    return open_scores(*files, missing=missing, empty=empty)[0]


def open_scores(*files: Files, missing: Missing = "zero", empty: Empty = "zero") -> tuple[Scores, list[str]]:
    """What ``read_scores`` gives, and sentences about what was left out."""
    paths = list(list_score_files(files))
    if len(paths) == 1 and _is_parquet(paths[0]) and not _split(paths[0])[1]:
        return read_saved_scores(paths[0]), []
    values: dict[Key, float] = {}
    text_measures: dict[str, None] = {}
    ties = _common_ties(paths)
    about = About()
    for path in paths:
        for place, (run, topic, measure), text in _read_lines(path, about):
            if measure.rpartition(":")[2] in TEXT_MEASURES:
                text_measures[measure] = None
                continue
            _add(values, (run, topic, measure), place, text)
    if not values:
        raise InputError(
            f"{', '.join(paths)}: has no values of single topics, only means or nothing; "
            "write those of topics, too: gradeval evaluate -q"
        )
    if text_measures:
        about.notes.append(f"left out, as the values are text: {', '.join(text_measures)}")
    scores = _fill_scores(values, ", ".join(paths), missing, empty)
    return replace(scores, ties=ties, unit="tasks" if about.tasks else "topics"), about.notes


def list_score_files(given: object) -> Iterator[str]:
    """Every file, with what stands before its =, of places, lists of them, folders and patterns."""
    if isinstance(given, str | PathLike):
        path, name = _split(str(os.fspath(given)))
        yield from (f"{name}={file}" if name else file for file in list_files([path]))
    elif isinstance(given, Iterable):
        for one in given:
            yield from list_score_files(one)
    else:
        raise InputError(f"read_scores() got {given!r:.80}; accepted are files, folders, patterns as eval/*.txt")


def _common_ties(paths: Sequence[str]) -> Ties | None:
    """How all .parquet files treat ties, None where none says it; an error where they differ, unless their sources tell
    their measures apart."""
    saved = {path: read_saved_scores(_split(path)[0]) for path in paths if _is_parquet(_split(path)[0])}
    if len(saved) < 2:
        return next((scores.ties for scores in saved.values()), None)
    known = {scores.ties for scores in saved.values()}
    if all(_split(path)[1] for path in saved):
        return known.pop() if len(known) == 1 else None
    try:
        require_same_ties(saved.values())
    except InputError as error:
        raise error.within(", ".join(saved)) from None
    return next((ties for ties in known if ties is not None), None)


@known_arguments()
def scores_from_frame(frame: Any, *, missing: Missing = "zero", empty: Empty = "zero") -> Scores:
    """Scores from a table with the columns run, topic, measure, value (and present, vacant), as ``to_frame`` gives.

    Anything that speaks Arrow (pandas, Polars, DuckDB), or a dict of columns; a run without any value for a topic
    misses it. The index of a frame of pandas is a column where it is called so.
    """
    table = arrow_table(frame, "frame")
    lacking = [field for field in FIELDS if field not in table.column_names]
    if lacking:
        raise InputError(f"frame: has no column {lacking[0]!r}; scores have {', '.join(FIELDS)}")
    values: dict[Key, float] = {}
    there = [*FIELDS, *(field for field in ("present", "vacant") if field in table.column_names)]
    columns = require_frame_columns(table, there, "frame", "name each column once")
    names = [read_ids(columns[field], field, "frame") for field in FIELDS[:3]]
    for row, (run, topic, measure, value) in enumerate(zip(*names, columns[FIELDS[3]].to_pylist(), strict=True)):
        _add(values, (run, topic, measure), f"frame row {row}", value)
    scores = _fill_scores(values, "frame", missing, empty)
    spelled = _spell_measures(values)
    keys = [(run, topic, str(spelled[name])) for run, topic, name in values]
    cells = [_number_names([key[axis] for key in keys])[1] for axis in range(3)]
    for flags, field, axes in ((scores.present, "present", (0, 1)), (scores.vacant, "vacant", (1, 2))):
        if field in columns:
            flags[tuple(cells[axis] for axis in axes)] = columns[field].to_numpy()
    return scores


def _add(values: dict[Key, float], key: Key, place: str, value: Any) -> None:
    if key in values:
        run, topic, measure = key
        raise InputError(f"{place}: {measure} of run {run!r} for topic {topic!r} is given twice")
    values[key] = _number(place, value)


def _spell_measures(values: Mapping[Key, float]) -> dict[str, Measure]:
    """The measure of each name. Two names of one measure, as Rprec and Rprec_mult_1.00, are one where their values
    agree; else the other name stays beside it, with values only."""
    by_spelling: dict[str, list[str]] = {}
    measures: dict[str, Measure] = {}
    for name in dict.fromkeys(key[2] for key in values):
        measures[name] = measure_of_values(name)
        by_spelling.setdefault(str(measures[name]), []).append(name)
    for spelling, names in by_spelling.items():
        first, *others = sorted(names, key=lambda name: name != spelling)
        for name in others:
            ours = ((key, value) for key, value in values.items() if key[2] == name)
            if any(values.get((run, topic, first), value) != value for (run, topic, _), value in ours):
                measures[name] = values_only(name, measures[first].definition.aggregate)
    return measures


def _is_parquet(path: str) -> bool:
    return path.lower().endswith(".parquet")


def _split(source: str) -> tuple[str, str]:
    """The file of ``FILE`` or ``NAME=FILE``, and the name."""
    if os.path.exists(source) or "=" not in source:
        return source, ""
    name, _, path = source.rpartition("=")
    return path, name


def _read_lines(source: str, about: About) -> Iterator[Line]:
    """The values of ``FILE``, ``MEASURE=FILE`` (a csv of topics x systems) or ``SOURCE=FILE``; ``about`` gets sentences
    about what is left out."""
    path, name = _split(source)
    if not _is_parquet(path):
        return read_score_lines(path, name, about)
    lines = _read_saved_lines(path, about)
    return from_source(lines, name) if name else lines


def _read_saved_lines(path: str, about: About) -> Iterator[Line]:
    scores = read_saved_scores(path)
    about.tasks |= scores.unit == "tasks"
    if scores.empty == "skip" and scores.vacant.any():
        raise InputError(f"{path}: leaves empty topics out, which other files cannot say; read it alone")
    measures, credited = list(map(str, scores.measures)), scores.credited
    for run, topic in np.argwhere(scores.present).tolist():
        for measure, value in zip(measures, credited[run, topic].tolist(), strict=True):
            yield path, (scores.runs[run], scores.topics[topic], measure), value


def _number(place: str, text: str | float) -> float:
    try:
        number = read_decimal(text) if isinstance(text, str) else math.nan if isinstance(text, bool) else float(text)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{place}: value {str(text).strip()!r} is not a finite number")
    return number


def _fill_scores(values: Mapping[Key, float], place: str, missing: Missing, empty: Empty) -> Scores:
    """Scores as dense arrays; a run without any value for a topic misses it."""
    (runs, run), (topics, topic) = (_number_names([key[axis] for key in values]) for axis in range(2))
    spelled = _spell_measures(values)
    measures, measure = _number_names([str(spelled[key[2]]) for key in values])
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
    return Scores(
        values=np.where(there, dense, 0.0),
        present=there.all(-1),
        vacant=np.zeros((len(topics), len(measures)), bool),
        runs=runs,
        topics=topics,
        measures=list(dict.fromkeys(spelled.values())),
        missing=missing,
        empty=empty,
    )


def _number_names(names: Sequence[str]) -> tuple[list[str], list[int]]:
    """The distinct names in order of appearance, and the index of each name among them."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return list(places), [places[name] for name in names]


Key: TypeAlias = tuple[str, str, str]
"""Run, topic, measure."""
Line: TypeAlias = tuple[str, Key, str | float]
"""The place of a value (file and line), its key, and its text."""
FIELDS = ("run", "topic", "measure", "value")


def read_score_lines(path: str, name: str, about: About) -> Iterator[Line]:
    """The values of single topics in a text file.

    ``name``: the measure of a csv of topics x systems or of a leaderboard; of any other file the source, put before its
    measures. ``about`` gets sentences about what is left out.
    """
    place = name_place(path)
    try:
        text = bytes(read_bytes(path)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; --scores takes parquet, tsv, csv, jsonl or trec_eval -q") from None
    lines = [(f"{place}:{number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(f"{place}: is empty; --scores takes parquet, tsv, csv, jsonl or trec_eval -q")
    if not set(FIELDS) <= set(re.split(r"[,\t]", lines[0][1])) and (board := split_leaderboard(lines)):
        stem = os.path.splitext(os.path.basename(path))[0]
        return read_leaderboard(place, lines, board, name or stem, about)
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
        return _read_json(lines, os.path.splitext(os.path.basename(place))[0])
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


def _read_json(lines: Sequence[tuple[str, str]], run_of_file: str) -> Iterator[Line]:
    for place, line in lines:
        try:
            record = json.loads(line)
            if has_nuggets(record):
                yield from ((place, key, value) for key, value in read_nugget_scores(record, run_of_file, place))
                continue
            run, topic, measure, value = (record[field] for field in FIELDS)
        except InputError:
            raise
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


AXES = ("run", "topic", "measure")


def read_saved_scores(path: Path) -> Scores:
    """The scores in a Parquet file, as they were (without coverage).

    A file that is not Parquet, was not written by gradeval, lacks rows or does not match its seal is an InputError.
    """
    place = name_place(path)
    table = read_parquet(path, remedy="name a file written by save()")
    described = _read_description(table, place)
    try:
        axes: list[list[str]] = [described[axis] for axis in ("runs", "topics", "measures")]
        row = _rows(table, axes)
        values = table.column("value").to_numpy()[row]
        present = table.column("present").to_numpy()[row][:, :, 0]
        vacant = table.column("vacant").to_numpy()[row][0]
        if digest_of_values(values, present, vacant) != described[VALUES]:
            raise InputError("the values are not those that were written; write them again with save()")
        return Scores(
            values=values,
            present=present,
            vacant=vacant,
            runs=axes[0],
            topics=axes[1],
            measures=_spell(axes[2]),
            missing=described["missing"],
            empty=described["empty"],
            unit=described.get("unit", "topics"),
            ties=described.get("ties"),
            collection=None if (digest := described.get("collection")) is None else Identity.from_digest(digest),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{place}: these scores are incomplete ({error}); write them again with save()") from error
    except InputError as error:
        raise error.within(place) from error


def _spell(names: list[str]) -> list[Measure]:
    """The measures of these names; a name of one that also stands there by our own name keeps its values only."""
    measures = {name: measure_of_values(name) for name in names}
    return [
        values_only(name) if name != str(measure) and str(measure) in measures else measure
        for name, measure in measures.items()
    ]


def _read_description(table: pyarrow.Table, place: str) -> Mapping[str, Any]:
    """The description of the scores in the metadata of the schema."""
    described: Any = None
    with suppress(KeyError, ValueError):
        described = json.loads((table.schema.metadata or {})[KEY])
    if not isinstance(described, dict):
        raise InputError(f"{place}: is a Parquet file, but not one of scores; name a file written by save()")
    if described.get("format") != FORMAT:
        remedy = "save them again" if described.get("format") == 1 else "update gradeval"
        raise InputError(
            f"{place}: was written by gradeval {described.get('gradeval')} in its format "
            f"{described.get('format')}, this version reads format {FORMAT}; {remedy}"
        )
    if not is_whole(described):
        raise InputError(f"{place}: changed since it was written; write the scores again with save()")
    return described


def _rows(table: pyarrow.Table, axes: list[list[str]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """int64[run, topic, measure]: the row of each value; the rows may be in any order."""
    import pyarrow.compute

    shape = tuple(map(len, axes))
    places = []
    for axis, names in zip(AXES, axes, strict=True):
        column = table.column(axis).cast(pyarrow.string())
        place = pyarrow.compute.index_in(column, value_set=pyarrow.array(names, pyarrow.string()))
        places.append(place.fill_null(-1).to_numpy())
    cells = np.array(places).reshape(3, -1)
    if cells.shape[1] != np.prod(shape) or (cells < 0).any():
        raise InputError(
            f"has {len(table)} rows that fit, not one for each of {shape[0]} runs x {shape[1]} topics x "
            f"{shape[2]} measures; name a file as save() wrote it"
        )
    flat = np.ravel_multi_index(tuple(cells), shape)
    rows = np.full(np.prod(shape), -1)
    rows[flat] = np.arange(len(flat))
    if (rows < 0).any():
        raise InputError("has some of its rows twice; name a file as save() wrote it")
    return rows.reshape(shape)
