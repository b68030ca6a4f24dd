"""Describe a collection: topics, grades, coverage of the runs.

Source: Ferrante, Ferro & Maistro (2014), table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from gradeval.arguments import Anything, Threads
from gradeval.collection.exclusion import Excluded
from gradeval.collection.meeting import JudgedRuns, Ties, meet
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.thinned import pooled_places, topic_of
from gradeval.files.accepted import Excludes, Judgments, RankedRuns, as_qrels, as_runs, refuse_swapped
from gradeval.files.exclusions import exclude_from
from gradeval.formula.arithmetic import Array, part_of_row, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, show_levels
from gradeval.measures.incomplete import Judged
from gradeval.messages import naming
from gradeval.scores.coverage import Coverage
from gradeval.scores.evaluation import choose_input
from gradeval.scores.grade_notes import about_negative_grades
from gradeval.scores.notes import about_excluded, about_scores
from gradeval.scores.presets import PresetName, configure_one
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import compute_coverage, score
from gradeval.scores.selection import AboveFirstQuartile, Few, RunChoice, TopicChoice
from gradeval.studies.study import Result, study
from gradeval.studies.study_parameters import Data
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, NoteWeight

FIRST = (10, 100)
"""How much of so many first documents is judged?"""

FIELDS = "quantity grade selection topic run statistic value".split()
STATISTICS: dict[str, Callable[[Array], Any]] = {"min": np.min, "mean": np.mean, "max": np.max}
CellRows = list[list[Cell]]


@dataclass(frozen=True, eq=False, repr=False)
class RunsDescription:
    """The runs of a collection, and how much of them the judgments cover.

    Attributes
    ----------
    runs, measure : names; the measure by which runs are chosen.
    above_first_quartile : the runs whose mean is above the first quartile.
    retrieved : float64[run]: documents that the run returns for a topic, the mean over topics that it has.
    judged_share : float64[run] by title: shares of the run's documents that are judged.
    relevant_retrieved : int64[topic]: relevant documents that one of the runs returns.
    """

    runs: list[str]
    measure: Measure
    above_first_quartile: list[str]
    retrieved: Array
    judged_share: Mapping[str, Array]
    relevant_retrieved: Array


@dataclass(frozen=True, eq=False, repr=False)
class Description(Result):
    """The features of a collection.

    Attributes
    ----------
    name : of the judgments.
    topics, levels : topics; the grades of the collection, ascending from 0.
    pool : int64[topic, level]: judged documents.
    negative : int64[topic]: documents with negative grades, which count as grade 0 in ``pool`` unless they are
        unjudged.
    few : by grade from the second positive one on, the topics with few documents: R(1) >= 10 R(grade) > 0.
    of_runs : the runs; None where there are none.
    """

    name: str
    topics: list[str]
    levels: Levels
    pool: Array
    negative: Array
    few: Mapping[float, list[str]]
    of_runs: RunsDescription | None

    @property
    def relevant(self) -> Array:
        """int64[topic]: documents of a positive grade."""
        return np.asarray(self.pool[:, 1:].sum(-1))

    @property
    def description(self) -> str:
        """How large the collection is, in a sentence."""
        runs = "" if self.of_runs is None else f", {len(self.of_runs.runs)} runs"
        return f"{self.name}: {len(self.topics)} topics, grades {show_levels(self.levels)}{runs}"

    def counts(self) -> dict[str, Array]:
        """int64[topic] by title: judged documents, by grade, and relevant ones."""
        counts = {"judged": self.pool.sum(-1)}
        counts |= {f"grade {level:g}": self.pool[:, place] for place, level in enumerate(self.levels)}
        if self.negative.any():
            counts["negative"] = self.negative
        counts["relevant"] = self.relevant
        if self.of_runs is not None:
            counts["relevant and retrieved"] = self.of_runs.relevant_retrieved
        return counts

    def table(self, digits: int = 2) -> Table:
        """Documents by grade, topics and runs that selections choose, and how much of the runs is judged."""
        grids = [self._documents(digits), self._grid_of_selections()]
        if self.of_runs is not None:
            grids.append(_coverage(self.of_runs, digits))
        return Table(grids, Records.of(FIELDS, self._records()))

    def _documents(self, digits: int) -> Grid:
        spec = f".{digits}f"
        columns = [
            Column("documents", "name"),
            Column("all", spec="d"),
            Column("topics with one", spec="d"),
            *(Column(f"{name} per topic", spec="d" if name != "mean" else spec) for name in STATISTICS),
        ]
        rows: CellRows = [
            [title, int(counts.sum()), int((counts > 0).sum()), int(counts.min()), counts.mean(), int(counts.max())]
            for title, counts in self.counts().items()
        ]
        return Grid(columns, rows, title="judged documents")

    def _selections(self) -> Iterator[tuple[str, str, int]]:
        """Of topics and runs: which of them, and how many these are."""
        yield "topics", "all", len(self.topics)
        for grade, topics in self.few.items():
            yield "topics", str(Few(grade)), len(topics)
        if self.of_runs is not None:
            yield "runs", "all", len(self.of_runs.runs)
            yield "runs", str(AboveFirstQuartile(self.of_runs.measure)), len(self.of_runs.above_first_quartile)

    def _grid_of_selections(self) -> Grid:
        columns = [Column("what", "name"), Column("selection", "name"), Column("number", spec="d")]
        return Grid(columns, [list(row) for row in self._selections()], title="topics and runs")

    def _records(self) -> Iterator[list[Value]]:
        grades = {f"grade {level:g}": level for level in self.levels}
        for title, counts in self.counts().items():
            grade = grades.get(title)
            quantity = "documents of a grade" if grade is not None else f"{title} documents"
            yield [quantity, grade, None, None, None, "sum", int(counts.sum())]
            for statistic, summarize in STATISTICS.items():
                yield [quantity, grade, None, None, None, statistic, float(summarize(counts))]
            for topic, count in zip(self.topics, counts.tolist(), strict=True):
                yield [quantity, grade, None, topic, None, "number", count]
        for what, selection, number in self._selections():
            yield [what, None, selection, None, None, "number", number]
        if self.of_runs is not None:
            for title, values in _of_runs(self.of_runs).items():
                for run, value in zip(self.of_runs.runs, values.tolist(), strict=True):
                    yield [title, None, None, None, run, "value", float(value)]


@study(
    examples="""
      gradeval describe qrels.txt
      gradeval describe qrels.txt runs/*
      gradeval describe qrels.txt --recode 3=2 --format latex
      gradeval describe ratings.txt --shift -1""",
    digits=2,
    chooses_measures=False,
)
def describe(
    qrels: Annotated[Judgments, Data("QRELS", "judgments")],
    ranked: Annotated[RankedRuns | None, Data("RUNS", "runs")] = None,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: PresetName | None = None,
    threads: Threads = 0,
    measure: str | Measure = "AP",
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
) -> Description:
    """Describe a collection: topics, judged documents by grade, runs, and how much of the runs is judged.

    few:N, as few:2, are the topics with few documents of grade N: R(1) >= 10 R(N) > 0. above-q1:AP are the runs whose
    mean AP is above the first quartile of all runs. tsv, csv and jsonl hold the numbers of each topic and run, too.

    Parameters
    ----------
    measure : the measure of the runs above the first quartile.
    ties, negative, exclude : see ``judge``.

    >>> print(describe({"1": {"a": 1, "b": 0}, "2": {"a": 2}}).table().grids[0].texts()[-1])
    ['relevant', '2', '2', '1', '1.00', '1']
    """
    reading: dict[str, Any] = {"ties": ties, "negative": negative, "threads": threads}
    policies: dict[str, Any] = {"missing": missing, "empty": empty}
    with naming("measure", measure):
        chosen, notes = configure_one(preset, measure, reading | policies)
    refuse_swapped(qrels, ranked)
    opened = [] if ranked is None else as_runs(ranked)
    whole = exclude_from(as_qrels(qrels), exclude)
    collection, opened, more = choose_input(
        whole, opened, topics, None if ranked is None else runs, preset, **policies, **reading
    )
    grading = collection.grading(negative)
    pools = grading.pools
    if below := about_negative_grades(grading):
        more.append(Note(below, own_weight=NoteWeight.MEANING))
    of_runs = None
    if ranked is not None:
        judged = meet(collection, opened, **reading)
        coverage = compute_coverage(judged, frozenset(whole.topics))
        scores = score(judged, [chosen, *(Judged @ first for first in FIRST)], **policies, coverage=coverage)
        of_runs = _describe_runs(judged, scores, coverage, chosen)
        said = about_scores(scores.sel(measures=[chosen]), (whole, opened))
        more += [note for note in said if note.category is not None]  # the rest stands in the table
    if collection.excluded is not None:
        judgments = Excluded(np.zeros((0, len(collection.topics))), collection.excluded, collection.emptied)
        about = about_excluded(judgments if of_runs is None else judged.excluded or judgments)
        more += [about] * (about not in more)
    described = Description(
        name=collection.name,
        topics=collection.topics,
        levels=collection.levels,
        pool=pools.pool,
        negative=_count_negative(collection),
        few={
            grade: _few(collection.topics, pools.pool, place) for place, grade in list(enumerate(collection.levels))[2:]
        },
        of_runs=of_runs,
    )
    return replace(described, notes=[*notes, *more, Note.method(described.description)])


def _few(topics: list[str], pool: Array, place: int) -> list[str]:
    """The topics that ``Few`` selects; there may be none."""
    chosen = (pool[:, place] > 0) & (pool[:, 1] >= Few.TIMES * pool[:, place])
    return [topic for topic, few in zip(topics, chosen.tolist(), strict=True) if few]


def _count_negative(qrels: Qrels) -> Array:
    """int64[topic]: judgments with negative grades."""
    topic = part_of_row(qrels.pools.offsets)
    return np.bincount(topic[qrels.grades < 0], minlength=len(qrels.topics))


def _describe_runs(judged: JudgedRuns, scores: Scores, coverage: Coverage, measure: Measure) -> RunsDescription:
    above = AboveFirstQuartile(measure).runs(scores) if len(scores.runs) > 1 else []
    shares = {f"judged of the first {first}": scores.sel(measures=Judged @ first).mean()[:, 0] for first in FIRST}
    return RunsDescription(
        runs=judged.runs,
        measure=measure,
        above_first_quartile=above,
        retrieved=ratio(coverage.retrieved.sum(-1), (coverage.retrieved > 0).sum(-1)),
        judged_share={**shares, "judged of all": 1 - coverage.unjudged_share},
        relevant_retrieved=_count_relevant_retrieved(judged),
    )


def _count_relevant_retrieved(judged: JudgedRuns) -> Array:
    """int64[topic]: relevant documents that one of the runs returns."""
    retrieved = np.zeros(len(judged.grading.grades), bool)
    retrieved[pooled_places(judged)] = True
    relevant = (retrieved & (judged.grading.grades > 0))[:-1]  # the last entry stands for the padding of rankings
    return np.bincount(topic_of(judged)[relevant], minlength=len(judged.topics))


def _of_runs(runs: RunsDescription) -> dict[str, Array]:
    return {"documents returned for a topic": runs.retrieved, **runs.judged_share}


def _coverage(runs: RunsDescription, digits: int) -> Grid:
    """The coverage of the runs: the lowest, the mean and the highest."""
    columns = [Column("of a run", "name"), *(Column(name, "text") for name in STATISTICS)]
    rows: CellRows = []
    for title, values in _of_runs(runs).items():
        spec = ".1%" if title in runs.judged_share else f".{digits}f"
        rows.append([title, *(format(float(summarize(values)), spec) for summarize in STATISTICS.values())])
    return Grid(columns, rows, title="coverage")
