"""What LightGBM and XGBoost hand to a custom objective: labels, groups, weights, and parameters of other objectives."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import FrameType
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.array_checks import read_doubles, read_numbers, read_offsets, read_sizes, read_weights
from gradeval.features.feature_arrays import offsets_of
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.graded_queries import Gradients
from gradeval.warning_categories import ObjectiveWarning, warn

XGBOOST_HESSIAN = 2
"""What XGBoost's own ranking objectives multiply hessians by, and so do these in XGBoost, on one machine and on many:
its eta, lambda and min_child_weight then mean with them what they mean with rank:ndcg."""


class CustomObjective(ABC):
    """A custom objective: gradients by scores, grades and the offsets of queries, as the engines ask for them."""

    @abstractmethod
    def gradients(self, scores: Any, grades: Any, offsets: Any, weights: Array | None = None) -> Gradients:
        """Gradient and hessian of the loss with respect to the scores, float64[row]; the rows of query q are
        offsets[q]:offsets[q + 1]; ``weights`` float64[row] multiply both."""

    @property
    def has_begun(self) -> bool:
        """Whether a training by it is under way."""
        return False

    def __call__(self, predictions: Array, data: Any) -> Gradients:
        """Gradient and hessian, float32[row], for a LightGBM Dataset or an XGBoost DMatrix."""
        if not hasattr(data, "get_label"):
            raise InputError(
                "an objective is called with predictions and the engine's data set; where labels come first, as in "
                f"LGBMRanker(objective=...), give {type(self).__name__}(...).ranker"
            )
        if is_xgboost(data):
            require_honoured_matrix(data)
            return self._for_xgboost(predictions, data)
        return self._for_lightgbm(predictions, data)

    def _for_lightgbm(self, predictions: Array, data: Any) -> Gradients:
        require_honoured_dataset(data)
        return self.ranker(data.get_label(), predictions, data.get_weight(), data.get_group())

    def ranker(self, labels: Any, predictions: Any, weights: Any, groups: Any) -> Gradients:
        """Gradient and hessian, float32[row], with the arguments in the order of LightGBM's LGBMRanker; ``groups`` are
        the numbers of rows of the queries."""
        if not self.has_begun:
            warn_of_other_metrics()
        labels = read_numbers("labels", labels)
        gradient, hessian = self.gradients(predictions, labels, offsets_of_groups(groups, labels.size), weights)
        return gradient.astype(np.float32), hessian.astype(np.float32)

    def _for_xgboost(self, predictions: Any, data: Any) -> Gradients:
        if not data.num_row():  # a worker may have validation data alone
            return np.empty(0, np.float32), np.empty(0, np.float32)
        offsets = offsets_of_matrix(data)
        weights, by_row = read_weights("weights", data.get_weight()), None
        if len(weights):
            if len(weights) != len(offsets) - 1:
                raise InputError(
                    f"the XGBoost DMatrix has {len(weights)} weights for {len(offsets) - 1} queries: give one for each"
                )
            by_row = np.repeat(weights * (len(weights) / weights.sum()), np.diff(offsets))
        gradient, hessian = self.gradients(predictions, data.get_label(), offsets, by_row)
        return gradient.astype(np.float32), (XGBOOST_HESSIAN * hessian).astype(np.float32)


def read_rows(scores: Any, grades: Any, offsets: Any, weights: Any) -> tuple[Array, Array, Array, Array | None]:
    """What ``CustomObjective.gradients`` takes, as arrays; an InputError where there is not one number for each row, or
    a score is not finite."""
    scores, grades = np.ascontiguousarray(read_doubles("scores", scores)), read_numbers("labels", grades)
    if scores.shape != grades.shape or scores.ndim != 1:
        raise InputError(f"scores are {list(scores.shape)}, grades {list(grades.shape)}: give one of each for a row")
    offsets = read_offsets("offsets", offsets, len(grades))
    weights = None if weights is None else read_weights("weights", weights)
    if weights is not None and weights.shape != grades.shape:
        raise InputError(f"weights are {list(weights.shape)}, labels {list(grades.shape)}: give one for each row")
    if not np.isfinite(scores).all():
        row = int(np.argmin(np.isfinite(scores)))
        raise InputError(f"the score of row {row} is {scores[row]}: a start value is not finite, or the step too large")
    return scores, grades, offsets, weights


def is_for_several_machines(data: Any) -> bool:
    """Whether a LightGBM Dataset is for training on several machines, or a DMatrix is in one by XGBoost's means."""
    if is_xgboost(data):
        return xgboost_workers() > 1
    parameters = getattr(data, "params", None) or {}
    machines = parameters.get("num_machines", parameters.get("num_machine", 1))
    lists = ("machines", "workers", "nodes", "machine_list_filename")
    return int(machines) > 1 or any(parameters.get(name) for name in lists)


def xgboost_workers() -> int:
    """How many processes train one model together by XGBoost's means."""
    xgboost = sys.modules.get("xgboost")
    return 1 if xgboost is None else int(xgboost.collective.get_world_size())


def is_xgboost(data: Any) -> bool:
    """Whether this is a DMatrix of XGBoost, and no Dataset of LightGBM."""
    return hasattr(data, "get_uint_info")


LAMBDARANK_PARAMETERS = {
    "lambdarank_truncation_level": "truncation=",
    "max_position": "truncation=",
    "lambdarank_norm": "norm=",
    "sigmoid": "sigma=",
    "label_gain": "the measure, as in nDCG(gains={0:0,1:1,2:3})",
}
"""The parameters of LightGBM's own ranking objectives, and what of a LambdaObjective stands for each."""
GAIN_METRICS = ("ndcg", "lambdarank", "xendcg")
"""The metrics of LightGBM that have gains of labels whatever the objective, by parts of their names."""


def require_honoured_dataset(data: Any) -> None:
    """An InputError where a Dataset of LightGBM has a field or a parameter for LightGBM's own ranking objectives, which
    a custom one would pass over."""
    parameters = getattr(data, "params", None) or {}
    for name, value in parameters.items():
        if name == "lambdarank_position_bias_regularization" and value:
            raise InputError(f"{name}={value} is of LightGBM's own lambdarank with position=; leave it away")
        metric = str(parameters.get("metric", ""))
        if name == "label_gain" and any(part in metric for part in GAIN_METRICS):
            continue
        if name in LAMBDARANK_PARAMETERS:
            raise InputError(
                f"{name} is of LightGBM's own objective='lambdarank', a LambdaObjective passes over it: give "
                f"{LAMBDARANK_PARAMETERS[name]} to the LambdaObjective"
            )


NO_METRIC = ("none", "null", "custom", "na", "")
"""The words by which LightGBM has no metric of its own."""


def warn_of_other_metrics() -> None:
    """An ObjectiveWarning where an LGBMRanker stops early by a metric that LightGBM added by itself: ndcg, which is its
    own for rankers whatever the objective. LGBMRanker shows an objective neither its parameters nor its callbacks, but
    they are in the frames that call it."""
    training: Mapping[str, Any] = {}
    frame = sys._getframe(1).f_back
    while frame is not None:
        name = frame.f_globals.get("__name__"), frame.f_code.co_name
        if name == ("lightgbm.engine", "train"):
            training = frame.f_locals
        if name == ("lightgbm.sklearn", "fit"):
            break
        frame = frame.f_back
    model = None if frame is None else frame.f_locals.get("self")
    if model is None or not hasattr(model, "get_params") or model.get_params().get("metric") is not None:
        return
    given = (training.get("params") or {}).get("metric") or []
    own = [metric for metric in ([given] if isinstance(given, str) else given) if str(metric).lower() not in NO_METRIC]
    callbacks = training.get("callbacks_set") or ()
    if own and any(type(each).__name__ == "_EarlyStoppingCallback" for each in callbacks):
        warn(
            f'LGBMRanker stops early by LightGBM\'s own {own[0]}, too, whatever the objective: give it metric="None", '
            'and fit(..., eval_metric=feval("GAP").ranker)',
            ObjectiveWarning,
        )


def warn_of_minimising(metric: str) -> None:
    """An ObjectiveWarning where XGBoost is about to stop early by the lowest value of a ``metric`` of ours. Its
    EarlyStopping decides for itself after the first tree, where nobody did, and shows that to its callers alone."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == ("xgboost.callback", "after_iteration"):
            break
        frame = frame.f_back
    callbacks = () if frame is None else getattr(frame.f_locals.get("self"), "callbacks", ())
    for each in callbacks:
        undecided = type(each).__name__ == "EarlyStopping" and each.maximize is None
        if undecided and each.metric_name in (None, metric):
            warn(
                f"XGBoost would keep the lowest {metric}: replace early_stopping_rounds=5 by "
                "callbacks=[xgboost.callback.EarlyStopping(rounds=5, maximize=True, save_best=True)]",
                ObjectiveWarning,
            )


def require_honoured_matrix(matrix: Any) -> None:
    """The same for a DMatrix of XGBoost. Base margins and weights of features are honoured by XGBoost itself."""
    for name in ("label_lower_bound", "label_upper_bound"):
        if len(matrix.get_float_info(name)):
            raise InputError(
                f"the XGBoost DMatrix has {name}=, which no ranking objective honours (survival:aft does): leave it "
                "away"
            )


def offsets_of_matrix(matrix: Any) -> Array:
    """int64[query + 1]: where each query of a DMatrix begins, and the number of rows; an InputError without queries."""
    offsets: Array = matrix.get_uint_info("group_ptr").astype(np.int64)
    if len(offsets) < 2:
        raise InputError("the XGBoost DMatrix has no groups: give it qid=, the query of each row, or set_group()")
    return offsets


def offsets_of_groups(groups: Any, rows: int) -> Array:
    """The same from the numbers of rows of the queries, as a Dataset of LightGBM has them; there are ``rows``."""
    if groups is None:
        raise InputError("the LightGBM Dataset has no groups: give it group=, the number of rows of each query")
    return offsets_of(read_sizes("groups", groups, rows))
