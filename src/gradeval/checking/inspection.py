"""check(): every line of judgments and runs is read, and nothing is scored."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.checking.findings import Check, FileCheck
from gradeval.checking.swapped import find_swapped
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formats.accepted import Judgments, RankedRuns, as_qrels, as_run, list_runs
from gradeval.formats.column_names import Columns
from gradeval.formats.places import ColumnNames
from gradeval.formula.arithmetic import Array, ratio
from gradeval.scores.notes import list_some, plural


@dataclass(frozen=True)
class Rules:
    """What runs have to keep to.

    Attributes
    ----------
    topics, documents : those that there are; None: not known.
    depth : how many documents a topic may have.
    cutoff : of the share of judged documents among the first ones.
    """

    topics: list[str] | None
    documents: frozenset[str] | None
    depth: int | None
    cutoff: int


def check(
    qrels: Judgments | None,
    runs: RankedRuns,
    *,
    topics: Sequence[str] | None = None,
    documents: Collection[str] | None = None,
    depth: int | None = None,
    cutoff: int = 10,
    format: str | None = None,
    columns: ColumnNames = None,
    threads: int = 0,
) -> Check:
    """Read every line of judgments and runs; report what is wrong, and what the judgments cover. Nothing is scored.

    Parameters
    ----------
    qrels : the judgments, in any form that ``evaluate`` takes; None: there are none yet.
    runs : one or several, in any form that ``evaluate`` takes: files, folders, patterns, frames, dictionaries.
    topics : the topics of the task. A run that has others is wrong; that it misses some is remarked. Default: those of
        the judgments, where others are remarked only.
    documents : the ids of all documents of the collection. A run that has others is wrong.
    depth : how many documents a topic may have.
    cutoff : of the share of judged documents among the first ones.
    format, columns : see ``read_qrels``.
    threads : how many to use; 0: one for each core.

    Wrong are, too: what cannot be read, ranks that contradict the scores, and runs of which no topic or no document is
    judged. The result has ``passed``, ``faults``, ``remarks``, and a table.
    """
    rules = Rules(
        None if topics is None else list(dict.fromkeys(topics)),
        None if documents is None else frozenset(documents),
        None if depth is None else checks.whole("depth", depth, 1, unit="documents"),
        checks.whole("cutoff", cutoff, 1, unit="ranks"),
    )
    files: list[FileCheck] = []
    chosen = columns if isinstance(columns, Columns) else Columns.of(columns)
    judgments = None if qrels is None else _read_judgments(qrels, files, format, chosen)
    if judgments is not None and rules.topics is not None and set(rules.topics).isdisjoint(judgments.topics):
        raise InputError(
            f"no topic of the task ({list_some(rules.topics, 3)}) is one of {judgments.name} "
            f"({list_some(judgments.topics, 3)}); name topics, or the file that lists them"
        )
    opened: list[tuple[FileCheck, Run]] = []
    for listed in list_runs(runs):
        one = listed.run
        called = (one.place or one.name) if isinstance(one, Run) else _name_of_place(one, listed.number)
        file = FileCheck(listed.name or called)
        files.append(file)
        try:
            run = as_run(listed, format=format, columns=chosen)
        except InputError as error:
            file.faults.append(str(error))
            continue
        file.tag = run.name
        opened.append((file, run))
    if not any(file.faults for file in files):
        chosen.require_met("--columns")
    for inspected in _inspect_each(opened, judgments, rules, threads):
        _count(inspected, rules)
        _find_faults(inspected.file, judgments, rules)
    return Check(files, judgments, rules.cutoff)


def _read_judgments(qrels: object, files: list[FileCheck], format: str | None, columns: ColumnNames) -> Qrels | None:
    """The judgments, or None where they cannot be read; what is wrong with them is added to the files."""
    path = os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else None
    file = FileCheck(qrels.name if isinstance(qrels, Qrels) else path or "qrels")
    files.append(file)
    try:
        judgments = as_qrels(qrels, format=format, columns=columns)
    except InputError as error:
        file.faults.append(str(error) + (find_swapped(path) if path not in (None, "-") else ""))
        return None
    if not (judgments.grades > 0).any():
        hint = find_swapped(path) if path not in (None, "-") else ""
        file.remarks.append(f"{file.place}: no document is relevant{hint}")
    return judgments


def _name_of_place(run: object, number: int) -> str:
    """How messages call a run before it is read."""
    return os.fspath(run) if isinstance(run, str | os.PathLike) else "run" if number == 1 else f"run {number}"


class Inspected(NamedTuple):
    """A file with its run, and what the judgments say of it.

    Attributes
    ----------
    lines, judged, judged_first : int64[topic]: the run's lines; how many documents are judged, of all and of the first.
    tied, contradicting : int64[topic]: see JudgedRuns.
    topics, others : the topics of these, and those that the run has beyond.
    """

    file: FileCheck
    run: Run
    topics: list[str]
    lines: Array
    judged: Array
    judged_first: Array
    tied: Array
    contradicting: Array
    others: list[str]


def _inspect_each(
    opened: Sequence[tuple[FileCheck, Run]], judgments: Qrels | None, rules: Rules, threads: int
) -> Iterator[Inspected]:
    """The runs that are valid: all at once if none is wrong, else one by one; what is wrong is added to their files."""

    def inspect(pairs: Sequence[tuple[FileCheck, Run]]) -> Iterator[Inspected]:
        runs = [run for _, run in pairs]
        known = judgments
        if known is None:  # pools without documents: the lines are counted by topic all the same
            topics = rules.topics or list(dict.fromkeys(topic for run in runs for topic in run.topics))
            known = Qrels.from_dict({topic: {} for topic in topics})
        met = meet(known, runs, threads=threads, every_rank=True)
        counts = (met.retrieved, met.judged_retrieved, met.top(rules.cutoff).judged_retrieved)
        by_run = zip(pairs, *counts, met.tied, met.contradicting, met.unjudged_topics, strict=True)
        return (Inspected(file, run, met.topics, *counts) for (file, run), *counts in by_run)

    try:
        yield from inspect(opened)
        return
    except InputError:
        pass
    for pair in opened:
        try:
            yield from inspect([pair])
        except InputError as error:
            pair[0].faults.append(str(error))


def _count(inspected: Inspected, rules: Rules) -> None:
    """Fill in the numbers of a run."""
    file, run, topics, lines, judged, judged_first, tied, contradicting, others = inspected
    lengths = dict(zip(topics, lines.tolist(), strict=True)) | {topic: len(run.of(topic)) for topic in others}
    there = [topic for topic, length in lengths.items() if length]
    wanted = topics if rules.topics is None else rules.topics
    file.readable = True
    file.lines, file.topics, file.most = sum(lengths.values()), len(there), max(lengths.values(), default=0)
    file.missing = [topic for topic in wanted if not lengths.get(topic)]
    known = set(wanted)
    file.unknown_topics = [topic for topic in there if topic not in known]
    file.contradictions = int(contradicting.sum())
    file.contradicting = [topic for topic, places in zip(topics, contradicting.tolist(), strict=True) if places]
    file.tied = float(ratio(tied.sum(), lines.sum()))
    file.unjudged = 1 - float(ratio(judged.sum(), lines.sum()))
    file.judged_at = float(ratio(judged_first.sum(), np.minimum(lines, rules.cutoff).sum()))
    if rules.documents is not None:
        unknown = [document for topic in there for document in run.of(topic) if document not in rules.documents]
        file.unknown_documents = len(unknown)
        if unknown:
            some = list_some(list(dict.fromkeys(unknown)), 3)
            file.faults.append(f"{file.place}: {plural(len(unknown), 'line')} with unknown documents ({some})")


def _find_faults(file: FileCheck, judgments: Qrels | None, rules: Rules) -> None:
    """What the numbers of a run say against it."""
    place = file.place
    if judgments is None:
        file.unjudged = file.judged_at = None
    elif not file.topics:
        file.faults.append(f"{place}: returns no document")
    elif file.topics == len(file.unknown_topics) and set(judgments.topics).isdisjoint(file.unknown_topics):
        file.faults.append(
            f"{place}: no topic in common with the judgments: {judgments.topics[0]} there, "
            f"{file.unknown_topics[0]} here{_hint_at_swapped_columns(file.unknown_topics, judgments)}?"
        )
    elif file.unjudged == 1:
        file.faults.append(f"{place}: none of its documents is judged; are the ids alike?")
    if rules.depth is not None and file.most > rules.depth:
        file.faults.append(f"{place}: a topic has {file.most} documents; allowed: {rules.depth}")
    if file.contradictions:
        file.faults.append(
            f"{place}: rank contradicts score in {plural(file.contradictions, 'place')} of "
            f"{plural(len(file.contradicting), 'topic')} ({list_some(file.contradicting, 3)}); the scores decide"
        )
    if file.missing:
        file.remarks.append(f"{place}: returns nothing for {list_some(file.missing)}")
    if file.unknown_topics and rules.topics is not None:
        file.faults.append(f"{place}: unknown topics {list_some(file.unknown_topics)}")
    elif file.unknown_topics:
        file.remarks.append(f"{place}: no judgments for {list_some(file.unknown_topics)}")


def _hint_at_swapped_columns(topics: Sequence[str], judgments: Qrels) -> str:
    """What to say of topics that are documents of the judgments; else an empty text."""
    documents = {document for topic in judgments.topics for document in judgments.of(topic)}
    return "" if documents.isdisjoint(topics) else ", a document: are the columns swapped"
