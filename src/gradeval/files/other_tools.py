"""Judgments and runs of other tools: records of ir_measures and ir_datasets, its data sets, Qrels and Run of ranx."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import nan
from numbers import Integral, Number, Real
from typing import Any, Literal, NamedTuple, Never

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import come_again
from gradeval.files.column_names import QUERIES, RUNS, InputKind, normal_name
from gradeval.files.plain_text import ONCE, read_id, read_rank
from gradeval.files.run_columns import RunKey
from gradeval.files.source import as_source
from gradeval.messages import kind_of

TopicMapping = Mapping[str, Mapping[str, float]]
ObjectTables = Mapping[str, tuple[TopicMapping, Mapping[str, Sequence[float]]]]
"""The values by topic and document, and the ranks that stand with the scores of a run, by the name of the run; it is
empty where nothing names it."""


class ReadObjects(NamedTuple):
    """The tables of an object of another tool, and the highest grade that its grades name, as 5 in 2/5; 0: none; the
    field of grades of records, and the fields that their topics could join (see ``Qrels``)."""

    tables: ObjectTables
    highest: float = 0.0
    grade_column: str = ""
    joinable: str = ""


VALUES: dict[InputKind, str] = {"qrels": "relevance", "run": "score"}


def read_objects(given: Any, kind: InputKind, place: str, *, repeats: bool = False) -> ReadObjects | None:
    """The values in an object of another tool, by the names of runs that it holds; None where it is none.

    Read are Qrels and Run of ranx, and iterables of records, which are objects with the fields query_id, doc_id and
    relevance or score, as ir_measures (``Qrel``, ``ScoredDoc``) and ir_datasets have them, or dictionaries with any
    names of columns; no iterators, which end.
    """
    if type(given).__module__.partition(".")[0] == "ranx":
        return ReadObjects({"": (given.to_dict(), {})})
    if not isinstance(given, Iterable):
        return None
    first = next(iter(given), None)
    if is_row(first):
        given = list(_name_rows(given, kind, place))
        first = given[0]
    if _is_object(first):
        return ReadObjects(_read_objects(given, kind, place, repeats=repeats))
    if is_record(first):
        from gradeval.files.record_tables import read_records  # here, as few need it

        read = read_records(lambda: map(_as_dictionary, given), kind, place, repeats=repeats)
        return ReadObjects(read.tables, read.highest, read.grade_column, read.joinable)
    return None


class GradedRow(NamedTuple):
    """A judgment, as a tuple of topic, document and grade gives it."""

    query_id: Any
    doc_id: Any
    relevance: Any


class ScoredRow(NamedTuple):
    """A line of a run, as a tuple of topic, document and score gives it."""

    query_id: Any
    doc_id: Any
    score: Any


def is_row(item: object) -> bool:
    """Is it a topic, a document and a number, which may be text or missing, without names?"""
    if not isinstance(item, tuple | list) or hasattr(item, "_asdict") or len(item) != 3:
        return False
    if not all(isinstance(one, str | Integral) and not isinstance(one, bool) for one in item[:2]):
        return False
    if isinstance(item[2], Real):
        return True
    from gradeval.collection.missing_grades import is_missing  # here, as most rows have numbers
    from gradeval.files.given_values import is_number_or_words

    return is_missing(item[2]) or is_number_or_words(item[2])


def _name_rows(rows: Iterable[Any], kind: InputKind, place: str) -> Iterator[Any]:
    """The rows with names."""
    named = GradedRow if kind == "qrels" else ScoredRow
    for number, row in enumerate(rows, 1):
        if not is_row(row) and not (isinstance(row, tuple | list) and len(row) == 3 and isinstance(row[2], str)):
            raise InputError(
                f"{place}: item {number} is {kind_of(row)}, not (topic, document, number) as the first is; "
                "give all in this form"
            )
        topic, document, value = row
        yield named(topic, read_id(document, "document", f"{place}: item {number}"), value)


def is_record(item: object) -> bool:
    """Is it one judgment, or one line of a run, rather than a run or something else?"""
    if is_row(item):
        return True
    if isinstance(item, Mapping):
        return any(isinstance(value, str | Number) for value in item.values()) or _is_trace(item)
    return hasattr(item, "_asdict") or _is_object(item)


def names_topic(item: object) -> bool:
    """Is it such a record with its topic, rather than a document of a topic?"""
    named = not isinstance(item, Mapping) or any(normal_name(str(name)) in QUERIES for name in item)
    return (named or _is_trace(item)) and is_record(item)


def _is_trace(item: Any) -> bool:
    from gradeval.files.record_names import is_trace  # here, as most runs are none

    return is_trace(item)


def _is_object(item: object) -> bool:
    """Is it an object with a topic and a document?"""
    return isinstance(getattr(item, "query_id", None), str | Integral) and hasattr(item, "doc_id")


def _as_dictionary(item: Any) -> Any:
    """A record with values of Python, where it is a dictionary or a named tuple."""
    record = item._asdict() if hasattr(item, "_asdict") else item
    if not isinstance(record, Mapping):
        return record
    return {str(name): value.tolist() if hasattr(value, "dtype") else value for name, value in record.items()}


FRAMES = {"pyarrow": "to_table", "lenskit": "to_df"}
"""What data sets and scanners of pyarrow, and lists of LensKit, have instead of columns."""


def name_of(given: object) -> str | None:
    """The name that an object has, as runs of ranx do."""
    name = getattr(given, "name", None)
    return name if isinstance(name, str) and name else None


def _read_objects(records: Iterable[Any], kind: InputKind, place: str, *, repeats: bool = False) -> ObjectTables:
    tables: dict[RunKey, tuple[dict[str, dict[str, float]], dict[str, list[float]]]] = {}
    first_spelling: dict[str, object] = {}
    value = VALUES[kind]
    first = next(iter(records))
    naming = [name for name in RUNS if kind == "run" and hasattr(first, name)]
    for number, record in enumerate(records, 1):
        if not (_is_object(record) and hasattr(record, value)):
            raise InputError(
                f"{place}: item {number} is {kind_of(record)}, not a record with query_id, doc_id and {value}"
            )
        topic = record.query_id
        if not isinstance(topic, str):
            topic = read_id(topic, "topic", f"{place}: item {number}")
        if isinstance(first_spelling.setdefault(topic, record.query_id), str) != isinstance(record.query_id, str):
            raise InputError(
                f"{place}: item {number}: topic {topic} is given as {topic} and as {topic!r}; write it in one way"
            )
        called = (getattr(record, name, None) for name in naming)
        key = tuple(str(one) if isinstance(one, str | Integral) else "" for one in called)
        table, ranks = tables.setdefault(key, ({}, {}))
        documents = table.setdefault(topic, {})
        document, number = record.doc_id, getattr(record, value)
        if document in documents:
            again = come_again(document, number, documents, repeats=repeats, graded=kind == "qrels")
            if again is None:
                raise InputError(f"{place}: document {document!r} of topic {topic!r} occurs twice; {ONCE[kind]}")
            document = again
        documents[document] = number
        if kind == "run" and hasattr(record, "rank"):
            ranks.setdefault(topic, [nan] * (len(documents) - 1)).append(read_rank(record.rank))
        elif topic in ranks:
            ranks[topic].append(nan)
    if not naming:
        return {"": tables.get((), ({}, {}))}
    from gradeval.files.run_tables import merge_named  # here, as few name a run

    return merge_named(tables, naming, kind, place)


def is_frame(value: object) -> bool:
    """Has it columns? A single column has none: it has a type, or belongs to Arrow, whose tables have a schema."""
    if hasattr(type(value), "columns"):  # a LazyFrame warns where its own columns are asked for
        return True
    package = type(value).__module__.partition(".")[0]
    if package in FRAMES and hasattr(value, FRAMES[package]):
        return True
    if hasattr(value, "columns") or not hasattr(value, "__arrow_c_stream__"):
        return hasattr(value, "columns")
    return not hasattr(value, "dtype") and (hasattr(value, "schema") or not hasattr(value, "to_pylist"))


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
    repeated = as_source(path).repeated
    table = _read_objects(judgments, "qrels", place, repeats=repeated is not None)[""][0]
    return Qrels.of_table(table, name or place, repeated)


def read_irds_texts(place: str, kind: Literal["topic", "document"], wanted: Collection[str] | None) -> Iterator[Any]:
    """The topics or documents of ``irds:DATASET`` that are on this machine; nothing is fetched.

    The wanted documents are looked up where ir_datasets has an index; else all documents are read.
    """
    dataset = _load(place)
    has = dataset.has_queries() if kind == "topic" else dataset.has_docs()
    if not has:
        raise InputError(f"{place}: this data set has no {kind}s; see https://ir-datasets.com for one that has")
    try:
        with _without_fetching(place):
            store = dataset.docs_store() if kind == "document" and wanted is not None else None
            if store is not None and hasattr(store, "built") and store.built():
                yield from store.get_many(set(wanted or ())).values()
            else:
                yield from dataset.queries_iter() if kind == "topic" else dataset.docs_iter()
    except InputError:
        raise
    except Exception as error:  # whatever may go wrong in that package
        fault = str(error).split("\n")[0][:120]
        raise InputError(f"{place}: ir_datasets cannot provide its {kind}s ({fault}); name a file of them") from error


@contextmanager
def _without_fetching(place: str) -> Iterator[None]:
    """Whatever ir_datasets would fetch in this block is an InputError."""
    from ir_datasets.util import download

    def refuse(*_: object) -> Never:
        raise InputError(f"{place}: is not on this machine, and nothing is fetched for texts; fetch it by ir_datasets")

    kinds = [kind for kind in download.BaseDownload.__subclasses__() if kind is not download.LocalDownload]
    before = {kind: vars(kind)["stream"] for kind in kinds}
    try:
        for kind in kinds:
            kind.stream = refuse
        yield
    finally:
        for kind, stream in before.items():
            kind.stream = stream


def refuse_run(path: Path, *_: object) -> Never:
    """Refuse to read a run: data sets have none."""
    raise InputError(f"{os.fspath(path)}: data sets of ir_datasets give judgments, not runs; name a file of a run")


def _load(place: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        from gradeval.extras import install_hint  # here, as most have it

        raise InputError(f"{place}: reading it needs the package ir_datasets: {install_hint('ir')}") from None
    try:
        return ir_datasets.load(place.removeprefix(PREFIX))
    except KeyError:
        raise InputError(
            f"{place}: ir_datasets has no such data set; write irds:NAME with one from https://ir-datasets.com"
        ) from None
