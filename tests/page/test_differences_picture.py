"""Where the dots and lines of differences stand, read from the drawing."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("altair")

from gradeval.page.differences_picture import DifferenceLine, differences_picture


@pytest.mark.parametrize("scale", [1e-5, 0.1, 3000.0])
def test_dots_lines_and_marks_of_the_axis_stand_on_one_scale(scale: float) -> None:
    lines = [
        DifferenceLine(f"run{place}", -0.3 * place * scale, -place * scale, 0.1 * scale, not place)
        for place in (0, 1, 2)
    ]
    svg = differences_picture(lines, "title", "axis")
    zero = float(re.search(r'stroke="#888" stroke-width="2" d="M([0-9.]+) ', svg)[1])
    ends = np.array(
        [list(map(float, pair)) for pair in re.findall(r'stroke-width="2" d="M([0-9.]+) \d+H([0-9.]+)"', svg)]
    )
    dots = np.array(list(map(float, re.findall(r'cx="([0-9.]+)"', svg))))
    unit = (zero - ends[1, 0]) / scale  # pixels for 1
    assert ends[:, 0] == pytest.approx(zero - unit * scale * np.arange(3), abs=0.2)
    assert ends[:, 1] == pytest.approx(zero + unit * scale * 0.1, abs=0.2)
    assert dots == pytest.approx(zero - unit * scale * 0.3 * np.arange(3), abs=0.2)
    marks = re.findall(r'<text x="([0-9.]+)" y="29" text-anchor="middle">([^<]+)</text>', svg)
    assert 3 <= len(marks) <= 10
    for x, label in marks:
        assert float(x) == pytest.approx(zero + unit * float(label), abs=0.2)
    assert (svg.count('<circle fill="#0072B2"'), svg.count('<circle fill="none"')) == (1, 2)


def test_runs_that_are_all_equal_are_drawn_and_names_are_text() -> None:
    svg = differences_picture([DifferenceLine("<img src=x>\x07" + "y" * 40, 0.0, 0.0, 0.0, True)], "<t>", "<a>")
    assert "<img" not in svg
    assert "<t>" not in svg
    assert "<a>" not in svg
    assert "\x07" not in svg
    assert "y" * 40 in svg  # whole where one points at it
