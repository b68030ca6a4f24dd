"""Tables of features on the workers of a Dask cluster, and a training on them with settings that make it quick."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gradeval import Features
from gradeval.ltr import TreeRanker

dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

from gradeval.ltr.cluster import fit_dask

SETTINGS: dict[str, Any] = {"leaves": 5, "learning_rate": 0.2, "patience": 8}
ALONE: dict[str, Any] = {**SETTINGS, "min_rows": 1, "subsample": 1.0}  # of a TreeRanker
ROUNDS = 12


def few_values(queries: int, seed: int) -> Features:
    """Queries of 3 to 12 documents. A feature has at most 8 values, so that all workers make the same bins of it."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 13, queries)
    X = rng.integers(0, 8, (sizes.sum(), 5)).astype(np.float32)
    merit = X[:, 0] / 2 + X[:, 1] / 4 + rng.normal(size=len(X))
    names = np.repeat([f"q{number}" for number in range(queries)], sizes)
    return Features.from_arrays(X, np.clip(merit - 2, 0, 3).round(), topics=names, columns=list("abcde"))


def continuous(queries: int, seed: int) -> Features:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10 * queries, 5))
    grades = np.clip(np.round(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=len(X))), 0, 2)
    return Features.from_arrays(X, grades, topics=np.repeat(np.arange(queries), 10), columns=list("abcde"))


TRAIN, VALID = few_values(200, 1), few_values(60, 2)


def frame_of(features: Features) -> pd.DataFrame:
    query = np.repeat(features.topics, np.diff(features.offsets))
    columns = {name: features.X[:, place] for place, name in enumerate(features.columns)}
    return pd.DataFrame({"query": query, **columns, "grade": features.grades.astype(int)})


def partitions_of(features: Features, cuts: list[int]) -> Any:
    """A Dask DataFrame cut between queries."""
    frame, ends = frame_of(features), [0, *features.offsets[cuts].tolist(), len(features)]
    pieces = [frame[begin:end] for begin, end in pairwise(ends)]
    return dd.from_map(lambda piece: piece, pieces, meta=frame[:0])


def fit(client: Any, frame: Any, **changes: Any) -> TreeRanker:
    least = {} if changes.get("engine") == "xgboost" else {"min_rows": 1}
    settings = {"levels": TRAIN.levels, "rounds": ROUNDS, **least, **SETTINGS, **changes}
    return fit_dask(client, frame, label="grade", qid="query", **settings)
