"""Pairs of measures with the intervals of their differences."""

from __future__ import annotations

from typing import Any

from gradeval.display.certainty.panels import interval_panel
from gradeval.formula.brief_names import name_briefly
from gradeval.studies.differences import Differences


def differences_chart(differences: Differences) -> Any:
    """A panel a column of the table; in colour the pairs whose interval leaves out 0."""
    import altair

    grades = differences.thresholds or ()
    titles = [f"from grade {grade:g}" for grade in grades] or [""]
    panels = [_panel(differences, column, title) for column, title in enumerate(titles)]
    subtitle = f"{differences.description}; in colour: the interval leaves out 0"
    return altair.hconcat(*panels).properties(
        title=altair.Title("Differences between measures", subtitle=subtitle, anchor="start")
    )


def _panel(differences: Differences, column: int, title: str) -> Any:
    names = name_briefly(differences.measures)
    records = []
    for pair, (first, second) in enumerate(differences.pairs.tolist()):
        low, high = differences.interval[pair, column].tolist()
        records.append(
            {
                "pair": f"{names[first]} - {names[second]}",
                "difference": float(differences.difference[pair, column]),
                "low": low,
                "high": high,
                "sure": low > 0 or high < 0,
            }
        )
    return interval_panel(records, title, f"difference of {differences.statistic}", "sure")
