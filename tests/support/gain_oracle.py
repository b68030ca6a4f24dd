"""Discounted cumulated gain by its definition, term by term."""

from __future__ import annotations

import math

from rankings import Item, Topic

SCHEEL = [1, 0, 3, 3, 2, 0, 1, 4]
"""The ranking of table 2 of Scheel et al. (2011)."""


def gain(item: Item, gains: list[float]) -> float:
    """What a document gains: nothing if it is not judged."""
    return gains[item] if isinstance(item, int) else 0


def best(topic: Topic, gains: list[float]) -> list[float]:
    """The gains of the ideal list: all judged documents."""
    return sorted((gains[grade] for grade, count in enumerate(topic.pool) for _ in range(count)), reverse=True)


def discount(n: int, kind: str = "ms", base: float = 2) -> float:
    if kind == "linear":
        return 1 / n
    if kind == "ms":
        return 1 / math.log(n + 1, base)
    return 1 if n < base else 1 / math.log(n, base)


def dcg(gains: list[float], cutoff: int | None = None, kind: str = "ms", base: float = 2) -> float:
    return math.fsum(gain * discount(n, kind, base) for n, gain in enumerate(gains[:cutoff], 1))


def ndcg(topic: Topic, gains: list[float], cutoff: int | None = None, kind: str = "ms", base: float = 2) -> float:
    ideal = dcg(best(topic, gains), cutoff, kind, base)
    return dcg([gain(item, gains) for item in topic.ranking], cutoff, kind, base) / ideal if ideal else 0
