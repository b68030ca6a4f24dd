"""What a section of a page is: a question, its answer, and what that rests on."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.page.page_texts import PageTexts
from gradeval.scores.coverage import TOP
from gradeval.scores.grade_notes import after_regrading
from gradeval.studies.report_results import Overview
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

if TYPE_CHECKING:
    from gradeval.ltr.importance import Importance
    from gradeval.studies.changes import Changes
    from gradeval.studies.judges.comparison import JudgeComparison
    from gradeval.studies.sliced_lead import SlicedLead


JUDGED = f"judged@{TOP}"
"""What the share of judged documents among the first ones is called."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart that Vega draws on the page of a result: its specification, and what it shows. A report has none."""

    chart: Mapping[str, Any]
    caption: str


@dataclass(frozen=True, eq=False)
class Still:
    """A picture as SVG, drawn without scripts.

    ``beside``: further words on one of several small ones; ``tab``: its name where a section has several.
    """

    svg: str
    caption: str
    beside: str = ""
    tab: str = ""


@dataclass(frozen=True, eq=False)
class Titled:
    """A table under a title.

    ``folded``: a click opens it; ``bars``: columns with intervals have bars; ``first``: it stands before the pictures.
    """

    title: str
    table: Table
    folded: bool = False
    bars: bool = False
    first: bool = False


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a report.

    Attributes
    ----------
    name : in links and in JSON.
    heading : the question.
    answer : the answer in a sentence, computed.
    details : further sentences, on what was left out and what is probably a mistake.
    picture, tables : what the answer rests on.
    redo : commands that compute it anew.
    part : the interactive part of the page that belongs to it, one of the template's.
    data : what this part needs; without a part, values that are read back from the page.
    stills : pictures that need no script; with an interactive part they stand for it in print and without scripts.
    multiples : small pictures, which stand side by side as far as there is room.
    numbers : tables behind the pictures, which are folded; the other formats leave them out.
    texts : blocks of text under their titles, such as citations.
    tiles : what the answer rests on, each a word or two and a value.
    facts : the answer in parts: what each is about, in a word or two, and what there is to say.
    shows_texts : do texts of topics or documents stand in it? Then the page has what lays them out.
    measures : names of measures, and what each is, in a line.
    meaning : how to read it and how it was computed, for those who ask: it is folded.
    warnings : what changes the numbers, or casts doubt on them, the weightiest first.
    """

    name: str
    heading: str
    answer: str
    details: Sequence[str] = ()
    picture: Picture | None = None
    tables: Sequence[Titled] = ()
    redo: Sequence[str] = ()
    part: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    stills: Sequence[Still] = ()
    texts: Sequence[tuple[str, str]] = ()
    tiles: Sequence[tuple[str, str]] = ()
    facts: Sequence[tuple[str, str]] = ()
    measures: Sequence[tuple[str, str]] = ()
    meaning: Sequence[str] = ()
    multiples: Sequence[Still] = ()
    numbers: Sequence[Titled] = ()
    shows_texts: bool = False
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Origin:
    """The command that asked for a page.

    Attributes
    ----------
    command : as typed, without its output.
    reading : its options that say how inputs are read, as typed.
    inputs, explained : the files of judgments or scores, and of a model; the runs know theirs.
    slicing : its options that say by what topics are sliced, as typed.
    notes : what there is to say of its files.
    judging : its options that say how judgments of judges alone are read, as typed.
    """

    command: str
    reading: Sequence[str] = ()
    inputs: Sequence[str] = ()
    explained: Sequence[str] = ()
    slicing: Sequence[str] = ()
    notes: Sequence[Note] = ()
    judging: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Material:
    """What was evaluated, and how it was given.

    Attributes
    ----------
    overview : all that was computed.
    qrels, runs : judgments and runs; None and empty where only scores are known.
    ties : how documents with equal scores are ordered.
    origin : the command; None where a function was called.
    digests : the SHA-256 of each file.
    depth : only so many documents of each ranking were evaluated; None: all.
    show_runs, show_depth : rankings that the page shows side by side, and how far down.
    importance : what a ranker looks at; None where none was given.
    judges : what the grades of judges make of the runs; None where none was given.
    changes : what changed since an earlier evaluation; None where none was given.
    texts : of topics and documents.
    sliced : the best runs by slices of the topics; None where no slices were asked for.
    notes : what a reader should know of the evaluation and its files.
    """

    overview: Overview
    qrels: Qrels | None = None
    runs: Sequence[Run] = ()
    ties: Ties = "docid"
    origin: Origin | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    depth: int | None = None
    show_runs: int = 20
    show_depth: int = 50
    importance: Importance | None = None
    judges: JudgeComparison | None = None
    changes: Changes | None = None
    texts: PageTexts = field(default_factory=PageTexts)
    sliced: SlicedLead | None = None
    notes: Sequence[Note] = ()

    @property
    def places(self) -> list[str]:
        """The files that were read, as they were given."""
        given = [] if self.origin is None else [*self.origin.inputs, *self.origin.explained]
        return [*given, *([] if self.qrels is None else [self.qrels.name]), *(run.place for run in self.runs)]

    @property
    def after_regrading(self) -> str:
        """What changed the grades that the page shows, as a command or Python spells it: `` after --shift -1``."""
        spell = str if self.origin is None else (lambda one: f"--{one.parameter} {one.text}")
        return "" if self.qrels is None else after_regrading(self.qrels.regrading, spell)

    def redo(self, command: str, *options: str, reads: Sequence[str] | None = None) -> str:
        """A command that computes a part of the page anew; QRELS and RUNS stand for the files. ``reads``: which options
        it has that say how inputs are read; None: all."""
        files = "QRELS RUNS" if self.overview.judged is not None else "--scores FILE"
        reading = [] if self.origin is None else list(self.origin.reading)
        if reads is not None:
            reading = [word for at, word in enumerate(reading) if {word, *reading[:at][-1:]} & set(reads)]
        return " ".join(["gradeval", command, files, *map(shlex.quote, [*options, *reading])])
