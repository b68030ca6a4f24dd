"""The names of ranx mean what they mean there; ranx itself is asked where it is installed (it brings a compiler)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval import judge, parse_measure

NAMES = (
    "hits hits@3 hits@50-l2 hit_rate@3 dcg@3 dcg_burges@3 precision@3 precision@50 recall@3 recall@3-l2 f1 f1@3 f1@50 "
    "f1@3-l2 r-precision r-precision-l2 mrr mrr@3 mrr-l2 map map@3 map@3-l2 ndcg ndcg@3 ndcg@3-l2 ndcg_burges "
    "ndcg_burges@3 ndcg_burges@3-l3"
).split()


def drawn(rng: np.random.Generator, top: int) -> tuple[dict[str, int], dict[str, float]]:
    """Judgments with at least one document of the top grade and one of none, and a run without ties."""
    documents = [f"d{i}" for i in range(20)]
    judged = rng.choice(documents, int(rng.integers(3, 12)), replace=False)
    qrels = {str(document): int(rng.integers(0, top + 1)) for document in judged}
    qrels |= {str(judged[0]): top, str(judged[1]): 0}
    retrieved = rng.choice(documents, int(rng.integers(1, 15)), replace=False)
    return qrels, {str(document): float(score) for document, score in zip(retrieved, rng.permutation(15), strict=False)}


@pytest.mark.parametrize("name", [*NAMES, "rbp.95", "rbp.5"])
def test_ranx_gives_the_same(name: str) -> None:
    ranx = pytest.importorskip("ranx")
    rng = np.random.default_rng(7)  # ranx gives values in the order of topic ids
    top = 1 if name.startswith("rbp") else 3  # ranx adds up grades there, though it describes a binary measure
    topics = {f"q{i:02}": drawn(rng, top) for i in range(60)}
    qrels: dict[str, Any] = {topic: judgments for topic, (judgments, _) in topics.items()}
    run: dict[str, Any] = {topic: ranking for topic, (_, ranking) in topics.items()}
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name, return_mean=False)
    assert parse_measure(name)(judge(qrels, run))[0].tolist() == pytest.approx(theirs.tolist(), abs=1e-12)


def test_names_of_ranx_by_hand() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 0, "d": 2}}
    run = {"q": {"c": 9.0, "b": 8.0, "x": 7.0, "a": 6.0}}
    expected = {
        "hits": 2,
        "hits@3": 1,
        "hits-l2": 1,
        "hit_rate@1": 0,
        "precision@10": 2 / 10,
        "recall@3": 1 / 3,
        "recall@3-l2": 1 / 2,
        "f1": 2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3),
        "f1@3": 2 * (1 / 3) * (1 / 3) / (1 / 3 + 1 / 3),
        "r-precision": 1 / 3,
        "mrr@3": 1 / 2,
        "map@100": (1 / 2 + 2 / 4) / 3,
        "rbp.95": (1 - 0.95) * (0.95**1 + 0.95**3),
        "rbp.95-l2": (1 - 0.95) * 0.95**1,
        "dcg@3": 2 / np.log2(3),
        "dcg_burges-l2": 3 / np.log2(3),
        "ndcg@2-l2": (2 / np.log2(3)) / (2 + 2 / np.log2(3)),
    }
    judged = judge(qrels, run)
    for name, value in expected.items():
        assert parse_measure(name)(judged)[0] == pytest.approx(value), name
