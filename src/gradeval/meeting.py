"""The meeting of runs and judgments: the only place where document ids, scores and ties matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from gradeval import _core
from gradeval.judged import Array, JudgedRankings, Levels
from gradeval.qrels import Qrels
from gradeval.runs import Run

if TYPE_CHECKING:
    from gradeval.measure import Measure

Ties: TypeAlias = Literal["docid", "docid-float32", "order"]
Negative: TypeAlias = Literal["nonrelevant", "unjudged"]
BLOCK = 32_768  # padded documents in a block: its few arrays then stay in the processor's cache


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """All rankings of some runs after they met the judgments: one row per run and topic.

    Attributes
    ----------
    runs, topics : names, in order; row ``run * len(topics) + topic`` is one ranking.
    rank, document : float64[n], int32[n]: the pooled documents of all rows, row after row.
    offsets : int64[rows + 1]: where each row begins.
    pool : int64[topic, level]: judged documents by level.
    levels : the grades of the collection, ascending from 0.
    retrieved : int64[run, topic]: documents that the run returned.
    tied : int64[run, topic]: of these, how many share their score with another.
    unjudged_topics : for each run, its topics that have no judgments (they are not scored).
    """

    runs: list[str]
    topics: list[str]
    rank: Array
    document: Array
    offsets: Array
    pool: Array
    levels: Levels
    retrieved: Array
    tied: Array
    unjudged_topics: list[list[str]]
    _grades: Array = field(repr=False)  # of every pooled document, topic after topic, and a last one for the padding
    _judged: Array = field(repr=False)
    _first: Array = field(repr=False)  # where each topic's pool begins in these two

    @property
    def present(self) -> Array:
        """bool[run, topic]: does the run return anything for the topic?"""
        return self.retrieved > 0

    @property
    def pools(self) -> JudgedRankings:
        """One empty ranking per topic: what there is to find, before anybody looked."""
        none = np.zeros((len(self.topics), 0))
        return JudgedRankings(
            none, none, none.astype(bool), none.astype(np.int32), self.pool, self.levels, np.zeros(len(none), np.int64)
        )

    @cached_property
    def judged_retrieved(self) -> Array:
        """int64[run, topic]: documents returned that are judged."""
        topic = np.repeat(np.arange(len(self)) % max(1, len(self.topics)), np.diff(self.offsets))
        judged = self._judged[self._first[topic] + self.document[:-1]]
        total = np.concatenate([[0], np.cumsum(judged)])
        return np.diff(total[self.offsets]).reshape(self.retrieved.shape)

    def __len__(self) -> int:
        """The number of rankings, runs x topics."""
        return len(self.runs) * len(self.topics)

    def __repr__(self) -> str:
        return f"JudgedRuns({len(self.runs)} runs, {len(self.topics)} topics, {len(self.rank)} pooled documents)"

    def rows(self, rows: Array) -> JudgedRankings:
        """Some rows as one rectangle, padded to the longest of them."""
        topic = rows % len(self.topics)
        start = self.offsets[rows]
        length = self.offsets[rows + 1] - start
        column = np.arange(max(1, length.max(initial=0)))
        entry = np.where(column < length[:, None], start[:, None] + column, -1)
        document = self.document[entry]
        pooled = np.where(document >= 0, self._first[topic][:, None] + document, -1)
        return JudgedRankings(
            grades=self._grades[pooled],
            ranks=self.rank[entry],
            judged=self._judged[pooled],
            document=document,
            pool=self.pool[topic],
            levels=self.levels,
            retrieved=self.retrieved.ravel()[rows],
        )

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[Array, JudgedRankings]]:
        """All rows in rectangles of about ``size`` documents, rows of like length together: (row numbers, rankings)."""
        length = np.diff(self.offsets)
        order = np.argsort(length, kind="stable")
        begin = 0
        while begin < len(order):
            # Rows ascend in length, so a block of `count` rows is count x (length of its last row) documents large.
            room = np.arange(1, len(order) - begin + 1) * np.maximum(1, length[order[begin:]])
            count = max(1, int(np.searchsorted(room, size, side="right")))
            rows = order[begin : begin + count]
            yield rows, self.rows(rows)
            begin += count

    def map(self, measure: Measure) -> Array:
        """float64[run, topic]: the value of a measure for every ranking."""
        values = np.zeros(len(self))
        for rows, block in self.blocks():
            values[rows] = measure(block)
        return values.reshape(len(self.runs), len(self.topics))

    @cached_property
    def rectangle(self) -> JudgedRankings:
        """All rankings as one rectangle [run, topic, j]; large collections are better read in ``blocks()``."""
        whole = self.rows(np.arange(len(self)))
        shape = (len(self.runs), len(self.topics))
        return JudgedRankings(
            grades=whole.grades.reshape(*shape, -1),
            ranks=whole.ranks.reshape(*shape, -1),
            judged=whole.judged.reshape(*shape, -1),
            document=whole.document.reshape(*shape, -1),
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
        """The same runs cut after rank ``depth``."""
        kept = self.rank[:-1] <= depth
        ends = np.concatenate([[0], np.cumsum(kept)])
        kept = np.append(kept, True)
        return replace(
            self,
            rank=self.rank[kept],
            document=self.document[kept],
            offsets=ends[self.offsets],
            retrieved=np.minimum(self.retrieved, depth),
            tied=np.minimum(self.tied, depth),
        )


def judge(
    qrels: Qrels | Mapping[str, Mapping[str, float]],
    runs: Run | Mapping[str, Mapping[str, float]] | Sequence[Run],
    *,
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    threads: int = 0,
) -> JudgedRuns:
    """Let runs meet the judgments; after it, ids, scores and ties no longer matter.

    Every line of every run is read and checked, also those of documents and topics without judgments.

    Parameters
    ----------
    ties : equal scores are ordered by document id, descending by bytes ("docid", as trec_eval 10; "docid-float32"
        compares scores in single precision, as trec_eval up to 9.0.8), or stay in file order ("order", as LETOR).
    negative : negative grades are judged non-relevant, or ("unjudged", as trec_eval) documents in the pool without
        a judgment.
    threads : 0 takes all cores.
    """
    if not isinstance(qrels, Qrels):
        qrels = Qrels.from_dict(qrels)
    if isinstance(runs, Mapping):
        runs = Run.from_dict(runs)
    if isinstance(runs, Run):
        runs = [runs]
    met = _core.judge(qrels.pools, [run.lines for run in runs], ties, threads)
    known = np.ones(len(qrels.grades), bool) if negative == "nonrelevant" else qrels.grades >= 0
    grades = np.maximum(qrels.grades, 0.0)
    return JudgedRuns(
        runs=[run.name for run in runs],
        topics=qrels.topics,
        rank=np.append(met.rank.astype(float), np.inf),
        document=np.append(met.document, np.int32(-1)),
        offsets=met.offsets,
        pool=_count(grades, known, qrels),
        levels=qrels.levels,
        retrieved=met.retrieved.astype(np.int64),
        tied=met.tied.astype(np.int64),
        unjudged_topics=met.unjudged_topics,
        _grades=np.append(grades, 0.0),
        _judged=np.append(known, False),
        _first=qrels.pools.offsets[:-1],
    )


def _count(grades: Array, known: Array, qrels: Qrels) -> Array:
    """int64[topic, level]: judged documents of each level."""
    width = len(qrels.levels)
    topic = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.pools.offsets))
    cell = topic * width + np.searchsorted(qrels.levels, grades)
    return np.bincount(cell[known], minlength=len(qrels.topics) * width).reshape(-1, width)
