"""Judgments and runs from frames: anything that speaks Arrow, frames of Dask, lists of LensKit, dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError, Pools
from gradeval.arguments import known_arguments
from gradeval.collection.missing_grades import require_grades
from gradeval.collection.qrels import OF_FRAME, Qrels, RepeatedGrades, rule_of_judgments
from gradeval.collection.runs import Repeated, Run
from gradeval.files.arrow_columns import Ids, decoded, read_coded_ids, require_frame_columns, show_columns
from gradeval.files.chosen_columns import ChosenColumns, choose_of_table
from gradeval.files.column_choice import choose_columns, choose_pair
from gradeval.files.column_names import InputKind
from gradeval.files.denials import MOST_CELLS
from gradeval.files.frame_columns import columns_beside_index, columns_of_roles, index_of_ids, needed_columns
from gradeval.files.frame_tables import arrow_table, rows_of
from gradeval.files.joined_columns import join_table
from gradeval.files.judgment_lists import describe_blank
from gradeval.files.likely_ranks import warn_of_order
from gradeval.files.list_columns import (
    LEAVES_OUT,
    READ_AS,
    find_pair_with_list,
    in_order_of_rows,
    with_a_row_a_document,
)
from gradeval.files.mixed_columns import refuse_sets, with_one_type_a_column
from gradeval.files.named_columns import Columns, Remedy
from gradeval.files.nested_tables import proposing_parts
from gradeval.files.other_columns import look_at_columns
from gradeval.files.pair_columns import PAIR_GRADE, describe_pairs, find_relevant_pairs
from gradeval.files.run_columns import several_runs
from gradeval.files.runs_of_tables import split_runs
from gradeval.files.split_columns import refuse_training_rows
from gradeval.files.stacked_runs import find_raters
from gradeval.files.telling_columns import keep_last, tell_raters_or_queries
from gradeval.files.unknown_columns import AS_LISTS, refuse_list_cells
from gradeval.warning_categories import FilesWarning, warn

if TYPE_CHECKING:
    import pyarrow

PARAMETERS = {"query": "query_id", "doc": "doc_id", "grade": "relevance", "score": "score", "rank": "rank"}
"""What readers of frames call the names of columns."""


def _name_in_frame(function: str, given: Mapping[str, str]) -> str:
    """How to name the columns of a frame."""
    named = {PARAMETERS[role]: name if name == "NAME" else repr(name) for role, name in given.items()}
    ranked = f", or rank={named['score']} if less is better" if "score" in named else ""
    return f"name the columns: {function}(frame, {', '.join(f'{one}={name}' for one, name in named.items())}){ranked}"


REMEDIES: dict[InputKind, Remedy] = {
    "qrels": partial(_name_in_frame, "qrels_from_frame"),
    "run": partial(_name_in_frame, "run_from_frame"),
}
"""What to do about a frame of judgments, or of a run, whose columns are not known."""
GUESSED_RUN = Columns(remedy=REMEDIES["run"])
"""The columns of a run in a frame, of which no one is named."""


@known_arguments(
    shift="write qrels_from_frame(FRAME).shifted(...)",
    recode="write qrels_from_frame(FRAME).recoded({...})",
    levels="write qrels_from_frame(FRAME).with_levels([...])",
)
def qrels_from_frame(
    frame: Any,
    *,
    query_id: str | None = None,
    doc_id: str | None = None,
    relevance: str | None = None,
    repeated: RepeatedGrades | None = None,
    name: str = "qrels",
) -> Qrels:
    """Judgments from a table, one row a document of a topic.

    Parameters
    ----------
    frame : anything that speaks Arrow (a table, batch or reader of pyarrow, a frame of pandas or Polars, a relation of
        DuckDB), a data set or a scanner of pyarrow, a frame of Dask, an ItemListCollection of LensKit, or a dict of
        columns.
    query_id, doc_id : names of the columns with topics and documents: text, or whole numbers, which become text.
    relevance : name of the column with grades. Columns that are not named are known by their usual names: query_id,
        qid, query-id, topic ...; doc_id, docno, corpus-id ...; relevance, label, grade, score ... The index of a frame
        of pandas is no column, unless you name it, or queries or documents are found nowhere else.
    repeated : see ``read_qrels``.
    name : what messages call the judgments.

    Rows may come in any order. A document without a grade is unjudged; a FilesWarning counts these. A missing id, a
    number that is not finite and another grade of a document are InputErrors that name the row, counted from 0.
    Needs pyarrow, which the extra ``arrow`` brings.
    """
    columns = Columns(query=query_id, doc=doc_id, grade=relevance, remedy=REMEDIES["qrels"])
    choose = partial(needed_columns, kind="qrels", columns=columns)
    whole = join_table(arrow_table(frame, name, choose, with_one_type_a_column), columns.query, name)
    with proposing_parts(lambda: whole, "qrels", columns, name):
        table, pairs = add_grade_of_pairs(with_a_row_a_document(whole, "qrels", columns, name), columns, name)
        chosen = choose_of_table(table, "qrels", columns, name)
    columns.require_met(f"{name}: the column")
    if said := f"{describe_blank(chosen.blank)}{chosen.words}{pairs}":
        warn(f"{name}: {said.removeprefix('; ')}", FilesWarning)
    qrels = judgments_of_columns(chosen, name, repeated, lambda: table, columns)
    joinable = look_at_columns_of(table, columns, name)
    return replace(qrels, joins=columns.joins, joinable=joinable, made=OF_FRAME)


def look_at_columns_of(table: pyarrow.Table, columns: Columns, place: str) -> str:
    """What ``look_at_columns`` says of the other columns of judgments."""
    names = columns_of_roles(table.schema, "qrels", columns)
    chosen = choose_columns(names, "qrels", columns, place)
    return look_at_columns(names, chosen[:3], "qrels", columns, partial(rows_of, table, names), place)


def add_grade_of_pairs(table: pyarrow.Table, columns: Columns, place: str) -> tuple[pyarrow.Table, str]:
    """A table of judgments with grade 1 in each row, where it has topics and documents alone; and what is said of that.
    Else the same table, and nothing."""
    import pyarrow

    names = columns_of_roles(table.schema, "qrels", columns)
    pairs = find_relevant_pairs(names, "qrels", columns, lambda places: _find_cells(table, names, places))
    if pairs is None:
        return table, ""
    rows = partial(rows_of, table, names)
    refuse_list_cells(names, pairs.query, place, rows, columns, split=AS_LISTS)
    refuse_training_rows(names, pairs[:2], place, rows, columns)
    query_id, doc_id = (names[at] for at in pairs[:2])
    needed = require_frame_columns(table, (query_id, doc_id), place, "rename one of them")
    said = describe_pairs(pairs.ignored)
    graded = pyarrow.table(needed | {name: np.ones(len(table)) for name in PAIR_GRADE})
    columns.met.update(dict.fromkeys(names))
    read_as = {READ_AS: f"columns {query_id}, {doc_id}{said}".encode()}
    return graded.replace_schema_metadata(read_as | ({LEAVES_OUT: b""} if pairs.ignored else {})), said


def _find_cells(table: pyarrow.Table, names: Sequence[str], places: Sequence[int]) -> dict[int, list[Any]]:
    """Some different cells of some columns, more than grades there may be."""
    import pyarrow

    cells_of = {}
    for at in places:
        column = decoded(table.column(names[at]))
        if not pyarrow.types.is_nested(column.type):
            cells = column.unique().drop_null().slice(0, MOST_CELLS + 2).to_pylist()
            cells_of[at] = [cell for cell in cells if cell != ""]
    return cells_of


def judgments_of_columns(
    chosen: ChosenColumns,
    name: str,
    repeated: RepeatedGrades | None,
    whole: Callable[[], pyarrow.Table],
    columns: Columns,
) -> Qrels:
    """Judgments from the three columns; ``whole`` gives the table with all columns, of which one may name raters, or
    tell queries apart."""
    require_grades(len(chosen.columns[2]), chosen.blank, name)
    try:
        pools = Pools.of_columns(*chosen.columns, chosen.place_rows(name), rule_of_judgments(repeated))
    except InputError as error:
        if np.isfinite(chosen.columns[2]).all() and (raters := find_raters(whole(), chosen.names)) is not None:
            raise error.followed_by(tell_raters_or_queries(raters, chosen.names[0], columns)) from None
        if np.isfinite(chosen.columns[2]).all() and len(chosen.names) > 1:
            raise error.followed_by(keep_last(whole().column_names, *chosen.names[:2])) from None
        raise
    qrels = Qrels.of_pools(pools, name, repeated)
    return replace(
        qrels,
        read_as=chosen.read_as,
        grade_column=chosen.grade_column,
        highest=chosen.highest,
        leaves_out=chosen.leaves_out,
    )


@known_arguments()
def run_from_frame(
    frame: Any,
    *,
    query_id: str | None = None,
    doc_id: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    name: str | None = None,
    place: str | None = None,
    repeated: Repeated | None = None,
) -> Run:
    """A run from a table, one row a document of a topic; its rows are checked when it is judged.

    Parameters
    ----------
    frame, query_id, doc_id : see ``qrels_from_frame``.
    score : name of the column with scores; default: score, sim, ...
    rank : name of a column with ranks instead; a document at rank r gets the score -r.
    name : what tables call the run; default: what a column run, system, tag ... says, else "run".
    place : what messages call it; default: its name.
    repeated : see ``read_run``.

    A table of several runs, by such a column, is an InputError; ``evaluate`` and ``judge`` take it.
    """
    columns = Columns(query=query_id, doc=doc_id, score=score, rank=rank, remedy=REMEDIES["run"])
    runs = runs_from_frame(frame, place or name or "run", name, columns)
    columns.require_met(f"{place or name or 'run'}: the column")
    if len(runs) > 1:
        remedy = "evaluate() and judge() take them all, or give the rows of one"
        raise several_runs([run.name for run in runs], place or name or "run", remedy)
    run = runs[0].keeping(repeated)
    return run if name is None else replace(run, name=name)


def runs_from_frame(
    frame: Any, place: str, name: str | None = None, columns: Columns = GUESSED_RUN, *, repeats: bool = True
) -> list[Run]:
    """The runs in a table, each called by the column that names it, else by ``name``, else by the ``place``;
    ``repeats``: may a topic have a document twice, which is found later?"""
    refuse_sets(frame, "run", place)
    table = arrow_table(frame, place, partial(needed_columns, kind="run", columns=columns), with_one_type_a_column)
    whole = join_table(table, columns.query, place)
    with proposing_parts(lambda: whole, "run", columns, place):
        table = with_a_row_a_document(whole, "run", columns, place)
        ordered = order_rows(table, columns, place)
        if ordered is not table:
            warn_of_order(place)
            table = ordered
        every = None if repeats else lambda: table
        return split_runs([(place, table)], columns, place, name or place, every=every)


def order_rows(table: pyarrow.Table, columns: Columns, place: str) -> pyarrow.Table:
    """The table of a run, with ranks where its rows are in rank order; lists in cells are refused there."""
    names = columns_of_roles(table.schema, "run", columns)
    if len(names) == 2 and (pair := choose_pair(names, columns)) is not None:
        rows = partial(rows_of, table, names)
        refuse_list_cells(names, pair[0], place, rows, columns, split=AS_LISTS, values="scores")
    return in_order_of_rows(table, names, columns)


def pairs_of_frame(frame: Any, place: str, columns: Columns) -> Pools:
    """The pairs of topic and document in a frame, whatever else there is."""
    return pairs_of_table(arrow_table(frame, place, mend=with_one_type_a_column), place, columns)


def pairs_of_table(table: pyarrow.Table, place: str, columns: Columns) -> Pools:
    """All pairs once; a topic may have a list of documents in a row."""
    import pyarrow
    from pyarrow import compute

    names = columns_beside_index(table.schema, (columns.query, columns.doc))
    names = [*names, *(level for level in index_of_ids(table.schema) if level not in names)]
    chosen = choose_pair(names, columns) or find_pair_with_list(table, names, columns)
    if chosen is None:
        raise InputError(
            f"{place}: no columns are known to hold topics and documents{show_columns(table)}; call them query_id "
            "and doc_id"
        )
    query_id, doc_id = (names[at] for at in chosen)
    needed = require_frame_columns(table, (query_id, doc_id), place, "rename one of them")
    known, topic = read_coded_ids(needed[query_id], query_id, place)
    documents = needed[doc_id].combine_chunks()
    if pyarrow.types.is_list(documents.type) or pyarrow.types.is_large_list(documents.type):
        topic, documents = topic[compute.list_parent_indices(documents)], compute.list_flatten(documents)
    ids, document = read_coded_ids(pyarrow.chunked_array([documents]), doc_id, place)
    pairs: dict[str, dict[str, float]] = {}
    for pair in np.unique(topic * max(1, len(ids)) + document).tolist():
        pairs.setdefault(known[pair // len(ids)], {})[ids[pair % len(ids)]] = 0.0
    return Pools.of_mapping(pairs, place)


def columns_of_frame(frame: Any, kind: InputKind, place: str) -> pyarrow.Table:
    """The columns topic, document, value and rank of judgments or of a run, checked: text, and numbers (of ranks NaN
    where there is none). ``place`` names the frame in messages."""
    import pyarrow

    (topics, documents, values), _, ranks, *_ = choose_of_table(
        arrow_table(frame, place), kind, Columns(remedy="rename it"), place
    )
    columns = [
        _text_of_ids(topics),
        _text_of_ids(documents),
        values,
        np.full(len(values), np.nan) if ranks is None else ranks,
    ]
    return pyarrow.table(columns, ["topic", "document", "value", "rank"])


def _text_of_ids(ids: Ids) -> pyarrow.Array:
    import pyarrow

    ends, data, *codes = ids
    text = pyarrow.LargeStringArray.from_buffers(len(ends) - 1, pyarrow.py_buffer(ends), pyarrow.py_buffer(data))
    return text.take(pyarrow.array(codes[0])) if codes else text
