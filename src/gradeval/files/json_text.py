"""JSON: {topic: {document: number}}, and records, one a line (JSONL) or in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from gradeval._core import InputError
from gradeval.collection.missing_grades import require_grades
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run, name_file
from gradeval.files.column_names import InputKind, is_name_of_column
from gradeval.files.engine_answers import are_answers, columns_of_hits, is_answer, lists_of_answers, refuse_as_judgments
from gradeval.files.failed_searches import about_failed_records, is_failed
from gradeval.files.given_values import with_numbers
from gradeval.files.grade_words import GradeWords
from gradeval.files.hits_by_topic import holds_hits_by_topic, records_by_topic
from gradeval.files.json_values import MAPPING, number_records, parse_lines, whole_value
from gradeval.files.judgment_lists import read_judgment_list
from gradeval.files.likely_ranks import warn_of_mapped_scores
from gradeval.files.listings import is_of_listings, lists_of_listings
from gradeval.files.lists import read_mapping_of_lists, without_edges
from gradeval.files.lists_again import require_same_list, split_by
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.nested_records import LocatedRecords
from gradeval.files.other_json import find_inner_table, refuse_other_json, refuse_tables
from gradeval.files.padding import without_padding_of_topics
from gradeval.files.plain_text import decode, quote
from gradeval.files.record_names import are_runs_of_records, find_wrapped, is_of_lists
from gradeval.files.record_tables import LISTS_OF, RECORDS, JsonTables, drop_ungraded, fill_tables
from gradeval.files.run_tables import TablesByRun, TablesOfPart, merge_parts
from gradeval.files.scored_judgments import question_scores
from gradeval.files.source import Source
from gradeval.messages import kind_of, list_some

DATA_SET = "relevant_docs"
"""The key of the lists of documents in a data set of LlamaIndex, which holds texts, too."""
ReadPart: TypeAlias = Callable[[Source, InputKind, Columns], JsonTables]
"""Reads the tables of one file."""


def read_json_qrels(
    source: Source, name: str | None = None, columns: Columns = GUESSED, read_part: ReadPart | None = None
) -> Qrels:
    """Judgments from JSON; ``read_part`` reads a file that holds it in another way."""
    read = _read_parts(source, "qrels", columns, read_part or _read_document)
    require_grades(len(read.tables[""][0]), read.blank, source.place)
    qrels = Qrels.of_table(read.tables[""][0], name or source.place, source.repeated)
    qrels = replace(qrels, grade_column=read.grade_column, highest=read.highest, leaves_out=read.leaves_out)
    if read.read_as == MAPPING:
        qrels = question_scores(qrels, "write records with query_id, doc_id and relevance")
    return replace(qrels, read_as=f"{read.read_as}{read.said}", joinable=read.joinable)


def read_json_runs(
    source: Source, name: str | None = None, columns: Columns = GUESSED, read_part: ReadPart | None = None
) -> list[Run]:
    """The runs in JSON, each called by the field that names it, else by ``name``, else by their file."""
    read = _read_parts(source, "run", columns, read_part or _read_document)
    told: dict[str, Any] = {"read_as": f"{read.read_as}{read.words}", "joinable": read.joinable}
    # The core names the place in errors by the name of the mapping.
    return [
        replace(Run.of_table(*table, source.place), name=called or name or name_file(source.place), **told)
        for called, table in read.tables.items()
    ]


def _read_parts(source: Source, kind: InputKind, columns: Columns, read_part: ReadPart) -> JsonTables:
    parts: list[TablesOfPart] = []
    every: list[JsonTables] = []
    for part in source.parts:
        read = read_part(part, kind, columns)
        if read.in_order and source.parts[1:]:
            raise InputError(
                f"{part.place}: has neither scores nor ranks, which parts of a folder need, as their order says "
                "nothing; write one file, or ranks"
            )
        if every and read.read_as != every[0].read_as:
            raise InputError(
                f"{part.place}: is {read.read_as}, where {source.parts[0].place} is {every[0].read_as}; write all "
                "parts of a folder alike"
            )
        if read.whole_queries:
            _require_new_queries(part.place, read.tables, parts, kind)
        parts, every = [*parts, (part.place, read.tables)], [*every, read]
    return every[-1]._replace(
        tables=merge_parts(parts, source, kind),
        blank=sum(read.blank for read in every),
        words=next((read.words for read in every if read.words), ""),
        highest=max(read.highest for read in every),
        leaves_out=any(read.leaves_out for read in every),
        joinable=next((read.joinable for read in every if read.joinable), ""),
    )


def _require_new_queries(place: str, tables: TablesByRun, earlier: Sequence[TablesOfPart], kind: InputKind) -> None:
    """Refuse a part with a list for a query that an earlier part has, as ranks begin anew in each list of a run; in
    judgments it may be the same."""
    for name, (values, _) in tables.items():
        for other, known in earlier:
            before = known.get(name, ({}, {}))[0]
            for topic in sorted(values.keys() & before.keys()):
                if kind == "run":
                    raise InputError(
                        f"{place}: query {quote(topic)} was already given in {other}; write each query once"
                    )
                require_same_list(before[topic], values[topic], topic, place, lambda: split_by(None))


def _read_document(source: Source, kind: InputKind, columns: Columns) -> JsonTables:
    place = source.place
    text = decode(source.data, place)
    if not text.strip():
        raise InputError(f"{place}: the file is empty; accepted is {MAPPING}, or records, one a line")
    whole = whole_value(text, place)
    if isinstance(whole, dict):
        return _read_mapping(whole, kind, columns, source)
    if isinstance(whole, list):
        if not whole:
            raise InputError(f"{place}: the list holds no record")
        return _fill_tables(partial(number_records, whole, place), kind, columns, source)
    if whole is not None:
        raise InputError(f"{place}: is {kind_of(whole)}; accepted is {MAPPING}, or records, one a line")
    return _fill_tables(partial(parse_lines, text, place), kind, columns, source)


def _fill_tables(records: LocatedRecords, kind: InputKind, columns: Columns, source: Source) -> JsonTables:
    """The tables of all records of a file; where one cannot be read, a search that failed is told first."""
    place = source.place
    try:
        return fill_tables(records, kind, columns, place, source.keys, repeats=source.repeats)
    except InputError as error:
        failed = None
        if kind == "qrels":
            refuse_as_judgments(next(records(), ("", None))[1], columns, place)
        else:
            with suppress(InputError):  # of a line that is no JSON
                failed = about_failed_records(records(), columns)
        raise failed or error from None


def _read_mapping(whole: dict[str, Any], kind: InputKind, columns: Columns, source: Source) -> JsonTables:
    place = source.place
    if not whole:
        raise InputError(f"{place}: holds no topic; accepted is {MAPPING}")
    refuse_tables(whole, place)
    if kind == "qrels":
        refuse_as_judgments(whole, columns, place)
    if are_answers(whole):
        answers, whole = whole, lists_of_answers(whole, kind, place)
        columns = columns_of_hits(answers, whole, columns)
    wrapped = find_wrapped(whole)
    if kind == "qrels" and wrapped is None:
        read = read_judgment_list(whole, place, repeats=source.repeats)
        if read is not None:
            return JsonTables({"": (read[0], {})}, read[1])
    if kind == "run" and (is_answer(whole) or is_failed(whole)):
        return _fill_tables(lambda: iter([(place, whole)]), kind, columns, source)
    by_topic = holds_hits_by_topic(whole, columns)
    if wrapped is None and not by_topic:
        if (inner := find_inner_table(whole)) is not None:
            return _read_key(_read_mapping(whole[inner], kind, columns, source), whole, inner)
        refuse_other_json(whole, place)
    if wrapped is not None:
        listed, where = whole[wrapped], f"{place}: {wrapped}"
        of_list = partial(number_records, listed, where)
        tables = fill_tables(of_list, kind, columns, place, source.keys, repeats=source.repeats)
        return _read_key(tables, whole, wrapped)
    if by_topic:
        return fill_tables(lambda: iter([(place, whole)]), kind, columns, place, source.keys, repeats=source.repeats)
    if kind == "run" and is_of_listings(whole):
        whole = dict(lists_of_listings(whole, place))
    elif kind == "run" and (named := _read_named_runs(whole, columns, source)) is not None:
        return named
    words, read_as = GradeWords(columns=columns), MAPPING
    if kind == "qrels" and is_of_lists(whole.get(DATA_SET)):
        whole, read_as = whole[DATA_SET], f"JSON with {DATA_SET}"
    elif is_of_lists(whole):
        read_as = LISTS_OF[kind]
    if of_lists := is_of_lists(whole):
        whole = read_mapping_of_lists(whole, kind, place, repeats=source.repeats)
    elif any(isinstance(documents, dict) for documents in whole.values()):
        whole = {topic: {} if documents is None else documents for topic, documents in whole.items()}
    whole, blank = drop_ungraded(whole, kind, words)
    if of_lists:
        whole = with_numbers(whole, kind, words, place)
    else:
        whole = _read_values(whole, kind, words, place, repeats=source.repeats)
    return JsonTables(
        {"": (whole, {})}, read_as, blank, words=words.said, highest=words.highest, whole_queries=of_lists
    )


def _read_key(tables: JsonTables, whole: Mapping[str, Any], key: str) -> JsonTables:
    """The tables of one key of an object, which say that its other keys are not read."""
    others = [name for name in whole if name != key]
    left = f"; of its keys only {quote(key)} is read, not {list_some(others)}" if others else ""
    return tables._replace(words=f"{left}{tables.words}")


def _read_named_runs(whole: Mapping[str, Any], columns: Columns, source: Source) -> JsonTables | None:
    """A run by key, in rank order or with scores; None: it is something else."""
    if all(isinstance(value, dict) and is_of_lists(value) for value in whole.values()):
        if any(holds_hits_by_topic(table, columns) for table in whole.values()):
            return _read_runs_of_hits(whole, columns, source)
        lists: TablesByRun = {
            name: (read_mapping_of_lists(table, "run", f"{source.place}: {name}", repeats=source.repeats), {})
            for name, table in whole.items()
        }
        return JsonTables(lists, f"{LISTS_OF['run']}; a run by key", whole_queries=True)
    if are_runs_of_records(whole):
        return _read_runs_of_hits(whole, columns, source)
    if not _holds_named_runs(whole):
        return None
    words = GradeWords(columns=columns)
    scored: TablesByRun = {
        name: (_read_values(table, "run", words, f"{source.place}: {name}", repeats=source.repeats), {})
        for name, table in whole.items()
    }
    return JsonTables(scored, "JSON {run: {topic: {document: score}}}", words=words.said)


def _read_runs_of_hits(whole: Mapping[str, Any], columns: Columns, source: Source) -> JsonTables:
    """A run by key, each as hits by topic, as lists of ids, or as records."""
    tables: TablesByRun = {}
    for name, table in whole.items():
        place = f"{source.place}: {name}"
        listed = isinstance(table, list)
        records = (
            [*number_records(table, place)] if listed else [(place, one) for one in records_by_topic(table, "run")]
        )
        read = fill_tables(partial(iter, records), "run", columns, place, source.keys, repeats=source.repeats)
        tables[name] = read.tables[""]
    return JsonTables(tables, f"{RECORDS}; a run by key", whole_queries=True)


def _holds_named_runs(whole: Mapping[str, Any]) -> bool:
    """Is it {run: {topic: {document: score}}}, rather than objects of documents, as {"d1": {"score": 2, "rank": 1}}?"""
    by_run = [topics for topics in whole.values() if isinstance(topics, dict) and topics]
    by_topic = [documents for topics in by_run for documents in topics.values()]
    if len(by_run) < len(whole) or not all(isinstance(documents, dict) for documents in by_topic):
        return False
    return any(by_topic) and not any(is_name_of_column(document) for documents in by_topic for document in documents)


def _read_values(
    table: Mapping[str, Any], kind: InputKind, words: GradeWords, place: str, *, repeats: bool
) -> dict[str, Any]:
    """``{topic: {document: value}}`` with numbers for their texts."""
    read = without_edges(with_numbers(table, kind, words, place), kind, place, repeats=repeats)
    if kind == "run":
        read = dict(without_padding_of_topics(read, place))
        warn_of_mapped_scores(read, place)
    return read
