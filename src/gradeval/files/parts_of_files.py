"""Columns of files and of numbers within them, as of chunks, which name a document together: how to join both."""

from __future__ import annotations

import re

from gradeval.files.column_names import InputKind, normal_name

WHOLE = frozenset("source file filename path document doc url page title parent".split())
"""Words in the names of what has chunks, or other parts with numbers of their own."""
PART = re.compile("chunk|passage|paragraph", re.IGNORECASE)
"""In the names of what files have several of."""


def is_of_whole(name: str) -> bool:
    """Is it called as what chunks are parts of: a file, a page, a source?"""
    return not WHOLE.isdisjoint(normal_name(name).split("_"))


def describe_parts(name: str, doc: str, kind: InputKind = "run") -> str:
    """That an id may be only a number within a file that ``name`` tells, before how to join both."""
    others = "judgments" if kind == "run" else "runs"
    return f"if {name!r} and {doc!r} name a document together, join them, as the {others} do"


def join_in_pandas(name: str, doc: str, into: str = "") -> str:
    """What to type to join a file and a number within it ``into`` one column, which is the number's by default."""
    return f"in pandas df[{into or doc!r}] = df.pop({name!r}) + '::' + df.pop({doc!r}).astype(str)"
