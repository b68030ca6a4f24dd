"""What does a tree of ours cost beside a tree of LightGBM's lambdarank, by the number of rows and the length of lists?

    python benchmarks/training/gradient_speed.py [--rows 1000 10000 100000] [--lists 10 100 1000 10000] [--pairs 1e9]
        [--write docs/speed.md]

Processor time of a tree on one thread, 20 features, 15 leaves: trees of four trainings grow in turn, the first of each,
which sorts the grades, is left out, and the median of the ratios counts. lambdarank as it comes takes pairs with a
document among the first 30, and all pairs where its truncation is the length of the lists. A training whose lists have
more than --pairs pairs a tree is left out. That each ranks its training queries better than chance is asserted first.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from gradeval import GAP, judge_arrays
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

FEATURES, LEVELS = 20, (0, 1, 2, 3, 4)
TREES = {1_000: 40, 10_000: 10, 100_000: 5, 1_000_000: 3}
SETTINGS = {"num_leaves": 15, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "deterministic": True}
OURS = {"GAP": 0, "GAP, 5 draws": 5}
OTHERS = {"as it comes": 30, "all pairs": None}  # by their truncation
BEGIN, END = "<!-- gradient-speed:begin -->", "<!-- gradient-speed:end -->"


def make(rows: int, length: int) -> tuple[Array, Array, Array]:
    """Features, grades and the sizes of the lists."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, FEATURES)).astype(np.float32)
    merits = X[:, 0] - X[:, 1] ** 2 + X[:, 2] * X[:, 3] + rng.normal(size=rows)
    grades = np.digitize(merits, np.quantile(merits, (0.6, 0.8, 0.92, 0.98))).astype(float)
    return X, grades, np.full(rows // length, length)


def settings_of(name: str, length: int) -> dict[str, Any]:
    """The parameters of a training, ours or LightGBM's."""
    if name in OURS:
        return {"objective": "none"}  # each update gets ours
    return {"objective": "lambdarank", "metric": "None", "lambdarank_truncation_level": OTHERS[name] or length}


def times_of(rows: int, length: int, most_pairs: float) -> dict[str, list[float]]:
    """Processor seconds of each tree but the first, by the name of the training."""
    X, grades, sizes = make(rows, length)
    data = lightgbm.Dataset(X, grades, group=sizes).construct()
    names = [*OURS, "as it comes", *(["all pairs"] if rows * length / 2 <= most_pairs else [])]
    boosters = {name: lightgbm.Booster({**SETTINGS, **settings_of(name, length)}, data) for name in names}
    objectives = {name: LambdaObjective(GAP, LEVELS, threads=1, draws=draws) for name, draws in OURS.items()}
    times: dict[str, list[float]] = {name: [] for name in boosters}
    for tree in range(TREES[rows] + 1):
        for name, booster in boosters.items():
            begin = time.process_time()
            booster.update(fobj=objectives.get(name))
            if tree:
                times[name].append(time.process_time() - begin)
    by_chance = mean_gap(np.random.default_rng(1).normal(size=rows), grades, sizes)
    for name, booster in boosters.items():
        assert mean_gap(booster.predict(X, raw_score=True), grades, sizes) > by_chance + 0.05, name
    return times


def mean_gap(scores: Any, grades: Array, sizes: Array) -> float:
    return float(np.mean(GAP(judge_arrays(grades, scores, group=sizes, levels=LEVELS))))


def row_of(rows: int, length: int, most_pairs: float) -> str:
    """Of the table: the time of lambdarank as it comes, and ratios."""
    times = times_of(rows, length, most_pairs)

    def ratio(name: str, to: str) -> str:
        if name not in times or to not in times:
            return ""
        return f"{statistics.median(a / b for a, b in zip(times[name], times[to], strict=True)):.2f}"

    first, second = OTHERS
    cells = [ratio(name, to) for to in OTHERS for name in OURS]
    shown = f"{1000 * statistics.median(times[first]):.1f} ms"
    return f"| {rows:,} | {length:,} | {shown} | {' | '.join([*cells[:2], ratio(second, first), *cells[2:]])} |"


def main() -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000], choices=TREES)
    parser.add_argument("--lists", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--pairs", type=float, default=1e9)
    parser.add_argument("--write", type=Path, help="a page with the markers of this table")
    options = parser.parse_args()
    table = [
        "| rows | lists of | as it comes | GAP | GAP, 5 draws | all pairs | GAP to all pairs | 5 draws to all pairs |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for rows in options.rows:
        for length in options.lists:
            if length <= rows:
                table.append(row_of(rows, length, options.pairs))
                print(table[-1], flush=True)
    if options.write:
        before, rest = options.write.read_text().split(BEGIN)
        options.write.write_text("\n".join([before + BEGIN, *table, END]) + rest.split(END)[1])


if __name__ == "__main__":
    main()
