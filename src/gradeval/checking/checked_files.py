"""What was found in judgments and runs, file by file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from gradeval.collection.qrels import Qrels
from gradeval.formula.levels import show_levels
from gradeval.messages import Given, Said, plural
from gradeval.scores.notes import join_places
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Sentences, Value
from gradeval.tables.table import Table, Tabular
from gradeval.warning_categories import Note, NoteWeight

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
    of_judgments : does it hold the judgments? Else a run.
    faults : what is wrong with it, a sentence each; none: it passes.
    notes : what its author should know, but may intend; ``remarks`` are these in sentences.
    readable : can its lines be read? Only then are there numbers.
    lines, topics : how many it has.
    missing : topics that it should have but lacks.
    unknown_topics : its topics that are not known.
    most, end : the greatest number of documents of a topic, and where most rankings end; 0: not at the same rank.
    contradictions, contradicting : how often the score rises from one rank to the next, and the topics where it does.
    upside_down : does it rise at nearly all ranks where it changes?
    longest : the first topic with most documents.
    too_long : topics with more documents than are allowed.
    tied : share of the lines that share their score with another one of the topic.
    all_tied : topics whose documents, two or more, all have one score.
    unjudged, judged_at : share of the lines without a judgment; mean share of judged documents among the first ones.
        None where there are no judgments.
    unknown_documents : lines with a document that the collection lacks; None: not known.
    excluded : lines that do not count, which no other number includes.
    lost : what may be topics of lines that cannot be read.
    """

    place: str
    tag: str = ""
    of_judgments: bool = False
    faults: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    readable: bool = False
    lines: int = 0
    topics: int = 0
    missing: list[str] = field(default_factory=list)
    unknown_topics: list[str] = field(default_factory=list)
    most: int = 0
    longest: str = ""
    too_long: int = 0
    end: int = 0
    contradictions: int = 0
    contradicting: list[str] = field(default_factory=list)
    upside_down: bool = False
    tied: float = 0.0
    all_tied: list[str] = field(default_factory=list)
    unjudged: float | None = None
    judged_at: float | None = None
    unknown_documents: int | None = None
    excluded: int = 0
    lost: set[str] = field(default_factory=set)

    def add(self, said: str, weight: NoteWeight) -> None:
        """Add what its author should know."""
        self.notes.append(Note(said, place=self.place, own_weight=weight))

    @property
    def remarks(self) -> list[str]:
        """What its author should know, but may intend, a sentence each, with the file."""
        return [*map(str, self.notes)]

    @property
    def contradicting_topics(self) -> int:
        """In how many topics the score rises."""
        return len(self.contradicting)

    def record(self, topics_known: bool = True) -> list[Value]:
        """The values of FIELDS; a file that cannot be read has no numbers, and none lacks topics that are not known."""
        others: list[Value] = [len(self.missing), len(self.unknown_topics)] if topics_known else [None, None]
        size: list[Value] = [self.lines, self.topics, *others, self.most]
        kept: list[Value] = [self.contradictions, self.contradicting_topics, self.tied, self.unjudged, self.judged_at]
        numbers = [value if self.readable else None for value in (*size, *kept, self.unknown_documents)]
        said = (Sentences.of(self.faults), Sentences.of(self.remarks))
        return [self.place, not self.faults, self.tag or None, *numbers, *said]


@dataclass(frozen=True, eq=False, repr=False)
class Check(Tabular):
    """What was found in judgments and runs.

    Attributes
    ----------
    files : the judgments, where there are some, and the runs, in their order.
    judgments : the judgments, where there are some and they can be read.
    cutoff : of the shares ``judged_at``.
    listed : are the topics of the task given?
    """

    files: list[FileCheck]
    judgments: Qrels | None
    cutoff: int
    listed: bool = False

    def spelled(self, spell: Callable[[Given], str]) -> Check:
        """The same, whose faults spell parameters otherwise, as a command does."""
        files = [
            replace(file, faults=[one.error.write(spell) if isinstance(one, Said) else one for one in file.faults])
            for file in self.files
        ]
        return replace(self, files=files)

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
        """What may be intended, such as missing topics, a sentence each, with the file."""
        return [remark for file in self.files for remark in file.remarks]

    @property
    def notes(self) -> list[Note]:
        """The remarks, where one that is made of several files names them all."""
        return join_places(note for file in self.files for note in file.notes)

    @property
    def _topics_are_known(self) -> bool:
        """Can it be said which topics a run lacks? Not by judgments that cannot be read."""
        return self.listed or self.judgments is not None or not any(file.of_judgments for file in self.files)

    @property
    def verdict(self) -> str:
        """Whether the judgments have faults, and how many runs have, in a line; empty where none has."""
        runs = [bool(file.faults) for file in self.files if not file.of_judgments]
        wrong = ["the judgments"] if any(file.faults for file in self.files if file.of_judgments) else []
        wrong += [f"{sum(runs)} of {plural(len(runs), 'run')}"] if any(runs) else []
        alone = sum(runs) == 1 and len(wrong) == 1
        return f"{' and '.join(wrong)} {'has' if alone else 'have'} faults" if wrong else ""

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

    def table(self, *, faults: bool = False) -> Table:
        """The runs that can be read, a row each; all files as records, with their faults and remarks.

        ``faults``: a second grid has all faults and remarks, for files that stand without what a command says.
        """
        runs = [file for file in self.files if file.readable]
        columns = [
            Column("file", "name"),
            Column("tag", "name"),
            *(Column(title, spec="d") for title in ("lines", "topics", "missing topics")),
            Column("unknown topics" if self.judgments is None or self.listed else "topics without judgments", spec="d"),
            Column("longest ranking", spec="d"),
            Column("contradicting ranks", spec="d"),
            Column("tied lines", spec=".1%"),
        ]
        known = self._topics_are_known
        rows: list[list[Cell]] = [
            [
                *(run.place, run.tag, run.lines, run.topics),
                *((len(run.missing), len(run.unknown_topics)) if known else (None, None)),
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
        notes = [note for note in (self.description, *map(str, self.notes), *self.faults, self.verdict) if note]
        records = Records.of(FIELDS, [file.record(known) for file in self.files])
        grids = [Grid(columns, rows, title="runs")] if rows else []
        return Table([*grids, *self._list_faults()] if faults else grids, records, notes)

    def _list_faults(self) -> Iterator[Grid]:
        """A row for each fault, then for each remark; nothing where there are none."""
        said = [[file.place, "fault", one] for file in self.files for one in file.faults]
        said += [[file.place, "remark", one] for file in self.files for one in file.remarks]
        rows: list[list[Cell]] = [[place, kind, str(one).removeprefix(f"{place}: ")] for place, kind, one in said]
        if rows:
            yield Grid([Column("file", "name"), Column("kind", "name"), Column("what", "name")], rows, title="faults")
