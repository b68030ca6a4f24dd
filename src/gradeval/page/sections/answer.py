"""Who leads, by how much, and is that sure?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gradeval.formula.arithmetic import tiny
from gradeval.formula.definition import Measure
from gradeval.messages import as_sentence, join_names, plural
from gradeval.page.dots_picture import MANY, Dot, choose_ticks, dots_picture, with_room
from gradeval.page.section import JUDGED, Material, Section, Still, Titled
from gradeval.page.sections.slices_section import say_where_a_lead_depends
from gradeval.scores.score_table import bounds_at, decimals
from gradeval.studies.decision import PairDecision
from gradeval.studies.paired_power import CHANCE, most_to_say, topics_to_find, write_about
from gradeval.studies.ranks import RankSets
from gradeval.studies.report_results import Overview
from gradeval.studies.significance import centre, name_correction, pair_values
from gradeval.studies.topic_set_size import TopicSetSize
from gradeval.tables.grid import Cell, Column, Grid, write_p
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

HEADING = "Which run is best, and how sure is that?"
NAMED = 5
"""Groups of runs that are the same, of which so many are named."""
MOST = 40
"""Runs that the pictures show, besides all that may be the best."""


def answer(material: Material) -> Section:
    """The leader, the runs that cannot be told from it, by how much it leads, and what to do if one must choose."""
    overview = material.overview
    measure = str(overview.measure)
    leader = overview.scores.runs[overview.order[0]]
    mean = f"{overview.scores.mean()[overview.order[0], 0]:.{decimals(overview.measure, 4)}f}"
    if len(overview.scores.runs) == 1:
        return Section("answer", HEADING, f"There is one run, {leader}: its {measure} is {mean}.")
    if overview.ranks is None:
        said = f"{leader} has the highest {measure}, {mean}; how sure that is cannot be said."
        return Section("answer", HEADING, said, details=[f"Why not: {overview.absent['ranks']}."])
    tables, sizes = [], _sizes(overview)
    decision = overview.decision
    if decision is not None:
        over = f"t test, {name_correction('holm')} over {plural(len(decision.measures), 'measure')}"
        title = f"{decision.candidate} less {decision.baseline} by each measure ({over})"
        tables.append(Titled(title, _table_of_decision(decision), folded=len(decision.measures) == 1))
    if sizes is not None:
        how = f"paired t test by one measure at {sizes.alpha:g}, power {1 - sizes.beta:g}"
        title = f"Topics needed to find a difference between two runs ({how})"
        tables.append(Titled(title, sizes.table(), True))
    return Section(
        "answer",
        HEADING,
        _answer_who_leads(overview, mean),
        tiles=list(_tiles(overview)),
        facts=list(_facts(overview)),
        details=[*_details_of_slices(material), *_details(overview)],
        meaning=list(_meaning(overview, material.after_regrading)),
        tables=tables,
        redo=[material.redo(*_command(overview))],
        stills=list(_stills(overview)),
    )


def _sizes(overview: Overview) -> TopicSetSize | None:
    """How many topics a difference needs; None where it is not known, as of runs that are all the same."""
    alike = overview.identical[:1] == [overview.order]
    return None if alike else overview.sizes


def _command(overview: Overview) -> list[str]:
    """The command that computes the answer anew."""
    if overview.decision is None:
        return ["ranks", "-m", str(overview.measure), "--seed", str(overview.seed)]
    baseline = [] if overview.baseline is None else ["--baseline", overview.baseline]
    return ["compare", "-m", " ".join(map(str, overview.scores.measures)), *baseline]


def _answer_who_leads(overview: Overview, mean: str) -> str:
    """Who leads, by how much, and how many may be the best; of two runs, what to do."""
    ranks, measure = overview.ranks, overview.measure
    assert ranks is not None
    if overview.decision is not None:
        return as_sentence(overview.decision.sentence)
    leaders, best, runs = (ranks.judged_of(some) for some in (ranks.leaders(measure), ranks.best(measure), ranks.runs))
    if ranks.unjudged and len(runs) < 2:
        return ranks.undecided
    lead, others = _lead(overview), f"{ranks.undecided} Of the others, " if ranks.unjudged else ""
    if len(leaders) > 1:
        said = f"{others}{join_names(leaders, 3)} lead by {measure} with {mean} each"
    elif len(best) == 1:
        return f"{others}{leaders[0]} is the best of {len(runs)} runs{lead}{ranks.doubt(measure)}."
    else:
        said = f"{others}{leaders[0]} leads{lead}"
    return f"{said}; {len(best)} of {len(runs)} runs may be the best{ranks.doubt(measure)}."


def _lead(overview: Overview) -> str:
    """By how much the leader is ahead, and of which run; empty where all are equal."""
    follower = _follower(overview)
    if follower is None:
        return ""
    means, digits = overview.scores.mean()[:, 0], decimals(overview.measure, 4)
    return f" by {means[overview.order[0]] - means[follower]:.{digits}f} over {overview.scores.runs[follower]}"


def _details_of_slices(material: Material) -> Iterator[str]:
    """In which slices another run is ahead, or furthest behind, where a test says that the lead depends on them."""
    if material.sliced is not None and (said := say_where_a_lead_depends(material.sliced)):
        yield said


def _details(overview: Overview) -> Iterator[str]:
    """All runs that may be the best, where there are several; which are the same; what the measure is."""
    ranks = overview.ranks
    assert ranks is not None
    if overview.decision is not None and (about := overview.decision.about_needed):
        yield as_sentence(about)
    best = ranks.best(overview.measure)
    if len(best) > 1 and overview.decision is None:
        yield f"May be the best by {overview.measure}: {join_names(best)}."
    for group in overview.identical[:NAMED]:
        names = [overview.scores.runs[run] for run in group]
        yield f"Runs with equal {overview.measure} on every topic: {join_names(names)}."
    if meaning := overview.measure.meaning:
        yield f"What is {overview.measure}? {meaning}."


def _tiles(overview: Overview) -> Iterator[tuple[str, str]]:
    """The leader, its lead, how sure that is, over how many topics, and how much is judged."""
    ranks, scores = overview.ranks, overview.scores
    assert ranks is not None
    first, follower, digits = overview.order[0], _follower(overview), decimals(overview.measure, 3)
    means = scores.mean()[:, 0]
    yield "Leader", f"{join_names(ranks.leaders(overview.measure), 3)} {means[first]:.{digits}f}"
    if follower is not None:
        yield "Lead", f"{means[first] - means[follower]:.{decimals(overview.measure, 4)}f}"
    yield "How sure?", _tell_how_sure(overview, ranks)
    yield scores.unit.capitalize(), f"{len(scores.topics):,}"
    shares = overview.judged_top
    shown = [first] if len(scores.runs) > 2 else overview.order[:2]  # of two runs, one may be judged less
    if len(scores.runs) > 2 and shares is not None and ranks.unjudged_losses:
        doubted = {one.run for one in ranks.unjudged_losses[0]}
        shown += sorted(
            (run for run in overview.order if scores.runs[run] in doubted), key=lambda run: shares[run] or 0
        )[:1]
    judged = [] if shares is None else [(shares[run], scores.runs[run]) for run in shown]
    if said := [f"{share:.1%} of {run}" for share, run in judged if share is not None]:
        yield JUDGED, ", ".join(said)


def _tell_how_sure(overview: Overview, ranks: RankSets) -> str:
    """How many runs may be the best; of two runs, by how many measures one is significantly better."""
    decision = overview.decision
    if decision is not None:
        if decision.unjudged:
            return "not decided"
        verdicts = decision.verdicts
        told = {word: verdicts.count(word) for word in ("better", "worse") if word in verdicts}
        said = ", ".join(f"{decision.candidate} {word} by {number}" for word, number in told.items())
        of = plural(len(verdicts), "measure")
        return f"{said or 'no difference shown by any'} of {of}{decision.doubt}"
    best = ranks.best(overview.measure)
    alone = f"{100 * (1 - ranks.alpha):.4g}% sure: the best by {overview.measure}"
    said = alone if len(best) == 1 else f"{len(best)} of {len(ranks.runs)} may be the best"
    return f"{said}{ranks.doubt(overview.measure)}"


def _stills(overview: Overview) -> Iterator[Still]:
    """Differences with their intervals first; of more than two runs also the ranks."""
    ranks, measure, decision = overview.ranks, overview.measure, overview.decision
    assert ranks is not None
    confidence = f"{100 * (1 - ranks.alpha):.4g}%"
    if decision is not None:
        kept = [place for place, each in enumerate(decision.measures) if place == 0 or _on_one_scale(each, measure)]
        dots = [
            _difference(
                str(decision.measures[place]),
                decision.difference[place],
                (decision.lower[place], decision.upper[place]),
                decision.verdicts[place] != "not told apart",
            )
            for place in kept
        ]
        axis = f"{decision.candidate} less {decision.baseline}"
        caption = f"{axis}: the difference (dot) and its {confidence} interval (line). A full dot is significant."
        yield Still(_draw_differences(dots, axis), caption)
        return
    shown = _shown(ranks)
    highest = ranks.mean[0].max()
    dots = [
        _difference(
            ranks.runs[run], ranks.mean[0, run] - highest, ranks.from_best[0, run], bool(ranks.may_be_best[0, run])
        )
        for run in shown
    ]
    leader = ranks.leaders(measure)[0]
    logarithms = " (logarithms)" if measure.definition.aggregate == "geometric" else ""
    axis = f"{measure}{logarithms}: difference from {leader}"
    left_out = f" Shown are {len(shown)} of {len(ranks.runs):,} runs." if len(shown) < len(ranks.runs) else ""
    caption = (
        "Each dot is a run's difference from the leader. "
        f"Its line is the {confidence} interval of the difference from the truly best run. "
        f"Runs with a full dot may be the best.{left_out}"
    )
    yield Still(_draw_differences(dots, axis), caption, tab="Differences")
    caption = (
        f"Each dot is a run's rank by {measure}, its line the interval of ranks. Runs with a full dot may be the best."
    )
    yield Still(_draw_ranks(ranks, shown), f"{caption}{left_out}", tab="Ranks")


def _difference(name: str, value: float, bounds: Iterable[float], strong: bool) -> Dot:
    """A difference and its interval."""
    low, high = map(float, bounds)
    if np.isnan(low):
        return Dot(name, float(value), None, strong, f"{value:+.4f}")
    return Dot(name, float(value), (low, high), strong, f"{value:+.4f} [{low:+.4f}, {high:+.4f}]")


def _draw_differences(dots: Sequence[Dot], axis: str) -> str:
    """Differences with their intervals, on an axis with a line at 0."""
    ends = with_room([0.0, *(end for dot in dots for end in dot.bounds or ())], 0.01)
    return dots_picture(dots, choose_ticks(*ends, MANY), ends, axis, axis=axis, form="+")


def _draw_ranks(ranks: RankSets, shown: Sequence[int]) -> str:
    """The rank of each of these runs by the first measure with its interval, full dots where it may be the best."""
    dots = []
    for run in shown:
        rank, low, high = (int(each[0, run]) for each in (ranks.rank, ranks.lower, ranks.upper))
        strong = bool(ranks.may_be_best[0, run])
        dots.append(Dot(ranks.runs[run], rank, (low, high), strong, f"rank {rank}, {low} to {high}"))
    highest = max(2, *(int(ranks.upper[0, run]) for run in shown))
    ticks = [1, *(rank for rank in choose_ticks(1, highest, MANY) if rank > 1 and rank.is_integer())]
    return dots_picture(dots, ticks, (1, highest), f"Ranks by {ranks.measures[0]}", axis="rank")


def _on_one_scale(measure: Measure, first: Measure) -> bool:
    """Can both stand on one axis: are both means of values from 0 to 1?"""
    return all(
        each.definition.aggregate == "mean" and "bounded" not in each.definition.exempt for each in (measure, first)
    )


def _shown(ranks: RankSets) -> list[int]:
    """The runs of the pictures: the first ``MOST``, and all others that may be the best."""
    order = np.argsort(-ranks.mean[0], kind="stable").tolist()
    return [run for place, run in enumerate(order) if place < MOST or ranks.may_be_best[0, run]]


def _table_of_decision(decision: PairDecision) -> Table:
    """The candidate less the baseline by each measure, with what was decided."""
    columns = [Column("measure", "name"), Column("difference", spec="+.4f"), Column("interval", spec="+.4f")]
    columns += [Column(title, "text") for title in ("in percent", "p", "p (holm)", "won/lost", "verdict")]
    rows: list[list[Cell]] = []
    records: list[list[Value]] = []
    for place, measure in enumerate(decision.measures):
        numbers = [float(each[place]) for each in (decision.difference, decision.lower, decision.upper)]
        p = [float(each[place]) for each in (decision.p, decision.corrected)]
        won = [int(each[place]) for each in (decision.wins, decision.losses)]
        told = [decision.lift(place), *(write_p(one, 4) for one in p), f"{won[0]}/{won[1]}", decision.verdicts[place]]
        rows.append([str(measure), numbers[0], (numbers[1], numbers[2]), *told])
        records.append([str(measure), *numbers, decision.relative[place], *p, *won, decision.verdicts[place]])
    fields = "measure value lower upper relative p corrected wins losses verdict".split()
    return Table([Grid(columns, rows)], Records.of(fields, records))


def _follower(overview: Overview) -> int | None:
    """The best judged run whose mean is lower than the leader's, of two runs the other one; None: all are equal."""
    ranks = overview.ranks
    assert ranks is not None
    behind = [run for run in overview.order if ranks.rank[0, run] > 1]
    return next((run for run in behind if ranks.runs[run] not in ranks.unjudged), behind[0] if behind else None)


def _facts(overview: Overview) -> Iterator[tuple[str, str]]:
    """The leader and the next, topic by topic, how sure the answer is, and what to do about it."""
    ranks, measure, scores = overview.ranks, overview.measure, overview.scores
    assert ranks is not None
    first, second = overview.order[0], _follower(overview)
    if second is not None:
        yield str(measure), ", ".join(_mean(overview, run) for run in (first, second))
        differences = np.subtract(*pair_values(scores)[0].T[[first, second]])
        equal = tiny(differences, np.abs(scores.credited[[first, second], :, 0]).max())
        better, same = int((~equal & (differences > 0)).sum()), int(equal.sum())
        text = f"better than {scores.runs[second]} on {better} of {len(equal)} topics, worse on "
        yield "By topic", f"{text}{len(equal) - better - same}" + (f", equal on {same}" if same else "")
    best, confidence = ranks.best(measure), f"{100 * (1 - ranks.alpha):.4g}%"
    if overview.decision is not None:
        return
    doubt = ranks.doubt(measure)
    if len(best) == 1:
        yield "How sure", f"with {confidence} confidence {scores.runs[first]} is the best of these runs{doubt}"
        return
    yield "How sure", f"with {confidence} confidence the best run is one of these {len(best)}{doubt}"
    leaders = ranks.leaders(measure)
    choice = " or ".join(leaders) if len(leaders) <= 3 else f"any of the {len(leaders)} leaders"
    yield "If you must choose", f"{choice}: no run is shown to be better. {_topics_for_the_lead(overview, second)}"


def _mean(overview: Overview, run: int) -> str:
    """A run, its mean and, where there is one, the interval of that."""
    digits = decimals(overview.measure, 4)
    value = f"{overview.scores.runs[run]} {overview.scores.mean()[run, 0]:.{digits}f}"
    bounds = bounds_at(overview.bounds, run, 0)
    return value if bounds is None else f"{value} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"


def _topics_for_the_lead(overview: Overview, second: int | None) -> str:
    """How many topics would show a lead as large as the first run's over this one."""
    sizes, first = overview.sizes, overview.order[0]
    if second is None:
        return "All runs have the same mean."
    other = overview.scores.runs[second]
    differences = np.subtract(*pair_values(overview.scores)[0].T[[first, second]])
    mean, _, deviation = centre(differences)
    lead, spread = float(mean), float(deviation)  # exactly 0 where all topics differ by the same amount
    if sizes is None or not lead > 0 or not spread > 0:
        return f"These topics do not separate {overview.scores.runs[first]} from {other}."
    have = f"You have {len(differences)} topics"
    needed = topics_to_find(lead / spread, sizes.alpha, len(differences))
    if needed is None:
        most = f"{most_to_say(len(differences)):,}"
        return f"{have}. To confirm so small a lead over {other} you need more than {most} topics."
    test = (
        f"(Paired t test of these two runs by {overview.measure} alone, at {sizes.alpha:g}, of {lead:+.4f}, "
        f"power {CHANCE:g}.)"
    )
    if needed <= len(differences):
        return f"{have}; a test against {other} alone needs {needed:,}, but you picked the leader after looking. {test}"
    return f"{have}. To confirm so small a lead over {other} you need about {write_about(needed)}, likely more. {test}"


def _meaning(overview: Overview, after: str) -> Iterator[str]:
    """How to read the picture, and what the confidence is in."""
    ranks, sizes = overview.ranks, _sizes(overview)
    assert ranks is not None
    yield (
        f"A run is one system's answer to {len(ranks.topics)} topics (queries): a ranked list of documents for each. "
        f"The judgments give documents grades; grade {overview.relevant_from:g} or more{after} is relevant"
        f"{overview.other_thresholds}. "
        f"{overview.measure} scores each list by the ranks of "
        "its relevant documents. The mean over the topics scores the run; higher is better."
    )
    yield _explain_ranks(ranks) if overview.decision is None else _explain_decision(overview.decision)
    if sizes is not None:
        needed = sizes.needed[0].tolist()
        counts = ", ".join(f"{number:,} for {by:g}" for number, by in zip(needed, sizes.differences, strict=True))
        yield (
            f"Topics that a paired t test by {overview.measure} alone needs to find a difference: {counts}. You have "
            f"{len(sizes.topics)}. (Power {1 - sizes.beta:g}, alpha {sizes.alpha:g}.)"
        )


def _explain_ranks(ranks: RankSets) -> str:
    """What the intervals of several runs say."""
    confidence = f"{100 * (1 - ranks.alpha):.4g}%"
    return (
        "Other topics might order the runs differently. In the picture of ranks, the interval of a run contains its "
        f"rank over all topics like these. With {confidence} confidence all {len(ranks.runs)} intervals are right at "
        "once. "
        '"Which run is best?" is easier than "which rank?": it can exclude a run whose interval begins at 1. '
        f"With {confidence} confidence the best run has a full dot. To know what is chance, both answers "
        f"compare differences between runs with differences by chance: {ranks.method}."
    )


def _explain_decision(decision: PairDecision) -> str:
    """What the intervals of two runs say, and by which rule one of them is taken."""
    confidence, both = f"{100 * (1 - decision.alpha):.4g}%", f"{decision.candidate} and {decision.baseline}"
    several = len(decision.measures) > 1
    by_itself = "Each interval is by itself; p values are corrected over the measures (Holm). " if several else ""
    rule = (
        "it is significantly better by some measure and worse by none"
        if several
        else f"it is significantly better by {decision.measures[0]}"
    )
    return (
        f"Other topics might give another difference between {both}. The line of a dot is the {confidence} interval "
        f"of the difference over all such topics (paired t test). {by_itself}"
        f"The rule: ship {decision.candidate} if {rule}. Keep {decision.baseline} in the opposite case. "
        "Else these topics do not decide."
    )
