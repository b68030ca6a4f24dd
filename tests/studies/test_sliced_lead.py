"""Where a lead turns: only where Welch's test (SciPy's, corrected by hand) rejects, in slices that it compares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_ind
from score_tables import scores_of

from gradeval.scores.scores import Scores
from gradeval.scores.slices import slice_topics
from gradeval.studies.sliced_lead import SlicedLead, find_sliced_lead

SIZES = {"head": 30, "tail": 12, "few": 4}
LABELS = {
    str(topic + 1): label for topic, label in enumerate(label for label, size in SIZES.items() for _ in range(size))
}


def drawn(seed: int, gaps: dict[str, float], others: int = 2) -> Scores:
    """Run A leads; run B differs from A by a gap in each slice; further runs are lower everywhere by the same."""
    rng = np.random.default_rng(seed)
    first = 0.5 + 0.1 * rng.normal(size=46)
    gap = np.array([gaps[label] for label in LABELS.values()])
    runs = [first, first + gap + 0.05 * rng.normal(size=46)]
    runs += [first - 0.1 + 0.05 * rng.normal(size=46) for _ in range(others)]
    return scores_of(np.stack(runs))


def find(scores: Scores) -> SlicedLead:
    order = np.argsort(-scores.mean()[:, 0]).tolist()
    slices = slice_topics(LABELS, scores.topics, None)
    return find_sliced_lead(scores, [scores.runs[run] for run in order], slices)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "gaps",
    [
        {"head": -0.10, "tail": 0.10, "few": 0.0},  # turns, and the test rejects
        {"head": -0.02, "tail": 0.005, "few": 0.3},  # turns in noise, and in a slice that is not tested
        {"head": -0.20, "tail": -0.05, "few": 0.5},  # depends on the slice, and turns in none that is tested
    ],
)
def test_a_lead_turns_only_where_the_test_rejects(seed: int, gaps: dict[str, float]) -> None:
    scores = drawn(seed, gaps)
    found = find(scores)
    values = scores.values[:, :, 0]
    order = np.argsort(-values.mean(1)).tolist()
    label = np.array(list(LABELS.values()))
    differences = {scores.runs[run]: values[run] - values[order[0]] for run in order[1:]}
    p = {
        run: ttest_ind(gap[label == "head"], gap[label == "tail"], equal_var=False).pvalue
        for run, gap in differences.items()
    }
    corrected, last = {}, 0.0
    for rank, run in enumerate(sorted(p, key=lambda run: p[run])):
        corrected[run] = last = max(last, min(1.0, (len(p) - rank) * p[run]))
    expected = {run: corrected[run] for run in p if corrected[run] < 0.05}
    assert {run: value for _, run, value in found.depending} == pytest.approx(expected, rel=1e-9)
    turned = {
        (one, run): differences[run][label == one].mean()
        for run in expected
        for one in ("head", "tail")
        if differences[run].mean() < 0 < ttest_1samp(differences[run][label == one], 0).confidence_interval(0.95).low
    }
    assert {(one.slice.label, one.run): one.difference for one in found.turned} == pytest.approx(turned)
    behind: dict[str, tuple[float, str]] = {}
    for run in expected:
        for one in ("head", "tail"):
            gap = differences[run][label == one]
            if ttest_1samp(gap, 0).confidence_interval(0.95).high < 0:
                behind[run] = min(behind.get(run, (1.0, "")), (gap.mean(), one))
    assert {one.run: (pytest.approx(one.difference), one.slice.label) for one in found.lost} == behind
    assert {one.label for one in found.tested} == {"head", "tail"}
    assert found.leader == scores.runs[order[0]]


def test_the_three_cases_are_there() -> None:
    """Of the cases above one turns, one is noise, and one depends on the slice without a turn."""
    turns, noise, depends = (
        find(drawn(0, gaps))
        for gaps in (
            {"head": -0.10, "tail": 0.10, "few": 0.0},
            {"head": -0.02, "tail": 0.005, "few": 0.0},
            {"head": -0.20, "tail": -0.05, "few": 0.0},
        )
    )
    assert [(str(one.slice), one.run) for one in turns.turned] == [("slice tail", "B")]
    assert (noise.depending, noise.turned) == ([], [])
    assert ([run for _, run, _ in depends.depending], depends.turned) == (["B"], [])


def test_a_slice_whose_own_interval_includes_0_turns_nothing_and_is_undecided() -> None:
    scores = drawn(0, {"head": -0.20, "tail": 0.0, "few": 0.0})
    gap = (scores.values[1] - scores.values[0])[:, 0]
    tail = np.array(list(LABELS.values())) == "tail"
    scores.values[1, tail, 0] += 0.002 - gap[tail].mean()
    found = find(scores)
    assert [run for _, run, _ in found.depending] == ["B"]
    assert found.turned == []
    assert [(str(one.slice), one.run, round(one.difference, 9)) for one in found.undecided] == [
        ("slice tail", "B", 0.002)
    ]


def test_one_run_or_slices_that_cannot_be_tested_turn_nothing() -> None:
    alone = find(drawn(0, dict.fromkeys(SIZES, 0.0)).sel(runs=["A"]))
    assert (alone.comparison, alone.why, alone.tested, alone.turned) == (None, "there is one run", [], [])
    scores = drawn(0, {"head": -0.1, "tail": 0.1, "few": 0.0})
    few = scores.sel(topics=[topic for topic, label in LABELS.items() if label in ("head", "few")])
    found = find_sliced_lead(few, few.runs, slice_topics(LABELS, few.topics, None))
    assert (found.tested, found.depending, found.turned) == ([], [], [])
    one = scores.sel(topics=["1"])
    assert find_sliced_lead(one, one.runs, slice_topics(LABELS, one.topics, None)).comparison is None
