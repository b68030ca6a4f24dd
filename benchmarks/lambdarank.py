"""What does any measure cost in boosted trees? Training with our objective, against the engine's own.

    python benchmarks/lambdarank.py [lightgbm] [xgboost] [--queries 10000]

10,000 queries of 100 documents with 50 features, 200 trees, the truncation and normalisations that the engine has by
default in both, all cores. LightGBM's own objective is nDCG only; for nDCG both give the same trees, which is checked
first on a part of the data (there without truncation, as LightGBM truncates the ideal DCG, too). Whole trainings run
one after another, so trees are also compared one by one: then a minute in which the machine was busy has little effect.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # on a machine that others use, threads that spin wait for long

import argparse
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from results import Row
from timing import ratio

from gradeval import GAP, Measure, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

DOCUMENTS, FEATURES, TREES, TRUNCATION = 100, 50, 200, 30
GRADES = (0, 1, 2, 3, 4)
NDCG = nDCG(dcg="exp-log2")
TARGET = 1.5  # times the engine's own
Train = Callable[..., Any]  # (an objective, or None for the engine's own; trees; callbacks) -> a model


def problem(queries: int) -> tuple[Array, Array]:
    """Features in single precision, and grades 0 to 4 that depend on some of them."""
    rng = np.random.default_rng(1)
    features = rng.normal(size=(queries * DOCUMENTS, FEATURES)).astype(np.float32)
    utility = features[:, :10] @ rng.normal(size=10) + 3 * rng.normal(size=len(features))
    return features, np.digitize(utility, np.quantile(utility, [0.55, 0.75, 0.9, 0.97])).astype(float)


def lightgbm(features: Array, grades: Array, truncation: int, norm: bool) -> Train:
    import lightgbm as engine

    data = engine.Dataset(features, grades, group=np.full(len(grades) // DOCUMENTS, DOCUMENTS)).construct()
    own = {"objective": "lambdarank", "lambdarank_norm": norm, "lambdarank_truncation_level": truncation}

    def train(objective: Any, trees: int, done: Callable[[], None] = lambda: None) -> Any:
        chosen = own if objective is None else {"objective": objective}
        shape = {"verbose": -1, "deterministic": True, "force_row_wise": True}
        return engine.train(shape | chosen, data, trees, callbacks=[lambda _: done()])

    return train


def xgboost(features: Array, grades: Array, truncation: int, norm: bool) -> Train:
    import xgboost as engine

    queries = np.repeat(np.arange(len(grades) // DOCUMENTS), DOCUMENTS)
    data = engine.QuantileDMatrix(features, grades, qid=queries)
    own = {
        "objective": "rank:ndcg",
        "lambdarank_pair_method": "topk",
        "lambdarank_num_pair_per_sample": truncation,
        "lambdarank_normalization": norm,
        "lambdarank_score_normalization": norm,
    }

    class Done(engine.callback.TrainingCallback):
        def __init__(self, done: Callable[[], None]) -> None:
            self.done = done

        def after_iteration(self, *_: Any) -> bool:
            self.done()
            return False

    def train(objective: Any, trees: int, done: Callable[[], None] = lambda: None) -> Any:
        chosen = own if objective is None else {}
        shape = {"base_score": 0.0, "min_child_weight": 0, "tree_method": "hist"}
        return engine.train(shape | chosen, data, trees, obj=objective, callbacks=[Done(done)])

    return train


def predictions(model: Any, features: Array) -> Array:
    if hasattr(model, "num_boosted_rounds"):
        return np.asarray(model.inplace_predict(features))
    return np.asarray(model.predict(features))


def check(engine: Callable[..., Train]) -> None:
    """Stop the benchmark where the trees for nDCG are not the engine's own."""
    features, grades = problem(200)
    train = engine(features, grades, 10 * DOCUMENTS, False)
    own, ours = (
        predictions(train(objective, 5), features) for objective in (None, LambdaObjective(NDCG, levels=GRADES))
    )
    if np.abs(own - ours).max() > 1e-4:
        raise SystemExit(f"{engine.__name__}: predictions differ by {np.abs(own - ours).max()}")


def seconds(train: Train, measure: Measure | None) -> list[float]:
    """The seconds that each tree took."""
    objective = None if measure is None else LambdaObjective(measure, levels=GRADES, truncation=TRUNCATION, norm=True)
    clock = [time.perf_counter()]
    train(objective, TREES, lambda: clock.append(time.perf_counter()))
    return [end - begin for begin, end in pairwise(clock)]


def benchmark(engine: Callable[..., Train], queries: int) -> list[Row]:
    """The rows for nDCG and GAP: the whole training, and a tree."""
    check(engine)
    train = engine(*problem(queries), TRUNCATION, True)
    train(None, 2)  # to warm up
    own, *ours = (seconds(train, measure) for measure in (None, NDCG, GAP))
    peer = f"{engine.__name__}'s own nDCG"
    data = f"{queries:,} queries of {DOCUMENTS} documents, {FEATURES} features"
    rows = []
    for measure, mine in zip((NDCG, GAP), ours, strict=True):
        rows.append(Row(f"{TREES} trees for {measure}, {data}", [sum(mine)], [sum(own)], peer, as_long=True))
        rows.append(Row(f"a tree for {measure}, {data}", mine, own, peer, unit="ms", as_long=True))
        if ratio(mine, own) > TARGET:
            print(f"{rows[-1].work}: the target is {TARGET} times {peer}", file=sys.stderr)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", choices=["lightgbm", "xgboost", []], metavar="ENGINE")
    parser.add_argument("--queries", type=int, default=10_000)
    options = parser.parse_args()
    for engine in options.engines or ["lightgbm", "xgboost"]:
        for row in benchmark({"lightgbm": lightgbm, "xgboost": xgboost}[engine], options.queries):
            print(row, flush=True)
