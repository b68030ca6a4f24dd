"""Judgments and runs of other tools: records of ir_measures and ir_datasets, its data sets, Qrels and Run of ranx."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Never

from gradeval import arguments
from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.qrels import Qrels

Table = Mapping[str, Mapping[str, float]]


def read_objects(given: Any, value: str, place: str) -> Table | None:
    """``{topic: {document: value}}`` from an object of another tool; None where it is none.

    Read are Qrels and Run of ranx, and iterables of records with the fields query_id, doc_id and ``value`` (relevance
    or score), as ir_measures (``Qrel``, ``ScoredDoc``) and ir_datasets have them; no iterators, which end.
    """
    if type(given).__module__.partition(".")[0] == "ranx":
        table: Table = given.to_dict()
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
                f"{place}: item {number} is {arguments.kind_of(record)}, not a record with query_id, doc_id and {value}"
            )
        documents = table.setdefault(record.query_id, {})
        if record.doc_id in documents:
            raise InputError(
                f"{place}: document {record.doc_id!r} of topic {record.query_id!r} occurs twice; give each once"
            )
        documents[record.doc_id] = getattr(record, value)
    return table


PREFIX = "irds:"


def read_irds(path: Path, name: str | None = None) -> Qrels:
    """The judgments of ``irds:DATASET``, as in ``irds:msmarco-passage/trec-dl-2020/judged``.

    ir_datasets fetches what is not on the machine yet. An unknown data set, one without judgments, one that
    cannot be fetched, and a document judged twice for a topic are InputErrors.
    """
    place = os.fspath(path)
    dataset = _load(place)
    if not dataset.has_qrels():
        raise InputError(f"{place}: this data set has no judgments; see https://ir-datasets.com for one that has")
    try:
        judgments = list(dataset.qrels_iter())
    except Exception as error:  # whatever may go wrong between here and a server
        fault = str(error).split("\n")[0][:120]
        raise InputError(
            f"{place}: ir_datasets cannot provide it ({fault}); fetch it by hand, see https://ir-datasets.com"
        ) from error
    if judgments and not hasattr(judgments[0], "relevance"):
        fields = ", ".join(judgments[0]._fields)
        raise InputError(f"{place}: its judgments have no relevance (they have {fields}); name a data set with grades")
    return Qrels.from_dict(_read_records(judgments, "relevance", place), name or place)


def refuse_run(path: Path, *_: object) -> Never:
    """Refuse to read a run: data sets have none."""
    raise InputError(f"{os.fspath(path)}: data sets of ir_datasets give judgments, not runs; name a file of a run")


def _load(place: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise InputError(f"{place}: reading it needs the package ir_datasets: {arguments.install_hint('ir')}") from None
    try:
        return ir_datasets.load(place.removeprefix(PREFIX))
    except KeyError:
        raise InputError(
            f"{place}: ir_datasets has no such data set; write irds:NAME with one from https://ir-datasets.com"
        ) from None
