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


def trainable_places(features: Features, levels: Levels, measure: Measure) -> Array:
    """int[query]: the places of the queries that can be learnt from; an InputError where there is none.

    Each row is a document of its own, even where a query has the same id twice.
    """
    pool = count_levels(features, levels)
    trainable = np.flatnonzero(are_trainable(measure, pool, pool, levels))
    if not len(trainable):
        raise nothing_to_learn(features.name, measure)
    return trainable


def nothing_to_learn(name: str, measure: Measure) -> InputError:
    """The error that no query of the data called ``name`` can be learnt from."""
    return InputError(
        f"{name}: nothing to learn: no query has documents of different grades and something relevant to {measure}"
    )


def count_levels(features: Features, levels: Levels) -> Array:
    """int64[query, level]: how many documents of each level a query has."""
    topics, scale = len(features.topics), len(levels)
    cell = level_of(features.grades, levels)
    cell += np.repeat(np.arange(0, topics * scale, scale), np.diff(features.offsets))
    return np.bincount(cell, minlength=topics * scale).reshape(topics, scale)


def select_without_table(features: Features, places: Array) -> Features:
    """The queries at some places, ascending, their documents known by their rows alone, without their features: these
    may take up most of the memory."""
    bare = replace(without_ids(features), X=np.empty((len(features), 0), np.float32), columns=())
    return without_ids(bare.select([features.topics[place] for place in places]))


def without_ids(features: Features) -> Features:
    """The same features without document ids; each row is a document of its own."""
    all_empty = np.broadcast_to(np.int64(0), len(features) + 1)  # one number, whatever the length
    return replace(features, ids=(all_empty, features.ids[1][:0]))
