"""Runs whose documents look like the columns of a matrix, as models of recommenders give them, where the judgments have
ids of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array
from gradeval.scores.alike_ids import FEW_JUDGED, MOST_LINES
from gradeval.scores.coverage import Coverage
from gradeval.scores.scores import Scores

MOST_TOPICS = 100
"""Topics whose documents are looked at."""
FEWEST = 20
"""Documents by which columns can be told from ids."""
MOST_KNOWN, BEYOND = 0.5, 0.5
"""The share of these documents that judgments may know, and of judged documents with higher numbers."""
FROM_ZERO = 20
"""How many times the lowest number the highest one is at least."""


def about_column_numbers(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> Iterator[str]:
    """That almost no document of a run is judged, as its documents are low numbers, and the judged ones are higher.

    It looks at runs of which almost nothing is judged.
    """
    for place, share in enumerate(coverage.unjudged_share.tolist()):
        if share >= FEW_JUDGED:
            retrieved = coverage.retrieved[place]
            yield from say_column_numbers(scores.runs[place], runs[place], qrels, scores.topics, retrieved)


def say_column_numbers(name: str, run: Run, qrels: Qrels, topics: Sequence[str], retrieved: Array) -> Iterator[str]:
    """Say so of a run of which almost nothing is judged; ``retrieved``: int64[topic], how many documents it returns."""
    if retrieved.sum() > MOST_LINES or not all(map(_is_number, qrels.of(qrels.topics[0]))):
        return
    judged = {document for topic in qrels.topics[:MOST_TOPICS] for document in qrels.of(topic)}
    there = [topics[place] for place in np.flatnonzero(retrieved)[:MOST_TOPICS].tolist()]
    ranked = {document for topic in there for document in run.of(topic)}
    if len(ranked) < FEWEST or not all(map(_is_number, judged | ranked)):
        return
    lowest, highest = min(map(int, ranked)), max(map(int, ranked))
    beyond = [document for document in judged if int(document) > highest]
    few = len(ranked & judged) <= MOST_KNOWN * len(ranked)
    if few and len(beyond) >= BEYOND * len(judged) and lowest * FROM_ZERO <= highest:
        yield (
            f"{name}: almost no document is judged: ids go from {lowest} to {highest}, and most "
            f"judged ids are higher, as {min(beyond, key=int)}; if documents are columns of a "
            "matrix, give items[ids]"
        )


def _is_number(one: str) -> bool:
    return one.isascii() and one.isdecimal() and len(one) < 19
