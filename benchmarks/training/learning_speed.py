"""How many trees does it take? GAP on other queries after 50, 100 and 300 trees, ours beside LightGBM's lambdarank.

    python benchmarks/training/learning_speed.py [SET ...] [--queries 200] [--seeds 5] [--objectives GAP ...]
    python benchmarks/training/learning_speed.py --cost

SET is short (lists of 10), or one of known_truth.py; --queries 3000 and 30000 are the sizes of real collections. A row
is an objective, a cell the mean of GAP, or the paired difference from lambdarank with its interval of 0.95 over seeds,
each of which draws other data. --cost prints what draws cost: the gradient and a tree with draws=5, by the gradient and
a tree without, from one run; that one ranking is drawn, and others for the next tree, is asserted.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import known_truth
import lightgbm
import numpy as np
from scipy.stats import t

from gradeval import GAP, GradevalWarning, judge_arrays
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

TREES, LEVELS = (50, 100, 300), known_truth.LEVELS
SETTINGS = {"num_leaves": 15, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "seed": 1, "metric": "None"}
OURS: dict[str, dict[str, Any]] = {"GAP": {}, "GAP, draws": {"draws": 5}, "GAP, norm=False": {"norm": False}}


def train(objective: Any, data: known_truth.Data, trees: int) -> Any:
    """LightGBM's trees by an objective."""
    rows = lightgbm.Dataset(data[0], data[1], group=data[2])
    return lightgbm.train({**SETTINGS, "objective": objective, "deterministic": True}, rows, trees)


def by_trees(objective: Any, data: known_truth.Data, test: known_truth.Data) -> list[float]:
    """GAP on the test queries after each number of trees."""
    model = train(objective, data, max(TREES))
    scores = [model.predict(test[0], num_iteration=number, raw_score=True) for number in TREES]
    return [float(GAP(judge_arrays(test[1], one, group=test[2], levels=LEVELS)).mean()) for one in scores]


def learn_once(kind: str, queries: int, seed: int, names: list[str]) -> dict[str, list[float]]:
    """GAP on the test queries of one seed after each number of trees, of lambdarank and of the named ones of ours."""
    rng = np.random.default_rng(1000 + seed)
    data = known_truth.draw(kind, queries, rng, kind == "permuted")
    test = known_truth.draw(kind, 1500 if kind == "short" else 600, rng, False)
    objectives = {name: LambdaObjective(GAP, LEVELS, threads=1, **OURS[name]) for name in names}
    every = {"LightGBM lambdarank": "lambdarank", **objectives}
    return {name: by_trees(objective, data, test) for name, objective in every.items()}


def print_rows(kind: str, queries: int, seeds: list[dict[str, list[float]]]) -> None:
    """The rows of a set: lambdarank's means, and the differences of the others from it."""
    (first, base), *others = ((name, np.array([one[name] for one in seeds])) for name in seeds[0])
    print(f"| {kind} | {queries:,} | {first} | " + " | ".join(f"{mean:.4f}" for mean in base.mean(0)) + " |")
    for name, each in others:
        means = (each - base).mean(0)
        half = t.ppf(0.975, len(seeds) - 1) * (each - base).std(0, ddof=1) / np.sqrt(len(seeds))
        cells = (f"{mean:+.4f} ±{width:.4f}" for mean, width in zip(means, half, strict=True))
        print(f"| | | {name} | " + " | ".join(cells) + " |", flush=True)


def cost() -> None:
    """Print what draws cost."""
    rng = np.random.default_rng(0)
    for documents in (10, 100, 1_000, 10_000):
        rows = 100_000
        scores, grades = rng.normal(size=rows), rng.integers(0, 5, rows).astype(float)
        offsets, sizes = np.arange(0, rows + 1, documents), np.full(rows // documents, documents)
        X = rng.normal(size=(rows, 20))
        plain, drawn, single = (LambdaObjective(GAP, LEVELS, threads=1, draws=draws) for draws in (0, 5, 1))
        found = drawn.gradients(scores, grades, offsets)[0]
        np.testing.assert_array_equal(found, single.gradients(scores, grades, offsets)[0])
        assert np.abs(found - drawn.gradients(scores + 1e-6, grades, offsets)[0]).max() > 1e-3
        times: dict[str, list[float]] = {}
        for _ in range(4):
            for name, objective in {"plain": plain, "drawn": drawn}.items():
                begin = time.process_time()
                objective.gradients(scores, grades, offsets)
                middle = time.process_time()
                train(objective, (X, grades, sizes), 5)
                times.setdefault(f"{name} gradient", []).append(middle - begin)
                times.setdefault(f"{name} tree", []).append(time.process_time() - middle)
        ratios: dict[str, Array] = {
            what: np.array(times[f"drawn {what}"][1:]) / times[f"plain {what}"][1:] for what in ("gradient", "tree")
        }
        shown = ", ".join(f"{what} {np.median(each):.2f}" for what, each in ratios.items())
        print(f"lists of {documents:,}: {shown} times as long with draws=5", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=["short", *known_truth.BELOW], metavar="SET")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--objectives", nargs="+", default=list(OURS), choices=list(OURS), help="which of ours")
    parser.add_argument("--cost", action="store_true")
    given = parser.parse_intermixed_args()
    warnings.simplefilter("ignore", GradevalWarning)
    if given.cost:
        cost()
    else:
        for each in given.sets:
            found = [learn_once(each, given.queries, seed, given.objectives) for seed in range(given.seeds)]
            print_rows(each, given.queries, found)
