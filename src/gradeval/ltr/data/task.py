"""What a training is given, checked: its data, and how it is to be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import plain
from gradeval.atomic_files import Path
from gradeval.features.feature_arrays import describe_columns, require_no_missing
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.features.scaling import Scaling
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, levels_of
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.rows import Categories, training_features
from gradeval.ltr.data.trainable import weights_by_row
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.saving import Card
from gradeval.progress import Progress as ProgressOfWork
from gradeval.progress import progress_of

Progress: TypeAlias = Callable[[Epoch], None]


@dataclass(frozen=True, eq=False)
class FitArguments:
    """The data as a user gave them to ``fit``: Features, or X and y with their queries."""

    X: Any
    y: Any
    group: Any
    qid: Any
    eval_set: Any
    eval_group: Any
    eval_qid: Any

    def features(self) -> tuple[Features, Features | None, Categories]:
        """Training data, validation data, and the features that are categories."""
        if isinstance(self.X, Features):
            return self.X, self._valid_beside_features(self.X), {}
        train, categories = training_features(self.X, self.y, group=self.group, qid=self.qid, name="training data")
        return train, self._valid_beside_arrays(categories), categories

    def _valid_beside_features(self, train: Features) -> Features | None:
        if self.group is not None or self.qid is not None:
            raise InputError(f"{train.name}: Features know their queries; leave group= and qid= out")
        valid = self.y if self.y is not None else self._one_eval_set()
        if self.y is not None and self.eval_set is not None:
            raise InputError("validation data are given twice; leave eval_set= out")
        if valid is not None and not isinstance(valid, Features):
            raise InputError("beside Features, validation data are Features, too: fit(train, valid)")
        train.require_grades("training data")
        return valid

    def _valid_beside_arrays(self, categories: Categories) -> Features | None:
        given = self._one_eval_set()
        if given is None or isinstance(given, Features):
            return given
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise InputError("eval_set is a pair (X, y), a list of one pair, or Features")
        group, qid = (value[0] if _is_list_of_one(value) else value for value in (self.eval_group, self.eval_qid))
        valid, _ = training_features(*given, group=group, qid=qid, name="validation data", known=categories)
        return valid

    def _one_eval_set(self) -> Any:
        """The validation data; an InputError where there are several."""
        given = self.eval_set
        if isinstance(given, list) and len(given) == 1:
            return given[0]
        if isinstance(given, list) and (len(given) != 2 or isinstance(given[0], tuple | Features)):
            raise InputError(f"eval_set has {len(given)} data sets; give the one by which training stops")
        return given


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What a ranker is trained on.

    Attributes
    ----------
    train, valid : the training and the validation data, not scaled, as a second table of them may not fit into memory;
        None for no validation.
    categories : the features that are categories, with their values.
    weights : float64[row] of the training data; None for no weights.
    levels : the grades of the collection, from the training and the validation data together.
    scaler : the scale of the features, fitted on the training data; None for no scaling.
    """

    train: Features
    valid: Features | None
    categories: Categories
    weights: Array | None
    levels: Levels
    scaler: Scaler | None

    @classmethod
    def of(
        cls,
        given: FitArguments,
        sample_weight: Any,
        *,
        declared: Categories,
        takes_missing: bool,
        scaling: Scaling | None,
        ranker: str,
    ) -> Self:
        """Check what was given to a ``ranker``, called so in messages; ``declared``: categories by its parameters."""
        train, valid, categories = given.features()
        categories = {**declared, **categories}
        if unknown := [name for name in categories if name not in train.columns]:
            raise InputError(
                f"{train.name}: has no feature {unknown[0]!r} to be a category; {describe_columns(train.columns)}"
            )
        if not takes_missing:
            require_plain_numbers(train, valid, categories, f"a {ranker}")
        if not train.columns or not len(train):
            raise InputError(f"{train.name}: no rows with features to learn from")
        if valid is not None:
            require_same_columns(valid, train.columns, f"{train.name} has")
        levels = train.levels if valid is None else levels_of(np.array([*train.levels, *valid.levels]))
        return cls(
            train=replace(train, levels=levels),
            valid=valid,
            categories=categories,
            weights=weights_by_row(sample_weight, train),
            levels=levels,
            scaler=None if scaling is None else Scaler.fit(train, scaling),
        )

    def task(self, measure: Measure | None, **how: Any) -> Task:
        """The training on these data; ``measure`` is that of the validation, see ``Task`` for the others."""
        return Task(**vars(self), validation=None if measure is None else self._validation(measure), **how)

    def _validation(self, measure: Measure) -> Validation | None:
        """The scaled validation data and a measure; None for no validation."""
        if self.valid is None:
            return None
        scaled = self.valid if self.scaler is None else self.scaler.apply(self.valid)
        return Validation.of(replace(scaled, levels=self.levels), measure)


@dataclass(frozen=True, eq=False)
class Task(TrainingData):
    """The data of a training, and how to run it.

    Attributes
    ----------
    validation : scaled validation data and measure; None for no early stopping.
    progress : called after each epoch.
    checkpoint : the file that is written after each epoch; None for no file.
    resume : whether to continue from the checkpoint if it exists.
    identity : the data and parameters with which a checkpoint must agree.
    position : float64[row], where the documents of the training data were shown to those who clicked; None for grades
        that are no clicks.
    start : what ``init_model`` of a TreeRanker gave: the ranker whose trees come first.
    """

    validation: Validation | None
    progress: Progress | None
    checkpoint: Path | None
    resume: bool
    identity: dict[str, Any]
    position: Array | None = None
    start: Any = None

    @property
    def category_places(self) -> list[int]:
        """The places of the features that are categories."""
        return [self.train.columns.index(name) for name in self.categories]


@contextmanager
def progress_of_epochs(progress: Progress | bool | None, most: int) -> Iterator[Progress | None]:
    """What is called with each epoch, of what a user gave: for True it moves a bar of so many epochs."""
    with progress_of(progress, "training") as tell:
        yield partial(_move_bar, tell, most) if progress is True else tell


def _move_bar(tell: ProgressOfWork, most: int, epoch: Epoch) -> None:
    tell(epoch.number, most)


def validation_measure(given: Measure | str | None, objective: Measure, *, is_validated: bool) -> Measure | None:
    """The measure that a user gave as ``validate_by``, by default that of the objective; None without validation
    data."""
    if given is None:
        return objective if is_validated else None
    measure = parse_measure(given)
    if not is_validated:
        raise InputError(plain("validate_by", measure), " is what validation watches: give validation data, too")
    return measure


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
        **{name: card.train.get(name) for name in ("weights", "position", "init_model")},
        "categories": card.categories,
        **data,
    }


def require_same_columns(features: Features, wanted: tuple[str, ...], whose: str) -> None:
    """An InputError where features are not those that ``whose`` names, in that order."""
    if features.columns != wanted:
        there = describe_columns(features.columns)
        raise InputError(
            f"{features.name}: {there}, {whose} {describe_columns(wanted)}; give the same ones in the same order"
        )


def require_plain_numbers(train: Features, valid: Features | None, categories: Categories, what: str) -> None:
    """An InputError where values are missing or features are categories, which ``what`` does not take."""
    for features in (train, valid):
        if features is not None:
            require_no_missing(features.X, features.columns, features.name, what)
    if categories:
        raise InputError(
            f"{train.name}: {next(iter(categories))} is a category, and {what} takes numbers: encode it "
            "(scikit-learn's OneHotEncoder), or train a TreeRanker, which takes categories as they are"
        )


def _is_list_of_one(value: Any) -> bool:
    """Whether a value is a list with one list or array in it, as LightGBM takes eval_group."""
    return isinstance(value, list | tuple) and len(value) == 1 and hasattr(value[0], "__len__")
