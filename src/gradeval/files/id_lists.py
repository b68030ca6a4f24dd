"""Lists of ids by query, where most formats have numbers: {query: [id, ...]}, and records of ragas and Tevatron."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import DOCUMENTS, QUERIES, Kind, normal_name
from gradeval.files.plain_text import quote, read_id

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
        _put(documents, document, value, where)
    return read_id(topic, "query", where), documents


def _values(record: Mapping[str, Any], names: Mapping[str, float | None], where: str) -> Iterator[tuple[str, float]]:
    for name, grade in names.items():
        listed = record.get(name) or []
        if not isinstance(listed, list):
            raise InputError(f'{where}: {name} {quote(str(listed))} is no list of ids; write it as in ["d1", "d2"]')
        for rank, item in enumerate(listed, 1):
            value = next((item[key] for key in IDS if key in item), None) if isinstance(item, dict) else item
            yield read_id(value, "document", where), float(-rank if grade is None else grade)


def _put(values: dict[str, float], document: str, value: float, where: str) -> None:
    if document in values:
        raise InputError(f"{where}: document {quote(document)} is listed twice; list each document once per query")
    values[document] = value


def grades_or_ranks(documents: Iterable[object], kind: Kind, where: str) -> dict[str, float]:
    """``{document: value}`` of a list: each is relevant by grade 1, or the document at rank r of a run has score -r."""
    values: dict[str, float] = {}
    for rank, item in enumerate(documents, 1):
        _put(values, read_id(item, "document", where), 1.0 if kind == "qrels" else float(-rank), where)
    return values


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
        table[read_id(topic, "query", place)] = grades_or_ranks(documents, kind, where)
    return table
