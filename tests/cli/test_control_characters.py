"""Names that would move the cursor or turn the direction of writing never reach a terminal as they are."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from .conftest import Gradeval

TAG = "\u202eevil\u009b31m\u2066"  # a text file holds no byte below 32
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path: Path) -> list[Path]:
    """Judgments and two runs: one that lacks a topic and has one too many, both with the same tag."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("t1 0 a 1\nt\u202e2 0 a 1\nt3 0 a 1\n", encoding="utf-8")
    paths = [qrels]
    for name in ("one.run", "two\u2028.run" if os.name == "posix" else "two.run"):
        paths.append(tmp_path / name)
        lines = [f"{topic} Q0 a 1 1 {TAG}" for topic in ("t1", "t\u202e9")]
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate"],
        ["evaluate", "-q", "--format", "tsv"],
        ["evaluate", "-q", "--format", "markdown"],
        ["evaluate", "--format", "latex", "--names", "file"],
        ["check"],
        ["compare", "-m", "AP", "--test", "sign"],
    ],
)
def test_no_output_holds_a_control_character(gradeval: Gradeval, hostile: list[Path], command: list[str]) -> None:
    result = gradeval(command[0], *hostile, *command[1:])
    assert result.exit_code == 0, result.stderr
    assert not FORBIDDEN.search(result.stdout)
    assert not FORBIDDEN.search(result.stderr)
    assert "u202" in result.stdout


def test_no_error_holds_a_control_character(gradeval: Gradeval, hostile: list[Path]) -> None:
    result = gradeval("evaluate", hostile[0], "\x1b[2J.run")
    assert result.exit_code == 2
    assert "\\x1b[2J.run" in result.stderr
    assert not FORBIDDEN.search(result.stderr)
