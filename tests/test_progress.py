"""Progress: a bar of commands where it takes long and somebody looks; progress=True shows one, a function is called."""

from __future__ import annotations

import inspect
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradeval
from gradeval import progress
from gradeval.studies.study import Study

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("patience", "total", "stream", "shown"),
    [
        (0.0, None, Terminal, ["working", "3/3", "pieces"]),
        (1e9, None, Terminal, []),
        (1e9, 3, Terminal, ["working", "3/3"]),  # where the total is known, it waits for no piece of the work
        (0.0, None, io.StringIO, []),
    ],
)
def test_a_bar_appears_where_it_takes_long_and_somebody_looks(
    monkeypatch: pytest.MonkeyPatch, patience: float, total: int | None, stream: type[io.StringIO], shown: list[str]
) -> None:
    stderr = stream()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", stderr)
    with progress.show_progress("working", "pieces", total) as tell:
        for done in (1, 2, 3):
            tell(done, 3, "two of them" if done == 2 else "")
    text = stderr.getvalue()
    assert [words for words in shown if words not in text] == []
    assert bool(text) == bool(shown)


@pytest.fixture(scope="module")
def scores() -> gradeval.Scores:
    runs = [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak", "cedar")]
    return gradeval.evaluate(EXAMPLES / "qrels.txt", runs, "AP nDCG@10")


def test_true_shows_a_bar_and_changes_no_result(scores: gradeval.Scores, capfd: pytest.CaptureFixture[str]) -> None:
    shown = gradeval.correlate(scores, samples=20, progress=True)
    assert "correlate" in capfd.readouterr().err
    silent = gradeval.correlate(scores, samples=20, progress=False)
    assert capfd.readouterr().err == ""
    np.testing.assert_array_equal(shown.values, silent.values)


def test_a_report_takes_true_and_a_function(scores: gradeval.Scores, capfd: pytest.CaptureFixture[str]) -> None:
    gradeval.report(scores, studies="discriminate", progress=True)
    assert "report" in capfd.readouterr().err
    told: list[tuple[Any, ...]] = []
    gradeval.report(scores, studies="discriminate", progress=lambda *done: told.append(done))
    assert len({words for done in told for words in done[2:]}) > 1


def test_every_study_that_reports_progress_takes_true() -> None:
    public = [getattr(gradeval, name) for name in gradeval.__all__]
    studies = [
        one
        for one in public
        if (inspect.isfunction(one) or isinstance(one, Study)) and one.__module__.startswith("gradeval.studies")
    ]
    reporting = [one for one in studies if "progress" in inspect.signature(one).parameters]
    assert {"correlate", "inform"} <= {study.__name__ for study in reporting}
    assert [study.__name__ for study in reporting if not hasattr(study, "__wrapped__")] == []


def test_evaluation_tells_how_many_runs_are_scored(
    scores: gradeval.Scores, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradeval.scores.evaluation.PORTION", 1)
    runs = [EXAMPLES / "runs" / f"{name}.txt" for name in scores.runs]
    told: list[tuple[int, int]] = []
    again = gradeval.evaluate(
        EXAMPLES / "qrels.txt", runs, "AP nDCG@10", progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 3), (2, 3), (3, 3)]
    np.testing.assert_array_equal(again.values, scores.values)
    assert capfd.readouterr().err == ""
    gradeval.evaluate(EXAMPLES / "qrels.txt", runs, "AP", progress=True)
    assert "evaluate" in capfd.readouterr().err


@pytest.mark.parametrize("wrong", [1, "yes", 0])
def test_other_values_are_refused(scores: gradeval.Scores, wrong: Any) -> None:
    with pytest.raises(gradeval.InputError, match=r"progress=.*: accepted are True, False, or a function"):
        gradeval.correlate(scores, samples=20, progress=wrong)
