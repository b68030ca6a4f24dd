"""What human topics are worth with the help of a model: the columns of tables that tell it, and what is told beside."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.scores.notes import list_some
from gradeval.studies.assisted.estimator import Estimates
from gradeval.tables.grid import Cell, Column

WORTH = (Column("correlation", spec=".3f"), Column("worth", spec=".1f"), Column("limit", spec=".1f"))
"""The columns of ``cells_of_worth``."""
ABOUT_WORTH = (
    "worth: how many topics with human grades alone have the same variance; limit: if the model graded infinitely many"
)


def cells_of_worth(estimates: Estimates, at: tuple[int, int]) -> list[Cell]:
    """The correlation and what the human topics are worth; None where that is undefined."""
    return [None if value is None else float(value) for value in values_of_worth(estimates, at)]


def values_of_worth(estimates: Estimates, at: tuple[int, int]) -> list[float | None]:
    """The correlation, and in topics what the human ones are worth; None where that is undefined."""
    values = [float(each[at]) for each in (estimates.correlation, estimates.worth, estimates.limit)]
    return [value if np.isfinite(value) else None for value in values]


def about_constants(flat: Array, correlation: Array, measures: list[Measure]) -> Iterator[str]:
    """How many estimates, [..., measure], are of the human topics alone, as too few values differ to learn anything."""
    useless = (flat & np.isnan(correlation)).reshape(-1, len(measures))
    number = int(useless.sum())
    if number:
        some = [str(measure) for place, measure in enumerate(measures) if useless[:, place].any()]
        yield (
            f"{number} of {useless.size} estimates are of the human topics alone, as too few human or model values "
            f"differ among them ({list_some(some)})"
        )
