from __future__ import annotations

import math

import pytest
from gain_oracle import best, gain
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, by_grade, gained_topics, topics

from gradeval import G, JudgedRankings, binG


@given(topics(), st.integers(1, 3))
def test_binary_g_follows_its_definition(topic: Topic, rel: int) -> None:
    total, missed = 0.0, 0
    for grade in topic.grades:
        if grade >= rel:
            total += 1 / math.log2(2 + missed)
        else:
            missed += 1
    base = topic.base(rel)
    assert binG(rel=rel)(topic.judged) == pytest.approx(total / base if base else 0)


@given(gained_topics(more=[0.5, 0.1]))
def test_g_follows_its_definition(drawn: tuple[Topic, list[float]]) -> None:
    topic, gains = drawn
    ideal = best(topic, gains)
    total = cost = collected = 0.0
    for n, item in enumerate(topic.ranking):
        cost += max(1, ideal[n]) if n < len(ideal) else 1
        collected += gain(item, gains)
        total += gain(item, gains) / math.log2(2 + cost - collected)
    assert G(gains=by_grade(gains))(topic.judged) == pytest.approx(total / sum(ideal) if sum(ideal) else 0)


def test_the_gain_of_a_document_shrinks_with_what_was_missed_before_it() -> None:
    judged = JudgedRankings.of([0, 1, 0, 1], pool=[9, 2])
    assert binG(judged) == pytest.approx((1 / math.log2(3) + 1 / math.log2(4)) / 2)
    assert G(judged) == binG(judged), "with one grade they are the same"
    graded = JudgedRankings.of([1, 0, 3], pool=[9, 1, 0, 1])
    # The ideal list has 3, 4 and, counting each rank at least 1, 5; the ranking 1, 1 and 4.
    assert G(graded) == pytest.approx((1 / math.log2(2 + 3 - 1) + 3 / math.log2(2 + 5 - 4)) / 4)


@given(topics(levels=(2,)))
def test_g_of_binary_grades_is_binary_g(topic: Topic) -> None:
    assert G(topic.judged) == pytest.approx(binG(topic.judged))
