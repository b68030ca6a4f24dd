"""Discounts of ranks, in tables by rank."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, look_up
from gradeval.formula.judged import JudgedRankings

Discount: TypeAlias = Literal["ms", "jk", "letor", "linear"]


def rank_index(judged: JudgedRankings) -> Array:
    """intp[..., j]: the rank of each document; the end of the longest ranking in the padding. [j] where all
    rankings have the same ranks."""

    def index() -> Array:
        ranks = judged.ranks if judged.common_ranks is None else judged.common_ranks
        return np.minimum(ranks, judged.longest).astype(np.intp)

    return judged.compute_once("rank_index", index)


def at_ranks(judged: JudgedRankings, table: Array) -> Array:
    """float64[..., j]: the entry at the rank of each document, with ``table[n]`` for rank n.

    The table must ``reach`` the end of the longest ranking. In the padding it is any entry.
    """
    ranks = judged.ranks if judged.common_ranks is None else judged.common_ranks
    return look_up(table, ranks)


def reach(rank: int) -> int:
    """The length of a table for all ranks up to this one, rounded up so that few different tables are made."""
    return 1 << rank.bit_length()


@lru_cache(maxsize=32)
def discounts(kind: Discount, base: float, length: int) -> Array:
    """float64[length]: the factor of a gain at rank n; entry 0 is 0.

    ms: 1 / log_b(n + 1) (Burges et al., 2005). jk: 1 for n < b, 1 / log_b(n) from there on (Järvelin &
    Kekäläinen, 2002). letor: jk with base 2 (the evaluation script of LETOR 2.0 and 3.0). linear: 1 / n
    (Robertson et al., 2010).
    """
    if kind == "letor" and base != 2:
        raise InputError(f"base={base:g} with discount='letor', whose base is 2: write discount='jk' for another base")
    if kind == "linear" and base != 2:
        raise InputError(f"base={base:g} with discount='linear', which has no logarithm: leave the base out")
    ranks = np.arange(1.0, length)
    if kind == "linear":
        return _frozen(np.append(0.0, 1 / ranks))
    logarithms = np.log2(ranks + 1 if kind == "ms" else ranks) / np.log2(base)
    worth = 1 / (logarithms if kind == "ms" else np.maximum(1.0, logarithms))
    return _frozen(np.append(0.0, worth))


@lru_cache(maxsize=32)
def cumulated_discounts(kind: Discount, base: float, length: int) -> Array:
    """float64[length]: the sum of the discounts of the ranks 1..n; entry 0 is 0."""
    return _frozen(np.cumsum(discounts(kind, base, length), dtype=np.longdouble).astype(float))


@lru_cache(maxsize=32)
def powers(p: float, length: int) -> Array:
    """float64[length]: p^(n-1), the probability of going on to rank n; entry 0 is 0."""
    return _frozen(np.append(0.0, np.power(float(p), np.arange(length - 1))))


def _frozen(table: Array) -> Array:
    table.flags.writeable = False
    return table
