"""Grades and scores as values of Python or JSON: numbers, their texts and truths, and grades in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite, isnan
from numbers import Integral, Real
from typing import Any

from gradeval._core import InputError
from gradeval.collection.missing_grades import is_missing, is_nothing
from gradeval.files.column_names import InputKind
from gradeval.files.grade_words import GradeWords
from gradeval.files.plain_text import quote, read_decimal

INFINITE = ("inf", "infinity")
"""Texts of infinite numbers, without their signs, in small letters."""
NOT_COUNTED = "leave out documents that must not count, as items that were seen"
"""What to do about scores that are infinite or no number."""


def without_score(value: Any, where: str, name: str, how: str, order: str) -> InputError:
    """The error for an empty score, where ranks order the run all the same; ``how``: what is typed for that; ``order``:
    what has the ranks."""
    shown = "null" if value is None else quote(str(value))
    return InputError(
        f"{where}: {name} {shown} is not a finite number; to order by the ranks in {quote(order)}, write {how}"
    )


def read_value(value: Any, kind: InputKind, name: str, words: GradeWords, where: str) -> int | float:
    """The number in a value: a number, or its text, as language models write grades; of grades also a truth and words.

    ``name``: what it is called there.
    """
    if value is None:
        raise InputError(f"{where}: {name} null is not a finite number; write one, or leave the document out")
    if is_truth(value) and kind == "qrels":
        value = str(bool(value))
    if isinstance(value, dict) and kind == "qrels":
        value = json.dumps(value, default=str)
    if isinstance(value, str):
        number = words.read(value) if kind == "qrels" else read_decimal(value)
        if number == number:
            return number
        if kind == "qrels":
            raise words.refuse(value, name, where)
    if not isinstance(value, int | float) or is_truth(value) or not abs(value) <= 1.7e308:
        how = f"leave out a document without {name}" if is_nothing(value) else "write it as in 2 or 0.5"
        if kind == "run" and str(value).strip("+-").lower() in INFINITE:
            how = NOT_COUNTED
        raise InputError(f"{where}: {name} {quote(str(value))} is not a finite number; {how}")
    return value


def with_numbers(table: Mapping[Any, Any], kind: InputKind, words: GradeWords, place: str) -> dict[Any, Any]:
    """``{topic: {document: value}}`` with numbers for texts, None and truths; the core checks all others."""
    name = "grade" if kind == "qrels" else "score"
    read: dict[Any, Any] = {}
    mapped = [documents for documents in table.values() if hasattr(documents, "items")]
    words.cells = lambda: (value for documents in mapped for value in documents.values())
    for topic, documents in table.items():
        read[topic] = documents
        if not hasattr(documents, "items"):
            continue
        read[topic] = {}
        for document, value in documents.items():
            if value is None or isinstance(value, str) or is_truth(value):
                where = f"{place}: topic {quote(str(topic))}, document {quote(str(document))}"
                value = read_value(value, kind, name, words, where)
            elif kind == "run" and isinstance(value, Real) and not isinstance(value, Integral) and not isfinite(value):
                of = f"topic {quote(str(topic))}, document {quote(str(document))}"
                what = "is NaN" if isnan(value) else f"{value:g} is not finite"
                raise InputError(f"{place}: score {what} ({of}); {NOT_COUNTED}")
            read[topic][document] = value
    values = (one for documents in read.values() if isinstance(documents, dict) for one in documents.values())
    words.require_one_scale((float(one) for one in values if isinstance(one, Real)), place)
    return read


def with_scores(table: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    """``{topic: {document: score}}`` with numbers for their texts."""
    return with_numbers(table, "run", GradeWords(), place)


def is_number_or_words(value: Any) -> bool:
    """Is it a number, a truth, or a text that is a number or a grade in words, rather than an id?"""
    if isinstance(value, str):
        return is_missing(value) or not isnan(GradeWords().read(value))
    return isinstance(value, Real) or is_truth(value)


def is_truth(value: object) -> bool:
    """Is it true or false, of Python or NumPy?"""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
