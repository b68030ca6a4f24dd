"""Why do trees trained for nDCG reach less, or more, than those of another engine? One setting changed at a time.

    python benchmarks/training/tree_settings.py DATA --work WORK [COLLECTION ...] [--seeds 5] [--write PAGE ...]

The first row is TreeRanker as it comes, trained for nDCG with gain 2^grade - 1. Each further row differs in what it
names; the last four are LightGBM's lambdarank and XGBoost's rank:ndcg with their own defaults (100 trees), and with
learning rate 0.05 and early stopping on nDCG@10 as ours (at most 500 trees, patience 50). Five folds as in LETOR:
three parts to train, one to stop by, one to test. Cells are nDCG@10 on the test parts, mean over seeds, less the first
row's, with the 95 % interval of the paired difference, which counts how trainings vary between seeds and folds; * is
significant by Holm over the rows of a column. Scores that are equal count in all orders. WORK keeps every training.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # queries are small

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import xgboost
from leads import write_between
from public_collections import PARTS, read_parts

import gradeval
from gradeval import Features, Scores, evaluate
from gradeval.features.folds import rotate
from gradeval.ltr import Objective, crossval
from gradeval.ltr.training_noise import compare_trained

COLLECTIONS = ["ohsumed-letor3", "mq2008", "trec-dl21-passage", "trec-covid-r5"]
NDCG = "nDCG(dcg='exp-log2')"
TESTED = f"{NDCG}@10"
ROUNDS, PATIENCE = 500, 50
OURS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "trained for nDCG@10": {"objective": f"{NDCG}@10"},
    "stopped by nDCG@10": {"validate_by": TESTED},
    "gain = grade": {"objective": "nDCG"},
    "trained for GAP": {"objective": "GAP"},
    "truncation 30": {"truncation": 30},
    "without norm": {"norm": False},
    "truncation 30, without norm": {"truncation": 30, "norm": False},
    "learning rate 0.1": {"learning_rate": 0.1},
    "learning rate 0.3": {"learning_rate": 0.3},
    "31 leaves": {"leaves": 31},
    "at least 20 rows in a leaf": {"min_rows": 20},
    "all queries for every tree": {"subsample": 1.0},
    "l2 = 1": {"l2": 1.0},
    "patience 200": {"patience": 200},
}


def main() -> None:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("collections", nargs="*", default=COLLECTIONS, metavar="COLLECTION")
    parser.add_argument("--work", type=Path, required=True, help="a folder that keeps what was trained")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", type=Path, nargs="*", default=[], help="pages with the marks of the table")
    options = parser.parse_intermixed_args()
    warnings.simplefilter("ignore", gradeval.CoverageWarning)
    warnings.simplefilter("ignore", gradeval.TiesWarning)
    columns = []
    for collection in options.collections:
        parts = read_parts(options.data, collection)
        by_seed = score_all(parts, options.seeds, options.work / collection)
        columns.append(cells_of(by_seed, [len(part.topics) for part in parts]))
        print(format_table(options.collections[: len(columns)], columns), flush=True)
    for page in options.write:
        write_between(page, "tree-settings", format_table(options.collections, columns))


def score_all(parts: list[Features], seeds: int, work: Path) -> list[Scores]:
    """nDCG@10 by query for every row of the table, for each seed."""
    rows: dict[str, list[Scores]] = {}
    for name in [*OURS, *ENGINES]:
        rows[name] = (
            score_ours(parts, seeds, work, **OURS[name]) if name in OURS else score_engine(parts, seeds, name, work)
        )
        print(f"{work.name}: {name}: {np.mean([one.mean() for one in rows[name]]):.4f}", file=sys.stderr, flush=True)
    return [stack([row[seed] for row in rows.values()], list(rows)) for seed in range(seeds)]


def stack(rows: list[Scores], names: list[str]) -> Scores:
    """The rows as the runs of one evaluation."""
    values, present = (np.concatenate([getattr(row, name) for row in rows]) for name in ("values", "present"))
    return replace(rows[0], values=values, present=present, runs=names, coverage=None)


def score_ours(
    parts: list[Features],
    seeds: int,
    work: Path,
    objective: str = NDCG,
    truncation: int | None = None,
    validate_by: str | None = None,
    **settings: Any,
) -> list[Scores]:
    """nDCG@10 by query of our trees with some settings, for each seed."""
    trained = replace(Objective.parse(f"lambdarank:{objective}"), truncation=truncation)
    study = crossval(parts, trained, TESTED, "tree", seeds=seeds, validate_by=validate_by, work=work, **settings)
    return [*study.by_seed]


def score_engine(parts: list[Features], seeds: int, name: str, work: Path) -> list[Scores]:
    """nDCG@10 by query of another engine's trees, for each seed."""
    everything, found = Features.concat(parts), []
    for seed in range(seeds):
        place = work / f"{name}.{seed}.npy"
        if not place.exists():
            folds = [next(rotate([*parts[first:], *parts[:first]])) for first in range(PARTS)]
            scores = [ENGINES[name](fold.train, fold.valid, seed)(fold.test.X) for fold in folds]
            np.save(place, np.concatenate([*scores[1:], scores[0]]))  # the first fold tests on the last part
        found.append(evaluate(everything.qrels, everything.run(np.load(place)), TESTED, ties="expected"))
    return found


def train_lightgbm(train: Features, valid: Features, seed: int, alike: bool) -> Any:
    """LightGBM's lambdarank: its defaults, or learning rate and stopping as ours."""
    data = lightgbm.Dataset(train.X, train.grades, group=np.diff(train.offsets))
    settings: dict[str, Any] = {"objective": "lambdarank", "num_threads": 1, "seed": seed, "verbosity": -1}
    if not alike:
        return lightgbm.train(settings, data, 100).predict
    held_out = lightgbm.Dataset(valid.X, valid.grades, group=np.diff(valid.offsets), reference=data)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    settings |= {"learning_rate": 0.05, "eval_at": [10]}
    return lightgbm.train(settings, data, ROUNDS, valid_sets=[held_out], callbacks=[stop]).predict


def train_xgboost(train: Features, valid: Features, seed: int, alike: bool) -> Any:
    """XGBoost's rank:ndcg, likewise."""
    settings = {"objective": "rank:ndcg", "nthread": 1, "seed": seed, "eval_metric": "ndcg@10"}
    if not alike:
        forest = xgboost.train(settings, as_matrix(train), 100)
        return lambda X: forest.predict(xgboost.DMatrix(X))
    settings["learning_rate"] = 0.05
    forest = xgboost.train(
        settings,
        as_matrix(train),
        ROUNDS,
        evals=[(as_matrix(valid), "valid")],
        early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )
    return lambda X: forest.predict(xgboost.DMatrix(X), iteration_range=(0, forest.best_iteration + 1))


def as_matrix(features: Features) -> Any:
    """XGBoost's form of features."""
    queries = np.repeat(np.arange(len(features.topics)), np.diff(features.offsets))
    return xgboost.DMatrix(features.X, features.grades, qid=queries)


ENGINES: dict[str, Callable[[Features, Features, int], Any]] = {
    "LightGBM": lambda train, valid, seed: train_lightgbm(train, valid, seed, False),
    "LightGBM, rate and stopping as ours": lambda train, valid, seed: train_lightgbm(train, valid, seed, True),
    "XGBoost": lambda train, valid, seed: train_xgboost(train, valid, seed, False),
    "XGBoost, rate and stopping as ours": lambda train, valid, seed: train_xgboost(train, valid, seed, True),
}


def cells_of(by_seed: list[Scores], parts: list[int]) -> dict[str, str]:
    """The mean of the first row, and the differences of the others from it; intervals count how trainings vary."""
    scores = replace(by_seed[0], values=np.mean([one.values for one in by_seed], axis=0))
    comparison = compare_trained(scores, by_seed, parts, scores.runs[0], 0.05)
    assert comparison is not None
    cells = {scores.runs[0]: f"{scores.mean()[0, 0]:.4f}"}
    for pair, (row, _) in enumerate(comparison.pairs.tolist()):
        low, high = sorted(comparison.interval[0, pair].tolist())
        mark = "\\*" if comparison.significant[0, pair] else ""
        cells[scores.runs[row]] = f"{comparison.difference[0, pair]:+.4f}{mark} [{low:+.3f}, {high:+.3f}]"
    return cells


def format_table(collections: list[str], columns: list[dict[str, str]]) -> str:
    """A row for each setting, a column for each collection."""
    lines = [f"| setting | {' | '.join(collections)} |", "|---|" + "--:|" * len(collections)]
    lines += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
