"""Results as text and files: shows, never computes. A new format is a decorated function in a module here."""

# isort: off
# The order in which the formats are listed.
from gradeval.tables import table
from gradeval.tables import long
from gradeval.tables import markup
from gradeval.tables import trec_eval
from gradeval.tables import parquet

# isort: on
from gradeval.tables.format import FORMATS, Format
from gradeval.tables.grid import Grid, grid
from gradeval.tables.result import Result
from gradeval.tables.table import show

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
    "trec_eval",
]
