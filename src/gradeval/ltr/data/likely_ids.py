"""Which features may be ids: whole numbers that tell the documents of a topic apart, which are learnt by heart."""

from __future__ import annotations

from collections.abc import Collection
from shlex import quote
from typing import NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.files.column_names import QUERIES, is_name_of_id, normal_name
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.messages import LISTED, join_names
from gradeval.warning_categories import FeaturesWarning, warn

LEAST_ROWS = 50
"""Rows of which a feature has to tell its documents apart before it is asked about."""
SHARE = 0.9
"""The share of rows whose number no other row of their topic has, where a name says that it is an id."""
LEAST_MEETINGS = 8.0
"""How often rows of a topic would share their number by chance, where none does and no name says that it is an id."""
LOOKED_AT = 50
"""Topics by which features are looked at first; only what is suspicious there is looked at in all."""
TIMES = ((10**8, 5 * 10**9), (10**11, 5 * 10**12))
"""Seconds and thousandths of them since 1970: the numbers of times, which differ as ids do."""


class LikelyIds(NamedTuple):
    """Features that may be ids, by their names.

    Attributes
    ----------
    certain : called so, and another number for nearly each document of a topic.
    named : called so alone.
    telling : of another name: no document of a topic has the number of another one, as chance would have it.
    """

    certain: list[str]
    named: list[str]
    telling: list[str]


def ask_about_ids(features: Features, categories: Collection[str] = ()) -> None:
    """An InputError about features that are ids by their names and their numbers; FeaturesWarnings about features that
    are ids by one of these. ``categories`` are none, see ``refuse_ids``."""
    likely = find_likely_ids(features, categories)
    if likely.certain:
        one = len(likely.certain) == 1
        named = f"{join_names(likely.certain, LISTED)} {'is named like an id' if one else 'are named like ids'}"
        raise InputError(
            f"{features.name}: {named}, with another number for each document of a topic, which a ranker would learn "
            f"by heart; {_how(likely.certain)}; rename {'it if it is a feature' if one else 'those that are features'}"
        )
    for names, why in (
        (likely.named, "named like an id"),
        (likely.telling, "another whole number for each document of a topic, as ids and ranks are"),
    ):
        if names:
            text = (
                f"{join_names(names, LISTED)}: read as {'a feature' if len(names) == 1 else 'features'}, though {why}"
            )
            warn(f"{features.name}: {text}; if no feature, {_how(names)}", FeaturesWarning)


def find_likely_ids(features: Features, categories: Collection[str] = ()) -> LikelyIds:
    """The features that may be ids."""
    likely = LikelyIds([], [], [])
    end = int(features.offsets[min(LOOKED_AT, len(features.topics))])
    for column, name in enumerate(features.columns):
        if name in categories or not are_whole(features.X[:end, column]) or not are_whole(features.X[:, column]):
            continue
        known = ~np.isnan(features.X[:, column])
        values, topic = features.X[known, column].astype(float), part_of_row(features.offsets)[known]
        if not is_name_of_id(name):
            if tell_apart(topic, values):
                likely.telling.append(name)
        elif len(np.unique(values)) > 2:  # else it may be a flag
            apart = share_apart(topic, values) >= SHARE and not are_places(topic, values)
            (likely.certain if apart and len(values) >= LEAST_ROWS else likely.named).append(name)
    return likely


def are_whole(values: Array) -> bool:
    """Are all numbers that are not missing whole, and is there one?"""
    known = values[~np.isnan(values)]
    return bool(len(known) and (known == np.floor(known)).all())


def share_apart(topic: Array, values: Array) -> float:
    """The share of rows whose number no other row of their topic has, among topics with two rows or more."""
    order = np.lexsort((values, topic))
    same = (np.diff(topic[order]) == 0) & (np.diff(values[order]) == 0)
    shared = np.append(same, False) | np.insert(same, 0, False)
    several = np.bincount(topic)[topic[order]] > 1
    return float(1 - shared[several].mean()) if several.any() else 0.0


def are_places(topic: Array, values: Array) -> bool:
    """Do the numbers of most topics follow one another, as places in a list do, and come again in other topics?"""
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    sizes = np.diff(np.append(starts, len(topic)))
    spans = np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts) + 1
    return len(np.unique(values)) < len(values) and bool((spans == sizes).mean() > 0.5)


def tell_apart(topic: Array, values: Array) -> bool:
    """Does no row have the number of another one of its topic, where by chance, as counts and prices do, some would?
    Or is it another number in each row, from hardly more numbers than there are rows?"""
    if len(values) < LEAST_ROWS or any(least < values.min() and values.max() < most for least, most in TIMES):
        return False
    if share_apart(topic, values) < 1 or are_places(topic, values):
        return False
    times = np.unique(values, return_counts=True)[1].astype(float)
    if len(times) == len(values):
        return bool(values.max() - values.min() < 2 * len(values))
    rows, sizes = len(values), np.bincount(topic).astype(float)
    chance = (times * (times - 1)).sum() / (rows * (rows - 1))
    return bool(chance * (sizes * (sizes - 1)).sum() / 2 >= LEAST_MEETINGS)


def leaving_out(names: list[str]) -> str:
    """What to type to leave features out."""
    columns = repr(names[0]) if len(names) == 1 else repr(names)
    return f"add --leave-out {quote(','.join(names))} (frame.drop(columns={columns}) in Python)"


def _how(names: list[str]) -> str:
    """What to type where features are ids."""
    how = f"leave {'it' if len(names) == 1 else 'them'} out: {leaving_out(names)}"
    if names[0].isdecimal():
        return how
    documents = [name for name in names if normal_name(name) not in QUERIES]
    if documents:
        return f"{how}; or name the documents: --columns doc={quote(documents[0])} (in Python call it doc_id)"
    return f"{how}; or name the queries: --columns query={quote(names[0])} (qid= or query= in Python)"
