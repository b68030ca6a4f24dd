"""What features are made of, against plain lists."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gradeval import InputError
from gradeval.features.feature_arrays import (
    concatenate_columns,
    encode_column,
    group_topics,
    list_columns,
    number_topics,
    offsets_of,
    require_id,
)


def test_topics_are_grouped_where_they_stand_together() -> None:
    names, offsets = group_topics(["b", "b", 7, "a", "a", "a"], 6, "X")
    assert (names, offsets.tolist()) == (["b", "7", "a"], [0, 2, 3, 6])
    with pytest.raises(InputError, match="row 2: query a comes again, it began in row 0"):
        group_topics(["a", "b", "a"], 3, "X")


def test_sizes_number_the_topics() -> None:
    names, offsets = number_topics([2, 1, 3], 6, "X")
    assert (names, offsets.tolist()) == (["1", "2", "3"], [0, 2, 3, 6])
    assert offsets_of(np.array([], np.int64)).tolist() == [0]
    with pytest.raises(InputError, match=r"sizes\[1\] is 0"):
        number_topics([2, 0], 2, "X")


def test_columns_of_text_are_put_behind_each_other() -> None:
    parts = [["é", "", "abc"], [], ["d"]]
    offsets, data = concatenate_columns([encode_column(part) for part in parts])
    texts = [bytes(data[begin:end]).decode() for begin, end in pairwise(offsets)]
    assert texts == ["é", "", "abc", "d"]


@pytest.mark.parametrize(
    ("columns", "said"), [(["1", "2", "3"], "1 to 3"), (["0", "1"], "0 to 1"), (["b", "a"], "b, a"), ([], "none")]
)
def test_names_of_features_are_listed_in_few_words(columns: list[str], said: str) -> None:
    assert list_columns(columns) == said


@pytest.mark.parametrize("identifier", [True, 1.5, None])
def test_what_is_no_id_is_refused(identifier: object) -> None:
    with pytest.raises(InputError, match="is no id; ids are text or whole numbers"):
        require_id(identifier, "X")


@pytest.mark.parametrize("topics", [[1, "1"], ["1", "2", 1], [3, 1, "1"]])
def test_a_number_and_its_text_are_not_two_spellings_of_one_topic(topics: list[int | str]) -> None:
    with pytest.raises(InputError, match="X: topic 1 is given as 1 and as '1'; write it in one way"):
        group_topics(topics, len(topics), "X")
