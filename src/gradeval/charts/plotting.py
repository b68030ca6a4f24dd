"""plot(): the chart of a result, whatever its type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike, fspath
from typing import Any

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.charts.rendering import render, require_ending, require_packages
from gradeval.whole import whole_file

CHARTS = "gradeval.charts"
REGISTRY: dict[str, tuple[str, str]] = {
    "Scores": (f"{CHARTS}.means_chart", "means_chart"),
    "Comparison": (f"{CHARTS}.comparison_chart", "difference_chart"),
    "JudgeComparison": (f"{CHARTS}.judges_chart", "judges_chart"),
    "RankSets": (f"{CHARTS}.ranks_chart", "ranks_chart"),
    "Correlations": (f"{CHARTS}.correlation_chart", "correlations_chart"),
    "CollectionCorrelations": (f"{CHARTS}.correlation_chart", "collections_chart"),
    "Discrimination": (f"{CHARTS}.asl_chart", "asl_chart"),
    "RunSwaps": (f"{CHARTS}.correlation_chart", "run_curves"),
    "Robustness": (f"{CHARTS}.robustness_chart", "robustness_chart"),
    "RobustnessStudies": (f"{CHARTS}.robustness_chart", "robustness_charts"),
    "Informativeness": (f"{CHARTS}.informativeness_chart", "informativeness_chart"),
    "Curves": (f"{CHARTS}.curves_chart", "curves_chart"),
    "InferredCurves": (f"{CHARTS}.inferred_curves_chart", "inferred_curves_chart"),
    "ClickedUsers": (f"{CHARTS}.clicked_users_chart", "clicked_users_chart"),
    "Swaps": (f"{CHARTS}.swaps_chart", "swaps_chart"),
    "UserStudy": (f"{CHARTS}.users_chart", "users_chart"),
    "LearningCurve": (f"{CHARTS}.learning_curves_chart", "learning_curve_chart"),
    "Description": (f"{CHARTS}.description_chart", "description_chart"),
    "Qrels": (f"{CHARTS}.description_chart", "qrels_chart"),
    "Check": (f"{CHARTS}.check_chart", "check_chart"),
    "Equivalence": (f"{CHARTS}.differences_chart", "equivalence_chart"),
    "TopicSetSize": (f"{CHARTS}.topics_needed_chart", "topics_needed_chart"),
    "LeftOut": (f"{CHARTS}.left_out_chart", "left_out_chart"),
    "Differences": (f"{CHARTS}.differences_chart", "differences_chart"),
    "CrossValidation": (f"{CHARTS}.learning_curves_chart", "crossvalidation_chart"),
}
"""The module and the function that draw a type of result: imported when one is drawn."""


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart that shows itself in a notebook, and saves itself.

    Attributes
    ----------
    altair : the chart of Altair, to be changed or put beside others.
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


@known_arguments()
def plot(result: Any, **options: Any) -> Chart:
    """The chart of a result: scores, or what a study, training or cross-validation returned.

    ``options`` are those of the chart, such as ``level`` and ``seed`` of the intervals of scores.

    Raises
    ------
    InputError : a result that has no chart; a package that is missing.
    """
    drawing = next((REGISTRY[kind.__name__] for kind in type(result).__mro__ if kind.__name__ in REGISTRY), None)
    if drawing is None:
        raise InputError(f"plot: {arguments.kind_of(result)} has no chart; those that have: {', '.join(REGISTRY)}")
    module, name = drawing
    require_packages("plot")
    draw: Callable[..., Any] = getattr(import_module(module), name)
    return Chart(draw(result, **options))
