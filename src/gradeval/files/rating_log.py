"""A log of ratings, split into lines to train from and lines to test with: the last of each user, or a share."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from shlex import quote as quote_word
from typing import NamedTuple

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.atomic_files import STANDARD, Path, whole_file
from gradeval.files.column_names import DOCUMENTS, GRADES, QUERIES, TIMES, USERS, find_column, normal_name, usual_column
from gradeval.files.header_rows import Head, count_numbered, read_head, read_text_rows, strip_cells
from gradeval.files.plain_text import EDGES, quote, read_decimal
from gradeval.files.separated_rows import PAIR, Row, TextRows
from gradeval.files.source import as_source
from gradeval.formula.arithmetic import Array
from gradeval.messages import Typed

EARLIEST = 1e6
"""Numbers below this in the last of three columns are ratings, not times in seconds, where nobody says otherwise."""


class RatingLog(NamedTuple):
    """The lines of a log.

    Attributes
    ----------
    header : the first line, where it names the columns, and comments above it; else empty.
    lines : the others, as they stand in the file, each with its end.
    users : int64[line]: the user of each, from 0.
    times : float64[line]: when it was; NaN where no column says so.
    place : the file, as messages call it.
    """

    header: str
    lines: list[str]
    users: Array
    times: Array
    place: str


class LogSplit(NamedTuple):
    """How a log was split.

    Attributes
    ----------
    train, test : the number of lines in each part.
    users : how many users have lines in the log.
    tested : how many of them have lines in the test part.
    """

    train: int
    test: int
    users: int
    tested: int

    def __str__(self) -> str:
        """In a line."""
        left = self.users - self.tested
        rest = f"; {left} with too few lines are in the training part only" if left else ""
        return f"{self.train} lines to train, {self.test} to test, of {self.tested} of {self.users} users{rest}"


@known_arguments()
def split_log(
    log: Path,
    *,
    train: Path,
    test: Path,
    last: int | None = None,
    share: float | None = None,
    at_random: bool = False,
    seed: int = 0,
    user: str | int | None = None,
    time: str | int | None = None,
) -> LogSplit:
    """Split a log of ratings into two files of its lines, each line as it stands, with the header in both.

    Of every user either the ``last`` lines are for testing, or a ``share`` of the lines: the last ones, or a random
    choice. The test part then judges (``evaluate(test, predictions)``).

    Parameters
    ----------
    log : text with columns, with a header or without: user, item, rating, time.
    train, test : the files to write, both whole or neither; "-" is standard output.
    last : so many lines of each user are for testing: 1 leaves the last one out. Users with no more lines than this
        are in the training part only.
    share : this share of the lines of each user is for testing, rounded down.
    at_random : choose the lines of a share at random instead of the last ones.
    seed : of the random choice, which is made for each user by itself, in the order of the file.
    user, time : names of columns, or numbers from 1 where there is no header. Default: those with the usual names;
        without a header the first, and the last of three or four.

    Lines of one time are in the order of the file. A log without times, where the last lines are asked for, is an
    InputError, and so is a table of queries or LETOR text, as rankers need queries whole.
    """
    places = [os.fspath(train), os.fspath(test)]
    if places[0] == places[1] or (
        STANDARD not in places and os.path.realpath(places[0]) == os.path.realpath(places[1])
    ):
        raise InputError(f"{places[0]}: both parts would be written there; name two files")
    read = read_rating_log(log, user=user, time=time)
    if (last is None) == (share is None):
        how = Typed("--last 1 or --share 0.2", "last=1 or share=0.2")
        raise InputError(
            "a log is split by the last lines of each user, or by a share of them; give one of the two: ", how
        )
    if last is not None:
        last = arguments.whole("last", last, 1)
    if share is not None:
        share = arguments.share("share", share, 0.2)
    seed = arguments.seed(seed)
    if at_random and share is None:
        raise InputError("at_random draws a share of the lines: give share=, as in share=0.2")
    if not at_random and np.isnan(read.times).any():
        raise InputError(
            f"{read.place}: no column is known to hold the times, by which lines are the last; name it (time=, "
            "--time), or draw a share at random: ",
            Typed("--share 0.2 --random", "share=0.2, at_random=True"),
        )
    order = np.random.default_rng(seed).random(len(read.lines)) if at_random else read.times
    tested = choose_last(read.users, order, last=last, share=share)
    if not tested.any():
        raise InputError(f"{read.place}: no user has lines enough to test with; ask for fewer, or a larger share")
    with whole_file(train) as training, whole_file(test) as testing:
        for file, chosen in ((training, ~tested), (testing, tested)):
            file.write(read.header.encode())
            file.write("".join(read.lines[place] for place in np.flatnonzero(chosen).tolist()).encode())
    count = int(tested.sum())
    users = np.bincount(read.users)
    return LogSplit(len(tested) - count, count, len(users), int((np.bincount(read.users, tested) > 0).sum()))


def choose_last(users: Array, order: Array, *, last: int | None, share: float | None) -> Array:
    """bool[line]: the ``last`` lines of each user by ``order``, of users who have more; or the last ``share`` of them,
    rounded down. Among equals the later line is the later one."""
    of_user = np.bincount(users)
    sorted_lines = np.lexsort((np.arange(len(users)), order, users))
    ends = np.cumsum(of_user)
    from_end = np.empty(len(users), np.int64)  # 1: the last line of its user
    from_end[sorted_lines] = np.repeat(ends, of_user) - np.arange(len(users))
    if last is not None:
        wanted = np.where(of_user > last, last, 0)
    else:
        assert share is not None
        wanted = np.floor(of_user * share + 1e-9).astype(np.int64)  # 0.29 of 100 lines are 29
    chosen: Array = from_end <= wanted[users]
    return chosen


def read_rating_log(path: Path, *, user: str | int | None = None, time: str | int | None = None) -> RatingLog:
    """A log from text with columns; see ``split_log``."""
    take = partial(_take_rows, user=user, time=time)
    return read_text_rows(as_source(path), "a log has lines of user, item, rating, time", take)


def _take_rows(rows: TextRows, user: str | int | None, time: str | int | None) -> RatingLog:
    place = rows.place
    found = read_head(rows, _is_header, _is_header)
    assert found is not None  # there is a first line
    head, below = found
    data = list(below)
    names, width = head.cells, len(head.cells)
    if not head.is_header and names[1:2] and names[1].startswith("qid:"):
        raise _refuse_queries(place, f"read_letor({place!r})")
    shift = 0 if head.is_header or user is not None else _pass_over_numbers(data, head, rows)
    if head.is_header:
        at_user = _find(user, names, QUERIES, "users", "user", place)
        at_time = _find(time, names, TIMES, "times", "time", place)
        if at_user is not None and normal_name(names[at_user]) in {*QUERIES} - {*USERS}:
            separator = "" if rows.delimiter == "," else f", sep={rows.delimiter!r}"
            frame = f"pandas.read_csv({place!r}{separator}).sort_values({names[at_user]!r})"
            roles = f"query_id={names[at_user]!r}, relevance={usual_column(names, GRADES)!r}"
            rest = "; if these are users, call the column user_id"
            raise _refuse_queries(place, f"features_from_frame({frame}, {roles})", rest)
    else:
        at_user = _column_number(user, 1 + shift, width, "user", place)
        at_time = _column_number(time, width if width - shift in (3, 4) else None, width, "time", place)
    if at_user is None:
        raise InputError(f"{place}: no column is known to hold the users (it has {', '.join(names)}); name it: --user")
    number_of: dict[str, int] = {}
    users, times = np.empty(len(data), np.int64), np.full(len(data), math.nan)
    for place_of, (number, row) in enumerate(data):
        if len(row) != width:
            raise InputError(f"{place}:{number}: found {len(row)} columns, where the first line has {width}")
        cells = strip_cells(row)
        users[place_of] = number_of.setdefault(cells[at_user], len(number_of))
        if at_time is not None:
            times[place_of] = _seconds(cells[at_time])
            if math.isnan(times[place_of]):
                when = quote(cells[at_time])
                raise InputError(f"{place}:{number}: time {when} is neither a number nor a date as in 2024-05-31 12:00")
    if not head.is_header and time is None and width - shift == 3 and len(times) and times.max() < EARLIEST:
        times[:] = math.nan  # user, item, rating
    header, lines = _cut(rows.text, [number for number, _ in data])
    return RatingLog(header, lines, users, times, place)


def _refuse_queries(place: str, features: str, rest: str = "") -> InputError:
    """The error for a table of queries, whose parts would share them; ``features``: what reads it in Python,
    ``rest``: what else may be meant."""
    folds = f"'gradeval crossval {quote_word(place)} --objective nDCG@10' trains on folds of whole queries"
    return InputError(
        f"{place}: has queries, not users, and rankers need each query whole in one part; {folds}; in Python "
        f"{features}.split(0.6, 0.2, 0.2, seed=0) makes parts{rest}"
    )


def _is_header(cells: Sequence[str]) -> bool:
    """Do cells name columns? Two known names do; else names that are neither numbers nor times."""
    given = {normal_name(cell) for cell in cells}
    known = sum(not given.isdisjoint(usual) for usual in (QUERIES, DOCUMENTS, GRADES, TIMES))
    plainly = len(cells) > 1 and all(cells[1:]) and all(math.isnan(_seconds(cell)) for cell in cells)
    return known > 1 or plainly


def _pass_over_numbers(data: list[Row], head: Head, rows: TextRows) -> int:
    """Take 0, 1, 2 ..., which pandas writes above columns without names, off the data. How many columns stand before
    the users: 1 where pandas wrote its index, too."""
    numbered = 0 if rows.delimiter == PAIR else count_numbered(head.cells)
    if numbered < 2:
        return 0
    shift = len(head.cells) - numbered
    if not shift and all(cell.strip(EDGES).isdecimal() for _, row in data[1:] for cell in row[:2]):
        raise InputError(
            f"{rows.place}:{head.line}: {','.join(head.cells)} may be a header that pandas wrote, or data; delete a "
            "header, or say that it is data: --user 1"
        )
    del data[0]
    return shift


def _cut(text: str, starts: Sequence[int]) -> tuple[str, list[str]]:
    """What stands above the first row of data, and each row, with its lines as they stand; without blank lines."""
    lines = [line if line.endswith(("\n", "\r")) else f"{line}\n" for line in StringIO(text, newline="")]
    ends = [*starts[1:], len(lines) + 1]
    rows = []
    for start, end in zip(starts, ends, strict=True):
        while end > start + 1 and not lines[end - 2].strip():
            end -= 1
        rows.append("".join(lines[start - 1 : end - 1]))
    return "".join(line for line in lines[: starts[0] - 1] if line.strip()), rows


def _find(
    given: str | int | None, names: Sequence[str], usual: Sequence[str], what: str, option: str, place: str
) -> int | None:
    """The column that is named, else one with a usual name; None where there is none."""
    if given is not None and str(given) not in names:
        raise InputError(
            f"{place}: has no column {str(given)!r} (it has {', '.join(names)}); name the {what} column: --{option}"
        )
    return find_column(names, None if given is None else str(given), usual)


def _column_number(given: str | int | None, usual: int | None, width: int, option: str, place: str) -> int | None:
    """The column with the number that is given, from 1, in lines without names."""
    if given is not None and not (str(given).isdecimal() and 1 <= int(given) <= width):
        raise InputError(f"{place}: has {width} columns without names; number one from 1: --{option} {usual or 1}")
    number = usual if given is None else int(given)
    return None if number is None else number - 1


def _seconds(text: str) -> float:
    """A number, or a date as ISO 8601 writes it, as seconds; NaN for anything else."""
    seconds = read_decimal(text)
    if not math.isnan(seconds):
        return seconds
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
