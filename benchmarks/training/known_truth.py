"""When does which objective pay? Data made with known merits, our objectives beside those of LightGBM and XGBoost.

    python benchmarks/training/known_truth.py --work WORK [--seeds 5] [--write docs/objectives.md]

additive: grades 0 to 4 by a sum of curves of the features, lists of 8 to 60 documents. permuted: the same, the labels
of a fifth of the training queries in random order. sparse: lists of 60 with few relevant documents. flood: many
marginal documents, few good ones. All trees have the same shape, rate (XGBoost's objectives double their hessians, so
twice LightGBM's rate there) and largest number, and stop by GAP on validation queries. Each seed draws other data.
Differences are paired by test query, with intervals of 0.95 that count how seeds vary (leads.py); * is significant,
corrected by Holm over all rows and kinds of data of a measure. WORK keeps a file for each kind of data and seed.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any, cast

import lightgbm
import numpy as np
import xgboost
from leads import show_leads, write_between

from gradeval import GAP, GradevalWarning, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, feval
from gradeval.ltr.training_noise import Lead

FEATURES, LEVELS, TREES, PATIENCE = 10, (0, 1, 2, 3, 4), 200, 30
TRAIN, VALID, TEST = 200, 150, 400  # queries
NDCG = nDCG(dcg="exp-log2")
TESTED = {"GAP": GAP, "nDCG@10": NDCG @ 10}
FIRST = "LightGBM lambdarank"  # the others are compared with it
BELOW = {  # the shares of documents below the grades 1, 2, 3 and 4
    "additive": (0.6, 0.8, 0.92, 0.98),
    "permuted": (0.6, 0.8, 0.92, 0.98),
    "sparse": (0.96, 0.975, 0.985, 0.995),
    "flood": (0.55, 0.93, 0.96, 0.98),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "": {},
    ", draws": {"draws": 5},
    ", `norm=False`": {"norm": False},
    ", draws, `norm=False`": {"norm": False, "draws": 5},
}
"""Of our objectives; "by validation" takes the one whose trees are best on the validation queries."""
Data = tuple[Array, Array, Array]
Values = dict[str, dict[str, Array]]
"""float64[query] of each measure, by what was trained."""


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
    settings = {"objective": objective, "max_leaves": 15, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.2}
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
        FIRST: by_lightgbm("lambdarank", train, valid, test[0])[0],
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


def values_of(kind: str, seed: int) -> Values:
    """Every measure of every test query, by what was trained."""
    scores, test = scores_of(kind, seed)
    judged = {name: judge_arrays(test[1], each, group=test[2], levels=LEVELS) for name, each in scores.items()}
    return {name: {shown: np.asarray(each(one)) for shown, each in TESTED.items()} for name, one in judged.items()}


def keep_values(kind: str, seed: int, work: Path) -> Values:
    """The values of one seed, from the folder that keeps them."""
    place = work / f"{kind}.{seed}.pickle"
    if not place.exists():
        place.write_bytes(pickle.dumps(values_of(kind, seed)))
        print(f"{kind}, seed {seed}", file=sys.stderr, flush=True)
    return cast(Values, pickle.loads(place.read_bytes()))


def table_of(found: list[list[Values]]) -> str:
    """A row for each objective, a column for each kind of data: the means of lambdarank, and differences from it."""
    lines = [f"| | by | {' | '.join(BELOW)} |", f"|---|---|{'--:|' * len(BELOW)}"]
    for measure in TESTED:
        means = [np.mean([seed[FIRST][measure] for seed in seeds]) for seeds in found]
        lines.append(f"| {FIRST} | {measure} | {' | '.join(f'{mean:.4f}' for mean in means)} |")
        others = [name for name in found[0][0] if name != FIRST]
        rows = [
            [Lead.of([seed[name][measure] - seed[FIRST][measure] for seed in seeds]) for seeds in found]
            for name in others
        ]
        for name, cells in zip(others, show_leads(rows, list(map(len, found))), strict=True):
            if measure == "GAP" or name.endswith("by validation"):
                lines.append(f"| {name.replace(str(NDCG), 'nDCG')} | {measure} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--work", type=Path, required=True, help="a folder that keeps what was measured")
    parser.add_argument("--write", type=Path, nargs="*", default=[], help="pages with the marks of the table")
    warnings.simplefilter("ignore", GradevalWarning)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    kept = [[keep_values(kind, seed, given.work) for kind in BELOW] for seed in range(given.seeds)]
    table = table_of([list(of_kind) for of_kind in zip(*kept, strict=True)])
    print(table, end="")
    for page in given.write:
        write_between(page, "truth", table)
