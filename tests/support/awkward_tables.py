"""Tables whose names are hard to write, and what no format may let through."""

from __future__ import annotations

import io
import re

import numpy as np

from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Table

AWKWARD = [
    "plain",
    "a_b",
    "50%",
    "A & B",
    "x|y",
    "C:\\runs",
    'say "hi", twice',
    "*star*",
    "tab\there",
    "line\nbreak",
    "日本語",
]
HOSTILE = ["\x1b[2J", "a\nb", "\x7f", "\x9b31m", "\u202eevil", "x\u2066y", "p\u2028q", "\ud800"]
"""An escape sequence, a line break, DEL, C1, bidirectional controls, a line separator, half of a character."""
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def table(names: list[str]) -> Table:
    """Names and a number each: 0, 1/7, 2/7 ..."""
    values = [place / 7 for place in range(len(names))]
    grid = Grid([Column("run", "name"), Column("AP", spec=".4f")], list(zip(names, values, strict=True)))
    return Table([grid], Records({"run": Coded(names, np.arange(len(names))), "value": np.array(values)}))


def written(name: str, shown: Table) -> str:
    file = io.BytesIO()
    shown.write(file, name)
    return file.getvalue().decode()
