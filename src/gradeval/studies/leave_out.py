"""Which runs lose ranks if they, or their group, had not been pooled?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Threads, Whole
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows, pooled_places, thinned, topic_of
from gradeval.formula.arithmetic import Array, part_of_row, ratio, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure
from gradeval.messages import list_some, plural
from gradeval.progress import Progress, Step
from gradeval.scores.scores import Scores, find_places
from gradeval.scores.scoring import score
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import require_enough
from gradeval.studies.run_groups import Groups, about_absent, find_absent, places_of_groups
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

FIRST = 10
"""Ranks of which one expects all documents of a pooled run to be judged, where no depth is given; also the depth of
shallow pools for a measure without a cutoff."""
POOLED = 0.95
"""The share of judged documents at the top of a run that made the pool; a few are taken out of pools."""
FOREIGN = 0.05
"""The share of judged documents from other runs that is still let pass without a word."""


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Result):
    """Each run under the full pool, and under the pool without the documents that only it, or its group, brought.

    Attributes
    ----------
    full, without : float64[measure, run]: the mean of the run under either pool.
    rank, rank_without : int64[measure, run]: its rank among all runs, which are scored under the same pool.
    unique, unique_relevant : int64[run]: judged documents that no other run, or group, brought; those above grade 0.
    pool_depth : how far down a run a document counts as brought by it; None: anywhere.
    shallow_depths, rank_shallow : where ``pool_depth`` is None, for each measure its cutoff (or 10), and
        int64[measure, run]: ``rank_without`` where pools take this many documents only. Else None.
    measures, runs, topics : what was scored.
    groups : the group of each run, None where it has none and is left out alone. None: no run has one.
    absent : names with a group that are no run here, as of runs that were withdrawn.
    foreign : share of the judged documents that none of the runs brought: others made the pool, too.
    judged_share : float64[run]: share of judged documents among the first ``pool_depth`` ones of a run, or 10.
    """

    full: Array
    without: Array
    rank: Array
    rank_without: Array
    unique: Array
    unique_relevant: Array
    pool_depth: int | None
    shallow_depths: list[int] | None
    rank_shallow: Array | None
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    foreign: float
    judged_share: Array
    groups: list[str | None] | None = None
    absent: Sequence[str] = ()

    def sel(self, runs: Sequence[str]) -> LeftOut:
        """Some of the runs; ranks stay among all runs."""
        places = find_places(runs, self.runs, "run")
        by_measure = {name: getattr(self, name)[:, places] for name in ("full", "without", "rank", "rank_without")}
        by_run = {name: getattr(self, name)[places] for name in ("unique", "unique_relevant", "judged_share")}
        if self.rank_shallow is not None:
            by_measure["rank_shallow"] = self.rank_shallow[:, places]
        groups = None if self.groups is None else [self.groups[place] for place in places]
        return replace(self, **by_measure, **by_run, runs=list(runs), groups=groups)

    def table(self, digits: int = 4) -> Table:
        """A grid a measure: the runs that lose most ranks first, among equals those whose means fall most."""
        grids = [self._grid(place, digits) for place in range(len(self.measures))]
        shallow = None if self.shallow_depths is None else np.array(self.shallow_depths)[:, None]
        named = [group is not None for group in self.groups or ()]
        group = np.ma.array([group or "" for group in self.groups], mask=~np.array(named)) if self.groups else None
        records = Records.over(
            {"measure": self.measures, "run": self.runs},
            group=group,
            statistic="mean",
            value=self.full,
            without=self.without,
            rank=self.rank,
            rank_without=self.rank_without,
            unique=self.unique,
            unique_relevant=self.unique_relevant,
            pool_depth=self.pool_depth,
            shallow_depth=shallow,
            rank_shallow=self.rank_shallow,
            topics=len(self.topics),
        )
        return Table(grids, records)

    @property
    def pooled(self) -> bool:
        """Are these the runs that made the pool, so that the trial is fair?"""
        return bool((self.judged_share >= POOLED).all()) and self.foreign <= FOREIGN

    def answer(self, measure: str | Measure) -> str:
        """How many runs would rank lower without the judgments that they alone brought, and by which depth of pools."""
        place = place_of_measure(measure, self.measures, "ranks")
        took = "all ranked documents" if self.pool_depth is None else f"depth {self.pool_depth}"
        losers, most = self._losers(self.rank_without[place] - self.rank[place])
        absent = "if not pooled" if self.groups is None else "if their group were not pooled"
        said = f"{losers} of {plural(len(self.runs), 'run')} would rank lower {absent}{most}"
        answer = f"{self.measures[place]}: by pools of {took}, {said}"
        if self.shallow_depths is not None and self.rank_shallow is not None:
            losers, most = self._losers(self.rank_shallow[place] - self.rank[place])
            answer += f"; by pools of depth {self.shallow_depths[place]}, {losers} would{most}"
        return answer if self.pooled else f"{answer}; uncertain: these runs did not make the whole pool"

    def _losers(self, lost: Array) -> tuple[int | str, str]:
        """How many runs lose ranks, and the run that loses most of them, or how many do."""
        losers, most = int((lost > 0).sum()), int(lost.max())
        worst = np.flatnonzero(lost == most).tolist()
        named = self.runs[worst[0]] if len(worst) == 1 else "each" if len(worst) == losers else f"{len(worst)} runs"
        return losers or "none", f" ({named} by {plural(most, 'rank')})" if losers else ""

    @property
    def _in_captions(self) -> str:
        where = f"within its first {self.pool_depth} documents" if self.pool_depth is not None else "at any rank"
        alone = "it alone has" if self.groups is None else "only its group has"
        groups = "" if self.groups is None else f" of {plural(len({*self.groups} - {None}), 'group')}"
        alone_too = sum(group is None for group in self.groups or ())
        groups += f" and {alone_too} of none" if alone_too else ""
        depth = "" if self.shallow_depths is None else "; the last ranks are by pools of the depth that their head says"
        return (
            f"each run is scored without the judgments of documents that {alone} {where}: {len(self.runs)} "
            f"runs{groups}, {len(self.topics)} topics{depth}"
        )

    @property
    def description(self) -> str:
        """What was left out, and what that shows, in a sentence."""
        team = (
            "if these runs made the pool, this shows how an unpooled run would fare; runs of one team hide each "
            "other's documents, so a team without a run in the pool may lose more; groups leave out whole teams"
            if self.groups is None
            else "if these runs made the pool, this shows how a team would fare that took no part"
        )
        return f"{self._in_captions}; {team}"

    def _grid(self, measure: int, digits: int) -> Grid:
        rank, deep = self.rank[measure], self.rank_without[measure]
        shallow = deep if self.rank_shallow is None else self.rank_shallow[measure]
        fall = self.without[measure] - self.full[measure]
        order, number = np.lexsort([rank, fall, rank - shallow, rank - deep]), f".{digits}f"
        full, without = self.full[measure, order], self.without[measure, order]
        groups = [] if self.groups is None else [(Column("group", "name"), [self.groups[run] for run in order])]
        last = [(Column("rank without", spec="d"), deep[order])]
        if self.shallow_depths is not None:
            last += [(Column(f"rank without, depth {self.shallow_depths[measure]}", spec="d"), shallow[order])]
        grid = Grid.of_columns(
            (Column("run", "name"), [self.runs[run] for run in order]),
            *groups,
            (Column("unique documents", spec="d"), self.unique[order]),
            (Column("unique relevant", spec="d"), self.unique_relevant[order]),
            (Column("mean", spec=number), full),
            (Column("mean without", spec=number), without),
            (Column("difference", spec=f"+{number}"), np.round(without - full, digits) + 0.0),  # + 0.0: no -0.000
            (Column("rank", spec="d"), rank[order]),
            *last,
            title=str(self.measures[measure]),
        )
        return replace(grid, foot="runs that lose most ranks stand first")


@study(
    examples="""
      gradeval leave-out qrels.txt runs/*
      gradeval leave-out qrels.txt runs/* --pool-depth 10 -m "AP Bpref" -o left.tsv
      gradeval leave-out qrels.txt runs/* --groups teams.csv -m AP
      gradeval leave-out qrels.txt runs/* --runs elm,oak --plot left.svg""",
    digits=3,
)
def leave_out(
    data: Judged,
    /,
    *,
    pool_depth: Annotated[int | None, Whole(1, unit="ranks")] = None,
    groups: Annotated[Mapping[str, str] | None, Groups()] = None,
    threads: Threads = 0,
    progress: Progress,
) -> LeftOut:
    """Judge each run without the documents that only it brought to the pool, all other runs likewise.

    So would a run fare that did not contribute. With ``groups`` it loses the documents that only runs of its group
    brought, as if the whole team had stayed away. The study assumes that the judged runs made the pool; ``runs``
    chooses which of them are shown. Without ``pool_depth`` the table also has the ranks by pools as deep as the
    measure's cutoff (or 10).

    Parameters
    ----------
    pool_depth : how many of its first ranks a run brought to the pool. None: all documents that it has.
    groups : the group of each run, such as its team. A run without one is a group alone. Or a file: a run and its group
        in each line, or columns named as Run tag and Team. FILE:COLUMN says which column holds the groups. Names that
        are no run, as of withdrawn runs, are ignored with a note if every run has a group; else they are an error.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, a depth below 1, a group of all runs, names of no run while runs lack a
        group.
    Source: Zobel (1998), "How reliable are the results of large-scale information retrieval experiments?"; by groups
    Buckley, Dimmick, Soboroff & Voorhees (2007), "Bias and the limits of pooling for large collections".
    """
    judged, measures, chosen = data.runs, data.scores.measures, data.scores.topics
    scores = score(judged, measures, missing=data.scores.missing, empty=data.scores.empty)
    require_enough(scores.sel(topics=chosen))
    here = judged.grading.judged[:-1] & np.isin(topic_of(judged), find_places(chosen, judged.topics, "topic"))
    names, group = _group_runs(groups, judged.runs)
    only, anywhere = _brought_by(judged, pool_depth, group)
    brought = np.where(here, only, -1)
    depths = [measure.cutoff or FIRST for measure in measures]
    trials = [(brought, scores)]
    if pool_depth is None:
        for depth in sorted(set(depths)):
            alike = [measure for measure, own in zip(measures, depths, strict=True) if own == depth]
            trials.append((np.where(here, _brought_by(judged, depth, group)[0], -1), scores.sel(measures=alike)))
    means = _leave_each_out(judged, trials, len(names), chosen, threads, progress)
    shallow = {
        measure: ranks
        for (_, some), found in zip(trials[1:], means[1:], strict=True)
        for measure, ranks in zip(some.measures, _ranks_of_own(found, group), strict=True)
    }
    full = rounded(scores.sel(topics=chosen).mean().T)
    relevant = brought[judged.grading.grades[:-1] > 0]
    left = LeftOut(
        full=full,
        without=means[0][group, :, np.arange(len(group))].T,
        rank=1 + (full[:, None, :] > full[:, :, None]).sum(-1),
        rank_without=_ranks_of_own(means[0], group),
        unique=_count_by_group(brought, len(names))[group],
        unique_relevant=_count_by_group(relevant, len(names))[group],
        pool_depth=pool_depth,
        shallow_depths=depths if shallow else None,
        rank_shallow=np.array([shallow[measure] for measure in measures]) if shallow else None,
        measures=measures,
        runs=scores.runs,
        topics=chosen,
        foreign=float(ratio((here & ~anywhere).sum(), here.sum())),
        judged_share=_judged_first(judged, chosen, pool_depth or FIRST),
        groups=None if groups is None else [names[place] for place in group],
        absent=find_absent(groups, judged.runs),
    )
    answers = [Note.answer(left.answer(measure)) for measure in measures]
    left = left.sel(data.scores.runs)
    return replace(left, notes=[*answers, *about_groups(left), Note.method(left.description), *about_pool(left)])


def _leave_each_out(
    judged: JudgedRuns,
    trials: Sequence[tuple[Array, Scores]],
    groups: int,
    topics: Sequence[str],
    threads: int,
    progress: Progress,
) -> list[Array]:
    """float64[group left out, measure, run] for each trial: the means without what a group brought.

    ``trials``: intp[document], the group that brought it alone, and the scores by all judgments.
    """
    means = [np.zeros((groups, len(scores.measures), len(judged.runs))) for _, scores in trials]

    def rescore(trial: int, group: int, step: Step) -> None:
        alone, scores = trials[trial]
        means[trial][group] = rounded(_without(judged, alone == group, scores).sel(topics=topics).mean().T)
        step(1)

    tasks = [partial(rescore, trial, group) for trial in range(len(trials)) for group in range(groups)]
    run_in_parallel(tasks, threads, progress, len(tasks))
    return means


def _group_runs(groups: Mapping[str, str] | None, runs: Sequence[str]) -> tuple[list[str | None], Array]:
    """The names of the groups, and intp[run]: the group of each run; a run without one is a group without a name."""
    named = places_of_groups(groups, runs)
    group, names = np.full(len(runs), -1), list(named)
    for place, members in enumerate(named.values()):
        group[members] = place
    alone = np.flatnonzero(group < 0)
    if len(alone) and (absent := find_absent(groups, runs)):
        listed = list_some([runs[place] for place in alone.tolist()])
        are = f"{plural(len(absent), 'name')} there {'is' if len(absent) == 1 else 'are'} no run here"
        raise InputError(
            f"groups: {plural(len(alone), 'run')} without a group ({listed}), and {are} ({list_some(absent)}); "
            "give each run its group, or delete these names"
        )
    group[alone] = len(names) + np.arange(len(alone))
    return [*names, *[None] * len(alone)], group


def about_groups(left: LeftOut) -> Iterator[Note]:
    """Which runs have no group, and which names with a group are no run."""
    yield from about_absent(left.absent)
    alone = [run for run, group in zip(left.runs, left.groups or (), strict=False) if group is None]
    if alone:
        have = "has" if len(alone) == 1 else "have"
        yield Note(
            f"{plural(len(alone), 'run')} {have} no group ({list_some(alone)}); each is left out alone",
            own_weight=NoteWeight.OMISSION,
        )


def _ranks_of_own(means: Array, group: Array) -> Array:
    """int64[measure, run]: the rank of each run by means[group left out, measure, run]."""
    own = means[group]
    return np.asarray(1 + (own > own[np.arange(len(group)), :, np.arange(len(group))][:, :, None]).sum(-1).T)


def about_pool(left: LeftOut) -> Iterator[Note]:
    """Where the runs are not those that made the pool, and whether there was anything to leave out."""
    depth = left.pool_depth or FIRST
    unjudged = [
        f"{1 - share:.0%} of {run}"
        for run, share in sorted(zip(left.runs, left.judged_share.tolist(), strict=True), key=lambda pair: pair[1])
        if share < POOLED
    ]
    if unjudged:
        have = "has" if len(unjudged) == 1 else "have"
        yield Note(
            f"{len(unjudged)} of {plural(len(left.runs), 'run')} {have} unjudged documents down to rank {depth} "
            f"({list_some(unjudged)}); the pool lacks these documents, so such a run may lose more than is shown",
            CoverageWarning,
            own_weight=NoteWeight.OMISSION,
        )
    if left.foreign > FOREIGN:
        where = "" if left.pool_depth is None else f" down to rank {depth}"
        yield Note(
            f"{left.foreign:.0%} of the judged documents are in none of these runs{where}, so other runs made the "
            "pool, too; give these as well, where you have them: they may share documents that one run alone has here",
            CoverageWarning,
            own_weight=NoteWeight.OMISSION,
        )
    if not left.unique.any():
        yield Note("every judged document of a run is in another run, too, so nothing changes")


def _judged_first(judged: JudgedRuns, topics: Sequence[str], depth: int) -> Array:
    """float64[run]: the share of judged documents among the first ranks."""
    places = find_places(topics, judged.topics, "topic")
    lines = np.minimum(judged.retrieved, depth)[:, places].sum(-1)
    return ratio(judged.top(depth).judged_retrieved[:, places].sum(-1), lines)


def _without(judged: JudgedRuns, lost: Array, scores: Scores) -> Scores:
    """The scores where the judgments lost[document] were never made; only their topics are scored anew."""
    if not lost.any():
        return scores
    places = np.unique(topic_of(judged)[lost])
    rows = np.isin(np.arange(len(judged)) % len(judged.topics), places)
    left = thinned(only_rows(judged, rows), ~lost)
    anew = score(left, scores.measures, missing=scores.missing, empty=scores.empty)
    values, vacant = scores.values.copy(), scores.vacant.copy()
    values[:, places], vacant[places] = anew.values[:, places], anew.vacant[places]
    return replace(scores, values=values, vacant=vacant)


def _brought_by(judged: JudgedRuns, depth: int | None, group: Array) -> tuple[Array, Array]:
    """intp[document]: the only group whose runs have a document of the pools among their first ``depth``; -1: several,
    or none.

    Also whether any run has it there.
    """
    places = pooled_places(judged)
    who = group[part_of_row(judged.offsets) // len(judged.topics)]
    if depth is not None:
        within = judged.rank[:-1] <= depth
        places, who = places[within], who[within]
    only = np.full(len(judged.grading.judged) - 1, -1)
    only[places] = who
    anywhere, others = only >= 0, places[only[places] != who]
    only[others] = -1
    return only, anywhere


def _count_by_group(brought: Array, groups: int) -> Array:
    return np.bincount(brought[brought >= 0], minlength=groups)
