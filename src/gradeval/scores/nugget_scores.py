"""Scores of answers by their nuggets, as AutoNuggetizer assigns them or averages them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradeval._core import InputError

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""How much an answer says of a nugget; strict scores count the first alone."""
NAMES = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")


def has_nuggets(record: Any) -> bool:
    """Is it a record of AutoNuggetizer: nuggets with what an answer says of them, or their scores?"""
    return isinstance(record, dict) and "qid" in record and ("nuggets" in record or NAMES[0] in record)


def read_nugget_scores(record: Any, run: str, where: str) -> Iterator[tuple[tuple[str, str, str], Any]]:
    """The scores of an answer, by run, topic and measure; ``run``: what it is called where the record does not say.

    The line of the means (topic "all") has none.
    """
    topic, run = str(record["qid"]), str(record.get("run_id", run))
    if topic == "all":
        return
    scores = _average(record["nuggets"], where) if "nuggets" in record else record
    for name in NAMES:
        if name not in scores:
            raise InputError(f"{where}: has no {name}; scores of nuggets are {', '.join(NAMES)}")
        yield (run, topic, name), scores[name]


def _average(nuggets: Any, where: str) -> dict[str, float]:
    """The means over the vital nuggets and over all; 0 where there are none."""
    if not isinstance(nuggets, list):
        raise InputError(f"{where}: nuggets are no list")
    values: dict[str, list[float]] = {"vital": [], "all": []}
    for nugget in nuggets:
        fields = nugget if isinstance(nugget, dict) else {}
        assigned, importance = fields.get("assignment"), fields.get("importance")
        if assigned not in SUPPORT or importance not in ("vital", "okay"):
            raise InputError(
                f"{where}: a nugget is {importance!r} and {assigned!r}; accepted are vital or okay, and "
                f"{', '.join(SUPPORT)}"
            )
        for kind in ("all", *([importance] if importance == "vital" else [])):
            values[kind].append(SUPPORT[assigned])
    return {
        f"{strict}{kind}_score": sum(value == 1 if strict else value for value in known) / max(1, len(known))
        for strict in ("strict_", "")
        for kind, known in values.items()
    }
