"""LambdaMART for any measure: LambdaRank's gradients as a custom objective of LightGBM and XGBoost."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, levels_of, require_levels, show_levels
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.data.graded_queries import GradedQueries, Gradients, SwapLoss, weighted
from gradeval.ltr.objectives.draws import Draws, NoiseKind
from gradeval.ltr.objectives.engine_objective import (
    CustomObjective,
    is_for_several_machines,
    read_rows,
    require_honoured_dataset,
    xgboost_workers,
)
from gradeval.ltr.objectives.objective import METHODS, Objective, check_sigma, check_truncation, warn_of_cascade
from gradeval.ltr.objectives.position_bias import PositionBias, propensities_of
from gradeval.ltr.objectives.positions import Correction, LearntOffsets, Positions, check_correction

if TYPE_CHECKING:
    from gradeval.studies.clicks import ClickedUsers


class InferredLevelsWarning(UserWarning):
    """The levels were inferred from labels, which may lack some of the collection's grades."""


@known_arguments()
@dataclass(frozen=True)
class LambdaObjective(CustomObjective):
    """LambdaRank for any measure, as a custom objective for gradient-boosted trees.

        objective = LambdaObjective(GAP, levels=(0, 1, 2))
        lightgbm.train({"objective": objective}, lightgbm.Dataset(X, y, group=sizes), 300)
        lightgbm.LGBMRanker(objective=objective.ranker, metric="None").fit(X, y, group=sizes)  # needs scikit-learn
        xgboost.train({}, xgboost.DMatrix(X, y, qid=queries), 300, obj=objective)

    The loss is ``lambda_loss``; its gradient is lambda_ij = sigma |dM_ij| / (1 + exp(sigma (s_i - s_j))) for
    each pair with grade i > grade j, its hessian sigma |dM_ij| times the derivative of that fraction. For
    nDCG(dcg="exp-log2") this equals the engines' built-in objective, for AP XGBoost's rank:map. XGBoost's own
    ranking objectives double hessians, and so does this one there, and ``fit_dask(engine="xgboost")``: an eta of 0.2 in
    XGBoost is a learning_rate of 0.1 in LightGBM, and lambda=2 is lambda_l2=1. As |dM| is small, XGBoost's default
    min_child_weight=1 can forbid a third of the splits: set it to 0 or near.
    LightGBM's parameter of this kind is min_sum_hessian_in_leaf, 1e-3 by default.

    Parameters
    ----------
    measure : any measure, or its spelling. To score well by ERR, take ``draws`` or train for nDCG(dcg="exp-log2"): by
        the present ranking alone rankers are worse by ERR, too (an ObjectiveWarning says so), as exchanges below a good
        document weigh next to nothing. For those without a kernel (Bpref ...) every swap is scored, which is slow.
    levels : the grades of the collection, ascending from 0, as in ``(0, 1, 2)`` or ``features.levels``. Measures depend
        on all of them: on data without the highest grade, ERR would treat the second highest as the highest. By default
        they are inferred from the labels (0 to the largest, or those that occur if they are not whole numbers), with an
        InferredLevelsWarning. In distributed training, where a worker sees only a part of the labels, they are
        required.
    sigma : steepness of the logistic function.
    truncation : use only pairs with a document among the first ``truncation`` ranks. Default: all pairs; LightGBM's
        default is 30. The measure itself is unchanged, while LightGBM and XGBoost (rank:ndcg) then divide by the ideal
        DCG of so many ranks: with truncation=30 trees differ from LightGBM's default, the more the longer the lists and
        the more documents are good: on random lists of 1,000 documents gradients were 0.64 to 0.83 times as large.
        XGBoost's rank:map leaves AP unchanged, too.
    norm : divide a pair's weight by 0.01 + the distance of its scores, and a query's gradients by the sum of its
        lambdas over its logarithm: LightGBM's lambdarank_norm, XGBoost's two normalisations, which are their defaults,
        too. LambdaRank as published has none, and takes 2 to 4 times as many trees to come as far.
    threads : cores to use; 0 takes all.
    mu : for LambdaLoss (NDCG-Loss2++), the weight of a pair's distance in ranks with |dM|; 10 in the paper. Only for
        sums of gains, as nDCG. 0 is LambdaRank. See ``gradeval.ltr.objectives.lambdarank``.
    draws : with 1 or more, weigh a pair by |dM_ij| in a ranking that is drawn around the present scores, in place of
        |dM_ij| in the present ranking (0). Each tree draws one anew, so that trees see as many as there are, whatever
        the number. An exchange that changes nothing now, below a good document for ERR or beyond a cutoff, then counts
        as often as it might.
    noise, spread : rankings are drawn by s_i + spread e_i with independent e_i, "gumbel" (the Plackett-Luce model of
        the scores over ``spread``) or "gaussian", of standard deviation 1. As spread approaches 0, and scores differ,
        the gradients approach those without draws.
    seed : of the draws and of the order of equal scores, which depend on nothing else but the scores (in single
        precision) and the grades of a query in the order of its rows: they are the same whatever the threads, the
        machine and the other queries, and in a training that goes on from an earlier one.
    position : for grades that are clicks, the position from 1 at which the document of each row was shown, one for each
        row: what was looked at more often is then not taken for more relevant. LightGBM may have it from its Dataset.
    propensities : how often the positions 1, 2 ... are looked at, as far as known, relative to each other; or the
        result of ``clicks``, which estimates it from clicks on judged documents. Default: learnt from the clicks along
        with the trees, by one objective for one training at a time: a training begins where the scores are as before
        its first tree. ``position_bias`` tells what was learnt. See ``gradeval.ltr.objectives.positions``.
    correction, clip : "offsets": documents are compared by s_i + log(theta_i) / sigma with the propensity theta_i of
        their positions; "weights": each pair is weighted by the inverse propensity of its better document, at most
        ``clip``, which is unbiased without clipping, and varies more.

    Equal scores are ranked in an order by chance: before the first tree all scores are equal, and rows that come best
    first would be the ideal ranking. Weights of rows (LightGBM) and of queries (XGBoost, scaled to mean
    1) multiply gradients as in the engines' own objectives. An InputError is raised where there are no groups, a grade
    is not a level, a score is not finite, or no swap of two documents changes the measure. LightGBM replaces labels of
    NaN by 0 before the objective is called. An InputError, too: fields and parameters of the engines' own ranking
    objectives that this one would pass over (lambdarank_truncation_level, label bounds of a DMatrix ...), where it can
    see them; LGBMRanker does not show its parameters and positions to an objective. Start values (init_score,
    base_margin) are honoured.

    Source: Burges (2010), "From RankNet to LambdaRank to LambdaMART"; Wu, Burges, Svore & Gao (2010), "Adapting
    boosting for information retrieval measures"; for ``draws``: Gulin, Kuralenok & Pavlov (2011), "Winning the transfer
    learning track of Yahoo!'s learning to rank challenge with YetiRank", JMLR W&CP 14, which draws rankings so, and
    weighs neighbours in them only; for ``position``: Joachims, Swaminathan & Schnabel (2017), "Unbiased
    learning-to-rank with biased feedback", WSDM; Wang, Golbandi, Bendersky, Metzler & Najork (2018), "Position bias
    estimation for unbiased learning to rank in personal search", WSDM (weights); offsets are learnt as LightGBM's
    lambdarank learns them from its own ``position=``, to which nDCG(dcg="exp-log2") with norm=True and truncation=30
    comes close.
    """

    measure: Measure | str
    levels: Sequence[float] | None = None
    sigma: float = 1.0
    truncation: int | None = None
    norm: bool = True
    threads: int = 0
    mu: float = 0.0
    draws: int = 0
    noise: NoiseKind = "gumbel"
    spread: float = 1.0
    seed: int = 0
    position: Any = field(default=None, repr=False, compare=False)
    propensities: Sequence[float] | ClickedUsers | None = field(default=None, compare=False)
    correction: Correction = "offsets"
    clip: float = 10.0
    learnt: LearntOffsets = field(default_factory=LearntOffsets, init=False, repr=False, compare=False)
    _last: list[GradedQueries] = field(default_factory=list, init=False, repr=False, compare=False)
    _trained: list[LearntOffsets] = field(default_factory=list, init=False, repr=False, compare=False)
    _of_dataset: list[LambdaObjective] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values: dict[str, Any] = {
            "measure": parse_measure(self.measure),
            "sigma": check_sigma(self.sigma),
            "truncation": check_truncation(self.truncation),
            "norm": checked.flag("norm", self.norm),
            "threads": checked.whole("threads", self.threads, 0),
            "mu": checked.number("mu", self.mu, least=0, most=1e6),
        }
        drawn = Draws.of(self.draws, self.noise, self.spread, self.seed)
        values |= {"draws": drawn.count, "spread": drawn.spread, "seed": drawn.seed}
        for name, value in {**values, "clip": check_correction(self.correction, self.clip)}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "propensities", propensities_of(self.propensities))
        if self.position is not None:
            Positions.of(self.position, self.propensities, self.correction, self.clip)
        warn_of_cascade(parse_measure(self.measure), self.draws)

    @property
    def has_begun(self) -> bool:
        return bool(self._last)

    def _for_lightgbm(self, predictions: Array, data: Any) -> Gradients:
        if self.levels is None and is_for_several_machines(data):
            raise _levels_are_needed()
        require_honoured_dataset(data)
        objective, shown = self, data.get_position() if hasattr(data, "get_position") else None
        if shown is not None and len(shown) and self.position is None:
            objective = self._at_positions_of(shown)
        return objective.ranker(data.get_label(), predictions, data.get_weight(), data.get_group())

    def _at_positions_of(self, shown: Any) -> LambdaObjective:
        """This objective with the positions of a Dataset, which numbers them in the order in which they appear."""
        if self.propensities is not None:
            raise InputError(
                "give positions and propensities to the LambdaObjective, and no position= to the Dataset; LightGBM "
                "renumbers the position= of a Dataset"
            )
        known = self._of_dataset
        if not known or not np.array_equal(known[0].position, shown):
            known[:] = [replace(self, position=np.array(shown))]
        return known[0]

    def gradients(self, scores: Any, grades: Any, offsets: Any, weights: Array | None = None) -> Gradients:
        """Gradient and hessian of the loss with respect to the scores, float64[row], for any engine; the rows of query
        q are offsets[q]:offsets[q + 1]; ``weights`` float64[row] multiply both."""
        return self.gradients_and_values(scores, grades, offsets, weights, with_values=False)[0]

    def gradients_and_values(
        self, scores: Any, grades: Any, offsets: Any, weights: Array | None = None, *, with_values: bool = True
    ) -> tuple[Gradients, Array | None]:
        """The same, and the measure of every query for the ranking by the scores, float64[query]; None for a measure
        without a kernel, or where it is not wanted."""
        scores, grades, offsets, weights = read_rows(scores, grades, offsets, weights)
        unchanged = bool(self._last) and self._last[0].are(grades, offsets)
        measure = parse_measure(self.measure)
        rows = self._last[0] if unchanged else GradedQueries.of(measure, self._levels_for(grades), grades, offsets)
        drawn = Draws(min(self.draws, 1), self.noise, self.spread, self.seed)  # the next tree sees another one
        positions = self._read_positions(len(scores))
        compared, importance = scores, None
        if positions is not None:
            offset = self._offset(positions, rows, scores, weights, unchanged)
            compared, importance = positions.correct(scores, self.sigma, offset)
        values = np.zeros(len(offsets) - 1) if with_values and rows.kernels is not None else None
        swaps = SwapLoss(self.sigma, self.truncation, self.norm, self.mu, drawn)
        gradient, hessian = rows.gradients(compared, swaps, self.threads, values, importance)
        if values is not None and compared is not scores:
            values = rows.values(scores, self.threads)
        if positions is not None and positions.propensity is None:
            known = (gradient, hessian) if importance is None else self._plain(rows, scores + offset[positions.place])
            known = weighted(known, weights)
            self.learnt.offset = positions.step(offset, known, self.sigma)
            self.learnt.bias = partial(
                PositionBias.estimate, positions.rank, positions.place, self.learnt.offset, known, offsets, self.sigma
            )
            self._trained[:] = [self.learnt]
        if not unchanged:
            if not hessian.any() and not self._changes_with_order(rows, scores):
                raise InputError(
                    f"nothing to learn: no exchange of two documents of a query changes {measure}; either no "
                    "query has documents of different grades, or the measure does not depend on their order"
                )
            self._last[:] = [rows]
        return weighted((gradient, hessian), weights), values

    @property
    def position_bias(self) -> PositionBias | None:
        """How often each position is looked at, as the latest training by this objective has estimated it: columns
        rank, value (relative to the first position), low and high. None where nothing was estimated. LightGBM trains
        with a copy of an objective, whose estimate is found here, too; the positions of a Dataset it numbers from 0,
        in the order in which they appear."""
        trained = self._trained[0] if self._trained else self._of_dataset[0].learnt if self._of_dataset else None
        return None if trained is None or trained.bias is None else trained.bias()

    def __deepcopy__(self, _: dict[int, Any]) -> LambdaObjective:
        """An objective for a training of its own, as LightGBM makes it, whose estimate this one can read."""
        twin = replace(self)
        for name in ("_trained", "_of_dataset"):
            object.__setattr__(twin, name, getattr(self, name))
        return twin

    def _read_positions(self, rows: int) -> Positions | None:
        if self.position is None:
            return None
        positions = Positions.of(self.position, self.propensities, self.correction, self.clip)
        if len(positions.place) != rows:
            raise InputError(f"position has {len(positions.place)} entries for {rows} rows: give one for each")
        return positions

    def _offset(
        self, positions: Positions, rows: GradedQueries, scores: Array, weights: Array | None, same_rows: bool
    ) -> Array:
        """log(theta) / sigma, float64[position], as given or learnt so far."""
        if positions.propensity is not None:
            return positions.known_offset(self.sigma)
        if not self.learnt.belongs_to(scores, same_rows):
            self.learnt.first = scores.copy()
            self.learnt.offset = positions.begin(
                scores, self.sigma, lambda at: weighted(self._plain(rows, at), weights)
            )
        assert self.learnt.offset is not None
        return self.learnt.offset

    def _plain(self, rows: GradedQueries, scores: Array) -> Gradients:
        """Gradient and hessian without draws, importance and norm, with which propensities would be too steep."""
        return rows.gradients(scores, SwapLoss(self.sigma, self.truncation), self.threads)

    def _changes_with_order(self, rows: GradedQueries, scores: Array) -> bool:
        """Whether an exchange of two documents changes the measure, for the rankings by these scores. Scores far apart
        make every hessian 0 by underflow, so that others, in the same order and close together, tell."""
        order = np.argsort(-scores, kind="stable")
        close = np.empty(len(scores))
        close[order] = np.linspace(1, 0, len(scores))
        _, hessian = rows.gradients(close, SwapLoss(truncation=self.truncation, mu=self.mu), self.threads)
        return bool(hessian.any())

    def __getstate__(self) -> dict[str, Any]:
        kept_out = {"_last": [], "_trained": [], "_of_dataset": [], "learnt": LearntOffsets()}  # of the training data
        return {**self.__dict__, **kept_out}

    def _levels_for(self, grades: Array) -> Levels:
        if self.levels is not None:
            return require_levels(self.levels)
        if not np.isfinite(grades).all():
            row = int(np.argmin(np.isfinite(grades)))
            raise InputError(f"the label of row {row} is {grades[row]}: give a grade, a number of at least 0")
        if _is_worker():
            raise _levels_are_needed()
        levels = levels_of(grades)
        warnings.warn(
            f"levels: taken to be {show_levels(levels)}, from the labels of this data; measures depend on all grades "
            f"of the collection: declare them, as in LambdaObjective({self.measure}, levels=({show_levels(levels)}))",
            InferredLevelsWarning,
            stacklevel=2,
        )
        return levels


def boost(objective: Objective, levels: Levels, norm: bool | None, threads: int, seed: int = 0) -> LambdaObjective:
    """The gradients for trees of an objective that is a loss over pairs. ``norm``: None normalises them, except
    baselines, which are as published; ``seed``: of the order of equal scores, and of rankings that are drawn."""
    drawn = objective.ranking_draws
    return LambdaObjective(
        objective.measure,
        levels=levels,
        sigma=objective.sigma,
        truncation=objective.truncation,
        norm=METHODS[objective.method].measure is None if norm is None else norm,
        threads=threads,
        mu=METHODS[objective.method].mu or 0.0,
        draws=drawn.count,
        noise=drawn.noise,
        spread=drawn.spread,
        seed=seed,
    )


def _levels_are_needed() -> InputError:
    return InputError(
        "levels: in distributed training a worker sees a part of the labels, which may lack some grades; "
        "declare all of them, as in LambdaObjective(measure, levels=(0, 1, 2))"
    )


def _is_worker() -> bool:
    """Whether this process is one of several that train one model, by XGBoost's means or in a Dask cluster."""
    distributed = sys.modules.get("distributed")
    if xgboost_workers() > 1:
        return True
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:  # raised by Dask outside a worker
        return False
    return True
