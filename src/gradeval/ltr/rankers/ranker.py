"""The base class of all rankers, and loading a ranker of any kind."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self, TypeAlias, get_args

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.arguments import Anything, InFile, OneOf, Whole, known_arguments, read_fields
from gradeval.array_checks import read_numbers
from gradeval.atomic_files import Path
from gradeval.features.categories import Categories
from gradeval.features.feature_arrays import require_no_missing
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.features.scaling import Scaling
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.ltr.data.known_words import code_words
from gradeval.ltr.data.task import (
    FitArguments,
    Progress,
    Task,
    TrainingData,
    identity_of,
    progress_of_epochs,
    refuse_sizes,
    require_same_columns,
    validation_measures,
)
from gradeval.ltr.data.trainable import in_order_of_rows
from gradeval.ltr.objectives.objective import CASCADE_ASKED, METHODS, Objective, ParsedObjective, warn_of_cascade
from gradeval.ltr.rankers.kinds import KINDS, ranker_class
from gradeval.ltr.rankers.learning_curve import Epoch, LearningCurve, Watched
from gradeval.ltr.saving import (
    Card,
    describe_data,
    describe_scaler,
    digest_of_weights,
    fingerprint,
    read_model,
    require_checkpoint,
    scaler_of,
    versions_of,
    write_model,
)
from gradeval.ltr.sklearn import Estimator
from gradeval.messages import Given, shown
from gradeval.tables.table import Tabular
from gradeval.warning_categories import silenced

VALIDATION = dict.fromkeys(
    ("valid", "validation", "valid_set", "valid_sets", "validation_data", "vali"),
    "validation data are the second argument, as in fit(train, valid) with Features, or eval_set=(X, y) with arrays",
)
"""What ``fit`` answers to the words of others."""


FeatureScaling: TypeAlias = Annotated[Scaling | None, OneOf((*get_args(Scaling), None))]


@dataclass(eq=False)
class Ranker(Estimator):
    """A model that scores documents by their features: ``LinearRanker("lambdarank:GAP").fit(train, valid)``.

    The constructor takes the parameters; ``fit`` trains, ``save`` writes a folder, ``load`` reads it. It is an
    estimator of scikit-learn, too: ``fit(X, y, qid=...)``, ``predict(X)``, in GridSearchCV with ``make_scorer``.
    Fields declare the parameters: their annotations what is accepted, the text here the help of ``gradeval train``.

    Attributes
    ----------
    objective : what to train for, as METHOD:MEASURE. lambdarank and any measure, or softrank and one with a soft form;
        a measure alone, by lambdarank; for trees a sum, as GAP + 0.5*ERR or GAP + queryrmse; or a baseline: listnet,
        queryrmse, approxndcg, lambdaloss.
    seed : the seed of everything random in the training.
    scaling : the scale of the features, fitted on the training data, or none.
    curve : all epochs of the training.
    best : the number of the epoch that was kept: the first with the best validation; without validation the last.
    card : the description that is saved with the weights; None before training.
    scaler : the scale of the features; None for no scaling, and before training.
    watched : what further validation data and measures came to, epoch by epoch.
    """

    objective: ParsedObjective = ParsedObjective()  # noqa: RUF009 - a descriptor
    _: KW_ONLY
    seed: Annotated[int, Whole(0)] = 0
    scaling: FeatureScaling = "z-score"
    curve: tuple[Epoch, ...] = field(default=(), init=False, repr=False)
    best: int = field(default=0, init=False, repr=False)
    card: Card | None = field(default=None, init=False, repr=False)
    scaler: Scaler | None = field(default=None, init=False, repr=False)
    watched: tuple[Watched, ...] = field(default=(), init=False, repr=False)

    kind: ClassVar[str]
    engine: ClassVar[str]  # the package that trains this kind
    takes_missing: ClassVar[bool] = False  # values, and categories
    takes_positions: ClassVar[bool] = False  # of clicks
    holds_out: ClassVar[bool] = False  # a part of the training data, where no validation data are given

    def __post_init__(self) -> None:
        for name, one in read_fields(type(self)).items():
            setattr(self, name, one.check(getattr(self, name)))

    @classmethod
    def engine_for(cls, parameters: Mapping[str, Any]) -> str:  # noqa: ARG003 - trees have several
        """The package that trains a ranker of this kind with some parameters."""
        return cls.engine

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the constructor as JSON values, without the objective."""
        values = {name: value for name, value in self.get_params().items() if name != "objective"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @property
    def learning_curve(self) -> LearningCurve:
        """The learning curve of the training, as a table that can be shown and saved."""
        card = self.require_trained()
        if not self.curve:
            raise InputError("trees that were grown on several machines have no learning curve")
        return LearningCurve(
            objective=str(self.objective),
            ranker=self.kind,
            seed=self.seed,
            measure=card.measure,
            curve=self.curve,
            best=self.best,
            train=card.train["name"],
            valid=None if card.valid is None else card.valid["name"],
            watched=self.watched,
        )

    @property
    def evals_result_(self) -> dict[str, dict[str, list[float]]]:
        """The validation after each epoch, as LightGBM's estimators have it: by data, called "valid_0", "valid_1" ...
        in the order of ``eval_set``, and by measure; empty without validation data."""
        card = self.require_trained()
        by_data: dict[str, dict[str, list[float]]] = {}
        if card.measure is not None:
            by_data = {"valid_0": {card.measure: [float(epoch.valid or 0.0) for epoch in self.curve]}}
        for one in self.watched:
            by_data.setdefault(one.data, {})[one.measure] = list(one.values)
        return by_data

    @checked.known_arguments(**VALIDATION)
    def fit(
        self,
        X: Any,
        y: Any = None,
        validate_by: Annotated[Measure | str | Sequence[Measure | str] | None, Anything("MEASURE")] = None,
        *,
        query: str | None = None,
        label: str | None = None,
        group: Any = None,
        qid: Any = None,
        sample_weight: Any = None,
        position: Any = None,
        init_model: Annotated[Any, InFile("MODEL")] = None,
        eval_set: Any = None,
        eval_group: Any = None,
        eval_qid: Any = None,
        callbacks: Sequence[Callable[..., object]] = (),
        progress: Progress | bool | None = False,
        checkpoint: Path | None = None,
        resume: bool = False,
    ) -> Self:
        """Train the ranker, from the beginning or from a checkpoint: ``fit(train, valid)`` with Features,
        ``fit(frame, valid, query="qid", label="grade")`` with frames, or ``fit(X, y, qid=..., eval_set=(X, y),
        eval_qid=...)`` with arrays.

        Parameters
        ----------
        X : the training data: Features; or an array, a scipy.sparse matrix, a frame of pandas, Polars or Arrow. Queries
            whose documents all have one grade are skipped, as nothing can be learnt.
        y : with Features, or with ``label``, the validation data of the same form, or None; else the grade of each
            row.
        validate_by : the measure to validate by, or several: training stops by the first. Default: the measure of the
            objective.
        query, label : the columns of a frame with the query and the grade of each row; all others are features, except
            one that names the documents (doc, docid ...), as a FeaturesWarning says. ``predict`` passes over them, too.
        group, qid : without Features, the numbers of rows of the queries, or the query of each row. A frame may have a
            column ``qid`` instead, which is no feature. Where the rows of a query stand apart, all rows are sorted by
            query first, and a SplitQueriesWarning says so; weights and positions of rows go with them.
        sample_weight : weights of the queries: a query of weight 2 counts twice (but not for ``min_rows`` and
            ``subsample`` of trees, nor for the scale of features), one of 0 not at all; or of the rows, by which the
            gradient (for trees also the hessian) of each document's score is multiplied. Linear and neural rankers
            scale them to mean 1. Validation and the learning curve are not weighted.
        position : for grades that are clicks, the position from 1 at which the document of each row was shown, by which
            a TreeRanker then corrects, see ``LambdaObjective``. Validation data should hold grades, not clicks.
        init_model : a trained model of trees, as of last week, whose trees come first. The new trees, epochs at most,
            learn what these leave. The features are the same ones, not scaled.
        eval_set, eval_group, eval_qid : validation data (X, y), as a pair or a list of pairs, and their queries; or
            Features, or with ``label`` frames. Training stops when validation by the first no longer improves, and the
            best epoch is kept; ``evals_result_`` has the values of all. Validation is expected over the orders of equal
            scores; queries without relevant documents count 0.
        callbacks : functions that LightGBM calls after each tree, as Optuna's LightGBMPruningCallback, for leaf-wise
            trees: validation data are called "valid_0", "valid_1" ... For other rankers see ``progress``, which may
            raise what ends a training, too.
        progress : True shows a bar; a function is called with each epoch when it is done.
        checkpoint : a file that is replaced after each epoch. For large forests it is written less often, in at most a
            tenth of the training time; after a kill some trees are then trained again, with the same result.
        resume : go on with an interrupted training from its checkpoint. The ranker is the same as without the
            interruption. Without a checkpoint, training starts from the beginning; a checkpoint of another training is
            an InputError.

        Raises
        ------
        InputError : no query can be learnt from, features or grades do not fit, values are missing or categories where
            the ranker takes none, or training diverges.
        """
        refuse_sizes(validate_by)
        require_checkpoint(checkpoint, resume)
        self.warn_of_objective()
        data = TrainingData.of(
            FitArguments(X, y, group, qid, eval_set, eval_group, eval_qid, query, label),
            sample_weight,
            declared=self._declared_categories(),
            takes_missing=self.takes_missing,
            scaling=self.scaling,
            ranker=type(self).__name__,
        )
        data = self._with_validation(data)
        measures = validation_measures(validate_by, self.objective.measure, is_validated=data.valid is not None)
        measure = measures[0] if measures else None
        shown = self._read_position(in_order_of_rows("position", position, data.order), len(data.train))
        described = describe_data(data.train, data.weights)
        if shown is not None:
            described["position"] = digest_of_weights(shown)
        if data.left_out:
            described["left_out"] = list(data.left_out)
        if init_model is not None:
            described["init_model"] = self._require_start(init_model, data)
        validated = None if data.valid is None else describe_data(data.valid)
        if validated is not None and (data.watched or measures[1:]):
            validated["watched"] = [[fingerprint(each) for each in data.watched], list(map(str, measures[1:]))]
        card = self.describe(
            data.train.columns,
            data.levels,
            measure,
            described,
            validated,
            scaler=data.scaler,
            categories=data.categories,
        )
        with progress_of_epochs(progress, self.most_epochs) as tell:
            identity = identity_of(card)
            how: dict[str, Any] = {"checkpoint": checkpoint, "resume": resume, "identity": identity}
            how |= {"callbacks": self._read_callbacks(callbacks)}
            task = data.task(measures, progress=tell, position=shown, start=init_model, **how)
            with silenced(CASCADE_ASKED):
                trained = self._train_best(task)
        self.scaler = data.scaler
        curve = [list(epoch) for epoch in self.curve]
        if validated is not None and len(task.validations) > 1:
            validated["watched"] = [list(one) for one in self.watched]
        described |= self._describe_training()
        self.card = self._complete_card(replace(card, objective=trained.parameters, best=self.best, curve=curve))
        return self

    def _read_callbacks(self, callbacks: Any) -> tuple[Callable[..., object], ...]:
        """Functions that are called as LightGBM calls them; an InputError where the ranker cannot."""
        if callbacks is None or not len(callbacks):
            return ()
        raise InputError(
            f"callbacks are LightGBM's, for leaf-wise trees: {type(self).__name__} calls progress=FUNCTION with each "
            "epoch, and what that raises ends the training"
        )

    @property
    def most_epochs(self) -> int:
        """The largest number of epochs of a training."""
        return int(self.parameters["epochs"])

    @property
    def report(self) -> Tabular:
        """What tells of the training, see ``gradeval train``: the learning curve; an InputError before training."""
        return self.learning_curve

    def _with_validation(self, data: TrainingData) -> TrainingData:
        """The data that are trained on, with those that validate, if any do."""
        return data

    def _complete_card(self, card: Card) -> Card:
        """The card of a finished training."""
        return card

    def _read_position(self, position: Any, rows: int) -> Array | None:
        """The positions float64[row] of clicks; an InputError where they do not fit, or the ranker does not take
        them."""
        if position is None:
            return None
        if not self.takes_positions or METHODS[self.objective.method].mu is None:
            raise InputError("position is for a TreeRanker with an objective of lambdarank: leave it out, or train one")
        numbers: Array = read_numbers("position", position).astype(float)
        if numbers.shape != (rows,) or (numbers != np.floor(numbers)).any():
            raise InputError(f"position{list(numbers.shape)} for {rows} rows: give a whole number for each")
        return numbers

    def _require_start(self, init_model: Any, data: TrainingData) -> str:
        """The digest of the model that training goes on from; an InputError where it cannot."""
        raise InputError(
            f"{data.train.name}: init_model={shown(init_model)} is for a TreeRanker; "
            f"{type(self).__name__} takes none: leave it out"
        )

    def warn_of_objective(self) -> None:
        """Warn where the objective gives worse rankers than another, see ``warn_of_cascade``."""
        if self.objective.method == "lambdarank":
            warn_of_cascade(self.objective.measure, self.objective.draws)

    def _describe_training(self) -> dict[str, Any]:
        """What the card tells of a training besides its data."""
        return {}

    def _train_best(self, task: Task) -> Objective:
        """Train for each candidate of the objective, keep the first of the best on validation, and return what it was
        trained for."""
        candidates = self.objective.candidates
        if len(candidates) == 1:
            self.curve, self.best = self._train(task)
            return candidates[0]
        if task.validation is None:
            raise InputError(
                Given("draws", "auto"), " is chosen by validation: give validation data, or a number of draws"
            )
        trained = []
        for number, objective in enumerate(candidates):
            place = None if task.checkpoint is None else os.fspath(task.checkpoint) + number * ".draws"
            twin = copy(self)
            twin.objective = objective
            twin.curve, twin.best = twin._train(replace(task, checkpoint=place))
            trained.append(twin)
        if task.checkpoint is not None:
            for number in range(1, len(candidates)):
                with suppress(FileNotFoundError):
                    os.unlink(os.fspath(task.checkpoint) + number * ".draws")
        best = max(trained, key=lambda twin: twin.curve[twin.best - 1].valid or 0.0)  # the first of equal ones
        self.__dict__.update({**best.__dict__, "objective": self.objective})
        return best.objective

    def describe(
        self,
        columns: Sequence[str],
        levels: Levels,
        measure: Measure | None,
        train: dict[str, Any],
        valid: dict[str, Any] | None,
        *,
        scaler: Scaler | None = None,
        categories: Categories | None = None,
        engines: Sequence[str] = (),
    ) -> Card:
        """The card of a training before it begins, see ``Card``; ``engines`` are the packages that train, by default
        the one of this kind of ranker."""
        return Card(
            ranker=self.kind,
            objective=self.objective.parameters,
            parameters=self.parameters,
            measure=None if measure is None else str(measure),
            best=0,
            curve=[],
            columns=list(columns),
            levels=list(levels),
            scaling=None if scaler is None else describe_scaler(scaler),
            train=train,
            valid=valid,
            versions=versions_of(*(engines or (self.engine_for(self.parameters),))),
            categories=categories or {},
        )

    def score(self, features: Features, y: Any = None) -> Array:
        """float64[row]: a score for each document, the higher the better; ``features.run(scores)`` is a run.

        For arrays and frames see ``predict``. Where scikit-learn asks for one number, give it a scorer of a measure:
        ``scoring=gradeval.ltr.make_scorer("GAP")``.
        """
        if y is not None or not isinstance(features, Features):
            raise InputError(
                "score(Features) gives the score of each document; for one number by a measure, as scikit-learn asks "
                "for, give it scoring=gradeval.ltr.make_scorer('GAP'), and for arrays call predict(X)"
            )
        self.require_columns(features)
        features = code_words(features, self._known_categories())
        if not self.takes_missing:
            require_no_missing(features.X, features.columns, features.name, f"a {type(self).__name__}")
        return self._score((features if self.scaler is None else self.scaler.apply(features)).X[:])

    def require_columns(self, features: Features) -> None:
        """An InputError where features are other ones than in training."""
        require_same_columns(features, tuple(self.require_trained().columns), "the ranker was trained on")

    def save(self, folder: Path) -> None:
        """Write the folder of a model: card.json and the weights. The folder is written completely or not at all."""
        write_model(folder, self.require_trained(), self._serialize_weights(), self._weights_file())

    @classmethod
    def load(cls, folder: Path, **given: Any) -> Self:
        """Load a ranker from the folder of a model; other or damaged files are an InputError. Trees are read by
        LightGBM, XGBoost or CatBoost, which trust them: load strangers' trees in a sandbox.

        ``LinearRanker.load`` refuses a model of another kind, ``load_ranker`` takes any. ``given`` is what no folder
        holds: ``module`` of a NeuralRanker that was trained with one.
        """
        place = os.path.join(os.fspath(folder), "card.json")
        card, weights, name = read_model(folder, lambda card: cls._from_card(card, place, **given))
        ranker = cls._from_card(card, place, **given)
        ranker.card, ranker.best = card, card.best
        ranker._load_weights(weights, os.path.join(os.fspath(folder), name))
        return ranker

    @classmethod
    def _from_card(cls, card: Card, place: str, **given: Any) -> Self:
        """The ranker described by a card, without weights."""
        try:
            kind = ranker_class(card.ranker)
        except InputError as error:
            raise error.within(place) from None
        if not issubclass(kind, cls):
            loader = f"load it with {kind.__name__}.load"
            raise InputError(f"{place}: a ranker of kind {card.ranker}, not {cls.kind}: {loader}")
        try:
            ranker: Self = kind(Objective(**card.objective), **{**card.parameters, **given})
            ranker.scaler = scaler_of(card)
            ranker.curve = tuple(Epoch(*epoch) for epoch in card.curve)
            ranker.watched = tuple(Watched(*one) for one in (card.valid or {}).get("watched", ()))
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise InputError(f"{place}: does not describe a {card.ranker} ranker: {error}") from None
        return ranker

    @abstractmethod
    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        """Train; store the weights of the best epoch in self; return the curve and the number of that epoch."""

    @abstractmethod
    def _score(self, X: Array) -> Array:
        """float64[row]: scores for scaled features float32[row, column]."""

    def _weights_file(self) -> str:
        """The name of the file of weights."""
        return KINDS[self.kind].weights[0]

    @abstractmethod
    def _serialize_weights(self) -> bytes:
        """The content of the file of weights."""

    @abstractmethod
    def _load_weights(self, weights: bytes, place: str) -> None:
        """Load weights from the content of the file ``place``; an InputError where they do not fit ``card``."""

    def _declared_categories(self) -> Categories:
        """The features that the parameters call categories."""
        return {}

    def _trained_columns(self) -> list[str]:
        if self.card is None:  # as scikit-learn's estimators do
            raise AttributeError(f"this {type(self).__name__} is not trained: call fit() first")
        return self.card.columns

    def _left_out(self) -> list[str]:
        return list(self.require_trained().train.get("left_out", ()))

    def _known_categories(self) -> Mapping[str, list[Any]]:
        return self.require_trained().categories

    def require_trained(self) -> Card:
        """The card; an InputError before training."""
        if self.card is None:
            raise InputError(f"this {type(self).__name__} is not trained: call fit() first, or load a model")
        return self.card


@known_arguments()
def load_ranker(folder: Path, **given: Any) -> Ranker:
    """Load a ranker of any kind from the folder of a model: see ``Ranker.load``."""
    return Ranker.load(folder, **given)
