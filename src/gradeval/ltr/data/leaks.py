"""Which features give away what a ranker is to learn: a copy or a part of the grade, or a number of the query or the
document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextvars import ContextVar
from shlex import quote
from typing import NamedTuple

import numpy as np

from gradeval.features.features import Features
from gradeval.files.column_names import RANKS, normal_name
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.ltr.data.likely_ids import ask_about_ids, leaving_out
from gradeval.warning_categories import FeaturesWarning, warn

LEAST_PAIRS = 100
"""Documents of different grades that a feature has to order without a fault before it is asked about."""
LEAST_QUERIES = 20
"""Queries that a feature has to number, or whose documents it has to tell apart, before it is asked about."""
SHARE, FAULTS = 0.1, 0.02
"""A feature may be a part of the grade if it tells grades apart in at least this share of the topics with several
grades, and if it orders two documents against their grades in at most this share of the topics that it tells apart."""
DONE = {
    "click",
    "clicked",
    "booking",
    "booked",
    "purchase",
    "purchased",
    "bought",
    "ordered",
    "converted",
    "conversion",
}
"""What users do with a ranking, of which a column says whether they did."""
FLAGS = {"is", "was", "has", "bool", "flag", "label"}
"""Other words in the names of such columns, as in click_bool."""
POSITIONS = frozenset(
    (*RANKS, "pos", "slot", "position_shown", "shown_position", "display_position", "impression_position")
)
"""The usual names of columns that say where a document was shown."""
LOOKED_AT = 50
"""Queries by which features are looked at first; only what is suspicious there is looked at in all."""


def warn_of_leaks(features: Features, categories: Collection[str] = ()) -> None:
    """FeaturesWarnings about features that order all documents by their grades, number the queries, or may be ids;
    an InputError about such as surely are ids. ``categories`` are none."""
    if LEAKS_ASKED.get():
        return
    ask_about_ids(features, categories)
    for text in (*describe_leaks(features), *_describe_repeats(features)):
        warn(f"{features.name}: {text}", FeaturesWarning)


def _describe_repeats(features: Features) -> Iterator[str]:
    """What to ask about a document that one of the first queries has several times, as pages of a log have it."""
    first = features.select(features.topics[:LOOKED_AT])
    rows = Counter(zip(part_of_row(first.offsets).tolist(), first.docs, strict=True))
    (topic, document), times = max(rows.items(), key=lambda item: item[1], default=((0, ""), 1))
    if times > 1:
        query = "--columns query=session_id (query= in Python), and the positions by --position (position=)"
        how = f"name their column, as in {query}; or train on the documents, and give the log by --clicks"
        said = f"document {document} stands {times} times in query {first.topics[topic]}"
        yield f"{said}; if rows are what users were shown, each page is a query: {how}"


LEAKS_ASKED: ContextVar[bool] = ContextVar("LEAKS_ASKED", default=False)
"""Were the data looked at before, as of all trainings?"""


def describe_leaks(features: Features) -> Iterator[str]:
    """What to ask about features that order all documents by their grades, or number the queries."""
    if np.isnan(features.grades).any():
        return
    copies = [column for column in _find_suspects(features) if _orders_by_grade(features, features.X[:, column])]
    numbers = [column for column in range(features.X.shape[1]) if _numbers_queries(features, features.X[:, column])]
    told = {column: apart for column, apart in _find_parts(features) if column not in copies}
    done = [column for column in range(features.X.shape[1]) if _says_done(features, column) and column not in copies]
    for columns, what, of in (
        (copies, "alone orders the documents of every topic by grade", "the grade by another name"),
        (numbers, "is another whole number in each topic", "the topic by another name"),
        (told, "tells grades apart in {0.telling} topics and contradicts them in {0.wrong}", "a part of the grade"),
        (
            [one for one in done if one not in told],
            "is named after what users did",
            "not known when documents are ranked",
        ),
    ):
        for column in columns:
            name = features.columns[column]
            said = what.format(told.get(column))
            yield f"feature {name} {said}; leave it out if it is {of}: {leaving_out([name])}"
    for column in range(features.X.shape[1]):
        if column not in copies and _counts_positions(features, column):
            name = features.columns[column]
            how = f"correct clicks for it by train's --position {quote(name)} (position= in Python)"
            yield f"feature {name} may say where documents were shown; {how}, or leave it out: {leaving_out([name])}"


class ToldApart(NamedTuple):
    """How many topics a feature tells documents of different grades apart in, and in how many of these it orders any
    two against their grades."""

    telling: int
    faults: int

    @property
    def wrong(self) -> str:
        """The second number in words."""
        return str(self.faults or "none")


class GradedGroups:
    """The documents of each topic by grade, so that many features are compared with the grades."""

    def __init__(self, features: Features, topics: int) -> None:
        self.end = int(features.offsets[topics])
        topic, grades = part_of_row(features.offsets)[: self.end], features.grades[: self.end]
        self.order = np.lexsort((grades, topic))
        topic, grades = topic[self.order], grades[self.order]
        self.starts = np.flatnonzero(np.concatenate([[True], (np.diff(topic) != 0) | (np.diff(grades) != 0)]))
        of_group = topic[self.starts]
        self.within = np.diff(of_group) == 0
        self.topic = of_group[1:][self.within]
        self.topics = len(np.unique(self.topic))

    def tell_apart(self, values: Array) -> ToldApart:
        """What a feature tells apart that rises with the grade, or falls; a missing value is less than all others."""
        known = ~np.isnan(values[: self.end])
        if not known.any():
            return ToldApart(0, 0)
        values = np.where(known, values[: self.end], values[: self.end][known].min() - 1)[self.order]
        least, most = np.minimum.reduceat(values, self.starts), np.maximum.reduceat(values, self.starts)
        rises, falls = least[:-1] < most[1:], most[:-1] > least[1:]
        up, down = (len(np.unique(self.topic[some[self.within]])) for some in (rises, falls))
        both = len(np.intersect1d(self.topic[rises[self.within]], self.topic[falls[self.within]]))
        return ToldApart(up + down - both, min(up, down))


def _find_parts(features: Features) -> Iterator[tuple[int, ToldApart]]:
    """The features that tell documents of many topics apart, and hardly ever order two against their grades."""
    if len(features.topics) < LEAST_QUERIES:
        return
    first = GradedGroups(features, min(LOOKED_AT, len(features.topics)))
    suspects = [at for at in range(features.X.shape[1]) if first.tell_apart(features.X[:, at]).faults <= 1]
    every = GradedGroups(features, len(features.topics)) if suspects else first
    for column in suspects:
        apart = every.tell_apart(features.X[:, column])
        if apart.telling >= max(LEAST_QUERIES, SHARE * every.topics) and apart.faults <= FAULTS * apart.telling:
            yield column, apart


def _says_done(features: Features, column: int) -> bool:
    """Does a feature say by its name and its numbers whether users did something?"""
    words = {*normal_name(features.columns[column]).split("_")}
    return bool(words & DONE) and words <= DONE | FLAGS and {*np.unique(features.X[:, column]).tolist()} == {0, 1}


def _counts_positions(features: Features, column: int) -> bool:
    """Is a feature called as positions are, and whole, from 0, and another one for each document of a topic? Or does
    it count from 0 or 1 in most topics, as where the pages of a topic are together?"""
    if normal_name(features.columns[column]) not in POSITIONS:
        return False
    values = features.X[:, column]
    if not (values >= 0).all() or (values != np.floor(values)).any():
        return False
    rows = np.unique(np.column_stack([part_of_row(features.offsets), values]), axis=0)
    least, most = (each(values, features.offsets[:-1]) for each in (np.minimum.reduceat, np.maximum.reduceat))
    counted = (least <= 1) & (most > least) & (np.bincount(rows[:, 0].astype(int)) == most - least + 1)
    return len(rows) == len(values) or bool(counted.mean() > 0.5)


def _find_suspects(features: Features) -> list[int]:
    """The features that order the documents of the first queries by grade."""
    end = int(features.offsets[min(LOOKED_AT, len(features.topics))])
    topic, grades = part_of_row(features.offsets)[:end], features.grades[:end]
    return [column for column in range(features.X.shape[1]) if _is_order(topic, grades, features.X[:end, column])]


def _orders_by_grade(features: Features, values: Array) -> bool:
    """Does a feature order all pairs of different grades, and are there enough?"""
    topic = part_of_row(features.offsets)
    levels = np.unique(features.grades, return_inverse=True)[1]
    counts = np.zeros((len(features.topics), levels.max() + 1))
    np.add.at(counts, (topic, levels), 1)
    pairs = (counts.sum(1) ** 2 - (counts**2).sum(1)).sum() / 2
    return bool(pairs >= LEAST_PAIRS and _is_order(topic, features.grades, values))


def _is_order(topic: Array, grades: Array, values: Array) -> bool:
    """Do values rise with the grade within every topic, or fall in every one?"""
    if np.isnan(values).any():
        return False
    order = np.lexsort((grades, topic))
    topic, grades, values = topic[order], grades[order], values[order]
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(topic) != 0) | (np.diff(grades) != 0)]))
    least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    within = np.diff(topic[starts]) == 0
    rises, falls = most[:-1] < least[1:], least[:-1] > most[1:]
    return bool(within.any() and (rises[within].all() or falls[within].all()))


def _numbers_queries(features: Features, values: Array) -> bool:
    """Is a feature one whole number within each query, and another one in each?"""
    starts = features.offsets[:-1]
    first = values[starts]
    if len(first) < LEAST_QUERIES or len(np.unique(first)) < len(first) or (first != np.floor(first)).any():
        return False
    return bool((values == np.repeat(first, np.diff(features.offsets))).all())
