"""Where does training for a graded measure pay? Objectives x rankers x measures on four public collections.

    python benchmarks/training/objectives.py DATA --work WORK [COLLECTION ...] [--settings 4] [--seeds 5]

Every objective gets the same budget: the same settings, drawn once for each kind of ranker, the first of them the
defaults. In each of five folds a ranker is trained on three parts for each setting; the setting whose rankers do best
on the fourth part, by the measure that they were trained for, is tested on the fifth. The test part takes no part in
any choice. Values are means over seeds; WORK keeps every training, so that a killed study continues.

The table gives the mean over all queries with the difference from the first objective. Intervals and p values, by Holm
over the objectives of a column, count how trainings vary between seeds and folds.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # queries are small

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from public_collections import PARTS, read_parts

import gradeval
from gradeval import Features, Scores
from gradeval.formula.arithmetic import Array
from gradeval.ltr import CrossValidation, crossval
from gradeval.ltr.training_noise import compare_trained

COLLECTIONS = ["ohsumed-letor3", "mq2008", "trec-dl21-passage", "trec-covid-r5"]
NDCG = "nDCG(dcg='exp-log2')"  # the one that engines train for
OBJECTIVES = [f"lambdarank:{measure}" for measure in (NDCG, "AP", "GAP", "eGAP", "Q", f"{NDCG}@10")]
TESTED = [f"{NDCG}@10", "nDCG", "AP", "GAP", "Q"]
COMMON: dict[str, dict[str, Any]] = {
    "tree": {"epochs": 500, "patience": 50},
    "linear": {"epochs": 200, "patience": 20},
    "neural": {"epochs": 200, "patience": 20},
}
CHOICES: dict[str, dict[str, list[Any]]] = {  # the first of each is the default
    "tree": {
        "learning_rate": [0.05, 0.02, 0.1],
        "leaves": [7, 15, 31],
        "min_rows": [50, 20, 200],
        "norm": [True, False],
    },
    "linear": {"learning_rate": [0.01, 0.003, 0.03], "queries": [8, 4, 16]},
    "neural": {"learning_rate": [0.01, 0.003, 0.03], "queries": [8, 4, 16], "hidden": [10, 5, 20]},
}


def main() -> None:
    """Run the study and print a table for each collection and ranker."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("collections", nargs="*", default=COLLECTIONS, metavar="COLLECTION")
    parser.add_argument("--work", type=Path, required=True, help="a folder that keeps what was trained")
    parser.add_argument("--rankers", nargs="+", default=list(CHOICES), choices=list(CHOICES))
    parser.add_argument("--objectives", nargs="+", default=OBJECTIVES, help="the others are compared with the first")
    parser.add_argument("--settings", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_intermixed_args()
    warnings.simplefilter("ignore", gradeval.CoverageWarning)
    for collection in options.collections:
        parts = read_parts(options.data, collection)
        for ranker in options.rankers:
            work = options.work / collection / ranker
            drawn = list(draw_settings(ranker, options.settings))
            by_seed = tune_and_test(parts, options.objectives, ranker, drawn, options.seeds, work)
            print(f"\n## {collection}, {ranker}: {sum(len(part.topics) for part in parts)} queries\n")
            print(format_table(by_seed, [len(part.topics) for part in parts]), flush=True)


def draw_settings(ranker: str, number: int) -> Iterator[dict[str, Any]]:
    """The defaults, then different settings at random, the same for every objective and collection."""
    names = list(CHOICES[ranker])
    defaults, *others = product(*CHOICES[ranker].values())
    order = np.random.default_rng(0).permutation(len(others))[: number - 1]
    for values in [defaults, *(others[place] for place in order)]:
        yield {**COMMON[ranker], **dict(zip(names, values, strict=True))}


def tune_and_test(
    parts: list[Features], objectives: list[str], ranker: str, drawn: list[dict[str, Any]], seeds: int, work: Path
) -> list[Scores]:
    """The test scores of each objective for each seed, each fold by the setting that validates best there."""
    trials = []
    for number, settings in enumerate(drawn):
        trials.append(crossval(parts, objectives, TESTED, ranker, seeds=seeds, work=work, **settings))
        print(f"{work}: setting {number + 1} of {len(drawn)}", file=sys.stderr, flush=True)
    valid = np.array([validation_values(trial) for trial in trials])  # [setting, objective, fold]
    return [choose_settings([trial.by_seed[seed] for trial in trials], valid, parts) for seed in range(seeds)]


def choose_settings(tested: list[Scores], valid: Array, parts: list[Features]) -> Scores:
    """The test scores of each objective, each fold by its best setting."""
    values = np.empty_like(tested[0].values)
    for fold in range(PARTS):
        inside = np.isin(tested[0].topics, parts[(fold - 1) % PARTS].topics)
        for objective, best in enumerate(valid[:, :, fold].argmax(0)):
            values[objective, inside] = tested[best].values[objective, inside]
    return replace(tested[0], values=values)


def validation_values(trial: CrossValidation) -> Array:
    """float64[objective, fold]: the validation measure of the ranker that was kept, mean over the seeds."""
    values = np.array([training.curve[training.best - 1].valid for training in trial.trainings], float)
    return values.reshape(len(trial.objectives), len(trial.seeds), PARTS).mean(1)


def format_table(by_seed: list[Scores], parts: list[int]) -> str:
    """A row for each objective, a column for each measure: mean, difference from the first row, its interval, p."""
    scores = replace(by_seed[0], values=np.mean([one.values for one in by_seed], axis=0))
    first = scores.runs[0]
    comparison = compare_trained(scores, by_seed, parts, first, 0.05)
    assert comparison is not None
    means = scores.mean()
    lines = [
        f"| trained for | {' | '.join(short(str(measure)) for measure in scores.measures)} |",
        "|---|" + "--:|" * len(scores.measures),
        f"| {short(first)} | {' | '.join(f'{value:.4f}' for value in means[0])} |",
    ]
    for pair, (row, _) in enumerate(comparison.pairs.tolist()):
        cells = []
        for column in range(len(scores.measures)):
            low, high = sorted(comparison.interval[column, pair].tolist())
            mark = "*" if comparison.significant[column, pair] else ""
            cells.append(
                f"{means[row, column]:.4f} ({comparison.difference[column, pair]:+.4f}{mark} [{low:+.3f}, {high:+.3f}])"
            )
        lines.append(f"| {short(comparison.runs[row])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def short(name: str) -> str:
    """A spelling without what all rows share."""
    return name.replace("lambdarank:", "").replace("(dcg='exp-log2')", "")


if __name__ == "__main__":
    main()
