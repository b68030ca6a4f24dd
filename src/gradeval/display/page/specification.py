"""The specification of a chart: what Vega-Lite draws."""

from __future__ import annotations

import math
from typing import Any

from gradeval.checks import visible


def as_vegalite(chart: Any) -> dict[str, Any]:
    """The specification of a chart, as JSON and XML can hold it."""
    import altair

    with altair.data_transformers.enable("default", max_rows=None):
        drawing: dict[str, Any] = _printable(chart.to_dict())
    return drawing


def vegalite_version() -> str:
    """The version of Vega-Lite in which charts are specified."""
    import altair

    return ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])


def _printable(part: Any) -> Any:
    """A part of a chart as JSON and XML can hold it: names without control characters, null for NaN and infinity."""
    match part:
        case str():
            return visible(part)
        case dict():
            return {key: _printable(value) for key, value in part.items()}
        case list():
            return [_printable(value) for value in part]
        case float() if not math.isfinite(part):
            return None
        case _:
            return part
