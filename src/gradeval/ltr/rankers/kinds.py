"""The kinds of rankers. A new kind is registered here and nowhere else."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from gradeval import checks as checked
from gradeval._core import InputError


class Kind(NamedTuple):
    """The module and the class of a kind of ranker, and the name of its file of weights."""

    module: str
    name: str
    weights: str


KINDS = {
    "linear": Kind("neural", "LinearRanker", "weights.safetensors"),
    "neural": Kind("neural", "NeuralRanker", "weights.safetensors"),
    "tree": Kind("trees", "TreeRanker", "trees.txt"),
}
"""Every kind by its name, the default first."""


def ranker_class(kind: str) -> Any:
    """The class of a kind of ranker: one of ``KINDS``."""
    if kind not in KINDS:
        raise InputError(f"a ranker of kind {checked.shown(kind)}; this gradeval knows {', '.join(KINDS)}")
    entry = KINDS[kind]
    return getattr(import_module(f"gradeval.ltr.rankers.{entry.module}"), entry.name)
