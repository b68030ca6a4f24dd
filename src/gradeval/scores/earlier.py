"""The scores of an earlier evaluation: read from a report, whose page holds them, or from a file of scores."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from gzip import decompress
from os import PathLike, fspath
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.collection.qrels import Identity
from gradeval.files.source import read_bytes
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure, values_only
from gradeval.formula.spelling import parse_measure
from gradeval.scores.score_files import read_scores
from gradeval.scores.scores import Scores

DATA = re.compile(r'<script type="text/plain" id="data">(.*?)</script>', re.DOTALL)
"""Where a page has its numbers: JSON, packed by gzip, in base64."""

WRONG = (ValueError, LookupError, TypeError, AttributeError, StopIteration, OSError, EOFError, zlib.error)
"""What is raised where the numbers of a page are none."""


def read_earlier(place: str | PathLike[str]) -> Scores:
    """Scores from a report (.html) or from what ``read_scores`` takes.

    A report holds the values of the runs that it shows, in single precision where its sliders lack them. Its scripts do
    not run.

    Raises
    ------
    InputError : no report with values by topic, or no scores.
    """
    name = fspath(place)
    if not name.lower().endswith((".html", ".htm")):
        return read_scores(name)
    found = DATA.search(bytes(read_bytes(name)).decode("utf-8", "replace"))
    try:
        return _scores_of(json.loads(decompress(b64decode(found[1], validate=True))) if found else {})
    except WRONG:
        raise InputError(
            f"{name}: has no values by topic; give a page that gradeval report wrote (of one run write it anew), "
            "or scores: gradeval evaluate -q -o before.parquet"
        ) from None


def _scores_of(page: dict[str, Any]) -> Scores:
    topics = page["topics"]
    named = "ids" if "ids" in topics else "topics"  # with texts, topics show labels
    runs, names, measures = (list(map(str, topics[key])) for key in ("runs", named, "measures"))
    stored = iter(_numbers(topics["values"], "<f4").reshape(-1, len(runs), len(names)))
    by_measure = [
        next(stored) if by is None else _computed(page["users"], by, runs).reshape(len(runs), len(names))
        for by in topics["computed"]
    ]
    values = np.stack(by_measure, axis=-1)
    kept = topics if "present" in topics else page.get("users")  # where pages of earlier versions have it, if anywhere
    policies: dict[str, Any] = {} if kept is None else {name: kept[name] for name in ("missing", "empty")}
    if not np.isfinite(values).all() or not (runs and names and measures):
        raise ValueError
    return Scores(
        values=values,
        present=np.ones(values.shape[:2], bool) if kept is None else _present(kept, runs, len(names)),
        vacant=np.zeros(values.shape[1:], bool),
        runs=runs,
        topics=names,
        measures=[_earlier_measure(name) for name in measures],
        **policies,
        collection=Identity.from_digest(str(topics["judgments"])) if topics.get("judgments") else None,
    )


def _present(kept: dict[str, Any], runs: list[str], topics: int) -> Array:
    """bool[run, topic]: which runs return something for which topics."""
    present = _numbers(kept["present"], "<u1").reshape(-1, topics).astype(bool)
    return present[[kept["runs"].index(run) for run in runs]]


def _computed(users: dict[str, Any], by: dict[str, Any], runs: list[str]) -> Array:
    """float64[run, topic]: the values that the page computes of the numbers of its sliders."""
    form, weights = users["forms"][by["form"]], np.array(by["weights"], float)
    arrays = [_numbers(text, "<f8").reshape(-1, len(weights)) for text in users["arrays"]]
    under = np.ones(int(users["topics"])) if form["under"] is None else arrays[form["under"]] @ weights
    over = arrays[form["over"]].reshape(-1, len(under), len(weights))
    over = over if form["times"] is None else over * arrays[form["times"]]
    return ratio(over @ weights, np.broadcast_to(under, over.shape[:2]))[[users["runs"].index(run) for run in runs]]


def _numbers(text: str, kind: str) -> Array:
    """Numbers of a page, which has their bytes in base64."""
    return np.frombuffer(b64decode(text, validate=True), kind).astype(float)


def _earlier_measure(name: str) -> Measure:
    """The measure of this spelling, or one of which only the values are known."""
    try:
        return parse_measure(name)
    except InputError:
        return values_only(name)
