"""Means over topics from few human and many model values: the regression estimator of survey sampling."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import SAME, Array, ratio, tiny

TopicsAre: TypeAlias = Literal["sample", "all"]

LEAST_TOPICS = 8
"""Human topics: a slope and a residual variance from fewer are too uncertain for any interval."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means over topics of several quantities, by humans with the help of a model and by humans alone: [quantity] each.

    Attributes
    ----------
    value, error : the estimate and its standard error.
    reach : half of the width of its interval.
    human, human_error, human_reach : the same from the human topics alone.
    slope : lam, the human value that goes with one more of the model's; 0 where the human topics stand alone (see
        ``estimate_means``).
    correlation : of human and model values over the human topics; NaN where these stand alone, or the human values are
        constant.
    worth : how many topics with human values alone have the same variance; at most all that the model graded.
    worth_bounds : float64[quantity, 2]: its interval.
    limit : what the human topics would be worth if the model had graded infinitely many.
    freedom : degrees of freedom of the residual variance; n - 1 instead of n - 2 where the human topics stand alone.
    """

    value: Array
    error: Array
    reach: Array
    human: Array
    human_error: Array
    human_reach: Array
    slope: Array
    correlation: Array
    worth: Array
    worth_bounds: Array
    limit: Array
    freedom: Array

    def reshape(self, shape: tuple[int, ...]) -> Estimates:
        """The same estimates, their arrays in another shape."""
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        return Estimates(**{name: part.reshape(*shape, *part.shape[1:]) for name, part in parts.items()})


def estimate_means(
    human: Array, model: Array, both: Array, topics_are: TopicsAre, alpha: float = 0.05, *, alone: Array | None = None
) -> Estimates:
    """Estimate means over topics from few human and many model values.

    For n topics with human values h and model values m, and T topics with model values,

        theta = mean_n(h) + lam (mean_T(m) - mean_n(m)),    lam = cov_n(h, m) / var_n(m),

    whose variance is, with s2 the residual variance of h on m (n - 2 degrees of freedom) and
    S = sum_n (m - mean_n(m))^2,

        sample   s2/n (1 + n (mean_T(m) - mean_n(m))^2 / S) + lam^2 var_T(m)/T    (the T topics are of a population)
        all      (1 - n/T) s2/n (1 + n (mean_T(m) - mean_n(m))^2 / S)             (they are all there are)

    and Student's t gives the interval. It is valid where the n human topics are a random sample of the T, whatever
    the model's bias. The variance of N human topics alone is V_N = var_n(h)/N (sample), or (1 - N/T) var_n(h)/N (all).
    The n topics are worth the N for which V_N is the variance of theta:

        sample   N = var_n(h) / V            all   N = 1 / (1/T + V / var_n(h))

    and at most T. With the correlation r that is about W(r) = 1 / ((1 - r^2)/n + r^2/T); for infinite T it is
    n var_n(h) / s2, about n / (1 - r^2), the ``limit``. The interval of N ends at W of both ends of the interval of r
    by Fisher's transformation, atanh(r) -+ z / sqrt(n - 3), and at N where N is beyond.

    Parameters
    ----------
    human : float64[n, quantity]
    model : float64[T, quantity]
    both : intp[n]: the places of the human topics among the model's.
    alpha : intervals cover 1 - alpha.
    alone : bool[quantity]: of which the human topics stand alone, whatever the model says.

    Where the model's values are the same for all n topics there is no line, and where one topic differs, the
    line goes through that topic, whatever its human value: its residual is 0 and says nothing of the errors. Nor does a
    perfect fit to only two values, as P@1 has them. The human topics then stand alone.

    Source: Cochran (1977), Sampling Techniques, section 7.3 (the linear regression estimator), double sampling in
    section 12.6; Angelopoulos et al. (2023), "Prediction-powered inference", for the same idea with model labels.
    """
    from scipy.special import stdtrit

    n, topics = len(human), len(model)
    beside = model[both]
    h, m = _centred(human), _centred(beside)
    squares = np.square(m).sum(0)
    slope = ratio((h * m).sum(0), squares)
    ahead = model.mean(0) - beside.mean(0)
    residual = _without_rounding(h - slope * m, human)
    constant = _says_nothing(m, squares, residual) | (False if alone is None else alone)
    slope = np.where(constant, 0.0, slope)
    freedom = np.where(constant, n - 1, n - 2)
    s2 = np.square(residual).sum(0) / freedom
    own = np.square(h).sum(0) / (n - 1)
    finite = 1 - n / topics if topics_are == "all" else 1.0
    variance = finite * s2 / n * (1 + n * ratio(np.square(ahead), squares))
    if topics_are == "sample":
        variance = variance + np.square(slope) * model.var(0, ddof=1) / topics
    variance = np.where(constant, finite * own / n, variance)
    human_variance = finite * own / n
    tail = 1 - alpha / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(own > 0, variance / own, 1 / n - (1 / topics if topics_are == "all" else 0))
        worth = 1 / (share + (1 / topics if topics_are == "all" else 0))
        limit = np.where(own > 0, n * own / s2, n)
        correlation = (h * m).sum(0) / np.sqrt(np.square(h).sum(0) * squares)
    known = ~constant & (own > 0)
    worth = np.minimum(np.where(constant, n, worth), topics)
    return Estimates(
        value=human.mean(0) + slope * ahead,
        error=np.sqrt(variance),
        reach=np.sqrt(variance) * stdtrit(freedom, tail),
        human=human.mean(0),
        human_error=np.sqrt(human_variance),
        human_reach=np.sqrt(human_variance) * stdtrit(n - 1, tail),
        slope=slope,
        correlation=np.where(known, correlation, np.nan),
        worth=worth,
        worth_bounds=_bound_worth(worth, np.where(known, correlation, 0.0), known, n, topics, alpha),
        limit=np.where(constant, n, limit),
        freedom=freedom,
    )


def _bound_worth(worth: Array, correlation: Array, known: Array, n: int, topics: int, alpha: float) -> Array:
    """float64[quantity, 2]: the interval of what the human topics are worth; see ``estimate_means``."""
    from scipy.special import ndtri

    middle = np.arctanh(np.clip(np.abs(correlation), 0.0, 1 - SAME))
    reach = ndtri(1 - alpha / 2) / np.sqrt(n - 3)
    squares = np.square(np.tanh([np.maximum(middle - reach, 0.0), middle + reach]))
    low, high = 1 / ((1 - squares) / n + squares / topics)
    bounds = np.stack([np.minimum(low, worth), np.maximum(high, worth)], axis=-1)
    return np.where(known[:, None], bounds, worth[:, None])


def _says_nothing(deviations: Array, squares: Array, residual: Array) -> Array:
    """bool[quantity]: would a line through the model's deviations[topic, quantity] fit any human values?

    With one value d next to the others, that topic deviates by (1 - 1/n) d and S is (1 - 1/n) d^2.
    """
    n = len(deviations)
    largest = np.square(deviations).max(0, initial=0.0)
    on_one_topic = largest >= (1 - 1 / n) * squares * (1 - SAME)
    reach = np.abs(deviations).max(0, initial=0.0)
    ends = [tiny(deviations - end(deviations, 0), reach) for end in (np.min, np.max)]
    through_two_points = np.logical_or(*ends).all(0) & ~residual.any(0)
    return np.asarray(on_one_topic | through_two_points)


def _centred(values: Array) -> Array:
    """The values [topic, quantity] less their means; exactly 0 where they are equal except for rounding."""
    return _without_rounding(values - values.mean(0), values)


def _without_rounding(deviations: Array, values: Array) -> Array:
    scale = np.abs(values).max(0, initial=0.0)
    return np.where(tiny(np.abs(deviations).max(0, initial=0.0), scale), 0.0, deviations)
