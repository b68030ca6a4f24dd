"""Training on one worker of several by XGBoost."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.ltr.distributed.rewritten import rewrite_tree, split_forest, write_forest
from gradeval.ltr.distributed.share import ShareTraining
from gradeval.ltr.objectives.boosting import XGBOOST_HESSIAN
from gradeval.ltr.rankers.growing import HESSIAN
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.ltr.rankers.learning_curve import Epoch

BINS = 256  # of a feature, XGBoost's default
END = 60  # seconds that the tracker waits at the end


class XgboostShareTraining(ShareTraining):
    """The training of one worker: XGBoost adds up the histograms of all. See ``ShareTraining``.

    Where the sample of the queries gives no split, XGBoost adds a tree of one leaf, which changes no ranking; the next
    tree is trained on all queries. Where these give none either, training ends.
    """

    trees: Sequence[str] = ()  # as LightGBM's text

    def train_trees(self) -> None:
        """Train trees until there are ``epochs`` of them or validation stops the training."""
        if self.finished:
            return
        if not self._has_features_that_differ():
            raise InputError(f"{self.train.name}: every feature has one value throughout; there is nothing to split by")
        with require_engine("fit_dask(engine='xgboost')"):
            import xgboost
        ranker = self.ranker
        settings = {
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_depth": 0,
            "max_bin": BINS,
            "max_leaves": ranker.leaves,
            "eta": ranker.learning_rate,
            "lambda": ranker.l2,
            "min_child_weight": XGBOOST_HESSIAN * HESSIAN * ranker.objective.sigma**2,
            "base_score": 0.0,
            "nthread": ranker.threads,
            "seed": ranker.seed,
            "verbosity": 0,
        }
        with self._connect():
            data = xgboost.QuantileDMatrix(_tables_of(xgboost)(self.tables), max_bin=BINS, nthread=ranker.threads)
            if self.curve:
                data.set_base_margin(self._margins())
            booster = xgboost.Booster(settings, [data])
            before = len(self.curve)
            while not self.finished:
                grown = len(self.curve) - before
                booster.update(data, grown, fobj=self._gradients_of)
                if not self._add(booster[grown : grown + 1]):
                    break

    def _gradients_of(self, scores: Any, _: Any) -> tuple[Array, Array]:
        """Gradient and hessian by row, as ``xgboost.train`` has them of a LambdaObjective."""
        gradient, hessian = self._gradients(np.asarray(scores, float))
        return gradient, XGBOOST_HESSIAN * hessian

    def _add(self, newest: Any) -> bool:
        """Take a tree in, as an epoch; whether the training goes on."""
        (tree,) = json.loads(bytes(newest.save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"]
        is_leaf = len(tree["left_children"]) == 1
        if is_leaf and self.uses_all_queries and not self.trees:
            raise InputError(
                f"{self.train.name}: no split makes {self.ranker.objective.measure} better; give more rows"
            )
        if is_leaf and self.uses_all_queries:
            return False
        self.use_all_queries = is_leaf
        self.trees = [*self.trees, rewrite_tree(tree)]
        for table, rows in zip(self.valid_tables, self._rows_of_tables(), strict=True):
            self.valid_scores[rows] += newest.inplace_predict(table, predict_type="margin")
        self.curve.append(Epoch(len(self.curve) + 1, *self._measure()))
        self._write_checkpoint()
        if self.task.progress is not None:
            self.task.progress(self.curve[-1])
        return True

    def text(self, trees: int) -> str:
        """LightGBM's text of the first trees."""
        return write_forest(self.trees[:trees], self.tables[0].shape[1])

    def _rows_of_tables(self) -> list[slice]:
        ends = np.cumsum([len(table) for table in self.valid_tables]).tolist()
        return [slice(end - len(table), end) for end, table in zip(ends, self.valid_tables, strict=True)]

    def _continue_from(self, progress: Any, state: bytes, place: str) -> None:
        super()._continue_from(progress, state, place)
        self.trees = split_forest(state.decode())

    def _margins(self) -> Array:
        """float32[row]: the scores by the trees of the checkpoint, added up tree by tree as XGBoost does."""
        margins = np.zeros(len(self.train), np.float32)
        begin = 0
        for table in self.tables:
            rows = slice(begin, begin + len(table))
            for tree in range(len(self.trees)):
                margins[rows] += self._predict(table, tree, 1).astype(np.float32)
            begin += len(table)
        return margins

    @contextmanager
    def _connect(self) -> Iterator[None]:
        """XGBoost's connections between the workers; the first of them runs its tracker."""
        if self.member.size == 1:
            yield
            return
        from xgboost import collective
        from xgboost.core import XGBoostError
        from xgboost.tracker import RabitTracker

        tracker = None
        arguments: dict[str, Any] = {}
        if self.member.rank == 0:
            tracker = RabitTracker(n_workers=self.member.size, host_ip=self.host, sortby="task")
            tracker.start()
            arguments = tracker.worker_args()
        (arguments, *_) = self.member.share(arguments)
        collective.init(**arguments, dmlc_task_id=f"{self.member.rank:08d}")
        try:
            yield
        except BaseException:
            with suppress(XGBoostError), warnings.catch_warnings():  # the connections may be broken already
                warnings.simplefilter("ignore")
                collective.finalize()
            if tracker is not None:
                with suppress(XGBoostError):
                    tracker.free()
            raise
        collective.finalize()
        if tracker is not None:
            tracker.wait_for(timeout=END)  # the others may not have said goodbye yet


def _tables_of(xgboost: Any) -> Any:
    """The class of an iterator over tables, of which XGBoost makes bins one by one."""

    class Tables(xgboost.DataIter):  # type: ignore[misc]
        def __init__(self, tables: Sequence[Array]) -> None:
            self.tables, self.next_table = tables, 0
            super().__init__()

        def next(self, input_data: Any) -> bool:
            if self.next_table == len(self.tables):
                return False
            input_data(data=self.tables[self.next_table])
            self.next_table += 1
            return True

        def reset(self) -> None:
            self.next_table = 0

    return Tables
