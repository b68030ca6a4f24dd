"""What a training is given, checked: its data, and how it is to be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from gradeval._core import InputError
from gradeval.features.feature_arrays import describe_columns, require_no_missing
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.rows import Categories, training_features
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.saving import Card
from gradeval.progress import Progress as ProgressOfWork
from gradeval.progress import progress_of
from gradeval.whole import Path

Progress: TypeAlias = Callable[[Epoch], None]


@dataclass(frozen=True, eq=False)
class Task:
    """The checked data of a training, and how to run it.

    Attributes
    ----------
    train : the training data before scaling, since a second table of them may not fit into memory.
    weights : float64[row] of the training data; None for no weights.
    categories : the places of the features that are categories.
    scaler : the scale of the features; None for no scaling.
    levels : the grades of the collection, from the training and the validation data together.
    valid : scaled validation data and measure; None for no early stopping.
    progress : called after each epoch.
    checkpoint : the file that is written after each epoch; None for no file.
    resume : whether to continue from the checkpoint if it exists.
    identity : the data and parameters with which a checkpoint must agree.
    """

    train: Features
    weights: Array | None
    categories: tuple[int, ...]
    scaler: Scaler | None
    levels: Levels
    valid: Validation | None
    progress: Progress | None
    checkpoint: Path | None
    resume: bool
    identity: dict[str, Any]


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
        raise InputError(f"validate_by={measure} is what validation watches: give validation data, too")
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
        "weights": card.train.get("weights"),
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
