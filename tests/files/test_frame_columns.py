"""Which columns of a frame are read, and which levels of its index."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from gradeval.files.column_names import InputKind
from gradeval.files.frame_columns import (
    columns_beside_index,
    columns_of_roles,
    find_needed,
    index_columns,
    index_of_ids,
    nameless,
    needed_columns,
)
from gradeval.files.named_columns import GUESSED, Columns

RUN = {"topic": ["q"], "document": ["d"], "score": [1.0]}


def schema(frame: pd.DataFrame) -> pa.Schema:
    return pa.Table.from_pandas(frame).schema


def test_an_index_is_no_column_unless_it_is_asked_for() -> None:
    indexed = schema(pd.DataFrame(RUN | {"run": ["x"]}).set_index("run"))
    assert index_columns(indexed) == ["run"]
    assert columns_beside_index(indexed) == ["topic", "document", "score"]
    assert columns_beside_index(indexed, ["run"]) == ["topic", "document", "score", "run"]


def test_levels_of_an_index_hold_ids_where_no_column_does() -> None:
    levels = schema(pd.DataFrame(RUN).set_index(["topic", "document"]))
    assert index_of_ids(levels) == ["topic", "document"]
    assert columns_of_roles(levels, "run", GUESSED) == ["score", "topic", "document"]
    beside = schema(pd.DataFrame(RUN | {"qid": ["q"], "docno": ["d"]}).set_index(["topic", "document"]))
    assert columns_of_roles(beside, "run", GUESSED) == ["score", "qid", "docno"]


@pytest.mark.parametrize("name", ["__index_level_0__", "__null_dask_index__"])
def test_an_index_without_a_name_is_known_where_metadata_are_lost(name: str) -> None:
    assert index_columns(pa.schema([(name, pa.int64()), ("topic", pa.string())])) == [name]


@pytest.mark.parametrize(
    ("kind", "others", "needed"),
    [
        ("run", ["text"], ["topic", "document", "score"]),
        ("run", ["rank", "run"], ["topic", "document", "score", "rank", "run"]),
        ("run", ["method"], ["topic", "document", "score", "method"]),  # which may name runs
        ("qrels", ["text"], ["topic", "document", "score"]),
    ],
)
def test_what_is_not_needed_is_not_read(kind: InputKind, others: list[str], needed: list[str]) -> None:
    table = schema(pd.DataFrame(RUN | {name: ["x"] for name in others}))
    assert needed_columns(table, kind, GUESSED) == needed


def test_all_columns_are_read_where_a_needed_one_is_unknown() -> None:
    assert needed_columns(schema(pd.DataFrame({"a": [1]})), "run", GUESSED) == []
    assert needed_columns(schema(pd.DataFrame(RUN)), "run", Columns(score="other")) == []


def test_the_columns_that_name_runs_are_told() -> None:
    table = schema(pd.DataFrame(RUN | {"tag": ["x"], "run": ["y"]}))
    assert find_needed(table, "run", "x", "") == (["topic", "document", "score", "run", "tag"], ["run", "tag"])


def test_columns_without_a_name_are_known() -> None:
    assert nameless(["", "Unnamed: 0", "Unnamed: 1_level_0", "a", "Unnamed"]) == [
        "",
        "Unnamed: 0",
        "Unnamed: 1_level_0",
    ]
