"""Lists of grades, and what is inferred from their values."""

from __future__ import annotations

import numpy as np

from gradeval import Measure
from gradeval.formula.arithmetic import Array
from gradeval.formula.spelling import parse_measure
from gradeval.studies.informativeness.expected import AdditiveMeasure, expected
from gradeval.studies.informativeness.maximum_entropy import MaximumEntropy, maximum_entropy


def form_of(measure: str | Measure, pool: list[int], length: int) -> AdditiveMeasure:
    return expected(parse_measure(measure), np.array(pool), tuple(map(float, range(len(pool)))), length)


def one_hot(ranking: list[int], levels: int) -> Array:
    return (np.array(ranking) == np.arange(levels)[:, None]).astype(float)


def counts_of(ranking: list[int], levels: int) -> Array:
    return np.bincount(ranking, minlength=levels).astype(float)


def inferred(measure: str | Measure, ranking: list[int], pool: list[int]) -> MaximumEntropy:
    """The most random list that has the value of this one."""
    form = form_of(measure, pool, len(ranking))
    return maximum_entropy(form, counts_of(ranking, len(pool)), form.value(one_hot(ranking, len(pool))))


def noisy_list(levels: int, length: int, noise: float, seed: int) -> list[int]:
    """Better documents further up, more or less."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(levels, length, p=[0.7, *[0.3 / (levels - 1)] * (levels - 1)])
    order = np.argsort(-(grades + noise * rng.normal(size=length)), kind="stable")
    return [int(grade) for grade in grades[order]]
