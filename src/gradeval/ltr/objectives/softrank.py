"""SoftRank: differentiable measures, where every score has a Gaussian uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor

from gradeval._core import InputError
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.kernels.pairs import PairKernel
from gradeval.ltr.objectives.batch import Batch, batch_of, check_scores
from gradeval.ltr.objectives.contests import by_exponentials, by_recursion
from gradeval.ltr.objectives.exponentials import fit_exponentials
from gradeval.ltr.objectives.objective import Estimator, check_sigma
from gradeval.ltr.objectives.softkernel import Contest, SoftKernel, make_soft_kernel

Form: TypeAlias = Literal["recursion", "exponential"]

NODES = 24  # quadrature points for a document's own score


def soft_measure(
    scores: Tensor,
    grades: Any,
    measure: Measure | str,
    sigma: float = 1.0,
    *,
    levels: Sequence[float] | None = None,
    estimator: Estimator = "plugin",
    form: Form | None = None,
    mask: Any = None,
    pool: Any = None,
) -> Tensor:
    """A measure of uncertain scores, float[query], differentiable in them; maximise it.

    The score of a document is Gaussian with the model's score as its mean and standard deviation ``sigma``, so document
    m is ranked above document n with probability pi_mn = Phi((s_m - s_n) / (sigma sqrt 2)), 1/2 where they are equal.
    As sigma approaches 0, every estimator approaches the measure itself.

    Parameters
    ----------
    scores, grades, levels, mask, pool : as in lambda_loss.
    measure : one with a kernel, or its spelling: AP and its relatives (GAP, xGAP, eGAP, muAP; as plug-in only: Q, AWP)
        and the cascades (ERR, nERR, RR) without a cutoff; measures of gain (nDCG, DCG, NDCNG, RBP, P ...) with or
        without one.
    sigma : the uncertainty, in units of the scores.
    estimator : "plugin" is that of the papers: for AP and its relatives the sum over the documents of the expected
        credit times the weight of the expected rank, O(n^2) (Robertson, Kanoulas & Yilmaz, 2010, section 5.1); for the
        others the expectation as if all pairwise comparisons were independent (Taylor, Guiver, Robertson & Minka,
        2008). "expected" is the expectation of the measure over the scores, about a hundred times as slow: it averages
        over 24 values of each document's own score, given which its comparisons with others are independent. The two
        differ where sigma is large. The average is precise to 1e-5 for smooth measures, to 1e-2 for RR or a cutoff
        among hundreds of documents whose scores differ less than sigma.
    form : for measures of gain, "recursion" is the papers' distribution over ranks, O(n^3) and exact; "exponential"
        writes the discount as a sum of up to 25 exponentials, to 1e-6 of the largest weight, O(n^2) for each. Default:
        "exponential" where the discount is smooth, "recursion" where it is not, as at a cutoff.

    The plug-in is close to the expectation for measures to which many documents contribute (AP, GAP, nDCG). For ERR and
    RR, which the papers do not treat, and for a cutoff it is not: for 100 documents whose scores have standard
    deviation sigma, the plug-in gives about a tenth of the expected ERR. Take "expected" there, or a smaller sigma.

    A query of one document has the value of its list; without relevant documents value and gradient are 0.

    Raises
    ------
    InputError : an unknown measure, or one without a soft form of this kind; scores, grades or levels that lambda_loss
        refuses.
    """
    measure, sigma = parse_measure(measure), check_sigma(sigma)
    batch = batch_of(grades, levels, mask, pool)
    scores = check_scores(scores, batch)
    with torch.no_grad():
        value, gradient = _value_and_gradient(scores.detach(), batch, measure, sigma, estimator, form)
    differentiable: Tensor = _ValueWithGradient.apply(scores, value, gradient)
    return differentiable


class _ValueWithGradient(torch.autograd.Function):  # type: ignore[misc]  # PyTorch leaves its type Any
    """Values [query] whose gradients [query, n] are computed already."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, value: Tensor, gradient: Tensor) -> Tensor:  # noqa: ARG004
        ctx.save_for_backward(gradient)
        return value

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return outer[:, None] * gradient, None, None


def _value_and_gradient(
    scores: Tensor, batch: Batch, measure: Measure, sigma: float, estimator: Estimator, form: Form | None
) -> tuple[Tensor, Tensor]:
    if estimator not in ("plugin", "expected") or form not in (None, "recursion", "exponential"):
        raise InputError(
            f"estimator={estimator!r}, form={form!r}: accepted are 'plugin' and 'expected', and as form None, "
            "'recursion' and 'exponential'"
        )
    kernel = batch.kernel(measure)
    if kernel is None:
        raise InputError(f"{measure} has no soft form, since it has no kernel: train for it with lambda_loss")
    soft = batch.keep(
        ("soft", measure, scores.dtype, scores.device), lambda: make_soft_kernel(kernel, batch.level, scores)
    )
    is_gain_measure = isinstance(kernel, PairKernel) and kernel.pairs is None
    if form is not None and not is_gain_measure:
        raise InputError(f"form={form!r} is a choice for measures of gain, as nDCG; {measure} has one form only")
    if soft.pairs is not None and estimator == "plugin":
        if not (kernel.weights > 0).all():
            raise _not_smooth(measure)
        return soft.at_expected_ranks(scores, sigma)
    nodes = quadrature_points() if estimator == "expected" else []
    return soft.over_contests(scores, sigma, _contest(soft, batch, measure, is_gain_measure, form), nodes)


def _contest(soft: SoftKernel, batch: Batch, measure: Measure, is_gain_measure: bool, form: Form | None) -> Contest:
    """The function from the probabilities of being beaten to the worth of documents."""
    kernel = batch.kernel(measure)
    assert kernel is not None
    fitted = None
    if form != "recursion":
        longest = int(batch.lengths.max(initial=1))
        fitted = batch.keep(("exponentials", measure), lambda: fit_exponentials(kernel.weights[:, :longest]))
    if fitted is not None:
        coefficients = torch.tensor(fitted[1], dtype=soft.own.dtype, device=soft.own.device)
        return partial(
            by_exponentials,
            bases=fitted[0].tolist(),
            coefficients=coefficients,
            own=soft.own,
            pairs=soft.pair_credits(),
            survival=soft.survival,
        )
    if form == "exponential" or not is_gain_measure:
        raise _not_smooth(measure)
    weights = soft.weights.expand(len(batch.level), -1)

    def recursion(pi: Tensor) -> tuple[Tensor, Tensor]:
        value, slope = by_recursion(pi, weights)
        return value * soft.own, slope * soft.own[:, None]

    return recursion


def quadrature_points() -> list[tuple[float, float]]:
    """Points (x, weight) for the mean over a standard Gaussian variable."""
    points, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return list(zip(points.tolist(), (weights / math.sqrt(2 * math.pi)).tolist(), strict=True))


def _not_smooth(measure: Measure) -> InputError:
    why = f"what a rank is worth is no smooth function of it; leave @{measure.cutoff} away"
    if measure.cutoff is None:
        why = "what a rank is worth is no smooth function of it, or differs between topics; take estimator='plugin'"
    return InputError(f"{measure} has no soft form of this kind: {why}, or train for it with lambda_loss")
