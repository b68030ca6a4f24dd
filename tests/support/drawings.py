"""What a picture says: its words, and the records that it draws."""

from __future__ import annotations

import json
from typing import Any

from gradeval.charts.rendering import render


def texts(chart: Any) -> str:
    """All that a chart says, as an SVG."""
    return render(chart, "chart.svg").decode()


def data(chart: Any) -> list[dict[str, Any]]:
    """All records of a chart."""
    records: list[dict[str, Any]] = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            records.extend(part["values"] if isinstance(part.get("values"), list) and "name" not in part else [])
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(json.loads(json.dumps(chart.to_dict())))
    return [record for record in records if isinstance(record, dict)]
