"""Run: one system's ranked documents; and what runs are called, after their files or otherwise."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from math import nan
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval._core import InputError, Lines
from gradeval.arguments import OneOf
from gradeval.collection.qrels import RepeatedGrades
from gradeval.messages import Given
from gradeval.tables.arrow import to_arrow
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Overviewed

if TYPE_CHECKING:
    import pyarrow


Repeated: TypeAlias = Literal["first", "best"]
"""Which of several lines of a document counts: the first one, or that with the highest score."""


TwoRules: TypeAlias = Literal["mean,best", "mean,first", "best,first", "first,best"]
"""A rule for judgments, and behind the comma another one for runs, which have no mean."""
RULES = (*get_args(RepeatedGrades), *get_args(TwoRules))


@dataclass(eq=False, repr=False)
class OneOrTwoRules(OneOf):
    """One rule for judgments and runs, or one for each, with a comma or as a pair."""

    words: tuple[str | None, ...] = RULES

    @property
    def metavar(self) -> str:
        first, second = "|".join(get_args(RepeatedGrades)), "|".join(get_args(Repeated))
        return f"[{first}[,{second}]]"

    def check(self, name: str, value: Any) -> str | None:
        pair = value.split(",") if isinstance(value, str) else value
        if isinstance(pair, tuple | list) and all(isinstance(one, str) for one in pair):
            same = len(pair) == 2 and pair[0] == pair[1] in get_args(Repeated)
            text = pair[0] if same else ",".join(pair)
            if text in self.words:
                return text
        elif value is None:
            return None
        raise InputError(
            Given(name, value),
            f": a rule is {', '.join(get_args(RepeatedGrades))}, or one for judgments and one for runs, as in ",
            Given(name, "mean,best"),
            "; runs have no mean",
        )


RepeatedBoth: TypeAlias = Annotated[RepeatedGrades | TwoRules | tuple[RepeatedGrades, Repeated] | None, OneOrTwoRules()]
"""One rule for judgments and runs, or one for each; None: nothing may come again, except the same judgment."""


def rule_of_grades(repeated: RepeatedBoth) -> RepeatedGrades | None:
    """The rule for judgments."""
    rule: RepeatedGrades | None = _rules(repeated)[0]
    return rule


def rule_of_runs(repeated: RepeatedBoth) -> Repeated | None:
    """The rule for runs; the mean of judgments alone says nothing of runs, so that none may repeat a document."""
    rule: Repeated | None = _rules(repeated)[1]
    return rule


def _rules(repeated: RepeatedBoth) -> tuple[Any, Any]:
    text = OneOrTwoRules().check("repeated", repeated)
    if text is None:
        return None, None
    grades, comma, runs = text.partition(",")
    return grades, runs if comma else None if grades == "mean" else grades


Mend: TypeAlias = Callable[[Mapping[str, Any], str], Mapping[str, Any]]
"""Makes numbers of the scores in ``{topic: {document: score}}``; the text names it in messages."""


class Again(str):
    """A document that comes again in a topic: a key of its own with the same text."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def come_again(
    document: str, value: float, documents: Mapping[str, float], *, repeats: bool, graded: bool
) -> Again | None:
    """The key of a document that a topic has already; None: it may not come again.

    It may where the user says what then counts (``repeats``). A judgment may (``graded``) where its grade is the same.
    """
    return Again(document) if repeats or (graded and documents[document] == value) else None


@dataclass(frozen=True, eq=False, repr=False)
class MappingLines:
    """The lines of a ``{topic: {document: score}}`` that is judged where it is, and copied only where it has to be;
    ``mend`` makes numbers of scores that are none, as of text, and is asked where there are such."""

    mapping: Mapping[str, Mapping[str, float]]
    where: str
    repeated: Repeated | None = None
    mend: Mend | None = None

    @cached_property
    def copied(self) -> Lines:
        """The lines as they are now."""
        try:
            lines = Lines.of_mapping(self.mapping, self.where)
        except InputError:
            if self.mend is None:
                raise
            lines = Lines.of_mapping(self.mend(self.mapping, self.where), self.where)
        return lines if self.repeated is None else lines.keeping(self.repeated)

    def keeping(self, repeated: Repeated) -> MappingLines:
        """The same lines, of which others count where documents come several times."""
        return replace(self, repeated=repeated)

    def tag(self) -> None:
        """A mapping has no tag."""

    def topics(self) -> list[str]:
        """Topics in order of first appearance."""
        return self.copied.topics()

    def of(self, topic: str) -> dict[str, float]:
        """``{document: score}`` of a topic; KeyError where there is none."""
        return self.copied.of(topic)

    def __len__(self) -> int:
        return len(self.copied)


@dataclass(frozen=True, eq=False, repr=False)
class Run(Overviewed):
    """One system's documents with their scores, by topic.

    The lines are parsed only when they are needed: when the run is judged (every line is then checked), or for
    ``topics``, ``of`` and ``len``.

    Attributes
    ----------
    lines : the lines, from a file, a mapping or a table.
    name : what the run is called in tables: its tag, its file name, or a name that the caller chose.
    place : where it came from, for messages.
    read_as : the format that was recognised, where it is not TREC text.
    header : the comments above the first line, such as ir_metadata's (``# tag: bm25``), each with its #; they
        are written back.
    doubt : what its reader asks of the order of its columns; else empty.
    column : the column of its scores or ranks, where its place names one; else empty.
    rank_column : the column of ranks that are not used, as scores decide; else empty.
    joinable : see ``Qrels``.
    """

    lines: Lines | MappingLines
    name: str
    place: str = ""
    read_as: str = ""
    header: tuple[str, ...] = ()
    doubt: str = ""
    rank_column: str = ""
    column: str = ""
    joinable: str = ""

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[str, float]], name: str = "run") -> Self:
        """A run from ``{topic: {document: score}}``; scores are any int, float or NumPy number."""
        return cls(Lines.of_mapping(scores, name), name, name)

    @classmethod
    def of_table(
        cls, scores: Mapping[str, Mapping[str, float]], ranks: Mapping[str, Sequence[float]], name: str = "run"
    ) -> Self:
        """A run whose source gives ranks and scores: by topic, in the order of the documents, NaN where none is.

        The scores decide; how often the ranks contradict them is counted when the run is judged.
        """
        if not ranks:
            return cls.from_dict(scores, name)
        every = (ranks.get(topic) or repeat(nan, len(documents)) for topic, documents in scores.items())
        return cls(Lines.of_mapping(scores, name, np.array(list(chain.from_iterable(every)), float)), name, name)

    @classmethod
    def over(cls, scores: Mapping[str, Mapping[str, float]], name: str = "run", mend: Mend | None = None) -> Self:
        """A run that reads ``{topic: {document: score}}`` in place when it is judged: for a mapping that stays as it is
        until then, several times faster than ``from_dict``; ``mend``: see ``MappingLines``."""
        return cls(MappingLines(scores, name, mend=mend), name, name)

    @property
    def is_read_in_place(self) -> bool:
        """Are the lines a mapping that is not copied? Reading a topic copies it."""
        return isinstance(self.lines, MappingLines)

    def keeping(self, repeated: Repeated | None) -> Self:
        """The same run, of which the first or the best line of each document counts; None: as it is."""
        if repeated is None:
            return self
        arguments.one_of("repeated", repeated, get_args(Repeated))
        return replace(self, lines=self.lines.keeping(repeated))

    @property
    def topics(self) -> list[str]:
        """Topics in the order in which they first appear."""
        return self.lines.topics()

    def of(self, topic: str) -> dict[str, float]:
        """``{document: score}`` of one topic."""
        try:
            return self.lines.of(topic)
        except KeyError:
            raise InputError(f"{self.place or self.name}: no topic {topic!r} among its {len(self.topics)}") from None

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {document: score}}``."""
        return {topic: self.of(topic) for topic in self.topics}

    def to_frame(self) -> pyarrow.Table:
        """An Arrow table with the columns query_id, doc_id and score, which ``run_from_frame`` reads back."""
        rankings = self.to_dict()
        lengths = [len(ranking) for ranking in rankings.values()]
        topics = Coded(list(rankings), np.repeat(np.arange(len(rankings)), lengths))
        documents = [name for ranking in rankings.values() for name in ranking]
        scores = np.array([score for ranking in rankings.values() for score in ranking.values()], float)
        return to_arrow(Records({"query_id": topics, "doc_id": documents, "score": scores}))

    def _sizes(self) -> list[tuple[str, int | str]]:
        return [("topics", len(self.topics)), ("lines", len(self)), ("read from", self.place or "memory")]

    def __len__(self) -> int:
        """The number of lines."""
        return len(self.lines)

    def __repr__(self) -> str:
        return f"Run({self.name!r})"


ENDINGS = re.compile(
    r"(?<=[^/\\])(\.(csv|tsv|txt|jsonl?|ndjson|parquet|pq|feather|arrows?|ipc|run|res|trec|gz|bz2|xz|zst|zip))+$",
    re.IGNORECASE,
)
"""How files of runs end; other dots, as in bm25.v2, belong to the name."""


class FileName(str):
    """What a run is called after its file, as nothing in the file says its name.

    Attributes
    ----------
    short : the same without the ending of the file.
    """

    __slots__ = ("short",)
    short: str

    def __new__(cls, place: str, behind: str = "") -> Self:
        """``behind``: which of the runs in the file it is."""
        name = super().__new__(cls, f"{place} {behind}" if behind else place)
        short = ENDINGS.sub("", place)
        name.short = f"{short} {behind}" if behind else short
        return name


def name_file(place: str, behind: str = "") -> FileName:
    """The name of a file or a folder, without where it lies."""
    return FileName(os.path.basename(place.rstrip("/" + os.sep)) or place, behind)


def drop_endings(names: Sequence[str]) -> list[str]:
    """The names; names of files lose their endings, unless two runs would then have one name.

    >>> drop_endings([FileName("a.csv"), FileName("b.csv"), FileName("b.tsv"), "tag.csv"])
    ['a', 'b.csv', 'b.tsv', 'tag.csv']
    """
    short = [name.short if isinstance(name, FileName) else name for name in names]
    often = Counter([*short, *(name for name, less in zip(names, short, strict=True) if name != less)])
    return [less if often[less] == 1 else str(name) for name, less in zip(names, short, strict=True)]


def find_run(name: str, runs: Sequence[str]) -> str | None:
    """The run of this name, or the only one whose name is the same without the ending of a file; None: there is none.

    >>> find_run("a", ["a.csv", "b.csv"])
    'a.csv'
    """
    if name in runs or not isinstance(name, str):
        return name if name in runs else None
    alike = [run for run in runs if ENDINGS.sub("", run) == ENDINGS.sub("", name)]
    return alike[0] if len(alike) == 1 else None
