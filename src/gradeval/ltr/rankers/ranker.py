"""The base class of all rankers, and loading a ranker of any kind."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Self, TypeAlias, get_args

import numpy as np

from gradeval import checks as checked
from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.features.scaling import Scaling
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, levels_of
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.objective import Objective, ParsedObjective
from gradeval.ltr.rankers.kinds import KINDS
from gradeval.ltr.rankers.learning_curve import Epoch, LearningCurve
from gradeval.ltr.saving.card import Card, Path, describe_data, read_model, versions_of, write_model
from gradeval.ltr.saving.checkpoint import require_replaceable_file
from gradeval.progress import progress_of

Progress: TypeAlias = Callable[[Epoch], None]


@dataclass(frozen=True, eq=False)
class Task:
    """The checked data of a training, and how to run it.

    Attributes
    ----------
    train : the training data before scaling, since a second table of them may not fit into memory.
    scaler : the scale of the features; None for no scaling.
    levels : the grades of the collection, from the training and the validation data together.
    valid : scaled validation data and measure; None for no early stopping.
    progress : called after each epoch.
    checkpoint : the file that is written after each epoch; None for no file.
    resume : whether to continue from the checkpoint if it exists.
    identity : the data and parameters with which a checkpoint must agree.
    """

    train: Features
    scaler: Scaler | None
    levels: Levels
    valid: Validation | None
    progress: Progress | None
    checkpoint: Path | None
    resume: bool
    identity: dict[str, Any]


@dataclass(eq=False)
class Ranker(ABC):
    """A model that scores documents by their features: ``LinearRanker("lambdarank:GAP").fit(train, valid)``.

    The constructor takes the parameters; ``fit`` trains, ``save`` writes a folder, ``load`` reads it.

    Attributes
    ----------
    objective : what the ranker is trained for, an Objective or its text METHOD:MEASURE.
    seed : the random seed of the training.
    scaling : how features are scaled, by statistics of the training data: "z-score", "min-max", or None.
    curve : all epochs of the training.
    best : the number of the epoch that was kept: the first with the best validation; without validation the last.
    card : the description that is saved with the weights; None before training.
    """

    objective: ParsedObjective = ParsedObjective()  # noqa: RUF009  (a descriptor, not a value)
    _: KW_ONLY
    seed: int = 0
    scaling: Scaling | None = "z-score"
    curve: tuple[Epoch, ...] = field(default=(), init=False, repr=False)
    best: int = field(default=0, init=False, repr=False)
    card: Card | None = field(default=None, init=False, repr=False)
    _scaler: Scaler | None = field(default=None, init=False, repr=False)

    kind: ClassVar[str]
    engine: ClassVar[str]  # the package that trains this kind

    def __post_init__(self) -> None:
        self.seed = checked.whole("seed", self.seed, 0)
        checked.one_of("scaling", self.scaling, ("z-score", "min-max", None))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the constructor, without the objective."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init and each.name != "objective"}

    @property
    def learning_curve(self) -> LearningCurve:
        """The learning curve of the training, as a table that can be shown and saved."""
        card = self._require_trained()
        return LearningCurve(
            objective=str(self.objective),
            ranker=self.kind,
            seed=self.seed,
            measure=card.measure,
            curve=self.curve,
            best=self.best,
            train=card.train["name"],
            valid=None if card.valid is None else card.valid["name"],
        )

    def fit(
        self,
        train: Features,
        valid: Features | None = None,
        validate_by: Measure | str | None = None,
        *,
        progress: Progress | bool | None = False,
        checkpoint: Path | None = None,
        resume: bool = False,
    ) -> Self:
        """Train the ranker, from the beginning or from a checkpoint.

        Parameters
        ----------
        train : the training data. Queries whose documents all have one grade are skipped, as nothing can be learnt.
        valid : validation data. Training stops when validation no longer improves, and the best epoch is kept.
            Validation follows LETOR: equal scores in the order of the rows, queries without relevant documents count 0.
        validate_by : the validation measure. Default: that of the objective.
        progress : True shows a bar; a function is called with each epoch when it is done.
        checkpoint : a file that is replaced after each epoch. For large forests it is written less often, in at most a
            tenth of the training time; after a kill some trees are then trained again, with the same result.
        resume : continue from the checkpoint; the ranker is the same as without the interruption. If the file does not
            exist, training starts from the beginning; a checkpoint of another training is an InputError.

        Raises
        ------
        InputError : no query can be learnt from, features or grades do not fit, or training diverges.
        """
        if not train.columns or not len(train):
            raise InputError(f"{train.name}: no rows with features to learn from")
        if valid is not None and valid.columns != train.columns:
            raise InputError(
                f"{valid.name}: {_name_columns(valid)}, {train.name} has {_name_columns(train)}; "
                "give the same in the same order"
            )
        if resume and checkpoint is None:
            raise InputError("resume=True needs checkpoint=, the file that the interrupted training wrote")
        if checkpoint is not None and not resume:
            require_replaceable_file(checkpoint)
        levels = train.levels if valid is None else levels_of(np.array([*train.levels, *valid.levels]))
        scaler = None if self.scaling is None else Scaler.fit(train, self.scaling)
        watched = self.objective.measure if validate_by is None else parse_measure(validate_by)
        card = Card(
            ranker=self.kind,
            objective=self.objective.parameters,
            parameters=self.parameters,
            measure=None if valid is None else str(watched),
            best=0,
            curve=[],
            columns=list(train.columns),
            levels=list(levels),
            scaling=None if scaler is None else _to_json(scaler),
            train=describe_data(train),
            valid=None if valid is None else describe_data(valid),
            versions=versions_of(self.engine),
        )
        validation = None if valid is None else Validation.of(_scale(valid, scaler, levels), watched)
        with progress_of(progress, "training") as tell:
            if progress is True:
                tell = partial(_tell_of_epoch, tell, self.parameters["epochs"])
            task = Task(
                replace(train, levels=levels), scaler, levels, validation, tell, checkpoint, resume, identity_of(card)
            )
            self.curve, self.best = self._train(task)
        self._scaler = scaler
        self.card = replace(card, best=self.best, curve=[list(epoch) for epoch in self.curve])
        return self

    def score(self, features: Features) -> Array:
        """float64[row]: a score for each document, the higher the better; ``features.run(scores)`` is a run."""
        card = self._require_trained()
        if features.columns != tuple(card.columns):
            raise InputError(
                f"{features.name}: {_name_columns(features)}, the ranker was trained on {len(card.columns)} "
                f"({_first_to_last(card.columns)}); give the same ones in the same order"
            )
        return self._score((features if self._scaler is None else self._scaler.apply(features)).X)

    def save(self, folder: Path) -> None:
        """Write the folder of a model: card.json and the weights. The folder is written completely or not at all."""
        write_model(folder, self._require_trained(), self._serialize_weights(), KINDS[self.kind].weights)

    @classmethod
    def load(cls, folder: Path, **given: Any) -> Self:
        """Load a ranker from the folder of a model. Nothing in it is executed; other or damaged files are an
        InputError.

        ``LinearRanker.load`` refuses a model of another kind, ``load_ranker`` takes any. ``given`` is what no folder
        holds: ``module`` of a NeuralRanker that was trained with one.
        """
        place = os.path.join(os.fspath(folder), "card.json")
        card, weights = read_model(folder, lambda card: cls._from_card(card, place, **given))
        ranker = cls._from_card(card, place, **given)
        ranker.card, ranker.best = card, card.best
        ranker._load_weights(weights, os.path.join(os.fspath(folder), KINDS[card.ranker].weights))
        return ranker

    @classmethod
    def _from_card(cls, card: Card, place: str, **given: Any) -> Self:
        """The ranker described by a card, without weights."""
        kind = _class_of(card.ranker, place)
        if not issubclass(kind, cls):
            loader = f"load it with {kind.__name__}.load"
            raise InputError(f"{place}: a {card.ranker} ranker, not a {cls.kind} one; {loader}")
        try:
            ranker = kind(Objective(**card.objective), **{**card.parameters, **given})
            ranker._scaler = _scaler_from_card(card)
            ranker.curve = tuple(Epoch(*epoch) for epoch in card.curve)
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise InputError(f"{place}: does not describe a {card.ranker} ranker: {str(error)[:200]}") from None
        return ranker

    @abstractmethod
    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        """Train; store the weights of the best epoch in self; return the curve and the number of that epoch."""

    @abstractmethod
    def _score(self, X: Array) -> Array:
        """float64[row]: scores for scaled features float32[row, column]."""

    @abstractmethod
    def _serialize_weights(self) -> bytes:
        """The content of the file of weights."""

    @abstractmethod
    def _load_weights(self, weights: bytes, place: str) -> None:
        """Load weights from the content of the file ``place``; an InputError where they do not fit ``card``."""

    def _require_trained(self) -> Card:
        if self.card is None:
            raise InputError(f"this {type(self).__name__} is not trained: call fit() first, or load a model")
        return self.card


def load_ranker(folder: Path, **given: Any) -> Ranker:
    """Load a ranker of any kind from the folder of a model: see ``Ranker.load``."""
    return Ranker.load(folder, **given)


def ranker_class(kind: str) -> type[Ranker]:
    """The class of a kind of ranker: one of ``KINDS``."""
    if kind not in KINDS:
        raise InputError(f"a ranker of kind {checked.shown(kind)}; this gradeval knows {', '.join(KINDS)}")
    entry = KINDS[kind]
    loaded: type[Ranker] = getattr(import_module(f"gradeval.ltr.rankers.{entry.module}"), entry.name)
    return loaded


def _class_of(kind: str, place: str) -> type[Ranker]:
    try:
        return ranker_class(kind)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def identity_of(card: Card) -> dict[str, Any]:
    """What a checkpoint and the training that resumes from it must have in common; ``epochs`` may differ."""
    settings = {name: value for name, value in card.parameters.items() if name not in ("epochs", "device")}
    data = {"train": card.train["fingerprint"], "valid": card.valid and card.valid["fingerprint"]}
    return {
        "ranker": card.ranker,
        "objective": card.objective,
        "parameters": settings,
        "measure": card.measure,
        "levels": card.levels,
        **data,
    }


def _scale(features: Features, scaler: Scaler | None, levels: Levels) -> Features:
    return replace(features if scaler is None else scaler.apply(features), levels=levels)


def _to_json(scaler: Scaler) -> dict[str, Any]:
    return {"kind": scaler.kind, "shift": scaler.shift.tolist(), "width": scaler.width.tolist()}


def _scaler_from_card(card: Card) -> Scaler | None:
    if card.scaling is None:
        return None
    kind: Any = card.scaling.get("kind")
    if kind not in get_args(Scaling):
        raise ValueError(f"unknown scaling {checked.shown(kind)}")
    shift, width = (np.array(card.scaling[part], dtype=float) for part in ("shift", "width"))
    return Scaler(kind, shift, width, tuple(card.columns))


def _name_columns(features: Features) -> str:
    return f"{len(features.columns)} features ({_first_to_last(features.columns)})"


def _first_to_last(columns: tuple[str, ...] | list[str]) -> str:
    return f"{columns[0]} to {columns[-1]}" if columns else "none"


def _tell_of_epoch(tell: Callable[[int, int], None], most: int, epoch: Epoch) -> None:
    """Move the bar of a training."""
    tell(epoch.number, most)
