"""Pictures of results: one file a family of results, found by ``plot()``; they show, and never compute."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

Draw = TypeVar("Draw", bound=Callable[..., Any])

FAMILIES = "runs differences correlation measures informativeness users judges collection learning slices".split()
"""The files of charts, each named by its family: ``runs_charts.py`` draws runs."""
DRAWN: dict[str, Callable[..., Any]] = {}


def chart(draw: Draw) -> Draw:
    """Declare a function the chart of the type of its first parameter; the others are options of ``gradeval.plot``."""
    DRAWN[next(iter(draw.__annotations__.values()))] = draw  # a name: the types themselves are not imported
    return draw


def list_charts() -> dict[str, Callable[..., Any]]:
    """By the name of each type of result the function that draws it."""
    for family in FAMILIES:
        import_module(f"{__name__}.{family}_charts")
    return DRAWN
