"""Time and memory on data of MSLR-WEB30K's shape: 136 features, lists of about 120 documents, grades 0 to 4.

    python benchmarks/training/mslr_shape.py --work WORK [--rows 370000] [--trees 50] [--seeds 5] [--write PAGE]

MSLR-WEB30K has 3.77 million rows; the default is a tenth. Each training is a process of its own, on one thread, with 31
leaves and a learning rate of 0.1: processor time of training without making the data, and the largest memory of the
process, less the memory of a process that only makes the data. Ratios are to LightGBM's lambdarank with all pairs,
within a seed; each seed draws other data, and the table has medians over seeds. tests/ltr/objectives compares
our gradients with a slow definition. WORK keeps a file for each seed, so that a killed run continues.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import xgboost

from gradeval import Features, evaluate
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, TreeRanker

BEGIN, END = "<!-- mslr:begin -->\n", "<!-- mslr:end -->"
FEATURES, LENGTH, LEVELS = 136, 120, (0, 1, 2, 3, 4)
Data = tuple[Array, Array, Array]


def make(rows: int, seed: int) -> Data:
    """Features, grades and the sizes of the queries."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(LENGTH // 2, LENGTH * 3 // 2, rows // LENGTH)
    X = rng.random((sizes.sum(), FEATURES), dtype=np.float32)
    merits = 4 * X[:, 0] + 3 * X[:, 1] ** 2 + 2 * np.sin(6 * X[:, 2]) + X[:, 3:20].sum(1) + rng.normal(size=len(X))
    return X, np.digitize(merits, np.quantile(merits, (0.51, 0.84, 0.97, 0.99))).astype(float), sizes


def by_lightgbm(objective: Any, trees: int, data: Data, **settings: Any) -> Callable[[Array], Array]:
    X, grades, sizes = data
    common = {"num_leaves": 31, "learning_rate": 0.1, "num_threads": 1, "verbosity": -1, "deterministic": True}
    table = lightgbm.Dataset(X, grades, group=sizes)
    return lightgbm.train({**common, "objective": objective, **settings}, table, trees).predict


def by_xgboost(objective: str, trees: int, data: Data) -> Callable[[Array], Array]:
    X, grades, sizes = data
    settings = {"max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.2, "nthread": 1}
    table = xgboost.QuantileDMatrix(X, grades, qid=np.repeat(np.arange(len(sizes)), sizes))
    model = xgboost.train({**settings, "objective": objective, "tree_method": "hist"}, table, trees)
    return lambda rows: np.asarray(model.predict(xgboost.DMatrix(rows)))


def ours(measure: str, **options: Any) -> Any:
    return LambdaObjective(measure, levels=LEVELS, threads=1, **options)


def by_ranker(trees: int, data: Data) -> Callable[[Array], Array]:
    X, grades, sizes = data
    settings: dict[str, Any] = {"epochs": trees, "leaves": 31, "learning_rate": 0.1, "subsample": 1.0}
    settings |= {"min_rows": 20, "threads": 1}
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


def one(name: str, rows: int, trees: int, seed: int) -> None:
    """Seconds, the peak of memory in MB, and nDCG@10 of the training data, which has to be better than chance."""
    warnings.simplefilter("ignore")
    data = make(rows, seed)
    begin = time.process_time()
    score = TRAININGS[name](trees, data) if name else None
    seconds, peak = time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    quality = 0.0
    if score is not None:
        some = int(data[2][:50].sum())
        features = Features.from_arrays(data[0][:some], data[1][:some], sizes=data[2][:50])
        quality = float(evaluate(features.qrels, [features.run(score(data[0][:some]))], "nDCG@10").mean()[0, 0])
    print(seconds, peak, quality)


def measure_all(rows: int, trees: int, seed: int) -> dict[str, list[float]]:
    """Seconds, MB and nDCG@10 of every training, with the data of one seed."""
    measured = {}
    for name in ["", *TRAININGS]:
        given = {"--rows": rows, "--trees": trees, "--one": name, "--seed": seed}
        command = [sys.executable, __file__, *(str(word) for option in given.items() for word in option)]
        measured[name] = [float(word) for word in subprocess.check_output(command, text=True).split()[-3:]]
        print(f"seed {seed}: {name}: {measured[name]}", file=sys.stderr, flush=True)
        if name and measured[name][2] < 0.6:
            raise SystemExit(f"{name} has learnt nothing: nDCG@10 {measured[name][2]:.3f}")
    return measured


def table_of(seeds: list[dict[str, list[float]]], rows: int, trees: int) -> str:
    """Medians over seeds."""
    lines = [f"| training, {rows:,} rows, {trees} trees | processor time | memory | nDCG@10 there |"]
    lines.append("|---|--:|--:|--:|")
    used = np.array([[each[name] for name in TRAININGS] for each in seeds])  # [seed, training, number]
    used[..., 1] -= np.array([each[""][1] for each in seeds])[:, None]
    medians, ratios = np.median(used, 0), np.median(used / used[:, :1], 0)
    for name, (seconds, memory, quality), ratio in zip(TRAININGS, medians, ratios, strict=True):
        cells = f"{seconds:.1f} s, {ratio[0]:.2f} | {memory:,.0f} MB, {ratio[1]:.2f} | {quality:.3f}"
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=370_000)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=Path("mslr_shape"), help="a folder that keeps what was measured")
    parser.add_argument("--write", type=Path, help="a page with the marks of the table")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        one(options.one, options.rows, options.trees, options.seed)
        return
    options.work.mkdir(parents=True, exist_ok=True)
    seeds = []
    for seed in range(options.seeds):
        place = options.work / f"{options.rows}.{options.trees}.{seed}.json"
        if not place.exists():
            place.write_text(json.dumps(measure_all(options.rows, options.trees, seed)), encoding="utf-8")
        seeds.append(json.loads(place.read_text(encoding="utf-8")))
    table = table_of(seeds, options.rows, options.trees)
    print(table, end="")
    if options.write is not None:
        page = options.write.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        options.write.write_text(f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
