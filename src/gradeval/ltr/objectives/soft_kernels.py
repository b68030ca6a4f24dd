"""Kernels under uncertain scores: the value of a measure and its gradient with respect to the scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

import numpy as np
import torch
from torch import Tensor

import gradeval._core as _core
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.kernels.cascade import CascadeKernel
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.pairs import PairKernel
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.objectives.batch import to_tensors
from gradeval.ltr.objectives.contests import Contest, fit_exponentials
from gradeval.ltr.objectives.objective import Estimator
from gradeval.messages import Given

CELLS = {"cpu": 1 << 19}  # numbers that a contest works on at a time: on a CPU as many as stay in its cache
MOST_CELLS = 1 << 27  # elsewhere, where every call of the device takes time


@dataclass(frozen=True, eq=False)
class SoftKernel:
    """A kernel by document: columns c are documents that contribute to the measure, rows m all that may rank above
    them.

    Attributes
    ----------
    column : int64[query, c]
        The indices of the documents that contribute, each once; in the padding any other index, with ``own`` and
        ``pairs`` 0.
    own : float[query, c]
        What each contributes by itself.
    pairs : float[query, level, c] or None
        What each gains from a document of each level above it.
    survival : float[query, m] or None
        The probability that the user of a cascade passes each document.
    member : float[query, m, level + 1]
        1 at the level of the document, and 1 at the last index; 0 in the padding. Without ``pairs`` there is the last
        index alone.
    inverse : float[query, n]
        1 / the weights of the ranks; a query axis of length 1 holds for all queries.
    share : float[query]
        1/N, or 0 for an empty query.
    """

    column: Tensor
    own: Tensor
    pairs: Tensor | None
    survival: Tensor | None
    member: Tensor
    inverse: Tensor
    share: Tensor

    def at_expected_ranks(self, scores: Tensor, sigma: float) -> tuple[Tensor, Tensor]:
        """sum_n A_n w(B_n) / N and its gradient, where A_n = own_n + sum_m pi_mn pairs_mn is the expected credit of a
        document and B_n = 1 + sum_m pi_mn its expected rank.

        1/w is interpolated linearly between ranks, which is exact for w = 1/n. The derivative with respect to pi_mn is
        pairs_mn w(B_n) + A_n w'(B_n). All sums over m or n are matrix products with one column for each level.
        """
        assert self.pairs is not None
        own_score = scores.gather(1, self.column)
        half = (scores[:, :, None] - own_score[:, None, :]).mul_(0.5 / sigma)  # pi = (1 + erf(half)) / 2
        member = self.member.transpose(1, 2)
        myself = self.member.gather(1, self.column[..., None].expand(-1, -1, self.member.shape[2])).transpose(1, 2)
        above = (member.sum(2, keepdim=True) + member @ torch.erf(half) - myself) / 2
        credit = self.own + (self.pairs * above[:, :-1]).sum(1)
        weight, slope = self._weight_at(1 + above[:, -1])
        value = (credit * weight).sum(1) * self.share

        by_contest = torch.cat([self.pairs * weight[:, None], (credit * slope)[:, None]], 1)
        counts = (self.own != 0) | (self.pairs != 0).any(1)
        by_contest = by_contest * counts[:, None] * (self.share / (2 * math.sqrt(math.pi) * sigma))[:, None, None]
        density = half.square_().neg_().exp_()
        gradient = (self.member * (density @ by_contest.transpose(1, 2))).sum(2)
        return value, gradient.scatter_add(1, self.column, -(by_contest * (member @ density)).sum(1))

    def over_contests(
        self, scores: Tensor, sigma: float, contest: Contest, nodes: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor]:
        """The value and gradient from ``contest``, averaged over ``nodes``: points x and their weights, for the
        document's own score s + sigma x. Without them, both scores of a contest are uncertain and contests are taken
        for independent.

        Each document at each node is a column of its own. On a CPU a few columns are worked on at a time, since they
        then stay in its cache.
        """
        points, chances = nodes or (scores.new_zeros(1), scores.new_ones(1))
        scale = (1 if nodes else math.sqrt(2)) * sigma
        own_score = (scores.gather(1, self.column)[..., None] + sigma * points).flatten(1)
        chance = chances.repeat(self.column.shape[1])
        credits = None if self.pairs is None else self.member[:, :, :-1] @ self.pairs
        place = torch.arange(scores.shape[1], device=scores.device)[:, None]
        value, gradient = torch.zeros_like(self.share), torch.zeros_like(scores)
        if not scores.numel():
            return value, gradient
        taken = []
        for part in _parts(own_score.shape[1], scores.numel() * contest.cells, scores.device):
            document = torch.arange(part.start, part.stop, device=scores.device) // len(points)
            column, own = self.column.index_select(1, document), self.own.index_select(1, document)
            pairs = None if credits is None else credits.index_select(2, document)
            others = (place != column[:, None]) * self.member[:, :, -1:]
            standard = (scores[:, :, None] - own_score[:, None, part]) / scale
            worth, slope = contest(torch.special.ndtr(standard) * others, own, pairs)
            density = standard.square_().mul_(-0.5).exp_()
            flow = slope.mul_(density).mul_(others).mul_(chance[part] / (scale * math.sqrt(2 * math.pi)))
            value += (worth * chance[part]).sum(1)
            gradient += flow.sum(2)
            taken.append(flow.sum(1))
        by_column = torch.cat(taken, 1).unflatten(1, (-1, len(points))).sum(2)
        gradient = gradient.scatter_add(1, self.column, -by_column) * self.share[:, None]
        return value * self.share, gradient

    def _weight_at(self, rank: Tensor) -> tuple[Tensor, Tensor]:
        """w and its derivative at ranks that are not whole numbers."""
        length = self.inverse.shape[1]
        inverse = self.inverse.expand(len(rank), length)
        low = rank.nan_to_num().floor().clamp(1, max(1, length - 1)).long()  # scores may be infinite
        first = inverse.gather(1, low - 1)
        step = inverse.gather(1, low.clamp(max=length - 1)) - first
        weight = 1 / (first + step * (rank - low))
        return weight, -step * weight.square()


def _parts(columns: int, cells: int, device: torch.device) -> list[slice]:
    """The columns, in parts of as many as fit; ``cells`` is what one of them takes."""
    step = max(1, CELLS.get(device.type, MOST_CELLS) // max(1, cells))
    return [slice(begin, min(begin + step, columns)) for begin in range(0, columns, step)]


def make_soft_kernel(kernel: Kernel, level: Array, like: Tensor) -> SoftKernel:
    """A kernel by document, for lists int[query, n] of levels (-1: padding), in the precision and on the device of
    ``like``."""
    queries, levels = len(level), kernel.own.shape[1]
    level = kernel.places(level) if isinstance(kernel, PairKernel) else level
    own = np.broadcast_to(kernel.own, (queries, levels))
    pairs = None
    contributes = own != 0
    if isinstance(kernel, PairKernel) and kernel.pairs is not None:
        pairs = np.broadcast_to(kernel.pairs, (queries, levels, levels))
        contributes = contributes | (pairs != 0).any(1)
    safe, present = np.maximum(level, 0), level >= 0
    member = np.zeros((*level.shape, 1 if pairs is None else levels + 1))
    if pairs is not None:
        np.put_along_axis(member, safe[..., None], 1.0, 2)
    member[..., -1] = 1
    member *= present[..., None]
    contributing = np.take_along_axis(contributes, safe, 1) & present
    width = max(1, int(contributing.sum(1).max(initial=0)))
    column = np.argsort(~contributing, axis=1, kind="stable")[:, :width]
    filled = np.take_along_axis(contributing, column, 1)
    its_level = np.take_along_axis(safe, column, 1)
    survival = None
    if isinstance(kernel, CascadeKernel):
        survival = 1 - np.take_along_axis(np.broadcast_to(kernel.stop, (queries, levels)), safe, 1)
    if pairs is not None:
        pairs = np.take_along_axis(pairs, its_level[:, None, :], 2) * filled[:, None, :]
    to_tensor = to_tensors(like)
    with np.errstate(divide="ignore"):
        inverse = 1 / kernel.weights  # infinite beyond a cutoff, where at_expected_ranks is not used
    return SoftKernel(
        column=torch.from_numpy(column).to(like.device),
        own=to_tensor(np.take_along_axis(own, its_level, 1) * filled),
        pairs=None if pairs is None else to_tensor(pairs),
        survival=None if survival is None else to_tensor(survival),
        member=to_tensor(member),
        inverse=to_tensor(inverse),
        share=to_tensor(kernel.share),
    )


Form: TypeAlias = Literal["recursion", "exponential"]

NODES = 24  # quadrature points for a document's own score


@dataclass(frozen=True, eq=False)
class SoftForm:
    """What contests between documents are worth.

    Attributes
    ----------
    exponentials : what ranks are worth, as a sum of exponentials: see ``fit_exponentials``; None for another form.
    ranks : of the distribution of the rank, up to the last that is worth anything; 0 at expected ranks.
    nodes : the points of a document's own score and their weights, for the expectation; one point for the plug-in.
    """

    exponentials: tuple[Array, Array] | None
    ranks: int
    nodes: tuple[Array, Array]

    @classmethod
    def of(
        cls, kernel: Kernel | None, longest: int, measure: Measure, estimator: Estimator, form: Form | None = None
    ) -> Self:
        """For lists of up to ``longest`` documents; an InputError where there is no such form."""
        if estimator not in ("plugin", "expected") or form not in (None, "recursion", "exponential"):
            raise InputError(
                Given("estimator", estimator),
                f", form={form!r}: accepted are 'plugin' and 'expected', and as form None, "
                "'recursion' and 'exponential'",
            )
        if kernel is None:
            raise InputError(f"{measure} has no soft form, since it has no kernel: train for it with lambda_loss")
        has_pairs = isinstance(kernel, PairKernel) and kernel.pairs is not None
        if form is not None and (has_pairs or not isinstance(kernel, PairKernel)):
            raise InputError(
                Given("form", form), f" is a choice for measures of gain, as nDCG; {measure} has one form only"
            )
        if has_pairs and estimator == "plugin":
            if not (kernel.weights > 0).all():
                raise _not_smooth(measure)
            return cls(None, 0, _points(estimator))
        fitted = None if form == "recursion" else fit_exponentials(kernel.weights[:, :longest])
        if fitted is not None:
            return cls(fitted, 0, _points(estimator))
        if form == "exponential" or has_pairs or not isinstance(kernel, PairKernel):
            raise _not_smooth(measure)
        ranks = 1 + int(np.flatnonzero(kernel.weights[:, :longest].any(0)).max(initial=0))
        return cls(None, ranks, _points(estimator))


def _points(estimator: Estimator) -> tuple[Array, Array]:
    """Points and weights for the mean over a standard Gaussian variable; its mean alone for the plug-in."""
    if estimator == "plugin":
        return np.zeros(1), np.ones(1)
    points, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return points, weights / np.sqrt(2 * np.pi)


def _not_smooth(measure: Measure) -> InputError:
    why = f"the discount is no smooth function of the rank; leave @{measure.cutoff} away"
    if measure.cutoff is None:
        why = "the discount is no smooth function of the rank, or differs by topic; take estimator='plugin'"
    return InputError(f"{measure} has no soft form of this kind: {why}, or train for it with lambda_loss")


MOST_CHANCES = 1 << 18  # documents times ranks; beyond, tensors take less memory, and Fourier transforms


@dataclass(frozen=True, eq=False)
class SoftRows:
    """A measure by contests between documents, times ``sign``, by the compiled core: see RowLoss.

    The other attributes are the parameters of ``_core.contest_values``.
    """

    queries: GradedQueries
    sign: int
    scale: float
    logistic: bool = False
    shifts: Array = field(default_factory=lambda: np.zeros(1))
    chances: Array = field(default_factory=lambda: np.ones(1))
    bases: Array | None = None
    coefficients: Array | None = None
    ranks: int = 0
    logarithmic: bool = False

    @classmethod
    def of(
        cls, queries: GradedQueries, sign: int, sigma: float, estimator: Estimator, form: Form | None = None
    ) -> Self | None:
        """``soft_measure``; None where tensors take less memory, an InputError where it has no such form."""
        sizes = np.diff(queries.offsets)
        kernel = kernel_of(queries.measure, queries.pool, queries.levels, sizes)
        soft = SoftForm.of(kernel, int(sizes.max(initial=1)), queries.measure, estimator, form)
        if soft.ranks * int(sizes.max(initial=1)) > MOST_CHANCES:
            return None
        points, chances = soft.nodes
        scale = sigma * (math.sqrt(2) if estimator == "plugin" else 1)
        bases, coefficients = soft.exponentials or (None, None)
        if coefficients is not None:
            coefficients = np.ascontiguousarray(coefficients, dtype=float)
        return cls(queries, sign, scale, False, sigma * points, chances, bases, coefficients, soft.ranks)

    def __call__(self, scores: Array, threads: int, _: bool = True) -> tuple[Array | None, Array]:
        kernels = self.queries.kernels
        assert kernels is not None
        values, gradient = np.zeros(len(self.queries.offsets) - 1), np.zeros(len(scores))
        _core.contest_values(
            scores,
            self.queries.place,
            self.queries.offsets,
            *kernels,
            self.scale,
            self.logistic,
            self.shifts,
            self.chances,
            self.bases,
            self.coefficients,
            self.ranks,
            self.logarithmic,
            threads,
            values,
            gradient,
        )
        return self.sign * values, self.sign * gradient
