"""Does it matter what grades gain? Correlations of Q and R-measure.

Source: Sakai (2005), tables 1 to 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias

from gradeval._core import InputError
from gradeval.arguments import Alpha, Anything, Resamples, Seed, Several, find_twice, number, parse_number
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.levels import Levels, OtherLevels, show_levels
from gradeval.formula.spelling import parse_measure
from gradeval.messages import plain, shown
from gradeval.progress import Progress, part_of
from gradeval.studies import correlate_collections
from gradeval.studies.correlate import Correlations, EachStatistic, PairLayout, correlate_layouts, put_side_by_side
from gradeval.studies.correlate_collections import of_collections
from gradeval.studies.study import Judged, Result, study

Tables: TypeAlias = Literal["both", "Q", "RMeasure"]
"""Which tables are made: Sakai's 1 to 4 are about Q, 5 to 8 about R-measure."""


class _Gains(Anything):
    """One gain for each positive level, the highest first; on the command line with colons between them."""

    def check(self, name: str, value: Any) -> tuple[float, ...]:
        """The gains."""
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise InputError(f"{name}: {shown(value)} is not gains as in 2:1 or 3:2:1")
        return tuple(number(name, gain) for gain in value)

    def parse(self, text: str) -> Any:
        """The numbers between the colons."""
        gains = [parse_number(part) for part in text.split(":")]
        return gains if all(isinstance(gain, float) for gain in gains) else text


def join(parts: list[Any]) -> Result:
    """Several statistics side by side, of one collection or of several."""
    return (
        put_side_by_side(parts) if isinstance(parts[0], Correlations) else correlate_collections.put_side_by_side(parts)
    )


@study(
    measures="AP",
    examples="""
      gradeval correlate-gains qrels.txt runs/* --gains 3:2:1,30:20:10,1:1:1,10:5:1 --statistic spearman,kendall
      gradeval correlate-gains --collection C c/qrels 'c/*' --collection J j/qrels 'j/*' --gains 2:1,20:10""",
    digits=3,
    join=join,
    chooses_measures=False,
)
def correlate_gains(
    collections: Mapping[str, Judged],
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Resamples(0, 10_000_000)] = 1000,
    seed: Seed = 0,
    progress: Progress | None,
    gains: Annotated[Sequence[Sequence[float]] | None, Several(_Gains(), "gains as in 3:2:1,10:5:1")] = None,
    statistic: EachStatistic = "kendall",
    tables: Tables = "both",
) -> Result:
    """Correlate Q, AWP, RMeasure and RWP with several gains, as in Sakai's tables; with collections also on average.

    In the first table Q and AWP with every setting are correlated with relaxed and rigid AP (from the lowest and from
    the second positive level), and with Q and AWP of the first setting; in the second one R-measure and R-WP with every
    setting are correlated with R-measure and R-WP of the first setting, R-precision, and Q of the first setting.

    Parameters
    ----------
    gains : settings as in 3:2:1,10:5:1, each with a gain for each positive level. The highest grade comes first.
        Default: 3:2:1, ten times and a tenth of these gains, 1:1:1 and 10:5:1, the paper's; for other levels,
        settings like them.
    tables : which tables: Q's, RMeasure's, or both.
    statistic : the rank correlation; several stand side by side. ``correlate`` says which there are.
    alpha : the level of the intervals: they cover 1 - alpha.
    samples : the bootstrap samples of the topics; 0: no intervals.

    Raises
    ------
    InputError : gains that do not fit the levels of a collection, or fall with the grade; as ``correlate``.
    Source: Sakai (2005), tables 1 to 4 and 5 to 8.
    """
    correlations = {}
    for place, (name, judged) in enumerate(collections.items()):
        part = None if progress is None else part_of(progress, place, len(collections))
        try:
            levels = judged.runs.levels
            both = lay_out_gains(levels, gains_like_the_papers(len(levels) - 1) if gains is None else gains)
            layouts = [one for of, one in zip(("Q", "RMeasure"), both, strict=True) if tables in ("both", of)]
            correlations[name] = [correlate_layouts(judged, layouts, alpha, samples, seed, part, statistic)]
        except InputError as error:
            raise (error.within(name) if name else error) from None
    return correlations[""][0] if [*collections] == [""] else of_collections(correlations)


def gains_like_the_papers(levels: int) -> list[tuple[float, ...]]:
    """The settings of the paper for some positive levels, of which it has three; the highest grade first.

    >>> gains_like_the_papers(2)
    [(2.0, 1.0), (20.0, 10.0), (0.2, 0.1), (1.0, 1.0), (5.0, 1.0)]
    """
    linear = [float(gain) for gain in range(levels, 0, -1)]
    tenfold, tenth = ([gain * 10 for gain in linear], [gain / 10 for gain in linear])
    steep = [1.0, *(5.0 * 2**place for place in range(levels - 1))][::-1]
    return [tuple(each) for each in (linear, tenfold, tenth, [1.0] * levels, steep)]


def lay_out_gains(levels: Levels, settings: Sequence[Sequence[float]]) -> list[PairLayout]:
    """Sakai's tables: what other gains (of each positive level, the highest first) do to Q and to R-measure."""
    labels, gains = _gains_by_label(levels, settings)
    relaxed, rigid, rprec = (parse_measure(name) for name in ("AP", f"AP(rel={levels[2]:g})", "Rprec"))

    def table(title: str, names: tuple[str, str], fixed: Sequence[Measure], columns: Sequence[Measure]) -> PairLayout:
        rows = [(("", str(measure)), measure) for measure in fixed]
        for label, setting in zip(labels, gains, strict=True):
            rows += [((label, name), REGISTRY[name](gains=setting)) for name in names]
        own = [REGISTRY[name](gains=gains[0]) for name in (*names, "Q")]
        titles = [column.name if column in own else str(column) for column in columns]
        against = [(name, [column] * len(rows)) for name, column in zip(titles, columns, strict=True)]
        return PairLayout(("gains", "measure"), rows, against, f"{title}; columns: gains {labels[0]}")

    q, awp, r_measure, r_wp = (REGISTRY[name](gains=gains[0]) for name in ("Q", "AWP", "RMeasure", "RWP"))
    return [
        table("Q-measure", ("Q", "AWP"), [relaxed, rigid], [relaxed, rigid, q, awp]),
        table("R-measure", ("RMeasure", "RWP"), [rprec], [r_measure, r_wp, rprec, q]),
    ]


def _gains_by_label(levels: Levels, settings: Sequence[Sequence[float]]) -> tuple[list[str], list[dict[float, float]]]:
    """Each setting as people write it, and as gains of grades; an error where it does not suit the levels."""
    positive = levels[1:]
    if len(positive) < 2:
        raise OtherLevels(f"gains: the collection has one positive level ({show_levels(positive)}), gains need two")
    labels = [":".join(f"{gain:g}" for gain in setting) for setting in settings]
    if (twice := find_twice(labels)) is not None:
        raise InputError(plain("gains", twice), " are given twice")
    for label, setting in zip(labels, settings, strict=True):
        if len(setting) != len(positive):
            raise OtherLevels(
                plain("gains", label),
                f": {len(setting)} numbers, and the collection has {len(positive)} positive levels "
                f"({show_levels(positive)}); give one for each, highest grade first",
            )
        if any(higher < lower for higher, lower in pairwise(setting)):
            raise InputError(
                plain("gains", label),
                ": a lower grade gains more than a higher one; the gain of the highest grade comes first, as in 3:2:1",
            )
    return labels, [dict(zip(reversed(positive), setting, strict=True)) for setting in settings]
