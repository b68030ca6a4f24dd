"""What the report says of the measures: the headline names a winner only where the body does not take it back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import report
from gradeval.page.sections.measures_section import _answer_which_measures, _best_shown
from gradeval.studies.report_results import Criterion

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
TIES = Criterion("ties", "ties fewest runs", np.zeros(3), np.zeros((3, 2)), False, ".1%")


def criterion(merit: str, values: list[float], half: float) -> Criterion:
    centre = np.array(values)
    return Criterion(merit, merit, centre, np.stack([centre - half, centre + half], axis=-1), True, ".2f")


def said(*criteria: Criterion) -> str:
    overview: Any = SimpleNamespace(scores=SimpleNamespace(measures=["AP", "GAP", "P@1"]))
    return _answer_which_measures(overview, [*criteria, TIES])


def test_a_measure_is_said_to_be_ahead_where_no_interval_says_otherwise() -> None:
    clear, close = criterion("shines", [0.9, 0.5, 0.1], 0.1), criterion("glows", [0.9, 0.88, 0.1], 0.1)
    assert said(clear) == "AP shines."
    assert said(clear, close) == "AP shines; these topics do not tell which measure glows."
    dim = criterion("gleams", [0.1, 0.1, 0.1], 0.1)
    assert said(clear, close, dim) == "AP shines; these topics do not tell which measure glows, nor which gleams."


def test_where_no_measure_is_ahead_those_behind_are_named() -> None:
    close, dim = criterion("glows", [0.9, 0.88, 0.1], 0.1), criterion("gleams", [0.1, 0.1, 0.1], 0.1)
    assert said(dim) == "These topics cannot tell the measures apart."
    assert said(close, dim) == "These topics cannot tell the measures apart, except: P@1 (glows)."


@pytest.mark.parametrize("runs", [5, 12])
def test_the_details_never_take_back_the_headline(runs: int) -> None:
    files = sorted((EXAMPLES / "runs").iterdir())[:runs]
    made = report(EXAMPLES / "qrels.txt", files, "AP nDCG P@1", studies="discriminate,robustness", seed=1)
    section = next(section for section in made.sections if section.name == "measures")
    for merit, name in (
        ("tells most pairs of runs apart", "pairs told apart at 0.05"),
        ("keeps the order of the runs with fewest judgments", "judgments at which tau < 0.9"),
    ):
        taken_back = any(detail.startswith(f"{name}: these topics do not separate") for detail in section.details)
        headline, _, left_open = section.answer.partition("these topics do not tell which measure")
        assert (merit in headline) != taken_back
        assert not left_open or (merit in left_open) == taken_back


def test_the_best_values_are_marked_alike_and_none_where_all_are_equal() -> None:
    def best(*values: float) -> list[int]:
        return _best_shown(criterion("shines", list(values), 0.1))

    assert best(0.5, 0.9, 0.9) == [1, 2]
    assert best(0.5, np.nan, 0.4) == [0]
    assert best(0.9, 0.9, 0.9) == []
    assert best(0.901, 0.9, 0.2) == [0, 1]  # shown alike
