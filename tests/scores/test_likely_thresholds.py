"""The threshold that a warning proposes: the middle of a short scale, and of counts one that most topics reach."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from gradeval import GradesWarning, Qrels, evaluate
from gradeval.scores.likely_thresholds import find_threshold


def pool_of(judged: list[list[float]]) -> tuple[np.ndarray, tuple[float, ...]]:
    """How many grades of each topic have each level, and the levels."""
    levels = (0.0, *sorted({grade for grades in judged for grade in grades if grade > 0}))
    return np.array([[Counter(grades)[level] for level in levels] for grades in judged]), levels


@pytest.mark.parametrize(
    ("grades", "above", "expected"), [([1, 2, 3, 4, 5], 1, 3), ([0.5, 1, 5], 0.5, 5), ([1, 2, 9], 0, 9), ([4, 5], 4, 5)]
)
def test_a_short_scale_is_cut_in_its_middle(grades: list[float], above: float, expected: float) -> None:
    found = find_threshold(*pool_of([grades, grades]), above)
    assert (found.grade, found.share, found.said) == (expected, None, "")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("scale", [1.0, 0.01, 1000.0])
def test_counts_are_cut_where_most_topics_and_many_judgments_are_above(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    popular = rng.lognormal(1, 1, 30)  # some people listen to everything seldom
    judged = [(np.ceil(rng.lognormal(np.log(one), 1.5, 20)) * scale).tolist() for one in popular]
    pool, levels = pool_of(judged)
    lowest = levels[1]
    found = find_threshold(pool, levels, lowest)
    assert found.grade > lowest
    everything = [grade for grades in judged for grade in grades]
    share = sum(grade >= found.grade for grade in everything) / len(everything)
    assert found.said == f", which {share:.0%} of judgments reach"
    if found.grade > levels[2]:  # else there is no lower one
        assert sum(max(grades) >= found.grade for grades in judged) >= 0.75 * len(judged)
        assert share >= 0.5


@pytest.mark.parametrize(("median", "expected"), [(9, 9), (37, 30), (257, 200)])
def test_the_median_is_rounded_down(median: int, expected: int) -> None:
    grades = [float(one) for one in [*range(1, 21), *[median] * 41, *range(1000, 1020)]]
    assert find_threshold(*pool_of([grades]), 1).grade == expected


def test_the_warning_of_plays_proposes_it() -> None:
    """A song is played 500 times, and half of the songs at most 9 times."""
    rng = np.random.default_rng(0)
    plays = {
        f"u{user}": {f"a{item}": min(500, int(np.ceil(rng.lognormal(2.2, 1.6)))) for item in range(30)}
        for user in range(50)
    }
    with pytest.warns(GradesWarning, match=r"write R\(rel=[5-9]\)@20, which 5\d% of judgments reach, or Qrels"):
        evaluate(Qrels.from_dict(plays), plays, "R@20")
