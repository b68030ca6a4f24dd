"""Trees that LightGBM grows leaf by leaf, for the gradients of any objective."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.task import Task
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.engine_params import naming_refused, require_no_chance
from gradeval.ltr.rankers.forests import Forest, LightGBMForest, has_no_split, lightgbm_engine, text_of
from gradeval.ltr.rankers.tree_training import TreeTraining

LEAF_WISE: dict[str, Any] = {"leaves": 7, "min_rows": 50, "l2": 0.0}
"""Defaults of parameters for which symmetric trees have other defaults, or none."""
HESSIAN = 1e-3  # least sum of hessians in a leaf, for sigma = 1
SMOOTHING = 10  # rows: LightGBM's cat_smooth and cat_l2 where the hessian of a row is 1
BINNING = {"min_data_in_bin": 1, "feature_pre_filter": False}
"""How LightGBM makes bins of the features."""


def leaf_wise_shape(ranker: Any) -> dict[str, Any]:
    """``leaves``, ``min_rows`` and ``l2`` of a TreeRanker, or their defaults."""
    given = {name: getattr(ranker, name) for name in LEAF_WISE}
    return LEAF_WISE | {name: value for name, value in given.items() if value is not None}


def least_hessian(objective: Objective) -> float:
    """The least sum of hessians in a leaf: the same share of the hessians of measures, whatever sigma is.

    The gradients of a measure are proportional to sigma, its hessians to sigma^2. A mixture divides both by the size of
    the gradients: its hessians are proportional to sigma. The hessians of ``queryrmse`` do not depend on sigma.
    """
    balanced = objective.mixture is not None and objective.balance == "gradients"
    return HESSIAN * objective.sigma ** (1 if balanced else 2)


def lightgbm_settings(ranker: Any) -> dict[str, Any]:
    """LightGBM's parameters for the trees of a ranker, without the objective and the threads."""
    shape = leaf_wise_shape(ranker)
    return {
        "learning_rate": ranker.learning_rate,
        "num_leaves": shape["leaves"],
        "min_data_in_leaf": shape["min_rows"],
        "min_sum_hessian_in_leaf": least_hessian(ranker.objective),
        "lambda_l2": shape["l2"],
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }


class LeafWiseTraining(TreeTraining):
    """The training of trees by LightGBM."""

    forest_kind: ClassVar[type[Forest]] = LightGBMForest

    def __init__(self, ranker: Any, task: Task) -> None:
        self.engine = lightgbm_engine()
        self.booster: Any = None  # with the trees so far, and perhaps one more
        self.min_rows = leaf_wise_shape(ranker)["min_rows"]
        super().__init__(ranker, task)

    def keep(self, trees: int) -> Forest:
        return LightGBMForest.of(self.booster, trees)

    def _go_on_from(self, forest: Forest) -> None:
        self.booster = forest.booster

    def _serialize(self) -> bytes:
        return text_of(self.booster, self.grown).encode()

    def _resume(self) -> None:
        super()._resume()
        if self.curve:
            require_no_chance(self.ranker.engine_params or {})

    def _grow(self) -> None:
        ranker, train = self.ranker, self.train
        settings = {
            **lightgbm_settings(ranker),
            "objective": lambda scores, _: self._single_gradients(scores),  # LightGBM deep-copies other objects
            "num_threads": ranker.threads,
            **self._category_settings(),
            **({"seed": ranker.seed, **ranker.engine_params} if ranker.engine_params else {}),
        }
        binning = {**BINNING, **(ranker.engine_params or {}), "num_threads": ranker.threads, "verbosity": -1}
        # With a forest to continue from, LightGBM takes one table only.
        tables = self.tables if self.booster is None else np.concatenate(self.tables)
        data = self.engine.Dataset(
            tables, train.grades, free_raw_data=False, params=binning, categorical_feature=self.task.category_places
        )
        most = 2 * (self.most - len(self.curve))  # iterations: each tree takes at most two
        with suppress(_StopTraining), naming_refused("LightGBM", ranker.engine_params, self.engine.basic.LightGBMError):
            for _ in range(2):
                with suppress(_Restart):
                    self.engine.train(settings, data, most, callbacks=[self._add_tree], init_model=self.booster)
                    return

    def _single_gradients(self, scores: Array) -> tuple[Array, Array]:
        gradient, hessian = self._gradients(scores)
        return gradient.astype(np.float32), hessian.astype(np.float32)

    def _category_settings(self) -> dict[str, Any]:
        """LightGBM's smoothing of categories, which is meant for hessians of 1 a row, for hessians of these rows."""
        if not self.task.categories:
            return {}
        _, hessian, _ = self._weighted_gradients(np.zeros(len(self.train.grades)))
        smoothing = SMOOTHING * float(hessian.mean())
        return {"cat_smooth": smoothing, "cat_l2": smoothing, "min_data_per_group": self.min_rows}

    def _add_tree(self, state: Any) -> None:
        """Called by LightGBM after each iteration, which added a tree, or none where it had no useful split."""
        grown = self.grown
        if state.model.num_trees() <= grown or (not grown and has_no_split(state.model)):
            if not self._tries_again():
                raise _StopTraining
            if not self.curve:
                raise _Restart
            return
        self.booster = state.model
        self._finish_tree()
        self._call_back(state)
        if self.finished:
            raise _StopTraining

    def _call_back(self, state: Any) -> None:
        """Call the functions of the user as LightGBM would, with the validation after this tree."""
        if not self.task.callbacks:
            return
        values = [float(self.curve[-1].valid or 0.0), *self.watched[-1]] if self.task.validations else []
        named = zip(self.task.valid_places, self.task.validations, values, strict=True)
        result: Any = getattr(self.engine, "EvalResult", lambda *values: values)  # since LightGBM 4.7
        results = [result(f"valid_{place}", str(each.measure), value, True) for place, each, value in named]
        done = replace(
            state,
            iteration=len(self.curve) - 1,
            begin_iteration=0,
            end_iteration=self.ranker.epochs,
            evaluation_result_list=results,
        )
        try:
            for call in self.task.callbacks:
                call(done)
        except self.engine.callback.EarlyStopException:
            raise _StopTraining from None

    def _predict_validation(self, place: int, *, newest: bool) -> Array:
        first, trees = (self.grown, 1) if newest else (0, self.grown)
        X, threads = self.task.valid_tables[place].X[:], self.ranker.threads
        part: Array = self.booster.predict(
            X, start_iteration=first, num_iteration=trees, raw_score=True, num_threads=threads
        )
        return part


class _StopTraining(Exception):
    """Raised in a callback to end LightGBM's training loop."""


class _Restart(Exception):
    """Raised in a callback to start the loop anew, since LightGBM keeps a first tree without a split."""
