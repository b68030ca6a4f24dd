"""Leave a run out: who would lose ranks, had the pool been made without its documents?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gradeval import checks
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows, pooled_places, thinned, topic_of
from gradeval.formula.arithmetic import Array, ratio, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import score
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import STUDIED, Measures, require_enough, require_judged
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = "measure run statistic value without rank rank_without unique unique_relevant pool_depth topics".split()
FIRST = 10
"""Ranks of which one expects all documents of a pooled run to be judged, where no depth is given."""


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Tabular):
    """Each run under the full pool, and under the pool without the documents that only it brought.

    Attributes
    ----------
    full, without : float64[measure, run]: the mean of the run under either pool.
    rank, rank_without : int64[measure, run]: its rank among all runs, which are scored under the same pool.
    unique, unique_relevant : int64[run]: judged documents that no other run brought, and those above grade 0.
    pool_depth : how far down a run a document counts as brought by it; None: anywhere.
    measures, runs, topics : what was scored.
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
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    foreign: float
    judged_share: Array

    def sel(self, runs: Sequence[str]) -> LeftOut:
        """Some of the runs; ranks stay those among all."""
        places = [self.runs.index(run) for run in runs]
        by_measure = {name: getattr(self, name)[:, places] for name in ("full", "without", "rank", "rank_without")}
        by_run = {name: getattr(self, name)[places] for name in ("unique", "unique_relevant", "judged_share")}
        return replace(self, **by_measure, **by_run, runs=list(runs))

    def table(self, digits: int = 4) -> Table:
        """A grid a measure: the runs that lose most ranks first."""
        grids = [self._grid(place, digits) for place in range(len(self.measures))]
        return Table(grids, Records.of(FIELDS, self._records()), [self.description])

    @property
    def description(self) -> str:
        """What was left out, in a sentence."""
        where = f"within its first {self.pool_depth} documents" if self.pool_depth is not None else "at any rank"
        return (
            f"each run without the judgments of documents that only it has {where}: {len(self.runs)} runs, "
            f"{len(self.topics)} topics; it says how a run that did not make the pool would fare, if these runs made it"
        )

    def _grid(self, measure: int, digits: int) -> Grid:
        lost = self.rank_without[measure] - self.rank[measure]
        rows: list[list[Cell]] = []
        for run in np.lexsort([self.rank[measure], -lost]).tolist():
            at = measure, run
            values = [float(self.full[at]), float(self.without[at])]
            ranks = [int(self.rank[at]), int(self.rank_without[at])]
            documents = [int(self.unique[run]), int(self.unique_relevant[run])]
            rows.append([self.runs[run], *documents, *values, values[1] - values[0], *ranks])
        number = f".{digits}f"
        columns = [
            Column("run", "name"),
            Column("only here", spec="d"),
            Column("of them relevant", spec="d"),
            Column("mean", spec=number),
            Column("without", spec=number),
            Column("difference", spec=f"+{number}"),
            Column("rank", spec="d"),
            Column("rank without", spec="d"),
        ]
        return Grid(columns, rows, title=str(self.measures[measure]))

    def _records(self) -> Iterator[list[Value]]:
        for measure, run in np.ndindex(self.full.shape):
            at = measure, run
            yield [
                str(self.measures[measure]),
                self.runs[run],
                "mean",
                float(self.full[at]),
                float(self.without[at]),
                int(self.rank[at]),
                int(self.rank_without[at]),
                int(self.unique[run]),
                int(self.unique_relevant[run]),
                self.pool_depth,
                len(self.topics),
            ]


@with_progress_bar
def leave_out(
    judged: JudgedRuns,
    measures: Measures = STUDIED,
    *,
    pool_depth: int | None = None,
    topics: Sequence[str] | None = None,
    missing: Missing = "zero",
    empty: Empty = "zero",
    threads: int = 0,
    progress: ShowProgress = False,
) -> LeftOut:
    """Judge each run without the documents that only it brought to the pool, all other runs likewise.

    Parameters
    ----------
    judged : what ``judge(qrels, runs)`` gives, of the runs from which the pool was made.
    measures : which; default AP, nDCG, GAP, xGAP, eGAP, RBP and Bpref.
    pool_depth : a run brought the documents of its first ranks; None: all documents that it has.
    topics : only these.
    missing, empty : see ``evaluate``.
    threads : 0 takes all cores.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, a depth below 1.
    Source: Zobel (1998), "How reliable are the results of large-scale information retrieval experiments?"
    """
    require_judged(judged)
    pool_depth = None if pool_depth is None else checks.whole("pool_depth", pool_depth, 1, unit="ranks")
    threads = checks.threads(threads)
    parsed = parse_measures(measures)
    scores = score(judged, parsed, missing=missing, empty=empty)
    chosen = scores.topics if topics is None else list(topics)
    require_enough(scores.sel(topics=chosen))
    here = judged.grading.judged[:-1] & np.isin(topic_of(judged), [judged.topics.index(topic) for topic in chosen])
    only, number = _brought_by(judged, pool_depth)
    brought = np.where(here, only, -1)
    means = np.zeros((len(judged.runs), len(parsed), len(judged.runs)))

    def rescore(run: int, step: Step) -> None:
        means[run] = rounded(_without(judged, brought == run, scores).sel(topics=chosen).mean().T)
        step(1)

    tasks = [partial(rescore, run) for run in range(len(judged.runs))]
    run_in_parallel(tasks, threads, progress, len(tasks))
    full = rounded(scores.sel(topics=chosen).mean().T)
    own = np.arange(len(judged.runs))
    without = means[own, :, own].T
    relevant = brought[judged.grading.grades[:-1] > 0]
    return LeftOut(
        full=full,
        without=without,
        rank=1 + (full[:, None, :] > full[:, :, None]).sum(-1),
        rank_without=1 + (means > means[own, :, own][:, :, None]).sum(-1).T,
        unique=_count(brought, len(judged.runs)),
        unique_relevant=_count(relevant, len(judged.runs)),
        pool_depth=pool_depth,
        measures=parsed,
        runs=scores.runs,
        topics=chosen,
        foreign=float(ratio((here & (number == 0)).sum(), here.sum())),
        judged_share=_judged_first(judged, chosen, pool_depth or FIRST),
    )


def _judged_first(judged: JudgedRuns, topics: Sequence[str], depth: int) -> Array:
    """float64[run]: the share of judged documents among the first ranks."""
    places = [judged.topics.index(topic) for topic in topics]
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


def _brought_by(judged: JudgedRuns, depth: int | None) -> tuple[Array, Array]:
    """intp[document]: the only run that has a document of the pools among its first ``depth``; -1: several, or none.

    Also how many runs have it there.
    """
    places = pooled_places(judged)
    run = np.repeat(np.arange(len(judged)) // len(judged.topics), np.diff(judged.offsets))
    if depth is not None:
        within = judged.rank[:-1] <= depth
        places, run = places[within], run[within]
    number = np.bincount(places, minlength=len(judged.grading.judged) - 1)
    only = np.zeros(len(number), np.intp)
    only[places] = run
    return np.where(number == 1, only, -1), number


def _count(brought: Array, runs: int) -> Array:
    return np.bincount(brought[brought >= 0], minlength=runs)
