"""Pictures of results: one file a type of result, found by ``plot()``; they show, and never compute."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

Draw = TypeVar("Draw", bound=Callable[..., Any])

CHART = r"(?m)^@chart\ndef (\w+)\(\s*\w+: (\w+)"


def chart(draw: Draw) -> Draw:
    """Declare a function the chart of the type of its first parameter; the others are options of ``gradeval.plot``."""
    return draw


def list_charts() -> dict[str, tuple[str, str]]:
    """By the name of each type of result the module and the function that draw it; nothing is imported for it."""
    from pathlib import Path  # commands that draw nothing need none

    charts = {}
    for path in sorted(Path(__file__).parent.glob("*_chart.py")):
        for name, kind in re.findall(CHART, path.read_text(encoding="utf-8")):
            charts[kind] = (f"{__name__}.{path.stem}", name)
    return charts
