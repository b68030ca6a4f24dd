"""Documents without a grade: None, NaN, N/A and what else stands for nothing. They are unjudged, and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

from gradeval._core import InputError

NOT_GIVEN = frozenset(("", "N/A", "n/a", "NA", "#N/A", "#NV", "<NA>", "None", "null", "NULL"))
"""Texts that stand for no grade, as programs write them; NaN in a text is the result of a calculation, and refused."""


def is_missing(grade: object) -> bool:
    """Is no grade given: None, a text that says so, or NaN and NA, as pandas calls what is missing?"""
    if isinstance(grade, str):
        return grade.strip() in NOT_GIVEN
    return grade is None or (isinstance(grade, Real) and grade != grade) or type(grade).__name__ == "NAType"


def is_nothing(value: object) -> bool:
    """Stands there what a program writes for no number: a missing value, NaN also as text, or dashes?"""
    return is_missing(value) or (isinstance(value, str) and value.strip().strip("-").lower() in ("", "nan"))


def drop_missing(
    judgments: Mapping[Any, Any], missing: Callable[[object], bool] = is_missing
) -> tuple[dict[Any, Any], int]:
    """``{topic: {document: grade}}`` without documents that have no grade, as ``missing`` says, and how many these are;
    a topic that has no others is left out. What holds no grades by document stays as it is."""
    known: dict[Any, Any] = {}
    blank = 0
    for topic, documents in judgments.items():
        if not hasattr(documents, "items"):
            known[topic] = documents
            continue
        graded = {document: grade for document, grade in documents.items() if not missing(grade)}
        blank += len(documents) - len(graded)
        if graded or not len(documents):
            known[topic] = graded
    return known, blank


def count_blank(blank: int) -> str:
    """How many documents have no grade, and what they count as."""
    return f"{blank} without a grade {'is' if blank == 1 else 'are'} unjudged"


def require_grades(number: int, blank: int, place: str) -> None:
    """Refuse judgments of which none has a grade; ``number``: how many topics or documents have one."""
    if blank and not number:
        raise InputError(f"{place}: holds no grade: {count_blank(blank)}; write some")
