"""Small data and few trees that several tests share."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pytest

from gradeval import Features
from gradeval.ltr import Epoch, TreeRanker

GAP = "lambdarank:GAP(g=[0.5,0.5])"
needs_catboost = pytest.mark.skipif(find_spec("catboost") is None, reason="catboost is not installed")
SHAPES = ["leaf-wise", pytest.param("symmetric", marks=needs_catboost)]
SMALL: dict[object, dict[str, object]] = {"leaf-wise": {"leaves": 5, "min_rows": 5}, "symmetric": {"leaves": 8}}


def small_features(seed: int, queries: int = 12, prefix: str = "q") -> Features:
    """Queries of 20 documents whose grades follow two of six features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20 * queries, 6))
    grades = np.clip(np.round(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=len(X))), 0, 2)
    return Features.from_arrays(X, grades, topics=np.repeat([f"{prefix}{n}" for n in range(queries)], 20))


TRAIN, VALID, TEST = small_features(1), small_features(2, prefix="v"), small_features(3, prefix="t")


def ranker(**changes: object) -> TreeRanker:
    """A ranker of few small trees."""
    small = SMALL.get(changes.get("shape", "leaf-wise"), {})
    settings = {"epochs": 30, "patience": 10, "learning_rate": 0.2, **small, **changes}
    objective = settings.pop("objective", GAP)
    return TreeRanker(objective, **settings)


class Killed(Exception):
    """Ends a training as a kill would."""


def killed_after(number: int) -> Callable[[Epoch], None]:
    """A progress callback that raises Killed after an epoch."""

    def kill(epoch: Epoch) -> None:
        if epoch.number == number:
            raise Killed

    return kill
