"""progress=True: a bar on stderr; a function is called as before."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradeval
from gradeval.studies.study import Study

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


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
