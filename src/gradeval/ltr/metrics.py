"""Any measure as a validation metric of LightGBM and XGBoost: what they print, and stop early by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.array_checks import read_doubles, read_finite, read_offsets
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import levels_of, require_levels
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.engine_objective import (
    is_xgboost,
    offsets_of_groups,
    offsets_of_matrix,
    warn_of_minimising,
)
from gradeval.scores.scores import EMPTY, Empty, Scores

KEPT = 4  # data sets whose grades stay prepared: an engine asks for each of them after every tree


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set whose rankings are scored after every tree."""

    validation: Validation

    @cached_property
    def mean(self) -> Callable[[Array], float]:
        """The mean of the measure for scores float64[row]."""
        return self.validation.mean_function(threads=0)

    def is_of(self, grades: Array, offsets: Array) -> bool:
        """Whether it has these grades and queries."""
        features = self.validation.features
        return np.array_equal(features.offsets, offsets) and np.array_equal(features.grades, grades)


@dataclass(frozen=True)
class EngineMetric:
    """A measure that LightGBM and XGBoost call after every tree: see ``feval``, which makes it."""

    measure: Measure
    levels: tuple[float, ...] | None
    empty: Empty
    _prepared: list[Prepared] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def __name__(self) -> str:
        """The measure, which XGBoost prints."""
        return str(self.measure)

    def __call__(self, predictions: Array, data: Any) -> tuple[str, float, bool] | tuple[str, float]:
        """The name and the value, for a LightGBM Dataset also True: higher is better."""
        if not hasattr(data, "get_label"):
            raise InputError(
                f"the metric {self.measure} is called with predictions and the engine's data set; where labels come "
                "first, give its .ranker (LGBMRanker) or .by_query (XGBRanker)"
            )
        if is_xgboost(data):
            warn_of_minimising(str(self.measure))
            return str(self.measure), self.mean(predictions, data.get_label(), offsets_of_matrix(data))
        return self.ranker(data.get_label(), predictions, None, data.get_group())

    def ranker(
        self,
        labels: Any,
        predictions: Any,
        _weights: Any,  # LightGBM passes it; evaluate does not weight topics either
        groups: Any,
    ) -> tuple[str, float, bool]:
        """Name, value and True, with the arguments in the order of LightGBM's LGBMRanker; ``groups`` are the numbers of
        rows of the queries. Weights are ignored."""
        grades = read_finite("labels", labels)
        return str(self.measure), self.mean(predictions, grades, offsets_of_groups(groups, grades.size)), True

    @property
    def by_query(self) -> MetricOfQuery:
        """The metric of one query, as XGBRanker(eval_metric=...) asks for it."""
        return MetricOfQuery(self)

    def mean(self, scores: Any, grades: Any, offsets: Any, *, keep: bool = True) -> float:
        """The mean of the measure over queries; the rows of query q are offsets[q]:offsets[q + 1]. ``keep`` what was
        prepared for these grades, since they come again."""
        scores, prepared = self._prepare(scores, grades, offsets, keep=keep)
        return prepared.mean(scores) if keep else prepared.validation(scores)

    def score(self, scores: Any, grades: Any, offsets: Any) -> Scores:
        """The value of every query, see ``mean``."""
        scores, prepared = self._prepare(scores, grades, offsets, keep=True)
        return prepared.validation.score(scores)

    def _prepare(self, scores: Any, grades: Any, offsets: Any, *, keep: bool) -> tuple[Array, Prepared]:
        """The scores, checked, and what their data set was prepared to."""
        scores, grades = read_doubles("scores", scores), read_finite("labels", grades)
        if scores.shape != grades.shape or scores.ndim != 1:
            raise InputError(f"{self.measure}: scores{list(scores.shape)} for {grades.size} rows; give one for each")
        offsets = read_offsets("offsets", offsets, len(grades))
        if not np.isfinite(scores).all():
            row = int(np.argmin(np.isfinite(scores)))
            raise InputError(f"{self.measure}: the score of row {row} is {scores[row]}: the training has diverged")
        prepared = next((each for each in self._prepared if each.is_of(grades, offsets)), None)
        if prepared is None:
            features = _without_features(grades, offsets, self.levels)
            prepared = Prepared(Validation.of(features, self.measure, empty=self.empty))
            if keep:
                self._prepared[:] = [*self._prepared[1 - KEPT :], prepared]
        return np.ascontiguousarray(scores), prepared

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_prepared": []}  # a pickled metric leaves the data out


@dataclass(frozen=True)
class MetricOfQuery:
    """A measure that XGBRanker calls with the labels and the predictions of each query after every tree."""

    metric: EngineMetric

    @property
    def __name__(self) -> str:
        """The measure. XGBRanker asks for it after every tree, before it decides whether to stop."""
        warn_of_minimising(str(self.metric.measure))
        return str(self.metric.measure)

    def __call__(self, labels: Any, predictions: Any) -> float:
        """The value of one query."""
        if self.metric.levels is None:
            raise InputError(
                f"XGBRanker scores one query at a time, which need not have all grades; declare them, as in "
                f"feval('{self.metric.measure}', levels=(0, 1, 2))"
            )
        grades = read_finite("labels", labels)
        return self.metric.mean(predictions, grades, np.array([0, grades.size], np.int64), keep=False)


@known_arguments()
def feval(measure: Measure | str, *, levels: Sequence[float] | None = None, empty: Empty = "zero") -> EngineMetric:
    """A measure as a validation metric of LightGBM and XGBoost, also for early stopping.

        lightgbm.train(..., valid_sets=[valid], feval=feval("GAP"))
        lightgbm.LGBMRanker(metric="None").fit(..., eval_metric=feval("GAP").ranker)
        xgboost.train(..., custom_metric=feval("GAP"), callbacks=[EarlyStopping(rounds=10, maximize=True)])
        xgboost.XGBRanker(eval_metric=feval("GAP", levels=(0, 1, 2)).by_query, callbacks=[EarlyStopping(rounds=10,
            maximize=True, save_best=True)])

    The value equals ``evaluate``'s with ``ties="expected"``, to rounding: the mean over the queries and the orders of
    equal scores (Bpref, infAP, YAAP, AUC and others have no closed form: drawn orders estimate it). Higher is better,
    which LightGBM is told; ``"metric": "None"`` switches its own metrics off, by which it would stop, too. XGBoost
    minimises what it does not know, also by ``early_stopping_rounds=`` (an ObjectiveWarning says so): give its
    EarlyStopping ``maximize=True``. It rounds values to six decimals.
    XGBRanker averages metrics itself, weighted by the numbers of documents of the queries, and counts 1 for a query of
    one document: ``xgboost.train`` has the mean of ``evaluate``.

    Parameters
    ----------
    measure : any measure, or its spelling.
    levels : the grades of the collection, ascending from 0, as in ``(0, 1, 2)``. By default the grades of each data
        set, as in ``evaluate``: 0 to the largest label.
    empty : what a query without relevant documents counts: "zero", "one" (as the metrics of the engines), or "skip".

    Weights of rows and queries are ignored, as ``evaluate`` weights all topics alike.

    Raises
    ------
    InputError : an unknown measure, or levels that do not ascend from 0; when called, a data set without queries, a
        grade that is no level, or scores that are not finite.
    """
    checked.one_of("empty", empty, EMPTY)
    scale = None if levels is None else require_levels(levels)
    return EngineMetric(parse_measure(measure), scale, empty)


def _without_features(grades: Array, offsets: Array, levels: tuple[float, ...] | None) -> Features:
    """The queries with their grades alone."""
    return Features(
        X=np.empty((len(grades), 0), np.float32),
        grades=grades,
        topics=[str(number) for number in range(1, len(offsets))],
        offsets=offsets,
        ids=(np.zeros(len(grades) + 1, np.int64), np.empty(0, np.uint8)),
        columns=(),
        levels=levels_of(grades) if levels is None else levels,
        name="validation data",
    )
