"""Bytes of a text file as text; how its columns write numbers and ids; and texts as messages show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import isfinite, nan
from numbers import Integral, Real
from typing import TypeAlias

from gradeval._core import ONCE_IN_QRELS, ONCE_IN_RUN, InputError
from gradeval.files.column_names import TIMES, InputKind, normal_name
from gradeval.files.source import UTF_16, Buffer, recode
from gradeval.messages import visible
from gradeval.warning_categories import EncodingGuessWarning, warn

ValuesByTopic: TypeAlias = dict[str, dict[str, float]]
"""Grades or scores by topic and document."""
PairsByTopic: TypeAlias = dict[str, dict[str, float]]
"""The same, where the numbers say nothing."""
RanksByTopic: TypeAlias = dict[str, list[float]]

SIGNS = "|;,"
"""What stands between the ids of a list in a cell."""
EDGES = " \t\r\n"
"""What stands around ids and cells, and belongs to none: no other blanks, which ids may hold, as in TREC text."""
LONGEST = 60  # characters of a text that a message repeats


def decode(data: Buffer, place: str) -> str:
    """The text of a file, without a byte order mark; binary data are errors.

    What is not UTF-8 is read as cp1252, as programs of Windows write western languages, with an EncodingGuessWarning
    that quotes the first such word; an error where a byte has no meaning there, or where other lines are UTF-8.
    """
    if data[:4] == b"PK\x03\x04":
        raise InputError(f"{place}: this is a zip archive, such as an Excel workbook; save it as csv")
    if data.startswith(UTF_16):
        data = recode(data, "utf-16", place)
    if (at := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, at) + 1
        what = "this is not a text file"
        if not all(data[:2]) and any(data[:2]):  # a mark tells which of both bytes comes first, and there is none
            order = "LE" if data[0] else "BE"
            what = (
                f"this looks like UTF-16; save it as UTF-8: iconv -f UTF-16{order} -t utf-8 FILE > NEW. "
                f"For all files name the encoding: --encoding utf-16-{order.lower()}, or encoding= in Python"
            )
        raise InputError(f"{place}:{line}: control byte '\\x00' found; {what}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start
    line = data.count(b"\n", 0, at) + 1
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise InputError(
            f"{place}:{line}: is not valid UTF-8 (byte {data[at]:#04x}); convert it (iconv -f ENCODING -t utf-8), or "
            "name the encoding of all files: --encoding, encoding="
        ) from None
    if other := _find_utf8(data):
        raise InputError(
            f"{place}:{line}: is not UTF-8, and line {other} is; write all lines in one encoding, or name it: "
            "--encoding, or encoding= in Python"
        )
    word = next(one for one in WORD.finditer(text) if one.end() > at)[0]
    warn(
        f"{place}:{line}: is not UTF-8 and read as cp1252, as in {quote(word)}; if that is wrong, save it as UTF-8: "
        "iconv -f ENCODING -t utf-8 FILE > NEW; or name the encoding of all files: --encoding, encoding=",
        EncodingGuessWarning,
    )
    return text


def _find_utf8(data: Buffer) -> int:
    """The first line, from 1, that has letters beyond ASCII and is UTF-8; 0: none."""
    for number, line in enumerate(bytes(data).split(b"\n"), 1):
        if not line.isascii():
            with suppress(UnicodeDecodeError):
                line.decode()
                return number
    return 0


WORD = re.compile(r"[^\s,;]+")
COLUMN = re.compile(r"[^ \t]+")


def split_columns(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of a text that are not blank, each with its number, as their columns between blanks or tabs.

    Nothing else ends a line or a column, as in TREC text: splitlines() and split() would cut an id with U+2028.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if columns := COLUMN.findall(line.removesuffix("\r")):
            yield number, columns


def quote(text: str) -> str:
    """A text in quotes, cut where it is long, without control characters."""
    return f"'{visible(text if len(text) <= LONGEST else text[:LONGEST] + '...')}'"


def count_columns(number: int) -> str:
    """A number of columns: 1 column, 2 columns."""
    return "1 column" if number == 1 else f"{number} columns"


def read_id(value: object, what: str, where: str) -> str:
    """The id in a value of JSON: text, without the blanks around it, as in csv, or a whole number; ``what`` it is the
    id of."""
    identifier = str(value).strip(EDGES)
    if isinstance(value, bool) or not isinstance(value, str | Integral) or not identifier:
        whole = isinstance(value, float) and value.is_integer()
        how = f": write {value:.0f}, in Python int({value}), of an array ids.astype(int)" if whole else ""
        if hasattr(value, "tolist") and isinstance(value.tolist(), str | int):
            how = "; of a tensor or an array give ids.tolist()"
        raise InputError(f"{where}: {what} {quote(str(value))} is not an id; ids are text or whole numbers{how}")
    return identifier


def read_number(value: object, name: str, where: str) -> float:
    """The finite number in a value of JSON, a number or its text; ``name``: what it is called there."""
    text = "" if isinstance(value, bool | dict | list) else str(value)
    number = read_decimal(text)
    if number != number:
        raise InputError(f"{where}: {name} {quote(str(value))} is not a finite number; write it as in 2 or 0.5")
    return number


DECIMAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def read_decimal(text: str) -> float:
    """The number that a text of a file is, as the core reads it in TREC text; NaN for others and for infinite ones.

    Python alone would take 1_0 for 10, and digits of other scripts.
    """
    try:
        value = float(text)
    except ValueError:
        return nan
    plain = text.isascii() and text.isprintable() and "_" not in text  # nearly all, and sooner said than matched
    return value if isfinite(value) and (plain or DECIMAL.fullmatch(text.strip(EDGES))) else nan


HIGHEST_RANK = 2**53


def read_rank(value: object) -> float:
    """A rank that stands with a score, a number or its text; NaN for others, also for true and false."""
    number = read_decimal(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, Real):
        from decimal import Decimal  # here, as only databases give it

        if not isinstance(number, Decimal):
            return nan
    try:
        rank = float(number)
    except OverflowError:
        return nan
    return rank if abs(rank) < HIGHEST_RANK else nan


ONCE: dict[InputKind, str] = {"qrels": ONCE_IN_QRELS, "run": ONCE_IN_RUN}
"""What to do about a document that comes twice in a topic."""


SHORTENED_BY_EXCEL = re.compile(r"\d+([.,]\d+)?[eE]\+\d+")
"""What Excel makes of long numbers, as 4,00638E+12."""


def tell_shortened(identifier: str) -> str:
    """What happened to an id that Excel shortened, so that it names several, and what to do; empty: it is none."""
    if not SHORTENED_BY_EXCEL.fullmatch(identifier.strip()):
        return ""
    return (
        "lost its last digits, as Excel shortens long numbers; export the table again, and open it in no spreadsheet, "
        "or import the column there as Text"
    )


def split_by_raters(column: str) -> str:
    """How to write a file for each rater, whom a column names; nothing where it holds times."""
    if normal_name(column) in TIMES:
        return ""
    return (
        f"; in pandas: for name, rows in df.groupby({column!r}): rows.to_csv(f'{{name}}.csv', index=False); "
        f"for judges() in Python: raters = dict(list(df.groupby({column!r})))"
    )


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
