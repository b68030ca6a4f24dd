"""Pictures of differences: the numbers that are drawn are those that were found, and winners look like winners."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from drawings import data, texts
from score_tables import drawn_scores, scores_of

from gradeval.scores.scores import Scores
from gradeval.studies.compare import compare
from gradeval.studies.gate import gate
from gradeval.studies.preferences import preferences

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.differences_charts import difference_chart, gate_chart, preferences_chart

BETTER, WORSE, NEITHER = "better", "worse", "not told apart"


def runs_of(*levels: float) -> Scores:
    """Runs A, B, ... around these means on 12 topics, with a little noise."""
    return scores_of(np.array(levels)[:, None] + 0.01 * np.random.default_rng(0).normal(size=(len(levels), 12)))


def test_a_winner_a_loser_and_a_like_of_the_baseline_are_drawn_as_such() -> None:
    chart = difference_chart(compare(runs_of(0.5, 0.8, 0.2, 0.5), baseline="A"))
    verdicts = {record["run"]: record["verdict"] for record in data(chart) if "run" in record}
    assert verdicts == {"B": BETTER, "C": WORSE, "D": NEITHER}
    lines = chart.to_dict()["hconcat"][0]["layer"][2]["encoding"]["y"]
    assert lines["sort"] == ["B", "D", "C"]  # the best on top


def test_the_higher_the_baseline_the_worse_the_others() -> None:
    records = data(difference_chart(compare(runs_of(0.5, 0.8, 0.2), baseline="B")))
    assert {record["run"]: record["verdict"] for record in records if "run" in record} == {"A": WORSE, "C": WORSE}


def test_verdicts_have_the_shapes_and_colours_that_the_title_explains() -> None:
    picture = difference_chart(compare(runs_of(0.5, 0.8), baseline="A")).to_dict()["hconcat"][0]["layer"][2]
    assert picture["encoding"]["shape"]["scale"] == {
        "domain": [BETTER, NEITHER, WORSE],
        "range": ["triangle-up", "circle", "triangle-down"],
    }
    assert picture["encoding"]["color"]["scale"]["domain"] == [BETTER, NEITHER, WORSE]


def test_a_reader_of_screens_says_names_without_numbers() -> None:
    drawn = texts(difference_chart(compare(runs_of(0.5, 0.8, 0.2), baseline="A")))
    assert re.search(r'aria-label="[^"]*; run: \N{WORD JOINER}?B; ', drawn)
    assert not re.search(r'aria-label="[^"]*run: \d', drawn)


def test_a_line_reaches_from_the_lower_to_the_upper_end_of_its_interval() -> None:
    comparison = compare(drawn_scores(), baseline="A")
    chart = difference_chart(comparison)
    expected = [
        (
            comparison.runs[run],
            *(each[measure, pair] for each in (comparison.difference, *np.moveaxis(comparison.interval, -1, 0))),
        )
        for measure in range(2)
        for pair, (run, _) in enumerate(comparison.pairs.tolist())
    ]
    drawn = [(r["run"], r["difference"], r["low"], r["high"]) for r in data(chart) if "run" in r]
    assert sorted(set(drawn)) == sorted(expected)
    bars, points = (chart.to_dict()["hconcat"][0]["layer"][layer]["encoding"] for layer in (1, 2))
    assert (bars["x"]["field"], bars["x2"]["field"], points["x"]["field"]) == ("low", "high", "difference")


def test_a_cell_of_the_map_is_its_row_less_its_column() -> None:
    scores = runs_of(0.5, 0.8, 0.2, 0.5)
    cells: dict[tuple[str, str], Any] = {(r["row"], r["column"]): r for r in data(difference_chart(compare(scores)))}
    mean = dict(zip(scores.runs, scores.mean()[:, 0], strict=True))
    assert len(cells) == 4 * 3
    for (row, column), cell in cells.items():
        assert cell["value"] == pytest.approx(mean[row] - mean[column], abs=1e-12)
        assert (cell["verdict"] == NEITHER) == ({row, column} == {"A", "D"})


def test_differences_say_what_was_told_apart() -> None:
    scores = drawn_scores(spread=0.5)
    against = difference_chart(compare(scores, baseline="A"))
    assert {record["run"] for record in data(against) if "run" in record} == set(scores.runs) - {"A"}
    assert "baseline A" in texts(against)
    every = difference_chart(compare(scores))
    assert sum("row" in record for record in data(every)) == 2 * 8 * 7


def test_marks_of_differences_are_explained_beside_the_title() -> None:
    scores = drawn_scores(runs=4, topics=12, seed=2)
    for baseline, said in (("A", "▲ better, ▼ worse, ● not told apart"), (None, "dots: told apart")):
        assert said in texts(difference_chart(compare(scores, baseline=baseline)))


def test_preferences_are_bars_beside_those_of_measures() -> None:
    qrels = {str(topic): {"a": 2, "b": 1} for topic in range(8)}
    runs = {
        "x": {topic: {"a": 2.0, "b": 1.0} for topic in qrels},
        "y": {topic: {"z": 2.0, "a": 1.0} for topic in qrels},
    }
    found = preferences.silently(qrels, runs, measures="AP RR(rel=2)")
    drawn = [(one["by"], one["share"], one["rule"]) for one in data(preferences_chart(found))]
    assert drawn == [("rpp", 1.0, True), ("AP", 1.0, False), ("RR(rel=2)", 1.0, False)]


def test_a_gate_is_drawn_from_bound_to_bound_and_lit_where_it_fails() -> None:
    rng = np.random.default_rng(1)
    before = rng.random((1, 12, 2))
    after = before + 0.05 * rng.normal(size=before.shape) - [0.3, 0.0]
    decision = gate(scores_of(before, "AP nDCG"), scores_of(after, "AP nDCG"), fail_if="not-shown", margin=0.1)
    drawn = {one["pair"]: one for one in data(gate_chart(decision)) if "pair" in one}
    ends = [(drawn[name]["low"], drawn[name]["high"]) for name in ("AP", "nDCG")]
    assert ends == list(zip(decision.bound.tolist(), decision.upper.tolist(), strict=True))
    assert [drawn[name]["failed"] for name in ("AP", "nDCG")] == [True, False]
    assert {one["at"] for one in data(gate_chart(decision)) if "at" in one} == {-0.1, 0.0}
