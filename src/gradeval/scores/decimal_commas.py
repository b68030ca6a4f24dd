"""Decimal commas in tables whose cells stand between semicolons, as R's write.csv2 and Excel write them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gradeval.scores.task_columns import is_blank

NUMBER = re.compile(r"\s*[-+]?\d*(,\d+)?([eE][-+]?\d+)?%?\s*")
"""A number without a point."""


def with_points(rows: Sequence[tuple[str, Sequence[str]]], kept: Collection[str]) -> list[tuple[str, Sequence[str]]]:
    """The rows, with points in the columns of numbers with commas; columns called as in ``kept`` stay as they are."""
    heads = rows[0][1]
    columns = [
        at
        for at, head in enumerate(heads)
        if head.strip().lower() not in kept and _has_commas([row[at] for _, row in rows[1:] if at < len(row)])
    ]
    if not columns:
        return list(rows)
    changed = [
        (where, [cell.replace(",", ".") if at in columns else cell for at, cell in enumerate(row)])
        for where, row in rows[1:]
    ]
    return [rows[0], *changed]


def _has_commas(cells: Sequence[str]) -> bool:
    """Are these numbers without a point, some with a comma?"""
    there = [cell for cell in cells if not is_blank(cell)]
    return any("," in cell for cell in there) and all(map(NUMBER.fullmatch, there))
