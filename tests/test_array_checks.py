"""Every function that takes arrays, given odd ones: a right value or a refusal in one line, never anything else."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gradeval import AP, GAP, Features, InputError, judge_arrays
from gradeval.array_checks import read_finite, read_numbers
from gradeval.ltr import LambdaObjective, feval

GRADES, SCORES = np.arange(6) % 3, np.array([0.5, 0.1, 0.9, 0.2, 0.8, 0.3])
SIZES = np.array([4, 2])
X = np.column_stack([SCORES, SCORES**2])
WRAPS = np.array([2**62] * 4 + [6])
LEVELS = (0, 1, 2)
OBJECTIVE = LambdaObjective(GAP, levels=LEVELS)


class Broken:
    """Speaks DLPack, and badly."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __dlpack__(self, **_: Any) -> Any:
        raise self.error

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Raising:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise KeyError("gone")


def mean_of_feval(grades: Any = GRADES, scores: Any = SCORES, sizes: Any = SIZES, weights: Any = None) -> Any:
    return feval("AP", levels=LEVELS).ranker(grades, scores, weights, sizes)[1]


def gradient(grades: Any = GRADES, scores: Any = SCORES, sizes: Any = SIZES, weights: Any = None) -> Any:
    return OBJECTIVE.ranker(grades, scores, weights, sizes)


def offset_gradient(grades: Any = GRADES, scores: Any = SCORES, sizes: Any = (0, 4, 6)) -> Any:
    return OBJECTIVE.gradients(scores, grades, sizes)


def offset_mean(grades: Any = GRADES, scores: Any = SCORES, sizes: Any = (0, 4, 6)) -> Any:
    return feval("AP", levels=LEVELS).mean(scores, grades, sizes)


def mean_of_query(grades: Any = GRADES, scores: Any = SCORES) -> Any:
    return feval("AP", levels=LEVELS).by_query(grades, scores)


def judged(grades: Any = GRADES, scores: Any = SCORES, sizes: Any = SIZES, mask: Any = None) -> Any:
    return AP(judge_arrays(grades, scores, group=sizes, mask=mask, levels=LEVELS))


def judged_expected(grades: Any = GRADES, scores: Any = SCORES, mask: Any = None) -> Any:
    return AP(judge_arrays(grades, scores, mask=mask, ties="expected"))


def features(x: Any = X, grades: Any = GRADES, sizes: Any = SIZES) -> Any:
    return Features.from_arrays(x, grades, sizes=sizes).X


def topics(sizes: Any = (1, 1, 1, 1, 2, 2), docs: Any = tuple("abcdef"), columns: Any = ("u", "v")) -> Any:
    return Features.from_arrays(X, GRADES, topics=sizes, docs=docs, columns=columns).X


def ties(scores: Any = SCORES) -> Any:
    return Features.from_arrays(X, GRADES, sizes=SIZES).count_ties(scores)


def run(scores: Any = SCORES) -> Any:
    return list(Features.from_arrays(X, GRADES, sizes=SIZES).run(scores).of("1").values())


def regraded(grades: Any = GRADES) -> Any:
    return Features.from_arrays(X, GRADES, sizes=SIZES).with_grades(grades).grades


def batch(grades: Any = GRADES[None], mask: Any = None, pool: Any = None) -> Any:
    pytest.importorskip("torch")
    from gradeval.ltr import Batch

    return Batch.of(grades, levels=LEVELS, mask=mask, pool=pool).pool


def fitted(x: Any = X, grades: Any = GRADES, sizes: Any = SIZES, weights: Any = None) -> Any:
    pytest.importorskip("torch")
    from gradeval.ltr import LinearRanker

    return LinearRanker("lambdarank:AP", epochs=1).fit(x, grades, group=sizes, sample_weight=weights).coefficients


def fitted_qid(sizes: Any = (1, 1, 1, 1, 2, 2)) -> Any:
    pytest.importorskip("torch")
    from gradeval.ltr import LinearRanker

    return LinearRanker("lambdarank:AP", epochs=1).fit(X, GRADES, qid=sizes).coefficients


DOORS: dict[Callable[..., Any], tuple[str, ...]] = {
    judged: ("grades", "scores", "sizes", "mask"),
    judged_expected: ("grades", "scores", "mask"),
    gradient: ("grades", "scores", "sizes", "weights"),
    offset_gradient: ("grades", "scores", "sizes"),
    mean_of_feval: ("grades", "scores", "sizes"),
    offset_mean: ("grades", "scores", "sizes"),
    mean_of_query: ("grades", "scores"),
    features: ("x", "grades", "sizes"),
    topics: ("sizes", "docs", "columns"),
    ties: ("scores",),
    run: ("scores",),
    regraded: ("grades",),
    batch: ("grades", "mask", "pool"),
    fitted: ("x", "grades", "sizes", "weights"),
    fitted_qid: ("sizes",),
}


def odd_arrays() -> list[Any]:
    """Arrays that are not what is asked for, or are it in an unusual form."""
    masked = np.ma.masked_array(SCORES, [True, *[False] * 5])
    plain = [
        WRAPS,
        WRAPS.astype(np.uint64),
        np.array([2**64 - 1, 7], np.uint64),
        np.array([2**63, 2**63, 6], np.uint64),
        np.array([-(2**62)] * 4 + [6]),
        np.array([-1, 7]),
        np.array([3, 2]),
        np.array([0, 4, 2]),
        np.array([0, 2**62, 6]),
        np.array([0, 5, 3, 6]),
        np.array([0, -4, 6]),
        [2**53, 2**53 + 1, 0, 0, 0, 0],
        [2**70, 1, 2, 3, 4, 5],
        np.array([2**70, 1, 2, 3, 4, 5], object),
        np.array([1, "a", None, 2, 3, (4,)], object),
        np.array([1, "a", None, 2, 3, 4], object),
        np.array([[1], [2], {}, 4, 5, 6], object),
        np.array([1, "a", 2.5, 2, 3, 4], object),
        np.array([Fraction(1, 3), Decimal("0.2"), 1, 2.5, True, 0], object),
        np.array([Decimal("sNaN")] * 6, object),
        np.array([Fraction(10**400)] * 6, object),
        np.array(["1"] * 6),
        np.array([b"1"] * 6),
        np.array(["2020-01-01"] * 6, "datetime64[D]"),
        np.array(["NaT"] * 6, "datetime64[D]"),
        np.ones(6, "timedelta64[s]"),
        np.ones(6, complex),
        np.array([(1, 2.0)] * 6, "i4,f8"),
        np.full(6, np.nan),
        np.full(6, np.inf),
        np.array([1, 2, 3, 4, 5, -np.inf]),
        np.full(6, 1e308),
        np.array([1e-320, 5e-324, 0, 0, 0, 0]),
        np.full(6, np.longdouble("1e4000")) if np.finfo(np.longdouble).max > 1e308 else np.full(6, np.inf),
        np.zeros((6, 1)),
        np.zeros((2, 3, 4)),
        np.zeros((0,)),
        np.zeros((0, 2)),
        np.float64(3),
        np.array(5),
        [[1], [2, 3]],
        [],
        None,
        object(),
        5,
        "text",
        b"bytes",
        {1: 2},
        iter([1, 2]),
        masked,
        [masked, masked],
        masked.filled(1.0),
        np.ma.masked_array(SCORES),
        GRADES.astype(">i4"),
        GRADES.astype(">f8"),
        GRADES.astype(np.float16),
        GRADES.astype(np.longdouble),
        GRADES.astype(np.uint64),
        GRADES.astype(np.int8),
        GRADES == 1,
        np.repeat(GRADES, 2)[::2],
        SIZES.astype(np.uint64),
        SIZES.astype(np.uint8),
        SIZES.astype(">i8"),
        SIZES.astype(float),
        SIZES.tolist(),
        [0, 4, 6],
        np.array([0, 4, 6], np.uint64),
        ["q", "q", "q", "q", "p", "p"],
        [["a"], "b"],
        [[2, 2, 2]],
        np.ones((1, 6), bool),
        ["left", "right"],
        [1] * 6,
        tuple(SIZES),
        pd.Series(GRADES, dtype="Int64"),
        pd.Series([1, 2, None, 1, 1, 1], dtype="Int64"),
        pd.Series(list("abcdef"), dtype="category"),
        pd.DataFrame({"a": GRADES}),
        Broken(ValueError("broken")),
        Broken(KeyError("broken")),
        Broken(BufferError("broken")),
        Raising(),
    ]
    try:
        import torch
    except ImportError:
        return plain
    tensors = [
        torch.tensor(SCORES, requires_grad=True),
        torch.tensor(GRADES, dtype=torch.bfloat16),
        torch.tensor(GRADES, dtype=torch.complex64),
        torch.tensor(GRADES).to_sparse(),
        torch.empty(6, device="meta"),
        torch.tensor(SIZES, dtype=torch.int32),
    ]
    return [*plain, *tensors]


ODD = odd_arrays()


def outcome(door: Callable[..., Any], given: dict[str, Any]) -> Any:
    """What a function returns for arrays, or the text of its refusal."""
    try:
        return door(**given)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize(("door", "name"), [(door, name) for door, names in DOORS.items() for name in names])
@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_an_odd_array_is_taken_for_what_it_is_or_refused_in_one_line(door: Callable[..., Any], name: str) -> None:
    taken = 0
    for odd in ODD:
        value = outcome(door, {name: odd})
        if isinstance(value, str):
            assert "\n" not in value
            continue
        taken += 1
        numbers = value[0] if isinstance(value, tuple) else value
        assert np.isfinite(numbers).all() or door in (features, topics), (name, odd)
    assert taken, "nothing is taken at all"


@pytest.mark.parametrize("seed", range(20))
def test_odd_arrays_together_are_refused_or_taken(seed: int) -> None:
    rng = np.random.default_rng(seed)
    doors = list(DOORS)
    for _ in range(25):
        door = doors[rng.integers(len(doors))]
        given = {name: ODD[rng.integers(len(ODD))] for name in DOORS[door] if rng.random() < 0.6}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            value = outcome(door, given)
        assert not isinstance(value, str) or "\n" not in value


@pytest.mark.parametrize(
    "door", [judged, gradient, mean_of_feval, features, fitted], ids=lambda door: str(door.__name__)
)
def test_sizes_whose_sum_wraps_are_refused_and_right_ones_taken_in_any_width(door: Callable[..., Any]) -> None:
    for wrong in (WRAPS, WRAPS.astype(np.uint64), np.array([2**63, 2**63, 6], np.uint64)):
        with pytest.raises(InputError):
            door(sizes=wrong)
    expected = door(sizes=SIZES)
    for kind in (np.uint64, np.uint8, np.int16, ">i8"):
        np.testing.assert_array_equal(door(sizes=SIZES.astype(kind)), expected)


@pytest.mark.parametrize(
    ("kind", "door"), list(product([">f8", np.longdouble, object], [judged, gradient, mean_of_feval]))
)
def test_the_same_numbers_of_another_type_have_the_same_value(kind: Any, door: Callable[..., Any]) -> None:
    for name, values in (("grades", GRADES), ("scores", SCORES)):
        np.testing.assert_array_equal(door(**{name: values.astype(kind)}), door())


def test_a_mask_of_numpy_is_not_lost() -> None:
    masked = np.ma.masked_array(SCORES, SCORES > 0.8)
    for door, name in ((judged, "scores"), (gradient, "scores"), (fitted, "grades"), (features, "grades")):
        with pytest.raises(InputError, match="1 of 6 values are masked"):
            door(**{name: masked})


def test_integers_that_tie_as_floats_are_refused_unless_they_are_padding() -> None:
    for large in (np.array([2**53, 2**53 + 1]), np.array([-(2**53) - 1, 0]), np.array([0, 2**64 - 1], np.uint64)):
        with pytest.raises(InputError, match="integers beyond 9007199254740992 tie with their neighbours"):
            judge_arrays([1, 0], large)
    assert AP(judge_arrays([1, 0], np.array([2**53 - 1, 2**53]))).tolist() == 0.5
    padded = judge_arrays([[1, 0]], np.array([[3, 2**62]]), mask=[[True, False]])
    assert AP(padded).tolist() == [1]


def test_queries_may_be_of_several_types() -> None:
    mixed = np.array([7, "a", 7, "a", 2.5, 7], object)
    judged = judge_arrays(GRADES, SCORES, group=mixed)
    assert judged.retrieved.tolist() == [3, 2, 1]
    for missing in (None, np.nan, pd.NA):
        with pytest.raises(InputError, match="group: row 1: the query is missing"):
            judge_arrays(GRADES, SCORES, group=np.array([1, missing, 1, 1, 1, 1], object))


def test_numbers_are_read_as_they_are() -> None:
    odd = np.array([Fraction(1, 3), Decimal("0.2"), 1, True], object)
    assert read_finite("x", odd).tolist() == [1 / 3, 0.2, 1, 1]
    assert read_numbers("x", SCORES) is SCORES
    with pytest.raises(InputError, match="x: '1' is not a number"):
        read_numbers("x", np.array(["1", 2], object))


@pytest.mark.parametrize(
    "offsets", [[0, 2**62, 6], [0, 5, 3, 6], [0, -4, 6], [0, 4, 7], [1, 6], [0, -(2**63), 2**63 - 1, 6], []]
)
def test_the_core_itself_refuses_offsets_outside_the_rows(offsets: list[int]) -> None:
    import gradeval._core as core

    queries = max(0, len(offsets) - 1)
    level, begin = np.zeros(6, np.int32), np.array(offsets, np.int64)
    arrays = (level, begin, np.ones((1, 2)), None, np.ones(9), np.zeros(queries, np.int64), np.ones(queries), None)
    with pytest.raises(ValueError, match=r"offsets|weights"):
        core.kernel_values(np.zeros(6), *arrays, 1, np.zeros(queries))
