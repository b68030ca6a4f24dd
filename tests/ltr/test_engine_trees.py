"""Engines' own objectives in a cross-validation: they are what the engines train by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradeval import Features, InputError, evaluate, nDCG
from gradeval.features.folds import rotate
from gradeval.formula.arithmetic import Array
from gradeval.ltr import TreeRanker, crossval
from gradeval.ltr.data.graded_queries import GradedQueries, SwapLoss
from gradeval.ltr.engine_trees import Budget, EngineObjective, EngineTrees
from gradeval.ltr.rankers.leaf_wise_trees import BINNING

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
FEW: dict[str, Any] = {"epochs": 25, "min_rows": 5, "learning_rate": 0.1, "patience": 5}
OBJECTIVES = ["GAP", "nDCG", "lightgbm:lambdarank", "xgboost:rank:ndcg"]


def made(queries: int = 60, seed: int = 1) -> Features:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * 12, 4))
    grades = np.digitize(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X)), [1.5, 3])
    return Features.from_arrays(X, grades, topics=np.repeat(np.arange(queries), 12), columns=list("abcd"))


DATA = made()


@pytest.mark.parametrize("engine", ["lightgbm:lambdarank", "xgboost:rank:ndcg"])
def test_trees_are_those_of_the_engine_itself(engine: str) -> None:
    """Without sampling, and with as many trees as validation kept."""
    train, valid, test = DATA.split(0.6, 0.2, 0.2, seed=1)
    objective = EngineObjective.parse(engine)
    assert objective is not None
    trees = EngineTrees(objective, 0, Budget.of({**FEW, "subsample": 1.0}))
    trees.fit(train, valid, objective.measure)
    assert trees.learning_curve is not None
    best, values = trees.learning_curve.best, [epoch.valid for epoch in trees.learning_curve.curve]
    sizes = np.diff(train.offsets)
    if engine.startswith("lightgbm"):
        settings = {"objective": "lambdarank", "num_leaves": 7, "learning_rate": 0.1, "min_data_in_leaf": 5}
        own = lightgbm.train(
            {**settings, **BINNING, "verbosity": -1, "num_threads": 1, "deterministic": True},
            lightgbm.Dataset(train.X, train.grades, group=sizes),
            best,
        )
        expected = own.predict(test.X)
    else:
        settings = {"objective": "rank:ndcg", "max_leaves": 7, "eta": 0.2, "max_depth": 0, "grow_policy": "lossguide"}
        data = xgboost.DMatrix(train.X, train.grades, qid=np.repeat(np.arange(len(sizes)), sizes))
        own = xgboost.train({**settings, "nthread": 1, "verbosity": 0}, data, best)
        expected = own.predict(xgboost.DMatrix(test.X))
    np.testing.assert_allclose(trees.score(test), expected, rtol=1e-5, atol=1e-6)
    run = valid.run(trees.score(valid))
    value = float(evaluate(valid.qrels, [run], objective.measure, ties="expected").mean()[0, 0])
    assert value == pytest.approx(values[best - 1], abs=1e-6)  # XGBoost rounds it
    assert len(values) in (FEW["epochs"], best + FEW["patience"])
    assert values[best - 1] == max(value for value in values if value is not None)


def test_an_objective_that_is_the_engine_s_own_grows_its_very_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """lambdarank is LambdaRank for nDCG with norm, where equal scores are ranked in the order of the rows; all else is
    alike, bins and the stop by validation among it.

    Each query has documents of different grades: ours leave the others out.
    """
    by_chance = GradedQueries.gradients

    def in_order(queries: GradedQueries, scores: Array, swaps: SwapLoss, threads: int, values: Array, *_: Any) -> Any:
        later = scores - 1e-10 * np.arange(len(scores))
        plain = not np.ptp(scores)  # equal scores are not divided by their distances
        gradient, hessian = by_chance(queries, later, replace(swaps, norm=swaps.norm and not plain), threads)
        values[:] = queries.values(scores, 1)
        total = 2 * np.add.reduceat(hessian, queries.offsets[:-1])  # of the lambdas, before the first tree
        factor = np.repeat(np.log2(1 + total) / total, np.diff(queries.offsets)) if plain else 1.0
        return gradient * factor, hessian * factor

    monkeypatch.setattr(GradedQueries, "gradients", in_order)
    ours = "lambdarank:nDCG(dcg='exp-log2')"
    budget: dict[str, Any] = {**FEW, "norm": True, "subsample": 1.0}
    found = crossval([*made(seed=2).split(0.4, 0.3, 0.3, seed=2)], [ours, "lightgbm:lambdarank"], **budget)
    np.testing.assert_allclose(found.predictions[0], found.predictions[1], atol=1e-4)
    mine, theirs = ([each for each in found.trainings if each.objective == name] for name in found.objectives)
    assert [each.best for each in mine] == [each.best for each in theirs]
    for one, other in zip(mine, theirs, strict=True):
        assert [epoch.valid for epoch in one.curve] == pytest.approx([epoch.valid for epoch in other.curve])


def test_a_frame_is_split_and_every_objective_tested_on_queries_that_it_has_not_seen() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(DATA.X, columns=list("abcd")).assign(
        grade=DATA.grades, query=np.repeat(DATA.topics, np.diff(DATA.offsets))
    )
    found = crossval(frame, OBJECTIVES, query="query", label="grade", baseline="lightgbm:lambdarank", **FEW)
    assert found.objectives == ("lambdarank:GAP", "lambdarank:nDCG", "lightgbm:lambdarank", "xgboost:rank:ndcg")
    assert sorted(found.scores.topics) == sorted(DATA.topics)
    assert found.folds == 5
    parts = DATA.split(*[0.2] * 5, seed=0)
    fold = next(rotate(parts))
    objective = EngineObjective("lightgbm", "lambdarank")
    alone = EngineTrees(objective, 0, Budget.of(FEW)).fit(fold.train, fold.valid, nDCG @ 10)
    where = np.isin(np.repeat(found.features.topics, np.diff(found.features.offsets)), fold.test.topics)
    assert np.array_equal(found.predictions[2, 0][where], alone.score(fold.test))
    same = crossval(parts, OBJECTIVES, ranker="tree", **FEW)
    assert np.array_equal(same.predictions, found.predictions)
    tested = {row["run"]: row["baseline"] for row in rows(found.table().to_dict())}
    assert tested.pop("lightgbm:lambdarank") is None
    assert set(tested.values()) == {"lightgbm:lambdarank"}


def rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def test_each_tested_measure_stops_its_rankers_where_it_is_best_on_the_validation_fold() -> None:
    """By a literal loop over trees: LightGBM's own are grown to the end, and scored after each."""
    measures = ["nDCG@10", "P@5"]
    budget = {**FEW, "subsample": 1.0, "patience": 25}
    found = crossval([DATA], ["GAP", "lightgbm:lambdarank"], measures, folds=3, **budget)
    settings = {"objective": "lambdarank", "num_leaves": 7, "learning_rate": 0.1, "min_data_in_leaf": 5}
    best: list[tuple[int, int]] = []
    for fold in rotate(DATA.split(*[1 / 3] * 3, seed=0)):
        train, valid, test = fold
        sizes = np.diff(train.offsets)
        own = lightgbm.train(
            {**settings, **BINNING, "verbosity": -1, "num_threads": 1, "deterministic": True},
            lightgbm.Dataset(train.X, train.grades, group=sizes),
            budget["epochs"],
        )
        for column, measure in enumerate(measures):
            runs = [valid.run(own.predict(valid.X, num_iteration=n), name=f"{n}") for n in range(1, 26)]
            values = evaluate(valid.qrels, runs, measure, ties="expected").mean()[:, 0]
            kept = int(np.argmax(np.round(values, 12))) + 1
            best.append((column, kept))
            tested = evaluate(test.qrels, [test.run(own.predict(test.X, num_iteration=kept))], measure, ties="expected")
            places = [found.scores.topics.index(topic) for topic in tested.topics]
            np.testing.assert_allclose(found.scores.values[1, places, column], tested.values[0, :, 0], atol=1e-9)
    theirs = [one for one in found.trainings if one.objective == "lightgbm:lambdarank"]
    assert [(measures.index(str(one.measure)), one.best) for one in sorted(theirs, key=lambda one: one.fold)] == best
    assert {str(one.measure) for one in found.trainings if one.objective == "lambdarank:GAP"} == {*measures}
    assert "each measure that is tested has validated the rankers that it tests" in str(found.table())
    named = crossval([DATA], ["GAP", "lightgbm:lambdarank"], measures, folds=3, validate_by="AP", **budget)
    assert {str(one.measure) for one in named.trainings} == {"AP"}


def test_what_cannot_be_is_refused_before_the_first_training() -> None:
    for changes, message in (
        ({"objectives": ["lightgbm:lambdarank"], "ranker": "linear"}, r"grow trees: give ranker='tree' or 'auto'"),
        ({"objectives": ["lightgbm:lambdarank"], "epochz": 3}, "there is no 'epochz' .did you mean epochs"),
        ({"objectives": ["lightgbm:lambdarank"], "categorical": ["a"]}, "feature a is a category, and .* is no code"),
        ({"objectives": ["lightgbm:lambdarank"], "categorical": ["x"]}, "has no feature 'x' to be a category"),
        ({"objectives": ["catboost:YetiRank"], "categorical": ["a"]}, "feature a is a category, and .* is no code"),
        ({"objectives": ["GAP"], "baseline": "AP"}, "baseline: lambdarank:AP is none of the .* add it to them"),
        ({"objectives": ["GAP"], "folds": 61}, "60 queries for 61 folds"),
        ({"objectives": ["GAP"], "query": "q"}, "query and label name columns of a frame"),
        (
            {"objectives": ["lightgmb:lambdarank"]},
            "unknown engine 'lightgmb' .did you mean lightgbm.*write ENGINE:lambda",
        ),
    ):
        with pytest.raises(InputError, match=message):
            crossval([DATA], **{**FEW, **changes})


@pytest.mark.parametrize("objective", ["lightgbm:lambdrank", "xgboost:rank:nbcg"])
def test_an_objective_that_an_engine_does_not_know_is_one_line(objective: str) -> None:
    with pytest.raises(InputError, match=rf"fold 1, {objective}.* refuses it: .*") as error:
        crossval([DATA], [objective], **FEW)
    assert "\n" not in str(error.value)


def test_catboost_grows_its_own_or_is_asked_for() -> None:
    try:
        import catboost  # noqa: F401 - is it there?
    except ModuleNotFoundError:
        with pytest.raises(InputError, match="catboost:YetiRank needs catboost: pip install"):
            crossval([DATA], ["catboost:YetiRank"], **FEW)
        return
    found = crossval([DATA], ["catboost:YetiRank", "catboost:QueryRMSE"], "nDCG@10", **FEW)
    assert (found.scores.mean() > 0.6).all()


@pytest.mark.parametrize(
    ("asked", "own"),
    [
        ({}, {"depth": 6}),  # as it comes
        ({"min_rows": 5}, {"depth": 6}),  # for the trees of others
        ({"leaves": 8}, {"depth": 3}),
        ({"shape": "symmetric"}, {"depth": 4}),  # as TreeRanker has them
        ({"shape": "symmetric", "leaves": 8}, {"depth": 3}),
        ({"shape": "leaf-wise", "min_rows": 5}, {"grow_policy": "Lossguide", "max_leaves": 7, "min_data_in_leaf": 5}),
    ],
)
def test_catboost_s_own_objectives_grow_its_own_trees_unless_others_are_asked_for(
    asked: dict[str, Any], own: dict[str, Any]
) -> None:
    catboost = pytest.importorskip("catboost")
    train, valid, test = DATA.split(0.5, 0.3, 0.2, seed=1)
    budget = {"epochs": 4, "patience": 4, "learning_rate": 0.1, "subsample": 1.0, **asked}
    objective = EngineObjective("catboost", "QueryRMSE")
    found = EngineTrees(objective, 3, Budget.of(budget, "catboost"))
    found.fit(train, valid, objective.measure)
    pool = catboost.Pool(train.X, train.grades, group_id=np.repeat(range(len(train.topics)), np.diff(train.offsets)))
    alone = catboost.CatBoost(
        {
            **own,
            "loss_function": "QueryRMSE",
            "iterations": 4,
            "learning_rate": 0.1,
            "bootstrap_type": "Bernoulli",
            "subsample": 1.0,
            "random_seed": 3,
            "thread_count": 1,
            "allow_writing_files": False,
            "logging_level": "Silent",
        }
    ).fit(pool)
    assert found.learning_curve is not None
    best = found.learning_curve.best
    np.testing.assert_allclose(found.score(test), alone.predict(test.X, ntree_end=best), rtol=1e-9)


def test_symmetric_trees_have_no_least_number_of_rows() -> None:
    with pytest.raises(InputError, match="min_rows=3 is for leaf-wise trees: leave it out"):
        Budget.of({"shape": "symmetric", "min_rows": 3})


@pytest.mark.parametrize("baseline", [None, "lambdarank:AP"])
def test_a_note_says_where_one_seed_or_one_part_decides(baseline: str | None) -> None:
    settings: dict[str, Any] = {**FEW, "epochs": 2, "patience": 2}
    names = ["lambdarank:GAP", "lambdarank:AP"]
    found = crossval([DATA], names, "GAP AP", seeds=3, baseline=baseline, folds=3, **settings)
    topics = len(found.scores.topics)
    first = np.isin(found.scores.topics, found.features.topics[: found.parts[0]])
    values = np.full((3, 2, topics, 2), 0.5)
    values[1, 0, :, 0] += 0.3  # by GAP the seed 1 alone
    values[[0, 2], 0, :, 0] -= 0.1
    values[:, 1, :, 1] -= 0.01
    values[:, 1, first, 1] += 0.3  # by AP the part 1 alone
    by_seed = tuple(replace(each, values=value) for each, value in zip(found.by_seed, values, strict=True))
    notes = [str(note) for note in replace(found, by_seed=by_seed).notes if str(note).startswith("without ")]
    assert notes == [
        "without seed 1, lambdarank:AP is ahead of lambdarank:GAP by GAP",
        "without part 1, lambdarank:GAP is ahead of lambdarank:AP by AP",
    ]


def test_the_budget_of_an_engine_is_that_of_a_tree_ranker() -> None:
    ranker, budget = TreeRanker("lambdarank:AP", epochs=7, l2=2.0), Budget.of({"epochs": 7, "l2": 2.0, "norm": True})
    expected = {name: getattr(ranker, name) for name in vars(budget)} | {"leaves": 7, "min_rows": 50}
    assert vars(budget) == expected
    assert Budget.of({}).l2 is None
    with pytest.raises(InputError, match="leaves=1 is not a whole number from 2 to 131072"):
        Budget.of({"leaves": 1})
