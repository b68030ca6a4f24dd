"""The documents that humans judged, with the grades of each judge side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Grading, Negative, Qrels
from gradeval.collection.thinned import pooled_places, topic_of, with_entries
from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, levels_of, show_levels
from gradeval.messages import Given, MessagePart, Typed, list_some
from gradeval.warning_categories import GradesWarning, Note

SHOWN = 6
"""Grades outside the levels that are named."""
SPREAD = 12
"""Grades of a judge, at most, for which a recoding is proposed."""
NEARLY_ALL = 0.95
"""A judge with this share of the humans' pairs, on its topics, judged the whole pool; with less, a part."""
BINARY = 2
"""Levels of a judge that only says yes or no."""


@dataclass(frozen=True, eq=False)
class JointPool:
    """The documents that the humans judged, topic after topic; nothing says what other grades of a judge are worth.

    Attributes
    ----------
    qrels : all of them, every grade 0, for the meeting with runs.
    topic : intp[document]: the place of its topic.
    human : float64[document]: the grades of the humans; NaN where they did not judge.
    judges : float64[document] by judge: likewise.
    levels : the grades that both sides may give.
    strangers : by judge, its topics that the humans lack.
    extra : by judge, how many documents it alone judged in the humans' topics; these are left out.
    """

    qrels: Qrels
    topic: Array
    human: Array
    judges: dict[str, Array]
    levels: Levels
    strangers: dict[str, list[str]]
    extra: dict[str, int]

    @property
    def topics(self) -> list[str]:
        """The topics of the humans, in their order."""
        return self.qrels.topics

    def common(self, judge: str, negative: Negative = "nonrelevant") -> Array:
        """bool[document]: judged by the humans and by this judge."""
        both = (self.human, self.judges[judge])
        return np.logical_and(*((~np.isnan(one) if negative == "nonrelevant" else one >= 0) for one in both))

    def topics_of(self, *judges: str, negative: Negative = "nonrelevant") -> tuple[int, ...]:
        """The places of the topics with a document that the humans and all these judges judged."""
        common = np.logical_and.reduce([self.common(judge, negative) for judge in judges])
        return tuple(np.unique(self.topic[common]).tolist())

    def of_topics(self, *judges: str, negative: Negative = "nonrelevant") -> Array:
        """bool[document]: judged by the humans, in the topics of which these judges judged a document, too."""
        return ~np.isnan(self.human) & np.isin(self.topic, self.topics_of(*judges, negative=negative))

    def common_part(self, *judges: str, negative: Negative = "nonrelevant") -> Array | None:
        """bool[document]: judged by the humans and these judges; None where each judge has the pool, or nearly so.

        Both sides are then compared on these pairs: a pool of which a judge saw a part says nothing of its grades.
        """
        pooled = self.of_topics(*judges, negative=negative)
        common = [self.common(judge, negative) & pooled for judge in judges]
        if all(one.sum() >= NEARLY_ALL * pooled.sum() for one in common):
            return None
        return np.asarray(np.logical_and.reduce(common))

    def tell_common_part(self, judge: str, second: str, negative: Negative = "nonrelevant") -> str:
        """Say how many of the pairs of humans and judge count where a second assessor is compared, too; empty: all."""
        both, own = (judge, second), self.common(judge, negative)
        part = self.common_part(*both, negative=negative)
        used = own & (np.isin(self.topic, self.topics_of(*both, negative=negative)) if part is None else part)
        which = f"in topics that {second} judged, too" if part is None else f"that {second} judged, too"
        return "" if used.sum() == own.sum() else f"on the {used.sum():,} of {own.sum():,} pairs {which}"


def drop_negatives(human: Qrels) -> Qrels:
    """The judgments without documents of negative grades, where these count as unjudged.

    Topics without other judgments are left out.
    """
    if not (human.grades < 0).any():
        return human
    known = {
        topic: {document: grade for document, grade in human.of(topic).items() if grade >= 0} for topic in human.topics
    }
    rest = Qrels.from_dict({topic: documents for topic, documents in known.items() if documents}, human.name)
    here = np.array([bool(known[topic]) for topic in human.topics])
    excluded = None if human.excluded is None else human.excluded[here]
    return replace(human, pools=rest.pools, grades=rest.grades, excluded=excluded)


def join_pools(human: Qrels, judges: Mapping[str, Qrels], levels: Sequence[float] | None = None) -> JointPool:
    """Put the grades of the humans and of all judges side by side.

    ``levels``: the grades that both may give; default: the humans' grades.

    Raises
    ------
    InputError : a judge with a grade outside the levels; a binary judge with graded humans, where no levels
        are declared; a judge without any pair of topic and document in common with the humans.
    """
    require_judgments(human)
    human = human if levels is None else human.with_levels(levels)
    judges = {name: qrels.without(human.exclusion) for name, qrels in judges.items()}
    for name, qrels in judges.items():
        _require_comparable(name, qrels, human, declared=levels is not None)
    places: list[dict[str, int]] = []
    for topic in human.topics:
        places.append({document: number for number, document in enumerate(_documents(human, topic))})
    sizes = np.array([len(documents) for documents in places])
    first = np.cumsum(sizes) - sizes
    nothing = {topic: dict.fromkeys(known, 0.0) for topic, known in zip(human.topics, places, strict=True)}
    return JointPool(
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
        extra={name: count_pairs(qrels, human).judge_alone for name, qrels in judges.items()},
    )


def _documents(qrels: Qrels, topic: str) -> list[str]:
    place = qrels.place_of_topic.get(topic)
    return [] if place is None else qrels.pools.documents(place)


def _aligned(qrels: Qrels, topics: Sequence[str], places: Sequence[dict[str, int]], first: Array) -> Array:
    """float64[document]: the grades of some judgments of the joint pool; NaN where there is none."""
    grades = np.full(int(first[-1]) + len(places[-1]), np.nan)
    offsets = qrels.pools.offsets
    for topic, known, begin in zip(topics, places, first.tolist(), strict=True):
        place = qrels.place_of_topic.get(topic)
        if place is not None:
            here = np.array([known.get(document, -1) for document in qrels.pools.documents(place)], np.intp)
            grades[begin + here[here >= 0]] = qrels.grades[offsets[place] : offsets[place + 1]][here >= 0]
    return grades


def require_judgments(human: Qrels) -> None:
    """Refuse humans who judged nothing."""
    if not len(human):
        raise InputError(f"{human.name}: the humans judged no document; give judgments")


def require_comparable(
    name: str,
    judge: Qrels,
    human: Qrels,
    levels: Sequence[float] | None = None,
    ask: Callable[[str, Qrels, Qrels], str] | None = None,
) -> None:
    """Refuse a judge whose grades cannot be compared with the humans' grades: see ``join_pools``.

    ``ask``: what finds ids that look alike where no pair is common, and asks about them.
    """
    human = human if levels is None else human.with_levels(levels)
    _require_comparable(name, judge.without(human.exclusion), human, declared=levels is not None, ask=ask)


def _require_comparable(
    name: str, judge: Qrels, human: Qrels, *, declared: bool, ask: Callable[[str, Qrels, Qrels], str] | None = None
) -> None:
    if not len(judge):
        raise InputError("the judge judged no document; give judgments, or leave it out").within(name)
    _require_scale(name, judge, human, declared=declared)
    if not any(_share_documents(judge, human, topic) for topic in human.topics):
        asked = ask(name, judge, human) if ask is not None else ""
        raise InputError(
            f"no pair of topic and document in common with {human.name}: {_first_pair(judge)} here, "
            f"{_first_pair(human)} there; {asked or 'are the ids alike?'}"
        ).within(name)


def count_common_topics(judge: Qrels, human: Qrels, negative: Negative) -> int:
    """The topics with a document that both judged."""
    return sum(_share_documents(judge, human, topic, negative) for topic in human.topics)


class CommonPairs(NamedTuple):
    """On the topics of both: the pairs that humans and a judge judged, all pairs of the humans, and the judge's own."""

    both: int
    humans: int
    judge_alone: int

    @property
    def are_of_other_documents(self) -> bool:
        """Did the judge judge a part of the humans' pairs, and more documents that no human judged?"""
        return self.both < NEARLY_ALL * self.humans and self.judge_alone > self.both


def count_pairs(judge: Qrels, human: Qrels) -> CommonPairs:
    """See ``CommonPairs``."""
    both = humans = alone = 0
    for topic in human.topics:
        if topic in judge.place_of_topic:
            here, there = set(_documents(judge, topic)), set(_documents(human, topic))
            both, humans, alone = both + len(here & there), humans + len(there), alone + len(here - there)
    return CommonPairs(both, humans, alone)


def _share_documents(judge: Qrels, human: Qrels, topic: str, negative: Negative = "nonrelevant") -> bool:
    """Did both judge a document of a topic?"""
    if topic not in judge.place_of_topic:
        return False
    if negative == "nonrelevant":
        return not set(_documents(judge, topic)).isdisjoint(_documents(human, topic))
    sides = [{document for document, grade in one.of(topic).items() if grade >= 0} for one in (judge, human)]
    return not sides[0].isdisjoint(sides[1])


def _require_scale(name: str, judge: Qrels, human: Qrels, *, declared: bool) -> None:
    """Refuse a judge whose grades do not mean what the humans' grades mean."""
    outside = _find_outside(judge, human.levels)
    top = human.levels[-1]
    table = _propose_recoding(judge, human.levels, outside)
    if outside.size:
        number = int(np.isin(judge.grades, outside).sum())
        scale = f"the levels {show_levels(human.levels)}" + ("" if declared else f" of {human.name}")
        grades = list_some([f"{grade:g}" for grade in outside.tolist()], SHOWN)
        said = f"{number:,} of {len(judge):,} grades ({grades}) outside {scale}; accepted: "
        if table:
            raise InputError(said, *_say_recoding(name, judge, table), *_or_levels(judge, human, outside)).within(name)
        if (judge.grades % 1 != 0).any():
            raise InputError(f"{said}judgments; these look like the scores of a run").within(name)
        many = np.unique(judge.grades).size
        raise InputError(f"{said}grades of these levels; it has {many} grades, put them into classes").within(name)
    if table and judge.highest not in (0, top, 0 if declared else human.highest):
        of = f"its grades are out of {judge.highest:g}, and {human.name} has up to {top:g}; accepted: "
        raise InputError(of, *_say_recoding(name, judge, table)).within(name)
    if not declared and not judge.highest:
        _require_fine_scale(name, judge, human)


def _require_fine_scale(name: str, judge: Qrels, human: Qrels) -> None:
    """Refuse a judge whose highest grade is at most half of the humans': it may be on a shorter scale."""
    top, least = judge.levels[-1], human.levels[2] if len(human.levels) > BINARY else 0.0
    binary = len(judge.levels) == BINARY < len(human.levels)
    merged = {level: float(level >= least) for level in human.levels[1:]}
    if not binary:
        merged = _propose_recoding(human, judge.levels, _find_outside(human, judge.levels))
    if not binary and (len(judge.levels) <= BINARY or 2 * top > human.levels[-1] or not merged):
        return
    raise InputError(
        f"has no grade above {top:g}, {human.name} has up to {human.levels[-1]:g}: is ",
        "it binary? accepted: " if binary else "its scale shorter? accepted: ",
        *_say_recoding(human.name, human, merged),
        f" (humans relevant from {least:g} on), or " if binary else ", or ",
        Given("levels", human.levels, f"({show_levels(human.levels)})"),
        f" (its {top:g} is the grade {top:g})",
    ).within(name)


def about_other_scale(name: str, judge: Qrels, human: Qrels) -> Iterator[Note]:
    """That declared levels hold the grades of humans and of a judge, which seem to be on two scales."""
    own = levels_of(human.grades)
    outside = _find_outside(judge, own)
    if not outside.size or outside[-1] <= own[-1] or _are_strays(judge, own, outside):
        return
    if table := _propose_recoding(judge, own, outside):
        typed, python = (GradesOfOne(name, table), judge.spell_change("recode", repr(GradesOfOne(name, table))))
        said = (
            f"{name}: has grades to {outside[-1]:g}, and {human.name} to {own[-1]:g}; if these are two scales, leave "
        )
        yield Note(f"{said}the levels out and take --recode {typed} ({python})", GradesWarning)


def _find_outside(judge: Qrels, levels: Levels) -> Array:
    """The grades of a judge that are none of the levels, ascending."""
    return np.setdiff1d(judge.grades[judge.grades >= 0], levels)


def _say_recoding(name: str, judge: Qrels, table: Mapping[float, float]) -> list[MessagePart]:
    """What a judge on another scale may be given, and what stands behind the recoding that is proposed."""
    why = f" (each by its share of {judge.highest:g})" if judge.highest else ""
    grades = GradesOfOne(name, table)
    return [Typed(f"--recode {grades}", judge.spell_change("recode", repr(grades))), why]


def _or_levels(judge: Qrels, human: Qrels, outside: Array) -> list[MessagePart]:
    """The levels of both, where a judge may have the humans' scale, and a few grades more."""
    if not _are_strays(judge, human.levels, outside):
        return []
    both = tuple(sorted({*human.levels, *outside.tolist()}))
    return [", or ", Given("levels", both, f"({show_levels(both)})"), " if both sides may give these"]


def _are_strays(judge: Qrels, levels: Levels, outside: Array) -> bool:
    """Has a judge the levels, from 0 on, and one or two grades more?"""
    given = np.unique(judge.grades[judge.grades >= 0])
    return bool(given[0] < 1 and outside.size <= BINARY and np.isin(levels[:-1], given).all() and not judge.highest)


def _propose_recoding(judge: Qrels, levels: Levels, outside: Array) -> dict[float, float]:
    """Which of the levels each grade of a judge may mean: stray grades the nearest level, grades of another scale the
    level at their share of its top; empty where the grades are too many to say."""
    given = np.unique(judge.grades[judge.grades >= 0])
    if given.size > SPREAD or not given.size:
        return {}
    least = 0.0 if given[0] < 1 else 1.0  # a scale begins at 0 or at 1, though nothing may have its first grade
    parts = bool((given % 1 != 0).any())
    top = judge.highest or (1.0 if parts and given[-1] < 1 else given[-1])
    between = parts and 1 < given[-1] <= levels[-1]  # as means of the levels
    if not judge.highest and (top == least or between or _are_strays(judge, levels, outside)):
        return {grade: min(levels, key=lambda level: abs(level - grade)) for grade in outside.tolist()}
    share = (given - least) / (top - least) if top > least else np.ones(given.size)
    places = np.floor(share * (len(levels) - 1) + 0.5).astype(int).tolist()
    table = dict(zip(given.tolist(), (levels[place] for place in places), strict=True))
    return {grade: level for grade, level in table.items() if grade != level}


@dataclass(frozen=True)
class GradesOfOne:
    """Grades of one file alone and what each becomes, as a message writes them: in Python as a mapping, in a command
    with the name of the file."""

    name: str
    table: Mapping[float, float]

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{_exact(old)}: {_exact(new)}" for old, new in self.table.items()) + "}"

    def __str__(self) -> str:
        return f"{self.name}:{','.join(f'{_exact(old)}={_exact(new)}' for old, new in self.table.items())}"


def _exact(grade: float) -> str:
    """The shortest text that reads back as this grade."""
    return f"{grade:g}" if float(f"{grade:g}") == grade else repr(grade)


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
