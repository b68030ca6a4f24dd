"""What the core makes of learning-to-rank features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from letor_text import read

from gradeval._core import InputError, Letor


def documents_of(letor: Letor) -> list[str]:
    ends, data = letor.documents
    return [bytes(data[begin:end]).decode() for begin, end in pairwise(ends)]


def told(letor: Letor) -> tuple[object, ...]:
    """All that a text says, comparable."""
    return (
        letor.X.tolist(),
        letor.grades.tolist(),
        letor.queries,
        letor.offsets.tolist(),
        documents_of(letor),
        letor.first,
    )


PLAIN = "2 qid:10 1:0.5 2:-3 3:1e-2 #docid = a\n0 qid:10 1:0 2:7.25 3:4 #docid = b\n1 qid:11 1:1 2:2 3:3 #docid = a\n"
MEANT = (
    [[0.5, -3.0, float(np.float32(0.01))], [0.0, 7.25, 4.0], [1.0, 2.0, 3.0]],
    [2.0, 0.0, 1.0],
    ["10", "11"],
    [0, 2, 3],
    ["a", "b", "a"],
    1,
)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r\n").rstrip("\n"),
        PLAIN.replace(" ", "\t"),
        PLAIN.replace(" ", " \t  "),
        PLAIN.replace("\n", "  \n"),
        PLAIN.replace("2 qid", "  2 qid"),
        "\ufeff" + PLAIN,
        "# a comment\n\n \t\n" + PLAIN.replace("\n", "\n  # more\n\n") + "# the end",
        PLAIN.replace(" #", "#"),
        PLAIN.replace("#docid = ", "# docid="),
        PLAIN.replace("\n", " inc = 1 prob = 0.0866 # docid = z\n"),
    ],
    ids=[
        "plain", "no last newline", "CRLF", "lone CR at the end", "tabs", "runs of blanks", "trailing blanks",
        "leading blanks", "byte order mark", "comments and blank lines", "comment right behind a value",
        "other blanks in a comment", "more behind the document",
    ],
)  # fmt: skip
def test_lines_are_read_however_they_are_laid_out(text: str) -> None:
    assert told(read(text)) == MEANT


def test_the_table_is_dense_single_precision_and_the_callers_own() -> None:
    letor = read(PLAIN)
    assert letor.X.dtype == np.float32
    assert letor.X.flags.c_contiguous
    letor.X[0, 0] = 9.0
    letor.grades[0] = 1.0
    assert (letor.X[0, 0], letor.grades[0]) == (9.0, 1.0)


def test_absent_features_are_zero() -> None:
    assert read("1 qid:1 2:5\n0 qid:1\n1 qid:1 1:1 4:2\n0 qid:1 3:1\n").X.tolist() == [
        [0, 5, 0, 0], [0, 0, 0, 0], [1, 0, 0, 2], [0, 0, 1, 0],
    ]  # fmt: skip


def test_a_feature_0_anywhere_makes_it_the_first_column() -> None:
    for text in ("1 qid:1 0:7 2:5\n0 qid:1 1:4\n", "0 qid:1 1:4\n1 qid:1 0:7 2:5\n"):
        letor = read(text)
        assert letor.first == 0
        assert sorted(letor.X.tolist()) == [[0, 4, 0], [7, 0, 5]]


def test_a_declared_width_leaves_room_and_is_a_limit() -> None:
    assert read("1 qid:1 1:1 2:5\n", width=4).X.tolist() == [[1, 5, 0, 0]]
    said = r"^f.txt:2: feature 3 is none of the 2 features from 1 on; the features of a line ascend \(query 1\)$"
    with pytest.raises(InputError, match=said):
        read("1 qid:1 1:1 2:5\n1 qid:1 3:1", width=2)


@pytest.mark.parametrize(
    "numeral",
    """0 -0 1 -1 +3 5. .5 -.5 +.5 1e-3 1E-3 1e+3 -7.99e-10 003.50 123456789.125 0.1 0.30000000000000004
    16777217 16777219 0.09679937548790009 45602.81753540039 1e23 3.4028234663852886e38 1e-45 1e-60 1e-400
    0.000000000000000000000000000000000000000000001 1.00000005960464477539062500001""".split(),
)
def test_values_are_the_nearest_doubles_rounded_to_single_precision_below_2_to_the_24(numeral: str) -> None:
    # The first line and the last take the careful way, the others the quick one.
    letor = read("".join(f"1 qid:1 1:{numeral} 2:{numeral}\n" for _ in range(4)).rstrip())
    value = float(numeral)
    expected = value if abs(value) >= 2**24 else float(np.float32(value))
    assert np.array_equal(letor.X, np.full((4, 2), expected))
    assert letor.X.dtype == (np.float32 if float(np.float32(expected)) == expected else np.float64)
    assert np.array_equal(letor.sample, np.full((4, 2), value))


@pytest.mark.parametrize("part_bytes", [0, 20, 100])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_large_number_anywhere_makes_doubles_of_all(part_bytes: int, threads: int) -> None:
    lines = [f"1 qid:{row // 8} 1:{row} 2:0.1 3:NULL\n" for row in range(64)]
    for place in (0, 31, 63):
        text = "".join([*lines[:place], f"1 qid:{place // 8} 1:1514764801 3:7\n", *lines[place + 1 :]])
        X = read(text, threads=threads, part_bytes=part_bytes).X
        assert X.dtype == np.float64
        assert X[place].tolist() == [1514764801.0, 0.0, 7.0]
        others = np.arange(64) != place
        assert np.array_equal(X[others, 0], np.arange(64)[others])
        assert set(X[others, 1]) == {float(np.float32(0.1))}
        assert set(X[others, 2]) == {0.0, 7.0}  # NULL is the least of the query


@pytest.mark.parametrize("text", ["1.79769313486e+308", "-1.79769313486e+308", "1.79769313486232e+308"])
def test_the_largest_double_is_missing_and_counted(text: str) -> None:
    letor = read(f"1 qid:1 1:1 2:{text}\n" * 4 + f"0 qid:1 2:{text} 3:2")
    assert np.isnan(letor.X[:, 1]).all()
    assert not np.isnan(letor.X[:, [0, 2]]).any()
    assert (letor.largest, letor.of_feature, letor.X.dtype) == (5, 2, np.float32)


@pytest.mark.parametrize("numeral", ["0", "2", "0.5", "1e-1", "+3", "-0", "31.0"])
def test_grades_are_numbers_from_0(numeral: str) -> None:
    assert read(f"{numeral} qid:1 1:1\n" * 3).grades.tolist() == [float(numeral)] * 3


@pytest.mark.parametrize("query", ["1", "0010", "q-7", "täma", "主题", "q" * 300], ids=lambda query: query[:10])
def test_queries_are_any_text_without_blanks(query: str) -> None:
    letor = read(f"1 qid:{query} 1:1\n0 qid:{query} 1:2\n0 qid:{query}0 1:3\n1 qid:{query}0 1:3\n")
    assert (letor.queries, letor.offsets.tolist()) == ([query, query + "0"], [0, 2, 4])


@pytest.mark.parametrize(
    ("comment", "document"),
    [
        ("#docid = GX008-86-4444840 inc = 1 prob = 0.086622", "GX008-86-4444840"),
        ("#docid=d", "d"),
        ("#\tdocid \t=\td", "d"),
        ("# docid = täma", "täma"),
        ("#docid", ""),
        ("#docid =", ""),
        ("#docid is d", ""),
        ("#docids = d", ""),
        ("# 5H", ""),
        ("#", ""),
        ("", ""),
    ],
)
def test_a_comment_may_name_the_document(comment: str, document: str) -> None:
    assert documents_of(read(f"1 qid:1 1:1 {comment}\n" * 3)) == [document] * 3


def test_null_is_the_least_value_of_the_feature_in_its_query() -> None:
    letor = read(
        "1 qid:1 1:NULL 2:5 3:NULL\n0 qid:1 1:-3 2:NULL 3:NULL\n0 qid:1 1:2 2:4 3:NULL\n"
        "0 qid:2 1:9 2:NULL 3:1\n1 qid:2 1:NULL 3:2\n",
        part_bytes=1,
    )
    assert letor.X.tolist() == [[-3, 5, 0], [-3, 4, 0], [2, 4, 0], [9, 0, 1], [9, 0, 2]]


def test_sizes_stand_in_for_queries_that_lines_do_not_name() -> None:
    letor = read("1 1:1 #docid = a\n0 1:2\n# here\n0 1:3\n2 1:4\n", [1, 3])
    assert (letor.X.tolist(), letor.offsets.tolist(), letor.queries) == ([[1], [2], [3], [4]], [0, 1, 4], [])
    assert documents_of(letor) == ["a", "", "", ""]


def test_lines_without_features_are_documents_all_the_same() -> None:
    letor = read("1 qid:1\n0 qid:1 #docid = d\n")
    assert (letor.X.shape, documents_of(letor)) == ((2, 0), ["", "d"])


numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)
numerals = numbers.map(repr) | st.decimals(-1000, 1000, places=4).map(str) | st.integers(-5, 5).map(str)
rows = st.tuples(
    st.sampled_from(["0 ", "1 ", "2.5 ", "? ", "- ", ""]),
    st.dictionaries(st.integers(0, 12), numerals | st.sampled_from(["NULL", "nan", "NaN"]), max_size=6),
    st.sampled_from(["", " ", "#docid = d1", " #docid = doc-with-a-long-name x", "# none", "\r"]),
)
texts = st.lists(st.lists(rows, min_size=1, max_size=5), min_size=1, max_size=5)


def literal(queries: Sequence[Sequence[tuple[str, dict[int, str], str]]]) -> tuple[object, ...]:
    """What the lines mean, read without haste."""
    lines = [line for query in queries for line in query]
    indices = [index for _, values, _ in lines for index in values]
    first = 0 if 0 in indices else 1
    width = max(indices) + 1 - first if indices else 0
    table: list[list[float]] = []
    for query in queries:
        for _, values, _ in query:
            row = []
            for index in range(first, first + width):
                text = values.get(index, "0")
                known = [other.get(index, "0") for _, other, _ in query if other.get(index) != "NULL"]
                known = [value for value in known if value.lower() != "nan"]
                least = min((float(np.float32(float(value))) for value in known), default=0.0)
                row.append(least if text == "NULL" else float(np.float32(float(text))))
            table.append(row)
    documents = [comment.split("=")[1].split()[0] if "=" in comment else "" for _, _, comment in lines]
    ends = np.cumsum([0, *map(len, queries)]).tolist()
    grades = [float(grade) if grade.strip() not in ("?", "-", "") else float("nan") for grade, _, _ in lines]
    return table, grades, list(map(str, range(len(queries)))), ends, documents, first


@settings(max_examples=200, deadline=None)
@given(texts, st.sampled_from([0, 1, 7, 40]), st.sampled_from([1, 2]), st.booleans())
def test_a_text_is_read_as_a_literal_reader_does(
    queries: Any, part_bytes: int, threads: int, ends_with_newline: bool
) -> None:
    text = "\n".join(
        f"{grade}qid:{number}"
        + " " * (not values)
        + "".join(f" {index}:{value}" for index, value in sorted(values.items()))
        + comment
        for number, query in enumerate(queries)
        for grade, values, comment in query
    )
    letor = read(text + "\n" * ends_with_newline, part_bytes=part_bytes, threads=threads)
    assert repr(told(letor)) == repr(literal(queries))  # NaN equals NaN there


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_any_contiguous_buffer_is_text(make: Callable[[bytes], Any]) -> None:
    assert told(Letor.of_bytes(make(PLAIN.encode()), "f.txt")) == MEANT


def test_a_column_outlives_the_text_and_the_reading() -> None:
    X = read(PLAIN).X
    assert X[:, 0].tolist() == [0.5, 0.0, 1.0]
