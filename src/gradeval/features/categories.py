"""Features that are categories: the words or numbers that their codes 0, 1 ... stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.messages import list_some, plural
from gradeval.warning_categories import FeaturesWarning, warn

Categories: TypeAlias = dict[str, list[Any]]
"""The features that are categories: the values that the codes 0, 1 ... stand for, none where codes were given."""


def recode(codes: Array, listed: Sequence[Any], known: Sequence[Any]) -> Array:
    """The codes among known values of codes among listed ones, which are NaN or -1 where missing; -1 for none of
    them."""
    places = {value: place for place, value in enumerate(known)}
    table = np.array([*(places.get(value, -1) for value in listed), -1], float)
    recoded: Array = table[np.where(np.isnan(codes), -1, codes).astype(int)]
    return recoded


def warn_of_new_values(place: str, listed: Sequence[Any], codes: Array, known: Sequence[Any]) -> None:
    """Name the values of a category that training did not have, with a FeaturesWarning: they are missing values."""
    rows = {value: int((codes == place).sum()) for place, value in enumerate(listed) if value not in known}
    if new := {value: count for value, count in rows.items() if count}:
        warn(
            f"{place} has {plural(len(new), 'value')} that training did not have "
            f"({list_some(list(map(repr, new)))}), in {plural(sum(new.values()), 'row')}: missing there",
            FeaturesWarning,
        )


def join_categories(every: Iterable[Mapping[str, Sequence[Any]]]) -> Categories:
    """The words of several data together, by feature."""
    found: dict[str, set[Any]] = {}
    for categories in every:
        for name, words in categories.items():
            found.setdefault(name, set()).update(words)
    return {name: sorted(words) for name, words in found.items()}


ID_ROWS, ID_SHARE = 50, 0.9


def are_ids(rows: int, different: int) -> bool:
    """Are the values of so many rows ids, of which so many are different? A category repeats its values."""
    return rows >= ID_ROWS and different >= ID_SHARE * rows
