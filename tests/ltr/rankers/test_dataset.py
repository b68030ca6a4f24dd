"""Batches of queries to learn from: each that can be learnt from once, and the same gradients either way."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, evaluate

torch = pytest.importorskip("torch")

from gradeval.ltr import Objective, soft_measure  # noqa: E402
from gradeval.ltr.rankers.training import Dataset, PaddedBatch  # noqa: E402

FEATURES = graded_features(11)
LEVELS = (0.0, 1.0, 2.0)


def dataset(objective: str | Objective, queries: int = 4, features: Features = FEATURES) -> Dataset:
    return Dataset.of(features, LEVELS, Objective.parse(objective), queries, "cpu", 1)


def padded_batches(
    objective: str | Objective, queries: int, monkeypatch: pytest.MonkeyPatch, documents: int | None = None
) -> list[PaddedBatch]:
    """The batches as for a GPU, with the tensors left where they are."""
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *_, **__: tensor)
    data = Dataset.of(FEATURES, LEVELS, Objective.parse(objective), queries, "cuda", 1, documents=documents)
    monkeypatch.undo()
    padded = [batch for batch in data.batches if isinstance(batch, PaddedBatch)]
    assert len(padded) == len(data.batches)
    return padded


def test_every_query_that_can_be_learnt_from_is_in_one_batch() -> None:
    nothing = Features.from_arrays(np.ones((6, 4)), [1, 1, 0, 0, 0, 2], topics=["x", "x", "y", "y", "y", "z"])
    data = dataset("lambdarank:AP", features=Features.concat([FEATURES, nothing]))
    parts = {topic: FEATURES.select(topic).grades for topic in FEATURES.topics}
    assert data.features.topics == [topic for topic, grades in parts.items() if len({*grades}) > 1]
    assert sum(batch.queries for batch in data.batches) == len(data.features.topics)
    assert sorted(np.concatenate([batch.rows for batch in data.batches])) == [*range(len(data.features))]
    table = FEATURES.select(data.features.topics).X
    for batch in data.batches:
        assert (table[batch.rows] == batch.X.numpy()).all()


@pytest.mark.parametrize("objective", ["lambdarank:GAP(g=[0.5,0.5])", "lambdarank:nDCG@5", "lambdarank:Bpref"])
def test_the_compiled_gradients_are_those_of_the_loss(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Objective.parse(objective, sigma=0.7, truncation=6)
    compiled = dataset(read).batches
    padded = padded_batches(read, 4, monkeypatch)
    rng = np.random.default_rng(2)
    for fast, slow in zip(compiled, padded, strict=True):
        scores = torch.from_numpy(np.round(rng.normal(size=len(fast.X)), 1).astype(np.float32))
        np.testing.assert_allclose(fast.backward(scores)[1], slow.backward(scores)[1], atol=1e-6)


def test_lambdarank_tells_the_mean_of_the_measure() -> None:
    data = dataset("lambdarank:nDCG@5")
    assert data.train_measure is not None
    scores = np.random.default_rng(4).normal(size=len(data.features))
    run = data.features.run(scores)
    assert data.train_measure(scores) == evaluate(data.features.qrels, run, "nDCG@5", ties="order").mean()[0, 0]


def test_softrank_tells_the_mean_of_the_soft_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    objective = Objective.parse("softrank:nDCG", sigma=0.5)
    compiled = dataset(objective).batches
    for fast, batch in zip(compiled, padded_batches(objective, 4, monkeypatch), strict=True):
        scores = torch.linspace(-1, 1, len(batch.X))
        table = torch.zeros(batch.batch.level.shape)
        table[torch.from_numpy(batch.batch.level >= 0)] = scores
        soft = soft_measure(table, batch.batch, objective.measure, 0.5)
        for either in (fast, batch):
            assert either.backward(scores)[0] == pytest.approx(-float(soft.mean()), abs=1e-6)


def test_queries_of_like_length_share_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = [batch.batch.lengths for batch in padded_batches("softrank:AP", 3, monkeypatch)]
    assert all(len(of) <= 3 for of in lengths)
    assert all(before.max() <= after.min() for before, after in pairwise(lengths))


def test_long_queries_make_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.ltr.rankers.training.PAIRS", 15 * 15)
    assert all(len(batch.X) <= 30 for batch in dataset("softrank:AP", 100).batches)


@pytest.mark.parametrize("most", [1, 30, 64, 10_000])
def test_a_batch_has_so_many_documents_when_padded(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = padded_batches("softrank:AP", 4, monkeypatch, documents=most)
    assert sum(batch.queries for batch in batches) == len(dataset("softrank:AP").features.topics)
    for batch in batches:
        assert batch.batch.level.size <= most or batch.queries == 1


@pytest.mark.parametrize(
    ("grades", "sizes"),
    [([0, 0, 0, 0], [2, 2]), ([1, 1, 2, 2], [2, 2]), ([0, 1, 2], [1, 1, 1])],
    ids=["no relevant document", "one grade a query", "one document a query"],
)
def test_where_no_query_can_be_learnt_from_there_is_an_error(grades: list[int], sizes: list[int]) -> None:
    features = Features.from_arrays(np.eye(len(grades)), grades, sizes=sizes, name="train.txt")
    with pytest.raises(InputError, match=r"train.txt: nothing to learn: no query has documents of different grades"):
        Dataset.of(features, features.levels, Objective.parse("lambdarank:AP"), 4, "cpu", 1)
