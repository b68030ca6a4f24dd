from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from small_crossvalidation import PARTS, run

from gradeval import InputError
from gradeval.ltr.trials import Plan, Result, Trial, run_trials

pytest.importorskip("lightgbm")

ORPHANS = """
import os, signal
from small_crossvalidation import run
if __name__ == "__main__":
    run(seeds=9, jobs=2, progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""

INTERRUPTED = """
import os, signal, sys, threading, time
from small_crossvalidation import run
def interrupt():
    while not any(name.endswith(".checkpoint") for name in os.listdir(sys.argv[1])):
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # one in the background ignores it
    threading.Thread(target=interrupt, daemon=True).start()
    run(jobs=2, work=sys.argv[1], epochs=10**6, patience=10**6)
"""


def test_processes_do_not_outlive_a_killed_caller(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(ORPHANS)
    folders = os.pathsep.join([str(Path(__file__).parents[1] / "support"), *sys.path])
    # Its processes hold the pipes: run() returns when all of them are gone.
    command = [sys.executable, tmp_path / "main.py"]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": folders}, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_an_interruption_of_the_caller_ends_what_is_being_trained(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "main.py").write_text(INTERRUPTED)
    folders = os.pathsep.join([str(Path(__file__).parents[1] / "support"), *sys.path])
    command = [sys.executable, tmp_path / "main.py", tmp_path / "work"]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": folders}, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == -signal.SIGINT, done.stderr


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_in_a_training_names_it(jobs: int) -> None:
    flat = [part.with_grades(np.zeros(len(part))) for part in PARTS]
    with pytest.raises(InputError, match=r"fold \d, lambdarank:AP, seed 0: .*nothing to learn"):
        run(flat, "lambdarank:AP", jobs=jobs)


@pytest.mark.parametrize(("threads", "trainings"), [(1, 8), (2, 4), (3, 2), (8, 1), (99, 1), (0, 1)])
def test_as_many_trainings_run_at_a_time_as_the_cores_allow(
    threads: int, trainings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[int] = []

    def note(plan: Plan, trials: Sequence[Trial], count: int) -> Iterator[tuple[Trial, Result]]:
        jobs.append(count)
        return run_trials(plan, trials, 1)

    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("gradeval.ltr.crossvalidation.run_trials", note)
    run(jobs=0, epochs=1, threads=threads)
    run(jobs=3, epochs=1, threads=threads)
    assert jobs == [trainings, 3]
