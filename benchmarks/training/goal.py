"""Is training for a measure behind the engines' own objectives anywhere? The table of docs/objectives.md.

    python benchmarks/training/goal.py DATA [--seeds 3] [--sets additive,...]

Four kinds of data with known truth (see known_truth.py; each seed draws other data), and OHSUMED and MQ2008 (each of
the five folds stands for a seed). All trees have 15 leaves and a learning rate of 0.1 (XGBoost's ranking objectives,
whose hessians are doubled, 0.2), 150 of them; how many of them are kept, in steps of ten, and which of our settings, is
chosen by the tested measure on validation queries.

Differences are paired by query; seeds are a random effect: how much larger the variance of a mean is than queries
explain is learnt from all cells of a table, as the few seeds of one cell cannot tell. Holm's correction is over rivals
and sets, by measure. CatBoost's trees are others, so what is compared with it is the gain of each over its own squared
error.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from known_truth import BELOW, TEST, TRAIN, VALID, Data, draw
from public_collections import read_parts
from scipy import stats

from gradeval import AP, ERR, GAP, GradevalWarning, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective
from gradeval.ltr.training_noise import Lead, pool_ratios
from gradeval.studies.significance import holm

TREES, STEP = 150, 10
NDCG = nDCG(dcg="exp-log2")
TESTED = {"GAP": GAP, "nDCG@10": NDCG @ 10, "ERR": ERR, "AP": AP}
OURS: dict[str, dict[str, Any]] = {
    f"{measure}{name}": {"measure": measure, **options}
    for measure in ("GAP", "nDCG(dcg='exp-log2')")
    for name, options in {"": {}, ", draws": {"draws": 5}, ", norm": {"norm": True}}.items()
} | {"GAP, norm, draws": {"measure": "GAP", "norm": True, "draws": 5}, "ERR, draws": {"measure": "ERR", "draws": 5}}
RIVALS = ["LightGBM lambdarank", "LightGBM rank_xendcg", "XGBoost rank:ndcg", "XGBoost rank:pairwise"]
CATBOOST = ["CatBoost YetiRank", "CatBoost YetiRankPairwise"]
Staged = list[tuple[Array, Array]]
"""Scores of the validation and of the test documents, after every tenth tree."""
Split = tuple[Data, Data, Data, tuple[float, ...]]


def with_lightgbm(objective: Any, split: Split) -> Staged:
    import lightgbm

    train, valid, test, _ = split
    settings = {"num_leaves": 15, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "deterministic": True}
    data = lightgbm.Dataset(train[0], train[1], group=train[2])
    model = lightgbm.train(settings | {"objective": objective, "seed": 1}, data, TREES)
    return [tuple(np.asarray(model.predict(X, num_iteration=n)) for X in (valid[0], test[0])) for n in steps()]  # type: ignore[misc]


def with_xgboost(objective: str, split: Split) -> Staged:
    import xgboost

    train, valid, test, _ = split
    data = xgboost.DMatrix(train[0], train[1], qid=np.repeat(np.arange(len(train[2])), train[2]))
    settings = {"objective": objective, "max_leaves": 15, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.2}
    model = xgboost.train(settings | {"nthread": 1, "tree_method": "hist"}, data, TREES)
    matrices = [xgboost.DMatrix(each[0]) for each in (valid, test)]
    return [
        tuple(model.predict(matrix, iteration_range=(0, n), output_margin=True) for matrix in matrices)  # type: ignore[misc]
        for n in steps()
    ]


def with_catboost(loss: str, split: Split) -> Staged:
    import catboost

    train, valid, test, _ = split
    settings = {"grow_policy": "Lossguide", "max_leaves": 15, "learning_rate": 0.1, "thread_count": 1, "random_seed": 1}
    more = {"loss_function": loss, "iterations": TREES, "logging_level": "Silent", "allow_writing_files": False}
    pool = catboost.Pool(train[0], train[1], group_id=np.repeat(np.arange(len(train[2])), train[2]))
    if loss == "YetiRankPairwise":
        settings = {name: value for name, value in settings.items() if name not in ("grow_policy", "max_leaves")}
        settings["depth"] = 4
    model = catboost.CatBoost({**settings, **more}).fit(pool)
    return [tuple(model.predict(X, ntree_end=n) for X in (valid[0], test[0])) for n in steps()]  # type: ignore[misc]


def steps() -> range:
    return range(STEP, TREES + 1, STEP)


def trained(split: Split, *, catboost: bool) -> Iterator[tuple[str, Callable[[], Staged]]]:
    """What trains, by name."""
    levels = split[3]
    for name, options in OURS.items():
        yield name, lambda options=options: with_lightgbm(LambdaObjective(levels=levels, threads=1, **options), split)
    for name in RIVALS:
        engine, objective = name.split(" ")
        grow = with_lightgbm if engine == "LightGBM" else with_xgboost
        yield name, lambda grow=grow, objective=objective: grow(objective, split)
    yield "LightGBM regression", lambda: with_lightgbm("regression", split)
    for name in [*CATBOOST, "CatBoost QueryRMSE"] if catboost else []:
        yield name, lambda name=name: with_catboost(name.split(" ")[1], split)


def values(measure: Any, data: Data, scores: Array, levels: tuple[float, ...]) -> Array:
    return np.asarray(measure(judge_arrays(data[1], scores, group=data[2], levels=levels)))


def tested(split: Split, *, catboost: bool) -> dict[str, dict[str, Array]]:
    """{measure: {what trained, or "ours": float64[query]}} of the test queries."""
    _, valid, test, levels = split
    found: dict[str, dict[str, Array]] = {name: {} for name in TESTED}
    best_of_ours = dict.fromkeys(TESTED, -1.0)
    for name, grow in trained(split, catboost=catboost):
        staged = grow()
        for measure, definition in TESTED.items():
            means = [values(definition, valid, of_valid, levels).mean() for of_valid, _ in staged]
            place = int(np.argmax(means))
            of_test = values(definition, test, staged[place][1], levels)
            if name not in OURS:
                found[measure][name] = of_test
            elif means[place] > best_of_ours[measure]:
                best_of_ours[measure], found[measure]["ours"] = means[place], of_test
    return found


def splits(name: str, data: Path, seeds: int) -> Iterator[Split]:
    """Training, validation and test data of each seed."""
    if name in BELOW:
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            drawn = [draw(name, queries, rng, False) for queries in (TRAIN, VALID, 2 * TEST)]
            if name == "permuted":
                drawn[0] = draw(name, TRAIN, rng, True)
            yield drawn[0], drawn[1], drawn[2], (0, 1, 2, 3, 4)
        return
    parts = read_parts(data, name)
    for fold in range(len(parts)):
        turned = [*parts[fold:], *parts[:fold]]
        joined = [type(parts[0]).concat(turned[:3]), turned[3], turned[4]]
        train, valid, test = ((each.X, each.grades, np.diff(each.offsets)) for each in joined)
        yield train, valid, test, parts[0].levels


def judge_leads(rows: list[list[Lead]]) -> tuple[Array, Array]:
    """float64[rival, set] each: half of the interval of 0.95, and p by Student's t, of leads[rival][set], whose
    variance between seeds is learnt from all of them (``pool_ratios``)."""
    mean, variance = np.moveaxis(np.array([[(lead.mean, lead.variance) for lead in row] for row in rows]), -1, 0)
    r, freedom = pool_ratios(rows)
    error = np.sqrt(r * variance)
    t = np.divide(np.abs(mean), error, out=np.zeros(mean.shape), where=error > 0)
    return error * stats.t.ppf(0.975, freedom), 2 * stats.t.sf(t, freedom)


def main() -> None:
    """Train everything, and print a table for each measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", default=",".join([*BELOW, "ohsumed-letor3", "mq2008"]))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    warnings.simplefilter("ignore", GradevalWarning)
    try:
        import catboost  # noqa: F401

        has_catboost = True
    except ModuleNotFoundError:
        has_catboost = False
    names = options.sets.split(",")
    by_set: dict[str, list[dict[str, dict[str, Array]]]] = {}
    for name in names:
        by_set[name] = [tested(split, catboost=has_catboost) for split in splits(name, options.data, options.seeds)]
        print(name, file=sys.stderr, flush=True)
    print_tables(by_set)


def print_tables(by_set: dict[str, list[dict[str, dict[str, Array]]]]) -> None:
    """Of values by set and seed, as ``tested`` gives them: our leads, a row a rival, a column a set."""
    names, has_catboost = list(by_set), CATBOOST[0] in next(iter(by_set.values()))[0]["GAP"]
    for measure in TESTED:
        rows = {
            rival: [Lead.of([each[measure]["ours"] - each[measure][rival] for each in by_set[name]]) for name in names]
            for rival in RIVALS
        }
        if has_catboost:
            rows |= {
                f"gain over squared error, less the gain of {rival}": [
                    Lead.of(
                        [
                            gain(each[measure], "ours", "LightGBM regression") - gain(each[measure], rival)
                            for each in by_set[name]
                        ]
                    )
                    for name in names
                ]
                for rival in CATBOOST
            }
        print(f"\n| {measure}: ours less | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
        halves, p = judge_leads(list(rows.values()))
        told = holm(p.ravel()).reshape(p.shape) < 0.05
        for (rival, row), half, stars in zip(rows.items(), halves.tolist(), told.tolist(), strict=True):
            cells = [
                f"{lead.mean:+.4f}{'*' * star} ±{width:.4f}" for lead, width, star in zip(row, half, stars, strict=True)
            ]
            print(f"| {rival} | {' | '.join(cells)} |", flush=True)


def gain(values: dict[str, Array], trained: str, squared: str = "CatBoost QueryRMSE") -> Array:
    """What training brought over squared error in the same engine."""
    return values[trained] - values[squared]


if __name__ == "__main__":
    main()
