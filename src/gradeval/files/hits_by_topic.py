"""{topic: [{"id": ..., "score": ...}, ...]}: hits in lists by topic, as records that name the topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradeval.files.column_names import InputKind, normal_name
from gradeval.files.named_columns import Columns
from gradeval.files.nested_records import Located, LocatedRecords, follow
from gradeval.files.record_names import LISTS, OBJECTS, are_hits, is_of_lists


def holds_hits_by_topic(record: Any, columns: Columns) -> bool:
    """Are all values lists of objects that each have an id, and is none of the keys the usual name of such a list?"""
    if not is_of_lists(record):
        return False
    usual = {name for kind in ("qrels", "run") for name in (*LISTS[kind], *OBJECTS[kind])}
    lists = [value for value in record.values() if value]
    return (
        bool(lists)
        and not any(normal_name(name) in usual for name in map(str, record))
        and _are_hits(lists, columns.doc)
    )


def _are_hits(lists: list[list[Any]], document: str | None) -> bool:
    """Have all objects an id, by the name that the user gives, or by a usual one where no object has the name?"""
    named = document is not None and any(follow(hit, document) is not None for listed in lists for hit in listed)
    if document is None or not named:  # another file has it
        return all(map(are_hits, lists))
    return all(isinstance(hit, dict) and follow(hit, document) is not None for listed in lists for hit in listed)


def open_topics(records: LocatedRecords, kind: InputKind, columns: Columns) -> Iterator[Located]:
    """The records, and one for each topic of a record that holds hits by topic."""
    for where, record in records():
        if holds_hits_by_topic(record, columns):
            yield from ((where, one) for one in records_by_topic(record, kind))
        else:
            yield where, record


def records_by_topic(lists: Mapping[str, Any], kind: InputKind) -> Iterator[dict[str, Any]]:
    """A record for each topic. Judged documents with nothing except an id are relevant; else each needs a grade."""
    called = "retrieved"
    if kind == "qrels":
        alone = all(len(hit) == 1 for listed in lists.values() for hit in listed or ())
        called = "relevant" if alone else "judgments"
    return ({"query_id": topic, called: listed or []} for topic, listed in lists.items())
