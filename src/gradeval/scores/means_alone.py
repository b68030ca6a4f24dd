"""Means of runs together with values of single topics: where one file holds means alone, the others are averaged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from gradeval._core import InputError
from gradeval.formula.spelling import parse_measure
from gradeval.messages import list_some, plural
from gradeval.scores.gathering import gather
from gradeval.scores.published_means import MEAN
from gradeval.scores.score_rows import ScoreRows
from gradeval.scores.scores import ONE, Empty, Missing
from gradeval.warning_categories import FilesWarning, Note, NoteWeight


def as_means(
    parts: Sequence[ScoreRows], missing: Missing | None, empty: Empty | None
) -> tuple[list[ScoreRows], list[Note]]:
    """The parts as they are where none holds means alone; else all of them as means, and notes of what was averaged.

    Files of one source are averaged together, so that a topic that a run of another file has counts for all runs.
    """
    known = [_of_all_topics(part) for part in parts]
    alone = [part for part in known if part.unit == "means"]
    if not alone:
        return known, []
    of_topics: dict[str, list[ScoreRows]] = {}
    for part in known:
        if part.unit != "means":
            of_topics.setdefault(part.source, []).append(part)
    taken, notes = list(alone), list[Note]()
    for source, some in of_topics.items():
        if tasks := [part for part in some if part.unit == "tasks"]:
            raise InputError(
                f"{tasks[0].place}: holds a leaderboard of tasks ({list_some(tasks[0].names[1], 3)}), and "
                f"{alone[0].place} means alone; if these are measures, write lines of run,measure,value"
            )
        averaged, size = _average(some, missing, empty, notes)
        taken.append(averaged)
        text = f"{source or some[0].place}: means over {size} are taken, as {alone[0].source or alone[0].place} holds"
        notes.append(Note(f"{text} means alone", own_weight=NoteWeight.MEANING))
    return taken, [*_find_mixed_scales(taken), *notes]


def _of_all_topics(part: ScoreRows) -> ScoreRows:
    """A part that has only lines of the topic "all" as means alone; any other part as it is."""
    if len(part.values) or not part.means:
        return part
    of_means = ScoreRows.of_lines(
        part.place,
        ((part.place, (run, MEAN, name), value) for (run, name), value in part.means.items() if not math.isnan(value)),
    )
    return replace(
        part, names=of_means.names, codes=of_means.codes, values=of_means.values, where=of_means.where, means={},
        present=None, vacant=None, levels=None, unit="means",
    )  # fmt: skip


def _find_mixed_scales(parts: Sequence[ScoreRows]) -> list[Note]:
    """Warnings of files with percents and shares of one measure: some means are above 1, and others are not.

    Where one file has percents and another one shares, it is an error.
    """
    notes: list[Note] = []
    first: dict[tuple[str, str], tuple[bool, str]] = {}
    for part in parts:
        for name, (low, at_low), (high, at_high) in _find_extremes(part):
            said = f"{at_high}: {name} is {high:g}"
            if low <= 1 < high:
                text = f"{said}, but {low:g} in {at_low}; it is at most 1: divide percents by 100"
                notes.append(Note(text, FilesWarning))
                continue
            scale, other = first.setdefault((part.source, name), (high > 1, f"{high:g} in {at_high}"))
            if scale != (high > 1):
                raise InputError(f"{said}, but {other}; it is at most 1: divide percents by 100")
    return notes


def _find_extremes(part: ScoreRows) -> Iterator[tuple[str, tuple[float, str], tuple[float, str]]]:
    """The lowest and the highest mean, and where they stand, by each measure that is at most 1."""
    for number, called in enumerate(part.names[2]):
        rows = np.flatnonzero(part.codes[2] == number)
        if len(rows) and (name := _name_if_bounded(called)):
            ends = [int(rows[np.argmin(part.values[rows])]), int(rows[np.argmax(part.values[rows])])]
            low, high = ((float(part.values[row]), part.where(row)) for row in ends)
            yield name, low, high


def _name_if_bounded(called: str) -> str:
    """How we spell a measure that is at most 1; empty: it may be more, or is not known."""
    with suppress(InputError):
        measure = parse_measure(called)
        return "" if "bounded" in measure.definition.exempt else str(measure)
    return ""


def _average(
    parts: Sequence[ScoreRows], missing: Missing | None, empty: Empty | None, notes: list[Note]
) -> tuple[ScoreRows, str]:
    """The means of the topics of parts, and over how many; ``notes`` get what there is to say of them."""
    scores = gather(parts, missing, empty)
    notes += scores.notes
    places = ", ".join(part.place for part in parts)
    lines = [(places, (run, MEAN, name), value) for run, own in scores.means().items() for name, value in own.items()]
    averaged = replace(ScoreRows.of_lines(places, lines), unit="means", seeds=scores.seeds)
    return averaged, plural(len(scores.topics), ONE[scores.unit])
