"""Slices: topics by their labels, from a file, a frame, a mapping or a function, or thirds by a number of each topic.

A slice is a selection of topics: its values are the values of these topics alone, with the levels and gains of the
whole collection.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.files.accepted import By, GivenTexts
from gradeval.files.other_tools import is_frame
from gradeval.files.plain_text import EDGES, read_decimal
from gradeval.files.topic_labels import UNNAMED, LabelsByColumn, labels_of_frame, read_label, read_topic_labels
from gradeval.formula.arithmetic import Array
from gradeval.messages import Given, kind_of, nearest, plain, shown
from gradeval.scores.score_table import ALL

NO_LABEL = "(none)"
"""The slice of topics without a label."""
RELEVANT, LENGTH = "relevant", "length"
"""Words that ask for thirds: by the number of relevant documents, and by the words of the query."""
THIRDS = 3
MANY = 10
"""Labels of a column up to which nobody is told that they are many."""
FEWEST = 5
"""Topics of a slice, below which differences in it are not tested."""
ACCEPTED = (
    "a csv, tsv or Parquet file, or a frame, with a column of topics and columns of labels; FILE:COLUMN,COLUMN for "
    "some of them; the word relevant or length; {topic: label}; a function of a topic"
)


class Slice(NamedTuple):
    """Topics with one label of a column; ``str`` is both, as messages name the slice."""

    column: str
    label: str
    topics: list[str]

    def __str__(self) -> str:
        return f"{self.column} {self.label}"


@dataclass(frozen=True, eq=False)
class Slices:
    """The labels of topics, by one or several columns.

    Attributes
    ----------
    labels : by the name of each column the label of each topic that has one; slices come in the order of their labels,
        numbers ascending.
    strangers : topics with a label that the collection does not have.
    source : what messages call the labels.
    counts_names : are the words of the topics' names counted, as these are the queries themselves?
    unused_queries : were texts of topics given, of which nothing is counted?
    topics : how many topics of the collection may have labels; 0: not known.
    unlabelled : topics of the collection without a label, which strangers may be, spelled otherwise.
    names : columns that name topics, as texts of queries do, and are left out: others stand beside them in the file.
    """

    labels: Mapping[str, Mapping[str, str]]
    strangers: Sequence[str] = ()
    source: str = "by"
    counts_names: bool = False
    unused_queries: bool = False
    topics: int = 0
    unlabelled: Sequence[str] = ()
    names: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.labels)

    @property
    def is_file(self) -> bool:
        """Do the labels come from a file, of which all columns were read?"""
        return os.path.isfile(self.source)

    def cut(self, topics: Iterable[str]) -> list[Slice]:
        """The slices of some topics, column by column; topics without a label are the last slice of a column."""
        listed = list(topics)
        slices = []
        for column, labels in self.labels.items():
            given = [label for label in dict.fromkeys(labels.values()) if label != NO_LABEL]
            by_label: dict[str, list[str]] = {label: [] for label in _in_order(given)}
            by_label[NO_LABEL] = []
            for topic in listed:
                by_label[labels.get(topic, NO_LABEL)].append(topic)
            slices += [Slice(column, label, chosen) for label, chosen in by_label.items() if chosen]
        return slices

    def find_scattered(self) -> dict[str, int]:
        """The columns of so many labels that a slice has few topics, and how many labels each has.

        Of numbers, as counts are, it is enough that most slices have few.
        """
        strangers = frozenset(self.strangers)
        scattered = {}
        for column, labels in self.labels.items():
            given = (label for topic, label in labels.items() if topic not in strangers and label != NO_LABEL)
            sizes = Counter(given)
            few = sum(size < FEWEST for size in sizes.values())
            counts = 2 * few > len(sizes) and not np.isnan([read_decimal(label) for label in sizes]).any()
            if len(sizes) > MANY and (counts or self.topics < len(sizes) * FEWEST):
                scattered[column] = len(sizes)
        return scattered

    def without_names(self) -> Slices:
        """The same without the columns of a file in which each of many topics has a label of its own, as texts of
        queries are; all columns where no other is there, or where they were named."""
        names = [column for column, labels in self.labels.items() if _are_names([*labels.values()])]
        if not self.is_file or len(names) == len(self.labels):
            return self
        kept = {column: labels for column, labels in self.labels.items() if column not in names}
        return replace(self, labels=kept, names=names)

    def of(self, column: str, topics: Iterable[str]) -> list[str]:
        """The label of each topic by a column."""
        labels = self.labels[column]
        return [labels.get(topic, NO_LABEL) for topic in topics]


def _are_names(labels: Sequence[str]) -> bool:
    """Are many labels all different, and texts, as numbers may be sizes?"""
    return MANY < len(labels) == len({*labels}) and bool(np.isnan([read_decimal(label) for label in labels]).all())


def _in_order(labels: list[str]) -> list[str]:
    """The labels ascending where all are numbers, else as they come."""
    numbers = [read_decimal(label) for label in labels]
    return labels if np.isnan(numbers).any() else [labels[at] for at in np.argsort(numbers, kind="stable").tolist()]


def slice_topics(
    by: By,
    topics: Sequence[str],
    relevant: Mapping[str, int] | None,
    queries: GivenTexts | None = None,
    *,
    known: Sequence[str] = (),
) -> Slices:
    """The slices that ``by`` asks for.

    ``topics``: those that are sliced. ``relevant``: how many relevant documents each has; None where there are only
    scores. ``queries``: texts of topics, for thirds by their words. ``known``: all topics of the collection,
    where only some are sliced.

    Raises
    ------
    InputError : labels of another kind; a file or a frame that cannot be read, or that labels none of the topics, or
        one topic twice by a column; thirds without judgments, or without texts.
    """
    given: Any = by
    if given is None:
        raise InputError("queries are texts, whose words are counted by ", Given("by", LENGTH), "; leave them out")
    if queries is not None and not (isinstance(given, str) and given == LENGTH):
        return replace(slice_topics(by, topics, relevant, known=known), unused_queries=True)
    if isinstance(given, Slices):
        return given
    if isinstance(given, str) and given == RELEVANT:
        if relevant is None:
            raise InputError(plain("by", by), ": looks at judgments, and scores have none; give {topic: label}")
        return Slices({RELEVANT: _find_thirds({topic: relevant[topic] for topic in topics})})
    if isinstance(given, str) and given == LENGTH:
        if queries is None:
            if any(len(topic.split()) > 1 for topic in topics):
                words = {topic: len(topic.split()) for topic in topics}
                return Slices({LENGTH: _find_thirds(words)}, source=LENGTH, counts_names=True)
            raise InputError(
                plain("by", by), ": counts the words of queries; give their texts: ", Given("queries", "FILE")
            )
        return Slices({LENGTH: _find_thirds(_count_words(queries, topics))})
    known = known or topics
    labels, name = _read_labels(given, known)
    _refuse_names(labels)
    strangers = _find_strangers(labels, known, name)
    labelled = {topic for of_topics in labels.values() for topic in of_topics}
    unlabelled = [topic for topic in known if topic not in labelled]
    return Slices(labels, strangers, name, topics=len(known), unlabelled=unlabelled).without_names()


def slice_topics_if_asked(
    by: By,
    topics: Sequence[str],
    relevant: Mapping[str, int] | None,
    queries: GivenTexts | None,
    *,
    known: Sequence[str] = (),
) -> Slices | None:
    """``slice_topics`` where queries are there to be shown, too: their words are counted where ``by`` asks for it.

    None: there are no slices.
    """
    if by is None:
        return None
    counted = queries if isinstance(by, str) and by == LENGTH else None
    return slice_topics(by, topics, relevant, counted, known=known)


def _read_labels(given: Any, topics: Sequence[str]) -> tuple[LabelsByColumn, str]:
    """The labels, and what messages call them."""
    if isinstance(given, str | PathLike):
        place = os.fspath(given)
        if (split := split_place(place)) is not None:
            file, columns = split
            return _choose_columns(read_topic_labels(file, topics, columns), columns, file), place
        if not os.path.exists(place):
            _refuse_words(place)
        return read_topic_labels(place, topics), place
    if isinstance(given, Mapping):
        return {UNNAMED: _read_mapping(given)}, "by"
    if is_frame(given):
        return labels_of_frame(given, "by"), "by"
    if callable(given):
        return {UNNAMED: _ask_function(given, topics)}, "by"
    raise InputError(f"by is {kind_of(given)}; accepted: {ACCEPTED}")


def split_place(place: str) -> tuple[str, str] | None:
    """The file and the columns of ``FILE:COLUMN,COLUMN``; None where no such file is there, or the whole is one."""
    marks = [at for at, letter in enumerate(place) if letter == ":"]
    if os.path.exists(place):
        return None
    return next(((place[:at], place[at + 1 :]) for at in reversed(marks) if os.path.isfile(place[:at])), None)


def _refuse_words(place: str) -> None:
    """Refuse what is no file but may be meant: a word, a column alone, or columns behind a comma."""
    file, comma, columns = place.partition(",")
    if meant := nearest(place, [RELEVANT, LENGTH]):
        raise InputError(plain("by", place), f": no such file{meant}")
    if comma and os.path.isfile(file):
        raise InputError(plain("by", place), f": no such file; columns go behind a colon, as in {file}:{columns}")
    if place.isidentifier():
        raise InputError(plain("by", place), f": no such file; a column goes behind its file, as in FILE:{place}")


def _choose_columns(labels: LabelsByColumn, columns: str, file: str) -> LabelsByColumn:
    """The labels of one column, or of several with commas between them."""
    names = [columns] if columns in labels else [name.strip(EDGES) for name in columns.split(",")]
    for name in names:
        if name not in labels:
            known = ", ".join(labels)
            raise InputError(
                f"{file}: has no column of labels {name!r}{nearest(name, labels)} (it has {known}); name some of these "
                f"behind the file, as in {file}:{','.join(list(labels)[:2])}"
            )
    return {name: labels[name] for name in names}


def _read_mapping(given: Mapping[Any, Any]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for topic, value in given.items():
        if isinstance(topic, bool) or not isinstance(topic, str | Integral):
            raise InputError(f"by: {shown(topic)} is no topic; topics are text or whole numbers")
        label = read_label(value, f"by: topic {topic}")
        if label and labels.setdefault(str(topic), label) != label:
            raise InputError(f"by: topic {topic} has two labels, as text and as a number; give it once")
    return labels


def _ask_function(label_of: Callable[[str], Any], topics: Sequence[str]) -> dict[str, str]:
    labels = {topic: read_label(label_of(topic), f"by: topic {topic}") for topic in topics}
    return {topic: label for topic, label in labels.items() if label}


def _refuse_names(labels: LabelsByColumn) -> None:
    for column, of_topics in labels.items():
        if ALL in of_topics.values():
            raise InputError(
                f"by: a slice of {column} is called {ALL!r}, which means all topics; give it another label"
            )


def _find_strangers(labels: LabelsByColumn, topics: Sequence[str], name: str) -> list[str]:
    """Topics with a label that the collection does not have; an error where it has none of them."""
    known = frozenset(topics)
    labelled = dict.fromkeys(topic for of_topics in labels.values() for topic in of_topics)
    strangers = [topic for topic in labelled if topic not in known]
    if len(strangers) == len(labelled):
        there = f"it has labels of {', '.join(strangers[:2])} ..." if strangers else "it has no labels"
        folded = {topic.casefold(): topic for topic in topics}
        alike = next((one for one in strangers if one.casefold() in folded), None)
        how = f"give labels of {topics[0]} ..."
        if alike is not None:
            how = f"write {folded[alike.casefold()]!r} for {alike!r}, as the judgments do"
        raise InputError(f"{name}: no topic of the collection has a label ({there}); {how}")
    return strangers


def _count_words(queries: GivenTexts, topics: Sequence[str]) -> dict[str, int]:
    """How many words the text of each topic has that has one; an error where none has."""
    from gradeval.files.texts import read_queries  # here, as few slices need texts

    texts = read_queries(queries, topics)
    if not texts:
        raise InputError(f"queries: none is the text of a scored topic; give the texts of {topics[0]} ...")
    return {topic: len(texts[topic].split()) for topic in topics if topic in texts}


def _find_thirds(numbers: Mapping[str, int]) -> dict[str, str]:
    """The third of each topic by its number, called by the least and the highest number of the third, ascending.

    Topics with equal numbers share a third, which the middle of their ranks decides.
    """
    if not numbers:
        return {}
    values, place, times = np.unique(np.array(list(numbers.values())), return_inverse=True, return_counts=True)
    middle = np.cumsum(times) - times / 2
    third: Array = np.floor(THIRDS * middle / times.sum()).astype(int)
    names = {}
    for one in np.unique(third).tolist():
        low, high = values[third == one][[0, -1]].tolist()
        names[one] = f"{low}" if low == high else f"{low} to {high}"
    of_topic = third[place]
    order = np.argsort(of_topic, kind="stable").tolist()
    listed = list(numbers)
    return {listed[at]: names[int(of_topic[at])] for at in order}
