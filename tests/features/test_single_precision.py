"""Large numbers of features stay apart: times, dates and ids, in every reader and for every ranker, or it is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradeval
from gradeval import Features, FeaturesWarning, InputError, cache_features, features_from_frame, open_features
from gradeval.features.single_precision import make_table, round_small_numbers, to_single_precision
from gradeval.files.readers import read_features
from gradeval.formula.arithmetic import Array

NAMES = ("seen", "other")
LARGE = {
    "unix time": 1_514_764_800.0 + np.arange(60),
    "milliseconds": 1_514_764_800_000.0 + 7 * np.arange(60),
    "dates": np.concatenate([20180101.0 + np.arange(31), 20180201.0 + np.arange(28), [20180301.0]]),
    "dates and zeros": np.where(np.arange(60) % 3, 20180101.0 + np.arange(60), 0.0),
    "ids": 9_000_000_019.0 + 13 * np.arange(60),
    "negative": -1_514_764_800.0 - np.arange(60),
    "half seconds": 1_514_764_800.0 + np.arange(60) / 2,
    "huge": np.append(np.arange(59.0), 1e39),
}
"""What 60 rows have in the feature seen; none of it may become equal."""


def rows_of(seen: Array) -> tuple[Array, Array]:
    """Features and grades of 60 documents, by which the later ones are better; six queries of ten."""
    other = np.random.default_rng(0).normal(size=60)
    return np.column_stack([seen, other]), np.argsort(np.argsort(seen % 1e30)).astype(float) % 3


def write_text(seen: Array, path: Path) -> Path:
    X, grades = rows_of(seen)
    lines = [
        f"{grade:g} qid:{row // 10} 1:{a!r} 2:{b!r}\n"
        for row, ((a, b), grade) in enumerate(zip(X.tolist(), grades, strict=True))
    ]
    path.write_text("".join(lines))
    return path


def as_letor(seen: Array, folder: Path) -> Features:
    return gradeval.read_letor(write_text(seen, folder / "x.txt"))


def as_columns(seen: Array) -> dict[str, Any]:
    X, grades = rows_of(seen)
    ids = [str(row // 10) for row in range(60)]
    return {"query_id": ids, "relevance": grades, "seen": X[:, 0], "other": X[:, 1]}


def as_file(ending: str) -> Callable[[Array, Path], Features]:
    def read(seen: Array, folder: Path) -> Features:
        pandas = pytest.importorskip("pandas")
        frame, path = pandas.DataFrame(as_columns(seen)), folder / f"x.{ending}"
        frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, index=False)
        return read_features(path)

    return read


def as_array(seen: Array, _: Path) -> Features:
    X, grades = rows_of(seen)
    return Features.from_arrays(X, grades, sizes=[10] * 6)


def as_frame(seen: Array, _: Path) -> Features:
    return features_from_frame(as_columns(seen))


def as_cache(seen: Array, folder: Path) -> Features:
    """Of two files, the first of which has no large number."""
    small = write_text(np.arange(60.0), folder / "small.txt")
    small.write_text(small.read_text().replace("qid:", "qid:s"))
    cached = cache_features([small, write_text(seen, folder / "x.txt")], folder / "cache", features=2)
    return cached.select(cached.topics[6:])


READERS = {
    "LETOR text": as_letor,
    "arrays": as_array,
    "frames": as_frame,
    "parquet": as_file("parquet"),
    "csv": as_file("csv"),
    "cache": as_cache,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", LARGE)
def test_large_numbers_stay_as_they_are(kind: str, reader: str, tmp_path: Path) -> None:
    features = READERS[reader](LARGE[kind], tmp_path)
    np.testing.assert_array_equal(features.X[:, 0], LARGE[kind])
    X, _ = rows_of(LARGE[kind])
    np.testing.assert_array_equal(features.X[:, 1], X[:, 1].astype(np.float32))  # whatever stands beside it


@pytest.mark.parametrize("reader", READERS)
def test_where_single_precision_loses_nothing_it_is_kept(reader: str, tmp_path: Path) -> None:
    seen = np.append(np.arange(59.0), 2.0**30)
    assert READERS[reader](seen, tmp_path).X.dtype == np.float32


def test_what_a_number_becomes_does_not_depend_on_others() -> None:
    numbers = np.array([0.1, 16777215.3, 16777217.0, 3e9 + 1, 1e39, -0.1, np.nan])
    together = make_table(numbers[:, None], None, "x")
    for number, kept in zip(numbers, together[:, 0], strict=True):
        np.testing.assert_array_equal(make_table(np.array([[number]]), None, "x")[0, 0], kept)
    np.testing.assert_array_equal(round_small_numbers(numbers[:-1]), make_table(numbers[:-1, None], None, "x")[:, 0])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32])
def test_whole_numbers_stay_apart(dtype: Any) -> None:
    X = np.array([[20180131], [20180130]], dtype)
    np.testing.assert_array_equal(Features.from_arrays(X, [0, 1], sizes=[2]).X, X)


@pytest.mark.parametrize("reader", ["LETOR text", "arrays", "frames", "parquet", "csv"])
@pytest.mark.parametrize("beginning", [43131.0, 2458150.5, 1234567.25])
def test_small_numbers_that_become_equal_are_said(reader: str, beginning: float, tmp_path: Path) -> None:
    """Days with their seconds, as spreadsheets and astronomers count them, lie below 2^24."""
    named = "1" if reader in ("LETOR text", "arrays") else "seen"
    with pytest.warns(FeaturesWarning, match=rf"in single precision, 60 values of feature {named} become \d+: "):
        READERS[reader](beginning + np.arange(60) / 86400, tmp_path)


@pytest.mark.parametrize("decimals", [2, 6, 9, 17])
def test_of_numbers_with_many_digits_nothing_is_said(decimals: int, tmp_path: Path) -> None:
    seen = np.round(np.random.default_rng(1).gamma(1, 10, 60), decimals)
    assert as_letor(seen, tmp_path).X.dtype == np.float32  # a warning would be an error here


@pytest.mark.parametrize(
    "text", ["1.79769313486e+308", "1.7976931348623157e308", "1.79769313486232E+308", "-1.79769313486e308"]
)
def test_the_largest_double_of_a_file_is_a_missing_value(text: str, tmp_path: Path) -> None:
    path = tmp_path / "istella.txt"
    path.write_text(f"1 qid:1 1:0.5 2:{text} 3:1\n0 qid:1 1:0.2 2:3 3:0\n0 qid:1 1:0.1 2:{text} 3:0\n")
    with pytest.warns(FeaturesWarning, match=r"feature 2 holds the largest double, .*: 2 values are read as missing"):
        features = gradeval.read_letor(path)
    np.testing.assert_array_equal(np.isnan(features.X), [[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    assert features.X.dtype == np.float32


@pytest.mark.parametrize("reader", ["arrays", "frames", "parquet"])
def test_the_largest_double_of_a_table_is_one_too(reader: str, tmp_path: Path) -> None:
    with pytest.warns(FeaturesWarning, match="holds the largest double, .*: 1 values are read as missing"):
        X = READERS[reader](np.append(np.arange(59.0), 1.79769313486e308), tmp_path).X
    assert np.isnan(X[:, 0]).tolist() == [False] * 59 + [True]


def test_infinite_numbers_are_refused_with_their_row() -> None:
    with pytest.raises(InputError, match="row 1: a feature is infinite"):
        Features.from_arrays([[1.0], [np.inf]], [0, 1], sizes=[2])


def test_who_computes_in_single_precision_is_named() -> None:
    features = as_array(LARGE["unix time"], Path())
    with pytest.warns(
        FeaturesWarning, match="XGBoost computes in single precision, where 60 values of feature 1 become"
    ):
        single = to_single_precision(features, "XGBoost")
    assert single.dtype == np.float32
    with pytest.raises(InputError, match="feature 1 is too large for the single precision of XGBoost: scale it"):
        to_single_precision(as_array(LARGE["huge"], Path()), "XGBoost")


def test_scales_are_computed_from_the_numbers_as_they_are() -> None:
    features = as_array(LARGE["unix time"], Path())
    for kind in ("min-max", "z-score"):
        assert len(np.unique(features.scaled(kind).X[:, 0])) == 10  # in each query
        scaled = gradeval.Scaler.fit(features, kind).apply(features)
        assert scaled.X.dtype == np.float32
        assert len(np.unique(scaled.X[:, 0])) == 60


def test_a_cache_of_one_precision_is_read_as_it_was(tmp_path: Path) -> None:
    for kind, dtype in (("unix time", np.float64), ("huge", np.float64)):
        features = as_array(LARGE[kind], tmp_path)
        cache_features(features, tmp_path / "cache")
        assert open_features(tmp_path / "cache").X.dtype == dtype
        np.testing.assert_array_equal(open_features(tmp_path / "cache").X, features.X)


def test_text_holds_them_too(tmp_path: Path) -> None:
    for kind in LARGE:
        features = as_array(LARGE[kind], tmp_path)
        gradeval.write_letor(features, tmp_path / "x.txt")
        np.testing.assert_array_equal(gradeval.read_letor(tmp_path / "x.txt").X, features.X)


def test_joined_parts_keep_them(tmp_path: Path) -> None:
    large, small = as_array(LARGE["dates"], tmp_path), as_array(np.arange(60.0), tmp_path)
    renamed = Features.from_arrays(small.X, small.grades, topics=[f"s{row // 10}" for row in range(60)])
    for parts in ([large, renamed], [renamed, large]):
        np.testing.assert_array_equal(Features.concat(parts).X, np.concatenate([part.X for part in parts]))
