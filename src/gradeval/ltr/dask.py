"""Boosted trees from a table that lies on several machines, trained by the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, levels_of, require_levels
from gradeval.ltr.data.task import Progress, identity_of, progress_of_epochs, validation_measure
from gradeval.ltr.distributed.parts import Columns
from gradeval.ltr.distributed.placing import PlacedTable, differing, keep_trainable, place_table
from gradeval.ltr.distributed.running import WorkerLostError, train_together
from gradeval.ltr.distributed.share import Plan, ShareTraining, train_share
from gradeval.ltr.distributed.xgboost_share import XgboostShareTraining
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.trees import TreeRanker
from gradeval.ltr.saving import require_checkpoint
from gradeval.whole import Path

__all__ = ["WorkerLostError", "fit_dask"]

Engine: TypeAlias = Literal["lightgbm", "xgboost"]
TRAININGS = {"lightgbm": ShareTraining, "xgboost": XgboostShareTraining}
"""The training of one worker by each engine."""


@known_arguments()
def fit_dask(
    client: Any,
    frame: Any,
    objective: Objective | str = "lambdarank:GAP",
    *,
    label: str = "label",
    qid: str = "qid",
    rounds: int = 500,
    valid: Any = None,
    validate_by: Measure | str | None = None,
    engine: Engine = "lightgbm",
    levels: Sequence[float] | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    name: str = "table",
    progress: Progress | bool | None = False,
    **parameters: Any,
) -> TreeRanker:
    """Train boosted trees on the workers of a Dask cluster, each of which holds a share of the queries.

        ranker = fit_dask(client, "judged.parquet", "lambdarank:GAP", label="grade", qid="query", rounds=300)
        run = test.run(ranker.score(test))

    Every worker computes the gradients of its queries; LightGBM or XGBoost adds up histograms over all workers, so that
    each grows the same trees. Consecutive parts of the table go to one worker, as many to each. The rows of a query
    are trained together wherever they lie: those in other parts are moved first, with a SplitQueriesWarning. A table
    that is not sorted by query is shared out evenly, queries in the order of their first rows.

    Parameters
    ----------
    client : a ``distributed.Client``. The workers need gradeval and the engine.
    frame : a Dask DataFrame, or the path of a Parquet file or of a folder of them that every worker can read. All
        columns but ``label`` and ``qid`` are features.
    objective : METHOD:MEASURE, as for ``TreeRanker``.
    rounds : the largest number of trees.
    valid : validation data, like ``frame``. Training stops when validation no longer improves, and the best number of
        trees is kept. The value is that over all validation queries, as on one machine.
    validate_by : the validation measure. Default: that of the objective.
    engine : "lightgbm" or "xgboost". Either gives a TreeRanker, which is saved as LightGBM's text; trees of XGBoost are
        rewritten in it and score as they did.
    levels : the grades of the collection, ascending from 0. Default: those of the tables on all workers.
    checkpoint : a file that the first worker replaces after each tree, on a disk that the next training can read, too.
    resume : continue from the checkpoint, if it exists, also on other workers or another number of them.
    name : what messages call the table.
    progress : True shows a bar; a function is called with each epoch, a moment after it is done.
    parameters : others of ``TreeRanker``, such as learning_rate and leaves, but not threads: every worker uses
        those that Dask gave it. With XGBoost, learning_rate and l2 are its eta and lambda, as in
        ``xgboost.train(obj=LambdaObjective(...))``: hessians are doubled there, so that a learning_rate of 0.2 is one
        of 0.1 in LightGBM, and l2=2 is l2=1. XGBoost has no least number of rows in a leaf: there, min_rows must be
        left out.

    One worker of LightGBM gives exactly the trees of ``TreeRanker.fit``. Of several, each computes the limits of
    the bins of some features from its own rows, so that trees differ where a feature has more values than bins, or a
    worker lacks some. With min_rows above 1 trees differ, too: with several workers LightGBM estimates the number of
    rows in a leaf from hessians, also in the counts that ``contributions`` goes by. Else only sums are rounded
    differently.

    Raises
    ------
    InputError : columns, grades or parameters do not fit, or there is nothing to learn.
    WorkerLostError : a worker was lost; what was trained is in the checkpoint.

    Warns
    -----
    SplitQueriesWarning : rows of a query lay in several partitions, or apart in one.
    """
    arguments.one_of("engine", engine, get_args(Engine))
    ranker = _ranker_of(objective, rounds, engine, parameters)
    require_checkpoint(checkpoint, resume)
    measure = validation_measure(validate_by, ranker.objective.measure, is_validated=valid is not None)
    workers = _list_workers(client)
    columns = Columns(label, qid)
    table = place_table(client, frame, columns, workers, name)
    others = None if valid is None else place_table(client, valid, columns, workers, f"validation {name}")
    scale = _levels_of([table] if others is None else [table, others], levels)
    if others is not None and others.columns != table.columns:
        raise InputError(
            f"{others.name}: its features are not those of {table.name} ({differing(others.columns, table.columns)}); "
            "give the same in the same order"
        )
    described = None if others is None else others.describe()
    card = ranker.describe(table.columns, scale, measure, table.describe(), described, engines=(engine, "dask"))
    identity = {**identity_of(card), "engine": engine}
    place = checkpoint and os.path.abspath(checkpoint)
    shares = keep_trainable(client, table, ranker.objective.measure, scale).by_worker()
    with progress_of_epochs(progress, ranker.epochs) as tell:
        plan = Plan(ranker, scale, measure, place, resume, identity, name, reports=tell is not None)
        train, valid_shares = partial(train_share, TRAININGS[engine]), _spread_valid(others, list(shares))
        outcome = train_together(client, train, plan, shares, valid_shares, tell)
    return ranker.with_trees(outcome.text, outcome.curve, outcome.best, card)


def _ranker_of(objective: Objective | str, rounds: int, engine: Engine, parameters: dict[str, Any]) -> TreeRanker:
    known = TreeRanker(objective).parameters.keys() - {"epochs", "scaling", "categorical", "threads"}
    for given in parameters:
        if given not in known:
            nearest = arguments.nearest(given, known)
            raise InputError(
                f"{given}= is no parameter of fit_dask{nearest}; of TreeRanker's it takes {', '.join(sorted(known))}"
            )
    if engine == "xgboost":
        if parameters.get("min_rows", 1) != 1:
            raise InputError("min_rows: XGBoost has no least number of rows in a leaf; leave it out, or take lightgbm")
        parameters = {**parameters, "min_rows": 1}
    return TreeRanker(objective, epochs=arguments.whole("rounds", rounds, 1), **parameters)


def _list_workers(client: Any) -> list[str]:
    """The addresses of the workers."""
    if not hasattr(client, "ncores") or getattr(client, "asynchronous", False):
        raise InputError(f"client is a {type(client).__name__}; give a distributed.Client that is not asynchronous")
    workers = list(client.ncores())
    if not workers:
        raise InputError("the cluster of the client has no workers; start some, or wait for them")
    return workers


def _levels_of(tables: Sequence[PlacedTable], declared: Sequence[float] | None) -> Levels:
    if declared is None:
        return levels_of(np.array([grade for table in tables for grade in table.grades]))
    levels = require_levels(declared)
    for table in tables:
        table.require_grades(levels)
    return levels


def _spread_valid(valid: PlacedTable | None, workers: Sequence[str]) -> dict[str, list[Any]]:
    """The validation parts of each worker that trains; those of others are spread over them."""
    shares: dict[str, list[Any]] = {}
    if valid is not None:
        for number, (part, worker) in enumerate(zip(valid.parts, valid.workers, strict=True)):
            shares.setdefault(worker if worker in workers else workers[number % len(workers)], []).append(part)
    return shares
