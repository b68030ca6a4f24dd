"""What the core refuses as learning-to-rank features, and what it says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from letor_text import read
from refusing import said_of

ELSEWHERE = "(where the sizes of queries lie in a file of their own, name it)"
FORM = "a line of features is: grade qid:query index:value ... # comment"


def complaint(text: str | bytes, sizes: Sequence[int] | None = None, **options: Any) -> str:
    return said_of(lambda: read(text, sizes, **options))


# Lines that are all right, so that what follows takes the quick way.
START = "# features\n1 qid:1 1:3.5 2:1\n1 qid:1 1:3.5 2:2\n"


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", " #docid = d\n", "\n0 qid:1 1:0\n1 qid:2 2:2\n"], ids=repr)
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x qid:1 1:1", f"grade 'x' is not a number; {FORM}; ? stands for no grade"),
        ("nan qid:1 1:1", f"grade 'nan' is NaN; it must be a finite number; {FORM}; ? stands for no grade"),
        ("inf qid:1 1:1", f"grade 'inf' is infinite; it must be a finite number; {FORM}; ? stands for no grade"),
        (
            "-1 qid:1 1:1",
            "grade '-1' is negative; grades are 0 or more, ? stands for none: leave documents that are not judged out, "
            "or write ? to rank them",
        ),
        *(
            (line, f"found {found} where qid:query belongs; {FORM} {ELSEWHERE}")
            for line, found in (("? 1:1", "'1:1'"), ("1 1:1", "'1:1'"), ("1", "nothing"))
        ),
        *(
            (f"{line}{word}", f"'{word}' is no feature, which is index:value with an index of up to 9 digits (query 1)")
            for line, word in [
                ("qid:1 1:1 ", "?"),
                ("1 qid:1 1:1 ", "x"),
                *(("1 qid:1 ", word) for word in (":1", "-1:1", "a:1", "0000000001:1")),
            ]
        ),
        ("1 qid: 1:1", f"qid: names no query; {FORM}"),
        ("1 qid:1 qid:2 1:1", f"'qid:2' is a second query; {FORM}"),
        *((f"1 qid:1 1:{text}", f"feature 1: '{text}' is not a number (query 1)") for text in ("", "x", "null", "1:2")),
        ("1 qid:1 1:-inf", "feature 1: '-inf' is infinite; it must be a finite number (query 1)"),
        ("1 qid:1 1:1e309", "feature 1: '1e309' is infinite; it must be a finite number (query 1)"),
        ("1 qid:1 2:1 1:1", "feature 1 comes after feature 2; the features of a line ascend, each once (query 1)"),
        ("1 qid:1 9:1 2:1", "feature 2 comes after feature 9; the features of a line ascend, each once (query 1)"),
        ("1 qid:1 9:1 9:2 1:0", "feature 9 comes twice; the features of a line ascend, each once (query 1)"),
        ("1 qid:1 9:1 x 1:0", "'x' is no feature, which is index:value with an index of up to 9 digits (query 1)"),
        ("1 qid:1 2:1 2:1", "feature 2 comes twice; the features of a line ascend, each once (query 1)"),
        ("1 qid:1 1:1\x01", r"control byte '\x01' found; this is not a text file"),
        ("\x01 qid:1 1:1", r"control byte '\x01' found; this is not a text file"),
        ("1\x00 qid:1 1:1", r"control byte '\x00' found; this is not a text file"),
        ("1 qid:1 1:1\r 2:1", r"control byte '\x0d' found; a carriage return may only end a line"),
    ],
)
def test_a_line_that_is_no_line_of_features(line: str, message: str, ending: str) -> None:
    assert complaint(START + line + ending) == f"f.txt:4: {message}"


@pytest.mark.parametrize("text", ["", "\n", "# only\n \t\r\n#comments", "\ufeff"], ids=repr)
def test_a_file_that_says_nothing(text: str) -> None:
    what = "the file holds nothing but blank lines and comments" if text else "the file is empty"
    assert complaint(text) == f"f.txt:1: {what}; {FORM}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x1f\x8b\x08\x00stuff", r"control byte '\x1f' found; this is compressed (gzip) data, not text"),
        ("1 qid:1".encode("utf-16"), r"control byte '\x00' found; this looks like UTF-16; save it as UTF-8"),
        (b"1 qid:\xe9 1:1", r"query '\xe9' is not valid UTF-8; save it as UTF-8"),
        (b"1 qid:1 1:1 #docid = \xe9", r"document '\xe9' is not valid UTF-8; save it as UTF-8"),
    ],
)
def test_bytes_that_are_no_utf8_text(data: bytes, message: str) -> None:
    assert complaint(data) == f"f.txt:1: {message}"
    good = b"1 qid:1 1:1\n1 qid:1 1:1\n"
    if not data.startswith(b"\x1f") and b"\x00" not in data:
        assert complaint(good + data + b"\n" + good) == f"f.txt:3: {message}"


def test_scattered_queries_are_named_with_both_their_lines() -> None:
    text = "1 qid:1 1:1\n0 qid:1 1:1\n1 qid:2 1:1\n0 qid:1 1:1\n0 qid:2 1:1\n"
    for part_bytes in (0, 1, 15, 30):
        assert complaint(text, part_bytes=part_bytes) == (
            "f.txt:4: query 1 comes again, it began in line 1; the lines of a query stand together: sort them by query"
        )


def test_an_error_before_a_scattered_query_is_reported_first_and_after_it_not() -> None:
    lines = ["1 qid:1 1:1", "1 qid:2 1:1", "1 qid:1 1:1", "1 qid:3 1:1", "0 qid:3 1:1"]
    for bad, line in ((1, 2), (4, 3)):
        text = "\n".join("oops" if number == bad else text for number, text in enumerate(lines))
        for part_bytes in (0, 1, 20):
            assert complaint(text, part_bytes=part_bytes).startswith(f"f.txt:{line}: ")


def test_the_first_of_several_errors_is_reported_whatever_the_threads() -> None:
    lines = [f"1 qid:{query} 1:{row} 2:0.5" for query in range(40) for row in range(30)]
    lines[900] = "oops"
    lines[650] = "1 qid:21 1:x"
    for part_bytes in (1, 100, 1000, 10_000, 0):
        for threads in (1, 2, 7):
            message = complaint("\n".join(lines), part_bytes=part_bytes, threads=threads)
            assert message == "f.txt:651: feature 1: 'x' is not a number (query 21)"


def test_sizes_must_be_those_of_the_rows() -> None:
    text = "1 1:1\n0 1:2\n0 1:3\n\n"
    assert complaint(text, [1, 1]) == "f.txt:3: the last of 3 rows, but the sizes of the queries add up to 2"
    assert complaint(text, [1, 2, 1]) == "f.txt:3: the last of 3 rows, but the sizes of the queries add up to 4"
    assert complaint(text, [4, -1]) == "f.txt:1: a query of -1 rows; queries have one or more"
    assert complaint(text, [2**62, 2**62, 3]).endswith(f"add up to {2**62}")


def test_sizes_are_refused_where_lines_name_their_queries() -> None:
    assert complaint("2 qid:10 1:0.5 #docid = a\n0 qid:10 1:0\n1 qid:11 1:1\n", [2, 1]) == (
        "f.txt:1: the line names its query, 'qid:10'; read the file without a file of sizes"
    )


def test_a_table_that_dwarfs_the_text_is_refused() -> None:
    assert complaint("1 qid:1 1:1\n1 qid:1 999999999:1\n") == (
        "f.txt:2: 999999999 features for 2 rows would take 7999 MB; number the features without gaps"
    )
    assert read("1 qid:1 1:1\n1 qid:1 1000000:1\n").X.shape == (2, 1_000_000)


@pytest.mark.parametrize("byte", [b"x", b"x ", b"\0", b"1 qid:1 ", b"1:1 "], ids=repr)
def test_an_endless_line_is_refused_in_few_words(byte: bytes) -> None:
    assert len(complaint(byte * (20_000_000 // len(byte)))) < 250
