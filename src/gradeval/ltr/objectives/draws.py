"""What is left to chance: rankings drawn around the present scores, and the order of equal ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.kernels.pairs import Values, namespace, take_along

NoiseKind: TypeAlias = Literal["gumbel", "gaussian"]

DRAWN, SPREAD = checked.Whole(0, 1000), checked.Number(least=1e-9, most=1e9)
STEP = 0x9E3779B97F4A7C15 - (1 << 64)  # of SplitMix64, as a signed number
LOW = 0xFFFFFFFF  # the last 32 bits


@dataclass(frozen=True)
class Draws:
    """How many rankings are drawn, and how: by the scores s_i + spread e_i with independent noise e_i.

    Attributes
    ----------
    count : how many; 0: none, the present ranking counts alone.
    noise : the distribution of e_i, "gumbel" (the rankings then follow the Plackett-Luce model of the scores over
        ``spread``) or "gaussian", of standard deviation 1.
    spread : in units of the scores.
    seed : the random seed, of these and of the order of equal scores.
    """

    count: int = 0
    noise: NoiseKind = "gumbel"
    spread: float = 1.0
    seed: int = 0

    @classmethod
    def of(cls, count: object, noise: object, spread: object, seed: object = 0) -> Draws:
        """Checked; else an InputError."""
        if count == "auto":
            raise InputError(
                "draws='auto' is chosen by validation, which an objective alone lacks; train a ranker with "
                "validation data, as in TreeRanker(Objective('lambdarank', 'ERR', draws='auto')), or give a number"
            )
        checked.one_of("noise", noise, get_args(NoiseKind))
        kind: Any = noise
        return cls(DRAWN.check("draws", count), kind, SPREAD.check("spread", spread), checked.whole("seed", seed, 0))

    @property
    def arguments(self) -> tuple[int, bool, float, int]:
        """As the compiled core takes them."""
        return self.count, self.noise == "gaussian", self.spread, self.seed


ALONE = Draws()
"""The present ranking counts alone."""


def draw_scores(scores: Values, level: Values, draws: Draws) -> Iterator[Values]:
    """The scores of the drawn rankings, float64[query, n] each, by scores float64[query, n] and levels int64[query, n],
    -1 in the padding; arrays or tensors. The numbers equal cpp/pairs/draws.hpp's.

    The random numbers are SplitMix64's (Steele, Lea & Flood, 2014, "Fast splittable pseudorandom number
    generators", OOPSLA) from a hash of the seed and of the scores and levels of the documents in their order; scores
    count in single precision.
    """
    key, place = _key_of(_bits(scores), level, draws.seed)
    functions = namespace(scores)
    for draw in range(draws.count):
        first = _uniform(key, 2 * draw, place)
        if draws.noise == "gumbel":
            noise = -functions.log(-functions.log(first))
        else:  # Box and Muller
            second = _uniform(key, 2 * draw + 1, place)
            noise = functions.sqrt(-2 * functions.log(first)) * functions.cos(2 * math.pi * second)
        yield scores + draws.spread * noise


def rank_by_chance(scores: Values, level: Values, seed: int) -> Values:
    """int64[query, n]: the documents by scores float64[query, n] descending, equal ones by chance, padding last. Arrays
    or tensors, as in ``draw_scores``, and the order of cpp/pairs/draws.hpp.

    Before the first tree all scores are equal, and where rows come best first, their order would be the ideal ranking.
    The random numbers follow from the seed and, by a hash, from the levels and ranks of the documents in their rows:
    any order of documents of equal scores is as likely as another. No rounding of scores changes it, and no other
    query.
    """
    functions = namespace(scores)
    present = level >= 0
    listed = functions.where(present, scores, -math.inf)
    first = (listed[:, None, :] > listed[:, :, None]).sum(-1)
    key, place = _key_of(first, level, seed)
    by_chance = _uniform(key, 0, place).argsort(-1)
    falling = take_along(-listed, by_chance, 1)
    if isinstance(falling, np.ndarray):
        return take_along(by_chance, falling.argsort(-1, kind="stable"), 1)
    return take_along(by_chance, falling.argsort(dim=-1, stable=True), 1)


def _key_of(values: Values, level: Values, seed: int) -> tuple[Values, Values]:
    """int64[query, 1], a hash of the seed and of values and levels of the documents of a query, and int64[query, n],
    the number of each document from 1."""
    present = level >= 0
    place = present.cumsum(-1)
    hashed = _mix(_mix(values) + ((level << 32) + place) * STEP)
    return _mix((hashed * present).sum(-1) + seed)[:, None], place


def _mix(state: Values) -> Values:
    """The output of SplitMix64 in a state, int64[...]; the products wrap around."""
    state = (state ^ _shift(state, 30)) * (0xBF58476D1CE4E5B9 - (1 << 64))
    state = (state ^ _shift(state, 27)) * (0x94D049BB133111EB - (1 << 64))
    return state ^ _shift(state, 31)


def _shift(state: Values, places: int) -> Values:
    """``state`` as 64 bits, shifted right."""
    return (state >> places) & ((1 << (64 - places)) - 1)


def _uniform(key: Values, row: int, place: Values) -> Values:
    """float64[...] between 0 and 1, in the middle of one of 2^52 intervals."""
    word = _shift(_mix(key + ((row << 32) + place) * STEP), 12)
    functions = namespace(word)
    return functions.asarray(word, dtype=functions.float64) * 2.0**-52 + 2.0**-53


def _bits(scores: Values) -> Values:
    """int64[...]: the bits of scores in single precision, the same for 0 and -0."""
    if isinstance(scores, np.ndarray):
        with np.errstate(over="ignore"):
            return (scores.astype(np.float32) + np.float32(0)).view(np.int32).astype(np.int64) & LOW
    single: Any = scores
    single = single.float() + 0.0
    bits: Values = single.view(namespace(scores).int32).long() & LOW
    return bits
