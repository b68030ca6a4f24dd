from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawings import data, texts

import gradeval
from gradeval import Features
from gradeval.charts.plotting import plot
from gradeval.papers.virtual_users import SHOWN, User, UserStudy, virtual_users

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.rendering import COLOURS
from gradeval.charts.users_charts import LETTER, POINTS, TICK, USERS_WIDTH, users_chart


@cache
def study(columns: int = 4, documents: int = 6, *users: User) -> UserStudy:
    rng = np.random.default_rng(5)
    X = rng.random((3 * documents, columns))
    X[:, 1] = X[:, 0] * 2  # the same order
    X[:, 2] = np.repeat([1, 2, 3], documents)  # constant in each topic
    features = Features.from_arrays(X, rng.integers(0, 3, len(X)), sizes=[documents] * 3)
    strategies = [str(number) for number in range(1, columns + 1)]
    return virtual_users(features, users=users or (User("1", 4), User("1")), strategies=strategies, samples=100)


@cache
def drawn(columns: int = 4, documents: int = 6, *users: User) -> Any:
    """The chart of a study, made once: Altair takes a second."""
    return users_chart(study(columns, documents, *users))


def records(chart: Any, key: str) -> list[dict[str, Any]]:
    """The records of a strategy that have a key."""
    return [record for record in data(chart) if key in record and "strategy" in record]


@cache
def said(*asked: Any) -> str:
    return texts(drawn(*asked)).replace("\xa0", " ")


def test_each_user_has_each_measure_with_the_intervals_of_all_strategies() -> None:
    user_study = study()
    bars = records(drawn(), "low")
    expected = [
        (strategy, mean, low, high)
        for user, one in enumerate(user_study.judgments)
        for measure in SHOWN
        for strategy, mean, (low, high) in zip(
            one.strategies, one.mean()[:, measure].tolist(), user_study.interval(user)[:, measure].tolist(), strict=True
        )
    ]
    unique = list(dict.fromkeys((r["strategy"], r["mean"], r["low"], r["high"], r["row"]) for r in bars))
    assert {entry[:4] for entry in unique} == set(expected)


def test_rings_show_the_virtual_user_above() -> None:
    user_study = study()
    last = [record["before"] for record in records(drawn(), "before")][-4:]
    assert last == user_study.judgments[1].mean()[:, list(SHOWN)[-1]].tolist()
    words = said()
    assert "user: feature 1, 4 grades; rings" not in words
    assert "user: feature 1, values (18 grades); rings: the user above, feature 1, 4 grades" in words


def test_strategies_with_the_same_line_share_it_and_their_names_stand_before_it() -> None:
    labels = [record["text"] for record in records(drawn(), "text")]
    assert labels[:3] == ["1, 2", "3", "4"]


def test_a_strategy_says_that_it_is_the_user_or_constant() -> None:
    words = said()
    assert "1 (the user)" in words
    assert "3 (file order)" in words
    assert "18 features" not in words
    assert "4 features as strategies, 3 topics; bars: 95% intervals of the means" in words


def test_thousands_of_thresholds_make_hundreds_of_points() -> None:
    user_study = study(4, 400, User("4"))
    assert user_study.judgments[1].grades == 1200
    line = [r for r in records(drawn(4, 400, User("4")), "threshold") if "value" in r and r["strategy"] == "4"]
    virtual = [record for record in line if record["threshold"] not in (1, 2)]
    assert POINTS / 2 < len(virtual) <= POINTS
    assert virtual[0]["threshold"] == user_study.judgments[1].thresholds[0]
    assert virtual[-1]["threshold"] == user_study.judgments[1].thresholds[-1]


def test_more_strategies_than_colours_have_lines_that_differ() -> None:
    chart = drawn(len(COLOURS) + 2, 6, User("1")).to_dict()
    encoding = chart["vconcat"][0]["hconcat"][0]["layer"][0]["encoding"]
    lines = list(
        zip(encoding["color"]["scale"]["range"], map(str, encoding["strokeDash"]["scale"]["range"]), strict=True)
    )
    assert len(set(lines)) == len(COLOURS) + 2


def test_a_user_of_two_grades_has_one_threshold() -> None:
    assert "user: feature 1, 2 grades" in said(4, 6, User("1", 2))


@pytest.mark.parametrize("letters", [1, 20])
def test_the_names_before_the_lines_have_room(letters: int) -> None:
    X = np.random.default_rng(2).random((12, 3))
    names = [letter * letters for letter in "abc"]
    features = Features.from_arrays(X, [0, 1, 2] * 4, sizes=[6, 6], columns=names)
    chart = users_chart(virtual_users(features, users=[User(names[0], 3)], strategies=names, samples=100)).to_dict()
    for user in chart["vconcat"]:
        low, high = user["hconcat"][0]["layer"][0]["encoding"]["x"]["scale"]["domain"]
        assert USERS_WIDTH * (1 - low) / (high - low) == pytest.approx(
            TICK + LETTER * letters
        )  # the lines begin at grade 1


def test_users_read_off_clicks_are_drawn() -> None:
    examples = Path(__file__).resolve().parents[2] / "examples"
    run = min((examples / "runs").glob("*.txt"))
    qrels = gradeval.read_qrels(examples / "qrels.txt")
    log = gradeval.simulate_clicks(qrels, gradeval.read_run(run), g=[0.2, 0.3, 0.5], sessions=2000, seed=1)
    users = gradeval.clicks(log, qrels, samples=50)
    shares = [record["share"] for record in data(plot(users).altair) if "share" in record]
    assert shares == users.g.tolist()
