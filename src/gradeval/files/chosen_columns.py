"""The three columns of judgments or of a run, from a table of Arrow to what the core reads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.files.arrow_columns import (
    Ids,
    decoded,
    is_numeric,
    is_text,
    lay_out_ids,
    read_coded_ids,
    read_flags,
    read_numbers,
    refuse_missing,
    require_frame_columns,
)
from gradeval.files.column_choice import Chosen, choose_columns
from gradeval.files.column_names import InputKind
from gradeval.files.frame_columns import columns_of_roles
from gradeval.files.frame_tables import rows_of
from gradeval.files.given_values import NOT_COUNTED, read_value
from gradeval.files.grade_words import GradeWords
from gradeval.files.judgment_lists import describe_blank
from gradeval.files.likely_ranks import warn_of_scores_of_rows
from gradeval.files.list_columns import LEAVES_OUT, read_as_of
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import HIGHEST_RANK, read_rank
from gradeval.files.unknown_columns import how_to_name
from gradeval.formula.arithmetic import Array

if TYPE_CHECKING:
    import pyarrow


class ChosenColumns(NamedTuple):
    """The three columns in the layout that the core reads, the format that was recognised, and the ranks that stand
    with the scores of a run: float64[row], NaN where none is given. Also how many judgments have no grade, the column
    of grades, where nobody named it, what is said of grades in words, and the highest grade that they name; the column
    of ranks that are not used, whether other columns are said not to count, and the names of the three columns."""

    columns: tuple[Ids, Ids, Array]
    read_as: str
    ranks: Array | None = None
    blank: int = 0
    grade_column: str = ""
    words: str = ""
    highest: float = 0.0
    rank_column: str = ""
    leaves_out: bool = False
    names: tuple[str, ...] = ()

    def place_rows(self, place: str) -> str:
        """What messages that number rows call the place."""
        return name_rows(place) if self.blank else place


def name_rows(place: str) -> str:
    """What messages call a place where rows are numbered that have a grade."""
    return f"{place}, rows with a grade"


def choose_of_table(table: pyarrow.Table, kind: InputKind, columns: Columns, place: str) -> ChosenColumns:
    """The three columns of judgments or of a run."""
    names = columns_of_roles(table.schema, kind, columns)
    chosen = choose_columns(names, kind, columns, place, partial(rows_of, table, names))
    query_id, doc_id, value = (names[at] for at in chosen[:3])
    needed = require_frame_columns(table, (query_id, doc_id, value), place, "rename one of them", missing=True)
    words = GradeWords(value, columns=columns, cells=lambda: decoded(needed[value]).unique().to_pylist())
    words.of_python = (lambda numbers: f"df[{value!r}].map({numbers})") if columns.in_python else None
    graded = _find_graded(needed[value], words) if kind == "qrels" else None
    blank = 0 if graded is None else len(graded) - graded.true_count
    words.warn_of_refusals(place)
    if blank:
        needed, place = {name: one.filter(graded) for name, one in needed.items()}, name_rows(place)
    scored = kind == "run" and not chosen.ranks
    say_finite = partial(_say_finite, names, chosen, columns)
    refuse_missing(needed, place, {value: say_finite()} if scored and needed[value].null_count else {})
    numbers = _read_values(needed[value], kind, value, words, place)
    if scored and not (there := np.isfinite(numbers)).all():
        row = int(there.argmin())
        what = "NaN" if np.isnan(numbers[row]) else "infinite"
        of = ", ".join(f"{name} {needed[name][row].as_py()!r}" for name in (query_id, doc_id))
        raise InputError(f"{place}: row {row}: {value} is {what} ({of}); {say_finite()}")
    if chosen.guessed:
        chosen.require_grades(np.unique(numbers).tolist(), place)
    read = (
        lay_out_ids(needed[query_id], query_id, place),
        lay_out_ids(needed[doc_id], doc_id, place),
        -numbers if chosen.ranks else numbers,
    )
    usual = ["query_id", "doc_id", "relevance" if kind == "qrels" else "score"]
    meaning = "; score = -rank" if chosen.ranks else ""
    known = [query_id, doc_id, value] == usual
    ranks = None if chosen.rank is None else _ranks(table, names[chosen.rank])
    topics = partial(read_coded_ids, needed[query_id], query_id, place)
    if kind == "run" and not chosen.ranks and ranks is None and len(numbers):
        warn_of_scores_of_rows(lambda: topics()[1], numbers, value, place, "" if columns.in_python else "--columns ")
    read_as = read_as_of(table) or ("" if known and not blank else f"columns {chosen.list_names(names)}{meaning}")
    guessed = value if kind == "qrels" and value != columns.grade else ""
    read_as += f"{'' if read_as or not words.said else f'columns {chosen.list_names(names)}'}{describe_blank(blank)}"
    unused = "" if chosen.rank is None else names[chosen.rank]
    left = LEAVES_OUT in (table.schema.metadata or {})
    of_words = (words.said, words.highest)
    called = (query_id, doc_id, value)
    return ChosenColumns(read, f"{read_as}{words.said}", ranks, blank, guessed, *of_words, unused, left, called)


def _say_finite(names: Sequence[str], chosen: Chosen, columns: Columns) -> str:
    """What to do about scores that are missing or infinite: to order by the ranks, where a column has some."""
    ranked = "" if chosen.rank is None else names[chosen.rank]
    finite = f"{NOT_COUNTED}: df[numpy.isfinite(df[{names[chosen.value]!r}])]"
    how = (
        f"run_from_frame(df, rank={ranked!r})" if columns.in_python else how_to_name({"rank": ranked}, columns=columns)
    )
    return f"to order by the ranks in {ranked!r}, write {how}; or {finite}" if ranked else finite


def _read_values(column: pyarrow.ChunkedArray, kind: InputKind, name: str, words: GradeWords, place: str) -> Array:
    """float64[row]: the grades or scores in a column of numbers, of their texts, of truths, or of words."""
    import pyarrow

    if not len(column):
        return np.zeros(0)
    if kind == "qrels" and pyarrow.types.is_boolean(decoded(column).type):
        return read_flags(column, name, place).astype(float)
    if not is_text(column):
        return read_numbers(column, name, place)
    known, codes = read_coded_ids(column, name, place)
    _, first, times = (one.tolist() for one in np.unique(codes, return_index=True, return_counts=True))
    read = []
    for text, row, rows in zip(known, first, times, strict=True):
        before = words.count
        read.append(read_value(text, kind, name, words, f"{place}: row {row}"))
        words.count = before + (words.count - before) * rows
    words.require_one_scale(read, place)
    numbers: Array = np.array(read, float)[codes]
    return numbers


def _find_graded(column: pyarrow.ChunkedArray, words: GradeWords) -> pyarrow.BooleanArray:
    """bool[row]: is there a grade, rather than null, NaN or a text that says so?"""
    import pyarrow
    from pyarrow import compute

    column = decoded(column)
    there = compute.is_valid(column)
    if pyarrow.types.is_floating(column.type):
        there = compute.invert(compute.is_null(column, nan_is_null=True))
    elif is_text(column):
        missing: dict[bool, list[str]] = {True: [], False: []}
        for text in column.unique().to_pylist():
            refusals = words.refusals
            if words.is_missing(text):
                missing[words.refusals > refusals].append(text)
        refused, none = (compute.is_in(column, pyarrow.array(texts, column.type)) for texts in missing.values())
        words.refusals = compute.sum(refused).as_py() or 0
        there = compute.invert(compute.or_(refused, none))
    return there.combine_chunks()


def _ranks(table: pyarrow.Table, name: str) -> Array | None:
    """float64[row]: ranks with scores, NaN where one is none; None for a column that is neither numbers nor text."""
    import pyarrow

    if table.column_names.count(name) != 1:
        return None
    column = decoded(table.column(name))
    if is_text(column):
        coded = pyarrow.chunked_array([column.cast(pyarrow.large_string())]).combine_chunks().dictionary_encode()
        known = np.array([*map(read_rank, coded.dictionary.to_pylist()), np.nan])
        ranks: Array = known[coded.indices.fill_null(len(known) - 1).to_numpy()]
        return ranks
    if not is_numeric(column.type):
        return None
    ranks = np.asarray(column.cast(pyarrow.float64(), safe=False).to_numpy())
    return np.where(np.abs(ranks) < HIGHEST_RANK, ranks, np.nan)
