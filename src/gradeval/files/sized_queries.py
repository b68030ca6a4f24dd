"""Tables of features whose queries are told by their sizes in a file next to them, as LightGBM and XGBoost have it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.features.features import Features
from gradeval.files.arrow_columns import is_text, read_numbers
from gradeval.files.feature_columns import usual_columns
from gradeval.files.letor import find_sizes_file, read_sizes
from gradeval.files.plain_text import read_decimal
from gradeval.files.source import Source
from gradeval.formula.arithmetic import Array
from gradeval.warning_categories import UnusedFilesWarning, warn

if TYPE_CHECKING:
    import pyarrow

QUERY = "query_id"
"""What the column of the queries is called that the sizes make."""


def holds_numbers(cells: Sequence[str]) -> bool:
    """Are these numbers or empty, and so a row of data, rather than names?"""
    words = [cell.strip().strip('"') for cell in cells]
    return not math.isnan(read_decimal(words[0])) and all(
        word.lower() in ("", "nan", "na") or not math.isnan(read_decimal(word)) for word in words
    )


@dataclass(frozen=True, eq=False)
class SizedQueries:
    """The number of rows of each query of a table.

    Attributes
    ----------
    place : the file that has the sizes.
    sizes : int64[query].
    source : the table.
    """

    place: str
    sizes: Array
    source: Source

    @classmethod
    def beside(cls, path: Path, source: Source) -> Self | None:
        """The sizes in FILE.query or FILE.group; None: neither is there."""
        place = find_sizes_file(os.fspath(path))
        return None if place is None else cls(place, read_sizes(place), source)

    def read_headless(self, table: pyarrow.Table, place: str) -> Features:
        """Features of a table without a line of names: first the grade, then features 1, 2 ..."""
        self._require_rows(table)
        columns = []
        for number, column in enumerate(table.columns, 1):
            if is_text(column):
                words = [word for word in column.to_pylist() if word and math.isnan(read_decimal(word))]
                word = f"{words[0]!r}" if words else "text"
                raise InputError(
                    f"{place}: column {number} holds {word}; without a line of names all cells are numbers; write one"
                )
            columns.append(read_numbers(column, str(number), place))
        if len(columns) < 2:
            raise InputError(f"{place}: has one column; without a line of names the grade and features are expected")
        if np.isnan(columns[0]).any():
            row = int(np.argmax(np.isnan(columns[0]))) + 1
            raise InputError(f"{place}: the grade of row {row} is missing; fill it, or drop the row")
        return Features.from_arrays(np.column_stack(columns[1:]), columns[0], sizes=self.sizes, name=place)

    def name_queries(self, table: pyarrow.Table, named: str | None) -> tuple[pyarrow.Table, bool]:
        """The table with the queries 1, 2 ... in a column, and True; False where it has one: the sizes are then not
        used, as a warning says. ``named``: the column of the queries as the user names it."""
        import pyarrow

        query = named if named in table.column_names else usual_columns(table.schema)[0]
        if query is not None:
            warn(f"{self.place} is not used: column {query!r} has the queries", UnusedFilesWarning)
            return table, False
        self._require_rows(table)
        queries = np.repeat(np.arange(1, len(self.sizes) + 1), self.sizes)
        return table.append_column(QUERY, pyarrow.array(queries)), True

    def _require_rows(self, table: pyarrow.Table) -> None:
        if len(table) != self.sizes.sum():
            raise InputError(
                f"{self.place}: the sizes of the queries add up to {self.sizes.sum()}, and {self.source.place} has "
                f"{len(table)} rows; give the number of rows of each query"
            )
