"""Two arrays for each topic, of ids and of their numbers, as implicit and indexes of nearest neighbours give them."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral, Real
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import InputKind


def are_paired(value: Any) -> bool:
    """Is it a pair of lists or arrays of equal length, ids and numbers that are not whole by their type? So it is no
    list of two documents, each with its number."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    ids, numbers = map(_as_list, value)
    if ids is None or numbers is None or len(ids) != len(numbers) or not ids:
        return False
    known = all(isinstance(one, str | Integral) and not isinstance(one, bool) for one in ids)
    return known and _are_fractions(numbers)


def pair_up(value: Any, kind: InputKind, where: str) -> list[tuple[Any, float]]:
    """The documents with their numbers; scores that rise down the list may be distances, and are refused."""
    ids, numbers = map(_as_list, value)
    assert ids is not None  # as are_paired says
    assert numbers is not None
    if kind == "run" and any(one < other for one, other in pairwise(numbers)):
        raise InputError(
            f"{where}: scores rise down the list; if these are distances, of which less is better, give the ids alone; "
            "if they are scores, give list(zip(ids, scores))"
        )
    return list(zip(ids, numbers, strict=True))


def refuse_others(value: Any, where: str) -> None:
    """Refuse two other arrays, or a tuple of two lists, which would be read as two documents with their numbers."""
    if isinstance(value, list | tuple) and len(value) == 2:
        arrays = all(getattr(one, "ndim", 0) == 1 for one in value)
        if arrays or (isinstance(value, tuple) and all(isinstance(one, list) for one in value)):
            raise InputError(f"{where}: has two lists; give dict(zip(ids, numbers))")


def _are_fractions(items: list[Any]) -> bool:
    """Are they numbers that are not whole by their type?"""
    return all(isinstance(one, Real) and not isinstance(one, Integral) for one in items)


def _as_list(value: Any) -> list[Any] | None:
    """The items of a list or of an array of one dimension; None for others."""
    if isinstance(value, list | tuple):
        return list(value)
    return list(value.tolist()) if getattr(value, "ndim", 0) == 1 and hasattr(value, "tolist") else None
