"""Tables as features, and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusing import said_of

from gradeval import FeaturesWarning, InputError, SplitQueriesWarning
from gradeval.files.feature_frames import features_from_frame, features_to_frame
from gradeval.files.readers import read_features

ROWS: dict[str, list[Any]] = {
    "query_id": ["a", "a", "b"],
    "doc_id": ["d1", "d2", "d1"],
    "relevance": [2, 0, 1],
    "bm25": [1.5, -2.0, 3.25],
    "length": [10, 20, 30],
}


refusal = partial(said_of, features_from_frame)


@pytest.mark.parametrize(
    "make", [pa.table, pd.DataFrame, pl.DataFrame, dict], ids=["pyarrow", "pandas", "Polars", "dict"]
)
def test_whatever_speaks_arrow_becomes_features(make: Callable[[Any], Any]) -> None:
    features = features_from_frame(make(ROWS))
    assert features.X.tolist() == [[1.5, 10], [-2, 20], [3.25, 30]]
    assert (features.topics, features.offsets.tolist()) == (["a", "b"], [0, 2, 3])
    assert (features.docs, features.grades.tolist()) == (["d1", "d2", "d1"], [2, 0, 1])
    assert features.columns == ("bm25", "length")
    assert features.run("bm25").of("a") == {"d1": 1.5, "d2": -2.0}


def test_columns_may_be_chosen_and_documents_left_out() -> None:
    frame = {"qid": [7, 7, 8], "label": [0, 1, 2], "x": [1, 2, 3], "y": [4, 5, 6], "note": ["p", "q", "r"]}
    features = features_from_frame(frame, query_id="qid", relevance="label", features=["y", "x"])
    assert (features.X.tolist(), features.columns) == ([[4, 1], [5, 2], [6, 3]], ("y", "x"))
    assert (features.topics, features.docs) == (["7", "8"], ["7-1", "7-2", "8-1"])


@pytest.mark.parametrize("name", ["docid", "DocNo", "document", "did"])
def test_documents_by_another_usual_name_are_no_feature(name: str) -> None:
    columns = {key: values for key, values in ROWS.items() if key != "doc_id"}
    numbered = features_from_frame({**columns, name: [7, 8, 9]})
    assert (numbered.columns, numbered.docs) == (("bm25", "length"), ["7", "8", "9"])
    assert features_from_frame({**columns, name: [7, 8, 9]}, features=["length", name]).X[:, 1].tolist() == [7, 8, 9]


def test_features_become_a_table_and_come_back() -> None:
    features = features_from_frame(ROWS)
    table = features_to_frame(features)
    assert table.column_names == list(ROWS)
    assert table.to_pydict() == ROWS
    again = features_from_frame(table)
    assert np.array_equal(again.X, features.X)
    assert (again.topics, again.docs, again.columns) == (features.topics, features.docs, features.columns)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"relevance": [0, -1, 1]}, "features: row 1: relevance -1 is negative; "),
        (
            {"relevance": [0, None, 1]},
            "features: row 1: relevance is missing (null or NaN; query_id 'a', doc_id 'd2'); ",
        ),
        ({"bm25": [0.0, float("inf"), 1.0]}, "features: row 1: feature bm25 is infinite; "),
    ],
)
def test_tables_that_are_no_features(changed: dict[str, list[Any]], said: str) -> None:
    assert refusal(ROWS | changed).startswith(said)


def test_a_missing_value_is_nan_and_documents_need_no_grades() -> None:
    features = features_from_frame(ROWS | {"bm25": [0.0, None, 1.0]}, relevance=None, features=["bm25"])
    np.testing.assert_array_equal(features.X[:, 0], [0.0, np.nan, 1.0])
    assert np.isnan(features.grades).all()
    assert features_to_frame(features)["relevance"].null_count == 3


def test_columns_that_are_not_there_are_named() -> None:
    assert refusal(ROWS, features=["bm52"]).startswith("features: has no column 'bm52' (did you mean bm25?)")
    assert refusal(ROWS, doc_id="document", name="t").startswith("t: has no column 'document'")
    few = {column: ROWS[column] for column in ("query_id", "doc_id", "relevance")}
    assert refusal(few) == "features: has no column with a feature besides query_id, doc_id, relevance"


@pytest.mark.parametrize("query", [[7, 10, 7, 9, 10, 7], list("bcbacb"), pd.Categorical(list("bcbacb"))])
@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv"])
def test_shuffled_rows_of_a_file_are_sorted_by_query_with_a_warning(query: Any, ending: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": query, "doc_id": list("uvwxyz"), "relevance": [0, 1, 2, 0, 1, 0], "f": range(6)})
    place = tmp_path / f"rows.{ending}"
    write = {
        "parquet": frame.to_parquet,
        "csv": partial(frame.to_csv, index=False),
        "tsv": partial(frame.to_csv, index=False, sep="\t"),
    }
    write[ending](place)
    with pytest.warns(SplitQueriesWarning, match="all rows were sorted by query; within a query they keep their order"):
        found = read_features(place)
    expected = features_from_frame(frame.assign(query_id=[str(one) for one in query]).iloc[EXPECTED[str(query[0])]])
    assert found.topics == expected.topics
    assert found.docs == expected.docs
    assert found.X.tolist() == expected.X.tolist()
    assert found.grades.tolist() == expected.grades.tolist()


EXPECTED = {"7": [0, 2, 5, 3, 1, 4], "b": [3, 0, 2, 5, 1, 4]}
"""The rows sorted by query by hand: 7 7 7 9 10 10, and a b b b c c."""


@pytest.mark.parametrize(("yes", "no"), [(True, False), ("yes", "no"), ("True", "False"), ("1", "0.0")])
def test_grades_may_say_yes_and_no(yes: object, no: object) -> None:
    features = features_from_frame({"query_id": ["a", "a", "b"], "relevance": [yes, no, yes], "f": [1, 2, 3]})
    assert (features.grades.tolist(), features.levels) == ([1, 0, 1], (0, 1))


def test_grades_in_words_are_listed() -> None:
    with pytest.raises(InputError, match=r"'relevance' holds words \(good, bad\); write a number from 0 for each"):
        features_from_frame({"query_id": ["a", "a"], "relevance": ["good", "bad"], "f": [1, 2]})


@pytest.mark.parametrize("kind", ["object", "category", "string"])
def test_numbers_as_text_are_read_as_csv_reads_them(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": list("aab"), "relevance": [0, 1, 2], "f": ["1.5", "-2", "3e2"], "g": [1, 2, 3]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.astype({"f": kind}).to_parquet(tmp_path / "rows.parquet")
    with pytest.warns(FeaturesWarning, match=r"text of f is read as numbers; leave it out if these are codes"):
        found = read_features(tmp_path / "rows.parquet")
    assert found.X.tolist() == read_features(tmp_path / "rows.csv").X.tolist() == [[1.5, 1], [-2, 2], [300, 3]]


@pytest.mark.parametrize("kind", ["object", "category", "string"])
def test_words_are_refused_in_parquet_as_in_csv(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": list("aab"), "relevance": [0, 1, 2], "f": ["1", "red", "red"], "g": [1, 2, 3]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.astype({"f": kind}).to_parquet(tmp_path / "rows.parquet")
    said = [said_of(read_features, tmp_path / f"rows.{ending}").split(")", 1) for ending in ("csv", "parquet")]
    assert [text for text, _ in said] == [
        f"{tmp_path}/rows.csv: column 'f' (line 3: 'red'",
        f"{tmp_path}/rows.parquet: column 'f' (row 1: 'red'",
    ]
    assert said[0][1] == said[1][1]


def test_blank_text_among_numbers_is_missing() -> None:
    rows = {"query_id": ["a", "a", "a"], "f": ["7", " ", None], "g": [1, 2, 3]}
    with pytest.warns(FeaturesWarning, match="text of f"):
        features = features_from_frame(rows, doc_id=None, relevance=None)
    np.testing.assert_array_equal(features.X[:, 0], [7, np.nan, np.nan])
