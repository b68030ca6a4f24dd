"""Pairs of topic and document in JSON and records, whatever else there is: what must not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_choice import EXCLUDED, TOPICS_OR_IDS, choose_pair
from gradeval.files.column_names import QUERIES, first_usual, normal_name
from gradeval.files.json_values import parse_lines, whole_value
from gradeval.files.judgment_lists import read_judgment_list
from gradeval.files.lists import as_list
from gradeval.files.named_columns import Columns
from gradeval.files.nested_records import Located
from gradeval.files.plain_text import PairsByTopic, decode, quote, read_id
from gradeval.files.record_names import IDS_OF_HITS, LISTS, OBJECTS, has_document, is_of_lists, layers_of, with_parts
from gradeval.files.source import Source
from gradeval.messages import kind_of


def read_json_pairs(source: Source, columns: Columns) -> PairsByTopic:
    """The pairs of topic and document in JSON, whatever else there is."""
    place = source.place
    text = decode(source.data, place)
    whole = whole_value(text, place)
    if isinstance(whole, dict):
        if (listed := read_judgment_list(whole, place)) is not None:
            return listed[0]
        return pairs_of_mapping(whole["relevant_docs"] if is_of_lists(whole.get("relevant_docs")) else whole, place)
    records = parse_lines(text, place)
    if isinstance(whole, list):
        records = ((f"{place}, record {number}", record) for number, record in enumerate(whole, 1))
    return pairs_of_records(records, columns)


def pairs_of_records(records: Iterable[Located], columns: Columns) -> PairsByTopic:
    """The pairs of records: a topic with one document, or with lists of documents. Which names count is decided once,
    by the names in all records."""
    located = [(where, _as_record(record, where)) for where, record in records]
    of_queries = [record for _, record in located if not is_of_lists(record)]
    fields = list(dict.fromkeys(name for record in of_queries for name in record))
    by_name = {normal_name(name): name for name in reversed(fields)}
    query = columns.query if columns.query in fields else first_usual(by_name, _topics(by_name))
    lists = _choose_lists(of_queries, fields)
    chosen = None if lists else choose_pair(fields, columns)
    pairs: PairsByTopic = {}
    for where, record in located:
        if is_of_lists(record) and (query is None or query not in record):
            for topic, documents in record.items():
                _add_all(pairs, read_id(topic, "query", where), documents, where)
            continue
        has = f"(it has {', '.join(record)})"
        if chosen is not None:
            query, *lists = (fields[at] for at in chosen)
        if query is None or not lists:
            raise InputError(
                f"{where}: no columns are known to hold topics and documents {has}; call them query_id and doc_id"
            )
        if absent := next((name for name in (query, *lists[:1]) if name not in record), None):
            raise InputError(f"{where}: has no {absent!r}, as other records have {has}; write it")
        if chosen is None and len(lists) > 1 and not set(map(normal_name, lists)) <= {*LISTS_OF_IDS}:
            raise InputError(f"{where}: has {len(lists)} lists of documents ({', '.join(lists)}); keep one")
        topic = read_id(record[query], "topic", where)
        for name in lists:
            documents = record.get(name)
            alone = chosen is not None and not isinstance(documents, list | Mapping)
            _add_all(pairs, topic, [documents] if alone else documents or [], where)
    return pairs


def _as_record(record: Any, where: str) -> dict[str, Any]:
    """A record, whose sets and arrays are lists."""
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: is {kind_of(record)}; accepted are records with a topic and a document")
    listed = {str(name): _as_list(value) for name, value in record.items()}
    return with_parts(listed, "qrels")


def _as_list(value: Any) -> Any:
    """Sets, tuples and arrays as lists; other values as they are."""
    several = isinstance(value, tuple | set | frozenset) or getattr(value, "ndim", 0) == 1
    return list(value if isinstance(value, set | frozenset) else as_list(value)) if several else value


def _topics(by_name: Mapping[str, str]) -> Iterable[str]:
    return TOPICS_OR_IDS if EXCLUDED in by_name else QUERIES


def _choose_lists(records: Iterable[Mapping[str, Any]], fields: Iterable[str]) -> list[str]:
    """The fields that hold lists of documents: excluded documents, else the fields of data sets, else usual fields of
    records that name no document."""
    holding = {name for record in records for name, value in record.items() if isinstance(value, list)}
    there = [name for name in fields if name in holding]
    for usual in ((EXCLUDED,), LISTS_OF_IDS):
        if found := [name for name in there if normal_name(name) in usual]:
            return found
    if any(has_document(record) for record in records):
        return []
    usual_lists = {name for kind in LISTS for name in (*LISTS[kind], *OBJECTS[kind])}
    return [name for name in there if normal_name(name) in usual_lists]


LISTS_OF_IDS = (EXCLUDED, "reference_context_ids", "positive_passages", "negative_passages", "retrieved_context_ids")
"""Lists of documents of data sets, which all count."""


def pairs_of_mapping(mapping: Mapping[Any, Any], place: str) -> PairsByTopic:
    """The pairs of ``{topic: {document: anything}}`` and ``{topic: [document, ...]}``."""
    pairs: PairsByTopic = {}
    for topic, documents in mapping.items():
        _add_all(pairs, read_id(topic, "topic", place), as_list(documents), f"{place}: topic {quote(str(topic))}")
    return pairs


def _add_all(pairs: PairsByTopic, topic: str, documents: Any, where: str) -> None:
    """Add the documents of a topic: ids, passages with an id, or pairs of an id and a number."""
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError(f"{where}: has {kind_of(documents)}; give a list of documents")
    known = pairs.setdefault(topic, {})
    for item in documents:
        if isinstance(item, dict):
            known_as = [(normal_name(name), value) for layer in layers_of(item) for name, value in layer.items()]
            item = next((value for usual in IDS_OF_HITS for name, value in known_as if name == usual), None)
        elif isinstance(item, list | tuple) and len(item) == 2:
            item = item[0]
        known[read_id(item, "document", where)] = 0.0
