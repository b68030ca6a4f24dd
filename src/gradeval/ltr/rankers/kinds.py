"""The kinds of rankers. A new kind is registered here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.extras import install_hint
from gradeval.ltr.objectives.objective import METHODS
from gradeval.messages import shown
from gradeval.synonyms import meant_by


class RankerKind(NamedTuple):
    """The module and the class of a kind of ranker, and the names that its file of weights may have."""

    module: str
    name: str
    weights: tuple[str, ...]


KINDS = {
    "linear": RankerKind("neural", "LinearRanker", ("weights.safetensors",)),
    "neural": RankerKind("neural", "NeuralRanker", ("weights.safetensors",)),
    "tree": RankerKind("trees", "TreeRanker", ("trees.txt", "trees.json", "trees.cbm")),
    "auto": RankerKind("auto", "AutoRanker", ()),  # it saves a TreeRanker
}
"""Every kind by its name."""
DEFAULT = "tree where LightGBM is installed, else linear"
"""What is trained where no kind is named, see ``default_kind``."""


def default_kind(methods: Iterable[str]) -> tuple[str, str]:
    """The kind of ranker for objectives of some methods where none is named, and the reason. ``METHODS`` says which
    methods trees learn by; anything else is an engine's own objective, which grows trees."""
    no_trees = [name for name in methods if name in METHODS and METHODS[name].trees is None]
    if no_trees:
        return "linear", f"trees do not learn by {no_trees[0]}"
    if find_spec("lightgbm") is None and find_spec("torch") is not None:
        return "linear", f"LightGBM is not installed; {hint_of('lightgbm')} brings trees"
    return "tree", "LightGBM is installed"  # or nothing is, and it is the smallest to install


def ranker_class(kind: str) -> Any:
    """The class of a kind of ranker: one of ``KINDS``."""
    if kind not in KINDS:
        meant = meant_by(kind, KINDS)
        hint = f" (did you mean {meant[0]}?)" if meant else ""
        raise InputError(f"a ranker of kind {shown(kind)}{hint}; this gradeval knows {', '.join(KINDS)}")
    entry = KINDS[kind]
    return getattr(import_module(f"gradeval.ltr.rankers.{entry.module}"), entry.name)


EXTRAS = {**dict.fromkeys(("torch", "lightgbm", "xgboost", "safetensors"), "ltr"), "catboost": "catboost"}
"""The extra that brings an engine."""
TOGETHER = {"torch": ("torch", "safetensors")}  # as models of PyTorch are saved by it


def hint_of(engine: str) -> str:
    """The command that installs an engine."""
    return install_hint(EXTRAS[engine], TOGETHER.get(engine, (engine,)))


@contextmanager
def require_engine(what: str) -> Iterator[None]:
    """Around imports that ``what`` needs: where an engine is not installed, an InputError says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise missing_engine(what, error.name) from None


def missing_engine(what: str, engine: str) -> InputError:
    """The error that ``what`` needs an engine which is not installed."""
    return InputError(f"{what} needs {engine}: {hint_of(engine)}")
