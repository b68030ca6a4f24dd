"""Learning to rank for any graded measure.

PyTorch, LightGBM and XGBoost are imported only when a name that needs them is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradeval.ltr.engines import needed

if TYPE_CHECKING:
    from gradeval.ltr.batch import Batch
    from gradeval.ltr.boosting import LambdaObjective
    from gradeval.ltr.crossvalidation import CrossValidation, crossval
    from gradeval.ltr.kernel import CascadeKernel, PairKernel, kernel_of
    from gradeval.ltr.lambdarank import lambda_loss
    from gradeval.ltr.neural import LinearRanker, NeuralRanker
    from gradeval.ltr.objective import Objective
    from gradeval.ltr.ranker import Epoch, Ranker, load_ranker
    from gradeval.ltr.softrank import soft_measure
    from gradeval.ltr.trees import TreeRanker
    from gradeval.ltr.trials import Training

__all__ = [
    "Batch",
    "CascadeKernel",
    "CrossValidation",
    "Epoch",
    "LambdaObjective",
    "LinearRanker",
    "NeuralRanker",
    "Objective",
    "PairKernel",
    "Ranker",
    "Training",
    "TreeRanker",
    "crossval",
    "kernel_of",
    "lambda_loss",
    "load_ranker",
    "soft_measure",
]

_HOME = {
    "Batch": "batch",
    "CascadeKernel": "kernel",
    "CrossValidation": "crossvalidation",
    "Epoch": "ranker",
    "LambdaObjective": "boosting",
    "LinearRanker": "neural",
    "NeuralRanker": "neural",
    "Objective": "objective",
    "PairKernel": "kernel",
    "Ranker": "ranker",
    "Training": "trials",
    "TreeRanker": "trees",
    "crossval": "crossvalidation",
    "kernel_of": "kernel",
    "lambda_loss": "lambdarank",
    "load_ranker": "ranker",
    "soft_measure": "softrank",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needed(f"gradeval.ltr.{name}"):
        found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
