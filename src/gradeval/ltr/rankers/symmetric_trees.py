"""Symmetric trees, which split all nodes of a level alike, grown by CatBoost for the gradients of any objective.

A Newton step is a weighted regression: squared error with weights h, whose target is g / h away, has the gradients g
and the hessians h. So each tree is a training of one tree by CatBoost, on one quantised pool. Its leaves are

    - learning_rate sum g / (sum h + l2)

over their rows, and its splits those that make the sum of (sum g)^2 / (sum h + l2) over leaves the largest.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gradeval._core import InputError
from gradeval.features.single_precision import to_single_precision
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.task import Task
from gradeval.ltr.rankers.engine_params import BINS_OF_CATBOOST, naming_refused
from gradeval.ltr.rankers.forests import CatBoostForest, Forest, catboost_engine
from gradeval.ltr.rankers.tree_training import TreeTraining
from gradeval.messages import Given

LEAVES, MOST_LEAVES = 16, 1 << 16
L2 = 3.0  # documents of mean hessian, CatBoost's default
NOISE = 1e-7
"""Of a mean step: leaves that differ by less do so by rounding, as CatBoost keeps targets in single precision."""
LARGEST = 1e30  # in single precision, in which CatBoost keeps it
BORDERS = 254  # of a feature, CatBoost's default
FIXED = {
    "loss_function": "RMSE",
    "iterations": 1,
    "learning_rate": 1.0,  # leaves are multiplied by the learning rate of the ranker later, in double precision
    "score_function": "L2",
    "leaf_estimation_iterations": 1,
    "boost_from_average": False,
    "allow_const_label": True,
    "bootstrap_type": "No",
    "random_strength": 0,
    "model_shrink_rate": 0,
    "allow_writing_files": False,
    "logging_level": "Silent",
}


def depth_of(leaves: int | None) -> int:
    """The depth of the symmetric trees with so many leaves, or with the power of two below them."""
    return (LEAVES if leaves is None else leaves).bit_length() - 1


def require_symmetric(ranker: Any) -> None:
    """An InputError where a TreeRanker has what symmetric trees lack."""
    if ranker.min_rows is not None:
        raise InputError(Given("min_rows", ranker.min_rows), " is for leaf-wise trees: leave it out; l2 smooths leaves")
    if ranker.categorical:
        raise InputError(
            "categorical: symmetric trees take numbers: encode categories, or take ", Given("shape", "leaf-wise")
        )
    if ranker.leaves is not None and ranker.leaves > MOST_LEAVES:
        raise InputError(Given("leaves", ranker.leaves), f" is more than the {MOST_LEAVES:,} of a symmetric tree")


class SymmetricTraining(TreeTraining):
    """The training of symmetric trees by CatBoost."""

    forest_kind: ClassVar[type[Forest]] = CatBoostForest

    def __init__(self, ranker: Any, task: Task) -> None:
        self.engine = catboost_engine()
        self.grown_before: Any = None  # the model whose trees come first
        self.trees: list[Any] = []  # a model for each tree since then
        if task.categories:
            raise InputError(
                f"{task.train.name}: {next(iter(task.categories))} is a category, and symmetric trees take numbers; "
                "encode it, or train leaf-wise trees, which take categories as they are"
            )
        super().__init__(ranker, task)

    def keep(self, trees: int) -> Forest:
        return CatBoostForest.of(self._sum(), trees)

    def _go_on_from(self, forest: Forest) -> None:
        self.grown_before, self.trees = forest.booster, []

    def _serialize(self) -> bytes:
        return CatBoostForest.of(self._sum()).serialize()

    def _sum(self) -> Any:
        """A model with all trees."""
        return self.engine.sum_models([*([] if self.grown_before is None else [self.grown_before]), *self.trees])

    def _grow(self) -> None:
        X = to_single_precision(
            replace(self.train, X=np.concatenate(self.tables), columns=self.task.train.columns), "CatBoost"
        )
        pool = self.engine.Pool(X, np.zeros(len(X)), thread_count=self._threads)
        scores = self._add_up(pool)
        params = self.ranker.engine_params or {}
        with naming_refused("CatBoost", params, self.engine.CatBoostError):
            pool.quantize(
                **{"border_count": BORDERS} | {name: params[name] for name in BINS_OF_CATBOOST if name in params}
            )
            while not self.finished:
                tree = self._grow_tree(pool, *self._gradients(scores))
                if tree is None:
                    if not self._tries_again():
                        return
                    continue
                scores += tree.get_leaf_values()[tree.calc_leaf_indexes(pool, thread_count=self._threads)[:, 0]]
                self.trees.append(tree)
                self._finish_tree()

    def _grow_tree(self, pool: Any, gradient: Array, hessian: Array) -> Any:
        """A model of one tree; None where no split helps."""
        ranker, mean = self.ranker, float(hessian.mean())
        if not mean > 0:
            return None
        weight = (hessian / mean).astype(np.float32)  # as CatBoost keeps it
        sigma = ranker.objective.sigma  # steps are proportional to 1 / sigma
        target = np.divide(sigma / mean * gradient, weight, out=np.zeros(len(weight)), where=weight > 0)
        pool.set_weight(weight)
        pool.set_baseline(target[:, None])
        settings = {
            "depth": depth_of(ranker.leaves),
            "l2_leaf_reg": L2 if ranker.l2 is None else min(ranker.l2 / mean, LARGEST),
            "thread_count": self._threads,
            # not only of the ranker, as engine_params may bring chance, which differs from tree to tree
            "random_seed": int(np.random.default_rng([ranker.seed, self.grown]).integers(1 << 31)),
            **{name: one for name, one in (ranker.engine_params or {}).items() if name not in BINS_OF_CATBOOST},
        }
        tree = self.engine.CatBoost({**FIXED, **settings}).fit(pool)
        if np.ptp(tree.get_leaf_values()) < NOISE * np.abs(target * weight).mean():
            return None
        return CatBoostForest.of(self.engine.sum_models([tree], weights=[ranker.learning_rate / sigma])).booster

    def _add_up(self, pool: Any) -> Array:
        """float64[row]: the scores by the trees that come first, added one after another, as when they were grown: so
        they are the same to the last bit."""
        scores = np.zeros(pool.num_row())
        for number in range(self.grown):
            scores += self.grown_before.predict(
                pool, ntree_start=number, ntree_end=number + 1, thread_count=self._threads
            )
        return scores

    def _predict_validation(self, place: int, *, newest: bool) -> Array:
        if newest:
            return np.asarray(self.trees[-1].predict(self.validation_pools[place], thread_count=self._threads))
        return self._add_up(self.validation_pools[place])

    @cached_property
    def validation_pools(self) -> list[Any]:
        """The validation data as CatBoost reads them."""
        return [self.engine.Pool(each.X[:], thread_count=self._threads) for each in self.task.valid_tables]

    @property
    def _threads(self) -> int:
        return self.ranker.threads or -1
