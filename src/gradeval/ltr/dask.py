"""Boosted trees from a table that lies on several machines, by the engines' own interfaces to Dask."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.features.features import Features
from gradeval.formula.aggregation import combine
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, levels_of, require_levels, show_levels
from gradeval.ltr.dask_queries import Part, PlacedTable, keep_trainable, place_table
from gradeval.ltr.data.graded_queries import Gradients
from gradeval.ltr.data.task import validation_measure
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.metrics import EngineMetric
from gradeval.ltr.objectives.boosting import XGBOOST_HESSIAN, offsets_of_groups, offsets_of_matrix
from gradeval.ltr.objectives.objective import METHODS, Objective
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.ltr.rankers.learning_curve import Epoch, best_of
from gradeval.ltr.rankers.trees import (
    BINNING,
    HESSIAN,
    TreeRanker,
    has_no_split,
    lightgbm_engine,
    lightgbm_settings,
    no_split,
    predict_trees,
    text_of,
)
from gradeval.ltr.saving import describe_table
from gradeval.ltr.xgboost_trees import has_split, rewrite_tree, write_forest
from gradeval.scores.scores import Scores

__all__ = ["WorkerLostError", "fit_dask"]

Engine: TypeAlias = Literal["lightgbm", "xgboost"]

PARAMETERS = ("learning_rate", "leaves", "min_rows", "l2", "norm", "patience")
"""The parameters of ``TreeRanker`` that the engines' interfaces to Dask have, too."""
CONNECT = 2  # minutes that LightGBM's workers wait for each other
BINS = 256  # of a feature, XGBoost's default
NOTICE = 10.0  # seconds until a scheduler has noticed that a worker is gone


class WorkerLostError(RuntimeError):
    """A worker was lost while it trained, and the trees with it."""


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
    name: str = "table",
    **parameters: Any,
) -> TreeRanker:
    """Train boosted trees on the workers of a Dask cluster, each of which holds a share of the queries.

        ranker = fit_dask(client, "judged.parquet", "lambdarank:GAP", label="grade", qid="query", rounds=300)
        run = test.run(ranker.score(test))

    The trees are grown by ``lightgbm.DaskLGBMRanker`` or ``xgboost.dask.train``, with the objective of ``TreeRanker``:
    every worker computes the gradients of its queries, and the engine adds up histograms over all workers. The rows of
    a query are trained together wherever they lie: where a query lies in several partitions, Dask first shuffles the
    table by query, with a SplitQueriesWarning.

    Parameters
    ----------
    client : a ``distributed.Client``. The workers need gradeval and the engine.
    frame : a Dask DataFrame, or the path of a Parquet file or of a folder of them that every worker can read. All
        columns but ``label`` and ``qid`` are features.
    objective : METHOD:MEASURE, as for ``TreeRanker``.
    rounds : the largest number of trees.
    valid : validation data, like ``frame``. The best number of trees is kept: the first after which ``patience`` trees
        brought no improvement. XGBoost stops growing there; LightGBM's interface to Dask cannot, and grows all
        ``rounds`` first. The value is that over all validation queries, as on one machine.
    validate_by : the validation measure. Default: that of the objective.
    engine : "lightgbm" or "xgboost". Either gives a TreeRanker, which is saved as LightGBM's text; trees of XGBoost are
        rewritten in it and score as they did.
    levels : the grades of the collection, ascending from 0. Default: those of the tables on all workers.
    name : what messages call the table.
    parameters : of those of ``TreeRanker`` learning_rate, leaves, min_rows, l2, norm and patience. Every tree is
        trained on all queries, as by ``TreeRanker(subsample=1.0)``, and every worker uses the threads that Dask gave
        it. With XGBoost, learning_rate and l2 are its eta and lambda, as in
        ``xgboost.train(obj=LambdaObjective(...))``: hessians are doubled there, so that a learning_rate of 0.2 is one
        of 0.1 in LightGBM, and l2=2 is l2=1. XGBoost has no least number of rows in a leaf: there, min_rows must be
        left out.

    One worker of LightGBM gives the trees of ``TreeRanker.fit``. Of several, each computes the limits of the bins of
    some features from its own rows, so that trees differ where a feature has more values than bins, or a worker lacks
    some. With min_rows above 1 trees differ, too: with several workers LightGBM estimates the number of rows in a leaf
    from hessians, also in the counts that ``contributions`` goes by. Else only sums are rounded differently.

    Raises
    ------
    InputError : columns, grades or parameters do not fit, or there is nothing to learn.
    WorkerLostError : a worker was lost.

    Warns
    -----
    SplitQueriesWarning : rows of a query lay in several partitions, or apart in one.
    """
    arguments.one_of("engine", engine, get_args(Engine))
    ranker = _ranker_of(objective, rounds, engine, parameters)
    measure = validation_measure(validate_by, ranker.objective.measure, is_validated=valid is not None)
    workers = _list_workers(client)
    table = place_table(client, frame, label, qid, name)
    others = None if valid is None else place_table(client, valid, label, qid, f"validation {name}")
    scale = _levels_of([table] if others is None else [table, others], levels)
    if others is not None and others.columns != table.columns:
        raise InputError(
            f"{others.name}: its features are not those of {table.name} ({_differing(others.columns, table.columns)}); "
            "give the same in the same order"
        )
    shares = keep_trainable(client, table, ranker.objective.measure, scale)
    training = _Training(client, ranker, scale, min(workers.values()), shares, table.columns, others, measure)
    with client.as_current(), _tell_of_lost_workers(client, workers, name):
        text = GROW[engine](training)
        forest = lightgbm_engine().Booster(model_str=text)
        if has_no_split(forest):
            raise no_split(name, ranker.objective.measure, ranker.min_rows)
        curve = _measure_epochs(training, text, forest.num_trees())
    described = None if others is None else _describe(others)
    card = ranker.describe(table.columns, scale, measure, _describe(table), described, engines=(engine, "dask"))
    best = best_of(curve)
    return ranker.with_trees(text_of(forest, best), curve, best, card)


@dataclass(frozen=True, eq=False)
class _Training:
    """What is trained on: the parts that can be learnt from, and those of the validation data.

    ``threads``: those of the worker with the fewest.
    """

    client: Any
    ranker: TreeRanker
    levels: Levels
    threads: int
    parts: list[Part]
    columns: tuple[str, ...]
    valid: PlacedTable | None
    measure: Measure | None

    @property
    def objective(self) -> Any:
        """What has the gradients, with all levels declared: a worker sees some of the grades only."""
        objective = self.ranker.objective
        module = import_module(str(METHODS[objective.method].trees))
        return module.boost(objective, self.levels, self.ranker.norm, self.threads)

    def array(self, parts: Sequence[Part], take: Callable[..., Array], width: int = 0, **each: Sequence[Any]) -> Any:
        """A Dask array of what ``take`` has of the features of each part: float32[row, width], or int64[row]."""
        import dask.array as da
        from dask.delayed import delayed

        chunks = []
        for number, part in enumerate(parts):
            given = {name: values[number] for name, values in each.items()}
            length = part.queries if take is _sizes else part.rows
            shape, kind = ((length, width), np.float32) if width else ((length,), np.float64)
            chunks.append(da.from_delayed(delayed(take)(part.features, **given), shape, kind))  # type: ignore[no-untyped-call]  # Dask is untyped
        return da.concatenate(chunks)  # type: ignore[no-untyped-call]  # Dask is untyped


def _grow_with_lightgbm(training: _Training) -> str:
    """The trees as LightGBM's text."""
    client, ranker, parts = training.client, training.ranker, training.parts
    if find_spec("sklearn") is None:
        raise InputError("fit_dask(engine='lightgbm') needs scikit-learn: pip install \"scikit-learn>=1.6\"")
    model = lightgbm_engine().DaskLGBMRanker(
        client=client,
        objective=partial(_lightgbm_gradients, training.objective),
        n_estimators=ranker.epochs,
        tree_learner="data",
        time_out=CONNECT,
        **lightgbm_settings(ranker),
        **BINNING,
    )
    with warnings.catch_warnings():  # of LightGBM, that it takes the threads of the workers
        warnings.filterwarnings("ignore", "Parameter n_jobs will be ignored", UserWarning)
        model.fit(
            training.array(parts, _table, len(training.columns)),
            training.array(parts, _grades),
            group=training.array(parts, _sizes),
        )
    return text_of(model.booster_)


def _grow_with_xgboost(training: _Training) -> str:
    """The trees as LightGBM's text. With validation data, XGBoost stops early."""
    with require_engine("fit_dask(engine='xgboost')"):
        from xgboost import dask as engine
        from xgboost.callback import EarlyStopping
    client, ranker = training.client, training.ranker
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
        "disable_default_eval_metric": True,
        "verbosity": 0,
    }

    def matrix(kind: Any, parts: Sequence[Part], **options: Any) -> Any:
        first = np.cumsum([0, *(part.queries for part in parts)]).tolist()
        return kind(
            client,
            training.array(parts, _table, len(training.columns)),
            training.array(parts, _grades),
            qid=training.array(parts, _queries, first=first),
            **options,
        )

    stopping: dict[str, Any] = {}
    if training.valid is not None and training.measure is not None:
        stopping = {
            "evals": [(matrix(engine.DaskDMatrix, training.valid.parts), "valid")],
            "custom_metric": _MeanOverWorkers(EngineMetric(training.measure, training.levels, "zero")),
            "callbacks": [EarlyStopping(rounds=ranker.patience, maximize=True)],
        }
    grown = engine.train(
        client,
        settings,
        matrix(engine.DaskQuantileDMatrix, training.parts, max_bin=BINS),
        ranker.epochs,
        obj=partial(_xgboost_gradients, training.objective),
        verbose_eval=False,
        **stopping,
    )["booster"]
    trees = json.loads(bytes(grown.save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"]
    useful = [*takewhile(has_split, trees)] or trees[:1]
    return write_forest([rewrite_tree(tree) for tree in useful], len(training.columns))


GROW = {"lightgbm": _grow_with_lightgbm, "xgboost": _grow_with_xgboost}
"""How each engine grows trees on a cluster."""


def _table(features: Features) -> Array:
    return features.X[:]


def _grades(features: Features) -> Array:
    return features.grades


def _sizes(features: Features) -> Array:
    return np.diff(features.offsets)


def _queries(features: Features, first: int) -> Array:
    return first + np.repeat(np.arange(len(features.topics)), np.diff(features.offsets))


def _lightgbm_gradients(objective: Any, labels: Array, scores: Array, _: None, groups: Array) -> Gradients:
    """Gradient and hessian by row, as LightGBM asks a worker for them."""
    return _gradients(objective, scores, labels, offsets_of_groups(groups, len(labels)), 1)


def _xgboost_gradients(objective: Any, scores: Array, matrix: Any) -> Gradients:
    """The same for XGBoost; a worker may have validation data alone."""
    if not matrix.num_row():
        return np.empty(0, np.float32), np.empty(0, np.float32)
    return _gradients(objective, scores, matrix.get_label(), offsets_of_matrix(matrix), XGBOOST_HESSIAN)


def _gradients(objective: Any, scores: Array, grades: Array, offsets: Array, times: int) -> Gradients:
    gradient, hessian = objective.gradients(np.asarray(scores, float), np.asarray(grades, float), offsets)
    return gradient.astype(np.float32), (times * hessian).astype(np.float32)


@dataclass(frozen=True)
class _MeanOverWorkers:
    """A metric of XGBoost: the mean over the queries of all workers, and not a mean of their means."""

    metric: EngineMetric

    def __call__(self, scores: Array, matrix: Any) -> tuple[str, float]:
        from xgboost import collective

        total = np.zeros(2)
        if matrix.num_row():
            total = _total_of(self.metric.score(scores, matrix.get_label(), offsets_of_matrix(matrix)))
        total = collective.allreduce(total, collective.Op.SUM)
        return str(self.metric.measure), _mean_of(self.metric.measure, total)


def _total_of(scores: Scores) -> Array:
    """float64[2]: the sum of the values of one run by one measure, and how many there are."""
    counted = scores.counted[0, :, 0]
    return np.array([scores.transformed()[0, :, 0][counted].sum(), counted.sum()])


def _mean_of(measure: Measure, total: Array) -> float:
    return float(combine([measure], total[:1], total[1:])[0])


def _measure_epochs(training: _Training, text: str, trees: int) -> tuple[Epoch, ...]:
    """The learning curve, by sums over the queries of all parts, until validation no longer improves."""
    client, ranker = training.client, training.ranker
    tested = [] if training.valid is None else training.valid.parts
    asked = [(training.parts, ranker.objective.measure), (tested, training.measure)]
    futures = [
        [
            client.submit(_totals_by_epoch, part.features, text, trees, measure, training.levels, pure=False)
            for part in parts
        ]
        for parts, measure in asked
    ]
    trained, valid = (sum(totals) for totals in client.gather(futures))
    curve: list[Epoch] = []
    for number in range(1, trees + 1):
        value = _mean_of(ranker.objective.measure, trained[number - 1])
        curve.append(Epoch(number, value, _mean_of(training.measure, valid[number]) if training.measure else None))
        if training.measure and number - best_of(curve) >= ranker.patience:
            break
    return tuple(curve)


def _totals_by_epoch(features: Features, text: str, trees: int, measure: Measure, levels: Levels) -> Array:
    """float64[epoch + 1, 2]: the total of a measure before the first tree, and after each."""
    validation = Validation.of(replace(features, levels=levels), measure)
    forest = lightgbm_engine().Booster(model_str=text)
    scores = np.zeros(len(features))
    totals = [_total_of(validation.score(scores))]
    for tree in range(trees):
        scores += predict_trees(forest, features.X[:], tree, 1, 1)
        totals.append(_total_of(validation.score(scores)))
    return np.array(totals)


def _ranker_of(objective: Objective | str, rounds: int, engine: Engine, parameters: dict[str, Any]) -> TreeRanker:
    for given in parameters:
        if given not in PARAMETERS:
            nearest = arguments.nearest(given, PARAMETERS)
            raise InputError(
                f"{given}= is no parameter of fit_dask{nearest}; of TreeRanker's the engines have "
                f"{', '.join(PARAMETERS)} on Dask"
            )
    if engine == "xgboost":
        if parameters.get("min_rows", 1) != 1:
            raise InputError("min_rows: XGBoost has no least number of rows in a leaf; leave it out, or take lightgbm")
        parameters = {**parameters, "min_rows": 1}
    return TreeRanker(objective, epochs=arguments.whole("rounds", rounds, 1), subsample=1.0, **parameters)


def _list_workers(client: Any) -> dict[str, int]:
    """The addresses of the workers, and the threads of each."""
    if not hasattr(client, "ncores") or getattr(client, "asynchronous", False):
        raise InputError(f"client is a {type(client).__name__}; give a distributed.Client that is not asynchronous")
    workers: dict[str, int] = dict(client.ncores())
    if not workers:
        raise InputError("the cluster of the client has no workers; start some, or wait for them")
    return workers


def _levels_of(tables: Sequence[PlacedTable], declared: Sequence[float] | None) -> Levels:
    if declared is None:
        return levels_of(np.array([grade for table in tables for grade in table.grades]))
    levels = require_levels(declared)
    for table in tables:
        if outside := [grade for grade in table.grades if grade not in levels]:
            raise InputError(
                f"{table.name}: grade {outside[0]:g} is not one of the levels {show_levels(levels)}; "
                "declare all grades of the collection with levels="
            )
    return levels


def _describe(table: PlacedTable) -> dict[str, Any]:
    """The entry of a model's card."""
    queries, rows = (sum(getattr(part, what) for part in table.parts) for what in ("queries", "rows"))
    return describe_table(table.name, queries, rows, table.fingerprint)


def _differing(one: Sequence[str], other: Sequence[str]) -> str:
    """In what two lists of columns differ."""
    only = [name for name in [*one, *other] if (name in one) != (name in other)]
    return f"{only[0]!r} is not in all" if only else "in another order"


@contextmanager
def _tell_of_lost_workers(client: Any, workers: Mapping[str, int], name: str) -> Iterator[None]:
    """Where a worker was lost, the one error that says so, in place of what the engine and Dask say of it."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        deadline = time.monotonic() + NOTICE
        while not (lost := [worker for worker in workers if worker not in client.ncores()]):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        raise WorkerLostError(
            f"{name}: worker {lost[0]} was lost, so training stopped; call client.restart(), and train again"
        ) from error
