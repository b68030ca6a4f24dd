"""Lists of ids by query, where most formats have numbers: {query: [id, ...]}, and records of ragas and Tevatron."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

from gradeval._core import InputError
from gradeval.arguments import kind_of
from gradeval.files.column_names import DOCUMENTS, QUERIES, Kind, normal_name
from gradeval.files.plain_text import ONCE, quote, read_id

Table = dict[str, dict[str, float]]

LISTS: Mapping[Kind, Mapping[str, float | None]] = {
    "qrels": {"reference_context_ids": 1, "positive_passages": 1, "negative_passages": 0},
    "run": {"retrieved_context_ids": None},
}
"""The lists of judgments with the grade of what stands in them, and those of runs, which are in rank order."""
IDS = ("docid", "doc_id", "id")
"""What a passage calls its id, where the list holds passages."""
TOPICS = (*QUERIES, "user_input", "question")
"""What records call the query: an id, else its text."""


def read_id_lists(record: Any, kind: Kind, where: str) -> tuple[str, dict[str, float]] | None:
    """The topic and ``{document: value}`` of a record with lists of ids; None where it has none of ``LISTS``.

    The document at rank r of a run gets the score -r.
    """
    names = LISTS[kind]
    if not isinstance(record, dict) or not any(isinstance(record.get(name), list) for name in names):
        return None
    by_name = {normal_name(name): name for name in reversed(record)}
    topic = next((record[by_name[name]] for name in TOPICS if name in by_name), None)
    documents: dict[str, float] = {}
    for document, value in _values(record, names, where):
        _put(documents, document, value, kind, where)
    return read_id(topic, "query", where), documents


def _values(record: Mapping[str, Any], names: Mapping[str, float | None], where: str) -> Iterator[tuple[str, float]]:
    for name, grade in names.items():
        listed = record.get(name) or []
        if not isinstance(listed, list):
            raise InputError(f'{where}: {name} {quote(str(listed))} is no list of ids; write it as in ["d1", "d2"]')
        for rank, item in enumerate(listed, 1):
            value = next((item[key] for key in IDS if key in item), None) if isinstance(item, dict) else item
            yield read_id(value, "document", where), float(-rank if grade is None else grade)


def _put(values: dict[str, float], document: str, value: float, kind: Kind, where: str) -> None:
    if document in values:
        raise InputError(f"{where}: document {quote(document)} is listed twice; {ONCE[kind]}")
    values[document] = value


def grades_or_ranks(documents: Iterable[Any], kind: Kind, where: str) -> dict[str, float]:
    """``{document: value}`` of a list of ids: each is relevant by grade 1, or the document at rank r of a run has score
    -r. Pairs of a document and a number have their grade or score with them."""
    values: dict[str, float] = {}
    paired = None
    for rank, item in enumerate(documents, 1):
        pair = _is_pair(item)
        document, value = item if pair else (item, 1.0 if kind == "qrels" else float(-rank))
        if not isinstance(document, str | Integral) or paired not in (None, pair):
            raise InputError(
                f"{where}: item {rank} is {kind_of(item)}; accepted are ids, or pairs (document, "
                f"{'grade' if kind == 'qrels' else 'score'}), as in {{document: number}}"
            )
        paired = pair
        _put(values, read_id(document, "document", where), value, kind, where)
    return values


def _is_pair(item: object) -> bool:
    """Is it a document and its number?"""
    return (
        isinstance(item, tuple | list)
        and len(item) == 2
        and isinstance(item[1], Real)
        and not isinstance(item[1], bool)
    )


def as_list(documents: Any) -> Any:
    """A list of ids, or of pairs, from an array, a column of a frame or an iterator; a mapping, and a column of numbers
    by document, as they are."""
    if isinstance(documents, list | tuple | set | frozenset | Mapping | str):
        return documents
    index, kind = getattr(documents, "index", None), getattr(getattr(documents, "dtype", None), "kind", "")
    if hasattr(documents, "keys") and kind in "fiu" and type(index).__name__ != "RangeIndex":
        return documents  # a Series {document: number}
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(documents, name):
            return getattr(documents, name)()
    return list(documents) if isinstance(documents, Iterable) else documents


def is_of_lists(value: Any) -> bool:
    """Is it {query: [id, ...]}, rather than columns by their names?"""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(inner, list | tuple | set | frozenset) for inner in value.values())
        and not any(normal_name(str(name)) in (*QUERIES, *DOCUMENTS) for name in value)
    )


def read_mapping_of_lists(lists: Mapping[Any, Iterable[object]], kind: Kind, place: str) -> Table:
    """``{query: {document: value}}`` of ``{query: [id, ...]}``; a run has an order, and no sets."""
    table: Table = {}
    for topic, documents in lists.items():
        where = f"{place}: query {quote(str(topic))}"
        if kind == "run" and isinstance(documents, set | frozenset):
            raise InputError(f"{where}: has a set, which has no order; list the documents of a run from rank 1 on")
        name = read_id(topic, "query", place)
        if name in table:
            raise InputError(f"{place}: topic {name} is given twice, as {name} and as {name!r}; give it once")
        table[name] = grades_or_ranks(documents, kind, where)
    return table
