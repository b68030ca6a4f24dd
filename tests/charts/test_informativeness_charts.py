"""Pictures of informativeness: the errors, their intervals and the users that are drawn are those that were found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drawings import data, texts

import gradeval
from gradeval import InputError
from gradeval.charts.plotting import plot
from gradeval.formula.arithmetic import Array
from gradeval.formula.spelling import parse_measures
from gradeval.studies.informativeness.inform import Informativeness

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.informativeness_charts import inform_chart

GRID = "AP GAP(g=[0.25,0.75]) GAP(g=[0.5,0.5]) GAP(g=[1,0]) xGAP(g=[0.25,0.75]) xGAP(g=[0.5,0.5]) xGAP(g=[1,0])"


def study_of(measures: str, samples: int = 0) -> Informativeness:
    """Errors of five lists of four topics at two thresholds."""
    chosen = parse_measures(measures)
    errors = np.random.default_rng(0).random((len(chosen), 2, 5))
    topic = np.array([0, 1, 2, 3, 3])
    runs = np.zeros(5, int)
    axes = (runs, topic, chosen, (1.0, 2.0), ["run"], list("abcd"))
    result = Informativeness(errors, np.ones((len(chosen), 5), bool), *axes, "retrieved", 5, 5)
    return (
        replace(result, interval=result.ci(0.05, 0, samples), alpha=0.05, samples=samples, seed=0)
        if samples
        else result
    )


def drawn(chart: Any) -> set[tuple[Any, ...]]:
    fields = ("measure", "threshold", "g1", "rms", "low", "high")
    return {tuple(record[field] for field in fields) for record in data(chart) if "rms" in record}


def expected(study: Informativeness, bounds: Array, shares: list[float | None]) -> set[tuple[Any, ...]]:
    return {
        (str(measure), grade, share, study.mean()[place, column], *bounds[place, column])
        for place, (measure, share) in enumerate(zip(study.measures, shares, strict=True))
        for column, grade in enumerate(study.thresholds)
    }


def test_points_stand_at_the_share_of_users_of_the_lowest_grade() -> None:
    study = study_of(GRID, samples=50)
    chart = inform_chart(study)
    assert drawn(chart) == expected(study, study.ci(samples=50), [None, 0.25, 0.5, 1, 0.25, 0.5, 1])
    assert "g1, share of users whom the lowest grade satisfies" in texts(chart)


def test_lines_are_those_of_the_means_and_bands_those_of_the_intervals() -> None:
    study = study_of(GRID, samples=50)
    band, line, level, _ = inform_chart(study).to_dict()["hconcat"][1]["layer"]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("low", "high")
    assert (line["encoding"]["x"]["field"], line["encoding"]["y"]["field"]) == ("g1", "rms")
    assert [record["rms"] for record in level["data"]["values"]] == [study.mean()[0, 1]]  # AP, which has no g


def test_names_stand_where_the_lines_end() -> None:
    study = study_of(GRID)
    labels = inform_chart(study).to_dict()["hconcat"][0]["layer"][-1]["data"]["values"]
    mean = study.mean()[:, 0]
    heights = {"AP": mean[0], "GAP": mean[3], "xGAP": mean[6]}
    order = sorted(labels, key=lambda label: label["at"])
    assert [label["name"] for label in order] == sorted(heights, key=heights.__getitem__)


def test_measures_without_a_grid_stand_below_each_other_with_their_bars() -> None:
    study = study_of("nDCG AP GAP(g=[0.25,0.75])", samples=50)
    chart = inform_chart(study)
    assert drawn(chart) == expected(study, study.ci(samples=50), [None, None, 0.25])
    bar, point = chart.to_dict()["hconcat"][0]["layer"]
    assert bar["encoding"]["y"]["sort"] == ["nDCG", "AP", "GAP(g=[0.25,0.75])"]
    assert (bar["encoding"]["x"]["field"], bar["encoding"]["x2"]["field"]) == ("low", "high")
    assert point["encoding"]["x"]["field"] == "rms"
    assert "95% intervals over topics" in texts(chart)


def test_without_intervals_bars_have_no_length() -> None:
    study = study_of("nDCG AP")
    chart = inform_chart(study)
    assert all(record["low"] == record["rms"] == record["high"] for record in data(chart) if "rms" in record)
    assert "no intervals" in texts(chart)


def test_points_of_one_g1_are_told_apart_by_the_pointer() -> None:
    """With three grades several g have the same g1."""
    chart = inform_chart(study_of("GAP(g=[0,0,1]) GAP(g=[0,1,0]) GAP(g=[1,0,0])"))
    (points, _) = chart.to_dict()["hconcat"][0]["layer"]
    assert [field["field"] for field in points["encoding"]["tooltip"]] == ["measure", "rms"]
    assert "each point is one g" in texts(chart)


def test_inferred_curves_are_drawn_for_few_rankings(judged: gradeval.JudgedRuns) -> None:
    curves = gradeval.infer_curves(judged, "AP GAP", least=1)
    assert len(curves.rankings) > 12
    with pytest.raises(InputError, match=rf"^{len(curves.rankings)} rankings are more than the 12 of a picture"):
        plot(curves)
    few = replace(curves, lists=curves.lists[:4])
    assert f"{few.lists[0].run}, topic {few.lists[0].topic}" in texts(plot(few).altair)
