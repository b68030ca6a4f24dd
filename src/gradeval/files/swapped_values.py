"""Judgments and runs in dictionaries that were given in each other's place, told by their numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from numbers import Real
from typing import Any

from gradeval.files.column_names import HIGHEST_GRADE
from gradeval.warning_categories import FilesWarning, warn

LOOKED_AT = 20
"""Topics whose numbers are looked at."""
MOST_GRADES = 5
"""Different grades that judgments have, at most, for their numbers to be told from scores."""
LONG = 10
"""Documents in the rankings of most runs, at least."""


def warn_of_swapped_values(qrels: Mapping[Any, Any], ranked: Mapping[Any, Any]) -> None:
    """Warn where the grades are such as scores are, and the scores such as grades are: each would be odd alone."""
    scored = [*_topics_of(ranked)] or [*_topics_of(next(iter(ranked.values()), {}))]
    if not scored or not _are_grades(scored):
        return
    judged = [*_topics_of(qrels)]
    differ = bool(judged) and all(map(_are_scores, judged))
    if differ or _are_rankings(qrels):
        first = "most grades of a topic differ" if differ else "judgments are long lists"
        warn(f"{first} and scores are few whole numbers; if they are swapped, give the judgments first", FilesWarning)


def _are_rankings(table: Mapping[Any, Any]) -> bool:
    """Are they lists as long as rankings, which judgments seldom are?"""
    lists = [*islice(table.values(), LOOKED_AT)]
    return bool(lists) and all(isinstance(one, list | tuple) and len(one) >= LONG for one in lists)


def _topics_of(table: Any) -> Iterator[list[float]]:
    """The numbers of some topics of ``{topic: {document: number}}``; nothing of other things."""
    if not isinstance(table, Mapping):
        return
    for documents in islice(table.values(), LOOKED_AT):
        if not isinstance(documents, Mapping) or not all(map(_is_number, documents.values())):
            return
        if documents:
            yield [float(one) for one in documents.values()]


def _is_number(value: object) -> bool:
    """Is this a number that the reader takes? Whole numbers beyond all others are its to refuse."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, Real)


def _are_scores(numbers: list[float]) -> bool:
    """Are most of them different, and either no whole numbers or more than grades are?"""
    fractions, different = sum(not one.is_integer() for one in numbers), len({*numbers})
    return 2 * different > len(numbers) and (2 * fractions > len(numbers) or different > MOST_GRADES)


def _are_grades(topics: list[list[float]]) -> bool:
    """Are all of them a few whole numbers, each of them often, and tied in most topics, as no ranks are?"""
    numbers = [one for topic in topics for one in topic]
    whole = all(one.is_integer() and -HIGHEST_GRADE <= one <= HIGHEST_GRADE for one in numbers)
    tied = sum(len({*topic}) < len(topic) for topic in topics)
    few = len({*numbers}) <= MOST_GRADES and 2 * len({*numbers}) < len(numbers)
    return whole and few and 2 * tied > len(topics)
