"""The labels of two assessors: confusion, kappa, alpha and bias, with intervals over topics.

All follow from one K x K matrix of counts a topic, C[human grade, judge grade], so that every bootstrap sample of the
topics is a row of one matrix product. Topics are resampled, not pairs: the pairs of a topic share its difficulties.

What a human grade is worth after the judge, and the shares of users that its grades stand for.

A measure gives a document of grade b the value V(b) = sum_{k <= b} w_k, with w the shares g of users by threshold, or
the steps of the gains. A document of human grade a then has, by the judge's grades, the expected value

    W(a) = sum_b P(judge says b | humans say a) V(b) / V(highest),

and the judge's shares are the steps between these: g_a = (W(a) - W(a-1)) / (W(highest) - W(0)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gradeval.collection.joint_pool import JointPool
from gradeval.collection.qrels import Negative
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.studies.grade_weights import FORMS
from gradeval.studies.judges.floors import LEAST, Resampled, find_bounds
from gradeval.studies.parallel import product
from gradeval.tables.grid import Estimate


@dataclass(frozen=True, eq=False)
class Labels:
    """How a judge labels what humans labelled.

    Attributes
    ----------
    confusion : int64[human grade, judge grade]: the common pairs.
    topics : with at least one common pair.
    human_only, judge_only : pairs that only one side judged, in the topics of the humans.
    kappa : Cohen's, with quadratic weights; None where the humans gave all these pairs one grade, which
        leaves it at 0 whatever the judge says.
    alpha : Krippendorff's, ordinal; None where all pairs have one grade on both sides.
    bias : the mean of the judge's grade less the mean of the humans' grade.
    bias_by_grade : the same by human grade; None for a grade without pairs.
    """

    confusion: Array
    topics: int
    human_only: int
    judge_only: int
    kappa: Estimate | None
    alpha: Estimate | None
    bias: Estimate
    bias_by_grade: list[Estimate | None]

    @property
    def pairs(self) -> int:
        """Pairs of topic and document that both judged."""
        return int(self.confusion.sum())


class OneGrade(NamedTuple):
    """The only grade of the humans, to how many pairs a judge gave it, too, and how many pairs there are."""

    grade: float
    same: int
    pairs: int

    def __str__(self) -> str:
        others = "documents that are not relevant" if self.grade > 0 else "relevant documents"
        return (
            f"the humans gave all common pairs one grade; the judge gave it to {self.same:,} of {self.pairs:,}; "
            f"grades by both of {others} would decide"
        )


def find_one_grade(counts: Array, levels: Levels) -> OneGrade | None:
    """The only grade of the humans in counts[human grade, judge grade]; None where they gave several, or none."""
    given = np.flatnonzero(counts.sum(-1))
    if len(given) != 1:
        return None
    grade = int(given[0])
    return OneGrade(levels[grade], int(counts[grade, grade]), int(counts.sum()))


def count_confusion(human: Array, judge: Array, topic: Array, topics: int, levels: Levels) -> Array:
    """float64[topic, human grade, judge grade]: common pairs, from the grades of both[pair] and topic[pair]."""
    width = len(levels)
    places = [np.searchsorted(levels, grades) for grades in (human, judge)]  # the lowest level is 0, also of -1
    cell = (topic * width + places[0]) * width + places[1]
    return np.bincount(cell, minlength=topics * width**2).reshape(topics, width, width).astype(float)


def count_by_topic(pool: JointPool, judge: str, negative: Negative) -> Array:
    """float64[topic, human grade, judge grade]: the common pairs of the topics that have any."""
    counts = count_all_topics(pool, judge, negative)
    return np.asarray(counts[counts.any((-1, -2))])


def count_all_topics(pool: JointPool, judge: str, negative: Negative, part: Array | None = None) -> Array:
    """float64[topic, human grade, judge grade]: the common pairs of all topics, in a part[document] if one is given."""
    common = pool.common(judge, negative)
    common = common if part is None else common & part
    grades = pool.judges[judge]
    return count_confusion(pool.human[common], grades[common], pool.topic[common], len(pool.topics), pool.levels)


def resample_alpha(counts: Array, weights: Array) -> Resampled:
    """The ordinal alpha of counts[topic, human grade, judge grade], and over weights[sample, topic]."""
    samples = product(weights, counts.reshape(len(counts), -1)).reshape(-1, *counts.shape[1:])
    return Resampled(float(ordinal_alpha(counts.sum(0))), ordinal_alpha(samples))


def resample_beyond_shuffled(counts: Array, weights: Array) -> Resampled:
    """By how much that alpha is above the one of the judge's grades shuffled within the topics.

    Shuffled, a judge gives grade b to n_a. n_.b / n of the n documents of a topic that have grade a, on average.
    """
    rows, columns, number = counts.sum(-1), counts.sum(-2), counts.sum((-1, -2))
    shuffled = ratio(rows[:, :, None] * columns[:, None, :], number[:, None, None])
    own, floor = resample_alpha(counts, weights), resample_alpha(shuffled, weights)
    return Resampled(own.value - floor.value, own.samples - floor.samples)


def compare_labels(
    counts: Array, levels: Levels, weights: Array, human_only: int = 0, judge_only: int = 0, alpha: float = 0.05
) -> Labels:
    """Statistics of counts[topic, human grade, judge grade], with bounds over weights[sample, topic].

    The bounds are those by which verdicts on labels are decided; there are none over fewer than ``LEAST`` topics, which
    have pairs of the grade where a bias is the bias of one grade.
    """
    total, topics = counts.sum(0), len(counts)
    resampled = product(weights, counts.reshape(topics, -1)).reshape(-1, *total.shape)
    values = np.asarray(levels)
    widest = values[-1] - values[0]
    difference = values - values[:, None]

    def agreement(statistic: Array, samples: Array) -> Estimate | None:
        known = topics >= LEAST and not np.isnan(samples).all()
        bounds = bound_agreement(Resampled(float(statistic), samples), topics, alpha) if known else None
        return None if np.isnan(statistic) else Estimate(float(statistic), bounds=bounds)

    def estimate(statistic: Array, samples: Array, within: tuple[float, float], topics: int) -> Estimate | None:
        if np.isnan(statistic):
            return None
        if topics < LEAST or np.isnan(samples).all():
            return Estimate(float(statistic))
        low, high = find_bounds(float(statistic), samples, topics, alpha, within)
        return Estimate(float(statistic), bounds=(low, high) if low < high else None)  # all alike: nothing is known

    def bias(of: Array) -> Array:
        return _mean((of * difference).sum((-1, -2)), of.sum((-1, -2)))

    def bias_by_grade(of: Array) -> Array:
        return _mean((of * difference).sum(-1), of.sum(-1))

    overall = estimate(bias(total), bias(resampled), (-widest, widest), topics)
    assert overall is not None  # there is a common pair
    several = find_one_grade(total, levels) is None
    by_grade = zip(
        bias_by_grade(total),
        bias_by_grade(resampled).T,
        zip(difference[:, 0].tolist(), difference[:, -1].tolist(), strict=True),  # the judge's least and highest grade
        np.count_nonzero(counts.sum(-1), axis=0).tolist(),
        strict=True,
    )
    return Labels(
        confusion=total.astype(np.int64),
        topics=int((counts.sum((-1, -2)) > 0).sum()),
        human_only=human_only,
        judge_only=judge_only,
        kappa=agreement(quadratic_kappa(total, levels), quadratic_kappa(resampled, levels)) if several else None,
        alpha=agreement(ordinal_alpha(total), ordinal_alpha(resampled)),
        bias=overall,
        bias_by_grade=[estimate(*one) for one in by_grade],
    )


def bound_agreement(figure: Resampled, topics: int, alpha: float, over: int | None = None) -> tuple[float, float]:
    """The bounds of a kappa or an alpha over so many topics like these; default: over these.

    Where no resample changes the figure, the topics are all alike (see ``bound_alike``). Those that are not may agree
    by chance, and fully; where these agree no better than chance, the others may also contradict.
    """
    number = topics if over is None else over
    low, high = find_bounds(figure.value, figure.samples, topics, alpha, (-1.0, 1.0), number)
    least = 0.0 if figure.value > 0 else -1.0
    return (low, high) if low < high else bound_alike(figure.value, number, alpha, (least, 1.0))


def bound_alike(value: float, topics: int, alpha: float, others: tuple[float, float]) -> tuple[float, float]:
    """The bounds of a figure that is the same in so many topics; ``others``: the lowest and the highest in other ones.

    The share of these other topics may be as large as 1 - (alpha/2)^(1/n), so that none is among n.
    """
    like = (alpha / 2) ** (1 / topics)
    return like * value + (1 - like) * others[0], like * value + (1 - like) * others[1]


def quadratic_kappa(counts: Array, levels: Levels) -> Array:
    """float64[...]: Cohen's kappa with quadratic weights of counts[..., a, b]; NaN where chance cannot disagree.

    kappa = 1 - sum_ab (a-b)^2 n_ab / sum_ab (a-b)^2 n_a. n_.b / n, with a and b the grades: of levels
    0, 1 and 4 the last two are three times as far apart as the first two.
    Source: Cohen (1968), "Weighted kappa".
    """
    values = np.asarray(levels)
    apart = np.square(values - values[:, None])
    rows, columns, number = counts.sum(-1), counts.sum(-2), counts.sum((-1, -2))
    chance = np.einsum("...a,...b,ab->...", rows, columns, apart)
    observed = (counts * apart).sum((-1, -2))
    return 1 - _mean(observed * number, chance)


def ordinal_alpha(counts: Array) -> Array:
    """float64[...]: Krippendorff's alpha of two coders for ordinal grades, of counts[..., a, b]; NaN likewise.

    o_ab = n_ab + n_ba, m_a = sum_b o_ab, M = sum_a m_a, d_ab = sum_{a<=c<=b} m_c - (m_a + m_b)/2:
    alpha = 1 - (M - 1) sum_ab o_ab d_ab^2 / sum_ab m_a m_b d_ab^2.
    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
    """
    coincidences = counts + np.swapaxes(counts, -1, -2)
    margins = coincidences.sum(-1)
    middle = margins.cumsum(-1) - margins / 2  # d_ab is the distance between the middles of two grades
    distance = np.square(middle[..., :, None] - middle[..., None, :])
    observed = (coincidences * distance).sum((-1, -2))
    chance = (margins[..., :, None] * margins[..., None, :] * distance).sum((-1, -2))
    return 1 - _mean((margins.sum(-1) - 1) * observed, chance)


def _mean(total: Array, number: Array) -> Array:
    """total / number, NaN where there is nothing to divide by."""
    return np.where(number == 0, np.nan, ratio(np.asarray(total, float), np.asarray(number)))


@dataclass(frozen=True, eq=False)
class Worth:
    """What the humans' grades are worth by a judge.

    Attributes
    ----------
    value : float64[human grade]: W; NaN for a grade without pairs.
    shares : float64[positive grade]: the judge's g; NaN where a grade has no pairs, or the highest is worth no more
        than the lowest.
    bounds, share_bounds : float64[grade, 2]: their intervals over topics (see ``find_bounds``); NaN likewise.
    """

    value: Array
    shares: Array
    bounds: Array
    share_bounds: Array


def weigh_grades(measure: Measure, levels: Levels) -> Array | None:
    """float64[grade]: V of each grade, at most 1; None for a measure that weighs no grades, as one with a threshold."""
    form = FORMS.get(measure.name)
    weights = None if form is None else form.weights(measure, levels)
    if weights is None or not weights.sum():
        return None
    values: Array = np.cumsum([0.0, *weights]) / weights.sum()
    return values


def compute_worth(
    measure: Measure, counts: Array, levels: Levels, weights: Array | None = None, alpha: float = 0.05
) -> Worth | None:
    """The worth of grades by counts[topic, human grade, judge grade]; None for a measure that weighs no grades.

    ``weights``: float64[sample, topic]: resamples of the topics, for the intervals.
    """
    values = weigh_grades(measure, levels)
    if values is None:
        return None
    worth, shares = _worth(counts.sum(0), values)
    if weights is None or len(counts) < LEAST:
        return Worth(worth, shares, np.full((len(worth), 2), np.nan), np.full((len(shares), 2), np.nan))
    resampled = product(weights, counts.reshape(len(counts), -1)).reshape(-1, *counts.shape[1:])
    worths, share_samples = _worth(resampled, values)

    def bound(value: float, samples: Array, within: tuple[float, float]) -> tuple[float, float]:
        known = not np.isnan(value) and not np.isnan(samples).all()
        return find_bounds(value, samples, len(counts), alpha, within) if known else (np.nan, np.nan)

    bounds = [bound(value, each, (0.0, 1.0)) for value, each in zip(worth.tolist(), worths.T, strict=True)]
    free = (-np.inf, np.inf)
    share_bounds = [bound(value, each, free) for value, each in zip(shares.tolist(), share_samples.T, strict=True)]
    return Worth(worth, shares, np.array(bounds), np.array(share_bounds))


def _worth(confusion: Array, values: Array) -> tuple[Array, Array]:
    """float64[..., human grade], float64[..., positive grade]: W and g of confusion[..., human grade, judge grade]."""
    number = confusion.sum(-1)
    worth = np.where(number > 0, ratio(confusion @ values, number), np.nan)
    rise = worth[..., -1:] - worth[..., :1]
    rises = np.nan_to_num(rise, nan=0.0) > 0
    return worth, np.where(rises, np.diff(worth, axis=-1) / np.where(rises, rise, 1.0), np.nan)
