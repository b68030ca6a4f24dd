"""A small ranking with the value of a measure down to each rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradeval.formula.definition import REQUIRED, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import show_levels
from gradeval.formula.parameters import ByGrade

RANKING = (2, 0, None, 3, 1, 0, 1)
"""Grades by rank (at most the highest of the scale); None: nobody judged it."""
MORE = 1  # documents of each level that the ranking does not return


def small_ranking(measure: Measure) -> tuple[list[float | None], list[int], Sequence[float]]:
    """The ranking of the example, its pool, and a scale on which the measure makes sense."""
    levels = _levels(measure)
    ranking = [None if grade is None else levels[min(grade, len(levels) - 1)] for grade in RANKING]
    return ranking, [ranking.count(level) + MORE for level in levels], levels


def work_out_example(measure: Measure) -> list[str]:
    """A small ranking with the measure's value down to each rank: what each document adds."""
    shown = _with_cutoff(measure)
    ranking, pool, levels = small_ranking(measure)

    def value(length: int) -> float:
        return float(shown(JudgedRankings.of(ranking[:length], pool=pool, levels=levels))[0])

    lines = [
        f"Example: {shown} of a ranking of {len(ranking)} documents",
        f"  The pool holds, of the grades {show_levels(levels)}: {', '.join(map(str, pool))} documents.",
        "",
        "  rank  grade     value down to here  change",
    ]
    before = value(0)
    for rank, grade in enumerate(ranking, 1):
        after = value(rank)
        text = "unjudged" if grade is None else f"{grade:g}"
        lines.append(f"  {rank:>4}  {text:<8}  {after:>18.4f}  {after - before:+.4f}")
        before = after
    return [*lines, "", f"  {shown} = {before:.4f}"]


def _with_cutoff(measure: Measure) -> Measure:
    """A measure that needs a cutoff gets one."""
    at = measure.definition.at
    if at is None or measure.parameters[at] is not REQUIRED:
        return measure
    return measure @ (0.5 if at == "recall" else 5)


def _levels(measure: Measure) -> Sequence[float]:
    """Grades 0..3, or a scale on which the measure's own parameters make sense."""
    parameters: dict[str, Any] = measure.parameters
    if isinstance(parameters.get("g"), tuple) and not isinstance(parameters["g"], ByGrade):
        return [float(level) for level in range(len(parameters["g"]) + 1)]
    named = {float(grade) for value in parameters.values() if isinstance(value, ByGrade) for grade, _ in value}
    named |= {float(parameters["rel"])} if parameters.get("rel") else set()
    return sorted({0.0, 1.0, 2.0, 3.0} | {grade for grade in named if grade > 0})
