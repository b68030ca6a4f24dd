"""Which measure is correlated with which: layouts of the tables in which papers print rank correlations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from gradeval import arguments
from gradeval._core import InputError
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.levels import Levels, show_levels
from gradeval.formula.spelling import parse_measure


@dataclass(frozen=True)
class Layout:
    """The pairs of measures that a table of correlations holds.

    Attributes
    ----------
    heads : the titles above the labels of the rows, as in ("g", "measure").
    rows : the labels of each row, and its measure.
    columns : the title of each column, and for each row the measure that it is correlated with.
    title : of the table, where there are several.
    """

    heads: tuple[str, ...]
    rows: Sequence[tuple[tuple[str, ...], Measure]]
    columns: Sequence[tuple[str, Sequence[Measure]]]
    title: str = ""

    @property
    def measures(self) -> list[Measure]:
        """All measures of the layout, each once."""
        others = (measure for _, column in self.columns for measure in column)
        return list(dict.fromkeys([*(measure for _, measure in self.rows), *others]))


def lay_out_measures(measures: Sequence[Measure], reference: Measure | None = None) -> Layout:
    """Each measure against each, or against one reference."""
    others = [measure for measure in measures if measure != reference]
    rows = [((str(measure),), measure) for measure in (measures if reference is None else others)]
    if not rows:
        raise InputError(f"{reference}: there is no other measure to correlate it with")
    against = measures if reference is None else [reference]
    return Layout(("measure",), rows, [(str(other), [other] * len(rows)) for other in against])


def lay_out_users(levels: Levels, measures: Sequence[Measure], step: str | None = None) -> Layout:
    """GAP, xGAP and eGAP for every g on a grid, against GAP of the same g and some measures.

    Source: Ferrante, Ferro & Maistro (2014), tables 2 and 3.
    """
    grid = user_grid(len(levels) - 1, step)
    rows, own = [], []
    for g in grid:
        for name in ("GAP", "xGAP", "eGAP"):
            rows.append(((",".join(f"{share:.3g}" for share in g), name), over_grid([name], [g])[0]))
            own.append(over_grid(["GAP"], [g])[0])
    return Layout(("g", "measure"), rows, [("GAP", own), *((str(other), [other] * len(rows)) for other in measures)])


def lay_out_gains(levels: Levels, settings: Sequence[Sequence[float]]) -> list[Layout]:
    """Sakai's tables: what other gains (of each positive level, the highest first) do to Q and to R-measure.

    In the first layout Q and AWP with every setting are correlated with relaxed and rigid AP (from the lowest and from
    the second positive level), and with Q and AWP of the first setting; in the second one R-measure and R-WP with every
    setting are correlated with those of the first setting, R-precision, and Q of the first setting.

    Source: Sakai (2005), tables 1 to 4 and 5 to 8.
    """
    labels, gains = _gains_by_label(levels, settings)
    relaxed, rigid, rprec = (parse_measure(name) for name in ("AP", f"AP(rel={levels[2]:g})", "Rprec"))

    def table(title: str, names: tuple[str, str], fixed: Sequence[Measure], columns: Sequence[Measure]) -> Layout:
        rows = [(("", str(measure)), measure) for measure in fixed]
        for label, setting in zip(labels, gains, strict=True):
            rows += [((label, name), REGISTRY[name](gains=setting)) for name in names]
        own = [REGISTRY[name](gains=gains[0]) for name in (*names, "Q")]
        titles = [column.name if column in own else str(column) for column in columns]
        against = [(name, [column] * len(rows)) for name, column in zip(titles, columns, strict=True)]
        return Layout(("gains", "measure"), rows, against, f"{title}; columns: gains {labels[0]}")

    q, awp, r_measure, r_wp = (REGISTRY[name](gains=gains[0]) for name in ("Q", "AWP", "RMeasure", "RWP"))
    return [
        table("Q-measure", ("Q", "AWP"), [relaxed, rigid], [relaxed, rigid, q, awp]),
        table("R-measure", ("RMeasure", "RWP"), [rprec], [r_measure, r_wp, rprec, q]),
    ]


def _gains_by_label(levels: Levels, settings: Sequence[Sequence[float]]) -> tuple[list[str], list[dict[float, float]]]:
    """Each setting as people write it, and as gains of grades; an error where it does not suit the levels."""
    positive = levels[1:]
    if len(positive) < 2:
        raise InputError(f"gains: the collection has one positive level ({show_levels(positive)}), gains need two")
    labels = [":".join(f"{gain:g}" for gain in setting) for setting in settings]
    for label, setting in zip(labels, settings, strict=True):
        if len(setting) != len(positive):
            raise InputError(
                f"gains {label}: {len(setting)} numbers, and the collection has {len(positive)} positive levels "
                f"({show_levels(positive)}); give one for each, highest grade first"
            )
        if any(higher < lower for higher, lower in pairwise(setting)):
            raise InputError(
                f"gains {label}: a lower grade gains more than a higher one; the gain of the highest grade comes "
                "first, as in 3:2:1"
            )
    return labels, [dict(zip(reversed(positive), setting, strict=True)) for setting in settings]


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
