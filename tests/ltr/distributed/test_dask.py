"""Training on several workers: the trees of one machine, whatever the partitions."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gradeval import Features, InputError, SplitQueriesWarning
from gradeval.ltr import LambdaObjective, TreeRanker, load_ranker
from gradeval.ltr.data.validation import Validation
from gradeval.measures import GAP

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")

from gradeval.ltr.dask import WorkerLostError, fit_dask  # noqa: E402
from gradeval.ltr.distributed.parts import Columns  # noqa: E402
from gradeval.ltr.distributed.placing import place_table  # noqa: E402

SETTINGS: dict[str, Any] = {"leaves": 5, "learning_rate": 0.2, "patience": 8}
ROUNDS = 12
LONG = 60  # rounds that take some seconds


def few_values(queries: int, seed: int) -> Features:
    """Queries of 3 to 12 documents. A feature has at most 8 values, so that all workers make the same bins of it."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 13, queries)
    X = rng.integers(0, 8, (sizes.sum(), 5)).astype(np.float32)
    merit = X[:, 0] / 2 + X[:, 1] / 4 + rng.normal(size=len(X))
    names = np.repeat([f"q{number}" for number in range(queries)], sizes)
    return Features.from_arrays(X, np.clip(merit - 2, 0, 3).round(), topics=names, columns=list("abcde"))


def continuous(queries: int, seed: int) -> Features:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10 * queries, 5))
    grades = np.clip(np.round(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=len(X))), 0, 2)
    return Features.from_arrays(X, grades, topics=np.repeat(np.arange(queries), 10), columns=list("abcde"))


TRAIN, VALID = few_values(200, 1), few_values(60, 2)


def frame_of(features: Features) -> pd.DataFrame:
    query = np.repeat(features.topics, np.diff(features.offsets))
    columns = {name: features.X[:, place] for place, name in enumerate(features.columns)}
    return pd.DataFrame({"query": query, **columns, "grade": features.grades.astype(int)})


def partitions_of(features: Features, cuts: list[int]) -> Any:
    """A Dask DataFrame cut between queries."""
    frame, ends = frame_of(features), [0, *features.offsets[cuts].tolist(), len(features)]
    pieces = [frame[begin:end] for begin, end in pairwise(ends)]
    return dd.from_map(lambda piece: piece, pieces, meta=frame[:0])


@pytest.fixture(scope="module")
def clients() -> Iterator[Callable[[int], Any]]:
    """Clients of clusters with so many workers, in this process."""
    opened: dict[int, Any] = {}

    def client(workers: int) -> Any:
        if workers not in opened:
            cluster = distributed.LocalCluster(
                n_workers=workers, processes=False, threads_per_worker=1, dashboard_address=":0"
            )
            opened[workers] = distributed.Client(cluster)
            assert len(opened[workers].ncores()) == workers
        return opened[workers]

    yield client
    for each in opened.values():
        cluster = each.cluster
        each.close()
        cluster.close()


def fit(client: Any, frame: Any, **changes: Any) -> TreeRanker:
    return fit_dask(client, frame, label="grade", qid="query", **{"rounds": ROUNDS, **SETTINGS, **changes})


@pytest.fixture(scope="module")
def one_machine() -> TreeRanker:
    return TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=10, **SETTINGS).fit(TRAIN, VALID)


# The trees


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
    objective = LambdaObjective("GAP", levels=TRAIN.levels)
    data = xgboost.QuantileDMatrix(TRAIN.X, TRAIN.grades)
    settings = {
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_leaves": 5,
        "eta": 0.2,
        "lambda": 0.0,
        "min_child_weight": 1e-3,
        "base_score": 0.0,
    }

    def gradients(scores: Any, _: Any) -> Any:
        return objective.gradients(scores.astype(float), TRAIN.grades, TRAIN.offsets)

    alone = xgboost.train(settings, data, ROUNDS, obj=gradients)
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


# Queries that are cut


def test_cut_and_scattered_queries_are_brought_together(clients: Callable[[int], Any], one_machine: TreeRanker) -> None:
    frame = frame_of(TRAIN)
    train = dd.from_pandas(frame, npartitions=7, sort=False)
    valid = partitions_of(VALID, [30])
    with pytest.warns(SplitQueriesWarning, match="queries had rows in several partitions, which were moved into one"):
        ranker = fit(clients(2), train, valid=valid, min_rows=10)
    assert ranker.score(VALID) == pytest.approx(one_machine.score(VALID), abs=1e-12)


def test_rows_in_any_order_make_the_queries_in_the_order_of_their_first_rows(clients: Callable[[int], Any]) -> None:
    frame = frame_of(TRAIN).sample(frac=1, random_state=1)
    topics = list(dict.fromkeys(frame["query"]))
    grouped = pd.concat([frame[frame["query"] == topic] for topic in topics])
    together = Features.from_arrays(
        grouped[list("abcde")].to_numpy(), grouped["grade"].to_numpy(), topics=grouped["query"], columns=list("abcde")
    )
    alone = TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=1, **SETTINGS).fit(together)
    with pytest.warns(SplitQueriesWarning, match="had their rows apart in a partition, which were put together"):
        ranker = fit(clients(2), dd.from_pandas(frame, npartitions=5, sort=False), min_rows=1)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-12)


def test_rows_in_any_order_are_shared_out_evenly(clients: Callable[[int], Any]) -> None:
    # nearly every query has a row in the first of the parts; not all may end there
    frame = frame_of(TRAIN).sample(frac=1, random_state=1)
    with pytest.warns(SplitQueriesWarning):
        table = place_table(
            clients(2),
            dd.from_pandas(frame, npartitions=4, sort=False),
            Columns("grade", "query"),
            list(clients(2).ncores()),
            "table",
        )
    parts = [part.features for part in clients(2).gather(table.parts)]
    assert [topic for part in parts for topic in part.topics] == list(dict.fromkeys(frame["query"]))
    assert all(abs(len(part) - len(frame) / 4) <= 12 for part in parts)  # at most the rows of a query
    for part in parts:
        for topic in part.topics:
            mine = frame[frame["query"] == topic]
            assert (mine[list("abcde")].to_numpy() == part.select(topic).X).all()
            assert (part.select(topic).grades == mine["grade"].to_numpy()).all()


def test_a_part_with_nothing_but_the_end_of_a_query_is_left_empty(clients: Callable[[int], Any]) -> None:
    frame, end = frame_of(VALID), int(VALID.offsets[10])
    pieces = [frame[: end - 1], frame[end - 1 : end], frame[end:]]
    valid = dd.from_map(lambda piece: piece, pieces, meta=frame[:0])
    with pytest.warns(SplitQueriesWarning, match="1 query had rows in several partitions"):
        ranker = fit(clients(2), partitions_of(TRAIN, [90]), valid=valid)
    best = ranker.curve[ranker.best - 1].valid
    assert Validation.of(VALID, GAP)(ranker.score(VALID)) == pytest.approx(best, abs=1e-12)


def test_several_workers_grow_many_trees_alike_where_rows_in_leaves_are_not_limited(
    clients: Callable[[int], Any],
) -> None:
    alone = TreeRanker("lambdarank:ERR", epochs=40, min_rows=1, **SETTINGS).fit(TRAIN)
    ranker = fit(clients(4), partitions_of(TRAIN, [50, 90, 150]), objective="lambdarank:ERR", min_rows=1, rounds=40)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-9)


def test_a_cut_query_would_train_another_model(one_machine: TreeRanker) -> None:
    # what the exchange prevents: each query in two halves, as if they were two
    halves = [
        f"{topic}-{row % 2}"
        for topic, size in zip(TRAIN.topics, np.diff(TRAIN.offsets), strict=True)
        for row in sorted(range(size), key=lambda row: row % 2)
    ]
    cut = Features.from_arrays(TRAIN.X, TRAIN.grades, topics=halves, columns=list("abcde"))
    other = TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=10, **SETTINGS).fit(cut, VALID)
    assert np.abs(other.score(VALID) - one_machine.score(VALID)).max() > 0.01


# Files, levels, models


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


def test_a_worker_without_anything_to_learn_is_left_out(clients: Callable[[int], Any]) -> None:
    flat = TRAIN.select(TRAIN.topics[:30]).with_grades(np.zeros(int(TRAIN.offsets[30])))
    rest = TRAIN.select(TRAIN.topics[30:])
    whole = Features.concat([flat, rest])
    ranker = fit(clients(2), partitions_of(whole, [30]), min_rows=10)
    alone = TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=10, **SETTINGS).fit(whole)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-12)


# Interruptions


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


# Refusals


def refusal(client: Any, frame: Any, **changes: Any) -> str:
    with pytest.raises(InputError) as refused:
        fit(client, frame, **changes)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_what_does_not_fit_is_refused_in_one_line(clients: Callable[[int], Any], tmp_path: Path) -> None:
    client, train = clients(2), partitions_of(TRAIN, [90])
    renamed = train.rename(columns={"grade": "grades"})
    assert refusal(client, renamed).startswith("table, partition 0: no column 'grade'")
    assert refusal(client, train.assign(a=np.inf)).startswith("table, partition 0: row 0: ")
    assert refusal(client, train, engine="catboost").startswith("engine='catboost' is not 'lightgbm' or 'xgboost'")
    assert refusal(client, train, leafs=3).startswith("leafs= is no parameter of fit_dask")
    assert refusal(client, train, threads=2).startswith("threads= is no parameter of fit_dask")
    assert refusal(client, train, engine="xgboost", min_rows=5).startswith("min_rows: XGBoost has no least number")
    assert refusal(client, train, levels=(0, 1, 2)).startswith("table: grade 3 is not one of the levels 0,1,2")
    assert refusal(client, train, rounds=0).startswith("rounds=0")
    assert refusal(client, train, resume=True).startswith("resume=True needs checkpoint=")
    assert refusal(client, train, valid=train.drop(columns="a")).startswith("validation table: 4 features, table has 5")
    assert refusal(client, frame_of(TRAIN).to_numpy()).startswith("table: a ndarray is no table on a cluster; give")
    assert refusal(None, train).startswith("client is a NoneType; give a distributed.Client")
    assert "holds no rows" in refusal(client, tmp_path)
    (tmp_path / "x.parquet").write_text("no")
    assert "cannot be read as Parquet" in refusal(client, tmp_path)
    assert "holds no rows" in refusal(client, train[train["grade"] > 9])
    flat = partitions_of(TRAIN.with_grades(np.zeros(len(TRAIN))), [90])
    assert refusal(client, flat, levels=(0, 1)).startswith("table: nothing to learn: no query has documents of")
    same = partitions_of(Features.from_arrays(TRAIN.X * 0, TRAIN.grades, sizes=np.diff(TRAIN.offsets)), [90])
    assert "every feature has one value throughout" in refusal(client, same)
    assert "every feature has one value throughout" in refusal(client, same, engine="xgboost")
    file = tmp_path / "notes"
    file.write_text("mine")
    assert "a file of something else" in refusal(client, train, checkpoint=file)
    assert file.read_text() == "mine"
