"""What lower rooms ask of higher ones, as results ask for charts: the package itself answers.

``gradeval/__init__.py`` stands above all rooms. It says here who answers, and imports that only when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Answers(NamedTuple):
    """Who answers what lower rooms ask.

    Attributes
    ----------
    import_measures : imports the measures, which then stand in the register.
    plot : draws the chart of a result: see ``gradeval.plot``.
    page_of : writes the page of a result and its table.
    chart_page : writes the page of a chart by its specification.
    """

    import_measures: Callable[[], None]
    plot: Callable[..., Any]
    page_of: Callable[[Any, Any], str]
    chart_page: Callable[[Mapping[str, Any]], str]


_answers: list[Answers] = []


def answer_by(answers: Answers) -> None:
    """Say who answers; the package does so when it is imported."""
    _answers[:] = [answers]


def import_measures() -> None:
    """Import the measures, which register themselves."""
    _answers[0].import_measures()


def plot_result(result: Any, options: Mapping[str, Any]) -> Any:
    """The chart of a result, whatever its type."""
    return _answers[0].plot(result, **options)


def write_result_page(result: Any, table: Any) -> str:
    """The page of a result: its table, its notes and, where it has one, its chart."""
    return _answers[0].page_of(result, table)


def write_chart_page(chart: Mapping[str, Any]) -> str:
    """A page with one chart, by its specification."""
    return _answers[0].chart_page(chart)
