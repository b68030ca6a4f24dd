"""Pictures of slices: one a slice below that of all topics, each as it is of the topics alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradeval import Scores, ranks
from gradeval.charts.runs_charts import means_chart
from gradeval.charts.slices_charts import slices_chart
from gradeval.scores.slices import slice_topics
from gradeval.studies.result import SlicedResult

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def parity(topic: str) -> str:
    return "odd" if int(topic) % 2 else "even"


def titles(chart: object) -> list[object]:
    return [panel["title"]["text"] for panel in chart.to_dict()["vconcat"]]


def test_a_study_is_drawn_once_a_slice(scores: Scores) -> None:
    result = ranks.silently(scores, measures="AP", samples=40, by=parity)
    assert isinstance(result, SlicedResult)
    chart = slices_chart(result)
    assert titles(chart)[1:] == ["slice odd (15 topics)", "slice even (15 topics)"]
    drawn = chart.to_dict()["vconcat"][1]["hconcat"]
    alone = result.of("odd").plot().altair.to_dict()["hconcat"]
    assert [panel.keys() for panel in drawn] == [panel.keys() for panel in alone]


def test_means_are_drawn_once_a_slice(scores: Scores) -> None:
    sliced = replace(scores, slices=slice_topics(parity, scores.topics, None))
    assert titles(means_chart(sliced))[1:] == ["slice odd (15 topics)", "slice even (15 topics)"]
