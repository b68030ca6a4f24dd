"""The numbers of which the page computes measures, against what Python computes of them."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

from gradeval import evaluate, judge, parse_measure
from gradeval.page.live import choose_runs, live_data
from gradeval.studies.grade_weights import grade_weights

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = sorted((EXAMPLES / "runs").iterdir())[:3]


@pytest.mark.parametrize("spelling", ["GAP", "nDCG@10"])
def test_a_mean_is_that_of_the_numbers_in_the_page(spelling: str) -> None:
    form = grade_weights(judge(EXAMPLES / "qrels.txt", RUNS), parse_measure(spelling))
    assert form is not None
    data = live_data([form])
    (made,) = data["forms"]
    over, base = (np.frombuffer(b64decode(data["arrays"][made[name]]), "<f8") for name in ("over", "base"))
    np.testing.assert_array_equal(over, form.over.ravel())
    np.testing.assert_array_equal(base, form.base.ravel())
    assert (data["runs"], data["topics"]) == (form.runs, len(form.topics))
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, spelling)
    assert form.mean(np.array(made["weights"])) == pytest.approx(scores.mean()[:, 0])


def test_of_many_runs_the_best_are_kept_and_two_always(monkeypatch: pytest.MonkeyPatch) -> None:
    form = grade_weights(judge(EXAMPLES / "qrels.txt", RUNS), parse_measure("GAP"))
    assert form is not None
    assert choose_runs([form], [2, 0, 1]) == [2, 0, 1]
    monkeypatch.setattr("gradeval.page.live.MOST_BYTES", 1)
    assert choose_runs([form], [2, 0, 1]) == [2, 0]
