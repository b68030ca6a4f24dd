from __future__ import annotations

import pytest
from two_assessors import two_assessors

from gradeval import InputError, judges
from gradeval.warning_categories import CoverageWarning, FilesWarning

DRAWN = two_assessors(4)


def test_a_judge_that_cannot_be_compared_is_warned_of_and_kept_with_its_error() -> None:
    other = {"t00": {"d0": 9}}
    with pytest.warns(CoverageWarning, match=r"other: not used: 1 of 1 grades \(9\) .*; accepted: recode=\{9: 3\}, or"):
        found = judges(DRAWN.human, {"model": DRAWN.judge, "other": other}, samples=20)
    assert found.judges == ["model"]
    assert list(found.refused) == ["other"]
    alone = judges(DRAWN.human, {"model": DRAWN.judge}, samples=20)
    assert found.to_dict() == alone.to_dict()
    with pytest.raises(InputError, match=r"^other: 1 of 1 grades") as raised:
        judges(DRAWN.human, {"other": other})
    assert str(raised.value) == str(found.refused["other"])


def test_where_no_judge_is_left_or_the_second_assessor_is_refused_that_is_an_error() -> None:
    other = {"t00": {"d0": 9}}
    with pytest.raises(InputError, match=r"^b: .*\(and no other judge can be compared\)$"):
        judges(DRAWN.human, {"b": other, "c": other})
    with pytest.raises(InputError, match=r"^other: 1 of 1 grades"):
        judges(DRAWN.human, {"model": DRAWN.judge, "other": other}, second="other")


def test_what_is_said_of_a_judge_without_a_file_names_the_judge() -> None:
    human = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    model = {topic: documents | {"b": None, "c": "Grade: 2"} for topic, documents in human.items()}
    with pytest.warns(FilesWarning, match="^llm: 4 without a grade are unjudged; .*'Grade: 2' as 2"):
        judges(human, {"llm": model})
