"""Nuggets: what a good answer says, vital or okay, as judgments; as AutoNuggetizer writes them."""

from __future__ import annotations

from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import InputKind
from gradeval.files.plain_text import quote, read_id

NUGGETS = {"vital": 2.0, "okay": 1.0}
"""The grades of nuggets, as TREC's tracks call them."""


def read_nuggets(record: Any, kind: InputKind, where: str) -> tuple[str, dict[str, float]] | None:
    """The topic and ``{text: grade}`` of a record with nuggets; None where it has none."""
    if not isinstance(record, dict) or not isinstance(record.get("nuggets"), list):
        return None
    if kind == "run":
        raise InputError(
            f"{where}: holds nuggets, which are judgments; what answers hold of them is scores: --scores FILE, or "
            "read_scores in Python"
        )
    grades: dict[str, float] = {}
    for nugget in record["nuggets"]:
        importance = nugget.get("importance") if isinstance(nugget, dict) else None
        if importance not in NUGGETS:
            raise InputError(f"{where}: importance {quote(str(importance))} of a nugget is neither vital nor okay")
        text = read_id(nugget.get("text"), "nugget", where)
        if text in grades:
            raise InputError(f"{where}: nugget {quote(text)} is listed twice; list each nugget once per query")
        grades[text] = NUGGETS[importance]
    return read_id(record.get("qid", record.get("query")), "query", where), grades
