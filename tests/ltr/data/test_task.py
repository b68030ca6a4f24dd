"""What a training is given: its validation measure, and what its data must have."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import AP, Features, InputError, nDCG
from gradeval.ltr.data.task import require_plain_numbers, require_same_columns, validation_measures


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
