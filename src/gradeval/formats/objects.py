"""Judgments and runs as objects of other tools: ir_measures' and ir_datasets' records, Qrels and Run of ranx."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gradeval import checks
from gradeval._core import InputError

Table = Mapping[str, Mapping[str, float]]


def read_objects(given: object, value: str, place: str) -> Table | None:
    """``{topic: {document: value}}`` from an object of another tool; None where it is none.

    Read are Qrels and Run of ranx, and iterables of records with the fields query_id, doc_id and ``value`` (relevance
    or score), as ir_measures (``Qrel``, ``ScoredDoc``) and ir_datasets have them; no iterators, which end.
    """
    if type(given).__module__.partition(".")[0] == "ranx":
        table: Table = given.to_dict()  # type: ignore[attr-defined]
        return table
    if isinstance(given, Iterable) and is_record(next(iter(given), None), value):
        return _read_records(given, value, place)
    return None


def is_record(item: object, value: str) -> bool:
    """Has it a topic, a document and the value?"""
    return isinstance(getattr(item, "query_id", None), str) and hasattr(item, "doc_id") and hasattr(item, value)


def name_of(given: object) -> str | None:
    """The name that an object has, as runs of ranx do."""
    name = getattr(given, "name", None)
    return name if isinstance(name, str) and name else None


def _read_records(records: Iterable[Any], value: str, place: str) -> Table:
    table: dict[str, dict[str, float]] = {}
    for number, record in enumerate(records, 1):
        if not is_record(record, value):
            raise InputError(
                f"{place}: item {number} is {checks.kind_of(record)}, not a record with query_id, doc_id and {value}"
            )
        documents = table.setdefault(record.query_id, {})
        if record.doc_id in documents:
            raise InputError(
                f"{place}: document {record.doc_id!r} of topic {record.query_id!r} occurs twice; keep one record"
            )
        documents[record.doc_id] = getattr(record, value)
    return table
