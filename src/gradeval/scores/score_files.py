"""Scores that were computed elsewhere, or saved: from files and from frames."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments, read_decimal
from gradeval.collection.meeting import Ties
from gradeval.files.frames import arrow_table, read_ids, require_frame_columns
from gradeval.files.run_files import list_run_files
from gradeval.formula.definition import Measure, values_only
from gradeval.formula.spelling import measure_of_values
from gradeval.scores.merging import require_same_ties
from gradeval.scores.saved_scores import read_saved_scores
from gradeval.scores.score_lines import FIELDS, Key, Line, from_source, read_score_lines
from gradeval.scores.scores import Empty, Missing, Scores

TEXT_MEASURES = ("relstring", "runid")
"""What trec_eval prints as measures, though its values are text."""


Files: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]


@known_arguments()
def read_scores(*files: Files, missing: Missing = "zero", empty: Empty = "zero") -> Scores:
    """Scores from one or several files, as ``Scores.save``, ``gradeval evaluate -q`` and ``trec_eval -q`` write them.

    A .parquet file that ``save`` wrote, read alone, gives the same scores back (without coverage), ``missing`` and
    ``empty`` too. The measure of a csv of topics x systems goes by the name of the file, or write ``MEASURE=FILE``.
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
    """What ``read_scores`` gives, and the text measures whose values were left out."""
    paths = list(list_score_files(files))
    if len(paths) == 1 and _is_parquet(paths[0]) and not _split(paths[0])[1]:
        return read_saved_scores(paths[0]), []
    values: dict[Key, float] = {}
    text_measures: dict[str, None] = {}
    ties = _common_ties(paths)
    for path in paths:
        for place, (run, topic, measure), text in _read_lines(path):
            if measure.rpartition(":")[2] in TEXT_MEASURES:
                text_measures[measure] = None
                continue
            _add(values, (run, topic, measure), place, text)
    if not values:
        raise InputError(
            f"{', '.join(paths)}: has no values of single topics, only means or nothing; "
            "write those of topics, too: gradeval evaluate -q"
        )
    return replace(_fill_scores(values, ", ".join(paths), missing, empty), ties=ties), list(text_measures)


def list_score_files(given: object) -> Iterator[str]:
    """Every file, with what stands before its =, of places, lists of them, folders and patterns."""
    if isinstance(given, str | PathLike):
        path, name = _split(str(os.fspath(given)))
        yield from (f"{name}={file}" if name else file for file in list_run_files([path]))
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
        raise InputError(f"{', '.join(saved)}: {error}") from None
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


def _read_lines(source: str) -> Iterator[Line]:
    """The values of ``FILE``, ``MEASURE=FILE`` (a csv of topics x systems) or ``SOURCE=FILE``."""
    path, name = _split(source)
    if not _is_parquet(path):
        return read_score_lines(path, name)
    return from_source(_read_saved_lines(path), name) if name else _read_saved_lines(path)


def _read_saved_lines(path: str) -> Iterator[Line]:
    scores = read_saved_scores(path)
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
