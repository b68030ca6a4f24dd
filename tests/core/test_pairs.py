"""The pair loops take no array that leads out of another; what they compute is tested in tests/ltr."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval import _core


def lambda_arguments(**changed: Any) -> dict[str, Any]:
    """Two queries of two documents, whose second is relevant; AP."""
    arguments = {
        "scores": np.zeros(4),
        "level": np.array([0, 1, 0, 1], np.int32),
        "offsets": np.array([0, 2, 4]),
        "own": np.array([[0.0, 1.0]]),
        "pairs": np.array([[[0.0, 0.0], [0.0, 1.0]]]),
        "weights": np.array([1, 1 / 2]),
        "starts": np.array([0, 0]),
        "share": np.ones(2),
        "stop": None,
        "sigma": 1.0,
        "truncation": 0,
        "normalise": False,
        "threads": 1,
        "distance": None,
        "gradient": np.full(4, 9.0),
        "hessian": np.full(4, 9.0),
    }
    return arguments | changed


def test_the_gradient_of_two_tied_documents_is_half_of_the_change_by_their_exchange() -> None:
    arguments = lambda_arguments()
    _core.lambda_gradients(**arguments)
    assert arguments["gradient"].tolist() == [1 / 4, -1 / 4] * 2
    assert arguments["hessian"].tolist() == [1 / 8] * 4


def test_empty_queries_get_0() -> None:
    arguments = lambda_arguments(share=np.array([0.0, 1.0]))
    _core.lambda_gradients(**arguments)
    assert arguments["gradient"].tolist() == [0, 0, 1 / 4, -1 / 4]


def test_no_queries_are_nothing_to_do() -> None:
    none = {name: np.zeros(0) for name in ("scores", "share", "gradient", "hessian")}
    empty = lambda_arguments(**none, level=np.zeros(0, np.int32), offsets=np.zeros(1, int), starts=np.zeros(0, int))
    _core.lambda_gradients(**empty)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": np.zeros(3)}, "one entry for each row"),
        ({"gradient": np.zeros(5)}, "one entry for each row"),
        ({"hessian": np.zeros(3)}, "one entry for each row"),
        ({"offsets": np.array([0, 2, 5])}, "from 0 to the number of rows"),
        ({"offsets": np.array([1, 2, 4])}, "from 0 to the number of rows"),
        ({"offsets": np.zeros(0, int)}, "from 0 to the number of rows"),
        ({"offsets": np.array([0, 4])}, "one entry for each query"),
        ({"offsets": np.array([0, 5, 4])}, "reach each query's last rank|must ascend"),
        ({"offsets": np.array([0, 4, 2, 4]), "starts": np.zeros(3, int), "share": np.ones(3)}, "weights|ascend"),
        ({"starts": np.array([0, 1])}, "weights must reach each query's last rank"),
        ({"starts": np.array([0, -1])}, "weights must reach each query's last rank"),
        ({"starts": np.array([0, 2**63 - 1])}, "weights must reach each query's last rank"),
        ({"level": np.array([0, 1, 0, 2], np.int32)}, "level must be an index into own"),
        ({"level": np.array([0, 1, 0, -1], np.int32)}, "level must be an index into own"),
        ({"own": np.zeros((3, 2))}, "own must be"),
        ({"own": np.zeros((1, 0))}, "level must be|own must be"),
        ({"pairs": np.zeros((1, 2, 3))}, "pairs must be"),
        ({"pairs": np.zeros((3, 2, 2))}, "pairs must be"),
        ({"pairs": None, "stop": np.zeros((3, 2))}, "stop must be"),
        ({"pairs": None, "stop": np.zeros((1, 3))}, "stop must be"),
        ({"stop": np.zeros((1, 2))}, "a cascade has no pairs"),
        ({"distance": np.zeros(1)}, "distance must reach each query's last rank"),
    ],
)
def test_arrays_that_do_not_fit_together_are_an_error(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.lambda_gradients(**lambda_arguments(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"scores": np.zeros(4, np.float32)},
        {"level": np.zeros(4, np.int64)},
        {"own": np.zeros(2)},
        {"scores": np.zeros(8)[::2]},
        {"truncation": -1},
    ],
)
def test_arrays_of_other_types_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        _core.lambda_gradients(**lambda_arguments(**changed))


def contest_arguments(**changed: Any) -> dict[str, Any]:
    """The queries of ``lambda_arguments``, whose second document is worth 1 at its expected rank."""
    taken = ("scores", "level", "offsets", "weights", "starts", "share", "stop", "threads", "gradient")
    arguments = {name: lambda_arguments()[name] for name in taken} | {
        "own": np.array([[0.0, 1.0]]),
        "pairs": None,
        "scale": 1.0,
        "logistic": True,
        "shifts": np.zeros(1),
        "chances": np.ones(1),
        "bases": None,
        "coefficients": None,
        "ranks": 0,
        "logarithmic": False,
        "values": np.full(2, 9.0),
    }
    return arguments | changed


def test_a_tied_document_has_the_worth_of_the_rank_between() -> None:
    """At rank 1 1/2 of 1 / rank, which falls by 1 / rank^2, and the chance to be above rises by 1/4."""
    arguments = contest_arguments()
    _core.contest_values(**arguments)
    assert arguments["values"].tolist() == [pytest.approx(1 / 1.5)] * 2
    assert arguments["gradient"].tolist() == [pytest.approx(one) for one in [-1 / 4 / 1.5**2, 1 / 4 / 1.5**2] * 2]


def test_by_the_distribution_it_has_the_mean_worth() -> None:
    for form in ({"ranks": 2}, {"bases": np.array([0.5]), "coefficients": np.ones((1, 1))}):
        arguments = contest_arguments(**form)
        _core.contest_values(**arguments)
        assert arguments["values"].tolist() == [pytest.approx((1 + 1 / 2) / 2)] * 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": np.zeros(3)}, "one entry for each row"),
        ({"gradient": np.zeros(3)}, "one entry for each row"),
        ({"values": np.zeros(3)}, "one entry for each query"),
        ({"chances": np.ones(2)}, "one entry for each shift"),
        ({"bases": np.ones(1)}, "coefficients must be"),
        ({"bases": np.ones(2), "coefficients": np.ones((2, 1))}, "coefficients must be"),
        ({"bases": np.zeros(0), "coefficients": np.ones((1, 0))}, "coefficients must be"),
        ({"level": np.array([0, 1, 2, 1], np.int32)}, "level must be an index"),
        ({"weights": np.ones(1)}, "weights must reach"),
    ],
)
def test_contests_of_arrays_that_do_not_fit_together_are_an_error(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.contest_values(**contest_arguments(**changed))


def test_values_are_those_of_the_ranking_by_scores() -> None:
    """Average precision, by hand: the mean over both orders of the equal scores."""
    names = ("level", "offsets", "own", "pairs", "weights", "starts", "share", "stop", "threads")
    arguments = {name: lambda_arguments()[name] for name in names}
    values = np.zeros(2)
    _core.kernel_values(np.array([0.0, 0.0, -np.inf, np.inf]), **arguments, values=values)
    assert values.tolist() == [(1 + 1 / 2) / 2, 1]
    for scores, message in ((np.zeros(3), "one entry for each row"), (np.full(4, np.nan), "scores must be numbers")):
        with pytest.raises(ValueError, match=message):
            _core.kernel_values(scores, **arguments, values=values)
