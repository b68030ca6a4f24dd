"""Features judged by virtual users: the OHSUMED study of Scheel et al. (2011)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gradeval import AP, Features, InputError, MeannDCG, evaluate, judge, muAP, read_letor
from gradeval.papers.strategies import STRATEGIES, Judgment, judge_strategies, ranks_as_grades, values_as_grades
from gradeval.papers.virtual_users import LABELS, USERS
from gradeval.scores.scores import Empty

MUAP, NDCG, NDCNG, MEAN_NDCG, MEAN_NDCNG = range(5)


def small() -> Features:
    """Two topics, three features; the third topic has nothing relevant to anybody."""
    X = [[3, 0.5, 1], [1, 2.5, 1], [9, 1.5, 1], [1, -0.5, 1], [3, 4.5, 1], [1, -0.5, 1]]
    return Features.from_arrays(X, [1, 0, 2, 0, 1, 0], sizes=[3, 2, 1], name="f")


def test_values_are_ranked_over_the_whole_collection_or_shifted_to_0() -> None:
    assert ranks_as_grades(small(), 1).tolist() == [1, 0, 2, 0, 1, 0]
    assert values_as_grades(small(), 2).tolist() == [1, 3, 2, 0, 5, 0]
    assert ranks_as_grades(small(), 2).tolist() == [1, 3, 2, 0, 4, 0]
    assert values_as_grades(small(), 1).tolist() == [2, 0, 8, 0, 2, 0]


def test_strategies_are_measured_as_the_registered_measures_do() -> None:
    features = small()
    users = {"ranks": ranks_as_grades(features, 1), "values": values_as_grades(features, 2)}
    for judgment in judge_strategies(features, users, [1, 2, 3]):
        rated = features.with_grades(users[judgment.user])
        runs = [features.run(strategy, name=str(strategy)) for strategy in (1, 2, 3)]
        whole = evaluate(rated.qrels, runs, "muAP nDCG(dcg='exp-log2') NDCNG", ties="order")
        assert judgment.values[..., :3] == pytest.approx(whole.values)
        measures = [AP(rel=level) for level in judgment.thresholds]
        assert judgment.by_threshold == pytest.approx(evaluate(rated.qrels, runs, measures, ties="order").mean())
        assert (judgment.strategies, judgment.topics) == (["1", "2", "3"], ["1", "2", "3"])
        assert judgment.mean() == pytest.approx(judgment.values.mean(axis=1))
        for topic, length in enumerate((3, 2, 1)):
            alone = judge(rated.select(str(topic + 1)).qrels, runs, ties="order")
            mean = (MeannDCG(dcg="exp-log2") @ length)(alone)
            assert judgment.values[:, topic, MEAN_NDCG] == pytest.approx(mean[:, 0])


def test_a_hand_worked_topic() -> None:
    # Feature 1 ranks grades 2, 1, 0; feature 3 ties all and leaves the order of the file: 1, 0, 2.
    (judgment,) = judge_strategies(small(), {"labels": small().grades}, [1, 3])
    assert judgment.values[0, 0].tolist() == [1] * 5
    ap1, ap2 = (1 / 1 + 2 / 3) / 2, 1 / 3
    assert judgment.values[1, 0, MUAP] == pytest.approx((ap1 + ap2) / 2)
    ideal = 3 + 1 / np.log2(3)
    assert judgment.values[1, 0, NDCG] == pytest.approx((1 + 3 / 2) / ideal)
    assert judgment.values[1, 0, MEAN_NDCG] == pytest.approx((1 / 3 + 1 / ideal + (1 + 3 / 2) / ideal) / 3)
    assert judgment.values[:, 2].tolist() == [[0] * 5] * 2  # nothing relevant
    assert judgment.by_threshold[1].tolist() == pytest.approx([(ap1 + 1 / 2 + 0) / 3, ap2 / 3])


@pytest.mark.parametrize("empty", ["zero", "skip", "one"])
def test_topics_that_lack_a_grade_count_as_they_do_in_evaluate(empty: Empty) -> None:
    features = small()
    grades = np.array([1.0, 0, 4, 2, 0, 0])
    (judgment,) = judge_strategies(features, {"user": grades}, [1, 2, 3], empty=empty)
    assert (judgment.empty, judgment.without.tolist()) == (1, [1, 1, 2])
    qrels = features.with_grades(grades).qrels
    runs = [features.run(strategy, name=str(strategy)) for strategy in (1, 2, 3)]
    by_threshold = [AP(rel=level) for level in (1, 2, 4)]
    expected = evaluate(qrels, runs, by_threshold, ties="order", empty=empty).mean()
    assert judgment.by_threshold == pytest.approx(expected)
    expected = evaluate(qrels, runs, "muAP nDCG(dcg='exp-log2') NDCNG", ties="order", empty=empty).mean()
    assert judgment.mean()[:, :3] == pytest.approx(expected)


def test_where_other_topics_are_left_out_two_must_remain() -> None:
    grades = np.array([1.0, 0, 4, 0, 0, 0])
    with pytest.raises(InputError, match="f: user: something is relevant in 1 of 3 topics; give two or more"):
        judge_strategies(small(), {"user": grades}, [1], empty="skip")
    with pytest.raises(InputError, match="empty='none' is not 'zero', 'skip' or 'one'"):
        judge_strategies(small(), {"user": grades}, [1], empty="none")  # type: ignore[arg-type]


def test_scaling_the_grades_changes_what_ndcg_says_alone() -> None:
    grades = small().grades
    once, twice = judge_strategies(small(), {"once": grades, "twice": 2 * grades}, [2, 3])
    for measure in (MUAP, NDCNG, MEAN_NDCNG):
        assert twice.values[..., measure] == pytest.approx(once.values[..., measure])
    assert (twice.values[1, 0, [NDCG, MEAN_NDCG]] < once.values[1, 0, [NDCG, MEAN_NDCG]]).all()


def test_errors_are_those_of_means() -> None:
    (judgment,) = judge_strategies(small(), {"labels": small().grades}, [1])
    values = judgment.values[0, :, MUAP]
    assert judgment.error()[0, MUAP] == pytest.approx(np.std(values, ddof=1) / 3**0.5)


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(InputError, match="f: no feature 5 among its 3"):
        judge_strategies(small(), {"labels": small().grades}, [5])
    with pytest.raises(InputError, match="f: 1 topics; give two or more"):
        judge_strategies(small().select("1"), {}, [1])
    with pytest.raises(InputError, match="f: give one grade for each of its 6 rows, 0 or more"):
        judge_strategies(small(), {"mine": np.arange(-1, 5)}, [1])


@pytest.fixture(scope="module")
def ohsumed(data: Callable[[str], Path]) -> Features:
    return Features.concat([read_letor(data("ohsumed-letor2") / f"S{part}.txt") for part in range(1, 6)])


@pytest.fixture(scope="module")
def figures(ohsumed: Features) -> list[Judgment]:
    """Figures 6, 7 and 8."""
    return judge_strategies(ohsumed, {user.name: user.grades(ohsumed) for user in (LABELS, *USERS)})


@pytest.mark.realdata
def test_scheel_the_collection_and_its_virtual_users(ohsumed: Features) -> None:
    assert (len(ohsumed.topics), len(ohsumed.columns), ohsumed.levels) == (106, 25, (0, 1, 2))
    assert ranks_as_grades(ohsumed, 1).max() == 9 - 1
    # The paper says 158 levels; the public file of LETOR 2.0 holds 1,126 distinct values.
    assert len(np.unique(values_as_grades(ohsumed, 9))) == 1126
    assert np.corrcoef(ohsumed.column(1), ohsumed.column(9))[0, 1] == pytest.approx(0.96, abs=0.005)


@pytest.mark.realdata
def test_scheel_figure_6_muap_is_the_mean_over_the_thresholds_but_for_topics_without_grade_2(
    ohsumed: Features, figures: list[Judgment]
) -> None:
    labels = figures[0]
    assert labels.thresholds == (1, 2)
    runs = [ohsumed.run(strategy) for strategy in STRATEGIES]
    globally = evaluate(ohsumed.qrels, runs, [muAP(levels="global")], ties="order").mean()[:, 0]
    assert labels.by_threshold.mean(axis=1) == pytest.approx(globally)
    full = ohsumed.qrels.grading().pools.pool[:, 2] > 0
    assert 0 < (~full).sum() < 10
    assert (labels.mean()[:, MUAP] > globally).all()


@pytest.mark.realdata
def test_scheel_figures_7_and_8_the_reference_scores_1_and_its_neighbour_comes_next(figures: list[Judgment]) -> None:
    for figure, reference, neighbour in ((figures[1], "1", "9"), (figures[2], "9", "1")):
        mean = figure.mean()
        at = figure.strategies.index(reference)
        assert figure.values[at] == pytest.approx(1, abs=1e-12)
        others = np.delete(mean, at, axis=0)
        names = np.delete(figure.strategies, at)
        assert set(names[others.argmax(axis=0)]) == {neighbour}
        assert (others < 1).all()


@pytest.mark.realdata
def test_scheel_figure_7_the_user_reaches_1_at_all_8_thresholds_where_queries_without_the_grade_are_left_out(
    ohsumed: Features, figures: list[Judgment]
) -> None:
    grades = {"user": ranks_as_grades(ohsumed, 1)}
    (judgment,) = judge_strategies(ohsumed, grades, [1, 9, 5], empty="skip")
    assert judgment.by_threshold[0] == pytest.approx(np.ones(8))
    assert judgment.by_threshold[1:].mean(axis=1).round(3).tolist() == [0.984, 0.174]
    assert figures[1].by_threshold[0].mean() == pytest.approx(0.454, abs=0.0005)  # where they count 0


@pytest.mark.realdata
def test_scheel_ndcg_falls_with_more_levels_and_the_others_hardly_change(figures: list[Judgment]) -> None:
    few, many = figures[1].mean(), figures[2].mean()
    others = [place for place, name in enumerate(figures[1].strategies) if name not in ("1", "9")]
    change = many[others] - few[others]
    assert (np.abs(change[:, [MUAP, NDCNG, MEAN_NDCNG]]) < 0.02).all()
    assert (change[:, [NDCG, MEAN_NDCG]] < -0.2).all()


@pytest.mark.realdata
def test_strategies_that_know_the_query_alone_leave_the_order_of_the_file(
    ohsumed: Features, figures: list[Judgment]
) -> None:
    for strategy in ("5", "15"):
        values = ohsumed.column(strategy)
        assert all(len(set(values[a:b].tolist())) == 1 for a, b in pairwise(ohsumed.offsets))
    for figure in figures:
        first, second = (figure.strategies.index(name) for name in ("5", "15"))
        assert np.array_equal(figure.values[first], figure.values[second])


@pytest.mark.realdata
def test_letor_too_averages_ndcg_over_all_ranks_of_a_query(data: Callable[[str], Path]) -> None:
    folder = data("ltr-system-scores") / "OHSUMED" / "OHSUMED"
    test = read_letor(data("ohsumed-letor3") / "S5.txt")
    judged = judge(test.qrels, test.run(np.loadtxt(folder / "ListNet.Fold1.test.score")), ties="order")
    values = []
    for topic, length in enumerate(np.diff(test.offsets).tolist()):
        gains = np.exp2(judged.rows(np.array([topic])).grades[0, :length]) - 1
        discount = 1 / np.log2(np.maximum(2, np.arange(1, length + 1)))
        reached, ideal = (gains * discount).cumsum(), (np.sort(gains)[::-1] * discount).cumsum()
        values.append((reached / ideal).mean() if gains.any() else 0)
    assert np.mean(values) == pytest.approx(0.4913, abs=0.00005)  # MeanNDCG as LETOR published it
