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
    return labels, [dict(zip(reversed(positive), setting, strict=True)) for setting in settings]
