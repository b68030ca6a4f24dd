"""Leaderboards as people have them, CSV or Markdown: a line a model and a column a task, or the other way round."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.arguments import read_decimal
from gradeval.files.column_names import normal_name

Line: TypeAlias = tuple[str, tuple[str, str, str], str | float]
"""The place of a value (file and line), its run, topic and measure, and its text."""
Located: TypeAlias = tuple[str, str]
"""The place of a line, and the line."""


@dataclass
class About:
    """What there is to say about files of scores.

    Attributes
    ----------
    notes : sentences about how they were read and what was left out.
    tasks : was one of them a leaderboard?
    """

    notes: list[str] = field(default_factory=list)
    tasks: bool = False


MODELS = "model models model_name run system method name submission agent".split()
"""What heads the first column where each line is a model, in lower case and with ``_`` for blanks."""
TASKS = "task tasks task_name dataset benchmark metric".split()
"""What heads it where each line is a task."""
NO_TASKS = (
    "average avg mean mean_task mean_tasktype overall total rank borda_rank mean_rank place position "
    "size model_size params parameters number_of_parameters dimensions embedding_dimensions max_tokens date year"
).split()
"""Columns of a leaderboard that are no tasks: what is computed from the others, and what a model is like."""
BLANK = ("", "-", "–", "—", "n/a", "na", "nan", "null", "none", "x")
"""What stands for a value that is not there, in lower case."""
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
RULE = re.compile(r":?-+:?")
COMMAS = re.compile(r"[-+]?\d+(,\d+)+(\.\d+)?\s*%?")
"""A number with commas, for thousands or for decimals."""


def split_leaderboard(lines: Sequence[Located]) -> list[list[str]] | None:
    """The cells of a text whose first line heads a leaderboard; None where it does not."""
    first = lines[0][1].strip()
    if first.startswith("|"):
        rows = [_split_markdown(line) for _, line in lines]
        return rows if _kind(rows[0]) else None
    delimiter = "\t" if "\t" in first else ","
    rows = list(csv.reader((line for _, line in lines), delimiter=delimiter))
    return rows if len(rows) == len(lines) and len(rows[0]) > 1 and _kind(rows[0]) else None


def _kind(names: Sequence[str]) -> str:
    """What each line of the table is; empty where its head does not tell. A first column of ranks is passed over."""
    at = _first(names)
    head = normal_name(_plain(names[at])) if at < len(names) else ""
    return "model" if head in MODELS else "task" if head in TASKS else ""


def _first(names: Sequence[str]) -> int:
    """The column of the names: the first, or the one behind the ranks."""
    return int(normal_name(_plain(names[0])) in ("rank", "#", "place", "position", ""))


def read_leaderboard(
    place: str, lines: Sequence[Located], rows: Sequence[Sequence[str]], measure: str, about: About
) -> Iterator[Line]:
    """The values: models are the runs, tasks the topics of one measure.

    An empty cell, or one of ``BLANK``, is a value that is not there. Columns that hold text, or that are known to be no
    tasks (``NO_TASKS``), are left out; ``about`` gets a sentence about that. A value may have a percent sign and marks
    of Markdown; all count as they stand, 85.1% as 85.1.
    """
    names = [_plain(name) for name in rows[0]]
    at = _first(names)
    body = [
        (where, [_plain(cell) for cell in row])
        for (where, _), row in zip(lines[1:], rows[1:], strict=True)
        if not all(RULE.fullmatch(cell.strip()) or not cell.strip() for cell in row)
    ]
    for where, row in body:
        if len(row) != len(names):
            raise InputError(f"{where}: has {len(row)} cells, not the {len(names)} of the first line of {place}")
    by_model = _kind(rows[0]) == "model"
    kept: list[int] = []
    left: list[int] = []
    for column in range(at + 1, len(names)):
        cells = [row[column] for _, row in body if row[column].lower() not in BLANK]
        summary = by_model and normal_name(re.sub(r"[()]", "", names[column])) in NO_TASKS
        text = not cells or all(_is_text(cell) for cell in cells)
        (left if summary or text else kept).append(column)
    if not kept or not body:
        raise InputError(
            f"{place}: this leaderboard has no values; below model,taskA,taskB stand lines as in elm,0.5,0.7"
        )
    if not by_model:
        body = [(where, row) for where, row in body if normal_name(row[at]) not in NO_TASKS]
    models, tasks = (len(body), len(kept)) if by_model else (len(kept), len(body))
    out = f"; left out: {', '.join(names[column] for column in left)}" if left else ""
    about.tasks = True
    about.notes.append(f"{place}: read as a leaderboard of {models} models on {tasks} tasks{out}")
    for where, row in body:
        for column in kept:
            run, topic = (row[at], names[column]) if by_model else (names[column], row[at])
            if row[column].lower() not in BLANK:
                yield f"{where} (run {run})", (run, topic, measure), row[column].removesuffix("%").rstrip()


def _is_text(cell: str) -> bool:
    """Is it no number, nor one with commas, which is refused and not left out?"""
    number = read_decimal(cell.removesuffix("%").rstrip())
    return number != number and not COMMAS.fullmatch(cell)


def _split_markdown(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip())
    return [cell.strip() for cell in cells[1:-1] or cells]


def _plain(cell: str) -> str:
    """The text of a cell without links, bold and italic letters."""
    return LINK.sub(r"\1", cell).strip().strip("*`").strip()
