"""Judgments, runs and their meeting go to other processes and give the same numbers there."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import AP, GAP, Qrels, Run, evaluate, judge, nDCG, read_qrels, read_run
from gradeval.files.trec import write_qrels, write_run

WAYS: list[Callable[[Any], Any]] = [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy, copy.copy]
MEASURES = [AP, nDCG @ 5, GAP]


def drawn(seed: int = 1) -> tuple[Qrels, list[Run]]:
    rng = np.random.default_rng(seed)
    qrels = {
        str(topic): {f"d{d}": int(rng.integers(-1, 4)) for d in rng.choice(60, 20, replace=False)} for topic in range(9)
    }
    runs = [
        Run.from_dict(
            {str(t): {f"d{d}": float(rng.integers(30)) / 7 for d in rng.permutation(60)[:40]} for t in range(n, 9)},
            f"run {n}",
        )
        for n in range(3)
    ]
    return Qrels.from_dict(qrels), runs


def of_files(folder: Path) -> tuple[Qrels, list[Run]]:
    qrels, runs = drawn()
    write_qrels(qrels, folder / "qrels.txt")
    for number, run in enumerate(runs):
        write_run(run, folder / f"{number}.run", tag=f"tag{number}")
    return read_qrels(folder / "qrels.txt"), [read_run(folder / f"{number}.run") for number in range(len(runs))]


@pytest.mark.parametrize("again", WAYS)
@pytest.mark.parametrize("from_files", [False, True])
def test_scores_after_a_round_trip_are_the_same_to_the_bit(
    tmp_path: Path, again: Callable[[Any], Any], from_files: bool
) -> None:
    qrels, runs = of_files(tmp_path) if from_files else drawn()
    expected = evaluate(qrels, runs, MEASURES).values.tobytes()
    assert evaluate(again(qrels), again(runs), MEASURES).values.tobytes() == expected
    chosen = again(qrels.with_levels([0, 1, 2, 3]).select(["3", "1"]))
    assert (chosen.topics, chosen.levels) == (["1", "3"], (0, 1, 2, 3))


@pytest.mark.parametrize("again", WAYS)
def test_judged_runs_after_a_round_trip_are_the_same_to_the_bit(again: Callable[[Any], Any]) -> None:
    judged = judge(*drawn(), negative="unjudged")
    expected = [judged.map(measure).tobytes() for measure in MEASURES]
    copied = again(judged)
    assert [copied.map(measure).tobytes() for measure in MEASURES] == expected
    assert (copied.runs, copied.topics, copied.levels) == (judged.runs, judged.topics, judged.levels)
    assert copied.judged_retrieved.tolist() == judged.judged_retrieved.tolist()
    assert copied.unjudged_topics == judged.unjudged_topics


def scores_of(given: tuple[Qrels, list[Run]]) -> bytes:
    return evaluate(*given, MEASURES).values.tobytes()


def test_another_process_that_was_started_afresh_gives_the_same_numbers(tmp_path: Path) -> None:
    """Ids are hashed in another way there."""
    both = [drawn(), of_files(tmp_path)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(scores_of, both) == [scores_of(given) for given in both]
