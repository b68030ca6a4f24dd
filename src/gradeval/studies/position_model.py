"""A model of clicks: how often a rank is looked at, times how often a grade attracts; fitted by EM."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.levels import Levels

Model: TypeAlias = tuple[Array, Array]
"""float64[..., rank], float64[..., level]: how often a rank is looked at, and how often a level attracts."""

SETTLED = 1e-9  # largest change of a probability
ROUNDS = 20_000


def fit_by_em(shown: Array, clicked: Array, begin: Model | None = None, settled: float = SETTLED) -> Model:
    """Fit P(click | rank r, level a) = examined[r] * attraction[a] by expectation maximisation.

    Parameters
    ----------
    shown, clicked : float64[..., rank, level]: how often documents of a level were shown at a rank, and clicked on.
        Leading axes are separate fits.
    begin : where to begin, such as the fit to similar counts.
    settled : largest change of a probability in the last round.

    Only products are observed: the scale is fixed at the end by an attraction of 1 for the top level.

    Source: Richardson, Dominowska & Ragno (2007), WWW; Chuklin, Markov & de Rijke (2015), Click Models for Web Search,
    sections 3.3 and 4.2.
    """
    at_rank, of_level = shown.sum(-1), shown.sum(-2)
    examined, attraction = begin or (ratio(clicked.sum(-1), at_rank) ** 0.5, ratio(clicked.sum(-2), of_level) ** 0.5)
    passed = shown - clicked
    for _ in range(ROUNDS):
        before = examined, attraction
        click = examined[..., :, None] * attraction[..., None, :]
        # Of those not clicked on, the share that was looked at all the same, and the share that would have attracted.
        looked = ratio(examined[..., :, None] - click, 1 - click)
        attractive = ratio(attraction[..., None, :] - click, 1 - click)
        examined = ratio((clicked + passed * looked).sum(-1), at_rank)
        attraction = ratio((clicked + passed * attractive).sum(-2), of_level)
        change = max(np.abs(examined - before[0]).max(), np.abs(attraction - before[1]).max())
        if change <= settled:
            break
    return examined, attraction


def require_comparable(shown: Array, clicked: Array, levels: Levels) -> Array:
    """bool[level]: which levels share ranks with the top level, directly or by way of others.

    What attracts and what is looked at can be told apart only where documents of several levels stand at one rank.
    A positive level that cannot be compared with the top one is an error.
    """
    for place in range(1, len(levels)):
        if not shown[:, place].any():
            raise InputError(
                f"no document of grade {levels[place]:g} is shown, so its users cannot be told; merge it by recoding"
            )
    if not clicked[:, -1].any():
        raise InputError(f"nobody clicked on a document of the top grade {levels[-1]:g}, which fixes the scale")
    used = (shown > 0) & (clicked.sum(1) > 0)[:, None]
    reached = np.zeros(len(levels), bool)
    reached[-1] = True
    while True:
        more = used[(used & reached).any(1)].any(0) | reached
        if (more == reached).all():
            break
        reached = more
    for place in range(1, len(levels)):
        if not reached[place]:
            raise InputError(
                f"give clicks on more rankings; no clicked rank links grade {levels[place]:g} to grade "
                f"{levels[-1]:g}, so position and relevance cannot be told apart"
            )
    return reached
