"""Sakai's eight tables: four of Q-measure, four of R-measure, each by language and then on average."""

from __future__ import annotations

import pytest

from gradeval import JudgedRankings
from gradeval.formula.spelling import parse_measures
from gradeval.papers.texts.sakai05 import ITEMS

TABLES = [item for item in ITEMS if item.name.startswith("table")]


@pytest.mark.parametrize(("place", "measure"), [(0, "Q"), (4, "RMeasure")])
def test_four_tables_are_of_a_measure_the_last_on_average(place: int, measure: str) -> None:
    four = TABLES[place : place + 4]
    assert [item.name for item in four] == [f"table{place + number}" for number in range(1, 5)]
    assert [item.settings["tables"] for item in four] == [measure] * 4
    for item, language in zip(four, "CJE", strict=False):
        assert f"{language}-runs" in item.question
        assert f"{language}-runs" in item.originals
    assert "on average" in four[3].question


def test_the_figures_compare_relaxed_and_rigid_ap() -> None:
    figures = next(item for item in ITEMS if item.name == "figures")
    relaxed, rigid, *_ = parse_measures(str(figures.settings["measures"]))
    partly_relevant = JudgedRankings.of([1, 2], pool=[0, 1, 1, 0])
    assert relaxed(partly_relevant).item() == (1 / 1 + 2 / 2) / 2
    assert rigid(partly_relevant).item() == (1 / 2) / 1
