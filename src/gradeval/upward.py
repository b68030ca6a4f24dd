"""What lower rooms ask of higher ones, as results ask for charts: the package itself answers.

``gradeval/__init__.py`` stands above all rooms. It says here who answers, and imports that only when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_answers: dict[str, Callable[..., Any]] = {}


def answer_by(**answers: Callable[..., Any]) -> None:
    """Say who answers; the package does so when it is imported.

    Parameters
    ----------
    import_measures : imports the measures, which then stand in the register.
    plot : draws the chart of a result: see ``gradeval.plot``.
    page_of : writes the page of a result and its table.
    chart_page : writes the page of a chart by its specification.
    about_sliced_pair : says on which slices of the topics one of two runs loses, or one run is better.
    slices_grid : tests whether one run is better on some slices.
    """
    _answers.update(answers)


def import_measures() -> None:
    """Import the measures, which register themselves."""
    _answers["import_measures"]()


def plot_result(result: Any, options: Mapping[str, Any], file: Sequence[Any] = ()) -> Any:
    """The chart of a result, whatever its type; ``file``: a file that was given by mistake."""
    return _answers["plot"](result, *file, **options)


def write_result_page(result: Any, table: Any) -> str:
    """The page of a result: its table, its notes and, where it has one, its chart."""
    page: str = _answers["page_of"](result, table)
    return page


def write_chart_page(chart: Mapping[str, Any]) -> str:
    """A page with one chart, by its specification."""
    page: str = _answers["chart_page"](chart)
    return page


def about_sliced_pair(scores: Any) -> list[Any]:
    """Notes on which slices of the topics one of two runs loses, or one run is better."""
    notes: list[Any] = _answers["about_sliced_pair"](scores)
    return notes


def slices_grid(scores: Any, digits: int) -> list[Any]:
    """The tests whether one run is better on some slices, as a grid; none of several runs."""
    grids: list[Any] = _answers["slices_grid"](scores, digits)
    return grids
