"""Do differences between runs depend on the slice? Welch's test of equal mean differences over slices of topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval.formula.arithmetic import Array, tiny
from gradeval.scores.scores import Scores
from gradeval.scores.slices import FEWEST, Slice
from gradeval.studies.decision import decides
from gradeval.studies.significance import centre, differences_of, holm


@dataclass(frozen=True, eq=False)
class Interaction:
    """Whether the differences of pairs of runs by a measure depend on the slice, by a column of labels.

    Attributes
    ----------
    column, measure : the column, and the place of the measure.
    labels : the slices that are compared, which have enough topics.
    topics : of these slices together.
    differences : float64[slice, pair]: the mean difference in each of these slices.
    statistic, p, corrected : float64[pair]: Welch's F, its p value, and after Holm's correction over all pairs,
        measures and columns; F is infinite where slices differ and no topic of a slice from another.
    """

    column: str
    measure: int
    labels: list[str]
    topics: int
    differences: Array
    statistic: Array
    p: Array
    corrected: Array


def welch_test(groups: Sequence[Array]) -> tuple[Array, Array]:
    """Welch's test of equal means of groups of values [..., topic]: F [...] and its p value; two groups: F = t^2.

    With w_i = n_i / s_i^2, W their sum and m the mean of the m_i weighted by w_i

    ```math
    F = \\frac{\\sum w_i (m_i - m)^2 / (k - 1)}{1 + \\frac{2 (k - 2)}{k^2 - 1} L}, \\quad
    L = \\sum \\frac{(1 - w_i / W)^2}{n_i - 1}
    ```

    has k - 1 and (k^2 - 1) / 3 L degrees of freedom. A group of equal values, as few topics often have by measures
    such as P@1, shows no spread: it takes the pooled spread of all groups. Where no group has any, p is 1 for
    equal means, else 0.
    Source: Welch (1951).
    """
    from scipy.special import fdtrc

    k, sizes = len(groups), np.array([group.shape[-1] for group in groups])
    centred = [centre(group) for group in groups]
    means, spreads = (np.stack([one[part] for one in centred]) for part in (0, 2))
    column = sizes.reshape(-1, *[1] * (means.ndim - 1))
    pooled = np.sqrt(((column - 1) * spreads**2).sum(0) / (column - 1).sum())
    flat = pooled == 0
    weights = column / np.where(flat, 1.0, np.where(spreads == 0, pooled, spreads)) ** 2
    share = weights / weights.sum(0)
    between = (weights * (means - (share * means).sum(0)) ** 2).sum(0) / (k - 1)
    rest = ((1 - share) ** 2 / (column - 1)).sum(0)
    statistic = between / (1 + 2 * (k - 2) / (k**2 - 1) * rest)
    p = fdtrc(k - 1, (k**2 - 1) / (3 * rest), statistic)
    alike = tiny(np.ptp(means, axis=0), np.abs(means).max(0))
    statistic = np.where(flat, np.where(alike, 0.0, np.inf), statistic)
    p = np.where(flat, np.where(alike, 1.0, _share_without_spread(means, column)), p)
    return statistic, p


def _share_without_spread(means: Array, sizes: Array) -> Array:
    """float64[...]: of all ways to put N topics into k groups of these sizes, the share in which no group has any
    spread, at most; each group of means[group, ...] has none.

    With c topics of each value it is k! c_1! c_2! ... / N!: each such way is an order of the groups, filled with one
    value after another.
    """
    from scipy.special import gammaln

    same = tiny(means[:, None] - means, np.abs(means).max(0))
    topics = (same * sizes).sum(1)  # of the value of each group
    of_values = (gammaln(topics + 1) / same.sum(1)).sum(0)
    share = np.exp(gammaln(len(means) + 1) + of_values - gammaln(sizes.sum() + 1))
    return np.asarray(np.minimum(1.0, share))


def find_interactions(parts: Sequence[tuple[Slice, Scores]], pairs: Array) -> list[Interaction]:
    """The test for each column and measure with two slices or more of ``FEWEST`` topics that count.

    ``parts``: the slices, each with its scores. Measures that decide nothing, as Judged, are not tested.
    """
    interactions: list[Interaction] = []
    columns = dict.fromkeys(one.column for one, _ in parts)
    deciding = decides(parts[0][1].measures) if parts else []
    for column in columns:
        for measure in deciding:
            groups = [
                (one.label, _differences(scores, measure, pairs)) for one, scores in parts if one.column == column
            ]
            enough = [(label, group) for label, group in groups if group.shape[-1] >= FEWEST]
            if len(enough) > 1:
                statistic, p = welch_test([group for _, group in enough])
                topics = sum(group.shape[-1] for _, group in enough)
                labels, means = [label for label, _ in enough], np.stack([group.mean(-1) for _, group in enough])
                interactions.append(Interaction(column, measure, labels, topics, means, statistic, p, p))
    if not interactions:
        return []
    corrected = holm(np.concatenate([one.p for one in interactions])).reshape(len(interactions), -1)
    return [replace(one, corrected=own) for one, own in zip(interactions, corrected, strict=True)]


def _differences(scores: Scores, measure: int, pairs: Array) -> Array:
    """float64[pair, topic]: of the topics of a slice that count."""
    counts = scores.counted[0, :, measure]
    values = scores.transformed()[:, counts, measure].T
    return differences_of(values, pairs) if len(values) else np.zeros((len(pairs), 0))
