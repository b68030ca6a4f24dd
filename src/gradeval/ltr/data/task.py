"""What a training is given, checked: its data, and how it is to be run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from shlex import quote
from typing import Any, Self, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.features.categories import Categories, are_ids
from gradeval.features.feature_arrays import describe_columns, require_no_missing
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.features.scaling import Scaling
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, levels_of
from gradeval.formula.spelling import parse_measures
from gradeval.ltr.data.known_words import code_words
from gradeval.ltr.data.leaks import warn_of_leaks
from gradeval.ltr.data.rows import TrainingRows, frame_features, training_features
from gradeval.ltr.data.trainable import in_order_of_rows, weights_by_row
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.saving import Card
from gradeval.messages import Typed, list_some, plain, plural, unbox
from gradeval.progress import Progress as ProgressOfWork
from gradeval.progress import progress_of
from gradeval.warning_categories import FeaturesWarning, warn

Progress: TypeAlias = Callable[[Epoch], None]


@dataclass(frozen=True, eq=False)
class FitArguments:
    """The data as a user gave them to ``fit``: Features, X and y with their queries, or frames with the names of
    their columns of queries and grades."""

    X: Any
    y: Any
    group: Any
    qid: Any
    eval_set: Any
    eval_group: Any
    eval_qid: Any
    query: str | None = None
    label: str | None = None

    def features(self, declared: Categories) -> tuple[TrainingRows, list[Features]]:
        """The training data, and the validation data, the first by which training stops; ``declared``: categories by
        the parameters of the ranker."""
        if isinstance(self.X, Features):
            if (self.query, self.label) != (None, None):
                raise InputError("query and label name columns of a frame; Features know theirs: leave them out")
            known = {name: list(words) for name, words in self.X.categories.items()}
            return TrainingRows(self.X, known, None), self._valid_beside_features(self.X)
        if (self.query, self.label) != (None, None):
            return self._of_frames(declared)
        train = training_features(
            self.X, self.y, group=self.group, qid=self.qid, name="training data", declared=declared
        )
        return train, self._valid_beside_arrays(train.categories)

    def _of_frames(self, declared: Categories) -> tuple[TrainingRows, list[Features]]:
        """The data of frames, by the names of their columns: ``fit(frame, valid, query=, label=)``."""
        if any(value is not None for value in (self.group, self.qid, self.eval_group, self.eval_qid)):
            raise InputError("query= names the column with the queries: leave group=, qid=, eval_group=, eval_qid= out")
        if self.y is not None and self.eval_set is not None:
            raise InputError("validation data are given twice; leave eval_set= out")
        read = partial(frame_features, query=self.query, label=self.label, whose="fit takes Features, X and y, or ")
        train = read(self.X, name="training data", declared=declared)
        valid = self.y if self.y is not None else self.eval_set
        frames = [] if valid is None else list(valid) if isinstance(valid, list | tuple) else [valid]
        return train, [
            frame
            if isinstance(frame, Features)
            else read(frame, name=_name_of(place, frames), known=train.categories).features
            for place, frame in enumerate(frames)
        ]

    def _valid_beside_features(self, train: Features) -> list[Features]:
        if self.group is not None or self.qid is not None:
            raise InputError(f"{train.name}: Features know their queries; leave group= and qid= out")
        valid = self.y if self.y is not None else self.eval_set
        if self.y is not None and self.eval_set is not None:
            raise InputError("validation data are given twice; leave eval_set= out")
        listed = [] if valid is None else list(valid) if isinstance(valid, list | tuple) else [valid]
        if not all(isinstance(one, Features) for one in listed):
            raise InputError("if the training data are Features, so are the validation data: fit(train, valid)")
        train.require_grades("training data")
        return listed

    def _valid_beside_arrays(self, categories: Categories) -> list[Features]:
        sets = self._list_eval_sets()
        groups, queries = (_one_for_each(name, getattr(self, name), len(sets)) for name in ("eval_group", "eval_qid"))
        valid = []
        for place, (given, group, qid) in enumerate(zip(sets, groups, queries, strict=True)):
            if isinstance(given, Features):
                valid.append(given)
                continue
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise InputError("eval_set is a pair (X, y), a list of pairs, or Features")
            name = _name_of(place, sets)
            valid.append(training_features(*given, group=group, qid=qid, name=name, known=categories).features)
        return valid

    def _list_eval_sets(self) -> list[Any]:
        """The validation data, as pairs or Features; a pair may be a list."""
        given = self.eval_set
        if given is None:
            return []
        is_pair = len(given) == 2 and not isinstance(given[0], tuple | Features) if isinstance(given, list) else False
        return list(given) if isinstance(given, list) and not is_pair else [given]


def _name_of(place: int, sets: Sequence[Any]) -> str:
    """What messages call a validation set."""
    return f"validation data {place + 1}" if len(sets) > 1 else "validation data"


def _one_for_each(name: str, given: Any, sets: int) -> list[Any]:
    """What was given for each of the validation sets; for one it may stand without a list around it."""
    if given is None or sets == 1:
        return [given[0] if _is_list_of_one(given) else given] * sets
    if not isinstance(given, list | tuple) or len(given) != sets:
        count = f"{len(given)} parts" if isinstance(given, list | tuple) else "one part"
        raise InputError(f"{name} has {count} for {sets} validation sets: give a list with one for each")
    return list(given)


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What a ranker is trained on.

    Attributes
    ----------
    train, valid : the training and the validation data, not scaled, as a second table of them may not fit into memory;
        None for no validation.
    watched : further validation data, which are measured after each epoch and decide nothing.
    order : int64[row], the place of each row of ``train`` in what was given; None where it is the same.
    categories : the features that are categories, with their values.
    weights : float64[row] of the training data; None for no weights.
    levels : the grades of the collection, from the training and the validation data together.
    scaler : the scale of the features, fitted on the training data; None for no scaling.
    left_out : the columns of a frame that are no features.
    """

    train: Features
    valid: Features | None
    watched: tuple[Features, ...]
    order: Array | None
    categories: Categories
    weights: Array | None
    levels: Levels
    scaler: Scaler | None
    left_out: tuple[str, ...]

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
        (train, categories, order, left_out), validated = given.features(declared)
        categories = {**declared, **categories}
        if unknown := [name for name in categories if name not in train.columns]:
            raise InputError(
                f"{train.name}: has no feature {unknown[0]!r} to be a category; {describe_columns(train.columns)}"
            )
        for name in categories:
            refuse_ids(train, name, declared)
        if not takes_missing:
            require_plain_numbers([train, *validated], categories, f"a {ranker}")
        if not train.columns or not len(train):
            raise InputError(f"{train.name}: no rows with features to learn from")
        for each in validated:
            require_same_columns(each, train.columns, f"{train.name} has")
        validated = [_code_alike(each, train) for each in validated]
        if left_out and (overlap := describe_overlap(train, validated[0] if validated else None)):
            warn(overlap, FeaturesWarning)
        warn_of_leaks(train, categories)
        every = [level for each in (train, *validated) for level in each.levels]
        levels = levels_of(np.array(every)) if validated else train.levels
        return cls(
            train=replace(train, levels=levels),
            valid=validated[0] if validated else None,
            watched=tuple(validated[1:]),
            order=order,
            categories=categories,
            weights=weights_by_row(in_order_of_rows("sample_weight", sample_weight, order), train),
            levels=levels,
            scaler=None if scaling is None else Scaler.fit(train, scaling),
            left_out=left_out,
        )

    def task(self, measures: Sequence[Measure], **how: Any) -> Task:
        """The training on these data; ``measures`` are for the validation, see ``Task`` for the others."""
        sets = [] if self.valid is None else [self.valid, *self.watched]
        scaled = [
            replace(each if self.scaler is None else self.scaler.apply(each), levels=self.levels) for each in sets
        ]
        validations = tuple(Validation.of(each, measure) for each in scaled for measure in measures)
        return Task(**vars(self), validations=validations, **how)


@dataclass(frozen=True, eq=False)
class Task(TrainingData):
    """The data of a training, and how to run it.

    Attributes
    ----------
    validations : scaled validation data and measures, each with each; training stops by the first.
    progress : called after each epoch.
    checkpoint : the file that is written after each epoch; None for no file.
    resume : whether to continue from the checkpoint if it exists.
    identity : the data and parameters with which a checkpoint must agree.
    position : float64[row], where the documents of the training data were shown to those who clicked; None for grades
        that are no clicks.
    start : what ``init_model`` of a TreeRanker gave: the ranker whose trees come first.
    callbacks : called after each tree as LightGBM calls them.
    """

    validations: tuple[Validation, ...]
    progress: Progress | None
    checkpoint: Path | None
    resume: bool
    identity: dict[str, Any]
    position: Array | None = None
    start: Any = None
    callbacks: tuple[Callable[..., object], ...] = ()

    @property
    def validation(self) -> Validation | None:
        """Scaled validation data and the measure by which training stops; None for no early stopping."""
        return self.validations[0] if self.validations else None

    @property
    def valid_tables(self) -> list[Features]:
        """The scaled validation data, each once."""
        return list({id(each.features): each.features for each in self.validations}.values())

    @property
    def valid_places(self) -> list[int]:
        """For each validation the place of its data in ``valid_tables``."""
        places = {id(features): place for place, features in enumerate(self.valid_tables)}
        return [places[id(each.features)] for each in self.validations]

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


def refuse_sizes(validate_by: Any) -> None:
    """Refuse the rows of queries in third place, where other rankers may have them."""
    values = () if validate_by is None or isinstance(validate_by, str | Measure) else validate_by
    if isinstance(values, Iterable) and any(isinstance(unbox(value), int | float) for value in values):
        raise InputError("validate_by holds numbers, not measures; for the rows of each query write group=...")


def validation_measures(given: Any, objective: Measure, *, is_validated: bool) -> list[Measure]:
    """The measures that a user gave as ``validate_by``, by default the objective's; none without validation
    data."""
    if given is None:
        return [objective] if is_validated else []
    measures = parse_measures(given)
    if not is_validated:
        raise InputError(plain("validate_by", measures[0]), " is what validation watches: give validation data, too")
    return measures


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
        "watched": (card.valid or {}).get("watched"),
        **data,
    }


def require_same_columns(features: Features, wanted: tuple[str, ...], whose: str) -> None:
    """An InputError where features are not the ones that ``whose`` names, in that order."""
    if features.columns != wanted:
        lost = [column for column in wanted if column not in features.columns]
        if lost and not all(map(str.isdecimal, lost)):
            raise InputError(f"{features.name}: lacks {list_some(lost)}, which {whose}")
        others = [column for column in features.columns if column not in wanted]
        rest = tuple(column for column in features.columns if column in wanted)
        remedy: str | Typed = "give the same ones in the same order"
        if rest == wanted:
            typed = f"if these are among them, rank and explain take --leave-out {','.join(others)}"
            remedy = Typed(typed, f"write features.leaving_out({others})")
        there = describe_columns(features.columns)
        raise InputError(f"{features.name}: {there}, {whose} {describe_columns(wanted)}; ", remedy)


def _code_alike(valid: Features, train: Features) -> Features:
    """The validation data with the words of the training data; an InputError where one of them holds numbers there."""
    for name in train.categories:
        if name not in valid.categories:
            raise InputError(
                f"{valid.name}: {name} holds numbers, and {train.name} words of a category; write all in one way"
            )
    return code_words(valid, train.categories)


def describe_overlap(train: Features, valid: Features | None) -> str:
    """Which topics are in both the training and the validation data, where validation does not see overfitting; empty:
    none. Topics that are known by their sizes alone are the same where their rows are."""
    if valid is None:
        return ""
    if train.numbered or valid.numbered:
        seen = set(_rows_by_topic(train))
        both = [topic for topic, rows in zip(valid.topics, _rows_by_topic(valid), strict=True) if rows in seen]
        doubt = "have the same rows in the training and the validation data;"
    else:
        known = set(train.topics)
        both = [topic for topic in valid.topics if topic in known]
        doubt = "are in both the training and the validation data; if they are the same queries,"
    if not both:
        return ""
    said = f"{plural(len(both), 'topic')} ({list_some(both)}) {doubt}"
    return f"{said} validation cannot see what the ranker learnt by heart"


def _rows_by_topic(features: Features) -> Iterator[bytes]:
    """The features and grades of each topic."""
    for begin, end in pairwise(features.offsets.tolist()):
        yield features.X[begin:end].astype(float).tobytes() + features.grades[begin:end].tobytes()


def refuse_ids(features: Features, name: str, declared: Collection[str]) -> None:
    """An InputError for a category that is an id, by which a ranker would learn its documents by heart; ``declared``
    are the names of ``categorical``, which need not have one of type category."""
    values = features.X[:, features.columns.index(name)]
    values = values[~np.isnan(values)]
    if are_ids(len(values), len(np.unique(values))):
        others = [other for other in declared if other != name]
        kept = f" --categorical {quote(','.join(others))}" if others else ", without --categorical" * bool(declared)
        how = Typed(f"--leave-out {quote(name)}{kept}", f"frame.drop(columns={name!r})")
        raise InputError(
            f"{features.name}: category {name!r} has another value in nearly each row, as ids do: leave it out: ", how
        )


def require_plain_numbers(data: Sequence[Features], categories: Categories, what: str) -> None:
    """An InputError where values are missing or features are categories, which ``what`` does not take."""
    for features in data:
        require_no_missing(features.X, features.columns, features.name, what)
    if categories:
        raise InputError(
            f"{data[0].name}: {next(iter(categories))} is a category, and {what} takes numbers; encode it "
            "(scikit-learn's OneHotEncoder), or train a TreeRanker, which takes categories as they are"
        )


def _is_list_of_one(value: Any) -> bool:
    """Whether a value is a list with one list or array in it, as LightGBM takes eval_group."""
    return isinstance(value, list | tuple) and len(value) == 1 and hasattr(value[0], "__len__")
