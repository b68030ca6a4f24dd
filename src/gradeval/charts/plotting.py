"""plot(): the chart of a result, whatever its type."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from os import PathLike, fspath
from typing import Any

from gradeval._core import InputError
from gradeval.arguments import known_arguments, require_known
from gradeval.atomic_files import whole_file
from gradeval.charts import list_charts
from gradeval.charts.rendering import render, require_ending, require_packages
from gradeval.messages import kind_of

ELSEWHERE = {
    "kind": "each result has one chart",
    "title": "set it by plot().altair.properties(title=...)",
    "measure": "select first, as in scores.sel(measures='AP').plot()",
    "measures": "select first, as in scores.sel(measures='AP').plot()",
    "runs": "select first, as in scores.sel(runs=['A', 'B']).plot()",
}
"""Words that ``plot`` does not take, and what to do instead."""


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart that shows itself in a notebook, and saves itself.

    Attributes
    ----------
    altair : the chart of Altair, to be changed or put with others.
    """

    altair: Any

    def _repr_svg_(self) -> str:
        return render(self.altair, ".svg").decode()

    def __repr__(self) -> str:
        return "Chart(), which a notebook shows; save('chart.svg') writes it"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the chart to a .png, .svg, .pdf or .html, whole or not at all."""
        place = fspath(path)
        require_ending(place, place)
        picture = render(self.altair, place)
        with whole_file(place) as file:
            file.write(picture)


def _name_file(file: Any) -> str:
    """A file as it is typed in Python."""
    return repr(fspath(file)) if isinstance(file, str | PathLike) else "'chart.svg'"


@known_arguments()
def plot(result: Any, *file: Any, **options: Any) -> Chart:
    """The chart of a result: scores, or what a study, training or cross-validation returned.

    ``options`` go to the chart, such as ``alpha`` and ``seed`` of the intervals of scores.

    Raises
    ------
    InputError : a result that has no chart; a file, which ``save`` takes; a package that is missing.
    """
    if file:
        raise InputError(f"plot: takes no file; save the chart: .plot().save({_name_file(file[0])})")
    charts = list_charts()
    draw = next((charts[kind.__name__] for kind in type(result).__mro__ if kind.__name__ in charts), None)
    if draw is None:
        raise InputError(f"plot: {kind_of(result)} has no chart; those that have: {', '.join(charts)}")
    require_packages("plot")
    require_known("plot", options, [*signature(draw).parameters][1:], ELSEWHERE)
    return Chart(draw(result, **options))
