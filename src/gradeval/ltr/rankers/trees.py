"""Gradient-boosted trees for any measure: LambdaMART, grown by LightGBM tree after tree."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Kind, Number, Whole, known_arguments
from gradeval.features.categories import Categories
from gradeval.features.features import Features
from gradeval.features.single_precision import round_small_numbers
from gradeval.files.feature_columns import words_of_training
from gradeval.files.plain_text import read_decimal
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.known_words import code_words
from gradeval.ltr.data.task import Task, TrainingData, require_same_columns
from gradeval.ltr.objectives.objective import METHODS
from gradeval.ltr.objectives.position_bias import PositionBias
from gradeval.ltr.rankers.engine_params import check_engine_params
from gradeval.ltr.rankers.forests import FORESTS, Forest, LightGBMForest
from gradeval.ltr.rankers.leaf_wise_trees import LEAF_WISE, LeafWiseTraining
from gradeval.ltr.rankers.learning_curve import Epoch, best_of, watched_of
from gradeval.ltr.rankers.ranker import FeatureScaling, Ranker
from gradeval.ltr.rankers.symmetric_trees import SymmetricTraining, depth_of, require_symmetric
from gradeval.ltr.rankers.tree_training import TreeTraining
from gradeval.ltr.saving import Card
from gradeval.messages import Given

LEAVES = 131_072  # LightGBM's limit
CODES = 1 << 24  # whole numbers that single precision holds
Shape: TypeAlias = Literal["leaf-wise", "symmetric"]
TRAININGS: dict[Shape, type[TreeTraining]] = {"leaf-wise": LeafWiseTraining, "symmetric": SymmetricTraining}
"""What grows the trees of each shape."""


def count_leaves(shape: Shape, leaves: int | None) -> int:
    """How many leaves a tree of a shape may have, where a ranker has such ``leaves``."""
    if shape == "symmetric":
        return 1 << depth_of(leaves)
    return int(LEAF_WISE["leaves"]) if leaves is None else leaves


@dataclass(eq=False, repr=False)
class FeatureNames(Kind):
    """Names of features, each once, on the command line with commas between them."""

    metavar: str = "NAME,..."

    def check(self, name: str, value: Any) -> tuple[str, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
            raise InputError(Given(name, value), " is not a list of names of features, as in ['7', '9']")
        if len(set(value)) < len(value):
            raise InputError(Given(name, value), " names a feature twice")
        return tuple(value)

    def parse(self, text: str) -> list[str]:
        return [part.strip() for part in text.split(",")]


@known_arguments()
@dataclass(eq=False)
class TreeRanker(Ranker):
    """Boosted regression trees with LambdaRank's gradients of any measure: ``TreeRanker("lambdarank:Q@10")``.

    An epoch is a tree. Each tree is trained on a random sample of the queries, which depends only on its number and the
    seed, and documents of equal scores are taken in an order by chance, which depends on the seed and their query: any
    number of threads gives the same trees, and so does a resumed training. Where the sample gives no split,
    the tree is trained on all queries; where these give none either, training ends with fewer trees than ``epochs``.

    Source: Burges (2010), "From RankNet to LambdaRank to LambdaMART".

    Attributes
    ----------
    epochs : the largest number of epochs. Of trees, an epoch is one tree.
    patience : stop after so many epochs without a better validation.
    learning_rate : the factor of each tree.
    shape : leaf-wise trees, grown by LightGBM, or symmetric ones, by CatBoost. Symmetric trees split all nodes of a
        level alike.
    leaves : the largest number of leaves of a tree. Default: 7; of symmetric trees 16, or a smaller power of two.
    min_rows : the smallest number of documents in a leaf of a leaf-wise tree: 50.
    l2 : a constant that is added to the hessian of each leaf. Default: 0; of symmetric trees the hessian of 3
        documents, as they have it on average.
    subsample : the share of the queries that each tree is trained on.
    norm : normalise the gradients of each query (see ``LambdaObjective``). Default: for lambdarank and mixture.
    threads : processor cores for each training; 0 takes all.
    categorical : names of features that are categories, coded 0, 1 and so on. In a table they may be words. Splits are
        by sets of them. Columns of frames and of Parquet that are of type category need not be named.
        NaN is a missing value, in any feature.
    engine_params : further parameters of LightGBM by their names, as in ``{"monotone_constraints": [1, 0],
        "feature_fraction": 0.8, "max_bin": 63, "lambda_l1": 1.0}``. Refused are parameters that other attributes stand
        for, and those that change grown trees (dart). For symmetric trees, parameters of CatBoost:
        ``{"monotone_constraints": [1, 0], "rsm": 0.8, "border_count": 63}`` and some more.
    """

    _: KW_ONLY
    scaling: FeatureScaling = None  # trees only compare values
    epochs: Annotated[int, Whole(1)] = 500
    patience: Annotated[int, Whole(1)] = 50
    learning_rate: Annotated[float, Number(above=0, most=10.0)] = 0.05
    shape: Shape = "leaf-wise"
    leaves: Annotated[int, Whole(2, LEAVES)] | None = None
    min_rows: Annotated[int, Whole(1)] | None = None
    l2: Annotated[float, Number(least=0, most=1e30)] | None = None
    subsample: Annotated[float, Number(above=0, most=1.0)] = 0.6
    norm: bool | None = None
    threads: Annotated[int, Whole(0)] = 1
    categorical: Annotated[Sequence[str], FeatureNames()] = ()
    engine_params: Mapping[str, Any] | None = None
    _forest: Forest | None = field(default=None, init=False, repr=False)
    _bias: list[list[float | None]] | None = field(default=None, init=False, repr=False)

    kind: ClassVar[str] = "tree"
    engine: ClassVar[str] = "lightgbm"
    takes_missing: ClassVar[bool] = True
    takes_positions: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        objective = self.objective
        method = METHODS[objective.method]
        if method.trees is None:
            raise InputError(
                f"{objective}: trees do not learn by {objective.method}, as {method.no_trees}; write "
                f"'lambdarank:{objective.measure}'"
            )
        if self.norm and not method.norm:
            raise InputError(f"norm is a choice of losses over pairs of documents; {objective} has none: leave it out")
        if self.engine_params is not None:
            self.engine_params = check_engine_params(self.engine_params, self.engine_for(self.parameters))
        if self.shape == "symmetric":
            require_symmetric(self)

    @classmethod
    def engine_for(cls, parameters: Mapping[str, Any]) -> str:
        return TRAININGS[parameters.get("shape", "leaf-wise")].forest_kind.engine

    def importances(self) -> dict[str, Array]:
        """By how much the splits by each feature improved the loss in all (of symmetric trees: by how much they change
        scores, as a share of 100), and how many there are."""
        return self.forest.importances(len(self.require_trained().columns))

    @property
    def forest(self) -> Forest:
        """The trees; an InputError before training."""
        self.require_trained()
        assert self._forest is not None
        return self._forest

    @property
    def position_bias(self) -> PositionBias | None:
        """How often each position is looked at, as estimated from clicks along with the trees: a table with the columns
        rank, value (relative to the first position), low and high; None where ``fit`` got no ``position``."""
        rows = self.require_trained().train.get("position_bias")
        return None if rows is None else PositionBias.of_rows(rows)

    def _describe_training(self) -> dict[str, Any]:
        return {} if self._bias is None else {"position_bias": self._bias}

    @property
    def booster(self) -> Any:
        """The trees as the Booster of the engine that grew them: LightGBM's, XGBoost's from
        ``fit_dask(engine="xgboost")``, or the CatBoost of symmetric trees; an InputError before training."""
        return self.forest.booster

    @property
    def text(self) -> str:
        """The trees in LightGBM's text format; an InputError before training, and for trees of another engine."""
        if not isinstance(self.forest, LightGBMForest):
            title = self.forest.title
            raise InputError(
                f"these are trees of {title}, which LightGBM's text cannot hold: ranker.booster.save_model(FILE) "
                f"writes {title}'s own format"
            )
        return self.forest.text

    def contributions(self, features: Any) -> Array:
        """float64[row, feature + 1]: the engine's SHAP values: what each feature adds to the score of a document, and
        in the last column the mean score; a row sums to the score. Takes what ``predict`` takes."""
        rows = features if isinstance(features, Features) else self.features_of(features)
        self.require_columns(rows)
        X = (rows if self.scaler is None else self.scaler.apply(rows)).X[:]
        return self.forest.contributions(X, self.threads)

    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        training = self.prepare(task)
        training.train_trees()
        self.keep_best(training, training.curve)
        return self.curve, self.best

    def prepare(self, task: Task) -> TreeTraining:
        """A training that has not begun, or is where its checkpoint says."""
        for features in (task.train, *task.valid_tables):
            require_codes(features, task.category_places)
        return TRAININGS[self.shape](self, task)

    def keep_best(self, training: TreeTraining, curve: Sequence[Epoch]) -> None:
        """Take the best trees of a training among the first, whose learning curve is given."""
        self.curve, self.best = tuple(curve), best_of(curve)
        self._forest = training.keep(training.before + self.best)
        self.watched = watched_of(training.task, training.watched[: len(self.curve)])
        self._bias = training.position_bias

    def _read_callbacks(self, callbacks: Any) -> tuple[Callable[..., object], ...]:
        if self.shape != "leaf-wise":
            return super()._read_callbacks(callbacks)
        listed = [callbacks] if callable(callbacks) else list(callbacks or ())
        for call in listed:
            if not callable(call):
                raise InputError(Given("callbacks", call), " is no function: give a list of functions")
            if getattr(call, "before_iteration", False):
                raise InputError(
                    "callbacks: one is to be called before each tree, as reset_parameter, which changes parameters: a "
                    "TreeRanker keeps its own"
                )
        return tuple(sorted(listed, key=lambda call: getattr(call, "order", 0)))

    def _require_start(self, init_model: Any, data: TrainingData) -> str:
        if not isinstance(init_model, TreeRanker):
            raise InputError(Given("init_model", init_model), " is no TreeRanker: load_ranker(folder) gives one")
        card = init_model.require_trained()
        given = Given("init_model", init_model, type(init_model).__name__)
        try:
            require_same_columns(data.train, tuple(card.columns), "the first trees were trained on")
        except InputError as error:
            raise error.within(given) from None
        if init_model.scaler is not None or data.scaler is not None:
            raise InputError(given, " goes on from features as they are: train both without scaling")
        if card.categories != data.categories:
            raise InputError(given, " was trained with other categories: give the same ones")
        own, others = TRAININGS[self.shape].forest_kind, init_model.forest
        if type(others) is not own:
            raise InputError(
                given,
                f" has trees of {others.title}, and {own.title} goes on from its own: leave it out, or take its shape",
            )
        return hashlib.sha256(others.serialize()).hexdigest()

    def with_trees(self, forest: Forest, card: Card) -> Self:
        """This ranker with trees that were trained elsewhere, without a learning curve."""
        self.curve, self.best, self._forest = (), forest.trees, forest
        self.card = replace(card, best=self.best, curve=[])
        return self

    def _score(self, X: Array) -> Array:
        return self.forest.score(X, self.threads)

    def _weights_file(self) -> str:
        return self.forest.file

    def _serialize_weights(self) -> bytes:
        return self.forest.serialize()

    def _load_weights(self, weights: bytes, place: str) -> None:
        self._forest = FORESTS[os.path.basename(place)].parse(weights, place)

    def _declared_categories(self) -> Categories:
        return {name: [] for name in self.categorical}


def require_codes(features: Features, categories: Sequence[int]) -> None:
    """An InputError where a category has a code that is no whole number from 0; NaN is a missing value."""
    for place in categories:
        codes = features.X[:, place]
        wrong = (codes < 0) | (codes > CODES) | ((codes != np.floor(codes)) & ~np.isnan(codes))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"{features.name}: row {row}: feature {features.columns[place]} is a category, and {codes[row]:g} is "
                "no code; codes are whole numbers from 0, or NaN where it is missing"
            )


def code_categories(features: Features, categories: Mapping[str, Sequence[Any]]) -> Features:
    """Features of a file, where a category is a word or a number, with the codes that a ranker knows it by: one that it
    does not know is missing. Where the ranker was trained on codes themselves, they stay."""
    X: Array | None = None
    for name, values in categories.items():
        held = features.categories.get(name, ())
        if held and values and not {*held} & {*values} and not any(math.isnan(read_decimal(one)) for one in held):
            raise words_of_training(features.name, name, values)
        if not values or name not in features.columns or name in features.categories:
            continue
        if not all(isinstance(value, int | float) for value in values):
            raise words_of_training(features.name, name, values)
        X = features.X.copy() if X is None else X
        place = features.columns.index(name)
        equal = features.X[:, place, None] == round_small_numbers(np.array(values, float))
        X[:, place] = np.where(equal.any(1), equal.argmax(1), np.nan)
    return code_words(features if X is None else replace(features, X=X), categories)
