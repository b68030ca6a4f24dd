"""Lower rooms ask, and the package answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from gradeval import AP, Scores, evaluate, upward

ASKED: list[tuple[Any, ...]] = []


@pytest.fixture
def answers() -> Iterator[None]:
    """Answers that say what they were asked, in the place of those of the package."""
    kept = dict(upward._answers)
    ASKED.clear()
    upward.answer_by(
        import_measures=lambda: ASKED.append(("measures",)),
        plot=lambda result, **options: (result, options),
        page_of=lambda result, table: f"page of {type(result).__name__} with {len(table.grids)} grid",
        chart_page=lambda chart: f"page of {sorted(chart)}",
        about_sliced_pair=lambda scores: [f"slices of {len(scores.runs)} run"],
    )
    yield
    upward.answer_by(**kept)


@pytest.mark.usefixtures("answers")
def test_each_question_goes_to_who_answers_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    scores = evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}}, AP)
    assert scores.plot(alpha=0.1) == (scores, {"alpha": 0.1})
    scores.save("-", format="html")
    assert capfdbinary.readouterr().out == b"page of Scores with 1 grid"
    assert upward.write_chart_page({"mark": "bar"}) == "page of ['mark']"
    assert upward.about_sliced_pair(scores) == ["slices of 1 run"]
    upward.import_measures()
    assert ASKED == [("measures",)]
    assert isinstance(scores, Scores)


def test_the_register_of_measures_is_filled_whatever_was_imported_first() -> None:
    code = "from gradeval.formula.definition import REGISTRY; print('nDCG' in REGISTRY)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "True\n"
