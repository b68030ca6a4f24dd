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
IMPORTS = "import json; from pathlib import Path"
NEW_MAPPING, NEW_LINES = "NEW.json", "NEW.jsonl"


class FailedRecord(NamedTuple):
    """Where a record stands whose search failed; its query, if it is known; what holds the answer in it, empty for the
    record itself; and the answer."""

    where: str
    query: str
    holder: str
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


def refuse_failed(answers: Mapping[Any, Any], place: str, keep: str) -> None:
    """Refuse answers by query of which some are errors; ``keep``: what is typed in Python for the others."""
    failed = [query for query, answer in answers.items() if is_failed(answer)]
    if failed:
        more = f" and {len(failed) - 1} more" if failed[1:] else ""
        raise _make_error(f"{place}: ", f" query {quote(str(failed[0]))}{more}", answers[failed[0]], keep)


def _test_kept(answer: str, failed: Iterable[Mapping[str, Any]]) -> str:
    """The condition in Python that an ``answer`` is none of those that ``failed``."""
    by_error = {bool(one.get(ERROR)) for one in failed}
    tests = [f"not {answer}.get({ERROR!r})"] if True in by_error else []
    status = f"{answer}.get({STATUS!r}) not in range({FAILURES.start}, {FAILURES.stop})"
    return " and ".join([*tests, status] if False in by_error else tests)


def keep_answers(place: str, answers: Mapping[Any, Any]) -> str:
    """What to type in Python for the answers by query in a file that are no errors."""
    test = _test_kept("(one or {})", filter(is_failed, answers.values()))
    kept = f"{{q: one for q, one in json.loads(Path({place!r}).read_text()).items() if {test}}}"
    return f"{IMPORTS}; Path({NEW_MAPPING!r}).write_text(json.dumps({kept})); then read {NEW_MAPPING}"


def keep_hits(place: str) -> str:
    """What to type in Python for the response of rank_eval in a file without its failures."""
    kept = f"{{**json.loads(Path({place!r}).read_text()), 'failures': {{}}}}"
    return f"{IMPORTS}; Path({NEW_MAPPING!r}).write_text(json.dumps({kept})); then read {NEW_MAPPING}"


def about_failed_records(
    records: Iterator[Located], columns: Columns, place: str = "", *, listed: bool = True
) -> InputError | None:
    """The error for records of which some searches failed; None: none did. ``listed``: do they stand in a list of JSON,
    rather than one a line? ``place``: their file; empty: they are of Python."""
    every = [*_find_failed(records, columns)]
    if not every:
        return None
    failed = every[0]
    query = f" query {quote(failed.query)}" if failed.query else ""
    keep = _keep_records(every, place, listed=listed) if place else ""
    return _make_error(f"{failed.where}: ", query, failed.answer, keep)


def _keep_records(failed: Sequence[FailedRecord], place: str, *, listed: bool) -> str:
    """What to type in Python for the records in a file that are no errors."""
    of_record = "one" if listed else "json.loads(line)"
    holders = dict.fromkeys(one.holder for one in failed)
    test = " and ".join(
        _test_kept(
            f"({of_record}.get({holder!r}) or {{}})" if holder else of_record,
            (one.answer for one in failed if one.holder == holder),
        )
        for holder in holders
    )
    if listed:
        kept = f"json.dumps([one for one in json.loads(Path({place!r}).read_text()) if {test}])"
    else:
        kept = f"''.join(line + '\\n' for line in Path({place!r}).read_text().split('\\n') if line.strip() and {test})"
    new = NEW_MAPPING if listed else NEW_LINES
    return f"{IMPORTS}; Path({new!r}).write_text({kept}); then read {new}"


def _find_failed(records: Iterable[Located], columns: Columns) -> Iterator[FailedRecord]:
    for where, record in records:
        if not isinstance(record, dict) or has_document(record) or columns.doc in record:
            continue
        named = follow(record, columns.query) if columns.query else None
        usual = (value for name, value in record.items() if normal_name(name) in QUERIES)
        query = next((one for one in (named, *usual) if isinstance(one, str | int)), "")
        if is_failed(record):
            yield FailedRecord(where, str(query), "", record)
        elif not any(isinstance(value, list) and value for value in record.values()):
            yield from (FailedRecord(where, str(query), *one) for one in record.items() if is_failed(one[1]))


def _make_error(where: str, query: str, answer: Mapping[str, Any], keep: str) -> InputError:
    """The error for a search that failed."""
    error = answer.get(ERROR) or {**answer, "type": str(answer.get(STATUS))}
    kinds = [error[kind] for kind in KINDS if isinstance(error.get(kind), str)] if isinstance(error, dict) else [error]
    return InputError(
        f"{where}the engine answered{query} with an error ({quote(': '.join(kinds))}); search again; or keep the other "
        f"answers{f', in Python: {keep}' if keep else ''}"
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
