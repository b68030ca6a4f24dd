"""The documents that humans or judges judged, with the grades of each side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Grading, Negative, Qrels
from gradeval.collection.thinned import pooled_places, topic_of, with_entries
from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, show_levels
from gradeval.messages import list_some

SHOWN = 6
"""Grades for which a recoding is proposed."""
BINARY = 2
"""Levels of a judge that only says yes or no."""


@dataclass(frozen=True, eq=False)
class JointPool:
    """The documents of the humans' topics that humans or any judge judged, topic after topic.

    Attributes
    ----------
    qrels : all of them, every grade 0, for the meeting with runs.
    topic : intp[document]: the place of its topic.
    human : float64[document]: the grades of the humans; NaN where they did not judge.
    judges : float64[document] by judge: likewise.
    levels : the grades that both sides may give.
    strangers : by judge, its topics that the humans lack.
    """

    qrels: Qrels
    topic: Array
    human: Array
    judges: dict[str, Array]
    levels: Levels
    strangers: dict[str, list[str]]

    @property
    def topics(self) -> list[str]:
        """The topics of the humans, in their order."""
        return self.qrels.topics

    def common(self, judge: str, negative: Negative = "nonrelevant") -> Array:
        """bool[document]: judged by the humans and by this judge."""
        both = (self.human, self.judges[judge])
        return np.logical_and(*((~np.isnan(one) if negative == "nonrelevant" else one >= 0) for one in both))


def join_pools(human: Qrels, judges: Mapping[str, Qrels], levels: Sequence[float] | None = None) -> JointPool:
    """Put the grades of the humans and of all judges side by side.

    ``levels``: the grades that both may give; default: those of the humans.

    Raises
    ------
    InputError : a judge with a grade that is none of the levels; a binary judge beside graded humans, where no levels
        are declared; a judge without any pair of topic and document in common with the humans.
    """
    if not len(human):
        raise InputError(f"{human.name}: the humans judged no document; give judgments")
    human = human if levels is None else human.with_levels(levels)
    judges = {name: qrels.without(human.exclusion) for name, qrels in judges.items()}
    for name, qrels in judges.items():
        if not len(qrels):
            raise InputError(f"{name}: the judge judged no document; give judgments, or leave it out")
        _require_scale(name, qrels, human, declared=levels is not None)
    places: list[dict[str, int]] = []
    for topic in human.topics:
        documents = dict.fromkeys(chain(*(_documents(qrels, topic) for qrels in (human, *judges.values()))))
        places.append({document: number for number, document in enumerate(documents)})
    sizes = np.array([len(documents) for documents in places])
    first = np.cumsum(sizes) - sizes
    nothing = {topic: dict.fromkeys(known, 0.0) for topic, known in zip(human.topics, places, strict=True)}
    pool = JointPool(
        qrels=replace(
            Qrels.from_dict(nothing, human.name),
            exclusion=human.exclusion,
            excluded=human.excluded,
            emptied=human.emptied,
        ),
        topic=np.repeat(np.arange(len(sizes)), sizes),
        human=_aligned(human, human.topics, places, first),
        judges={name: _aligned(qrels, human.topics, places, first) for name, qrels in judges.items()},
        levels=human.levels,
        strangers={name: sorted(set(qrels.topics) - set(human.topics)) for name, qrels in judges.items()},
    )
    for name, qrels in judges.items():
        if not pool.common(name).any():
            raise InputError(
                f"{name}: no pair of topic and document in common with {human.name}: {_first_pair(qrels)} here, "
                f"{_first_pair(human)} there; are the ids alike?"
            )
    return pool


def _documents(qrels: Qrels, topic: str) -> list[str]:
    place = qrels.place_of_topic.get(topic)
    return [] if place is None else qrels.pools.documents(place)


def _aligned(qrels: Qrels, topics: Sequence[str], places: Sequence[dict[str, int]], first: Array) -> Array:
    """float64[document]: the grades of some judgments in the joint pool; NaN where there is none."""
    grades = np.full(int(first[-1]) + len(places[-1]), np.nan)
    offsets = qrels.pools.offsets
    for topic, known, begin in zip(topics, places, first.tolist(), strict=True):
        place = qrels.place_of_topic.get(topic)
        if place is not None:
            here = [known[document] for document in qrels.pools.documents(place)]
            grades[begin + np.array(here, np.intp)] = qrels.grades[offsets[place] : offsets[place + 1]]
    return grades


def _require_scale(name: str, judge: Qrels, human: Qrels, *, declared: bool) -> None:
    """Refuse a judge whose grades do not mean what those of the humans mean."""
    outside = np.setdiff1d(judge.grades[judge.grades >= 0], human.levels)
    top = human.levels[-1]
    if outside.size:
        number = int(np.isin(judge.grades, outside).sum())
        scale = f"the levels {show_levels(human.levels)}" + ("" if declared else f" of {human.name}")
        nearest = (
            f"{grade:g}={min(human.levels, key=lambda level: abs(level - grade)):g}" for grade in outside[:SHOWN]
        )
        accepted = f"recoding as in {','.join(nearest)}, or levels that hold the grades of both"
        if (judge.grades % 1 != 0).any() and outside.size > SHOWN:
            accepted = "judgments; these look like the scores of a run"
        grades = list_some([f"{grade:g}" for grade in outside.tolist()], SHOWN)
        raise InputError(
            f"{name}: {number:,} of {len(judge):,} grades ({grades}) outside {scale}; accepted: {accepted}"
        )
    if not declared and len(judge.levels) == BINARY < len(human.levels):
        merged = ",".join(f"{level:g}=1" for level in human.levels[2:])
        raise InputError(
            f"{name}: has no grade above {judge.levels[-1]:g}, {human.name} has up to {top:g}: is it binary? accepted: "
            f"recoding {merged} (all binary), or levels {show_levels(human.levels)} declared (its 1 is the grade 1)"
        )


def _first_pair(qrels: Qrels) -> str:
    return f"{qrels.topics[0]} {qrels.pools.documents(0)[0]}" if len(qrels) else "none"


class Regrading:
    """Runs that have met the documents of several assessors once, to be judged by the grades of each.

    ``judged``: the meeting with all documents that any of the assessors judged.
    """

    def __init__(self, judged: JudgedRuns, levels: Levels, negative: Negative = "nonrelevant") -> None:
        self.judged, self.levels, self.negative = judged, levels, negative
        self._places = pooled_places(judged)
        self._topic = topic_of(judged)

    def by(self, grades: Array) -> JudgedRuns:
        """The runs by the grades[document] of one assessor, in the order of the pools; NaN: not in the pool."""
        pooled = ~np.isnan(grades)
        known = pooled if self.negative == "nonrelevant" else grades >= 0  # NaN is not
        judged = self.judged if pooled.all() else with_entries(self.judged, np.flatnonzero(pooled[self._places]))
        values = np.where(known, np.maximum(grades, 0.0), 0.0)
        width, topics = len(self.levels), len(judged.topics)
        cell = self._topic * width + np.searchsorted(self.levels, values)
        pool = np.bincount(cell[known], minlength=topics * width).reshape(topics, width)
        grades, known = np.append(values, 0.0), np.append(known, False)
        pools, complete = JudgedRankings.empty(pool, self.levels), bool(known[:-1].all())
        grading = Grading(grades, known, judged.grading.first, pools, complete, self.negative)
        return replace(judged, grading=grading)
