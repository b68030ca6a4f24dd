"""The still map of runs and topics."""

from __future__ import annotations

import re

import numpy as np

from gradeval.page.topics_picture import topics_map


def test_runs_and_topics_stand_by_falling_means() -> None:
    values = np.array([[0.1, 0.9, 0.2], [0.5, 1.0, 0.9]])
    names = re.findall(r"<text[^>]*>([^<]*)</text>", topics_map(values, ["low", "high"], ["1", "2", "3"]))
    assert names == ["high", "low", "2", "3", "1"]


def test_many_topics_have_no_names_and_hostile_names_are_text() -> None:
    picture = topics_map(np.ones((1, 200)), ["<b>"], [f"t{number}" for number in range(200)])
    assert "&lt;b&gt;" in picture
    assert "t199" not in picture


def test_values_that_are_all_0_are_a_map() -> None:
    assert topics_map(np.zeros((2, 3)), ["a", "b"], ["1", "2", "3"]).startswith("<svg ")
