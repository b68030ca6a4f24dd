"""Tables that hold a list of documents in each row, or no scores: as tables with a row and a value a document."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.files.column_names import (
    DOCUMENTS,
    GRADES,
    HIGHEST_GRADE,
    MOST_GRADES,
    QUERIES,
    RANKS,
    RUNS,
    SCORES,
    InputKind,
    find_column,
    first_usual,
    normal_name,
)
from gradeval.files.dotted_columns import with_parts
from gradeval.files.frame_tables import rows_of
from gradeval.files.list_names import NEGATIVE, OF_DOCUMENTS, find_list_column, find_lists, refuse_text_lists
from gradeval.files.lists_again import require_same_lists
from gradeval.files.named_columns import Columns
from gradeval.files.padding import without_padding
from gradeval.files.pair_columns import find_ordered_pairs
from gradeval.files.record_names import IDS, LISTS, OF_RETRIEVED, is_of_judgments, words_of
from gradeval.files.unknown_columns import MOST_ROWS
from gradeval.files.wide_rows import IN_ORDER_OF_COLUMNS, WideColumns, find_wide, lengthen, refuse_other_lists
from gradeval.warning_categories import FilesWarning, warn

if TYPE_CHECKING:
    import pyarrow

NAMES_OF_BOTH = frozenset("prediction pred y_pred label gold gold_label relevant rel".split())
"""Names of grades and of scores that lists of documents have, too."""
READ_AS = b"gradeval.read_as"
LEAVES_OUT = b"gradeval.leaves_out"
"""Where the metadata of such a table say what messages call it."""


def with_a_row_a_document(table: pyarrow.Table, kind: InputKind, columns: Columns, place: str) -> pyarrow.Table:
    """The table with a row a document, where a column holds lists of documents; else the same table.

    Lists of grades or scores with them, of equal lengths, and fields of documents that are objects are kept; scores
    beside retrieved documents are no grades. Without them documents of judgments have grade 1, and documents of a run
    are in rank order.
    """
    table = with_parts(table, columns, place)
    names, given = table.column_names, columns.of_values(kind)
    if (wide := find_wide(names, columns, kind)) is not None:
        columns.met.update(dict.fromkeys(names))
        return _lengthen(table, wide, place)
    refuse_other_lists(names, columns, kind, place)
    if kind == "run" and names and all(map(str.isdecimal, names)):
        raise InputError(f"{place}: rows name no topics; make these the index, as in pandas: frame.index = users")
    lists = [name for name, of in zip(names, table.schema.types, strict=True) if _is_list(of)]
    if not lists or len({*names}) < len(names):
        return table
    _refuse_written(table, lists, kind, columns, place)
    values = [name for name in GRADES if name not in LISTS[kind]] if kind == "qrels" else [*SCORES, *RANKS]
    for name in names:
        called = normal_name(name)
        if name not in lists and (called in DOCUMENTS or (kind == "run" and (called in values or name == given))):
            return table  # lists next to documents are vectors and the like; one score is none for each document
    of_values = [
        name
        for name in lists
        if name != columns.doc and (name == given or (_singular(name) in values and not _may_be_ids(name, table)))
    ]
    likely = [name for name in lists if name not in of_values]
    judged = [name for name in likely if kind == "qrels" and is_of_judgments(name)]
    found = [name for name in likely if kind == "run" and words_of(name) & OF_RETRIEVED]
    documents = next(
        filter(
            None,
            (
                [name for name in lists if name == columns.doc],
                [name for name in judged if _holds_documents(name, kind)],
                [name for name in judged if not words_of(name) & NEGATIVE],
                [name for name in found if _holds_documents(name, kind)] or found,
                [name for name in likely if _holds_documents(name, kind)],
            ),
        ),
        likely,
    )
    if len(documents) != 1 or (columns.doc is not None and documents != [columns.doc]):
        return table
    others = {*lists} - {*documents, *of_values}
    if kind == "qrels" and any(map(_may_be_retrieved, others)):
        of_values = [name for name in of_values if name == given or _singular(name) not in SCORES]
    if kind == "qrels" and given in of_values and _are_ids(table.column(given)):
        said = f"{given!r} may hold ids, as its lists repeat no number, and some numbers are high for grades"
        warn(f"{place}: {said}; if {documents[0]!r} holds only relevant documents, name no grades", FilesWarning)
    return _spread(table, documents[0], of_values[:1], kind, columns, place)


def _refuse_written(table: pyarrow.Table, lists: list[str], kind: InputKind, columns: Columns, place: str) -> None:
    """Refuse lists as text in the column that counts by its name, beside other ``lists``."""
    names, rows = table.column_names, partial(rows_of, table, table.column_names)
    pair = find_list_column(names, kind, columns)
    if columns.doc is None and pair is not None and names[pair[1]] in {*find_lists(names, rows)} - {*lists}:
        refuse_text_lists(names, kind, place, rows, columns)


def _lengthen(table: pyarrow.Table, wide: WideColumns, place: str) -> pyarrow.Table:
    """A row for each document of rows that hold a list each, a document a column."""
    import pyarrow

    names = table.column_names
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    located = ((number, f"{place}: row {number}", row) for number, row in enumerate(rows))
    cells = [*lengthen(located, wide, names, place)]
    value = "relevance" if wide.kind == "qrels" else "score" if wide.values else "rank"
    values: list[Any] = [cell.value for cell in cells]
    if any(isinstance(one, str) for one in values):
        values = [None if one is None else str(one) for one in values]
    long: dict[str, Any] = {
        "query_id": pyarrow.array([cell.topic for cell in cells], pyarrow.string()),
        "doc_id": pyarrow.array([cell.document for cell in cells], pyarrow.string()),
        value: pyarrow.array(values),
    }
    if wide.run is not None:
        long["run"] = pyarrow.array([cell.run for cell in cells], pyarrow.string())
    what, order = "a ranked list", "" if wide.values else f", {IN_ORDER_OF_COLUMNS}"
    if wide.kind == "qrels":
        what, order = "relevant documents", "" if wide.values else ", grade 1 each"
    said = f"{what} a row (columns {wide.tell(names)}){order}"
    return pyarrow.table(long).replace_schema_metadata({READ_AS: said.encode()})


def find_pair_with_list(table: pyarrow.Table, names: list[str], columns: Columns) -> tuple[int, int] | None:
    """The columns of topics and of the only lists among ``names``, which have no name of documents; None: there are
    none, or several."""
    query = find_column(names, columns.query, QUERIES)
    lists = [name for name in names if name in table.column_names and _is_list(table.schema.field(name).type)]
    if query is None or len(lists) != 1 or names[query] == lists[0]:
        return None
    columns.met.update(dict.fromkeys(names))
    return query, names.index(lists[0])


def _spread(
    table: pyarrow.Table, documents: str, of_values: list[str], kind: InputKind, columns: Columns, place: str
) -> pyarrow.Table:
    """A row for each document in the lists."""
    import pyarrow
    from pyarrow import compute

    for name in (documents, *of_values):
        missing = table.column(name).null_count
        lengths = compute.list_value_length(table.column(name)).fill_null(0).to_numpy()
        if missing or (kind == "qrels" and not lengths.all()):
            row, query = int(np.argmin(lengths)), find_column(table.column_names, columns.query, QUERIES)
            topics = "QUERY" if query is None else repr(table.column_names[query])
            raise InputError(
                f"{place}: row {row}: {name} is {'missing' if missing else 'an empty list'}; in pandas drop such rows, "
                f"df[df[{name!r}].str.len() > 0], or keep their topics: dict(zip(df[{topics}], df[{name!r}]))"
            )
        if name != documents and (lengths != compute.list_value_length(table.column(documents)).to_numpy()).any():
            raise InputError(f"{place}: lists in {documents} and in {name} differ in length; give each document one")
    listed = table.column(documents).combine_chunks()
    parents = compute.list_parent_indices(listed)
    flat = compute.list_flatten(listed)
    rows = table.select([name for name in table.column_names if not _is_list(table.schema.field(name).type)])
    rows = pyarrow.Table.from_arrays(
        [rows.column(name).take(parents) for name in rows.column_names],
        schema=pyarrow.schema([(name, rows.column(name).type) for name in rows.column_names]),
    )
    value, called = None, "relevance" if kind == "qrels" else "score"
    if pyarrow.types.is_struct(flat.type):
        fields = {normal_name(field.name): field.name for field in flat.type}
        document = first_usual(fields, (*IDS, *DOCUMENTS))
        usual = [*(name for name in GRADES if name not in SCORES)] if kind == "qrels" else [*SCORES]
        number = first_usual(fields, usual)
        if document is None:
            raise InputError(
                f"{place}: column {documents!r} holds objects without an id (they have {', '.join(fields)}); call it id"
            )
        value = None if number is None else compute.struct_field(flat, number)
        flat = compute.struct_field(flat, document)
    elif of_values:
        called = of_values[0] if of_values[0] == columns.of_values(kind) else called
        if normal_name(_singular(of_values[0])) in RANKS:
            called = "rank"
        value = compute.list_flatten(table.column(of_values[0]).combine_chunks())
    if value is None and kind == "run":
        called, value = "rank", pyarrow.array(_places(parents.to_numpy()))
    elif value is None and not any(normal_name(name) in GRADES or name == columns.grade for name in rows.column_names):
        value = pyarrow.array(np.ones(len(flat)))
        if (query := find_column(table.column_names, columns.query, QUERIES)) is not None:
            require_same_lists(zip(table.column(query).to_pylist(), listed.to_pylist(), strict=True), place)
    doc = documents if documents == columns.doc else "doc_id"
    rows = rows.append_column(doc, flat)
    if value is not None:
        rows = rows.append_column(called, value)
    if kind == "qrels":  # of runs also rows without lists lose them
        rows, _ = without_padding(rows, doc, place)
    order = ", in the order of the lists" if called == "rank" and not of_values else ""
    said = f"a list of documents a row (column {documents}){order}"
    columns.met.update(dict.fromkeys(table.column_names))
    return rows.replace_schema_metadata({**(table.schema.metadata or {}), READ_AS: said.encode()})


def in_order_of_rows(table: pyarrow.Table, names: list[str], columns: Columns) -> pyarrow.Table:
    """The table of a run with ranks, where its rows are in rank order, as ``find_ordered_pairs`` says; else the same.
    ``names``: its columns with the index."""
    import pyarrow

    if len({*table.column_names}) < len(table.column_names) or not len(table):
        return table
    if (pair := find_ordered_pairs(names, columns, partial(rows_of, table, names))) is None:
        return table
    query, doc = (names[at] for at in pair)
    groups = [name for name in names if name == query or (normal_name(name) in RUNS and name != doc)]
    coded = []
    for name in groups:
        column = table.column(name)
        column = column if pyarrow.types.is_dictionary(column.type) else column.dictionary_encode()
        coded.append(column.unify_dictionaries().combine_chunks().indices.fill_null(-1).to_numpy())
    _, group = np.unique(np.stack(coded), axis=1, return_inverse=True)
    said = f"columns {query}, {doc}, in the order of its rows"
    table = table.append_column("rank", pyarrow.array(_places(group.reshape(-1))))
    return table.replace_schema_metadata({**(table.schema.metadata or {}), READ_AS: said.encode()})


def read_as_of(table: pyarrow.Table) -> str:
    """What messages call a table that was changed so; empty for others."""
    return bytes((table.schema.metadata or {}).get(READ_AS, b"")).decode()


def _places(group: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """int64[row]: the place of each row, from 1, among the rows of its group."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    places = np.empty(len(group), np.int64)
    places[order] = np.arange(len(group)) - np.repeat(first, np.diff([*first, len(group)])) + 1
    return places


def _is_list(kind: pyarrow.DataType) -> bool:
    import pyarrow

    types = pyarrow.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _singular(name: str) -> str:
    """The normal name, without the s of several."""
    return normal_name(name).removesuffix("s")


def _may_be_ids(name: str, table: pyarrow.Table) -> bool:
    """Does a column with a name of both, as predictions and labels, hold documents?"""
    return _singular(name) in NAMES_OF_BOTH and _are_ids(table.column(name))


def _are_ids(column: pyarrow.ChunkedArray) -> bool:
    """Does a column hold lists of ids, as no row repeats an entry, and no numbers are grades?"""
    rows = [row for row in column.slice(0, MOST_ROWS).to_pylist() if row]
    whole = all(isinstance(one, int) for row in rows for one in row)
    if not whole and not all(isinstance(one, str) for row in rows for one in row):
        return False
    every = {one for row in rows for one in row}
    high = max(every, default=0) > HIGHEST_GRADE if whole else len(every) > MOST_GRADES
    return high and all(len({*row}) == len(row) for row in rows)


def _may_be_retrieved(name: str) -> bool:
    """Is a list called as documents are, and not as relevant ones?"""
    of_documents = normal_name(name) in LISTS["run"] or words_of(name) & (OF_DOCUMENTS | OF_RETRIEVED)
    return bool(of_documents) and not is_of_judgments(name)


def _holds_documents(name: str, kind: InputKind) -> bool:
    """Is the column called as documents, or lists of them, usually are?"""
    return normal_name(name) in (*DOCUMENTS, *LISTS[kind]) or _singular(name) in DOCUMENTS
