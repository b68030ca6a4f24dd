from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from drawings import data, texts
from score_tables import drawn_scores

from gradeval import InputError
from gradeval.arguments import install_hint
from gradeval.charts.rendering import COLOURS, require_charts, space_out
from gradeval.formula.spelling import parse_measures
from gradeval.papers.swaps import swaps
from gradeval.studies.compare import compare
from gradeval.studies.correlate import correlate
from gradeval.studies.discriminate import discriminate
from gradeval.studies.robustness import Robustness, Stratified

altair = pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.asl_chart import CEILING, HEIGHT, MARGIN, WIDTH, _room, asl_chart  # noqa: E402
from gradeval.charts.compare_chart import difference_chart  # noqa: E402
from gradeval.charts.correlation_chart import correlation_chart, palest  # noqa: E402
from gradeval.charts.rendering import render  # noqa: E402
from gradeval.charts.robustness_chart import robustness_chart  # noqa: E402
from gradeval.charts.swaps_chart import swaps_chart  # noqa: E402

CELLS = [("all", "AP", "nDCG", 0.5), ("all", "AP", "AP", 1.0)]


@pytest.mark.parametrize(
    ("suffix", "begin"), [(".png", b"\x89PNG"), (".svg", b"<svg"), (".pdf", b"%PDF"), (".html", b"<!DOCTYPE html>")]
)
def test_a_picture_has_the_format_of_its_name(suffix: str, begin: bytes) -> None:
    drawn = render(correlation_chart(CELLS, "kendall", ["all"]), "tau" + suffix.upper())
    assert drawn.lstrip().startswith(begin)


def test_a_page_needs_no_network() -> None:
    page = render(correlation_chart(CELLS, "kendall", ["all"]), "tau.html").decode()
    assert "<script src=" not in page
    assert 'src="http' not in page


def test_another_suffix_is_refused() -> None:
    with pytest.raises(InputError, match=r"--plot tau\.gif: does not end in one of \.png, \.svg, \.pdf, \.html"):
        require_charts("tau.gif")


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    hide = "import sys; sys.modules['altair'] = None; from gradeval.charts.rendering import require_charts as f;"
    tried = "\ntry: f('tau.png')\nexcept ValueError as error: print(error)"
    said = subprocess.run([sys.executable, "-c", hide + tried], capture_output=True, text=True, check=True).stdout
    assert said == f"--plot needs the package altair: {install_hint('report')}\n"


def test_colours_differ() -> None:
    assert len(set(COLOURS)) == len(COLOURS)


@pytest.mark.parametrize("seed", range(5))
def test_labels_keep_their_distance_and_their_order(seed: int) -> None:
    heights = np.random.default_rng(seed).random(12).tolist()
    placed = space_out(heights, 0.1)
    order = np.argsort(heights)
    assert all(high - low > 0.1 - 1e-9 for low, high in pairwise(np.array(placed)[order]))


def test_labels_far_apart_stay_where_they_are() -> None:
    assert space_out([0.9, 0.1, 0.5], 0.1) == pytest.approx([0.9, 0.1, 0.5])


def test_labels_stay_below_the_upper_edge() -> None:
    assert space_out([0.98, 0.99, 0.2], 0.1, 1.0) == pytest.approx([0.9, 1.0, 0.2])


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.3])
def test_the_inset_hides_no_curve(spread: float) -> None:
    discrimination = discriminate(drawn_scores(runs=40, spread=spread), samples=200)
    (left, top, right, bottom), reach = _room(discrimination, 1)
    (west, north, east, south) = MARGIN
    for measure in discrimination.measures:
        curve = discrimination.curve(measure)
        x = np.arange(len(curve)) / reach * WIDTH
        y = (1 - curve / CEILING) * HEIGHT
        inside = (left - west < x) & (x < right + east) & (top - north < y) & (y < bottom + south)
        assert not inside.any()


def test_a_correlation_is_written_into_its_cell() -> None:
    correlations = correlate(drawn_scores(), samples=0)
    value = correlations.of("AP", "nDCG")
    drawn = texts(correlation_chart([("all", "AP", "nDCG", value)], "kendall", ["8 runs"]))
    assert f"{value:.2f}" in drawn
    assert "Kendall's tau-b" in drawn


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


def test_differences_say_what_was_told_apart() -> None:
    scores = drawn_scores(spread=0.5)
    against = difference_chart(compare(scores, baseline="A"))
    assert {record["run"] for record in data(against) if "run" in record} == set(scores.runs) - {"A"}
    assert "baseline A" in texts(against)
    every = difference_chart(compare(scores))
    assert sum("row" in record for record in data(every)) == 2 * 8 * 7


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


def test_marks_of_differences_are_explained_beside_the_title() -> None:
    scores = drawn_scores(runs=4, topics=12, seed=2)
    for baseline, said in (("A", "▲ better, ▼ worse, ● not told apart"), (None, "dots: told apart")):
        assert said in texts(difference_chart(compare(scores, baseline=baseline)))
