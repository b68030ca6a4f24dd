"""The kinds of rankers: the one place where a new kind is entered."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """Where the class of a kind is, and how the file of its weights is called."""

    module: str
    name: str
    weights: str


KINDS = {
    "linear": Kind("neural", "LinearRanker", "weights.safetensors"),
    "neural": Kind("neural", "NeuralRanker", "weights.safetensors"),
    "tree": Kind("trees", "TreeRanker", "trees.txt"),
}
"""Every kind by its name, the default first."""
