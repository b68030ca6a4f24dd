"""Training on several workers: the trees of one machine, whatever the partitions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask_tables import ROUNDS, SETTINGS, TRAIN, VALID, continuous, fit, frame_of, partitions_of

from gradeval import Features, SplitQueriesWarning
from gradeval.ltr import LambdaObjective, TreeRanker, load_ranker
from gradeval.ltr.data.validation import Validation
from gradeval.measures import GAP


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_lightgbm_grows_the_trees_of_one_machine(
    clients: Callable[[int], Any], one_machine: TreeRanker, workers: int
) -> None:
    train, valid = partitions_of(TRAIN, [20, 50, 90, 91, 150]), partitions_of(VALID, [1, 40])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing to be moved
        ranker = fit(clients(workers), train, valid=valid, min_rows=10)
    assert ranker.score(VALID) == pytest.approx(one_machine.score(VALID), abs=1e-12)
    assert len(ranker.curve) == len(one_machine.curve)
    assert ranker.best == one_machine.best
    for epoch, alone in zip(ranker.curve, one_machine.curve, strict=True):
        assert epoch == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_xgboost_grows_the_trees_of_one_machine(clients: Callable[[int], Any], workers: int) -> None:
    import xgboost

    ranker = fit(clients(workers), partitions_of(TRAIN, [20, 50, 90]), engine="xgboost", subsample=1.0)
    sizes = np.diff(TRAIN.offsets)
    data = xgboost.QuantileDMatrix(TRAIN.X, TRAIN.grades, qid=np.repeat(np.arange(len(sizes)), sizes))
    settings = {
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_leaves": 5,
        "eta": 0.2,
        "lambda": 0.0,
        "min_child_weight": 2e-3,
        "base_score": 0.0,
    }
    alone = xgboost.train(settings, data, ROUNDS, obj=LambdaObjective("GAP", levels=TRAIN.levels))
    assert len(ranker.curve) == ROUNDS
    assert ranker.score(VALID) == pytest.approx(alone.inplace_predict(VALID.X, predict_type="margin"), abs=1e-5)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_where_bins_differ_trees_are_as_many_and_as_good(clients: Callable[[int], Any], engine: Any) -> None:
    train, valid = continuous(300, 1), continuous(200, 2)
    frames = {"frame": partitions_of(train, [60, 150, 220]), "valid": partitions_of(valid, [100])}
    rankers = [fit(clients(workers), engine=engine, patience=ROUNDS, **frames) for workers in (1, 2, 4)]
    values = [Validation.of(valid, GAP)(ranker.score(valid)) for ranker in rankers]
    assert {len(ranker.curve) for ranker in rankers} == {ROUNDS}
    assert max(values) - min(values) < 0.02  # a tenth of what is between no tree and these
    assert min(values) - Validation.of(valid, GAP)(np.zeros(len(valid))) > 0.2


def test_one_worker_of_lightgbm_grows_exactly_the_trees_of_fit(clients: Callable[[int], Any]) -> None:
    train = continuous(100, 1)
    alone = TreeRanker("lambdarank:nDCG@5", epochs=ROUNDS, **SETTINGS).fit(train)
    ranker = fit(clients(1), partitions_of(train, [10, 70]), objective="lambdarank:nDCG@5")
    assert ranker.score(train).tobytes() == alone.score(train).tobytes()


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_validation_is_that_of_all_queries_in_one_place(clients: Callable[[int], Any], engine: Any) -> None:
    ranker = fit(
        clients(2),
        partitions_of(TRAIN, [20, 150]),
        valid=partitions_of(VALID, [3]),  # very different numbers of queries
        validate_by="gmAP",
        engine=engine,
    )
    best = ranker.curve[ranker.best - 1].valid
    from gradeval.measures import gmAP

    assert Validation.of(VALID, gmAP)(ranker.score(VALID)) == pytest.approx(best, abs=1e-12)


def test_parquet_files_are_a_table(clients: Callable[[int], Any], one_machine: TreeRanker, tmp_path: Path) -> None:
    frame = frame_of(TRAIN)
    (tmp_path / "train").mkdir()
    end = int(TRAIN.offsets[77])
    frame[:end].to_parquet(tmp_path / "train" / "1.parquet", row_group_size=int(TRAIN.offsets[20]))
    frame[end:].to_parquet(tmp_path / "train" / "2.parquet", index=False)
    frame_of(VALID).to_parquet(tmp_path / "valid.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplitQueriesWarning)  # a row group may cut a query
        ranker = fit(clients(2), tmp_path / "train", valid=tmp_path / "valid.parquet", min_rows=10)
    assert ranker.score(VALID) == pytest.approx(one_machine.score(VALID), abs=1e-12)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_the_ranker_is_saved_and_loaded(clients: Callable[[int], Any], engine: Any, tmp_path: Path) -> None:
    ranker = fit(clients(2), partitions_of(TRAIN, [90]), engine=engine)
    ranker.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert loaded.score(VALID).tobytes() == ranker.score(VALID).tobytes()
    assert loaded.card is not None
    assert loaded.card.train["rows"] == len(TRAIN)
    assert loaded.card.train["topics"] == len(TRAIN.topics)
    assert engine in loaded.card.versions


def test_levels_are_those_of_all_workers(clients: Callable[[int], Any]) -> None:
    high = [topic for topic, row in zip(TRAIN.topics, TRAIN.offsets[1:], strict=True) if row]
    order = sorted(high, key=lambda topic: TRAIN.select(topic).grades.max())
    rest = Features.concat([TRAIN.select(topic) for topic in order])
    cut = sum(TRAIN.select(topic).grades.max() < 3 for topic in order)
    assert 0 < cut < len(order)
    ranker = fit(clients(2), partitions_of(rest, [cut]))
    assert ranker.card is not None
    assert ranker.card.levels == [0, 1, 2, 3]
    declared = fit(clients(2), partitions_of(rest, [cut]), levels=(0, 1, 2, 3, 4))
    assert declared.card is not None
    assert declared.card.levels == [0, 1, 2, 3, 4]
