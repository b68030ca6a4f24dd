"""Searches that failed are told with their query; answers with some of their hits are warned of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradeval import FilesWarning, InputError, evaluate, read_run

RANKED = {"red shoes": ["a", "b"], "tent": ["c", "a"], "lamp": ["b"]}
WHY = {"root_cause": [{"type": "parsing_exception"}], "type": "parsing_exception", "reason": "no [match]"}
FAILED = {"error": WHY, "status": 400}
GATEWAY = {"message": "no healthy upstream", "status": 504}
OF_SOLR = {"responseHeader": {"status": 400}, "error": {"msg": "undefined field", "code": 400}}


def answer(ids: list[str], **more: Any) -> dict[str, Any]:
    hits = [{"_id": one, "_score": 9.0 - at} for at, one in enumerate(ids)]
    return {"took": 3, "timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": hits}} | more


def answers(at: int, failed: Any = FAILED) -> dict[str, Any]:
    every = {query: answer(ids) for query, ids in RANKED.items()}
    return {query: failed if place == at else one for place, (query, one) in enumerate(every.items())}


def rated(at: int) -> dict[str, Any]:
    details = {q: {"hits": [{"hit": {"_id": one}, "rating": 1} for one in ids]} for q, ids in RANKED.items()}
    failed = [*RANKED][at]
    return {"details": {q: one for q, one in details.items() if q != failed}, "failures": {failed: {"error": WHY}}}


def lines(records: list[Any]) -> str:
    return "\n".join(map(json.dumps, records))


def put_query(at: int, failed: Any = FAILED) -> list[Any]:
    return [{"query_id": query, **one} for query, one in answers(at, failed).items()]


def put_response(at: int, failed: Any) -> list[Any]:
    return [{"query": query, "response": one} for query, one in answers(at, failed).items()]


FORMS = {
    "mapping": lambda at: json.dumps(answers(at)),
    "mapping with a query without results": lambda at: json.dumps(answers(at) | {"sofa": None}, indent=1),
    "Solr": lambda at: json.dumps(answers(at, OF_SOLR)),
    "text": lambda at: json.dumps(answers(at, {"error": "no such index", "status": 404})),
    "text alone": lambda at: json.dumps(answers(at, {"error": "no such index"})),
    "status": lambda at: json.dumps(answers(at, GATEWAY)),
    "list": lambda at: json.dumps(put_query(at)),
    "list of statuses": lambda at: json.dumps(put_query(at, GATEWAY)),
    "lines": lambda at: lines(put_query(at)),
    "lines of texts": lambda at: lines(put_query(at, {"error": "no such index"})),
    "log": lambda at: lines(put_response(at, FAILED)) + "\n\n",
    "log of statuses": lambda at: lines(put_response(at, GATEWAY)),
    "rank_eval": lambda at: json.dumps(rated(at)),
}
OF_RECORD, OF_LOG = "hits.hits._id", "response.hits.hits._id"
NAMES = {
    **dict.fromkeys(["list", "list of statuses", "lines", "lines of texts"], OF_RECORD),
    **dict.fromkeys(["log", "log of statuses"], OF_LOG),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("at", range(len(RANKED)))
@pytest.mark.parametrize("named", [False, True])
def test_a_failed_search_is_told_with_its_query_and_why(form: str, at: int, named: bool, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(FORMS[form](at))
    columns = {"doc": NAMES[form]} if named and form in NAMES else None
    with pytest.raises(InputError) as error:
        read_run(path, columns=columns)
    failed = [*RANKED][at]
    said = str(error.value)
    assert f": the engine answered query '{failed}' with an error ('" in said
    assert any(
        why in said
        for why in ("parsing_exception: no [match]", "undefined field", "no such index", "504: no healthy upstream")
    )
    assert said.endswith("; search again, or leave this answer out")


def test_one_failed_search_alone_and_searches_in_python_are_told(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(FAILED))
    with pytest.raises(InputError, match=r"the engine answered with an error \('parsing_exception: no \[match\]'\)"):
        read_run(path)
    for given in (answers(1), put_query(1), {"A": answers(1)}):
        with pytest.raises(InputError, match=r"query 'tent' with an error .*; search again, or leave this"):
            evaluate({"tent": {"a": 1}}, given, "AP")
    with pytest.raises(InputError, match="query 'red shoes' and 1 more with an error"):
        evaluate({"tent": {"a": 1}}, {**answers(1), "red shoes": FAILED}, "AP")


def test_records_with_an_error_beside_documents_are_not_called_failed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(lines([{"query_id": "tent", "doc_id": "a", "score": "high", "error": "none", "status": 404}]))
    with pytest.raises(InputError, match="'high' is not a finite number"):
        read_run(path)


@pytest.mark.parametrize("more", [{"timed_out": True}, {"_shards": {"total": 2, "failed": 1}}])
@pytest.mark.parametrize("form", ["mapping", "list", "log"])
def test_answers_with_some_of_their_hits_are_warned_of(more: dict[str, Any], form: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    every = answers(9) | {"tent": answer(["c"], **more)}
    text = {
        "mapping": json.dumps(every),
        "list": json.dumps([{"query_id": query, **one} for query, one in every.items()]),
        "log": lines([{"query": query, "response": one} for query, one in every.items()]),
    }
    path.write_text(text[form])
    with pytest.warns(FilesWarning, match=r"1 answer has only some hits, .*query 'tent'.; search again"):
        read_run(path, columns={"doc": NAMES[form]} if form in NAMES else None)


def test_judgments_and_records_that_hold_errors_of_their_own_are_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    records = [{"query_id": "tent", "doc_id": one, "score": 1, "error": {"type": "t"}} for one in "ab"]
    path.write_text(lines(records))
    assert set(read_run(path).of("tent")) == {"a", "b"}
