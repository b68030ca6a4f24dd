"""Trainings on several workers that are interrupted: checkpoints, lost workers, and what a caller is told meanwhile."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dask_tables import TRAIN, VALID, few_values, fit, partitions_of

from gradeval import InputError
from gradeval.ltr import Epoch
from gradeval.ltr.dask import WorkerLostError

distributed = pytest.importorskip("distributed")

LONG = 60  # rounds that take some seconds


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_a_training_continues_from_its_checkpoint_on_other_workers(
    clients: Callable[[int], Any], engine: Any, tmp_path: Path
) -> None:
    train, valid, file = partitions_of(TRAIN, [20, 50, 90]), partitions_of(VALID, [40]), tmp_path / "checkpoint"
    whole = fit(clients(2), train, valid=valid, engine=engine, patience=99)
    fit(clients(2), train, valid=valid, engine=engine, patience=99, rounds=5, checkpoint=file)
    rest = fit(clients(4), train, valid=valid, engine=engine, patience=99, checkpoint=file, resume=True)
    assert rest.score(VALID) == pytest.approx(whole.score(VALID), abs=1e-6)
    assert [epoch.number for epoch in rest.curve] == [epoch.number for epoch in whole.curve]
    other = "xgboost" if engine == "lightgbm" else "lightgbm"
    with pytest.raises(InputError, match=r"of a training with other .*; train from the beginning"):
        fit(clients(2), train, valid=valid, engine=other, patience=99, checkpoint=file, resume=True)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("which", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_lost_worker_stops_the_training_and_the_rest_continues(engine: Any, which: int, tmp_path: Path) -> None:
    train, file = partitions_of(few_values(400, 1), [100, 200, 300]), tmp_path / "checkpoint"
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        doomed = client.run(os.getpid)[list(client.ncores())[which]]

        def kill() -> None:
            while not file.exists():
                time.sleep(0.01)
            os.kill(doomed, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(WorkerLostError, match=r"was lost, so training stopped; call again with resume=True"):
            fit(client, train, rounds=LONG, engine=engine, checkpoint=file)
        killer.join()
        ranker = fit(client, train, rounds=LONG, engine=engine, checkpoint=file, resume=True)
        whole = fit(client, train, rounds=LONG, engine=engine)
    assert len(ranker.curve) == len(whole.curve) == LONG
    # on another number of workers sums are rounded differently, which decides splits after many trees
    for epoch, uninterrupted in zip(ranker.curve[:5], whole.curve[:5], strict=True):
        assert epoch.objective == pytest.approx(uninterrupted.objective, abs=1e-6)
    assert ranker.curve[-1].objective == pytest.approx(whole.curve[-1].objective, abs=0.02)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_a_caller_is_told_of_every_epoch_in_order(clients: Callable[[int], Any], engine: Any, tmp_path: Path) -> None:
    train, valid, file = partitions_of(TRAIN, [90]), partitions_of(VALID, [40]), tmp_path / "checkpoint"
    told: list[Epoch] = []
    settings: dict[str, Any] = {"valid": valid, "engine": engine, "patience": 99, "progress": told.append}
    ranker = fit(clients(2), train, rounds=5, checkpoint=file, **settings)
    assert told == list(ranker.curve)
    told.clear()
    again = fit(clients(2), train, rounds=8, checkpoint=file, resume=True, **settings)
    assert told == list(again.curve[5:])  # and of none that was done before


def test_true_shows_a_bar(clients: Callable[[int], Any], capfd: pytest.CaptureFixture[str]) -> None:
    fit(clients(2), partitions_of(TRAIN, [90]), rounds=3, progress=True)
    assert "training" in capfd.readouterr().err


class Stopped(Exception):
    pass


def test_a_caller_who_stops_ends_the_training(clients: Callable[[int], Any]) -> None:
    def stop(epoch: Epoch) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        fit(clients(2), partitions_of(TRAIN, [90]), rounds=10**5, patience=10**5, progress=stop)
    assert len(fit(clients(2), partitions_of(TRAIN, [90]), rounds=2).curve) == 2  # the workers are free again
