"""Features judged by virtual users: the OHSUMED study of Scheel et al. (2011)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradeval import AP, Features, InputError, evaluate, judge, muAP, read_letor
from gradeval.papers.strategies import (
    STRATEGIES,
    Judgment,
    constant_strategies,
    judge_strategies,
    ranks_as_grades,
    scale_as_grades,
    values_as_grades,
)
from gradeval.papers.virtual_users import LABELS, SHOWN, USERS, User, UserStudy, interval_of_mean, virtual_users
from gradeval.scores.scores import Empty

MUAP, NDCG, NDCNG, MEAN_NDCG, MEAN_NDCNG = range(5)


def small() -> Features:
    """Two topics, three features; the third topic has nothing relevant to anybody."""
    X = [[3, 0.5, 1], [1, 2.5, 1], [9, 1.5, 1], [1, -0.5, 1], [3, 4.5, 1], [1, -0.5, 1]]
    return Features.from_arrays(X, [1, 0, 2, 0, 1, 0], sizes=[3, 2, 1], name="f")


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
        judge_strategies(small(), {"user": grades}, [1], empty="none")


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


MUAP, NDCG, NDCNG, MEAN_NDCG, MEAN_NDCNG = range(5)


def small_study() -> Features:
    """Two topics, four features; the third is constant in each topic, the fourth orders as the second."""
    X = [[3, 0.5, 7, 1], [1, 2.5, 7, 5], [9, 1.5, 7, 3], [1, -0.5, 4, 0], [3, 4.5, 4, 9]]
    return Features.from_arrays(X, [2, 0, 1, 0, 1], sizes=[3, 2], name="f")


def study(*users: User, strategies: tuple[str, ...] = ("1", "2", "3", "4"), seed: int = 0) -> UserStudy:
    return virtual_users(small_study(), users=users, strategies=strategies, samples=500, seed=seed)


def test_a_user_on_a_scale_gives_equal_parts_of_the_range() -> None:
    assert scale_as_grades(small_study(), 2, 2).tolist() == [0, 1, 0, 0, 1]  # -0.5 to 4.5: from 2 on
    assert scale_as_grades(small_study(), 2, 5).tolist() == [1, 3, 2, 0, 4]
    assert User("2", 5).grades(small_study()).tolist() == [1, 3, 2, 0, 4]
    with pytest.raises(InputError, match="a scale of 1 grades tells nothing apart"):
        scale_as_grades(small_study(), 2, 1)


def test_users_go_by_feature_and_by_what_is_made_of_it() -> None:
    users = [LABELS, User("9", "ranks"), User("9"), User("9", 20)]
    assert [user.name for user in users] == ["labels", "feature 9, ranks", "feature 9, values", "feature 9, 20 grades"]


def test_the_labels_come_first_and_titles_count_the_grades() -> None:
    user_study = study(User("2"), User("2", 10), User("1", "ranks"))
    assert [user_study.title(user) for user in range(4)] == [
        "labels (3 grades)",
        "feature 2, values (5 grades)",
        "feature 2, 10 grades (5 used)",
        "feature 1, ranks (3 grades)",
    ]
    assert study(User("2", 5)).title(1) == "feature 2, 5 grades"


def test_what_is_to_be_known_of_a_strategy_stands_beside_it() -> None:
    user_study = study(User("3"))
    assert user_study.constant == constant_strategies(small_study(), [1, 2, 3, 4]) == ["3"]
    assert [user_study.remark(0, name) for name in user_study.strategies] == ["", "", " (file order)", ""]
    assert user_study.remark(1, "3") == " (the user)"


def test_strategies_that_are_no_user_are_compared_topic_by_topic() -> None:
    user_study = study(User("1"), User("2"))
    assert (user_study.samples, user_study.seed) == (500, 0)
    assert user_study.others == ["3", "4"]
    before, after = (user_study.judgments[user].values[2:] for user in (1, 2))
    assert user_study.mean_of_others(1)[0] == pytest.approx(before.mean(axis=(0, 1)))
    change, bounds = user_study.change(1, 2)
    by_topic = (after - before).mean(axis=0)
    assert change == pytest.approx(by_topic.mean(axis=0))
    assert bounds == pytest.approx(np.sort(by_topic, axis=0).T)  # two topics: 1/4 of the samples are one of them twice


def test_the_nearest_are_all_that_come_second_by_some_measure() -> None:
    assert study(User("2")).nearest(1) == ["4"]  # it orders the documents likewise
    assert study(User("2"), strategies=("1", "2")).nearest(1) == ["1"]
    assert study(User("2"), strategies=("1", "3", "4")).nearest(1) == ["4"]
    assert study(User("2"), strategies=("2",)).nearest(1) == []


@pytest.mark.parametrize("ranks", [(1, 3, 7), (7, 3, 1)])
def test_strategies_that_differ_by_rounding_alone_are_equally_near(ranks: tuple[int, ...]) -> None:
    """One has the user's document at these ranks, topic by topic, the other at the same from the last topic on: their
    means are equal but for the order of the sum."""
    user = np.tile(np.arange(8) == 0, 3).astype(float)
    first, second = (
        np.concatenate([np.where(np.arange(8) == 0, 8.5 - rank, 8 - np.arange(8)) for rank in each])
        for each in (ranks, ranks[::-1])
    )
    features = Features.from_arrays(np.column_stack([user, first, second]), user, sizes=[8] * 3, name="f")
    result = virtual_users(features, users=[User("1")], strategies=("1", "2", "3"), measures="AP", samples=10)
    assert result.judgments[1].values[1, :, 0].tolist() == pytest.approx([1 / rank for rank in ranks])
    assert result.nearest(1) == ["2", "3"]


def test_intervals_hold_the_middle_of_the_resampled_means() -> None:
    rng = np.random.default_rng(4)
    values = rng.random((3, 400, 2))
    bounds = interval_of_mean(values, seed=1)
    error = values.std(axis=1) / 400**0.5
    normal = values.mean(axis=1)[..., None] + 1.96 * error[..., None] * np.array([-1, 1])
    assert bounds == pytest.approx(normal, abs=0.1 * float(error.min()) + 0.002)
    assert np.array_equal(bounds, interval_of_mean(values, seed=1))
    assert not np.array_equal(bounds, interval_of_mean(values, seed=2))


def test_no_grade_is_too_large_for_an_exponential_gain() -> None:
    X = [[5000.0, 1], [4999, 2], [4998, 3], [7, 1], [0, 2]]
    features = Features.from_arrays(X, [0] * 5, sizes=[3, 2], name="f")
    large = features.column(1).astype(float)
    few = large - [4950, 4950, 4950, 0, 0]  # where 2^-g is nothing, only the distance from the highest grade matters
    first, second = judge_strategies(features, {"large": large, "few": few}, ["1", "2"])
    assert first.values[..., [NDCG, MEAN_NDCG]] == pytest.approx(second.values[..., [NDCG, MEAN_NDCG]])
    assert (second.values[1, 0, [NDCG, MEAN_NDCG]] < 0.9).all()


def test_topics_without_a_difference_are_counted() -> None:
    (one,) = judge_strategies(small_study(), {"user": np.array([2.0, 2, 2, 0, 0])}, ["1"])
    assert (one.flat, one.empty) == (1, 1)
    assert one.values[0].tolist() == [[1] * 5, [0] * 5]


@pytest.mark.parametrize(
    ("users", "strategies", "message"),
    [
        ([User("2"), User("2")], ["1"], "f: user feature 2, values is there twice"),
        ([User("2")], ["1", "1"], "f: strategy 1 is there twice"),
        ([User("7")], ["1"], "users: f has no feature '7' among its 4"),
    ],
)
def test_what_is_there_twice_or_not_at_all_is_said(users: list[User], strategies: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        virtual_users(small_study(), users=users, strategies=strategies)


def test_who_gives_one_grade_is_no_user() -> None:
    features = Features.from_arrays([[1, 5], [2, 5], [3, 5]], [0, 0, 0], sizes=[2, 1], name="f")
    with pytest.raises(InputError, match="f: feature 2 has one value throughout, which is one grade"):
        virtual_users(features, users=[User("2")], strategies=["1"])
    with pytest.raises(InputError, match="f: labels: no document has a positive grade"):
        virtual_users(features, users=[User("1")], strategies=["1"])


@pytest.mark.realdata
def test_scheel_users_who_think_alike_agree_by_muap_and_ndcng_but_not_by_ndcg(data: Callable[[str], Path]) -> None:
    features = Features.concat([read_letor(data("ohsumed-letor2") / f"S{part}.txt") for part in range(1, 6)])
    user_study = virtual_users(features)
    assert (user_study.constant, user_study.others) == (["5", "15"], ["5", "11", "15", "19", "21", "22"])
    assert (user_study.nearest(1), user_study.nearest(2)) == (["9"], ["1"])
    change, bounds = user_study.change(1, 2)
    named = {name: (change[place], *bounds[place]) for place, name in SHOWN.items()}
    for name in ("muAP", "mean NDCNG"):
        assert abs(named[name][0]) < 0.01
        assert named[name][1] < 0 < named[name][2]
    assert named["mean nDCG (exp)"][2] < -0.2


def test_the_table_has_a_grid_for_each_user_and_one_of_all() -> None:
    result = study(User("2"))
    table = result.table()
    assert [grid.title for grid in table.grids][:2] == [result.title(0), result.title(1)]
    assert "mean over the strategies that are no user: 1, 3, 4" in table.grids[-1].title
    low, high = result.interval(1)[0, 0]
    assert f"{result.judgments[1].mean()[0, 0]:.3f} [{low:.3f}, {high:.3f}]" in str(result)
