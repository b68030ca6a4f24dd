"""Lists of ids by query, where most formats have a line a document: mappings {query: [id, ...]}, records of ragas and
Tevatron, and hits of search engines and vector stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.collection.runs import Again
from gradeval.files.column_names import DOCUMENTS, GRADES, GUESSED, QUERIES, SCORES, Columns, InputKind, normal_name
from gradeval.files.esci_labels import grade_of_label
from gradeval.files.plain_text import ONCE, ValuesByTopic, quote, read_id, read_number
from gradeval.messages import kind_of

LISTS: Mapping[InputKind, Mapping[str, float | None]] = {
    "qrels": dict.fromkeys(
        "reference_context_ids positive_passages relevant_ids relevant_docs relevant_documents relevant_chunks "
        "relevant expected_ids gold gold_ids gold_documents gold_chunks gold_chunk_ids ground_truth_ids".split(),
        1,
    )
    | {"negative_passages": 0},
    "run": dict.fromkeys(
        "retrieved_context_ids retrieved retrieved_ids retrieved_docs retrieved_documents retrieved_chunks "
        "source_nodes nodes hits results matches candidates ctxs documents docs chunks".split()
    ),
}
"""The lists of judgments with the grade of what stands in them, and those of runs, which are in rank order."""
IDS = "docid doc_id id _id id_ chunk_id node_id document_id".split()
"""What a passage calls its id, where the list holds passages; or its metadata, as LangChain's."""
RANK = "rank"
"""What a hit calls its rank."""
WITHIN = ("node", "document", "metadata")
"""What holds the id of a hit that has none itself."""
PARTS = ("inputs", "outputs", "response")
"""What records of traces, as LangSmith's, keep the query and the hits in."""


def read_id_lists(
    record: Any, kind: InputKind, where: str, columns: Columns = GUESSED, *, repeats: bool = False
) -> tuple[str, dict[str, float]] | None:
    """The topic and ``{document: value}`` of a record with a list of ids or of hits; None where it has none of
    ``LISTS``.

    Hits that all have a score keep it; else the document at rank r of a run gets the score -r. Judgments that have a
    grade keep it. ``columns`` name the query of the record, and the id and the score or grade of its hits.
    """
    if not isinstance(record, dict):
        return None
    parts = (record[part] for part in PARTS if isinstance(record.get(part), dict))
    record = {name: value for part in parts for name, value in part.items()} | record
    by_name = {normal_name(name): name for name in reversed(record)}
    names = {name: LISTS[kind][normal_name(name)] for name in record if normal_name(name) in LISTS[kind]}
    topic = next((record[by_name[name]] for name in QUERIES if name in by_name), None)
    if columns.query in record:
        topic = record[columns.query]
    listing = [record[name] for name in names if isinstance(record[name], list) or (record[name] is None and topic)]
    if not listing or (topic is None and is_of_lists(record)):
        return None  # else queries with lists may be called as lists are here
    if topic is None:
        known = ", ".join(map(str, record))
        raise InputError(f"{where}: no name is known to hold the query (it has {known}); call it query_id")
    if kind == "run" and len(names) > 1:
        raise InputError(
            f"{where}: has {len(names)} lists of documents ({', '.join(names)}); keep the one to be scored"
        )
    columns.met.update(dict.fromkeys(record))
    documents: dict[str, float] = {}
    for name, grade in names.items():
        listed = record[name] or []
        if not isinstance(listed, list):
            raise InputError(f'{where}: {name} {quote(str(listed))} is no list of ids; write it as in ["d1", "d2"]')
        for document, value in _values_of_hits(listed, grade, kind, f"{where}: {name}", columns):
            _put(documents, document, value, kind, where, repeats=repeats)
    return read_id(topic, "query", where), documents


def _values_of_hits(
    hits: list[Any], grade: float | None, kind: InputKind, where: str, columns: Columns
) -> Iterator[tuple[str, float]]:
    """Each document in a list, with its grade or score."""
    read = [_read_hit(hit, kind, where, columns) for hit in hits]
    ids, values, ranks = zip(*read, strict=True) if read else ((), (), ())
    numbers = [value for value in values if value is not None]
    if 0 < len(numbers) < len(values):
        raise InputError(f"{where}: {len(numbers)} of {len(values)} documents have a number; give all one, or none")
    if kind == "run" and numbers != sorted(numbers, reverse=True):
        raise InputError(
            f"{where}: scores rise down the list; sort it by its scores, or leave them out where they are distances, "
            "of which less is better"
        )
    named = columns.grade if kind == "qrels" else columns.score
    if hits and not numbers and named is not None and (kind == "run" or any(isinstance(hit, dict) for hit in hits)):
        raise InputError(f"{where}: no document has {named!r}; name what holds the numbers, or leave it out")
    known = [rank for rank in ranks if rank is not None]
    if not numbers and known != sorted(known):
        raise InputError(f"{where}: ranks fall down the list; sort it by its ranks, or leave them out")
    usual = [float(-rank) if grade is None else grade for rank in range(1, len(ids) + 1)]
    for document, value in zip(ids, numbers or usual, strict=True):
        yield read_id(document, "document", where), value


class _Hit(NamedTuple):
    """The id of a hit, and its score or grade, and its rank in a run, where it has them."""

    document: Any
    value: float | None = None
    rank: float | None = None


def _read_hit(hit: Any, kind: InputKind, where: str, columns: Columns) -> _Hit:
    """A hit: an id alone, an object, or a pair of hit and score."""
    if _is_pair(hit):
        return _Hit(_read_hit(hit[0], kind, where, columns).document, read_number(hit[1], "number", where))
    if not isinstance(hit, dict):
        return _Hit(hit)
    layers = [
        {normal_name(name): value for name, value in reversed(layer.items()) if value is not None}
        for layer in _layers(hit)
    ]
    columns.met.update(dict.fromkeys(name for layer in _layers(hit) for name in layer))
    own = [] if columns.doc is None else [normal_name(columns.doc)]
    found = [layer[name] for names in (own, IDS) for layer in layers for name in names if name in layer]
    if not found:
        has = ", ".join(layers[0]) or "nothing"
        raise InputError(f"{where}: no name of an id is known in a document (it has {has}); call it id")
    known = {name: value for layer in reversed(layers) for name, value in layer.items()}
    usual = SCORES if kind == "run" else [name for name in GRADES if name not in SCORES]
    if (named := columns.grade if kind == "qrels" else columns.score) is not None:
        usual = [normal_name(named)]
    name = next((name for one in usual for name in (one, f"_{one}") if name in known), None)
    value = None if name is None else grade_of_label(name, str(known[name]))
    if name is not None and value is None:
        value = read_number(known[name], name, where)
    at = RANK if columns.rank is None else normal_name(columns.rank)
    rank = read_number(known[at], at, where) if kind == "run" and at in known else None
    return _Hit(found[0], value, rank)


def _layers(hit: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The hit, and the objects in it that hold what it has not itself, as its node, and the metadata of that."""
    yield hit
    for name in WITHIN:
        if isinstance(hit.get(name), dict):
            yield from _layers(hit[name])


def _put(
    values: dict[str, float], document: str, value: float, kind: InputKind, where: str, *, repeats: bool = False
) -> None:
    if document in values and repeats:
        document = Again(document)
    if document in values:
        raise InputError(f"{where}: document {quote(document)} is listed twice; {ONCE[kind]}")
    values[document] = value


def grades_or_ranks(
    documents: Iterable[Any], kind: InputKind, where: str, *, repeats: bool = False
) -> dict[str, float]:
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
        _put(values, read_id(document, "document", where), value, kind, where, repeats=repeats)
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


def read_mapping_of_lists(
    lists: Mapping[Any, Iterable[object]], kind: InputKind, place: str, *, repeats: bool = False
) -> ValuesByTopic:
    """``{query: {document: value}}`` of ``{query: [id, ...]}``; a run has an order, and no sets."""
    table: ValuesByTopic = {}
    for topic, documents in lists.items():
        where = f"{place}: query {quote(str(topic))}"
        if kind == "run" and isinstance(documents, set | frozenset):
            raise InputError(f"{where}: has a set, which has no order; list the documents of a run from rank 1 on")
        name = read_id(topic, "query", place)
        if name in table:
            raise InputError(f"{place}: topic {name} is given twice, as {name} and as {name!r}; give it once")
        table[name] = grades_or_ranks(documents, kind, where, repeats=repeats)
    return table
