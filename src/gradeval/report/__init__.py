"""Results as text and files: shows, never computes. A new format is a decorated function in a module here."""

# isort: off
# The order in which the formats are listed.
from gradeval.report import table, long, markup, trec, parquet

# isort: on
from gradeval.report.format import FORMATS, Format
from gradeval.report.grid import Grid, grid
from gradeval.report.result import Result
from gradeval.report.table import show

__all__ = [
    "FORMATS",
    "Format",
    "Grid",
    "Result",
    "grid",
    "long",
    "markup",
    "parquet",
    "show",
    "table",
    "trec",
]
