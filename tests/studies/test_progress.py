"""progress=True: a bar on stderr; a function is called as before."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import gradeval

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def scores() -> gradeval.Scores:
    runs = [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak", "cedar")]
    return gradeval.evaluate(EXAMPLES / "qrels.txt", runs, "AP nDCG@10")


def test_true_shows_a_bar_and_changes_no_result(scores: gradeval.Scores, capfd: pytest.CaptureFixture[str]) -> None:
    shown = gradeval.correlate(scores, samples=20, progress=True)  # type: ignore[arg-type]
    assert "correlate" in capfd.readouterr().err
    silent = gradeval.correlate(scores, samples=20, progress=False)  # type: ignore[arg-type]
    assert capfd.readouterr().err == ""
    np.testing.assert_array_equal(shown.values, silent.values)


def test_a_function_is_told(scores: gradeval.Scores) -> None:
    told: list[tuple[int, int]] = []
    gradeval.correlate(scores, samples=20, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (20, 20)


def test_every_study_that_reports_progress_takes_true() -> None:
    public = [getattr(gradeval, name) for name in gradeval.__all__]
    studies = [one for one in public if inspect.isfunction(one) and one.__module__.startswith("gradeval.studies")]
    reporting = [one for one in studies if "progress" in inspect.signature(one).parameters]
    assert {"compare", "robustness", "rank_sets", "curve"} <= {study.__name__ for study in reporting}
    assert [study.__name__ for study in reporting if not hasattr(study, "__wrapped__")] == []
