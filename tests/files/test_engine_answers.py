"""Answers of search engines by query are runs; those without their queries are refused with the line that adds them."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

from gradeval import InputError, evaluate, read_qrels, read_run, read_runs, run_from_frame
from gradeval.cli import main
from gradeval.files.engine_answers import NEW_FILE, about_lost_queries

RANKED = {"red shoes": ["a", "b"], "tent": ["c", "a"]}


def elastic(ids: list[str]) -> dict[str, Any]:
    hits = [{"_index": "i", "_id": one, "_score": 9.0 - at, "_source": {"price": 1}} for at, one in enumerate(ids)]
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": 2}, "max_score": None, "hits": hits}}


def solr(ids: list[str], params: dict[str, str] | None = None) -> dict[str, Any]:
    docs = [{"sku": one, "score": 9.0 - at} for at, one in enumerate(ids)]
    header = {"status": 0, "QTime": 7} | ({} if params is None else {"params": params})
    return {"responseHeader": header, "response": {"numFound": 2, "start": 0, "docs": docs}}


ANSWERS = {engine: [make(ids) for ids in RANKED.values()] for engine, make in (("hits", elastic), ("docs", solr))}
FILES = {
    "msearch": json.dumps({"took": 90, "responses": ANSWERS["hits"]}),
    "list": json.dumps(ANSWERS["hits"]),
    "lines": "\n".join(map(json.dumps, ANSWERS["hits"])),
    "Solr": "\n".join(map(json.dumps, ANSWERS["docs"])),
}


@pytest.mark.parametrize("name", FILES)
def test_the_line_that_adds_the_queries_makes_a_run_of_answers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "answers.json"
    path.write_text(FILES[name])
    with pytest.raises(InputError, match="add the queries in the order in which they were sent") as error:
        read_run(path)
    code = str(error.value).split("in Python: ")[1].split(", where answers")[0]
    given = json.loads(FILES[name])["responses"] if name == "msearch" else ANSWERS["docs" if name == "Solr" else "hits"]
    exec(code, {"json": json, "Path": Path, "queries": [*RANKED], "answers": given})
    place = str(error.value).split("then read ")[1]
    assert place.endswith(NEW_FILE)
    run = read_run(place)
    assert {topic: list(run.of(topic)) for topic in run.topics} == RANKED


def test_the_query_of_solr_is_named_among_its_parameters(tmp_path: Path) -> None:
    path = tmp_path / "solr.jsonl"
    records = [solr(ids, {"q": query, "rows": "2"}) for query, ids in RANKED.items()]
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(InputError, match=r"it has responseHeader, response\).*query=responseHeader.params.q:FILE"):
        read_run(path)
    run = read_run(f"columns:query=responseHeader.params.q:{path}")
    assert {topic: list(run.of(topic)) for topic in run.topics} == RANKED


def with_fields(ids: list[str]) -> dict[str, Any]:
    """An answer of Elasticsearch whose fields are lists of one; prices rise down the list."""
    hits = [
        {"_id": f"i{at}", "_score": 9.0 - at, "fields": {"sku": [one], "price": [at]}} for at, one in enumerate(ids)
    ]
    return {"hits": {"hits": hits}}


@pytest.mark.parametrize(
    ("records", "sku"),
    [
        ({query: with_fields(ids) for query, ids in RANKED.items()}, "hits.hits.fields.sku"),
        ({query: with_fields(ids)["hits"]["hits"] for query, ids in RANKED.items()}, "fields.sku"),
        ([{"query_id": query, **with_fields(ids)} for query, ids in RANKED.items()], "hits.hits.fields.sku"),
        ([{"query": q, "response": with_fields(ids)} for q, ids in RANKED.items()], "response.hits.hits.fields.sku"),
    ],
)
def test_a_field_that_is_a_list_of_one_value_is_that_value(records: Any, sku: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(records))
    run = read_run(path, columns={"doc": sku})
    assert {topic: list(run.of(topic)) for topic in run.topics} == RANKED
    run = read_run(path, columns={"doc": sku, "rank": sku.replace("sku", "price")})
    assert {topic: list(run.of(topic)) for topic in run.topics} == RANKED
    path.write_text(json.dumps(records).replace('["a"]', '["a", "b"]'))
    with pytest.raises(InputError, match="is not an id"):
        read_run(path, columns={"doc": sku})


def test_answers_in_python_get_their_queries_there() -> None:
    said = about_lost_queries({"responses": ANSWERS["docs"]}, python=True)
    assert said.endswith(", where answers is ANSWER['responses']")
    said = said.split(", where")[0]
    with_queries = eval(said.split("sent: ")[1], {"queries": [*RANKED], "answers": ANSWERS["docs"]})
    assert [one["query_id"] for one in with_queries] == [*RANKED]
    assert about_lost_queries({"query": "tent", "docs": []}, python=True) == ""


@pytest.mark.parametrize(
    "answer",
    [
        {"hits": {"hits": [{"_id": "a", "_score": 2.0}, {"_id": "b", "_score": 1.0}]}},
        elastic(["a", "b"]),
        {"response": {"docs": [{"id": "a", "score": 2.0}, {"id": "b", "score": 1.0}]}},
        solr(["a", "b"]),
    ],
)
def test_one_answer_alone_gets_its_query_by_the_same_line(
    answer: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(answer))
    with pytest.raises(InputError, match="does not say its query") as error:
        read_run(path)
    code = str(error.value).split("in Python: ")[1].split(", where answers")[0]
    value = str(error.value).split("open(FILE)), ")[1].split(" for one answer")[0]
    answers = eval(value, {"json": json, "FILE": path, "open": lambda place: StringIO(place.read_text())})
    exec(code, {"json": json, "Path": Path, "queries": ["tent"], "answers": answers})
    run = read_run(str(error.value).split("then read ")[1].split("; or, ")[0])
    assert {topic: list(run.of(topic)) for topic in run.topics} == {"tent": ["a", "b"]}


def test_one_answer_of_solr_names_its_query(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(solr(["a", "b"], {"q": "tent"})))
    run = read_run(f"columns:query=responseHeader.params.q:{path}")
    assert {topic: list(run.of(topic)) for topic in run.topics} == {"tent": ["a", "b"]}


@pytest.mark.parametrize("make", [elastic, solr])
@pytest.mark.parametrize("hold", [lambda one: one, lambda one: [one], lambda one: {"responses": [one]}])
def test_an_answer_in_python_becomes_a_run_by_the_line_of_the_error(make: Any, hold: Any) -> None:
    answer = hold(make(["a", "b"]))
    with pytest.raises(InputError, match=r"do(es)? not say (its query|their queries)") as error:
        evaluate({"tent": {"a": 1}}, answer, "RR")
    line, where = str(error.value).split("sent: ")[1].split(", where answers is ")
    answers = [make(["a", "b"])] if where.startswith("[ANSWER]") else eval(where, {"ANSWER": answer})
    names = {"pandas": pandas, "run_from_frame": run_from_frame, "queries": ["tent"], "answers": answers}
    if make is solr:
        names["answers"] = [{"response": one["response"]} for one in answers]
    run = eval(line, names)
    assert evaluate({"tent": {"b": 1}}, run, "RR").mean().tolist() == [[0.5]]


def test_an_answer_with_its_query_does_not_lack_it() -> None:
    with pytest.raises(InputError) as error:
        evaluate({"tent": {"a": 1}}, {"query_id": "tent", **elastic(["a"])}, "RR")
    assert "does not say its query" not in str(error.value)


FILTERED = {"hits": {"hits": [{"_id": "c", "_score": 2.0}, {"_id": "a", "_score": 1.0}]}}
BY_QUERY = {
    "whole": {"red shoes": elastic(["a", "b"]), "tent": elastic(["c", "a"])},
    "filtered": {
        "red shoes": {"hits": {"hits": [{"_id": "a"}, {"_id": "b"}]}},
        "tent": {"hits": {"hits": [{"_id": "c"}, {"_id": "a"}]}},
    },
    "Solr": {query: solr(ids) for query, ids in RANKED.items()},
    "nothing": {"lamp": None, "rug": elastic([]), "red shoes": elastic(["a", "b"]), "tent": FILTERED},
    "rank_eval": {
        "metric_score": 0.6,
        "details": {
            query: {"metric_score": 0.5, "hits": [{"hit": {"_id": one}, "rating": None} for one in ids]}
            for query, ids in RANKED.items()
        },
        "failures": {},
    },
}


@pytest.mark.parametrize("name", BY_QUERY)
@pytest.mark.parametrize("indent", [None, 1])
def test_answers_by_query_are_runs(name: str, indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(BY_QUERY[name], indent=indent))
    run = read_run(path)
    assert {topic: list(run.of(topic)) for topic in run.topics if run.of(topic)} == RANKED
    judged = {"red shoes": {"b": 1}, "tent": {"c": 1}}
    for given in (path, BY_QUERY[name], {"A": BY_QUERY[name]}):
        assert evaluate(judged, given, "RR").mean().tolist() == [[0.75]]


def test_parts_of_hits_name_documents_of_answers_by_query(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    hits = {"hits": {"hits": [{"_id": "7", "_source": {"sku": "a"}}, {"_id": "8", "_source": {"sku": "b"}}]}}
    path.write_text(json.dumps({"tent": hits}))
    assert list(read_run(path, columns="doc=_source.sku").of("tent")) == ["a", "b"]


def test_the_response_of_rank_eval_is_no_judgments(tmp_path: Path) -> None:
    path = tmp_path / "response.json"
    path.write_text(json.dumps(BY_QUERY["rank_eval"]))
    for given in (path, BY_QUERY["rank_eval"]):
        with pytest.raises(InputError, match="give the request of rank_eval as judgments"):
            evaluate(given, {"tent": ["a"]}, "RR")


def test_answers_without_queries_say_so_also_where_names_are_given(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(FILES["msearch"])
    with pytest.raises(InputError, match=r"do not say their queries; add the queries in the order"):
        read_run(path, columns="query=query,doc=hits.hits._id")


def test_the_only_text_in_a_query_of_the_engine_is_the_query(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    records = [{"query": {"match": {"title": query}}, **elastic(ids)} for query, ids in RANKED.items()]
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(InputError, match=r"query=query\.match\.title,doc=hits\.hits\._id"):
        read_run(path)
    run = read_run(path, columns="query=query.match.title,doc=hits.hits._id")
    assert {topic: list(run.of(topic)) for topic in run.topics} == RANKED


def sourced(ids: list[str]) -> dict[str, Any]:
    answer = elastic(ids)
    for hit in answer["hits"]["hits"]:
        hit["_source"] = {"sku": hit.pop("_id"), "price": 1}
        hit["_id"] = f"es-{hit['_source']['sku']}"
    return answer


SOURCED = "hits.hits._source.sku"
OF_SOURCED = {
    "by query": {query: sourced(ids) for query, ids in RANKED.items()},
    "records": [{"query_id": query, **sourced(ids)} for query, ids in RANKED.items()],
}


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
@pytest.mark.parametrize("form", OF_SOURCED)
@pytest.mark.parametrize("beside", [False, True])
def test_what_is_proposed_for_judged_ids_in_the_source_reads_them(form: str, beside: bool, tmp_path: Path) -> None:
    judged, path, other = tmp_path / "qrels.json", tmp_path / "answers.json", tmp_path / "other.json"
    judged.write_text(json.dumps({query: dict.fromkeys(ids, 1) for query, ids in RANKED.items()}))
    path.write_text(json.dumps(OF_SOURCED[form]))
    other.write_text(json.dumps({query: elastic(ids) for query, ids in RANKED.items()}))
    others = [str(other)] if beside else []
    told = CliRunner().invoke(main, ["evaluate", str(judged), str(path), *others, "-m", "AP"]).output
    proposed = re.search(rf"columns:doc={SOURCED}:\S+?(?=,)|--columns doc={SOURCED}", told)
    assert proposed is not None
    typed = proposed[0].replace(":FILE", f":{path}").split()
    places = [*typed, str(path)] if typed[0] == "--columns" else typed
    read = CliRunner().invoke(main, ["evaluate", str(judged), *places, *others, "-m", "AP", "--format", "csv"])
    assert [float(line.split(",")[-1]) for line in read.stdout.splitlines()[1:]] == [1.0] * (1 + beside)


@pytest.mark.parametrize("name", [SOURCED, "_source.sku"])
def test_parts_of_hits_are_named_from_the_answer_or_from_the_hit(name: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(OF_SOURCED["by query"]))
    run = read_run(path, columns={"doc": name})
    assert {topic: list(run.of(topic)) for topic in run.topics} == RANKED
    with pytest.raises(InputError, match="nothing that was read has a column"):
        read_run(path, columns={"doc": f"{name}s"})


def test_a_name_for_another_file_leaves_answers_by_query_as_they_are(tmp_path: Path) -> None:
    answers, log = tmp_path / "answers.json", tmp_path / "log.jsonl"
    answers.write_text(json.dumps({query: elastic(ids) for query, ids in RANKED.items()}))
    log.write_text("\n".join(json.dumps({"query": query, "response": elastic(ids)}) for query, ids in RANKED.items()))
    runs = read_runs([answers, log], columns={"doc": "response.hits.hits._id"}).runs
    assert [{topic: list(run.of(topic)) for topic in run.topics} for run in runs] == [RANKED, RANKED]


@pytest.mark.parametrize("form", ["msearch", "list", "lines", "by query"])
@pytest.mark.parametrize("indent", [None, 1])
def test_answers_given_as_judgments_are_told_to_be_a_run(form: str, indent: int | None, tmp_path: Path) -> None:
    every = {query: elastic(ids) for query, ids in RANKED.items()}
    whole = {"msearch": {"responses": ANSWERS["hits"]}, "list": ANSWERS["hits"], "by query": every}
    path = tmp_path / "answers.json"
    path.write_text(FILES["lines"] if form == "lines" else json.dumps(whole[form], indent=indent))
    with pytest.raises(InputError, match="holds answers of a search engine, which are a run; give the judgments first"):
        read_qrels(path)


def test_hits_with_grades_are_judgments_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "judged.json"
    every = {query: elastic(ids) for query, ids in RANKED.items()}
    for answer in every.values():
        for hit in answer["hits"]["hits"]:
            hit["grade"] = 2
    path.write_text(json.dumps(every))
    assert read_qrels(path).to_dict() == {query: dict.fromkeys(ids, 2) for query, ids in RANKED.items()}
