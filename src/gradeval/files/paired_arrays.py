"""Two arrays for each topic, of ids and of their numbers, as implicit and indexes of nearest neighbours give them."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral, Real
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import InputKind

ROW = 3
"""Items of a row of topic, document and number, at most."""


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


def refuse_unclear(value: Any, kind: InputKind, where: str) -> None:
    """Refuse ids and numbers in two arrays, which may not be told apart, come in the other order, or differ in
    length."""
    if not isinstance(value, list | tuple) or len(value) != 2 or any(isinstance(one, tuple) for one in value):
        return
    first, second = map(_as_list, value)
    if not first or not second:
        return
    mapping, numbers = ("QRELS", "grades") if kind == "qrels" else ("RUN", "scores")
    in_order = f"{{u: dict(zip(*pair)) for u, pair in {mapping}.items()}}"
    turned = f"{{u: dict(zip(ids, {numbers})) for u, ({numbers}, ids) in {mapping}.items()}}"
    worded = _are_whole(first) and all(isinstance(one, str) for one in second)
    turns = worded or (_are_fractions(first) and _are_ids(second))
    if len(first) != len(second):
        if turns or (_are_ids(first) and _are_fractions(second)):
            sizes = f"{len(first)} and {len(second)} items"
            raise InputError(f"{where}: two arrays have {sizes}; give each id one number")
    elif turns:
        raise InputError(f"{where}: {numbers} come before their ids; give {turned}")
    elif _are_ids(first) and _are_whole(second) and (isinstance(value, tuple) or _are_counts(second, first)):
        if isinstance(first[0], str):
            raise InputError(f"{where}: two arrays are ids and whole numbers; give {in_order}")
        raise InputError(
            f"{where}: two arrays are of whole numbers, and either may be the ids; if ids come first, give {in_order}; "
            f"if {numbers} do, give {turned}"
        )


def _are_counts(numbers: list[Any], ids: list[Any]) -> bool:
    """Do they fall, some of them equal, beside ids that differ, as no rankings do; and are they no rows?"""
    falls = all(one >= other for one, other in pairwise(numbers))
    return len(numbers) > ROW and falls and len({*numbers}) < len(numbers) and len({*ids}) == len(ids)


def _are_ids(items: list[Any]) -> bool:
    return _are_whole(items) or all(isinstance(one, str) for one in items)


def _are_whole(items: list[Any]) -> bool:
    return all(isinstance(one, Integral) and not isinstance(one, bool) for one in items)


def _are_fractions(items: list[Any]) -> bool:
    """Are they numbers that are not whole by their type?"""
    return all(isinstance(one, Real) and not isinstance(one, Integral) for one in items)


def _as_list(value: Any) -> list[Any] | None:
    """The items of a list or of an array of one dimension; None for others."""
    if isinstance(value, list | tuple):
        return list(value)
    return list(value.tolist()) if getattr(value, "ndim", 0) == 1 and hasattr(value, "tolist") else None
