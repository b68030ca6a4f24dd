"""Learning to rank for any graded measure: only here PyTorch, LightGBM and XGBoost are imported.

They are imported only when a name that needs them is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradeval.ltr.rankers.kinds import require_engine

if TYPE_CHECKING:
    from gradeval.kernels.cascade import CascadeKernel
    from gradeval.kernels.lookup import kernel_of
    from gradeval.kernels.pairs import PairKernel
    from gradeval.ltr.crossvalidation import CrossValidation, Training, crossval
    from gradeval.ltr.dask import fit_dask
    from gradeval.ltr.importance import Importance, feature_importance
    from gradeval.ltr.metrics import EngineMetric, feval
    from gradeval.ltr.objectives.batch import Batch
    from gradeval.ltr.objectives.boosting import InferredLevelsWarning, LambdaObjective
    from gradeval.ltr.objectives.lambdarank import lambda_loss
    from gradeval.ltr.objectives.loss import Loss, prepare_loss
    from gradeval.ltr.objectives.objective import Objective
    from gradeval.ltr.objectives.softrank import soft_measure
    from gradeval.ltr.onnx import export_onnx
    from gradeval.ltr.rankers.learning_curve import Epoch, LearningCurve
    from gradeval.ltr.rankers.neural import LinearRanker, NeuralRanker
    from gradeval.ltr.rankers.ranker import Ranker, load_ranker
    from gradeval.ltr.rankers.trees import TreeRanker
    from gradeval.ltr.saving import read_checkpoint
    from gradeval.ltr.sklearn import make_scorer

__all__ = [
    "Batch",
    "CascadeKernel",
    "CrossValidation",
    "EngineMetric",
    "Epoch",
    "Importance",
    "InferredLevelsWarning",
    "LambdaObjective",
    "LearningCurve",
    "LinearRanker",
    "Loss",
    "NeuralRanker",
    "Objective",
    "PairKernel",
    "Ranker",
    "Training",
    "TreeRanker",
    "crossval",
    "export_onnx",
    "feature_importance",
    "feval",
    "fit_dask",
    "kernel_of",
    "lambda_loss",
    "load_ranker",
    "make_scorer",
    "prepare_loss",
    "read_checkpoint",
    "soft_measure",
]

_MODULES = {
    "Batch": "gradeval.ltr.objectives.batch",
    "CascadeKernel": "gradeval.kernels.cascade",
    "CrossValidation": "gradeval.ltr.crossvalidation",
    "EngineMetric": "gradeval.ltr.metrics",
    "Epoch": "gradeval.ltr.rankers.learning_curve",
    "Importance": "gradeval.ltr.importance",
    "InferredLevelsWarning": "gradeval.ltr.objectives.boosting",
    "LambdaObjective": "gradeval.ltr.objectives.boosting",
    "LearningCurve": "gradeval.ltr.rankers.learning_curve",
    "LinearRanker": "gradeval.ltr.rankers.neural",
    "Loss": "gradeval.ltr.objectives.loss",
    "NeuralRanker": "gradeval.ltr.rankers.neural",
    "Objective": "gradeval.ltr.objectives.objective",
    "PairKernel": "gradeval.kernels.pairs",
    "Ranker": "gradeval.ltr.rankers.ranker",
    "Training": "gradeval.ltr.crossvalidation",
    "TreeRanker": "gradeval.ltr.rankers.trees",
    "crossval": "gradeval.ltr.crossvalidation",
    "export_onnx": "gradeval.ltr.onnx",
    "feature_importance": "gradeval.ltr.importance",
    "feval": "gradeval.ltr.metrics",
    "fit_dask": "gradeval.ltr.dask",
    "kernel_of": "gradeval.kernels.lookup",
    "lambda_loss": "gradeval.ltr.objectives.lambdarank",
    "load_ranker": "gradeval.ltr.rankers.ranker",
    "make_scorer": "gradeval.ltr.sklearn",
    "prepare_loss": "gradeval.ltr.objectives.loss",
    "read_checkpoint": "gradeval.ltr.saving",
    "soft_measure": "gradeval.ltr.objectives.softrank",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with require_engine(f"gradeval.ltr.{name}"):
        value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value
