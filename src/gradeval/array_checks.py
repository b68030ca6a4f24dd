"""Checks of the arrays that users pass; ``arguments`` checks single values.

Arrays are NumPy's, tensors of PyTorch, whatever speaks DLPack or becomes a NumPy array. Each function returns a
plain array of NumPy, or raises an InputError of one line that names the array, what it holds and what is accepted.
Text, dates and complex numbers are never taken for numbers, a mask is never dropped, and sizes are never added up
where their sum may overflow.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradeval._core import InputError
from gradeval.messages import shown

EXACT = 2**53
"""The whole numbers up to here are all floating-point numbers; beyond, neighbours become equal."""
INTEGERS: Any = (int, np.integer)
DOUBLE = 8
"""Bytes of a double."""
HEAVIEST = 1e30
"""The largest weight: gradients of that weight are numbers in single precision."""
MISSING = ("NAType", "NaTType")
"""The types of pandas for missing values, which need not be installed."""


def read_array(what: str, values: Any) -> NDArray[Any]:
    """Values of any type as an array of NumPy: without a copy where they lie in memory, tensors detached and taken to
    the processor."""
    if type(values) is np.ndarray:
        return values
    _require_unmasked(what, values)
    try:
        return _to_numpy(values)
    except Exception:  # whatever a foreign type raises in its own methods
        raise InputError(f"{what}: {shown(type(values).__name__)} is no array; give numbers of one shape") from None


def read_numbers(what: str, values: Any) -> NDArray[Any]:
    """Integers, floats up to doubles, or bools, in native byte order; Python's numbers become doubles. They may be NaN
    or infinite."""
    array = read_array(what, values)
    if array.dtype.kind == "O":
        return _of_objects(what, array)
    if array.dtype.kind not in "fiub":
        raise InputError(f"{what}: {array.dtype} are not numbers; give an array of integers or floats")
    if array.dtype.kind == "f" and array.dtype.itemsize > DOUBLE:
        return _to_doubles(what, array)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def read_doubles(what: str, values: Any) -> NDArray[np.float64]:
    """float64[...]: numbers, of which no two that differ become equal; they may be NaN or infinite."""
    array = read_numbers(what, values)
    require_exact(what, array)
    return np.asarray(array, np.float64)


def read_finite(what: str, values: Any) -> NDArray[np.float64]:
    """float64[...]: the same, and finite."""
    array = read_doubles(what, values)
    require_finite(what, array)
    return array


def read_weights(what: str, values: Any) -> NDArray[np.float64]:
    """float64[...]: from 0 to ``HEAVIEST``, and not all 0."""
    array = read_doubles(what, values)
    wrong = ~((array >= 0) & (array <= HEAVIEST))
    if wrong.any() or (array.size and not array.any()):
        place = np.argwhere(wrong)[0].tolist() if wrong.any() else [0] * array.ndim
        raise InputError(
            f"{what}{place} is {array[tuple(place)]:g}; weights are finite, 0 or more, and not all 0; at most "
            f"{HEAVIEST:g}"
        )
    return array


def read_flags(what: str, values: Any) -> NDArray[np.bool_]:
    """bool[...]: of True and False, or 1 and 0."""
    array = read_numbers(what, values)
    if array.dtype != bool and not ((array == 0) | (array == 1)).all():
        raise InputError(f"{what} is neither True nor False everywhere; give True for a document, False for padding")
    return array.astype(bool, copy=False)


def read_whole(what: str, values: Any) -> NDArray[np.int64]:
    """int64[n]: whole numbers from 0, stored as integers."""
    array = read_array(what, values)
    if array.size == 0:
        array = array.astype(np.int64) if array.dtype.kind in "fiu" else array
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{what}: {array.dtype}{list(array.shape)} is not a list of whole numbers; give integers [n]")
    if array.size and (array.min() < 0 or array.max() > EXACT):
        place = int(np.argmax((array < 0) | (array > EXACT)))
        raise InputError(f"{what}[{place}] is {array[place]}; give whole numbers from 0 to {EXACT}")
    return array.astype(np.int64)


def add_up_to(sizes: NDArray[Any], rows: int) -> bool:
    """Whether integers are all above 0 and their sum is ``rows``, whatever they are: none is added that is larger."""
    few = sizes.dtype.kind in "iu" and sizes.ndim == 1 and len(sizes) <= rows
    return few and bool(((sizes > 0) & (sizes <= rows)).all()) and int(sizes.astype(np.int64).sum()) == rows


def read_sizes(what: str, values: Any, rows: int) -> NDArray[np.int64]:
    """int64[query]: the numbers of rows of consecutive queries, which add up to ``rows``."""
    sizes = read_whole(what, values)
    total = sum(sizes.tolist())  # exact, however large
    if total != rows:
        raise InputError(
            f"{what}: the queries have {total} rows, the data has {rows}: their sizes do not add up; give the number "
            "of rows of each query"
        )
    return sizes


def read_offsets(what: str, values: Any, rows: int) -> NDArray[np.int64]:
    """int64[query + 1]: where each query begins, from 0, and the number of rows."""
    offsets = read_whole(what, values)
    if not len(offsets) or offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any():
        raise InputError(f"{what} must ascend from 0: where each query begins, and the number of rows")
    if offsets[-1] != rows:
        raise InputError(f"{what}: the queries have {offsets[-1]} rows, the data has {rows}: give offsets of these")
    return offsets


def read_queries(what: str, values: Any) -> NDArray[Any]:
    """The query of each row, [n] of any type that has no missing value."""
    array = read_array(what, values)
    if array.ndim != 1:
        raise InputError(f"{what} has {array.ndim} axes, not one: give the query of each row")
    if array.dtype.kind not in "fOMm":
        return array
    array = read_numbers(what, array) if array.dtype.kind == "f" else array
    missing = [row for row, query in enumerate(array.tolist()) if _is_missing(query)]
    if missing:
        raise InputError(f"{what}: row {missing[0]}: the query is missing ({len(missing)} of {len(array)} rows)")
    return array


def number_queries(what: str, queries: NDArray[Any]) -> NDArray[np.intp]:
    """intp[n]: the query of each row as its number, counted from 0 in the order in which they first appear."""
    if queries.dtype.kind != "O":
        _, first, code = np.unique(queries, return_index=True, return_inverse=True)
        place = np.empty(len(first), np.intp)
        place[np.argsort(first)] = np.arange(len(first))
        return place[code]
    numbers: dict[Any, int] = {}  # values of several types have no order
    try:
        return np.array([numbers.setdefault(query, len(numbers)) for query in queries.tolist()], np.intp)
    except TypeError:
        raise InputError(f"{what}: a query is no text or number; give the query of each row") from None


def require_finite(what: str, values: NDArray[Any], there: NDArray[np.bool_] | None = None) -> None:
    """An InputError where a number is NaN or infinite; ``there`` says of which numbers that matters."""
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    _refuse_first(what, values, ~np.isfinite(values), there, "give finite numbers")


def require_exact(what: str, values: NDArray[Any], there: NDArray[np.bool_] | None = None) -> None:
    """An InputError for integers so large that floating-point numbers do not tell neighbours apart."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return
    if values.max() <= EXACT and values.min() >= -EXACT:
        return
    wrong = (values > EXACT) | (values < -EXACT) if values.dtype.kind == "i" else values > EXACT
    advice = f"integers beyond {EXACT} tie with their neighbours as floats: give ranks, or subtract the smallest"
    _refuse_first(what, values, wrong, there, advice)


def _refuse_first(
    what: str, values: NDArray[Any], wrong: NDArray[np.bool_], there: NDArray[np.bool_] | None, advice: str
) -> None:
    if there is not None:
        values, wrong = np.broadcast_arrays(values, wrong & there)
        advice = f"{advice}, and mask=False for padding"
        if not wrong.any():
            return
    place = np.argwhere(wrong)[0].tolist()
    raise InputError(f"{what}{place or ''} is {values[tuple(place)]}; {advice}")


def _require_unmasked(what: str, values: Any) -> None:
    """An InputError for a masked array, or a list of some, with values that are masked."""
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)  # NumPy imports it with the first masked array
    if masked is None:
        return
    for part in values if isinstance(values, list | tuple) else [values]:
        if isinstance(part, masked) and (count := int(np.count_nonzero(np.ma.getmaskarray(part)))):
            raise InputError(
                f"{what}: {count} of {part.size} values are masked; take these out, fill them (.filled(...)), or give "
                "a mask= where the function takes one"
            )


def _to_numpy(values: Any) -> NDArray[Any]:
    for step in ("detach", "cpu"):
        values = getattr(values, step)() if hasattr(values, step) else values
    if hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray):
        try:
            return np.from_dlpack(values)
        except Exception:  # a type that NumPy has not, such as bfloat16
            values = values.float() if hasattr(values, "float") else values
    return np.asarray(values)


def _to_doubles(what: str, array: NDArray[Any]) -> NDArray[np.float64]:
    """Longer floats as doubles, infinite beyond their range; an InputError where two that differ become equal."""
    with np.errstate(over="ignore"):
        narrow = array.astype(np.float64)
    if len(np.unique(array)) != len(np.unique(narrow)):
        raise InputError(f"{what}: numbers of {array.dtype} that differ are equal as float64; give float64")
    return narrow


def _of_objects(what: str, array: NDArray[Any]) -> NDArray[np.float64]:
    """float64[...] of Python's numbers: int, float, Fraction, Decimal."""
    from decimal import Decimal  # here, as few arrays hold objects

    flat: Sequence[Any] = array.ravel().tolist()
    value: Any
    for value in flat:
        if not isinstance(value, Real | Decimal | np.bool_):
            raise InputError(f"{what}: {shown(value)} is not a number; give an array of integers or floats")
        if isinstance(value, INTEGERS) and abs(int(value)) > EXACT:
            raise InputError(f"{what}: {shown(value)} is beyond {EXACT}, from where integers tie as floats")
    try:
        return np.array([float(value) for value in flat]).reshape(array.shape)
    except (OverflowError, ValueError):  # a Fraction beyond all floats, a Decimal sNaN
        raise InputError(f"{what}: a number is no float; give an array of integers or floats") from None


def _is_missing(query: Any) -> bool:
    """Whether the query of a row is None, NaN, or what NumPy and pandas have for them."""
    return query is None or type(query).__name__ in MISSING or (isinstance(query, float) and query != query)
