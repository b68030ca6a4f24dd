"""Pairs of topic and document in JSON and records, whatever else there is: what must not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import EXCLUDED, QUERIES, TOPICS_OR_IDS, Columns, choose_pair, normal_name
from gradeval.files.json_text import parse_lines, whole_value
from gradeval.files.judgment_lists import read_judgment_list
from gradeval.files.lists import as_list
from gradeval.files.plain_text import PairsByTopic, decode, quote, read_id
from gradeval.files.record_names import IDS, is_of_lists
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
    pairs: PairsByTopic = {}
    records = parse_lines(text, place)
    if isinstance(whole, list):
        records = ((f"{place}, record {number}", record) for number, record in enumerate(whole, 1))
    for where, record in records:
        read_record_pairs(record, columns, where, pairs)
    return pairs


def read_record_pairs(record: Any, columns: Columns, where: str, pairs: PairsByTopic) -> None:
    """Add the pairs of a record: a topic with one document, or with lists of documents."""
    if not isinstance(record, dict):
        raise InputError(f"{where}: is {kind_of(record)}; accepted are records with a topic and a document")
    by_name = {normal_name(str(name)): name for name in reversed(record)}
    listed = [by_name[name] for name in LISTS_OF_IDS if isinstance(record.get(by_name.get(name)), list)]
    if listed:
        topics = TOPICS_OR_IDS if EXCLUDED in by_name else QUERIES
        topic = next((record[by_name[name]] for name in topics if name in by_name), None)
        for name in listed:
            _add_all(pairs, read_id(topic, "query", where), record[name], where)
    elif is_of_lists(record):
        for topic, documents in record.items():
            _add_all(pairs, read_id(topic, "query", where), documents, where)
    else:
        chosen = choose_pair([*record], columns)
        if chosen is None:
            raise InputError(
                f"{where}: no columns are known to hold topics and documents (it has "
                f"{', '.join(map(str, record))}); call them query_id and doc_id"
            )
        values = [*record.values()]
        topic, document = (
            read_id(values[at], what, where) for at, what in zip(chosen, ("topic", "document"), strict=True)
        )
        pairs.setdefault(topic, {})[document] = 0.0


LISTS_OF_IDS = (EXCLUDED, "reference_context_ids", "positive_passages", "negative_passages", "retrieved_context_ids")
"""What records call lists of documents."""


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
            item = next((item[key] for key in IDS if key in item), None)
        elif isinstance(item, list | tuple) and len(item) == 2:
            item = item[0]
        known[read_id(item, "document", where)] = 0.0
