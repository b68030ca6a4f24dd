"""Tables of Arrow with several runs or raters, whose column of names has no usual name: the error says which it may
be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradeval._core import InputError
from gradeval.files.arrow_columns import decoded, is_text
from gradeval.files.column_names import is_segment
from gradeval.files.likely_runs import find_telling
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import quote
from gradeval.files.telling_columns import describe_telling
from gradeval.files.unknown_columns import is_index

if TYPE_CHECKING:
    import pyarrow


def refuse_unnamed_runs(
    table: pyarrow.Table, chosen: Sequence[str], columns: Columns, place: str, *, whole: Callable[[], pyarrow.Table]
) -> None:
    """Refuse a run that has a document twice in its first query, where another column tells its rows apart.

    ``chosen``: the columns of the queries, the documents and the values; ``whole`` gives the table with all columns.
    """
    import pyarrow
    from pyarrow import compute

    query, doc = (decoded(table.column(name)) for name in chosen[:2])
    nested = any(pyarrow.types.is_nested(one.type) for one in (query, doc))  # who reads them as ids says so
    if nested or not len(table) or query[0].as_py() is None:
        return
    rows = compute.indices_nonzero(compute.fill_null(compute.equal(query, query[0]), fill_value=False)).to_pylist()
    documents = doc.take(rows).to_pylist()
    if len(set(documents)) == len(documents):
        return
    size, table = len(table), whole()
    if len(table) != size:  # lists that were read in another way
        return
    others = [name for name in table.column_names if name not in chosen and _may_name(name, table.column(name))]
    cells = [decoded(table.column(name)).take(rows).to_pylist() for name in others]
    at = find_telling(zip(rows, documents, *cells, strict=True), 1, 1, range(2, len(others) + 2)) if others else None
    if at is None:
        return
    second = next(at for at, document in enumerate(documents) if document in documents[:at])
    first = documents.index(documents[second])
    how = describe_telling(others[at - 2], "run", chosen[0], chosen[1], columns)
    raise InputError(
        f"{place}: row {rows[second]}: document {quote(str(documents[second]))} of topic "
        f"{quote(str(query[0].as_py()))} was already given in row {rows[first]}; {how}"
    )


def find_raters(table: pyarrow.Table, chosen: Sequence[str]) -> str | None:
    """The column that tells apart all rows of judgments of the same document, as one of raters; None: no column does.

    ``chosen``: the columns of the topics, the documents and the grades.
    """
    query, doc, *_ = chosen
    others = [name for name in table.column_names if name not in chosen and _may_name(name, table.column(name))]
    others.sort(key=lambda name: not is_segment(name))
    if not others or not {*chosen} <= {*table.column_names}:
        return None
    cells = [decoded(table.column(name)).to_pylist() for name in (query, doc, *others)]
    at = find_telling(zip(*cells, strict=True), 0, 1, range(2, len(others) + 2))
    return None if at is None else others[at - 2]


def _may_name(name: str, column: pyarrow.ChunkedArray) -> bool:
    """Is it a column of text or of whole numbers, and no index without a name?"""
    import pyarrow

    if is_index(name):
        return False
    return is_text(column) or bool(pyarrow.types.is_integer(decoded(column).type))
