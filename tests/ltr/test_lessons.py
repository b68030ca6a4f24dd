"""Batches of queries to learn from: all that can teach, once each, and the same gradients either way."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from graded_features import graded_features
from gradeval import Features, InputError, evaluate

torch = pytest.importorskip("torch")

from gradeval.ltr import Batch, Objective, soft_measure  # noqa: E402
from gradeval.ltr.lessons import Padded, lessons  # noqa: E402
from gradeval.ltr.lessons import _batch as padded_batch  # noqa: E402

FEATURES = graded_features(11)
LEVELS = (0.0, 1.0, 2.0)


def test_every_query_that_can_teach_is_learnt_from_once() -> None:
    nothing = Features.from_arrays(np.ones((6, 4)), [1, 1, 0, 0, 0, 2], topics=["x", "x", "y", "y", "y", "z"])
    whole = Features.concat([FEATURES, nothing])
    made = lessons(whole, LEVELS, Objective.parse("lambdarank:AP"), 4, "cpu", 1)
    able = [t for t in FEATURES.topics if len({*FEATURES.select(t).grades}) > 1 and FEATURES.select(t).grades.any()]
    assert sum(lesson.queries for lesson in made) == len(able)
    rows = np.concatenate([lesson.X.numpy() for lesson in made])
    expected = FEATURES.select(able).X
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, expected.tolist()))


@pytest.mark.parametrize("objective", ["lambdarank:GAP(g=[0.5,0.5])", "lambdarank:nDCG@5", "lambdarank:Bpref"])
def test_the_compiled_gradients_are_those_of_the_loss(objective: str) -> None:
    read = Objective.parse(objective, sigma=0.7, truncation=6)
    rng = np.random.default_rng(2)
    for compiled in lessons(FEATURES, LEVELS, read, 5, "cpu", 1):
        part = FEATURES.select([t for t in FEATURES.topics if FEATURES.select(t).X[0] in compiled.X.numpy()])
        batch, place = padded_batch(part, np.arange(len(part.topics)), LEVELS)
        padded = Padded(compiled.X, compiled.queries, read, batch, torch.from_numpy(place), None)
        scores = torch.from_numpy(np.round(rng.normal(size=len(part)), 1).astype(np.float32))
        mean, pull = compiled.pull(scores)
        np.testing.assert_allclose(pull, padded.pull(scores)[1], atol=1e-6)
        run = part.run(scores.numpy())
        assert mean == evaluate(part.qrels, run, [read.measure], ties="order").mean()[0, 0]


def test_softrank_tells_the_mean_of_the_soft_measure() -> None:
    objective = Objective.parse("softrank:nDCG", sigma=0.5)
    (lesson,) = lessons(FEATURES, LEVELS, objective, 100, "cpu", 1)
    sizes = np.diff(FEATURES.offsets)
    grades, mask = np.zeros((11, sizes.max())), np.arange(sizes.max()) < sizes[:, None]
    grades[mask] = FEATURES.grades
    scores = torch.linspace(-1, 1, len(FEATURES))
    table = torch.zeros(grades.shape)
    table[torch.from_numpy(mask)] = scores
    able = torch.tensor([len({*row[here]}) > 1 for row, here in zip(grades, mask, strict=True)])
    soft = soft_measure(table, Batch.of(grades, levels=LEVELS, mask=mask), objective.measure, 0.5)
    kept = able.repeat_interleave(torch.from_numpy(sizes))
    assert lesson.queries == int(able.sum())
    if bool(able.all()):
        assert lesson.pull(scores[kept])[0] == pytest.approx(float(soft.mean()), abs=1e-6)


def test_queries_of_like_length_are_learnt_from_together() -> None:
    made = lessons(FEATURES, LEVELS, Objective.parse("softrank:AP"), 3, "cpu", 1)
    lengths = [lesson.batch.lengths for lesson in made if isinstance(lesson, Padded)]
    assert all(len(of) <= 3 for of in lengths)
    assert all(before.max() <= after.min() for before, after in pairwise(lengths))


def test_long_queries_make_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.ltr.lessons.PAIRS", 15 * 15)
    made = lessons(FEATURES, LEVELS, Objective.parse("softrank:AP"), 100, "cpu", 1)
    assert all(len(lesson.X) <= 30 for lesson in made)


@pytest.mark.parametrize(
    ("grades", "sizes"),
    [([0, 0, 0, 0], [2, 2]), ([1, 1, 2, 2], [2, 2]), ([0, 1, 2], [1, 1, 1])],
    ids=["no relevant document", "one grade a query", "one document a query"],
)
def test_where_no_query_can_teach_there_is_nothing_to_learn(grades: list[int], sizes: list[int]) -> None:
    features = Features.from_arrays(np.eye(len(grades)), grades, sizes=sizes, name="train.txt")
    with pytest.raises(InputError, match=r"train.txt: nothing to learn: no query has documents of different grades"):
        lessons(features, features.levels, Objective.parse("lambdarank:AP"), 4, "cpu", 1)
