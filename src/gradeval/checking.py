"""``check()``: are the files valid, do runs keep the rules, and how much do the judgments cover?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from gradeval import arguments
from gradeval._core import InputError, Lines
from gradeval.arguments import known_arguments
from gradeval.collection.exclusion import Excluded, Exclusion
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import RepeatedBoth, Run, drop_endings, rule_of_grades, rule_of_runs
from gradeval.files.accepted import Excludes, Judgments, RankedRuns, as_qrels, list_runs, read_listed, refuse_swapped
from gradeval.files.column_names import InputKind
from gradeval.files.column_order import about_odd_ranks, ask_about_topics, guess_order_of_columns
from gradeval.files.exclusions import as_exclusion
from gradeval.files.folders import Folder, name_other
from gradeval.files.line_faults import LineFaults, find_line_faults
from gradeval.files.named_columns import Columns
from gradeval.files.readers import ColumnNames, trec_source
from gradeval.files.source import Source
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.levels import show_levels
from gradeval.messages import Given, Said, naming, plain
from gradeval.scores.coverage import find_ends
from gradeval.scores.grade_notes import about_lone_grades
from gradeval.scores.mistakes import NAME_RANKS, OTHER_SET, TELLING
from gradeval.scores.notes import about_excluded, about_reading, list_some, plural
from gradeval.scores.selection import All, Named, TopicChoice, TopicSelection, pool_of, topic_selection
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Sentences, Value
from gradeval.tables.table import Table, Tabular


@dataclass(frozen=True)
class Rules:
    """What runs have to keep to.

    Attributes
    ----------
    topics, documents : all that exist; None: not known.
    depth : how many documents a topic may have.
    cutoff : of the share of judged documents among the first ones.
    """

    topics: list[str] | None
    documents: frozenset[str] | None
    depth: int | None
    cutoff: int

    def with_topics_of(self, tables: Sequence[Qrels | Run]) -> Rules:
        """The topics as judgments or runs name them: a list may say more of a topic behind its name, and a blank."""
        if self.topics is None or not any(" " in topic for topic in self.topics):
            return self
        known: set[str] = set()
        for table in tables:
            with suppress(InputError):  # which is said where the file is looked at
                known.update(table.topics)
        firsts = [topic.split(" ")[0] for topic in self.topics]
        named = zip(self.topics, firsts, strict=True)
        return replace(
            self, topics=[first if first in known and topic not in known else topic for topic, first in named]
        )


@known_arguments()
def check(
    qrels: Judgments | None,
    ranked: RankedRuns,
    /,
    *,
    topics: TopicChoice = None,
    documents: Collection[str] | None = None,
    depth: int | None = None,
    cutoff: int = 10,
    exclude: Excludes = None,
    format: str | None = None,
    columns: ColumnNames = None,
    encoding: str | None = None,
    repeated: RepeatedBoth = None,
    folder: Folder | None = None,
    all: bool = False,
    threads: int = 0,
) -> Check:
    """Read every line of judgments and runs; report what is wrong, and what the judgments cover. Nothing is scored.

    Parameters
    ----------
    qrels : the judgments, in any form that ``evaluate`` takes; None: there are none yet.
    ranked : one or several runs, in any form that ``evaluate`` takes: files, folders, patterns, frames, dictionaries.
    topics : the topics of the task: names, or where there are judgments a selection as in "few:2". A run with
        other topics is wrong; a run that misses some is remarked. Default: the topics of the judgments; other topics
        are then only remarked.
    documents : the ids of all documents of the collection. A run that has others is wrong.
    depth : how many documents a topic may have.
    cutoff : of the share of judged documents among the first ones.
    exclude : documents that must not count, as ``evaluate`` takes them: every line is read; numbers and rules see the
        lines that are left.
    repeated : what counts of a document that comes again, as of ``evaluate``. Default: that is a fault.
    format, columns, encoding, folder : see ``read_qrels``.
    all : name every wrong line of TREC text. Default: the first 25 of each file.
    threads : how many to use; 0: one for each core.

    Of TREC text that cannot be read, every wrong line is a fault, and the other lines are checked all the same. Of
    other formats the first wrong line is.

    Also wrong: what cannot be read, scores that rise from rank to rank or are swapped with ranks, and runs without a
    judged topic or document. Other ranks that contradict scores are remarked, as ``evaluate`` warns of them: the scores
    decide. The result has ``passed``, ``faults``, ``remarks``, and a table.
    """
    rules = Rules(
        None,
        None if documents is None else frozenset(documents),
        None if depth is None else arguments.whole("depth", depth, 1, unit="documents"),
        arguments.whole("cutoff", cutoff, 1, unit="ranks"),
    )
    files: list[FileCheck] = []
    chosen = columns if isinstance(columns, Columns) else Columns.of(columns)
    refuse_swapped(qrels, ranked, chosen)
    exclusion = Exclusion() if exclude is None else as_exclusion(exclude, chosen)
    reading = _Reading(format, chosen, encoding, repeated, folder, all)
    judgments = None if qrels is None else _read_judgments(qrels, files, exclusion, reading)
    if topics is not None:
        rules = replace(rules, topics=_topics_of_task(topic_selection(topics), judgments))
    if judgments is not None:
        rules = rules.with_topics_of([judgments])
    if judgments is not None and rules.topics is not None and set(rules.topics).isdisjoint(judgments.topics):
        raise InputError(
            f"no topic of the task ({list_some(rules.topics, 3)}) is one of {judgments.name} "
            f"({list_some(judgments.topics, 3)}); name topics, or the file that lists them"
        )
    opened, rests = _open_runs(ranked, files, reading)
    if not any(file.faults for file in files):
        chosen.require_met("--columns")
    rules = rules.with_topics_of([each.run for each in opened])
    for each, wrong in _inspect(opened, judgments, exclusion, rules, threads):
        rests += _add_wrong_lines(each.file, each.given, wrong, reading)
    for each in opened:
        _look_at_ranks(each, reading)
    _inspect([rest for _, rest in rests], judgments, exclusion, rules, threads)
    for file, rest in rests:
        file.faults += rest.file.faults
        file.remarks += rest.file.remarks
    for file in files if format is None else ():
        _say_what_it_is(file, chosen)
    longest = max((file.most for file in files), default=0)
    for file in files:
        if 0 < file.end < longest:
            said = f"rankings hold at most {file.end} documents, and other runs up to {longest}"
            file.remarks.append(f"{file.place}: {said}")
    if not exclusion.is_empty and (judgments is not None or opened):
        left = Excluded(np.array([[each.file.excluded] for each in opened]), np.array(0), ())
        if judgments is not None and judgments.excluded is not None:
            left = replace(left, judgments=judgments.excluded, emptied=judgments.emptied)
        files[0].remarks.append(str(about_excluded(left)))
    return Check(files, judgments, rules.cutoff, rules.topics is not None)


def _say_what_it_is(file: FileCheck, columns: Columns) -> None:
    """Where a file that cannot be read is plainly no run: say so, once, instead of what is wrong with its lines."""
    if file.faults and not file.readable and not file.of_judgments and (what := name_other(file.place, columns)):
        folder = os.path.dirname(file.place) or "."
        file.faults = [f"{file.place}: is no run ({what}); leave it out, or name the folder, {folder}"]


def _topics_of_task(chosen: TopicSelection, judgments: Qrels | None) -> list[str] | None:
    """The topics of a selection; None: the topics of the judgments."""
    if isinstance(chosen, Named):
        return list(dict.fromkeys(chosen.names))
    if isinstance(chosen, All):
        return None
    if judgments is None:
        raise InputError(plain("topics", chosen), ": looks at judgments, and there are none; name the topics")
    with naming("topics", chosen):
        return chosen.topics(pool_of(judgments))


class _Reading(NamedTuple):
    """How files are read, and whether every wrong line is named; see ``check``."""

    format: str | None
    columns: Columns
    encoding: str | None
    repeated: RepeatedBoth
    folder: Folder | None
    all: bool


class _InspectedRun(NamedTuple):
    """A run, as it was given, with what is found in it."""

    file: FileCheck
    run: Run
    given: object


MOST_LINES = 25
"""Wrong lines of a file that are named by default."""


def _open_runs(
    ranked: RankedRuns, files: list[FileCheck], reading: _Reading
) -> tuple[list[_InspectedRun], list[tuple[FileCheck, _InspectedRun]]]:
    """The runs, and of those whose first line cannot be read the rest; each is added to the files."""
    format, columns, encoding, repeated, folder, _ = reading
    how: dict[str, Any] = {"encoding": encoding, "repeated": rule_of_runs(repeated), "folder": folder}
    opened: list[_InspectedRun] = []
    rests: list[tuple[FileCheck, _InspectedRun]] = []
    for listed in list_runs(ranked, folder, format, columns):
        listed = listed._replace(within="")  # as a check goes on where a file is wrong
        one = listed.run
        called = (one.place or one.name) if isinstance(one, Run) else _name_of_place(one, listed.number)
        file = FileCheck(listed.name or called)
        files.append(file)
        try:
            runs = read_listed(listed, format=format, columns=columns, **how)
        except InputError as error:
            rests += _add_wrong_lines(file, one, error, reading)
            continue
        files += (FileCheck(file.place) for _ in runs[1:])
        for of_run, run in zip(files[-len(runs) :], runs, strict=True):
            opened.append(_InspectedRun(of_run, run, one))
    for each, name in zip(opened, drop_endings([each.run.name for each in opened]), strict=True):
        each.file.tag = name
    return opened, rests


def _look_at_ranks(opened: _InspectedRun, reading: _Reading) -> None:
    """Add to a file that can be read whether its ranks are other than whole numbers, or swapped with scores."""
    file, run, given = opened
    if not file.readable or run.read_as or not isinstance(given, str | os.PathLike):
        return
    if run.doubt:
        file.faults.append(f"{file.place}: {run.doubt}")
    elif (source := _trec_source("run", given, reading)) is not None and (odd := about_odd_ranks(source)):
        file.remarks.append(f"{file.place}: {odd}")


def _trec_source(kind: InputKind, given: str | os.PathLike[str], reading: _Reading) -> Source | None:
    """See ``trec_source``."""
    format, columns, encoding, *_ = reading
    return trec_source(kind, os.fspath(given), format=format, columns=columns, encoding=encoding)


def _add_wrong_lines(
    file: FileCheck, given: object, error: InputError, reading: _Reading, kind: InputKind = "run"
) -> list[tuple[FileCheck, _InspectedRun]]:
    """Add to a file that cannot be read what is wrong with each line of TREC text, else what its reader says; a run of
    the other lines comes back, with the file."""
    found: LineFaults | None = None
    if isinstance(given, str | os.PathLike):
        with suppress(InputError):  # which is the error at hand
            source = _trec_source(kind, given, reading)
            rule = rule_of_grades if kind == "qrels" else rule_of_runs
            again = rule(reading.repeated) is not None
            found = find_line_faults(source, kind, None if reading.all else MOST_LINES, again) if source else None
    if found is None or not found.said:
        file.faults.append(Said.of(error))
        return []
    every = (Given("all", True), " names them")
    if found.number > MOST_LINES and not found.right and not reading.all:
        file.faults += [
            found.said[0],
            Said.of(InputError(f"{file.place}: none of its {found.number} lines can be read; ", *every)),
        ]
        return []
    file.faults += found.said
    if found.tagged:
        lines = "1 more line has" if found.tagged == 1 else f"{found.tagged} more lines have"
        file.faults.append(Said.of(InputError(f"{file.place}: {lines} another tag than the first line; ", *every)))
    if more := found.number - len(found.said) - found.tagged:
        file.faults.append(Said.of(InputError(f"{file.place}: {plural(more, 'more line')} cannot be read; ", *every)))
    if kind == "run" and found.rest is None:
        file.remarks.append(f"{file.place}: is too large to check its other lines, too; mend these first")
    if kind == "qrels" or not found.rest:
        return []
    rest = Run(Lines.of_bytes(found.rest, file.place).keeping("first"), file.place, file.place)
    return [(file, _InspectedRun(FileCheck(file.place, lost=found.topics), rest, None))]


def _read_judgments(qrels: object, files: list[FileCheck], exclusion: Exclusion, reading: _Reading) -> Qrels | None:
    """The judgments, or None where they cannot be read; what is wrong with them is added to the files."""
    path = os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else None
    file = FileCheck(qrels.name if isinstance(qrels, Qrels) else path or "qrels", of_judgments=True)
    files.append(file)
    try:
        format, columns, encoding, repeated, folder, _ = reading
        how: dict[str, Any] = {"encoding": encoding, "repeated": rule_of_grades(repeated), "folder": folder}
        judgments = as_qrels(qrels, format=format, columns=columns, **how).without(exclusion)
    except InputError as error:
        _add_wrong_lines(file, path, error, reading, "qrels")
        if hint := guess_order_of_columns(path) if path not in (None, "-") else "":
            file.faults[0] += hint
        return None
    file.remarks += map(str, about_reading(judgments))
    file.remarks += [f"{file.place}: {note}" for note in about_lone_grades(judgments)]
    if not (judgments.grades > 0).any():
        hint = guess_order_of_columns(path) if path not in (None, "-") else ""
        file.remarks.append(f"{file.place}: no document is relevant{hint}")
    return judgments


def _name_of_place(run: object, number: int) -> str:
    """How messages call a run before it is read."""
    return os.fspath(run) if isinstance(run, str | os.PathLike) else "run" if number == 1 else f"run {number}"


UPSIDE_DOWN = 0.9
"""A run is upside down if its score rises at this share of its ranks, or more. In public runs whose ranks contradict
their scores, it rises at about half."""


def _are_upside_down(contradicting: Array, lines: Array) -> bool:
    """Does the score rise at nearly all ranks? int64[topic]: how often it does, and how many lines there are."""
    steps = int(np.maximum(lines - 1, 0).sum())
    return steps > 0 and int(contradicting.sum()) >= UPSIDE_DOWN * steps


def _inspect(
    opened: Sequence[_InspectedRun], judgments: Qrels | None, exclusion: Exclusion, rules: Rules, threads: int
) -> list[tuple[_InspectedRun, InputError]]:
    """Fill in what the runs are like: all at once if none is wrong, else one by one. Those that cannot be read come
    back, with the reason."""

    def inspect(some: Sequence[_InspectedRun]) -> None:
        runs = [each.run for each in some]
        known = judgments
        if known is None:  # pools without documents: the lines are counted by topic all the same
            topics = rules.topics or list(dict.fromkeys(topic for run in runs for topic in run.topics))
            known = Qrels.from_dict({topic: {} for topic in topics}).without(exclusion)
        met = meet(known, runs, threads=threads)
        counts = (met.retrieved, met.judged_retrieved, met.top(rules.cutoff).judged_retrieved)
        for (file, run, _), *numbers, others, skipped in zip(
            some, *counts, met.tied, met.contradicting, met.unjudged_topics, met.skipped, strict=True
        ):
            _fill_in_counts(file, run, exclusion, met.topics, others, numbers, rules)
            file.remarks += [] if skipped is None else [f"{file.place}: {skipped}"]
            _find_faults(file, judgments, rules, run)

    try:
        inspect(opened)
        return []
    except InputError:
        pass
    wrong: list[tuple[_InspectedRun, InputError]] = []
    for each in opened:
        try:
            inspect([each])
        except InputError as error:
            wrong.append((each, error))
    return wrong


def _fill_in_counts(
    file: FileCheck,
    run: Run,
    exclusion: Exclusion,
    topics: Sequence[str],
    others: Sequence[str],
    numbers: Sequence[Array],
    rules: Rules,
) -> None:
    """Fill in the numbers of a run: int64[topic] of its lines, how many documents are judged, of all and of the first,
    and JudgedRuns' numbers of ties and contradictions; ``others``: its further topics."""

    def left_in(topic: str) -> list[str]:
        excluded = exclusion.of(topic)
        return [document for document in run.of(topic) if document not in excluded]

    lines, judged, judged_first, tied, contradicting = numbers
    lengths = dict(zip(topics, lines.tolist(), strict=True)) | {topic: len(left_in(topic)) for topic in others}
    there = [topic for topic, length in lengths.items() if length]
    wanted = topics if rules.topics is None else rules.topics
    file.readable = True
    file.excluded = 0 if exclusion.is_empty else sum(len(run.of(topic)) for topic in run.topics) - sum(lengths.values())
    file.lines, file.topics, file.most = sum(lengths.values()), len(there), max(lengths.values(), default=0)
    file.end = int(find_ends(np.array([[*lengths.values()]], int))[0])
    file.longest = max(there, key=lambda topic: lengths[topic], default="")
    file.too_long = sum(length > (rules.depth or length) for length in lengths.values())
    file.missing = [topic for topic in wanted if not lengths.get(topic) and topic not in file.lost]
    known = set(wanted)
    file.unknown_topics = [topic for topic in there if topic not in known]
    file.contradictions = int(contradicting.sum())
    file.contradicting = [topic for topic, places in zip(topics, contradicting.tolist(), strict=True) if places]
    file.upside_down = _are_upside_down(contradicting, lines)
    file.all_tied = [
        topic
        for topic, length, shared in zip(topics, lines.tolist(), tied.tolist(), strict=True)
        if 1 < length == shared and len({*run.of(topic).values()}) == 1
    ]
    file.tied = float(ratio(tied.sum(), lines.sum()))
    file.unjudged = 1 - float(ratio(judged.sum(), lines.sum()))
    file.judged_at = float(ratio(judged_first.sum(), np.minimum(lines, rules.cutoff).sum()))
    if rules.documents is not None:
        unknown = [document for topic in there for document in left_in(topic) if document not in rules.documents]
        file.unknown_documents = len(unknown)
        if unknown:
            some = list_some(list(dict.fromkeys(unknown)), 3)
            file.faults.append(f"{file.place}: {plural(len(unknown), 'line')} with unknown documents ({some})")


def _find_faults(file: FileCheck, judgments: Qrels | None, rules: Rules, run: Run) -> None:
    """What the numbers of a run say against it."""
    place = file.place
    if judgments is None:
        file.unjudged = file.judged_at = None
    elif not file.topics:
        file.faults.append(f"{place}: returns no document")
    elif file.topics == len(file.unknown_topics) and set(judgments.topics).isdisjoint(file.unknown_topics):
        pair = f"{judgments.topics[0]} there, {file.unknown_topics[0]} here"
        asked = ask_about_topics(file.unknown_topics, judgments, [run])
        file.faults.append(f"{place}: no topic in common with the judgments: {pair}{'; ' if asked else '?'}{asked}")
    elif file.unjudged == 1:
        file.faults.append(f"{place}: none of its documents is judged; {OTHER_SET}")
    elif rules.cutoff * file.topics >= TELLING and file.judged_at == 0:
        file.remarks.append(f"{place}: none of the first {rules.cutoff} documents of any topic is judged; {OTHER_SET}")
    if rules.depth is not None and file.most > rules.depth:
        count = f"; {file.too_long} topics have more than that" if file.too_long > 1 else ""
        said = f"topic {file.longest} has {file.most} documents; allowed: {rules.depth}{count}"
        file.faults.append(f"{place}: {said}")
    where = f"{plural(file.contradictions, 'place')} of {plural(len(file.contradicting), 'topic')}"
    some = f"{where} ({list_some(file.contradicting, 3)})"
    if file.upside_down:
        remedy = "so the last rank counts as the first: negate distances"
        file.faults.append(f"{place}: the score rises from rank to rank in {some}, {remedy}")
    elif file.contradictions:
        file.remarks.append(f"{place}: ranks contradict scores in {some}; the scores decide, as in trec_eval")
    if file.all_tied:
        some = f"{plural(len(file.all_tied), 'topic')} ({list_some(file.all_tied, 3)})"
        file.remarks.append(f"{place}: all scores are equal in {some}, so ids order documents; {NAME_RANKS}")
    if file.missing:
        file.remarks.append(f"{place}: returns nothing for {list_some(file.missing)}")
    if file.unknown_topics and rules.topics is not None:
        file.faults.append(f"{place}: unknown topics {list_some(file.unknown_topics)}")
    elif file.unknown_topics:
        file.remarks.append(f"{place}: no judgments for {list_some(file.unknown_topics)}")


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
    remarks : what its author should know, but may intend.
    readable : can its lines be read? Only then are there numbers.
    lines, topics : how many it has.
    missing : topics that it should have but lacks.
    unknown_topics : its topics that are not known.
    most, end : the greatest number of documents of a topic, and where most rankings end; 0: not at the same rank.
    contradictions, contradicting : how often the score rises from one rank to the next, and the topics where it does.
    upside_down : does it rise at nearly all ranks?
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
    remarks: list[str] = field(default_factory=list)
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

    @property
    def contradicting_topics(self) -> int:
        """In how many topics the score rises."""
        return len(self.contradicting)

    def record(self) -> list[Value]:
        """The values of FIELDS; a file that cannot be read has no numbers."""
        size: list[Value] = [self.lines, self.topics, len(self.missing), len(self.unknown_topics), self.most]
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
    def shared_tags(self) -> list[str]:
        """Tags that several files have, a sentence each."""
        readable = [file for file in self.files if file.readable]
        return [
            f"{number} runs have the tag {tag!r}: {list_some([file.place for file in readable if file.tag == tag])}"
            for tag, number in Counter(file.tag for file in readable).items()
            if number > 1
        ]

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

    def table(self) -> Table:
        """The runs that can be read, a row each; all files as records, with their faults and remarks."""
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
