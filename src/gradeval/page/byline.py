"""What stands under the title of a report: what was evaluated, by whom and when, where one of these is given."""

from __future__ import annotations

import datetime

from gradeval._core import InputError
from gradeval.messages import Given

TODAY = "today"
"""The date that stands for the present one."""


def make_byline(
    evaluated: str, title: str | None, author: str | None, date: str | datetime.date | None
) -> tuple[str, dict[str, str]]:
    """The title, and the parts of the line under it by their names; without anything given there are none.

    ``evaluated``: what was evaluated; it is the title where none is given.

    Raises
    ------
    InputError : something given is no text, or blank.
    """
    given: dict[str, object] = {"title": title, "author": author, "date": _name_date(date)}
    for name, value in given.items():
        if value is not None and not (isinstance(value, str) and value.strip()):
            accepted = "words, a date or 'today'" if name == "date" else "words"
            raise InputError(Given(name, value), f" says nothing; give {accepted}, or leave it out")
    said = {name: str(value).strip() for name, value in given.items() if value is not None}
    if "title" not in said:
        return evaluated, said
    return said.pop("title"), {"evaluated": evaluated, **said}


def _name_date(date: str | datetime.date | None) -> str | None:
    """A date as it is written: as in 2026-11-26 where it is no text."""
    if isinstance(date, datetime.date):
        return date.isoformat()[:10]  # of a time of day, too
    return datetime.date.today().isoformat() if date == TODAY else date
