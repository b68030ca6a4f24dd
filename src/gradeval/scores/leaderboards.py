"""Leaderboards as people have them: a line a model and a column a task, or the other way round."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Never

import numpy as np

from gradeval._core import InputError
from gradeval.files.column_names import MEASURES, QUERIES, normal_name
from gradeval.messages import Given, list_some, plural
from gradeval.scores.measure_columns import PlacedRow, are_measures, measure_in, refuse_means
from gradeval.scores.score_rows import ALL, ScoreLine
from gradeval.scores.task_columns import find_tasks, is_blank, is_no_task, is_text, read_value

MODELS = "model models model_name run system method name submission agent".split()
"""What heads the first column where each line is a model, in lower case and with ``_`` for blanks."""
TASKS = ["task", "tasks", "task_name", "dataset", "benchmark", *MEASURES]
"""What heads it where each line is a task."""
ANYWHERE = {"model": MODELS[:3], "task": TASKS[:3]}
"""What heads the column of names where it is not the first."""
MARGINS = set("all mean means average averages avg amean total totals sum overall margin margins".split())
OF_MARGINS = set("grand macro topic topics query queries system systems run runs of the".split())
"""Words that leave the name of a margin one, as in Grand Total."""
LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")  # linear, whatever brackets stand open
RULE = re.compile(r":?-+:?")
FAR = 10.0
"""How many times larger than all other values the values of a column are that is no model or system."""


def split_markdown(line: str) -> list[str]:
    """The cells of a line of a table in Markdown."""
    cells = re.split(r"(?<!\\)\|", line.strip())
    return [cell.strip() for cell in cells[1:-1] or cells]


def is_leaderboard(rows: Sequence[PlacedRow]) -> bool:
    """Does the first row head a leaderboard?"""
    return find_names(rows) is not None


def require_known_head(place: str, rows: Sequence[PlacedRow]) -> None:
    """Refuse a table of names and numbers whose first line does not say whose names these are."""
    heads, body = rows[0][1], [row for _, row in rows[1:] if not all(RULE.fullmatch(cell.strip()) for cell in row)]
    at = _place_of_names(heads)
    of_trec_eval = len(heads) == 3 and any(row[1:2] == [ALL] for _, row in rows)
    if not body or at == len(heads) or of_trec_eval or {*map(normal_name, heads)} & set(QUERIES):
        return
    of_words = all(is_text(head) and not is_blank(head) for head in heads[at:])
    alike = {len(heads)} == {len(row) for row in body} and all(is_text(row[at]) for row in body)
    if of_words and alike and not all(is_text(cell) for row in body for cell in row):
        raise InputError(
            f"{place}: is no leaderboard, as the names stand below {heads[at]!r:.40}; "
            "write model, task or topic there, by what a line is"
        )


def read_leaderboard(
    place: str, rows: Sequence[PlacedRow], measure: str, chosen: Collection[str], notes: list[str]
) -> Iterator[ScoreLine]:
    """The values: models are the runs, tasks the topics of one measure.

    An empty cell, or one of ``BLANK``, is a value that is not there. Columns that are no tasks are left out, and
    ``notes`` gets a sentence about them; an unclear column is an InputError, unless tasks are ``chosen`` by name. A
    value may have a percent sign and marks of Markdown; all count as they stand, 85.1% as 85.1; of a task
    all values have a percent sign, or none.
    """
    found = find_names(rows)
    assert found is not None
    at, kind = found
    names = [without_markup(name) for name in rows[0][1]]
    body = read_body(place, rows[1:], len(names))
    columns = {
        column: [row[column] for _, row in body]
        for column in range(len(names))
        if column != at and names[column] != "#"
    }
    columns = {column: cells for column, cells in columns.items() if names[column] or column > at}  # no index
    called = [row[at] for _, row in body]
    of_rows = [row for row, name in enumerate(called) if is_margin(name) and name not in chosen]
    of_columns = [column for column in columns if is_margin(names[column]) and names[column] not in chosen]
    left = [*(called[row] for row in of_rows), *(names[column] for column in of_columns)]
    body = [line for row, line in enumerate(body) if row not in of_rows]
    columns = {column: [row[column] for _, row in body] for column in columns if column not in of_columns}
    if kind == "task":
        kept = _find_models(place, names, columns)
        left += [names[column] for column in columns if column not in kept]
        columns = {column: columns[column] for column in kept}
        series = {number: [row[column] for column in columns] for number, (_, row) in enumerate(body)}
        called = [row[at] for _, row in body]
    else:
        series, called = columns, names
    refuse_means(place, [called[one] for one, cells in series.items() if not all(map(is_text, cells))])
    tasks = find_tasks([called[one] for one in series], list(series.values()), chosen)
    places = list(series)
    if tasks.unclear:
        clear = [called[places[one]] for one in tasks.kept or tasks.unclear]
        _refuse_unclear(place, [(called[places[one]], why) for one, why in tasks.unclear.items()], clear)
    left += [called[places[one]] for one in tasks.left]
    if not tasks.kept or not body:
        out = f" of tasks (no task: {list_some(left)})" if left and body else ""
        raise InputError(
            f"{place}: this leaderboard has no values{out}; below model,taskA,taskB stand lines as in elm,0.5,0.7"
        )
    cells = [(row, column) for row in range(len(body)) for column in columns]
    kept_tasks = {places[one] for one in tasks.kept}
    models = len(body) if kind == "model" else len(columns)
    listed = f"{plural(len(kept_tasks), 'task')}: {list_some([called[places[one]] for one in tasks.kept])}"
    out = f"; left out: {', '.join(left)}" if left else ""
    notes.append(f"{place}: read as a leaderboard of {plural(models, 'model')} on {listed}{out}")
    alike: dict[str, str] = {}
    for number, column in cells:
        where, row = body[number]
        run, topic = (row[at], names[column]) if kind == "model" else (names[column], row[at])
        if (column if kind == "model" else number) in kept_tasks and not is_blank(row[column]):
            yield f"{where} (run {run})", (run, topic, measure), without_percent(where, topic, row[column], alike)


def without_percent(where: str, name: str, value: str, alike: dict[str, str]) -> str:
    """A value without its percent sign, refused where another value of the same name has none, or has one alone: 2%
    beside 0.5 would count as 2. ``alike``: by name the first value, which is put there."""
    first = alike.setdefault(name, value)
    if first.endswith("%") != value.endswith("%"):
        raise InputError(f"{where}: {name} is {value} here and {first} above; write both with % or without")
    return value.removesuffix("%").rstrip()


def read_body(place: str, rows: Sequence[PlacedRow], width: int) -> list[PlacedRow]:
    """The rows below the names, without markup and without those that are empty or rules."""
    body: list[PlacedRow] = [
        (where, [without_markup(cell) for cell in row])
        for where, row in rows
        if not all(RULE.fullmatch(cell.strip()) or not cell.strip() for cell in row)
    ]
    for where, row in body:
        if len(row) != width:
            raise InputError(f"{where}: has {len(row)} cells, not the {width} of the first line of {place}")
    return body


def _refuse_unclear(place: str, unclear: list[tuple[str, str]], clear: Sequence[str]) -> Never:
    """Refuse what may or may not be a task; each with the reason."""
    listed = list_some([f"{name} ({why})" for name, why in unclear], 4)
    asked = any(normal_name(name) in QUERIES for name, _ in unclear)
    long = "; or call the columns run, topic, measure, value, if each line is one value" if asked else ""
    raise InputError(
        f"{place}: not clear whether these are tasks: {listed}; name all tasks, as in ",
        Given("topics", ",".join([*clear[:2], "..."])),
        long,
    )


def find_names(rows: Sequence[PlacedRow]) -> tuple[int, str] | None:
    """The column of the names, and of what they are: "model" or "task"; None where the first row does not tell.

    It is the first, the one behind the ranks, one of words with a plain title, or a first one without a title: of
    measures, or of words beside measures.
    """
    heads = [normal_name(re.sub(r"\([^()]*\)", "", without_markup(name))) for name in rows[0][1]]
    at = _place_of_names(heads)
    if len(heads) < 2 or at == len(heads):
        return None
    for kind, known in (("model", MODELS), ("task", TASKS)):
        if heads[at] in known:
            return at, kind
    for kind, known in ANYWHERE.items():
        for column, head in enumerate(heads):
            below = [row[column] for _, row in rows[1:] if column < len(row)]
            if head in known and any(map(is_text, below)):
                return column, kind
    called = [cell for _, row in rows[1:] for cell in row[:1]]
    if heads[0] or not all(map(is_text, called)):
        return None
    kinds = {"model": are_measures(rows[0][1][1:]), "task": all(map(measure_in, called))}
    return next(((0, kind) for kind, found in kinds.items() if found), None)


def _place_of_names(heads: Sequence[str]) -> int:
    """The first column, or the one behind the ranks."""
    return int(normal_name(heads[0]) in ("rank", "#", "place", "position", ""))


def _find_models(place: str, names: Sequence[str], columns: Mapping[int, Sequence[str]]) -> list[int]:
    """The columns that hold values of models, where each line is a task."""
    kept = [
        column
        for column, cells in columns.items()
        if not is_no_task(names[column]) and not all(is_blank(cell) or is_text(cell) for cell in cells)
    ]
    values = np.array([[read_value(cell) for cell in columns[column]] for column in kept]).reshape(len(kept), -1)
    values = values[:, np.isfinite(values).all(0)]
    for column, own in zip(kept, values, strict=True):
        others = values[[other != column for other in kept]]
        if len(others) > 1 and own.size and (own > FAR * others.max(0)).all() and (own % 1 == 0).all():
            raise InputError(
                f"{place}: column {names[column]!r} may be no model, as its values are far above all others; remove it"
            )
    return kept


def is_margin(name: str) -> bool:
    """Is it a usual name of rows or columns with the means or sums of others, as All or Grand Total?"""
    words = set(re.findall(r"[^\W\d_]+", name.lower()))
    return bool(words & MARGINS) and words <= MARGINS | OF_MARGINS


def without_markup(cell: str) -> str:
    """The text of a cell without links, bold and italic letters."""
    return LINK.sub(r"\1", cell).strip().strip("*`").strip()
