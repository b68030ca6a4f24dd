"""A drop-in for pytrec_eval-terrier: ``import gradeval.compat.pytrec_eval as pytrec_eval``, and nothing else changes.

Names, keys, left-out topics and values are the same. Where the original ends the process (``P_0``, ``ndcg_10``) or
reads a NaN as a score, this one raises an InputError; where the original gives a NaN (``iprec_at_recall`` if nothing is
relevant and nothing retrieved), this one gives 0. It takes more: grades with decimals, the measures yaap, rbp,
rbp_resid and unj of trec_eval 10, recall levels (``11pt_avg.0.25,0.5``), and ``ties="expected"``.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, get_args

import numpy as np

import gradeval._core as _core
from gradeval import arguments
from gradeval._core import InputError, nest_values
from gradeval.collection.meeting import JudgedRuns, Ties, meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.compat.trec_eval_measures import (
    ALL_OF_9,
    MEASURES,
    NICKNAMES,
    PrintedValue,
    TrecMeasure,
    columns_of,
    plain_measures,
    values_of,
)
from gradeval.formula.recording import LONGEST, record
from gradeval.version import __version__ as __version__

__all__ = ["RelevanceEvaluator", "parse_qrel", "parse_run", "supported_measures", "supported_nicknames"]

supported_measures = set(ALL_OF_9)
"""The names of all measures of pytrec_eval, without cutoffs; also taken are yaap, rbp, rbp_resid and unj."""
supported_nicknames = {nickname: set(names) for nickname, names in NICKNAMES.items()}
"""Names for several measures at once, each with their names."""

NUMBERS = re.compile(r"[._]([0-9]+(\.[0-9]+)?(,[0-9]+(\.[0-9]+)?)*)")
"""What stands behind the name of a measure with cutoffs; the original ignores what follows it, too."""

HUGE = float(np.finfo(float).max)


class WrongType(InputError, TypeError):
    """Input of another type: the original raises a TypeError."""


class GivenTwice(InputError, AssertionError):
    """A document that occurs twice for a topic: the original raises an AssertionError."""


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """``{topic: {document: score}}`` from the lines of a run: topic Q0 document rank score tag.

    A line of another number of columns or a score that is no number is a ValueError, a document that occurs twice for a
    topic an AssertionError; both are InputErrors, too, and name the line.
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for place, line in enumerate(f_run, 1):
        topic, _, document, _, score, _ = _split(line, place, 6, "topic Q0 document rank score tag")
        if document in run[topic]:
            raise GivenTwice(
                f"line {place}: document {document!r} of topic {topic!r} is retrieved twice; keep one line"
            )
        run[topic][document] = _read_field(float, score, place, "score", "a number")
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """``{topic: {document: grade}}`` from the lines of judgments: topic iteration document grade; errors as in
    ``parse_run``."""
    qrel: dict[str, dict[str, int]] = defaultdict(dict)
    for place, line in enumerate(f_qrel, 1):
        topic, _, document, grade = _split(line, place, 4, "topic iteration document grade")
        if document in qrel[topic]:
            raise GivenTwice(f"line {place}: document {document!r} of topic {topic!r} is judged twice; keep one line")
        qrel[topic][document] = int(_read_field(int, grade, place, "grade", "a whole number"))
    return qrel


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """The values of topics as one: the sum for ``num_...``, the geometric mean for ``gm_...``, else the mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


class RelevanceEvaluator:
    """Judgments and measures, to score any number of runs.

    Parameters
    ----------
    query_relevance : ``{topic: {document: grade}}``; grades may have decimals, which the original refuses.
    measures : names of trec_eval (``map``, ``ndcg_cut_10``, ``ndcg_cut.5,10``) and nicknames (``official``, ``set``,
        ``all_trec``); an unknown name is a ValueError.
    relevance_level : documents are relevant from this grade on, at least 1.
    judged_docs_only_flag : documents without a judgment are taken out of the rankings.
    ties : the order of documents with equal scores. "docid-float32", as the original: by document id, descending,
        scores compared in single precision. Else as in ``gradeval.evaluate``: "expected", the mean over all orders, in
        double precision, so that no value depends on how documents are called; "docid", "best", "worst".
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        ties: Ties = "docid-float32",
    ) -> None:
        _require_options(relevance_level, judged_docs_only_flag)
        arguments.one_of("ties", ties, get_args(Ties))
        self._ties = ties
        self._columns = _columns(measures, relevance_level, bool(judged_docs_only_flag))
        self._names = [column.name for column in self._columns]
        judged = _read_judgments(query_relevance)
        self._topics = judged.keys()
        self._qrels = Qrels.from_dict(judged, "query_relevance")

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """``{topic: {measure: value}}`` for the topics of the scores ``{topic: {document: score}}`` that are judged."""
        if not scores:
            return {}
        if (known := self._score_at_once(scores)) is not None:
            return known
        if not isinstance(scores, Mapping):
            raise WrongType(f"scores are {{topic: {{document: score}}}}, not a {type(scores).__name__}")
        topics = [topic for topic in scores if topic in self._topics]
        if not topics:
            _require_numbers(scores)
            _run_of(scores)  # for its errors
            return {}
        # A caller may evaluate one topic at a time: the others then take no part.
        qrels = self._qrels if 2 * len(topics) > len(self._topics) else self._qrels.select(topics)
        values = np.ascontiguousarray(values_of(_judge(qrels, scores, self._ties), self._columns).T)
        by_topic = nest_values(values, qrels.topics, self._names)
        return {topic: by_topic[topic] for topic in topics}

    def _score_at_once(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]] | None:
        """The values of plain dictionaries in one call of the core; None where anything else is asked for."""
        program, ties = self._program, self._ties
        if program is None or not (ties == "docid" or ties == "docid-float32"):
            return None
        grading = self._qrels.grading("unjudged")
        try:
            return program.score_mapping(
                self._qrels.pools, grading.grades, grading.judged, self._of_pools, scores, "scores", ties,
                self._names, LONGEST,
            ) or None  # fmt: skip
        except InputError:  # which other ways of reading may mend, or explain
            return None

    @cached_property
    def _program(self) -> _core.Program | None:
        measures = plain_measures(self._columns)
        if measures is None or (recording := record(measures, self._qrels.levels)).others:
            return None
        self._of_pools = recording.of_pools(self._qrels.grading("unjudged").pools)
        return recording.program


def _require_options(level: object, judged_only: object) -> None:
    if not isinstance(level, int) or level < 1:
        raise WrongType(f"relevance_level={level!r} is not a whole number from 1")
    if judged_only not in (0, 1):
        raise WrongType(f"judged_docs_only_flag={judged_only!r} is not True or False")


def _columns(measures: Iterable[str], level: int, judged_only: bool) -> list[PrintedValue]:
    """The values by topic in the order of trec_eval; cutoffs of one measure that several names give belong together."""
    places: dict[str, set[str]] = {}
    for measure in measures:
        for name in NICKNAMES.get(measure, [measure]):
            stem, values = _read_name(name)
            places.setdefault(stem, set()).update(values)
    return [
        column
        for stem, measure in MEASURES.items()
        if stem in places
        for column in _columns_of(measure, tuple(sorted(places[stem])), level, judged_only)
    ]


@lru_cache(maxsize=256)  # callers make an evaluator for every run
def _columns_of(measure: TrecMeasure, values: tuple[str, ...], level: int, judged_only: bool) -> list[PrintedValue]:
    return columns_of(measure, values, level=level, judged_only=judged_only)


def _read_name(name: str) -> tuple[str, list[str]]:
    """The measure that a name begins with, and the values behind it."""
    if not isinstance(name, str):
        raise WrongType(f"measure {name!r} is a {type(name).__name__}, not a name as in 'ndcg_cut_10'")
    if name in MEASURES:
        return name, []
    for stem in MEASURES:
        if name.startswith(stem) and (values := NUMBERS.match(name[len(stem) :])):
            return stem, values[1].split(",")
    raise InputError(f"unsupported measure {name!r}; accepted: all_trec, or as in map, P_5, P.5,10")


def _judge(qrels: Qrels, scores: Mapping[str, Mapping[str, float]], ties: Ties) -> JudgedRuns:
    run = Run.over(scores, "scores")
    try:
        judged = meet(qrels, [run], ties=ties, negative="unjudged")
        if "copied" in vars(run.lines):  # else there are only texts and plain numbers in it
            _require_numbers(scores)
        return judged
    except WrongType:
        raise
    except InputError:
        return meet(qrels, [_run_of(scores)], ties=ties, negative="unjudged")


def _run_of(scores: Mapping[str, Mapping[str, float]]) -> Run:
    try:
        return Run.from_dict(scores, "scores")
    except InputError as error:
        _require_numbers(scores)
        bounded = {topic: {one: _bound(score) for one, score in ranking.items()} for topic, ranking in scores.items()}
        try:
            return Run.from_dict(bounded, "scores")
        except InputError:
            raise error from None


def _bound(score: float) -> float:
    """True as 1, and infinity as the largest number: in single precision, in which scores are compared, the two are
    one."""
    try:
        return math.copysign(HUGE, score) if math.isinf(score) else float(score)
    except OverflowError:
        raise InputError("scores: a whole number is too large for a float; give scores up to 1e308") from None


def _read_judgments(judgments: Any) -> dict[str, dict[str, float]]:
    """The judgments of the topics that have any; True is 1, as for Python."""
    if not isinstance(judgments, Mapping):
        raise WrongType(f"query_relevance is {{topic: {{document: grade}}}}, not a {type(judgments).__name__}")
    if _is_plain(judgments):
        return {topic: grades for topic, grades in judgments.items() if grades}
    _require_numbers(judgments, "query_relevance", "grade", "grades numbers")
    return {
        topic: {document: float(grade) for document, grade in grades.items()}
        for topic, grades in judgments.items()
        if grades
    }


def _is_plain(judgments: Mapping[Any, Any]) -> bool:
    """Are there only dictionaries, texts and numbers of Python itself in it?"""
    if set(map(type, judgments)) != {str} or set(map(type, judgments.values())) != {dict}:
        return False
    documents, grades = set[type](), set[type]()
    for one in judgments.values():
        documents.update(map(type, one))
        grades.update(map(type, one.values()))
    return documents <= {str} and grades <= {int, float}


def _require_numbers(table: Any, place: str = "scores", what: str = "score", kind: str = "scores are numbers") -> None:
    """Refuse scores or grades of a wrong type, where something is wrong with them."""
    for topic, ranking in table.items():
        if not isinstance(topic, str) or not isinstance(ranking, Mapping):
            raise WrongType(f"{place}: {topic!r}: {{topic: {{document: {what}}}}} is expected")
        for document, value in ranking.items():
            if not isinstance(document, str) or not isinstance(value, int | float | np.number):
                raise WrongType(
                    f"{place}: topic {topic!r}, document {document!r}: {what} {value!r}; documents are text, {kind}"
                )


def _split(line: str, place: int, columns: int, names: str) -> list[str]:
    parts = line.split()
    if len(parts) != columns:
        raise InputError(f"line {place}: has {len(parts)} columns, not {columns}: {names}")
    return parts


def _read_field(kind: type[int] | type[float], text: str, place: int, what: str, accepted: str) -> float:
    try:
        return kind(text)
    except ValueError:
        raise InputError(f"line {place}: {what} {text!r} is not {accepted}") from None
