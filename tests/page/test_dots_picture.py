"""Where the dots, lines and labels of a picture stand, read from the drawing."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from gradeval.page.dots_picture import Dot, choose_ticks, dots_picture, with_room


def at(element: ElementTree.Element | None, name: str) -> float:
    """A place across, in percent of the plot."""
    assert element is not None
    return float(element.attrib[name].removesuffix("%"))


@pytest.mark.parametrize("scale", [1e-5, 0.1, 3000.0])
@pytest.mark.parametrize("form", ["", "+", "%"])
def test_dots_and_lines_lie_where_the_labels_of_the_axis_say(scale: float, form: str) -> None:
    values, bounds = [0.2, -0.5, 0.35], [(0.1, 0.3), None, (0.3, 0.4)]
    dots = [
        Dot(name, value * scale, None if ends is None else (ends[0] * scale, ends[1] * scale), name == "b", "told")
        for name, value, ends in zip("abc", values, bounds, strict=True)
    ]
    ends = with_room([-0.5 * scale, 0.4 * scale])
    drawn = ElementTree.fromstring(dots_picture(dots, choose_ticks(*ends), ends, "means", form=form))
    axis, *rows = drawn.findall("g")
    labels = [(one.text or "", at(one, "x")) for one in axis.findall("text")]
    assert [place for _, place in labels] == [at(line, "x1") for line in axis.findall("line")]
    share = 100 if form == "%" else 1
    numbers = [float(text.rstrip("%").replace(",", "")) / share / scale for text, _ in labels]
    unit = (labels[-1][1] - labels[0][1]) / (numbers[-1] - numbers[0])

    def there(value: float) -> object:
        return pytest.approx(labels[0][1] + unit * (value - numbers[0]), abs=0.02)

    assert [place for _, place in labels] == [there(number) for number in numbers]
    assert [at(row.find("circle"), "cx") for row in rows] == [there(value) for value in values]
    lines = [row.find("line") for row in rows]
    assert lines[1] is None
    drawn_ends = [(at(line, "x1"), at(line, "x2")) for line in lines if line is not None]
    assert drawn_ends == [(there(0.1), there(0.3)), (there(0.3), there(0.4))]
    heights = [row.find("circle").attrib["cy"] for row in rows]
    assert len(set(heights)) == 3
    assert [row.get("class") for row in rows] == [None, "strong", None]
    zero = [line for line in axis.findall("line") if line.get("class") == "zero"]
    assert [at(line, "x1") for line in zero] == ([there(0)] if form == "+" else [])


def test_a_picture_and_each_line_have_names_and_what_has_no_value_says_so() -> None:
    dots = [Dot("a", 0.5, (0.4, 0.6), True, "0.5 [0.4, 0.6]"), Dot("b", None, None, False, "no value")]
    drawn = ElementTree.fromstring(dots_picture(dots, [0.4, 0.6], (0.4, 0.6), "means", axis="the mean"))
    assert (drawn.get("role"), drawn.get("aria-label")) == ("group", "means")
    axis, *rows = drawn.findall("g")
    assert axis.get("aria-hidden") == "true"
    assert [text.text for text in axis.findall("text")] == ["the mean", "0.4", "0.6"]
    assert [(row.get("role"), row.findtext("title")) for row in rows] == [
        ("img", "a: 0.5 [0.4, 0.6]"),
        ("img", "b: no value"),
    ]
    assert rows[1].find("circle") is None
    assert [text.text for text in rows[1].findall("text")] == ["b", "no value"]


def test_names_are_text_cut_where_they_stand_and_whole_where_one_points() -> None:
    evil = "<img src=x>\x07" + "w" * 40
    svg = dots_picture([Dot(evil, 0.0, (0.0, 0.0), True, "0")], [0], (-1, 1), '"><script>', axis="<a>", form="+")
    assert not any(there in svg for there in ("<img", "<script", "<a>", "\x07"))
    drawn = ElementTree.fromstring(svg)
    row = drawn.findall("g")[1]
    assert row.findtext("title") == "<img src=x>\\x07" + "w" * 40 + ": 0"
    assert row.findtext("text") == "<img src=x>\\x07wwwwww…"
    wide = ElementTree.fromstring(dots_picture([Dot("什" * 30, 0.0, None, True, "0")], [0], (-1, 1), "title"))
    assert wide.findall("g")[1].findtext("text") == "什" * 10 + "…"


@pytest.mark.parametrize("most", [5, 8])
@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.3, 0.31), (-5.0, 130.0), (0.2, 0.7), (1e-7, 2e-7), (-1e-15, 1e-15)])
def test_ticks_are_a_few_round_values_within_the_ends(ends: tuple[float, float], most: int) -> None:
    ticks = choose_ticks(*ends, most)
    assert 2 <= len(ticks) <= most
    assert ends[0] <= ticks[0] < ticks[-1] <= ends[1]
    steps = {round((after - before) / (ticks[1] - ticks[0]), 6) for before, after in pairwise(ticks)}
    assert steps == {1.0}


def test_equal_values_have_room_on_both_sides() -> None:
    assert with_room([0.3, 0.3], 0.1) == pytest.approx((0.2, 0.4))
    assert with_room([0.0, 1.0]) == pytest.approx((-0.04, 1.04))
