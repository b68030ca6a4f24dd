"""What a training is given: its validation measure, and what its data must have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import AP, Features, InputError, nDCG, read_letor, write_letor
from gradeval.ltr.data.task import describe_overlap, require_plain_numbers, require_same_columns, validation_measures


def some(*, missing: bool = False) -> Features:
    X = np.arange(8.0).reshape(4, 2)
    X[2, 1] = np.nan if missing else 5
    return Features.from_arrays(X, [0, 1, 2, 0], sizes=[2, 2], columns=["length", "bm25"], name="some")


@pytest.mark.parametrize(
    ("given", "is_validated", "watched"),
    [
        (None, True, [AP]),
        (None, False, []),
        ("nDCG@3", True, [nDCG @ 3]),
        (nDCG, True, [nDCG]),
        ("nDCG@3 AP", True, [nDCG @ 3, AP]),
        (["AP", nDCG], True, [AP, nDCG]),
    ],
)
def test_validation_watches_the_objective_unless_another_measure_is_given(given, is_validated: bool, watched) -> None:
    assert list(validation_measures(given, AP, is_validated=is_validated)) == watched


def test_a_measure_to_watch_needs_validation_data() -> None:
    with pytest.raises(InputError, match="validate_by=nDCG is what validation watches: give validation data, too"):
        validation_measures("nDCG", AP, is_validated=False)


@pytest.mark.parametrize("wanted", [("bm25", "length"), ("length",)])
def test_features_must_be_the_same_in_the_same_order(wanted: tuple[str, ...]) -> None:
    require_same_columns(some(), ("length", "bm25"), "the model has")
    with pytest.raises(InputError, match=r"some: 2 features \(length, bm25\), the model has \d features? \("):
        require_same_columns(some(), wanted, "the model has")


def test_missing_values_and_categories_are_refused_by_what_takes_numbers() -> None:
    require_plain_numbers([some(), some()], {}, "LinearRanker")
    with pytest.raises(InputError, match=r"feature bm25 is NaN .* LinearRanker takes none"):
        require_plain_numbers([some(), some(missing=True)], {}, "LinearRanker")
    with pytest.raises(InputError, match="length is a category, and LinearRanker takes numbers"):
        require_plain_numbers([some()], {"length": ["a", "b"]}, "LinearRanker")


@pytest.mark.parametrize("ending", [".query", ".group"])
def test_topics_of_group_files_are_the_same_by_their_rows(tmp_path: Path, ending: str) -> None:
    """Each file counts its queries from 1, so that their numbers say nothing."""
    whole = graded_features(12, seed=1)
    parts = [whole.select(whole.topics[:8]), whole.select(whole.topics[8:]), whole.select(whole.topics[6:9])]
    files = [tmp_path / f"{number}.txt" for number in range(3)]
    for part, file in zip(parts, files, strict=True):
        write_letor(part, file, query=f"{file}{ending}")
    train, other, both = map(read_letor, files)
    assert {*train.topics} & {*other.topics}
    assert describe_overlap(train, other) == ""
    said = "topics (1, 2) have the same rows in the training and the validation data; validation cannot see"
    assert f"2 {said}" in describe_overlap(train, both)
    assert "8 topics" in describe_overlap(train, train)
    named = describe_overlap(parts[0], parts[2])
    assert "2 topics" in named
    assert "if they are the same queries" in named
