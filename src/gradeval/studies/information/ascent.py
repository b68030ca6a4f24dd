"""A single list that ``stationary`` cannot settle, or not beyond doubt: slower, by paths that cannot stray far.

Near the worst value of a measure the most random lists change by leaps as the value falls: they start to choose single
ranks. There is no smooth path to follow then. Here two lists are sought on either side of the leap, at fixed
multipliers of the value, which always exist; a list between them has the value asked for; and from there the entropy
rises step by step, the value being kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.studies.information.expected import Expected
from gradeval.studies.information.stationary import SETTLED, Lists, Point, multipliers, responses, settle, solved
from gradeval.studies.information.worst_list import lower_list

_PATHS = ((1.0, 1.5, 30), (1.0, 1.25, 30), (0.5, 1.5, 4))  # see ``_either_side``
_START = 0.25  # of the multiplier where the smooth path ended
_STAGES = 40  # multipliers tried
_ROUGH = 1e-4  # change of a probability at which the next multiplier is tried
_SAME = 1e-9  # difference of two values that are the same list's
_NEARLY = 1e-9  # probability that is left to other classes where a list is given
_HALVINGS = 30
_CALLS = 8  # of Newton's method for one field
_MET = 1e-10  # relative error of the constraints
_CLIMB = 250  # steps up
_SHORTEST = 1e-5  # step at which to give up
_STILL = 1e-6  # largest change of a probability that counts as rest where rounding drowns what is left to gain
_FIXED = 1e-6  # root of the variance of a class, over all ranks, that counts as certain
_LEVEL = 1e-7  # entropy by which peaks of one height may differ
_CLOSING = 12  # fields tried to settle at the top


@dataclass(frozen=True, eq=False)
class Peak:
    """A list of the value asked for whose entropy rises nowhere near it: its place, and its entropy in nats."""

    point: Point
    entropy: float


def peak(lists: Lists, reference: Array, multiplier: float, sign: float, worst: Array) -> Peak | None:
    """The highest of the peaks that several paths lead to, for one list; None where no path finds the value.

    ``reference[0]``: mass of the reference class. ``multiplier``: where the smooth path ended. ``sign``: 1 if the
    value asked for is above that of the list without order, -1 if below. ``worst[rank]``: see ``lower_list``.
    """
    kept = lists.mass[0] > 0
    part = _only(lists, kept)
    even = np.log(part.mass / reference[:, None])[..., None] + np.zeros(part.form.linear.shape)
    sides = (_either_side(part, even, multiplier, sign, *path) for path in _PATHS)
    logits = [_between(part, *each, sign) for each in sides if each]
    peaks = [_climbed(part, logit) for logit in logits if logit is not None]
    if sign < 0:
        place = np.concatenate([[0], kept.cumsum()])[worst]
        peaks += _from_below(part, even, lower_list(part, place))
    if not peaks:
        return None
    level = max(each.entropy for each in peaks) - _LEVEL
    high = [each for each in peaks if each.entropy >= level]
    best = max(high, key=lambda each: (bool(each.point.settled[0]), each.entropy))
    return Peak(_whole(best.point, kept), best.entropy)


def _only(lists: Lists, kept: Array) -> Lists:
    """The problem without classes that the list lacks."""
    form = Expected(lists.form.linear[:, kept], lists.form.pair[:, kept][:, :, kept], lists.form.discount)
    return replace(lists, form=form, mass=lists.mass[:, kept])


def _whole(point: Point, kept: Array) -> Point:
    field = np.zeros((1, len(kept), point.field.shape[2]))
    field[:, kept] = point.field
    x = np.full((1, len(kept) + 1), -np.inf)
    x[:, np.concatenate([[True], kept])] = point.x
    return Point(field, x, point.settled, point.rounds)


def _either_side(
    lists: Lists, even: Array, multiplier: float, sign: float, share: float, growth: float, turns: int
) -> tuple[Array, Array] | None:
    """Logits of two lists, most random at two fixed multipliers, with the value asked for between theirs.

    ``growth`` of the multiplier from one to the next; for each, ``turns`` times at most a ``share`` of the way to the
    gradient: where several lists are at rest, other steps come to another.
    """
    before = now = even
    p = lists.distribution(even, np.zeros((1, even.shape[1] + 1)), even)
    (reached,), gradient = lists.measured(p)
    fixed = _START * abs(multiplier) or 1 / float(np.abs(gradient).max())
    for _ in range(_STAGES):
        for _ in range(turns):
            old = p
            now, p = _balanced(lists, now + share * (sign * fixed * gradient - now))
            if not np.allclose(p.sum(-1), lists.mass, rtol=1e-6):  # single ranks decide it, at random
                return None
            value, gradient = lists.measured(p)
            if np.abs(p - old).max() <= _ROUGH:
                break
        if sign * (value[0] - lists.value[0]) >= -_SAME:
            return before, now
        if abs(value[0] - reached) <= _SAME:  # what is left of chance no longer counts
            return None
        before, fixed, reached = now, growth * fixed, value[0]
    return None


def _from_below(lists: Lists, even: Array, classes: Array) -> list[Peak]:
    """What a list of the value asked for, or of a lower one, leads to; none where this one's is higher."""
    p = (classes == np.arange(1, even.shape[1] + 1)[:, None]).astype(float)[None]
    value, _ = lists.measured(p)
    if value[0] > lists.value[0] + _SAME or not np.allclose(p.sum(-1), lists.mass):
        return []
    held = np.concatenate([(classes == 0)[None, None].astype(float), p], 1)
    blurred = np.log(held + _NEARLY)
    logit = blurred[:, 1:] - blurred[:, :1]
    if value[0] >= lists.value[0] - _SAME:
        nothing = np.zeros((1, len(even[0]) + 1))
        nothing[0, 0] = -1.0
        return [Peak(Point(-40 * logit, nothing, np.ones(1, bool), np.zeros(1, int)), 0.0)]
    between = _between(lists, even, logit, -1.0)
    return [] if between is None else [_climbed(lists, between)]


def _balanced(lists: Lists, logit: Array) -> tuple[Array, Array]:
    """Logits, with what must be added for each class to have its mass; and the list. Newton on a convex function."""
    mu = np.zeros((1, logit.shape[1]))
    reach = 8.0 + 0.3 * float(np.ptp(logit))  # ranks that are as good as certain say nothing of how far to go
    height, p = _potential(lists, logit, mu)
    for _ in range(40):
        error = p.sum(-1) - lists.mass
        if (np.abs(error) <= 1e-9 * lists.mass).all():
            break
        scale, hessian = _scaled(responses(logit, p, logit)[:, 1:, 1:])
        step = np.clip(-solved(hessian, (error / scale)[..., None])[..., 0] / scale, -reach, reach)
        slope = float((step * error).sum())
        size = 1.0
        for _ in range(15):
            higher, q = _potential(lists, logit, mu + size * step)
            if higher <= height + 1e-4 * size * slope + 1e-13 * abs(height):
                break
            size *= 0.4
        mu, height, p = mu + size * step, higher, q
    return logit + mu[..., None], p


def _potential(lists: Lists, logit: Array, mu: Array) -> tuple[float, Array]:
    """The convex function of mu whose gradient is the excess mass of each class; and the list."""
    full = logit + mu[..., None]
    top = np.maximum(full.max(1, keepdims=True), 0.0)
    each = np.exp(full - top)
    total = each.sum(1, keepdims=True) + np.exp(-top)
    return float(((top + np.log(total)) * lists.live).sum() - (mu * lists.mass).sum()), each / total * lists.live


def _scaled(matrix: Array) -> tuple[Array, Array]:
    """The roots of the diagonal, and the matrix over them, kept from being singular."""
    scale = np.sqrt(np.maximum(np.einsum("ixx->ix", matrix), 1e-200))
    matrix = matrix / (scale[:, :, None] * scale[:, None])
    np.einsum("ixx->ix", matrix)[...] += 1e-12
    return scale, matrix


def _between(lists: Lists, first: Array, last: Array, sign: float) -> Array | None:
    """Logits on the way from the first to the last that have the value asked for."""
    low, high = 0.0, 1.0
    way = last - first
    base = first
    for _ in range(_HALVINGS):
        at = (low + high) / 2
        base, p = _balanced(lists, first + at * way)
        value, _ = lists.measured(p)
        low, high = (low, at) if sign * (value[0] - lists.value[0]) >= 0 else (at, high)
    x, _, _, excess = _restored(lists, base, way)
    return base + way * x[:, :1, None] + x[:, 1:, None] if excess <= 1e-8 else None


def _restored(lists: Lists, base: Array, field: Array, calls: int = _CALLS) -> tuple[Array, Array, Array, float]:
    """Multipliers x with which softmax(base + lambda field + mu) meets the constraints; see ``multipliers``."""
    x = np.zeros((1, base.shape[1] + 1))
    for _ in range(calls):
        x, p, gradient, excess = multipliers(lists, field, x, np.full(1, _MET), base)
        if excess[0] <= _MET:
            break
    return x, p, gradient, float(excess[0])


def _climbed(lists: Lists, logit: Array) -> Peak:
    """Up from a list that meets the constraints, along those that do, as steeply as can be."""
    p = lists.distribution(logit, np.zeros((1, logit.shape[1] + 1)), logit)
    _, gradient = lists.measured(p)
    high = float(lists.entropy(p)[0])
    step, turns = 0.5, 0
    while True:
        x, rest = _rest(logit, p, gradient)
        unrest = float(np.abs(rest * p * (1 - p)).max())
        if unrest <= SETTLED or step <= _SHORTEST or turns == _CLIMB:
            break
        turns += 1
        base = logit + step * rest
        y, q, onward, excess = _restored(lists, base, gradient, 2)
        higher = float(lists.entropy(q)[0])
        if excess <= _MET and higher >= high - 1e-12 * (1 + abs(high)):
            logit = base + gradient * y[:, :1, None] + y[:, 1:, None]
            p, gradient, high, step = q, onward, higher, min(1.4 * step, 1.0)
        else:
            step *= 0.35
    closing = settle(lists, Point(gradient, x, np.zeros(1, bool), np.zeros(1, int)), np.full(1, SETTLED), _CLOSING)
    closed = float(lists.entropy(lists.distribution(closing.field, closing.x))[0])
    if closing.settled[0] and closed >= high - 1e-7:
        return Peak(closing, closed)
    # As a field: the logits are the multiplier times it.
    multiplier = float(x[0, 0]) or 1.0
    flat = np.concatenate([[[multiplier]], np.zeros((1, logit.shape[1]))], 1)
    return Peak(Point(logit / multiplier, flat, np.array([unrest <= _STILL]), np.array([turns])), high)


def _rest(logit: Array, p: Array, gradient: Array) -> tuple[Array, Array]:
    """Multipliers with which lambda gradient + mu comes nearest to the logits, and what remains: the way up.

    A class that is as good as certain at every rank has no say, and stays.
    """
    scale, normal = _scaled(responses(gradient, p, gradient))
    free = np.concatenate([[True], scale[0, 1:] > _FIXED])
    normal = normal * np.outer(free, free) + np.diag(~free)
    spread = p * (logit - (p * logit).sum(1, keepdims=True))
    right = np.concatenate([(gradient * spread).sum((1, 2))[:, None], spread.sum(2)], 1)
    x = solved(normal, (free * right / scale)[..., None])[..., 0] / scale
    return x, (gradient * x[:, :1, None] + x[:, 1:, None] - logit) * free[1:, None]
