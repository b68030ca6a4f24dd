"""Frames in all forms in which a user may have them; lines that a column tells apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}}
FORMATS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, place: frame.to_csv(place, index=False),
    "tsv": lambda frame, place: frame.to_csv(place, index=False, sep="\t"),
    "semicolons": lambda frame, place: frame.to_csv(place, index=False, sep=";"),
    "jsonl": lambda frame, place: frame.to_json(place, orient="records", lines=True),
    "json": lambda frame, place: frame.to_json(place, orient="records"),
    "parquet": lambda frame, place: frame.to_parquet(place),
    "categories": lambda frame, place: frame.astype({frame.columns[-1]: "category"}).to_parquet(place),
    "frame": lambda frame, _: frame,
    "records": lambda frame, _: frame.to_dict("records"),
    "objects": lambda frame, _: [
        SimpleNamespace(**{frame.columns[-1]: row[-1]}, query_id=row[0], doc_id=row[1], score=row[2])
        for row in frame.values.tolist()
    ],
}


def as_given(form: str, column: str, names: list[Any], tmp_path: Path) -> Any:
    """Four lines of a run, of which the last two have a document and topic of the first ones; a name in each."""
    lines = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d1", 1.5), ("q2", "d2", 1.0)]
    if len(set(filter(None, names))) > 1:
        lines[3] = lines[0]
    frame = pd.DataFrame(lines, columns=["query_id", "doc_id", "score"]).assign(**{column: names})
    place = tmp_path / "lines"
    given = FORMATS[form](frame, place)
    return place if given is None else given
