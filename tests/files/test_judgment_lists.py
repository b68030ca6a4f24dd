"""Judgments of search engines' tools: OpenSearch, rank_eval, Rated Ranking Evaluator, Quepid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of

from gradeval import read_qrels

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
        ({"requests": [{"id": "q", "ratings": [{"_id": "a", "rating": n} for n in (1, 2)]}]}, "rated twice"),
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
