"""Parquet: the scores as ``Scores.load`` reads them back."""

from __future__ import annotations

from typing import IO

from gradeval.formats.frames.parquet import write_parquet
from gradeval.formats.frames.scores import to_table
from gradeval.tables.format import binary_format
from gradeval.tables.result import Result


@binary_format(".parquet", intervals=False)
def parquet(result: Result, file: IO[bytes]) -> None:
    """All values of all topics, exact: ``Scores.load`` makes means and intervals from them."""
    write_parquet(to_table(result.scores), file)
