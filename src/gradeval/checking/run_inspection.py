"""What runs are like, whether they keep the rules of the task, and how much judgments cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.checking.checked_files import FileCheck
from gradeval.collection.exclusion import Exclusion
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array, ratio
from gradeval.messages import list_some, list_topics, plural
from gradeval.scores.alike_ids import FEW_JUDGED, doubt_ids, find_respelt
from gradeval.scores.column_numbers import say_column_numbers
from gradeval.scores.coverage import find_ends
from gradeval.scores.mistakes import MOST_TIED, NAME_RANKS, OTHER_SET, TELLING, ask_about_other_topics, show_documents
from gradeval.scores.rank_order import is_upside_down
from gradeval.warning_categories import FilesWarning, Note, NoteWeight


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


class InspectedRun(NamedTuple):
    """A run, as it was given, with what is found in it."""

    file: FileCheck
    run: Run
    given: object


def inspect_runs(
    opened: Sequence[InspectedRun], judgments: Qrels | None, exclusion: Exclusion, rules: Rules, threads: int
) -> list[tuple[InspectedRun, InputError]]:
    """Fill in what the runs are like: all at once if none is wrong, else one by one. Those that cannot be read come
    back, with the reason."""

    def inspect(some: Sequence[InspectedRun]) -> None:
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
            file.notes += [] if skipped is None else [Note(str(skipped), FilesWarning, file.place)]
            _find_faults(file, judgments, rules, run)
            if judgments is not None:
                file.notes += _about_ids(file, run, judgments, met.topics, numbers)

    try:
        inspect(opened)
        return []
    except InputError:
        pass
    wrong: list[tuple[InspectedRun, InputError]] = []
    for each in opened:
        try:
            inspect([each])
        except InputError as error:
            wrong.append((each, error))
    return wrong


def _about_ids(
    file: FileCheck, run: Run, judgments: Qrels, topics: Sequence[str], numbers: Sequence[Array]
) -> Iterator[Note]:
    """That ids of a run are spelt otherwise than in the judgments, or are columns of a matrix, as ``evaluate`` says.

    ``numbers``: int64[topic] of its lines, and how many of them are judged.
    """
    if not run.is_read_in_place:
        respelt = find_respelt(run.name, run, judgments, topics, numbers[:2], 1 - (file.judged_at or 0))
        if respelt.pairs:
            yield Note(respelt.ask(), place=file.place, own_weight=respelt.weigh(len(judgments)))
            return
    if (file.unjudged or 0) >= FEW_JUDGED:
        yield from map(doubt_ids, say_column_numbers(run.name, run, judgments, topics, numbers[0]))


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
    file.upside_down = is_upside_down(run, topics, contradicting, lines, tied)
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


def _show_documents(run: Run, judgments: Qrels) -> str:
    """A judged document and one of the run, of their first common topic."""
    topic = next((topic for topic in run.topics if topic in judgments.place_of_topic), None)
    return "" if topic is None else show_documents(run, judgments, topic)


def _find_faults(file: FileCheck, judgments: Qrels | None, rules: Rules, run: Run) -> None:
    """What the numbers of a run say against it."""
    place = file.place
    if judgments is None:
        file.unjudged = file.judged_at = None
    elif not file.topics:
        file.faults.append(f"{place}: returns no document")
    elif file.topics == len(file.unknown_topics) and set(judgments.topics).isdisjoint(file.unknown_topics):
        pair = f"{judgments.topics[0]} there, {file.unknown_topics[0]} here"
        asked = ask_about_other_topics(file.unknown_topics, judgments)
        file.faults.append(f"{place}: no topic in common with the judgments: {pair}; {asked}")
    elif file.unjudged == 1:
        file.faults.append(f"{place}: none of its documents is judged{_show_documents(run, judgments)}; {OTHER_SET}")
    elif rules.cutoff * file.topics >= TELLING and file.judged_at == 0:
        said = f"none of the first {rules.cutoff} documents of any topic is judged{_show_documents(run, judgments)}"
        file.add(f"{said}; {OTHER_SET}", NoteWeight.COVERAGE)
    if rules.depth is not None and file.most > rules.depth:
        count = f"; {file.too_long} topics have more than that" if file.too_long > 1 else ""
        said = f"topic {file.longest} has {file.most} documents; allowed: {rules.depth}{count}"
        file.faults.append(f"{place}: {said}")
    where = f"{plural(file.contradictions, 'place')} of {plural(len(file.contradicting), 'topic')}"
    some = f"{where} ({list_topics(file.contradicting, 3)})"
    if file.upside_down:
        remedy = "negate distances, or number the ranks anew if the scores are right"
        said = f"the score rises from rank to rank in {some}, so the last rank counts as the first"
        file.faults.append(f"{place}: {said}: {remedy}")
    elif file.contradictions:
        file.add(f"ranks contradict scores in {some}; the scores decide, as in trec_eval", NoteWeight.COVERAGE)
    if file.all_tied:
        some = f"{plural(len(file.all_tied), 'topic')} ({list_topics(file.all_tied, 3)})"
        file.add(f"all scores are equal in {some}, so ids order documents; {NAME_RANKS}", NoteWeight.MEANING)
    elif file.tied >= MOST_TIED:
        file.add(f"{file.tied:.1%} of the lines share their score with another; {NAME_RANKS}", NoteWeight.COVERAGE)
    if file.missing:
        file.add(f"returns nothing for {list_topics(file.missing)}", NoteWeight.COVERAGE)
    if file.unknown_topics and rules.topics is not None:
        file.faults.append(f"{place}: unknown topics {list_topics(file.unknown_topics)}")
    elif file.unknown_topics:
        file.add(f"no judgments for {list_topics(file.unknown_topics)}", NoteWeight.MEANING)
