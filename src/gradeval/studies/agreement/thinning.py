"""Incomplete judgments: part of a pool is taken away, as if nobody had judged it.

A way of sampling decides, for every document of the pools and every step, whether its judgment is kept. The steps of
one draw are nested: a larger pool has all documents of the smaller ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import topic_of
from gradeval.formula.arithmetic import Array

RATES = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0, 5.0)
"""Percentages of the pool that are kept by default."""

Generator = np.random.Generator


class Sampling(Protocol):
    """A way of taking judgments away, in steps; ``str`` names it, with its floor.

    Attributes
    ----------
    name : what it is called.
    unit : what its steps are: "rate" (percentages of the pool) or "depth" (ranks).
    random : does one draw differ from the next?
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    random: ClassVar[bool]

    @property
    def steps(self) -> tuple[float, ...]:
        """What each step keeps: a percentage, or a depth."""

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:
        """bool[step, document]: whether each document of the pools, topic after topic, keeps its judgment."""


@dataclass(frozen=True)
class Stratified:
    """A percentage of each grade of each topic, but no fewer than a floor (or all of them where there are fewer).

    ``floor`` holds for each positive grade, ``floor_nonrelevant`` for grade 0. A floor of 1 keeps a document of
    every grade that a topic has, however scarce: measures that depend on the scarce grade then look more robust than
    they are, so compare with floor 0.
    Source: Buckley & Voorhees (2004), by grade as in Ferrante, Ferro & Maistro (2014), section 6.
    """

    name: ClassVar[str] = "stratified"
    unit: ClassVar[str] = "rate"
    random: ClassVar[bool] = True
    rates: tuple[float, ...] = RATES
    floor: int = 1
    floor_nonrelevant: int = 10

    def __post_init__(self) -> None:
        _check_rates(self.rates)
        for name, floor in (("floor", self.floor), ("floor_nonrelevant", self.floor_nonrelevant)):
            checks.whole(name, floor, 0, unit="documents")

    def __str__(self) -> str:
        return f"{self.name}, floor {self.floor}"

    @property
    def steps(self) -> tuple[float, ...]:
        """The rates."""
        return self.rates

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:
        """bool[step, document]: one random order of each grade of each topic, cut at each rate."""
        width = len(judged.levels)
        grade = np.searchsorted(judged.levels, judged.grading.grades[:-1])
        stratum = topic_of(judged) * width + grade
        known = judged.grading.judged[:-1]
        # Documents without a judgment form a stratum of their own, of which nothing is kept.
        stratum = np.where(known, stratum, len(judged.topics) * width)
        place, size = _places(stratum, rng.random(len(stratum)))
        floor = np.where(grade == 0, self.floor_nonrelevant, self.floor)
        return np.stack([known & (place < count_kept(size, rate, floor)) for rate in self.rates])


@dataclass(frozen=True)
class Random:
    """A percentage of each topic's pool whatever the grades, with at least one relevant document in it.

    The order of a topic's pool is redrawn until its smallest part holds a relevant document, if the topic has any: the
    parts are nested, so the larger ones depend a little on the smallest rate, too. With a single rate it is the method
    of Yilmaz & Aslam.
    Source: Yilmaz & Aslam (2006).
    """

    name: ClassVar[str] = "random"
    unit: ClassVar[str] = "rate"
    random: ClassVar[bool] = True
    rates: tuple[float, ...] = RATES

    def __post_init__(self) -> None:
        _check_rates(self.rates)

    def __str__(self) -> str:
        return self.name

    @property
    def steps(self) -> tuple[float, ...]:
        """The rates."""
        return self.rates

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:
        """bool[step, document]: one random order of each topic's pool, cut at each rate."""
        known = judged.grading.judged[:-1]
        relevant = known & (judged.grading.grades[:-1] > 0)
        topics = len(judged.topics)
        topic = topic_of(judged)
        stratum = np.where(known, topic, topics)
        has_relevant = np.bincount(topic[relevant], minlength=topics) > 0
        place, size = np.zeros(len(stratum), int), np.zeros(len(stratum), int)
        pending = np.arange(len(stratum))
        while pending.size:
            place[pending], size[pending] = _places(stratum[pending], rng.random(len(pending)))
            smallest = place < count_kept(size, min(self.rates), 1)
            satisfied = np.bincount(topic[relevant & smallest], minlength=topics) > 0
            pending = np.flatnonzero((has_relevant & ~satisfied)[topic])
        return np.stack([known & (place < count_kept(size, rate, 1)) for rate in self.rates])


@dataclass(frozen=True)
class Depth:
    """The documents that some run ranks above a depth: a shallower pool of these runs. Nothing is random.

    The pool is that of all judged runs, also of those that are not studied.
    """

    name: ClassVar[str] = "depth"
    unit: ClassVar[str] = "depth"
    random: ClassVar[bool] = False
    depths: tuple[float, ...] = (100.0, 50.0, 20.0, 10.0, 5.0)

    def __post_init__(self) -> None:
        _check_depths(self.depths)

    def __str__(self) -> str:
        return self.name

    @property
    def steps(self) -> tuple[float, ...]:
        """The depths."""
        return self.depths

    def draw(self, judged: JudgedRuns, rng: Generator) -> Array:  # noqa: ARG002
        """bool[step, document]: does the best rank of the document reach the depth?"""
        row = np.repeat(np.arange(len(judged)), np.diff(judged.offsets))
        document = judged.grading.first[row % len(judged.topics)] + judged.document[:-1]
        best = np.full(len(judged.grading.judged) - 1, np.inf)
        np.minimum.at(best, document, judged.rank[:-1])
        known = judged.grading.judged[:-1]
        return np.stack([known & (best <= depth) for depth in self.depths])


def count_kept(size: Array, rate: float, floor: Array | int) -> Array:
    """int64[...]: how many documents of a stratum are kept: min(size, max(floor, round half up(rate size / 100)))."""
    return np.minimum(size, np.maximum(floor, np.floor(rate * size / 100 + 0.5))).astype(int)


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
        checks.number("rate", rate, least=0, most=100, kind="a percentage")
    _check_distinct("rate", rates)


def _check_depths(depths: tuple[float, ...]) -> None:
    if not depths:
        raise InputError("no depths given: name ranks from 1, as in 50,20,10")
    for depth in depths:
        if checks.number("depth", depth, least=1, kind="a whole number of ranks") != int(depth):
            raise InputError(f"depth={depth:g} is not a whole number of ranks from 1")
    _check_distinct("depth", depths)


def _check_distinct(what: str, steps: tuple[float, ...]) -> None:
    for place, step in enumerate(steps):
        if step in steps[:place]:
            raise InputError(f"{what} {step:g} is given twice")
