"""How fast is the drop-in for pytrec_eval where calls are small, as in loops of training and of rewards?

python benchmarks/small_calls.py
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytrec_eval
from in_memory import Table
from results import Row
from timing import calls

from gradeval.compat import pytrec_eval as drop_in

THREE = ("map", "ndcg", "P_10")
MANY = (
    "map",
    "ndcg",
    "recip_rank",
    *(
        f"{name}_{place}"
        for name in ("P", "recall", "ndcg_cut", "map_cut")
        for place in (5, 10, 15, 20, 30, 100, 200, 500)
    ),
)
"""35 measures."""


def collection(topics: int, documents: int) -> tuple[dict[str, dict[str, int]], Table]:
    """Judgments of six documents in ten, and a run of all of them."""
    rng = np.random.default_rng(1)
    names = [f"doc-{number:07d}" for number in range(documents)]
    judged = names[: max(1, documents * 6 // 10)]
    qrels = {f"q{topic}": {name: int(rng.integers(0, 3)) for name in judged} for topic in range(topics)}
    run = {f"q{topic}": {name: float(rng.random()) for name in names} for topic in range(topics)}
    return qrels, run


def compare(
    topics: int, documents: int, measures: tuple[str, ...], repeat: int, *, anew: bool
) -> tuple[list[float], list[float]]:
    """Seconds a call, ours and the peer's, after both gave the same values; ``anew``: with an evaluator made for it."""
    qrels, run = collection(topics, documents)

    def caller(package: object) -> Callable[[], dict[str, dict[str, float]]]:
        make = package.RelevanceEvaluator
        evaluator = make(qrels, set(measures))
        return lambda: (make(qrels, set(measures)) if anew else evaluator).evaluate(run)

    ours, theirs = caller(drop_in), caller(pytrec_eval)
    expected = theirs()
    for topic, values in ours().items():
        for name, value in values.items():
            np.testing.assert_allclose(value, expected[topic][name], rtol=0, atol=1e-12)
    mine, other = calls([ours, theirs], repeat=repeat)
    return mine, other


def measure() -> list[Row]:
    """Rows for one topic, and for fifty, with an evaluator made once and made for each call."""
    peer = "pytrec_eval-terrier"
    return [
        Row(
            "drop-in, one topic of 10 documents, 3 measures, evaluator made once",
            *compare(1, 10, THREE, 2000, anew=False),
            peer,
            unit="us",
            as_long=True,
        ),
        Row(
            "the same, evaluator made for each call",
            *compare(1, 10, THREE, 500, anew=True),
            peer,
            unit="us",
            as_long=True,
        ),
        Row(
            "drop-in, 50 topics x 100 documents, 35 measures, evaluator made once",
            *compare(50, 100, MANY, 10, anew=False),
            peer,
            unit="ms",
        ),
        Row("the same, evaluator made for each call", *compare(50, 100, MANY, 10, anew=True), peer, unit="ms"),
    ]


if __name__ == "__main__":
    for row in measure():
        print(row)
