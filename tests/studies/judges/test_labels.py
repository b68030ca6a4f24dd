from __future__ import annotations

from itertools import product

import krippendorff
import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from gradeval import parse_measure
from gradeval.studies.judges.labels import (
    compare_labels,
    compute_worth,
    count_confusion,
    ordinal_alpha,
    quadratic_kappa,
)

LEVELS = (0.0, 1.0, 2.0, 3.0)


def draw(seed: int, pairs: int = 200, grades: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, grades, pairs)
    return human, np.where(rng.random(pairs) < 0.5, human, rng.integers(0, grades, pairs))


def counts_of(human: np.ndarray, judge: np.ndarray) -> np.ndarray:
    return count_confusion(human, judge, np.zeros(len(human), int), 1, LEVELS)[0]


@pytest.mark.parametrize("seed", range(5))
def test_kappa_and_alpha_are_those_of_scikit_learn_and_krippendorff(seed: int) -> None:
    human, judge = draw(seed, pairs=20 * 3**seed, grades=3 if seed % 2 else 4)
    counts = counts_of(human, judge)
    np.testing.assert_array_equal(counts, confusion_matrix(human, judge, labels=range(4)))
    expected = cohen_kappa_score(human, judge, weights="quadratic", labels=range(4))
    assert quadratic_kappa(counts, LEVELS) == pytest.approx(expected, abs=1e-12)
    alpha = krippendorff.alpha(reliability_data=[human, judge], level_of_measurement="ordinal")
    assert ordinal_alpha(counts) == pytest.approx(alpha, abs=1e-12)


def test_kappa_weighs_by_the_values_of_the_grades() -> None:
    human, judge = draw(1, grades=3)
    counts = count_confusion(human, judge, np.zeros(len(human), int), 1, (0.0, 1.0, 2.0))[0]
    values = np.array([0.0, 1.0, 5.0])  # from the second grade to the third it is four times as far
    observed = np.mean((values[human] - values[judge]) ** 2)
    chance = np.mean((values[human][:, None] - values[judge]) ** 2)
    assert quadratic_kappa(counts, (0.0, 1.0, 5.0)) == pytest.approx(1 - observed / chance)


def slow_alpha(human: np.ndarray, judge: np.ndarray) -> float:
    """By the definition: disagreement inside the pairs over that among all labels."""
    labels = [*human, *judge]

    def distance(a: int, b: int) -> float:
        low, high = sorted((a, b))
        number = {grade: labels.count(grade) for grade in range(4)}
        return (sum(number[grade] for grade in range(low, high + 1)) - (number[low] + number[high]) / 2) ** 2

    observed = np.mean([distance(*pair) for pair in zip(human, judge, strict=True)])
    others = [distance(a, b) for (i, a), (j, b) in product(enumerate(labels), repeat=2) if i != j]
    return float(1 - observed / np.mean(others))


def test_alpha_is_its_definition() -> None:
    human, judge = draw(3, pairs=25)
    assert ordinal_alpha(counts_of(human, judge)) == pytest.approx(slow_alpha(human, judge), abs=1e-12)


def widened(value: float, drawn: object, topics: int, alpha: float) -> tuple[float, float]:
    """By the formula: percentiles, 1.19 times as far from the median over 12 topics as resamples say, and without the
    bias of as many topics as 50 have less."""
    low, middle, high = np.quantile(np.asarray(drawn), [alpha / 2, 0.5, 1 - alpha / 2])
    wide = np.sqrt(topics / (topics - 1)) * t.ppf(1 - alpha / 2, topics - 1) / norm.ppf(1 - alpha / 2)
    moved = value - (1 - topics / 50) * (middle - value)
    return min(value, moved) - wide * (middle - low), max(value, moved) + wide * (high - middle)


def test_intervals_are_those_of_topics_drawn_anew() -> None:
    rng = np.random.default_rng(5)
    topic = np.sort(rng.integers(0, 12, 400))
    human, judge = draw(5, pairs=400)
    judge = np.where(topic < 4, np.minimum(judge + 1, 3), judge)  # topics differ
    weights = rng.multinomial(12, np.full(12, 1 / 12), size=40).astype(float)
    labels = compare_labels(count_confusion(human, judge, topic, 12, LEVELS), LEVELS, weights)
    kappas, biases = [], []
    for drawn in weights.astype(int):
        pairs = np.concatenate([np.tile(np.flatnonzero(topic == place), times) for place, times in enumerate(drawn)])
        kappas.append(cohen_kappa_score(human[pairs], judge[pairs], weights="quadratic", labels=range(4)))
        biases.append(np.mean(judge[pairs] - human[pairs]))
    assert labels.kappa is not None
    assert labels.kappa.bounds == pytest.approx(widened(labels.kappa.value, kappas, 12, 0.05), abs=1e-12)
    assert labels.bias.bounds == pytest.approx(widened(labels.bias.value, biases, 12, 0.05), abs=1e-12)
    assert labels.bias.value == pytest.approx(np.mean(judge - human))


def test_the_bias_of_a_grade_is_that_of_its_pairs() -> None:
    labels = compare_labels(
        np.array([[[2.0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 3, 0], [0, 0, 4, 0]]]), LEVELS, np.ones((3, 1))
    )
    biases = [bias and bias.value for bias in labels.bias_by_grade]
    assert biases == [(1 + 3) / 4, None, -2 / 4, -1]
    assert (labels.pairs, labels.topics) == (12, 1)


@pytest.mark.parametrize("seed", range(20))
def test_no_bound_of_the_bias_of_a_grade_is_beyond_what_judges_can_give(seed: int) -> None:
    rng = np.random.default_rng(seed)
    human, topic = rng.integers(0, 4, 40), rng.integers(0, 6, 40)
    judge = np.where(rng.random(40) < 0.8, rng.choice([0, 3], 40), human)
    counts = count_confusion(human, judge, topic, 6, LEVELS)
    labels = compare_labels(counts, LEVELS, rng.multinomial(6, np.full(6, 1 / 6), size=200).astype(float))
    for grade, found in enumerate(labels.bias_by_grade):
        if found is not None and found.bounds is not None:
            assert -grade <= found.bounds[0] <= found.value <= found.bounds[1] <= 3 - grade
        held = len(set(topic[human == grade].tolist()))
        assert held >= 3 or found is None or found.bounds is None  # 3 topics that have the grade, or no bounds


def test_kappa_and_alpha_of_one_and_the_same_grade_are_undefined() -> None:
    labels = compare_labels(counts_of(np.ones(9, int), np.ones(9, int))[None], LEVELS, np.ones((3, 1)))
    assert labels.kappa is None
    assert labels.alpha is None
    assert labels.bias.value == 0


def test_negative_grades_are_the_grade_zero() -> None:
    counts = count_confusion(np.array([-1.0, -2, 3]), np.array([0.0, 1, -1]), np.zeros(3, int), 1, LEVELS)
    assert counts[0, 0].tolist() == [1, 1, 0, 0]
    assert counts[0, 3].tolist() == [1, 0, 0, 0]


GRADES = (0.0, 1.0, 2.0)
CONFUSION = np.array([[6, 3, 1], [2, 2, 4], [0, 1, 9]])
TOPIC = CONFUSION[None]


def test_the_worth_of_a_grade_is_the_mean_share_of_users_that_the_judges_grades_satisfy() -> None:
    worth = compute_worth(parse_measure("GAP(g=[0.2,0.8])"), TOPIC, GRADES)
    assert worth is not None
    expected = [(3 * 0.2 + 1) / 10, (2 * 0.2 + 4) / 8, (0.2 + 9) / 10]
    assert worth.value.tolist() == pytest.approx(expected)
    rise = expected[2] - expected[0]
    assert worth.shares.tolist() == pytest.approx(
        [(expected[1] - expected[0]) / rise, (expected[2] - expected[1]) / rise]
    )


def test_gains_count_as_shares_of_the_highest() -> None:
    worth = compute_worth(parse_measure("nDCG(dcg='exp-log2')@10"), TOPIC, GRADES)
    assert worth is not None
    assert worth.value.tolist() == pytest.approx([(3 / 3 + 1) / 10, (2 / 3 + 4) / 8, (1 / 3 + 9) / 10])


def test_a_perfect_judge_has_the_g_of_the_measure() -> None:
    worth = compute_worth(parse_measure("GAP(g=[0.2,0.8])"), np.diag([5, 4, 3])[None], GRADES)
    assert worth is not None
    assert worth.value.tolist() == pytest.approx([0, 0.2, 1])
    assert worth.shares.tolist() == pytest.approx([0.2, 0.8])


def test_a_grade_without_pairs_is_worth_nothing_known() -> None:
    worth = compute_worth(parse_measure("GAP"), np.array([[[5, 1, 0], [0, 0, 0], [0, 1, 2]]]), GRADES)
    assert worth is not None
    assert np.isnan(worth.value).tolist() == [False, True, False]
    assert np.isnan(worth.shares).all()


@pytest.mark.parametrize("measure", ["AP", "P@5", "Bpref"])
def test_measures_with_a_threshold_weigh_no_grades(measure: str) -> None:
    assert compute_worth(parse_measure(measure), TOPIC, GRADES) is None


def test_the_interval_of_worth_is_that_of_topics_drawn_anew() -> None:
    counts = np.random.default_rng(0).integers(1, 9, (6, 3, 3)) + 20.0 * np.eye(3)
    weights = np.random.default_rng(1).multinomial(6, np.full(6, 1 / 6), size=50).astype(float)
    measure = parse_measure("GAP(g=[0.2,0.8])")
    worth = compute_worth(measure, counts, GRADES, weights, 0.1)
    assert worth is not None
    drawn = [compute_worth(measure, np.repeat(counts, row.astype(int), axis=0), GRADES) for row in weights]
    for bounds, of in ((worth.bounds, "value"), (worth.share_bounds, "shares")):
        samples = np.array([getattr(one, of) for one in drawn])
        expected = [widened(value, samples[:, place], 6, 0.1) for place, value in enumerate(getattr(worth, of))]
        np.testing.assert_allclose(bounds, expected)


@pytest.mark.parametrize(("topics", "low"), [(12, 0.025 ** (1 / 12)), (2, None)])
def test_labels_that_are_the_same_in_all_topics_have_the_bounds_of_topics_like_none(
    topics: int, low: float | None
) -> None:
    counts = np.repeat(np.diag([5.0, 0, 3, 2])[None], topics, axis=0)
    labels = compare_labels(counts, LEVELS, np.ones((3, topics)))
    assert labels.kappa is not None
    assert labels.alpha is not None
    for one in (labels.kappa, labels.alpha):
        assert one.bounds == (None if low is None else pytest.approx((low, 1.0)))
    assert labels.bias.bounds is None
