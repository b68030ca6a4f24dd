"""How does the time of expected values grow with the documents that share a score? Four times as many, twice.

python benchmarks/ties.py
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from results import Row
from timing import calls

import gradeval

MEASURES = "AP nDCG@10 RR P@10 ERR@20 GAP RBP Q"
SIZES = (1000, 4000, 16_000)


def collection(documents: int, topics: int = 4) -> tuple[gradeval.Qrels, gradeval.Run]:
    """Judgments of all documents of some topics, and a run in which all of them share one score."""
    rng = np.random.default_rng(1)
    names = [f"d{number}" for number in range(documents)]
    grades = rng.integers(0, 4, (topics, documents)).tolist()
    qrels = {str(topic): dict(zip(names, row, strict=True)) for topic, row in enumerate(grades)}
    return gradeval.Qrels.from_dict(qrels), gradeval.Run.from_dict(
        {topic: dict.fromkeys(names, 1.0) for topic in qrels}
    )


def require_expected(qrels: gradeval.Qrels, run: gradeval.Run) -> None:
    """Stop unless the reciprocal rank is its expected value: c relevant ones of n at ranks drawn without order."""
    found = gradeval.evaluate(qrels, run, "RR", ties="expected").values[0, :, 0]
    for topic, value in zip(qrels.topics, found.tolist(), strict=True):
        grades = qrels.of(topic).values()
        n, c = len(grades), sum(grade > 0 for grade in grades)
        absent, expected = 1.0, 0.0  # no relevant one above, and the sum over the ranks of the first one
        for rank in range(1, n - c + 2):
            share = c / (n - rank + 1)
            expected += absent * share / rank
            absent *= 1 - share
        if not math.isclose(value, expected, rel_tol=1e-12):
            raise SystemExit(f"{n} tied documents: {value} against {expected}")


def measure() -> list[Row]:
    """A row for each size but the first, against the one before it."""
    made = [collection(size) for size in SIZES]
    for qrels, run in made:
        require_expected(qrels, run)
    times = calls([partial(gradeval.evaluate, *each, MEASURES, ties="expected") for each in made])
    return [
        Row(
            f"expected values, 4 topics of {size:,} tied documents, 8 measures",
            mine,
            other,
            f"the same of {before:,} documents",
            unit="ms",
            as_long=True,
        )
        for size, before, mine, other in zip(SIZES[1:], SIZES, times[1:], times, strict=False)
    ]


if __name__ == "__main__":
    for row in measure():
        print(row)
