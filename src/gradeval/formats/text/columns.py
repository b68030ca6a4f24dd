"""Numbers and ids in text that has columns: how numbers are written, and which ids fit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gradeval._core import InputError

BLANK = re.compile(r"[\x00-\x20]")


def write_number(number: float) -> str:
    """The shortest decimal text that reads back as the same double: 3, 0.1, -7.99e-10."""
    return repr(number).removesuffix(".0")


def require_columns(identifiers: Iterable[str], what: str, place: str) -> None:
    """Refuse ids that do not fit into one column: ids from frames and dictionaries may hold blanks."""
    for identifier in identifiers:
        if not identifier or BLANK.search(identifier):
            raise InputError(
                f"{place}: cannot write {what} {identifier!r}: an id in a TREC file has no blanks; rename it"
            )
        if what == "topic" and identifier.startswith(("#", "\ufeff")):
            raise InputError(
                f"{place}: cannot write topic {identifier!r}, its line would be taken for a comment; rename it"
            )
