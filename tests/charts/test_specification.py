"""The specification of a chart, as Vega can read it."""

from __future__ import annotations

import pytest

altair = pytest.importorskip("altair")

from gradeval.charts.specification import MARK, Undrawable, as_vegalite, drawing_fails_in_a_line


def test_names_that_tell_marks_apart_are_marked_and_values_are_not() -> None:
    records = [{"run": "constructor", "value": 0.5}, {"run": "b", "value": float("nan")}]
    chart = altair.Chart(altair.Data(values=records), title="toString").mark_bar().encode(x="run:N", y="value:Q")
    made = as_vegalite(chart)
    assert [record["run"] for record in made["data"]["values"]] == [f"{MARK}constructor", f"{MARK}b"]
    assert [record["value"] for record in made["data"]["values"]] == [0.5, None]
    assert made["title"] != "toString"
    assert made["title"].rstrip() == "toString"


def test_whatever_a_library_raises_is_a_line_that_names_the_picture() -> None:
    said = r"^a\.png: the chart cannot be drawn \(one two\); the numbers are complete"
    with pytest.raises(Undrawable, match=said), drawing_fails_in_a_line("a.png"):
        raise ValueError("one\n  two")


def test_an_error_of_ours_stays_what_it_is() -> None:
    with pytest.raises(MemoryError), drawing_fails_in_a_line("a.png"):
        raise MemoryError
