"""Head to head with CatBoost, LightGBM and XGBoost as they come: tables of docs/objectives.md and engines.md.

    python benchmarks/training/goal.py --data DATA --work WORK --set web --seeds 5-9
    python benchmarks/training/goal.py --data DATA --work WORK --set mq2008 --seeds 0-4
    python benchmarks/training/goal.py --work WORK --write docs/objectives.md docs/learning-to-rank/engines.md

Six sets: four with known truth, of which each seed draws other data (web: queries of 10 to 80 documents, interactions,
queries that differ in how predictable they are; shop: clicks, carts and sales, few of them, 8 % of the values missing;
additive and flood: see known_truth.py), and OHSUMED and MQ2008, where each of the five folds stands for a seed.

Each of three camps has six settings (CAMPS): ours, CatBoost's losses with its own symmetric trees, and the objectives
of LightGBM and XGBoost. Squared error centred by query is one of the six for ours and CatBoost. Every setting grows
TREES trees; which setting a camp sends, and how many of its trees, is chosen by the tested measure on validation
queries; the third row of a measure has one setting of ours and one of CatBoost's. Two further tables set our chosen
setting against each objective of LightGBM and XGBoost as it comes, by GAP and by ERR. Differences are paired by query;
seeds are a random effect (leads.py); Holm's correction is over the sets and rivals of a measure. Processor time:
one thread grows all trees of a setting.

WORK keeps a file for each set and seed, so that it can be run in pieces.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import pickle
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from known_truth import Data, draw
from leads import show_leads, write_between
from public_collections import read_parts

from gradeval import AP, ERR, GAP, Features, JudgedRankings, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import Objective, TreeRanker
from gradeval.ltr.training_noise import Lead

TREES, STEP = 120, 10
TRAIN, VALID, TEST = 220, 150, 800  # queries
NDCG = "nDCG(dcg='exp-log2')"
TESTED = {"GAP": GAP, "nDCG@10": nDCG(dcg="exp-log2") @ 10, "ERR": ERR, "AP": AP}
DRAWN, PUBLIC = ("web", "shop", "additive", "flood"), ("ohsumed-letor3", "mq2008")

Staged = list[tuple[Array, Array]]
"""Scores of the validation and of the test documents, after every tenth tree."""


class Split(NamedTuple):
    """Training, validation and test data, and the grades of the set."""

    train: Data
    valid: Data
    test: Data
    levels: tuple[float, ...]


class Trained(NamedTuple):
    """What grows trees, and what then scores validation and test documents."""

    grow: Callable[[], Any]
    score: Callable[[Any], Staged]


def draw_web(queries: int, rng: np.random.Generator) -> Data:
    """Lists of 10 to 80 documents; features are shifted and stretched by query, twelve of twenty are noise."""
    sizes = rng.integers(10, 81, queries)
    rows = sizes.sum()
    Z = rng.normal(size=(rows, 8))
    merit = Z[:, 0] + 1.2 * (Z[:, 1] > 0.5) * Z[:, 2] + np.minimum(Z[:, 3], 0.3) + 0.7 * Z[:, 4] * Z[:, 5]
    merit = merit + 0.5 * Z[:, 6] + rng.normal(size=rows) * np.repeat(rng.uniform(0.3, 1.8, queries), sizes)
    stretched = Z * np.repeat(rng.uniform(0.6, 1.5, (queries, 8)), sizes, 0)
    shifted = stretched + np.repeat(0.7 * rng.normal(size=(queries, 8)), sizes, 0)
    X = np.column_stack([shifted, rng.normal(size=(rows, 12))]).astype(np.float32)
    return X, np.digitize(merit, [0.6, 1.7, 2.9, 4.0]).astype(float), sizes


def draw_shop(queries: int, rng: np.random.Generator) -> Data:
    """Lists of 40 products: clicked (1), put into the cart (2), sold (3)."""
    sizes = np.full(queries, 40)
    rows = sizes.sum()
    Z = rng.normal(size=(rows, 10))
    attracts = 0.9 * Z[:, 0] + 0.6 * np.abs(Z[:, 1]) + 0.5 * Z[:, 2] * Z[:, 3]
    convinces = 0.9 * Z[:, 4] - 0.8 * Z[:, 1] + 0.5 * Z[:, 5]
    click = rng.random(rows) < 1 / (1 + np.exp(3.0 - 1.3 * attracts))
    cart = click & (rng.random(rows) < 1 / (1 + np.exp(1.2 - 1.2 * convinces)))
    sale = cart & (rng.random(rows) < 0.45)
    X = np.column_stack([Z, rng.normal(size=(rows, 5))])
    X[rng.random(X.shape) < 0.08] = np.nan
    return X.astype(np.float32), click * 1.0 + cart + sale, sizes


def split_of(name: str, seed: int, data: Path | None) -> Split:
    """The data of a seed, or of a fold."""
    if name in DRAWN:
        rng = np.random.default_rng(2026 + seed)
        of_name = {"web": draw_web, "shop": draw_shop}.get(name)
        parts = [draw(name, n, rng, False) if of_name is None else of_name(n, rng) for n in (TRAIN, VALID, TEST)]
        X = [(each[0].astype(np.float32), *each[1:]) for each in parts]
        return Split(*X, levels=tuple(map(float, range(4 if name == "shop" else 5))))
    if data is None:
        raise SystemExit(f"{name} is in the folder of the data: give --data")
    read = read_parts(data, name)
    turned = [*read[seed:], *read[:seed]]
    joined = [Features.concat(turned[:3]), turned[3], turned[4]]
    arrays = [(each.X.astype(np.float32), each.grades, np.diff(each.offsets)) for each in joined]
    return Split(*arrays, levels=read[0].levels)


def by_us(split: Split, objective: str, draws: int = 0, **settings: Any) -> Trained:
    """A TreeRanker; it is fitted without validation, as others are."""
    parsed = Objective.parse(objective, **({"draws": draws} if draws else {}))
    X, grades, sizes = split.train
    features = Features.from_arrays(X, grades, sizes=sizes).with_levels(split.levels)
    ranker = TreeRanker(parsed, epochs=TREES, **{"learning_rate": 0.1, "threads": 1, **settings})

    def score(trained: TreeRanker) -> Staged:
        booster, symmetric = trained.booster, settings.get("shape") == "symmetric"
        predict = booster.predict
        word = "ntree_end" if symmetric else "num_iteration"
        return stage(lambda X, n: predict(X, **{word: min(n, trained.best)}), split)

    return Trained(lambda: ranker.fit(features), score)


def by_lightgbm(split: Split, objective: str, **more: Any) -> Trained:
    import lightgbm

    settings = {"num_leaves": 15, "learning_rate": 0.1, "verbosity": -1, "num_threads": 1, "deterministic": True}
    train = split.train
    data = lightgbm.Dataset(train[0], train[1], group=train[2])
    grow = partial(lightgbm.train, settings | {"objective": objective, "seed": 1} | more, data, TREES)
    return Trained(grow, lambda model: stage(lambda X, n: model.predict(X, num_iteration=n), split))


def by_xgboost(split: Split, objective: str) -> Trained:
    """At twice the rate, as hessians of its ranking objectives are doubled; its MAP takes binary grades."""
    import xgboost

    X, grades, sizes = split.train
    labels = (grades > 0).astype(float) if objective == "rank:map" else grades
    data = xgboost.DMatrix(X, labels, qid=np.repeat(np.arange(len(sizes)), sizes))
    settings = {"objective": objective, "max_leaves": 15, "max_depth": 0, "grow_policy": "lossguide", "eta": 0.2}
    grow = partial(xgboost.train, settings | {"nthread": 1, "tree_method": "hist"}, data, TREES)

    def predict(model: Any, X: Array, trees: int) -> Any:
        return model.predict(xgboost.DMatrix(X), iteration_range=(0, trees), output_margin=True)

    return Trained(grow, lambda model: stage(lambda X, n: predict(model, X, n), split))


def by_catboost(split: Split, loss: str, **more: Any) -> Trained:
    """Symmetric trees with CatBoost's defaults of everything but the rate; grades up to 1 where a loss asks for it."""
    import catboost

    X, grades, sizes = split.train
    labels = grades / max(split.levels) if "ERR" in loss else grades
    pool = catboost.Pool(X, labels, group_id=np.repeat(np.arange(len(sizes)), sizes))
    settings = {"loss_function": loss, "iterations": TREES, "learning_rate": 0.1, "thread_count": 1, "random_seed": 1}
    quiet = {"logging_level": "Silent", "allow_writing_files": False}
    model = catboost.CatBoost({**settings, **quiet, **more})
    return Trained(partial(model.fit, pool), lambda model: stage(lambda X, n: model.predict(X, ntree_end=n), split))


def stage(predict: Callable[[Array, int], Any], split: Split) -> Staged:
    return [
        (np.asarray(predict(split.valid[0], n), float), np.asarray(predict(split.test[0], n), float))
        for n in range(STEP, TREES + 1, STEP)
    ]


SYMMETRIC: dict[str, Any] = {"shape": "symmetric"}
BAGGED = {"num_leaves": 7, "min_data_in_leaf": 50, "bagging_fraction": 0.6, "bagging_freq": 1, "bagging_by_query": True}
CAMPS: dict[str, dict[str, Callable[[Split], Trained]]] = {
    "ours": {
        "GAP + queryrmse, draws, symmetric": lambda s: by_us(s, "GAP + queryrmse", 5, norm=True, **SYMMETRIC),
        "the same without norm": lambda s: by_us(s, "GAP + queryrmse", 5, norm=False, **SYMMETRIC),
        "GAP + nDCG + ERR + queryrmse, draws, symmetric": lambda s: by_us(
            s, f"GAP + {NDCG} + ERR + queryrmse", 5, norm=True, **SYMMETRIC
        ),
        "GAP, draws, symmetric, rate 0.2": lambda s: by_us(s, "GAP", 5, norm=True, learning_rate=0.2, **SYMMETRIC),
        "queryrmse, symmetric": lambda s: by_us(s, "queryrmse", **SYMMETRIC),
        "GAP + queryrmse, draws, leaf-wise": lambda s: by_us(s, "GAP + queryrmse", 5, norm=True),
    },
    "CatBoost": {
        "YetiRank": lambda s: by_catboost(s, "YetiRank"),
        "YetiRank, depth 4": lambda s: by_catboost(s, "YetiRank", depth=4),
        "YetiRank, depth 4, rate 0.2": lambda s: by_catboost(s, "YetiRank", depth=4, learning_rate=0.2),
        "YetiRank:mode=NDCG, depth 4": lambda s: by_catboost(s, "YetiRank:mode=NDCG", depth=4),
        "YetiRank:mode=ERR, depth 4": lambda s: by_catboost(s, "YetiRank:mode=ERR", depth=4),
        "QueryRMSE, depth 4": lambda s: by_catboost(s, "QueryRMSE", depth=4),
    },
    "LightGBM and XGBoost": {
        "lambdarank": lambda s: by_lightgbm(s, "lambdarank"),
        "lambdarank, 7 leaves, bagged": lambda s: by_lightgbm(s, "lambdarank", **BAGGED),
        "rank_xendcg": lambda s: by_lightgbm(s, "rank_xendcg"),
        "rank:ndcg": lambda s: by_xgboost(s, "rank:ndcg"),
        "rank:map": lambda s: by_xgboost(s, "rank:map"),
        "rank:pairwise": lambda s: by_xgboost(s, "rank:pairwise"),
    },
}
ALONE, UNCHOSEN = "alone", ("GAP + queryrmse, draws, symmetric", "YetiRank, depth 4")
"""One setting of ours and one of CatBoost's, of equal trees: validation chooses the number of trees alone."""
RIVALS = {
    "CatBoost": "CatBoost",
    "LightGBM and XGBoost": "LightGBM, XGBoost",
    ALONE: "`GAP + queryrmse` less YetiRank, no choice of settings",
}
OWN = {
    "lambdarank": "LightGBM lambdarank",
    "rank_xendcg": "LightGBM rank_xendcg",
    "rank:ndcg": "XGBoost rank:ndcg",
    "rank:map": "XGBoost rank:map",
    "rank:pairwise": "XGBoost rank:pairwise",
}
"""Of LightGBM and XGBoost, each objective as it comes."""
REFERENCE = "YetiRank"  # whose processor time is 1


class Tried(NamedTuple):
    """A setting of a camp: the processor time of its training, and by measure its best mean on validation queries and
    the values of the test queries with as many trees."""

    camp: str
    name: str
    seconds: float
    valid: dict[str, float]
    test: dict[str, Array]


def try_all(split: Split) -> list[Tried]:
    """Every setting of every camp."""
    found = []
    for camp, settings in CAMPS.items():
        for name, prepare in settings.items():
            trained = prepare(split)
            begin = time.process_time()
            model = trained.grow()
            seconds = time.process_time() - begin
            valid, test = {}, {}
            staged = trained.score(model)
            on_valid = [
                judge_arrays(split.valid[1], scores, group=split.valid[2], levels=split.levels) for scores, _ in staged
            ]
            for measure, definition in TESTED.items():
                means = [float(np.mean(definition(judged))) for judged in on_valid]
                place = int(np.argmax(means))
                judged = judged_by(split.test, staged[place][1], split.levels)
                valid[measure], test[measure] = means[place], np.asarray(definition(judged))
            found.append(Tried(camp, name, seconds, valid, test))
            print(f"  {camp}: {name}: {seconds:.1f} s, {np.mean(test['GAP']):.4f} GAP", flush=True)
    return found


def judged_by(data: Data, scores: Array, levels: tuple[float, ...]) -> JudgedRankings:
    """The documents of data, ranked by scores."""
    return judge_arrays(data[1], scores, group=data[2], levels=levels)


def chosen(tried: Sequence[Tried], camp: str, measure: str) -> Tried:
    """What a camp sends: the setting that validates best by the measure."""
    return max((one for one in tried if one.camp == camp), key=lambda one: one.valid[measure])


def sent(tried: Sequence[Tried], ours: str, rival: str, measure: str) -> Array:
    """float64[query]: the lead of what we send over what a rival sends: the chosen setting of a camp, or ALONE."""
    if rival == ALONE:
        one, other = (next(each for each in tried if each.name == name) for name in UNCHOSEN)
    else:
        one, other = (chosen(tried, camp, measure) for camp in (ours, rival))
    return one.test[measure] - other.test[measure]


def ahead_of_setting(tried: Sequence[Tried], rival: str, measure: str) -> Array:
    """float64[query]: the lead of the setting that we send over one setting of a rival."""
    other = next(one for one in tried if one.name == rival)
    return chosen(tried, "ours", measure).test[measure] - other.test[measure]


def read_work(work: Path) -> dict[str, list[list[Tried]]]:
    """What was tried, by set and seed."""
    found = {
        name: [
            [Tried(*one) for one in pickle.loads(path.read_bytes())] for path in sorted(work.glob(f"{name}.*.pickle"))
        ]
        for name in (*DRAWN, *PUBLIC)
    }
    return {name: seeds for name, seeds in found.items() if seeds}


def table_of(by_set: dict[str, list[list[Tried]]]) -> str:
    """Our leads: a row for each measure and rival, a column for each set; then what was chosen, and processor time."""
    seeds = [f"{name} ({len(of_set)})" for name, of_set in by_set.items()]
    lines = [f"| ours less | by | {' | '.join(seeds)} |", f"|---|---|{'--:|' * len(by_set)}"]
    for measure in TESTED:
        rows = [
            [Lead.of([sent(tried, "ours", rival, measure) for tried in of_set]) for of_set in by_set.values()]
            for rival in RIVALS
        ]
        for title, cells in zip(RIVALS.values(), show_leads(rows, list(map(len, by_set.values()))), strict=True):
            lines.append(f"| {title} | {measure} | {' | '.join(cells)} |")
    lines += time_rows(by_set)
    return "\n".join(lines) + "\n"


def table_of_own(by_set: dict[str, list[list[Tried]]], measure: str) -> str:
    """The lead of our chosen setting over each objective of LightGBM and XGBoost, which chooses its number of trees."""
    seeds = [f"{name} ({len(of_set)})" for name, of_set in by_set.items()]
    lines = [f"| {measure}: ours less | {' | '.join(seeds)} |", f"|---|{'--:|' * len(by_set)}"]
    rows = [
        [Lead.of([ahead_of_setting(tried, rival, measure) for tried in of_set]) for of_set in by_set.values()]
        for rival in OWN
    ]
    for title, cells in zip(OWN.values(), show_leads(rows, list(map(len, by_set.values()))), strict=True):
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def time_rows(by_set: dict[str, list[list[Tried]]]) -> list[str]:
    """Processor time of what was chosen by GAP, and of all six settings, over YetiRank's and all of CatBoost."""
    of_chosen, of_all = [], []
    for seeds in by_set.values():
        own = [chosen(tried, "ours", "GAP").seconds for tried in seeds]
        reference = [next(one.seconds for one in tried if one.name == REFERENCE) for tried in seeds]
        of_chosen.append(f"{sum(own) / sum(reference):.2f}")
        total = {camp: sum(one.seconds for tried in seeds for one in tried if one.camp == camp) for camp in CAMPS}
        of_all.append(f"{total['ours'] / total['CatBoost']:.2f}")
    return [
        f"| processor time of the setting chosen by GAP, over YetiRank's | | {' | '.join(of_chosen)} |",
        f"| the same of all six settings, over CatBoost's six | | {' | '.join(of_all)} |",
    ]


def main() -> None:
    """Train some seeds of a set, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--set", dest="name", choices=[*DRAWN, *PUBLIC])
    parser.add_argument("--seeds", default="0-4", help="FIRST-LAST")
    parser.add_argument("--write", type=Path, nargs="+", default=[], help="pages with the marks of the tables")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.work.mkdir(parents=True, exist_ok=True)
    if options.name is not None:
        first, _, last = options.seeds.partition("-")
        for seed in range(int(first), int(last or first) + 1):
            place = options.work / f"{options.name}.{seed}.pickle"
            if not place.exists():
                print(f"{options.name}, seed {seed}", flush=True)
                tried = try_all(split_of(options.name, seed, options.data))
                place.write_bytes(pickle.dumps([tuple(one) for one in tried]))
    by_set = read_work(options.work)
    if not by_set:
        return
    tables = {"goal": table_of(by_set)} | {f"own-{name}": table_of_own(by_set, name) for name in ("GAP", "ERR")}
    for name, table in tables.items():
        print(f"{table}")
        for page in options.write:
            write_between(page, name, table)


if __name__ == "__main__":
    main()
