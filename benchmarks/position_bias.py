"""What is learnt from biased clicks? Measures by true grades, from simulated clicks of known truth.

    python benchmarks/position_bias.py [--queries 5000] [--seeds 3] [--page docs/learning-to-rank/clicks.md]

Documents have merits by a sum of curves of their features. Pages of ten were shown by a ranker that depends on one of
the features, weakly or strongly. Users of three models click, each with three severities of the bias:

* position: rank k is looked at with the probability k^-severity; who looks clicks by the grade (0.05 to 1);
* trust: the same, and who looks at a document that is not attractive clicks nevertheless with .3 k^-severity;
* cascade: users read from the top, and go on after a click with a probability of 1 - severity / 2, and after no click
  with one of 1 - severity / 10.

All are trained on the same clicks, with trees of the same size, number and learning rate, and tested by the true grades
of the same 1,000 queries a seed. Differences from LightGBM's lambdarank with position= and from XGBoost's
lambdarank_unbiased are paired by query (t over all queries of all seeds), with Holm's correction over all cells of the
rival, both measures and all users.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import lightgbm
import numpy as np
import xgboost
from scipy import stats

from gradeval import GAP, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

SHOWN, LEVELS, TREES, TESTED = 10, (0, 1, 2, 3, 4), 80, 1_000
MEASURES = {"GAP": GAP, "nDCG@10": nDCG @ 10}
LIGHTGBM = {"num_leaves": 7, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "deterministic": True}
XGBOOST = {"max_leaves": 7, "max_depth": 0, "grow_policy": "lossguide", "tree_method": "hist", "eta": 0.2, "lambda": 0, "nthread": 1}
LOGGERS = {"weak": 1.0, "strong": 3.0}
SEVERITIES = (0.5, 1.0, 1.5)
Draw = Callable[[Array, np.random.Generator, float], Array]


def click_by_position(attraction: Array, rng: np.random.Generator, severity: float) -> Array:
    """bool[query, rank]: what is clicked on, of float64[query, rank], how attractive it is."""
    looks = rng.random(attraction.shape) < np.arange(1.0, SHOWN + 1) ** -severity
    return looks & (rng.random(attraction.shape) < attraction)


def click_by_trust(attraction: Array, rng: np.random.Generator, severity: float) -> Array:
    """The same of users who take what stands high for good."""
    looked_at = np.arange(1.0, SHOWN + 1) ** -severity
    return click_by_position(attraction + (1 - attraction) * 0.3 * looked_at, rng, severity)


def click_in_cascade(attraction: Array, rng: np.random.Generator, severity: float) -> Array:
    """The same of users who read from the top until they have had enough."""
    reads, clicks = np.ones(len(attraction), bool), np.zeros(attraction.shape, bool)
    for rank in range(SHOWN):
        clicks[:, rank] = reads & (rng.random(len(attraction)) < attraction[:, rank])
        goes_on = np.where(clicks[:, rank], 1 - severity / 2, 1 - severity / 10)
        reads &= rng.random(len(attraction)) < goes_on
    return clicks


USERS: dict[str, Draw] = {"position": click_by_position, "trust": click_by_trust, "cascade": click_in_cascade}


def draw_pages(queries: int, seed: int, strength: float) -> tuple[Array, Array]:
    """Features and true grades of pages of ten, in the order in which they were shown."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(SHOWN * queries, 8))
    curves = [X[:, 0], X[:, 1] ** 2, np.sin(2 * X[:, 2]), np.abs(X[:, 3]), X[:, 4:7].sum(1) / 2]
    merits = np.sum(curves, axis=0) + 0.5 * rng.normal(size=len(X))
    grades = np.digitize(merits, [1.5, 3, 4.2, 5.5]).astype(float)
    shown = np.argsort(-(strength * X[:, 0] + rng.normal(size=len(X))).reshape(queries, SHOWN), axis=1)
    rows = (shown + SHOWN * np.arange(queries)[:, None]).ravel()
    return X[rows], grades[rows]


def train_all(X: Array, grades: Array, clicks: Array) -> Iterator[tuple[str, Callable[[Array], Array]]]:
    """What scores rows, by what trained it."""
    queries = len(X) // SHOWN
    position, sizes = np.tile(np.arange(1, SHOWN + 1), queries), np.full(queries, SHOWN)

    def by_lightgbm(objective: Any, labels: Array = clicks, **more: Any) -> Callable[[Array], Array]:
        data = lightgbm.Dataset(X, labels, group=sizes, **more)
        return lightgbm.train(LIGHTGBM | {"objective": objective}, data, TREES).predict

    def by_xgboost(own: Any = None, **settings: Any) -> Callable[[Array], Array]:
        data = xgboost.DMatrix(X, clicks, qid=np.repeat(np.arange(queries), SHOWN))
        model = xgboost.train(XGBOOST | settings, data, TREES, obj=own)
        return lambda rows: np.asarray(model.predict(xgboost.DMatrix(rows)))

    ours = LambdaObjective("AP", (0, 1), norm=True, threads=1, position=position)
    yield "LightGBM: lambdarank, position=", by_lightgbm("lambdarank", position=position)
    yield "XGBoost: rank:ndcg, unbiased", by_xgboost(**unbiased("rank:ndcg"))
    yield "XGBoost: rank:map, unbiased", by_xgboost(**unbiased("rank:map"))
    yield "AP, LightGBM", by_lightgbm(ours)
    yield "AP, XGBoost", by_xgboost(ours, min_child_weight=0)
    yield "AP, no correction", by_lightgbm(LambdaObjective("AP", (0, 1), norm=True, threads=1))
    yield "GAP from the true grades", by_lightgbm(LambdaObjective("GAP", LEVELS, norm=True, threads=1), grades)


def unbiased(objective: str) -> dict[str, Any]:
    return {"objective": objective, "lambdarank_unbiased": True, "min_child_weight": 0}


def values_of(user: str, severity: float, logger: str, queries: int, seed: int) -> dict[str, dict[str, Array]]:
    """{measure: {what trained: float64[query]}} of test queries by their true grades."""
    X, grades = draw_pages(queries, seed, LOGGERS[logger])
    attraction = (0.05 + 0.95 * (2**grades - 1) / 15).reshape(queries, SHOWN)
    clicks = USERS[user](attraction, np.random.default_rng([seed, 1]), severity).ravel().astype(float)
    test, truth = draw_pages(TESTED, 1_000 + seed, LOGGERS[logger])
    values: dict[str, dict[str, Array]] = {measure: {} for measure in MEASURES}
    for name, score in train_all(X, grades, clicks):
        scores = score(test)
        for measure, definition in MEASURES.items():
            values[measure][name] = np.asarray(
                definition(judge_arrays(truth, scores, group=np.full(TESTED, SHOWN), levels=LEVELS))
            )
    return values


def main() -> None:
    """Print the table, or put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--users", default="position,trust,cascade")
    options = parser.parse_args()
    cells = [(user, severity, logger) for user in options.users.split(",") for severity in SEVERITIES for logger in LOGGERS]
    values = {}
    for cell in cells:
        parts = [values_of(*cell, options.queries, seed) for seed in range(options.seeds)]
        values[cell] = {
            measure: {name: np.concatenate([part[measure][name] for part in parts]) for name in parts[0][measure]}
            for measure in MEASURES
        }
        print(cell, {m: {n: round(float(v.mean()), 4) for n, v in d.items()} for m, d in values[cell].items()}, flush=True)
    for rival in ("LightGBM: lambdarank, position=", "XGBoost: rank:ndcg, unbiased", "XGBoost: rank:map, unbiased"):
        ours = "AP, LightGBM" if rival.startswith("LightGBM") else "AP, XGBoost"
        tests = [(cell, measure, values[cell][measure][ours] - values[cell][measure][rival]) for cell in cells for measure in MEASURES]
        p = np.array([stats.ttest_1samp(d, 0).pvalue for *_, d in tests])
        order = np.argsort(p)
        holm = np.empty(len(p)); holm[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
        for (cell, measure, d), q in zip(tests, holm):
            print(rival, cell, measure, f"{d.mean():+.4f} +- {1.96*d.std()/len(d)**.5:.4f} holm {q:.3f}")


if __name__ == "__main__":
    main()
