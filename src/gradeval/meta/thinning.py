"""Incomplete judgments: part of a pool is taken away, as if nobody had judged it.

A way of sampling is a value that draws, for every document of the pools and every step, whether its judgment is
kept. Steps of one draw are nested: what a smaller pool has, the larger ones have too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gradeval._core import InputError
from gradeval.judged import Array, Item, JudgedRankings, Levels
from gradeval.measure import Measure
from gradeval.meeting import JudgedRuns

RATES = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0, 5.0)
"""Percentages of the pool that are kept, where nobody says."""

Generator = np.random.Generator


class Sampling(Protocol):
    """A way of taking judgments away, in steps."""

    @property
    def steps(self) -> tuple[float, ...]:
        """What each step keeps: a percentage, or a depth."""

    @property
    def random(self) -> bool:
        """Does one draw differ from the next?"""

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:
        """bool[step, document]: whether each document of the pools, topic after topic, keeps its judgment."""


@dataclass(frozen=True)
class Stratified:
    """So many percent of each grade of each topic, but no fewer than a floor (or all there are).

    ``floor`` holds for each positive grade, ``floor_nonrelevant`` for grade 0. A floor of 1 keeps a document of
    every grade that a topic has, however scarce: measures that live on the scarce grade then look more robust than
    they are, so compare with floor 0.
    Source: Buckley & Voorhees (2004), by grade as in Ferrante, Ferro & Maistro (2014), section 4.
    """

    rates: tuple[float, ...] = RATES
    floor: int = 1
    floor_nonrelevant: int = 10

    def __post_init__(self) -> None:
        _check_rates(self.rates)
        for name, floor in (("floor", self.floor), ("floor_nonrelevant", self.floor_nonrelevant)):
            if floor < 0:
                raise InputError(f"{name} {floor} is not a number of documents from 0")

    @property
    def steps(self) -> tuple[float, ...]:
        """The rates."""
        return self.rates

    @property
    def random(self) -> bool:
        """True."""
        return True

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:
        """bool[step, document]: one random order of each grade of each topic, cut at each rate."""
        width = len(judged.levels)
        grade = np.searchsorted(judged.levels, judged.grading.grades[:-1])
        stratum = topic_of(judged) * width + grade
        known = judged.grading.judged[:-1]
        # Documents without a judgment have none to lose: a stratum of their own, which is never kept.
        stratum = np.where(known, stratum, len(judged.topics) * width)
        place, size = _places(stratum, rng.random(len(stratum)))
        floor = np.where(grade == 0, self.floor_nonrelevant, self.floor)
        return np.stack([known & (place < kept_of(size, rate, floor)) for rate in self.rates])


@dataclass(frozen=True)
class Random:
    """So many percent of each topic's pool whatever the grades, with at least one relevant document in it.

    The order of a topic's pool is redrawn until its smallest part holds a relevant document, if the topic has any.
    Source: Yilmaz & Aslam (2006).
    """

    rates: tuple[float, ...] = RATES

    def __post_init__(self) -> None:
        _check_rates(self.rates)

    @property
    def steps(self) -> tuple[float, ...]:
        """The rates."""
        return self.rates

    @property
    def random(self) -> bool:
        """True."""
        return True

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:
        """bool[step, document]: one random order of each topic's pool, cut at each rate."""
        known = judged.grading.judged[:-1]
        relevant = known & (judged.grading.grades[:-1] > 0)
        topics = len(judged.topics)
        topic = topic_of(judged)
        stratum = np.where(known, topic, topics)
        hopeful = np.bincount(topic[relevant], minlength=topics) > 0
        place, size = np.zeros(len(stratum), int), np.zeros(len(stratum), int)
        drawn = np.arange(len(stratum))
        while drawn.size:
            place[drawn], size[drawn] = _places(stratum[drawn], rng.random(len(drawn)))
            smallest = place < kept_of(size, min(self.rates), 1)
            lucky = np.bincount(topic[relevant & smallest], minlength=topics) > 0
            drawn = np.flatnonzero((hopeful & ~lucky)[topic])
        return np.stack([known & (place < kept_of(size, rate, 1)) for rate in self.rates])


@dataclass(frozen=True)
class Depth:
    """Only documents that some run has among its first so many: a shallower pool of these runs. Nothing is random."""

    depths: tuple[float, ...] = (100.0, 50.0, 20.0, 10.0, 5.0)

    def __post_init__(self) -> None:
        for depth in self.depths:
            if depth < 1:
                raise InputError(f"depth {depth:g} is not a number of ranks from 1")

    @property
    def steps(self) -> tuple[float, ...]:
        """The depths."""
        return self.depths

    @property
    def random(self) -> bool:
        """False."""
        return False

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:  # noqa: ARG002
        """bool[step, document]: does the best rank of the document reach the depth?"""
        row = np.repeat(np.arange(len(judged)), np.diff(judged.offsets))
        document = judged.grading.first[row % len(judged.topics)] + judged.document[:-1]
        best = np.full(len(judged.grading.judged) - 1, np.inf)
        np.minimum.at(best, document, judged.rank[:-1])
        known = judged.grading.judged[:-1]
        return np.stack([known & (best <= depth) for depth in self.depths])


def kept_of(size: Array, rate: float, floor: Array | int) -> Array:
    """int64[...]: how many documents of a stratum are kept: min(size, max(floor, round half up(rate size / 100)))."""
    return np.minimum(size, np.maximum(floor, np.floor(rate * size / 100 + 0.5))).astype(int)


def topic_of(judged: JudgedRuns) -> Array:
    """intp[document]: the topic of each document of the pools."""
    ends = np.append(judged.grading.first[1:], len(judged.grading.judged) - 1)
    return np.repeat(np.arange(len(judged.topics)), ends - judged.grading.first)


def pools_of(judged: JudgedRuns, kept: Array) -> Array:
    """int64[..., topic, level]: judged documents of each level that are left where only kept[..., document] are."""
    width = len(judged.levels)
    cell = topic_of(judged) * width + np.searchsorted(judged.levels, judged.grading.grades[:-1])
    cells = len(judged.topics) * width
    left = [np.bincount(cell[row], minlength=cells) for row in kept.reshape(-1, kept.shape[-1])]
    return np.reshape(left, (*kept.shape[:-1], len(judged.topics), width))


def pooled_places(judged: JudgedRuns) -> Array:
    """int64[n]: which document of all pools each document of the rankings is, ranking after ranking."""
    topic = np.arange(len(judged)) % len(judged.topics)
    return np.repeat(judged.grading.first[topic], np.diff(judged.offsets)) + judged.document[:-1]


def only_rows(judged: JudgedRuns, rows: Array) -> JudgedRuns:
    """The same runs, of which only the given rows[run * topics] hold documents."""
    return _with_entries(judged, np.flatnonzero(np.repeat(rows, np.diff(judged.offsets))))


def thinned(judged: JudgedRuns, kept: Array, *, drop: bool = False, places: Array | None = None) -> JudgedRuns:
    """The same runs under judgments of which only kept[document] are left.

    A document whose judgment went stays where it is, pooled but unjudged. With ``drop`` it is left out of the pool
    instead: the same to every measure that does not tell the two apart (see ``sees_unjudged``), and less to compute.
    ``places`` are those of ``pooled_places``, where they are known.
    """
    grading = judged.grading
    kept = kept & grading.judged[:-1]
    left = replace(
        grading,
        grades=np.append(np.where(kept, grading.grades[:-1], 0.0), 0.0),
        judged=np.append(kept, False),
        pools=replace(grading.pools, pool=pools_of(judged, kept)),
        complete=drop,
    )
    if drop:
        places = pooled_places(judged) if places is None else places
        judged = _with_entries(judged, np.flatnonzero(kept[places]))
    return replace(judged, grading=left)


def _with_entries(judged: JudgedRuns, entries: Array) -> JudgedRuns:
    """The same runs with only some documents of their rankings, by ascending place."""
    padded = np.append(entries, len(judged.rank) - 1)
    return replace(
        judged,
        rank=judged.rank[padded],
        document=judged.document[padded],
        offsets=np.searchsorted(entries, judged.offsets),
    )


def sees_unjudged(measure: Measure, levels: Levels) -> bool:
    """Does the formula tell a pooled document without a judgment from one outside the pool, as infAP does?

    It does if some of a few random rankings changes its value when its unjudged documents leave the pool.
    """
    rng = np.random.default_rng(0)
    items: list[Item] = [*levels, "U"]
    rankings = [[items[place] for place in rng.integers(len(items), size=24)] for _ in range(8)]
    pool = [24] * len(levels)
    return any(
        not np.allclose(
            measure(JudgedRankings.of(ranking, pool=pool, levels=levels)),
            measure(JudgedRankings.of([None if item == "U" else item for item in ranking], pool=pool, levels=levels)),
            rtol=1e-9,
            atol=0,
        )
        for ranking in rankings
    )


def _places(stratum: Array, keys: Array) -> tuple[Array, Array]:
    """intp[document] twice: place of each document in its stratum by ascending key, and the stratum's size."""
    order = np.lexsort((keys, stratum))
    sizes = np.bincount(stratum)
    begins = np.cumsum(sizes) - sizes
    place = np.empty(len(stratum), int)
    place[order] = np.arange(len(stratum)) - begins[stratum[order]]
    return place, sizes[stratum]


def _check_rates(rates: tuple[float, ...]) -> None:
    if not rates:
        raise InputError("no rates given: name percentages of the pool from 0 to 100, as in 100,50,10")
    for rate in rates:
        if not 0 <= rate <= 100:
            raise InputError(f"rate {rate:g} is not a percentage from 0 to 100")
