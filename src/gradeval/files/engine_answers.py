"""Answers of search engines: by query, as lists of hits; and what to type where they do not say which query they
answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import GRADES, QUERIES, SCORES, InputKind, normal_name
from gradeval.files.failed_searches import is_failed, is_partial, refuse_failed, warn_of_partial
from gradeval.files.named_columns import Columns
from gradeval.files.nested_records import follow
from gradeval.files.record_names import layers_of

HITS: Mapping[str, str] = {"hits": "hits", "response": "docs"}
"""What holds the list of hits in an answer of Elasticsearch or OpenSearch, or of Solr, and what that list is called."""
ANSWERS = "responses"
"""What holds the answers to several queries."""
NEW_FILE = "NEW.json"
DETAILS = "details"
"""What holds the hits by query in the response of rank_eval."""


def about_lost_queries(record: object, *, python: bool) -> str:
    """What to type where a record is such an answer, or holds several; empty: it is none. ``python``: is it no file?"""
    if not isinstance(record, dict):
        return ""
    several = record.get(ANSWERS)
    answers = several if isinstance(several, list) else [record]
    holder = next((name for name in HITS if any(_is_answer(one, name) for one in answers)), None)
    if holder is None or any(normal_name(str(name)) in QUERIES for name in record):
        return ""
    joined = "[{'query_id': query, **answer} for query, answer in zip(queries, answers, strict=True)]"
    said = "is an answer of a search engine that does not say its query"
    if several is not None:
        said = "holds answers of a search engine that do not say their queries"
    if python:
        made = f"run_from_frame(pandas.DataFrame({joined}), doc_id='hits.hits._id')" if holder == "hits" else joined
        where = f"ANSWER[{ANSWERS!r}]" if several is not None else "[ANSWER] for one answer, or their list"
        return f"{said}; add the queries in the order in which they were sent: {made}, where answers is {where}"
    where = f"json.load(open(FILE))[{ANSWERS!r}]"
    if several is None:
        where = "json.load(open(FILE)), [json.load(open(FILE))] for one answer, or the list of its lines"
    then = f"columns:doc=hits.hits._id:{NEW_FILE}" if holder == "hits" else NEW_FILE
    return (
        f"{said}; add the queries in the order in which they were sent, in Python: "
        f"Path({NEW_FILE!r}).write_text(json.dumps({joined})), where answers is {where}; then read {then}"
    )


def refuse_as_judgments(whole: Any, columns: Columns, place: str) -> None:
    """Refuse answers as judgments, unless the user names grades or hits have some."""
    if not isinstance(whole, dict):
        return
    several = whole.get(ANSWERS)
    answers = several if isinstance(several, list) else [*whole.values()] if are_answers(whole) else [whole]
    found = [one for one in answers if is_answer(one)]
    if columns.grade is not None or not found or any(map(_is_graded, found)):
        return
    raise InputError(
        f"{place}: holds answers of a search engine, which are a run; give the judgments first, and then this file"
    )


def _is_graded(answer: Mapping[str, Any]) -> bool:
    """Has its first hit something that is called as grades are, and scores are not?"""
    first = _hits_of(answer)[:1]
    called = {normal_name(name) for hit in first for layer in layers_of(hit) for name in layer}
    return not called.isdisjoint({*GRADES} - {*SCORES})


def are_answers(whole: Mapping[Any, Any]) -> bool:
    """Is it {query: answer}, where some searches may have failed, or the response of rank_eval?"""
    there = [value for value in whole.values() if value is not None]
    return _is_rank_eval(whole) or (bool(there) and all(is_answer(one) or is_failed(one) for one in there))


def lists_of_answers(whole: Mapping[Any, Any], kind: InputKind, place: str) -> dict[Any, Any]:
    """``{query: [hit, ...]}`` of such answers; the judgments of rank_eval stand in its request, not in its response."""
    if not _is_rank_eval(whole):
        refuse_failed(whole, place)
        warn_of_partial([str(query) for query, answer in whole.items() if is_partial(answer)], place)
        return {query: None if answer is None else _hits_of(answer) for query, answer in whole.items()}
    if kind == "qrels":
        raise InputError(
            f"{place}: is the response of rank_eval, which has the judgments of returned documents alone; "
            "give the request of rank_eval as judgments"
        )
    if isinstance(failures := whole.get("failures"), dict):
        refuse_failed(failures, place)
    return {query: [one["hit"] for one in detail["hits"]] for query, detail in whole[DETAILS].items()}


def columns_of_hits(whole: Mapping[Any, Any], lists: Mapping[Any, Any], columns: Columns) -> Columns:
    """The columns, where names of parts that lead through an answer to its hits, as hits.hits._id, begin at the hits.

    ``lists``: the hits by query of the answers in ``whole``.
    """
    answer = next((one for one in whole.values() if is_answer(one)), None)
    if answer is None:  # of rank_eval
        return columns
    holder = next(holder for holder in HITS if _is_answer(answer, holder))
    cut = columns.within(f"{holder}.{HITS[holder]}")
    if cut.doc != columns.doc and any(
        follow(hit, cut.doc or "") is not None for one in lists.values() for hit in one or ()
    ):
        columns.met[columns.doc or ""] = None
    return cut


def _hits_of(answer: Mapping[str, Any]) -> Any:
    holder = next(holder for holder in HITS if _is_answer(answer, holder))
    return answer[holder][HITS[holder]]


def _is_rank_eval(whole: Mapping[Any, Any]) -> bool:
    details = whole.get(DETAILS)
    return isinstance(details, dict) and bool(details) and all(map(_is_rated, details.values()))


def _is_rated(detail: Any) -> bool:
    hits = detail.get("hits") if isinstance(detail, dict) else None
    return isinstance(hits, list) and all(isinstance(one, dict) and isinstance(one.get("hit"), dict) for one in hits)


def is_answer(value: Any) -> bool:
    """Is it the answer to one query?"""
    return any(_is_answer(value, holder) for holder in HITS)


def _is_answer(value: Any, holder: str) -> bool:
    within = value.get(holder) if isinstance(value, dict) else None
    return isinstance(within, dict) and isinstance(within.get(HITS[holder]), list)
