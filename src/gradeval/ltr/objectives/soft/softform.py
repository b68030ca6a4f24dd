"""Which form the soft measure has, by the kernel of the measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.kernels.lookup import Kernel
from gradeval.kernels.pairs import PairKernel
from gradeval.ltr.objectives.objective import Estimator
from gradeval.ltr.objectives.soft.exponentials import fit_exponentials

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
                f"estimator={estimator!r}, form={form!r}: accepted are 'plugin' and 'expected', and as form None, "
                "'recursion' and 'exponential'"
            )
        if kernel is None:
            raise InputError(f"{measure} has no soft form, since it has no kernel: train for it with lambda_loss")
        has_pairs = isinstance(kernel, PairKernel) and kernel.pairs is not None
        if form is not None and (has_pairs or not isinstance(kernel, PairKernel)):
            raise InputError(f"form={form!r} is a choice for measures of gain, as nDCG; {measure} has one form only")
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
    why = f"what a rank is worth is no smooth function of it; leave @{measure.cutoff} away"
    if measure.cutoff is None:
        why = "what a rank is worth is no smooth function of it, or differs between topics; take estimator='plugin'"
    return InputError(f"{measure} has no soft form of this kind: {why}, or train for it with lambda_loss")
