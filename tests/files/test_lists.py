"""Lists of ids and of judgments: records, cells, search engines' tools, ESCI."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusing import said_of

from gradeval import evaluate, qrels_from_frame, read_qrels, read_run
from gradeval.files.accepted import as_qrels

SAMPLES = [
    {"user_input": "Who?", "retrieved_context_ids": ["x", "a"], "reference_context_ids": ["a", "b"], "response": "I"},
    {"user_input": "When?", "retrieved_context_ids": [3], "reference_context_ids": [3], "response": "now"},
]
TRAINING = [
    {
        "query_id": "1",
        "query": "who",
        "positive_passages": [{"docid": "a", "title": "t", "text": "t"}],
        "negative_passages": [{"docid": "b", "text": "t"}],
    }
]


def write(folder: Path, records: list[Any], *, lines: bool = True) -> Path:
    path = folder / "records.json"
    path.write_text("".join(json.dumps(record) + "\n" for record in records) if lines else json.dumps(records))
    return path


@pytest.mark.parametrize("lines", [True, False])
def test_samples_of_ragas_are_judgments_and_a_run(tmp_path: Path, lines: bool) -> None:
    path = write(tmp_path, SAMPLES, lines=lines)
    qrels, run = read_qrels(path), read_run(path)
    assert qrels.to_dict() == {"Who?": {"a": 1, "b": 1}, "When?": {"3": 1}}
    assert {topic: run.of(topic) for topic in run.topics} == {"Who?": {"x": -1, "a": -2}, "When?": {"3": -1}}
    assert evaluate(qrels, run, "R@2 P@1").mean().ravel().tolist() == [(1 / 2 + 1) / 2, (0 + 1) / 2]


def test_training_data_of_tevatron_are_judgments(tmp_path: Path) -> None:
    qrels = read_qrels(write(tmp_path, TRAINING))
    assert qrels.to_dict() == {"1": {"a": 1, "b": 0}}
    assert qrels.read_as == "JSON records with lists of ids"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"user_input": "q", "reference_context_ids": ["a", "a"]}, "records.json:2: document 'a' is listed twice"),
        ({"user_input": "Who?", "reference_context_ids": ["a"]}, "query 'Who?' was already given"),
        (
            {"reference_context_ids": ["a"], "k": 3},
            "no name is known to hold the query (it has reference_context_ids, k)",
        ),
        (
            {"user_input": "q", "positive_passages": [{"text": "t"}]},
            "no name of an id is known in a document (it has text)",
        ),
        ({"user_input": "q", "positive_passages": ["a"], "negative_passages": "b"}, "is no list of ids"),
    ],
)
def test_mistakes_are_said_in_one_line(tmp_path: Path, record: Any, said: str) -> None:
    path = write(tmp_path, [SAMPLES[0], record])
    assert said in said_of(lambda: read_qrels(path))


RELEVANT = {"q1": ["a", "b"], "q2": ["3"]}
FOUND = {"q1": ["x", "a", "b"], "q2": ["3", "4"]}
EXPECTED = [((1 / 2 + 2 / 3) / 2 + 1) / 2, (1 / 2 + 1) / 2]  # AP, RR


def cells(lists: dict[str, list[str]], sign: str) -> str:
    return f"id{sign}labels\n" + "".join(f"{query}{sign}{' '.join(ids)}\n" for query, ids in lists.items())


@pytest.mark.parametrize(("sign", "ending"), [(",", "csv"), ("\t", "tsv"), (";", "csv")])
def test_cells_of_ids_are_judgments_and_ranks(tmp_path: Path, sign: str, ending: str) -> None:
    solution, submission = tmp_path / f"solution.{ending}", tmp_path / f"submission.{ending}"
    solution.write_text(cells(RELEVANT, sign))
    submission.write_text(cells(FOUND, sign))
    assert read_qrels(solution).to_dict() == {"q1": {"a": 1, "b": 1}, "q2": {"3": 1}}
    assert read_qrels(solution).read_as == "lists of ids between blanks (id, labels)"
    assert read_run(submission).name == f"submission.{ending}"
    assert evaluate(solution, submission, "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_the_mean_of_kaggle_divides_by_what_can_be_found_down_to_the_cutoff(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text("id,labels\n1,a b c\n")
    (tmp_path / "submission.csv").write_text("id,prediction\n1,a x\n")
    scores = evaluate(tmp_path / "solution.csv", tmp_path / "submission.csv", "AP(norm='min')@2")
    assert scores.mean().item() == 1 / 2


def test_an_empty_cell_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text("id,labels\nq1,\nq2,3 4\n")
    scores = evaluate({"q1": {"a": 1}, "q2": {"3": 1}}, tmp_path / "submission.csv", "RR", missing="zero")
    assert scores.values.ravel().tolist() == [0, 1]


@pytest.mark.parametrize("whole", [True, False])
def test_mappings_of_lists_in_json(tmp_path: Path, whole: bool) -> None:
    for name, lists in (("qrels.json", RELEVANT), ("run.json", FOUND)):
        text = json.dumps(lists) if whole else "".join(json.dumps({query: lists[query]}) + "\n" for query in lists)
        (tmp_path / name).write_text(text)
    assert evaluate(tmp_path / "qrels.json", tmp_path / "run.json", "AP RR").mean()[0] == pytest.approx(EXPECTED)
    (tmp_path / "pretty.json").write_text(json.dumps(FOUND, indent=2))
    assert evaluate(RELEVANT, tmp_path / "pretty.json", "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_data_sets_of_llamaindex_hold_judgments(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps({"queries": {"q1": "who?"}, "corpus": {"a": "I"}, "relevant_docs": {"q1": ["a"]}}))
    assert read_qrels(path).to_dict() == {"q1": {"a": 1}}


def test_mappings_of_lists_in_memory() -> None:
    for qrels in (RELEVANT, {query: set(ids) for query, ids in RELEVANT.items()}):
        for runs in (FOUND, {"mine": FOUND}, [FOUND]):
            assert evaluate(qrels, runs, "AP RR").mean()[0] == pytest.approx(EXPECTED)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,labels\n1,a b a\n", "run.csv:2: document 'a' is listed twice"),
        ("id,labels\n1,a b\n1,c d\n", "run.csv:3: query '1' was already given"),
        ("id,labels\n1,a b\n2,c,d e\n3,a b\n", "run.csv:3: found 3 columns"),
        ("id,labels\n1,a b\n,c d\n", "run.csv:3: the query is empty"),
    ],
)
def test_mistakes_in_cells_are_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(text)
    assert said in said_of(lambda: read_run(path, format="lists"))


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"q1": ["a", "a"]}, "run: query 'q1': document 'a' is listed twice"),
        ({"q1": {"a", "b"}}, "has a set, which has no order"),
        ({"q1": [None]}, "run: query 'q1': item 1 is a NoneType; accepted are ids, or pairs (document, score)"),
        ({"q1": ["a", ("b", 1.0)]}, "item 2 is a tuple; accepted are ids, or pairs"),
        ({"q1": [("b", 1.0), "a"]}, "item 2 is a str; accepted are ids, or pairs"),
        ({"q1": [(1.0, "b")]}, "item 1 is a tuple"),
        ({"q1": [{"id": "a", "score": 1.0}]}, "item 1 is a dict; accepted are ids, or pairs"),
        ({"q1": [("a", 1.0), ("a", 2.0)]}, "document 'a' is listed twice; a run names a document once per topic"),
        ({"q1": [("a", float("nan"))]}, "score is NaN"),
        ({"q1": ["a"], "q2": {"b": 1.0}}, "query q2 has a dict, and others have lists; give all topics lists"),
        ({1: ["a"], "1": ["b"]}, "run: topic 1 is given twice, as 1 and as '1'"),
    ],
)
def test_mistakes_in_lists_are_said_in_one_line(run: Any, said: str) -> None:
    assert said in said_of(lambda: evaluate(RELEVANT, run, "AP"))  # type: ignore[arg-type]


ORDERED: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda ids: np.array(ids, object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda ids: pa.chunked_array([ids]),
    "index": pd.Index,
    "keys": lambda ids: dict.fromkeys(ids).keys(),
    "iterator": iter,
    "pairs": lambda ids: [(document, -float(rank)) for rank, document in enumerate(ids)],
    "lists of two": lambda ids: [[document, np.float32(-rank)] for rank, document in enumerate(ids)],
    "numbers by document": lambda ids: pd.Series(range(len(ids), 0, -1), index=ids),
}


@pytest.mark.parametrize("form", ORDERED)
def test_documents_of_a_topic_come_in_any_list(form: str) -> None:
    run = {query: ORDERED[form](list(map(str, ids))) for query, ids in FOUND.items()}
    assert evaluate(RELEVANT, run, "AP RR").mean()[0] == pytest.approx(EXPECTED)
    again = {query: ORDERED[form](list(map(str, ids))) for query, ids in FOUND.items()}
    assert evaluate(RELEVANT, {"mine": again, "nothing": {}}, "AP RR").mean().tolist() == [
        pytest.approx(EXPECTED),
        [0, 0],
    ]


@pytest.mark.parametrize("form", ["array", "pandas", "polars", "arrow", "iterator", "keys"])
def test_judgments_come_in_any_list(form: str) -> None:
    relevant = {query: ORDERED[form](list(map(str, ids))) for query, ids in RELEVANT.items()}
    assert evaluate(relevant, FOUND, "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_pairs_of_judgments_have_grades() -> None:
    assert as_qrels({"q1": [("a", 2), ("b", 0)], 7: [(3, 1.5)]}).to_dict() == {"q1": {"a": 2, "b": 0}, "7": {"3": 1.5}}
    assert as_qrels({"q1": pd.Series({"a": 2, "b": 0})}).to_dict() == {"q1": {"a": 2, "b": 0}}
    assert as_qrels({"q1": np.array([3, 4])}).to_dict() == {"q1": {"3": 1, "4": 1}}


RATED = {"red dress": {"a": 3, "b": 0}, "shoe": {"a": 1}}
OPENSEARCH = {
    "name": "Imported",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {"query": "red dress", "ratings": [{"docId": "a", "rating": "3.000"}, {"docId": "b", "rating": "0.000"}]},
        {"query": "shoe", "ratings": [{"docId": "a", "rating": 1}]},
    ],
}
RANK_EVAL = {
    "requests": [
        {
            "id": "red dress",
            "request": {"query": {"match": {"text": "red dress"}}},
            "ratings": [{"_index": "i", "_id": "a", "rating": 3}, {"_index": "i", "_id": "b", "rating": 0}],
        },
        {"id": "shoe", "request": {}, "ratings": [{"_index": "i", "_id": "a", "rating": 1}]},
    ],
    "metric": {"dcg": {"k": 10}},
}
GAINS = {"a": {"gain": 3}, "b": {"gain": 0}}
RRE = {
    "index": "i",
    "topics": [
        {
            "description": "clothes",
            "query_groups": [
                {"queries": [{"template": "t", "placeholders": {"$query": "red dress"}}], "relevant_documents": GAINS}
            ],
        }
    ],
    "query_groups": [{"queries": [{"$query": "shoe"}], "relevant_documents": {"1": ["a"]}}],
}
OF_QUEPID = {
    "id_field": "id",
    "queries": [
        {"placeholders": {"$query": "red dress"}, "relevant_documents": {"3": ["a"], "0": ["b"]}},
        {"placeholders": {"$query": "shoe"}, "relevant_documents": {"1": ["a"]}},
    ],
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("content", [OPENSEARCH, RANK_EVAL, RRE, OF_QUEPID])
def test_json_of_search_engines_is_read(tmp_path: Path, content: Any, indent: int | None) -> None:
    (tmp_path / "ratings.json").write_text(json.dumps(content, indent=indent))
    qrels = read_qrels(tmp_path / "ratings.json")
    assert qrels.to_dict() == RATED
    assert qrels.read_as.startswith("JSON of ")


def test_blank_ratings_are_unjudged_and_counted(tmp_path: Path) -> None:
    (tmp_path / "quepid.csv").write_text(
        "query,docid,rating\nred dress,a,3\nred dress,b,0\nred dress,c,\nshoe,a,1\nhat,,\n"
    )
    qrels = read_qrels(tmp_path / "quepid.csv")
    assert qrels.to_dict() == RATED
    assert qrels.read_as == "csv with a header (query, docid, rating); 2 without a grade are unjudged"
    unrated = json.loads(json.dumps(OPENSEARCH))
    unrated["judgmentRatings"][0]["ratings"].append({"docId": "c", "rating": ""})
    (tmp_path / "ratings.json").write_text(json.dumps(unrated))
    read = read_qrels(tmp_path / "ratings.json")
    assert read.to_dict() == RATED
    assert read.read_as == "JSON of OpenSearch's judgments; 1 without a grade is unjudged"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"requests": [{"id": "q", "ratings": [{"rating": 1}]}]}, "looks like JSON of rank_eval, but is incomplete"),
        ({"judgmentRatings": [{"query": "q", "ratings": [{"docId": "a", "rating": "x"}]}]}, "not a finite number"),
        ({"judgmentRatings": [{"query": "", "ratings": [{"docId": "a", "rating": "1"}]}]}, "is not an id"),
        ({"requests": [{"id": "q", "ratings": [{"_id": "a", "rating": 1}] * 2}]}, "is rated twice"),
        ({"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {}}]}, "holds no ratings"),
        ({"queries": [{"placeholders": {"$query": "q"}}]}, "is incomplete"),
    ],
)
def test_mistakes_in_ratings_are_said_in_one_line(tmp_path: Path, content: Any, said: str) -> None:
    (tmp_path / "ratings.json").write_text(json.dumps(content))
    assert said in said_of(lambda: read_qrels(tmp_path / "ratings.json"))


def test_a_file_with_blank_ratings_only_is_refused(tmp_path: Path) -> None:
    (tmp_path / "quepid.csv").write_text("query,docid,rating\nq,a,\n")
    assert "no line with a grade" in said_of(lambda: read_qrels(tmp_path / "quepid.csv"))


def test_labels_of_shopping_queries_are_grades(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    labels = {"B1": "E", "B2": "S", "B3": "C", "B4": "I"}
    lines = "".join(f"7,{product},{label},us\n" for product, label in labels.items())
    (tmp_path / "esci.csv").write_text(f"query_id,product_id,esci_label,product_locale\n{lines}")
    (tmp_path / "esci.jsonl").write_text(
        "".join(json.dumps({"query_id": 7, "product_id": p, "esci_label": e}) + "\n" for p, e in labels.items())
    )
    for name in ("esci.csv", "esci.jsonl"):
        qrels = read_qrels(tmp_path / name)
        assert qrels.to_dict() == {"7": {"B1": 3, "B2": 2, "B3": 1, "B4": 0}}
    columns = {"query_id": [7] * 4, "product_id": list(labels), "esci_label": list(labels.values())}
    assert qrels_from_frame(columns).to_dict() == qrels.to_dict()
    wrong = said_of(lambda: qrels_from_frame({**columns, "esci_label": [*"ESC", "Z"]}))
    assert wrong == "qrels: row 3: esci_label 'Z' is none of E, S, C, I"
    run = {"7": {"B2": 2.0, "B1": 1.0}}
    assert evaluate(qrels, run, "CG(gains={3:1,2:0.1,1:0.01})@1").mean()[0, 0] == pytest.approx(0.1)
    (tmp_path / "esci.csv").write_text("query_id,product_id,esci_label\n7,B1,Exact\n7,B2,Z\n")
    assert "grade 'Z' is not a finite number" in said_of(lambda: read_qrels(tmp_path / "esci.csv"))
