"""Random parts of a collection, and folds of parts for cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array

LEAST = 3
"""Fewest parts of which folds can be made: to train, to validate and to test."""


class Joinable(Protocol):
    """A part of a collection that can be put together with others, as Features are."""

    @classmethod
    def concat(cls, parts: Sequence[Self], *, name: str | None = None) -> Self:
        """The parts as one."""


Part = TypeVar("Part", bound=Joinable)


class Fold(NamedTuple, Generic[Part]):
    """The data of one round of cross-validation: to train on, to choose by, and to test on."""

    train: Part
    valid: Part
    test: Part


def rotate(parts: Sequence[Part]) -> Iterator[Fold[Part]]:
    """Folds from k parts as LETOR makes them of its five.

    Fold 1 tests on the last part, validates on the one before and trains on the others; each further fold moves all of
    that on by one part. They are made one at a time.
    """
    if len(parts) < LEAST:
        raise InputError(f"{len(parts)} parts; folds need {LEAST} or more, to train, to validate and to test")
    for first in range(len(parts)):
        *train, valid, test = [*parts[first:], *parts[:first]]
        yield Fold(train[0].concat(train, name=f"training part of fold {first + 1}"), valid, test)


def split_at_random(number: int, shares: Sequence[float], seed: int, place: str) -> list[Array]:
    """int64[...], one array for each share: which of so many topics fall into that part, ascending.

    The sizes are the shares of the number, rounded; ``place`` is what messages call the collection.
    """
    shares = [arguments.number("share", share) for share in shares]
    if not shares or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-6:
        raise InputError(f"shares {', '.join(f'{share:g}' for share in shares)} must be positive and sum to 1")
    ends = np.rint(np.cumsum([0, *shares]) * number).astype(int)
    if (np.diff(ends) < 1).any():
        raise InputError(f"{place}: {number} topics do not make {len(shares)} parts of these shares")
    order = np.random.default_rng(arguments.seed(seed)).permutation(number)
    return [np.sort(order[begin:end]) for begin, end in pairwise(ends.tolist())]
