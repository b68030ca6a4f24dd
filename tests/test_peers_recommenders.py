"""Measures of recommenders and of torchmetrics, by the names that docs/coming-from says, on random lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval import evaluate

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

ITEMS = [f"i{number}" for number in range(30)]
Table = dict[str, dict[str, float]]


def drawn(listed: int = 12) -> tuple[Table, Table]:
    """Ratings from 1 to 5 of some items of each user, and a list without ties."""
    rng = np.random.default_rng(11)
    truth, lists = {}, {}
    for user in (f"u{number:02}" for number in range(25)):
        truth[user] = {str(one): float(rng.integers(1, 6)) for one in rng.choice(ITEMS, 7, replace=False)}
        some = rng.choice(ITEMS, listed, replace=False)
        lists[user] = dict(zip(map(str, some), rng.permutation(listed) + 1.0, strict=True))
        lists[user][next(iter(truth[user]))] = listed + 1.0 + rng.random()  # who is not hit at all counts otherwise
    return truth, lists


def ours(truth: Table, lists: Table, measures: str) -> list[float]:
    found: list[float] = evaluate(truth, lists, measures).mean()[0].tolist()
    return found


def test_lenskit() -> None:
    ranking: Any = pytest.importorskip("lenskit.metrics.ranking")
    data: Any = pytest.importorskip("lenskit.data")
    truth, lists = drawn()
    metrics = [
        ranking.NDCG(10),
        ranking.NDCG(10, gain="rating"),
        ranking.NDCG(10, weight=ranking._weighting.LogRankWeight(offset=1)),
        ranking.RecipRank(10),
        ranking.RBP(10, patience=0.85),
        ranking.Precision(10),
        ranking.Hit(10),
        ranking.AveragePrecision(10),
    ]
    values = []
    for user in truth:
        recs = data.ItemList(item_ids=sorted(lists[user], key=lambda item: -lists[user][item]), ordered=True)
        test = data.ItemList(item_ids=list(truth[user]), rating=list(truth[user].values()))
        values.append([metric.measure_list(recs, test) for metric in metrics])
    binary = {user: dict.fromkeys(rated, 1.0) for user, rated in truth.items()}
    names = "nDCG(discount='jk')@10 nDCG@10 RR@10 RBP(p=0.85,rel=1)@10 P@10 Success@10 AP(norm='min')@10"
    found = ours(binary, lists, names)
    found.insert(1, ours(truth, lists, "nDCG(discount='jk')@10")[0])
    assert found == pytest.approx(np.mean(values, axis=0).tolist())


def test_recommenders() -> None:
    python: Any = pytest.importorskip("recommenders.evaluation.python_evaluation")
    pandas = pytest.importorskip("pandas")

    def frame(table: Table, value: str) -> Any:
        rows = [(user, item, number) for user, items in table.items() for item, number in items.items()]
        return pandas.DataFrame(rows, columns=["userID", "itemID", value])

    truth, lists = drawn()
    given = frame(truth, "rating"), frame(lists, "prediction")
    k = {"k": 10}
    theirs = [
        python.map(*given, **k),
        python.map_at_k(*given, k=5),
        python.precision_at_k(*given, **k),
        python.recall_at_k(*given, **k),
        python.ndcg_at_k(*given, score_type="raw", **k),
        python.ndcg_at_k(*given, score_type="exp", **k),
        python.ndcg_at_k(*given, **k),
    ]
    found = ours(truth, lists, "AP@10 AP(norm='min')@5 P@10 R@10 nDCG@10 nDCG(dcg='exp-log2')@10")
    found += ours(*(({user: dict.fromkeys(rated, 1.0) for user, rated in truth.items()}), lists), "nDCG@10")
    assert found == pytest.approx(theirs)


def test_torchmetrics() -> None:
    retrieval: Any = pytest.importorskip("torchmetrics.retrieval")
    torch: Any = pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    grades, scores = rng.integers(0, 4, (20, 15)), rng.permutation(300).reshape(20, 15) + 1.0
    index = torch.arange(20).repeat_interleave(15)
    given = torch.tensor(scores.ravel()).float(), torch.tensor(grades.ravel())
    binary = given[0], given[1] > 0
    theirs = [
        retrieval.RetrievalMAP()(*binary, indexes=index),
        retrieval.RetrievalMRR(top_k=5)(*binary, indexes=index),
        retrieval.RetrievalPrecision(top_k=5)(*binary, indexes=index),
        retrieval.RetrievalRecall(top_k=5)(*binary, indexes=index),
        retrieval.RetrievalHitRate(top_k=5)(*binary, indexes=index),
        retrieval.RetrievalRPrecision()(*binary, indexes=index),
        retrieval.RetrievalNormalizedDCG(top_k=5)(*given, indexes=index),
    ]

    def table(rows: Any) -> Table:
        return {
            str(query): {str(item): float(value) for item, value in enumerate(row)} for query, row in enumerate(rows)
        }

    found = ours(table(grades), table(scores), "AP RR@5 P@5 R@5 Success@5 Rprec nDCG@5")
    assert found == pytest.approx([float(value) for value in theirs], abs=1e-6)
