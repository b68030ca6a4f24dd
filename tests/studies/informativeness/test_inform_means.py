"""Informativeness: which lists count, means, intervals, the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradeval import InputError, JudgedRuns, Run, judge
from gradeval.formula.arithmetic import Array
from gradeval.formula.spelling import parse_measure
from gradeval.studies.informativeness.inform import FIELDS, Informativeness, inform, with_notes
from gradeval.studies.simulate import simulate_collection


@pytest.fixture(scope="module")
def simulated() -> JudgedRuns:
    drawn = simulate_collection(topics=8, systems=5, levels=3, depth=60, judged_share=0.8, spread=0.8, seed=3)
    return judge(drawn.qrels, [Run.from_dict(run, name) for name, run in drawn.runs.items()])


def handmade(errors: Array, converged: Array, topic: list[int], samples: int = 0) -> Informativeness:
    measures = [parse_measure("AP"), parse_measure("nDCG")][: len(errors)]
    runs = np.zeros(len(topic), int)
    axes = (runs, np.array(topic), measures, (1.0,), ["run"], ["a", "b", "c"])
    result = Informativeness(errors, converged, *axes, "retrieved", 5, len(topic))
    if not samples:
        return with_notes(result)
    return replace(result, interval=result.ci(0.05, 0, samples), alpha=0.05, samples=samples, seed=0)


def test_the_mean_runs_over_the_lists_that_were_found_for_every_measure() -> None:
    errors = np.array([[[0.1, 0.2, 0.6]], [[0.3, 0.5, 0.7]]])
    converged = np.array([[True, True, True], [True, False, True]])
    result = handmade(errors, converged, [0, 0, 2])
    assert result.counted.tolist() == [True, False, True]
    assert result.mean() == pytest.approx(np.array([[(0.1 + 0.6) / 2], [(0.3 + 0.7) / 2]]))


def test_intervals_draw_topics_with_all_their_lists() -> None:
    """Of two topics, both are drawn half of the time, and each alone a quarter of it."""
    result = handmade(np.array([[[0.1, 0.2, 0.6]]]), np.ones((1, 3), bool), [0, 0, 1])
    assert result.ci(0.1) == pytest.approx(np.array([[[(0.1 + 0.2) / 2, 0.6]]]))
    assert result.ci(0.6) == pytest.approx(np.array([[[(0.1 + 0.2 + 0.6) / 3] * 2]]))


def test_intervals_depend_on_their_seed_alone(simulated: JudgedRuns) -> None:
    result = inform(simulated, "AP GAP", least=2)
    assert result.ci(seed=1).tolist() == result.ci(seed=1).tolist()
    assert result.ci(seed=1).tolist() != result.ci(seed=2).tolist()
    low, high = np.moveaxis(result.ci(), -1, 0)
    assert (low < result.mean()).all()
    assert (result.mean() < high).all()


def test_a_mean_or_an_interval_of_too_little_is_refused() -> None:
    errors = np.full((1, 1, 2), 0.1)
    with pytest.raises(InputError, match="no list of maximum entropy was found"):
        handmade(errors, np.zeros((1, 2), bool), [0, 1]).mean()
    with pytest.raises(InputError, match="lists of at least 2 topics"):
        handmade(errors, np.ones((1, 2), bool), [1, 1]).ci()
    for options in ({"alpha": 1.0}, {"samples": 0}):
        with pytest.raises(InputError, match="is not"):
            handmade(errors, np.ones((1, 2), bool), [0, 1]).ci(**options)


def test_bounds_are_held_where_samples_were_asked_for(simulated: JudgedRuns) -> None:
    result = inform(simulated, "AP GAP", least=2, samples=50, alpha=0.1, seed=3)
    assert result.interval is not None
    assert result.interval.tolist() == result.ci(0.1, 3, 50).tolist()
    assert inform(simulated, "AP GAP", least=2, samples=0).interval is None


def test_the_table_shows_means_intervals_and_what_failed() -> None:
    errors = np.array([[[0.1, 0.2, 0.6]], [[0.3, 0.5, 0.7]]])
    converged = np.array([[True, True, True], [True, False, True]])
    lines = str(handmade(errors, converged, [0, 0, 2])).splitlines()
    assert lines[0].split() == "measure RMS from grade 1 sum not inferred".split()
    assert lines[2].split() == ["AP", "0.3500*", "0.3500*", "0"]  # (0.1 + 0.6) / 2
    assert lines[3].split() == ["nDCG", "0.5000", "0.5000", "1"]
    assert lines[-2] == "1 of these rankings are left out of the means, as some measure leaves their curve open"
    assert lines[-1].startswith("not inferred by nDCG: topic ")
    with_bounds = handmade(errors, converged, [0, 0, 2], samples=20)
    (low, high) = with_bounds.ci(samples=20)[0, 0]
    assert f"0.3500 [{low:.4f}, {high:.4f}]" in str(with_bounds)


def test_the_exact_values_stand_in_the_frame() -> None:
    pytest.importorskip("pyarrow")
    result = handmade(np.array([[[0.1, 0.2, 0.6]]]), np.ones((1, 3), bool), [0, 0, 1], samples=20)
    frame = result.to_frame()
    assert frame.column_names == FIELDS
    row, *single = frame.to_pylist()
    assert [(line["statistic"], line["value"]) for line in single] == [("rms of ranking", x) for x in (0.1, 0.2, 0.6)]
    assert row["value"] == result.mean()[0, 0]
    assert [row["lower"], row["upper"]] == result.ci(samples=20)[0, 0].tolist()
    assert (row["rankings"], row["topics"], row["least"]) == (3, 2, 5)
