"""Tables of Arrow that hold within objects what is needed: the error proposes dotted names of parts, as of JSON."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from gradeval._core import InputError
from gradeval.files.chosen_columns import choose_of_table
from gradeval.files.column_names import InputKind
from gradeval.files.dotted_columns import name_parts, with_parts
from gradeval.files.frame_columns import columns_of_roles
from gradeval.files.list_columns import in_order_of_rows, with_a_row_a_document
from gradeval.files.named_columns import Columns
from gradeval.files.nested_names import describe_parts, describe_scores, propose_columns

if TYPE_CHECKING:
    import pyarrow

TRIED = 20
"""Rows that are read to tell whether names of parts are right."""


@contextmanager
def proposing_parts(
    whole: Callable[[], pyarrow.Table], kind: InputKind, columns: Columns, place: str
) -> Iterator[None]:
    """Within it an error on a table of which no column is known names the parts of objects that hold what is needed.

    ``whole`` gives the table with all columns."""
    try:
        yield
    except InputError as error:
        raise _name_parts(whole(), kind, columns, place) or error from None


def _name_parts(table: pyarrow.Table, kind: InputKind, columns: Columns, place: str) -> InputError | None:
    """The error that proposes names; None: the first rows can be read, or no usual names of parts tell."""
    head = table.slice(0, TRIED)
    names = columns_of_roles(table.schema, kind, columns)
    if len({*names}) < len(names):
        return None

    def reads(named: Columns) -> bool:
        """Are the first rows read under these names?"""
        try:
            with warnings.catch_warnings(action="ignore"):
                spread = with_a_row_a_document(head, kind, named, place)
                if kind == "run":
                    spread = in_order_of_rows(spread, columns_of_roles(spread.schema, kind, named), named)
                choose_of_table(spread, kind, named, place)
        except InputError:
            return False
        return True

    unmet = name_parts(with_parts(head, columns, place).column_names, columns)  # the error names these
    if unmet or reads(columns):
        return None
    propose = partial(propose_columns, head.select(names).to_pylist(), kind, columns, reads)
    called = "frame" if columns.in_python else ""
    if given := propose():
        return InputError(f"{place}: {describe_parts(given, names, kind, columns, frame=called)}")
    scored = propose(scores=True) if kind == "qrels" else {}
    return InputError(f"{place}: {describe_scores(scored, columns, frame=called)}") if scored else None
