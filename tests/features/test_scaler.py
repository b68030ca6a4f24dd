"""Scales of features: query by query, or fitted on training data."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusing import said_of

from gradeval.features.features import Features
from gradeval.features.scaler import Scaler

tables = arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.integers(-50, 50))


@settings(max_examples=50, deadline=None)
@given(tables, st.sampled_from(["min-max", "z-score"]))
def test_a_scale_by_query_is_that_of_the_literal_definition(X: Any, kind: Any) -> None:
    sizes = [len(X) // 2, len(X) - len(X) // 2] if len(X) > 1 else [1]
    scaled = Features.from_arrays(X, np.zeros(len(X)), sizes=sizes).scaled(kind).X
    expected = np.zeros(X.shape)
    for begin, end in pairwise(np.cumsum([0, *sizes])):
        for column in range(X.shape[1]):
            values = X[begin:end, column].astype(float)
            shift = values.min() if kind == "min-max" else values.mean()
            width = np.ptp(values) if kind == "min-max" else values.std()
            if np.ptp(values):
                expected[begin:end, column] = (values - shift) / width
    assert np.allclose(scaled, expected, rtol=1e-6, atol=1e-7)


def test_min_max_reaches_exactly_0_and_1() -> None:
    X = np.array([[0.1], [0.7], [0.3]], np.float32)
    assert Features.from_arrays(X, [0, 0, 0], sizes=[3]).scaled("min-max").X[:2].tolist() == [[0], [1]]


def test_a_scale_is_fitted_on_the_training_part_alone() -> None:
    train = Features.from_arrays([[0, 5], [4, 5]], [0, 1], sizes=[2])
    test = Features.from_arrays([[8, 6], [-2, 5]], [0, 1], sizes=[2])
    assert Scaler.fit(train, "min-max").apply(test).X.tolist() == [[2, 0], [-0.5, 0]]
    assert Scaler.fit(train, "z-score").apply(test).X.tolist() == [[3, 0], [-2, 0]]
    assert Scaler.fit(train, "z-score").apply(train).X.tolist() == [[-1, 0], [1, 0]]


def test_a_large_table_is_scaled_as_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    features = Features.from_arrays(np.arange(240).reshape(80, 3), np.zeros(80), sizes=[50, 30])
    whole = Scaler.fit(features, "z-score").apply(features).X
    monkeypatch.setattr("gradeval.features.scaling.BLOCK", 10)
    assert np.allclose(Scaler.fit(features, "z-score").apply(features).X, whole, rtol=1e-6)


def test_scales_that_cannot_be() -> None:
    features = Features.from_arrays(np.arange(10).reshape(5, 2), np.zeros(5), sizes=[3, 2], name="f.txt")
    wider = Features.from_arrays(np.arange(15).reshape(5, 3), np.zeros(5), sizes=[3, 2])
    assert said_of(features.scaled, "max") == "scaling='max' is not 'z-score' or 'min-max'"
    assert said_of(Scaler.fit(wider, "min-max").apply, features) == (
        "f.txt: 2 features, the scale was fitted on 3; give the same ones in the same order"
    )
    assert said_of(Scaler.fit, features.select([]), "min-max") == "f.txt: no rows to fit a scale on"
    tiny = Features.from_arrays([[0], [1e-30]], [0, 0], sizes=[2])
    huge = Features.from_arrays([[0], [1e30]], [0, 0], sizes=[2])
    assert "beyond single precision" in said_of(Scaler.fit(tiny, "min-max").apply, huge)
