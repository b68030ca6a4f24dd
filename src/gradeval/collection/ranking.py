"""The documents of a run in the order in which they are judged."""

from __future__ import annotations

import numpy as np

from gradeval.collection.meeting import Ties
from gradeval.collection.runs import Run


def ranked(run: Run, topic: str, ties: Ties = "docid", depth: int | None = None) -> list[str]:
    """The documents of a topic, best first: score descending, ties by document id descending or as given.

    >>> ranked(Run.from_dict({"1": {"a": 1.0, "b": 2.0, "c": 1.0}}), "1")
    ['b', 'c', 'a']
    """
    scores = run.of(topic)
    single = ties == "docid-float32"
    keyed = {document: float(np.float32(score)) if single else score for document, score in scores.items()}
    documents = list(keyed)
    if ties != "order":
        documents.sort(key=lambda document: document.encode("utf-8", "surrogateescape"), reverse=True)
    documents.sort(key=keyed.__getitem__, reverse=True)  # stable, so that equal scores keep their order
    return documents[:depth]
