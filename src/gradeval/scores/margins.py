"""Margins of a table: rows or columns that hold the means or the sums of all others, as pandas and Excel write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradeval.files.plain_text import read_decimal
from gradeval.formula.arithmetic import Array

NAMES = set("all mean means average averages avg amean total totals sum overall margin margins".split())
OF_NAMES = set("grand macro topic topics query queries system systems run runs of the".split())
"""Words that leave the name of a margin one, as in Grand Total."""


class Margins(NamedTuple):
    """The places of the rows and of the columns that are margins."""

    rows: list[int]
    columns: list[int]


def is_called_margin(name: str) -> bool:
    """Is it a usual name of a margin, as All or Grand Total?"""
    words = set(re.findall(r"[^\W\d_]+", name.lower()))
    return bool(words & NAMES) and words <= NAMES | OF_NAMES


def find_margins(rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Margins:
    """The margins among rows and columns: they are called so, and hold the means or the sums of the others, except for
    rounding.

    ``cells``: [row][column] texts; one that holds no number is compared with nothing.
    """
    called = [[place for place, name in enumerate(names) if is_called_margin(name)] for names in (rows, columns)]
    if not any(called):
        return Margins([], [])
    texts = np.array([[cell.strip().removesuffix("%").rstrip() for cell in row] for row in cells], object)
    texts = texts.reshape(len(rows), len(columns))
    beside_columns, beside_rows = np.delete(texts, called[1], 1), np.delete(texts, called[0], 0)
    return Margins(_find(beside_columns, called[0]), _find(beside_rows.T, called[1]))


def _find(texts: Array, called: Sequence[int]) -> list[int]:
    """The places among ``called`` where texts[place, other] are the means or the sums of all places except these."""
    others = np.delete(texts, called, 0)
    if not others.size:
        return []
    values, exact = _read_numbers(others), 10.0 ** -_decimals(others) / 2
    there = np.isfinite(values).sum(0)
    sums = np.nansum(values, 0)
    exact *= (values % 1 != 0).any()  # whole numbers are not rounded
    margins: list[int] = []
    for place in called:
        own = _read_numbers(texts[place])
        compared = np.isfinite(own) & (there > 0)
        rounding = 10.0 ** -_decimals(texts[place]) / 2 + 1e-9 * np.abs(own)
        of_means = np.abs(own - sums / np.maximum(there, 1)) <= rounding + exact
        of_sums = np.abs(own - sums) <= rounding + exact * there
        if compared.any() and (of_means[compared].all() or of_sums[compared].all()):
            margins.append(place)
    return margins


def _read_numbers(texts: Array) -> Array:
    return np.array([read_decimal(text) for text in texts.ravel().tolist()], float).reshape(texts.shape)


def _decimals(texts: Array) -> int:
    """The most decimals of some numbers."""
    return max((len(text.partition(".")[2].lower().partition("e")[0]) for text in texts.ravel().tolist()), default=0)
