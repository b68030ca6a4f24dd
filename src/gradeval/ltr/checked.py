"""What users give as numbers: looked over once, and plain Python numbers from there on, which JSON can say."""

from __future__ import annotations

import math

import numpy as np

from gradeval._core import InputError

MOST = 2**31 - 1  # engines count with so much
MOST_REAL = 1e30  # single precision ends at 3e38


def whole(name: str, value: object, least: int) -> int:
    """A whole number from ``least`` on; an InputError for anything else, such as 2.0, "2" or True."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        shown = value.item() if isinstance(value, np.generic) else value
        raise InputError(f"{name}={shown!r} is not a whole number from {least}")
    if value > MOST:
        raise InputError(f"{name}={int(value)} is too many: give at most {MOST}")
    return int(value)


def number(name: str, value: object, *, most: float = math.inf, zero: bool = False) -> float:
    """A finite number above 0 (``zero``: or 0), up to ``most``; an InputError for anything else, such as "0.1"."""
    if isinstance(value, np.generic):
        value = value.item()
    real = isinstance(value, int | float) and not isinstance(value, bool)
    if not real or not (0 < value <= min(most, MOST_REAL) or (zero and value == 0)):  # type: ignore[operator]
        limits = ("from 0" if zero else "above 0") + (f", up to {most:g}" if most < math.inf else "")
        raise InputError(f"{name}={value!r} is not a number {limits}")
    return float(value)  # type: ignore[arg-type]


def flag(name: str, value: object) -> bool:
    """Yes or no; an InputError for anything else, such as "no"."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}={value!r} is not True or False")
    return bool(value)


def sigma(value: object) -> float:
    """The steepness of lambdarank's logistic function, or the uncertainty of softrank's scores."""
    return number("sigma", value)


def truncation(value: object) -> int | None:
    """The number of first ranks of which one must be in a pair; None: any pair counts."""
    return None if value is None else whole("truncation", value, 1)
