"""Features that are categories: their codes."""

from __future__ import annotations

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features

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
