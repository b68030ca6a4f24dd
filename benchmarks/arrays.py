"""How fast are arrays and small dictionaries scored, as in training loops and in MTEB, beside the peers?

python benchmarks/arrays.py [ROUNDS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytrec_eval
from in_memory import Table, collection
from sklearn.metrics import ndcg_score

import gradeval

CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
FAMILIES = {"ndcg_cut": "nDCG", "map_cut": "AP", "recall": "R", "P": "P", "success": "Success"}
"""The 35 measures of MTEB's retrieval tasks: five families at seven cutoffs."""
PEER = {f"{family}.{','.join(map(str, CUTOFFS))}" for family in FAMILIES}
MEASURES = [f"{name}@{cutoff}" for name in FAMILIES.values() for cutoff in CUTOFFS]
NAMES = [f"{family}_{cutoff}" for family in FAMILIES for cutoff in CUTOFFS]
SMALL = "AP nDCG@10 P@10"
TRAINING = ("AP", "nDCG", "nDCG@10", "P@10", "RR@10")


def fastest(functions: Sequence[Callable[[], object]], rounds: int, repeat: int = 1) -> list[float]:
    """The least seconds a call, functions in turn: the machine may be busy with other things."""
    least = [float("inf")] * len(functions)
    for _ in range(rounds):
        for place, function in enumerate(functions):
            begin = time.perf_counter()
            for _ in range(repeat):
                function()
            least[place] = min(least[place], (time.perf_counter() - begin) / repeat)
    return least


def dictionaries(topics: int, depth: int, rounds: int, repeat: int = 1) -> None:
    """35 measures, dictionaries in (judgments, too) and out."""
    qrels, run = collection(topics, depth)

    def ours() -> dict[str, Table]:
        return gradeval.evaluate(qrels, run, MEASURES).to_dict(NAMES)

    def peer() -> Table:
        return pytrec_eval.RelevanceEvaluator(qrels, PEER).evaluate(run)

    mine, expected = ours()["run"], peer()
    assert mine.keys() == expected.keys()
    largest = max(abs(mine[topic][name] - value) for topic in expected for name, value in expected[topic].items())
    assert largest < 1e-12, largest
    seconds = fastest([ours, peer], rounds, repeat)
    show(f"{topics} x {depth}, 35 measures, dictionaries in and out", *seconds, "pytrec_eval-terrier")


def one_topic(rounds: int) -> None:
    """One topic of 10 documents, three measures, judgments read before."""
    qrels, run = collection(1, 10)
    judgments = gradeval.Qrels.from_dict(qrels)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10", "P.10"})
    expected = next(iter(evaluator.evaluate(run).values()))
    means = gradeval.evaluate(judgments, run, SMALL).mean()[0]
    np.testing.assert_allclose(means, [expected[name] for name in ("map", "ndcg_cut_10", "P_10")], atol=1e-12)
    ours, peer = fastest(
        [lambda: gradeval.evaluate(judgments, run, SMALL), lambda: evaluator.evaluate(run)], rounds, repeat=20
    )
    show("one topic of 10 documents, 3 measures", ours, peer, "pytrec_eval-terrier")


def arrays(rounds: int) -> None:
    """256 rankings of 100 documents, five measures; the peer computes nDCG only."""
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 5, (256, 100)), rng.random((256, 100))
    measures = [gradeval.parse_measure(text) for text in TRAINING]

    def ours() -> list[float]:
        judged = gradeval.judge_arrays(grades, scores)
        return [float(measure(judged).mean()) for measure in measures]

    np.testing.assert_allclose(ours()[1], ndcg_score(grades, scores), rtol=1e-12)
    np.testing.assert_allclose(ours()[2], ndcg_score(grades, scores, k=10), rtol=1e-12)
    seconds = fastest([ours, lambda: ndcg_score(grades, scores)], rounds, repeat=3)
    show(f"[256, 100] arrays, {' '.join(TRAINING)}", *seconds, "scikit-learn's ndcg_score alone")


def show(work: str, ours: float, peer: float, name: str) -> None:
    """Print one line."""
    print(f"{work}: {ours * 1e6:,.0f} us; {name} {peer * 1e6:,.0f} us; ratio {peer / ours:.2f}")


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    dictionaries(50, 100, rounds, repeat=10)
    dictionaries(300, 1000, max(3, rounds // 10))
    dictionaries(2000, 1000, max(3, rounds // 25))
    one_topic(rounds)
    arrays(rounds)
