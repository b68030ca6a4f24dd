"""The documents of a run in the order in which they are judged."""

from __future__ import annotations

from operator import itemgetter

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import SHARED, Ties
from gradeval.collection.runs import Run


def ranked(run: Run, topic: str, ties: Ties = "docid", depth: int | None = None) -> list[str]:
    """The documents of a topic, best first: score descending, ties by document id descending or as given.

    >>> ranked(Run.from_dict({"1": {"a": 1.0, "b": 2.0, "c": 1.0}}), "1")
    ['b', 'c', 'a']
    """
    if ties in SHARED:
        raise InputError(f"ties={ties!r} gives the documents of a run no order by itself: give 'docid' or 'order'")
    given = run.of(topic)
    scores = np.fromiter(given.values(), float, len(given))
    if ties == "docid-float32":
        scores = scores.astype(np.float32).astype(float)
    kept = np.arange(len(scores))
    if depth is not None and depth < len(scores):  # only what can be among the first is sorted
        kept = np.flatnonzero(scores >= np.partition(scores, -depth)[-depth])
    names = list(given)
    lines = [(float(scores[place]), names[place]) for place in kept.tolist()]
    if ties != "order" and len({score for score, _ in lines}) < len(lines):
        lines.sort(key=lambda line: line[1].encode("utf-8", "surrogateescape"), reverse=True)
    lines.sort(key=itemgetter(0), reverse=True)  # stable: equal scores keep their order
    return [document for _, document in lines[:depth]]
