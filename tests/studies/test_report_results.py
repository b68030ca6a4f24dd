"""What a report holds beside its studies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gradeval.formula.spelling import parse_measure
from gradeval.studies.report_results import Overview


@pytest.mark.parametrize(
    ("measure", "levels", "grade"),
    [
        ("GAP", (0, 1, 2), 1),
        ("GAP", (0, 1 / 3, 1, 2), 1),  # means of raters: AP and others begin at 1
        ("GAP", (0, 0.2, 1.5), 1.5),
        ("GAP", (0, 0.2, 0.8), 0.2),
        ("GAP", (0, 2, 4), 2),
        ("GAP", None, 1),
        ("AP(rel=2)", (0, 1, 2), 2),
    ],
)
def test_one_grade_is_where_relevance_begins(measure: str, levels: tuple[float, ...] | None, grade: float) -> None:
    overview: Any = SimpleNamespace(measure=parse_measure(measure), scores=SimpleNamespace(levels=levels))
    assert Overview.relevant_from.fget(overview) == grade
