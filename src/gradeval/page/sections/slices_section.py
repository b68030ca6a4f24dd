"""The best runs by slices of the topics: does the lead hold in each?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradeval._core import InputError
from gradeval.messages import join_names, list_some, plural
from gradeval.page.dots_picture import Dot, DotBounds, choose_ticks, dots_picture, with_room
from gradeval.page.section import Material, Section, Still, Titled
from gradeval.scores.score_table import bounds_at, decimals
from gradeval.scores.scores import ONE, Scores
from gradeval.scores.slices import FEWEST, Slice
from gradeval.studies.sliced_lead import SlicedLead
from gradeval.tables.text import shorten

HEADING = "Does the lead hold in every slice of the topics?"
SHOWN = 8
"""The best runs that are shown."""
MOST = 23
"""Slices that have a picture, besides the one of all topics."""
LETTERS = 40
"""Letters of the name of a slice in a sentence."""
NAMED = 3
"""Slices, and runs, that a sentence names."""


def slices(material: Material) -> Section | None:
    """Small pictures of the means by slice, and where the leader is behind; None where no slices were asked for."""
    lead = material.sliced
    if lead is None:
        return None
    measure = str(lead.scores.measures[0])
    pictures, left = _draw_slices(lead)
    tables = [Titled("Means by slice", lead.scores.table(ci=True), folded=True)]
    if lead.comparison is not None:
        compared = lead.comparison.table()
        without_means = replace(compared, grids=compared.grids[1:])  # which stand above
        tables.append(Titled(f"Differences from {lead.leader} by slice", without_means, folded=True))
    by = [] if material.origin is None else material.origin.slicing
    others = len(material.overview.scores.runs) > len(lead.scores.runs)
    runs = ["--runs", f"top:{len(lead.scores.runs)}:{measure}"] if others else []
    words = ["-m", measure, "--baseline", lead.leader, *by, *runs]
    return Section(
        "slices",
        HEADING,
        _answer_whether_it_holds(lead),
        [*_explain_slices(lead, others), *left],
        tables=tables,
        redo=[material.redo("compare", *words)] if by and lead.comparison is not None else [],
        multiples=pictures,
        meaning=list(_meaning(lead)),
    )


def _answer_whether_it_holds(lead: SlicedLead) -> str:
    """Where another run is ahead of the leader, if the tests say so; else what they say."""
    compared, leader = lead.comparison, lead.leader
    if compared is None:
        return f"Whether the lead of {leader} holds in each slice is not known: {lead.why}."
    if not compared.interactions:
        return f"No slice is tested: that needs two slices of {FEWEST} {compared.unit} or more."
    if said := say_where_a_lead_depends(lead):
        return said
    tests = sum(len(one.p) for one in compared.interactions)
    return f"No lead of {leader} is shown to depend on the slice ({plural(tests, 'test')} at {compared.whole.alpha:g})."


def say_where_a_lead_depends(lead: SlicedLead) -> str:
    """In which slices other runs are ahead of the leader or furthest behind; empty: no test says that it depends."""
    leader = lead.leader
    turned = lead.turned
    if turned:
        spec = f".{decimals(lead.scores.measures[0], 4)}f"
        told = [f"{one.run} is ahead by {one.difference:{spec}} in {_name(one.slice)}" for one in turned]
        return f"{leader} is not ahead everywhere: {list_some(told, NAMED)}.{_say_where_runs_lose(lead)}"
    depending = lead.depending
    if depending:
        said = list_some([f"{run} (by {column})" for column, run, _ in depending], NAMED)
        open_ones = list_some(list(dict.fromkeys(_name(one.slice) for one in lead.undecided)), NAMED)
        so = f"no difference is shown in {open_ones}" if open_ones else "no tested slice reverses it"
        return f"The size of {leader}'s lead over {said} depends on the slice; {so}.{_say_where_runs_lose(lead)}"
    return ""


def _say_where_runs_lose(lead: SlicedLead) -> str:
    """A sentence on the slice in which each run on which the lead depends is furthest behind; empty: none shows it."""
    spec = f".{decimals(lead.scores.measures[0], 4)}f"
    told = [f"{one.run} by {-one.difference:{spec}} in {_name(one.slice)}" for one in lead.lost]
    return f" Furthest behind {lead.leader}: {list_some(told, NAMED)}." if told else ""


def _explain_slices(lead: SlicedLead, others: bool) -> Iterator[str]:
    """The p values of what the answer says, and what is not shown or tested."""
    compared = lead.comparison
    for column, run, p in lead.depending[:NAMED]:
        yield f"{run}: its difference from {lead.leader} depends on {column} (p {max(p, 1e-4):.4f}, by Holm)."
    if others:
        yield f"Shown are the best {len(lead.scores.runs)} runs by {lead.scores.measures[0]}."
    if compared is not None and compared.interactions:
        tested = [(one.column, one.label) for one in lead.tested]
        few = [_name(one.slice) for one in compared.slices if (one.slice.column, one.slice.label) not in tested]
        if few:
            yield f"Without a test: {join_names(few, NAMED)} ({plural(len(few), 'slice')})."


def _name(one: Slice) -> str:
    """A slice as sentences name it."""
    return shorten(str(one), LETTERS)


def _draw_slices(lead: SlicedLead) -> tuple[list[Still], list[str]]:
    """A picture of all topics and of each slice, and which slices have none."""
    unit = lead.scores.unit
    whole = replace(lead.scores, slices=None)
    slices = lead.scores.by_slice()
    shown = slices
    if len(slices) > MOST:
        largest = sorted(range(len(slices)), key=lambda place: -len(slices[place][1].topics))[:MOST]
        shown = [slices[place] for place in sorted(largest)]
    named = [(f"all {unit}", whole), *((str(one), part) for one, part in shown)]
    drawn, empty = [], []
    for name, part in named:
        try:
            means = part.mean()[:, 0].tolist()
        except InputError:
            empty.append(shorten(name, LETTERS))
            continue
        drawn.append((name, len(part.topics), means, _bounds(part)))
    ends = with_room([value for _, _, means, bounds in drawn for value in (*means, *sum(filter(None, bounds), ()))])
    pictures = []
    for name, topics, means, bounds in drawn:
        few = ", too few to be tested" if topics < FEWEST else ""
        said = f"{lead.scores.measures[0]} by run: {name}"
        dots = [
            Dot(run, mean, interval, place == 0, _tell(mean, interval))
            for place, (run, mean, interval) in enumerate(zip(lead.scores.runs, means, bounds, strict=True))
        ]
        picture = dots_picture(dots, choose_ticks(*ends), ends, said)
        pictures.append(Still(picture, name, f"{plural(topics, ONE[unit])}{few}"))
    left = [f"Pictures show the {MOST} largest of {len(slices)} slices; the table has all."] * (len(slices) > MOST)
    left += [f"No {ONE[unit]} counts in {join_names(empty, NAMED)}."] if empty else []
    return pictures, left


def _bounds(part: Scores) -> list[DotBounds]:
    """The intervals of the means by the first measure; none for too few topics."""
    nothing: list[DotBounds] = [None] * len(part.runs)
    if len(part.topics) < FEWEST:
        return nothing
    try:
        bounds = part.sel(measures=part.measures[:1]).ci()
    except InputError:
        return nothing
    return [bounds_at(bounds, run, 0) for run in range(len(part.runs))]


def _tell(mean: float, interval: DotBounds) -> str:
    """A mean and, where there is one, its interval."""
    return f"{mean:.4f}" if interval is None else f"{mean:.4f}, {interval[0]:.4f} to {interval[1]:.4f}"


def _meaning(lead: SlicedLead) -> Iterator[str]:
    yield (
        f"Each picture shows the same runs' means by {lead.scores.measures[0]}, in the same order and on the same "
        "scale. The full dot is the leader over all topics. Each line is the 95% interval of one mean."
    )
    yield (
        "Slices have few topics, so intervals that overlap in one slice and not in another say little. Welch's test "
        "asks whether a difference depends on the slice: are its means equal in all slices of a column? "
        f"Slices with {FEWEST} topics or more take part. It tests the leader against each other run that is shown, "
        "with Holm's correction over runs and columns. The answer names slices only if this test is "
        "significant and the slice's own interval excludes 0."
    )
