"""``check()``: are the files valid, do runs keep the rules, and how much do the judgments cover?"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import Number, known_arguments
from gradeval.checking.checked_files import Check, FileCheck
from gradeval.checking.odd_runs import ReadableRun, remark_odd_runs
from gradeval.checking.run_inspection import InspectedRun, Rules, inspect_runs
from gradeval.checking.wrong_lines import InputOptions, add_wrong_lines
from gradeval.collection.exclusion import Excluded, Exclusion
from gradeval.collection.qrels import Qrels, grades_of_ranges
from gradeval.collection.runs import RepeatedBoth, Run, drop_endings, rule_of_grades, rule_of_runs
from gradeval.files.accepted import Excludes, Judgments, RankedRuns, as_qrels, list_runs, read_listed, refuse_swapped
from gradeval.files.column_order import guess_order_of_columns
from gradeval.files.exclusions import as_exclusion
from gradeval.files.folders import Folder, name_other
from gradeval.files.named_columns import Columns
from gradeval.files.readers import ColumnNames, words_of_recoding
from gradeval.messages import list_some, naming, plain
from gradeval.scores.grade_notes import about_lone_grades
from gradeval.scores.notes import about_excluded, about_reading
from gradeval.scores.selection import All, Named, TopicChoice, TopicSelection, pool_of, topic_selection
from gradeval.warning_categories import NoteWeight


class GradeChanges(NamedTuple):
    """What is added to grades, and which grades then become others."""

    shift: float
    recode: Mapping[float, float] | None

    def apply(self, judgments: Qrels, file: FileCheck) -> Qrels:
        """The judgments with other grades; what has none of the grades that are to change is remarked."""
        shifted = judgments.shifted(self.shift) if self.shift else judgments
        if not self.recode:
            return shifted
        recoded = shifted.recoded(self.recode)
        there = {*shifted.grades.tolist()}
        present = {*there, *self.recode.values(), *grades_of_ranges(self.recode, there)}
        for grade in self.recode:
            if grade not in present:
                file.add(f"no judgment has the grade {grade:g} that is to be recoded", NoteWeight.MEANING)
        return recoded


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
    shift: Annotated[float, Number()] = 0.0,
    recode: Mapping[float, float] | Mapping[str, float] | None = None,
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
    shift, recode, format, columns, encoding, folder : see ``read_qrels``.
    all : name every wrong line. Default: the first 25 of each file.
    threads : how many to use; 0: one for each core.

    Of TREC text that cannot be read, every wrong line is a fault, and the other lines are checked all the same. Of csv
    and JSONL every wrong line is a fault, too; of other formats the first one.

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
    words = words_of_recoding(recode)
    numbers: Any = None if words else recode
    chosen = chosen.with_words(words)
    refuse_swapped(qrels, ranked, chosen)
    exclusion = Exclusion() if exclude is None else as_exclusion(exclude, chosen)
    reading = InputOptions(format, chosen, encoding, repeated, folder, all)
    judgments = (
        None if qrels is None else _read_judgments(qrels, files, exclusion, reading, GradeChanges(shift, numbers))
    )
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
    for each, wrong in inspect_runs(opened, judgments, exclusion, rules, threads):
        rests += add_wrong_lines(each.file, each.given, wrong, reading)
    for each in opened:
        file, run, given = each
        if file.readable and run.doubt and not run.read_as and isinstance(given, str | os.PathLike):
            file.faults.append(f"{file.place}: {run.doubt}")
    inspect_runs([rest for _, rest in rests], judgments, exclusion, rules, threads)
    for file, rest in rests:
        file.faults += rest.file.faults
        file.notes += rest.file.notes
    for file in files if format is None else ():
        _say_what_it_is(file, chosen)
    readable = [ReadableRun(each.file, each.run.read_as) for each in opened if each.file.readable]
    remark_odd_runs(readable, rules.depth, rules.cutoff)
    if not exclusion.is_empty and (judgments is not None or opened):
        left = Excluded(np.array([[each.file.excluded] for each in opened]), np.array(0), ())
        if judgments is not None and judgments.excluded is not None:
            left = replace(left, judgments=judgments.excluded, emptied=judgments.emptied)
        files[0].notes.append(about_excluded(left))
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


def _open_runs(
    ranked: RankedRuns, files: list[FileCheck], reading: InputOptions
) -> tuple[list[InspectedRun], list[tuple[FileCheck, InspectedRun]]]:
    """The runs, and of those whose first line cannot be read the rest; each is added to the files."""
    format, columns, encoding, repeated, folder, _ = reading
    how: dict[str, Any] = {"encoding": encoding, "repeated": rule_of_runs(repeated), "folder": folder}
    opened: list[InspectedRun] = []
    rests: list[tuple[FileCheck, InspectedRun]] = []
    for listed in list_runs(ranked, folder, format, columns):
        listed = listed._replace(within="")  # as a check goes on where a file is wrong
        one = listed.run
        called = (one.place or one.name) if isinstance(one, Run) else _name_of_place(one, listed.number)
        file = FileCheck(listed.name or called)
        files.append(file)
        try:
            runs = read_listed(listed, format=format, columns=columns, **how)
        except InputError as error:
            rests += add_wrong_lines(file, one, error, reading)
            continue
        files += (FileCheck(file.place) for _ in runs[1:])
        for of_run, run in zip(files[-len(runs) :], runs, strict=True):
            opened.append(InspectedRun(of_run, run, one))
    for each, name in zip(opened, drop_endings([each.run.name for each in opened]), strict=True):
        each.file.tag = name
    return opened, rests


def _read_judgments(
    qrels: object, files: list[FileCheck], exclusion: Exclusion, reading: InputOptions, regrading: GradeChanges
) -> Qrels | None:
    """The judgments, or None where they cannot be read; what is wrong with them is added to the files."""
    path = os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else None
    file = FileCheck(qrels.name if isinstance(qrels, Qrels) else path or "qrels", of_judgments=True)
    files.append(file)
    try:
        format, columns, encoding, repeated, folder, _ = reading
        how: dict[str, Any] = {"encoding": encoding, "repeated": rule_of_grades(repeated), "folder": folder}
        read = as_qrels(qrels, format=format, columns=columns, **how).without(exclusion)
        judgments = regrading.apply(read, file)
    except InputError as error:
        add_wrong_lines(file, path, error, reading, "qrels")
        if hint := guess_order_of_columns(path) if path not in (None, "-") else "":
            file.faults[0] += hint
        return None
    file.notes += about_reading(judgments)
    for said in about_lone_grades(judgments):
        file.add(said, NoteWeight.MEANING)
    if not (judgments.grades > 0).any():
        hint = guess_order_of_columns(path) if path not in (None, "-") else ""
        file.add(f"no document is relevant{hint}", NoteWeight.COVERAGE)
    return judgments


def _name_of_place(run: object, number: int) -> str:
    """How messages call a run before it is read."""
    return os.fspath(run) if isinstance(run, str | os.PathLike) else "run" if number == 1 else f"run {number}"
