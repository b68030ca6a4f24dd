"""Pairs that must not count are read from whatever lists them, and nothing but the pairs is looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

from gradeval import InputError, Qrels, Run
from gradeval.collection.exclusion import Exclusion
from gradeval.files.exclusions import as_exclusion
from gradeval.files.named_columns import Columns

PAIRS = {"q1": {"d1", "d2"}, "q2": {"d1"}}
ROWS = [("q1", "d1"), ("q1", "d2"), ("q2", "d1"), ("q1", "d1")]  # the last one again


def found(exclusion: Exclusion, topics: tuple[str, ...] = ("q1", "q2", "q3")) -> dict[str, set[str]]:
    return {topic: documents for topic in topics if (documents := exclusion.of(topic))}


def lines(form: str) -> str:
    """Lines of all pairs."""
    return "".join(form.format(q=topic, d=document, i=place) + "\n" for place, (topic, document) in enumerate(ROWS, 1))


TEXTS = {
    "two columns": lines("{q}\t{d}"),
    "two columns between blanks": lines("{q} {d}"),
    "two columns of csv": lines("{q},{d}"),
    "two columns with quotes": lines('"{q}","{d}"'),
    "a header": "query_id,doc_id\n" + lines("{q},{d}"),
    "a header, columns exchanged": "corpus-id\tquery-id\n" + lines("{d}\t{q}"),
    "users and items": "user_id,movie_id,rating,timestamp\n" + lines("{q},{d},,88125094{i}"),
    "ratings of MovieLens": lines("{q}\t{d}\t3\t88125094{i}"),
    "ratings of MovieLens with ::": lines("{q}::{d}::3::88125094{i}"),
    "judgments": "# as TREC has them\n" + lines("{q} 0 {d} -{i}"),
    "a run": lines("{q} Q0 {d} {i} nan x"),
    "a run with tabs": lines("{q}\tQ0\t{d}\t{i}\t0.5\tx"),
    "judgments of BEIR": "query-id\tcorpus-id\tscore\n" + lines("{q}\t{d}\t0"),
    "grades that nobody gave": "topic,doc,grade\n" + lines("{q},{d},"),
    "the index of pandas": ",query_id,doc_id\n" + lines("{i},{q},{d}"),
    "numbers of pandas": ",0,1\n" + lines("{i},{q},{d}"),
    "comments above a header": "# seen in training\nquery_id,doc_id\n" + lines("{q},{d}"),
    "JSON of mappings": json.dumps({"q1": {"d1": None, "d2": "x"}, "q2": {"d1": 0}}),
    "JSON of lists": json.dumps({"q1": ["d1", "d2", "d1"], "q2": ["d1"]}),
    "JSONL": "".join(json.dumps({"qid": topic, "docno": document}) + "\n" for topic, document in ROWS),
    "records": json.dumps([{"query_id": topic, "doc_id": document, "score": None} for topic, document in ROWS]),
    "lists of BRIGHT": "".join(
        json.dumps({"id": topic, "query": "why?", "excluded_ids": ids}) + "\n"
        for topic, ids in (("q1", ["d1", "d2", "d1"]), ("q2", ["d1"]))
    ),
    "passages of Tevatron": "".join(
        json.dumps({"query_id": topic, "negative_passages": [{"docid": one} for one in ids]}) + "\n"
        for topic, ids in (("q1", ["d1", "d2"]), ("q2", ["d1"]))
    ),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_files_of_every_kind_list_pairs(text: str, tmp_path: Path) -> None:
    (tmp_path / "seen").write_text(text)
    assert found(as_exclusion(tmp_path / "seen")) == PAIRS


def test_frames_and_parquet_list_pairs(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"topic": [topic for topic, _ in ROWS], "docid": [document for _, document in ROWS], "x": [None] * 4}
    listed = {"id": ["q1", "q2", "q3"], "excluded_ids": [["d1", "d2", "d1"], ["d1"], []]}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), polars.DataFrame(listed)):
        assert found(as_exclusion(frame)) == PAIRS
    coded = pandas.DataFrame(columns).astype({"topic": "category"}).set_index(["topic", "docid"])
    assert found(as_exclusion(coded)) == PAIRS
    polars.DataFrame(columns).write_parquet(tmp_path / "seen.parquet")
    assert found(as_exclusion(str(tmp_path / "seen.parquet"))) == PAIRS


class Seen:
    """A record with fields."""

    def __init__(self, query_id: Any, doc_id: Any) -> None:
        self.query_id, self.doc_id = query_id, doc_id


OBJECTS = {
    "mapping of sets": PAIRS,
    "mapping of mappings": {"q1": {"d1": -1, "d2": 0.5}, "q2": {"d1": 2}},
    "pairs": ROWS,
    "pairs that come once": iter(ROWS),
    "pairs with more": [(topic, document, 0.5) for topic, document in ROWS],
    "records": [{"query_id": topic, "doc_id": document} for topic, document in ROWS],
    "objects": [Seen(*row) for row in ROWS],
    "judgments": Qrels.from_dict({"q1": {"d1": -1, "d2": 0}, "q2": {"d1": 2}}),
    "a run": Run.from_dict({"q1": {"d1": -1, "d2": 0}, "q2": {"d1": 2}}),
    "a run of a mapping": Run.over({"q1": {"d1": -1, "d2": 0}, "q2": {"d1": 2}}),
    "several": [{"q1": ["d1"]}, Qrels.from_dict({"q2": {"d1": 0}}), Run.from_dict({"q1": {"d2": 0.0}})],
    "several lists of pairs": [ROWS[:1], ROWS[1:]],
}


@pytest.mark.parametrize("given", OBJECTS.values(), ids=OBJECTS)
def test_objects_of_python_list_pairs(given: Any) -> None:
    assert found(as_exclusion(given)) == PAIRS


PAIRED = pandas.DataFrame(ROWS, columns=["topic", "document"])
BY_TOPIC = PAIRED.groupby("topic")["document"]
SERIES = {
    "lists by topic": BY_TOPIC.apply(list),
    "tuples by topic": BY_TOPIC.apply(tuple),
    "sets by topic": BY_TOPIC.apply(set),
    "arrays by topic": BY_TOPIC.apply(lambda column: column.to_numpy()),
    "arrays of unique ids": BY_TOPIC.unique(),
    "lists of two by topic": pandas.Series([["d1", "d2"], ["d1"]], index=["q1", "q2"]),
    "a list of such columns": [BY_TOPIC.apply(list), pandas.Series([["d1", "d2"]], index=["q1"])],
    "a dict of columns": dict(list(BY_TOPIC)),
    "pairs in rows": PAIRED.apply(tuple, axis=1),
}


@pytest.mark.parametrize("given", SERIES.values(), ids=SERIES)
def test_a_column_of_documents_by_topic_lists_pairs(given: Any) -> None:
    assert found(as_exclusion(given)) == PAIRS


TWOS = {
    "lists by a number without a name": pandas.Series([["5", "6"], ["7", "8"]], index=[1, 2]),
    "pairs whose rows were chosen": PAIRED.apply(tuple, axis=1).iloc[[0, 2, 3]],
    "lists in rows": pandas.Series(PAIRED.to_numpy().tolist()),
}


@pytest.mark.parametrize("given", TWOS.values(), ids=TWOS)
def test_twos_that_may_be_pairs_or_documents_are_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"list\(series\), or documents by topic as series.to_dict"):
        as_exclusion(given)


def test_a_topic_without_a_list_is_refused() -> None:
    with pytest.raises(InputError, match="topic 'q1': has a float; give a list of documents"):
        as_exclusion(pandas.Series([float("nan"), ["d1", "d2"]], index=["q1", "q2"]))


def test_ids_that_are_numbers_are_their_digits() -> None:
    assert as_exclusion({1: [2, 3]}).of("1") == {"2", "3"}
    assert as_exclusion([(1, 2)]).of("1") == {"2"}


def test_files_add_up_with_self(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("q1\td1\n")
    both = as_exclusion(["self", tmp_path / "a.tsv", {"q1": ["d2"]}])
    assert found(both) == {"q1": {"q1", "d1", "d2"}, "q2": {"q2"}, "q3": {"q3"}}


def test_columns_are_named_and_numbered_by_the_user(tmp_path: Path) -> None:
    named, numbered = tmp_path / "named.csv", tmp_path / "numbered.tsv"
    named.write_text("shop,who,what\n" + lines("x,{q},{d}"))
    numbered.write_text(lines("x\t{q}\ty\tz\t{d}"))
    assert found(as_exclusion(named, Columns(query="who", doc="what"))) == PAIRS
    assert found(as_exclusion(numbered, Columns(query="2", doc="5"))) == PAIRS


WRONG = {
    "one column": ("q1\n", "1: found 1 column"),
    "another width": ("q1,d1\nq1,d1,d2\n", "2: found 3 columns, where the first line has 2"),
    "an empty document": ("q1\td1\nq1\t\n", "2: the document is empty"),
    "an empty file": ("", "the file is empty"),
    "one known name": ("movie_id,who\nd1,q1\n", "1: 'movie_id' names a column"),
    "a header of pandas or data": ("0,1\n2,3\n", "1: 0,1 may be a header that pandas wrote, or data"),
    "records without topics": ('{"doc_id": "d1"}\n', "1: no columns are known to hold topics and documents"),
    "text instead of a list": ('{"q1": {"d1": 1}, "q2": "d1"}', "topic 'q2': has a str; give a list of documents"),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG)
def test_what_lists_no_pairs_is_an_error_of_one_line(text: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "seen").write_text(text)
    with pytest.raises(InputError) as error:
        as_exclusion(tmp_path / "seen")
    assert expected in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'seen'}:")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", [7, [7], ["q1", 7], {"q1": 7}, {"q1": [None]}])
def test_what_is_no_list_of_pairs_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="exclude"):
        as_exclusion(given)


def test_self_misspelled_is_said() -> None:
    with pytest.raises(InputError, match="did you mean"):
        as_exclusion("slef")
