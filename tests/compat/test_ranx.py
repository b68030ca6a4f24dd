"""The drop-in for ranx: what it gives and keeps, by hand, and as ranx does where it is installed."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval.compat.ranx import evaluate

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1, "d": 0}, "q3": {"e": 1}}
RUN = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q2": {"c": 2.0, "d": 1.0}, "q3": {"y": 2.0, "x": 1.0}}
RR = [1 / 2, 1, 0]


def test_one_metric_is_a_number_and_several_are_a_dictionary() -> None:
    assert evaluate(QRELS, RUN, "mrr") == pytest.approx(np.mean(RR))
    assert evaluate(QRELS, RUN, ["mrr", "hits@1"]) == pytest.approx({"mrr": np.mean(RR), "hits@1": 1 / 3})
    assert evaluate(QRELS, RUN, ["mrr"]) == pytest.approx(np.mean(RR))


def test_deviations_are_those_of_the_queries_at_hand() -> None:
    found = evaluate(QRELS, RUN, ["mrr", "map-l2"], return_std=True)
    assert found["mrr"] == pytest.approx({"mean": np.mean(RR), "std": np.std(RR)})
    assert found["map-l2"] == pytest.approx({"mean": 1 / 6, "std": np.std([1 / 2, 0, 0])})


def test_values_of_queries_stand_in_the_order_of_the_run() -> None:
    turned = {topic: RUN[topic] for topic in ("q3", "q1", "q2")}
    assert evaluate(QRELS, turned, "mrr", return_mean=False).tolist() == [0, 1 / 2, 1]
    assert evaluate(QRELS, turned, "mrr", return_mean=False, return_std=True).tolist() == [0, 1 / 2, 1]


def test_other_queries_are_refused_unless_made_comparable() -> None:
    run = {"q2": RUN["q2"], "q9": RUN["q1"]}
    assert "the run lacks 'q1'; make_comparable=True" in said_of(lambda: evaluate(QRELS, run, "mrr"))
    with pytest.raises(AssertionError):
        evaluate(QRELS, run, "mrr")
    assert evaluate(QRELS, run, "mrr", make_comparable=True) == pytest.approx(1 / 3)
    assert evaluate(QRELS, run, "mrr", return_mean=False, make_comparable=True).tolist() == [0, 1, 0]


def test_precision_and_recall_without_a_cutoff_are_of_all_that_was_retrieved() -> None:
    assert evaluate(QRELS, RUN, ["precision", "recall-l2"]) == pytest.approx(
        {"precision": (2 / 3 + 1 / 2) / 3, "recall-l2": 1 / 3}
    )


def test_arrays_are_rankings_by_their_rows() -> None:
    qrels = np.array([[[1, 1], [4, 1], [5, 1], [6, 1]]])
    run = np.array([[[1, 1], [2, 1], [3, 1], [4, 1], [5, 1], [7, 1]]])
    assert evaluate(qrels, run, "map@6") == pytest.approx((1 + 2 / 4 + 3 / 5) / 4)
    assert "document 1 of query 0 occurs twice" in said_of(lambda: evaluate(qrels, run[:, [0, 0]], "map"))


def test_measures_of_gradeval_are_taken_and_unknown_names_refused() -> None:
    assert evaluate(QRELS, RUN, "GAP") > 0
    assert "unknown measure 'ndgc'" in said_of(lambda: evaluate(QRELS, RUN, "ndgc"))
    assert "gmAP is no mean over queries" in said_of(lambda: evaluate(QRELS, RUN, "gmAP"))
    assert "no metric given" in said_of(lambda: evaluate(QRELS, RUN, []))


class RunOfRanx(dict[str, dict[str, float]]):
    """A run with the places where ranx keeps results."""

    def __init__(self, table: dict[str, dict[str, float]]) -> None:
        super().__init__(table)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)


def test_results_are_kept_in_the_run() -> None:
    run = RunOfRanx(RUN)
    evaluate(QRELS, run, "mrr", return_std=True)
    assert run.mean_scores == pytest.approx({"mrr": np.mean(RR)})
    assert run.std_scores == pytest.approx({"mrr": np.std(RR)})
    assert run.scores["mrr"] == dict(zip(RUN, RR, strict=True))
    other = RunOfRanx(RUN)
    evaluate(QRELS, other, "mrr", save_results_in_run=False)
    assert not other.mean_scores


@pytest.mark.peers
def test_ranx_gives_and_keeps_the_same() -> None:
    ranx: Any = pytest.importorskip("ranx")
    rng = np.random.default_rng(3)
    names = [f"d{number}" for number in range(40)]
    qrels = {f"q{n}": {str(one): int(rng.integers(1, 4)) for one in rng.choice(names, 9, False)} for n in range(30)}
    run = {
        f"q{n}": dict(zip(map(str, rng.choice(names, 25, False)), rng.permutation(25).astype(float), strict=True))
        for n in range(30)
    }
    metrics = "map ndcg@10 mrr hits@5 recall precision f1 f1@5-l2 dcg ndcg_burges-l2 rbp.5 r-precision hit_rate".split()
    metrics.remove("rbp.5")  # ranx adds up grades there
    for options in ({}, {"return_std": True}, {"return_mean": False}):
        theirs, ours = ranx.Run(run), ranx.Run(run)
        wanted = ranx.evaluate(ranx.Qrels(qrels), theirs, metrics, **options)
        found = evaluate(ranx.Qrels(qrels), ours, metrics, **options)
        assert list(found) == list(wanted)
        for name in metrics:
            assert found[name] == pytest.approx(wanted[name], abs=1e-12)
            assert ours.scores[name] == pytest.approx(theirs.scores[name], abs=1e-12)
        assert ours.mean_scores == pytest.approx(theirs.mean_scores, abs=1e-12)
        assert ours.std_scores == pytest.approx(theirs.std_scores, abs=1e-12)
