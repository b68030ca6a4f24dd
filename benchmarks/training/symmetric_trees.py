"""What do symmetric trees cost, and when are they worth it? The tables of docs/learning-to-rank.md.

    python benchmarks/training/symmetric_trees.py speed
    python benchmarks/training/symmetric_trees.py quality [--seeds 5]

speed: processor time of one thread, in one run, medians of three; a tree of TreeRanker(shape="symmetric") as a ratio to
a tree of CatBoost's YetiRank of the same depth on the same data, and scoring as a ratio to LightGBM's trees of as many
leaves. quality: both shapes, trained for GAP with five drawn rankings and stopped by GAP on validation queries, on data
made with known merits: pages (interactions, and queries that differ), purchases (rare grades, missing values), and
additive (known_truth.py). Differences are paired by test query; intervals of 0.95 by Student's t over seeds, which draw
other data.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import catboost
import numpy as np
from known_truth import draw
from scipy import stats

from gradeval import ERR, GAP, Features, GradevalWarning, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import Objective, TreeRanker

TREES, LIST, COLUMNS = 20, 20, 20
TESTED = {"GAP": GAP, "nDCG@10": nDCG(dcg="exp-log2") @ 10, "ERR": ERR}
QUERIES = (200, 150, 600)  # to train, validate and test


def pages(queries: int, rng: np.random.Generator) -> Features:
    """Grades 0 to 4 by an interaction, a product and a threshold; queries shift features, and are noisy as they are."""
    sizes = rng.integers(10, 81, queries)
    z = rng.normal(size=(sizes.sum(), 8))
    noise = rng.normal(size=len(z)) * np.repeat(rng.uniform(0.3, 1.8, queries), sizes)
    linear = z[:, 0] + 0.5 * z[:, 6] + np.minimum(z[:, 3], 0.3)
    merit = linear + 1.2 * (z[:, 1] > 0.5) * z[:, 2] + 0.7 * z[:, 4] * z[:, 5] + noise
    scale, shift = rng.uniform(0.6, 1.5, (queries, 8)), 0.7 * rng.normal(size=(queries, 8))
    X = np.column_stack([z * scale.repeat(sizes, 0) + shift.repeat(sizes, 0), rng.normal(size=(len(z), 12))])
    return Features.from_arrays(X, np.digitize(merit, [0.6, 1.7, 2.9, 4.0]), sizes=sizes)


def purchases(queries: int, rng: np.random.Generator) -> Features:
    """Grades 0 to 3: clicked, put into the cart, bought, of 40 products; a twelfth of the values is missing."""
    z = rng.normal(size=(40 * queries, 10))
    appeal = 0.9 * z[:, 0] + 0.6 * np.abs(z[:, 1]) + 0.5 * z[:, 2] * z[:, 3]
    worth = 0.9 * z[:, 4] - 0.8 * z[:, 1] + 0.5 * z[:, 5]
    clicked = rng.random(len(z)) < 1 / (1 + np.exp(3.0 - 1.3 * appeal))
    carted = clicked & (rng.random(len(z)) < 1 / (1 + np.exp(1.2 - 1.2 * worth)))
    bought = carted & (rng.random(len(z)) < 0.45)
    X = np.column_stack([z, rng.normal(size=(len(z), 5))])
    X[rng.random(X.shape) < 0.08] = np.nan
    return Features.from_arrays(X, clicked.astype(int) + carted + bought, sizes=np.full(queries, 40))


def additive(queries: int, rng: np.random.Generator) -> Features:
    X, grades, sizes = draw("additive", queries, rng, False)
    return Features.from_arrays(X, grades, sizes=sizes)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def ours(train: Features, shape: str, draws: int = 0) -> TreeRanker:
    settings: dict[str, Any] = {"leaves": 16, "learning_rate": 0.1, "subsample": 1.0, "epochs": TREES, "shape": shape}
    return TreeRanker(Objective("lambdarank", GAP, draws=draws), **settings).fit(train)


def row_of_speed(rows: int) -> str:
    """Of the table: times and ratios on so many rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, COLUMNS)).astype(np.float32)
    merit = X[:, 0] - X[:, 1] ** 2 + X[:, 2] * X[:, 3] + rng.normal(size=rows)
    sizes = [LIST] * (rows // LIST)
    train = Features.from_arrays(X, np.digitize(merit, [0.5, 1.5, 2.5]), sizes=sizes)
    pool = catboost.Pool(X, train.grades, group_id=np.arange(rows) // LIST)
    settings = {"depth": 4, "learning_rate": 0.1, "iterations": TREES, "thread_count": 1, "logging_level": "Silent"}
    yetirank = {"loss_function": "YetiRank", "allow_writing_files": False, **settings}

    def mean_gap(scores: Array) -> float:
        return float(np.mean(GAP(judge_arrays(train.grades, scores, group=sizes))))

    work: dict[str, Callable[[], Any]] = {
        "GAP": lambda: ours(train, "symmetric"),
        "draws": lambda: ours(train, "symmetric", 5),
        "YetiRank": lambda: catboost.CatBoost(yetirank).fit(pool),
    }
    rankers = {"scoring": ours(train, "symmetric"), "LightGBM": ours(train, "leaf-wise")}
    taken: dict[str, list[float]] = {name: [] for name in [*work, *rankers]}
    by_chance = mean_gap(rng.normal(size=rows))
    for _ in range(3):
        for name, train_it in work.items():
            took, model = seconds(train_it)
            taken[name].append(took / TREES)
            assert mean_gap(model.predict(X)) > by_chance + 0.1, name
        for name, ranker in rankers.items():
            took, scores = seconds(lambda ranker=ranker: ranker.score(train))
            taken[name].append(took)
            assert np.array_equal(scores, ranker.booster.predict(X)), name
    median = {name: float(np.median(one)) for name, one in taken.items()}
    compared = {**dict.fromkeys(work, "YetiRank"), **dict.fromkeys(rankers, "LightGBM")}
    cells = [f"{1000 * median[name]:.1f} ms, {median[name] / median[other]:.2f}" for name, other in compared.items()]
    return f"| {rows:,} | {' | '.join(cells)} |"


def measure_speed() -> None:
    """Print the ratios."""
    print("| rows | a tree for GAP | the same, 5 draws | YetiRank's | scoring | LightGBM's |")
    print("|--:|--:|--:|--:|--:|--:|")
    for rows in (10_000, 60_000):
        print(row_of_speed(rows), flush=True)


def values(ranker: TreeRanker, test: Features) -> dict[str, Array]:
    judged = judge_arrays(test.grades, ranker.score(test), group=np.diff(test.offsets), levels=test.levels)
    return {name: np.asarray(measure(judged)) for name, measure in TESTED.items()}


def measure_quality(seeds: int) -> None:
    """Print a row for each kind of data."""
    print(f"| symmetric less leaf-wise | {' | '.join(TESTED)} |\n|---|{'--:|' * len(TESTED)}")
    for make in (pages, purchases, additive):
        leads: dict[str, list[float]] = {name: [] for name in TESTED}
        for seed in range(seeds):
            rng = np.random.default_rng(100 + seed)
            train, valid, test = (make(queries, rng) for queries in QUERIES)
            shapes: list[dict[str, Any]] = [{"leaves": 15, "min_rows": 20}, {"shape": "symmetric"}]
            settings = {"epochs": 200, "patience": 30, "learning_rate": 0.1, "subsample": 1.0, "seed": seed}
            objective = Objective("lambdarank", GAP, draws=5)
            leaf_wise, symmetric = (
                values(TreeRanker(objective, **settings, **shape).fit(train, valid), test) for shape in shapes
            )
            for name in TESTED:
                leads[name].append(float((symmetric[name] - leaf_wise[name]).mean()))
        half = stats.t.ppf(0.975, seeds - 1) / np.sqrt(seeds)
        cells = [f"{np.mean(one):+.4f} ±{half * np.std(one, ddof=1):.4f}" for one in leads.values()]
        print(f"| {make.__name__} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "quality"])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore", GradevalWarning)
    if options.what == "speed":
        measure_speed()
    else:
        measure_quality(options.seeds)
