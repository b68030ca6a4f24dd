"""What was found in files: their faults, remarks and numbers, and the table of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradeval.collection.qrels import Qrels
from gradeval.formula.levels import show_levels
from gradeval.scores.notes import list_some, plural
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = (
    "file passed tag lines topics missing_topics unknown_topics most_documents contradictions contradicting_topics "
    "tied unjudged judged_at unknown_documents faults remarks"
).split()


@dataclass
class FileCheck:
    """What was found in one file.

    Attributes
    ----------
    place, tag : the file, and the tag of its run.
    faults : what is wrong with it, a sentence each; none: it passes.
    remarks : what its author should know, but may have meant.
    readable : can its lines be read? The numbers are those of a readable run.
    lines, topics : how many it has.
    missing : topics that it should have and has not.
    unknown_topics : topics that it has beyond those that are known.
    most : the greatest number of documents of a topic.
    contradictions, contradicting : how often the score rises from one rank to the next, and the topics where it does.
    tied : share of the lines that share their score with another one of the topic.
    unjudged, judged_at : share of the lines without a judgment; mean share of judged documents among the first ones.
        None where there are no judgments.
    unknown_documents : lines with a document that the collection does not have; None where that is not known.
    """

    place: str
    tag: str = ""
    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    readable: bool = False
    lines: int = 0
    topics: int = 0
    missing: list[str] = field(default_factory=list)
    unknown_topics: list[str] = field(default_factory=list)
    most: int = 0
    contradictions: int = 0
    contradicting: list[str] = field(default_factory=list)
    tied: float = 0.0
    unjudged: float | None = None
    judged_at: float | None = None
    unknown_documents: int | None = None

    @property
    def contradicting_topics(self) -> int:
        """In how many topics the score rises."""
        return len(self.contradicting)

    def record(self) -> list[Value]:
        """The values of FIELDS."""
        numbers: list[Value] = [
            self.lines,
            self.topics,
            len(self.missing),
            len(self.unknown_topics),
            self.most,
            self.contradictions,
            self.contradicting_topics,
            self.tied,
            self.unjudged,
            self.judged_at,
            self.unknown_documents,
        ]
        if not self.readable:
            numbers = [None] * len(numbers)
        return [
            self.place,
            not self.faults,
            self.tag or None,
            *numbers,
            "; ".join(self.faults) or None,
            "; ".join(self.remarks) or None,
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Check(Tabular):
    """What was found in judgments and runs.

    Attributes
    ----------
    files : the judgments, where there are some, and the runs, in their order.
    judgments : the judgments, where there are some and they can be read.
    cutoff : of the shares ``judged_at``.
    """

    files: list[FileCheck]
    judgments: Qrels | None
    cutoff: int

    @property
    def passed(self) -> bool:
        """Has no file a fault?"""
        return not self.faults

    @property
    def faults(self) -> list[str]:
        """What is wrong, a sentence each, with the file."""
        return [fault for file in self.files for fault in file.faults]

    @property
    def remarks(self) -> list[str]:
        """What may be meant so, such as missing topics, a sentence each, with the file."""
        return [remark for file in self.files for remark in file.remarks]

    @property
    def shared_tags(self) -> list[str]:
        """Tags that several files have, a sentence each."""
        return list(_find_shared_tags(self.files))

    @property
    def verdict(self) -> str:
        """How many files are wrong, in a line; empty where none is."""
        wrong = sum(bool(file.faults) for file in self.files)
        return f"{wrong} of {plural(len(self.files), 'file')} {'is' if wrong == 1 else 'are'} wrong" if wrong else ""

    @property
    def description(self) -> str:
        """What the judgments are, in a line; empty where there are none."""
        if self.judgments is None:
            return ""
        negative = int((self.judgments.grades < 0).sum())
        size = f"{plural(len(self.judgments.topics), 'topic')}, {plural(len(self.judgments), 'judgment')}"
        more = f", {plural(negative, 'negative grade')}" if negative else ""
        return f"{self.judgments.name}: {size}, levels {show_levels(self.judgments.levels)}{more}"

    def __repr__(self) -> str:
        return f"Check({plural(len(self.files), 'file')}, {self.verdict or 'all are right'})"

    def table(self) -> Table:
        """The runs that can be read, a row each; all files as records, with their faults and remarks."""
        runs = [file for file in self.files if file.readable]
        columns = [
            Column("file", "name"),
            Column("tag", "name"),
            *(Column(title, spec="d") for title in ("lines", "topics", "missing topics")),
            Column("unknown topics" if self.judgments is None else "topics without judgments", spec="d"),
            Column("most documents", spec="d"),
            Column("rank against score", spec="d"),
            Column("tied lines", spec=".1%"),
        ]
        rows: list[list[Cell]] = [
            [
                *(run.place, run.tag, run.lines, run.topics, len(run.missing), len(run.unknown_topics)),
                *(run.most, run.contradictions, run.tied),
            ]
            for run in runs
        ]
        if self.judgments is not None:
            columns += [Column("unjudged lines", spec=".1%"), Column(f"judged@{self.cutoff}", spec=".1%")]
            rows = [[*row, run.unjudged, run.judged_at] for row, run in zip(rows, runs, strict=True)]
        if any(run.unknown_documents is not None for run in runs):
            columns.append(Column("unknown documents", spec="d"))
            rows = [[*row, run.unknown_documents] for row, run in zip(rows, runs, strict=True)]
        notes = [
            note for note in (self.description, *self.remarks, *self.shared_tags, *self.faults, self.verdict) if note
        ]
        records = Records.of(FIELDS, [file.record() for file in self.files])
        return Table([Grid(columns, rows)] if rows else [], records, notes)


def _find_shared_tags(files: Sequence[FileCheck]) -> Iterator[str]:
    for tag, number in Counter(file.tag for file in files if file.readable).items():
        if number > 1:
            places = [file.place for file in files if file.readable and file.tag == tag]
            yield f"{number} runs have the tag {tag!r}: {list_some(places)}"
