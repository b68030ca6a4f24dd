"""All texts have one syntax of numbers: that of TREC text."""

from __future__ import annotations

import json
import logging
import math
import random
import re
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import InputError, read_qrels, read_run, read_scores
from gradeval.compat.trec_eval import read_reference
from gradeval.compat.trec_eval_judges import read_judges
from gradeval.files.plain_text import read_decimal
from gradeval.files.trec import is_trec

NO_NUMBERS = ["1_0", "\u0663", "0x10", "inf", "nan", "1e999", "", "-", ".", "1 0", "\uff11"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_is_none_anywhere(tmp_path: Path, text: str) -> None:
    assert math.isnan(read_decimal(text))
    place = tmp_path / "q.csv"
    place.write_text(f"query,doc,grade\nt,d,1\nt,e,{text}\n", encoding="utf-8")
    if text:
        with pytest.raises(InputError, match=r"q\.csv:3"):
            read_qrels(place)
    else:  # what nobody filled in is not judged, and that is said
        assert read_qrels(place).to_dict() == {"t": {"d": 1}}
        assert "1 without a grade is unjudged" in read_qrels(place).read_as
    place = tmp_path / "s.tsv"
    place.write_text(f"run\ttopic\tmeasure\tvalue\nr\tt\tAP\t{text}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"s\.tsv:2"):
        read_scores(place)


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1), ("+2", 2), (".5", 0.5), ("3.", 3), ("-1e-2", -0.01), ("1E2", 100)]
)
def test_numbers_are_read(text: str, value: float) -> None:
    assert read_decimal(text) == value


def test_true_is_no_score(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps({"run": "r", "topic": "t", "measure": "AP", "value": True}) + "\n")
    with pytest.raises(InputError, match="True"):
        read_scores(tmp_path / "s.jsonl")
    (tmp_path / "r.json").write_text('{"t": {"d": true}}')
    with pytest.raises(InputError, match="True"):
        read_run(tmp_path / "r.json")
    (tmp_path / "r.jsonl").write_text('{"query": "t", "doc": "d", "score": true}\n')
    with pytest.raises(InputError, match="True"):
        read_run(tmp_path / "r.jsonl")


def test_a_long_comment_before_a_run_does_not_change_how_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("# " + "x" * 20_000 + "\nt Q0 d 1 2.5 oak\n")
    assert is_trec((tmp_path / "r.txt").read_bytes(), "run")
    assert read_run(tmp_path / "r.txt").name == "oak"


def test_zeros_are_not_called_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "z").write_bytes(b"\0" * 100)
    error = said_of(lambda: read_run(tmp_path / "z"))
    assert "UTF-16" not in error


def test_errors_hold_no_control_characters(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name = "ta\x7fg\u202e\x1b[31m"
    error = said_of(lambda: read_run(tmp_path / name))
    assert error.isprintable()
    (tmp_path / "r.txt").write_text(f"t Q0 d 1 2 oak\nt Q0 e 2 1 {name}\n")
    other = said_of(lambda: read_run(tmp_path / "r.txt").to_dict())
    assert other.isprintable()
    logging.getLogger("caller").error("%s", InputError("a\nb\0"))
    assert caplog.messages == ["a\\nb\\x00"]


@pytest.mark.parametrize("inside", ["\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2028", "\u3000", "\r"])
def test_only_a_newline_ends_a_line_and_only_blanks_and_tabs_end_a_column(tmp_path: Path, inside: str) -> None:
    name, last = f"a{inside}b", "\r\n \t\r\n"
    (tmp_path / "judges").write_bytes(f"q 1\t{name} 2{last}".encode())
    assert read_judges(tmp_path / "judges") == {"q": {"1": {name: 2.0}}}
    (tmp_path / "moments").write_bytes(f"{name}  map\t0.5 0.1{last}".encode())
    assert read_reference(tmp_path / "moments") == {(name, "map"): (0.5, 0.1)}


def test_a_number_is_what_a_plain_pattern_says() -> None:
    """Against the definition: one pattern for texts without the blanks around them, and no infinite values."""
    pattern = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
    draw = random.Random(1)
    for _ in range(20_000):
        text = "".join(draw.choice("0123456789.+-eE_ \t\n\x0b\x0c\x1c\u0661naif") for _ in range(draw.randrange(6)))
        wanted = float(text) if pattern.fullmatch(text.strip(" \t\r\n")) else math.nan
        read = read_decimal(text)
        assert read == wanted or (math.isnan(read) and not math.isfinite(wanted)), repr(text)
