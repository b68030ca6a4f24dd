"""Features that give away what a ranker is to learn, against a literal look at all pairs."""

from __future__ import annotations

import warnings
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from graded_features import graded_features

from gradeval import Features, FeaturesWarning, InputError
from gradeval.ltr import TreeRanker, crossval
from gradeval.ltr.data.leaks import describe_leaks

DATA = graded_features(60, seed=4)
NUMBER = np.repeat(np.arange(60), np.diff(DATA.offsets))


def with_feature(values: Any, data: Features = DATA) -> Features:
    X = np.column_stack([data.X, values])
    sizes = np.diff(data.offsets)
    return Features.from_arrays(X, data.grades, sizes=sizes, columns=[*data.columns, "new"], name="train")


def orders_all_pairs(values: Any) -> bool:
    """Literally: every two documents of a topic with different grades, always the same way round."""
    signs = {
        np.sign((values[one] - values[other]) * (DATA.grades[one] - DATA.grades[other]))
        for begin, end in zip(DATA.offsets[:-1].tolist(), DATA.offsets[1:].tolist(), strict=True)
        for one, other in combinations(range(begin, end), 2)
        if DATA.grades[one] != DATA.grades[other]
    }
    return len(signs) == 1 and 0 not in signs


def position(grades: Any) -> Any:
    """The place of each document in its topic, sorted by grade."""
    topics = (grades[begin:end] for begin, end in pairwise(DATA.offsets.tolist()))
    return np.concatenate([np.argsort(np.argsort(-one, kind="stable")) for one in topics])


ONE_FAULT = DATA.grades.copy()
ONE_FAULT[int(np.flatnonzero(DATA.grades == DATA.grades.max())[-1])] = -1
COPIES = {
    "copy": DATA.grades,
    "turned": 5 - DATA.grades,
    "position": position(DATA.grades),
    "noisy": DATA.grades + np.random.default_rng(1).uniform(0, 0.9, len(DATA)),
    "one fault": ONE_FAULT,
    "binary": (DATA.grades > 0).astype(float),
    "constant": np.ones(len(DATA)),
    "missing": np.where(np.arange(len(DATA)) == 3, np.nan, DATA.grades),
}


@pytest.mark.parametrize("kind", COPIES)
def test_a_feature_that_orders_all_documents_by_grade_is_asked_about(kind: str) -> None:
    asked = [text for text in describe_leaks(with_feature(COPIES[kind])) if "by grade" in text]
    expected = ["feature new alone orders the documents of every topic by grade; leave it out if it is the grade by "]
    assert [text.startswith(expected[0]) for text in asked] == [True] * orders_all_pairs(COPIES[kind])


def told_apart(values: Any) -> list[tuple[int, int]]:
    """Literally: the topics with a pair of documents that values order by grade, and with one that they order against
    it; missing values are below all others."""
    numbers = [float("-inf") if np.isnan(one) else one for one in values]
    signs: list[set[float]] = [
        {
            np.sign((numbers[one] > numbers[other]) * 2.0 - 1) * np.sign(DATA.grades[one] - DATA.grades[other])
            for one, other in combinations(range(begin, end), 2)
            if numbers[one] != numbers[other]
        }
        for begin, end in pairwise(DATA.offsets.tolist())
    ]
    return [(len([one for one in signs if way in one]), len([one for one in signs if -way in one])) for way in (1, -1)]


NOISE = np.random.default_rng(2).random(len(DATA))
FIRST = np.arange(len(DATA)) < 60  # rows of a few topics
PARTS = {
    "clicked": DATA.grades > 0,
    "not clicked": DATA.grades == 0,
    "booked": DATA.grades == DATA.grades.max(),
    "revenue": np.where(DATA.grades == DATA.grades.max(), 1 + NOISE, 0),
    "time of a click": np.where(DATA.grades > 0, DATA.grades + NOISE / 2, np.nan),
    "one topic wrong": np.where(NUMBER == 7, DATA.grades == 0, DATA.grades > 0),
    "many topics wrong": np.where(NUMBER < 7, DATA.grades == 0, DATA.grades > 0),
    "few topics": (DATA.grades > 0) & FIRST,
    "noise": NOISE,
    "constant": np.ones(len(DATA)),
    "missing": np.full(len(DATA), np.nan),
}


@pytest.mark.parametrize("kind", PARTS)
def test_a_feature_that_hardly_ever_goes_against_the_grades_is_asked_about(kind: str) -> None:
    values = PARTS[kind].astype(float)
    right, wrong = max(told_apart(values))
    asked = [text for text in describe_leaks(with_feature(values)) if text.startswith("feature new tells")]
    expected = right >= 20 and wrong <= 0.02 * right
    assert expected is (kind not in ("many topics wrong", "few topics", "noise", "constant", "missing"))
    said = f"contradicts them in {wrong or 'none'}; leave it out if it is a part of the grade: add --leave"
    assert [said in text for text in asked] == [True] * expected


@pytest.mark.parametrize(
    ("name", "asked"),
    [("booked", True), ("click_bool", True), ("Is-Clicked", True), ("clicked_before", False), ("clicks", False)],
)
def test_a_flag_of_what_users_did_is_asked_about(name: str, asked: bool) -> None:
    flag = (np.random.default_rng(3).random(len(DATA)) < 0.3).astype(float)
    for values, expected in ((flag, asked), (flag * 2, False)):
        data = with_feature(values)
        data = Features.from_arrays(
            data.X, data.grades, sizes=np.diff(data.offsets), columns=[*data.columns[:-1], name], name="train"
        )
        told = [text for text in describe_leaks(data) if f"feature {name} is named after what users did" in text]
        assert bool(told) is expected


@pytest.mark.parametrize(("name", "called"), [("position", True), ("Rank", True), ("pos", True), ("bm25_rank", False)])
def test_positions_at_which_documents_were_shown_are_asked_about(name: str, called: bool) -> None:
    shuffled = np.random.default_rng(4)
    shown = np.concatenate([shuffled.permutation(size) + 1.0 for size in np.diff(DATA.offsets)])
    again = np.ones(len(DATA))
    pages = np.ceil(shown / 2)  # two pages of each topic
    for values, expected in (
        (shown, called),
        (shown - 1, called),
        (pages, called),
        (pages * 7, False),
        (shown + 0.5, False),
        (again, False),
    ):
        data = with_feature(values)
        data = Features.from_arrays(
            data.X, data.grades, sizes=np.diff(data.offsets), columns=[*data.columns[:-1], name], name="train"
        )
        told = [text for text in describe_leaks(data) if f"feature {name} may say where documents were shown" in text]
        assert bool(told) is expected
        assert all(
            f"--position {name} (position= in Python), or leave it out: add --leave-out {name}" in one for one in told
        )


@pytest.mark.parametrize(
    ("values", "asked"),
    [(NUMBER + 100, True), (NUMBER // 2, False), (NUMBER + 0.5, False), (np.arange(len(DATA)), False)],
)
def test_a_feature_that_numbers_the_topics_is_asked_about(values: Any, asked: bool) -> None:
    told = [text for text in describe_leaks(with_feature(values)) if "in each topic" in text]
    assert bool(told) is asked


def test_few_documents_tell_nothing() -> None:
    few = graded_features(1, seed=1)
    assert not [*describe_leaks(with_feature(few.grades, few))]


def test_training_and_cross_validation_ask_once() -> None:
    data = with_feature(DATA.grades)
    for train in (
        lambda: TreeRanker("GAP", epochs=2).fit(data),
        lambda: crossval(data.split(1 / 3, 1 / 3, 1 / 3, seed=0), ["GAP"], "GAP", "tree", epochs=2),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            train()
        assert len([one for one in told if one.category is FeaturesWarning and "by grade" in str(one.message)]) == 1


def test_cross_validation_of_one_table_asks_as_training_on_it_does() -> None:
    data = graded_features(10, seed=4)  # a part of five has too few pairs to be asked about
    data = with_feature(data.grades, data)
    said = []
    for train in (
        lambda: TreeRanker("GAP", epochs=2, min_rows=3).fit(data),
        lambda: crossval(data, ["GAP"], "GAP", "tree", epochs=2, min_rows=3),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            train()
        said.append([str(one.message) for one in told if one.category is FeaturesWarning])
    assert "alone orders the documents of every topic by grade" in said[0][0]
    assert said[0] == said[1]


@pytest.mark.parametrize("moved", ["y", "qid"])
def test_grades_in_another_order_of_rows_are_refused(moved: str) -> None:
    X = pd.DataFrame(DATA.X, columns=list(DATA.columns))
    given = {"y": pd.Series(DATA.grades), "qid": pd.Series(NUMBER)}
    given[moved] = given[moved].sample(frac=1, random_state=0)
    with pytest.raises(InputError, match=f"{moved} has the rows of X in another order; give {moved}.loc"):
        TreeRanker("GAP", epochs=2).fit(X, given["y"], qid=given["qid"])
    other = {name: values.set_axis(np.arange(len(X)) + 7) for name, values in given.items()}
    TreeRanker("GAP", epochs=2).fit(X, other["y"], qid=other["qid"])  # another index says nothing
