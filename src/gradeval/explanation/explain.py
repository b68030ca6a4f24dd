"""explain(): what a measure or a statistic of the comparison of judges is, and where it comes from."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias, overload

from gradeval._core import InputError
from gradeval.arguments import known_arguments, number, whole
from gradeval.explanation.acting import Acted, act_out
from gradeval.explanation.judge_statistics import EXPLAINED_WITH, STATISTICS, StatisticExplanation, explain_statistic
from gradeval.explanation.references import bibtex, cited_by, references
from gradeval.formula.aliases import explain_elsewhere
from gradeval.formula.definition import REGISTRY, REQUIRED, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import show_levels
from gradeval.formula.parameters import ByGrade, write
from gradeval.formula.spelling import parse_measure
from gradeval.messages import nearest
from gradeval.tables.markup import escape


class Example(NamedTuple):
    """A ranking that is worked out: grades by rank (None: nobody judged it), the pool by level, and the levels."""

    ranking: Sequence[float | None]
    pool: Sequence[int]
    levels: Sequence[float]

    def judged(self, length: int | None = None) -> JudgedRankings:
        """The first documents of the ranking, by default all."""
        return JudgedRankings.of(self.ranking[:length], pool=self.pool, levels=self.levels)


@dataclass(frozen=True)
class Explanation:
    """What a measure is: its documentation, its parameters, and an example; ``print`` shows all.

    Attributes
    ----------
    measure : what is explained.
    documentation : formula, conventions and source.
    parameters : a line for each: what it accepts, its default, its value here.
    example : the lines of a small ranking with the value down to each rank.
    ranking : that ranking.
    acted : the random experiment that defines the measure, made on that ranking; None where it was not asked for.
    alone : is the example shown alone, as it is the reader's own?
    references : a line for each text that the source names.
    bibtex : the same as entries of BibTeX; empty where the source is a program.
    """

    measure: Measure
    documentation: str
    parameters: tuple[str, ...]
    example: tuple[str, ...]
    ranking: Example
    acted: Acted | None = None
    alone: bool = False
    references: tuple[str, ...] = ()
    bibtex: str = ""

    def __str__(self) -> str:
        if self.acted is not None:
            return "\n".join(_experiment(self.measure, self.acted, self.ranking))
        if self.alone:
            return "\n".join(self.example)
        cited = ["References", *(f"  {one}" for one in self.references), ""] if self.references else []
        head = [str(self.measure), "", self.documentation, "", *cited, "Parameters"]
        return "\n".join([*head, *self.parameters, "", *self.example])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>\n"


GradesByRank: TypeAlias = Sequence[float | None]
"""The grades of a ranking, from rank 1 on; None: nobody judged it."""


@overload
def explain(
    measure: Measure,
    *,
    experiment: int | None = None,
    seed: int = 0,
    grades: GradesByRank | None = None,
    pool: Sequence[int] | None = None,
) -> Explanation: ...
@overload
def explain(
    measure: str | Measure,
    *,
    experiment: int | None = None,
    seed: int = 0,
    grades: GradesByRank | None = None,
    pool: Sequence[int] | None = None,
) -> Explanation | StatisticExplanation: ...
@known_arguments()
def explain(
    measure: str | Measure,
    *,
    experiment: int | None = None,
    seed: int = 0,
    grades: GradesByRank | None = None,
    pool: Sequence[int] | None = None,
) -> Explanation | StatisticExplanation:
    """Explain a measure: formula, conventions, source, parameters, and an example worked out on the spot.

    A statistic of ``judges``, such as "kappa" or "skill", is explained by its meaning and source.

    Parameters
    ----------
    measure : a measure or its spelling; or the name of a statistic.
    experiment : make the random experiment that defines the measure (AP, GAP, xGAP, eGAP, muAP) so many times; then
        ``print`` shows its steps, a few draws in words, and the share of draws that ended in 1 with the exact value.
    seed : of the experiment.
    grades : the grades of a ranking of one's own, from rank 1 on, None where nobody judged: ``print`` then shows this
        example alone, or the experiment made on it.
    pool : how many documents there are of each level, from the lowest on, retrieved or not; by default the documents of
        ``grades``.

    Raises
    ------
    InputError : an unknown measure; a measure that no experiment defines; fewer than 2 draws; grades and a pool that do
        not fit together, or do not fit the measure.

    >>> print(gradeval.explain("GAP(g=[0.1,0.9])"))  # doctest: +SKIP
    """
    if isinstance(measure, str) and (statistic := explain_statistic(measure)) is not None:
        if experiment is not None:
            raise InputError(f"{measure} is a statistic of judges, and no experiment defines it; leave experiment out")
        if grades is not None or pool is not None:
            raise InputError(f"{measure} is a statistic of judges, which no ranking has; leave grades and pool out")
        return statistic
    try:
        parsed = parse_measure(measure)
    except InputError as error:
        unknown = isinstance(measure, str) and explain_elsewhere(measure) is None
        near = nearest(str(measure), [*STATISTICS, *EXPLAINED_WITH]) if unknown else ""
        if near and not _is_nearer_to_a_measure(str(measure)):
            raise InputError(f"no measure and no statistic of judges is called {measure!r}{near}") from None
        raise error
    documentation = inspect.getdoc(parsed.definition.formula) or ""
    if grades is None and pool is not None:
        raise InputError("pool= belongs to a ranking; give its grades=, too")
    ranking = small_ranking(parsed) if grades is None else own_ranking(parsed, grades, pool)
    example, lines = tuple(work_out_example(parsed, ranking)), tuple(_parameters(parsed))
    acted = None if experiment is None else act_out(parsed, ranking.judged(), trials=experiment, seed=seed)
    texts = tuple(references(parsed)), bibtex(cited_by(parsed))
    return Explanation(parsed, documentation, lines, example, ranking, acted, grades is not None, *texts)


def _is_nearer_to_a_measure(name: str) -> bool:
    """Is an unknown name more like a measure's name than a judge statistic's?"""
    statistics = [known.casefold() for known in (*STATISTICS, *EXPLAINED_WITH)]
    closest = get_close_matches(name.casefold(), [*statistics, *(known.casefold() for known in REGISTRY)], n=1)
    return bool(closest) and closest[0] not in statistics


def _experiment(measure: Measure, acted: Acted, example: Example) -> list[str]:
    """The random experiment that defines the measure, made on a ranking."""
    ranking, pool, levels = example
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
        *(f"  draw {number}: {trial}" for number, trial in enumerate(acted.described, 1)),
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
MOST_LEVELS = 100  # of whole numbers; a scale with higher ones has gaps


def small_ranking(measure: Measure) -> Example:
    """The ranking of the example, its pool, and a scale on which the measure makes sense."""
    levels = sorted({*_levels(measure), *([] if _has_shares(measure) else [1.0, 2.0, 3.0])})
    ranking = [None if grade is None else levels[min(grade, len(levels) - 1)] for grade in RANKING]
    return Example(ranking, [ranking.count(level) + MORE for level in levels], levels)


def own_ranking(measure: Measure, grades: GradesByRank, pool: Sequence[int] | None) -> Example:
    """A ranking of the reader's own. Its levels are its grades, grades that the measure names, and all between them
    where they are whole numbers; a pool that counts more has the levels 0, 1, 2 ..."""
    if not grades:
        raise InputError("grades is empty: accepted are the grades of a ranking as in [3, 0, None, 1]")
    known = [number("grades", grade, least=0) for grade in grades if grade is not None]
    levels = sorted({*_levels(measure), *known})
    if all(level == int(level) <= MOST_LEVELS for level in levels):
        levels = [float(level) for level in range(max(int(levels[-1]) + 1, len(pool or ())))]
    ranking = [None if grade is None else float(grade) for grade in grades]
    counts = [ranking.count(level) for level in levels] if pool is None else [whole("pool", n, 0) for n in pool]
    example = Example(ranking, counts, levels)
    example.judged()  # an InputError where the pool does not fit
    return example


def work_out_example(measure: Measure, example: Example | None = None) -> list[str]:
    """A ranking, by default a small one, with the measure's value down to each rank: what each document adds."""
    scored = _with_cutoff(measure)
    example = small_ranking(measure) if example is None else example
    ranking, pool, levels = example

    def value(length: int) -> float:
        return float(scored(example.judged(length))[0])

    lines = [
        f"Example: {scored} of a ranking of {len(ranking)} documents",
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
    return [*lines, "", f"  {scored} = {before:.4f}"]


def _with_cutoff(measure: Measure) -> Measure:
    """A measure that needs a cutoff gets one."""
    at = measure.definition.at
    if at is None or measure.parameters[at] is not REQUIRED:
        return measure
    return measure @ (0.5 if at == "recall" else 5)


def _has_shares(measure: Measure) -> bool:
    """Does the measure have a share of users for each positive level, and no names of levels?"""
    g = measure.parameters.get("g")
    return isinstance(g, tuple) and not isinstance(g, ByGrade)


def _levels(measure: Measure) -> Sequence[float]:
    """The grades that the measure's own parameters name, and 0."""
    parameters: dict[str, Any] = measure.parameters
    if _has_shares(measure):
        return [float(level) for level in range(len(parameters["g"]) + 1)]
    named = {float(grade) for value in parameters.values() if isinstance(value, ByGrade) for grade, _ in value}
    named |= {float(parameters["rel"])} if parameters.get("rel") else set()
    return sorted({0.0} | {grade for grade in named if grade > 0})
