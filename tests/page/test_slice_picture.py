from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from gradeval.page.slice_picture import choose_ticks, slice_picture

SVG = "{http://www.w3.org/2000/svg}"


def test_dots_and_lines_lie_where_the_axis_says() -> None:
    svg = slice_picture(["a", "b", "c"], [0.2, 0.5, 0.35], [(0.1, 0.3), None, (0.3, 0.4)], (0.0, 0.6), "means")
    drawn = ElementTree.fromstring(svg)
    ticks = {float(one.text or ""): float(one.attrib["x"]) for one in drawn.findall("text")}
    assert sorted(ticks) == [0.0, 0.2, 0.4, 0.6]
    scale = (ticks[0.6] - ticks[0.0]) / 0.6

    def at(value: float) -> object:
        return pytest.approx(ticks[0.0] + scale * value, abs=0.11)

    groups = drawn.findall("g")
    assert [float(one.find("circle").attrib["cx"]) for one in groups] == [at(0.2), at(0.5), at(0.35)]
    lines = [one.find("path") for one in groups]
    assert lines[1] is None
    ends = [[float(end) for end in re.findall(r"[MH]([\d.]+)", line.attrib["d"])] for line in lines if line is not None]
    assert ends == [[at(0.1), at(0.3)], [at(0.3), at(0.4)]]
    colours = [one.find("circle").attrib["fill"] for one in groups]
    assert (colours[1:], colours[0] in colours[1:]) == ([colours[1]] * 2, False)
    assert [one.findtext("title") for one in groups] == [
        "a: 0.2000, 0.1000 to 0.3000",
        "b: 0.5000",
        "c: 0.3500, 0.3000 to 0.4000",
    ]


def test_names_are_text_and_cut() -> None:
    svg = slice_picture(["<img src=x>\x07" + "w" * 40], [0.5], [None], (0, 1), '"><script>')
    assert "<img" not in svg
    assert "<script" not in svg
    assert "\x07" not in svg
    assert "<img src=x>\\x07www" in (ElementTree.fromstring(svg).findtext("g/title") or "")
    assert ElementTree.fromstring(svg).findtext("g/text") == "<img src=x>\\x07w…"


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.3, 0.31), (-5.0, 130.0), (0.2, 0.7), (1e-7, 2e-7)])
def test_ticks_are_a_few_round_values_within_the_ends(ends: tuple[float, float]) -> None:
    ticks = choose_ticks(*ends)
    assert 2 <= len(ticks) <= 5
    assert ends[0] <= ticks[0] < ticks[-1] <= ends[1]
