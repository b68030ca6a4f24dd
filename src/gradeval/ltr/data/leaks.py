"""Which features give away what a ranker is to learn: a copy of the grade, or a number of the query or the document."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextvars import ContextVar
from shlex import quote

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
    for text in describe_leaks(features):
        warn(f"{features.name}: {text}", FeaturesWarning)


LEAKS_ASKED: ContextVar[bool] = ContextVar("LEAKS_ASKED", default=False)
"""Were the data looked at before, as of all trainings?"""


def describe_leaks(features: Features) -> Iterator[str]:
    """What to ask about features that order all documents by their grades, or number the queries."""
    if np.isnan(features.grades).any():
        return
    copies = [column for column in _find_suspects(features) if _orders_by_grade(features, features.X[:, column])]
    numbers = [column for column in range(features.X.shape[1]) if _numbers_queries(features, features.X[:, column])]
    done = [column for column in range(features.X.shape[1]) if _says_done(features, column) and column not in copies]
    for columns, what, of in (
        (copies, "alone orders the documents of every topic by grade", "the grade by another name"),
        (numbers, "is another whole number in each topic", "the topic by another name"),
        (done, "is named after what users did", "not known when documents are ranked"),
    ):
        for column in columns:
            name = features.columns[column]
            yield f"feature {name} {what}; leave it out if it is {of}: {leaving_out([name])}"
    for column in range(features.X.shape[1]):
        if column not in copies and _counts_positions(features, column):
            name = features.columns[column]
            how = f"correct clicks for it by train's --position {quote(name)} (position= in Python)"
            yield f"feature {name} may say where documents were shown; {how}, or leave it out: {leaving_out([name])}"


def _says_done(features: Features, column: int) -> bool:
    """Does a feature say by its name and its numbers whether users did something?"""
    words = {*normal_name(features.columns[column]).split("_")}
    return bool(words & DONE) and words <= DONE | FLAGS and {*np.unique(features.X[:, column]).tolist()} == {0, 1}


def _counts_positions(features: Features, column: int) -> bool:
    """Is a feature called as positions are, and whole, from 0, and another one for each document of a topic?"""
    if normal_name(features.columns[column]) not in POSITIONS:
        return False
    values = features.X[:, column]
    if not (values >= 0).all() or (values != np.floor(values)).any():
        return False
    rows = np.column_stack([part_of_row(features.offsets), values])
    return len(np.unique(rows, axis=0)) == len(rows)


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
