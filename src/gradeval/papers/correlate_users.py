"""Does it matter which users GAP assumes? Correlations for every g.

Source: Ferrante, Ferro & Maistro (2014), tables 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import Alpha, Anything, Resamples, Seed, parse_number
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.levels import Levels
from gradeval.messages import Given
from gradeval.progress import Progress
from gradeval.studies.correlate import Correlations, EachStatistic, PairLayout, correlate_layouts, put_side_by_side
from gradeval.studies.study import Judged, study


class GridStep(Anything):
    """The step of a grid of probabilities: a number that divides 1."""

    metavar = "X"

    def check(self, name: str, value: Any) -> float:
        """The number."""
        try:
            return float(_exact(value))
        except InputError:
            raise InputError(Given(name, value), " is not a number that divides 1, as in 0.1") from None

    def parse(self, text: str) -> Any:
        """The number, as Python writes it."""
        return parse_number(text)


@study(
    measures="AP nDCG RBP(rel=1) Bpref",
    examples="""
      gradeval correlate-users qrels.txt runs/*
      gradeval correlate-users qrels.txt runs/* --topics all,few:2 --runs above-q1:AP --step 0.25 -o table.tex""",
    digits=3,
    join=put_side_by_side,
)
def correlate_users(
    data: Judged,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Resamples(0, 10_000_000)] = 1000,
    seed: Seed = 0,
    progress: Progress | None,
    step: Annotated[float | None, GridStep()] = None,
    statistic: EachStatistic = "kendall",
) -> Correlations:
    """Correlate GAP, xGAP and eGAP for every g on a grid with GAP of this g and with the measures.

    topics all,few:2 puts the topics with few highly relevant documents below all, as the paper does.

    Parameters
    ----------
    step : the step of the grid. Default: 0.1 for two positive levels, 0.2 for three, 0.25 for four, else 0.5.
    statistic : the rank correlation; several stand side by side. ``correlate`` says which there are.
    alpha : the level of the intervals: they cover 1 - alpha.
    samples : the bootstrap samples of the topics; 0: no intervals.

    Raises
    ------
    InputError : as ``correlate``; a grid of more than 1000 points.
    Source: Ferrante, Ferro & Maistro (2014), tables 2 and 3.
    """
    layout = lay_out_users(data.runs.levels, data.scores.measures, step)
    return correlate_layouts(data, [layout], alpha, samples, seed, progress, statistic)


def lay_out_users(levels: Levels, measures: Sequence[Measure], step: float | str | None = None) -> PairLayout:
    """GAP, xGAP and eGAP for every g on a grid, against GAP of the same g and some measures."""
    grid = user_grid(len(levels) - 1, step)
    rows, own = [], []
    for g in grid:
        for name in ("GAP", "xGAP", "eGAP"):
            rows.append(((",".join(f"{share:.3g}" for share in g), name), over_grid([name], [g])[0]))
            own.append(over_grid(["GAP"], [g])[0])
    return PairLayout(
        ("g", "measure"), rows, [("GAP", own), *((str(other), [other] * len(rows)) for other in measures)]
    )


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
    if arguments.whole("levels", levels, 0) < 1:
        raise InputError(f"a grid over {levels} positive levels: there must be one at least")
    exact = _exact(_STEPS.get(levels, "0.5") if step is None else step)
    parts = int(1 / exact)
    number = 1
    for place in range(1, levels):  # parts + levels - 1 choose levels - 1
        number = number * (parts + place) // place
        if number > _MOST:
            raise InputError(
                f"the grid of step {float(exact):g} over {levels} positive levels has more than {_MOST} points; "
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
