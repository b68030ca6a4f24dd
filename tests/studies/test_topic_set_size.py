"""Topic set sizes: the variance behind them, and what they do not depend on."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError
from gradeval.studies.topic_set_size import residual_variance, topic_set_size

from ..support.score_tables import scores_of


def test_the_variance_is_what_topics_and_runs_do_not_explain() -> None:
    rng = np.random.default_rng(0)
    topic, run = rng.random((200, 1)), rng.random(15)
    noise = rng.normal(0, 0.1, (200, 15))
    assert residual_variance(topic + run) == pytest.approx(0, abs=1e-20)
    assert residual_variance(topic + run + noise) == pytest.approx(0.01, rel=0.1)
    # Of two runs it is half the variance of their differences.
    two = rng.random((30, 2))
    assert residual_variance(two) == pytest.approx((two[:, 0] - two[:, 1]).var(ddof=1) / 2)


def test_without_any_variance_as_many_topics_are_needed_as_signs_need() -> None:
    """Runs that differ by the same amount on all topics, up to rounding: 2^(1-n) is below 0.05 from 6 topics on."""
    values = np.random.default_rng(0).random(7)
    sizes = topic_set_size(scores_of(np.stack([values, values + 1 / 3])))
    assert sizes.variance.tolist() == [0.0]
    assert sizes.needed.tolist() == [[6, 6, 6]]


def test_the_observed_difference_does_not_matter() -> None:
    values = np.random.default_rng(0).random((30, 4)) * 0.5
    one = topic_set_size(scores_of(values.T), differences=[0.05, 0.1])
    other = topic_set_size(scores_of((values + np.linspace(0, 0.4, 4)).T), differences=[0.05, 0.1])
    assert one.needed.tolist() == other.needed.tolist()
    assert one.needed[0, 0] > one.needed[0, 1]
    frame = one.to_frame()
    assert frame.column("value").to_pylist() == one.needed[0].tolist()


@pytest.mark.parametrize(
    ("differences", "options", "message"),
    [
        (0, {}, "difference"),
        ([0.1, -1], {}, "difference"),
        ([], {}, "differences is empty"),
        (1e-9, {}, "more than"),
        (0.1, {"alpha": 1}, "alpha"),
        (0.1, {"beta": 0}, "beta"),
    ],
)
def test_bad_values_are_one_line(differences: float, options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        topic_set_size(scores_of(np.random.default_rng(0).random((9, 3)).T), differences=differences, **options)
