"""To score well by ERR, should one train for ERR, and over drawn rankings? Boosted trees for ERR and nDCG, by ERR.

    python benchmarks/err_objective.py [--seeds 5]

The merits of the documents are known: a sum of curves, one for each feature, and noise. All objectives get the same
data, trees and settings, and each keeps the number of trees that is best by ERR on validation queries.
Differences have intervals of 0.95: of a seed over its test queries, of all over the seeds, which draw other data.
"""

from __future__ import annotations

import argparse
import warnings

import lightgbm
import numpy as np
from scipy.stats import t

from gradeval import ERR, GradevalWarning, judge_arrays
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, feval

FEATURES, LEVELS = 10, (0.0, 1.0, 2.0, 3.0, 4.0)
TRAIN, VALID, TEST = 400, 200, 1_000  # queries
TREES = 200
SETTINGS = {
    "learning_rate": 0.1,
    "num_leaves": 15,
    "num_threads": 1,
    "deterministic": True,
    "verbosity": -1,
    "metric": "None",
}
NDCG = "nDCG(dcg='exp-log2')"
OBJECTIVES = ((NDCG, 0), ("ERR", 0), ("ERR", 5), (NDCG, 5))  # a measure, and draws
PAIRS = ((1, 0), (2, 0), (3, 0), (2, 1))  # of objectives


def draw(rng: np.random.Generator, queries: int) -> tuple[Array, Array, Array]:
    """Features, grades 0 to 4 by their merits, and the sizes of the queries: 8 to 150 documents."""
    sizes = rng.integers(8, 151, queries)
    features = rng.normal(size=(sizes.sum(), FEATURES))
    curves = [
        features[:, 0],
        features[:, 1] ** 2,
        np.sin(2 * features[:, 2]),
        np.abs(features[:, 3]),
        features[:, 4:7].sum(1),
    ]
    merits = np.sum(curves, axis=0) + rng.normal(size=len(features))
    grades = np.digitize(merits, np.quantile(merits, [0.6, 0.8, 0.92, 0.98])).astype(float)
    return features, grades, sizes


def test_values(seed: int) -> Array:
    """float64[objective, query]: ERR of the test queries."""
    rng = np.random.default_rng(seed)
    train, valid, test = (draw(rng, queries) for queries in (TRAIN, VALID, TEST))
    values = []
    for measure, draws in OBJECTIVES:
        data = lightgbm.Dataset(train[0], train[1], group=train[2])
        model = lightgbm.train(
            SETTINGS | {"objective": LambdaObjective(measure, levels=LEVELS, draws=draws), "seed": seed},
            data,
            TREES,
            valid_sets=[lightgbm.Dataset(valid[0], valid[1], group=valid[2], reference=data)],
            feval=feval(ERR, levels=LEVELS),
            callbacks=[lightgbm.early_stopping(TREES, verbose=False)],  # all trees are grown, the best number is kept
        )
        values.append(ERR(judge_arrays(test[1], model.predict(test[0]), group=test[2], levels=LEVELS)))
    return np.array(values)


def name_objective(place: int) -> str:
    """The measure, and how many rankings are drawn."""
    measure, draws = OBJECTIVES[place]
    return f"{measure}{f', {draws} draws' * bool(draws)}"


def describe(values: Array) -> str:
    """Of values[objective, query or seed]: the first mean, and differences with their intervals."""
    parts = [f"{name_objective(0)} {values[0].mean():.4f}"]
    for one, other in PAIRS:
        difference = values[one] - values[other]
        half = t.ppf(0.975, len(difference) - 1) * difference.std(ddof=1) / np.sqrt(len(difference))
        low, mean, high = (difference.mean() + sign * half for sign in (-1, 0, 1))
        parts.append(f"{name_objective(one)} less {name_objective(other)} {mean:+.4f} [{low:+.4f}, {high:+.4f}]")
    return "; ".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    warnings.simplefilter("ignore", GradevalWarning)  # that ERR is no objective to recommend is what is shown here
    means = []
    for seed in range(parser.parse_args().seeds):
        values = test_values(seed)
        means.append(values.mean(1))
        print(f"seed {seed}: {describe(values)}", flush=True)
    print(f"all:    {describe(np.stack(means, axis=1))}")
