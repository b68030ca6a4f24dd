from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, topics

from gradeval import INSQ, SDCG


@given(topics(), st.sampled_from([0.5, 1, 2, 3.5]), st.none() | st.integers(1, 12))
def test_inverse_squares_follow_from_the_probability_to_go_on(topic: Topic, wanted: float, cutoff: int | None) -> None:
    going_on = [((n + 2 * wanted - 1) / (n + 2 * wanted)) ** 2 for n in range(1, 20_000)]
    there, looked = 1.0, []  # the share of users at each rank
    for share in going_on:
        looked.append(there)
        there *= share
    tail = there * (20_000 + 2 * wanted - 1.5)  # the sum of the rest, as an integral
    top = len(topic.pool) - 1
    gained = sum(weight * grade / top for weight, grade in zip(looked, topic.grades[:cutoff], strict=False))
    assert INSQ(T=wanted, cutoff=cutoff)(topic.judged) == pytest.approx(gained / (sum(looked) + tail), rel=1e-6)


@given(topics(), st.integers(1, 12))
def test_scaled_gain_is_a_mean_over_ranks(topic: Topic, cutoff: int) -> None:
    weights = [1 / math.log2(n + 1) for n in range(1, cutoff + 1)]
    top = len(topic.pool) - 1
    gained = sum(weight * grade / top for weight, grade in zip(weights, topic.grades, strict=False))
    assert SDCG(cutoff=cutoff)(topic.judged) == pytest.approx(gained / sum(weights))
