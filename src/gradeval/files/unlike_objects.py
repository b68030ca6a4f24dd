"""Objects that are no judgments and no run as they stand: what they are, and the line that makes one of them."""

from __future__ import annotations

from itertools import islice
from numbers import Integral
from typing import Any

from gradeval.files.column_names import HIGHEST_GRADE, InputKind
from gradeval.messages import kind_of

CONVERSIONS = ("toPandas", "to_pandas", "_to_pandas", "to_pyarrow", "fetch_arrow_table", "df")
"""What gives a frame of pandas, or a table of Arrow, of objects of Spark, Modin, Ibis, DuckDB and others."""


def describe_given(given: Any, kind: InputKind, called: str | None = None) -> str:
    """What is given instead of judgments or of a run, and what to type; ``called``: the name given to the run."""
    what = kind_of(given)
    if hasattr(given, "tocoo"):
        rows = "list(zip(m.row.tolist(), m.col.tolist(), m.data.tolist()))"
        return f"{what}; give its rows (topic, document, number): m = MATRIX.tocoo(); {rows}"
    if getattr(given, "ndim", 0) == 2 and are_numbers(given):
        return f"{what} of two dimensions without topics; {_describe_matrix(given, kind, called)}"
    if are_numbers(given):
        return (
            f"{what} of numbers alone; give the frame with the topics and documents, or {{topic: {{document: number}}}}"
        )
    if (method := find_conversion(given)) is not None:
        return f"{what}; give the frame that its {method}() makes"
    if not isinstance(given, list | tuple):
        return what
    if not given:
        return f"{what} without items"
    first = f"{what}, whose first item is {kind_of(given[0])}"
    lists = ", or ".join(_named(f"dict({how})", called) for how in ("zip(users, LISTS)", "enumerate(LISTS)"))
    if getattr(given[0], "ndim", 0) == 2:
        return f"{first}; take one of its arrays: {_describe_matrix(given[0], kind, called)}"
    if isinstance(given[0], list | set | frozenset) or getattr(given[0], "ndim", 0) == 1:
        return f"{first}; give the topics with them: {lists}"
    if kind == "run" and isinstance(given[0], Integral):
        return f"{first}; for a list of each topic give {lists}"
    return first


def _named(run: str, called: str | None) -> str:
    """What to type for the run, behind its name where it was given by one."""
    return run if called is None else f"{{{called!r}: {run}}}"


def find_conversion(given: Any) -> str | None:
    """The method that makes a frame or a table; None: there is none that is known."""
    if type(given).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow"):
        return None
    return next((name for name in CONVERSIONS if callable(getattr(given, name, None))), None)


def are_numbers(value: object) -> bool:
    """Is it a column or an array of numbers, as a Series of pandas or Polars, or a tensor?"""
    kind = getattr(value, "dtype", None)
    numeric = getattr(kind, "is_numeric", None)  # of Polars
    if hasattr(kind, "is_floating_point"):  # of PyTorch
        return True
    return bool(numeric()) if callable(numeric) else str(getattr(kind, "kind", "")) in ("f", "i", "u", "b")


def _describe_matrix(matrix: Any, kind: InputKind, called: str | None) -> str:
    """What to type of an array of two dimensions: rows of ids, of rows of grades or scores for each item, or of
    triples."""
    rows = [row.tolist() for row in islice(iter(matrix), 100)]
    cells = [cell for row in rows for cell in row]
    whole = all(isinstance(cell, int) and not isinstance(cell, bool) for cell in cells)
    if whole and (kind == "run" or max(cells, default=0) > HIGHEST_GRADE):
        return f"give {{topic: row}}, as in {_named('dict(zip(users, ids))', called)}"
    if rows and len(rows[0]) == 3 and all(float(cell).is_integer() for row in rows for cell in row[:2]) and not whole:
        return "give rows (topic, document, number): [(int(u), int(i), x) for u, i, x in ROWS.tolist()]"
    name = "GRADES" if kind == "qrels" else "SCORES"
    by_topic = _named(f"{{u: dict(zip(items, row)) for u, row in zip(users, {name}.tolist())}}", called)
    return f"of numbers for each item give {by_topic}; grades and scores together are for judge_arrays()"
