"""Zhai & Massung's two figures of precision and recall."""

from __future__ import annotations

from gradeval.papers.texts.zhai16 import ITEMS
from gradeval.studies.curve import curve


def test_the_curve_is_of_one_ranking_and_not_of_the_mean_over_topics() -> None:
    drawn, calculated = ITEMS
    assert drawn.study == curve.__name__
    assert drawn.settings == {"per_topic": True}
    assert calculated.takes == ""
