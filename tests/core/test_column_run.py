"""Judgments and runs from the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gradeval._core import InputError, Lines, Pools, judge


def plain(strings: Sequence[str]) -> tuple[Any, Any]:
    """A column as Arrow's large_string."""
    data = [string.encode() for string in strings]
    return np.cumsum([0, *map(len, data)], dtype=np.int64), np.frombuffer(b"".join(data), dtype=np.uint8)


def coded(strings: Sequence[str]) -> tuple[Any, Any, Any]:
    """The same, dictionary-encoded."""
    dictionary = sorted(set(strings))
    return *plain(dictionary), np.array([dictionary.index(string) for string in strings], dtype=np.int32)


def run_of(topics: Sequence[str], documents: Sequence[str], scores: Sequence[float], form: Any = plain) -> Lines:
    return Lines.of_columns(form(topics), form(documents), np.array(scores, dtype=np.float64), "frame")


TOPICS = ["2", "2", "1", "2", "0001"]
DOCUMENTS = ["a", "bä", "a", "c", ""]


@pytest.mark.parametrize("form", [plain, coded])
def test_rows_are_lines(form: Any) -> None:
    lines = run_of(TOPICS, DOCUMENTS, [1, 2, 3, 4, 5], form)
    assert lines.topics() == ["2", "1", "0001"]
    assert lines.of("2") == {"a": 1.0, "bä": 2.0, "c": 4.0}
    assert (len(lines), lines.tag()) == (5, None)


@pytest.mark.parametrize("form", [plain, coded])
def test_rows_are_judgments(form: Any) -> None:
    pools = Pools.of_columns(form(TOPICS), form(DOCUMENTS), np.array([1, 2, 3, 4, 0.5]), "frame")
    assert pools.topics == ["2", "1", "0001"]
    assert pools.offsets.tolist() == [0, 3, 4, 5]
    assert pools.grades.tolist() == [1, 2, 4, 3, 0.5]
    assert [pools.documents(t) for t in range(3)] == [["a", "bä", "c"], ["a"], [""]]


@pytest.mark.parametrize("form", [plain, coded])
def test_a_table_without_rows_is_a_run_without_lines(form: Any) -> None:
    lines = run_of([], [], [], form)
    assert (lines.topics(), len(lines)) == ([], 0)
    pools = Pools.of_columns(form([]), form([]), np.zeros(0), "frame")
    assert pools.topics == []
    assert judge(pools, [lines]).retrieved.shape == (1, 0)


@pytest.mark.parametrize(
    ("topics", "documents", "numbers", "message"),
    [
        ("1121", "abxa", [1, 2, 3, 4], "row 3: document 'a' of topic 1 was already %s in row 0"),
        ("1121", "abxc", [1, 2, np.inf, np.nan], "row 2: %s is infinite; it must be a finite number"),
        ("1111", "abbc", [1, 2, 3, np.nan], "row 2: document 'b' of topic 1 was already %s in row 1"),
        ("1111", "abcb", [1, 2, np.nan, 4], "row 2: %s is NaN; it must be a finite number"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", [plain, coded])
def test_rows_that_cannot_be_accepted(
    topics: str, documents: str, numbers: list[float], message: str, form: Any
) -> None:
    with pytest.raises(InputError) as caught:
        Pools.of_columns(form(topics), form(documents), np.array(numbers, dtype=np.float64), "frame")
    assert str(caught.value).startswith("frame: " + message % ("judged" if "already" in message else "grade"))
    lines = run_of(topics, documents, numbers, form)
    pools = Pools.of_mapping({"1": {"a": 1}}, "qrels")
    for part_bytes in (1, 0):
        with pytest.raises(InputError) as caught:
            judge(pools, [lines], part_bytes=part_bytes)
        assert str(caught.value).startswith("frame: " + message % ("given" if "already" in message else "score"))


def test_columns_must_be_of_one_length() -> None:
    with pytest.raises(InputError, match="frame: the columns have 2, 3 and 1 rows; they must have the same number"):
        run_of("12", "abc", [1.0])


@pytest.mark.parametrize(
    "column",
    [
        (np.array([0, 1, 9]), np.zeros(3, dtype=np.uint8)),
        (np.array([-1, 1, 2]), np.zeros(3, dtype=np.uint8)),
        (np.array([0, 2, 1]), np.zeros(3, dtype=np.uint8)),
        (np.array([0, 1, 2]), np.zeros(3, dtype=np.uint8), np.array([0, 2], dtype=np.int32)),
        (np.array([0, 1, 2]), np.zeros(3, dtype=np.uint8), np.array([0, -1], dtype=np.int32)),
        (np.array([0]), np.zeros(0, dtype=np.uint8), np.array([0, 0], dtype=np.int32)),
    ],
    ids=["past the data", "before the data", "falling", "code past the end", "negative code", "empty dictionary"],
)
def test_a_column_that_leads_outside_its_data(column: Any) -> None:
    with pytest.raises(InputError, match="frame: the column of documents is broken"):
        Lines.of_columns(plain("12"), column, np.zeros(2), "frame")


def test_ids_must_be_utf8() -> None:
    broken = np.array([0, 1, 2]), np.frombuffer(b"a\xff", dtype=np.uint8)
    with pytest.raises(InputError, match=r"frame: row 1: document '\\xff' is not valid UTF-8"):
        len(Lines.of_columns(plain("11"), broken, np.zeros(2), "frame"))
    with pytest.raises(InputError, match=r"frame: row 1: topic '\\xff' is not valid UTF-8"):
        Pools.of_columns(broken, plain("ab"), np.zeros(2), "frame")


@pytest.mark.parametrize(
    "column", [(np.array([0, 1, 2], dtype=np.int32), np.zeros(2, dtype=np.uint8)), (np.arange(3),), "ab"]
)
def test_arrays_of_other_types_are_a_mistake_of_the_caller(column: Any) -> None:
    with pytest.raises((TypeError, RuntimeError)):
        Lines.of_columns(plain("12"), column, np.zeros(2), "frame")


def test_columns_are_kept_alive() -> None:
    lines = run_of(["1"] * 1000, [f"document-{i}" for i in range(1000)], np.arange(1000.0).tolist())
    churn = [np.full(1000, 7, dtype=np.uint8) for _ in range(100)]
    assert len(churn) == 100
    assert lines.of("1")["document-999"] == 999.0
