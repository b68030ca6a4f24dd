"""What records of JSON call the query, the lists of its documents and their ids; and which names count in a file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import (
    DOCUMENTS,
    GRADES,
    QUERIES,
    RANKS,
    RUNS,
    SCORES,
    InputKind,
    first_usual,
    is_name_of_column,
    normal_name,
)
from gradeval.files.given_values import is_number_or_words
from gradeval.files.grade_words import GradeWords, is_word
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import read_decimal
from gradeval.files.unknown_columns import how_to_name, is_index
from gradeval.messages import LISTED, join_names

LISTS: Mapping[InputKind, Mapping[str, float | None]] = {
    "qrels": dict.fromkeys(
        "reference_context_ids positive_passages relevant_ids relevant_docs relevant_documents relevant_chunks "
        "relevant expected_ids gold gold_ids gold_documents gold_chunks gold_chunk_ids ground_truth_ids".split(),
        1,
    )
    | {"negative_passages": 0},
    "run": dict.fromkeys(
        "retrieved_context_ids retrieved retrieved_ids retrieved_docs retrieved_documents retrieved_chunks "
        "source_nodes nodes hits results matches candidates ctxs documents docs chunks "
        "recommendations recommended recs items".split()
    ),
}
"""The lists of judgments with the grade of what stands in them, and the lists of runs, which are in rank order."""
OF_OBJECTS = frozenset("contexts retrieved_contexts passages retrieved_passages source_documents".split())
OBJECTS: Mapping[InputKind, Collection[str]] = {
    "qrels": {*LISTS["run"], *OF_OBJECTS, *"judgments judgements ratings grades labels relevance qrels".split()},
    "run": {*OF_OBJECTS, "scores", "ranking"},
}
"""Lists that count where all that stands in them are objects with an id: they may hold texts, too."""
IDS = "docid doc_id id _id id_ chunk_id node_id document_id passage_id context_id doc_uri".split()
"""What a passage calls its id, where the list holds passages; or its metadata, as LangChain's."""
TEXTS = ("passage", "document", "doc", "chunk")
IDS_OF_HITS = [*IDS, *(name for name in DOCUMENTS if name not in IDS and name not in TEXTS)]
"""What a hit calls its id: as a passage does, else as tables do, as item_id or sku; the first that is there counts."""
WITHIN = ("node", "document", "metadata")
"""What holds the id of a hit that has none itself."""
PARTS = ("inputs", "outputs", "response")
"""What records of traces, as LangSmith's, keep the query and the hits in."""

LIKELY_QUERY = frozenset("input inputs question questions query queries prompt request".split())
"""Words in the names of texts that may be queries."""
OF_JUDGED = frozenset(
    "reference references expected relevant gold golden ground truth true actual positive negative ideal".split()
)
OF_RETRIEVED = frozenset(
    "retrieved retrieval retriever returned ranked predicted prediction predictions pred preds recommended "
    "recommendation recommendations rec recs".split()
)
"""Words in the names of lists of judged documents, and of documents that a system found."""
OF_IDS = frozenset("id ids uuid uuids uri uris url urls docid docids".split())
"""Words in the names of ids of documents, of which texts may stand beside."""
PART_OF_NAME = re.compile(r"[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+")
"""A part of a name whose words begin with capital letters."""
SEVERAL = (list, tuple, set, frozenset)
"""What holds the documents of a query."""
WITH_QUERIES = ("judgmentratings", "requests")
"""Lists of the judgments of OpenSearch and Elasticsearch, whose records have queries, too."""


@dataclass
class RecordNames:
    """The names in all records of a file: the first of several usual ones counts, as in a header.

    Attributes
    ----------
    fields : the names of the records, in order of appearance.
    lists : those which hold a list in some record.
    known : which of them are usual ones, or named by the user.
    query : what records with lists call the query; None: not known.
    id : the normal name of the ids of hits; None: no name of an id is known.
    value : the normal name of the grades or scores of hits; None: they have none.
    words : the grades in words.
    telling : the field that names runs, as it tells apart records of the same query; None: there is none.
    """

    kind: InputKind
    columns: Columns
    fields: dict[str, None] = field(default_factory=dict)
    lists: set[str] = field(default_factory=set)
    known: tuple[str, ...] = ()
    query: str | None = None
    id: str | None = None
    value: str | None = None
    words: GradeWords = field(default_factory=GradeWords)
    telling: str | None = None
    _of_hits: set[tuple[int, str]] = field(default_factory=set)
    _listing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.words.columns = self.columns

    def add(self, record: Any) -> bool:
        """Add the names of a record; does it change which of the names count?"""
        if not isinstance(record, dict) or is_of_lists(record):
            return False
        whole = with_parts(record, self.kind)
        lists = self._called_lists(whole)
        self._listing.update(lists)
        size = len(self.fields) + len(self._of_hits)
        self.fields.update(dict.fromkeys(whole if lists else record))
        self.lists.update(name for name, value in whole.items() if name in record and isinstance(value, list))
        for hit in (hit for name in lists if isinstance(whole[name], list) for hit in whole[name]):
            for at, layer in enumerate(layers_of(hit[0] if isinstance(hit, list) and hit else hit)):
                self._of_hits.update((at, normal_name(name)) for name, value in layer.items() if value is not None)
        if size == len(self.fields) + len(self._of_hits):
            return False
        before = self.known, self.id, self.value
        self._choose()
        return before != (self.known, self.id, self.value)

    def _choose(self) -> None:
        columns = self.columns
        own = {columns.query, columns.doc, columns.grade, columns.score, columns.rank, columns.run}
        usual = {*LISTS[self.kind], *OBJECTS[self.kind]}
        self.known = tuple(
            name for name in self.fields if name in own or is_name_of_column(name) or normal_name(name) in usual
        )
        by_name = {normal_name(name): name for name in reversed(self.fields)}
        self.query = columns.query if columns.query in self.fields else first_usual(by_name, QUERIES)
        doc = "" if columns.doc is None else normal_name(columns.doc)
        ids = [one for one in self._of_hits if one[1] == doc or one[1] in IDS_OF_HITS]
        places = {(name != doc, at, [*IDS_OF_HITS, doc].index(name)): name for at, name in ids}
        self.id = places[min(places)] if places else None
        named = columns.grade if self.kind == "qrels" else columns.score
        grades = [name for name in GRADES if name not in SCORES]
        there = {name for _, name in self._of_hits}
        values = [normal_name(named)] if named is not None else grades if self.kind == "qrels" else SCORES
        if self.kind == "run" and (columns.rank is not None or columns.in_order_of_lists):
            values = []
        self.value = next((name for one in values for name in (one, f"_{one}") if name in there), None)

    @property
    def names_of_runs(self) -> Collection[str]:
        """The normal names of the fields that name runs."""
        if self.kind == "qrels":
            return ()
        named = self.telling if self.columns.run is None else self.columns.run
        return RUNS if named is None else (normal_name(named),)

    def find_telling(self, records: Iterable[Any], usual: Collection[str] = ()) -> str | None:
        """The field, of the ``usual`` ones or of any, that tells apart all records with a list of the same query."""
        likely = [
            name
            for name in self.fields
            if name not in (*self.lists, *self._listing, self.query)
            and not is_index(name)
            and (not usual or normal_name(name) in usual)
        ]
        if self.query is None or not likely or self.columns.run in self.fields:
            return None
        from gradeval.files.likely_runs import find_telling  # here, as few files have several runs

        found = (with_parts(record, self.kind) for record in records if isinstance(record, dict))
        rows = ([record.get(self.query), *map(record.get, likely)] for record in found)
        at = find_telling(rows, 0, 0, range(1, len(likely) + 1))
        return None if at is None else likely[at - 1]

    def find_lists(self, record: Mapping[str, Any]) -> list[str]:
        """What a record calls its lists of documents: by the usual names, else lists of objects, with grades in
        judgments."""
        lists = self._called_lists(record)
        usual = [name for name in lists if normal_name(name) in LISTS[self.kind] or name == self.columns.doc]
        return usual or (lists if self.kind == "run" or self.value is not None else [])

    def require_no_sole_lists(self, names: Collection[str], where: str) -> None:
        """Refuse records whose only documents may be in lists that no name tells."""
        named = self.columns.doc in names or any(normal_name(name) in DOCUMENTS for name in names)
        lists = [name for name in self.fields if name in self.lists]
        if not named and lists[1:] and self.query is not None:
            raise several_lists(lists, self.kind, where, self.columns)
        if not named and lists:
            given = {"doc": _likely_list(lists, self.kind)}
            if self.query is None and (query := find_likely_query(dict.fromkeys(self.fields, ""), self.lists)):
                given = {"query": query, **given}
            what = "documents" if given["doc"] != "NAME" else "relevant documents"
            raise InputError(
                f"{where}: no column is known to hold the {what} (it has {', '.join(self.fields)}); "
                f"name the list of them: {how_to_name(given, self.kind, self.columns, alone=self.kind == 'qrels')}"
            )

    def find_ungraded(self, record: Mapping[str, Any]) -> str | None:
        """What a record of judgments calls a list without grades; None: there is none, or it names a document."""
        if self.value is not None or has_document(record):
            return None
        return next((name for name in record if normal_name(name) in OBJECTS["qrels"] and name in self.lists), None)

    def find_likely_grade(self, hits: Iterable[Any]) -> str:
        """The only field of judged documents that holds a number or a word for each, and no id; else NAME."""
        alike = [dict(hit) for hit in hits if isinstance(hit, dict)]
        likely = [
            name
            for name in (alike[0] if alike else ())
            if normal_name(name) not in (*IDS_OF_HITS, self.id, *RANKS)
            and all(is_number_or_words(hit.get(name)) or is_word(str(hit.get(name))) for hit in alike)
        ]
        return likely[0] if len(likely) == 1 else "NAME"

    def _called_lists(self, record: Mapping[str, Any]) -> list[str]:
        """The lists of documents by their names, with grades or not."""
        if self.columns.doc is not None and isinstance(record.get(self.columns.doc), list):
            return [self.columns.doc]
        alone = not has_document(record)
        usual = [name for name in record if normal_name(name) in LISTS[self.kind]]
        usual = [name for name in usual if alone or normal_name(name) not in GRADES]  # else it is the grade, as gold
        if usual or not alone:
            return usual
        return [name for name in record if normal_name(name) in OBJECTS[self.kind] and are_hits(record[name])]


def find_likely_query(record: Mapping[str, Any], lists: Collection[str] = ()) -> str:
    """The first name, not of ``lists``, under which a record may hold the text of its query; empty: there is none."""
    texts = (name for name, value in record.items() if isinstance(value, str) and name not in lists)
    return next((name for name in texts if (words := words_of(name)) & LIKELY_QUERY and "id" not in words), "")


def words_of(name: str) -> frozenset[str]:
    """The words in a name, in lower case; the parts of expectedOutput and chunkIDs are words, too."""
    return frozenset(re.split(r"[^a-z]+", name.lower())) | {*map(str.lower, PART_OF_NAME.findall(name))}


def is_of_judgments(name: str) -> bool:
    """Is it called as lists of relevant documents are?"""
    return normal_name(name) in LISTS["qrels"] or not OF_JUDGED.isdisjoint(words_of(name))


def name_relevant(record: Mapping[str, Any]) -> str:
    """How to name the list of a record that is called as relevant documents are; nothing where it has none. Texts in
    place of ids match only the same texts."""
    lists = [name for name, value in record.items() if isinstance(value, list) and is_of_judgments(name)]
    if not lists:
        return ""
    texts = any(isinstance(one, str) and " " in one.strip() for one in record[lists[0]])
    return f", or say which: columns:doc={lists[0]}:FILE" + ", whose texts match only the same texts" * texts


def several_lists(lists: Sequence[str], kind: InputKind, place: str, columns: Columns) -> InputError:
    """The error for a table with lists of documents in several columns, where no name tells whose they are."""
    likely = _likely_list(lists, kind)
    likely = lists[0] if likely == "NAME" else likely
    other = _likely_list([one for one in lists if one != likely], "run" if kind == "qrels" else "qrels")
    other = next(one for one in lists if one != likely) if other == "NAME" else other
    judged, ranked = (likely, other) if kind == "qrels" else (other, likely)
    if columns.in_python:
        frame = "frame" if callable(columns.remedy) else "pandas.DataFrame(RECORDS)"
        of_run, of_qrels = (
            f"run_from_frame({frame}, doc_id={ranked!r})",
            f"qrels_from_frame({frame}, doc_id={judged!r})",
        )
    else:
        of_run, of_qrels = (shlex.quote(f"columns:doc={one}:FILE") for one in (ranked, judged))
    return InputError(
        f"{place}: {join_names([*map(repr, lists)], LISTED)} hold lists of documents; name the column of each run: "
        f"{of_run}; if {judged!r} holds relevant documents, name it for the judgments: {of_qrels}"
    )


def _likely_list(lists: Sequence[str], kind: InputKind) -> str:
    """The list whose name is usual for judgments, or for runs; NAME: judgments are expected, all lists are of runs."""
    judged = [name for name in lists if is_of_judgments(name)]
    retrieved = [name for name in lists if words_of(name) & OF_RETRIEVED and name not in judged]
    judged, retrieved = (sorted(names, key=lambda name: not words_of(name) & OF_IDS) for names in (judged, retrieved))
    if kind == "run":
        return next(iter(retrieved), next((name for name in lists if name not in judged), lists[0]))
    return next(iter(judged), next((name for name in lists if name not in retrieved), "NAME"))


def has_document(record: Mapping[str, Any]) -> bool:
    """Has the record one document, rather than a list?"""
    return any(normal_name(name) in DOCUMENTS and not isinstance(value, list) for name, value in record.items())


def with_parts(record: Mapping[str, Any], kind: InputKind) -> dict[str, Any]:
    """The record, and what a trace keeps in its parts; ``{document: number}`` under a usual name as a list of hits."""
    parts = (record[part] for part in PARTS if isinstance(record.get(part), dict))
    whole = {name: value for part in parts for name, value in part.items()} | {**record}
    usual = {*LISTS[kind], *OBJECTS[kind]}
    mapped = {name: _as_hits(value, kind) for name, value in whole.items() if _is_mapped(value)}
    return whole | {name: hits for name, hits in mapped.items() if normal_name(name) in usual}


def is_trace(item: Any) -> bool:
    """Is it an object with what was asked and found in its parts, as LangSmith's?"""
    return isinstance(item, Mapping) and {"inputs", "outputs"} <= item.keys()


def _is_mapped(value: Any) -> bool:
    """Is it ``{document: number}``, where a number may be text or missing?"""
    return isinstance(value, dict) and all(number is None or is_number_or_words(number) for number in value.values())


def _as_hits(documents: Mapping[str, Any], kind: InputKind) -> list[dict[str, Any]]:
    """The documents as hits; in a run by their scores, the best first."""
    hits = [{"id": document, "grade" if kind == "qrels" else "score": number} for document, number in documents.items()]
    numbers = [read_decimal(str(number)) for number in documents.values()]
    if kind == "qrels" or any(number != number for number in numbers):
        return hits
    return [hits[at] for at in sorted(range(len(hits)), key=lambda at: -numbers[at])]


def find_wrapped(whole: Mapping[str, Any]) -> str | None:
    """What an object calls its only list of records that each have a query, as ``{"config": {...}, "results": [...]}``;
    None: it has none, or several."""
    lists = [name for name, value in whole.items() if isinstance(value, list) and value and all(map(_has_query, value))]
    return lists[0] if len(lists) == 1 and normal_name(lists[0]) not in WITH_QUERIES else None


def are_runs_of_records(whole: Mapping[str, Any]) -> bool:
    """Are all values lists of records that each have a query, as ``{run: [{"query_id": ..., ...}, ...]}``?"""
    return all(isinstance(value, list) and value and all(map(_has_query, value)) for value in whole.values())


def _has_query(record: Any) -> bool:
    """Is it a record with the text or id of a query?"""
    if not isinstance(record, dict):
        return False
    whole = with_parts(record, "run")
    return any(isinstance(value, str | int) and normal_name(name) in QUERIES for name, value in whole.items())


def are_hits(value: Any) -> bool:
    """Is it a list of objects that each have an id?"""
    return isinstance(value, list) and all(
        isinstance(hit, dict) and any(normal_name(name) in IDS_OF_HITS for layer in layers_of(hit) for name in layer)
        for hit in value
    )


def layers_of(hit: Any) -> Iterator[dict[str, Any]]:
    """The hit, and the objects in it that hold what it lacks itself: its node, and the metadata of the node."""
    if isinstance(hit, dict) and "lc" in hit and isinstance(hit.get("kwargs"), dict):
        yield from layers_of(hit["kwargs"])  # as LangChain writes its own objects
    elif isinstance(hit, dict):
        yield hit
        for name in WITHIN:
            yield from layers_of(hit.get(name))


def is_of_lists(value: Any) -> bool:
    """Is it {query: [id, ...]}, rather than columns by their names? A query without documents may have null."""
    return (
        isinstance(value, Mapping)
        and all(inner is None or isinstance(inner, SEVERAL) for inner in value.values())
        and any(inner is not None for inner in value.values())
        and not any(normal_name(str(name)) in (*QUERIES, *DOCUMENTS) for name in value)
    )
