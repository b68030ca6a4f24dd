"""The kinds of rankers. A new kind is registered here and nowhere else."""

from __future__ import annotations

from typing import NamedTuple


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
