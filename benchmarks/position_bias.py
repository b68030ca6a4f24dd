"""What is learnt from biased clicks? Measures by true grades, from simulated clicks of known truth.

    python benchmarks/position_bias.py [--queries 5000] [--seeds 3] [--page docs/learning-to-rank/clicks.md]

Documents have merits by a sum of curves of their features. Pages of ten were shown by a ranker that depends on one of
the features, weakly or strongly. Users of three models click, each with three severities of the bias:

* position: rank k is looked at with the probability k^-severity; who looks clicks by the grade (0.05 to 1);
* trust: the same, and who looks at a document that is not attractive clicks nevertheless with .3 k^-severity;
* cascade: users read from the top, and go on after a click with a probability of 1 - severity / 2, and after no click
  with one of 1 - severity / 10.

All are trained on the same clicks, with trees of the same size, number and learning rate, and tested by the true grades
of 1,000 queries a seed. Differences from LightGBM's lambdarank with position= and from the better of XGBoost's
rank:ndcg and rank:map with lambdarank_unbiased are paired by query (t over all queries of all seeds, which are taken as
they are: what other clicks would teach is not counted), with Holm's correction over all cells of an engine, both
measures and all users; a star marks p < .05.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import xgboost
from scipy import stats

from gradeval import GAP, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective
from gradeval.studies.significance import holm

SHOWN, LEVELS, TREES, TESTED = 10, (0, 1, 2, 3, 4), 80, 1_000
MEASURES = {"GAP": GAP, "nDCG@10": nDCG @ 10}
LIGHTGBM = {"num_leaves": 7, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "deterministic": True}
XGBOOST = {
    "max_leaves": 7,
    "max_depth": 0,
    "grow_policy": "lossguide",
    "tree_method": "hist",
    "eta": 0.2,
    "lambda": 0,
    "nthread": 1,
}
LOGGERS = {"weak": 1.0, "strong": 3.0}
SEVERITIES = (0.5, 1.0, 1.5)
Draw = Callable[[Array, np.random.Generator, float], Array]
Cell = tuple[str, float, str]  # of the users, the severity and the logger
Values = dict[str, dict[str, Array]]  # {measure: {what trained: float64[query]}}
CONTESTS = {
    "LightGBM": ("AP, LightGBM", ["LightGBM: lambdarank, position="]),
    "XGBoost": ("AP, XGBoost", ["XGBoost: rank:ndcg, unbiased", "XGBoost: rank:map, unbiased"]),
}
"""By engine, ours and its own."""
BESIDE = ["AP, propensities given", "AP, no correction", "GAP from the true grades"]
"""For comparison, in LightGBM."""


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


def train_all(
    X: Array, grades: Array, clicks: Array, severity: float
) -> Iterator[tuple[str, Callable[[Array], Array]]]:
    """What scores rows, by what trained it."""
    queries = len(X) // SHOWN
    position, sizes = np.tile(np.arange(1, SHOWN + 1), queries), np.full(queries, SHOWN)

    def by_lightgbm(objective: Any, labels: Array = clicks, **more: Any) -> Callable[[Array], Array]:
        data = lightgbm.Dataset(X, labels, group=sizes, **more)
        model = lightgbm.train(LIGHTGBM | {"objective": objective}, data, TREES)
        return lambda rows: np.asarray(model.predict(rows))

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
    theta = (np.arange(1.0, SHOWN + 1) ** -severity).tolist()
    given = LambdaObjective("AP", (0, 1), norm=True, threads=1, position=position, propensities=theta)
    yield "AP, propensities given", by_lightgbm(given)
    yield "AP, no correction", by_lightgbm(LambdaObjective("AP", (0, 1), norm=True, threads=1))
    yield "GAP from the true grades", by_lightgbm(LambdaObjective("GAP", LEVELS, norm=True, threads=1), grades)


def unbiased(objective: str) -> dict[str, Any]:
    return {"objective": objective, "lambdarank_unbiased": True, "min_child_weight": 0}


def values_of(user: str, severity: float, logger: str, queries: int, seed: int) -> Values:
    """{measure: {what trained: float64[query]}} of test queries by their true grades."""
    X, grades = draw_pages(queries, seed, LOGGERS[logger])
    attraction = (0.05 + 0.95 * (2**grades - 1) / 15).reshape(queries, SHOWN)
    clicks = USERS[user](attraction, np.random.default_rng([seed, 1]), severity).ravel().astype(float)
    test, truth = draw_pages(TESTED, 1_000 + seed, LOGGERS[logger])
    values: dict[str, dict[str, Array]] = {measure: {} for measure in MEASURES}
    for name, score in train_all(X, grades, clicks, severity):
        scores = score(test)
        for measure, definition in MEASURES.items():
            values[measure][name] = np.asarray(
                definition(judge_arrays(truth, scores, group=np.full(TESTED, SHOWN), levels=LEVELS))
            )
    return values


def compare(values: dict[Cell, Values], ours: str, rivals: Sequence[str]) -> list[tuple[Cell, str, Array, float]]:
    """(cell, measure, float64[query] of the differences of ours from the better rival of a cell, corrected p)."""
    differences = []
    for cell, by_measure in values.items():
        for measure, of in by_measure.items():
            best = max(rivals, key=lambda rival: float(of[rival].mean()))
            differences.append((cell, measure, of[ours] - of[best]))
    p = holm(np.array([stats.ttest_1samp(each, 0).pvalue for *_, each in differences]))
    return [(*each, float(corrected)) for each, corrected in zip(differences, p, strict=True)]


def show(values: dict[Cell, Values]) -> str:
    """The tables, in Markdown."""
    lines = [
        "| users | severity | logger | LightGBM `position=` | ours there | XGBoost unbiased | ours there | "
        "ours, k^-severity given | not corrected | from true grades |",
        "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    tested = {engine: compare(values, ours, rivals) for engine, (ours, rivals) in CONTESTS.items()}
    p = {engine: {(cell, measure): each for cell, measure, _, each in tests} for engine, tests in tested.items()}
    for cell, by_measure in values.items():
        of = {name: float(each.mean()) for name, each in by_measure["GAP"].items()}
        shown = []
        for engine, (ours, rivals) in CONTESTS.items():
            best = max(of[rival] for rival in rivals)
            shown += [f"{best:.4f}", f"{of[ours] - best:+.4f}{'*' * (p[engine][cell, 'GAP'] < 0.05)}"]
        user, severity, logger = cell
        shown += [f"{of[name]:.4f}" for name in BESIDE]
        lines.append(f"| {user} | {severity:g} | {logger} | {' | '.join(shown)} |")
    for engine, tests in tested.items():
        ahead = sum(corrected < 0.05 and difference.mean() > 0 for *_, difference, corrected in tests)
        behind = [each for each in tests if each[3] < 0.05 and each[2].mean() < 0]
        where = ", ".join(f"{user} {sev:g} {logger} by {m} {d.mean():+.4f}" for (user, sev, logger), m, d, _ in behind)
        lines.append(
            f"\nOf the {len(tests)} tests in {engine}, ours is significantly ahead in {ahead}, behind in {len(behind)}"
            f"{where and ': ' + where}."
        )
    return "\n".join(lines)


def main() -> None:
    """Print the table, or put it into the page between the comments of its name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--users", default=",".join(USERS))
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    values: dict[Cell, Values] = {}
    for cell in product(options.users.split(","), SEVERITIES, LOGGERS):
        parts = [values_of(*cell, options.queries, seed) for seed in range(options.seeds)]
        values[cell] = {
            measure: {name: np.concatenate([part[measure][name] for part in parts]) for name in parts[0][measure]}
            for measure in MEASURES
        }
        print(*cell, flush=True)
    print(show(values))
    if options.page:
        begin, end = "<!-- position_bias:begin -->\n", "<!-- position_bias:end -->"
        before, _, rest = options.page.read_text().partition(begin)
        options.page.write_text(before + begin + show(values) + "\n" + end + rest.partition(end)[2])


if __name__ == "__main__":
    main()
