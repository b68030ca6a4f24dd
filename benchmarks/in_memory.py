"""How fast is scoring from Python dicts: many topics at once, and one topic in a loop, as in training?

python benchmarks/in_memory.py
"""

from __future__ import annotations

import numpy as np
import pytrec_eval
from results import Row
from timing import calls

import gradeval

MEASURES = "AP nDCG@10 P@10"
PEER = ("map", "ndcg_cut_10", "P_10")

Table = dict[str, dict[str, float]]


def collection(topics: int, depth: int, seed: int = 1) -> tuple[dict[str, dict[str, int]], Table]:
    """Judgments and a run as dicts; about a tenth of the documents are judged. Scores are distinct."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for topic in range(topics):
        documents = [f"doc-{number:07d}" for number in rng.choice(10_000_000, depth, replace=False)]
        scores = rng.permutation(depth) / depth
        run[f"q{topic}"] = dict(zip(documents, scores.tolist(), strict=True))
        judged = rng.choice(documents, max(3, depth // 10), replace=False)
        qrels[f"q{topic}"] = {str(document): int(rng.integers(0, 4)) for document in judged}
    return qrels, run


def compare(topics: int, depth: int, repeat: int) -> tuple[list[float], list[float]]:
    """Seconds a call, ours and the peer's, after both gave the same means."""
    qrels, run = collection(topics, depth)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(PEER))
    judgments = gradeval.Qrels.from_dict(qrels)
    means = gradeval.evaluate(judgments, run, MEASURES).mean()[0]
    peers = evaluator.evaluate(run).values()
    expected = [sum(values[name] for values in peers) / topics for name in PEER]
    np.testing.assert_allclose(means, expected, atol=1e-9)
    ours, theirs = calls(
        [lambda: gradeval.evaluate(judgments, run, MEASURES), lambda: evaluator.evaluate(run)], repeat=repeat
    )
    return ours, theirs


def measure() -> list[Row]:
    """Rows for 250 topics at once and for one topic of 1,000 and of 10 documents in a loop."""
    peer = "pytrec_eval-terrier"
    return [
        Row("dicts in memory, 250 topics x 1,000 documents, 3 measures", *compare(250, 1000, 1), peer, unit="ms"),
        Row("one topic of 1,000 documents, called in a loop, 3 measures", *compare(1, 1000, 300), peer, unit="us"),
        Row(
            "one topic of 10 documents, called in a loop, 3 measures",
            *compare(1, 10, 1000),
            peer,
            unit="us",
            as_long=True,
        ),
    ]


if __name__ == "__main__":
    for row in measure():
        print(row)
