from __future__ import annotations

import json

import pytest
from drawings import data, texts
from score_tables import drawn_scores

import gradeval
from gradeval.charts.plotting import plot
from gradeval.studies.correlate import correlate

altair = pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.correlation_charts import correlation_chart, palest

CELLS = [("all", "AP", "nDCG", 0.5), ("all", "AP", "AP", 1.0)]


def test_a_correlation_is_written_into_its_cell() -> None:
    correlations = correlate(drawn_scores(), samples=0)
    value = correlations.of("AP", "nDCG")
    drawn = texts(correlation_chart([("all", "AP", "nDCG", value)], "kendall", ["8 runs"]))
    assert f"{value:.2f}" in drawn
    assert "Kendall's tau-b" in drawn


def test_maps_side_by_side_share_one_legend() -> None:
    cells = [(topics, row, "AP", value) for topics in ("all", "few:2") for row, value in (("AP", 1.0), ("GAP", 0.42))]
    alone = texts(correlation_chart(cells[:2], "kendall", ["all topics"]))
    both = texts(correlation_chart(cells, "kendall", ["all topics", "few topics"]))
    assert alone.count("legend-gradient") == both.count("legend-gradient") == 1
    assert "Kendall's tau-b" in both.replace("&#39;", "'")
    assert "few topics" in both


@pytest.mark.parametrize(("least", "shade"), [(0.99, 0.8), (0.8, 0.8), (0.799, 0.7), (0.3, 0.3), (0.29, 0.2), (-1, -1)])
def test_shades_mean_the_same_in_most_pictures(least: float, shade: float) -> None:
    assert palest(least) == shade
    chart = correlation_chart([("all", "AP", "AP", 1.0), ("all", "AP", "P", least)], "kendall", ["all"])
    assert f'"domain": [{shade:g}, 1]' in json.dumps(chart.to_dict()).replace(".0,", ",")


def test_correlations_on_several_collections_are_drawn_side_by_side(scores: gradeval.Scores) -> None:
    halves = {"odd": scores.sel(topics=scores.topics[::2]), "even": scores.sel(topics=scores.topics[1::2])}
    correlations = gradeval.correlate_collections(halves, statistic=["kendall", "spearman"])
    chart = plot(correlations).altair
    assert "odd: 12 runs, 15 topics" in texts(chart)
    drawn = {record["value"] for record in data(chart) if "value" in record}
    for one in (both for by_collection in correlations.correlations.values() for both in by_collection):
        assert one.of("AP", "nDCG@10") in drawn
