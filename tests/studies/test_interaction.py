"""Welch's test of equal mean differences over slices, against SciPy."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gradeval import Scores, evaluate
from gradeval.scores.slices import slice_topics
from gradeval.studies.interaction import FEWEST, find_interactions, welch_test
from gradeval.studies.significance import all_pairs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak", "cedar")]
pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(EXAMPLES / "qrels.txt", RUNS, "AP nDCG@10 AP(rel=3)", empty="skip")


@pytest.mark.parametrize("sizes", [(5, 9), (6, 30), (12, 12)])
def test_two_groups_are_compared_by_welch_s_t_test(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    groups = [rng.normal(0.1 * place, 1 + place, (4, size)) for place, size in enumerate(sizes)]
    statistic, p = welch_test(groups)
    expected = stats.ttest_ind(*groups, axis=-1, equal_var=False)
    assert p == pytest.approx(expected.pvalue, rel=1e-10)
    assert statistic == pytest.approx(expected.statistic**2, rel=1e-10)


def test_more_groups_are_compared_by_welch_s_f_test() -> None:
    rng = np.random.default_rng(4)
    groups = [rng.normal(0.3 * place, 1 + place, (3, size)) for place, size in enumerate((5, 20, 8, 40))]
    statistic, p = welch_test(groups)
    expected = stats.f_oneway(*groups, axis=-1, equal_var=False)
    assert p == pytest.approx(expected.pvalue, rel=1e-9)
    assert statistic == pytest.approx(expected.statistic, rel=1e-9)


ALIKE, VARIED = np.full(6, 0.25), np.array([0.1, 0.5, -0.2, 0.3, 0.4, 0.9])


@pytest.mark.parametrize(
    ("groups", "p"),
    [
        ([ALIKE, ALIKE], 1.0),
        ([ALIKE, ALIKE + 0.1], 2 / math.comb(12, 6)),
        ([ALIKE, ALIKE, ALIKE + 0.1], 6 / math.comb(18, 6)),
        ([VARIED, VARIED], 1.0),
    ],
)
def test_groups_without_any_spread_differ_where_their_means_do(groups: list[np.ndarray], p: float) -> None:
    assert float(welch_test(groups)[1]) == pytest.approx(p)


@pytest.mark.parametrize("groups", [[ALIKE, VARIED], [ALIKE, ALIKE + 0.1, VARIED], [VARIED, ALIKE[:5], VARIED + 10]])
def test_a_group_without_spread_takes_the_pooled_one(groups: list[np.ndarray]) -> None:
    squares, free = (sum(one) for one in zip(*((np.var(g) * len(g), len(g) - 1) for g in groups), strict=True))
    spread = np.full(len(groups), np.sqrt(squares / free))
    replaced = []
    for group, deviation in zip(groups, spread, strict=True):
        shape = np.arange(len(group)) - (len(group) - 1) / 2  # any values with this deviation
        replaced.append(group if np.ptp(group) else group.mean() + deviation * shape / shape.std(ddof=1))
    expected = stats.f_oneway(*replaced, equal_var=False)
    assert welch_test(groups) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


@pytest.mark.parametrize("sizes", [(5, 100), (5, 20, 100), (20, 20)])
@pytest.mark.parametrize("shares", [(0.02, 0.88, 0.1), (0.0, 0.95, 0.05), (0.05, 0.8, 0.15)])
def test_slices_on_which_nothing_moved_make_no_interaction(sizes: tuple[int, ...], shares: tuple[float, ...]) -> None:
    rng = np.random.default_rng(5)
    groups = [rng.choice([-1.0, 0.0, 1.0], (2000, size), p=shares) for size in sizes]
    assert np.mean(welch_test(groups)[1] < 0.05) < 0.06, "differences of one distribution, as by P@1"


def literal_holm(p: list[float]) -> list[float]:
    """The largest, so far, of p times the number of tests that are left; one at most."""
    order = sorted(range(len(p)), key=p.__getitem__)
    corrected, highest = [0.0] * len(p), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - rank) * p[place]))
        corrected[place] = highest
    return corrected


def test_all_pairs_measures_and_columns_are_one_family(scores: Scores) -> None:
    labels = {"parity": lambda one: int(one) % 2, "few": lambda one: int(one) < 404}
    tables = {name: {topic: str(label(topic)) for topic in scores.topics} for name, label in labels.items()}
    slices = slice_topics(next(iter(tables.values())), scores.topics, None)
    slices = type(slices)({**tables, "segment": {topic: str(int(topic) % 3) for topic in scores.topics}})
    parts = [(one, scores.sel(topics=one.topics)) for one in slices.cut(scores.topics)]
    pairs = all_pairs(3)
    found = find_interactions(parts, pairs)
    assert {one.column for one in found} == {"parity", "segment"}, "few has a single slice of 5 topics"
    values, counted = scores.transformed(), scores.counted[0]
    p = []
    for one in found:
        for first, second in pairs.tolist():
            groups = []
            for label in one.labels:
                here = [
                    place
                    for place, topic in enumerate(scores.topics)
                    if slices.labels[one.column][topic] == label and counted[place, one.measure]
                ]
                groups.append(values[first, here, one.measure] - values[second, here, one.measure])
            assert min(map(len, groups)) >= FEWEST
            p.append(float(stats.f_oneway(*groups, equal_var=False).pvalue))
            if len(groups) == 2:
                assert p[-1] == pytest.approx(float(stats.ttest_ind(*groups, equal_var=False).pvalue), rel=1e-9)
    assert np.concatenate([one.p for one in found]) == pytest.approx(p, rel=1e-9)
    assert np.concatenate([one.corrected for one in found]) == pytest.approx(literal_holm(p), rel=1e-9)


def test_coverage_is_not_tested_and_corrects_nothing() -> None:
    both = [
        evaluate(EXAMPLES / "qrels.txt", RUNS, measures)
        for measures in ("AP nDCG@10", "AP Judged@10 nDCG@10 Unjudged@5")
    ]
    results = []
    for scores in both:
        slices = slice_topics(lambda topic: str(int(topic) % 2), scores.topics, None)
        parts = [(one, scores.sel(topics=one.topics)) for one in slices.cut(scores.topics)]
        results.append({str(scores.measures[one.measure]): one for one in find_interactions(parts, all_pairs(3))})
    assert set(results[0]) == set(results[1]) == {"AP", "nDCG@10"}
    for measure, one in results[0].items():
        assert one.corrected.tolist() == results[1][measure].corrected.tolist()


def test_fewer_than_two_slices_of_enough_topics_are_not_tested(scores: Scores) -> None:
    slices = slice_topics(lambda topic: "few" if int(topic) < 405 else "many", scores.topics, None)
    parts = [(one, scores.sel(topics=one.topics)) for one in slices.cut(scores.topics)]
    assert find_interactions(parts, all_pairs(3)) == []
    assert find_interactions([], all_pairs(3)) == []


@pytest.mark.parametrize("sizes", [(3, 3), (2, 4), (2, 2, 2), (2, 3, 2)])
@pytest.mark.parametrize("values", [(0.25, 0.5, 0.75), (0.25, 0.5, 0.25), (1 / 3, 0.1, 0.1)])
def test_without_spread_p_is_the_share_of_the_ways_to_put_topics_into_slices(
    sizes: tuple[int, ...], values: tuple[float, ...]
) -> None:
    """All ways are gone through; where sizes differ p may be larger, as slices change places only with their like."""
    groups = [np.full(size, value) for size, value in zip(sizes, values, strict=False)]
    topics = np.concatenate(groups).tolist()
    ends = np.cumsum(sizes)
    without = [
        all(len({*order[end - size : end]}) == 1 for end, size in zip(ends, sizes, strict=True))
        for order in permutations(topics)
    ]
    share = np.mean(without)
    p = float(welch_test(groups)[1])
    if len({*sizes}) == 1 and len({*values[: len(sizes)]}) == len(sizes):
        assert p == pytest.approx(share)
    assert share * (1 - 1e-9) <= p <= math.factorial(len(sizes)) * share * (1 + 1e-9)
    assert np.isinf(welch_test(groups)[0])
