"""Scores as a table: the means of every run, optionally with the values of every topic, as grid and as records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradeval.files.plain_text import write_number
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.scores.coverage import COUNTS, Judging
from gradeval.tables.grid import Cell, Column, Estimate, Grid, places_of_best
from gradeval.tables.records import Coded, Field, Records

ALL = "all"
"""The name of the topic in the rows of means."""
AS_OFTEN = "as_often"
"""The column of ``Scores.as_often`` in saved scores."""
QUESTIONS = "questions"
"""The field of their metadata that asks, by run, whether most of its judged documents have other ids."""
NO_MEAN = "-"
"""What stands in the cell of a mean that a table of means alone lacks."""


def means_grid(
    runs: Sequence[str],
    measures: Sequence[Measure],
    means: Array,
    bounds: Array | None,
    shares: Mapping[str, Array],
    digits: int,
    above: Sequence[Sequence[Cell]] | None = None,
) -> Grid:
    """The means[run, measure] with their bounds[run, measure, 2], the best of each measure marked.

    ``shares``: further columns, float64[run] by their titles. ``above``: rows of single topics, which stand above the
    means (see ``topic_rows``).
    """
    columns = [Column(str(measure), spec=f".{decimals(measure, digits)}f") for measure in measures]
    beside = [Column(title, spec=".1%") for title in shares]
    names = [Column("run", "name"), *([Column("topic", "name")] if above is not None else [])]
    topics = above or []
    rows = [
        [*name, *_with_bounds(means, bounds, place), *(float(share[place]) for share in shares.values())]
        for place, name in enumerate([run] if above is None else [run, ALL] for run in runs)
    ]
    best = {
        (len(topics) + place, len(names) + number)
        for number, (measure, column) in enumerate(zip(measures, columns, strict=True))
        if _more_is_better(measure)
        for place in _best(column, means[:, number])
    }
    blank: list[Cell] = [None] * len(beside)
    return Grid(
        [*names, *columns, *beside],
        [*([*row, *blank] for row in topics), *rows],
        best=frozenset(best),
        ruled=len(topics) or None,
    )


def captioned(grid: Grid, topics: str, ends: str, by_topic: bool) -> Grid:
    """The grid of means, captioned for a reader who sees nothing else; ``topics``: over how many; empty: not known.
    ``ends``: what stands in brackets."""
    values = "Values by topic, and means" if by_topic else "Means"
    return grid.described(f"{values} over {topics}" if topics else f"{values} as given", ends)


def name_ends(grid: Grid) -> Grid:
    """The table, the heads of columns with residuals saying what stands in brackets: the lowest and highest value."""
    with_ends = {place for row in grid.rows for place, cell in enumerate(row) if getattr(cell, "bounds", None)}
    heads = enumerate(grid.columns)
    columns = [one._replace(title=f"{one.title} [low, high]") if place in with_ends else one for place, one in heads]
    return replace(grid, columns=columns)


def topic_rows(
    runs: Sequence[str], topics: Sequence[str], values: Array, counted: Array, ends: Array | None = None
) -> list[list[Cell]]:
    """One row a run and topic of values[run, topic, measure], with their ends[run, topic, measure, 2]; a value that
    does not count is left blank."""
    names = [[run, topic] for run in runs for topic in topics]
    width = values.shape[-1]
    cells = np.where(counted, values, np.array(None)).reshape(-1, width)
    if ends is None:
        return [[*name, *row] for name, row in zip(names, cells.tolist(), strict=True)]
    beside = ends.reshape(-1, width, 2)
    rows = [
        [None if value is None else Estimate(value, bounds=bounds_at(beside, row, at)) for at, value in enumerate(line)]
        for row, line in enumerate(cells.tolist())
    ]
    return [[*name, *row] for name, row in zip(names, rows, strict=True)]


def score_records(
    runs: Sequence[str],
    topics: Sequence[str],
    measures: Sequence[Measure],
    means: Array,
    bounds: Array | None,
    values: Array,
    counted: Array,
    ends: Array | None = None,
    seeds: int = 0,
) -> Records:
    """One record a run, topic and measure of values[run, topic, measure] that counts, then the means of all topics.

    ``bounds`` of the means [run, measure, 2], ``ends`` of the values [run, topic, measure, 2]; NaN: there are
    none, as of a mean that is lacking.
    """
    here = np.nonzero(counted)
    known = ~np.isnan(means)
    run, measure = np.nonzero(known)
    every = np.full(len(run), len(topics))
    codes = [np.concatenate(pair) for pair in zip(here, (run, every, measure), strict=True)]
    names = [runs, [*topics, ALL], [str(each) for each in measures]]
    fields: dict[str, Field] = {
        field: Coded(axis, code) for field, axis, code in zip(("run", "topic", "measure"), names, codes, strict=True)
    }
    fields["value"] = np.concatenate([values[here], means[known]])
    if bounds is not None:
        for end, field in enumerate(("low", "high")):
            of_topics = [math.nan] * len(here[0]) if ends is None else ends[..., end][here].tolist()
            both = [*of_topics, *bounds[..., end][known].tolist()]
            fields[field] = [None if math.isnan(value) else value for value in both]
    return Records(fields | _seeds_of(len(fields["value"]), seeds))


def _seeds_of(rows: int, seeds: int) -> dict[str, Field]:
    """The field that says with how many seeds rankers were trained; none where that is not known."""
    return {"seeds": np.full(rows, seeds)} if seeds else {}


def exact_records(
    axes: Mapping[str, Sequence[str]],
    values: Array,
    present: Array,
    vacant: Array,
    levels: Levels | None,
    metadata: Mapping[str, Any],
    residuals: Array | None = None,
    seeds: int = 0,
) -> Records:
    """Every value[run, topic, measure] with present[run, topic], vacant[topic, measure] and the levels, a record each.

    ``axes``: the names along each axis, by the axis' own, which the metadata get, too.
    """
    codes = np.indices(values.shape).reshape(3, -1)
    fields: dict[str, Field] = {
        axis: Coded(list(names), code) for (axis, names), code in zip(axes.items(), codes, strict=True)
    }
    fields["value"] = values.ravel()
    fields["present"] = np.broadcast_to(present[:, :, None], values.shape).ravel()
    fields["vacant"] = np.broadcast_to(vacant[None], values.shape).ravel()
    if residuals is not None:
        for end, field in enumerate(("low", "high")):
            fields[field] = [None if math.isnan(value) else value for value in residuals[..., end].ravel().tolist()]
    if levels is not None:
        fields["levels"] = Coded([",".join(map(write_number, levels))], np.zeros(values.size, np.intp))
    fields |= _seeds_of(values.size, seeds)
    return Records(fields, {**metadata, **{f"{axis}s": list(names) for axis, names in axes.items()}})


def judging_columns(values: Array, judging: Judging | None, as_often: Array | None) -> dict[str, Field]:
    """What is known of the judging of each value[run, topic, measure]: its own, or of its run and topic."""
    counts = {} if judging is None else {name: getattr(judging, name) for name in COUNTS}
    known = {name: np.broadcast_to(of[:, :, None], values.shape) for name, of in counts.items() if of is not None}
    known |= {} if as_often is None else {AS_OFTEN: as_often}
    return {name: of.ravel() for name, of in known.items()}


def nested_values(
    topics: Sequence[str], names: Sequence[str], values: Sequence[Sequence[float]], counted: Sequence[Sequence[bool]]
) -> dict[str, dict[str, float]]:
    """``{topic: {name: value}}`` of the values that count; a topic without any is left out."""
    return {
        topic: {name: value for name, value, counts in zip(names, row, there, strict=True) if counts}
        for topic, row, there in zip(topics, values, counted, strict=True)
        if any(there)
    }


def decimals(measure: Measure, digits: int) -> int:
    """Decimals with which a measure is shown: counts are whole."""
    return 0 if measure.definition.aggregate == "sum" else digits


def bounds_at(bounds: Array | None, run: int, measure: int) -> tuple[float, float] | None:
    """The ends of an interval of bounds[run, measure, 2]; None where there is none."""
    if bounds is None or np.isnan(bounds[run, measure, 0]):
        return None
    low, high = bounds[run, measure].tolist()
    return low, high


def _with_bounds(means: Array, bounds: Array | None, run: int) -> list[Cell]:
    values = means[run].tolist()
    if bounds is None:
        return [NO_MEAN if math.isnan(value) else value for value in values]
    return [Estimate(value, bounds=bounds_at(bounds, run, measure)) for measure, value in enumerate(values)]


def _more_is_better(measure: Measure) -> bool:
    """Is a higher value better? Not for counts, nor for measures that are no score."""
    definition = measure.definition
    return definition.aggregate != "sum" and not (definition.base is None and "ideal" in definition.exempt)


def _best(column: Column, means: Array) -> list[int]:
    """Rows whose value, as it is written, is the highest of the column."""
    texts = [column.write(mean) for mean in means.tolist()]
    return [] if np.isnan(means).all() else places_of_best(texts, texts[int(np.nanargmax(means))])
