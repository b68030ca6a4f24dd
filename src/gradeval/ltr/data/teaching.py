"""Which queries can teach: those with documents of different grades, and something to be found for the measure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.kernels.pairs import level_of


def teaches(measure: Measure, listed: Array, pool: Array, levels: Levels) -> Array:
    """bool[query]: whether queries can teach, by their documents in the list and in the pool, int[query, level].

    Something is to be found unless ``evaluate`` calls the topic empty (``Scores.vacant``).
    """
    none = np.zeros((len(pool), 0))
    base = measure.base(
        JudgedRankings(
            grades=none,
            ranks=none,
            judged=none.astype(bool),
            document=none.astype(np.int32),
            pool=pool,
            levels=levels,
            retrieved=np.zeros(len(pool), np.int64),
        )
    )
    able: Array = (listed > 0).sum(-1) > 1
    return able if base is None else able & (base > 0)


def teaching(features: Features, levels: Levels, measure: Measure) -> Features:
    """The queries that can teach, of a collection of some levels, their documents known by their rows alone.

    A document that a query holds twice is two. An InputError where no query can teach.
    """
    topics, scale = len(features.topics), len(levels)
    topic = np.repeat(np.arange(topics), np.diff(features.offsets))
    count = np.bincount(topic * scale + level_of(features.grades, levels), minlength=topics * scale)
    pool = count.reshape(topics, scale)
    able = np.flatnonzero(teaches(measure, pool, pool, levels))
    if not len(able):
        raise InputError(
            f"{features.name}: nothing to learn: no query has documents of different grades among which there is "
            f"something to be found for {measure}"
        )
    return by_row(features.select([features.topics[place] for place in able]))


def by_row(features: Features) -> Features:
    """The same without the documents' ids: a document is its row."""
    nameless = np.zeros(len(features) + 1, features.ids[0].dtype), features.ids[1][:0]
    return replace(features, ids=nameless)
