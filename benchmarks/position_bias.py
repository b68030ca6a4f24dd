"""What is learnt from clicks by corrections for positions? GAP by true grades, from simulated clicks of known truth.

    python benchmarks/position_bias.py [--queries 8000] [--seeds 3]

Documents have merits by a sum of curves of their features. Rankings of ten are shown by noise and, with more or less
strength, by one of the features; rank k is looked at with the probability k^-1.5, and a document that is looked at is
clicked with a probability by its grade. All objectives get the same trees. Intervals of 0.95 are paired by test query.
"""

from __future__ import annotations

import argparse
from typing import Any

import lightgbm
import numpy as np

from gradeval import GAP, judge_arrays
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

SHOWN, LEVELS, TREES = 10, (0, 1, 2, 3, 4), 80
SETTINGS = {"num_leaves": 7, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "deterministic": True}
PROPENSITIES = np.arange(1, SHOWN + 1) ** -1.5


def draw(queries: int, seed: int, strength: float) -> tuple[Array, Array, Array, Array]:
    """Features, true grades, clicks, and positions from 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(SHOWN * queries, 8))
    curves = [X[:, 0], X[:, 1] ** 2, np.sin(2 * X[:, 2]), np.abs(X[:, 3]), X[:, 4:7].sum(1) / 2]
    merits = np.sum(curves, axis=0) + 0.5 * rng.normal(size=len(X))
    grades = np.digitize(merits, [1.5, 3, 4.2, 5.5]).astype(float)
    shown = (strength * X[:, 0] + rng.normal(size=len(X))).reshape(queries, SHOWN)
    position = np.argsort(np.argsort(-shown, axis=1), axis=1).ravel() + 1
    attraction = 0.05 + 0.95 * (2**grades - 1) / 15
    return X, grades, (rng.random(len(X)) < attraction * PROPENSITIES[position - 1]).astype(float), position


def train_and_test(objective: Any, X: Array, labels: Array, test: tuple[Array, Array], **data: Any) -> Array:
    """float64[query]: GAP of the test queries by their true grades."""
    known = lightgbm.Dataset(X, labels, group=np.full(len(X) // SHOWN, SHOWN), **data)
    scores = lightgbm.train(SETTINGS | {"objective": objective}, known, TREES).predict(test[0])
    sizes = np.full(len(test[1]) // SHOWN, SHOWN)
    return np.asarray(GAP(judge_arrays(test[1], scores, group=sizes, levels=LEVELS)))


def values_of(queries: int, seed: int, strength: float) -> dict[str, Array]:
    """GAP of the test queries by what was trained."""
    X, grades, clicks, position = draw(queries, seed, strength)
    test = draw(1_000, 1_000 + seed, strength)[:2]

    def ours(**how: Any) -> Array:
        return train_and_test(LambdaObjective("AP", (0, 1), threads=1, **how), X, clicks, test)

    given = {"position": position, "propensities": PROPENSITIES}
    return {
        "LightGBM's lambdarank with position=": train_and_test("lambdarank", X, clicks, test, position=position),
        "LightGBM's lambdarank": train_and_test("lambdarank", X, clicks, test),
        "AP": ours(),
        "AP, offsets, estimated": ours(position=position),
        "AP, offsets, propensities given": ours(**given),
        "AP, weights, estimated": ours(position=position, correction="weights"),
        "AP, weights, propensities given": ours(**given, correction="weights"),
        "GAP, from the true grades": train_and_test(LambdaObjective("GAP", LEVELS, threads=1), X, grades, test),
    }


def main() -> None:
    """Print a table: the first row's means, and differences of the others from it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=8_000)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    strengths = (0.0, 1.0, 3.0)
    columns = []
    for strength in strengths:
        parts = [values_of(options.queries, seed, strength) for seed in range(options.seeds)]
        columns.append({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    print("| trained by | " + " | ".join(f"strength {strength:g}" for strength in strengths) + " |")
    print("|---|" + "--:|" * len(strengths))
    first, *others = columns[0]
    print(f"| {first} | " + " | ".join(f"{column[first].mean():.4f}" for column in columns) + " |")
    for name in others:
        cells = []
        for column in columns:
            difference = column[name] - column[first]
            half = 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))
            mean = difference.mean()
            cells.append(f"{mean:+.4f} [{mean - half:+.4f}, {mean + half:+.4f}]")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
