"""Rankings in which documents share their score: one of their orders, and the ranks that each document may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import JudgedRankings


@dataclass(frozen=True, eq=False)
class TiedRankings:
    """Rankings [row, j] in one of the orders that their scores allow, and all others that they allow.

    Attributes
    ----------
    judged : the rankings in that order, whole.
    first, last : float64[row, j]: the ranks at which the documents with the score of document j begin and end; inf in
        the padding. Documents that are not in the pool are among them.
    seeds : int64[row]: for the orders that are drawn; rankings of one topic have the same.
    depth : only so many ranks count; None: all.
    """

    judged: JudgedRankings
    first: Array
    last: Array
    seeds: Array
    depth: int | None = None

    @property
    def cut(self) -> JudgedRankings:
        """The rankings in their one order, down to the depth."""
        return self.judged if self.depth is None else self.judged.top(self.depth)

    @property
    def lengths(self) -> Array:
        """int64[row]: the ranks that count."""
        length = self.judged.retrieved
        return length if self.depth is None else np.minimum(length, self.depth)

    def mixed(self) -> Array:
        """intp[row]: the rankings whose tied documents are not all alike, so that their order matters."""
        judged, there = self.judged, self.judged.pooled
        size = np.where(there, self.last, 0.0) - np.where(there, self.first, 0.0) + 1
        begin, end = group_columns(self.first)
        kind = np.where(judged.judged, judged.level, -1)
        unlike = np.zeros(kind.shape, bool)
        unlike[:, 1:] = (kind[:, 1:] != kind[:, :-1]) & (begin[:, 1:] == begin[:, :-1])
        unlike |= end - begin + 1 < size  # beside documents outside the pool
        return np.flatnonzero((unlike & there).any(-1))

    def take(self, rows: Array) -> TiedRankings:
        """Some of the rankings."""
        judged = self.judged
        taken = JudgedRankings(
            judged.grades[rows],
            judged.ranks[rows],
            judged.judged[rows],
            judged.document[rows],
            judged.pool[rows],
            judged.levels,
            judged.retrieved[rows],
        )
        return replace(self, judged=taken, first=self.first[rows], last=self.last[rows], seeds=self.seeds[rows])

    def condensed(self) -> TiedRankings:
        """The rankings without their unjudged documents, closed up (see JudgedRankings.condensed)."""
        known = self.judged.judged
        begin, end = group_columns(self.first)
        number = known.cumsum(-1)
        below = np.take_along_axis(number - known, begin, -1)
        first = np.where(known, below + 1.0, np.inf)
        last = np.where(known, np.take_along_axis(number, end, -1).astype(float), np.inf)
        order = np.argsort(~known, axis=-1, kind="stable")
        condensed = self.judged.condensed()
        width = condensed.grades.shape[-1]
        moved = [np.take_along_axis(ranks, order, -1)[:, :width] for ranks in (first, last)]
        return replace(self, judged=condensed, first=moved[0], last=moved[1])


def group_columns(first: Array) -> tuple[Array, Array]:
    """intp[row, j], twice: the columns at which the tied documents of each column begin and end."""
    place = np.broadcast_to(np.arange(first.shape[-1]), first.shape)
    new = np.ones(first.shape, bool)
    new[:, 1:] = first[:, 1:] != first[:, :-1]
    closing = np.ones(first.shape, bool)
    closing[:, :-1] = new[:, 1:]
    begin = np.maximum.accumulate(np.where(new, place, 0), -1)
    end = np.minimum.accumulate(np.where(closing, place, first.shape[-1])[:, ::-1], -1)[:, ::-1]
    return begin, end


def tied_blocks(judged: JudgedRuns, seed: int) -> Iterator[tuple[Array, TiedRankings]]:
    """All rankings of runs that were judged with ties="expected", in rectangles: (row numbers, rankings)."""
    assert judged.first is not None
    assert judged.last is not None
    of_topic = np.array([seed_of(topic, seed) for topic in judged.topics], np.int64)
    for rows, block in judged.in_one_order().blocks():
        place = judged.offsets[rows][:, None] + np.arange(block.grades.shape[-1])
        place = np.where(block.pooled, place, -1)
        first, last = judged.first.take(place), judged.last.take(place)
        yield rows, TiedRankings(block, first, last, of_topic[rows % len(judged.topics)], judged.depth)


def seed_of(topic: str, seed: int) -> int:
    """A seed for each topic, which does not depend on the other topics: errors of topics are then independent."""
    from zlib import crc32  # only where orders are drawn

    return crc32(topic.encode("utf-8", "surrogateescape")) ^ (seed << 32)
