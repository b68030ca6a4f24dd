"""Folds for cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradeval._core import InputError

if TYPE_CHECKING:
    from gradeval.features.features import Features


class Fold(NamedTuple):
    """What one round of cross-validation trains on, chooses by, and tests on."""

    train: Features
    valid: Features
    test: Features


def rotate(parts: Sequence[Features]) -> Iterator[Fold]:
    """Folds from k parts as LETOR makes them of its five.

    Fold 1 tests on the last part, validates on the one before and trains on the others; each further fold moves all of
    that on by one part. They are made one at a time.
    """
    if len(parts) < 3:
        raise InputError(f"{len(parts)} parts; folds need 3 or more, to train, to validate and to test")
    for first in range(len(parts)):
        *train, valid, test = [*parts[first:], *parts[:first]]
        yield Fold(train[0].concat(train, name=f"training part of fold {first + 1}"), valid, test)
