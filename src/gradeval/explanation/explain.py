"""explain(): what a measure or a statistic of the comparison of judges is, and where it comes from."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from gradeval._core import InputError
from gradeval.arguments import known_arguments, nearest
from gradeval.explanation.acting import Acted, act_out
from gradeval.explanation.judge_statistics import PARTS, STATISTICS, StatisticExplanation, explain_statistic
from gradeval.formula.definition import REQUIRED, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import show_levels
from gradeval.formula.parameters import ByGrade, write
from gradeval.formula.spelling import parse_measure
from gradeval.tables.markup import escape


@dataclass(frozen=True)
class Explanation:
    """What a measure is: its documentation, its parameters, and an example; ``print`` shows all.

    Attributes
    ----------
    measure : what is explained.
    documentation : formula, conventions and source.
    parameters : a line for each: what it accepts, its default, its value here.
    example : the lines of a small ranking with the value down to each rank.
    acted : the random experiment that defines the measure, made on that ranking; None where it was not asked for.
    """

    measure: Measure
    documentation: str
    parameters: tuple[str, ...]
    example: tuple[str, ...]
    acted: Acted | None = None

    def __str__(self) -> str:
        if self.acted is not None:
            return "\n".join(_experiment(self.measure, self.acted))
        head = [str(self.measure), "", self.documentation, "", "Parameters"]
        return "\n".join([*head, *self.parameters, "", *self.example])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>\n"


@overload
def explain(measure: Measure, *, experiment: int | None = None, seed: int = 0) -> Explanation: ...
@overload
def explain(
    measure: str | Measure, *, experiment: int | None = None, seed: int = 0
) -> Explanation | StatisticExplanation: ...
@known_arguments()
def explain(
    measure: str | Measure, *, experiment: int | None = None, seed: int = 0
) -> Explanation | StatisticExplanation:
    """Explain a measure: formula, conventions, source, parameters, and an example worked out on the spot.

    A statistic of ``judges``, such as "kappa" or "skill", is explained by its meaning and source.

    Parameters
    ----------
    measure : a measure or its spelling; or the name of a statistic.
    experiment : make the random experiment that defines the measure (AP, GAP, xGAP, eGAP, muAP) so many times; then
        ``print`` shows its steps, a few draws in words, and the share of draws that ended in 1 beside the exact value.
    seed : of the experiment.

    Raises
    ------
    InputError : an unknown measure; a measure that no experiment defines; fewer than 2 draws.

    >>> print(gradeval.explain("GAP(g=[0.1,0.9])"))  # doctest: +SKIP
    """
    if isinstance(measure, str) and (statistic := explain_statistic(measure)) is not None:
        if experiment is not None:
            raise InputError(f"{measure} is a statistic of judges, and no experiment defines it; leave experiment out")
        return statistic
    try:
        parsed = parse_measure(measure)
    except InputError as error:
        near = nearest(measure, [*STATISTICS, *PARTS]) if isinstance(measure, str) else ""
        if near:
            raise InputError(f"no measure and no statistic of judges is called {measure!r}{near}") from None
        raise error
    documentation = inspect.getdoc(parsed.definition.formula) or ""
    acted = None
    if experiment is not None:
        ranking, pool, levels = small_ranking(parsed)
        acted = act_out(parsed, JudgedRankings.of(ranking, pool=pool, levels=levels), trials=experiment, seed=seed)
    return Explanation(parsed, documentation, tuple(_parameters(parsed)), tuple(work_out_example(parsed)), acted)


def _experiment(measure: Measure, acted: Acted) -> list[str]:
    """The random experiment that defines the measure, made on the small ranking."""
    ranking, pool, levels = small_ranking(measure)
    listed = " ".join("-" if grade is None else f"{grade:g}" for grade in ranking)
    return [
        f"{measure} as a random experiment",
        "",
        *(f"  {number}. {step}" for number, step in enumerate(acted.steps, 1)),
        f"  Source: {acted.source}.",
        "",
        f"Example: a ranking of the grades {listed} (-: unjudged)",
        f"  The pool holds, of the grades {show_levels(levels)}: {', '.join(map(str, pool))} documents.",
        "",
        *(f"  draw {number}: {told}" for number, told in enumerate(acted.told, 1)),
        "  ...",
        "",
        f"  {acted.estimate.trials} draws, seed {acted.seed}: {acted.estimate.value:.4f} of them ended in 1, "
        f"standard error {acted.estimate.error:.4f}",
        f"  {measure} = {acted.exact:.4f}",
    ]


def _parameters(measure: Measure) -> list[str]:
    """A line for each parameter: what it accepts, its default, its value here."""
    definition = measure.definition
    lines = []
    for name, default in definition.parameters.items():
        kind, optional = definition.kinds[name]
        spelled = f"{name} (@)" if name == definition.at else name
        lines.append((spelled, kind.accepts + (" or None" if optional else ""), default, measure.parameters[name]))
    lines.append(("judged_only", "True or False", False, measure.judged_only))
    names, accepted = (max(len(line[column]) for line in lines) for column in (0, 1))
    return [
        f"  {name:<{names}}  {accepts:<{accepted}}  "
        + ("must be given" if default is REQUIRED else f"default {write(default)}")
        + (f", here {write(value)}" if value != default else "")
        for name, accepts, default, value in lines
    ]


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
