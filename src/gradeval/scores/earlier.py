"""The scores of an earlier evaluation: read from a report, whose page holds them, or from a file of scores."""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from os import PathLike, fspath
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.collection.qrels import Identity
from gradeval.files.source import read_bytes
from gradeval.formula.definition import Measure, values_only
from gradeval.formula.spelling import parse_measure
from gradeval.scores.score_files import read_scores
from gradeval.scores.scores import Scores

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
"""Where a page has its numbers."""


def read_earlier(place: str | PathLike[str]) -> Scores:
    """Scores from a report (.html) or from what ``read_scores`` takes.

    A report holds the values of the runs that it shows, in single precision. Nothing of it is executed.

    Raises
    ------
    InputError : no report with values by topic, or no scores.
    """
    name = fspath(place)
    if not name.lower().endswith((".html", ".htm")):
        return read_scores(name)
    found = DATA.search(bytes(read_bytes(name)).decode("utf-8", "replace"))
    try:
        topics = json.loads(found[1])["topics"] if found else {}
        return _scores_of(topics)
    except (ValueError, KeyError, TypeError, binascii.Error, AttributeError):
        raise InputError(
            f"{name}: is no report with values by topic; give one that gradeval report wrote, or scores: "
            "gradeval evaluate -q -o before.parquet"
        ) from None


def _scores_of(topics: dict[str, Any]) -> Scores:
    named = "ids" if "ids" in topics else "topics"  # beside texts topics go by labels
    runs, names, measures = (list(map(str, topics[key])) for key in ("runs", named, "measures"))
    values = np.frombuffer(b64decode(topics["values"], validate=True), "<f4").astype(float)
    values = np.moveaxis(values.reshape(len(measures), len(runs), len(names)), 0, 2)
    if not np.isfinite(values).all() or not (runs and names and measures):
        raise ValueError
    return Scores(
        values=values,
        present=np.ones(values.shape[:2], bool),
        vacant=np.zeros(values.shape[1:], bool),
        runs=runs,
        topics=names,
        measures=[_earlier_measure(name) for name in measures],
        collection=Identity.from_digest(str(topics["judgments"])) if topics.get("judgments") else None,
    )


def _earlier_measure(name: str) -> Measure:
    """The measure that is spelled so, or one of which only the values are known."""
    try:
        return parse_measure(name)
    except InputError:
        return values_only(name)
