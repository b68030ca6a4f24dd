"""Tables with a column for each measure: values of single topics are read, means alone are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.files.plain_text import read_decimal
from gradeval.formula.spelling import parse_measure
from gradeval.messages import list_some
from gradeval.scores.task_columns import is_blank, is_no_task

PlacedRow: TypeAlias = tuple[str, Sequence[str]]
"""The place of a line, and its cells."""
TAKEN = (
    "means alone do for gradeval correlate --scores FILE; in Python s = read_scores(FILE, means=True), of a frame "
    "s = scores_from_frame(FRAME, means=True); then print(s), s.to_latex() and correlate(s) work"
)
"""What can be done with means alone."""
BETWEEN = re.compile(r"[^\w@.+;-]+")
"""What stands between the words of a heading."""
CUT = re.compile(r"[^\W\d_][\w.+-]*@(\d*\.)?\d+k?", re.IGNORECASE)
"""A name with a cutoff, whatever follows."""
FEWEST = 2
"""So many names of measures are no chance: a task may be called like one."""


def is_measure(name: str) -> bool:
    """Does a name spell a measure, as nDCG@10 or, of one source, trec_eval:map?"""
    try:
        return bool(parse_measure(name.strip().rpartition(":")[2]))
    except InputError:
        return False


def measure_in(heading: str) -> str:
    """The measure in a heading: at its beginning, as in AP (DL19), or with a cutoff anywhere, as in DL19 nDCG@10; a
    first word with a cutoff may be unknown. Empty: there is none."""
    text = re.sub(r"\s*@\s*", "@", heading.strip())
    first, *others = BETWEEN.split(text)
    cut = [found[0].split("_") for word in (first, *others) if (found := CUT.match(word))]
    behind = ["_".join(parts[at:]) for parts in cut for at in range(len(parts))]
    for spelling in (text.rpartition(":")[2], text.partition(" ")[0], first, *behind):
        with suppress(InputError):
            return str(parse_measure(spelling))
    return first if CUT.match(first) else ""


def refuse_means(place: str, names: Sequence[str]) -> None:
    """Refuse a table of runs and measures without topics, whose values are means; ``names``: what may be measures.

    A mean of several measures says nothing, and means alone do not tell how far a run's topics lie apart.
    """
    if are_measures(names):
        known = list(filter(measure_in, names))
        raise _means_alone(place, f"{list_some(known, 3)} {'is a measure' if len(known) == 1 else 'are measures'}")


def are_measures(names: Sequence[str]) -> bool:
    """Are most headings measures, and more than by chance, but not one measure of several tasks?"""
    found = {name: measure_in(name) for name in names if is_measure(name) or not is_no_task(name)}
    known = list(filter(None, found.values()))
    sure = len(known) >= min(FEWEST, len(found)) or any("@" in measure for measure in known)
    kinds = {measure or name for name, measure in found.items()}
    of_tasks = len(kinds) == 1 < len(known) and not all(map(is_measure, found))
    return bool(known) and 2 * len(known) >= len(found) and sure and not of_tasks


def refuse_long_means(place: str, rows: Sequence[PlacedRow], fields: Mapping[str, int]) -> None:
    """Refuse a line for each run and measure, without topics; ``fields``: the columns of the usual fields."""
    if holds_long_means(rows, fields):
        raise _means_alone(place, "no column names the topics")


def holds_long_means(rows: Sequence[PlacedRow], fields: Mapping[str, int]) -> bool:
    """Is it a table with a line for each run and measure, without topics? With other columns, some measure is known."""
    at, is_long = fields.get("measure", 0), fields.keys() == {"run", "measure", "value"}
    return is_long and (len(rows[0][1]) == len(fields) or any(measure_in(row[at]) for _, row in rows[1:] if row[at:]))


def _means_alone(place: str, why: str) -> InputError:
    return InputError(
        f"{place}: holds means alone, as {why}; give values of single topics as run, topic, measure, value "
        f"(gradeval evaluate -q); {TAKEN}"
    )


def lengthen(
    place: str, rows: Sequence[PlacedRow], fields: Mapping[str, int], notes: list[str]
) -> list[PlacedRow] | None:
    """The lines of run, topic, measure and value that a table of run, topic and measures holds; None: it is none.

    All columns of numbers are measures where one is called so; ``notes`` name those that hold text.
    """
    heads, body = rows[0][1], rows[1:]
    others = [at for at in range(len(heads)) if at not in fields.values() and heads[at].strip()]
    if fields.keys() != {"run", "topic"} or not any(measure_in(heads[at]) for at in others):
        return None
    for where, row in body:
        if len(row) != len(heads):
            raise InputError(f"{where}: has {len(row)} fields, not the {len(heads)} of the first line")
    text = [at for at in others if not is_measure(heads[at]) and not _holds_numbers([row[at] for _, row in body])]
    if text:
        notes.append(f"{place}: left out, as these columns hold text: {list_some([heads[at] for at in text])}")
    run, topic = fields["run"], fields["topic"]
    return [
        (where, [row[run], row[topic], heads[at].strip(), row[at]])
        for where, row in body
        for at in others
        if at not in text and not is_blank(row[at])
    ]


def _holds_numbers(cells: Sequence[str]) -> bool:
    return any(read_decimal(cell) == read_decimal(cell) for cell in cells)
