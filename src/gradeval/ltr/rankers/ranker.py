"""Rankers: what all of them share, whatever they are made of."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, fields, replace
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
from gradeval.ltr.saving.card import Card, Path, described, read_model, versions_of, write_model
from gradeval.ltr.saving.checkpoint import require_replaceable

Progress: TypeAlias = Callable[[Epoch], None]


@dataclass(frozen=True, eq=False)
class Task:
    """What a ranker is to learn, checked.

    Attributes
    ----------
    train : the training data, of ``levels``, before scaling: a second table of them may not fit into memory.
    scaler : their scale; None: they are taken as they are.
    levels : the grades of the collection: those of the training and of the validation data.
    valid : validation by the measure that is watched, its features on the scale; None: no early stopping.
    progress : to be called after each epoch.
    checkpoint : where each epoch is written, if anywhere.
    resume : go on from the checkpoint if it is there.
    identity : what a checkpoint must have been written for.
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
    """Learns from graded documents to score others: ``LinearRanker("lambdarank:GAP").fit(train, valid)``.

    A ranker is made from its parameters alone; ``fit`` trains it, ``save`` writes a folder, ``load`` reads it.

    Attributes
    ----------
    objective : what it is trained for; it may be given by its spelling.
    seed : of everything random in training.
    scaling : the scale of the features, fitted on the training data and kept: "z-score", "min-max", or None.
    curve : the epochs of the training, all of them.
    best : the number of the epoch that was kept: the first of the best on validation, without it the last.
    card : what is written beside the weights; None before training.
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
    engine: ClassVar[str]  # the package that trains it

    def __post_init__(self) -> None:
        self.seed = checked.whole("seed", self.seed, 0)
        checked.one_of("scaling", self.scaling, ("z-score", "min-max", None))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters it was made with, but for the objective."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init and each.name != "objective"}

    @property
    def learning_curve(self) -> LearningCurve:
        """The epochs of its training, as a result that can be shown and saved."""
        card = self._trained()
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
        progress: Progress | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
    ) -> Self:
        """Train, from the beginning or from a checkpoint.

        Parameters
        ----------
        train : queries with documents of different grades; nothing can be learnt from others, which are passed over.
        valid : training stops when validation no longer gets better, and its best epoch is kept. Validation follows
            LETOR: equal scores in the order of the rows, queries without relevant documents count 0.
        validate_by : the measure that validation watches. Default: that of the objective.
        progress : called with each epoch when it is done.
        checkpoint : a file, written anew after each epoch. Trees that take long to write are written in a tenth of the
            time at most: a kill then repeats some of them, to the same numbers.
        resume : go on from the checkpoint, to the very same ranker, as if never interrupted. Without a file there,
            training begins at the beginning; one of another training is an InputError.

        Raises
        ------
        InputError : nothing to learn, features or grades that do not fit, training that diverges.
        """
        if not train.columns or not len(train):
            raise InputError(f"{train.name}: no rows with features to learn from")
        if valid is not None and valid.columns != train.columns:
            raise InputError(
                f"{valid.name}: {_width(valid)}, {train.name} has {_width(train)}; give the same in the same order"
            )
        if resume and checkpoint is None:
            raise InputError("resume=True needs checkpoint=, the file that the interrupted training wrote")
        if checkpoint is not None and not resume:
            require_replaceable(checkpoint)
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
            scaling=None if scaler is None else _written(scaler),
            train=described(train),
            valid=None if valid is None else described(valid),
            versions=versions_of(self.engine),
        )
        validation = None if valid is None else Validation.of(_on_scale(valid, scaler, levels), watched)
        task = Task(
            replace(train, levels=levels), scaler, levels, validation, progress, checkpoint, resume, _identity(card)
        )
        self.curve, self.best = self._train(task)
        self._scaler = scaler
        self.card = replace(card, best=self.best, curve=[list(epoch) for epoch in self.curve])
        return self

    def score(self, features: Features) -> Array:
        """float64[row]: a score for each document, the higher the better; ``features.run(scores)`` is a run."""
        card = self._trained()
        if features.columns != tuple(card.columns):
            raise InputError(
                f"{features.name}: {_width(features)}, the ranker was trained on {len(card.columns)} "
                f"({_ends(card.columns)}); give the same ones in the same order"
            )
        return self._score((features if self._scaler is None else self._scaler.apply(features)).X)

    def save(self, folder: Path) -> None:
        """Write the folder of a model: card.json and the weights. It is there whole or not at all."""
        write_model(folder, self._trained(), self._weights(), KINDS[self.kind].weights)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A ranker from the folder of a model. Nothing in it is executed; what is foreign or damaged is an InputError.

        ``LinearRanker.load`` refuses a model of another kind, ``load_ranker`` takes any.
        """
        place = os.path.join(os.fspath(folder), "card.json")
        card, weights = read_model(folder, lambda card: cls._described(card, place))
        ranker = cls._described(card, place)
        ranker.card, ranker.best = card, card.best
        ranker._restore(weights, os.path.join(os.fspath(folder), KINDS[card.ranker].weights))
        return ranker

    @classmethod
    def _described(cls, card: Card, place: str) -> Self:
        """The ranker that a card describes, without weights."""
        kind = _class_of(card.ranker, place)
        if not issubclass(kind, cls):
            loader = f"load it with {kind.__name__}.load"
            raise InputError(f"{place}: a {card.ranker} ranker, not a {cls.kind} one; {loader}")
        try:
            ranker = kind(Objective(**card.objective), **card.parameters)
            ranker._scaler = _read_scaler(card)
            ranker.curve = tuple(Epoch(*epoch) for epoch in card.curve)
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise InputError(f"{place}: does not describe a {card.ranker} ranker: {str(error)[:200]}") from None
        return ranker

    @abstractmethod
    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        """Learn; leave the weights of the best epoch in self; return the curve and the number of that epoch."""

    @abstractmethod
    def _score(self, X: Array) -> Array:
        """float64[row] for features float32[row, column] on their scale."""

    @abstractmethod
    def _weights(self) -> bytes:
        """What the file of weights holds."""

    @abstractmethod
    def _restore(self, weights: bytes, place: str) -> None:
        """Take weights from what a file holds; an InputError where they do not fit ``card``. ``place``: the file."""

    def _trained(self) -> Card:
        if self.card is None:
            raise InputError(f"this {type(self).__name__} is not trained: call fit() first, or load a model")
        return self.card


def load_ranker(folder: Path) -> Ranker:
    """A ranker of any kind from the folder of a model: see ``Ranker.load``."""
    return Ranker.load(folder)


def ranker_class(kind: str) -> type[Ranker]:
    """The class of a kind of ranker: one of ``KINDS``."""
    if kind not in KINDS:
        raise InputError(f"a ranker of kind {checked.shown(kind)}; this gradeval knows {', '.join(KINDS)}")
    known = KINDS[kind]
    found: type[Ranker] = getattr(import_module(f"gradeval.ltr.rankers.{known.module}"), known.name)
    return found


def _class_of(kind: str, place: str) -> type[Ranker]:
    try:
        return ranker_class(kind)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _identity(card: Card) -> dict[str, Any]:
    """What must not change between a checkpoint and the training that goes on from it; there may be more epochs."""
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


def _on_scale(features: Features, scaler: Scaler | None, levels: Levels) -> Features:
    return replace(features if scaler is None else scaler.apply(features), levels=levels)


def _written(scaler: Scaler) -> dict[str, Any]:
    return {"kind": scaler.kind, "shift": scaler.shift.tolist(), "width": scaler.width.tolist()}


def _read_scaler(card: Card) -> Scaler | None:
    if card.scaling is None:
        return None
    kind: Any = card.scaling.get("kind")
    if kind not in get_args(Scaling):
        raise ValueError(f"unknown scaling {checked.shown(kind)}")
    shift, width = (np.array(card.scaling[part], dtype=float) for part in ("shift", "width"))
    return Scaler(kind, shift, width, tuple(card.columns))


def _width(features: Features) -> str:
    return f"{len(features.columns)} features ({_ends(features.columns)})"


def _ends(columns: tuple[str, ...] | list[str]) -> str:
    return f"{columns[0]} to {columns[-1]}" if columns else "none"
