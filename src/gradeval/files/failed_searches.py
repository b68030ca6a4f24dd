"""Answers of search engines to searches that failed, or that gave only some of their hits: what to do about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import QUERIES, normal_name
from gradeval.files.named_columns import Columns
from gradeval.files.nested_records import Located, follow
from gradeval.files.plain_text import quote
from gradeval.files.record_names import has_document
from gradeval.messages import plural
from gradeval.warning_categories import FilesWarning, warn

ERROR = "error"
"""What holds the error in an answer of Elasticsearch, OpenSearch or Solr."""
KINDS = ("type", "reason", "msg", "message")
"""What says in the error, or beside a status, what was wrong."""
STATUS = "status"
"""What holds the number of HTTP that an answer has."""
FAILURES = range(400, 600)
"""The numbers of searches that failed."""
HEADER = "responseHeader"
"""What holds no hits, but times and parameters, in an answer of Solr."""


class FailedRecord(NamedTuple):
    """Where a record stands whose search failed; its query, if it is known; and the answer."""

    where: str
    query: str
    answer: Mapping[str, Any]


def is_failed(value: Any) -> bool:
    """Is it the answer to a search that failed, as ``{"error": {"type": ..., "reason": ...}, "status": 400}``? With the
    error in words, or with a status alone, it has no hits."""
    if not isinstance(value, dict):
        return False
    error = value.get(ERROR)
    if isinstance(error, dict):
        return any(isinstance(error.get(kind), str) for kind in KINDS)
    words = isinstance(error, str) and bool(error.strip())
    status = value.get(STATUS)
    if not words and not (isinstance(status, int) and status in FAILURES):
        return False
    return not any(isinstance(one, list | dict) and one for name, one in value.items() if name != HEADER)


def refuse_failed(answers: Mapping[Any, Any], place: str) -> None:
    """Refuse answers by query of which some are errors."""
    failed = [query for query, answer in answers.items() if is_failed(answer)]
    if failed:
        more = f" and {len(failed) - 1} more" if failed[1:] else ""
        raise _make_error(f"{place}: ", f" query {quote(str(failed[0]))}{more}", answers[failed[0]])


def about_failed_records(records: Iterator[Located], columns: Columns) -> InputError | None:
    """The error for the first record whose search failed; None: none did."""
    failed = next(_find_failed(records, columns), None)
    if failed is None:
        return None
    return _make_error(f"{failed.where}: ", f" query {quote(failed.query)}" if failed.query else "", failed.answer)


def _find_failed(records: Iterable[Located], columns: Columns) -> Iterator[FailedRecord]:
    for where, record in records:
        if not isinstance(record, dict) or has_document(record) or columns.doc in record:
            continue
        named = follow(record, columns.query) if columns.query else None
        usual = (value for name, value in record.items() if normal_name(name) in QUERIES)
        query = next((one for one in (named, *usual) if isinstance(one, str | int)), "")
        if is_failed(record):
            yield FailedRecord(where, str(query), record)
        elif not any(isinstance(value, list) and value for value in record.values()):
            yield from (FailedRecord(where, str(query), one) for one in record.values() if is_failed(one))


def _make_error(where: str, query: str, answer: Mapping[str, Any]) -> InputError:
    """The error for a search that failed."""
    error = answer.get(ERROR) or {**answer, "type": str(answer.get(STATUS))}
    kinds = [error[kind] for kind in KINDS if isinstance(error.get(kind), str)] if isinstance(error, dict) else [error]
    return InputError(
        f"{where}the engine answered{query} with an error ({quote(': '.join(kinds))}); search again, or "
        "leave this answer out"
    )


def is_partial(answer: Any) -> bool:
    """Does an answer say that it has only some of its hits, as its time or some shards were over?"""
    if not isinstance(answer, dict):
        return False
    shards, header = answer.get("_shards"), answer.get(HEADER)
    lost = shards.get("failed") if isinstance(shards, dict) else 0
    cut = header.get("partialResults") if isinstance(header, dict) else False
    return answer.get("timed_out") is True or cut is True or (isinstance(lost, int) and lost > 0)


def has_partial(record: Mapping[str, Any]) -> bool:
    """Is a record such an answer, or has it one?"""
    return is_partial(record) or any(map(is_partial, record.values()))


def warn_of_partial(queries: Sequence[str], place: str) -> None:
    """Say which queries have such answers, if any."""
    if queries:
        answers, have = plural(len(queries), "answer"), "has" if len(queries) == 1 else "have"
        warn(
            f"{place}: {answers} {have} only some hits, as time ran out or shards failed (query {quote(queries[0])}); "
            "search again",
            FilesWarning,
        )
