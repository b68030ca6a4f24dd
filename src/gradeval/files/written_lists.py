"""Lists, tuples and sets in cells, as Python, NumPy and JSON write them; nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from gradeval._core import InputError
from gradeval.files.plain_text import quote

LIST = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)
TUPLE = re.compile(r"""\s*\((\s*|\s*['"].*|\s*[^\s'"(,]+\s*,[^'"(]*)\)\s*""", re.DOTALL)
"""Parentheses around quotes or commas: other text has them, too."""
SET = re.compile(r"\s*(?:(?:frozenset|set)\s*\(\s*\{(.*)\}\s*\)|\{(.*)\})\s*", re.DOTALL)
NO_SET = re.compile(r"\s*(?:frozenset|set)\s*\(\s*\)\s*")
"""How Python writes an empty set."""
MAPPING = re.compile(r"""\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*:|\s*[^\s'":,]+\s*:\s""")
"""How the inside of an object or of a dictionary begins, which is no set."""
ITEM = re.compile(r"""\s*(?:'([^'\\]*)'|"([^"\\]*)"|([^\s,'"()\[\]{}\\]+))\s*(?:,|(?=\s|$))""")
"""An id of a list as Python, NumPy or JSON write it; none with an escape."""

PART = re.compile(r"""[^,'"()\[\]{}\\]+""")
"""An id without quotes between commas, in which blanks may be."""

WORDS = r"[^][\s'\"]+"
"""What stands between the quotes, brackets and blanks of a list."""


def inside_of_list(cell: str) -> str | None:
    """What stands within the signs around a written list, tuple or set; None: the cell is none."""
    found = LIST.fullmatch(cell) or TUPLE.fullmatch(cell)
    return found[1] if found is not None else _inside_of_set(cell)


def _inside_of_set(cell: str) -> str | None:
    """What stands within the braces of a set; None: it is no set."""
    if NO_SET.fullmatch(cell):
        return ""
    found = SET.fullmatch(cell)
    inside = None if found is None else found[found.lastindex or 0]
    return None if inside is None or MAPPING.match(inside) else inside


def is_written(cell: str) -> bool:
    """Is it a list, a tuple or a set as Python or JSON write them?"""
    return inside_of_list(cell) is not None


def lists_in_pandas(column: str, cells: Sequence[Any]) -> str:
    """How to make lists of a column of lists that Python or JSON wrote as text, or NumPy, without commas."""
    held = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
    if any("," not in inside and len(inside.split()) > 1 for inside in map(inside_of_list, held) if inside):
        return f"{column}.str.findall({WORDS!r})"
    missing = ", na_action='ignore'" if len(held) < len(cells) else ""
    return f"{column}.map(ast.literal_eval{missing}), after import ast"


def refuse_sets(cells: Iterable[tuple[str, str]]) -> None:
    """Refuse sets, each with its place, as what a run retrieved in an order."""
    for where, cell in cells:
        if _inside_of_set(cell) is not None:
            raise InputError(f"{where}: a set has no order, and a run needs ranks; write lists, as ['d1', 'd2']")


def have_commas(cells: Iterable[str]) -> bool:
    """Do commas separate the ids of written lists without quotes? Blanks of that column are within ids."""
    insides = (inside for cell in cells if (inside := inside_of_list(cell)) is not None)
    return any("," in inside and not _has_quotes(inside) for inside in insides)


def _has_quotes(inside: str) -> bool:
    return "'" in inside or '"' in inside


def ids_of_written(inside: str, where: str, *, commas: bool = False) -> list[str]:
    """The ids within a written list, in order; ``commas``: do these alone separate ids without quotes?"""
    ids, at = list[str](), 0
    signs = set[bool]()
    inside = inside.strip()
    if commas and not _has_quotes(inside):
        parts = [part for one in inside.split(",") if (part := " ".join(one.split()))]
        if all(PART.fullmatch(part) and "..." not in part.split() for part in parts):
            return parts
    while at < len(inside):
        item = ITEM.match(inside, at)
        if item is None or item[3] == "...":  # which NumPy writes for the middle of a long array
            wrong = quote(inside[at : at + 20])
            raise InputError(f"{where}: {wrong} is no id of a list; write ids between blanks, or ['d1', 'd2']")
        ids.append(next(part for part in item.groups() if part is not None))
        at = item.end()
        signs |= {item[0].endswith(",")} if at < len(inside) else set()
        if len(signs) > 1:  # as ['a', b c], where the blank may be within an id
            between = f"{where}: {quote(item[0].strip())} stands in a list with commas and blanks between ids"
            raise InputError(f"{between}; write commas and quotes around each id, as ['d1', 'd2']")
    return ids
