"""Measures as functions of the weights of grades (shares of users g, or gains), which the sliders of a report set.

Each is a quotient of sums that are linear in the weights:

    value(topic) = sum_k w_k N_k(topic) / sum_k w_k D_k(topic)    over the positive grades k, 0 where nothing is below

    GAP   w_k = g_k                  N_k = R_k AP_k     D_k = R_k
    eGAP  w_k = g_k                  N_k = AP_k         nothing below
    nDCG  w_k = gain_k - gain_{k-1}  N_k = DCG_k        D_k = IDCG_k
    DCG   w_k = gain_k - gain_{k-1}  N_k = DCG_k        nothing below

AP_k and DCG_k take grade k and all above for relevant (with gain 1), R_k and IDCG_k are the number of such documents
and the DCG_k of the best list. So N and D, computed once, give the value for any weights.
Source: Robertson, Kanoulas & Yilmaz (2010), section 2; Ferrante, Ferro & Maistro (2014), eq. 6; for gains, summation by
parts of Järvelin & Kekäläinen (2002), section 2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.measures.ap import AP
from gradeval.measures.discount import cumulated_discounts, reach
from gradeval.measures.gain import DCG
from gradeval.measures.gainmap import gain_map
from gradeval.measures.thresholds import thresholds
from gradeval.scores.scores import Empty, Missing
from gradeval.studies.parallel import product


@dataclass(frozen=True, eq=False)
class GradeWeights:
    """A measure whose value is known for all weights of the grades.

    Attributes
    ----------
    measure : the measure, with the weights that it has by default.
    weights : float64[grade]: these weights, one for each positive grade, ascending.
    over : float64[run, topic, grade]: N of each ranking.
    under : float64[topic, grade]: D of each topic; None: nothing is divided.
    base : int64[topic, grade]: R, the documents of the pool from each grade on.
    present : bool[run, topic]: does the run return anything for the topic?
    grades : the positive grades.
    runs, topics, missing, empty : as of ``Scores``.
    """

    measure: Measure
    weights: Array
    over: Array
    under: Array | None
    base: Array
    present: Array
    grades: tuple[float, ...]
    runs: list[str]
    topics: list[str]
    missing: Missing
    empty: Empty

    def values(self, weights: Sequence[float] | Array) -> Array:
        """float64[run, topic]: the value of every ranking with these weights, one for each positive grade."""
        chosen = np.asarray(weights, float)
        over = self.over @ chosen
        return over if self.under is None else ratio(over, np.broadcast_to(self.under @ chosen, over.shape))

    def mean(self, weights: Sequence[float] | Array) -> Array:
        """float64[run]: the means over topics, missing and empty topics counted as ``Scores.mean()`` counts them."""
        means: Array = self.means(np.asarray(weights, float)[None])[0]
        return means

    def means(self, weights: Array) -> Array:
        """float64[point, run]: the means for many weights[point, grade].

        A mean is a sum over topics and grades of N_k times w_k / sum_j w_j D_j, which is the same for all runs.
        """
        vacant = self.base @ weights.T <= 0  # [topic, point]
        under = np.ones(vacant.shape) if self.under is None else self.under @ weights.T
        # A grade that a topic lacks adds nothing above, and its weight may be huge next to what is below.
        lacks = vacant[:, None] | (self.base == 0)[..., None]
        shares = np.where(lacks, 0.0, weights.T)  # [topic, grade, point]
        factor = ratio(shares, np.broadcast_to(under[:, None], shares.shape))
        total = product(self.over.reshape(len(self.runs), -1), factor.reshape(-1, len(weights)))
        present = self.present if self.missing == "skip" else np.ones_like(self.present)
        if self.empty == "one":
            total = total + present.astype(float) @ vacant
        counted = present.astype(float) @ (~vacant if self.empty == "skip" else np.ones_like(vacant))
        return np.ascontiguousarray(ratio(total, counted).T)

    def only(self, runs: Sequence[int]) -> GradeWeights:
        """The same for some runs, by their places."""
        chosen = list(runs)
        names = [self.runs[run] for run in chosen]
        return replace(self, over=self.over[chosen], present=self.present[chosen], runs=names)

    def spell(self, weights: Sequence[float]) -> Measure:
        """The measure with these weights."""
        return FORMS[self.measure.name].spell(self.measure, list(weights), self.grades)


@dataclass(frozen=True)
class _Form:
    """How a measure depends on the weights of the grades."""

    divides: bool
    weights: Callable[[Measure, tuple[float, ...]], Array | None]
    threshold: Callable[[Measure, float, tuple[float, ...]], Measure]
    under: Callable[[Measure, Array], Array]
    scale: bool  # is the value of the threshold measure divided by ``under`` already?
    spell: Callable[[Measure, list[float], tuple[float, ...]], Measure]


def grade_weights(
    judged: JudgedRuns, measure: Measure, *, missing: Missing = "zero", empty: Empty = "zero"
) -> GradeWeights | None:
    """Compute what a measure is for all weights; None for other measures.

    GAP with norm='min', eGAP with renormalise=True, gains that do not ascend or that grade 0 has, and all other
    measures are no such quotients.
    """
    form = FORMS.get(measure.name)
    grades = tuple(judged.levels[1:])
    if form is None or not grades:
        return None
    weights = form.weights(measure, judged.levels)
    if weights is None:
        return None
    base = judged.pool[:, ::-1].cumsum(-1)[:, ::-1][:, 1:]
    under = form.under(measure, base) if form.divides else None
    over = np.stack([judged.map(form.threshold(measure, grade, judged.levels)) for grade in grades], axis=-1)
    if form.scale and under is not None:
        over = over * under
    present = judged.present
    if missing == "common":  # then a topic is missing for every run or for none
        present = np.broadcast_to(present.all(0), present.shape)
        over = np.where(present[..., None], over, 0.0)
    return GradeWeights(
        measure=measure,
        weights=weights,
        over=over,
        under=under,
        base=base,
        present=present,
        grades=grades,
        runs=judged.runs,
        topics=judged.topics,
        missing="skip" if missing == "common" else missing,
        empty=empty,
    )


def _shares_of_gap(measure: Measure, levels: tuple[float, ...]) -> Array | None:
    plain = measure.parameters.get("norm", "R") == "R" and not measure.parameters.get("renormalise", False)
    return thresholds(measure.parameters["g"], levels)[1:] if plain else None


def _ap_from(measure: Measure, grade: float, _: tuple[float, ...]) -> Measure:
    return AP.configured({"rel": grade, "cutoff": measure.cutoff, "judged_only": measure.judged_only})


def _spell_shares(measure: Measure, weights: list[float], _: tuple[float, ...]) -> Measure:
    return measure.configured({"g": weights})


def _steps(measure: Measure, levels: tuple[float, ...]) -> Array | None:
    """How much each positive grade gains more than the one below."""
    gains = gain_map(levels, measure.parameters["gains"], measure.parameters["dcg"]).gains
    steps = np.diff(gains)
    return steps if gains[0] == 0 and (steps >= 0).all() and steps.any() else None


def _dcg_from(measure: Measure, grade: float, levels: tuple[float, ...]) -> Measure:
    kept = {name: measure.parameters[name] for name in ("discount", "base", "cutoff")}
    gains = {level: float(level >= grade) for level in levels}
    return DCG.configured({**kept, "gains": gains, "judged_only": measure.judged_only})


def _best_dcg(measure: Measure, base: Array) -> Array:
    """float64[topic, grade]: discount(1) + ... + discount(R_k), up to the cutoff."""
    ends = base if measure.cutoff is None else np.minimum(base, measure.cutoff)
    kind, root = measure.parameters["discount"], measure.parameters["base"]
    table: Array = cumulated_discounts(kind, root, reach(int(ends.max(initial=0))))
    return table[ends]


def _spell_gains(measure: Measure, weights: list[float], grades: tuple[float, ...]) -> Measure:
    gains = dict(zip(grades, np.cumsum(weights).tolist(), strict=True))
    return measure.configured({"dcg": "log2", "gains": gains})


FORMS = {
    "GAP": _Form(True, _shares_of_gap, _ap_from, lambda _, base: base.astype(float), True, _spell_shares),
    "eGAP": _Form(False, _shares_of_gap, _ap_from, lambda _, base: base, False, _spell_shares),
    "nDCG": _Form(True, _steps, _dcg_from, _best_dcg, False, _spell_gains),
    "DCG": _Form(False, _steps, _dcg_from, lambda _, base: base, False, _spell_gains),
}
"""The measures that are quotients of sums over the grades."""
