"""LambdaRank for a weighted sum of measures, as a custom objective of LightGBM and XGBoost."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.graded_queries import Gradients
from gradeval.ltr.objectives.boosting import LambdaObjective

OPTIONS = ("sigma", "truncation", "norm", "threads", "draws", "noise", "spread", "seed")
TERM = re.compile(r"\s*(?:(?P<weight>\d*\.?\d+(?:e-?\d+)?)\s*\*)?\s*(?P<measure>[^\s*].*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class MixedObjective:
    """LambdaRank for a weighted sum of measures.

        objective = MixedObjective("0.5*GAP + 0.5*ERR", levels=(0, 1, 2), draws=5)
        lightgbm.train({"objective": objective}, lightgbm.Dataset(X, y, group=sizes), 300)

    A pair weighs sum_m w_m |dM_m|, where |dM_m| is what its exchange changes in measure m. That is what the exchange
    changes in the sum, as long as no measure gains where another loses: none does that falls where a document changes
    places with a worse one further down. The gradients are those of ``LambdaObjective`` for each measure, added up.

    Parameters
    ----------
    measures : terms WEIGHT*MEASURE, or MEASURE for a weight of 1, joined by ``+``. Weights are above 0.
    levels : the grades of the collection, as for ``LambdaObjective``.
    options : sigma, truncation, norm, threads, draws, noise, spread and seed of ``LambdaObjective``, for all measures;
        norm normalises the gradients of each by themselves.

    Raises
    ------
    InputError : what is no such sum, or an option that is not among these.
    """

    measures: str
    levels: Sequence[float] | None = None
    parts: tuple[tuple[float, LambdaObjective], ...] = field(init=False, repr=False, compare=False)

    def __init__(self, measures: str, levels: Sequence[float] | None = None, **options: Any) -> None:
        for name in options:
            if name not in OPTIONS:
                raise InputError(f"{name}= is no option of a MixedObjective, which has {', '.join(OPTIONS)}")
        parts = tuple(
            (weight, LambdaObjective(parse_measure(measure), levels, **options))
            for weight, measure in read_terms(measures)
        )
        written = " + ".join(f"{weight:g}*{part.measure}" for weight, part in parts)
        for name, value in {"measures": written, "levels": levels, "parts": parts}.items():
            object.__setattr__(self, name, value)

    def __call__(self, predictions: Array, data: Any) -> Gradients:
        """Gradient and hessian, float32[row], for a LightGBM Dataset or an XGBoost DMatrix."""
        return self._add(lambda part: part(predictions, data))

    def ranker(self, labels: Any, predictions: Any, weights: Any, groups: Any) -> Gradients:
        """The same with the arguments in the order of LightGBM's LGBMRanker."""
        return self._add(lambda part: part.ranker(labels, predictions, weights, groups))

    def gradients(self, scores: Any, grades: Any, offsets: Any) -> Gradients:
        """Gradient and hessian of the loss with respect to the scores, float64[row], for any engine."""
        return self._add(lambda part: part.gradients(scores, grades, offsets))

    def _add(self, gradients_of: Callable[[LambdaObjective], Gradients]) -> Gradients:
        computed = [(weight, gradients_of(part)) for weight, part in self.parts]
        first, second = (sum(weight * both[place] for weight, both in computed) for place in (0, 1))
        return first, second  # type: ignore[return-value]  # sums of arrays


def read_terms(text: str) -> list[tuple[float, str]]:
    """The weights and the spellings of the measures of a sum."""
    terms = [""]
    depth = 0
    for letter in str(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "+" and not depth:
            terms.append("")
        else:
            terms[-1] += letter
    read = []
    for term in terms:
        match = TERM.fullmatch(term)
        weight = float(match["weight"] or 1) if match else 0.0
        if match is None or not weight > 0:
            raise InputError(f"cannot read {term.strip()!r} in {str(text)!r}: write WEIGHT*MEASURE + WEIGHT*MEASURE")
        read.append((weight, match["measure"]))
    return read
