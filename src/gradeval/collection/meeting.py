"""Runs meet the judgments: the only place where document ids, scores and ties matter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Literal, TypeAlias, get_args

import numpy as np

import gradeval._core as _core
from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.exclusion import Excluded, Exclusion
from gradeval.collection.qrels import Grading, Negative, Qrels
from gradeval.collection.runs import MappingLines, Run
from gradeval.collection.skipped_lines import SkippedLines
from gradeval.formula.arithmetic import Array, part_of_row, ratio, width_for
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.formula.ranking import rank_by_grade
from gradeval.messages import Given
from gradeval.tables.grid import Column, Grid
from gradeval.tables.table import SHOWN

Ties: TypeAlias = Literal["docid", "docid-float32", "order", "expected", "best", "worst"]
TIES = get_args(Ties)
NO_ORDER = (
    "this needs an order of tied documents, which ties='expected' leaves open; "
    "give 'docid', 'order', 'best' or 'worst', or score with evaluate(), which averages over all orders"
)
"""The answer to those who ask for the ranks of documents that have none."""
SHARED: tuple[Ties, ...] = ("expected", "best", "worst")
"""The treatments of ties for which all ranks of a score must be known."""
BLOCK = 32_768  # padded documents in a block: its few arrays then stay in the processor's cache


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRuns:
    """All rankings of some runs, matched with the judgments: one row per run and topic.

    Attributes
    ----------
    runs, topics : names, in order; row ``run * len(topics) + topic`` is one ranking.
    rank, document : float64[n + 1], int32[n + 1]: the pooled documents of all rows, row after row, and a last
        entry for the padding.
    offsets : int64[rows + 1]: where each row begins.
    retrieved : int32[run, topic]: documents that the run returned.
    tied : int32[run, topic]: of these, how many share their score with another.
    contradicting : int32[run, topic]: how often the score rises from one rank to the next, where a run gives ranks and
        scores.
    itself : bool[run, topic]: has the first document the id of its topic, outside the pool?
    unjudged_topics : for each run, its topics that have no judgments (they are not scored).
    skipped : for each run, the comments of its text that look like lines of a run, where there are some.
    grading : the judgments as arrays.
    excluded : what was removed from rankings and judgments, if anything.
    repeated : int32[run, topic]: lines left out because another line of the document counts.
    ties : how equal scores were ordered.
    first, last : float64[n + 1], for "expected" only: the ranks at which the documents with the score of each document
        begin and end; ``rank`` is then its rank in one order among many, which only ``in_one_order()`` shows.
    depth : for "expected" only: so many ranks count.
    """

    runs: list[str]
    topics: list[str]
    rank: Array
    document: Array
    offsets: Array
    retrieved: Array
    tied: Array
    contradicting: Array
    itself: Array
    unjudged_topics: list[list[str]]
    skipped: list[SkippedLines | None]
    grading: Grading
    excluded: Excluded | None = None
    repeated: Array | None = None
    ties: Ties = "docid"
    first: Array | None = None
    last: Array | None = None
    depth: int | None = None

    @property
    def pool(self) -> Array:
        """int64[topic, level]: judged documents by level."""
        return self.grading.pools.pool

    @property
    def levels(self) -> Levels:
        """The grades of the collection, ascending from 0."""
        return self.grading.pools.levels

    @property
    def present(self) -> Array:
        """bool[run, topic]: does the run return anything for the topic?"""
        return self.retrieved > 0

    @property
    def lengths(self) -> Array:
        """int64[row]: documents of the pool that each row holds."""
        lengths: Array = self.offsets[1:] - self.offsets[:-1]
        return lengths

    @property
    def judged_retrieved(self) -> Array:
        """int64[run, topic]: documents returned that are judged."""
        if self.grading.complete:
            return self.lengths.reshape(self.retrieved.shape)
        return self._count(self._judged_entries)

    def count_judged(self, depth: int) -> Array:
        """int64[run, topic]: documents down to rank ``depth`` that are judged; of tied ones in one order among many."""
        kept = self.rank[:-1] <= depth
        return self._count(kept if self.grading.complete else kept & self._judged_entries)

    @property
    def _judged_entries(self) -> Array:
        """bool[n]: is each of the pooled documents of all rows judged?"""
        topic = np.repeat(np.arange(len(self)) % max(1, len(self.topics)), np.diff(self.offsets))
        return np.asarray(self.grading.judged[self.grading.first[topic] + self.document[:-1]])

    def _count(self, entries: Array) -> Array:
        """int64[run, topic]: how many entries of each row are True."""
        total = np.zeros(len(entries) + 1, int)
        np.cumsum(entries, out=total[1:])
        at = total[self.offsets]
        return np.asarray(at[1:] - at[:-1]).reshape(self.retrieved.shape)

    def __len__(self) -> int:
        """The number of rankings, runs x topics."""
        return len(self.runs) * len(self.topics)

    def __repr__(self) -> str:
        return f"JudgedRuns({len(self.runs)} runs, {len(self.topics)} topics, {len(self.rank) - 1} pooled documents)"

    def _repr_html_(self) -> str:
        from gradeval.tables.markup import html

        columns = [Column("run", "name"), Column("topics", spec="d"), Column("documents", spec=",d")]
        columns += [Column(title, spec=".1%") for title in ("judged", "tied")]
        retrieved = self.retrieved.sum(-1)
        shares = [ratio(counts.sum(-1), retrieved).tolist() for counts in (self.judged_retrieved, self.tied)]
        rows = zip(self.runs, self.present.sum(-1).tolist(), retrieved.tolist(), *shares, strict=True)
        return "".join(html([Grid(columns, list(map(list, rows))).shortened(SHOWN)]))

    def in_one_order(self) -> JudgedRuns:
        """The same runs with their documents in one order, where ``ties`` leave several."""
        return self if self.ties != "expected" else replace(self, ties="docid", first=None, last=None, depth=None)

    def require_order(self) -> None:
        """Refuse rankings whose tied documents have no order."""
        if self.ties == "expected":
            raise InputError(NO_ORDER)

    def rows(self, rows: Array) -> JudgedRankings:
        """Some rows as one rectangle, padded to the longest of them."""
        self.require_order()
        topic = rows % len(self.topics)
        width = width_for(int(self.lengths.take(rows).max(initial=1)))
        begin, end = self.offsets.take(rows), self.offsets.take(rows + 1)
        first, pool = self.grading.first.take(topic), self.pool.take(topic, axis=0)
        return self._lay_out(width, begin, end, first, pool, self.retrieved.take(rows), topic)

    def _only_run(self, width: int) -> JudgedRankings:
        """All rows, where there is one run: each is one topic, in their order."""
        begin, end = self.offsets[:-1], self.offsets[1:]
        return self._lay_out(width, begin, end, self.grading.first, self.pool, self.retrieved[0], None)

    def _lay_out(
        self, width: int, begin: Array, end: Array, first: Array, pool: Array, retrieved: Array, topic: Array | None
    ) -> JudgedRankings:
        """Rows whose documents are begin .. end, counted from ``first`` in the pools, as one rectangle."""
        shape = (len(begin), width)
        grades, ranks = np.empty(shape), np.empty(shape)
        judged, document = np.empty(shape, bool), np.empty(shape, np.int32)
        grading = self.grading
        _core.lay_out_rows(
            self.rank, self.document, grading.grades, grading.judged, begin, end, first, grades, ranks, judged, document
        )
        return JudgedRankings(
            grades, ranks, judged, document, pool, self.levels, retrieved, pools=grading.pools, topic=topic
        )

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[Array, JudgedRankings]]:
        """All rows in rectangles of about ``size`` documents, rows of like length together: (row numbers, rankings)."""
        self.require_order()
        length = self.lengths
        width = width_for(int(length.max(initial=1)))
        if len(self) * width <= size:
            rows = np.arange(len(self))
            yield rows, self._only_run(width) if len(self.runs) == 1 else self.rows(rows)
            return
        order = np.argsort(length, kind="stable")
        end = len(order)
        while end > 0:  # from the longest row down: all rows of a block have the width of its first
            count = max(1, size // width_for(int(length[order[end - 1]])))
            rows = order[max(0, end - count) : end]
            yield rows, self.rows(rows)
            end -= count

    def map(self, measure: Callable[[JudgedRankings], Array]) -> Array:
        """float64[run, topic]: the value of a measure for every ranking."""
        values = np.zeros(len(self))
        for rows, block in self.blocks():
            values[rows] = measure(block)
        return values.reshape(len(self.runs), len(self.topics))

    @cached_property
    def rectangle(self) -> JudgedRankings:
        """All rankings as one rectangle [run, topic, j]; for large collections ``blocks()`` takes less memory."""
        whole = self.rows(np.arange(len(self)))
        longest = int(np.diff(self.offsets).max(initial=0))

        def shaped(values: Array) -> Array:
            return values[:, :longest].reshape(len(self.runs), len(self.topics), longest)

        return JudgedRankings(
            grades=shaped(whole.grades),
            ranks=shaped(whole.ranks),
            judged=shaped(whole.judged),
            document=shaped(whole.document),
            pool=self.pool,
            levels=self.levels,
            retrieved=self.retrieved,
        )

    @property
    def grades(self) -> Array:
        """float64[run, topic, j]: see JudgedRankings."""
        return self.rectangle.grades

    @property
    def ranks(self) -> Array:
        """float64[run, topic, j]: see JudgedRankings."""
        return self.rectangle.ranks

    @property
    def judged(self) -> Array:
        """bool[run, topic, j]: see JudgedRankings."""
        return self.rectangle.judged

    def top(self, depth: int) -> JudgedRuns:
        """The same runs cut after rank ``depth``; ``tied`` is 0, as it is not known how many of these tie."""
        depth = arguments.whole("depth", depth, 1, unit="ranks")
        if self.ties == "expected":  # which documents are above the depth is not known
            return replace(self, depth=depth if self.depth is None else min(depth, self.depth))
        kept = self.rank[:-1] <= depth
        ends = np.concatenate([[0], np.cumsum(kept)])
        kept = np.append(kept, True)
        return replace(
            self,
            rank=self.rank[kept],
            document=self.document[kept],
            offsets=ends[self.offsets],
            retrieved=np.minimum(self.retrieved, depth),
            tied=np.zeros_like(self.tied),
        )


def meet(
    qrels: Qrels, runs: Sequence[Run], *, ties: Ties = "docid", negative: Negative = "nonrelevant", threads: int = 0
) -> JudgedRuns:
    """Match runs with the judgments: see ``gradeval.judge``, which takes files and frames, too."""
    arguments.one_of("ties", ties, TIES)
    threads = arguments.threads(threads)
    grading = qrels.grading(negative)
    met = _judge(qrels.pools, [run.lines for run in runs], ties, threads, qrels.exclusion)
    judged = JudgedRuns(
        runs=[run.name for run in runs],
        topics=qrels.topics,
        rank=_append_padding(met.rank, float, np.inf),
        document=_append_padding(met.document, np.int32, -1),
        offsets=met.offsets,
        retrieved=met.retrieved,
        tied=met.tied,
        contradicting=met.contradicting,
        itself=met.itself.view(bool),
        unjudged_topics=met.unjudged_topics,
        skipped=[None if lines is None else SkippedLines(*lines) for lines in met.skipped],
        grading=grading,
        excluded=None if qrels.excluded is None else Excluded(met.excluded, qrels.excluded, qrels.emptied),
        repeated=met.repeated if met.repeated.any() else None,
        ties=ties,
    )
    if ties not in SHARED:
        return judged
    first, last = (_append_padding(ranks, float, np.inf) for ranks in (met.first, met.last))
    if ties == "expected":
        return replace(judged, first=first, last=last)
    return _rank_by_grade(judged, first[:-1], last[:-1], best=ties == "best")


def _rank_by_grade(judged: JudgedRuns, first: Array, last: Array, *, best: bool) -> JudgedRuns:
    """The same runs, their tied documents ordered by grade, the best first or last."""
    rank, document = judged.rank.copy(), judged.document.copy()
    tied = np.flatnonzero(first < last)
    row = part_of_row(judged.offsets)[tied]
    pooled = judged.grading.first[row % max(1, len(judged.topics))] + document[tied]
    grades, known = judged.grading.grades[pooled], judged.grading.judged[pooled]
    order, rank[tied] = rank_by_grade(row, first[tied], last[tied], grades, known, best=best)
    document[tied] = document[tied][order]
    return replace(judged, rank=rank, document=document)


def _judge(
    pools: _core.Pools, lines: Sequence[_core.Lines | MappingLines], ties: Ties, threads: int, excluded: Exclusion
) -> _core.Met:
    shared = ties in SHARED
    base: _core.Ties = "docid" if ties == "expected" or ties == "best" or ties == "worst" else ties
    mappings = [one for one in lines if isinstance(one, MappingLines)]
    if len(mappings) == len(lines):
        names = [one.where for one in mappings]
        with suppress(InputError):  # the copies have numbers for text, or say the same
            met = _core.judge_mappings(
                pools, [one.mapping for one in mappings], names, base, shared, excluded.itself, excluded.pairs
            )
            if met is not None:
                return met
    owned = [one.copied if isinstance(one, MappingLines) else one for one in lines]
    return _core.judge(pools, owned, base, threads, 0, shared, excluded.itself, excluded.pairs)


def _append_padding(values: Array, kind: type, last: float) -> Array:
    """The values and one more, which stands for all padding."""
    padded: Array = np.empty(len(values) + 1, kind)
    padded[:-1] = values
    padded[-1] = last
    return padded


def ranked(
    run: Run, topic: str, ties: Ties = "docid", depth: int | None = None, excluded: Collection[str] = ()
) -> list[str]:
    """The documents of a topic, best first: score descending, ties by document id descending or as given; without those
    that are ``excluded``.

    >>> ranked(Run.from_dict({"1": {"a": 1.0, "b": 2.0, "c": 1.0}}), "1")
    ['b', 'c', 'a']
    """
    if ties in SHARED:
        raise InputError(
            Given("ties", ties), " gives the documents of a run no order by itself: give 'docid' or 'order'"
        )
    given = run.of(topic)
    if excluded:
        given = {document: score for document, score in given.items() if document not in excluded}
    scores = np.fromiter(given.values(), float, len(given))
    if ties == "docid-float32":
        scores = scores.astype(np.float32).astype(float)
    kept = np.arange(len(scores))
    if depth is not None and depth < len(scores):  # only what can be among the first is sorted
        kept = np.flatnonzero(scores >= np.partition(scores, -depth)[-depth])
    names = list(given)
    lines = [(float(scores[place]), names[place]) for place in kept.tolist()]
    if ties != "order" and len({score for score, _ in lines}) < len(lines):
        lines.sort(key=lambda line: line[1].encode("utf-8", "surrogateescape"), reverse=True)
    lines.sort(key=itemgetter(0), reverse=True)  # stable: equal scores keep their order
    return [document for _, document in lines[:depth]]
