"""Made collections for rankers: grades that depend on the features, in queries of different sizes."""

from __future__ import annotations

import numpy as np

from gradeval import Features

LONGEST = 15


def graded_features(topics: int = 20, *, seed: int = 0, columns: int = 4, prefix: str = "q") -> Features:
    """Queries of 4 to 15 documents with grades 0, 1, 2: the higher the first feature less the second, with noise."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, LONGEST + 1, topics)
    X = rng.normal(size=(sizes.sum(), columns)).astype(np.float32)
    merit = X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=len(X))
    grades = np.digitize(merit, [0.5, 1.5])
    names = np.repeat([f"{prefix}{number}" for number in range(topics)], sizes)
    return Features.from_arrays(X, grades, topics=names, name=f"{prefix} of {topics}")
