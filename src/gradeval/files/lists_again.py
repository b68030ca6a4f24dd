"""Judged lists that come again for a query, as in records of several runs: the same list counts once, another one is
refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.collection.runs import Again
from gradeval.files.plain_text import quote


def add_same_list(
    documents: dict[str, float], again: Mapping[str, float], topic: str, place: str, remedy: Callable[[], str]
) -> None:
    """Add the judgments of a list that comes again, or refuse another list; ``remedy``: what to do then."""
    require_same_list(documents, again, topic, place, remedy)
    documents |= {Again(document): grade for document, grade in again.items()}


def require_same_list(
    documents: Mapping[str, float], again: Mapping[str, float], topic: str, place: str, remedy: Callable[[], str]
) -> None:
    """Refuse a list that comes again with other documents or grades."""
    known, other = ({str(one): grade for one, grade in table.items()} for table in (documents, again))
    one = next((one for one in {**known, **other} if known.get(one) != other.get(one)), None)
    if one is not None:
        graded = one in known and one in other
        differ = f"has grades {known[one]:g} and {other[one]:g}" if graded else "is only in one list"
        given = f"query {quote(topic)} was already given with another list (document {quote(one)} {differ})"
        raise InputError(f"{place}: {given}; {remedy()}")


def require_same_lists(rows: Iterable[tuple[Any, list[Any]]], place: str) -> None:
    """Refuse rows of a table whose lists for a topic differ."""
    first: dict[Any, list[Any]] = {}
    for number, (topic, documents) in enumerate(rows):
        before = first.setdefault(topic, documents)
        if before != documents:
            known, other = (dict.fromkeys(map(str, one), 1.0) for one in (before, documents))
            require_same_list(known, other, str(topic), f"{place}: row {number}", lambda: split_by(None))


def split_by(column: str | None, written: str = "json(f'{name}.jsonl', orient='records', lines=True)") -> str:
    """What to do about lists that differ; ``column`` may tell them apart, ``written``: how pandas writes a file."""
    if column is None:
        return "write one list a query"
    split = f"for name, rows in df.groupby({column!r}): rows.to_{written}"
    return (
        f"write one list a query; if each {column!r} has its own judgments, write a file for each, in pandas: {split}"
    )
