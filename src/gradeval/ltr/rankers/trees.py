"""Gradient-boosted trees for any measure: LambdaMART, grown by LightGBM."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np

from gradeval import checks as checked
from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.features.scaling import Scaling
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.boosting import LambdaObjective
from gradeval.ltr.data.trainable import select_without_table, trainable_places
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.rankers.engines import needed
from gradeval.ltr.rankers.forest import safe_forest
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.rankers.ranker import Ranker, Task
from gradeval.ltr.saving.checkpoint import read_checkpoint, write_checkpoint

HESSIAN = 1e-3  # in a leaf at least, where sigma is 1
LEAVES = 131_072  # what LightGBM makes at most
SLOW = 0.1  # seconds: a checkpoint that takes longer to write is written in a tenth of the time at most


@dataclass(eq=False)
class TreeRanker(Ranker):
    """Boosted regression trees with LambdaRank's gradients of any measure: ``TreeRanker("lambdarank:Q@10")``.

    An epoch is a tree. Queries are drawn anew for each, by its number and the seed, which is all that is random: the
    same trees grow with any number of threads, and after an interruption. Where the queries that were drawn give no
    split, the tree looks at all; where these give none either, growing is over, with fewer trees than ``epochs``.

    Source: Burges (2010), "From RankNet to LambdaRank to LambdaMART".

    Attributes
    ----------
    epochs : trees at most.
    patience : stop after so many trees without a better validation.
    learning_rate : how much of each tree is added.
    leaves, min_rows, l2 : of each tree: leaves at most, documents in a leaf at least, and what is added to the hessian
        of a leaf.
    subsample : share of the queries that each tree looks at.
    norm : normalise the gradients of each query, see ``LambdaObjective``.
    threads : 0 takes all cores.
    """

    _: KW_ONLY
    scaling: Scaling | None = None  # trees only compare
    epochs: int = 500
    patience: int = 50
    learning_rate: float = 0.05
    leaves: int = 7
    min_rows: int = 50
    l2: float = 0.0
    subsample: float = 0.6
    norm: bool = False
    threads: int = 1
    _text: str = field(default="", init=False, repr=False)
    _forest: Any = field(default=None, init=False, repr=False)

    kind: ClassVar[str] = "tree"
    engine: ClassVar[str] = "lightgbm"

    def __post_init__(self) -> None:
        super().__post_init__()
        objective = self.objective
        if objective.method != "lambdarank":
            raise InputError(f"{objective}: trees learn by lambdarank only; write 'lambdarank:{objective.measure}'")
        for name, least in {"epochs": 1, "patience": 1, "min_rows": 1, "threads": 0}.items():
            setattr(self, name, checked.whole(name, getattr(self, name), least))
        self.leaves = checked.whole("leaves", self.leaves, 2, LEAVES)
        for name, most in {"learning_rate": 10.0, "subsample": 1.0}.items():
            setattr(self, name, checked.number(name, getattr(self, name), above=0, most=most))
        self.l2 = checked.number("l2", self.l2, least=0, most=1e30)
        self.norm = checked.flag("norm", self.norm)

    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        growth = _Growth(self, task)
        growth.grow()
        self._text = growth.text(growth.best)
        self._forest = _engine().Booster(model_str=self._text)
        return tuple(growth.curve), growth.best

    def _score(self, X: Array) -> Array:
        scores: Array = self._forest.predict(X, raw_score=True, num_threads=self.threads)
        return scores

    def _weights(self) -> bytes:
        return self._text.encode()

    def _restore(self, weights: bytes, place: str) -> None:
        self._text = weights.decode("utf-8", "replace")
        self._forest = _read_forest(self._text, len(self._trained().columns), place)


class _Growth:
    """A training: trees, the curve, and what a checkpoint holds of them."""

    def __init__(self, ranker: TreeRanker, task: Task) -> None:
        self.ranker, self.task = ranker, task
        self.curve: list[Epoch] = []
        self.engine = _engine()
        self.forest: Any = None
        objective = ranker.objective
        places = trainable_places(task.train, task.levels, objective.measure)
        self.train = select_without_table(task.train, places)
        self.tables = _tables(task.train if task.scaler is None else task.scaler.apply(task.train), places)
        self.objective = LambdaObjective(
            objective.measure,
            levels=task.levels,
            sigma=objective.sigma,
            truncation=objective.truncation,
            norm=ranker.norm,
            threads=ranker.threads,
        )
        self.quality = Validation.of(self.train, objective.measure)
        self.trained = 0.0  # the mean of the measure when the tree was learnt
        self.validation = np.zeros(0 if task.valid is None else len(task.valid.features))
        self.drawn = max(1, round(ranker.subsample * len(self.train.topics)))  # queries that a tree looks at
        self.thorough = False  # unless those gave none
        self.written = (0.0, 0.0)  # when the last checkpoint was written, how long that took
        if task.resume:
            self._resume()

    @property
    def best(self) -> int:
        """The number of the first of the best epochs on validation; without validation the last."""
        if self.task.valid is None:
            return self.curve[-1].number
        values = [epoch.valid for epoch in self.curve]
        return self.curve[int(np.argmax(np.array(values, float)))].number

    def text(self, trees: int) -> str:
        """LightGBM's text of the first trees, without what follows them, which shows interruptions: its settings, which
        a forest that was read has not, and the categories of pandas."""
        whole = str(self.forest.model_to_string(num_iteration=trees))
        return whole.partition("\npandas_categorical:")[0].partition("\nparameters:\n")[0]

    def grow(self) -> None:
        """Grow trees until there are enough, or none of the last ones helped."""
        if self.finished:
            return
        ranker, train = self.ranker, self.train
        settings = {
            "objective": lambda scores, _: self._gradients(scores),  # a function, since LightGBM copies all else
            "learning_rate": ranker.learning_rate,
            "num_leaves": ranker.leaves,
            "min_data_in_leaf": ranker.min_rows,
            "min_sum_hessian_in_leaf": HESSIAN * ranker.objective.sigma**2,  # as hessians go with sigma
            "lambda_l2": ranker.l2,
            "num_threads": ranker.threads,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }
        first = self.tables[0][0]
        if all((first == row).all() for table in self.tables for row in table):
            raise InputError(f"{train.name}: every feature has one value throughout; there is nothing to split by")
        binning = {"min_data_in_bin": 1, "feature_pre_filter": False, "num_threads": ranker.threads, "verbosity": -1}
        # With a forest to go on from, LightGBM takes one table only.
        tables = self.tables if self.forest is None else np.concatenate(self.tables)
        data = self.engine.Dataset(tables, train.grades, free_raw_data=False, params=binning)
        looks = 2 * (ranker.epochs - len(self.curve))  # a tree takes two at most
        with suppress(_Enough):
            try:
                self.engine.train(settings, data, looks, init_model=self.forest, callbacks=[self._grown])
            except _Again:
                self.engine.train(settings, data, looks, callbacks=[self._grown])

    @property
    def finished(self) -> bool:
        """Are there all the trees, or the last ``patience`` of them in vain?"""
        grown = len(self.curve)
        in_vain = grown - self.best if grown and self.task.valid is not None else 0
        return grown >= self.ranker.epochs or in_vain >= self.ranker.patience

    def _gradients(self, scores: Array) -> tuple[Array, Array]:
        """Gradient and hessian by row; 0 for queries that the tree does not look at."""
        offsets = self.train.offsets
        self.trained = self.quality(scores)
        gradient, hessian = self.objective.gradients(scores, self.train.grades, offsets)
        queries = len(offsets) - 1
        if not self.looks_at_all:
            drawn = np.random.default_rng([self.ranker.seed, len(self.curve)]).permutation(queries) < self.drawn
            by_row = np.repeat(drawn, np.diff(offsets))
            gradient, hessian = gradient * by_row, hessian * by_row
        return gradient.astype(np.float32), hessian.astype(np.float32)

    def _grown(self, state: Any) -> None:
        """Called by LightGBM after each look at the queries: one tree more, or none if no split was worth it."""
        grown = len(self.curve)
        if state.model.num_trees() <= grown or (not grown and _stump(state.model)):
            self._none_grown()
            return
        self.forest, self.thorough = state.model, False
        value = None
        if self.task.valid is not None:
            self.validation += self._predicted(grown, 1)
            value = self.task.valid(self.validation)
        epoch = Epoch(grown + 1, self.trained, value)
        self.curve.append(epoch)
        self._write()
        if self.task.progress is not None:
            self.task.progress(epoch)
        if self.finished:
            raise _Enough

    def _none_grown(self) -> None:
        """The queries that were drawn give no split: all of them may; if not, these are all the trees."""
        if not self.looks_at_all:
            self.thorough = True
            if not self.curve:
                raise _Again
        elif self.curve:
            raise _Enough
        else:
            measure, rows = self.ranker.objective.measure, self.ranker.min_rows
            raise InputError(
                f"{self.task.train.name}: no split makes {measure} better that leaves {rows} "
                "rows on either side, counted by what is at stake for them; lower min_rows, or give more rows"
            )

    @property
    def looks_at_all(self) -> bool:
        """Does the next tree look at all queries?"""
        return self.thorough or self.drawn == len(self.train.topics)

    def _predicted(self, first: int, trees: int) -> Array:
        assert self.task.valid is not None
        rows = self.task.valid.features.X
        scores: Array = self.forest.predict(
            rows, start_iteration=first, num_iteration=trees, raw_score=True, num_threads=self.ranker.threads
        )
        return scores

    def _write(self) -> None:
        """Write the checkpoint, unless that would take more than a tenth of the time."""
        if self.task.checkpoint is None:
            return
        begin = time.monotonic()
        at, took = self.written
        if took > SLOW and begin - at < 10 * took and not self.finished:
            return
        curve = {"curve": [list(epoch) for epoch in self.curve]}
        write_checkpoint(self.task.checkpoint, self.task.identity, curve, self.text(len(self.curve)).encode())
        self.written = begin, time.monotonic() - begin

    def _resume(self) -> None:
        """Take up what a checkpoint holds, if there is one."""
        assert self.task.checkpoint is not None  # fit() requires it
        held = read_checkpoint(self.task.checkpoint, self.task.identity)
        if held is None:
            return
        progress, state = held
        place = os.fspath(self.task.checkpoint)
        self.forest = _read_forest(state.decode("utf-8", "replace"), len(self.task.train.columns), place)
        self.curve = [Epoch(*epoch) for epoch in progress["curve"]]
        if len(self.curve) > self.ranker.epochs:
            raise InputError(
                f"{place}: {len(self.curve)} trees are grown, epochs={self.ranker.epochs} wanted: give as many or "
                "more, or train from the beginning"
            )
        if self.task.valid is not None:
            self.validation += self._predicted(0, len(self.curve))


class _Enough(Exception):
    """Ends LightGBM's loop."""


class _Again(Exception):
    """Begins it anew, since LightGBM keeps a first tree without a split."""


def _tables(features: Features, places: Array) -> list[Array]:
    """The rows of the queries at some places, ascending: views of the features, one for queries that stand together."""
    ends = np.flatnonzero(np.diff(places) > 1) + 1
    runs = [run for run in np.split(places, ends) if len(run)]
    return [features.X[features.offsets[run[0]] : features.offsets[run[-1] + 1]] for run in runs]


def _read_forest(text: str, features: int, place: str) -> Any:
    return _engine().Booster(model_str=safe_forest(text, features, place))


def _stump(forest: Any) -> bool:
    """Has the only tree no split?"""
    return bool(forest.dump_model()["tree_info"][0]["num_leaves"] == 1)


def _engine() -> Any:
    with needed("TreeRanker"):
        import lightgbm

    return lightgbm
