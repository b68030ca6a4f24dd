"""Users side by side: what changes from one to another, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradeval import Features, InputError, read_letor
from gradeval.papers.strategies import constant_strategies, judge_strategies, scale_as_grades
from gradeval.papers.virtual_users import LABELS, SHOWN, User, UserStudy, interval_of_mean, virtual_users

MUAP, NDCG, NDCNG, MEAN_NDCG, MEAN_NDCNG = range(5)


def small() -> Features:
    """Two topics, four features; the third is constant in each topic, the fourth orders as the second."""
    X = [[3, 0.5, 7, 1], [1, 2.5, 7, 5], [9, 1.5, 7, 3], [1, -0.5, 4, 0], [3, 4.5, 4, 9]]
    return Features.from_arrays(X, [2, 0, 1, 0, 1], sizes=[3, 2], name="f")


def study(*users: User, strategies: tuple[str, ...] = ("1", "2", "3", "4"), seed: int = 0) -> UserStudy:
    return virtual_users(small(), users=users, strategies=strategies, samples=500, seed=seed)


def test_a_user_on_a_scale_gives_equal_parts_of_the_range() -> None:
    assert scale_as_grades(small(), 2, 2).tolist() == [0, 1, 0, 0, 1]  # -0.5 to 4.5: from 2 on
    assert scale_as_grades(small(), 2, 5).tolist() == [1, 3, 2, 0, 4]
    assert User("2", 5).grades(small()).tolist() == [1, 3, 2, 0, 4]
    with pytest.raises(InputError, match="a scale of 1 grades tells nothing apart"):
        scale_as_grades(small(), 2, 1)


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
    assert user_study.constant == constant_strategies(small(), [1, 2, 3, 4]) == ["3"]
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
    (one,) = judge_strategies(small(), {"user": np.array([2.0, 2, 2, 0, 0])}, ["1"])
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
        virtual_users(small(), users=users, strategies=strategies)


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
