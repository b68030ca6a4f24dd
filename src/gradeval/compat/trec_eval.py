"""A drop-in for the program trec_eval: what it prints, byte for byte; and any scores in its format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.meeting import JudgedRuns, Ties, meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.compat.trec_eval_measures import (
    LEAST,
    MEASURES,
    NICKNAMES,
    NICKNAMES_OF_10,
    PrintedValue,
    TrecMeasure,
    columns_of,
    unknown,
    values_of,
)
from gradeval.files.plain_text import decode, quote, read_decimal, split_columns
from gradeval.files.source import as_source
from gradeval.formula.aliases import CUT_ALIASES
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import write
from gradeval.formula.spelling import parse_measure
from gradeval.messages import visible
from gradeval.scores.score_table import ALL, decimals
from gradeval.scores.scores import Scores

__all__ = ["Options", "print_trec_eval", "trec_eval_lines"]

Version: TypeAlias = Literal["trec", "trec9", "trec9-arm64"]

ReferenceMoments: TypeAlias = Mapping[tuple[str, str], tuple[float, float]]

TIES: Mapping[Version, Ties] = {"trec": "docid", "trec9": "docid-float32", "trec9-arm64": "docid-float32"}
"""Equal scores are compared as double from version 10 on, before in single precision."""
COUNTING: Mapping[Version, str] = {"trec": "trec10", "trec9": "trec9", "trec9-arm64": "exact"}
"""How recall levels become numbers of documents. On arm64 the multiplication is fused with the addition of 0.9, and the
result is the same as in exact arithmetic: 0.3 of 97 documents are 30 there, but 29 on x86."""

NO_REFERENCE = -1e6
"""What trec_eval has for a value of which no reference is given."""
WIDTH = 22  # of the first column
JUDGED = "judged"  # Pyserini's addition: the share of judged documents in the first ranks
SHOWN = 10  # documents that relstring shows


@dataclass(frozen=True)
class Options:
    """The options of trec_eval.

    Attributes
    ----------
    by_topic : print the values of topics, too (-q).
    summary : print those over all topics (without -n).
    complete : average over all topics of the judgments; a missing one counts 0 (-c).
    level : documents are relevant from this grade on (-l).
    depth : only the first documents of each topic (-M); None: all.
    judged_only : take unjudged documents out of the rankings (-J).
    remove_unjudged : do so before anything else, so that topics left without documents are missing (Pyserini).
    documents : the size of the collection (-N), for utility.
    version : trec_eval 10 ("trec"), 9 on x86 ("trec9"), or 9 on arm64.
    reference : mean and standard deviation of values over other runs, by topic and name of the value (-Z): printed is
        by how many standard deviations a value differs.
    """

    by_topic: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    remove_unjudged: bool = False
    documents: int = 0
    version: Version = "trec"
    reference: ReferenceMoments | None = None


@dataclass(frozen=True)
class Request:
    """The measures to print, in order, each with the values behind its dot; and the cutoffs of Pyserini's judged."""

    measures: list[tuple[TrecMeasure, list[str]]]
    judged: list[int]

    @classmethod
    def of(cls, names: Sequence[str], version: Version = "trec") -> Request:
        """From what stands behind -m: official, all_trec, set, a measure, or a measure with values, as in P.5,10.

        The first values given for a measure are taken.
        """
        nicknames = NICKNAMES_OF_10 if version == "trec" else NICKNAMES
        wanted: dict[str, list[str]] = {}
        judged: list[int] = []
        for name in names or ["official"]:
            stem, dot, text = name.partition(".")
            if stem == JUDGED:
                judged += _read_cutoffs(name, text)
            elif stem in MEASURES and (text or not dot):
                wanted[stem] = wanted.get(stem) or (text.split(",") if text else [])
            elif name in nicknames:
                for one in nicknames[name]:
                    wanted.setdefault(one, [])
            else:
                raise unknown(name)
        return cls([(measure, wanted[stem]) for stem, measure in MEASURES.items() if stem in wanted], judged)


def print_trec_eval(qrels: Qrels, run: Run, names: Sequence[str] = (), options: Options | None = None) -> Iterator[str]:
    """The lines that trec_eval prints for a run: its topics in the order of their ids, then all together.

    Values of topics are summed up in that order, as trec_eval does, so that the last digit is its own.
    """
    options = options or Options()
    request = Request.of(names, options.version)
    evaluation = Evaluation(meet(qrels, [run], ties=TIES[options.version], negative="unjudged"), options)
    columns = evaluation.columns(request)
    rows = evaluation.rows()
    if not rows and not evaluation.shows_missing:
        raise InputError(f"{run.name}: no topic in common with {qrels.name}: {_example(qrels, evaluation.judged)}")
    values = evaluation.values(columns)
    if options.by_topic:
        texts = [evaluation.relevance_strings(column) if column.source.text else [] for column in columns]
        for row in evaluation.rows_shown():
            for column, numbers, strings in zip(columns, values, texts, strict=True):
                if column.source.printed != "over topics":
                    value = f"'{strings[row]}'" if strings else evaluation.write(column, numbers[row])
                    yield _line(evaluation.label(column), evaluation.judged.topics[row], value)
    if options.summary:
        for column, numbers in zip(columns, values, strict=True):
            if column.source.printed != "by topic":
                tag = run.lines.tag() or run.name
                total = tag if column.source.text else evaluation.total(column, numbers[rows])
                yield _line(evaluation.label(column), ALL, total)
        for cutoff in request.judged:
            yield _line(f"{JUDGED}_{cutoff}", ALL, f"{evaluation.judged_share(run, cutoff):.4f}")


@dataclass(frozen=True)
class Evaluation:
    """One run, matched with the judgments, under the options of trec_eval."""

    whole: JudgedRuns
    options: Options

    @cached_property
    def judged(self) -> JudgedRuns:
        """The first documents only, where -M says so."""
        return self.whole if self.options.depth is None else self.whole.top(self.options.depth)

    def columns(self, request: Request) -> list[PrintedValue]:
        """The values to print for each topic."""
        judged_only = self.options.judged_only or self.options.remove_unjudged
        return [
            self._adapt(column, values)
            for measure, values in request.measures
            for column in columns_of(measure, values, level=self.options.level, judged_only=judged_only)
        ]

    def _adapt(self, column: PrintedValue, values: list[str]) -> PrintedValue:
        """The column as the program has it: values behind a name stand in it, and options of the program count."""
        name = column.name if column.source.places or not values else f"{column.name}_{','.join(values)}"
        if column.source.name == "relstring":
            return replace(column, name=name, length=_read_cutoffs("relstring", ",".join(values) or str(SHOWN))[0])
        measures = tuple(map(self._adapt_measure, column.measures))
        if column.source.name == "utility":
            measures = tuple(measure(documents=self.options.documents) for measure in measures)
        return replace(column, name=name, measures=measures)

    def _adapt_measure(self, measure: Measure) -> Measure:
        if measure.parameters.get("mode") in COUNTING.values():
            measure = measure(mode=COUNTING[self.options.version])
        if gains := measure.parameters.get("gains"):
            known = {grade: gain for grade, gain in gains if grade in self.judged.levels}
            measure = measure(gains=known or None)  # gains of other grades are read, and change nothing
        return measure

    def rows(self) -> list[int]:
        """The topics to evaluate, in the order of their ids."""
        retrieved = self.judged.judged_retrieved if self.options.remove_unjudged else self.judged.retrieved
        present = np.flatnonzero(retrieved[0] > 0).tolist()
        return sorted(present, key=lambda row: self.judged.topics[row].encode())

    @property
    def shows_missing(self) -> bool:
        """Are topics that the run misses evaluated by -c, as from version 10 on? Before, -c only divides by them."""
        return self.options.complete and self.options.version == "trec"

    def rows_shown(self) -> list[int]:
        """The topics of which single values are printed."""
        if not self.shows_missing:
            return self.rows()
        return sorted(range(len(self.judged)), key=lambda row: self.judged.topics[row].encode())

    def values(self, columns: Sequence[PrintedValue]) -> Array:
        """float64[column, topic]: the values, or how they differ from the reference."""
        values = values_of(self.judged, columns)
        if self.options.reference is not None:
            for place, column in enumerate(columns):
                for row, topic in enumerate(self.judged.topics):
                    values[place, row] = _standardised(values[place, row], self.options.reference, topic, column.name)
        return values

    def label(self, column: PrintedValue) -> str:
        """The name that is printed: behind a Z, where values are compared with a reference."""
        compared = self.options.reference is not None and not column.source.text
        return f"Z{column.name:<{WIDTH}}" if compared else column.name

    def write(self, column: PrintedValue, value: float) -> str:
        """A value as it is printed: counts as whole numbers, unless they are compared with a reference."""
        return f"{int(value)}" if column.source.whole and self.options.reference is None else f"{value:6.4f}"

    def total(self, column: PrintedValue, values: Array) -> str:
        """The value over all topics as trec_eval prints it."""
        topics = len(self.judged.topics) if self.options.complete else len(values)
        total = float(np.add.accumulate(values)[-1]) if len(values) else 0.0  # one after the other
        if column.name == "num_q":
            total = topics
        elif column.name == "num_rel" and self.options.complete and self.options.reference is None:
            total = int(self.judged.pool[:, 1:].sum())  # of all topics, and whatever the lowest relevant grade is
        elif column.name.startswith("gm_"):
            total = float(np.exp((total + (topics - len(values)) * np.log(LEAST)) / topics))
        elif not column.source.whole:
            total /= topics
        return self.write(column, total)

    def relevance_strings(self, column: PrintedValue) -> list[str]:
        """The grades of the first documents of each topic as text: - for one outside the pool, . for one in it that
        nobody judged, > for a grade above 9."""
        strings = [""] * len(self.judged)
        for rows, block in self.judged.blocks():
            rankings = block.condensed() if self.options.judged_only or self.options.remove_unjudged else block
            for row, text in zip(rows.tolist(), _show_grades(rankings, column.length), strict=True):
                strings[row] = text
        return strings

    def judged_share(self, run: Run, cutoff: int) -> float:
        """The share of documents in the pool among the first ones of all topics together, also of those that have no
        judgments."""
        top = self.whole.top(cutoff)
        judged = len(top.rank) - 1
        if self.options.remove_unjudged:
            return 1.0
        others = sum(min(cutoff, len(run.of(topic))) for topic in self.whole.unjudged_topics[0])
        return judged / (int(top.retrieved.sum()) + others)


def _show_grades(rankings: JudgedRankings, length: int) -> Iterator[str]:
    for retrieved, ranks, grades, judged in zip(
        rankings.retrieved, rankings.ranks, rankings.grades, rankings.judged, strict=True
    ):
        letters = ["-"] * min(length, int(retrieved))
        inside = ranks <= len(letters)
        for rank, grade, known in zip(ranks[inside], grades[inside], judged[inside], strict=True):
            letters[int(rank) - 1] = "." if not known else ">" if grade > 9 else str(int(grade))
        yield "".join(letters)


def _standardised(value: float, reference: ReferenceMoments, topic: str, name: str) -> float:
    """(value - mean) / standard deviation; 0 where all other runs have this very value."""
    mean, deviation = reference.get((topic, name), (0.0, 0.0))
    if (topic, name) in reference and (deviation or value == mean):
        return (value - mean) / deviation if deviation else 0.0
    return NO_REFERENCE


def read_reference(path: Path) -> ReferenceMoments:
    """The reference of -Z from a file of lines ``topic name mean deviation``."""
    source = as_source(path)
    reference: dict[tuple[str, str], tuple[float, float]] = {}
    for number, words in split_columns(decode(source.data, source.place)):
        numbers = [read_decimal(word) for word in words[2:]]
        if len(numbers) != 2 or np.isnan(numbers).any():
            raise InputError(
                f"{source.place}:{number}: {quote(' '.join(words))} is not read; a line is: topic name mean deviation, "
                "as in 301 map 0.21 0.08"
            )
        reference[words[0], words[1]] = numbers[0], numbers[1]
    return reference


def _line(name: str, topic: str, value: str) -> str:
    """A line as trec_eval prints it; no control character of a name forges another."""
    return f"{visible(name):<{WIDTH}}\t{visible(topic)}\t{visible(value)}\n"


def _read_cutoffs(name: str, text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise InputError(f"{name}: {text!r} is no number of ranks from 1; accepted: as in {name.split('.')[0]}.5,10")
    return list(map(int, parts))


def _example(qrels: Qrels, judged: JudgedRuns) -> str:
    there = f"{qrels.topics[0]!r} there" if qrels.topics else "no topic there"
    here = f"{judged.unjudged_topics[0][0]!r} here" if judged.unjudged_topics[0] else "none with documents here"
    return f"{there}, {here}; are the ids alike?"


NAMES = (
    "map gm_map Rprec bpref recip_rank ndcg infAP 11pt_avg "
    "set_P set_recall set_F set_map num_q num_ret num_rel num_rel_ret"
).split()
"""What trec_eval calls measures without a cutoff; formula.spelling.CUT_ALIASES has the others."""


def trec_eval_lines(scores: Scores, *, by_topic: bool = False, digits: int = 4) -> Iterator[str]:
    """What trec_eval prints, run after run: a line ``runid``, the topics (on request), all topics.

    A measure that trec_eval has goes by its name there, the others by ours. Values are rounded, counts whole.
    """
    names = [f"{visible(trec_eval_name(measure)):<{WIDTH}}" for measure in scores.measures]
    places = [decimals(measure, digits) for measure in scores.measures]

    def lines(topic: str, values: list[float], counted: list[bool]) -> str:
        cells = zip(names, places, values, counted, strict=True)
        return "".join(f"{name}\t{topic}\t{value:.{places}f}\n" for name, places, value, counts in cells if counts)

    credited, counted, means = scores.credited, scores.counted, scores.mean()
    for place, run in enumerate(scores.runs):
        yield _line("runid", ALL, run)
        if by_topic:
            rows = zip(map(visible, scores.topics), credited[place].tolist(), counted[place].tolist(), strict=True)
            yield "".join(lines(*row) for row in rows)
        yield lines(ALL, means[place].tolist(), [True] * len(names))


def trec_eval_name(measure: Measure) -> str:
    """trec_eval's name of a measure (map, ndcg_cut_10, iprec_at_recall_0.20), else its spelling here."""
    if measure.parameters.get("mode") == "trec10":  # the same names in both versions of trec_eval
        measure = measure(mode="trec9")
    at = measure.parameters.get(measure.definition.at or "")
    cut = f"{at:.2f}" if measure.definition.at == "recall" else write(at)
    stems = [stem for stem, spelling in CUT_ALIASES.items() if re.split(r"\W", spelling)[0] == measure.name]
    known = NAMES if at is None else [f"{stem}_{cut}" for stem in stems]
    return next((name for name in known if parse_measure(name) == measure), str(measure))
