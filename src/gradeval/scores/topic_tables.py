"""Tables of topics x systems: a line a topic, a column a system, the values of one measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval._core import InputError
from gradeval.files.column_names import QUERIES, first_usual, places_by_name
from gradeval.files.plain_text import read_decimal
from gradeval.messages import join_names, list_some, shown
from gradeval.scores.leaderboards import FAR, is_margin
from gradeval.scores.measure_columns import PlacedRow, are_measures, measure_in
from gradeval.scores.score_rows import ScoreLine


def read_topic_table(place: str, rows: Sequence[PlacedRow], measure: str, notes: list[str]) -> Iterator[ScoreLine]:
    """The values. A column with a usual name of topics, or a first one without a name, names the topics; without one
    they are numbered from 1.

    An index that pandas wrote with the topics and margins are left out, and ``notes`` gets a sentence about these.
    """
    (_, heads), *body = rows
    for where, row in body:
        if len(row) != len(heads):
            raise InputError(f"{where}: has {len(row)} values, not one for each of the {len(heads)} columns of {place}")
    heads = [head.strip() for head in heads]
    at = _find_topics(heads)
    columns = [
        column
        for column, head in enumerate(heads)
        if column != at and (head or (column and any(row[column].strip() for _, row in body)))
    ]
    if are_measures(names := [heads[column] for column in columns]):
        said = list_some(list(filter(measure_in, names)), 3)
        raise InputError(
            f"{place}: has columns of measures ({said}), not of systems; add a column run with the name of the run"
        )
    topics = [str(number) if at is None else row[at] for number, (_, row) in enumerate(body, 1)]
    cells = [[row[column] for column in columns] for _, row in body]
    if left := [name for name in (*topics, *names) if is_margin(name)]:
        notes.append(f"{place}: left out, as their names say mean or sum: {join_names(left)}")
    kept_rows = [number for number in range(len(body)) if not is_margin(topics[number])]
    kept = [column for column in range(len(columns)) if not is_margin(names[column])]
    _refuse_unlike(place, {names[column]: [cells[place][column] for place in kept_rows] for column in kept})
    _refuse_text(place, {names[column]: [cells[number][column] for number in kept_rows] for column in kept})
    for number in kept_rows:
        for column in kept:
            run = names[column]
            yield f"{body[number][0]} (run {run})", (run, topics[number], measure), cells[number][column]


def _find_topics(heads: Sequence[str]) -> int | None:
    """The column of the topics; None where no name tells."""
    by_name = first_usual(places_by_name(heads), QUERIES)
    return 0 if by_name is None and not heads[0] else by_name


def _refuse_text(place: str, columns: dict[str, Sequence[str]]) -> None:
    """Refuse a column without a single number: the table is of another kind."""
    for name, cells in columns.items():
        if cells and np.isnan([read_decimal(cell) for cell in cells]).all():
            raise InputError(
                f"{place}: column {name!r} holds text (as {shown(cells[0])}); accepted: the columns run, topic, "
                "measure, value; or a column of topics, and for each system a column of values"
            )


def _refuse_unlike(place: str, columns: dict[str, Sequence[str]]) -> None:
    """Refuse a column of counts, or of far greater values, with columns of values up to 1."""
    values = {name: np.abs([read_decimal(cell) for cell in cells]) for name, cells in columns.items()}
    usual = [own.max() for own in values.values() if len(own) and (own <= 1).all() and (own % 1 != 0).any()]
    if not usual:
        return
    for name, own in values.items():
        whole = (own % 1 == 0).all()
        if own.max() > 1 and (whole or own.max() > FAR * max(usual)):
            raise InputError(
                f"{place}: column {name!r} is no system's, it seems (up to {own.max():g}, others up to "
                f"{max(usual):g}); remove it, or call it topic if it names the topics"
            )
