from __future__ import annotations

import io
import sys
import threading
from pathlib import Path

import pytest

from gradeval import InputError, Scores, evaluate, progress, read_qrels, read_run
from gradeval.cli.notices import notes_instead_of_warnings
from gradeval.formula.spelling import parse_measures
from gradeval.scores import evaluation

MEASURES = parse_measures("AP nDCG")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(files: list[Path], patience: float, stderr: io.StringIO) -> Scores:
    """Scores of runs that are scored one at a time, and what stderr saw of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setattr(evaluation, "PORTION", 1)
        patch.setattr(progress, "PATIENCE", patience)
        patch.setattr(sys, "stderr", stderr)
        runs = [read_run(path) for path in files[1:]]
        with progress.show_progress("scoring", "runs") as tell, notes_instead_of_warnings():
            return evaluate(read_qrels(files[0]), runs, MEASURES, missing="skip", progress=tell)


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


def test_runs_on_other_topics_may_fill_a_portion(files: list[Path], tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("x1 Q0 d1 1 3.0 foreign\n")
    scores = watched([*files[:2], foreign, files[2]], 1e9, Terminal())
    assert scores.runs == ["good", "foreign", "bad"]
    assert scores.values[1].sum() == 0
    another = tmp_path / "another.txt"
    another.write_text("x1 Q0 d1 1 3.0 another\n")
    with pytest.raises(InputError, match="no run has a topic of"):
        watched([files[0], foreign, another], 1e9, Terminal())


class Bar:
    """Notes what a progress bar is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def add_task(self, what: str, *, completed: int, total: int) -> str:
        assert (completed, total) == (1, 3)
        return what

    def update(self, _: str, *, description: str, completed: int, total: int) -> None:
        assert description == ("two of them" if completed == 2 else "working")
        self.told.append((completed, total))


@pytest.mark.parametrize(
    ("patience", "terminal", "told"), [(-1.0, True, [(1, 3), (2, 3), (3, 3)]), (60.0, True, []), (-1.0, False, [])]
)
def test_a_bar_appears_where_it_takes_long_and_somebody_looks(
    monkeypatch: pytest.MonkeyPatch, patience: float, terminal: bool, told: list[tuple[int, int]]
) -> None:
    bar = Bar()
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(progress, "_bars", lambda *_, **__: bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with progress.show_progress("working") as told_to:
        for done in (1, 2, 3):
            told_to(done, 3, "two of them" if done == 2 else "")
    assert bar.told == told


class First(Bar):
    """Notes when it appears."""

    def __init__(self) -> None:
        super().__init__()
        self.appeared = threading.Event()

    def add_task(self, what: str, *, completed: int, total: int) -> str:
        assert (what, completed, total) == ("working", 0, 3)
        self.appeared.set()
        return what


def test_where_the_total_is_known_a_bar_waits_for_no_piece_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = [First(), First()]
    monkeypatch.setattr(progress, "_bars", lambda *_, **__: bars[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with progress.show_progress("working", total=3) as told_to:
        assert bars[0].appeared.wait(30)
        told_to(3, 3)
    assert bars[0].told == [(3, 3)]
    monkeypatch.setattr(progress, "_bars", lambda *_, **__: bars[1])
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with progress.show_progress("working", total=3) as told_to:
        told_to(3, 3)
    assert not bars[1].appeared.is_set()
