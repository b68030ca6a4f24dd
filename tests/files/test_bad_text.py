"""Bad input as the readers see it: the place is named, and what would be right."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from gradeval import InputError, read_qrels, read_run

QRELS = "301 0 d1 2\n301 0 d2 0\n302 0 d1 -2\n302 0 d3 0.5\n"
RUN = "301 Q0 d1 1 3.5 bm25\n301 Q0 d2 2 1e-3 bm25\n302 Q0 d3 1 +3 bm25\n"


def write(name: str, text: str | bytes) -> str:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def refusal_of_run(text: str | bytes, name: str = "run.txt") -> str:
    """What is said when a run is read and all its lines are asked for."""
    with pytest.raises(InputError) as refused:
        len(read_run(write(name, text)))
    assert "\n" not in str(refused.value)
    return str(refused.value)


def refusal_of_qrels(text: str | bytes, name: str = "qrels.txt", **options: object) -> str:
    with pytest.raises(InputError) as refused:
        read_qrels(write(name, text), **options)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("301 Q0 d2 2 1.5", ["found 5 columns", "topic Q0 document rank score tag"]),
        ("301 Q0 d2 2 xyz bm25", ["score 'xyz' is not a number", "topic 301", "document d2"]),
        ("301 Q0 d2 2 nan bm25", ["score 'nan' is NaN"]),
        ("301 Q0 d2 2 -inf bm25", ["score '-inf' is infinite"]),
        ("301 Q0 d2 2 1e999 bm25", ["score '1e999' is infinite"]),
        ("301 Q0 d1 2 1 bm25", ["'d1'", "line 1"]),
        ("301 Q0 d2 2 1 other", ["'other'", "'bm25'", "line 1"]),
        ("301 0 d2 1", ["this looks like qrels"]),
        ("301 Q0 d\x00 2 1 bm25", ["control byte", "not a text file"]),
    ],
)
def test_a_bad_line_of_a_run_is_named(line: str, said: list[str]) -> None:
    message = refusal_of_run("301 Q0 d1 1 2 bm25\n" + line + "\n")
    assert message.startswith("run.txt:2: ")
    for words in said:
        assert words in message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("301 0 d2", ["found 3 columns", "topic iteration document grade"]),
        ("301 0 d2 good", ["grade 'good' is not a number", "document d2"]),
        ("301 0 d2 NaN", ["grade 'NaN' is NaN"]),
        ("301 0 d2 inf", ["grade 'inf' is infinite"]),
        ("301 0 d1 0", ["'d1'", "line 1"]),
        ("301 Q0 d2 2 1.5 bm25", ["this looks like a run"]),
        ("301 0 d\x00 1", ["control byte", "not a text file"]),
    ],
)
def test_a_bad_line_of_judgments_is_named(line: str, said: list[str]) -> None:
    message = refusal_of_qrels("301 0 d1 2\n" + line + "\n")
    assert message.startswith("qrels.txt:2: ")
    for words in said:
        assert words in message


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing but a comment\n"])
def test_an_empty_file_is_an_error(text: str) -> None:
    assert refusal_of_run(text).startswith("run.txt:1: the file ")
    assert refusal_of_qrels(text).startswith("qrels.txt:1: the file ")


def test_a_binary_file_is_an_error() -> None:
    image = b"\x89PNG\r\n\x1a\n" + np.random.default_rng(1).bytes(500)
    assert refusal_of_run(image).startswith("run.txt:1: ")
    assert refusal_of_qrels(image).startswith("qrels.txt:1: ")


def test_text_in_utf16_is_an_error_that_says_so() -> None:
    assert "UTF-16" in refusal_of_run(RUN.encode("utf-16"))
    assert "UTF-16" in refusal_of_qrels(QRELS.encode("utf-16"))


def test_an_error_in_a_packed_file_names_the_line_of_its_text() -> None:
    packed = gzip.compress((RUN + "303 Q0 d 1 none bm25\n").encode())
    assert refusal_of_run(packed, "run.gz").startswith("run.gz:4: score 'none'")


def test_a_truncated_packed_run_is_an_error() -> None:
    packed = gzip.compress(RUN.encode())
    assert "run.gz: the gzip data end too early" in refusal_of_run(packed[:-9], "run.gz")


def test_a_missing_run_is_an_error() -> None:
    with pytest.raises(InputError, match=r"^none\.txt: no such file$"):
        read_run("none.txt")


def test_a_single_line_of_many_megabytes_is_a_short_error() -> None:
    assert len(refusal_of_run(b"301 Q0 " + b"x" * 30_000_000)) < 300
    assert len(refusal_of_qrels(b"y" * 30_000_000)) < 300
