"""Pictures of slices: a picture of all topics, and below it the same for each slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradeval.charts import chart
from gradeval.charts.rendering import stack_slices
from gradeval.upward import plot_result

if TYPE_CHECKING:
    from gradeval.studies.result import SlicedResult


@chart
def slices_chart(result: SlicedResult, **options: Any) -> Any:
    """The chart of the study, of all topics and of each slice that has a result; ``options``: what the chart takes."""
    parts = [(str(one.slice), len(one.slice.topics), one.result) for one in result.slices if one.result is not None]
    return stack_slices(
        plot_result(result.whole, options).altair,
        [(f"{name} ({topics} {result.unit})", plot_result(part, options).altair) for name, topics, part in parts],
    )
