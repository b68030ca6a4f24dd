"""Judged rankings: the documents of rankings that are in the pool, with ranks and grades, as plain arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

import gradeval._core as _core
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, add_down_to, along, running_sums, shared_row, width_for
from gradeval.formula.levels import Levels, levels_of, require_levels, show_levels

GradeAtRank: TypeAlias = float | Literal["U"] | None
Depth: TypeAlias = Array | int | None
"""A rank down to which documents count: an array holds one for each ranking, None is the end of each."""
T = TypeVar("T")
NO_DOCUMENT = np.int32(-1)  # stands for a document in the padding
UNKNOWN = object()  # what has not been computed yet


@dataclass(frozen=True, eq=False)
class JudgedRankings:
    """The pooled documents that rankings retrieved, in rank order: all that a measure sees.

    The last axis ``j`` is the order of meeting a pooled document going down the ranking; the leading axes
    (topic; run x topic; sample x run x topic; ...) are free and broadcast. Documents outside the pool are
    not stored: a measure sees them as gaps in ``ranks``. Shorter rows are padded with documents at infinity:
    rank inf, grade 0, not judged, document -1. They add nothing to any sum, so formulas need no mask.

    Attributes
    ----------
    grades : float64[..., j]
        Grade of the j-th pooled document; 0 where it is not judged.
    ranks : float64[..., j]
        Its rank, from 1, ascending; inf in the padding.
    judged : bool[..., j]
        False for a document that is in the pool without a judgment, and in the padding.
    document : int32[..., j]
        Which document of the topic's pool it is; -1 in the padding.
    pool : int64[..., a]
        How many judged documents of level ``a`` the topic has.
    levels : tuple of float
        The grades of the collection, ascending; ``levels[0]`` is 0, the non-relevant.
    retrieved : int64[...]
        Length of the ranking.
    pools, topic : JudgedRankings [topic] and intp[...], or None
        Where rankings share their topics: one empty ranking for each topic, and which topic each ranking is of (None:
        one ranking for each topic, in order). What depends on the pool only is then computed once for each topic (see
        ``of_pool``). Set both to None when you replace ``pool``.
    """

    grades: Array
    ranks: Array
    judged: Array
    document: Array
    pool: Array
    levels: Levels
    retrieved: Array
    pools: JudgedRankings | None = field(default=None, repr=False)
    topic: Array | None = field(default=None, repr=False)
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls, ranking: Sequence[GradeAtRank], *, pool: Sequence[int] | None = None, levels: Sequence[float] | None = None
    ) -> JudgedRankings:
        """One ranking typed by hand: grades by rank, None for a document outside the pool, "U" for one that is
        pooled but unjudged.

        ``pool`` counts the judged documents of each level (default: of the list itself), ``levels`` are
        the grades of the collection (default: 0, 1, 2 ... as many as ``pool`` has, else the grades of the list).

        >>> JudgedRankings.of([0, 3, None, 2], pool=[1, 4, 3, 3]).ranks
        array([[1., 2., 4.]])
        """
        pooled = [(rank, item) for rank, item in enumerate(ranking, 1) if item is not None]
        known = [item != "U" for _, item in pooled]
        grades = np.array([[_grade(rank, item) for rank, item in pooled]])
        if levels is None:
            levels = range(len(pool)) if pool is not None else levels_of(grades)
        levels = require_levels(levels)
        if outside := sorted(set(grades.ravel()) - set(levels)):
            raise InputError(f"grade {outside[0]:g} is not one of the levels {show_levels(levels)}")
        counts = [int(np.sum(grades[0, known] == level)) for level in levels]
        pool = counts if pool is None else list(pool)
        if len(pool) != len(levels):
            raise InputError(f"pool has {len(pool)} counts for the {len(levels)} levels {show_levels(levels)}")
        for level, here, there in zip(levels, counts, pool, strict=True):
            if there != int(there):
                raise InputError(f"the pool has {there} documents of grade {level:g}; give a whole number")
            if here > there:
                raise InputError(f"the ranking holds {here} documents of grade {level:g}, the pool only {there}")
        return cls(
            grades=grades,
            ranks=np.array([[float(rank) for rank, _ in pooled]]).reshape(1, -1),
            judged=np.array([known], dtype=bool).reshape(1, -1),
            document=np.arange(len(pooled), dtype=np.int32)[None],
            pool=np.array([pool]),
            levels=levels,
            retrieved=np.array([len(ranking)]),
        )

    @classmethod
    def empty(cls, pool: Array, levels: Levels) -> JudgedRankings:
        """Rankings [...] that retrieve nothing, for pools int[..., level]: enough to compute what depends on the pool
        alone."""
        shape = (*pool.shape[:-1], 0)
        return cls(
            grades=np.zeros(shape),
            ranks=np.zeros(shape),
            judged=np.zeros(shape, bool),
            document=np.zeros(shape, np.int32),
            pool=pool,
            levels=levels,
            retrieved=np.zeros(shape[:-1], np.int64),
        )

    @classmethod
    def full(
        cls, grades: Array, pool: Array, levels: Levels, ranks: Array | None = None, retrieved: Array | None = None
    ) -> JudgedRankings:
        """Rankings whose documents are all judged: grades[..., j], pools int[..., level]; the leading axes broadcast.

        Parameters
        ----------
        ranks : ascending along the last axis; inf is padding. Default: 1, 2, 3 ...
        retrieved : the length of each ranking. Default: the rank of its last document.
        """
        if ranks is None:
            ranks = np.arange(1.0, grades.shape[-1] + 1)
        shape = np.broadcast_shapes(grades.shape, ranks.shape)
        there = np.broadcast_to(np.isfinite(ranks), shape)
        if retrieved is None:
            retrieved = np.where(there, ranks, 0.0).max(-1, initial=0.0).astype(np.int64)
        return cls(
            grades=np.where(there, grades, 0.0),
            ranks=np.broadcast_to(ranks, shape),
            judged=there,
            document=np.where(there, np.arange(shape[-1], dtype=np.int32), NO_DOCUMENT),
            pool=pool,
            levels=levels,
            retrieved=retrieved,
        )

    @property
    def positive(self) -> Levels:
        """The levels that count as relevant to some degree, ascending."""
        return self.levels[1:]

    @property
    def pooled(self) -> Array:
        """bool[..., j]: False only in the padding."""
        return self.document >= 0

    @property
    def level(self) -> Array:
        """intp[..., j]: index of the document's grade in ``levels``."""
        if self.levels == tuple(range(len(self.levels))):  # the grade is its own index: no search
            return self.compute_once("level", lambda: self.grades.astype(np.intp))
        return self.compute_once("level", lambda: np.searchsorted(self.levels, self.grades))

    def by_level(self, table: Array) -> Array:
        """float64[..., j]: the entry of a table by level for each document."""
        return np.take(table, self.level)

    @cached_property
    def longest(self) -> int:
        """The length of the longest ranking."""
        return int(self.retrieved.max(initial=0))

    def recorded(self, _: Any) -> Array | None:
        """The values of a measure where the core repeats its formula (see ``recording``); None: the formula scores."""
        return None

    def compute_once(self, key: Any, compute: Callable[[], T]) -> T:
        """The result of ``compute``, which is called once for each key: measures share their sums through it."""
        value = self._cache.get(key, UNKNOWN)
        if value is UNKNOWN:
            value = self._cache[key] = compute()
        known: T = value
        return known

    def of_pool(self, key: Any, compute: Callable[[Array], Array]) -> Array:
        """``compute`` of the pool, [..., a] to [...] or [..., x], called once for each topic and key."""
        if self.pools is None:
            return self.compute_once(key, lambda: compute(self.pool))
        values = self.pools.of_pool(key, compute)
        return values if self.topic is None else values.take(self.topic, axis=0)

    def hits(self, rel: float) -> Array:
        """bool[..., j]: is the document relevant at the threshold, grade >= rel?"""
        return self.compute_once(("hits", rel), lambda: self.grades >= rel)

    def whole_counts(self, rel: float) -> Array:
        """int32[..., j]: C_n(rel), as whole numbers."""
        return self.compute_once(("whole counts", rel), lambda: running_sums(self.hits(rel)))

    def counts(self, rel: float) -> Array:
        """float64[..., j]: C_n(rel), the relevant documents down to the rank n of each pooled document."""
        return self.compute_once(("counts", rel), lambda: self.whole_counts(rel).astype(float))

    def judged_counts(self) -> Array:
        """int32[..., j]: the judged documents down to the rank of each pooled document."""
        return self.compute_once("judged counts", lambda: running_sums(self.judged))

    def relevant_retrieved(self, rel: float, depth: Depth = None) -> Array:
        """int64[...]: C_k(rel), the number of relevant documents at the ranks 1..k; see ``total`` for the depth k."""
        if self._is_end(depth):
            return self.compute_once(("relevant_retrieved", rel), lambda: self.total(self.hits(rel)))
        place = (depth.shape, depth.tobytes()) if isinstance(depth, np.ndarray) else depth
        return self.compute_once(("relevant_retrieved", rel, place), lambda: self.total(self.hits(rel), depth))

    def total(self, terms: Array, depth: Depth = None) -> Array:
        """float64[...], int64[...] for flags: the sums of terms[..., j] over the documents at the ranks 1..depth.

        The depth is one for each ranking, or the same for all, or None: the whole ranking. Axes of the depth before the
        axes of the rankings become axes of the result: [cutoff, ...] for several cutoffs [cutoff, 1 ...]. Terms are
        added from the top, so that a sum does not depend on what else is computed with it.
        """
        flags = terms.dtype == bool
        kind = np.int64 if flags else float
        terms = terms if flags else terms.astype(float, copy=False)
        return add_down_to(_core.sum_down_to, kind, terms, self.ranks, None if self._is_end(depth) else depth)

    def summed_precision(self, rel: float, depth: Depth = None) -> Array:
        """float64[...]: sum_{n: r[n] >= rel} C_n(rel) / n, the sum of the precisions at the relevant documents at the
        ranks 1..depth; see ``total`` for the depth. The k-th relevant document adds k / rank."""

        def add_up(depth: Depth) -> Array:
            return add_down_to(_core.sum_precision_down_to, float, self.hits(rel), self.ranks, depth)

        if self._is_end(depth):
            return self.compute_once(("summed_precision", rel), lambda: add_up(None))
        return add_up(depth)

    def weighted_total(self, values: Array, weights: Array, depth: Depth = None) -> Array:
        """float64[...]: sum_n values[..., j] * weights[n], over the documents at the ranks n = 1..depth; see ``total``.
        The table of weights must reach the end of the longest ranking."""

        def add(values: Array, ranks: Array, depths: Array | None, totals: Array) -> None:
            _core.sum_weighted_down_to(values, ranks, depths, totals, weights)

        return add_down_to(add, float, values, self.ranks, None if self._is_end(depth) else depth)

    def _is_end(self, depth: Depth) -> bool:
        """Does a depth leave all rankings as long as they are? A depth for each ranking is not looked at."""
        return depth is None or (isinstance(depth, int) and self.longest <= depth)

    def recall_base(self, rel: float) -> Array:
        """int64[...]: RB(rel), the judged documents of the topic with grade >= rel."""
        first = bisect_left(self.levels, rel)
        return self.of_pool(("recall_base", first), lambda pool: pool[..., first:].sum(-1))

    def ideal(self, length: int | None = None) -> Array:
        """int64[..., a]: documents of each level among the first ``length`` of the ideal ranking (all positive
        documents, best grade first)."""
        counts: Array = self.pool.copy()
        counts[..., 0] = 0
        if length is None:
            return counts
        better = counts[..., ::-1].cumsum(-1)[..., ::-1] - counts
        best: Array = np.clip(length - better, 0, counts)
        return best

    def top(self, cutoff: int) -> JudgedRankings:
        """The same rankings cut after rank ``cutoff``; the pool stays whole."""
        if self.longest <= cutoff:
            return self
        if self.common_ranks is not None:
            first = slice(int(np.searchsorted(self.common_ranks, cutoff, "right")))
            return self.compute_once(("top", cutoff), lambda: self._only(first, cutoff))
        near = self.ranks[..., : width_for(cutoff)]  # the j-th document is at rank j or below
        return self.compute_once(("top", cutoff), lambda: self._within(near, near <= cutoff, cutoff))

    @property
    def common_ranks(self) -> Array | None:
        """float64[j], the ranks of all rankings where these share one array; else None."""
        return shared_row(self.ranks)

    def _only(self, first: slice, cutoff: int) -> JudgedRankings:
        """The first documents of rankings that share their ranks."""
        return JudgedRankings(
            grades=self.grades[..., first],
            ranks=self.ranks[..., first],
            judged=self.judged[..., first],
            document=self.document[..., first],
            pool=self.pool,
            levels=self.levels,
            retrieved=np.minimum(self.retrieved, cutoff),
            pools=self.pools,
            topic=self.topic,
        )

    def condensed(self) -> JudgedRankings:
        """The rankings without their unjudged documents, closed up: Sakai's condensed lists (SIGIR 2007)."""

        def close_up() -> JudgedRankings:
            order = np.argsort(~self.judged, axis=-1, kind="stable")  # the judged ones first, in their order
            grades, document, judged = (along(values, order) for values in (self.grades, self.document, self.judged))
            whole = replace(self, grades=grades, document=document, judged=judged)
            return whole._within(np.cumsum(judged, axis=-1, dtype=float), judged, judged.sum(-1))

        return self.compute_once("condensed", close_up)

    def _within(self, ranks: Array, kept: Array, length: Array | int) -> JudgedRankings:
        """The documents of kept[..., j], which come first in each ranking, at these ranks; padding follows."""
        width = width_for(int(kept.sum(-1).max(initial=1)))
        kept, ranks, grades = kept[..., :width], ranks[..., :width], self.grades[..., :width]
        judged, document = self.judged[..., :width], self.document[..., :width]
        return JudgedRankings(
            grades=grades * kept,
            ranks=np.where(kept, ranks, np.inf),
            judged=judged & kept,
            document=np.where(kept, document, NO_DOCUMENT),
            pool=self.pool,
            levels=self.levels,
            retrieved=np.minimum(self.retrieved, length),
            pools=self.pools,
            topic=self.topic,
        )


class ManyRankings(Protocol):
    """Rankings of many runs and topics, stored compactly, such as JudgedRuns: measures score them, too."""

    @property
    def rectangle(self) -> JudgedRankings:
        """All of them as one rectangle."""

    def map(self, measure: Callable[[JudgedRankings], Array]) -> Array:
        """The value of a measure for each."""


def _grade(rank: int, item: float | Literal["U"]) -> float:
    try:
        return 0.0 if item == "U" else float(item)
    except (TypeError, ValueError):
        raise InputError(f"{item!r} at rank {rank} is neither a grade, None nor 'U'") from None
