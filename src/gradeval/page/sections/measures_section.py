"""Which measure? What each of them tells, side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from gradeval.messages import capitalised, join_names, plural
from gradeval.page.dots_picture import Dot, choose_ticks, dots_picture, with_room
from gradeval.page.section import Material, Section, Still, Titled
from gradeval.studies.measure_criteria import Criterion, informative, power, robust_until, tied, unbeaten
from gradeval.studies.report_results import FEWEST_RUNS, OF_MEASURES, TESTED, Overview
from gradeval.tables.grid import Cell, Column, Estimate, Grid, places_of_best
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

HEADING = "Which measure should I trust here?"
FIELDS = "measure criterion value lower upper".split()
TICKED = "measure criterion among_best".split()
TAU = ".3f"
TICK, WITHOUT = "✓", "no value"
"""What says that no measure is shown to be better, and that a study says nothing of a measure."""


def measures(material: Material) -> Section | str:
    """One row a measure, a column a criterion, and the measures that no other beats; or why they are missing."""
    overview = material.overview
    if overview.few_runs and len(overview.scores.measures) > 1:
        few = plural(len(overview.scores.runs), "run")
        said = f"{few} cannot tell, as measures are judged by the pairs of runs that they tell apart; "
        return Section("measures", HEADING, f"{said}give {FEWEST_RUNS} runs or more.")
    criteria = _criteria(overview)
    if not criteria or len(overview.scores.measures) < 2:
        why = {name: overview.absent[name] for name in OF_MEASURES if name in overview.absent}
        each = "; ".join(f"{name}: {reason}" for name, reason in why.items())
        absent = (
            f" The studies are left out: {why['inform']}."
            if len({*why.values()}) == 1 and len(why) > 1
            else f" {each}."
        )
        return f"{HEADING} That needs two measures and a study of them.{absent if why else ''}"
    return Section(
        "measures",
        HEADING,
        _answer_which_measures(overview, criteria),
        [*_name_the_beaten(overview, criteria), *_name_absent(overview)],
        tables=[
            Titled("Which measure?", _table_of_ticks(overview, criteria), first=True),
            Titled("The measures by each criterion", _table_of_criteria(overview, criteria), folded=True),
        ],
        redo=_redo(material),
        meaning=list(_meanings(overview)),
        multiples=list(_pictures(overview, criteria)),
        numbers=list(_numbers(overview)),
    )


def _criteria(overview: Overview) -> list[Criterion]:
    criteria = []
    if overview.discrimination is not None:
        criteria.append(power(overview.discrimination, overview.powers))
    if overview.robust is not None:
        criteria.append(robust_until(overview.robust))
    if overview.informative is not None:
        criteria += informative(overview.informative, overview.scores)
    if criteria:
        criteria.append(tied(overview.scores))
    return criteria


def _answer_which_measures(overview: Overview, criteria: Sequence[Criterion]) -> str:
    """Which measures are ahead by how many criteria, and that the topics do not tell by the others."""
    names, topics = list(map(str, overview.scores.measures)), f"these {overview.scores.unit}"
    asked = criteria[:-1]  # not by ties
    won = Counter(names[criterion.best()] for criterion in asked if criterion.wins())
    left = len(asked) - won.total()
    if not won:
        return f"{capitalised(topics)} cannot tell which measure to take: none is ahead of all others by any criterion."
    [(first, number), *others] = won.most_common()
    of_all = f"{number} of {len(asked)} criteria" if len(asked) > 1 else "the only criterion"
    said = [f"{first} is ahead by {of_all}", *(f"{name} by {count}" for name, count in others)]
    if left:
        said[-1] += f"; by the other {'one' if left == 1 else left} {topics} cannot tell"
    return f"{', '.join(said)}."


def _name_the_beaten(overview: Overview, criteria: Sequence[Criterion]) -> list[str]:
    """The measures that another one beats by every criterion."""
    names, left = list(map(str, overview.scores.measures)), unbeaten(criteria)
    beaten = [name for place, name in enumerate(names) if place not in left]
    return (
        [f"Another measure is better by every criterion: take it in place of {join_names(beaten)}."] if beaten else []
    )


def _table_of_ticks(overview: Overview, criteria: Sequence[Criterion]) -> Table:
    """A tick where the best measure by a criterion is not shown to be better; nothing where it is."""
    columns = [Column("measure", "name"), *(Column(each.merit, "text") for each in criteria)]
    by_criterion = [_among_best(criterion) for criterion in criteria]
    rows: list[list[Cell]] = []
    records: list[list[Value]] = []
    for place, measure in enumerate(map(str, overview.scores.measures)):
        among = [best[place] for best in by_criterion]
        rows.append([measure, *(WITHOUT if best is None else TICK * best for best in among)])
        records += [[measure, each.merit, best] for each, best in zip(criteria, among, strict=True)]
    return Table([Grid(columns, rows)], Records.of(TICKED, records))


def _among_best(criterion: Criterion) -> list[bool | None]:
    """Of each measure, is the best one not shown to be better? None where the criterion says nothing."""
    beaten = criterion.beats()[criterion.best()].tolist()
    return [None if math.isnan(value) else not less for value, less in zip(criterion.values, beaten, strict=True)]


def _meanings(overview: Overview) -> Iterator[str]:
    """The rule, what each criterion says, and where its intervals come from."""
    yield (
        "A tick, and a full dot: the best measure by this criterion is not shown to be better. One tick in a column: "
        "that measure is ahead of all others. The line of a dot is its interval."
    )
    yield (
        "The rule: a measure beats another if it is better by every criterion in the table, share of ties, too. "
        "Better means that the intervals do not overlap; for pairs told apart, that the interval of the difference "
        "excludes 0. A measure without a value for a criterion is not beaten. There is no overall score."
    )
    if overview.discrimination is not None:
        yield (
            "Pairs told apart: the share of the pairs of runs whose difference a bootstrap test calls significant at "
            f"{overview.discrimination.alpha:g}; high is good."
        )
    if overview.powers is not None:
        yield (
            f"Intervals of the pairs told apart come from {overview.powers.samples} bootstrap samples of the topics. "
            f"In each sample all pairs are tested with {TESTED} further samples (seed {overview.seed})."
        )
    if overview.robust is not None:
        least = overview.robust.judged_share.mean(1).min()
        yield (
            "Judgments at which tau falls under 0.9: we remove judgments at random until the order of runs changes "
            f"so much. (tau 1: the same order; -1: the opposite.) Low is good; {least:.1%} is the least we "
            "tried. The interval spans the lowest to the highest of "
            f"{plural(overview.robust.values.shape[1], 'random selection')}."
        )
    if overview.informative is not None:
        yield (
            "Error of the inferred curve: a measure's value alone lets one infer where in a list the relevant "
            "documents stand. The error is how far the inferred precision-recall curve is from the real one. "
            "Low is good."
        )
        yield _explain_inference(overview)


def _name_absent(overview: Overview) -> list[str]:
    """The studies that were left out, and why."""
    return [f"Left out: {study} ({overview.absent[study]})." for study in OF_MEASURES if study in overview.absent]


def _explain_inference(overview: Overview) -> str:
    """From how many rankings curves were inferred, and for which measures not."""
    assert overview.informative is not None
    sentences = [
        f"Curves were inferred from {overview.inferred} of {overview.eligible} rankings that hold enough documents"
    ]
    if overview.inferred < overview.eligible:
        sentences.append(f"they were drawn with seed {overview.seed}, and gradeval inform takes all")
    inferred = overview.informative.measures
    silent = [str(measure) for measure in overview.scores.measures if measure not in inferred]
    if silent:
        sentences.append(
            f"{join_names(silent)} {'has' if len(silent) == 1 else 'have'} no expected value in closed form"
        )
    return "; ".join(sentences) + "."


def _table_of_criteria(overview: Overview, criteria: Sequence[Criterion]) -> Table:
    columns = [Column("measure", "name"), *(Column(each.name, spec=each.spec) for each in criteria)]
    correlations, reference = overview.correlations, overview.measure
    if correlations is not None:
        columns.append(Column(f"tau with {reference}", spec=TAU))
    rows: list[list[Cell]] = []
    records: list[list[Value]] = []
    for place, measure in enumerate(overview.scores.measures):
        cells = [_estimate(each, place) for each in criteria]
        if correlations is not None:
            cells.append(correlations.estimate(measure, reference) if measure != reference else None)
        rows.append([str(measure), *cells])
        for column, cell in zip(columns[1:], cells, strict=True):
            if isinstance(cell, Estimate):
                records.append([str(measure), column.title, cell.value, *(cell.bounds or (None, None))])
    best = {(place, column) for column, criterion in enumerate(criteria, 1) for place in _best_shown(criterion)}
    return Table([Grid(columns, rows, best=frozenset(best))], Records.of(FIELDS, records))


def _best_shown(criterion: Criterion) -> list[int]:
    """The places of the values that are shown as the best one is."""
    shown = ["" if math.isnan(value) else format(value, criterion.spec) for value in criterion.values.tolist()]
    return places_of_best(shown, shown[criterion.best()])


def _estimate(criterion: Criterion, measure: int) -> Estimate | None:
    value = float(criterion.values[measure])
    low, high = criterion.intervals[measure].tolist()
    return None if math.isnan(value) else Estimate(value, bounds=(low, high) if low < high else None)


def _pictures(overview: Overview, criteria: Sequence[Criterion]) -> Iterator[Still]:
    """A small picture of the measures by each criterion, and one of how alike they order the runs."""
    names = list(map(str, overview.scores.measures))
    for criterion in criteria:
        estimates = [_estimate(criterion, place) for place in range(len(names))]
        better = "higher" if criterion.higher else "lower"
        picture = _draw_measures(names, estimates, _among_best(criterion), criterion.spec, criterion.name)
        yield Still(picture, capitalised(criterion.merit), f"{criterion.name}; {better} is better")
    correlations, reference = overview.correlations, overview.measure
    if correlations is not None:
        others = [measure for measure in overview.scores.measures if measure != reference]
        taus = [correlations.estimate(measure, reference) for measure in others]
        title = f"Orders the runs as {reference} does"
        picture = _draw_measures(list(map(str, others)), taus, [False] * len(others), TAU, title)
        yield Still(picture, title, "Kendall's tau; 1 is the same order")


def _draw_measures(
    names: Sequence[str], estimates: Sequence[Estimate | None], strong: Sequence[bool | None], spec: str, title: str
) -> str:
    """A dot for each measure; ``spec``: how its value is written."""
    known = [end for one in estimates if one is not None for end in (one.value, *(one.bounds or ()))]
    low, high = with_room(known, 0.05)
    ends = (max(0.0, low) if min(known) >= 0 else low, high)
    dots = []
    for name, one, full in zip(names, estimates, strong, strict=True):
        if one is None:
            dots.append(Dot(name, None, None, False, WITHOUT))
            continue
        told = f"{one.value:{spec}}"
        if one.bounds is not None:
            told = f"{told} {Column('', spec=spec).write(one.bounds)}"
        dots.append(Dot(name, one.value, one.bounds, bool(full), told))
    return dots_picture(dots, choose_ticks(*ends), ends, title, form="%" if spec.endswith("%") else "")


def _numbers(overview: Overview) -> Iterator[Titled]:
    """The tables of the studies from which the criteria come."""
    studies = {
        "Kendall's tau between the orders of the runs by two measures": overview.correlations,
        "Pairs of runs told apart": overview.discrimination,
        "Kendall's tau with the order by all judgments, with fewer of them": overview.robust,
        "Error of the inferred precision-recall curve": overview.informative,
    }
    for title, study in studies.items():
        if study is not None:
            yield Titled(title, study.table(), folded=True)


def _redo(material: Material) -> list[str]:
    overview = material.overview
    names = " ".join(map(str, overview.scores.measures))
    seed = ["--seed", str(overview.seed)]
    commands = []
    if overview.correlations is not None:
        samples = str(overview.correlations.samples)
        commands.append(material.redo("correlate", "-m", names, "--samples", samples, *seed))
    if overview.discrimination is not None:
        commands.append(material.redo("discriminate", "-m", names, *seed))
    if overview.powers is not None:
        settings = ["--samples", str(TESTED), "--resamples", str(overview.powers.samples)]
        commands.append(material.redo("power-differences", "-m", names, *settings, *seed))
    if overview.robust is not None:
        samples = str(overview.robust.values.shape[1])
        commands.append(material.redo("robustness", "-m", names, "--samples", samples, *seed))
    if overview.informative is not None and overview.inferred == overview.eligible:
        able = " ".join(map(str, overview.informative.measures))
        samples = str(overview.informative.samples)
        commands.append(material.redo("inform", "-m", able, "--samples", samples, *seed))
    return commands
