from __future__ import annotations

import pytest

from gradeval import InputError
from gradeval.scores.score_rows import ScoreRows, finite, number_names


def test_lines_of_all_topics_are_means_and_texts_are_left_out() -> None:
    rows = ScoreRows.of_lines(
        "f",
        [
            ("f:1", ("elm", "1", "AP"), "0.5"),
            ("f:2", ("elm", "2", "AP"), 0.25),
            ("f:3", ("elm", None, "AP"), "0.375"),
            ("f:4", ("elm", None, "runid"), "elm"),
        ],
    )
    assert rows.names == (["elm"], ["1", "2"], ["AP"])
    assert rows.codes.tolist() == [[0, 0], [0, 1], [0, 0]]
    assert rows.values.tolist() == [0.5, 0.25]
    assert (rows.means, list(rows.texts)) == ({("elm", "AP"): 0.375}, ["runid"])
    assert rows.where(1) == "f:2"


def test_names_are_numbered_in_their_order() -> None:
    assert number_names(["b", "a", "b"]) == (["b", "a"], [0, 1, 0])


@pytest.mark.parametrize("value", ["", "NA", "inf", float("nan"), True, None])
def test_a_value_that_is_no_number_is_refused_with_its_place(value: object) -> None:
    with pytest.raises(InputError, match=r"^f:3: value .* is not a finite number"):
        finite("f:3", value)
