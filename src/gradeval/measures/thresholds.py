"""Users with different thresholds: how many find a document relevant from each grade on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, along
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, OtherLevels, show_levels
from gradeval.formula.parameters import ByGrade

MANY = 32
"""Levels of a collection from which each topic is scored on the grades of its own."""


def thresholds(g: ByGrade | tuple[float, ...] | None, levels: Levels) -> Array:
    """float64[a]: the probability that a user's threshold is level a; index 0 (non-relevant) is 0.

    ``g`` lists one probability per positive level, or names grades; None is uniform.
    """
    scale = levels[1:]
    if g is None:
        chosen = [1 / len(scale)] * len(scale)
    elif isinstance(g, ByGrade):
        named = dict(g)
        if unknown := [grade for grade in named if grade not in scale]:
            raise OtherLevels(f"g names grade {unknown[0]:g}, the collection has {show_levels(scale)}")
        chosen = [named.get(level, 0.0) for level in scale]
    else:
        chosen = list(g)
    if len(chosen) != len(scale):
        raise OtherLevels(
            f"g has {len(chosen)} probabilities, the collection has {len(scale)} positive levels "
            f"({show_levels(scale)}); give one for each, or {{grade: p}}"
        )
    return np.array([0.0, *chosen])


def normalise(weights: Sequence[float] | Mapping[float, float]) -> list[float] | dict[float, float]:
    """Weights of thresholds made probabilities that sum to 1, fit for g: [1, 3] becomes [0.25, 0.75]."""
    numbers = list(weights.values()) if isinstance(weights, Mapping) else list(weights)
    total = math.fsum(numbers)
    if not numbers or min(numbers) < 0 or not 0 < total < math.inf:
        raise InputError(f"weights {numbers} are not numbers of at least 0 with a sum above 0, as in [1, 3]")
    shares = [number / total for number in numbers]
    return dict(zip(weights, shares, strict=True)) if isinstance(weights, Mapping) else shares


def on_own_levels(judged: JudgedRankings, users: Array) -> tuple[JudgedRankings, Array]:
    """The rankings on the levels that each topic really has, and the share of users at each: float64[..., a].

    All thresholds above one grade of a topic, up to the next, accept the same documents; their users are put together
    at that next grade. Users whose threshold is above the best grade of a topic have no relevant document and are left
    out. So the work grows with the grades of a topic, not of the collection. Where the collection has few
    levels, nothing changes.
    """
    if len(judged.levels) <= MANY:
        return judged, users
    pool = judged.pool
    used = pool > 0
    used[..., 0] = True
    place = used.cumsum(-1) - 1  # [..., a]: which of the topic's own levels a level of the collection is
    following = np.where(used, place, place + 1)  # the first own level from this one on
    width = int(place.max(initial=0)) + 1
    shares = _gather(np.broadcast_to(users, pool.shape), following, width + 1)[..., :width]
    counts = _gather(pool * used, place, width).astype(pool.dtype)
    own = replace(
        judged,
        grades=along(place, judged.level).astype(float),
        pool=counts,
        levels=tuple(map(float, range(width))),
        pools=None,
        topic=None,
    )
    return own, shares


def _gather(values: Array, place: Array, width: int) -> Array:
    """float64[..., width]: the sums of the values [..., a] that have the same place."""
    row = np.arange(place[..., 0].size).reshape(*place.shape[:-1], 1)
    sums = np.bincount((row * width + place).ravel(), values.ravel(), row.size * width)
    return sums.reshape(*place.shape[:-1], width)


def each_level(judged: JudgedRankings, users: Array) -> Iterator[tuple[JudgedRankings, float, Array]]:
    """The rankings, a level, and the share of users whose threshold it is, for each level with a share above 0.

    Sums over the own levels of topics are not cached: nothing else needs them, and there may be many.
    """
    for level, share in zip(judged.levels, np.moveaxis(users, -1, 0), strict=True):
        if np.any(share):
            yield (judged if users.ndim == 1 else replace(judged)), level, share
