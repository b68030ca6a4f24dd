"""Trees by an engine's own objective, such as LightGBM's lambdarank: what training for a measure has to beat.

They are trained on the same folds, with as many trees, and stopped by the measure that is tested. LightGBM's and
XGBoost's trees have as many leaves as ours, CatBoost's the shape and the depth that it has itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import read_fields
from gradeval.features.features import Features
from gradeval.features.single_precision import to_single_precision
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.metrics import feval
from gradeval.ltr.rankers.forests import read_first_line
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.ltr.rankers.leaf_wise_trees import BINNING, LEAF_WISE
from gradeval.ltr.rankers.learning_curve import Epoch, LearningCurve, best_of
from gradeval.ltr.rankers.symmetric_trees import LEAVES, depth_of
from gradeval.ltr.rankers.trees import Shape, TreeRanker
from gradeval.messages import Given

OWN = parse_measure("nDCG(dcg='exp-log2')")
"""What engines' own ranking objectives are for, and are validated by unless another measure is named."""
CATBOOST_LEAVES = 64  # CatBoost's own depth is 6


@dataclass(frozen=True)
class EngineObjective:
    """An objective that an engine has itself, by the name that it has there: "lightgbm:lambdarank",
    "xgboost:rank:ndcg", "catboost:YetiRank"."""

    engine: str
    name: str

    @classmethod
    def parse(cls, text: object) -> Self | None:
        """Read ENGINE:NAME; None for what begins with the name of no engine."""
        if isinstance(text, cls):
            return text
        engine, colon, name = str(text).partition(":")
        return cls(engine, name) if colon and engine in GROWERS and name else None

    def __str__(self) -> str:
        return f"{self.engine}:{self.name}"

    @property
    def measure(self) -> Measure:
        """The validation measure, unless another is named."""
        return OWN


@dataclass(frozen=True)
class Budget:
    """The parameters of a TreeRanker that engines have, too; ``l2``: None leaves an engine its own. ``shape`` is for
    CatBoost, which else grows its own symmetric trees; LightGBM and XGBoost grow leaf-wise trees of as many leaves."""

    epochs: int
    patience: int
    learning_rate: float
    shape: Shape
    leaves: int
    min_rows: int
    l2: float | None
    subsample: float
    threads: int
    categorical: Sequence[str] = ()

    @classmethod
    def of(cls, parameters: Mapping[str, Any], engine: str = "lightgbm") -> Self:
        """Of parameters of a TreeRanker, with its checks and defaults, and the shape of the engine; an InputError for
        those that would be passed over and change the data."""
        if parameters.get("engine_params"):
            raise InputError("engine_params is for gradeval's own objectives: leave it or the engines' objectives out")
        if parameters.get("categorical") and engine == "catboost":
            raise InputError(
                "categorical: CatBoost's own objectives get numbers alone here; leave them out, or encode categories "
                "(scikit-learn's OneHotEncoder)"
            )
        declared = {each.name: read_fields(TreeRanker)[each.name] for each in fields(cls)}
        defaults = {name: one.default for name, one in declared.items()} | LEAF_WISE | {"l2": None}
        given = {name: parameters[name] for name in declared if parameters.get(name) is not None}
        checked = {name: declared[name].check(value) for name, value in given.items()}
        if checked.get("shape") == "symmetric":
            if "min_rows" in checked:
                raise InputError(Given("min_rows", given["min_rows"]), " is for leaf-wise trees: leave it out")
            defaults["leaves"] = LEAVES
        elif engine == "catboost" and "shape" not in checked:
            defaults |= {"shape": "symmetric", "leaves": CATBOOST_LEAVES}
        return cls(**defaults | checked)


class Grown(NamedTuple):
    """What a training found: what scores rows by so many trees, and the measure on the training and the validation data
    after each tree."""

    score: Callable[[Array, int], Any]
    curve: list[tuple[float, float]]


@dataclass(eq=False)
class EngineTrees:
    """A ranker by an engine's own objective, for ``crossval``."""

    objective: EngineObjective
    seed: int
    budget: Budget
    grown: Grown | None = None
    learning_curve: LearningCurve | None = None

    @property
    def valid(self) -> float:
        """The validation measure of the best trees."""
        assert self.learning_curve is not None
        return self.learning_curve.curve[self.learning_curve.best - 1].valid or 0.0

    def fit(self, train: Features, valid: Features, measure: Measure, sample_weight: Array | None = None) -> Self:
        """Grow trees until validation by the measure has not improved for ``patience`` of them, and keep the best."""
        with require_engine(str(self.objective)):
            try:
                self.grown = GROWERS[self.objective.engine](self, train, valid, measure, sample_weight)
            except InputError:
                raise
            except Exception as error:  # engines have classes of their own, and need not be installed
                package = type(error).__module__.split(".")[0]
                # XGBoost raises a ValueError for an objective that it does not know
                if not isinstance(error, ValueError) and package not in (*GROWERS, "_catboost"):
                    raise
                said = read_first_line(error)
                engine = self.objective.engine
                raise InputError(f"{self.objective}: {engine} refuses it: {said[-200:]}") from error
        curve = tuple(Epoch(number, *values) for number, values in enumerate(self.grown.curve, 1))
        self.learning_curve = LearningCurve(
            str(self.objective), "tree", self.seed, str(measure), curve, best_of(curve), train.name, valid.name
        )
        return self

    def score(self, features: Features) -> Array:
        """float64[row]: the scores of the documents."""
        assert self.grown is not None
        assert self.learning_curve is not None
        return np.asarray(self.grown.score(features.X, self.learning_curve.best), float)


def grow_lightgbm(
    trees: EngineTrees, train: Features, valid: Features, measure: Measure, weights: Array | None
) -> Grown:
    """Whole queries are sampled for a tree, and bins made, as by TreeRanker."""
    import lightgbm

    budget = trees.budget
    settings: dict[str, Any] = {
        **BINNING,
        "objective": trees.objective.name,
        "metric": "None",
        "learning_rate": budget.learning_rate,
        "num_leaves": budget.leaves,
        "min_data_in_leaf": budget.min_rows,
        "bagging_fraction": budget.subsample,
        "bagging_freq": int(budget.subsample < 1),
        "bagging_by_query": budget.subsample < 1,
        "num_threads": budget.threads,
        "seed": trees.seed,
        "deterministic": True,
        "verbosity": -1,
    } | ({} if budget.l2 is None else {"lambda_l2": budget.l2})
    categories = [train.columns.index(name) for name in budget.categorical]
    groups = np.diff(train.offsets)
    data = lightgbm.Dataset(train.X, train.grades, group=groups, weight=weights, categorical_feature=categories)
    metric: Any = feval(measure, levels=train.levels)
    held_out = lightgbm.Dataset(valid.X, valid.grades, group=np.diff(valid.offsets), reference=data)
    seen: dict[str, dict[str, list[float]]] = {}
    booster = lightgbm.train(
        settings,
        data,
        budget.epochs,
        valid_sets=[held_out, data],
        valid_names=["valid", "train"],
        feval=metric,
        callbacks=[lightgbm.record_evaluation(seen), lightgbm.early_stopping(budget.patience, verbose=False)],
    )
    curve = list(zip(seen["train"][str(measure)], seen["valid"][str(measure)], strict=True))
    return Grown(lambda X, trees: booster.predict(X, num_iteration=trees), curve)


def grow_xgboost(
    trees: EngineTrees, train: Features, valid: Features, measure: Measure, weights: Array | None
) -> Grown:
    """XGBoost's ranking objectives double hessians, so that twice the learning rate is the same step."""
    import xgboost

    budget = trees.budget
    settings: dict[str, Any] = {
        "objective": trees.objective.name,
        "disable_default_eval_metric": True,
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_leaves": budget.leaves,
        "eta": budget.learning_rate * (2 if trees.objective.name.startswith("rank:") else 1),
        "subsample": budget.subsample,
        "nthread": budget.threads,
        "seed": trees.seed,
        "verbosity": 0,
    } | ({} if budget.l2 is None else {"lambda": budget.l2})
    kinds = ["c" if name in budget.categorical else "q" for name in train.columns]
    of_table: dict[str, Any] = {"feature_types": kinds, "enable_categorical": True} if budget.categorical else {}
    data, held_out = (
        xgboost.DMatrix(to_single_precision(each, "XGBoost"), each.grades, qid=part_of_row(each.offsets), **of_table)
        for each in (train, valid)
    )
    if weights is not None:
        data.set_weight(np.add.reduceat(weights, train.offsets[:-1]) / np.diff(train.offsets))
    seen: dict[str, dict[str, list[float]]] = {}
    booster = xgboost.train(
        settings,
        data,
        budget.epochs,
        evals=[(data, "train"), (held_out, "valid")],
        custom_metric=feval(measure, levels=train.levels),
        evals_result=seen,
        verbose_eval=False,
        callbacks=[xgboost.callback.EarlyStopping(rounds=budget.patience, maximize=True, data_name="valid")],
    )
    curve = list(zip(*(next(iter(seen[name].values())) for name in ("train", "valid")), strict=True))
    return Grown(
        lambda X, trees: booster.predict(
            xgboost.DMatrix(X.astype(np.float32, copy=False), **of_table), iteration_range=(0, trees)
        ),
        curve,
    )


def grow_catboost(
    trees: EngineTrees, train: Features, valid: Features, measure: Measure, weights: Array | None
) -> Grown:
    """CatBoost knows no measures from outside: all trees are grown, and validated then."""
    import catboost

    budget = trees.budget
    shape: dict[str, Any] = {
        "grow_policy": "Lossguide",
        "max_leaves": budget.leaves,
        "min_data_in_leaf": budget.min_rows,
    }
    if budget.shape == "symmetric":
        shape = {"grow_policy": "SymmetricTree", "depth": depth_of(budget.leaves)}
    settings: dict[str, Any] = {
        "loss_function": trees.objective.name,
        "iterations": budget.epochs,
        "learning_rate": budget.learning_rate,
        **shape,
        "bootstrap_type": "Bernoulli",
        "subsample": budget.subsample,
        "thread_count": budget.threads or -1,
        "random_seed": trees.seed,
        "allow_writing_files": False,
        "logging_level": "Silent",
    } | ({} if budget.l2 is None else {"l2_leaf_reg": budget.l2})
    queries = part_of_row(train.offsets)
    pool = catboost.Pool(to_single_precision(train, "CatBoost"), train.grades, group_id=queries, weight=weights)
    model = catboost.CatBoost(settings).fit(pool)
    metric = feval(measure, levels=train.levels)
    curve: list[tuple[float, float]] = []
    for staged in zip(*(model.staged_predict(each.X) for each in (train, valid)), strict=True):
        on_train, on_valid = (
            metric.mean(scores, each.grades, each.offsets) for scores, each in zip(staged, (train, valid), strict=True)
        )
        curve.append((on_train, on_valid))
        if len(curve) - 1 - int(np.argmax([value for _, value in curve])) >= budget.patience:
            break
    return Grown(lambda X, trees: model.predict(X, ntree_end=trees), curve)


GROWERS: dict[str, Callable[[EngineTrees, Features, Features, Measure, Array | None], Grown]] = {
    "lightgbm": grow_lightgbm,
    "xgboost": grow_xgboost,
    "catboost": grow_catboost,
}
"""What grows the trees of an engine, by the name of its package."""
