"""Lists of ids or judgments by query, where most formats have a line a document.

Mappings {query: [id, ...]} and records of ragas and Tevatron; cells that hold a query's documents, with blanks between
them, as Kaggle's solutions and submissions; judgments of search engines' tools (OpenSearch, rank_eval of Elasticsearch,
Rated Ranking Evaluator); and the labels of Amazon's Shopping Queries as grades: exact 3, substitute 2, complement 1,
irrelevant 0 (Reddy et al., 2022, "Shopping Queries Dataset: a large-scale ESCI benchmark for improving product search",
arXiv:2206.06588; its own gains are 1, 0.1, 0.01 and 0: ``nDCG(gains={3:1,2:0.1,1:0.01})``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import kind_of
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Again, Run
from gradeval.files.column_names import DOCUMENTS, GRADES, GUESSED, QUERIES, SCORES, Columns, InputKind, normal_name
from gradeval.files.plain_text import ONCE, ValuesByTopic, decode, quote, read_decimal, read_id
from gradeval.files.separated_rows import EDGES, LINE_END, TextRows, read_rows, split_row
from gradeval.files.source import Source
from gradeval.formula.arithmetic import Array

LISTS: Mapping[InputKind, Mapping[str, float | None]] = {
    "qrels": dict.fromkeys(
        "reference_context_ids positive_passages relevant_ids relevant_docs relevant_documents relevant_chunks "
        "relevant expected_ids gold_ids ground_truth_ids".split(),
        1,
    )
    | {"negative_passages": 0},
    "run": dict.fromkeys(
        "retrieved_context_ids retrieved retrieved_ids retrieved_docs retrieved_documents retrieved_chunks "
        "source_nodes nodes hits results matches ctxs documents docs chunks".split()
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
        return _Hit(_read_hit(hit[0], kind, where, columns).document, _read_number(hit[1], "number", where))
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
        value = _read_number(known[name], name, where)
    at = RANK if columns.rank is None else normal_name(columns.rank)
    rank = _read_number(known[at], at, where) if kind == "run" and at in known else None
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


def is_list_cells(beginning: bytes, kind: InputKind, columns: Columns) -> bool:
    """Are there two columns with names, the second with ids between blanks in some line?"""
    if columns.of_values(kind) is not None:
        return False
    lines = [line for line in LINE_END.split(beginning[:8192].decode("utf-8-sig", "replace")) if line.strip()]
    delimiter = _find_delimiter(lines[0]) if lines else None
    if delimiter is None:
        return False
    head, *rows = (split_row(line, delimiter) for line in lines)
    return (
        len(head) == 2
        and len(rows) > 0
        and not any(len(name.split()) > 3 or name.strip().replace(".", "").isdecimal() for name in head)
        and all(len(row) in (0, 2) for row in rows[:-1])
        and any(len(row) == 2 and len(row[1].split()) > 1 for row in rows)
    )


def read_list_cells_qrels(source: Source, name: str | None = None) -> Qrels:
    """Judgments of lines with a query and its relevant documents, as the solutions of Kaggle."""
    table, read_as = _read_cells(source, "qrels")
    return replace(Qrels.from_dict(table, name or source.place), read_as=read_as)


def read_list_cells_run(source: Source, name: str | None = None) -> Run:
    """A run of lines with a query and its documents from rank 1 on, as submissions to Kaggle."""
    table, read_as = _read_cells(source, "run")
    run = Run.from_dict(table, name or os.path.basename(source.place))
    return replace(run, place=source.place, read_as=read_as)


def _read_cells(source: Source, kind: InputKind) -> tuple[ValuesByTopic, str]:
    place = source.place
    text = decode(source.data, place)
    head, table = read_rows(
        text,
        _find_delimiter(text.partition("\n")[0]) or ",",
        place,
        partial(_take_rows, kind=kind, repeats=source.repeats),
    )
    if not table:
        raise InputError(f"{place}: holds a header and no lines")
    return table, f"lists of ids between blanks ({', '.join(name.strip() for name in head)})"


def _take_rows(rows: TextRows, kind: InputKind, *, repeats: bool) -> tuple[Sequence[str], ValuesByTopic]:
    table: ValuesByTopic = {}
    head: Sequence[str] = []
    for line, row in rows:
        where = f"{rows.place}:{line}"
        if not head:
            head = row
            continue
        if len(row) != 2:
            raise InputError(f"{where}: found {len(row)} columns; a line has a query, and ids between blanks")
        topic = row[0].strip(EDGES)
        if not topic:
            raise InputError(f"{where}: the query is empty; each line names one")
        if topic in table:
            raise InputError(f"{where}: query {quote(topic)} was already given; write one line a query")
        table[topic] = grades_or_ranks(row[1].split(), kind, where, repeats=repeats)
    return head, table


def _find_delimiter(line: str) -> str | None:
    return next((sign for sign in "\t,;" if sign in line), None)


class Rated(NamedTuple):
    """A judgment as it stands in a file; a grade of None or an empty text: nobody judged it."""

    topic: object
    document: object
    grade: object


TOOLS = {
    "judgmentRatings": "JSON of OpenSearch's judgments",
    "requests": "JSON of rank_eval",
    "topics": "JSON of Rated Ranking Evaluator",
    "queries": "JSON of Rated Ranking Evaluator",
    "query_groups": "JSON of Rated Ranking Evaluator",
}
"""What messages call the formats, by the key that tells each."""


def read_judgment_list(whole: dict[str, Any], place: str) -> tuple[dict[str, dict[str, float]], str] | None:
    """``{topic: {document: grade}}`` and what the format is called; None where it is none of these.

    Topics go by the text of the query (OpenSearch, Rated Ranking Evaluator) or by the id of the request (rank_eval).
    Documents without a grade are left out and counted.
    """
    key = next((key for key in TOOLS if isinstance(whole.get(key), list)), None)
    if key is None:
        return None
    walk = {"judgmentRatings": _of_opensearch, "requests": _of_rank_eval}.get(key, _of_groups)
    table: dict[str, dict[str, float]] = {}
    blank = 0
    try:
        for topic, document, grade in walk(whole):
            documents = table.setdefault(read_id(topic, "query", place), {})
            if grade is None or grade == "":
                blank += 1
                continue
            identifier = read_id(document, "document", place)
            if identifier in documents:
                raise InputError(
                    f"{place}: document {quote(identifier)} of query {quote(str(topic))} is rated twice; "
                    f"{ONCE['qrels']}"
                )
            documents[identifier] = _read_number(grade, "rating", place)
    except (KeyError, TypeError, AttributeError, IndexError) as error:  # another shape than that of the format
        raise InputError(
            f"{place}: looks like {TOOLS[key]}, but is incomplete ({type(error).__name__}: {error}); write it again"
        ) from None
    table = {topic: documents for topic, documents in table.items() if documents}
    if not table:
        raise InputError(f"{place}: this {TOOLS[key]} holds no ratings; rate some documents")
    return table, TOOLS[key] + describe_blank(blank)


def describe_blank(blank: int) -> str:
    """That documents have no grade, to stand behind the name of a format."""
    if not blank:
        return ""
    return f"; {blank} without a grade {'is' if blank == 1 else 'are'} unjudged"


def _of_opensearch(whole: Any) -> Iterator[Rated]:
    """``{"judgmentRatings": [{"query": text, "ratings": [{"docId": id, "rating": "3.0"}]}]}``."""
    for entry in whole["judgmentRatings"]:
        for rating in entry["ratings"]:
            yield Rated(entry["query"], rating["docId"], rating["rating"])


def _of_rank_eval(whole: Any) -> Iterator[Rated]:
    """``{"requests": [{"id": id, "ratings": [{"_index": name, "_id": id, "rating": 3}]}]}``."""
    for request in whole["requests"]:
        for rating in request["ratings"]:
            yield Rated(request["id"], rating["_id"], rating["rating"])


def _of_groups(node: Any) -> Iterator[Rated]:
    """Topics hold groups; groups hold queries, ``{"placeholders": {"$query": text}}``, and their relevant documents,
    ``{id: {"gain": 3}}`` or ``{"3": [id, id]}``. A query may have its own."""
    for inner in (*node.get("topics", ()), *node.get("query_groups", ())):
        yield from _of_groups(inner)
    for query in node.get("queries", ()):
        relevant = query.get("relevant_documents", node.get("relevant_documents"))
        text = query["placeholders"]["$query"] if "placeholders" in query else query["$query"]
        for name, value in relevant.items():
            if isinstance(value, list):
                yield from (Rated(text, document, name) for document in value)
            else:
                yield Rated(text, name, value["gain"])


def _read_number(value: object, name: str, where: str) -> float:
    """The finite number in a value of JSON, a number or its text; ``name``: what it is called there."""
    text = "" if isinstance(value, bool | dict | list) else str(value)
    number = read_decimal(text)
    if number != number:
        raise InputError(f"{where}: {name} {quote(str(value))} is not a finite number; write it as in 2 or 0.5")
    return number


ESCI_COLUMN = "esci_label"
ESCI_GRADES = {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0}
"""By letter, which is also the first one of the word: Exact, Substitute, Complement, Irrelevant."""
ESCI_WORDS = ("exact", "substitute", "complement", "irrelevant")


def grade_of_label(column: str, label: str) -> float | None:
    """The grade of a label in a column; None where the column is no such one, or the label another one."""
    if normal_name(column) != ESCI_COLUMN:
        return None
    letter = label[:1].upper() if label.lower() in ESCI_WORDS else label
    return ESCI_GRADES.get(letter)


def grades_of_labels(column: str, labels: Sequence[str], place: str) -> Array:
    """float64[row]: the grades of a column of labels."""
    grades = [grade_of_label(column, label) for label in labels]
    for row, (label, grade) in enumerate(zip(labels, grades, strict=True)):
        if grade is None:
            raise InputError(f"{place}: row {row}: {column} {label!r} is none of {', '.join(ESCI_GRADES)}")
    return np.array(grades, float)
