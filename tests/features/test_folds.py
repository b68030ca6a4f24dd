from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from refusing import said_of

from gradeval.features.features import Features
from gradeval.features.folds import rotate


def some(sizes: Sequence[int] = (3, 2), *, width: int = 2, start: int = 0, name: str = "f.txt") -> Features:
    """Features whose numbers are all different; topics are called from ``start`` + 1 on, documents d0, d1 ..."""
    rows = sum(sizes)
    return Features.from_arrays(
        np.arange(start * 100, start * 100 + rows * width).reshape(rows, width),
        np.arange(rows) % 3,
        topics=np.repeat(np.arange(start + 1, start + len(sizes) + 1), sizes),
        docs=[f"d{row}" for row in range(rows)],
        name=name,
    )


def test_a_split_gives_each_topic_to_one_part_and_repeats_by_its_seed() -> None:
    features = some([1] * 10)
    parts = features.split(0.6, 0.2, 0.2, seed=3)
    assert [len(part.topics) for part in parts] == [6, 2, 2]
    assert sorted(topic for part in parts for topic in part.topics) == sorted(features.topics)
    assert [part.topics for part in features.split(0.6, 0.2, 0.2, seed=3)] == [part.topics for part in parts]
    assert [part.topics for part in features.split(0.6, 0.2, 0.2, seed=4)] != [part.topics for part in parts]
    assert parts[1].name == "f.txt part 2"


@pytest.mark.parametrize("shares", [(), (0.5,), (0.5, 0.6), (1.5, -0.5)])
def test_shares_must_make_a_whole(shares: tuple[float, ...]) -> None:
    assert "must be positive and sum to 1" in said_of(some().split, *shares, seed=1)


def test_too_few_topics_for_the_parts_are_refused() -> None:
    assert said_of(some().split, 0.99, 0.01, seed=1) == "f.txt: 2 topics do not make 2 parts of these shares"
    assert said_of(some().folds, 3, seed=1).startswith("f.txt: k=3 folds of 2 topics; ")
    assert said_of(some([1] * 9).folds, 2, seed=1).startswith("f.txt: k=2 folds of 9 topics; ")


def test_folds_train_validate_and_test_as_those_of_letor() -> None:
    parts = [some((2, 1), start=10 * number, name=f"S{number}") for number in range(1, 6)]
    folds = list(rotate(parts))
    named = [(fold.valid.name, fold.test.name) for fold in folds]
    assert named == [("S4", "S5"), ("S5", "S1"), ("S1", "S2"), ("S2", "S3"), ("S3", "S4")]
    assert [fold.train.topics for fold in folds[:2]] == [
        ["11", "12", "21", "22", "31", "32"],
        ["21", "22", "31", "32", "41", "42"],
    ]
    assert np.array_equal(folds[0].train.X, np.concatenate([part.X for part in parts[:3]]))
    assert said_of(lambda: list(rotate(parts[:2]))).startswith("2 parts; folds need 3 or more")


def test_folds_test_every_topic_once() -> None:
    features = some([2] * 11)
    folds = list(features.folds(4, seed=1))
    assert sorted(topic for fold in folds for topic in fold.test.topics) == sorted(features.topics)
    for fold in folds:
        assert sorted(fold.train.topics + fold.valid.topics + fold.test.topics) == sorted(features.topics)
