"""SoftRank: differentiable measures, where every score has a Gaussian uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor

from gradeval.arguments import known_arguments
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.kernels.lookup import Kernel
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.objectives.batch import Batch, batch_of, check_scores, in_full_precision, require_finite, to_tensors
from gradeval.ltr.objectives.contests import ByDistribution, ByExponentials, Contest
from gradeval.ltr.objectives.loss import LossByQuery
from gradeval.ltr.objectives.objective import Estimator, Objective, check_sigma
from gradeval.ltr.objectives.soft_kernels import Form, SoftForm, SoftKernel, SoftRows, make_soft_kernel


@known_arguments()
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
    estimator : "plugin" is the papers': for AP and its relatives the sum over the documents of the expected
        credit times the weight of the expected rank, O(n^2) (Robertson, Kanoulas & Yilmaz, 2010, section 5.1); for the
        others the expectation as if all pairwise comparisons were independent (Taylor, Guiver, Robertson & Minka,
        2008). "expected" is the expectation of the measure over the scores, 30 to 100 times as slow: it averages
        over 24 values of each document's own score, given which its comparisons with others are independent. The two
        differ where sigma is large. The average is precise to 1e-5 for smooth measures, to 1e-2 for RR or a cutoff
        among hundreds of documents whose scores differ less than sigma.
    form : for measures of gain, "recursion" is the papers' distribution over ranks, exact and O(n^2 K) for the K ranks
        that count; "exponential" writes the discount as a sum of up to 25 exponentials, to 1e-6 of the largest weight,
        O(n^2) for each. Default: "exponential" where the discount is smooth, "recursion" where it is not, as at a
        cutoff.

    The plug-in is close to the expectation for measures to which many documents contribute (AP, GAP, nDCG). It is far
    off for ERR and RR, which the papers do not treat, RBP, and a cutoff: for 100 documents whose scores have standard
    deviation sigma, the plug-in is about a tenth of the expected ERR, RBP or nDCG@10, two thirds of RBP(p=0.95), and a
    thirtieth or less of RBP(p=0.5). Take "expected" there, or a smaller sigma.

    A query of one document has the value of its list; without relevant documents value and gradient are 0.

    Raises
    ------
    InputError : an unknown measure, or one without a soft form of this kind; scores, grades or levels that lambda_loss
        refuses.
    """
    measure, sigma = parse_measure(measure), check_sigma(sigma)
    batch = batch_of(grades, levels, mask, pool)
    fitted = check_scores(scores, batch.padding_at(scores.device))
    require_finite(fitted)
    soft = batch.keep(
        ("softrank", measure, sigma, estimator, form, fitted.dtype, fitted.device),
        lambda: LossByQuery.of(
            batch,
            measure,
            fitted,
            SoftMeasure.of(batch, measure, sigma, estimator, form, fitted),
            lambda queries: SoftRows.of(queries, 1, sigma, estimator, form),
        ),
    )
    with in_full_precision(fitted):
        return soft(fitted)


@dataclass(frozen=True, eq=False)
class SoftMeasure:
    """``soft_measure`` for a batch, float[query], as a function of fitted scores alone.

    Attributes
    ----------
    contest : what contests between documents are worth; None for AP and its relatives at their expected ranks.
    nodes : the points of the document's own score and their weights, for the expectation; None for the plug-in.
    """

    kernel: SoftKernel
    sigma: float
    contest: Contest | None
    nodes: tuple[Tensor, Tensor] | None

    @classmethod
    def of(
        cls, batch: Batch, measure: Measure, sigma: float, estimator: Estimator, form: Form | None, like: Tensor
    ) -> Self:
        """For scores of the precision and on the device of ``like``; an InputError where there is no such form."""
        kernel = batch.kernel(measure)
        soft_form = SoftForm.of(kernel, int(batch.lengths.max(initial=1)), measure, estimator, form)
        assert kernel is not None
        soft = batch.keep(
            ("soft", measure, like.dtype, like.device), lambda: make_soft_kernel(kernel, batch.level, like)
        )
        points, chances = soft_form.nodes
        nodes = (to_tensors(like)(points), to_tensors(like)(chances)) if estimator == "expected" else None
        return cls(soft, sigma, _contest(soft_form, kernel, soft, batch.level.shape[1]), nodes)

    def __call__(self, scores: Tensor) -> Tensor:
        with torch.no_grad():
            fixed = scores.detach()
            if self.contest is None:
                value, gradient = self.kernel.at_expected_ranks(fixed, self.sigma)
            else:
                value, gradient = self.kernel.over_contests(fixed, self.sigma, self.contest, self.nodes)
        differentiable: Tensor = _ValueWithGradient.apply(scores, value, gradient)
        return differentiable


def prepare(objective: Objective, batch: Batch, like: Tensor) -> Callable[[Tensor], Tensor]:
    """The loss of an objective for a batch, by query: minus the soft measure."""
    soft = SoftMeasure.of(batch, objective.measure, objective.sigma, objective.estimator, None, like)
    return lambda scores: -soft(scores)


def prepare_rows(objective: Objective, queries: GradedQueries) -> SoftRows | None:
    """The same by the compiled core; None where tensors take less memory."""
    return SoftRows.of(queries, -1, objective.sigma, objective.estimator)


class _ValueWithGradient(torch.autograd.Function):  # type: ignore[misc]  # PyTorch leaves its type Any
    """Values [query] whose gradients [query, n] are computed already."""

    @staticmethod
    def forward(ctx: Any, _: Tensor, value: Tensor, gradient: Tensor) -> Tensor:
        ctx.save_for_backward(gradient)
        return value

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]  # of PyTorch
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return outer[:, None] * gradient, None, None


def _contest(form: SoftForm, kernel: Kernel, soft: SoftKernel, documents: int) -> Contest | None:
    """What contests are worth, as tensors; None at expected ranks."""
    to_tensor = to_tensors(soft.own)
    if form.exponentials is not None:
        bases, coefficients = form.exponentials
        vanishes = soft.survival is not None or bool((bases == 0).any())
        return ByExponentials(to_tensor(bases), to_tensor(coefficients.T), soft.survival, vanishes)
    if form.ranks:
        return ByDistribution.of(to_tensor(kernel.weights[:, : form.ranks]), documents)
    return None
