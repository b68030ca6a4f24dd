"""The categories of warnings, each to be silenced by itself, and the notes of results."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import ClassVar


class NoteWeight(IntEnum):
    """How much a note matters to who reads a result; commands print the weightiest notes first."""

    ADVICE = 1
    """What could be done otherwise."""
    METHOD = 2
    """How files were read, and how a result was computed."""
    DATA = 3
    """What the data are like."""
    DOUBT = 4
    """Why a result may not hold."""
    MEANING = 5
    """What changes the meaning of numbers: documents left out, topics missing, encodings guessed, options unused."""
    COVERAGE = 6
    """What numbers stand on: topics that a run misses, ids that look alike, documents in its top that nobody judged,
    and judgments that are all relevant."""
    OMISSION = 7
    """Which runs or judges a result leaves out, ranks otherwise than their files say, or takes for systems though they
    may be seeds; commands always print it."""
    ANSWER = 8
    """The result itself in a sentence, which commands always print."""


class GradevalWarning(UserWarning):
    """What is probably a mistake in the input, but may be meant.

    Attributes
    ----------
    weight : how much warnings of this category matter.
    """

    weight: ClassVar[NoteWeight] = NoteWeight.DOUBT


class CollectionWarning(GradevalWarning):
    """Scores that are merged do not say by which judgments they were computed."""

    weight = NoteWeight.MEANING


class CoverageWarning(GradevalWarning):
    """Runs and judgments do not cover each other: missing topics, topics without judgments, nothing judged, nothing to
    be found."""

    weight = NoteWeight.MEANING


class FeaturesWarning(GradevalWarning):
    """Features are not quite what was given: values are read as missing, or become equal in single precision, a
    column names the documents, a feature copies the grade, numbers the queries or may be an id, or queries for
    validation are in the training data."""

    weight = NoteWeight.MEANING


class FilesWarning(GradevalWarning):
    """Files are not read whole, or as they may be meant, or seem to be cut: folders in a folder, links that lead
    nowhere or outside, pipes and devices are left out, and comments of TREC text that look like data."""

    weight = NoteWeight.MEANING


class GradesWarning(GradevalWarning):
    """Every judged document, or nearly every one, is relevant by a measure: hardly a grade is under its ``rel``."""

    weight = NoteWeight.MEANING


class EncodingGuessWarning(FilesWarning):
    """A file is not UTF-8, and is read as cp1252."""


class IdsWarning(GradevalWarning):
    """Ids of topics or documents differ only by zeros in front, a prefix or case, so that they do not match."""

    weight = NoteWeight.MEANING


class ObjectiveWarning(GradevalWarning):
    """A ranker is trained for a measure, but another objective gives better rankers by it."""

    weight = NoteWeight.ADVICE


class RanksWarning(GradevalWarning):
    """The ranks in a run say the opposite of its scores, which decide, or come again within topics; or its scores look
    like ranks, or rise as distances do."""

    weight = NoteWeight.OMISSION


class SignificanceWarning(GradevalWarning):
    """Topics, runs or samples are few: a test can show nothing, intervals are too narrow, or correlations have few
    values."""


class TiesWarning(GradevalWarning):
    """Most documents of a run share their score with another, so that the ids order them rather than the system."""

    weight = NoteWeight.MEANING


class UnusedFilesWarning(GradevalWarning):
    """A file of weights, positions or start values lies next to a file of features, where LightGBM and XGBoost read it,
    and is not used."""

    weight = NoteWeight.MEANING


class SplitQueriesWarning(GradevalWarning):
    """Rows of a query lie in several partitions of a table, or apart in one, and had to be brought together."""

    weight = NoteWeight.DATA


@dataclass(frozen=True)
class Note:
    """What a reader of a result should know.

    Attributes
    ----------
    text : a sentence, without a full stop.
    category : of the warning, where it is probably a mistake; None: a note without warning.
    place : what it is about, where there are several: a collection, a file, other judgments.
    own_weight : how much it matters, where its category does not say that.
    cause : the error for which something was left out, with which the text ends. A command spells parameters in it as
        options, and ends with status 1.
    asks : the parameter that the reader may set; a command does not ask who set it.
    """

    text: str
    category: type[GradevalWarning] | None = None
    place: str = ""
    own_weight: NoteWeight | None = None
    cause: Exception | None = None
    asks: str = ""

    @property
    def weight(self) -> NoteWeight:
        """How much it matters to who reads the result."""
        if self.own_weight is not None:
            return self.own_weight
        return NoteWeight.DATA if self.category is None else self.category.weight

    def __str__(self) -> str:
        text = self.text if self.cause is None else f"{self.text}{self.cause}"
        return f"{self.place}: {text}" if self.place else text

    @classmethod
    def answer(cls, text: str) -> Note:
        """The result itself in a sentence."""
        return cls(text, own_weight=NoteWeight.ANSWER)

    @classmethod
    def method(cls, text: str) -> Note:
        """How files were read, or how a result was computed."""
        return cls(text, own_weight=NoteWeight.METHOD)

    @classmethod
    def doubt(cls, text: str) -> Note:
        """Why a result may not hold."""
        return cls(text, own_weight=NoteWeight.DOUBT)

    def within(self, place: str) -> Note:
        """The same note about a place; an empty one adds nothing."""
        return replace(self, place=": ".join(filter(None, [place, self.place])))


@dataclass(frozen=True)
class RespeltNote(Note):
    """Whether documents of runs are the same as documents that the judgments spell otherwise, or of another index.

    ``doubted``: the runs of which too many judged documents or topics seem to have other ids for a verdict, each with
    the question on its ids.
    """

    doubted: tuple[tuple[str, str], ...] = ()


def ask_of_respelt_runs(notes: Iterable[Note]) -> dict[str, str]:
    """By run with too many ids that seem to be others in the judgments what to ask of these, as notes say it."""
    return {run: asked for note in notes if isinstance(note, RespeltNote) for run, asked in note.doubted}


def warn(text: str, category: type[GradevalWarning]) -> None:
    """Warn with the first line that calls gradeval as its place."""
    package = os.path.join(os.path.dirname(__file__), "")
    frame = sys._getframe()
    level = 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


@contextmanager
def silenced(asked: ContextVar[bool]) -> Iterator[None]:
    """Within it ``asked`` is True: who warns looks at it, and says nothing that was said or does not hold."""
    before = asked.set(True)
    try:
        yield
    finally:
        asked.reset(before)
