"""Gradient-boosted trees for any measure: LambdaMART, grown by LightGBM tree after tree."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Given, Kind, Number, Whole, known_arguments
from gradeval.features.features import Features
from gradeval.features.single_precision import round_small_numbers
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.data.rows import Categories
from gradeval.ltr.data.task import Task, TrainingData, require_same_columns
from gradeval.ltr.data.trainable import leave_out_weightless, select_rows, select_without_table, trainable_places
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.objective import METHODS
from gradeval.ltr.rankers.engine_params import check_engine_params, naming_refused, require_no_chance
from gradeval.ltr.rankers.forests import FORESTS, Forest, LightGBMForest, has_no_split, lightgbm_engine, text_of
from gradeval.ltr.rankers.learning_curve import Epoch, best_of
from gradeval.ltr.rankers.ranker import FeatureScaling, Ranker
from gradeval.ltr.saving import Card, read_checkpoint, write_checkpoint

LEAVES = 131_072  # LightGBM's limit
CODES = 1 << 24  # whole numbers that single precision holds
HESSIAN = 1e-3  # least sum of hessians in a leaf, for sigma = 1
SLOW = 0.1  # seconds: a checkpoint that takes longer to write may take a tenth of the training time
SMOOTHING = 10  # rows: LightGBM's cat_smooth and cat_l2 where the hessian of a row is 1
BINNING = {"min_data_in_bin": 1, "feature_pre_filter": False}
"""How LightGBM makes bins of the features."""


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
    epochs : the largest number of trees.
    patience : stop after so many epochs without a better validation.
    learning_rate : the factor of each tree.
    leaves : the largest number of leaves of a tree.
    min_rows : the smallest number of documents in a leaf.
    l2 : a constant that is added to the hessian of each leaf.
    subsample : the share of the queries that each tree is trained on.
    norm : normalise the gradients of each query (see ``LambdaObjective``).
    threads : processor cores for each training; 0 takes all.
    categorical : names of features that are categories, coded 0, 1 ...: splits are by sets of them. Columns of a frame
        that are categories need not be named. NaN is a missing value, in any feature.
    engine_params : further parameters of LightGBM by their names, as in ``{"monotone_constraints": [1, 0],
        "feature_fraction": 0.8, "max_bin": 63, "lambda_l1": 1.0}``. Those that the other attributes stand for are
        refused, and those that change trees which are grown already (dart).
    """

    _: KW_ONLY
    scaling: FeatureScaling = None  # trees only compare values
    epochs: Annotated[int, Whole(1)] = 500
    patience: Annotated[int, Whole(1)] = 50
    learning_rate: Annotated[float, Number(above=0, most=10.0)] = 0.05
    leaves: Annotated[int, Whole(2, LEAVES)] = 7
    min_rows: Annotated[int, Whole(1)] = 50
    l2: Annotated[float, Number(least=0, most=1e30)] = 0.0
    subsample: Annotated[float, Number(above=0, most=1.0)] = 0.6
    norm: bool = False
    threads: Annotated[int, Whole(0)] = 1
    categorical: Annotated[Sequence[str], FeatureNames()] = ()
    engine_params: Mapping[str, Any] | None = None
    _forest: Forest | None = field(default=None, init=False, repr=False)

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
            self.engine_params = check_engine_params(self.engine_params)

    def importances(self) -> dict[str, Array]:
        """By how much the splits by each feature improved the loss in all, and how many there are."""
        return self.forest.importances(len(self.require_trained().columns))

    @property
    def forest(self) -> Forest:
        """The trees; an InputError before training."""
        self.require_trained()
        assert self._forest is not None
        return self._forest

    @property
    def booster(self) -> Any:
        """The trees as the Booster of the engine that grew them: LightGBM's, or XGBoost's from
        ``fit_dask(engine="xgboost")``; an InputError before training."""
        return self.forest.booster

    @property
    def text(self) -> str:
        """The trees in LightGBM's text format; an InputError before training, and for trees of XGBoost."""
        if not isinstance(self.forest, LightGBMForest):
            raise InputError(
                "these are trees of XGBoost, which LightGBM's text cannot hold: ranker.booster.save_model(FILE) writes "
                "XGBoost's own format"
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
        for features in (task.train, None if task.validation is None else task.validation.features):
            if features is not None:
                require_codes(features, task.category_places)
        training = TreeTraining(self, task)
        training.train_trees()
        best = best_of(training.curve)
        self._forest = LightGBMForest.of(training.forest, training.before + best)
        return tuple(training.curve), best

    def _require_start(self, init_model: Any, data: TrainingData) -> str:
        if not isinstance(init_model, TreeRanker):
            raise InputError(Given("init_model", init_model), " is no TreeRanker: load_ranker(folder) gives one")
        card = init_model.require_trained()
        require_same_columns(data.train, tuple(card.columns), "init_model was trained on")
        if init_model.scaler is not None or data.scaler is not None:
            raise InputError("init_model: trees go on from features as they are: train both with scaling=None")
        if card.categories != data.categories:
            raise InputError("init_model was trained with other categories: give the same ones")
        if not isinstance(init_model.forest, LightGBMForest):
            raise InputError("init_model has trees of XGBoost, and LightGBM goes on from its own: leave it out")
        return hashlib.sha256(init_model.text.encode()).hexdigest()

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
                f"{features.name}: row {row}: feature {features.columns[place]} is a category, and {codes[row]:g} no "
                "code of one: codes are whole numbers from 0, or NaN where it is missing"
            )


def code_categories(features: Features, categories: Mapping[str, Sequence[Any]]) -> Features:
    """Features of a file, where a category is a number, with the codes that a ranker knows these numbers by: a number
    that it does not know is missing. Where the ranker was trained on codes themselves, they stay."""
    X: Array | None = None
    for name, values in categories.items():
        if not values or name not in features.columns:
            continue
        if not all(isinstance(value, int | float) for value in values):
            raise InputError(
                f"{features.name}: feature {name} was a category in training, of {values[0]!r} and others, and files "
                "hold numbers alone; rank a frame in Python: load_ranker(folder).predict(frame)"
            )
        X = features.X.copy() if X is None else X
        place = features.columns.index(name)
        equal = features.X[:, place, None] == round_small_numbers(np.array(values, float))
        X[:, place] = np.where(equal.any(1), equal.argmax(1), np.nan)
    return features if X is None else replace(features, X=X)


def lightgbm_settings(ranker: TreeRanker) -> dict[str, Any]:
    """LightGBM's parameters for the trees of a ranker, but for the objective and the threads."""
    return {
        "learning_rate": ranker.learning_rate,
        "num_leaves": ranker.leaves,
        "min_data_in_leaf": ranker.min_rows,
        "min_sum_hessian_in_leaf": HESSIAN * ranker.objective.sigma**2,  # hessians are proportional to sigma^2
        "lambda_l2": ranker.l2,
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }


def no_split(name: str, measure: Measure, rows: int) -> InputError:
    """The error that the data called ``name`` give no tree."""
    return InputError(
        f"{name}: no split with at least {rows} rows (weighted by their hessians) on each side improves {measure}; "
        "lower min_rows, or give more rows"
    )


class TreeTraining:
    """The state of a training: the trees so far, the learning curve, and their checkpoint.

    Attributes
    ----------
    train, weights, tables : the queries that can be learnt from, without features, the weights of their rows, and their
        features, one table after another.
    before : the number of trees that training goes on from.
    """

    def __init__(self, ranker: TreeRanker, task: Task) -> None:
        self.ranker, self.task = ranker, task
        self.curve: list[Epoch] = []
        self.engine = lightgbm_engine()
        self.forest: Any = None if task.start is None else task.start.booster
        self.before = 0 if task.start is None else task.start.booster.num_trees()
        objective = ranker.objective
        self.train, self.weights, self.position, self.tables = self._select_trainable()
        self.queries = len(self.train.topics)
        boosting = import_module(str(METHODS[objective.method].trees))
        self.objective = boosting.boost(objective, task.levels, ranker.norm, ranker.threads, ranker.seed)
        if self.position is not None:
            self.objective = replace(self.objective, position=self.position)
        self.averages = objective.measure.definition.aggregate == "mean"
        self.train_value = 0.0  # the mean of the measure on the training data before the present tree
        self.valid_scores = np.zeros(0 if task.validation is None else len(task.validation.features))
        self.sample_size = max(1, round(ranker.subsample * self.queries))  # queries that a tree is trained on
        self.use_all_queries = False  # for the next tree, since a sample gave no split
        self.learnt_offset: Array | None = None  # of positions, at the checkpoint from which training goes on
        self.last_write = (0.0, 0.0)  # when the last checkpoint was written, and how long that took
        if task.resume:
            self._resume()
        if task.validation is not None and self.forest is not None:
            self.valid_scores += self._predict_validation(0, self.grown)

    def _select_trainable(self) -> tuple[Features, Array | None, Array | None, list[Array]]:
        """The queries that can be learnt from, the weights and positions of their rows, and the tables of their
        features."""
        task = self.task
        places = trainable_places(task.train, task.levels, self.ranker.objective.measure)
        places = leave_out_weightless(places, task.weights, task.train)
        weights, position = (
            None if values is None else select_rows(values, task.train, places)
            for values in (task.weights, task.position)
        )
        scaled = task.train if task.scaler is None else task.scaler.apply(task.train)
        return select_without_table(task.train, places), weights, position, _tables(scaled, places)

    @cached_property
    def train_measure(self) -> Callable[[Array], float]:
        """The measure on the training queries. It is made when first needed, after LightGBM's bins, in memory that
        LightGBM has freed by then."""
        return Validation.of(self.train, self.ranker.objective.measure).mean_function(self.ranker.threads)

    @cached_property
    def valid_measure(self) -> Callable[[Array], float]:
        """The measure on the validation queries."""
        assert self.task.validation is not None
        return self.task.validation.mean_function(self.ranker.threads)

    @property
    def grown(self) -> int:
        """The number of trees so far."""
        return self.before + len(self.curve)

    def train_trees(self) -> None:
        """Train trees until there are ``epochs`` of them or validation stops the training."""
        if self.finished:
            return
        ranker, train = self.ranker, self.train
        settings = {
            **lightgbm_settings(ranker),
            "objective": lambda scores, _: self._gradients(scores),  # LightGBM deep-copies other objects
            "num_threads": ranker.threads,
            **self._category_settings(),
            **({"seed": ranker.seed, **ranker.engine_params} if ranker.engine_params else {}),
        }
        if not self._has_features_that_differ():
            raise InputError(f"{train.name}: every feature has one value throughout; there is nothing to split by")
        binning = {**BINNING, **(ranker.engine_params or {}), "num_threads": ranker.threads, "verbosity": -1}
        # With a forest to continue from, LightGBM takes one table only.
        tables = self.tables if self.forest is None else np.concatenate(self.tables)
        data = self.engine.Dataset(
            tables, train.grades, free_raw_data=False, params=binning, categorical_feature=self.task.category_places
        )
        if self.position is not None:
            self.objective.learnt.offset = self.learnt_offset
        most = 2 * (ranker.epochs - len(self.curve))  # iterations: each tree takes at most two
        with suppress(_StopTraining), naming_refused(ranker.engine_params, self.engine.basic.LightGBMError):
            for _ in range(2):
                with suppress(_Restart):
                    self.engine.train(settings, data, most, callbacks=[self._add_tree], init_model=self.forest)
                    return

    def _has_features_that_differ(self) -> bool:
        first = self.tables[0][0]
        return not all((first == row).all() for table in self.tables for row in table)

    @property
    def finished(self) -> bool:
        """Whether there are enough trees, or the last ``patience`` of them brought no improvement."""
        grown = len(self.curve)
        without_improvement = grown - best_of(self.curve) if grown and self.task.validation is not None else 0
        return grown >= self.ranker.epochs or without_improvement >= self.ranker.patience

    def _gradients(self, scores: Array) -> tuple[Array, Array]:
        """Gradient and hessian by row; 0 for queries outside the sample."""
        offsets = self.train.offsets
        gradient, hessian, values = self._weighted_gradients(scores)
        self.train_value = self.train_measure(scores) if values is None else float(values.mean())
        if not self.uses_all_queries:
            order = np.random.default_rng([self.ranker.seed, len(self.curve)]).permutation(self.queries)
            sampled = order < self.sample_size
            by_row = np.repeat(sampled, np.diff(offsets))
            gradient, hessian = gradient * by_row, hessian * by_row
        return gradient.astype(np.float32), hessian.astype(np.float32)

    def _weighted_gradients(self, scores: Array) -> tuple[Array, Array, Array | None]:
        """Gradient and hessian by row; and the measure by query, where it is worked out with them."""
        (gradient, hessian), values = self.objective.gradients_and_values(
            scores, self.train.grades, self.train.offsets, self.weights
        )
        return gradient, hessian, values if self.averages else None

    def _category_settings(self) -> dict[str, Any]:
        """LightGBM's smoothing of categories, which is meant for hessians of 1 a row, for hessians of these rows."""
        if not self.task.categories:
            return {}
        _, hessian, _ = self._weighted_gradients(np.zeros(len(self.train.grades)))
        smoothing = SMOOTHING * float(hessian.mean())
        return {"cat_smooth": smoothing, "cat_l2": smoothing, "min_data_per_group": self.ranker.min_rows}

    def _add_tree(self, state: Any) -> None:
        """Called by LightGBM after each iteration, which added a tree, or none where it had no useful split."""
        grown = self.grown
        if state.model.num_trees() <= grown or (not grown and has_no_split(state.model)):
            self._handle_missing_split()
            return
        self.forest, self.use_all_queries = state.model, False
        if self.task.validation is not None:
            self.valid_scores += self._predict_validation(grown, 1)
        valid = None if self.task.validation is None else self.valid_measure(self.valid_scores)
        epoch = Epoch(len(self.curve) + 1, self.train_value, valid)
        self.curve.append(epoch)
        self._write_checkpoint()
        if self.task.progress is not None:
            self.task.progress(epoch)
        if self.finished:
            raise _StopTraining

    def _handle_missing_split(self) -> None:
        """Try again with all queries; if these give no split either, end the training."""
        if not self.uses_all_queries:
            self.use_all_queries = True
            if not self.curve:
                raise _Restart
        elif self.curve:
            raise _StopTraining
        else:
            raise no_split(self.task.train.name, self.ranker.objective.measure, self.ranker.min_rows)

    @property
    def uses_all_queries(self) -> bool:
        """Whether the next tree is trained on all queries."""
        return self.use_all_queries or self.sample_size == self.queries

    def _predict_validation(self, first: int, trees: int) -> Array:
        """float64[row]: the part of the validation scores that ``trees`` trees from number ``first``, counted from 0,
        give."""
        assert self.task.validation is not None
        X, threads = self.task.validation.features.X[:], self.ranker.threads
        part: Array = self.forest.predict(
            X, start_iteration=first, num_iteration=trees, raw_score=True, num_threads=threads
        )
        return part

    def _write_checkpoint(self) -> None:
        """Write the checkpoint, unless writing would take more than a tenth of the training time."""
        if self.task.checkpoint is None:
            return
        begin = time.monotonic()
        at, took = self.last_write
        if took > SLOW and begin - at < 10 * took and not self.finished:
            return
        progress: dict[str, Any] = {"curve": self.curve}
        if self.position is not None and self.objective.learnt.offset is not None:
            progress["offsets"] = self.objective.learnt.offset.tolist()
        write_checkpoint(self.task.checkpoint, self.task.identity, progress, text_of(self.forest, self.grown).encode())
        self.last_write = begin, time.monotonic() - begin

    def _resume(self) -> None:
        """Continue from the checkpoint, if there is one."""
        assert self.task.checkpoint is not None  # fit() requires it
        checkpoint = read_checkpoint(self.task.checkpoint, self.task.identity)
        if checkpoint is not None:
            require_no_chance(self.ranker.engine_params or {})
            progress, state = checkpoint
            place = os.fspath(self.task.checkpoint)
            self.forest = LightGBMForest.parse(state, place).booster
            self.curve = [Epoch(*epoch) for epoch in progress["curve"]]
            self.learnt_offset = np.array(progress["offsets"]) if "offsets" in progress else None
            if len(self.curve) > self.ranker.epochs:
                raise InputError(
                    f"{place}: {len(self.curve)} trees are grown, epochs={self.ranker.epochs} wanted: give as many or "
                    "more, or train from the beginning"
                )


class _StopTraining(Exception):
    """Raised in a callback to end LightGBM's training loop."""


class _Restart(Exception):
    """Raised in a callback to start the loop anew, since LightGBM keeps a first tree without a split."""


def _tables(features: Features, places: Array) -> list[Array]:
    """The rows of the queries at some places, ascending: views of the features, one for queries that stand together."""
    ends = np.flatnonzero(np.diff(places) > 1) + 1
    runs = [run for run in np.split(places, ends) if len(run)]
    return [features.X[features.offsets[run[0]] : features.offsets[run[-1] + 1]] for run in runs]
