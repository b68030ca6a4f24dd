"""The protocol of scikit-learn's estimators, for rankers: parameters, predictions, names of features, routed metadata.

Only methods that scikit-learn alone calls import it, so that rankers work without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.array_checks import read_finite
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, require_levels
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.rows import QUERY, Rows, column_names, one_of_queries, require_rows_of, training_features
from gradeval.ltr.data.validation import Validation
from gradeval.messages import list_some, nearest
from gradeval.scores.scores import EMPTY, Empty

ROUTED = ("qid", "group", "sample_weight")
"""What ``fit`` takes besides X and y, by row or query, and a meta-estimator may pass on to it."""


class Estimator(ABC):
    """What scikit-learn expects of an estimator; a dataclass inherits it, whose fields are the parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - no nested estimators
        """The parameters of the constructor by name."""
        return {name: getattr(self, name) for name in self._names_of_parameters()}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters of the constructor; the same checks apply. What was trained stays until ``fit``."""
        known = self._names_of_parameters()
        for name in parameters:
            if name not in known:
                raise InputError(f"{type(self).__name__} has no parameter {name!r}{nearest(name, known)}")
        checked = type(self)(**{**self.get_params(), **parameters})
        for name in parameters:
            setattr(self, name, getattr(checked, name))
        return self

    def predict(self, X: Any) -> Array:
        """float64[row]: a score for each row, the higher the better.

        ``X`` is Features, an array, a scipy.sparse matrix, or a frame of pandas, Polars or Arrow. A frame whose columns
        have names has the names of the training, in any order; other columns are left out, and a FeaturesWarning names
        them, except ``qid`` and what was no feature in training: queries, grades and documents.
        """
        features = X if isinstance(X, Features) else self.features_of(X)
        return self.score(features) if len(features) else np.empty(0)

    def features_of(self, X: Any) -> Features:
        """The rows of an array, a sparse matrix or a frame as Features without grades, all of one query; an InputError
        where they are other ones than in training."""
        names = self.feature_names_in_.tolist()
        given, left_out = column_names(X), {QUERY, *self._left_out()}
        if given is not None and any(name in given for name in names) and not {*names} <= {*given}:
            raise InputError(_explain_columns([name for name in given if name not in left_out], names))
        rows = Rows.of(X, self._known_categories(), left_out, names)
        width = rows.X.shape[1]
        if rows.columns is not None and list(rows.columns) != names:
            raise InputError(_explain_columns(list(rows.columns), names))
        if width != len(names):
            raise InputError(f"X has {width} features, the ranker was trained on {len(names)}; give the same ones")
        sizes = [len(rows.X)] if len(rows.X) else np.empty(0, int)
        return Features.from_arrays(rows.X, None, sizes=sizes, columns=names, name="X")

    @property
    def feature_names_in_(self) -> Array:
        """object[feature]: the names of the features in training; "1", "2" ... where they had none."""
        return np.array(self._trained_columns(), dtype=object)

    @property
    def n_features_in_(self) -> int:
        """How many features the ranker was trained on."""
        return len(self._trained_columns())

    @property
    def feature_importances_(self) -> Array:
        """float64[feature]: the first kind of ``importances()``, absolute and divided by the sum."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not trained: call fit() first")
        by_kind = self.importances()
        if not by_kind:
            raise AttributeError(
                f"this {type(self).__name__} tells no importances by itself: call feature_importance()"
            )
        first = np.abs(next(iter(by_kind.values())))
        return first / (first.sum() or 1.0)

    @abstractmethod
    def importances(self) -> dict[str, Array]:
        """float64[feature] by kind: how important each feature is by the model itself, see ``feature_importance``."""

    def set_fit_request(self, **requested: bool | str | None) -> Self:
        """Which of qid, group and sample_weight a meta-estimator of scikit-learn passes on to ``fit``; needs
        ``sklearn.set_config(enable_metadata_routing=True)``."""
        self._requested = add_requests(self.__dict__.get("_requested", {}), requested, ROUTED, "fit")
        return self

    def get_metadata_routing(self) -> Any:
        """What ``set_fit_request`` asked for, as scikit-learn reads it."""
        return routing_of(type(self).__name__, "fit", self.__dict__.get("_requested", {}), ROUTED)

    @abstractmethod
    def score(self, features: Any, y: Any = None) -> Array:
        """float64[row]: a score for each document of Features."""

    @abstractmethod
    def _trained_columns(self) -> list[str]:
        """The names of the features; an AttributeError before training."""

    @abstractmethod
    def _left_out(self) -> list[str]:
        """The columns of a frame that were no features in training."""

    @abstractmethod
    def _known_categories(self) -> Mapping[str, list[Any]]:
        """The features that are categories, with their values."""

    def __sklearn_clone__(self) -> Self:
        """An untrained ranker of the same parameters and requests."""
        copy = type(self)(**self.get_params())
        if "_requested" in self.__dict__:
            copy._requested = dict(self._requested)
        return copy

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="ranker",
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=True, allow_nan=True),
        )

    @classmethod
    def _names_of_parameters(cls) -> list[str]:
        return [each.name for each in fields(cls) if each.init]  # type: ignore[arg-type]  # of a dataclass


def _explain_columns(given: list[str], trained: list[str]) -> str:
    """Why the columns of a frame are not the columns of the training."""
    if sorted(given) == sorted(trained):
        place = next(place for place, (one, other) in enumerate(zip(given, trained, strict=True)) if one != other)
        return (
            f"X has the features of the training in another order: feature {place + 1} is {given[place]!r}, it was "
            f"{trained[place]!r}; select them in that order: X[ranker.feature_names_in_]"
        )
    missing = [name for name in trained if name not in given]
    unknown = [name for name in given if name not in trained]
    if not missing:
        what = f"has unknown {list_some([*map(repr, unknown)], 3)}"
    else:  # others are left out, so that only one that is spelled nearly so matters
        what = f"lacks {list_some([*map(repr, missing)], 3)}{nearest(missing[0], unknown)}"
    return f"X {what} among its features; give the features of the training, ranker.feature_names_in_"


def add_requests(
    before: Mapping[str, Any], requested: Mapping[str, Any], accepted: Sequence[str], what: str
) -> dict[str, Any]:
    """The requests made before and further ones; an InputError for one that ``what`` does not take."""
    for name in requested:
        if name not in accepted:
            raise InputError(f"{what} takes no {name!r}{nearest(name, accepted)}; it takes {', '.join(accepted)}")
    return {**before, **requested}


def routing_of(
    owner: str, method: Literal["fit", "score"], requests: Mapping[str, Any], accepted: Sequence[str]
) -> Any:
    """Requests as scikit-learn reads them."""
    from sklearn.utils.metadata_routing import MetadataRequest

    routing = MetadataRequest(owner=owner)
    for name in accepted:
        getattr(routing, method).add_request(param=name, alias=requests.get(name))
    return routing


ROUTED_TO_SCORERS = ("qid", "group")


@dataclass(eq=False)
class Scorer:
    """Called as scorer(estimator, X, y, qid=...): see ``make_scorer``, which makes it."""

    measure: Measure
    levels: Levels | None
    empty: Empty
    _requested: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, estimator: Any, X: Any, y: Any = None, *, qid: Any = None, group: Any = None) -> float:
        """The mean of the measure over the queries of X, ranked by ``estimator.predict(X)``."""
        order = None
        if isinstance(X, Features):
            features = X
        else:
            column = np.asarray(X[QUERY]) if QUERY in (column_names(X) or ()) else None
            if qid is None and group is None and column is None:
                raise InputError(
                    f"the scorer {self.measure} is not told the queries: give X as a frame with a column {QUERY!r}; or "
                    "sklearn.set_config(enable_metadata_routing=True), scorer.set_score_request(qid=True) and qid="
                )
            require_rows_of(X, {"y": y, "qid": qid}, "test data")
            queries = one_of_queries(group, qid, column, "test data")
            nothing = np.zeros((len(y) if hasattr(y, "__len__") else 0, 1))  # only the estimator reads the features
            features, _, order, _ = training_features(nothing, y, group=group, qid=queries, name="test data")
        if self.levels is not None:
            features = features.with_levels(self.levels)
        scores = read_finite("the scores of predict", estimator.predict(X))
        if scores.shape != features.grades.shape:
            raise InputError(f"predict gave {list(scores.shape)} scores for {len(features)} rows; give one for each")
        return Validation.of(features, self.measure, empty=self.empty)(scores if order is None else scores[order])

    def set_score_request(self, **requested: bool | str | None) -> Self:
        """Whether a meta-estimator of scikit-learn passes qid (or group) on to the scorer; needs
        ``sklearn.set_config(enable_metadata_routing=True)``."""
        self._requested = add_requests(self._requested, requested, ROUTED_TO_SCORERS, "a scorer")
        return self

    def get_metadata_routing(self) -> Any:
        """What ``set_score_request`` asked for, as scikit-learn reads it."""
        return routing_of(f"scorer of {self.measure}", "score", self._requested, ROUTED_TO_SCORERS)


@known_arguments()
def make_scorer(measure: Measure | str, *, levels: Sequence[float] | None = None, empty: Empty = "zero") -> Scorer:
    """A measure as the ``scoring`` of scikit-learn's GridSearchCV, cross_val_score and the like, for any estimator that
    has ``predict``.

        frame = pandas.DataFrame(X).assign(qid=queries)
        GridSearchCV(TreeRanker("lambdarank:GAP"), grid, scoring=make_scorer("GAP"), cv=GroupKFold(5)).fit(
            frame, y, groups=queries
        )

    The value equals ``evaluate``'s with ``ties="expected"``. The queries are the column ``qid`` of X, which rankers
    of gradeval and XGBRanker leave out of the features; or they are routed as metadata, for which a scorer has
    ``set_score_request(qid=True)``.

    Parameters
    ----------
    measure : any measure, or its spelling.
    levels : the grades of the collection, ascending from 0. By default the grades of the scored data, as in
        ``evaluate``; declare them where a fold may lack the highest one.
    empty : what a query without relevant documents counts: "zero", "one" or "skip".

    Raises
    ------
    InputError : an unknown measure, or levels that do not ascend from 0; when called, queries that are neither a column
        nor routed, a grade that is no level, or scores that are not finite.
    """
    checked.one_of("empty", empty, EMPTY)
    return Scorer(parse_measure(measure), None if levels is None else require_levels(levels), empty)
