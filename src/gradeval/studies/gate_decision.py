"""The decision of ``gate``: AFTER less BEFORE by each measure, the verdict of the rule, and what is written of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import compress, groupby, islice
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, TypeAlias
from xml.etree import ElementTree

import numpy as np

from gradeval.atomic_files import whole_file
from gradeval.files.texts import Text
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.messages import Given, list_some, visible
from gradeval.scores.as_often import is_too_deep, values_as_often
from gradeval.scores.grade_notes import after_regrading
from gradeval.scores.mistakes import find_uncounted
from gradeval.scores.notes import topics_counted
from gradeval.scores.score_table import ALL
from gradeval.scores.scores import ONE
from gradeval.studies.changes import differences_beyond_rounding
from gradeval.studies.decision import Verdict, judge_measures
from gradeval.studies.gated_scores import AFTER, BEFORE, GatedScores
from gradeval.studies.gated_slices import SliceChanges
from gradeval.studies.missing_topics import MissingLoss, say_conditions
from gradeval.studies.moved_documents import BothRankings, MovedDocument
from gradeval.studies.paired_power import topics_to_find
from gradeval.studies.significance import infer_means
from gradeval.studies.study import Result
from gradeval.studies.unjudged_runs import UnjudgedLoss
from gradeval.tables.grid import Cell, Column, Grid, as_label, write_p
from gradeval.tables.joined_slices import label_records
from gradeval.tables.markup import escape_markdown, markdown
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.tables.text import shorten
from gradeval.warning_categories import NoteWeight

FailIf: TypeAlias = Literal["worse", "not-shown"]
"""What fails: a measure that is shown to be worse, or one that is not shown to be no worse."""
MeasureVerdict: TypeAlias = Literal["passed", "worse", "not shown"]
GateVerdict: TypeAlias = Literal["passed", "worse", "not shown", "identical"]

IN_TABLES = 80
"""Letters of a text that a table shows."""
MOVED = 3
"""Topics that tables name by each measure: so many that lost most, and so many that won most."""
ROUNDING = 1e-9
"""A loss that is less than the margin by no more than this counts as the margin: it is rounding."""


class MovedTopic(NamedTuple):
    """A topic that lost or won by a measure."""

    measure: str
    topic: str
    before: float
    after: float
    difference: float


@dataclass(frozen=True, eq=False, repr=False)
class GateDecision(Result):
    """Whether AFTER may take the place of BEFORE, and why.

    Attributes
    ----------
    before, after : float64[measure]: means.
    difference, bound, upper : float64[measure]: after less before; its one-sided lower and upper bounds of 1 - alpha,
        NaN where so few topics that all differ by the same amount show none.
    p, corrected : float64[measure]: of the one-sided test that it is lower, before and after Holm's correction.
    wins, losses : int64[measure]: topics.
    counted : int64[measure]: topics that were counted.
    margins : float64[measure]: the losses that do not matter; None where ``fail_if`` is "worse".
    needed : by measure the topics with which an unchanged run would pass with probability 0.8, None: more than can be
        counted; empty where ``fail_if`` is "worse".
    as_often : by the measures for which more documents are unjudged after, the difference if unjudged documents
        are relevant as often as judged ones; empty where fewer than half of the topics hold a document of grade 0.
    moved : all topics that lost or won, by measure: first those that lost, then those that won, the most moved first.
    queries : texts of these topics, where they were given.
    moved_documents, documents : what moved on the topics that lost and won most by the first measure, and texts, where
        they were given.
    rankings : both rankings of every topic, where before and after are runs.
    unjudged_losses, missing_losses : by measure the losses of a run that rest on its unjudged documents, or on topics
        that it lacks: see ``find_losses``.
    slices : what changed on slices of the topics, where there are any; they decide nothing.
    lacking : by the name of a run how many topics it has no results for; they count 0.
    silent : by side the topics for which the run returned nothing.
    regrading : what changed the grades since they were read.
    measures, topics, runs : what was compared; the names of both runs.
    fail_if, alpha : the rule.
    identical : do both rank alike, or have equal scores?
    allow_equal : does that pass?
    same_file : are both the same run of the same file?
    spell : how a parameter is written in the sentences: ``allow_equal=True``, which the command spells --allow-equal.
    """

    before: Array
    after: Array
    difference: Array
    bound: Array
    upper: Array
    p: Array
    corrected: Array
    wins: Array
    losses: Array
    counted: Array
    margins: Array | None
    needed: list[int | None]
    as_often: dict[str, float]
    moved: list[MovedTopic]
    measures: list[Measure]
    topics: list[str]
    runs: tuple[str, str]
    fail_if: FailIf
    alpha: float
    identical: Literal["rankings", "scores"] | None
    allow_equal: bool
    spell: Callable[[Given], str] = str
    queries: Mapping[str, Text] = field(default_factory=dict)
    moved_documents: Sequence[MovedDocument] = ()
    documents: Mapping[str, Text] = field(default_factory=dict)
    rankings: BothRankings | None = None
    unjudged_losses: Sequence[Sequence[UnjudgedLoss]] = ()
    missing_losses: Sequence[Sequence[MissingLoss]] = ()
    slices: SliceChanges | None = None
    lacking: Mapping[str, int] = field(default_factory=dict)
    silent: Mapping[str, frozenset[str]] = field(default_factory=dict)
    regrading: Sequence[Given] = ()
    same_file: bool = False

    @property
    def verdicts(self) -> dict[str, MeasureVerdict]:
        """By measure: passed, worse, or not shown to be no worse."""
        if self.margins is None:
            _, verdicts = judge_measures(self.difference, self.p, self.alpha)
            failed = np.array([verdict == "worse" for verdict in verdicts])
        else:
            failed = ~(self.bound > -self.margins + ROUNDING)  # also where there is no bound, which is NaN
        why: MeasureVerdict = "worse" if self.margins is None else "not shown"
        names = map(str, self.measures)
        return {name: why if fails else "passed" for name, fails in zip(names, failed.tolist(), strict=True)}

    @property
    def verdict(self) -> GateVerdict:
        """Of all measures together; "identical" where nothing changed and that does not pass."""
        if self.identical and not self.allow_equal:
            return "identical"
        return next((one for one in self.verdicts.values() if one != "passed"), "passed")

    @property
    def passed(self) -> bool:
        """May it be merged?"""
        return self.verdict == "passed"

    def assert_passed(self) -> None:
        """For a test: an AssertionError that shows the table where it did not pass."""
        if not self.passed:
            raise AssertionError(f"{self.description}\n{self}")

    @property
    def description(self) -> str:
        """The verdict and the rule, in a sentence."""
        return f"{self.verdict}: {self.reason}"

    @property
    def _in_captions(self) -> str:
        return ""  # the titles of its tables are sentences of their own

    @property
    def reason(self) -> str:
        """Why it passed or failed."""
        topics = topics_counted(self.counted.tolist(), self.unit)
        topics += "".join(f", {number} not in {run.upper()}" for run, number in self.lacking.items())
        if self.verdict == "identical":
            how = "ranks as BEFORE does" if self.identical == "rankings" else "has the values of BEFORE"
            passes = self.spell(Given("allow_equal", True))
            if self.same_file:
                return (
                    f"AFTER is BEFORE, the same run of the same file, on all {topics}: name another; {passes} passes it"
                )
            return f"AFTER {how} on all {topics}: did it run? {passes} passes it"
        names = [name for name, verdict in self.verdicts.items() if verdict != "passed"]
        failed, rests = list_some(names), self._say_conditions(names, AFTER)
        if self.margins is None:
            holm = f", Holm over {len(self.measures)} measures" if len(self.measures) > 1 else ""
            shown = f"significantly lower: {failed}" if failed else "no measure is significantly lower"
            return f"{shown} (one-sided at {self.alpha:g}{holm}; {topics}){rests}{self._beyond}"
        shown = (
            f"{failed} may lose the margin or more" if failed else "every measure is shown to lose less than the margin"
        )
        return f"{shown} (one-sided bounds of {1 - self.alpha:.4g}; {topics}){rests}{self._beyond}"

    @property
    def _beyond(self) -> str:
        """What a pass leaves open: is AFTER better?"""
        told = self.told_apart
        if not self.passed or self.identical or "worse" in told.values():
            return ""
        after = self.runs[1] if self.question else "AFTER"
        better = [name for name, verdict in told.items() if verdict == "better"]
        if not better:
            return "; neither is shown to be better (two-sided)"
        return f"; {after} is significantly better by {list_some(better)}{self._say_conditions(better, BEFORE)}"

    @property
    def told_apart(self) -> dict[str, Verdict]:
        """By measure whether AFTER is better or worse, by the two-sided tests of ``compare``."""
        both = np.where(self.wins + self.losses > 0, 2 * np.minimum(self.p, 1 - self.p), 1.0)
        _, verdicts = judge_measures(self.difference, both, self.alpha)
        return dict(zip(map(str, self.measures), verdicts, strict=True))

    def _say_conditions(self, measures: Sequence[str], side: str) -> str:
        """What a verdict by these measures rests on, as its last clause: what nobody judged of a side, and what it
        lacks. Measures that share no clause are named."""
        by: dict[str, list[str]] = {}
        for place, measure in enumerate(map(str, self.measures)):
            if measure in measures and self.unjudged_losses:
                unjudged = [one for one in self.unjudged_losses[place] if one.run == side.upper()]
                missing = [one for one in self.missing_losses[place] if one.run == side.upper()]
                by.setdefault(say_conditions(unjudged, missing, self.unit), []).append(measure)
        if len(by) < 2:
            return next(iter(by), "")
        return "".join(f"; {list_some(named)} only{rests[1:]}" for rests, named in by.items() if rests)

    @property
    def question(self) -> str:
        """Which run would take the place of which; empty where both have one name."""
        return "" if self.runs[0] == self.runs[1] else " in place of ".join(reversed(self.runs))

    @property
    def most_moved(self) -> list[MovedTopic]:
        """The topics that tables name: by each measure up to three that lost most, and up to three that won most."""
        sides = groupby(self.moved, lambda one: (one.measure, one.difference < 0))
        return [one for _, side in sides for one in islice(side, MOVED)]

    @cached_property
    def moved_where_lost(self) -> dict[str, list[MovedDocument]]:
        """The documents that moved most on each topic that lost by some measure; empty where there are no rankings."""
        lost = dict.fromkeys(one.topic for one in self.moved if one.difference < 0)
        moved = [] if self.rankings is None else self.rankings.find_moved(list(lost))
        return {topic: [*own] for topic, own in groupby(moved, lambda one: one.topic)}

    def table(self, digits: int = 4, *, per_topic: bool = False) -> Table:
        """The difference by each measure, its lower bound and the verdict; slices; topics that lost and won most.

        Parameters
        ----------
        digits : decimals.
        per_topic : show all topics that lost or won; the records are theirs, in place of the measures'.
        """
        decided = f"{self.question or 'AFTER in place of BEFORE'}: {self.description}. Paired t tests over topics"
        label = as_label("gate", " ".join(map(str, self.measures)))
        grids = [replace(self._decisions(digits), title=self.description).described(decided, label=label)]
        grids += [replace(self.slices.grid(digits), label=f"{label}-slices")] if self.slices is not None else []
        grids += [replace(self._topics(digits, per_topic), label=f"{label}-topics")]
        grids += [replace(self._documents(), label=f"{label}-documents")] if self.moved_documents else []
        if per_topic:
            return Table(grids, self._records_of_topics())
        if self.slices is None:
            return Table(grids, self._records())
        whole = label_records(self._records(), dict.fromkeys(self.slices.columns, ALL), len(self.topics), "topics")
        return Table(grids, reduce(Records.then, self.slices.records(), whole))

    def tables_to_fold(self, digits: int = 4, per_topic: bool = False) -> dict[str, Table]:
        """By its title what a page has in a fold: all topics that lost or won, where the table names some of them."""
        if per_topic or len(self.moved) == len(self.most_moved):
            return {}
        title = f"All {self._title_of_topics(whole=True)}"
        return {title: Table([replace(self._topics(digits, whole=True), title="")], self._records_of_topics())}

    def _records(self) -> Records:
        names = list(map(str, self.measures))
        nothing = [None] * len(names)
        return Records(
            {
                "measure": names,
                "statistic": ["difference"] * len(names),
                "value": self.difference,
                "lower": self._bounds,
                "p": self.p,
                "corrected": self.corrected,
                "before": self.before,
                "after": self.after,
                "wins": self.wins,
                "losses": self.losses,
                "topics": self.counted,
                "margin": nothing if self.margins is None else self.margins,
                "needed": self.needed or nothing,
                "as_often": [self.as_often.get(name) for name in names],
                "verdict": list(self.verdicts.values()),
                "passed": [self.passed] * len(names),
                "fail_if": [self.fail_if] * len(names),
                "alpha": [self.alpha] * len(names),
            }
        )

    @property
    def _bounds(self) -> list[float | None]:
        """The lower bounds; None where there is none."""
        return [None if np.isnan(one) else one for one in self.bound.tolist()]

    def _records_of_topics(self) -> Records:
        """All topics that lost or won, each with its labels; those that lost with the documents that moved most."""
        ranked = self.rankings is not None
        rows = []
        for one in self.moved:
            documents = "; ".join(map(str, self._moved_on(one))) or None
            rows.append([*one, *self._text_of(self.queries, one.topic, "query").values(), *[documents] * ranked])
        fields = [*MovedTopic._fields, *["query"] * bool(self.queries), *["documents"] * ranked]
        records = Records.of(fields, rows)
        topics = [one.topic for one in self.moved]
        return records if self.slices is None else self.slices.label_topics(records, topics)

    def _moved_on(self, one: MovedTopic) -> list[MovedDocument]:
        """The documents that moved most on a topic where it lost; none where it won."""
        return self.moved_where_lost.get(one.topic, []) if one.difference < 0 else []

    def _decisions(self, digits: int) -> Grid:
        signed, plain_number = f"+.{digits}f", f".{digits}f"
        names = list(map(str, self.measures))
        shown = dict.fromkeys(names, "identical") if self.verdict == "identical" else self.verdicts
        columns: list[tuple[Column, Any]] = [
            (Column("measure", "name"), names),
            (Column("difference", spec=signed), self.difference),
            (
                Column(f"at least, {100 * (1 - self.alpha):.4g}%", spec=signed),
                ["none" if one is None else one for one in self._bounds],
            ),
        ]
        if self.margins is None:
            columns.append((Column("p (worse)", "text"), [write_p(one, digits) for one in self.p.tolist()]))
            if len(names) > 1:
                corrected = [write_p(one, digits) for one in self.corrected.tolist()]
                columns.append((Column("p (holm)", "text"), corrected))
        else:
            passed = [verdict == "passed" for verdict in self.verdicts.values()]  # which no number of topics concerns
            needed = [
                None if done else "too many" if one is None else f"{one:,}"
                for one, done in zip(self.needed, passed, strict=True)
            ]
            columns += [(Column("margin", spec=".4g"), self.margins), (Column(f"{self.unit} to pass", "text"), needed)]
        if self.as_often:
            then = [self.as_often.get(name) for name in names]
            columns.append((Column("as often", spec=signed), then))
        columns += [
            (Column("before", spec=plain_number), self.before),
            (Column("after", spec=plain_number), self.after),
            (Column("won/lost", "text"), [f"{w}/{n}" for w, n in zip(self.wins, self.losses, strict=True)]),
            (Column("verdict", "text"), list(shown.values())),
        ]
        return Grid.of_columns(*columns)

    def _topics(self, digits: int, whole: bool = False) -> Grid:
        columns = [Column("measure", "name"), Column(ONE[self.unit], "name")]
        columns += [Column("query", "name")] if self.queries else []
        columns += [Column("difference", spec=f"+.{digits}f")]
        columns += [Column(title, spec=f".{digits}f") for title in (BEFORE, AFTER)]
        shown = self.moved if whole else self.most_moved
        marked = any(self._silent_on(one.topic) for one in shown)
        columns += [Column("returned nothing", "text")] * marked
        rows: list[list[Cell]] = []
        for one in shown:
            query = [self._query(one.topic)] if self.queries else []
            mark = [self._silent_on(one.topic)] * marked
            rows.append([one.measure, one.topic, *query, one.difference, one.before, one.after, *mark])
        return Grid(columns, rows, title=self._title_of_topics(whole))

    def _title_of_topics(self, whole: bool = False) -> str:
        """What the table of topics shows, and where the others are."""
        if whole:
            return f"{self.unit} that lost, then those that won, by each measure"
        more = len(self.moved) > len(self.most_moved)
        place = f" (all {len(self.moved):,} rows: -q -o topics.csv)"
        return f"{self.unit} that lost and won most{place if more else ''}"

    def _silent_on(self, topic: str) -> str:
        """The sides that returned nothing for a topic."""
        return " and ".join(side for side, topics in self.silent.items() if topic in topics)

    def _query(self, topic: str) -> str:
        return shorten(self.queries[topic].text, IN_TABLES) if topic in self.queries else ""

    def _documents(self) -> Grid:
        columns = [Column(title, "name") for title in ("topic", "document", "text")]
        after = after_regrading(self.regrading, self.spell).strip()
        columns += [
            Column(f"grade ({after})" if after else "grade", "text"),
            *(Column(f"rank {side}", "text") for side in (BEFORE, AFTER)),
        ]
        rows: list[list[Cell]] = []
        for one in self.moved_documents:
            text = shorten(str(self.documents.get(one.document, "")), IN_TABLES)
            grade = "unjudged" if one.grade is None else f"{one.grade:g}"
            ranks = ["-" if rank is None else str(rank) for rank in (one.before, one.after)]
            rows.append([one.topic, one.document, text, grade, *ranks])
        return Grid(
            columns, rows, title="documents that moved most on the topics of the first measure, relevant ones first"
        )

    def write(self, file: IO[bytes], format: str, *, place: str = "", **options: Any) -> None:
        """Write to an open binary file; "markdown" is a summary for a pull request, "json", "junit" are for tools."""
        match format:
            case "json":
                file.write(self.to_json().encode())
            case "junit":
                file.write(self.to_junit().encode())
            case "markdown":
                file.write("".join(self._summary(**options)).encode())
            case _:
                super().write(file, format, place=place, **options)

    def save(self, path: str | PathLike[str], *, format: str | None = None, **options: Any) -> None:
        """As other results, and to .json and .xml (JUnit's), whole or not at all."""
        by_ending = {".json": "json", ".xml": "junit"}.get(os.path.splitext(os.fspath(path))[1].lower())
        chosen = format or by_ending
        if chosen not in ("json", "junit"):
            super().save(path, format=format, **options)
            return
        with whole_file(path) as file:
            self.write(file, chosen)

    def _summary(self, digits: int = 4, *, per_topic: bool = False) -> Iterator[str]:
        """Markdown: the verdict, the differences, the topics, and what else is to be known."""
        runs = f"{escape_markdown(visible(self.question))}: " if self.question else ""
        yield f"### gradeval gate: {self.verdict}\n\n{runs}{escape_markdown(visible(self.reason))}\n\n"
        yield from markdown([self._decisions(digits)])
        if self.slices is not None:
            grid = self.slices.grid(digits)
            yield f"\n**{escape_markdown(visible(grid.title))}**\n\n"
            yield from markdown([replace(grid, title="")])
        if self.moved:
            yield f"\n**{escape_markdown(visible(self._title_of_topics(per_topic)))}**\n\n"
            yield from markdown([replace(self._topics(digits, per_topic), title="")])
        if self.moved_documents:
            yield f"\n**{self._documents().title}**\n\n"
            yield from markdown([self._documents()])
        if self.notes:
            first = sorted(self.notes, key=lambda note: -note.weight)
            yield "\n" + "".join(f"* {escape_markdown(visible(str(note)))}\n" for note in first)

    def to_json(self) -> str:
        """Everything as one JSON object: the verdict, a record for each measure, the topics and the notes."""
        fields = Table([], self._records()).to_dict()
        records = [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]
        whole = {
            "passed": self.passed,
            "verdict": self.verdict,
            "reason": self.reason,
            "fail_if": self.fail_if,
            "alpha": self.alpha,
            "runs": dict(zip((BEFORE, AFTER), self.runs, strict=True)),
            "topics": len(self.topics),
            "measures": records,
            "moved": list(map(self._describe_topic, self.moved)),
            "notes": [str(note) for note in self.notes],
        }
        if self.slices is not None:
            whole["slices"] = [one._asdict() for one in self.slices.changes]
        if self.moved_documents:
            whole["moved_documents"] = [
                one._asdict() | self._text_of(self.documents, one.document, "text") for one in self.moved_documents
            ]
        return json.dumps(whole, indent=2, allow_nan=False) + "\n"

    def _describe_topic(self, one: MovedTopic) -> dict[str, Any]:
        """What JSON says of a topic that lost or won; where it lost also the documents that moved most."""
        told = one._asdict() | self._text_of(self.queries, one.topic, "query")
        documents = [dict(zip(moved._fields[1:], moved[1:], strict=True)) for moved in self._moved_on(one)]
        return told | ({"documents": documents} if documents else {})

    @staticmethod
    def _text_of(texts: Mapping[str, Text], identifier: str, name: str) -> dict[str, str | None]:
        """The text of a topic or a document, where texts were given; None: it has none."""
        return {name: str(texts[identifier]) if identifier in texts else None} if texts else {}

    def _lines_of_topics(self) -> Iterator[str]:
        """The topics that lost and won most, and documents that moved there, with their texts, for a log."""
        if self.moved:
            yield f"{self._title_of_topics()}:"
        for one in self.most_moved:
            query = f": {self._query(one.topic)}" if self.queries else ""
            side = self._silent_on(one.topic)
            query += f"; {side} returned nothing" if side else ""
            yield f"{one.measure} {one.difference:+.4f} on {one.topic}{query}"
        for topic, document, text, grade, before, after in self._documents().texts():
            yield f"{topic}: {document}, grade {grade}, from rank {before} to {after}: {text}"

    def to_junit(self) -> str:
        """JUnit's XML, which GitLab, Jenkins and others show: a test for the rankings, and one for each measure."""
        tests = [("rankings", self.reason if self.verdict == "identical" else "")]
        for row, (name, verdict) in zip(self._decisions(4).texts(), self.verdicts.items(), strict=True):
            titles = self._decisions(4).head[1:-1]
            facts = ", ".join(f"{title} {cell}" for title, cell in zip(titles, row[1:-1], strict=True) if cell)
            tests.append((name, "" if verdict == "passed" else f"{verdict}: {facts}"))
        said_always = "\n".join(_for_xml(str(note)) for note in self.notes if note.weight is NoteWeight.OMISSION)
        failures = sum(bool(message) for _, message in tests)
        suite = ElementTree.Element(
            "testsuite", name="gradeval gate", tests=str(len(tests)), failures=str(failures), errors="0"
        )
        properties = ElementTree.SubElement(suite, "properties")
        for side, name in zip((BEFORE, AFTER), self.runs, strict=True):
            ElementTree.SubElement(properties, "property", name=side, value=_for_xml(name))
        for name, message in tests:
            case = ElementTree.SubElement(suite, "testcase", classname="gradeval.gate", name=_for_xml(name))
            if message:
                ElementTree.SubElement(case, "failure", message=_for_xml(message)).text = said_always or None
        said = ElementTree.SubElement(suite, "system-out")
        lines = [
            *filter(None, [self.question]),
            self.description,
            *([] if self.slices is None else self.slices.lines()),
        ]
        said.text = "\n".join(_for_xml(str(line)) for line in [*lines, *self.notes, *self._lines_of_topics()])
        ElementTree.indent(suite)
        body = ElementTree.tostring(suite, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _for_xml(text: str) -> str:
    """A text without characters that XML forbids."""
    return "".join(letter if ord(letter) & 0xFFFE != 0xFFFE else f"\\u{ord(letter):x}" for letter in visible(text))


def decide_by_measures(pair: GatedScores, margins: Array | None, alpha: float) -> GateDecision:
    """Test the differences by each measure: the decision of the rule "worse", or with margins of "not-shown"."""
    scores = pair.scores
    values, credited = scores.transformed(), scores.credited
    tests: list[tuple[Any, ...]] = []
    needed: list[int | None] = []
    moved: list[MovedTopic] = []
    for place, measure in enumerate(scores.measures):
        counted = scores.counted[:, :, place].all(0)
        before, after = values[:, counted, place]
        differences = differences_beyond_rounding(after, before)
        inferred = infer_means(differences[None], alpha, "less")
        low, high = inferred.interval[0]
        wins, losses = (differences > 0).sum(), (differences < 0).sum()
        tests.append((inferred.mean[0], low, high, inferred.p[0], wins, losses, counted.sum()))
        if margins is not None:
            spread = float(differences.std(ddof=1))
            needed.append(
                topics_to_find(float(margins[place]) / spread if spread > 0 else np.inf, 2 * alpha, len(differences))
            )
        topics_there = np.flatnonzero(counted)
        for at in _by_movement(differences):
            topic = int(topics_there[at])
            first, second = credited[:, topic, place].tolist()
            moved.append(MovedTopic(str(measure), scores.topics[topic], first, second, float(differences[at])))
    difference, bound, upper, p, wins, losses, topics = map(np.array, zip(*tests, strict=True))
    means = scores.mean()
    absent = [*zip((BEFORE, AFTER), ~scores.present, strict=True)]
    counting = ~find_uncounted(scores) & (scores.missing == "zero")
    return GateDecision(
        before=means[0],
        after=means[1],
        difference=difference,
        bound=bound,
        upper=upper,
        p=p,
        corrected=judge_measures(difference, p, alpha)[0],
        wins=wins,
        losses=losses,
        counted=topics,
        margins=margins,
        needed=needed,
        as_often=_find_as_often(pair),
        moved=moved,
        measures=scores.measures,
        topics=scores.topics,
        runs=(BEFORE, AFTER),
        fail_if="worse",
        alpha=alpha,
        identical=None,
        allow_equal=False,
        lacking={side: number for side, topics in absent if (number := int((topics & counting).sum()))},
        silent={side: frozenset(compress(scores.topics, topics)) for side, topics in absent},
        unit=scores.unit,
    )


def _find_as_often(pair: GatedScores) -> dict[str, float]:
    """The mean differences if unjudged documents are relevant as often as judged ones, by the measures for which AFTER
    shows more unjudged ones, except where rankings are too long to say."""
    scores = pair.scores
    if scores.as_often is None:
        return {}
    before, after = replace(scores, values=values_as_often(scores)).transformed()
    counted = np.asarray(scores.counted.all(0))
    differences = {
        str(measure): float((after - before)[counted[:, place], place].mean())
        for place, measure in enumerate(scores.measures)
    }
    drawn = {str(measure) for measure in scores.measures if not is_too_deep(measure, scores)}
    return {name: differences[name] for name in pair.unjudged if name in drawn}


def _by_movement(differences: Array) -> list[int]:
    """The places of the losses, then of the gains; the largest are first."""
    order = np.argsort(differences, kind="stable")
    lost, won = order[differences[order] < 0], order[differences[order] > 0][::-1]
    return [*lost.tolist(), *won.tolist()]
