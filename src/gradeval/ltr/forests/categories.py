"""Features that are categories: their codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array

CODES = 1 << 24  # whole numbers that single precision holds


def require_codes(features: Features, categories: tuple[int, ...]) -> None:
    """An InputError where a category has a code that is no whole number from 0; NaN is a missing value."""
    for place in categories:
        codes = features.X[:, place]
        wrong = (codes < 0) | (codes > CODES) | ((codes != np.floor(codes)) & ~np.isnan(codes))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"{features.name}: row {row}: feature {features.columns[place]} is a category, and {codes[row]:g} no "
                "code of one: codes are whole numbers from 0, or NaN where it is missing"
            )


def code_categories(features: Features, categories: Mapping[str, Sequence[Any]]) -> Features:
    """Features of a file, where a category is a number, with the codes that a ranker knows these numbers by: a number
    that it does not know is missing. Where the ranker was trained on codes themselves, they stay."""
    X: Array | None = None
    for name, values in categories.items():
        if not values or name not in features.columns:
            continue
        if not all(isinstance(value, int | float) for value in values):
            raise InputError(
                f"{features.name}: feature {name} was a category in training, of {values[0]!r} and others, and files "
                "hold numbers alone; rank a frame in Python: load_ranker(folder).predict(frame)"
            )
        X = features.X.copy() if X is None else X
        place = features.columns.index(name)
        equal = features.X[:, place, None] == np.array(values, np.float32)
        X[:, place] = np.where(equal.any(1), equal.argmax(1), np.nan)
    return features if X is None else replace(features, X=X)
