"""Trees on a Dask cluster: those of one machine, whatever the workers and partitions; and what is refused."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dask_tables import ALONE, ROUNDS, TRAIN, VALID, continuous, dd, fit, frame_of, partitions_of
from dask_workers import worker_cluster, worker_processes

from gradeval import Features, FeaturesWarning, InputError, SplitQueriesWarning
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, TreeRanker, load_ranker
from gradeval.ltr.cluster import GRADE, _place, fit_dask
from gradeval.ltr.data.validation import Validation
from gradeval.measures import GAP, gmAP

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def one_machine() -> TreeRanker:
    return TreeRanker("lambdarank:GAP", epochs=ROUNDS, **ALONE).fit(TRAIN)


@pytest.fixture(scope="module")
def by_xgboost() -> Array:
    """The scores of XGBoost on one machine."""
    import xgboost

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
    scores: Array = alone.inplace_predict(VALID.X, predict_type="margin")
    return scores


@pytest.fixture(scope="module")
def processes() -> Iterator[Callable[[int], Any]]:
    with worker_processes("lightgbm", "xgboost", "gradeval.ltr.cluster") as scaled:
        yield scaled


@pytest.mark.slow
@pytest.mark.parametrize("workers", [4, 2, 1])
def test_processes_grow_the_trees_of_one_machine(
    processes: Callable[[int], Any], workers: int, one_machine: TreeRanker, by_xgboost: Array
) -> None:
    train, client = partitions_of(TRAIN, [20, 50, 90, 91, 150]), processes(workers)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SplitQueriesWarning)  # nothing to be moved
        ranker = fit(client, train)
        other = fit(client, train, engine="xgboost")
    assert ranker.score(VALID) == pytest.approx(one_machine.score(VALID), abs=1e-12)
    assert ranker.best == one_machine.best
    assert other.score(VALID) == pytest.approx(by_xgboost, abs=1e-5)


def test_a_share_goes_to_its_worker_also_while_that_is_busy(clients: Callable[[int], Any]) -> None:
    client = clients(2)
    cores = client.ncores()
    first, second = cores
    busy = [client.submit(time.sleep, 0.3, workers=[first], pure=False) for _ in range(2 * cores[first])]
    table = _place(client, partitions_of(TRAIN, [20, 50, 90]), "frame", "grade", "query", TRAIN.levels, [])
    busy += [client.submit(time.sleep, 0.3, workers=[second], pure=False) for _ in range(2 * cores[second])]
    assert [home for home, _ in table.shares] == [first, second]
    rows = [int(TRAIN.offsets[50]), len(TRAIN) - int(TRAIN.offsets[50])]
    assert table.lengths == rows
    for array in (table.features(client), table.array(client, GRADE), table.queries(client), table.sizes(client)):
        places = client.who_has(client.futures_of(array))
        assert sorted(map(list, places.values())) == sorted([[first], [second]])


def test_threads_grow_the_trees_of_one_machine(clients: Callable[[int], Any], one_machine: TreeRanker) -> None:
    ranker = fit(clients(2), partitions_of(TRAIN, [90]))
    assert ranker.score(VALID) == pytest.approx(one_machine.score(VALID), abs=1e-12)


def test_many_trees_are_grown_alike(clients: Callable[[int], Any]) -> None:
    """Not for ERR: by its hessians, next to nothing for many rows, LightGBM takes leaves of some workers for empty."""
    alone = TreeRanker("lambdarank:GAP", epochs=40, **ALONE).fit(TRAIN)
    ranker = fit(clients(4), partitions_of(TRAIN, [50, 90, 150]), objective="lambdarank:GAP", rounds=40)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-9)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_where_bins_differ_trees_are_as_many_and_as_good(clients: Callable[[int], Any], engine: Any) -> None:
    train, valid = continuous(300, 1), continuous(200, 2)
    frame = partitions_of(train, [60, 150, 220])
    rankers = [fit(clients(workers), frame, engine=engine, levels=train.levels) for workers in (1, 2, 4)]
    values = [Validation.of(valid, GAP)(ranker.score(valid)) for ranker in rankers]
    assert {ranker.best for ranker in rankers} == {ROUNDS}
    assert max(values) - min(values) < 0.02  # a tenth of what is between no tree and these
    assert min(values) - Validation.of(valid, GAP)(np.zeros(len(valid))) > 0.2


def test_xgboost_stops_by_all_validation_queries(clients: Callable[[int], Any]) -> None:
    ranker, longer = (
        fit(
            clients(2),
            partitions_of(TRAIN, [20, 150]),
            valid=partitions_of(VALID, [3]) if patience else None,  # very different numbers of queries
            validate_by="gmAP" if patience else None,
            engine="xgboost",
            rounds=40,
            patience=patience or 1,
        )
        for patience in (3, 0)
    )
    validation = Validation.of(VALID, gmAP)
    values = [
        validation(longer.booster.inplace_predict(VALID.X, iteration_range=(0, number))) for number in range(1, 41)
    ]
    first = next(n for n in range(40) if values[n] > max([-1.0, *values[:n]]) and values[n] >= max(values[n : n + 4]))
    assert ranker.best == first + 1 < 37
    assert validation(ranker.score(VALID)) == pytest.approx(values[first], abs=1e-12)


def test_a_worker_with_validation_data_alone_is_no_trouble(clients: Callable[[int], Any]) -> None:
    ranker = fit(clients(2), partitions_of(TRAIN, []), valid=partitions_of(VALID, [20, 40]), engine="xgboost")
    alone = fit(clients(1), partitions_of(TRAIN, []), valid=partitions_of(VALID, []), engine="xgboost")
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-6)


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


def test_cut_queries_are_brought_together(clients: Callable[[int], Any], one_machine: TreeRanker) -> None:
    frame = dd.from_pandas(frame_of(TRAIN), npartitions=7, sort=False)
    with pytest.warns(SplitQueriesWarning, match="queries have rows in several partitions, so Dask shuffles"):
        ranker = fit(clients(2), frame)
    assert ranker.score(VALID) == pytest.approx(one_machine.score(VALID), abs=1e-12)


@pytest.mark.parametrize("partitions", [1, 5])
def test_rows_of_a_query_keep_their_order(clients: Callable[[int], Any], partitions: int) -> None:
    frame = frame_of(TRAIN).sample(frac=1, random_state=1)
    topics = list(dict.fromkeys(frame["query"]))
    grouped = pd.concat([frame[frame["query"] == topic] for topic in topics])
    together = Features.from_arrays(
        grouped[list("abcde")].to_numpy(), grouped["grade"].to_numpy(), topics=grouped["query"], columns=list("abcde")
    )
    alone = TreeRanker("lambdarank:GAP", epochs=ROUNDS, **ALONE).fit(together)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplitQueriesWarning)
        ranker = fit(clients(2), dd.from_pandas(frame, npartitions=partitions, sort=False))
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-12)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_a_worker_without_anything_to_learn_is_left_out(clients: Callable[[int], Any], engine: Any) -> None:
    flat = TRAIN.select(TRAIN.topics[:30]).with_grades(np.zeros(int(TRAIN.offsets[30])))
    whole = Features.concat([flat, TRAIN.select(TRAIN.topics[30:])])
    ranker = fit(clients(2), partitions_of(whole, [30]), engine=engine)
    alone = fit(clients(1), partitions_of(whole, []), engine=engine)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-5)


@pytest.mark.long  # what XGBoost's own processes make of a kill is not always the same
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_a_lost_worker_is_told_of_in_one_error(engine: Any) -> None:
    with dask.config.set({"distributed.scheduler.no-workers-timeout": "2s"}), worker_cluster(2) as client:
        doomed = next(iter(client.run(os.getpid).values()))

        def kill() -> None:
            while not any(name.startswith(("_train_part", "fn-")) for name in processing(client)):
                time.sleep(0.05)
            time.sleep(1)
            os.kill(doomed, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(RuntimeError, match=r"^worker tcp.* was lost, so training stopped; call client\.restart"):
            fit(client, partitions_of(TRAIN, [90]), rounds=10**5, engine=engine)
        killer.join()
        client.restart()
        assert fit(client, partitions_of(TRAIN, [90]), rounds=2, engine=engine).best == 2


def processing(client: Any) -> list[str]:
    return [str(task) for tasks in client.processing().values() for task in tasks]


def refusal(client: Any, frame: Any, **changes: Any) -> str:
    with pytest.raises(InputError) as refused:
        fit(client, frame, **changes)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_what_does_not_fit_is_refused_in_one_line(clients: Callable[[int], Any]) -> None:
    client, train = clients(2), partitions_of(TRAIN, [90])
    renamed = train.rename(columns={"grade": "grades"})
    assert refusal(client, renamed).startswith("frame: no column 'grade'")
    assert refusal(client, train.assign(a=np.inf)).startswith("frame: row 0: ")
    assert refusal(client, train, engine="catboost").startswith("engine='catboost' is not 'lightgbm' or 'xgboost'")
    assert refusal(client, train, shape="symmetric").startswith("shape= is no parameter of fit_dask; of TreeRanker's")
    assert refusal(client, train, subsample=0.5).startswith("subsample= is no parameter of fit_dask")
    assert refusal(client, train, engine="xgboost", min_rows=5).startswith("min_rows: XGBoost has no least number")
    assert refusal(client, train, levels=None).startswith("levels: a worker sees some grades only; declare the grades")
    assert refusal(client, train, levels=(0, 1, 2)).startswith("frame: grade 3 is not one of the levels 0,1,2")
    assert refusal(client, train, rounds=0).startswith("rounds=0")
    assert refusal(client, train, objective="listnet").startswith("listnet: on Dask trees learn by pairs")
    assert refusal(client, train, valid=train).startswith("valid: LightGBM cannot stop early on Dask")
    lacking = {"engine": "xgboost", "valid": train.drop(columns="a")}
    assert refusal(client, train, **lacking).startswith("valid: no column 'a'")
    assert "give validation data, too" in refusal(client, train, validate_by="nDCG@10")
    assert refusal(client, frame_of(TRAIN).to_numpy()).startswith("frame: a ndarray is no Dask DataFrame")
    assert refusal(None, train).startswith("client is a NoneType; give a distributed.Client")
    assert "column 'a' is a category" in refusal(client, train.astype({"a": "category"}))
    flat = partitions_of(TRAIN.with_grades(np.zeros(len(TRAIN))), [90])
    for nothing in (flat, train[train["grade"] > 9]):
        assert refusal(client, nothing).startswith("frame: nothing to learn: no query has documents of")


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_features_that_tell_nothing_are_refused(clients: Callable[[int], Any], engine: Any) -> None:
    same = partitions_of(Features.from_arrays(TRAIN.X * 0, TRAIN.grades, sizes=np.diff(TRAIN.offsets)), [90])
    assert "every feature has one value throughout" in refusal(clients(2), same, engine=engine)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_large_numbers_in_one_partition_stay_apart_or_are_said(clients: Callable[[int], Any], engine: Any) -> None:
    """The time tells the grade; only the last partitions have times that single precision does not hold."""
    rng = np.random.default_rng(0)
    place = np.concatenate([rng.permutation(10) for _ in range(20)])
    time = np.where(np.arange(200) < 60, 16.0, 1_514_764_800.0) + place
    table = pd.DataFrame(
        {"qid": np.repeat(np.arange(20), 10), "label": place // 4, "time": time, "x": rng.normal(size=200)}
    )
    how: dict[str, Any] = {"levels": (0, 1, 2), "label": "label", "qid": "qid", "engine": engine, "rounds": ROUNDS}
    given = clients(2), dd.from_pandas(table, npartitions=5), "GAP"
    if engine == "xgboost":
        with pytest.warns(FeaturesWarning, match="XGBoost computes in single precision, .* of feature time: scale it"):
            fit_dask(*given, **how)
        return
    ranker = fit_dask(*given, **how)
    scores = ranker.predict(table[["time", "x"]])
    last = scores.reshape(20, 10)[-1]
    assert last[place.reshape(20, 10)[-1] >= 8].min() > last[place.reshape(20, 10)[-1] < 4].max()


def test_a_column_of_documents_is_no_feature(clients: Callable[[int], Any]) -> None:
    frame = partitions_of(TRAIN, [90])
    named = frame.assign(docid=1).assign(docid=lambda table: table["docid"].cumsum())
    how: dict[str, Any] = {"levels": TRAIN.levels, "label": "grade", "qid": "query", "rounds": ROUNDS}
    with pytest.warns(FeaturesWarning, match="column 'docid' names the documents"):
        ranker = fit_dask(clients(2), named, "GAP", **how)
    assert "docid" not in ranker.feature_names_in_.tolist()
    assert np.array_equal(ranker.predict(TRAIN), fit_dask(clients(2), frame, "GAP", **how).predict(TRAIN))
