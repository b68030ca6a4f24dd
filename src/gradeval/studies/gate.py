"""May this be merged? AFTER against BEFORE, each a run or its scores: is a measure worse, or shown to be no worse?"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from os import PathLike
from typing import IO, Annotated, Any, Literal, NamedTuple, TypeAlias, get_args
from xml.etree import ElementTree

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import (
    Anything,
    Given,
    InFile,
    Number,
    Threads,
    Whole,
    check_arguments,
    known_arguments,
    naming,
    number,
    one_of,
    parse_number,
    plain,
    visible,
)
from gradeval.atomic_files import whole_file
from gradeval.collection.meeting import SHARED, Ties
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import Repeated
from gradeval.files.accepted import By, Excludes, as_qrels
from gradeval.files.exclusions import exclude_from
from gradeval.files.texts import GivenTexts, Text
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure, split_measures
from gradeval.scores.notes import Note, join_names, list_some, plural, topics_counted, warn_of
from gradeval.scores.presets import PresetName, configure_measures, with_preset
from gradeval.scores.score_table import ALL
from gradeval.scores.scores import ONE, Empty, Scores
from gradeval.scores.selection import TopicChoice, count_relevant, pool_of
from gradeval.scores.slices import slice_shown
from gradeval.studies.changes import differences_beyond_rounding
from gradeval.studies.decision import NO_SCORES, judge_measures
from gradeval.studies.equivalence import about_logarithms
from gradeval.studies.gated_scores import (
    AFTER,
    BEFORE,
    GatedRun,
    GatedScores,
    arrange,
    choose_runs,
    find_identical,
    pair_scores,
    score_runs,
)
from gradeval.studies.gated_slices import SliceChanges, find_slice_changes
from gradeval.studies.moved_documents import MovedDocument, find_moved
from gradeval.studies.paired_power import topics_for
from gradeval.studies.shown_texts import read_shown, shorten
from gradeval.studies.significance import infer_means
from gradeval.studies.study import Measures, Result
from gradeval.tables.grid import Cell, Column, Grid, write_p
from gradeval.tables.markup import escape_markdown, markdown
from gradeval.tables.records import Records
from gradeval.tables.slicing import label_records
from gradeval.tables.table import Table

FailIf: TypeAlias = Literal["worse", "not-shown"]
"""What fails: a measure that is shown to be worse, or one that is not shown to be no worse."""
MeasureVerdict: TypeAlias = Literal["passed", "worse", "not shown"]
GateVerdict: TypeAlias = Literal["passed", "worse", "not shown", "identical"]

MARGIN = 0.02
LEAST = 2
"""Topics that both must have."""
FEW = 10
"""Topics below which a reader is told how little they show."""
IN_TABLES = 80
"""Letters of a text that a table shows."""
MOVED = 3
"""Topics that are named by each measure, of those that lost and of those that won most."""
ROUNDING = 1e-9
"""A loss that is less than the margin by no more than this counts as the margin: it is rounding."""
CHANCE = 0.8
"""The probability of passing for which topics are counted."""


class MovedTopic(NamedTuple):
    """A topic that lost or won much by a measure."""

    measure: str
    topic: str
    before: float
    after: float
    difference: float


@dataclass(frozen=True, eq=False, repr=False)
class GateDecision(Result):
    """Whether what comes after may take the place of what was before, and why.

    Attributes
    ----------
    before, after : float64[measure]: means.
    difference, bound, upper : float64[measure]: after less before; its one-sided lower and upper bounds of 1 - alpha.
    p, corrected : float64[measure]: of the one-sided test that it is lower, before and after Holm's correction.
    wins, losses : int64[measure]: topics.
    counted : int64[measure]: topics that were counted.
    margins : float64[measure]: the losses that do not matter; None where ``fail_if`` is "worse".
    needed : by measure the topics with which an unchanged run would pass with probability 0.8, None: more than can be
        counted; empty where ``fail_if`` is "worse".
    judged_alone : by the measures for which more documents are unjudged after, the difference over judged ones alone.
    moved : the topics that lost and won most by each measure.
    queries : texts of these topics, where they were given.
    moved_documents, documents : what moved on the topics of the first measure, and texts, where they were given.
    slices : what changed on slices of the topics, where there are any; they decide nothing.
    lacking : by the name of a run how many topics it has no results for; they count 0.
    measures, topics, runs : what was compared; the names of both runs.
    fail_if, alpha : the rule.
    identical : do both rank alike, or have equal scores?
    allow_equal : does that pass?
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
    judged_alone: dict[str, float]
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
    slices: SliceChanges | None = None
    lacking: Mapping[str, int] = field(default_factory=dict)

    @property
    def verdicts(self) -> dict[str, MeasureVerdict]:
        """By measure: passed, worse, or not shown to be no worse."""
        if self.margins is None:
            _, found = judge_measures(self.difference, self.p, self.alpha)
            failed = np.array([verdict == "worse" for verdict in found])
        else:
            failed = self.bound <= -self.margins + ROUNDING
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
    def reason(self) -> str:
        """Why it passed or failed."""
        topics = topics_counted(self.counted.tolist(), self.unit)
        topics += "".join(f", {number} not in {run.upper()}" for run, number in self.lacking.items())
        if self.verdict == "identical":
            how = "ranks as BEFORE does" if self.identical == "rankings" else "has the values of BEFORE"
            passes = self.spell(Given("allow_equal", True))
            return f"AFTER {how} on all {plural(len(self.topics), ONE[self.unit])}: did it run? {passes} passes it"
        failed = list_some([name for name, verdict in self.verdicts.items() if verdict != "passed"])
        if self.margins is None:
            holm = f", Holm over {len(self.measures)} measures" if len(self.measures) > 1 else ""
            found = f"significantly lower: {failed}" if failed else "no measure is significantly lower"
            return f"{found} (one-sided at {self.alpha:g}{holm}; {topics})"
        found = (
            f"{failed} may lose the margin or more" if failed else "every measure is shown to lose less than the margin"
        )
        return f"{found} (one-sided bounds of {1 - self.alpha:.4g}; {topics})"

    def table(self, digits: int = 4) -> Table:
        """The difference by each measure, its lower bound and the verdict; slices; topics that lost and won most."""
        grids = [replace(self._decisions(digits), title=self.description)]
        grids += [self.slices.grid(digits)] if self.slices is not None else []
        grids += [self._topics(digits)]
        grids += [self._documents()] if self.moved_documents else []
        if self.slices is None:
            return Table(grids, self._records())
        whole = label_records(self._records(), dict.fromkeys(self.slices.columns, ALL), len(self.topics), "topics")
        return Table(grids, reduce(Records.then, self.slices.records(), whole))

    def _records(self) -> Records:
        names = list(map(str, self.measures))
        nothing = [None] * len(names)
        return Records(
            {
                "measure": names,
                "statistic": ["difference"] * len(names),
                "value": self.difference,
                "lower": self.bound,
                "p": self.p,
                "corrected": self.corrected,
                "before": self.before,
                "after": self.after,
                "wins": self.wins,
                "losses": self.losses,
                "topics": self.counted,
                "margin": nothing if self.margins is None else self.margins,
                "needed": self.needed or nothing,
                "judged_only": [self.judged_alone.get(name) for name in names],
                "verdict": list(self.verdicts.values()),
                "passed": [self.passed] * len(names),
                "fail_if": [self.fail_if] * len(names),
                "alpha": [self.alpha] * len(names),
            }
        )

    def _decisions(self, digits: int) -> Grid:
        signed, plain_number = f"+.{digits}f", f".{digits}f"
        names = list(map(str, self.measures))
        shown = dict.fromkeys(names, "identical") if self.verdict == "identical" else self.verdicts
        columns: list[tuple[Column, Any]] = [
            (Column("measure", "name"), names),
            (Column("difference", spec=signed), self.difference),
            (Column(f"bound of {1 - self.alpha:.4g}", spec=signed), self.bound),
        ]
        if self.margins is None:
            columns.append((Column("p (lower)", "text"), [write_p(one, digits) for one in self.p.tolist()]))
            if len(names) > 1:
                corrected = [write_p(one, digits) for one in self.corrected.tolist()]
                columns.append((Column("p (holm)", "text"), corrected))
        else:
            needed = [f"{one:,}" if one is not None else "too many" for one in self.needed]
            columns += [(Column("margin", spec=".4g"), self.margins), (Column(f"{self.unit} to pass", "text"), needed)]
        if self.judged_alone:
            alone = [self.judged_alone.get(name) for name in names]
            columns.append((Column("judged only", spec=signed), alone))
        columns += [
            (Column("before", spec=plain_number), self.before),
            (Column("after", spec=plain_number), self.after),
            (Column("won/lost", "text"), [f"{w}/{n}" for w, n in zip(self.wins, self.losses, strict=True)]),
            (Column("verdict", "text"), list(shown.values())),
        ]
        return Grid.of_columns(*columns)

    def _topics(self, digits: int) -> Grid:
        columns = [Column("measure", "name"), Column(ONE[self.unit], "name")]
        columns += [Column("query", "name")] if self.queries else []
        columns += [Column("difference", spec=f"+.{digits}f")]
        columns += [Column(title, spec=f".{digits}f") for title in (BEFORE, AFTER)]
        rows: list[list[Cell]] = []
        for one in self.moved:
            query = [self._query(one.topic)] if self.queries else []
            rows.append([one.measure, one.topic, *query, one.difference, one.before, one.after])
        return Grid(columns, rows, title=f"{self.unit} that lost and won most")

    def _query(self, topic: str) -> str:
        return shorten(self.queries[topic].text, IN_TABLES) if topic in self.queries else ""

    def _documents(self) -> Grid:
        columns = [Column(title, "name") for title in ("topic", "document", "text")]
        columns += [Column("grade", "text"), *(Column(f"rank {side}", "text") for side in (BEFORE, AFTER))]
        rows: list[list[Cell]] = []
        for one in self.moved_documents:
            text = shorten(str(self.documents.get(one.document, "")), IN_TABLES)
            grade = "unjudged" if one.grade is None else f"{one.grade:g}"
            ranks = ["-" if rank is None else str(rank) for rank in (one.before, one.after)]
            rows.append([one.topic, one.document, text, grade, *ranks])
        return Grid(columns, rows, title="documents that moved most on the topics of the first measure")

    def write(self, file: IO[bytes], format: str, **options: Any) -> None:
        """Write to an open binary file; "markdown" is a summary for a pull request, "json", "junit" are for tools."""
        match format:
            case "json":
                file.write(self.to_json().encode())
            case "junit":
                file.write(self.to_junit().encode())
            case "markdown":
                file.write("".join(self._summary(**options)).encode())
            case _:
                super().write(file, format, **options)

    def save(self, path: str | PathLike[str], *, format: str | None = None, **options: Any) -> None:
        """As other results, and to .json and .xml (JUnit's), whole or not at all."""
        by_ending = {".json": "json", ".xml": "junit"}.get(os.path.splitext(os.fspath(path))[1].lower())
        chosen = format or by_ending
        if chosen not in ("json", "junit"):
            super().save(path, format=format, **options)
            return
        with whole_file(path) as file:
            self.write(file, chosen)

    def _summary(self, digits: int = 4) -> Iterator[str]:
        """Markdown: the verdict, the differences, the topics, and what else is to be known."""
        yield f"### gradeval gate: {self.verdict}\n\n{escape_markdown(visible(self.reason))}\n\n"
        yield from markdown([self._decisions(digits)])
        if self.slices is not None:
            grid = self.slices.grid(digits)
            yield f"\n**{escape_markdown(visible(grid.title))}**\n\n"
            yield from markdown([replace(grid, title="")])
        if self.moved:
            yield f"\n**{self.unit} that lost and won most**\n\n"
            yield from markdown([self._topics(digits)])
        if self.moved_documents:
            yield f"\n**{self._documents().title}**\n\n"
            yield from markdown([self._documents()])
        if self.notes:
            yield "\n" + "".join(f"* {escape_markdown(visible(str(note)))}\n" for note in self.notes)

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
            "moved": [one._asdict() | self._text_of(self.queries, one.topic, "query") for one in self.moved],
            "notes": [str(note) for note in self.notes],
        }
        if self.slices is not None:
            whole["slices"] = [one._asdict() for one in self.slices.changes]
        if self.moved_documents:
            whole["moved_documents"] = [
                one._asdict() | self._text_of(self.documents, one.document, "text") for one in self.moved_documents
            ]
        return json.dumps(whole, indent=2, allow_nan=False) + "\n"

    @staticmethod
    def _text_of(texts: Mapping[str, Text], identifier: str, name: str) -> dict[str, str | None]:
        """The text of a topic or a document, where texts were given; None: it has none."""
        return {name: str(texts[identifier]) if identifier in texts else None} if texts else {}

    def _lines_of_texts(self) -> Iterator[str]:
        """The topics and documents that moved with their texts, for a log; none where no texts were given."""
        for one in self.moved if self.queries else []:
            yield f"{one.measure} {one.difference:+.4f} on {one.topic}: {self._query(one.topic)}"
        for topic, document, text, grade, before, after in self._documents().texts():
            yield f"{topic}: {document}, grade {grade}, from rank {before} to {after}: {text}"

    def to_junit(self) -> str:
        """JUnit's XML, which GitLab, Jenkins and others show: a test for the rankings, and one for each measure."""
        tests = [("rankings", self.reason if self.verdict == "identical" else "")]
        for row, (name, verdict) in zip(self._decisions(4).texts(), self.verdicts.items(), strict=True):
            titles = self._decisions(4).head[1:-1]
            facts = ", ".join(f"{title} {cell}" for title, cell in zip(titles, row[1:-1], strict=True) if cell)
            tests.append((name, "" if verdict == "passed" else f"{verdict}: {facts}"))
        failures = sum(bool(message) for _, message in tests)
        suite = ElementTree.Element(
            "testsuite", name="gradeval gate", tests=str(len(tests)), failures=str(failures), errors="0"
        )
        for name, message in tests:
            case = ElementTree.SubElement(suite, "testcase", classname="gradeval.gate", name=_for_xml(name))
            if message:
                ElementTree.SubElement(case, "failure", message=_for_xml(message))
        said = ElementTree.SubElement(suite, "system-out")
        lines = [self.description, *([] if self.slices is None else self.slices.lines())]
        said.text = "\n".join(_for_xml(str(line)) for line in [*lines, *self.notes, *self._lines_of_texts()])
        ElementTree.indent(suite)
        body = ElementTree.tostring(suite, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _for_xml(text: str) -> str:
    """A text without characters that XML forbids."""
    return "".join(letter if ord(letter) & 0xFFFE != 0xFFFE else f"\\u{ord(letter):x}" for letter in visible(text))


@known_arguments()
@with_preset
def gate(
    *data: Any,
    measures: Measures | None = None,
    topics: Annotated[TopicChoice, Anything("SELECTION")] = None,
    by: Annotated[By, Anything("FILE|relevant|length")] = None,
    queries: Annotated[GivenTexts | None, InFile()] = None,
    preset: PresetName | None = None,
    alpha: Annotated[float, Number(above=0.0, below=0.5, metavar="LEVEL")] = 0.05,
    threads: Threads = 0,
    fail_if: FailIf = "worse",
    margin: Annotated[float | str | Mapping[str, float] | None, Anything("MARGIN")] = None,
    allow_equal: bool = False,
    run: Annotated[str | None, Anything("NAME")] = None,
    empty: Empty | None = None,
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
    repeated: Repeated | None = None,
    depth: Annotated[int | None, Whole(1, unit="ranks")] = None,
    documents: Annotated[GivenTexts | None, InFile()] = None,
) -> GateDecision:
    """Decide whether AFTER may take the place of BEFORE: is a measure worse, or is every one shown to be no worse?

        gate(qrels, before, after, "nDCG@10 R@100").assert_passed()
        gate(scores_before, scores_after)

    BEFORE and AFTER are runs, or scores: ``Scores``, a file of them, or a page of ``report``. Topics that one
    of them misses count 0. The differences of n topics are tested as ``compare`` tests them by default, but one-sided:
    is their mean below 0?

    "worse" fails where a measure is significantly lower, by Holm's correction over the measures. "not-shown" passes
    only where the one-sided lower bound of 1 - alpha of each mean difference lies above minus the margin: the loss is
    smaller than the margin (non-inferiority; no correction, as every measure must pass).

    Rankings that are identical down to their ends fail in any case, as the experiment probably did not run; so do
    scores with equal values.

    Parameters
    ----------
    data : qrels, before, after, and the measures; or before and after, both scores.
    measures : default "AP nDCG@10", or all that both scores have.
    alpha : level of the one-sided tests, all measures together; below 0.5.
    fail_if : what fails: a significant loss, or a loss not shown to be small. worse: a measure that is significantly
        lower; not-shown: a measure that is not shown to lose less than the margin.
    margin : the loss that does not matter, for not-shown. A number, default 0.02, or one a measure, as in 'nDCG@10=.02
        R@100=.05'; choose it before you look.
    allow_equal : identical rankings pass.
    run : the run to take where a side has several. Default: the run with the name of AFTER.
    queries : texts of topics, which stand beside their ids. A file (tsv, JSONL, csv, Parquet), a folder, irds:DATASET,
        or {topic: text}.
    documents : titles and texts of documents, given as ``queries`` are. Shown are the documents that moved most between
        two runs, with their grades.
    by : slices of topics, which are shown and decide nothing. Labels in a csv, tsv or Parquet file, a frame, {topic:
        label}, a function of a topic; relevant or length: thirds by relevant documents, or by words of ``queries``.
    empty : topics that hold nothing relevant count 0, are left out, or count 1; default zero, or as the scores have it.
    topics, preset, ties, negative, exclude, repeated, depth, threads : as of ``evaluate``.

    Raises
    ------
    InputError : an empty run, fewer than 2 topics in common, several runs of which none is chosen, scores that count
        empty topics in different ways, a measure of which more is not better; for not-shown sums and geometric means.
    Source: Wellek (2010), "Testing statistical hypotheses of equivalence and noninferiority".
    """
    alpha, allow_equal, depth = check_arguments(gate, alpha=alpha, allow_equal=allow_equal, depth=depth)
    one_of("fail_if", fail_if, get_args(FailIf))
    qrels, both, measures = arrange(data, measures)
    sides = choose_runs(both, run, repeated)
    how = {"ties": ties, "negative": negative, "depth": depth, "threads": threads}
    judgments = None if qrels is None else exclude_from(as_qrels(qrels), exclude)
    if judgments is None:
        pair = pair_scores(sides, measures, topics, empty)
    else:
        pair = score_runs(judgments, sides, measures, topics, preset, empty, how)
    _require_enough(pair.scores, fail_if)
    margins = _read_margins(MARGIN if margin is None else margin, pair.scores.measures, preset)
    decision = _decide(pair, margins if fail_if == "not-shown" else None, alpha)
    queries = [*queries] if isinstance(queries, Iterator) else queries  # which slices and the table read
    known = [topic for side in sides if side.scores is not None for topic in side.scores.topics]
    slices = slice_shown(
        by,
        pair.scores.topics,
        None if judgments is None else count_relevant(pool_of(judgments, negative)),
        queries,
        known=list(dict.fromkeys(known)) if judgments is None else judgments.topics,
    )
    decision = replace(
        decision,
        slices=None if slices is None else find_slice_changes(pair.scores, slices, alpha),
        fail_if=fail_if,
        runs=(sides[0].name, sides[1].name),
        identical=find_identical(pair.scores, sides, ties),
        allow_equal=allow_equal,
    )
    unused = ["the margin does nothing here: only the rule not-shown goes by it"]
    unused = unused if margin is not None and fail_if == "worse" else []
    asked = {"preset": preset, "depth": depth, "exclude": exclude}
    idle = [name for name, value in asked.items() if value is not None] if qrels is None else []
    if idle:
        unused.append(f"{join_names(idle)} say how runs are judged; both are scores, and they do nothing")
    order: Ties = "docid" if ties in SHARED else ties
    decision = _with_texts(
        decision, queries, documents, lambda topics: _find_moved(judgments, sides, topics, order, depth)
    )
    about = [] if decision.slices is None else decision.slices.notes
    said = [*map(Note, unused), *pair.notes, *_about(decision, pair), *about, *decision.notes]
    decision = replace(decision, notes=list(dict.fromkeys(said)))
    warn_of(decision.notes, stacklevel=4)  # of the caller: presets and unknown arguments stand between
    return decision


def _with_texts(
    decision: GateDecision,
    queries: GivenTexts | None,
    documents: GivenTexts | None,
    find: Callable[[list[str]], Sequence[MovedDocument] | None],
) -> GateDecision:
    """The decision with the texts of the topics and documents that moved; ``find``: which documents did on these."""
    asked, notes = read_shown(queries, "topic", decision.topics)
    first = [one.topic for one in decision.moved if one.measure == str(decision.measures[0])]
    moved = () if documents is None else find(first)
    if moved is None:
        notes.append(Note("documents are shown where before and after are runs, and here one of them is scores"))
    told, more = read_shown(documents, "document", list(dict.fromkeys(one.document for one in moved or ())))
    return replace(decision, queries=asked, moved_documents=moved or (), documents=told, notes=[*notes, *more])


def _find_moved(
    qrels: Qrels | None, sides: Sequence[GatedRun], topics: list[str], ties: Ties, depth: int | None
) -> list[MovedDocument] | None:
    """The documents that moved on these topics; None where one of the sides is no run."""
    before, after = (side.run for side in sides)
    return (
        None
        if qrels is None or before is None or after is None
        else find_moved(qrels, before, after, topics, ties, depth)
    )


def _require_enough(scores: Scores, fail_if: FailIf) -> None:
    """Refuse too few topics, and measures that cannot decide."""
    both = int(scores.present.all(0).sum())
    if both < LEAST:
        raise InputError(
            f"before and after have {plural(both, ONE[scores.unit])} in common; "
            f"at least {LEAST} are needed: did both run?"
        )
    for place, measure in enumerate(scores.measures):
        if measure.name in NO_SCORES:
            raise InputError(f"{measure}: a higher value is no better; choose measures that reward good runs")
        aggregate = measure.definition.aggregate
        if fail_if == "not-shown" and aggregate != "mean":
            kind = "a sum over topics" if aggregate == "sum" else "a geometric mean"
            raise InputError(f"{measure}: is {kind}, which has no margin; leave it out for ", Given("fail_if", fail_if))
        if scores.vacant[:, place].all():
            raise InputError(f"{measure}: no {ONE[scores.unit]} holds anything to be found; are these the judgments?")
        if scores.counted[:, :, place].all(0).sum() < LEAST:
            raise InputError(f"{measure}: fewer than {LEAST} {scores.unit} count; choose others")


def _read_margins(
    margin: float | str | Mapping[str, float], measures: Sequence[Measure], preset: PresetName | None
) -> Array:
    """float64[measure]: the margin of each."""
    given: Any = parse_number(margin) if isinstance(margin, str) else margin
    if isinstance(given, str):
        pairs = [part.rpartition("=") for part in split_measures(given)]
        given = {name: parse_number(number) for name, sign, number in pairs if sign}
        if len(given) < len(pairs):
            raise InputError(plain("margin", margin), ": accepted: a number, or one a measure, as in 'nDCG@10=.02'")
    if not isinstance(given, Mapping):
        margins = np.full(len(measures), number("margin", given, above=0.0))
    else:
        margins = np.zeros(len(measures))
        for name, value in given.items():
            with naming("margin", margin):
                place = _place_of(str(name), measures, preset)
                margins[place] = number(str(name), value, above=0.0)
    if (margins == 0).any():
        lacking = [str(measure) for measure, value in zip(measures, margins, strict=True) if not value]
        raise InputError(plain("margin", margin), f": names none for {list_some(lacking)}; give each measure one")
    for measure, value in zip(measures, margins.tolist(), strict=True):
        if value >= 1 and "bounded" not in measure.definition.exempt:
            raise InputError(
                plain("margin", margin), f": {measure} is at most 1, so that all would pass; 0.02 is usual"
            )
    return margins


def _place_of(name: str, measures: Sequence[Measure], preset: PresetName | None) -> int:
    """The place of a measure, also by its name before a preset."""
    with suppress(InputError):
        [configured], _ = configure_measures(preset, name, pairs=False)
        if configured in measures:
            return list(measures).index(configured)
    return place_of_measure(name, measures, "measure")


def _decide(pair: GatedScores, margins: Array | None, alpha: float) -> GateDecision:
    """Test the differences by each measure."""
    scores = pair.scores
    values, credited = scores.transformed(), scores.credited
    found: list[tuple[Any, ...]] = []
    needed: list[int | None] = []
    moved: list[MovedTopic] = []
    for place, measure in enumerate(scores.measures):
        counted = scores.counted[:, :, place].all(0)
        before, after = values[:, counted, place]
        differences = differences_beyond_rounding(after, before)
        inferred = infer_means(differences[None], alpha, "less")
        low, high = inferred.interval[0]
        wins, losses = (differences > 0).sum(), (differences < 0).sum()
        found.append((inferred.mean[0], low, high, inferred.p[0], wins, losses, counted.sum()))
        if margins is not None:
            needed.append(_count_needed(float(margins[place]), float(differences.std(ddof=1)), alpha))
        order = np.argsort(differences, kind="stable")
        lost, won = order[differences[order] < 0][:MOVED], order[differences[order] > 0][::-1][:MOVED]
        names = np.flatnonzero(counted)
        for at in (*lost.tolist(), *won.tolist()):
            topic = int(names[at])
            first, second = credited[:, topic, place].tolist()
            moved.append(MovedTopic(str(measure), scores.topics[topic], first, second, float(differences[at])))
    difference, bound, upper, p, wins, losses, topics = map(np.array, zip(*found, strict=True))
    means = scores.mean()
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
        judged_alone=pair.judged_alone,
        moved=moved,
        measures=scores.measures,
        topics=scores.topics,
        runs=(BEFORE, AFTER),
        fail_if="worse",
        alpha=alpha,
        identical=None,
        allow_equal=False,
        lacking={
            run: number
            for run, number in zip((BEFORE, AFTER), (~scores.present).sum(1).tolist(), strict=True)
            if number and scores.missing == "zero"
        },
        unit=scores.unit,
    )


def _count_needed(margin: float, spread: float, alpha: float) -> int | None:
    """The topics with which an unchanged run would pass with probability ``CHANCE``; None: too many to count."""
    try:
        return topics_for(margin / spread if spread > 0 else np.inf, 2 * alpha, 1 - CHANCE)
    except InputError:
        return None


def _about(decision: GateDecision, pair: GatedScores) -> Iterator[Note]:
    """What may be overlooked: too few topics to pass, unjudged documents, few topics, logarithms."""
    yield from about_logarithms(decision.measures)
    for name, (before, after) in pair.unjudged.items():
        yield Note(
            f"{name}: {after:.1%} of the documents are unjudged after, {before:.1%} before; over judged ones alone "
            f"the difference is {pair.judged_alone[name]:+.4f}"
        )
    topics = int(decision.counted.min())
    if decision.margins is not None:
        short = [
            f"{measure} {'too many' if number is None else f'{number:,}'}"
            for measure, number in zip(decision.measures, decision.needed, strict=True)
            if number is None or number > topics
        ]
        yield Note(
            f"{decision.unit} to pass: with so many an unchanged run passes with probability {CHANCE:g}, if its "
            "differences vary as these do"
        )
        if short:
            yield Note(
                f"too few {decision.unit} to show much: an unchanged run needs more to pass ({list_some(short)}); "
                f"accepted: more {decision.unit}, a larger margin"
            )
    if topics < FEW:
        yield Note(f"{plural(topics, ONE[decision.unit])} show little, as each of them may decide; give {FEW} or more")
