"""Judgments and runs from frames: anything that speaks Arrow, frames of Dask, lists of LensKit, dicts."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradeval._core import InputError, Lines, Pools
from gradeval.arguments import known_arguments
from gradeval.collection.missing_grades import require_grades
from gradeval.collection.qrels import Qrels, RepeatedGrades, rule_of_judgments
from gradeval.collection.runs import Run
from gradeval.files.arrow_columns import (
    Ids,
    decoded,
    first_line,
    is_text,
    lay_out_ids,
    read_coded_ids,
    read_flags,
    read_numbers,
    refuse_missing,
    require_frame_columns,
    show_columns,
)
from gradeval.files.column_choice import choose_columns, choose_pair, keys_beside
from gradeval.files.column_names import DOCUMENTS, QUERIES, InputKind, find_likely_runs, find_other_grades, normal_name
from gradeval.files.denials import MOST_CELLS
from gradeval.files.given_values import read_value
from gradeval.files.grade_words import GradeWords
from gradeval.files.judgment_lists import describe_blank
from gradeval.files.likely_ranks import warn_of_order, warn_of_restarts_of_rows, warn_of_scores_of_rows
from gradeval.files.list_columns import (
    LEAVES_OUT,
    READ_AS,
    as_plain_text,
    find_pair_with_list,
    in_order_of_rows,
    read_as_of,
    with_a_row_a_document,
)
from gradeval.files.mixed_columns import refuse_sets, with_one_type_a_column
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.pair_columns import PAIR_GRADE, are_known, describe_pairs, find_relevant_pairs
from gradeval.files.plain_text import HIGHEST_RANK, read_rank
from gradeval.files.run_columns import name_runs, several_runs
from gradeval.files.run_tables import PartTopics, require_apart
from gradeval.files.stacked_runs import refuse_unnamed_runs
from gradeval.files.unknown_columns import NAMELESS
from gradeval.formula.arithmetic import Array
from gradeval.tables.arrow import require_pyarrow
from gradeval.warning_categories import FilesWarning, level_of_caller

if TYPE_CHECKING:
    import pyarrow

REMEDIES: dict[InputKind, str] = {
    "qrels": "name the columns: qrels_from_frame(frame, query_id=..., doc_id=..., relevance=...)",
    "run": "name the columns: run_from_frame(frame, query_id=..., doc_id=..., score=...), or by rank=...",
}
"""What to do about a frame of judgments, or of a run, whose columns are not known."""

MOST_ROWS = 1_000_000
"""Rows that are looked at to say what a column may hold."""


@known_arguments()
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
    columns = Columns(query=query_id, doc=doc_id, grade=relevance)
    choose = partial(needed_columns, kind="qrels", columns=columns)
    table = arrow_table(frame, name, choose, with_one_type_a_column)
    table, pairs = add_grade_of_pairs(with_a_row_a_document(table, "qrels", columns, name), columns, name)
    chosen = choose_of_table(table, "qrels", columns, name, REMEDIES["qrels"])
    columns.require_met(f"{name}: the column")
    if said := f"{describe_blank(chosen.blank)}{chosen.words}{pairs}":
        warnings.warn(f"{name}: {said.removeprefix('; ')}", FilesWarning, stacklevel=level_of_caller())
    return judgments_of_columns(chosen, name, repeated)


def add_grade_of_pairs(table: pyarrow.Table, columns: Columns, place: str) -> tuple[pyarrow.Table, str]:
    """A table of judgments with grade 1 in each row, where it has topics and documents alone; and what is said of that.
    Else the same table, and nothing."""
    import pyarrow

    names = columns_of_roles(table.schema, "qrels", columns)
    found = find_relevant_pairs(names, "qrels", columns, lambda places: _find_cells(table, names, places))
    if found is None:
        return table, ""
    query_id, doc_id = (names[at] for at in found[:2])
    needed = require_frame_columns(table, (query_id, doc_id), place, "rename one of them")
    said = describe_pairs(found.ignored)
    graded = pyarrow.table(needed | {name: np.ones(len(table)) for name in PAIR_GRADE})
    columns.met.update(dict.fromkeys(names))
    read_as = {READ_AS: f"columns {query_id}, {doc_id}{said}".encode()}
    return graded.replace_schema_metadata(read_as | ({LEAVES_OUT: b""} if found.ignored else {})), said


def _find_cells(table: pyarrow.Table, names: Sequence[str], places: Sequence[int]) -> dict[int, list[Any]]:
    """Some different cells of some columns, more than grades there may be."""
    import pyarrow

    found = {}
    for at in places:
        column = decoded(table.column(names[at]))
        if not pyarrow.types.is_nested(column.type):
            cells = as_plain_text(column).unique().drop_null().slice(0, MOST_CELLS + 2).to_pylist()
            found[at] = [cell for cell in cells if cell != ""]
    return found


def judgments_of_columns(chosen: ChosenColumns, name: str, repeated: RepeatedGrades | None) -> Qrels:
    """Judgments from the three columns."""
    require_grades(len(chosen.columns[2]), chosen.blank, name)
    pools = Pools.of_columns(*chosen.columns, chosen.place_rows(name), rule_of_judgments(repeated))
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
) -> Run:
    """A run from a table, one row a document of a topic; its rows are checked when it is judged.

    Parameters
    ----------
    frame, query_id, doc_id : see ``qrels_from_frame``.
    score : name of the column with scores; default: score, sim, ...
    rank : name of a column with ranks instead; a document at rank r gets the score -r.
    name : what tables call the run; default: what a column run, system, tag ... says, else "run".
    place : what messages call it; default: its name.

    A table of several runs, by such a column, is an InputError; ``evaluate`` and ``judge`` take it.
    """
    columns = Columns(query=query_id, doc=doc_id, score=score, rank=rank)
    runs = runs_from_frame(frame, place or name or "run", name, columns)
    columns.require_met(f"{place or name or 'run'}: the column")
    if len(runs) > 1:
        remedy = "evaluate() and judge() take them all, or give the rows of one"
        raise several_runs([run.name for run in runs], place or name or "run", remedy)
    return runs[0] if name is None else replace(runs[0], name=name)


def runs_from_frame(
    frame: Any, place: str, name: str | None = None, columns: Columns = GUESSED, *, repeats: bool = True
) -> list[Run]:
    """The runs in a table, each called by the column that names it, else by ``name``, else by the ``place``;
    ``repeats``: may a topic have a document twice, which is found later?"""
    refuse_sets(frame, "run", place)
    table = arrow_table(frame, place, partial(needed_columns, kind="run", columns=columns), with_one_type_a_column)
    table = with_a_row_a_document(table, "run", columns, place)
    ordered = in_order_of_rows(table, columns_of_roles(table.schema, "run", columns), columns)
    if ordered is not table:
        warn_of_order(place)
        table = ordered
    every = None if repeats else lambda: table
    return split_runs([(place, table)], columns, place, name or place, REMEDIES["run"], every=every)


def concat_tables(tables: Sequence[tuple[str, pyarrow.Table]]) -> pyarrow.Table:
    """The rows of all tables; columns of other types become text or doubles, as they are read."""
    import pyarrow

    if len(tables) == 1:
        return tables[0][1]
    names = [name for name in tables[0][1].column_names if all(name in table.column_names for _, table in tables)]
    columns = []
    for name in names:
        parts = [decoded(table.column(name)) for _, table in tables]
        kinds = {part.type for part in parts}
        if len(kinds) > 1:
            kind = pyarrow.large_string() if any(map(is_text, parts)) else pyarrow.float64()
            if all(pyarrow.types.is_integer(part.type) for part in parts):
                kind = pyarrow.int64()
            parts = [part.cast(kind) for part in parts]
        columns.append(pyarrow.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type))
    return pyarrow.Table.from_arrays(columns, names)


def split_runs(
    tables: Sequence[tuple[str, pyarrow.Table]],
    columns: Columns,
    place: str,
    name: str,
    remedy: str = "",
    *,
    repeats: bool = False,
    every: Callable[[], pyarrow.Table] | None = None,
) -> list[Run]:
    """The runs in the rows of some tables, by the columns that name runs; ``every`` gives the only table with all its
    columns, of which an unknown one may name runs."""
    whole = concat_tables(tables)
    names = columns_of_roles(whole.schema, "run", columns)
    chosen = choose_columns(names, "run", columns, place, remedy, partial(rows_of, whole, names))
    if every is not None and not chosen.runs:
        roles = [names[at] for at in (*chosen[:3], chosen.rank) if at is not None]
        refuse_unnamed_runs(whole, roles, columns, place, whole=every, nameable=not remedy)
    codes, named = _code_runs(whole, [names[at] for at in chosen.runs], place)
    if len(named) < 2:
        if tables[1:] and not repeats:
            require_apart(place, [_part_of_run(table, columns, part, part) for part, table in tables])
        return [_run_of_table(whole, columns, place, place, next(iter(named), "") or name, remedy)]
    plain = [as_plain_text(column) for column in whole.columns]
    whole = whole.from_arrays(plain, whole.column_names, metadata=whole.schema.metadata)
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(named) + 1)).tolist()
    ends_of_parts = np.cumsum([len(table) for _, table in tables])
    runs = []
    for number, one in enumerate(named):
        rows = order[ends[number] : ends[number + 1]]
        where = f"{place}, rows of the run {one}"
        if tables[1:] and not repeats:
            part_of = np.searchsorted(ends_of_parts, rows, side="right")
            named_parts = [(part, tables[part][0]) for part in np.unique(part_of).tolist()]
            require_apart(
                place,
                [
                    _part_of_run(whole.take(rows[part_of == part]), columns, file, f"{file}, rows of the run {one}")
                    for part, file in named_parts
                ],
            )
        run = _run_of_table(whole.take(rows), columns, place, where, one, remedy)
        if chosen.telling:
            run = replace(run, read_as=f"columns {chosen.list_names(names)}")
        runs.append(run)
    return runs


def _part_of_run(table: pyarrow.Table, columns: Columns, place: str, where: str) -> PartTopics:
    """The rows of a run in one part of a folder, all of them checked."""
    lines = _run_of_table(table, columns, place, where, where, "").lines
    return PartTopics(place, lines.topics(), lines.of)


def _run_of_table(table: pyarrow.Table, columns: Columns, place: str, where: str, name: str, remedy: str) -> Run:
    """The rows of one run; ``where``: how errors call them."""
    chosen = choose_of_table(table, "run", columns, where, remedy)
    lines = Lines.of_columns(*chosen.columns, where, chosen.ranks)
    return Run(lines, name, place, chosen.read_as, rank_column=chosen.rank_column)


def _code_runs(table: pyarrow.Table, columns: Sequence[str], place: str) -> tuple[Array, list[str]]:
    """int64[row]: which of some runs each row belongs to; and their names, in order of appearance."""
    import pyarrow

    coded = []
    for name in columns:
        column = decoded(table.column(name))
        if is_text(column) or pyarrow.types.is_integer(column.type):
            text = column.cast(pyarrow.large_string()).fill_null("")
            coded.append((name, *read_coded_ids(text, name, place)))
    if not coded or not len(table):
        return np.zeros(len(table), np.int64), []
    stacked = np.stack([codes for _, _, codes in coded], -1)
    combined, first, inverse = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
    keys = [tuple(known[code] for (_, known, _), code in zip(coded, row, strict=True)) for row in combined.tolist()]
    by_key = name_runs([keys[at] for at in np.argsort(first).tolist()], [name for name, _, _ in coded], place)
    names = list(dict.fromkeys(by_key.values()))
    number = np.array([names.index(by_key[key]) for key in keys])
    return number[inverse.reshape(-1)], names


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


def arrow_table(
    frame: Any,
    place: str,
    choose: Callable[[pyarrow.Schema], Sequence[str]] = lambda _: (),
    mend: Callable[[Any], Any | None] = lambda _: None,
) -> pyarrow.Table:
    """A frame as an Arrow table; ``place`` names it in messages; ``choose`` picks the columns of what is not in memory
    out of its schema, all of them where it picks none; ``mend`` makes of a frame that Arrow refuses one to try."""
    arrow = require_pyarrow(f"{place}: reading it needs")
    if isinstance(frame, arrow.Table):
        return frame
    try:
        return arrow.table(_gather(arrow, frame, choose))
    except (arrow.ArrowException, TypeError, ValueError, OverflowError, OSError) as error:
        if (mended := mend(frame)) is not None:
            return arrow_table(mended, place, choose)
        raise InputError(
            f"{place}: cannot be read as a table ({first_line(error)}); accepted: a table or data set of pyarrow; a "
            "frame of pandas, Polars, Dask or DuckDB; a dict of columns that each hold one type"
        ) from error


class NeededColumns(NamedTuple):
    """The names of the columns of judgments or of a run that are read, and of these the names of those which may hold
    the names of runs."""

    names: list[str]
    runs: list[str]


def find_needed(schema: pyarrow.Schema, kind: InputKind, place: str, remedy: str) -> NeededColumns:
    """The columns of a table that are read, known by their usual names; an error where one of the three is not."""
    names = columns_of_roles(schema, kind, GUESSED)
    chosen = choose_columns(names, kind, GUESSED, place, remedy)
    runs = [names[at] for at in chosen.runs]
    return NeededColumns([names[at] for at in (*chosen[:3], chosen.rank) if at is not None] + runs, runs)


def _gather(arrow: Any, frame: Any, choose: Callable[[pyarrow.Schema], Sequence[str]]) -> Any:
    """What is computed only on demand, as something that Arrow takes: frames of Polars and Dask, data sets and
    scanners of pyarrow, lists of LensKit."""
    match type(frame).__module__.partition(".")[0]:
        case "polars" if type(frame).__name__ == "LazyFrame":
            return frame.collect()
        case "dask":
            return frame.compute()
        case "lenskit":
            return frame.to_df()
        case "pyarrow" if hasattr(frame, "projected_schema"):
            return frame.to_table()
        case "pyarrow" if hasattr(frame, "to_table"):
            return frame.to_table(columns=list(choose(frame.schema)) or None)
        case "pandas" if {type(name) for name in frame.columns} > {str}:
            return _gather(arrow, frame.set_axis([*map(str, frame.columns)], axis=1), choose)  # else Arrow warns
        case "pandas" if type(frame.index).__name__ == "RangeIndex" and frame.index.name is not None:
            return arrow.Table.from_pandas(frame, preserve_index=True)  # else Arrow leaves these ids out
    return frame


class ChosenColumns(NamedTuple):
    """The three columns in the layout that the core reads, the format that was recognised, and the ranks that stand
    with the scores of a run: float64[row], NaN where none is given. Also how many judgments have no grade, the column
    of grades, where nobody named it, what is said of grades in words, and the highest grade that they name; the column
    of ranks that are not used, and whether other columns are said not to count."""

    columns: tuple[Ids, Ids, Array]
    read_as: str
    ranks: Array | None = None
    blank: int = 0
    grade_column: str = ""
    words: str = ""
    highest: float = 0.0
    rank_column: str = ""
    leaves_out: bool = False

    def place_rows(self, place: str) -> str:
        """What messages that number rows call the place."""
        return _name_rows(place) if self.blank else place


def _name_rows(place: str) -> str:
    """What messages call a place where rows are numbered that have a grade."""
    return f"{place}, rows with a grade"


def choose_of_table(
    table: pyarrow.Table, kind: InputKind, columns: Columns, place: str, remedy: str = ""
) -> ChosenColumns:
    """The three columns of judgments or of a run."""
    names = columns_of_roles(table.schema, kind, columns)
    chosen = choose_columns(names, kind, columns, place, remedy, partial(rows_of, table, names))
    query_id, doc_id, value = (names[at] for at in chosen[:3])
    needed = require_frame_columns(table, (query_id, doc_id, value), place, "rename one of them", missing=True)
    words = GradeWords(value)
    graded = _find_graded(needed[value], words) if kind == "qrels" else None
    blank = 0 if graded is None else len(graded) - graded.true_count
    if blank:
        needed, place = {name: as_plain_text(one).filter(graded) for name, one in needed.items()}, _name_rows(place)
    refuse_missing(needed, place)
    numbers = _read_values(needed[value], kind, value, words, place)
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
    if chosen.ranks:
        warn_of_restarts_of_rows(topics, numbers, value, place)
    elif kind == "run" and ranks is None and len(numbers):
        warn_of_scores_of_rows(lambda: topics()[1], numbers, value, place, "" if remedy else "--columns ")
    read_as = read_as_of(table) or ("" if known and not blank else f"columns {chosen.list_names(names)}{meaning}")
    guessed = value if kind == "qrels" and value != columns.grade else ""
    read_as += f"{'' if read_as or not words.said else f'columns {chosen.list_names(names)}'}{describe_blank(blank)}"
    unused = "" if chosen.rank is None else names[chosen.rank]
    left = LEAVES_OUT in (table.schema.metadata or {})
    return ChosenColumns(read, f"{read_as}{words.said}", ranks, blank, guessed, words.said, words.highest, unused, left)


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
    first = np.unique(codes, return_index=True)[1].tolist()
    read = [read_value(text, kind, name, words, f"{place}: row {row}") for text, row in zip(known, first, strict=True)]
    words.require_one_scale(read, place)
    numbers: Array = np.array(read, float)[codes]
    return numbers


def _find_graded(column: pyarrow.ChunkedArray, words: GradeWords) -> pyarrow.BooleanArray:
    """bool[row]: is there a grade, rather than null, NaN or a text that says so?"""
    import pyarrow
    from pyarrow import compute

    column = as_plain_text(decoded(column))
    there = compute.is_valid(column)
    if pyarrow.types.is_floating(column.type):
        there = compute.invert(compute.is_null(column, nan_is_null=True))
    elif is_text(column):
        none = [text for text in column.unique().to_pylist() if words.is_missing(text)]
        there = compute.invert(compute.is_in(column, pyarrow.array(none, column.type)))
    return there.combine_chunks()


def rows_of(table: pyarrow.Table, names: Sequence[str]) -> Iterable[Sequence[Any]]:
    """The first rows of a table, as values of Python."""
    first = table.slice(0, MOST_ROWS)
    return zip(*(first.column(name).to_pylist() for name in names), strict=True)


def columns_of_frame(frame: Any, kind: InputKind, place: str) -> pyarrow.Table:
    """The columns topic, document, value and rank of judgments or of a run, checked: text, and numbers (of ranks NaN
    where there is none). ``place`` names the frame in messages."""
    import pyarrow

    (topics, documents, values), _, ranks, *_ = choose_of_table(
        arrow_table(frame, place), kind, GUESSED, place, "rename it"
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
    types = pyarrow.types
    if not (types.is_integer(column.type) or types.is_floating(column.type) or types.is_decimal(column.type)):
        return None
    ranks = np.asarray(column.cast(pyarrow.float64(), safe=False).to_numpy())
    return np.where(np.abs(ranks) < HIGHEST_RANK, ranks, np.nan)


def columns_of_roles(schema: pyarrow.Schema, kind: InputKind, columns: Columns) -> list[str]:
    """The columns of a table, without the index of a frame of pandas, unless the user names one of its levels, or there
    are no other queries or documents."""
    names = columns_beside_index(schema, (columns.query, columns.doc, columns.of_values(kind)))
    if are_known(names, kind, columns):
        return names
    return [*names, *(level for level in index_of_ids(schema) if level not in names)]


def needed_columns(
    schema: pyarrow.Schema, kind: InputKind, columns: Columns, keys: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The names of the columns that will be read, with the ``keys`` of folders; none where they cannot be told."""
    names = columns_of_roles(schema, kind, columns)
    names += keys_beside(names, keys, kind, columns)
    try:
        chosen = choose_columns(names, kind, columns, "")
    except InputError:
        return []
    others = find_other_grades(names, chosen[:3]) if kind == "qrels" else []
    others += find_likely_runs(names, chosen[:3]) if kind == "run" and not chosen.runs else []
    places = (*chosen[:3], chosen.rank, *chosen.runs, *others)
    return [names[at] for at in places if at is not None and names[at] in schema.names]


RESERVED = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""The names of an index without one, as pyarrow and Dask write them: tools that know no index keep them as columns."""

WHY_NAMELESS = "column {0!r} has no name of its own, as an index that pandas wrote to csv; drop or rename it"
"""Why such a column is no feature."""


def index_columns(schema: pyarrow.Schema) -> list[str]:
    """The columns of a table that are the index of the frame from which it was made, by the metadata of pandas."""
    try:
        described = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
        marked = {level for level in described if isinstance(level, str)}
    except (KeyError, TypeError, ValueError):
        marked = set()  # not from pandas
    return [name for name in schema.names if name in marked or RESERVED.fullmatch(name)]


def columns_beside_index(schema: pyarrow.Schema, asked: Collection[str | None] = ()) -> list[str]:
    """The columns of a table, without its index, except levels that the user ``asked`` for by name."""
    index = set(index_columns(schema)) - set(asked)
    return [name for name in schema.names if name not in index]


def index_of_ids(schema: pyarrow.Schema) -> list[str]:
    """The levels of the index that are called as queries and documents usually are."""
    return [name for name in index_columns(schema) if normal_name(name) in {*QUERIES, *DOCUMENTS}]


def nameless(names: Sequence[str]) -> list[str]:
    """The columns that have no name of their own."""
    return [name for name in names if NAMELESS.fullmatch(str(name))]
