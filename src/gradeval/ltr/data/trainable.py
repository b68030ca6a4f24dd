"""Which queries can be learnt from: those with documents of different grades and something relevant to the measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.array_checks import read_array, read_weights
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.kernels.lookup import require_few_levels
from gradeval.kernels.pairs import level_of
from gradeval.messages import LISTED, join_names


def are_trainable(measure: Measure, listed: Array, pool: Array, levels: Levels) -> Array:
    """bool[query]: whether a query has documents of different grades in its list and is not empty for the measure (see
    ``Scores.vacant``). ``listed`` and ``pool`` are the numbers of documents, int[query, level]."""
    base = measure.base(JudgedRankings.empty(pool, levels))
    differing: Array = (listed > 0).sum(-1) > 1
    return differing if base is None else differing & (base > 0)


def trainable_places(features: Features, levels: Levels, measures: Sequence[Measure]) -> Array:
    """int[query]: the places of the queries that can be learnt from by one of the measures or more; an InputError where
    there is none, or where they hold too many different grades for a measure.

    Each row is a document of its own, even where a query has the same id twice.
    """
    pool = count_levels(features, levels)
    trainable = np.flatnonzero(np.any([are_trainable(measure, pool, pool, levels) for measure in measures], axis=0))
    if not len(trainable):
        raise nothing_to_learn(features.name, measures)
    for measure in measures:
        require_few_levels(measure, pool[trainable], levels, features.name)
    return trainable


def nothing_to_learn(name: str, measures: Sequence[Measure]) -> InputError:
    """The error that no query of the data called ``name`` can be learnt from."""
    return InputError(
        f"{name}: nothing to learn: no query has documents of different grades and something relevant to "
        f"{' or '.join(map(str, measures))}"
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


def in_order_of_rows(what: str, values: Any, order: Array | None) -> Any:
    """What was given for the rows of a table, in the order in which they were sorted by query; None for no order: as it
    is. An InputError where there is not one for each row."""
    if values is None or order is None:
        return values
    given = read_array(what, values)
    if given.shape != order.shape:
        raise InputError(
            f"{what}{list(given.shape)} for {len(order)} rows, which were sorted by query: give one for each row, or "
            "sort the rows first"
        )
    return given[order]


def weights_by_row(weights: Any, features: Features) -> Array | None:
    """float64[row]: the weight of each row, from weights of the rows or of the queries; None for no weights.

    An InputError where their number fits neither rows nor queries, one is no finite number from 0, or all are 0.
    """
    if weights is None:
        return None
    values = read_weights("sample_weight", weights)
    if values.shape not in ((len(features),), (len(features.topics),)):
        raise InputError(
            f"sample_weight{list(values.shape)} for {len(features)} rows of {len(features.topics)} queries; give one "
            "for each row, or one for each query"
        )
    return values if len(values) == len(features) else np.repeat(values, np.diff(features.offsets))


def select_rows(values: Array, features: Features, places: Array) -> Array:
    """The values of the rows of the queries at some places, ascending."""
    return np.concatenate([values[features.offsets[place] : features.offsets[place + 1]] for place in places])


def leave_out_weightless(places: Array, weights: Array | None, features: Features) -> Array:
    """The places of queries of which some row has a weight above 0; an InputError where none is left."""
    if weights is None:
        return places
    weighty = places[np.add.reduceat(weights, features.offsets[:-1])[places] > 0]
    if not len(weighty):
        raise InputError(f"{features.name}: the weights are 0 for every query that can be learnt from")
    return weighty


def scale_to_mean_one(weights: Array, offsets: Array) -> Array:
    """Weights of rows divided by the mean, over the queries, of the mean weight of a query's rows; the rows of query q
    are offsets[q]:offsets[q + 1]."""
    sizes = np.diff(offsets)
    mean = float((np.add.reduceat(weights, offsets[:-1]) / sizes).mean())
    return weights / mean


def _is_constant(values: Array) -> bool:
    """Is it one value in all rows, or missing in all?"""
    first = values[:1]
    return bool((values == first).all() or (np.isnan(first) & np.isnan(values)).all())


def describe_unlearnable(train: Features, valid: Features | None) -> Iterator[str]:
    """Which features and how many queries teach nothing, as all have one value, or one grade; and of the validation
    data, how many queries have no relevant document."""
    table = train.X
    if constant := [name for at, name in enumerate(train.columns) if _is_constant(table[:, at])]:
        teach = (
            "s {} have one value in all rows and teach" if constant[1:] else " {} has one value in all rows and teaches"
        )
        yield f"feature{teach.format(join_names(constant, LISTED))} nothing"
    starts = train.offsets[:-1]
    alike = np.minimum.reduceat(train.grades, starts) == np.maximum.reduceat(train.grades, starts)
    if alike.any():
        teach = "teach nothing, as their" if alike.sum() > 1 else "teaches nothing, as its"
        yield f"{alike.sum()} of {len(alike)} queries of {train.name} {teach} documents have one grade"
    if valid is not None and (empty := np.maximum.reduceat(valid.grades, valid.offsets[:-1]) <= 0).any():
        count = "have no grade above 0 and count" if empty.sum() > 1 else "has no grade above 0 and counts"
        yield f"{empty.sum()} of {len(empty)} queries of {valid.name} {count} 0 in the validation"
