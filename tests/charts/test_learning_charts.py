"""Learning curves: every line, its label, and the epoch that was kept."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.learning_charts import Line, lines_chart
from gradeval.charts.rendering import render

LINES = [
    Line("AP", "fold 1", [1, 2, 3], [0.2, 0.4, 0.3], 2),
    Line("AP", "fold 2", [1, 2], [0.1, 0.2], 2),
    Line("nDCG", "fold 1", [1, 2], [0.5, 0.5], 1),
    Line("nDCG", "fold 2", [1], [0.7], None),
]


def drawn(lines: list[Line], titles: dict[str, str]) -> Any:
    return lines_chart(lines, titles, "epoch", "Curves", "of two folds")


def pictures(chart: Any) -> list[dict[str, Any]]:
    return [picture for row in chart.to_dict()["vconcat"] for picture in row["hconcat"]]


def test_every_panel_has_its_lines_and_its_axis() -> None:
    first, second = pictures(drawn(LINES, {"AP": "mean AP", "nDCG": "mean nDCG"}))
    assert [(point["name"], point["epoch"], point["value"]) for point in first["layer"][0]["data"]["values"]] == [
        ("fold 1", 1, 0.2),
        ("fold 1", 2, 0.4),
        ("fold 1", 3, 0.3),
        ("fold 2", 1, 0.1),
        ("fold 2", 2, 0.2),
    ]
    assert first["layer"][0]["encoding"]["y"]["title"] == "mean AP"
    assert second["layer"][0]["encoding"]["y"]["title"] == "mean nDCG"


def test_a_dot_marks_what_was_kept_and_a_training_of_one_epoch() -> None:
    first, second = pictures(drawn(LINES, {"AP": "mean AP", "nDCG": "mean nDCG"}))
    assert [(dot["epoch"], dot["value"]) for dot in first["layer"][1]["data"]["values"]] == [(2, 0.4), (2, 0.2)]
    assert [(dot["epoch"], dot["value"]) for dot in second["layer"][1]["data"]["values"]] == [(1, 0.5), (1, 0.7)]


def test_epochs_are_whole_numbers_also_where_there_is_one() -> None:
    once = Line("AP", "all", [1], [0.7])
    across = pictures(drawn([once], {"AP": "mean AP"}))[0]["layer"][0]["encoding"]["x"]
    assert (across["axis"]["tickMinStep"], across["axis"]["format"]) == (1, "d")
    text = render(drawn([once], {"AP": "mean AP"}), "curves.svg").decode()
    assert [f">{number}<" in text for number in ("0", "1", "2", "0.5", "1.5")] == [True, True, True, False, False]


def test_lines_are_named_at_the_edge_unless_there_is_one_name() -> None:
    text = render(drawn(LINES, {"AP": "mean AP", "nDCG": "mean nDCG"}), "curves.svg").decode()
    assert text.count(">fold 1<") == text.count(">fold 2<") == 2
    alone = render(drawn(LINES[:1], {"AP": "mean AP"}), "curves.svg").decode()
    assert ">fold 1<" not in alone


def test_a_flat_curve_and_many_panels_are_drawn() -> None:
    many = [Line(f"panel {number}", "one", [1, 2], [0.5, 0.5], 1) for number in range(5)]
    chart = drawn(many, {line.panel: "mean" for line in many})
    assert [len(row["hconcat"]) for row in chart.to_dict()["vconcat"]] == [3, 2]
    assert render(chart, "curves.png").startswith(b"\x89PNG")
