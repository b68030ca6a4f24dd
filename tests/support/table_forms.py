"""One table in all forms in which a user may have it: text, JSON, files of columns, frames and records."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, parquet

from gradeval import qrels_from_frame, read_qrels
from gradeval.collection.qrels import Qrels, RepeatedGrades
from gradeval.files.accepted import as_qrels

TEXTS = {"csv": ",", "tsv": "\t", "semicolons": ";"}
FILES = [*TEXTS, "lines", "array", "parquet", "feather"]
TABLE_FORMS = [*FILES, "pandas", "polars", "pyarrow", "columns", "records"]


class ReadJudgments(NamedTuple):
    """Judgments, and what is said of them: how they were read, and warnings."""

    qrels: Qrels
    said: str


def read_table(
    form: str, table: Mapping[str, Sequence[Any]], folder: Path, repeated: RepeatedGrades | None = None
) -> ReadJudgments:
    """The judgments of a table, given by its columns; None is an empty cell."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        place = None if form not in FILES else write_table(form, table, folder / f"table.{form}")
        if place is not None:
            qrels = read_qrels(place, repeated=repeated)
        elif form == "columns":
            qrels = qrels_from_frame(dict(table), repeated=repeated)
        else:
            qrels = as_qrels(give_table(form, table), repeated=repeated)
    return ReadJudgments(qrels, " | ".join([qrels.read_as, *(str(one.message) for one in warned)]))


def write_table(form: str, table: Mapping[str, Sequence[Any]], place: Path) -> Path:
    """A file with the table in one of ``FILES``."""
    if form in TEXTS:
        text = io.StringIO()
        rows = zip(*table.values(), strict=True)
        csv.writer(text, delimiter=TEXTS[form], lineterminator="\n").writerows([[*table], *rows])
        place.write_text(text.getvalue())
    elif form == "lines":
        place.write_text("".join(json.dumps(record) + "\n" for record in records_of(table)))
    elif form == "array":
        place.write_text(json.dumps(records_of(table)))
    else:
        (parquet.write_table if form == "parquet" else feather.write_feather)(pa.table(dict(table)), place)
    return place


def give_table(form: str, table: Mapping[str, Sequence[Any]]) -> Any:
    """The table as an object of Python."""
    match form:
        case "pandas":
            return pd.DataFrame(table)
        case "polars":
            return pl.DataFrame(table, strict=False)
        case "pyarrow":
            return pa.table(dict(table))
    return records_of(table)


def records_of(table: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The rows as records."""
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
