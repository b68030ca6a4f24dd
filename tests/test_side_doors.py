"""The files that people have: each a few lines, and what they must give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of

from gradeval import evaluate, read_qrels, read_run
from gradeval.warning_categories import FilesWarning

GRADES = {"q1": {"a": 3.0, "b": 0.0}, "q2": {"a": 1.0}}
SCORES = {"q1": {"a": 0.9, "c": 0.5}, "q2": {"b": 0.7}}
BY_RANK = {"q1": {"a": -1.0, "c": -2.0}, "q2": {"b": -1.0}}


def rows(separator: str, *names: str, values: dict[str, dict[str, Any]]) -> str:
    """A table with a header."""
    lines = [(topic, doc, value) for topic, documents in values.items() for doc, value in documents.items()]
    return "".join(separator.join(map(str, line)) + "\n" for line in [names, *lines])


def lines(*records: object) -> str:
    """JSON, a record a line."""
    return "".join(json.dumps(record) + "\n" for record in records)


def objects(topic: str, doc: str, value: str, values: dict[str, dict[str, Any]] = GRADES) -> str:
    """JSON, a record a line for each document of each topic."""
    return lines(
        *({topic: one, doc: name, value: number} for one, docs in values.items() for name, number in docs.items())
    )


TOPICS = "question_id question search_term search_query keyword user_input query_id user_id".split()
DOCUMENTS = "chunk_id passage_id sku product_id asin movie item url node_id article_id doc_id".split()
VALUES = "llm_grade label stars relevance_score gold relevance_label human_grade grade".split()

TABLES = {
    **{f"{name}.csv": rows(",", name, "doc", "grade", values=GRADES) for name in TOPICS},
    **{f"{name}.tsv": rows("\t", "query", name, "grade", values=GRADES) for name in DOCUMENTS},
    **{f"{name}.csv": rows(",", "query", "doc", name, values=GRADES) for name in VALUES},
    **{f"{name}.jsonl": objects("question_id", "chunk_id", name) for name in VALUES},
    "text.jsonl": objects("question_id", "chunk_id", "grade", {"q1": {"a": "3", "b": " 0 "}, "q2": {"a": "1.0"}}),
    "text.json": json.dumps({"q1": {"a": "3", "b": 0}, "q2": {"a": "1"}}),
    "commas.csv": rows(";", "query", "doc", "grade", values={"q1": {"a": "3,0", "b": "0,0"}, "q2": {"a": "1"}}),
    "bare-commas.csv": "q1;a;3,0\nq1;b;0,0\nq2;a;1,0\n",
    "excel.csv": "sep=;\n" + rows(";", "query", "doc", "grade", values=GRADES),
    "capitals.csv": rows(",", "Question ID", "SKU", "LLM-Grade", values=GRADES),
    "break.csv": 'query,doc,grade,text\nq1,a,3,"two\nlines, and ""quotes"""\nq1,b,0,\nq2,a,1,x\n',
    "blank-lines.csv": "\n" + rows(",", "query", "doc", "grade", values=GRADES) + "\n,,\n",
    "relevant.jsonl": lines(
        {"question": "q1", "relevant": [{"id": "a", "grade": 3}, {"id": "b", "grade": "0"}]},
        {"question": "q2", "relevant": [{"id": "a", "grade": 1}]},
    ),
    **{
        f"mapped-{name}.jsonl": lines({"query": "q1", name: {"a": 3, "b": "0"}}, {"query": "q2", name: {"a": 1}})
        for name in "grades relevant judgments labels relevance qrels".split()
    },
    "mapped.json": json.dumps(
        [{"query": "q1", "grades": {"a": "Grade: 3", "b": 0, "c": None}}, {"query": "q2", "grades": {"a": 1}}]
    ),
    "wrapped.json": json.dumps(
        {
            "config": {"model": "judge", "k": 3},
            "version": 2,
            "results": [
                {"query": "q1", "doc": "a", "grade": 3},
                {"query": "q1", "doc": "b", "grade": 0},
                {"query": "q2", "doc": "a", "grade": 1},
            ],
        }
    ),
    "indented.json": json.dumps(
        {"queries": [{"query": "q1", "grades": {"a": 3, "b": 0}}, {"query": "q2", "grades": {"a": 1}}]}, indent=1
    ),
}
"""Files of judgments that all hold GRADES."""


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_judgments(name: str, encoding: str, end: str, tmp_path: Path) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / name).write_bytes((mark + TABLES[name]).replace("\n", end).encode(encoding))
    assert read_qrels(tmp_path / name).to_dict() == GRADES


def hits(*, names: tuple[str, str] = ("question_id", "retrieved"), scores: bool = True, **of_hit: Any) -> str:
    """JSON records with a list of hits; ``of_hit``: how a hit is written, by its id and score."""
    ((key, form),) = of_hit.items() or [("id", None)]
    records = []
    for topic, documents in SCORES.items():
        listed: list[object] = []
        for doc, score in documents.items():
            hit = form(doc) if form is not None else {key: doc}
            listed.append(hit | ({"score": score} if scores else {}) if isinstance(hit, dict) else hit)
        records.append({names[0]: topic, names[1]: listed})
    return lines(*records)


RUNS = {
    "nested.jsonl": hits(),
    "haystack.jsonl": hits(names=("query", "documents"), id=lambda doc: {"id": doc, "content": "text", "meta": {}}),
    "dpr.jsonl": hits(names=("question", "ctxs"), id=lambda doc: {"id": doc, "title": "t", "text": "x"}),
    "pinecone.jsonl": hits(names=("query", "matches"), id=lambda doc: {"id": doc, "metadata": {"page": 3}}),
    "elastic.jsonl": hits(names=("query", "hits"), id=lambda doc: {"_index": "i", "_id": doc}).replace(
        '"score"', '"_score"'
    ),
    "llama-index.jsonl": hits(
        names=("question", "source_nodes"),
        id=lambda doc: {"node": {"id_": doc, "text": "x", "metadata": {"file": "f"}}},
    ),
    "metadata.jsonl": hits(
        names=("question", "results"), id=lambda doc: {"page_content": "x", "metadata": {"chunk_id": doc}}
    ),
    "text.jsonl": objects("question_id", "chunk_id", "score", {"q1": {"a": "0.9", "c": "0.5"}, "q2": {"b": "7e-1"}}),
    "commas.csv": rows(";", "query", "sku", "score", values={"q1": {"a": "0,9", "c": "0,5"}, "q2": {"b": "7,0e-1"}}),
    "parents.jsonl": hits(id=lambda doc: {"id": doc, "metadata": {"doc_id": "parent"}}),
    "nodes.jsonl": hits(id=lambda doc: {"node": {"id_": doc, "metadata": {"doc_id": "parent"}}}),
    "langchain.jsonl": lines(
        {
            "question": "q1",
            "retrieved": [[{"metadata": {"id": "a"}}, 0.9], [{"id": None, "metadata": {"id": "c"}}, 0.5]],
        },
        {"question": "q2", "retrieved": [[{"metadata": {"id": "b"}}, 0.7]]},
    ),
    **{
        f"mapped-{name}.jsonl": lines({"query": "q1", name: {"c": 0.5, "a": "0.9"}}, {"query": "q2", name: {"b": 0.7}})
        for name in "scores retrieved results ranking".split()
    },
    "wrapped.json": json.dumps(
        {"results": [{"query": "q1", "scores": {"a": 0.9, "c": 0.5}}, {"query": "q2", "scores": {"b": 0.7}}]}
    ),
}
"""Files of runs that all hold SCORES."""
RANKED = {
    "ids.jsonl": lines({"question_id": "q1", "retrieved": ["a", "c"]}, {"question_id": "q2", "retrieved": ["b"]}),
    "hits.jsonl": hits(scores=False),
    "ranks.jsonl": lines(
        {"query": "q1", "results": [{"id": "a", "rank": "1"}, {"id": "c", "rank": 2}]},
        {"query": "q2", "results": [{"id": "b", "rank": 1}]},
    ),
    "langsmith.jsonl": lines(
        {"inputs": {"question": "q1"}, "outputs": {"documents": [{"id": "a"}, {"metadata": {"id": "c"}}]}},
        {"inputs": {"question": "q2"}, "outputs": {"documents": [{"id": "b"}]}},
    ),
    "wrapped.json": json.dumps(
        {
            "k": 2,
            "data": [{"query": "q1", "retrieved": ["a", "c"]}, {"query": "q2", "retrieved": ["b"]}],
            "seconds": [1, 2],
        }
    ),
    "rows.csv": "user,item\nq1,a\nq2,b\nq1,c\n",
    "titles.tsv": "user\titem\ttitle\nq1\ta\tA\nq2\tb\t7\nq1\tc\tC\n",
    "rows.jsonl": lines({"user": "q1", "item": "a"}, {"user": "q1", "item": "c"}, {"user": "q2", "item": "b"}),
    "wide.csv": "user,rec1,rec2\nq1,a,c\nq2,b,\n",
    "pandas.csv": ",0,1\nq1,a,c\nq2,b,\n",
    "distances.jsonl": lines(
        {"query": "q1", "results": [{"id": "a", "distance": 0.1}, {"id": "c", "distance": 0.4}]},
        {"query": "q2", "results": [{"id": "b", "distance": 0.2}]},
    ),
}
"""Files of runs in rank order."""


LOGS = {
    "events.csv": "user_id,item_id,event,timestamp\nq1,a,view,881250949\nq2,b,buy,881250949\nq1,a,buy,881250950\n",
    "quantity.tsv": "user\titem\tquantity\nq1\ta\t3\nq2\tb\t1\n",
    "shop.csv": "event_time,event_type,product_id,price,user_id\n1 May,view,a,9.99,q1\n2 May,cart,b,0.5,q2\n",
    "visits.csv": "timestamp,visitorid,event,itemid,transactionid\n1,q1,view,a,\n2,q2,view,b,7\n",
    "sessions.csv": "SessionId,ItemId,Time\nq1,a,1\nq2,b,2\n",
    "plays.tsv": "userID\tartistID\tweight\nq1\ta\t13883\nq2\tb\t11\n",
    "log.jsonl": lines({"user": "q1", "item": "a", "event": "view"}, {"user": "q2", "item": "b", "event": "buy"}),
}
"""Logs of users, of which each row is relevant."""


@pytest.mark.parametrize("name", LOGS)
def test_logs(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(LOGS[name])
    assert read_qrels(tmp_path / name).to_dict() == {"q1": {"a": 1}, "q2": {"b": 1}}


@pytest.mark.parametrize("name", RUNS)
def test_runs(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(RUNS[name])
    assert read_run(tmp_path / name).to_dict() == SCORES


@pytest.mark.parametrize("name", RANKED)
def test_runs_in_rank_order(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(RANKED[name])
    assert read_run(tmp_path / name).to_dict() == BY_RANK


@pytest.mark.parametrize("name", ["caf\xe9", "\xdcbung", "\u20ac5"])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_what_is_not_utf8_is_read_as_cp1252_with_a_warning(name: str, form: str, tmp_path: Path) -> None:
    separator = {"csv": ",", "tsv": "\t"}.get(form)
    text = f'{{"query": "{name}", "doc": "a", "grade": 2}}\n'
    if separator is not None:
        text = rows(separator, "query", "doc", "grade", values={name: {"a": 2}})
    path = tmp_path / f"q.{form}"
    path.write_bytes(text.encode("cp1252"))
    with pytest.warns(FilesWarning, match=f"q.{form}:.: is not UTF-8 and read as cp1252, as in .*{name}"):
        assert read_qrels(path).to_dict() == {name: {"a": 2.0}}
    assert read_qrels(path, encoding="latin-1" if name[0] != "\u20ac" else "cp1252").to_dict() == {name: {"a": 2.0}}


def test_columns_name_what_hits_hold(tmp_path: Path) -> None:
    hit = {"id": "p1", "chunk_id": "a", "score": 0.9, "rerank": 0.2}
    record = {
        "question_id": "q1",
        "topic": "billing",
        "turn": "t1",
        "retrieved": [hit, hit | {"chunk_id": "b", "rerank": 0.1}],
    }
    (tmp_path / "run.jsonl").write_text(lines(record))
    columns = {"doc": "chunk_id", "score": "rerank"}
    assert read_run(tmp_path / "run.jsonl", columns=columns).to_dict() == {"q1": {"a": 0.2, "b": 0.1}}
    named = read_run(f"columns:query=turn,doc=chunk_id:{tmp_path / 'run.jsonl'}")
    assert named.to_dict() == {"t1": {"a": 0.9, "b": 0.9}}
    said = said_of(lambda: read_run(tmp_path / "run.jsonl", columns=columns | {"score": "nosuch"}))
    assert "run.jsonl:1: retrieved: no document has 'nosuch'" in said


def test_a_query_without_hits_may_say_null(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text(lines({"query": "q1", "hits": ["a"]}, {"query": "q2", "hits": None}))
    assert read_run(tmp_path / "run.jsonl").to_dict() == {"q1": {"a": -1.0}, "q2": {}}


def test_what_stands_beside_a_list_of_records_is_named(tmp_path: Path) -> None:
    (tmp_path / "wrapped.json").write_text(TABLES["wrapped.json"])
    assert "; of its keys only 'results' is read, not config, version" in read_qrels(tmp_path / "wrapped.json").read_as
    (tmp_path / "run.json").write_text(RUNS["wrapped.json"])
    assert "only" not in read_run(tmp_path / "run.json").read_as


@pytest.mark.parametrize("name", ["model", "system", "retriever", "Method"])
def test_records_with_a_list_of_each_run_hold_several_runs(name: str, tmp_path: Path) -> None:
    runs = {"bm25": {"q1": ["a", "c"], "q2": ["b"]}, "e5": {"q1": ["c"], "q2": []}}
    path = tmp_path / "runs.jsonl"
    path.write_text(
        lines(*({"query": q, name: run, "k": 5, "hits": docs} for run, by in runs.items() for q, docs in by.items()))
    )
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    scores = evaluate(qrels, path, "RR")
    assert dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True)) == {"bm25": 1.0, "e5": 0.0}


def test_another_field_that_tells_runs_apart_is_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(lines(*({"query": "q", "stage": stage, "k": 5, "hits": ["a"]} for stage in ("first", "second"))))
    said = said_of(lambda: read_run(path))
    assert "runs.jsonl:2: query 'q' was already given; if 'stage' names runs, say so: --columns run=stage" in said
    assert len(evaluate({"q": {"a": 1}}, f"columns:run=stage:{path}", "RR").runs) == 2
    misspelt = said_of(lambda: read_run(path, columns={"run": "stge"}))
    assert "already given; no column is called 'stge'; if 'stage' names runs, say so" in misspelt
    path.write_text(lines(*({"query": "q", "k": 5, "hits": ["a"]} for _ in range(2))))
    assert said_of(lambda: read_run(path)).endswith("query 'q' was already given; write one record a query")


WRONG = {
    "mixed.csv": (
        rows(";", "query", "doc", "grade", values={"q": {"a": "2,0", "b": "2.5"}}),
        "mixed.csv:3: has a decimal",
    ),
    "thousands.csv": (
        rows(";", "query", "doc", "grade", values={"q": {"a": "1,000,000"}}),
        ":2: grade '1,000,000' is not",
    ),
    "rising.jsonl": (
        lines({"query": "q", "retrieved": [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.4}]}),
        ":1: retrieved: scores rise down the list",
    ),
    "half.jsonl": (
        lines({"query": "q", "retrieved": [{"id": "a", "score": 0.1}, {"id": "b"}]}),
        ":1: retrieved: 1 of 2 documents have a number",
    ),
    "two.jsonl": (
        lines({"query": "q", "retrieved": ["a"], "results": ["b"]}),
        ":1: 'retrieved' and 'results' hold lists of documents; name the column of each run: columns:doc=retrieved",
    ),
    "cases.jsonl": (
        lines({"query": "q", "Retrieved": ["a"], "retrieved": ["b"]}),
        ":1: 'Retrieved' and 'retrieved' hold lists of documents; name the column of each run: columns:doc=Retrieved",
    ),
    "nobody.jsonl": (
        lines({"retrieved": ["a"], "k": 5}),
        ":1: no name is known to hold the query (it has retrieved, k)",
    ),
    "marks.jsonl": (
        lines({"query": "q", "retrieved": [{"id": "a", "score": "0,9"}, {"id": "b", "score": "0,95"}]}),
        ":1: retrieved: score '0,9' is not a finite number",
    ),
    "nan.jsonl": (
        lines({"query": "q", "retrieved": [{"id": "a", "score": "NaN"}, {"id": "b", "score": "NaN"}]}),
        ":1: retrieved: score 'NaN' is not a finite number",
    ),
    "truth.jsonl": (
        lines({"query": "q", "retrieved": [{"id": "a", "score": True}]}),
        ":1: retrieved: score 'True' is not a finite number",
    ),
    "huge.jsonl": (lines({"query": "q", "retrieved": [{"id": "a", "score": 10**400}]}), ":1: retrieved: score '1000"),
    "huge-pair.jsonl": (lines({"query": "q", "retrieved": [["a", 10**400]]}), ":1: retrieved: number '1000"),
    "ranks.jsonl": (
        lines({"query": "q", "retrieved": [{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]}),
        ":1: retrieved: ranks fall down the list",
    ),
    "words.jsonl": (objects("query", "doc", "score", {"q": {"a": "high"}}), ":1: score 'high' is not a finite number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_can_be_meant_in_two_ways_is_refused(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    (tmp_path / name).write_text(text)
    read = read_qrels if name.endswith("csv") else read_run
    assert said in said_of(lambda: read(tmp_path / name))


@pytest.mark.parametrize("grade", ["high", "1,5", 10**400, [2, 3]])
def test_grades_in_lists_of_judgments_are_numbers(grade: object, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(lines({"query": "q", "relevant": [{"id": "a", "grade": grade}, {"id": "b", "grade": 1}]}))
    assert ":1: relevant: grade '" in said_of(lambda: read_qrels(path))


def test_a_list_of_one_grade_is_this_grade(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(lines({"query": "q", "relevant": [{"id": "a", "grade": [2]}, {"id": "b", "grade": 1}]}))
    assert read_qrels(path).to_dict() == {"q": {"a": 2, "b": 1}}


def test_labels_of_products_in_lists_of_judgments_are_their_grades(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    listed = [{"id": "a", "esci_label": "Exact"}, {"id": "b", "esci_label": "I"}]
    path.write_text(lines({"query": "q", "relevant": listed}))
    assert read_qrels(path).to_dict() == {"q": {"a": 3, "b": 0}}


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("order", [("utf-8", "cp1252"), ("cp1252", "utf-8")])
def test_lines_of_two_encodings_are_refused(form: str, order: tuple[str, str], tmp_path: Path) -> None:
    separator = {"csv": ",", "tsv": "\t"}.get(form)
    heads = rows(separator, "query", "doc", "grade", values={}) if separator else ""
    path = tmp_path / f"q.{form}"
    with path.open("wb") as file:
        file.write(heads.encode())
        for topic, encoding in zip(("\xdcbung", "Stra\xdfe"), order, strict=True):
            row = f'{{"query": "{topic}", "doc": "a", "grade": 2}}\n'
            file.write((separator.join([topic, "a", "2"]) + "\n" if separator else row).encode(encoding))
    first, second = (len(heads.splitlines()) + number for number in (1, 2))
    faulty, other = (second, first) if order[0] == "utf-8" else (first, second)
    assert f"q.{form}:{faulty}: is not UTF-8, and line {other} is; write all" in said_of(lambda: read_qrels(path))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_named_and_read_by_its_name(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes(rows(",", "query", "doc", "grade", values={"\xdcbung": {"a": 2}}).encode(encoding))
    said = said_of(lambda: read_qrels(path))
    assert f"save it as UTF-8: iconv -f {encoding.upper().replace('16-', '16')} -t utf-8 FILE > NEW. " in said
    assert f"For all files name the encoding: --encoding {encoding}, or encoding= in Python" in said
    assert read_qrels(path, encoding=encoding).to_dict() == {"\xdcbung": {"a": 2.0}}
