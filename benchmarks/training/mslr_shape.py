"""Time and memory on data of MSLR-WEB30K's shape: 136 features, lists of about 120 documents, grades 0 to 4.

    python benchmarks/training/mslr_shape.py [--rows 370000] [--trees 50]

MSLR-WEB30K has 3.77 million rows; the default is a tenth. Each training is a process of its own, on one thread, with 31
leaves and a learning rate of 0.1: seconds of training without making the data, and the largest memory of the process
less that of a process that only makes the data. Ratios are to LightGBM's lambdarank with all pairs. Before anything is
timed, the gradients of ours for nDCG are compared with a slow definition elsewhere (tests/ltr/objectives).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradeval import Features, evaluate
from gradeval.formula.arithmetic import Array

FEATURES, LENGTH, LEVELS = 136, 120, (0, 1, 2, 3, 4)
Data = tuple[Array, Array, Array]


def make(rows: int) -> Data:
    """Features, grades and the sizes of the queries."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(LENGTH // 2, LENGTH * 3 // 2, rows // LENGTH)
    X = rng.random((sizes.sum(), FEATURES), dtype=np.float32)
    merits = 4 * X[:, 0] + 3 * X[:, 1] ** 2 + 2 * np.sin(6 * X[:, 2]) + X[:, 3:20].sum(1) + rng.normal(size=len(X))
    return X, np.digitize(merits, np.quantile(merits, (0.51, 0.84, 0.97, 0.99))).astype(float), sizes


def by_lightgbm(objective: Any, trees: int, data: Data, **settings: Any) -> Callable[[Array], Array]:
    import lightgbm

    X, grades, sizes = data
    common = {"num_leaves": 31, "learning_rate": 0.1, "num_threads": 1, "verbosity": -1, "deterministic": True}
    table = lightgbm.Dataset(X, grades, group=sizes)
    return lightgbm.train({**common, "objective": objective, **settings}, table, trees).predict


def by_xgboost(objective: str, trees: int, data: Data) -> Callable[[Array], Array]:
    import xgboost

    X, grades, sizes = data
    settings = {"max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.2, "nthread": 1}
    table = xgboost.QuantileDMatrix(X, grades, qid=np.repeat(np.arange(len(sizes)), sizes))
    model = xgboost.train({**settings, "objective": objective, "tree_method": "hist"}, table, trees)
    return lambda rows: np.asarray(model.predict(xgboost.DMatrix(rows)))


def ours(measure: str, **options: Any) -> Any:
    from gradeval.ltr import LambdaObjective

    return LambdaObjective(measure, levels=LEVELS, threads=1, **options)


def by_ranker(trees: int, data: Data) -> Callable[[Array], Array]:
    from gradeval.ltr import TreeRanker

    X, grades, sizes = data
    settings: dict[str, Any] = {"epochs": trees, "leaves": 31, "learning_rate": 0.1, "subsample": 1.0, "min_rows": 20}
    ranker = TreeRanker("lambdarank:GAP", **settings).fit(Features.from_arrays(X, grades, sizes=sizes))
    return lambda rows: ranker.predict(rows)


TRAININGS: dict[str, Callable[[int, Data], Callable[[Array], Array]]] = {
    "LightGBM lambdarank, all pairs": lambda trees, data: by_lightgbm(
        "lambdarank", trees, data, lambdarank_truncation_level=10_000
    ),
    "LightGBM lambdarank, first 30": lambda trees, data: by_lightgbm("lambdarank", trees, data),
    "XGBoost rank:ndcg": lambda trees, data: by_xgboost("rank:ndcg", trees, data),
    "LambdaObjective nDCG, LightGBM": lambda trees, data: by_lightgbm(ours("nDCG(dcg='exp-log2')"), trees, data),
    "LambdaObjective GAP, LightGBM": lambda trees, data: by_lightgbm(ours("GAP"), trees, data),
    "LambdaObjective GAP, 5 draws": lambda trees, data: by_lightgbm(ours("GAP", draws=5), trees, data),
    "TreeRanker GAP": by_ranker,
}


def one(name: str, rows: int, trees: int) -> None:
    """Seconds, the peak of memory in MB, and nDCG@10 of the training data, which has to be better than chance."""
    warnings.simplefilter("ignore")
    data = make(rows)
    begin = time.perf_counter()
    score = TRAININGS[name](trees, data) if name else None
    seconds, peak = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    quality = 0.0
    if score is not None:
        some = int(data[2][:50].sum())
        features = Features.from_arrays(data[0][:some], data[1][:some], sizes=data[2][:50])
        quality = float(evaluate(features.qrels, [features.run(score(data[0][:some]))], "nDCG@10").mean()[0, 0])
    print(seconds, peak, quality)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=370_000)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one is not None:
        one(options.one, options.rows, options.trees)
        return
    measured = {}
    for name in ["", *TRAININGS]:
        command = [sys.executable, __file__, "--rows", str(options.rows), "--trees", str(options.trees), "--one", name]
        measured[name] = [float(word) for word in subprocess.check_output(command, text=True).split()[-3:]]
        if name and measured[name][2] < 0.6:
            raise SystemExit(f"{name} has learnt nothing: nDCG@10 {measured[name][2]:.3f}")
    idle, first = measured.pop("")[1], next(iter(TRAININGS))
    print(f"| training, {options.rows:,} rows, {options.trees} trees | time | memory | nDCG@10 there |")
    print("|---|--:|--:|--:|")
    for name, (seconds, peak, quality) in measured.items():
        ratio = seconds / measured[first][0], (peak - idle) / (measured[first][1] - idle)
        print(f"| {name} | {seconds:.1f} s, {ratio[0]:.2f} | {peak - idle:,.0f} MB, {ratio[1]:.2f} | {quality:.3f} |")


if __name__ == "__main__":
    main()
