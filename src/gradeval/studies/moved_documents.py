"""Which documents moved between two rankings of a topic, those that a measure counts first?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradeval.collection.meeting import Ties, ranked
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run

MOST = 3
"""Documents that are named for a topic."""
FIRST = 10
"""Documents at the top of each ranking that a reader looks at."""


class MovedDocument(NamedTuple):
    """A document of a topic with its ranks in both rankings; None: it is not there; and its grade; None: unjudged."""

    topic: str
    document: str
    grade: float | None
    before: int | None
    after: int | None

    def __str__(self) -> str:
        """In a cell of a table: ``d7 (grade 2) 1 to 5``; - for a rank where it is not there."""
        grade = "unjudged" if self.grade is None else f"grade {self.grade:g}"
        before, after = ("-" if rank is None else rank for rank in (self.before, self.after))
        return f"{self.document} ({grade}) {before} to {after}"


class BothRankings(NamedTuple):
    """The rankings of two runs, and how they are read: which documents moved between them on some topics?"""

    qrels: Qrels
    before: Run
    after: Run
    ties: Ties
    depth: int | None

    def find_moved(self, topics: Sequence[str]) -> list[MovedDocument]:
        """See ``find_moved``."""
        return find_moved(*self[:3], topics, *self[3:])


def find_moved(
    qrels: Qrels, before: Run, after: Run, topics: Sequence[str], ties: Ties, depth: int | None = None
) -> list[MovedDocument]:
    """The documents that moved most on each of these topics, among the first of both rankings.

    A document at rank r weighs 1/r, one that is not there 0. Relevant documents come first, as measures lose and win by
    them: by grade times change of weight; then the others by their change of weight. Where all that is named fell, the
    last place is for the first of what rose: it took the place of what fell.
    """
    has = [set(run.topics) for run in (before, after)]
    moved = []
    for topic in topics:
        grades, gone = qrels.of(topic), qrels.exclusion.of(topic)
        lists = [
            ranked(run, topic, ties, depth, gone) if topic in known else []
            for run, known in zip((before, after), has, strict=True)
        ]
        first, second = ({document: rank for rank, document in enumerate(one, 1)} for one in lists)
        seen = dict.fromkeys([*lists[0][:FIRST], *lists[1][:FIRST]])
        change = {one: abs(_weigh(second.get(one)) - _weigh(first.get(one))) for one in seen}
        worth = {one: max(grades.get(one, 0), 0) * change[one] for one in seen}
        order = sorted((one for one in seen if change[one]), key=lambda one: (-worth[one], -change[one]))
        rose = next((place for place, one in enumerate(order) if _weigh(second.get(one)) > _weigh(first.get(one))), 0)
        chosen = order[:MOST] if rose < MOST else [*order[: MOST - 1], order[rose]]
        moved += [MovedDocument(topic, one, grades.get(one), first.get(one), second.get(one)) for one in chosen]
    return moved


def _weigh(rank: int | None) -> float:
    return 1 / rank if rank else 0.0
