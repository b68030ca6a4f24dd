"""Does it matter to a measure which levels a collection has, or how far apart its grades are? Rankings answer it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, whole_levels

GAPPED = np.array([1.0, 2.0, 4.0, 5.0, 7.0, 9.0])
"""The ranks of judged documents by which it is tried; those between have no judgment."""


def depends_on_levels(measure: Measure, part: Levels, whole: Levels) -> bool:
    """Does it matter to a measure whether a collection has the levels of its part only, or the levels of the whole?

    Rankings with grades of the part answer it; a measure of which only the values are known may depend on anything.
    """
    places = _draw_places(len(part))
    try:
        values = [_score_rankings(measure, np.array(part)[places], levels) for levels in (part, whole)]
    except InputError:
        return True
    return _differ(values)


def depends_on_gaps(measure: Measure, there: Levels, levels: Levels) -> bool:
    """Does a measure count the grades ``there`` otherwise than 0, 1, 2 ..., as none has the other ``levels``?

    Measures with a threshold, or with a parameter for each level, do not: these name grades as they are.
    """
    if measure.threshold is not None:
        return False
    places = _draw_places(len(there))
    try:
        values = [_score_rankings(measure, np.array(there)[places], levels)]
        values.append(_score_rankings(measure, places.astype(float), whole_levels(len(there) - 1)))
    except InputError:
        return False
    return _differ(values)


def _draw_places(size: int) -> Array:
    """int64[ranking, document]: which of some grades each document has."""
    return np.random.default_rng(0).choice(size, (64, 8))


def _score_rankings(measure: Measure, grades: Array, levels: Levels) -> Array:
    """The values of rankings of some grades, of which the pool holds more where they occur at all."""
    pool = 1 + (grades[..., None] == np.array(levels)).sum(-2)
    pool[:, ~np.isin(levels, grades)] = 0
    return measure(JudgedRankings.full(grades[:, : len(GAPPED)], pool, levels, GAPPED))


def _differ(values: Sequence[Array]) -> bool:
    return not np.allclose(values[0], values[1], rtol=0, atol=1e-12)


def share_of_half(measure: Measure, half: float, top: float, levels: Levels) -> float | None:
    """What a measure gives a ranking that begins with grade ``half`` of what it gives one that begins with ``top``,
    where the pool holds one document of each; None: it gives nothing, or cannot be computed."""
    pool = np.isin(levels, (half, top)).astype(int)
    grades = np.array([[half], [top]])
    try:
        low, high = measure(JudgedRankings.full(grades, np.stack([pool, pool]), levels)).tolist()
    except InputError:
        return None
    return low / high if high > 0 else None
