"""The text of JSON: one value, or one a line; what is no JSON, or says two things, is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from refusing import said_of

from gradeval.files.json_values import is_json, parse_json, parse_lines, whole_value


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"q1": {"d1": NaN}}', "x: NaN is no number of JSON"),
        ('{"q1": {"d1": -Infinity}}', "x: -Infinity is no number of JSON"),
        ('{"q1": {"d1": 1, "d1": 2}}', "x: 'd1' is given twice"),
        ('{"q1": {"d1": 1}, "q1": {}}', "x: 'q1' is given twice"),
        ('{"q1": {"d1": 1}', "x:1: is not valid JSON"),
        ('{\n"q1": {\n"d1" 1}}', "x:3: is not valid JSON"),
        ("[" * 100_000, "x: is nested too deeply"),
        ('{"q1": {"d1": 1' + "0" * 5000 + "}}", "x: holds a number that cannot be read"),
    ],
)
def test_what_json_does_not_allow_is_refused(content: str, message: str) -> None:
    assert said_of(lambda: parse_json(content, "x")).startswith(message)


RECORD = {"query_id": "q", "doc_id": "d", "score": 1}


@pytest.mark.parametrize("value", [{"q1": {"d1": 1}}, [RECORD], [], {}])
@pytest.mark.parametrize("indent", [None, 2])
def test_one_value_is_told_from_one_a_line(value: Any, indent: int | None) -> None:
    assert whole_value(json.dumps(value, indent=indent), "x") == value


@pytest.mark.parametrize("number", [1, 2])
def test_records_are_one_a_line(number: int) -> None:
    text = "\n".join([json.dumps(RECORD)] * number)
    assert whole_value(text, "x") is None
    assert list(parse_lines(text, "x")) == [(f"x:{line}", RECORD) for line in range(1, number + 1)]


def test_lines_are_counted_with_empty_ones() -> None:
    assert [where for where, _ in parse_lines('1\n\n \n{"a": 2}\n', "x")] == ["x:1", "x:4"]
    assert said_of(lambda: list(parse_lines("1\n\n{", "x"))).startswith("x:3: is not valid JSON")


@pytest.mark.parametrize(
    ("beginning", "expected"), [(b"\xef\xbb\xbf [", True), (b'\n{"a"', True), (b"q1 0 d1 1", False), (b"", False)]
)
def test_json_is_known_by_its_first_letter(beginning: bytes, expected: bool) -> None:
    assert is_json(beginning) == expected
