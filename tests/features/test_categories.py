"""Categories by words: their codes are the same whatever the data they stand in."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError
from gradeval.features.categories import are_ids, join_categories, recode
from gradeval.features.features import Features
from gradeval.files.feature_frames import features_from_frame


def read(colors: list[str | None], first: int, numbers: bool = False) -> Features:
    frame = {
        "query_id": [first + row // 2 for row in range(len(colors))],
        "relevance": [row % 2 for row in range(len(colors))],
        "price": [float(row) for row in range(len(colors))],
        "color": [float(row) for row in range(len(colors))] if numbers else colors,
    }
    return features_from_frame(frame, doc_id=None, categorical=[] if numbers else ["color"], name=f"part {first}")


def words_of(features: Features) -> list[str | None]:
    codes = features.X[:, features.columns.index("color")].tolist()
    return [None if np.isnan(code) else features.categories["color"][int(code)] for code in codes]


def test_codes_move_to_the_places_of_known_values() -> None:
    assert recode(np.array([0, 1, np.nan, -1]), ["b", "c"], ["a", "b"]).tolist() == [1, -1, -1, -1]
    assert join_categories([{"x": ["b", "c"]}, {"x": ["a", "b"], "y": ["z"]}]) == {"x": ["a", "b", "c"], "y": ["z"]}


def test_words_survive_choosing_and_joining() -> None:
    one, other = read(["red", "blue", " red", None], 1), read(["green", "blue"], 9)
    assert one.categories == {"color": ["blue", "red"]}
    assert words_of(one) == ["red", "blue", "red", None]
    joined = Features.concat([other, one])
    assert words_of(joined) == ["green", "blue", "red", "blue", "red", None]
    assert words_of(joined.select(["2"])) == ["red", None]
    assert joined.leaving_out(["color"]).categories == {}
    assert joined.leaving_out(["price"]).categories == joined.categories


def test_words_and_numbers_of_one_category_are_not_joined() -> None:
    with pytest.raises(InputError, match="part 9: color holds numbers, and part 1 words; write all in one way"):
        Features.concat([read(["red", "blue"], 1), read(["", ""], 9, numbers=True)])


def test_ids_are_told_from_categories_by_their_share() -> None:
    assert [are_ids(49, 49), are_ids(50, 50), are_ids(50, 45), are_ids(50, 44)] == [False, True, True, False]
