"""Any measure as a scorer of scikit-learn: what GridSearchCV and cross_val_score choose rankers by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from gradeval import checks as checked
from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, require_levels
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.rows import QUERY, Rows, training_features
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.routing import add_requests, routing_of
from gradeval.scores.scores import EMPTY, Empty

ROUTED = ("qid", "group")


@dataclass(eq=False)
class Scorer:
    """Called as scorer(estimator, X, y, qid=...): see ``make_scorer``, which makes it."""

    measure: Measure
    levels: Levels | None
    empty: Empty
    _requested: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, estimator: Any, X: Any, y: Any = None, *, qid: Any = None, group: Any = None) -> float:
        """The mean of the measure over the queries of X, ranked by ``estimator.predict(X)``."""
        if isinstance(X, Features):
            features = X
        else:
            if qid is None and group is None and Rows.of(X).queries is None:
                raise InputError(
                    f"the scorer {self.measure} is not told the queries: give X as a frame with a column {QUERY!r}; or "
                    "sklearn.set_config(enable_metadata_routing=True), scorer.set_score_request(qid=True) and qid="
                )
            features, _ = training_features(X, y, group=group, qid=qid, name="test data")
        if self.levels is not None:
            features = features.with_levels(self.levels)
        scores = np.asarray(estimator.predict(X), float)
        if scores.shape != features.grades.shape or not np.isfinite(scores).all():
            raise InputError(f"predict gave {list(scores.shape)} scores for {len(features)} rows, or one not finite")
        return Validation.of(features, self.measure, empty=self.empty)(scores)

    def set_score_request(self, **requested: bool | str | None) -> Self:
        """Whether a meta-estimator of scikit-learn passes qid (or group) on to the scorer; needs
        ``sklearn.set_config(enable_metadata_routing=True)``."""
        self._requested = add_requests(self._requested, requested, ROUTED, "a scorer")
        return self

    def get_metadata_routing(self) -> Any:
        """What ``set_score_request`` asked for, as scikit-learn reads it."""
        return routing_of(f"scorer of {self.measure}", "score", self._requested, ROUTED)


def make_scorer(measure: Measure | str, *, levels: Sequence[float] | None = None, empty: Empty = "zero") -> Scorer:
    """A measure as the ``scoring`` of scikit-learn's GridSearchCV, cross_val_score and the like, for any estimator that
    has ``predict``.

        frame = pandas.DataFrame(X).assign(qid=queries)
        GridSearchCV(TreeRanker("lambdarank:GAP"), grid, scoring=make_scorer("GAP"), cv=GroupKFold(5)).fit(
            frame, y, groups=queries
        )

    The value is that of ``evaluate`` with ``ties="order"``. The queries are the column ``qid`` of X, which rankers of
    gradeval and XGBRanker leave out of the features; or they are routed as metadata, for which a scorer has
    ``set_score_request(qid=True)``.

    Parameters
    ----------
    measure : any measure, or its spelling.
    levels : the grades of the collection, ascending from 0. By default those of the data that are scored, as in
        ``evaluate``; declare them where a fold may lack the highest one.
    empty : what a query without relevant documents counts: "zero", "one" or "skip".

    Raises
    ------
    InputError : an unknown measure, or levels that do not ascend from 0; when called, queries that are neither a column
        nor routed, a grade that is no level, or scores that are not finite.
    """
    checked.one_of("empty", empty, EMPTY)
    return Scorer(parse_measure(measure), None if levels is None else require_levels(levels), empty)
