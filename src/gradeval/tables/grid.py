"""A table of texts, one row a run: what the formats for people share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval.tables.result import Result


@dataclass(frozen=True)
class Grid:
    """Titles and rows of texts.

    Attributes
    ----------
    head : titles of the columns.
    rows : the cells, row after row.
    names : how many columns at the left hold names; the others hold numbers.
    best : (row, column) of the cells that hold the best value of their column.
    ruled : rows below which a line is drawn.
    """

    head: list[str]
    rows: list[list[str]]
    names: int = 1
    best: frozenset[tuple[int, int]] = frozenset()
    ruled: int | None = None


def grid(result: Result) -> Grid:
    """A result as a table: the means of every run, below the values of its topics where they are shown."""
    scores = result.scores
    names = ["run", "topic"] if result.by_topic else ["run"]
    decimals = [0 if measure.definition.aggregate == "sum" else result.digits for measure in scores.measures]
    values = [_texts(row, decimals) for row in result.means.tolist()]
    marked = {(place, column) for column in range(len(decimals)) for place in _best(result, values, column)}
    by_topic = _topic_rows(result, decimals)
    every = ["all"] if result.by_topic else []
    rows = [
        [run, *every, *row, *(texts[place] for texts in result.beside.values())]
        for place, (run, row) in enumerate(zip(scores.runs, _with_bounds(result, values, decimals), strict=True))
    ]
    return Grid(
        head=[*names, *map(str, scores.measures), *result.beside],
        rows=by_topic + rows,
        names=len(names),
        best=frozenset((len(by_topic) + place, len(names) + column) for place, column in marked),
        ruled=len(by_topic) or None,
    )


def _texts(values: list[float], decimals: list[int]) -> list[str]:
    return [f"{value:.{places}f}" for value, places in zip(values, decimals, strict=True)]


def _with_bounds(result: Result, values: list[list[str]], decimals: list[int]) -> list[list[str]]:
    if result.bounds is None:
        return values
    low, high = ([_texts(row, decimals) for row in bound.tolist()] for bound in np.moveaxis(result.bounds, -1, 0))
    rows = zip(values, low, high, strict=True)
    return [[f"{value} [{lowest}, {highest}]" for value, lowest, highest in zip(*row, strict=True)] for row in rows]


def _best(result: Result, values: list[list[str]], column: int) -> list[int]:
    """Rows whose value reads as the highest of the column; none where all do, or more is not better."""
    definition = result.scores.measures[column].definition
    if definition.aggregate == "sum" or (definition.base is None and "ideal" in definition.exempt):
        return []  # counts, and what is not a score
    texts = [row[column] for row in values]
    highest = texts[int(np.argmax(result.means[:, column]))]
    best = [place for place, text in enumerate(texts) if text == highest]
    return best if len(best) < len(texts) else []


def _topic_rows(result: Result, decimals: list[int]) -> list[list[str]]:
    """One row a run and topic; a value that does not count is left blank."""
    if not result.by_topic:
        return []
    scores = result.scores
    blank = [""] * len(result.beside)
    names = ([run, topic] for run in scores.runs for topic in scores.topics)
    width = len(decimals)
    values, counted = scores.credited.reshape(-1, width).tolist(), scores.counted.reshape(-1, width).tolist()
    return [
        name + [text if counts else "" for text, counts in zip(_texts(row, decimals), flags, strict=True)] + blank
        for name, row, flags in zip(names, values, counted, strict=True)
    ]
