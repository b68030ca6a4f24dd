from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, share, topics

from gradeval import AUC, JudgedRankings


def places(topic: Topic) -> list[tuple[int, int]]:
    """(grade, place) of every judged document of the pool; those that are not retrieved share the last place."""
    judged = [(item, n) for n, item in enumerate(topic.ranking, 1) if isinstance(item, int)]
    absent = list(topic.pool)
    for grade, _ in judged:
        absent[grade] -= 1
    return judged + [(grade, len(topic.ranking) + 1) for grade, count in enumerate(absent) for _ in range(count)]


@given(topics(), st.integers(1, 3))
def test_the_area_is_the_share_of_pairs_in_the_right_order(topic: Topic, rel: int) -> None:
    documents = places(topic)
    pairs = [(a, b) for grade, a in documents if grade >= rel for other, b in documents if other < rel]
    right = sum((Fraction(1) if a < b else Fraction(a == b, 2) for a, b in pairs), Fraction(0))
    assert AUC(rel=rel)(topic.judged) == pytest.approx(float(share(right, len(pairs))))


@given(topics(), st.integers(1, 3))
def test_the_area_is_that_of_scikit_learn(topic: Topic, rel: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    documents = places(topic)
    relevant = np.array([grade >= rel for grade, _ in documents])
    if relevant.any() and not relevant.all():
        expected = metrics.roc_auc_score(relevant, [-place for _, place in documents])
        assert AUC(rel=rel)(topic.judged) == pytest.approx(expected)


def test_examples_by_hand() -> None:
    assert AUC(JudgedRankings.of([1, 0, 1, 0])) == 3 / 4
    assert AUC(JudgedRankings.of([1, None, 0, "U", 1, 0], pool=[2, 2])) == 3 / 4, "only judged documents count"
    # One relevant and one other document are retrieved, one of each is not: 1 + 1 + 0 + 1/2 of 4 pairs.
    assert AUC(JudgedRankings.of([1, 0], pool=[2, 2])) == (1 + 1 + 0 + 1 / 2) / 4
    assert AUC(JudgedRankings.of([], pool=[3, 2])) == 1 / 2
    assert AUC(rel=2)(JudgedRankings.of([1, 2, 0])) == 1 / 2


def test_a_topic_with_documents_of_one_kind_only_is_empty() -> None:
    for pool in ([3, 0], [0, 3]):
        judged = JudgedRankings.of([], pool=pool)
        assert AUC.base(judged) == AUC(judged) == 0
