"""Weights of queries and of documents in training."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array


def weights_by_row(weights: Any, features: Features) -> Array | None:
    """float64[row]: the weight of each row, from weights of the rows or of the queries; None for no weights.

    An InputError where there are neither as many as rows nor as queries, one is no finite number from 0, or all are 0.
    """
    if weights is None:
        return None
    try:
        values = np.array(weights, float)
    except (TypeError, ValueError):
        raise InputError("sample_weight holds something other than numbers; give one for each row or query") from None
    if values.shape not in ((len(features),), (len(features.topics),)):
        raise InputError(
            f"sample_weight{list(values.shape)} for {len(features)} rows of {len(features.topics)} queries; give one "
            "for each row, or one for each query"
        )
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any() or not values.any():
        place = int(np.argmax(wrong))
        raise InputError(f"sample_weight[{place}] is {values[place]:g}; weights are finite, 0 or more, and not all 0")
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
        raise InputError(f"{features.name}: sample_weight is 0 for every query that can be learnt from")
    return weighty


def scale_to_mean_one(weights: Array, offsets: Array) -> Array:
    """Weights of rows divided by the mean, over the queries, of the mean weight of a query's rows; the rows of query q
    are offsets[q]:offsets[q + 1]."""
    sizes = np.diff(offsets)
    mean = float((np.add.reduceat(weights, offsets[:-1]) / sizes).mean())
    return weights / mean
