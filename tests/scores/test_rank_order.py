"""Runs whose scores rise from rank to rank, whatever their ties."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from gradeval import RanksWarning, check, evaluate

TOPICS = 4
LENGTH = 60


def draw(seed: int, ties: float, falls: float) -> list[list[int]]:
    """Scores by topic from rank to rank: they stay with the first probability, else fall with the second, else rise."""
    rng = np.random.default_rng(seed)
    steps = np.where(rng.random((TOPICS, LENGTH)) < falls, -1, 1) * (rng.random((TOPICS, LENGTH)) >= ties)
    return [[int(one) for one in np.cumsum(row)] for row in steps]


def count(scores: list[list[int]]) -> tuple[int, int]:
    """How often the scores rise and fall, pair by pair."""
    rises = falls = 0
    for row in scores:
        for place in range(1, len(row)):
            if row[place] > row[place - 1]:
                rises += 1
            elif row[place] < row[place - 1]:
                falls += 1
    return rises, falls


def is_more_than_chance(rises: int, changes: int) -> bool:
    """Would fair coins rise so often with a probability below .05?"""
    return bool(binomtest(rises, changes, alternative="greater").pvalue < 0.05)


@pytest.mark.parametrize("topics", [1, 4])
@pytest.mark.parametrize("length", range(2, 8))
def test_few_rises_are_not_upside_down(topics: int, length: int, tmp_path: Path) -> None:
    run = write(tmp_path / "r", [[*range(length)] for _ in range(topics)], backwards=False)
    (file,) = check(None, run).files
    changes = topics * (length - 1)
    assert file.contradictions == changes
    assert file.upside_down == is_more_than_chance(changes, changes)
    assert bool(file.faults) == file.upside_down
    said = [str(note) for note in evaluate({"0": {"d1": 1}}, run, "AP").notes if note.category is RanksWarning]
    assert any("contradict the scores" in note for note in said)


def write(path: Path, scores: list[list[int]], *, backwards: bool) -> Path:
    lines = [
        f"{topic} Q0 d{rank} {rank} {score} r\n"
        for topic, row in enumerate(scores)
        for rank, score in enumerate(row, 1)
    ]
    path.write_text("".join(lines[::-1] if backwards else lines))
    return path


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("falls", [0, 0.05, 0.3, 0.5])
@pytest.mark.parametrize("ties", [0, 0.2, 0.7, 0.95])
def test_a_run_is_upside_down_where_nearly_no_change_is_a_fall(
    ties: float, falls: float, backwards: bool, tmp_path: Path
) -> None:
    for seed in range(3):
        scores = draw(seed, ties, falls)
        rises, fallen = count(scores)
        run = write(tmp_path / "r", scores, backwards=backwards)
        qrels = {str(topic): {"d1": 1} for topic in range(TOPICS)}
        expected = rises >= 0.9 * (rises + fallen) and is_more_than_chance(rises, rises + fallen)
        (file,) = check(None, run).files
        assert file.contradictions == rises
        assert file.upside_down == expected
        assert any("rises from rank to rank" in fault for fault in file.faults) == expected
        said = [str(note) for note in evaluate(qrels, run, "AP").notes if note.category is RanksWarning]
        assert any("so the last rank counts as the first" in note for note in said) == expected
        assert any("the scores decide" in note for note in said) == (not expected)


@pytest.mark.parametrize("order", [sorted, lambda scores: scores[::-1]])
def test_half_rises_and_half_falls_are_not_upside_down(order: Callable[[list[str]], list[str]], tmp_path: Path) -> None:
    run = write(tmp_path / "r", [[0, 1] * 30], backwards=False)  # all tied, as scores of one decimal
    assert [file.upside_down for file in check(None, run).files] == [False]
    lines = run.read_text().splitlines()
    run.write_text("\n".join(order(lines)) + "\n")  # lines in another order
    assert [file.upside_down for file in check(None, run).files] == [False]
