"""Pairs of runs with the intervals of their differences, and the margins within which they are equivalent."""

from __future__ import annotations

from typing import Any

from gradeval.display.certainty.panels import interval_panel
from gradeval.studies.certainty.equivalent_runs import Equivalence

MOST = 60
"""Pairs of a panel: the closest ones."""


def equivalence_chart(equivalence: Equivalence) -> Any:
    """A panel a measure; in colour the pairs that are shown to be equivalent."""
    import altair

    panels = [_panel(equivalence, measure) for measure in range(len(equivalence.measures))]
    number = len(equivalence.pairs)
    left_out = f"; the {MOST} closest of {number} pairs" if number > MOST else ""
    subtitle = (
        f"lines: margins of {equivalence.margin:g}; in colour: shown to be equivalent at {equivalence.alpha:g}, "
        f"correction {equivalence.correction}; intervals of {1 - 2 * equivalence.alpha:.4g}{left_out}"
    )
    return altair.hconcat(*panels).properties(
        title=altair.Title("Which runs are equally good?", subtitle=subtitle, anchor="start")
    )


def _panel(equivalence: Equivalence, measure: int) -> Any:
    closest = abs(equivalence.difference[measure]).argsort(kind="stable")[:MOST].tolist()
    alone = len(equivalence.baselines) == 1
    records = []
    for pair in closest:
        first, second = equivalence.pairs[pair].tolist()
        name = equivalence.runs[first] if alone else f"{equivalence.runs[first]} - {equivalence.runs[second]}"
        low, high = equivalence.interval[measure, pair].tolist()
        records.append(
            {
                "pair": name,
                "difference": float(equivalence.difference[measure, pair]),
                "low": low,
                "high": high,
                "equivalent": bool(equivalence.equivalent[measure, pair]),
            }
        )
    minus = f" from {equivalence.baselines[0]}" if alone else ""
    across = f"difference of mean {equivalence.measures[measure]}{minus}"
    margins = (-equivalence.margin, 0.0, equivalence.margin)
    return interval_panel(records, str(equivalence.measures[measure]), across, "equivalent", margins)
