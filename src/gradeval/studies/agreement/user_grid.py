"""The grid of user populations over which GAP and its relatives are studied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from gradeval import checks
from gradeval._core import InputError
from gradeval.formula.definition import REGISTRY, Measure

_STEPS = {1: "1", 2: "0.1", 3: "0.2", 4: "0.25"}  # by the number of positive levels; 2 and 3 as in the paper
_MOST = 1000


def user_grid(levels: int, step: float | str | None = None) -> list[tuple[float, ...]]:
    """All threshold distributions g over some positive levels whose probabilities are multiples of a step.

    Equal shares are always among them: three levels and step 0.2 give (1/3, 1/3, 1/3), too. Ascending in g_1, then g_2
    and so on; two levels and step 0.1 give (0, 1), (0.1, 0.9), ... (1, 0).

    Parameters
    ----------
    levels : the number of positive levels of the collection.
    step : a number that divides 1; default 0.1 for two levels, 0.2 for three (21 points and equal shares), 0.25 for
        four, else 0.5.

    Source: Ferrante, Ferro & Maistro (2014), section 6, tables 2 and 3, which lack equal shares of three levels.
    """
    if checks.whole("levels", levels, 0) < 1:
        raise InputError(f"a grid over {levels} positive levels: there must be one at least")
    exact = _exact(_STEPS.get(levels, "0.5") if step is None else step)
    parts = int(1 / exact)
    number = 1
    for place in range(1, levels):  # parts + levels - 1 choose levels - 1
        number = number * (parts + place) // place
        if number > _MOST:
            raise InputError(
                f"the grid of step {float(exact):g} over {levels} positive levels has more than {_MOST} points: "
                "take a larger step, or merge levels"
            )
    points = {tuple(share * exact for share in shares) for shares in _compositions(parts, levels)}
    points.add((Fraction(1, levels),) * levels)
    return [tuple(map(float, point)) for point in sorted(points)]


def over_grid(names: Sequence[str], grid: Sequence[tuple[float, ...]]) -> list[Measure]:
    """Measures that have a parameter g (GAP, xGAP, eGAP), at every point of a grid."""
    measures = []
    for name in names:
        if name not in REGISTRY or "g" not in REGISTRY[name].parameters:
            able = ", ".join(sorted(each for each, measure in REGISTRY.items() if "g" in measure.parameters))
            raise InputError(f"{name} has no parameter g to run over a grid; these have: {able}")
        measures += [REGISTRY[name](g=g) for g in grid]
    return measures


def _exact(step: float | str) -> Fraction:
    try:
        exact = Fraction(str(step))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if not 0 < exact <= 1 or (1 / exact).denominator != 1:
        raise InputError(f"grid step {step} is not a number that divides 1, as in 0.1")
    return exact


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write ``total`` as an ordered sum of whole numbers from 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)
