"""trec_eval's averages over several judges, whose names stand in the second column of the judgments (-R qrels_jg)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.compat.trec_eval import WIDTH, Options
from gradeval.compat.trec_eval_measures import MULTIPLES, RANKS, PrintedValue, TrecMeasure, columns_of, values_of
from gradeval.files.plain_text import decode, quote, read_decimal, split_columns
from gradeval.files.source import as_source
from gradeval.formula.arithmetic import Array
from gradeval.messages import visible

AVERAGED = {
    "map_avgjg": TrecMeasure("map"),
    "P_avgjg": TrecMeasure("P", RANKS),
    "Rprec_mult_avgjg": TrecMeasure("Rprec_mult", MULTIPLES),
}
"""The measures that are averaged over judges, in the order in which trec_eval prints them."""
OVER_TOPICS = ["runid", "num_q"]
"""What is printed over all topics only."""
LINE = "topic judge document grade"
ALL = "qrels_jg"
"""What stands behind -m for all of them."""

JudgmentsByJudge: TypeAlias = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Grades by topic, judge and document."""


def read_judges(path: Path) -> JudgmentsByJudge:
    """Judgments of several judges from text; comment lines and blank lines are skipped."""
    source = as_source(path)
    read: dict[str, dict[str, dict[str, float]]] = {}
    for number, words in split_columns(decode(source.data, source.place)):
        if words[0].startswith("#"):
            continue
        grade = read_decimal(words[-1])
        if len(words) != 4 or np.isnan(grade):
            raise InputError(f"{source.place}:{number}: {quote(' '.join(words))} is not read; a line is: {LINE}")
        topic, judge, document, _ = words
        read.setdefault(topic, {}).setdefault(judge, {})[document] = grade
    if not read:
        raise InputError(f"{source.place}: the file holds no judgments; a line is: {LINE}")
    return read


def print_averages(judgments: JudgmentsByJudge, run: Run, names: Sequence[str], options: Options) -> Iterator[str]:
    """The lines that trec_eval prints; ``names``: of measures, none for all of them."""
    wanted = {one for name in names or [ALL] for one in ([*OVER_TOPICS, *AVERAGED] if name == ALL else [name])}
    if unknown := sorted(wanted.difference(AVERAGED, OVER_TOPICS)):
        raise InputError(f"-R qrels_jg has no measure {unknown[0]!r}; accepted: {', '.join([ALL, *AVERAGED])}")
    topics = sorted((topic for topic in run.topics if topic in judgments), key=str.encode)
    if not topics:
        raise InputError(f"{run.name}: no topic in common with the judgments; are the ids alike?")
    columns = [
        column
        for name, measure in AVERAGED.items()
        if name in wanted
        for column in columns_of(measure, [], level=options.level, judged_only=False)
    ]
    values = _average({topic: judgments[topic] for topic in topics}, run, columns, options.depth)
    labels = [_label(column.name) for column in columns]
    if options.by_topic:
        for topic, row in zip(topics, values, strict=True):
            yield from _print_lines(labels, topic, row)
    if options.summary:
        number = len(judgments) if options.complete else len(topics)
        heads = {"runid": visible(run.lines.tag() or run.name), "num_q": str(number)}
        yield from (f"{name:<{WIDTH}}\tall\t{heads[name]}\n" for name in OVER_TOPICS if name in wanted)
        yield from _print_lines(labels, "all", values.sum(0) / number)


def _average(judgments: JudgmentsByJudge, run: Run, columns: Sequence[PrintedValue], depth: int | None) -> Array:
    """float64[topic, column]: the mean over the judges of each topic."""
    places = {topic: place for place, topic in enumerate(judgments)}
    values = np.zeros((len(judgments), len(columns)))
    for number in range(max(map(len, judgments.values()))):  # the first judge of every topic, the second ...
        grades = {topic: judges[sorted(judges)[number]] for topic, judges in judgments.items() if number < len(judges)}
        judged = meet(Qrels.from_dict(grades), [run], ties="docid", negative="unjudged")
        cut = judged if depth is None else judged.top(depth)
        for topic, row in zip(judged.topics, values_of(cut, columns).T, strict=True):
            values[places[topic]] += row / len(judgments[topic])
    return values


def _label(name: str) -> str:
    """trec_eval's name of an average over judges: P_5 becomes P_avgjg_5."""
    stem, mark, cut = name.rpartition("_")
    return f"{stem}_avgjg_{cut}" if mark else f"{name}_avgjg"


def _print_lines(labels: Sequence[str], topic: str, row: Array) -> Iterator[str]:
    values = zip(labels, row.tolist(), strict=True)
    return (f"{label:<{WIDTH}}\t{visible(topic)}\t{value:6.4f}\n" for label, value in values)
