from __future__ import annotations

import warnings

import pytest
from two_assessors import two_assessors

from gradeval import judges
from gradeval.warning_categories import CoverageWarning

DRAWN = two_assessors(4)


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"copy": DRAWN.human}, ["copy: the same grades for the same documents as qrels; is this the humans' file?"]),
        (
            {"a": DRAWN.judge, "b": DRAWN.judge, "c": DRAWN.judge},
            ["b, c: the same grades for the same documents as a; is it one file twice?"],
        ),
        ({"a": DRAWN.judge, "b": two_assessors(5).judge}, []),
        ({"copy": {topic: dict(list(DRAWN.human[topic].items())[:-1]) for topic in DRAWN.human}}, []),
    ],
)
def test_the_same_grades_twice_are_warned_of(others: dict[str, dict[str, dict[str, float]]], said: list[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        judges(DRAWN.human, others, samples=20)
    assert [str(one.message) for one in caught if "the same grades" in str(one.message)] == said
    assert all(one.category is CoverageWarning for one in caught)
