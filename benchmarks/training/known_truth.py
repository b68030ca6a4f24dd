"""When does which objective pay? Data made with known merits, our objectives beside those of LightGBM and XGBoost.

    python benchmarks/training/known_truth.py [--seeds 3]

additive: grades 0 to 4 by a sum of curves of the features, lists of 8 to 60 documents. permuted: the same, the labels
of a fifth of the training queries in random order. sparse: lists of 60 with few relevant documents. flood: many
marginal documents, few good ones. All trees have the same shape, rate and largest number, and stop by GAP on validation
queries. Differences are paired by test query, with intervals of 0.95; * is significant by a paired t test, corrected by
Holm over the rows of a column. Each seed draws other data.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import lightgbm
import numpy as np
import xgboost
from scipy.stats import ttest_rel

from gradeval import GAP, GradevalWarning, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, feval

FEATURES, LEVELS, TREES, PATIENCE = 10, (0, 1, 2, 3, 4), 200, 30
TRAIN, VALID, TEST = 200, 150, 400  # queries
NDCG = nDCG(dcg="exp-log2")
BELOW = {  # the shares of documents below the grades 1, 2, 3 and 4
    "additive": (0.6, 0.8, 0.92, 0.98),
    "permuted": (0.6, 0.8, 0.92, 0.98),
    "sparse": (0.96, 0.975, 0.985, 0.995),
    "flood": (0.55, 0.93, 0.96, 0.98),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "": {"norm": False},
    ", 5 draws": {"norm": False, "draws": 5},
    ", norm": {"norm": True},
    ", norm, 5 draws": {"norm": True, "draws": 5},
}
"""Of our objectives; "by validation" takes the one whose trees are best on the validation queries."""
Data = tuple[Array, Array, Array]


def draw(kind: str, queries: int, rng: np.random.Generator, permuted: bool) -> Data:
    """Features, grades and the sizes of the queries; "short" is additive, in lists of 10."""
    length = {"sparse": 60, "short": 10}.get(kind)
    sizes = rng.integers(8, 61, queries) if length is None else np.full(queries, length)
    X = rng.normal(size=(sizes.sum(), FEATURES))
    curves = [X[:, 0], X[:, 1] ** 2, np.sin(2 * X[:, 2]), np.abs(X[:, 3]), X[:, 4:7].sum(1)]
    merits = np.sum(curves, axis=0) + rng.normal(size=len(X))
    grades = np.digitize(merits, np.quantile(merits, BELOW.get(kind, BELOW["additive"]))).astype(float)
    ends = sizes.cumsum()
    for first, end in zip(ends - sizes, ends, strict=True):
        if permuted and rng.random() < 0.2:
            grades[first:end] = rng.permutation(grades[first:end])
    return X, grades, sizes


def by_lightgbm(objective: Any, train: Data, valid: Data, X: Array) -> tuple[Array, float]:
    """Scores of other documents, and GAP on the validation queries."""
    settings = {"num_leaves": 15, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "metric": "None"}
    data = lightgbm.Dataset(train[0], train[1], group=train[2])
    model = lightgbm.train(
        settings | {"objective": objective, "seed": 1, "deterministic": True},
        data,
        TREES,
        valid_sets=[lightgbm.Dataset(valid[0], valid[1], group=valid[2], reference=data)],
        feval=feval(GAP, levels=LEVELS),
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )
    return np.asarray(model.predict(X)), max(model.best_score["valid_0"].values())


def by_xgboost(objective: str, train: Data, valid: Data, X: Array) -> Array:
    """Scores of other documents."""
    settings = {"objective": objective, "max_leaves": 15, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.1}
    first, second = (
        xgboost.DMatrix(each[0], each[1], qid=np.repeat(np.arange(len(each[2])), each[2])) for each in (train, valid)
    )
    model = xgboost.train(
        settings | {"nthread": 1, "tree_method": "hist", "disable_default_eval_metric": True},
        first,
        TREES,
        evals=[(second, "valid")],
        custom_metric=feval(GAP, levels=LEVELS),
        callbacks=[xgboost.callback.EarlyStopping(rounds=PATIENCE, maximize=True, save_best=True)],
        verbose_eval=False,
    )
    return np.asarray(model.predict(xgboost.DMatrix(X), output_margin=True))


def scores_of(kind: str, seed: int) -> tuple[dict[str, Array], Data]:
    """The scores of the test documents by what was trained, and the test data."""
    rng = np.random.default_rng(seed)
    train, valid, test = (draw(kind, queries, rng, False) for queries in (TRAIN, VALID, TEST))
    if kind == "permuted":
        train = draw(kind, TRAIN, rng, True)
    scores = {
        "LightGBM lambdarank": by_lightgbm("lambdarank", train, valid, test[0])[0],
        "LightGBM rank_xendcg": by_lightgbm("rank_xendcg", train, valid, test[0])[0],
        "XGBoost rank:ndcg": by_xgboost("rank:ndcg", train, valid, test[0]),
        "XGBoost rank:pairwise": by_xgboost("rank:pairwise", train, valid, test[0]),
    }
    for measure in (NDCG, GAP):
        tried = {
            how: by_lightgbm(LambdaObjective(measure, LEVELS, threads=1, **options), train, valid, test[0])
            for how, options in SETTINGS.items()
        }
        for how, (values, _) in tried.items():
            scores[f"{measure}{how}"] = values
        scores[f"{measure}, by validation"] = max(tried.values(), key=lambda each: each[1])[0]
    return scores, test


def columns(seeds: int) -> dict[str, dict[str, Array]]:
    """float64[query] by what was trained, for each kind of data and each measure."""
    found: dict[str, dict[str, Array]] = {}
    for kind in BELOW:
        for seed in range(seeds):
            scores, test = scores_of(kind, seed)
            for name, each in scores.items():
                judged = judge_arrays(test[1], each, group=test[2], levels=LEVELS)
                for measure in (GAP, NDCG @ 10):
                    column = found.setdefault(f"{kind}, {measure.name}{'@10' if measure.cutoff else ''}", {})
                    column[name] = np.append(column.get(name, []), measure(judged))
    return found


def cells(column: dict[str, Array]) -> list[str]:
    """The mean of the first row, and the differences of the others from it."""
    first, *others = column.values()
    p = np.array([ttest_rel(other, first).pvalue for other in others])
    order = np.argsort(p)
    holm = np.empty(len(p))
    holm[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    shown = [f"{first.mean():.4f}"]
    for other, corrected in zip(others, holm, strict=True):
        difference = other - first
        half = 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))
        mean = difference.mean()
        shown.append(f"{mean:+.4f}{'*' * bool(corrected < 0.05)} [{mean - half:+.3f}, {mean + half:+.3f}]")
    return shown


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    warnings.simplefilter("ignore", GradevalWarning)
    table = columns(parser.parse_args().seeds)
    for wanted in ("GAP", "nDCG@10"):
        chosen = {name: column for name, column in table.items() if name.endswith(f" {wanted}")}
        print(f"| {wanted} | " + " | ".join(name.partition(",")[0] for name in chosen) + " |")
        print("|---|" + "--:|" * len(chosen))
        for row in zip(next(iter(chosen.values())), *map(cells, chosen.values()), strict=True):
            print("| " + " | ".join(row) + " |")
        print()
