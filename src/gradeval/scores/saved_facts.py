"""What saved scores say of the judgments and runs that made them, so that verdicts on them stay the same.

Each value has columns: ``COUNTS`` of its run and topic, and ``AS_OFTEN``. The metadata hold a question by run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.files.arrow_columns import read_numbers, require_frame_columns
from gradeval.formula.arithmetic import Array
from gradeval.scores.coverage import COUNTS, TOP, Judging
from gradeval.scores.score_rows import ScoreRows
from gradeval.scores.score_table import AS_OFTEN, QUESTIONS
from gradeval.warning_categories import IdsWarning, Note, NoteWeight, RespeltNote

if TYPE_CHECKING:
    import pyarrow

SAVED = (*COUNTS, AS_OFTEN)
LONGEST = 2000
"""The letters of a question."""
AGAIN = "write it again with save()"


def read_columns(table: pyarrow.Table, place: str) -> dict[str, Array]:
    """The columns that are there, checked; counts only where all are."""
    names = [name for name in SAVED if name in table.column_names]
    columns = require_frame_columns(table, names, place, AGAIN) if names else {}
    found = {name: read_numbers(column, name, place) for name, column in columns.items()}
    for name, values in found.items():
        if not np.isfinite(values).all():
            raise InputError(f"{place}: column {name!r} holds a value that is not a finite number; {AGAIN}")
    retrieved, judged = found.get("retrieved"), found.get("judged")
    if retrieved is None or judged is None or ("judged_top" not in found and (judged != retrieved).any()):
        return {name: values for name, values in found.items() if name not in COUNTS}
    top = found.get("judged_top", np.minimum(retrieved, TOP))
    counts = np.stack([retrieved, judged, top])
    right = (counts >= 0).all(0) & (counts == np.floor(counts)).all(0) & (judged <= retrieved)
    right &= (top <= np.minimum(judged, TOP)) & (retrieved < 2**53)
    if not right.all():
        row = int(np.argmin(right))
        raise InputError(f"{place} row {row}: {', '.join(COUNTS)} contradict each other; {AGAIN}")
    return found


def read_questions(described: Mapping[str, Any], runs: Sequence[str], place: str) -> list[str]:
    """For each run the question of the metadata; empty: there is none."""
    asked = described.get(QUESTIONS, {})
    if not isinstance(asked, dict) or not all(isinstance(one, str) and len(one) <= LONGEST for one in asked.values()):
        raise InputError(f"{place}: the questions on its runs are damaged; {AGAIN}")
    return [asked.get(run, "") for run in runs]


def ask_of_saved(parts: Sequence[ScoreRows]) -> Iterator[Note]:
    """The questions on runs, as notes."""
    for run, question in dict.fromkeys(
        pair for part in parts for pair in zip(part.names[0], part.questions, strict=False)
    ):
        if question:
            said, asked = f"{run}: {question}", ((run, question),)
            yield RespeltNote(said, IdsWarning, own_weight=NoteWeight.OMISSION, doubted=asked)


def join_counts(parts: Sequence[ScoreRows], run: Array, topic: Array, names: Sequence[Sequence[str]]) -> Judging | None:
    """How many documents are judged, where all parts say it; an error where they disagree.

    ``run``, ``topic``: which run and topic each row of all parts is of; ``names``: of all runs and all topics.
    """
    kept = [part for part in parts if len(part.values)]
    if not all("retrieved" in part.beside for part in kept):
        return None
    grids: dict[str, Any] = {"judged_top": None}
    for name in COUNTS if any("judged_top" in part.beside for part in kept) else ("retrieved", "judged"):
        column = np.concatenate([_count(part, name) for part in kept]).astype(np.int64)
        grid = np.zeros((len(names[0]), len(names[1])), np.int64)
        grid[run, topic] = column
        if (clash := grid[run, topic] != column).any():
            if any(part.source for part in kept):  # several measurements of one run
                return None
            row = int(np.argmax(clash))
            raise InputError(
                f"{', '.join(part.place for part in kept)}: run {names[0][run[row]]!r} has several numbers of {name} "
                f"documents for topic {names[1][topic[row]]!r}; score one version of this run, and save again"
            )
        grids[name] = grid
    return Judging(**grids)


def values_as_often(parts: Sequence[ScoreRows]) -> list[Array]:
    """float64[row] of each part: values if unjudged documents were relevant as often; nothing where no part needs
    or some lack them."""
    if not any(AS_OFTEN in part.beside for part in parts):
        return []
    known = [_often(part) for part in parts]
    return [values for values in known if values is not None] if all(one is not None for one in known) else []


def _often(part: ScoreRows) -> Array | None:
    """The values if unjudged documents were relevant as often, which are all values where no document is unjudged."""
    all_judged = "retrieved" in part.beside and "judged_top" not in part.beside
    return part.beside.get(AS_OFTEN, part.values if all_judged else None)


def _count(part: ScoreRows, name: str) -> Array:
    """float64[row]: a count of the part; where no document is unjudged, the whole top is judged."""
    known = part.beside.get(name)
    return np.minimum(part.beside["retrieved"], TOP) if known is None else known
