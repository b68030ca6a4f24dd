"""Which queries can be learnt from: those with documents of different grades and something relevant to the measure."""

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


def are_trainable(measure: Measure, listed: Array, pool: Array, levels: Levels) -> Array:
    """bool[query]: whether a query has documents of different grades in its list and is not empty for the measure (see
    ``Scores.vacant``). ``listed`` and ``pool`` are the numbers of documents, int[query, level]."""
    base = measure.base(JudgedRankings.empty(pool, levels))
    differing: Array = (listed > 0).sum(-1) > 1
    return differing if base is None else differing & (base > 0)


def select_trainable(features: Features, levels: Levels, measure: Measure) -> Features:
    """The queries that can be learnt from, without document ids; an InputError where there is none.

    Each row is a document of its own, even where a query has the same id twice.
    """
    topics, scale = len(features.topics), len(levels)
    topic = np.repeat(np.arange(topics), np.diff(features.offsets))
    count = np.bincount(topic * scale + level_of(features.grades, levels), minlength=topics * scale)
    pool = count.reshape(topics, scale)
    trainable = np.flatnonzero(are_trainable(measure, pool, pool, levels))
    if not len(trainable):
        raise InputError(
            f"{features.name}: nothing to learn: no query has documents of different grades and something "
            f"relevant to {measure}"
        )
    return without_ids(features.select([features.topics[place] for place in trainable]))


def without_ids(features: Features) -> Features:
    """The same features without document ids; each row is a document of its own."""
    nameless = np.zeros(len(features) + 1, features.ids[0].dtype), features.ids[1][:0]
    return replace(features, ids=nameless)
