"""Queries whose rows lie in several parts: found, and brought into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval.features.feature_arrays import concatenate_columns, offsets_of
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.ltr.distributed.parts import Part, Summary, hash_names

LEAST = 0.5  # of its rows that a part keeps; where one would keep less, queries are dealt out to all parts anew


@dataclass(frozen=True, eq=False)
class Split:
    """The queries that are moved, and to which part each is brought.

    Attributes
    ----------
    queries : uint64[query], their hashes, ascending.
    home : int64[query], the part that gets all rows.
    parts : for each part, whether it has or gets some of these queries.
    several : how many queries had rows in several parts.
    """

    queries: Array
    home: Array
    parts: list[bool]
    several: int

    def home_of(self, queries: Array, here: int) -> Array:
        """int64[query]: the part that each of these queries of part ``here`` belongs to."""
        place = np.searchsorted(self.queries, queries).clip(max=len(self.queries) - 1)
        return np.where(self.queries[place] == queries, self.home[place], here)


def find_split_queries(summaries: Sequence[Summary]) -> Split:
    """The queries that occur in more than one part, each brought to the part that has its first row.

    Where a table is not sorted by query, nearly all queries have their first row in the first parts. Then all queries
    are dealt out in the order of their first rows, so that every part has about as many rows as before: a worker needs
    memory for its share, and LightGBM makes the bins of some of the features from the rows of one worker.
    """
    queries = np.concatenate([summary.queries for summary in summaries])
    part = np.repeat(np.arange(len(summaries)), [len(summary.queries) for summary in summaries])
    distinct, first, place, times = np.unique(queries, return_index=True, return_inverse=True, return_counts=True)
    size = np.bincount(place, np.concatenate([summary.sizes for summary in summaries]))
    rows = np.array([summary.rows for summary in summaries])
    home = part[first]
    if (np.bincount(home, size, len(rows)) < LEAST * rows).any():
        order = np.argsort(first)
        home[order] = np.searchsorted(np.cumsum(rows), np.cumsum(size[order]) - size[order], side="right")
    moved = (times > 1) | (home != part[first])
    split, targets = distinct[moved], set(home[moved].tolist())
    concerned = [number in targets or bool(np.isin(each.queries, split).any()) for number, each in enumerate(summaries)]
    return Split(split, home[moved], concerned, int((times > 1).sum()))


def take_rows(part: Part, split: Split, here: int, home: int) -> Features:
    """Of part ``here`` the queries that belong to part ``home``; there may be none."""
    features = part.features
    belongs = split.home_of(hash_names(features.topics), here) == home
    return features.select([topic for topic, mine in zip(features.topics, belongs.tolist(), strict=True) if mine])


def join_rows(pieces: Sequence[Features]) -> Part | None:
    """Pieces of a part, in the order of the table, as one: the rows of a query together, in their order there."""
    pieces = [piece for piece in pieces if len(piece)]
    if not pieces:
        return None
    place_of: dict[str, int] = {}
    query = [place_of.setdefault(topic, len(place_of)) for piece in pieces for topic in piece.topics]
    sizes = np.concatenate([np.diff(piece.offsets) for piece in pieces])
    by_row = np.repeat(query, sizes)
    order = np.argsort(by_row, kind="stable")
    rows = len(order)
    features = replace(
        pieces[0],
        X=np.concatenate([piece.X for piece in pieces])[order],
        grades=np.concatenate([piece.grades for piece in pieces])[order],
        topics=list(place_of),
        offsets=offsets_of(np.bincount(by_row)),
        ids=(np.broadcast_to(np.int64(0), rows + 1), concatenate_columns([])[1]),
        levels=max((piece.levels for piece in pieces), key=len),
    )
    return Part(features)
