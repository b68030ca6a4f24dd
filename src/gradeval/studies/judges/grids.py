"""The tables of a comparison of judges: labels, orders of the runs, significant differences, grades, favoured runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.studies.judges.consequences import Consequences
from gradeval.studies.judges.labels import Labels
from gradeval.studies.judges.shift import Favours
from gradeval.tables.grid import Cell, Column, Estimate, Grid

FEW = 4
"""Judges whose grades are shown one by one."""
FAVOURED = 20
"""Favoured runs that are shown, at most."""
NONE = "-"

Results = Mapping[str, Sequence[Consequences]]


def judge_grids(
    levels: Levels, labels: Mapping[str, Labels], measures: Sequence[Measure], results: Results, digits: int
) -> list[Grid]:
    """The tables for people; those with nothing in them are left out.

    The grades of more than ``FEW`` judges, and more than ``FAVOURED`` favoured runs, stand in the records only.
    """
    grids = [_labels(labels, digits)]
    if results:
        grids += [_orders(measures, results, digits), _conclusions(measures, results, digits)]
    if len(labels) <= FEW:
        grids.append(_grades(levels, labels, measures, results, digits))
    return [*grids, *_favours(measures, results, digits)]


def _labels(labels: Mapping[str, Labels], digits: int) -> Grid:
    columns = [Column("judge", "name")]
    columns += [
        Column(title, spec=",d") for title in ("topics", "pairs of both", "of humans only", "of the judge only")
    ]
    columns += [Column("kappa", spec=f".{digits}f"), Column("alpha", spec=f".{digits}f")]
    columns.append(Column("judge - human", spec=f"+.{digits}f"))
    rows: list[list[Cell]] = [
        [judge, one.topics, one.pairs, one.human_only, one.judge_only, _cell(one.kappa), _cell(one.alpha), one.bias]
        for judge, one in labels.items()
    ]
    return Grid(columns, rows, title="labels")


def _orders(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    plain, signed = f".{digits}f", f"+.{digits}f"
    columns = [
        Column("judge", "name"),
        Column("measure", "name"),
        Column("tau with humans", spec=plain),
        Column("tau of shuffled grades", spec=plain),
        Column("tau of equal grades", spec=plain),
        Column("skill", spec=plain),
        Column("shift of the means", spec=signed),
        Column("their slope", spec=plain),
    ]
    rows: list[list[Cell]] = []
    for judge, measure, one in _each(measures, results):
        floor = one.orders.floor and replace(one.orders.floor, bounds=None)
        level = None if one.shift is None else Estimate(one.shift.level, bounds=one.shift.interval)
        slope = None if one.shift is None else one.shift.slope
        cells = (one.orders.tau, floor, one.orders.constant, one.orders.skill, level, slope)
        rows.append([judge, str(measure), *map(_cell, cells)])
    return Grid(columns, rows, title="order of the runs")


def _conclusions(measures: Sequence[Measure], results: Results, digits: int) -> Grid:
    columns = [Column("judge", "name"), Column("measure", "name")]
    titles = ("significant for humans", "kept", "reversed", "missed", "not confirmed")
    columns += [Column(title, spec=",d") for title in titles]
    columns += [Column("pool ranked by the judge", spec=f".{digits}f"), Column("runs above it", spec="d")]
    rows: list[list[Cell]] = []
    for judge, measure, one in _each(measures, results):
        counts = one.conclusions
        numbers = (counts.human, counts.kept, counts.reversed, counts.missed, counts.not_confirmed)
        rows.append([judge, str(measure), *numbers, one.ceiling.mean, len(one.ceiling.above)])
    return Grid(columns, rows, title="significant differences between runs, and what the judge can still tell apart")


def _grades(
    levels: Levels, labels: Mapping[str, Labels], measures: Sequence[Measure], results: Results, digits: int
) -> Grid:
    """What each judge says of the documents of each human grade, and what these are then worth."""
    weighing = [place for place in range(len(measures)) if any(one[place].worth for one in results.values())]
    columns = [Column("judge", "name"), Column("human grade", "name")]
    columns += [Column(f"judged {level:g}", spec=",d") for level in levels]
    columns.append(Column("judge - human", spec=f"+.{digits}f"))
    columns += [Column(f"worth for {measures[place]}", spec=f".{digits}f") for place in weighing]
    rows: list[list[Cell]] = []
    for judge, one in labels.items():
        for number, level in enumerate(levels):
            worths = [results[judge][place].worth for place in weighing]
            values = [None if worth is None else float(worth.value[number]) for worth in worths]
            row = one.confusion[number].tolist()
            rows.append([judge, f"{level:g}", *row, *map(_cell, [one.bias_by_grade[number], *values])])
    return Grid(columns, rows, title="grades")


def _favours(measures: Sequence[Measure], results: Results, digits: int) -> Iterator[Grid]:
    """The groups of runs, and the runs that gain significantly more or less than the line of all explains."""
    for what, title in (
        ("group", "groups of runs, against the others"),
        ("run", "runs that a judge favours, or the opposite"),
    ):
        columns = [Column("judge", "name"), Column("measure", "name"), Column(what, "name")]
        columns += [Column("gains beyond the line", spec=f"+.{digits}f"), Column("p (holm)", spec=".4f")]
        rows: list[list[Cell]] = []
        for judge, measure, one in _each(measures, results):
            favours = one.shift and (one.shift.runs if what == "run" else one.shift.groups)
            if favours:
                only = favours.significant if what == "run" else np.ones(len(favours.names), bool)
                rows += [[judge, str(measure), *cells] for cells in _rows_of(favours, only)]
        if len(rows) > 0 and (what == "group" or len(rows) <= FAVOURED):
            yield Grid(columns, rows, title=title)


def _rows_of(favours: Favours, only: np.ndarray) -> Iterator[list[Cell]]:
    for place in np.flatnonzero(only).tolist():
        low, high = favours.interval[place].tolist()
        mark = "*" if favours.significant[place] else ""
        yield [favours.names[place], Estimate(float(favours.value[place]), mark, (low, high)), float(favours.p[place])]


def _each(measures: Sequence[Measure], results: Results) -> Iterator[tuple[str, Measure, Consequences]]:
    for judge, by_measure in results.items():
        for measure, one in zip(measures, by_measure, strict=True):
            yield judge, measure, one


def _cell(value: Estimate | float | None) -> Cell:
    """A dash for what is undefined."""
    undefined = value is None or (isinstance(value, float) and np.isnan(value))
    return NONE if undefined else value
