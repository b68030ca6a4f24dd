"""Ratings and predictions, as recommenders have them: users are the topics, items the documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import Qrels, Run, evaluate, read_qrels, read_run

RATINGS = {"u1": {"i1": 4.5, "i2": 2}, "u2": {"i1": 5}}
LINES = [("u1", "i1", "4.5", "978300760"), ("u1", "i2", "2", "978302109"), ("u2", "i1", "5", "978301968")]


def of(table: Qrels | Run) -> dict[str, dict[str, float]]:
    return {topic: table.of(topic) for topic in table.topics}


def table(header: str, separator: str) -> str:
    lines = [header] if header else []
    return "\n".join([*lines, *(separator.join(line) for line in LINES)]) + "\n"


@pytest.mark.parametrize(
    ("header", "separator"),
    [
        ("userId,movieId,rating,timestamp", ","),
        ("userID\titemID\trating\ttimestamp", "\t"),
        ("user item rating timestamp", " "),
        ("user_id:token\titem_id:token\trating:float\ttimestamp:float", "\t"),
        ("reviewerID,asin,overall,unixReviewTime", ","),
        ("user_id,product_id,rating,timestamp", ","),
        ("user_id,parent_asin,rating,timestamp", ","),
        ("user_id,business_id,stars,date", ","),
        ("", "::"),
    ],
)
def test_ratings_are_judgments(tmp_path: Path, header: str, separator: str) -> None:
    (tmp_path / "ratings").write_text(table(header, separator))
    assert of(read_qrels(tmp_path / "ratings")) == RATINGS


def test_ratings_of_json_lines_are_judgments(tmp_path: Path) -> None:
    records = [{"reviewerID": user, "asin": item, "overall": float(rating)} for user, item, rating, _ in LINES]
    (tmp_path / "reviews.json").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert of(read_qrels(tmp_path / "reviews.json")) == RATINGS


@pytest.mark.parametrize(
    ("header", "lines"),
    [
        ("userID,itemID,prediction", ["u1,i1,3.5", "u1,i2,4"]),
        ("userID,itemID,rating,prediction", ["u1,i1,2,3.5", "u1,i2,5,4"]),
        ("uid,iid,r_ui,est", ["u1,i1,2,3.5", "u1,i2,5,4"]),
        ("user_id:token\titem_id:token\tscore:float", ["u1\ti1\t3.5", "u1\ti2\t4"]),
        ("user_idx,item_idx,y_pred", ["u1,i1,3.5", "u1,i2,4"]),
        ("customer_id,product_id,y_score", ["u1,i1,3.5", "u1,i2,4"]),
        ("user,recommended_item,prediction", ["u1,i1,3.5", "u1,i2,4"]),
    ],
)
def test_predictions_are_a_run(tmp_path: Path, header: str, lines: list[str]) -> None:
    (tmp_path / "predictions").write_text("\n".join([header, *lines]) + "\n")
    assert of(read_run(tmp_path / "predictions")) == {"u1": {"i1": 3.5, "i2": 4}}


@pytest.mark.parametrize(("name", "text"), [("r.csv", "user,item,punkte\nu1,i1,3\n"), ("r.jsonl", None)])
def test_what_an_unknown_column_is_told_to_do_works(tmp_path: Path, name: str, text: str | None) -> None:
    (tmp_path / name).write_text(text or json.dumps({"user": "u1", "item": "i1", "punkte": 3}) + "\n")
    said = said_of(lambda: read_run(tmp_path / name))
    assert (
        "columns:score=punkte:FILE, for all files --columns score=punkte, or in Python "
        "read_run(FILE, columns={'score': 'punkte'})" in said.replace(str(tmp_path / name), "FILE")
    )
    assert of(read_run(f"columns:score=punkte:{tmp_path / name}")) == {"u1": {"i1": 3}}


def test_colons_in_ids_are_no_columns(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 ns::d::1 2\n")
    assert of(read_qrels(tmp_path / "qrels.txt")) == {"q1": {"ns::d::1": 2}}


@pytest.mark.realdata
def test_movietweetings_are_read_as_they_come(data: Callable[[str], Path]) -> None:
    qrels = read_qrels(data("movietweetings") / "ratings.dat")
    assert qrels.read_as == "text with :: of 4 columns (query 1, doc 2, value 3)"
    assert sum(map(len, of(qrels).values())) == 100_000
    first = qrels.of("1")
    assert {item: first[item] for item in ("1074638", "1853728")} == {"1074638": 7, "1853728": 8}
    assert evaluate(qrels, of(qrels), "nDCG@10").mean().ravel().tolist() == [1]
