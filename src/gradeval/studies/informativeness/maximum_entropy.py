"""The most random distribution of rankings that agrees with the value of a measure."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.classes import Classes
from gradeval.studies.informativeness.expected import AdditiveMeasure, ListRows
from gradeval.studies.informativeness.stationary import ROUNDS, SETTLED, IterationState, Lists, entropy, settle

_AT_THE_END = 1e-9  # a value this near to the best (or worst) list's is that list's
_FEASIBLE = 1e-6
_TOGETHER = 32_768  # ranks of all lists that are solved together: few calls for much work, and still in the cache
_STRIDES = 40  # intermediate values tried for a list that does not settle in one go
_SHORTEST = 0.02  # stride at which to give up, on the scale of log odds
_PATIENCE = 15  # steps tried for one stride
_EN_ROUTE = 1e-5  # precision on the way
_CERTAIN = 1e-8  # p (1 - p) of what counts as certain


@dataclass(frozen=True, eq=False)
class MaximumEntropy:
    """Distributions of maximum entropy, one for each list.

    Attributes
    ----------
    probability : float64[..., level, rank]: how probable each level is at each rank; 0 beyond the end of a list.
    multiplier : float64[...]: the Lagrange multiplier of the value; inf (-inf) for the best (worst) list there is, and
        any other that leaves nothing to chance.
    value : float64[...]: expected value of the measure; not the given one where not converged.
    entropy : float64[...]: -sum p ln p, in nats.
    converged : bool[...]: is this a list of this value and these documents (to within 1e-6) whose entropy is
        stationary: another round would change no probability by more than 1e-9? That no other list has more entropy is
        certain only for linear measures.
    """

    probability: Array
    multiplier: Array
    value: Array
    entropy: Array
    converged: Array


def maximum_entropy(
    form: AdditiveMeasure, counts: Array, value: Array, retrieved: Array | int | None = None
) -> MaximumEntropy:
    """Infer lists from the value of a measure: of all distributions whose ranks are independent, the most random one
    that expects this value and these numbers of documents of each level.

    Maximises H(p) = -sum p ln p subject to sum_n p[a, n] = counts[a] and E(p) = value. The solution is
    p[., n] = softmax(lambda D[., n] + mu), with D the gradient of E at p. Newton's method finds p and the multipliers
    together; far from the solution it takes D as it is. Where that fails, the value is approached in strides from the
    value of the list without order.

    Parameters
    ----------
    form : the measure, for these lists; leading axes broadcast with the other arguments.
    counts : float64[..., level]: documents of each level in the list; level 0 is ignored, it takes the rest.
    value : float64[...]: value of the measure.
    retrieved : int64[...]: length of the lists; default: all ranks of ``form``.

    No list raises: ``converged`` says which ones were solved. Unsolved are values that no list can have, more documents
    than ranks, and some lists hardly better than the reversed one. There the problem is not convex (it is convex for
    linear measures): once |lambda| discount[n] pair p (1 - p) reaches 1 somewhere, the most random list starts to
    choose single ranks, changes by leaps as the value falls, and has rivals; the one that is found need not be the most
    random of all. Systems do not return such lists: of 40,000 inferences from the values of AP, nDCG, GAP, Q, xGAP and
    eGAP on three TREC collections all converged. The value of the perfect list gives this list alone, also by Q, where
    less perfect lists can have its value.

    Source: Aslam, Yilmaz & Pavlu (2005), SIGIR; Robertson, Kanoulas & Yilmaz (2010), section 4.1. Departure: they
    use general numerical optimisation.
    """
    depth = form.linear.shape[-1]
    counts, value = np.asarray(counts, float), np.asarray(value, float)
    sensible = np.isfinite(value) & np.isfinite(counts).all(-1)
    counts, value = np.nan_to_num(counts), np.nan_to_num(value)
    lengths = np.asarray(depth if retrieved is None else retrieved)
    leading = np.broadcast_shapes(counts.shape[:-1], value.shape, lengths.shape, form.linear.shape[:-2])

    def flat(array: Array, axes: int) -> Array:
        own = array.shape[array.ndim - axes :]
        return np.broadcast_to(array, (*leading, *own)).reshape(-1, *own)

    lengths = flat(lengths, 0)
    live = (np.arange(depth) < lengths[:, None]).astype(float)
    linear, pair, discount = flat(form.linear, 2) * live[:, None], flat(form.pair, 2), flat(form.discount, 1) * live
    mass = flat(counts, 1).copy()
    mass[:, 0] = lengths - mass[:, 1:].sum(1)
    possible = (mass >= -_FEASIBLE).all(1) & flat(sensible, 0)
    mass = np.maximum(mass, 0.0)
    mass *= (lengths / np.maximum(mass.sum(1), 1.0))[:, None]
    classes = Classes.of(AdditiveMeasure(linear, pair, discount), live, mass)
    together = max(1, _TOGETHER // depth)
    parts = [slice(first, first + together) for first in range(0, len(mass), together)] or [slice(0)]
    solution = _Solution.join([_solve(classes.take(part), flat(value, 0)[part]) for part in parts])
    p = classes.spread(solution.p)
    reached = AdditiveMeasure(linear, pair, discount).value(p)
    return MaximumEntropy(
        p.reshape(*leading, *p.shape[1:]),
        solution.multiplier.reshape(leading),
        reached.reshape(leading),
        entropy(p).reshape(leading),
        (solution.settled & possible & (np.abs(reached - flat(value, 0)) <= _FEASIBLE)).reshape(leading),
    )


@dataclass(frozen=True, eq=False)
class _Solution:
    """p[i, class, rank], and for each list the multiplier of the value and whether it settled."""

    p: Array
    multiplier: Array
    settled: Array

    @classmethod
    def join(cls, parts: list[_Solution]) -> _Solution:
        """Join several of these."""
        names = ("p", "multiplier", "settled")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True, eq=False)
class _Range(ListRows):
    """The values low[i] to high[i] that lists can have; ``odds`` stretches both ends."""

    low: Array
    high: Array

    def odds(self, value: Array) -> Array:
        """Logarithm of (value - low) / (high - value)."""
        return np.asarray(np.log((value - self.low) / (self.high - value)))

    def value(self, odds: Array) -> Array:
        """The inverse of ``odds``."""
        return np.asarray(self.low + (self.high - self.low) / (1 + np.exp(-odds)))

    def room(self, value: Array) -> Array:
        """Distance from the nearer end; never so small that rounding matters."""
        nearer: Array = np.minimum(value - self.low, self.high - value)
        return np.maximum(nearer, 1e-5 * np.asarray(self.high - self.low))


def _solve(classes: Classes, value: Array) -> _Solution:
    """Lists at either end of what is possible at once, the others by iteration."""
    form = classes.form
    best, worst = classes.in_order(best_first=True), classes.in_order(best_first=False)
    solution = _Solution(classes.even(), np.zeros(len(value)), np.ones(len(value), bool))
    high, middle, low = form.value(best), form.value(solution.p), form.value(worst)
    # Where the pair is asymmetric (xGAP, Q) the reversed list need not be the worst.
    symmetric = np.asarray(np.isclose(form.pair, np.swapaxes(form.pair, 1, 2), rtol=1e-9, atol=0.0).all((1, 2)))
    alike = high - low <= _AT_THE_END
    at_best = ~alike & (value >= high - _AT_THE_END)
    at_worst = ~alike & symmetric & (value <= low + _AT_THE_END)
    for some, ordered, sign in ((at_best, best, 1), (at_worst, worst, -1)):
        solution.multiplier[some] = sign * np.inf
        for i in np.flatnonzero(some):
            solution.p[i] = _average_equal_ranks(ordered[i], form.linear[i], form.discount[i], classes.live[i])
    between = np.flatnonzero(~(alike | at_best | at_worst))
    if len(between):
        aim, high, low, middle = (each[between] for each in (value, high, low, middle))
        limits = _Range(np.where(aim <= low + _AT_THE_END, aim - 0.1 * (high - low), low), high)
        part = classes.take(between)
        lists = part.others(aim, limits.room(aim))
        start = IterationState.without_order(lists, part.mass[:, 0])
        point = settle(lists, start, np.full(len(aim), SETTLED), ROUNDS)
        stuck = np.flatnonzero(~point.settled)
        if len(stuck):
            point.update(stuck, _approach(lists.take(stuck), start.take(stuck), limits.take(stuck), middle[stuck]))
        p = lists.distribution(point.logit)
        solution.p[between] = np.concatenate([part.live[:, None] - p.sum(1, keepdims=True), p], 1)
        certain = (p * (1 - p)).max(
            (1, 2), initial=0.0
        ) <= _CERTAIN  # of a list that is certain any larger multiplier will do
        solution.multiplier[between] = np.where(certain, np.copysign(np.inf, point.x[:, 0]), point.x[:, 0])
        solution.settled[between] = point.settled
    return solution


def _average_equal_ranks(p: Array, linear: Array, discount: Array, live: Array) -> Array:
    """p[class, rank] with its mean wherever a run of ranks counts the same: beyond a cutoff, or within one of P."""
    near = 1e-12 * np.abs(linear).max()
    differs = (np.abs(np.diff(linear, axis=1)) > near).any(0) | (np.diff(live) != 0)
    new = differs | (discount[1:] != 0) | (discount[:-1] != 0)
    run = np.concatenate([[0], np.cumsum(new)])
    size = np.bincount(run)
    return np.stack([(np.bincount(run, each) / size)[run] for each in p])


def _approach(lists: Lists, start: IterationState, limits: _Range, middle: Array) -> IterationState:
    """Go from the value of the list without order to the value, in strides that grow as long as each one succeeds."""
    here = start
    odds, goal = limits.odds(middle), limits.odds(lists.value)
    stride = np.full(len(goal), 1.0)
    going = np.arange(len(goal))
    for _ in range(_STRIDES):
        way = goal[going] - odds[going]
        last = np.abs(way) <= stride[going]
        ahead = np.where(last, goal[going], odds[going] + np.sign(way) * stride[going])
        part, target = limits.take(going), lists.take(going)
        aim = np.where(last, target.value, part.value(ahead))
        target = replace(target, value=aim, room=part.room(aim))
        trial = settle(target, here.take(going), np.where(last, SETTLED, _EN_ROUTE), _PATIENCE)
        succeeded = trial.settled.copy()
        trial.settled[:] = succeeded & last
        here.update(going[succeeded], trial.take(succeeded))
        odds[going[succeeded]] = ahead[succeeded]
        stride[going] *= np.where(succeeded, 1.7, 0.35)
        going = going[~(succeeded & last) & (stride[going] > _SHORTEST)]
        if not len(going):
            break
    return here
