"""Most random lists in the core: stationary by the definition of the value, whatever the number of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval._core import settle_lists
from gradeval.formula.arithmetic import Array

RANKS = 9


def value_of(p: Array, linear: Array, pair: Array, discount: Array) -> float:
    """The sum over ranks and pairs of ranks, literally; p[class, rank]."""
    ranks = range(p.shape[1])
    alone = sum(p[:, n] @ linear[:, n] for n in ranks)
    return float(alone + sum(discount[n] * (p[:, n] @ pair @ p[:, m]) for n in ranks for m in range(n)))


def arrays_of(classes: int, *, interacts: bool) -> dict[str, Any]:
    """A list of random worths whose classes have a rank each and whose best ranks are the first."""
    rng = np.random.default_rng(classes)
    discount = 1 / np.arange(1, RANKS + 1)
    worth = np.sort(rng.uniform(0.2, 1, classes))
    pair = np.minimum.outer(worth, worth) * rng.uniform(0.8, 1, (classes, classes)) * interacts
    mass, reference = np.ones(classes), RANKS - classes
    mu = np.log(mass / reference)
    linear = worth[:, None] * discount
    even = np.full((classes, RANKS), 1 / RANKS)
    value = 1.15 * value_of(even, linear, pair, discount)
    return {
        "linear": linear[None],
        "pair": pair[None],
        "discount": discount[None],
        "length": np.array([RANKS]),
        "mass": mass[None],
        "value": np.array([value]),
        "room": np.array([value]),
        "precision": np.array([1e-10]),
        "rounds": 40,
        "x": np.concatenate([[0.0], mu])[None],
        "logit": np.repeat(mu[:, None], RANKS, 1)[None],
        "settled": np.zeros(1, bool),
        "tried": np.zeros(1, np.int64),
    }


@pytest.mark.parametrize("interacts", [False, True])
@pytest.mark.parametrize("classes", range(1, 7))
def test_logits_follow_the_slope_of_the_value_and_the_constraints_hold(classes: int, interacts: bool) -> None:
    lists = arrays_of(classes, interacts=interacts)
    settle_lists(**lists)
    assert lists["settled"].all()
    odds = np.exp(lists["logit"][0])
    p = odds / (1 + odds.sum(0))
    form = lists["linear"][0], lists["pair"][0], lists["discount"][0]
    assert value_of(p, *form) == pytest.approx(lists["value"][0], abs=1e-9)
    assert p.sum(1) == pytest.approx(lists["mass"][0], abs=1e-9)
    for place in np.ndindex(p.shape):
        nearby = np.zeros(p.shape)
        nearby[place] = 1e-5
        slope = (value_of(p + nearby, *form) - value_of(p - nearby, *form)) / 2e-5
        by_value, of_class = lists["x"][0][[0, 1 + place[0]]]
        assert lists["logit"][0][place] == pytest.approx(by_value * slope + of_class, abs=1e-6)


def test_a_class_without_documents_and_ranks_beyond_the_end_are_left_as_they_are() -> None:
    whole, lists = arrays_of(2, interacts=True), arrays_of(3, interacts=True)
    for name in ("linear", "pair", "mass", "x", "logit"):
        more = [(0, 0)] + [(0, 1)] * (whole[name].ndim - 1)
        lists[name] = np.pad(whole[name], more, constant_values=-np.inf if name in ("x", "logit") else 0)
    lists["discount"] = np.pad(whole["discount"], [(0, 0), (0, 1)])
    lists["value"], lists["room"] = whole["value"], whole["room"]
    settle_lists(**whole)
    settle_lists(**lists)
    assert lists["settled"].all()
    assert (lists["logit"][:, :2, :RANKS] == whole["logit"]).all()
    assert (lists["logit"][:, 2] == -np.inf).all()
    assert (lists["logit"][..., RANKS] == -np.inf).all()
    assert (lists["x"][:, :3] == whole["x"]).all()


@pytest.mark.parametrize("name", "linear pair discount length mass value room precision x logit settled tried".split())
def test_arrays_that_do_not_fit_are_refused(name: str) -> None:
    lists = arrays_of(2, interacts=True)
    lists[name] = lists[name][:0]
    with pytest.raises(ValueError, match="a row for each list"):
        settle_lists(**lists)


@pytest.mark.parametrize("length", [-1, RANKS + 1])
def test_a_length_beyond_the_ranks_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="a row for each list"):
        settle_lists(**(arrays_of(2, interacts=True) | {"length": np.array([length])}))
