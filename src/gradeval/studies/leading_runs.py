"""Which run has the highest mean at which weights of two or of three grades."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, rounded
from gradeval.studies.grade_weights import GradeWeights

POINTS = 10_001
"""Weights of the first of two grades at which the leader is looked up."""
SIDE = 40
"""Steps along each side of the triangle of three grades."""


@dataclass(frozen=True)
class Stretch:
    """Weights of the first grade, from ``low`` to ``high``, where one run has the highest mean."""

    low: float
    high: float
    run: str


def stretches(form: GradeWeights) -> list[Stretch]:
    """Where each run leads, for two positive grades with weights w and 1 - w.

    The leader is looked up at POINTS equally spaced w; where it changes between two of them, the change is found by
    bisection to the last bit. Of runs with the same mean the first one leads.

    Raises
    ------
    InputError : there are not two positive grades.
    """
    if len(form.grades) != 2:
        raise InputError(f"a strip shows two positive grades, and there are {len(form.grades)}")
    places = np.linspace(0, 1, POINTS)
    leaders = _leaders(form, np.stack([places, 1 - places], axis=-1))
    changes = np.flatnonzero(np.diff(leaders))
    bounds = [0.0, *(_bisect(form, places[at], places[at + 1], int(leaders[at])) for at in changes.tolist()), 1.0]
    first = [int(leaders[0]), *leaders[changes + 1].tolist()]
    return [Stretch(low, high, form.runs[run]) for low, high, run in zip(bounds[:-1], bounds[1:], first, strict=True)]


def triangle(form: GradeWeights, side: int = SIDE, place: int = 1) -> tuple[Array, list[str]]:
    """The leader on a grid, for three positive grades: (float64[point, grade], the run that leads at each point).

    ``place`` 2 is the runner-up.

    Raises
    ------
    InputError : there are not three positive grades.
    """
    if len(form.grades) != 3:
        raise InputError(f"a triangle shows three positive grades, and there are {len(form.grades)}")
    points = np.array([(a, b, side - a - b) for a in range(side + 1) for b in range(side + 1 - a)]) / side
    best_first = np.argsort(-rounded(form.means(points)), axis=-1, kind="stable")
    return points, [form.runs[run] for run in best_first[:, place - 1].tolist()]


def _leaders(form: GradeWeights, points: Array) -> Array:
    """intp[point]: the run with the highest mean, of points[point, grade]."""
    leaders: Array = rounded(form.means(points)).argmax(-1)
    return leaders


def _bisect(form: GradeWeights, low: float, high: float, run: int) -> float:
    """The largest weight between two at which the run of the lower one still leads."""
    while low < (middle := (low + high) / 2) < high:
        if int(_leaders(form, np.array([[middle, 1 - middle]]))[0]) == run:
            low = middle
        else:
            high = middle
    return low
