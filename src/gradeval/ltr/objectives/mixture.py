"""LambdaRank for a weighted sum of measures and squared error, as a custom objective, and for trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.ltr.data.graded_queries import Gradients
from gradeval.ltr.objectives.boosting import LambdaObjective
from gradeval.ltr.objectives.engine_objective import is_for_several_machines
from gradeval.ltr.objectives.objective import CASCADE_ASKED, Balance, Objective, read_terms, show_terms
from gradeval.ltr.objectives.queryrmse import QueryRMSEObjective
from gradeval.warning_categories import silenced

OPTIONS = ("sigma", "truncation", "norm", "threads", "draws", "noise", "spread", "seed")


@dataclass(frozen=True)
class MixedObjective:
    """LambdaRank for a weighted sum of measures.

        objective = MixedObjective("GAP + nDCG + 0.5*ERR", levels=(0, 1, 2), draws=5)
        lightgbm.train({"objective": objective}, lightgbm.Dataset(X, y, group=sizes), 300)

    Gradient g and hessian h of row i are, of the gradients g_m and hessians h_m of ``LambdaObjective`` for measure m,

        g_i = sum_m w_m g_mi / S_m,    h_i = sum_m w_m h_mi / S_m,    S_m = 1/n sum_i |g_mi|:

    the size S_m is the mean absolute gradient over all n rows of the training at the current scores, with the weights
    of the rows. So each measure pulls as hard as its weight says, however small its values are, and a measure that is
    multiplied by a constant gives the same. A measure whose gradients are 0 adds nothing. A term may also be
    "queryrmse", the squared error of the grades (``Objective``): where grades are noisy, "GAP + queryrmse" gives better
    rankers than either.

    With ``balance="none"``, S_m is 1: a pair then weighs sum_m w_m |dM_m|, where |dM_m| is what its exchange changes in
    measure m. That is its change of the sum, as long as no measure gains where another loses: true of all measures that
    fall where a document changes places with a worse one further down.

    Parameters
    ----------
    measures : terms WEIGHT*MEASURE, or MEASURE for a weight of 1, joined by ``+``. Each is a measure, but one may be
        ``queryrmse``. Weights are above 0.
    levels : the grades of the collection, as for ``LambdaObjective``.
    balance : "gradients" or "none", see above.
    options : sigma, truncation, norm, threads, draws, noise, spread and seed of ``LambdaObjective``, for all measures;
        norm normalises the gradients of each by themselves. queryrmse has none of them.

    Raises
    ------
    InputError : no such sum, a term that stands there twice, or an option that is not among these; a balance by
        gradients where several machines train, as each sees a part of the rows.
    """

    measures: str
    levels: Sequence[float] | None = None
    balance: Balance = "gradients"
    parts: tuple[tuple[float, LambdaObjective | QueryRMSEObjective], ...] = field(init=False, repr=False, compare=False)

    def __init__(
        self, measures: str, levels: Sequence[float] | None = None, *, balance: Balance = "gradients", **options: Any
    ) -> None:
        for name in options:
            if name not in OPTIONS:
                raise InputError(f"{name}= is no option of a MixedObjective, which has balance, {', '.join(OPTIONS)}")
        checked.one_of("balance", balance, get_args(Balance))
        terms = read_terms(measures)
        with silenced(CASCADE_ASKED):  # ERR is not learnt from alone
            parts = tuple(
                (weight, QueryRMSEObjective() if term == "queryrmse" else LambdaObjective(term, levels, **options))
                for weight, term in terms
            )
        written = show_terms(terms)
        for name, value in {"measures": written, "levels": levels, "balance": balance, "parts": parts}.items():
            object.__setattr__(self, name, value)

    def __call__(self, predictions: Array, data: Any) -> Gradients:
        """Gradient and hessian, float32[row], for a LightGBM Dataset or an XGBoost DMatrix."""
        if self.balance != "none" and is_for_several_machines(data):
            raise InputError(
                "balance: needs the gradients of all rows, and each of several machines sees a part; give "
                "balance='none', and weights that balance the measures"
            )
        return self._add([part(predictions, data) for _, part in self.parts])

    def ranker(self, labels: Any, predictions: Any, weights: Any, groups: Any) -> Gradients:
        """The same with the arguments in the order of LightGBM's LGBMRanker."""
        return self._add([part.ranker(labels, predictions, weights, groups) for _, part in self.parts])

    def gradients(self, scores: Any, grades: Any, offsets: Any, weights: Array | None = None) -> Gradients:
        """Gradient and hessian of the loss with respect to the scores, float64[row], for any engine; ``weights``
        float64[row] multiply both."""
        return self._add([part.gradients(scores, grades, offsets, weights) for _, part in self.parts])

    def gradients_and_values(
        self, scores: Any, grades: Any, offsets: Any, weights: Array | None = None
    ) -> tuple[Gradients, Array | None]:
        """The same, and the first measure of every query for the ranking by the scores, as by ``LambdaObjective``."""
        validates = next(place for place, (_, part) in enumerate(self.parts) if isinstance(part, LambdaObjective))
        computed, values = [], None
        for place, (_, part) in enumerate(self.parts):
            if place == validates:
                first, values = part.gradients_and_values(scores, grades, offsets, weights)
                computed.append(first)
            else:
                computed.append(part.gradients(scores, grades, offsets, weights))
        return self._add(computed), values

    def _add(self, computed: Sequence[Gradients]) -> Gradients:
        """The sum of the gradients and hessians of the parts, each by its weight and its size."""
        gradient, hessian = np.zeros_like(computed[0][0]), np.zeros_like(computed[0][1])
        for (weight, _), (first, second) in zip(self.parts, computed, strict=True):
            size = 1.0 if self.balance == "none" else mean_size(first)
            if size > 0:
                gradient += weight / size * first
                hessian += weight / size * second
        return gradient, hessian


def mean_size(gradient: Array) -> float:
    """The mean absolute gradient over the rows; 0 without rows."""
    return float(np.abs(gradient).mean(dtype=float)) if len(gradient) else 0.0


def boost(objective: Objective, levels: Levels, norm: bool | None, threads: int, seed: int = 0) -> MixedObjective:
    """The gradients of a mixture for trees; ``norm`` and ``seed`` as in ``boosting.boost``."""
    drawn, written = objective.ranking_draws, objective.mixture
    assert written is not None
    return MixedObjective(
        written,
        levels,
        balance=objective.balance,
        sigma=objective.sigma,
        truncation=objective.truncation,
        norm=norm is not False,
        threads=threads,
        draws=drawn.count,
        noise=drawn.noise,
        spread=drawn.spread,
        seed=seed,
    )
