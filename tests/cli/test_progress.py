from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from gradeval import Scores, evaluate, read_qrels, read_run
from gradeval.cli import progress
from gradeval.notation import parse_measures

MEASURES = parse_measures("AP nDCG")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(files: list[Path], patience: float, stderr: io.StringIO) -> Scores:
    """Scores of runs that are scored one at a time, and what stderr saw of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setattr(progress, "PORTION", 1)
        patch.setattr(progress, "PATIENCE", patience)
        patch.setattr(sys, "stderr", stderr)
        runs = [read_run(path) for path in files[1:]]
        return progress.evaluate_watched(read_qrels(files[0]), runs, MEASURES, missing="skip")


def test_long_work_shows_a_bar_and_gives_the_same_scores(files: list[Path]) -> None:
    terminal = Terminal()
    scores = watched(files, -1, terminal)
    assert "scoring" in terminal.getvalue()
    assert "2/2" in terminal.getvalue()
    whole = evaluate(read_qrels(files[0]), [read_run(path) for path in files[1:]], MEASURES, missing="skip")
    assert (scores.values == whole.values).all()
    assert (scores.mean() == whole.mean()).all()


def test_short_work_shows_nothing(files: list[Path]) -> None:
    terminal = Terminal()
    watched(files, 1e9, terminal)
    assert terminal.getvalue() == ""


def test_nobody_looking_means_no_bar(files: list[Path]) -> None:
    pipe = io.StringIO()
    watched(files, -1, pipe)
    assert pipe.getvalue() == ""
