"""Which numbers look like times, as those beside ratings do, and are no grades."""

from __future__ import annotations

import re

from gradeval._core import InputError

TIME = r"\d{9,10}|\d{12,13}"
"""Seconds since 1970, or thousandths of them, from 1973 to 2286."""
RATING = r"\d{1,3}(\.\d+)?"


def is_rating(value: str, time: str) -> bool:
    """Do two cells read as a rating and its time?"""
    return bool(re.fullmatch(TIME, time) and re.fullmatch(RATING, value))


def refuse_time(document: str, grade: str, where: str) -> None:
    """Refuse a grade without a name of its own that looks like a time, in a line of judgments: so MovieLens's u.data
    reads as one (user, item, rating, time), whose column of documents holds the rating."""
    if is_rating(document, grade):
        raise InputError(
            f"{where}: the grade {grade} looks like a time, as in ratings (user, item, rating, time); name the "
            "columns by their numbers: --columns query=1,doc=2,grade=3, or in Python "
            "read_qrels(FILE, columns=...)"
        )


def refuse_time_of_pair(grade: str, where: str) -> None:
    """Refuse a time as the grade of a pair in a line of separated columns without names: user, item, time."""
    if re.fullmatch(TIME, grade):
        raise InputError(
            f"{where}: the grade {grade} looks like a time; write a first line with names, as in user,item,timestamp "
            "(each pair is then relevant); or number the columns: --columns query=1,doc=2,grade=3, or in Python "
            "read_qrels(FILE, columns=...)"
        )
