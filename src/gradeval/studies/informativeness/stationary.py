"""Stationary points of the entropy of many lists at once: the engine of ``maximum_entropy``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.expected import AdditiveMeasure, ListRows

SETTLED = 1e-9  # largest change of a probability, and relative error of the constraints
ROUNDS = 40  # fields tried before a list counts as unsettled
_MEMORY = 5  # earlier fields that the next one is extrapolated from
_STEPS = 4  # Newton steps on the multipliers of one field
_REACH = 12.0  # largest change of a logit in a Newton step
_CUTS = 5  # of such a step that does not help
_LARGE = 500.0  # logit up to which its exponential is far from overflow
_MISSES = 5  # fields in a row whose constraints could not be met, after which a list is given up (if fields differ)


@dataclass(frozen=True, eq=False)
class Lists(ListRows):
    """Lists whose distribution over classes of documents is sought, in terms of all classes but one.

    What a rank does not give to these classes goes to the remaining one, the reference. Attributes have one row
    for each list:

    form, constant[i] : the expected value as a function of the probabilities of the classes, beyond its value where
        all are 0.
    live[i, 1, rank] : 1, or 0 beyond the end of a shorter list.
    mass[i, class] : documents of the class in the list; 0 for a class that it lacks.
    value[i] : expected value to be met.
    room[i] : how far the value is from the nearer end of what is possible; errors of the value count relative to it.
    """

    form: AdditiveMeasure
    constant: Array
    live: Array
    mass: Array
    value: Array
    room: Array

    def value_and_gradient(self, p: Array) -> tuple[Array, Array]:
        """Expected value[i] and its gradient[i, class, rank] at p[i, class, rank]."""
        value, gradient = self.form.value_and_gradient(p)
        return self.constant + value, gradient

    def distribution(self, field: Array, x: Array) -> Array:
        """p[i, class, rank] = softmax(lambda field + mu), for multipliers x[i] = (lambda, mu of each class)."""
        logit = field * x[:, :1, None]
        logit += x[:, 1:, None]
        rest: Array | float = 1.0  # the odds of the reference
        if logit.max(initial=0.0) > _LARGE:
            highest = np.maximum(logit.max(1, keepdims=True), 0.0)
            logit -= highest
            rest = np.exp(-highest)
        p = np.exp(logit, out=logit)
        p *= self.live / (p.sum(1, keepdims=True) + rest)
        return np.asarray(p)

    def excess(self, p: Array, value: Array) -> Array:
        """How far each constraint (value, mass of each class) is overshot, relative to its size."""
        mass = (p.sum(-1) - self.mass) / np.where(self.mass > 0, self.mass, 1.0)
        return np.concatenate([((value - self.value) / self.room)[:, None], mass], 1)


@dataclass(frozen=True, eq=False)
class IterationState(ListRows):
    """The state of the iteration for each list: a field, its multipliers, and whether both have settled."""

    field: Array
    x: Array
    settled: Array
    rounds: Array

    @classmethod
    def without_order(cls, lists: Lists, reference: Array) -> Self:
        """Every rank alike: the most random of all lists, whatever its value. ``reference[i]``: mass of that class."""
        length = np.maximum(lists.live.sum(-1), 1.0)
        _, field = lists.value_and_gradient(lists.live * (lists.mass / length)[..., None])
        with np.errstate(divide="ignore"):  # a class without mass never occurs: mu = -inf
            mu = np.log(lists.mass / reference[:, None])
        x = np.concatenate([np.zeros((len(mu), 1)), mu], 1)
        return cls(field, x, np.zeros(len(mu), bool), np.zeros(len(mu), int))


def settle(lists: Lists, start: IterationState, precision: Array, rounds: int) -> IterationState:
    """Find the fixed point of field -> gradient of the measure where the constraints hold, for each list.

    Anderson's extrapolation: the next field is the combination of the last ones whose changes, weighted by what they
    do to the probabilities, cancel best. A field whose constraints cannot be met yet is replaced by its gradient.
    A list is settled when no probability changes by more than ``precision[i]``, nor are the constraints missed by
    more. ``rounds`` limits the fields that are tried.
    """
    result = IterationState(*(getattr(start, each.name).copy() for each in fields(start)))
    number = np.arange(len(start.x))
    field, x = start.field, start.x
    count, shape = len(number), field.shape[1:]
    changes = np.zeros((count, _MEMORY, *shape))
    images = np.zeros((count, _MEMORY, *shape))
    usable = np.zeros((count, _MEMORY), bool)
    change = image = field
    met, missed = np.zeros(count, bool), np.zeros(count, int)
    tolerance = np.full(count, 1e-2)
    for turn in range(1, rounds + 1):
        earlier, before, was_met = change, image, met
        trial = _multipliers(lists, field, x, tolerance)
        x, p, image, excess = trial.x, trial.p, trial.gradient, trial.norm
        met = excess <= tolerance
        change = image - field
        doubt = p * (1 - p)
        unrest = np.abs(x[:, :1, None] * change * doubt).max((1, 2), initial=0.0)
        done = (unrest <= precision) & (excess <= precision)
        result.update(number, IterationState(field, x, done, np.full(len(number), turn)))
        missed = np.where(met, 0, missed + 1)
        going = ~done & ((missed < _MISSES) | ~lists.form.pair.any((1, 2)))
        if not going.any():
            break
        tolerance = np.clip(1e-2 * unrest, precision / 10, 1e-2)
        field = image
        if not lists.form.is_linear:  # else the gradient is the same everywhere
            slot = turn % _MEMORY
            changes[:, slot], images[:, slot] = change - earlier, image - before
            usable[:, slot] = was_met
            usable &= met[:, None]
            field = image - _extrapolate(images, changes, change, np.sqrt(doubt), usable)
        if not going.all():
            lists, number = lists.take(going), number[going]
            field, x, image, change = field[going], x[going], image[going], change[going]
            changes, images, usable = changes[going], images[going], usable[going]
            met, missed, tolerance, precision = met[going], missed[going], tolerance[going], precision[going]
    return result


def _extrapolate(images: Array, changes: Array, change: Array, weight: Array, usable: Array) -> Array:
    """The combination of earlier differences of images whose differences of changes best explain ``change``."""
    count, memory = usable.shape
    flat = (changes * (weight[:, None] * usable[:, :, None, None])).reshape(count, memory, -1)
    gram = flat @ np.swapaxes(flat, 1, 2)
    diagonal = np.einsum("imm->im", gram)
    diagonal *= 1 + 1e-12
    diagonal += np.where(diagonal > 0, 0.0, 1.0)
    right = flat @ (weight * change).reshape(count, -1, 1)
    share = _solve_systems(gram, right)
    return np.asarray((np.swapaxes(share, 1, 2) @ images.reshape(count, memory, -1)).reshape(change.shape))


@dataclass(frozen=True, eq=False)
class _Trial(ListRows):
    """Multipliers that are tried, and what follows from them for each list.

    p, gradient, excess : the distribution, the gradient of the measure there, and the excess of each constraint.
    norm : of the excess.
    """

    x: Array
    p: Array
    gradient: Array
    excess: Array
    norm: Array

    @classmethod
    def of(cls, lists: Lists, field: Array, x: Array) -> Self:
        """Try these multipliers of a field."""
        p = lists.distribution(field, x)
        value, gradient = lists.value_and_gradient(p)
        excess = lists.excess(p, value)
        return cls(x, p, np.require(gradient, requirements="W"), excess, np.linalg.norm(excess, axis=1))


def _multipliers(lists: Lists, field: Array, x: Array, tolerance: Array) -> _Trial:
    """Multipliers with which softmax(lambda field + mu) meets the constraints: damped Newton steps from x."""
    trial, highest = _Trial.of(lists, field, x), np.abs(field).max(-1)
    for _ in range(_STEPS):
        open_ = trial.norm > tolerance
        if not open_.any():
            break
        direction = _newton(lists, field, trial)
        size = np.where(open_, _step_sizes(field, highest, trial.p, direction), 0.0)
        further = _Trial.of(lists, field, trial.x + size[:, None] * direction)
        for _ in range(_CUTS - 1):
            worse = np.flatnonzero(open_ & (further.norm > (1 - 0.1 * size) * trial.norm))
            if not len(worse):
                break
            size[worse] *= 0.4
            shorter = trial.x[worse] + size[worse, None] * direction[worse]
            further.update(worse, _Trial.of(lists.take(worse), field[worse], shorter))
        trial = further
    return trial


def _step_sizes(field: Array, highest: Array, p: Array, direction: Array) -> Array:
    """float64[i]: the share of each step that is taken, so that no logit moves too far.

    What is as good as certain may become more so; elsewhere a logit moves by _REACH at most. ``highest[i, class]`` is
    the largest size of the field: by it most steps are seen to be short enough.
    """
    size = np.ones(len(direction))
    farthest = (highest * np.abs(direction[:, :1]) + np.abs(direction[:, 1:])).max(-1, initial=0.0)
    far = np.flatnonzero(farthest > _REACH)
    if len(far):
        field, p, direction = field[far], p[far], direction[far]
        logits = (field * direction[:, :1, None] + direction[:, 1:, None]) * np.sqrt(np.sqrt(4 * p * (1 - p)))
        size[far] = np.minimum(1.0, _REACH / np.maximum(np.abs(logits).max((1, 2)), _REACH / 2))
    return size


def _newton(lists: Lists, field: Array, trial: _Trial) -> Array:
    """Newton's step: minus the inverse of d excess / d x, applied to the excess."""
    jacobian = _responses(field, trial.p, trial.gradient)
    excess = trial.excess
    width = excess.shape[1]
    size = np.concatenate([lists.room[:, None], np.where(lists.mass > 0, lists.mass, 1.0)], 1)
    scale = np.sqrt(np.maximum(np.abs(np.einsum("ixx->ix", jacobian)), 1e-300))
    jacobian /= scale[:, :, None] * scale[:, None, :]
    jacobian[:, np.arange(width), np.arange(width)] += 1e-12
    with np.errstate(all="ignore"):  # no step where every rank is as good as certain
        step = -_solve_systems(jacobian, (excess * size / scale)[..., None])[..., 0] / scale
    return np.where(np.isfinite(step).all(1, keepdims=True), step, 0.0)


def _responses(field: Array, p: Array, gradient: Array) -> Array:
    """float64[i, x, x]: derivatives of (value, mass of each class) by the multipliers (lambda, mu of each class)."""
    along = p * (field - (p * field).sum(1, keepdims=True))  # dp / d lambda
    across = p * (gradient - (p * gradient).sum(1, keepdims=True))  # d value / d mu, rank by rank
    count, width = len(p), p.shape[1] + 1
    jacobian = np.empty((count, width, width))
    jacobian[:, 0, 0] = (gradient * along).sum((1, 2))
    jacobian[:, 0, 1:] = across.sum(2)
    jacobian[:, 1:, 0] = along.sum(2)
    jacobian[:, 1:, 1:] = -p @ np.swapaxes(p, 1, 2)
    classes = np.arange(1, width)
    jacobian[:, classes, classes] += p.sum(2)
    return jacobian


def entropy(p: Array) -> Array:
    """float64[i]: -sum p ln p of p[i, class, rank], in nats."""
    return np.asarray(-(p * np.log(np.where(p > 0, p, 1.0))).sum((1, 2)))


def _solve_systems(matrix: Array, right: Array) -> Array:
    """Solutions of linear systems; the shortest where one is singular."""
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(np.nan_to_num(matrix)) @ right)
