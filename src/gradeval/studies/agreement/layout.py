"""Which measure is correlated with which: layouts of the tables in which papers print rank correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradeval._core import InputError
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.levels import Levels, show_levels
from gradeval.formula.spelling import parse_measure
from gradeval.studies.agreement.user_grid import over_grid, user_grid


@dataclass(frozen=True)
class Layout:
    """The pairs of measures that a table of correlations holds.

    Attributes
    ----------
    heads : the titles above the labels of the rows, as in ("g", "measure").
    rows : the labels of each row, and its measure.
    columns : the title of each column, and for each row the measure that it is correlated with.
    """

    heads: tuple[str, ...]
    rows: Sequence[tuple[tuple[str, ...], Measure]]
    columns: Sequence[tuple[str, Sequence[Measure]]]

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


def lay_out_gains(levels: Levels, settings: Sequence[Sequence[float]]) -> Layout:
    """Q, AWP, R-measure and R-WP for some gains (of each positive level, the highest first), against relaxed and rigid
    AP (the second positive level), AWP of the same gains and R-precision.

    Source: Sakai (2005), tables 1 to 8.
    """
    positive = levels[1:]
    if len(positive) < 2:
        raise InputError(f"gains: the collection has one positive level ({show_levels(positive)}), gains need two")
    rows, own = [], []
    for setting in settings:
        label = ":".join(f"{gain:g}" for gain in setting)
        if len(setting) != len(positive):
            raise InputError(
                f"gains {label}: {len(setting)} numbers, and the collection has {len(positive)} positive levels "
                f"({show_levels(positive)}); give one for each, highest grade first"
            )
        gains = dict(zip(reversed(positive), setting, strict=True))
        for name in ("Q", "AWP", "RMeasure", "RWP"):
            rows.append(((label, name), REGISTRY[name](gains=gains)))
            own.append(REGISTRY["AWP"](gains=gains))
    relaxed, rigid, rprec = (parse_measure(name) for name in ("AP", f"AP(rel={positive[1]:g})", "Rprec"))
    fixed = [(str(other), [other] * len(rows)) for other in (relaxed, rigid, rprec)]
    return Layout(("gains", "measure"), rows, [*fixed[:2], ("AWP", own), fixed[2]])
