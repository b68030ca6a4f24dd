"""plot(): the chart of a result, whatever its type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike, fspath
from typing import Any

from gradeval import checks
from gradeval._core import InputError
from gradeval.display.charts.rendering import render, require_ending, require_packages
from gradeval.files.whole import whole_file

CHARTS, CURVES = "gradeval.display.charts", "gradeval.display.curves"
CERTAINTY, COLLECTIONS = "gradeval.display.certainty", "gradeval.display.collections"
REGISTRY: dict[str, tuple[str, str]] = {
    "Scores": (f"{CHARTS}.means", "means_chart"),
    "Comparison": (f"{CHARTS}.comparison", "difference_chart"),
    "JudgeComparison": (f"{CHARTS}.judges", "judges_chart"),
    "RankSets": (f"{CERTAINTY}.ranks", "ranks_chart"),
    "Correlations": (f"{CHARTS}.correlation", "correlations_chart"),
    "CollectionCorrelations": (f"{CHARTS}.correlation", "collections_chart"),
    "Discrimination": (f"{CHARTS}.asl", "asl_chart"),
    "RunSwaps": (f"{CHARTS}.correlation", "run_curves"),
    "Robustness": (f"{CHARTS}.robustness", "robustness_chart"),
    "Informativeness": (f"{CHARTS}.informativeness", "informativeness_chart"),
    "Curves": (f"{CURVES}.curves", "curves_chart"),
    "InferredCurves": (f"{CURVES}.inferred_curves", "inferred_curves_chart"),
    "ClickedUsers": (f"{CURVES}.clicked_users", "clicked_users_chart"),
    "Swaps": (f"{CHARTS}.swaps", "swaps_chart"),
    "UserStudy": (f"{CHARTS}.users", "users_chart"),
    "LearningCurve": (f"{CURVES}.learning_curves", "learning_curve_chart"),
    "Description": (f"{COLLECTIONS}.description", "description_chart"),
    "Qrels": (f"{COLLECTIONS}.description", "qrels_chart"),
    "Check": (f"{COLLECTIONS}.checked_files", "check_chart"),
    "Equivalence": (f"{CERTAINTY}.equivalence", "equivalence_chart"),
    "TopicSetSize": (f"{CERTAINTY}.topics_needed", "topics_needed_chart"),
    "LeftOut": (f"{CERTAINTY}.left_out", "left_out_chart"),
    "Differences": (f"{CERTAINTY}.differences", "differences_chart"),
    "CrossValidation": (f"{CURVES}.learning_curves", "crossvalidation_chart"),
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


def plot(result: Any, **options: Any) -> Chart:
    """The chart of a result: scores, or what a study, training or cross-validation returned.

    ``options`` are those of the chart, such as ``level`` and ``seed`` of the intervals of scores.

    Raises
    ------
    InputError : a result that has no chart; a package that is missing.
    """
    drawing = next((REGISTRY[kind.__name__] for kind in type(result).__mro__ if kind.__name__ in REGISTRY), None)
    if drawing is None:
        raise InputError(f"plot: {checks.kind_of(result)} has no chart; those that have: {', '.join(REGISTRY)}")
    module, name = drawing
    require_packages("plot")
    draw: Callable[..., Any] = getattr(import_module(module), name)
    return Chart(draw(result, **options))
