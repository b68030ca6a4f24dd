from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawings import data, texts

import gradeval
from gradeval.charts.plotting import plot

pytest.importorskip("altair")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_means_are_drawn_with_their_intervals(scores: gradeval.Scores) -> None:
    chart = plot(scores).altair
    first = data(chart)[: len(scores.runs)]
    order = np.argsort(-scores.mean()[:, 0], kind="stable")
    assert [record["run"] for record in first] == [scores.runs[place] for place in order]
    assert [record["mean"] for record in first] == scores.mean()[order, 0].tolist()
    bounds = scores.ci()[order, 0]
    assert [[record["low"], record["high"]] for record in first] == bounds.tolist()
    assert "intervals: 95% confidence over topics" in texts(chart)


def test_one_topic_has_no_interval(scores: gradeval.Scores) -> None:
    records = data(plot(scores.sel(topics=scores.topics[:1])).altair)
    assert len(records) >= len(scores.runs)
    assert all(record["low"] == record["high"] == record["mean"] for record in records)


def test_curves_are_drawn(judged: gradeval.JudgedRuns) -> None:
    curves = gradeval.curve(judged)
    said = texts(plot(curves).altair)
    areas = curves.areas.mean()[:, 0].tolist()
    assert all(f"{run} {area:.4f}" in said for run, area in zip(curves.runs, areas, strict=True))


def test_how_sure_an_order_is_is_drawn(scores: gradeval.Scores, judged: gradeval.JudgedRuns) -> None:
    chosen = scores.sel(runs=scores.runs[:4], measures="AP nDCG@10")
    equal = gradeval.equivalence(chosen, margin=0.05)
    drawn = [one for one in data(plot(equal).altair) if "equivalent" in one]
    verdicts = {one["low"]: one["equivalent"] for one in drawn}
    assert verdicts == dict(zip(equal.interval[..., 0].ravel(), equal.equivalent.ravel(), strict=True))
    assert {one["at"] for one in data(plot(equal).altair) if "at" in one} == {-0.05, 0.0, 0.05}
    needed = gradeval.topic_set_size(scores.sel(measures="AP NumRelRet"), differences=[0.05, 0.1])
    topics = [
        (one["measure"], one["difference"], one["topics"]) for one in data(plot(needed).altair) if "topics" in one
    ]
    for place, difference in enumerate(needed.differences):
        assert ("AP", difference, needed.needed[0, place]) in topics
    left = gradeval.leave_out(judged, "AP")
    ranks = {one["run"]: (one["rank"], one["without"]) for one in data(plot(left).altair) if "without" in one}
    assert ranks == dict(zip(left.runs, zip(left.rank[0], left.rank_without[0], strict=True), strict=True))
    shallow = {one["run"]: one["shallow"] for one in data(plot(left).altair) if "shallow" in one}
    assert shallow == dict(zip(left.runs, left.rank_shallow[0], strict=True))
    said = plot(left).altair.to_dict()["title"]["subtitle"]
    assert "triangle: by pools of depth 10" in said[1]
    differences = gradeval.correlation_differences(
        scores.sel(measures="AP nDCG@10 NumRelRet"), reference="AP", samples=50
    )
    one, *_ = [record for record in data(plot(differences).altair) if "sure" in record]
    assert one["difference"] == differences.difference.item()


def test_a_point_has_the_mean_of_a_run_and_the_mean_of_its_steps() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(4)}
    runs = {"x": {t: {"a": 2.0, "b": 1.0} for t in qrels}, "y": {t: {"a": 1.0, "b": 2.0} for t in qrels}}
    drawn = data(plot(gradeval.interval_scale(gradeval.judge(qrels, runs), measures="RR@4")).altair)
    assert [(one["run"], one["mean"], one["steps"]) for one in drawn] == [("x", 1.0, 1.0), ("y", 0.5, 0.75)]
