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
