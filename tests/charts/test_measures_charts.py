from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawings import data, texts
from score_tables import drawn_scores

from gradeval.formula.spelling import parse_measures
from gradeval.papers.swaps import swaps
from gradeval.studies.discriminate import discriminate
from gradeval.studies.robustness import Robustness, Stratified

altair = pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.measures_charts import (
    ASL_HEIGHT,
    ASL_WIDTH,
    CEILING,
    MARGIN,
    _room,
    asl_chart,
    robustness_chart,
    swaps_chart,
)

CELLS = [("all", "AP", "nDCG", 0.5), ("all", "AP", "AP", 1.0)]


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.3])
def test_the_inset_hides_no_curve(spread: float) -> None:
    discrimination = discriminate(drawn_scores(runs=40, spread=spread), samples=200)
    (left, top, right, bottom), reach = _room(discrimination, 1)
    (west, north, east, south) = MARGIN
    for measure in discrimination.measures:
        curve = discrimination.curve(measure)
        x = np.arange(len(curve)) / reach * ASL_WIDTH
        y = (1 - curve / CEILING) * ASL_HEIGHT
        inside = (left - west < x) & (x < right + east) & (top - north < y) & (y < bottom + south)
        assert not inside.any()


def test_an_asl_curve_descends_and_names_the_power() -> None:
    discrimination = discriminate(drawn_scores(), samples=100)
    chart = asl_chart(discrimination)
    for measure in ("AP", "nDCG"):
        curve = [record["asl"] for record in data(chart) if record.get("measure") == measure and "asl" in record]
        assert curve == sorted(curve, reverse=True)
        whole = discrimination.curve(measure)
        assert set(curve[1:]) == set(whole[whole <= 0.15]) - {curve[0]}
        assert curve[0] == min(whole[whole > 0.15], default=whole[0])
    assert f"nDCG: {discrimination.power[1]:.1%}" in texts(chart).replace("\xa0", " ")
    assert "alpha = 0.05" in texts(chart)


def test_the_best_runs_have_an_inset_with_axes_of_its_own() -> None:
    scores = drawn_scores(runs=40)
    chart = asl_chart(discriminate(scores, samples=50))
    assert "pairs of the 15 best runs" in texts(chart)


def test_the_inset_draws_the_curves_of_the_best_runs() -> None:
    scores = drawn_scores(runs=40)
    best = discriminate(scores.sel(runs=scores.runs[:5]), samples=50)
    lines = asl_chart(replace(discriminate(scores, samples=50), best=best)).to_dict()["layer"][1]["layer"][1]
    records = lines["data"]["values"]
    for measure in best.measures:
        curve = best.curve(measure)
        steps = [r for r in records if r["measure"] == str(measure)][1:]  # the first comes from above the frame
        assert steps
        assert all(r["asl"] == curve[min(r["pair"], len(curve) - 1)] for r in steps)


def test_swaps_have_a_picture_a_measure_and_a_line_a_scale() -> None:
    study = swaps(levels=(2, 5), items=20, swaps=6, repetitions=4)
    drawn = texts(swaps_chart(study))
    assert drawn.count("2 grades") >= 5
    assert all(name.replace("'", "&#39;") in drawn or name in drawn for name in study.measures)


def test_lines_of_swaps_are_the_means() -> None:
    study = swaps(levels=(2, 5), items=20, swaps=6, repetitions=4)
    pictures = [picture for row in swaps_chart(study).to_dict()["vconcat"] for picture in row["hconcat"]]
    for place, picture in enumerate(pictures):
        drawn = {(r["scale"], r["swaps"]): r["value"] for r in picture["layer"][0]["data"]["values"]}
        expected = {
            (f"{number} grades", swap): study.values[level, swap, place]
            for level, number in enumerate(study.levels)
            for swap in range(7)
        }
        assert drawn == expected


def thinned(values: list[float], samples: list[float]) -> Robustness:
    """Two measures at 100% and 5%: at 5% the second gives these samples."""
    result = np.ones((2, len(samples), 2))
    result[1, :, 0], result[1, :, 1] = values, samples
    nowhere = np.zeros(result.shape, bool)
    measures = parse_measures("AP nDCG")
    kept = np.repeat([[1.0], [0.05]], len(samples), 1)
    runs, topics = ["a", "b"], ["1", "2", "3"]
    return Robustness(result, nowhere, kept, Stratified(rates=(100, 5)), "kendall", measures, runs, topics, 0)


def test_bars_of_robustness_end_at_1_and_stand_side_by_side() -> None:
    records = [record for record in data(robustness_chart(thinned([0.9, 0.8], [1.0, 0.9]))) if "low" in record]
    assert max(record["high"] for record in records) == 1.0
    at = {(record["step"], record["measure"]): record["at"] for record in records}
    assert at[100, "AP"] == at[100, "nDCG"] == 100  # no bars there
    assert at[5, "AP"] > 5 > at[5, "nDCG"]
    assert at[5, "AP"] + at[5, "nDCG"] == pytest.approx(2 * 5)


def test_lines_of_robustness_are_means_and_their_bars_one_standard_deviation() -> None:
    """At 5% AP has 0.9 and 0.8, nDCG 1 and 0.9; the bar of nDCG would pass 1."""
    chart = robustness_chart(thinned([0.9, 0.8], [1.0, 0.9]))
    at = {(r["step"], r["measure"]): (r["low"], r["mean"], r["high"]) for r in data(chart) if "low" in r}
    deviation = np.std([0.1, 0.0], ddof=1)
    assert at[5, "AP"] == pytest.approx((0.85 - deviation, 0.85, 0.85 + deviation))
    assert at[5, "nDCG"] == pytest.approx((0.95 - deviation, 0.95, 1.0))
    assert at[100, "AP"] == at[100, "nDCG"] == (1, 1, 1)
    bars, line, _ = (layer["encoding"] for layer in chart.to_dict()["layer"])
    assert (bars["y"]["field"], bars["y2"]["field"], line["y"]["field"]) == ("low", "high", "mean")


def test_points_of_neighbouring_steps_of_robustness_keep_apart() -> None:
    steps = (100.0, 10.0, 5.0)
    result = np.random.default_rng(0).random((3, 2, 9))
    measures = parse_measures(" ".join(f"P@{cutoff}" for cutoff in range(1, 10)))
    study = replace(
        thinned([0.9, 0.8], [1.0, 0.9]),
        values=result,
        undefined=np.zeros(result.shape, bool),
        measures=measures,
        sampling=Stratified(rates=steps),
    )
    at = {step: [r["at"] for r in data(robustness_chart(study)) if r.get("step") == step] for step in steps}
    assert min(at[10]) - max(at[5]) > 2


def test_lines_of_robustness_are_named_at_their_ends() -> None:
    drawn = texts(robustness_chart(thinned([0.9, 0.8], [1.0, 0.9])))
    assert "legend" not in drawn
    assert ">AP<" in drawn
    assert ">nDCG<" in drawn
