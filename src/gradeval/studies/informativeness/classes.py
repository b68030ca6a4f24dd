"""Maximum entropy problems, reduced to the classes of levels that a measure tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.studies.informativeness.expected import AdditiveMeasure, ListRows
from gradeval.studies.informativeness.stationary import Lists


@dataclass(frozen=True, eq=False)
class Classes(ListRows):
    """Lists in terms of classes of levels that the measure tells apart, the most frequent class first.

    Within a class the entropy is highest where every rank gives each level its share of the class.

    Attributes
    ----------
    form : the measure, as a function of p[i, class, rank].
    live[i, rank], mass[i, class] : 1 down to the end of the list; documents of the class.
    member[i, level], share[i, level] : the class of a level, and the level's part of its mass.
    """

    form: AdditiveMeasure
    live: Array
    mass: Array
    member: Array
    share: Array

    @classmethod
    def of(cls, form: AdditiveMeasure, live: Array, mass: Array) -> Self:
        """Merge the levels of each list that its measure treats alike."""
        row = np.arange(len(mass))[:, None]
        stands = _stands_for(form, mass)
        merged = np.zeros_like(mass)
        np.add.at(merged, (row, stands), mass)
        order = np.argsort(-merged, axis=1, kind="stable")
        level = order[:, : max(1, int((merged > 0).sum(1).max(initial=1)))]
        whole = merged[row, stands]
        return cls(
            AdditiveMeasure(
                form.linear[row, level], form.pair[row[..., None], level[:, :, None], level[:, None]], form.discount
            ),
            live,
            merged[row, level],
            np.argsort(order, axis=1, kind="stable")[row, stands],
            np.divide(mass, whole, out=np.zeros_like(mass), where=whole > 0),
        )

    def spread(self, p: Array) -> Array:
        """p[i, level, rank] from p[i, class, rank]."""
        row = np.arange(len(p))[:, None]
        inside = np.minimum(self.member, p.shape[1] - 1)  # classes beyond have no mass
        return np.asarray(p[row, inside] * self.share[..., None])

    def even(self) -> Array:
        """p[i, class, rank] of the list without order."""
        length = np.maximum(self.live.sum(1, keepdims=True), 1.0)
        return np.asarray((self.mass / length)[..., None] * self.live[:, None])

    def in_order(self, *, best_first: bool) -> Array:
        """p[i, class, rank] of the list sorted by what a document is worth at the first rank."""
        row = np.arange(len(self.mass))[:, None]
        worth = self.form.linear[:, :, 0]
        order = np.argsort(-worth if best_first else worth, axis=1, kind="stable")
        ends = np.empty_like(self.mass)
        ends[row, order] = self.mass[row, order].cumsum(1)
        begins = (ends - self.mass)[..., None]
        rank = self.live.cumsum(1)[:, None]
        filled = np.clip(rank, begins, ends[..., None]) - begins
        return np.diff(filled, axis=2, prepend=0.0)

    def others(self, value: Array, room: Array) -> Lists:
        """The problem in terms of all classes but the first, which takes what remains of each rank."""
        linear, pair, discount = self.form.linear, self.form.pair, self.form.discount[:, None]
        # With p[0] = 1 - sum of the others, pairs with the first class become linear terms and a constant.
        above = np.arange(linear.shape[2])
        below = discount[..., ::-1].cumsum(2)[..., ::-1] - discount
        corner = pair[:, :1, :1]
        lower, upper = pair[:, 1:, :1] - corner, np.swapaxes(pair[:, :1, 1:] - corner, 1, 2)
        return Lists(
            form=AdditiveMeasure(
                (linear[:, 1:] - linear[:, :1] + lower * discount * above + upper * below) * self.live[:, None],
                pair[:, 1:, 1:] - lower - np.swapaxes(upper, 1, 2) - corner,
                self.form.discount,
            ),
            constant=(linear[:, :1] + discount * above * corner).sum((1, 2)),
            live=self.live[:, None],
            mass=self.mass[:, 1:],
            value=value,
            room=room,
        )


def _stands_for(form: AdditiveMeasure, mass: Array) -> Array:
    """int[i, level]: the first level that the measure treats as this one."""
    linear, pair = form.linear, form.pair
    stands = np.tile(np.arange(mass.shape[1]), (len(mass), 1))
    used = np.flatnonzero((mass > 0).any(0))
    near = 1e-12 * max(np.abs(linear).max(initial=0.0), np.abs(pair).max(initial=0.0))
    for place, level in enumerate(used):
        for other in used[:place]:
            alike = (np.abs(linear[:, level, 0] - linear[:, other, 0]) <= near) & (stands[:, level] == level)
            if alike.any():
                alike &= (np.abs(linear[:, level] - linear[:, other]) <= near).all(1)
                alike &= (np.abs(pair[:, level] - pair[:, other]) <= near).all(1)
                alike &= (np.abs(pair[:, :, level] - pair[:, :, other]) <= near).all(1)
                stands[alike, level] = stands[alike, other]
    return stands
