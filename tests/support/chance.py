"""Random numbers of objectives, in Python's own whole numbers: drawn rankings, and orders of equal scores."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from gradeval.formula.arithmetic import Array

BITS = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(state: int) -> int:
    """SplitMix64."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & BITS
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & BITS
    return state ^ (state >> 31)


def numbers_of(values: list[int], grades: Any, seed: int) -> Callable[[int, int], float]:
    """uniform(row, place): the random numbers between 0 and 1 of a query, places from 1, by a hash of whole numbers."""
    key = seed
    for place, (value, grade) in enumerate(zip(values, grades, strict=True), 1):
        key += mixed((mixed(value) + ((int(grade) << 32) + place) * GOLDEN) & BITS)
    key = mixed(key & BITS)
    return lambda row, place: ((mixed((key + ((row << 32) + place) * GOLDEN) & BITS) >> 12) + 0.5) / 2**52


def drawn(scores: Array, grades: Array, count: int, noise: str, spread: float, seed: int) -> list[list[float]]:
    """The scores of the drawn rankings, document by document."""
    bits = [struct.unpack("<I", struct.pack("<f", score + 0.0))[0] for score in scores]
    uniform = numbers_of(bits, grades, seed)
    rankings = []
    for draw in range(count):
        ranking = []
        for place, score in enumerate(scores, 1):
            first, second = uniform(2 * draw, place), uniform(2 * draw + 1, place)
            error = -math.log(-math.log(first))
            if noise == "gaussian":
                error = math.sqrt(-2 * math.log(first)) * math.cos(2 * math.pi * second)
            ranking.append(score + spread * error)
        rankings.append(ranking)
    return rankings


def ranked_by_chance(scores: Any, grades: Any, seed: int = 0) -> Array:
    """The documents by score descending, equal ones by the lowest random number."""
    uniform = numbers_of([int(sum(other > score for other in scores)) for score in scores], grades, seed)
    return np.array(sorted(range(len(scores)), key=lambda i: (-scores[i], uniform(0, i + 1))), int)
