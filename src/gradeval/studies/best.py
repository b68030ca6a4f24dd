"""Comparisons with the best: which runs may be the best, and how far is each from it?

If run j is the best, no other run is better: |t_ij| of all runs i less j is, with probability 1 - alpha, at most the
critical value c_j for all i at once. So a run that another one exceeds by more than c_j standard errors is not the
best, and the set of the remaining runs holds the best with probability 1 - alpha (Hsu, 1984, here with each run as the
control, for correlated runs of unequal spread, and two-sided, so that two runs are told apart as by a two-sided test).

The distance of run j to the best is the largest of mean_i - mean_j over all i, so that the same event puts it between
max_i (m_i - m_j - c_j se_ij) and max_i (m_i - m_j + c_j se_ij), each run by itself; the lower bound is above 0 exactly
where the run is outside the set. With a critical value for all pairs of runs the lower bounds hold for all runs at
once. Critical values: ``gradeval.studies.significance``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.progress import Step
from gradeval.studies.sign_flips import Flipped, bonferroni_t, critical_value, flip_signs, p_values, reaches
from gradeval.studies.significance import compare_pairs, pair_with_one, rarest, t_of_signs


@dataclass(frozen=True, eq=False)
class BestRuns:
    """What topics say of the best of some runs by one measure.

    Attributes
    ----------
    p : float64[run]: the smallest level at which the run is outside the set of runs that may be the best.
    inside : bool[run]: may the run be the best? p is not below alpha.
    critical : float64[run]: the t from which another run excludes this one.
    lower, upper : float64[run]: bounds of the distance to the best, with probability 1 - alpha for each run. NaN where
        so few topics all differ by the same amount from another run that their signs exclude nothing.
    behind : float64[run]: lower bounds of the distances, with probability 1 - alpha for all runs at once.
    """

    p: Array
    inside: Array
    critical: Array
    lower: Array
    upper: Array
    behind: Array


def find_best_runs(flipped: Flipped, alpha: float) -> BestRuns:
    """The runs that may be the best, by the draws of the signs; Bonferroni's t where topics are too few for these."""
    mean, error = flipped.differences.mean, flipped.differences.error
    runs, topics = len(mean), flipped.differences.topics
    by_t, of_all = (bonferroni_t(alpha, pairs, topics) for pairs in (runs - 1, runs * (runs - 1) // 2))
    lead = flipped.differences.t.max(0)  # of the run that is furthest ahead; a run is 0 ahead of itself
    p = _p_of_t(lead, runs - 1, topics)
    critical, together = np.full(runs, by_t), of_all
    if reaches(len(flipped.signs), alpha):
        u = flipped.observed.max(0)
        p = np.maximum(p_values(u, flipped.plain), np.minimum(p, p_values(_u_of_t(lead, topics), flipped.centred)))
        critical = _larger(flipped.plain, flipped.centred, by_t, alpha, topics)
        together = float(_larger(flipped.plain.max(0), flipped.centred.max(0), of_all, alpha, topics))
    p = np.where(lead > 0, p, 1.0)
    inside = p >= alpha
    few = _without_ends(error, topics, alpha)
    lower, upper = _bounds(mean, critical * error, np.minimum(critical, by_t) * error, inside, few)
    of_each = np.where(_without_ends(error, topics, 2 * alpha / runs), -np.inf, mean - together * error).max(0)
    return BestRuns(p, inside, critical, lower, upper, np.where(inside, 0.0, of_each))


def best_by_t(mean: Array, error: Array, freedom: int, alpha: float) -> tuple[Array, Array, Array]:
    """p, lower and upper of ``BestRuns`` by Bonferroni's t alone, of mean[run, run] whose standard errors depend on
    more than topics, so that signs cannot be drawn.
    """
    runs = len(mean)
    alike = (error == 0) & (mean != 0)
    t = np.where(alike, np.copysign(t_of_signs(freedom + 1), mean), ratio(mean, error))
    lead = t.max(0)
    p = np.where(lead > 0, _p_of_t(lead, runs - 1, freedom + 1), 1.0)
    reach = bonferroni_t(alpha, runs - 1, freedom + 1) * error
    return p, *_bounds(mean, reach, reach, p >= alpha, _without_ends(error, freedom + 1, alpha))


def _without_ends(error: Array, topics: int, alpha: float) -> Array:
    """bool[run, run]: pairs of which all topics differ by the same amount, and are too few to exclude any difference by
    their signs, corrected for all other runs."""
    if rarest(topics) * (len(error) - 1) < alpha:
        return np.zeros(error.shape, bool)
    return np.asarray((error == 0) & ~np.eye(len(error), dtype=bool))


def _bounds(mean: Array, below: Array, above: Array, inside: Array, few: Array) -> tuple[Array, Array]:
    """float64[run] twice: bounds of the distance to the best, from reaches of mean[run, run] down and up; NaN where a
    difference has no ends, which are ``few``."""
    lower, upper = (mean - below).max(0), (mean + above).max(0)
    known = ~few.any(0)
    return np.where(known, np.where(inside, 0.0, lower), np.nan), np.where(known, upper, np.nan)


def _larger(plain: Array, centred: Array, by_t: float, alpha: float, topics: int) -> Array:
    """The critical value of the differences, or the deviations' where it is larger, up to Bonferroni's."""
    of_deviations = np.minimum(critical_value(centred, alpha, topics), by_t)
    return np.asarray(np.maximum(critical_value(plain, alpha, topics), of_deviations))


def _u_of_t(t: Array, topics: int) -> Array:
    """u of the same t: u^2 = t^2 / (n - 1 + t^2)."""
    finite = np.minimum(t, 1e100)
    return np.asarray(np.sign(t) * np.sqrt(1 / (1 + (topics - 1) / np.maximum(finite**2, 1e-100))))


def _p_of_t(t: Array, pairs: int, topics: int) -> Array:
    """Bonferroni's two-sided p of the largest of so many t."""
    from scipy.special import stdtr

    return np.asarray(np.minimum(1.0, 2 * pairs * stdtr(topics - 1, -t)))


def compare_with_best(values: Array, test: str, alpha: float, samples: int, seed: int, step: Step) -> tuple[Array, ...]:
    """As ``compare_pairs``, of each run and the run with the highest mean in values[topic, run], with intervals of the
    difference from the best, whichever that is; and the p value that a run is the best.
    """
    flipped = flip_signs(values, samples, seed, step)
    best, runs = find_best_runs(flipped, alpha), values.shape[1]
    highest = int((flipped.differences.mean > 0).sum(0).argmin())
    difference, _, *rest = compare_pairs(values, pair_with_one(runs, highest), test, alpha, samples, seed, step)
    return difference, np.stack([-best.upper, -best.lower], axis=-1) + 0.0, *rest, best.p
