"""Boosted trees from a table that lies on several machines, by the engines' own interfaces to Dask."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, get_args
from uuid import uuid4

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.features.single_precision import fits_single_precision
from gradeval.files.feature_frames import features_from_frame
from gradeval.formula.aggregation import combine
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, require_levels, show_levels
from gradeval.kernels.derived import TooManyLevels
from gradeval.ltr.data.rows import leave_out_documents
from gradeval.ltr.data.task import validation_measures
from gradeval.ltr.data.trainable import nothing_to_learn, select_rows, trainable_places
from gradeval.ltr.metrics import EngineMetric
from gradeval.ltr.objectives.boosting import LambdaObjective, boost
from gradeval.ltr.objectives.engine_objective import XGBOOST_HESSIAN, offsets_of_matrix
from gradeval.ltr.objectives.objective import CASCADE_ASKED, METHODS, Objective
from gradeval.ltr.rankers.forests import Forest, LightGBMForest, XGBoostForest, lightgbm_engine
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.ltr.rankers.leaf_wise_trees import BINNING, leaf_wise_shape, least_hessian, lightgbm_settings
from gradeval.ltr.rankers.tree_training import no_split
from gradeval.ltr.rankers.trees import TreeRanker
from gradeval.messages import nearest
from gradeval.warning_categories import FeaturesWarning, SplitQueriesWarning, silenced

__all__ = ["fit_dask"]

Engine: TypeAlias = Literal["lightgbm", "xgboost"]

PARAMETERS = ("learning_rate", "leaves", "min_rows", "l2", "norm", "patience")
"""The parameters of ``TreeRanker`` that the engines' interfaces to Dask have, too."""
ROW, GRADE, FIRST = "__row__", "__grade__", "__first__"
"""Columns besides the features: a row's place in the table, its grade, and 1 where it is the first of its query."""
CONNECT = 2  # minutes that LightGBM's workers wait for each other
LOST = 60  # seconds that a task waits for a worker that was lost, where the cluster sets no other time
BINS = 256  # of a feature, XGBoost's default


@known_arguments()
def fit_dask(
    client: Any,
    frame: Any,
    objective: Objective | str = "lambdarank:GAP",
    *,
    levels: Sequence[float] | None = None,
    label: str = "label",
    qid: str = "qid",
    rounds: int = 500,
    valid: Any = None,
    validate_by: Measure | str | None = None,
    engine: Engine = "lightgbm",
    **parameters: Any,
) -> TreeRanker:
    """Train boosted trees on the workers of a Dask cluster, each of which holds a share of the queries.

        frame = dask.dataframe.read_parquet("judged.parquet")
        ranker = fit_dask(client, frame, "lambdarank:GAP", levels=(0, 1, 2), label="grade", qid="query", rounds=300)
        run = test.run(ranker.score(test))

    The trees are grown by ``lightgbm.DaskLGBMRanker`` or ``xgboost.dask.train``, with the objective of ``TreeRanker``:
    every worker computes the gradients of its queries, and the engine adds up histograms over all workers. Each worker
    gets one share of the rows: of P partitions on W workers, number i goes to worker i * W // P, and stays there. Where
    a query lies in several partitions, Dask first shuffles the table by query. The ranker has no learning curve. A lost
    worker ends the training by the time-out ``distributed.scheduler.no-workers-timeout``, a minute unless the cluster
    sets another.

    Parameters
    ----------
    client : a ``distributed.Client``. The workers need gradeval and the engine.
    frame : a Dask DataFrame. All columns but ``label`` and ``qid`` are features.
    objective : METHOD:MEASURE, a loss over pairs of documents such as lambdarank.
    levels : the grades of the collection, ascending from 0, as in ``(0, 1, 2)``. They must be declared: measures depend
        on all of them, and a worker sees the grades of its queries only.
    rounds : the largest number of trees.
    valid : validation data with the same columns, for XGBoost: it stops after ``patience`` trees without an improvement
        over all validation queries, and the best number of trees is kept. LightGBM's interface to Dask cannot stop.
    validate_by : the validation measure. Default: the measure of the objective.
    engine : "lightgbm" or "xgboost". Either gives a TreeRanker, which scores, explains and saves by that engine.
    parameters : of ``TreeRanker``: learning_rate, leaves, min_rows, l2, norm and patience. Every tree is
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
    RuntimeError : a worker was lost.

    Warns
    -----
    SplitQueriesWarning : rows of a query lay in several partitions.
    FeaturesWarning : a feature has values that XGBoost's single precision does not hold.
    """
    arguments.one_of("engine", engine, get_args(Engine))
    ranker = _ranker_of(objective, rounds, engine, parameters)
    measures = validation_measures(validate_by, ranker.objective.measure, is_validated=valid is not None)
    if measures[1:]:
        raise InputError("validate_by has several measures: fit_dask validates by one")
    measure = measures[0] if measures else None
    if valid is not None and engine == "lightgbm":
        raise InputError("valid: LightGBM cannot stop early on Dask; take engine='xgboost', or leave valid out")
    if levels is None:
        raise InputError(
            "levels: a worker sees some grades only; declare the grades of the collection, as in (0, 1, 2)"
        )
    scale, workers = require_levels(levels), _list_workers(client)
    ranker.warn_of_objective()
    with client.as_current(), _lost_workers_end(client, list(workers)):
        table = _place(client, frame, "frame", label, qid, scale, ranker.objective.measures)
        held_out = None if valid is None else _place(client, valid, "valid", label, qid, scale, [], table.columns)
        with silenced(CASCADE_ASKED):
            gradients = boost(ranker.objective, scale, ranker.norm, min(workers.values()))
        if engine == "lightgbm":
            forest: Forest = _grow_with_lightgbm(client, ranker, table, gradients)
        else:
            metric = None if measure is None else EngineMetric(measure, scale, "zero")
            if table.beyond:
                warnings.warn(
                    f"frame: XGBoost computes in single precision, which does not hold all values of feature "
                    f"{table.beyond[0]}: scale it, or take engine='lightgbm'",
                    FeaturesWarning,
                    stacklevel=2,
                )
            forest = _grow_with_xgboost(client, ranker, table, gradients, held_out, metric)
    if not forest.has_split:
        raise no_split("frame", ranker.objective.measure, leaf_wise_shape(ranker)["min_rows"])
    described = None if held_out is None else held_out.card
    card = ranker.describe(table.columns, scale, measure, table.card, described, engines=(engine, "dask"))
    return ranker.with_trees(forest, card)


@contextmanager
def _lost_workers_end(client: Any, workers: Sequence[str]) -> Iterator[None]:
    """Let the tasks of a worker that was lost end in an error by Dask's time-out, and say what to do.

    An engine gives each worker its own task, which no other may run: without a time-out it waits without end.
    """

    def limit(seconds: float | None) -> None:
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "no_workers_timeout", seconds))

    before = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.no_workers_timeout)
    limit(before or LOST)
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # Dask and engines have many for a worker that is lost
        if lost := [worker for worker in workers if worker not in client.ncores()]:
            raise RuntimeError(
                f"worker {lost[0]} was lost, so training stopped; call client.restart(), and train again"
            ) from error
        raise
    finally:
        limit(before)


@dataclass(frozen=True, eq=False)
class _Table:
    """A table on the workers: each worker holds one share of the rows, whole queries, and no share is empty.

    Attributes
    ----------
    shares : for each worker that has rows its address, and a future of a frame of the features, GRADE and FIRST.
    lengths : the number of rows of each share.
    columns : the names of the features.
    card : the entry of a model's card.
    beyond : the features with numbers that single precision does not hold.
    """

    shares: list[tuple[str, Any]]
    lengths: list[int]
    columns: list[str]
    card: dict[str, Any]
    beyond: list[str]

    def array(self, client: Any, column: str) -> Any:
        """A column as a Dask array."""
        return self._array_of(client, partial(_column_of, column))

    def features(self, client: Any) -> Any:
        """The features as a Dask array, in single precision where that holds them."""
        precision = "f8" if self.beyond else "f4"
        return self._array_of(client, partial(_features_of, self.columns, precision), len(self.columns))

    def queries(self, client: Any) -> Any:
        """The number of the query of each row in its share, from 1, as a Dask array."""
        return self._array_of(client, _queries_of)

    def sizes(self, client: Any) -> Any:
        """The number of rows of each query as a Dask array."""
        return self._array_of(client, _sizes_of)

    def _array_of(self, client: Any, read: Callable[[Any], Array], width: int | None = None) -> Any:
        """A Dask array of what each share holds. Each part is computed where the share lies: what is not yet
        computed Dask may move to another worker."""
        import dask.array
        from distributed import wait

        name, behind = f"rows-{uuid4().hex}", () if width is None else (0,)
        parts = {
            (name, number, *behind): client.submit(
                read, share, key=(name, number, *behind), workers=[home], allow_other_workers=False
            )
            for number, (home, share) in enumerate(self.shares)
        }
        wait(list(parts.values()))
        lengths = (np.nan,) * len(self.shares) if read is _sizes_of else tuple(self.lengths)
        return dask.array.Array(parts, name, (lengths, *([] if width is None else [(width,)])), dtype=float)


def _column_of(column: str, share: Any) -> Array:
    return np.asarray(share[column])


def _features_of(columns: list[str], precision: str, share: Any) -> Array:
    return np.asarray(share[columns], precision)


def _queries_of(share: Any) -> Array:
    return np.cumsum(share[FIRST])


def _sizes_of(share: Any) -> Array:
    return np.diff(np.append(np.flatnonzero(share[FIRST]), len(share)))


def _place(
    client: Any,
    frame: Any,
    name: str,
    label: str,
    qid: str,
    levels: Levels,
    measures: Sequence[Measure],
    columns: Sequence[str] | None = None,
) -> _Table:
    """Check every row, and give each worker a share of whole queries; with measures, those that can be learnt from."""
    frame, columns = _known_columns(frame, name, label, qid, columns)
    sizes = frame[qid].map_partitions(lambda query: query.value_counts()).compute()  # by query and partition
    if split := int(sizes.index[sizes.index.duplicated()].nunique()):
        warnings.warn(
            f"{name}: {split} queries have rows in several partitions, so Dask shuffles the table by query; a table "
            "sorted by query, with partitions that end where a query ends, needs no such exchange",
            SplitQueriesWarning,
            stacklevel=3,
        )
        frame = frame.assign(**{ROW: 1})
        frame = frame.assign(**{ROW: frame[ROW].cumsum()}).shuffle(qid)
    kinds = {**dict.fromkeys(columns, "f4"), GRADE: "f8", FIRST: "i8"}
    form = frame._meta.reindex(columns=list(kinds)).astype(kinds)
    read = frame.map_partitions(_read, columns, label, qid, levels, measures, name, form, meta=form).to_delayed()
    shares = _share_out(client, read)
    described = client.gather([_at(client, home, _describe_share, columns, share) for home, share in shares])
    filled = [(share, one) for share, one in zip(shares, described, strict=True) if one.rows]
    if not filled:
        raise InputError(f"{name}: holds no rows") if not measures else nothing_to_learn(name, measures)
    shares, described = [share for share, _ in filled], [one for _, one in filled]
    if (
        measures
        and (np.min([one.lowest for one in described], 0) == np.max([one.highest for one in described], 0)).all()
    ):
        raise InputError(f"{name}: every feature has one value throughout; there is nothing to split by")
    card = {"name": name, "topics": int(sizes.index.nunique()), "rows": int(sizes.sum())}
    beyond = list(dict.fromkeys(chain.from_iterable(one.beyond for one in described)))
    return _Table(shares, [one.rows for one in described], columns, card, beyond)


def _known_columns(frame: Any, name: str, label: str, qid: str, columns: Sequence[str] | None) -> tuple[Any, list[str]]:
    """The frame with text as names of columns, and the features: the given ones, or all columns without queries, grades
    and documents."""
    if not hasattr(frame, "map_partitions") or not hasattr(frame, "columns"):
        raise InputError(f"{name}: a {type(frame).__name__} is no Dask DataFrame; dask.dataframe has from_pandas, ...")
    frame = frame.rename(columns=str)
    features = [str(each) for each in columns or frame.columns if each not in (label, qid)]
    if columns is None:
        documents = leave_out_documents(features, name, warns=True)
        features = [each for each in features if each not in documents]
    for asked in (label, qid, *features):
        if asked not in frame.columns:
            near = nearest(asked, list(frame.columns))
            raise InputError(f"{name}: no column {asked!r}{near}; name the columns with label= and qid=")
    if named := [column for column in features if str(frame.dtypes[column]) == "category"]:
        raise InputError(
            f"{name}: column {named[0]!r} is a category, and fit_dask takes numbers; a TreeRanker takes it"
        )
    return frame, features


def _at(client: Any, home: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """A future of a call, on this worker and no other."""
    return client.submit(call, *arguments, workers=[home], allow_other_workers=False, pure=False)


def _share_out(client: Any, read: Sequence[Any]) -> list[tuple[str, Any]]:
    """Give each worker one share, of partitions that follow each other, the same at each call: bins depend on what a
    worker has. A partition is read there where that can be, and else brought there."""
    from distributed import wait

    workers, parts = list(client.ncores()), dict[str, list[Any]]()
    for number, part in enumerate(read):
        home = workers[number * len(workers) // len(read)]
        parts.setdefault(home, []).append(client.compute(part, workers=[home], allow_other_workers=True))
    shares = [(home, _at(client, home, _concat_parts, those)) for home, those in parts.items()]
    wait([share for _, share in shares])
    return shares


def _concat_parts(parts: list[Any]) -> Any:
    import pandas as pd

    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else parts[0]


class _ShareFacts(NamedTuple):
    """What is known of a share: its number of rows, the least and the largest value of each feature, and the features
    with numbers that tables keep and single precision does not hold."""

    rows: int
    lowest: Array
    highest: Array
    beyond: list[str]


def _describe_share(columns: list[str], share: Any) -> _ShareFacts:
    if not len(share):
        return _ShareFacts(0, np.empty(0), np.empty(0), [])
    X = np.asarray(share[columns])
    double = [column for column in columns if share.dtypes[column] == "f8"]
    beyond = [column for column in double if not fits_single_precision(np.asarray(share[column]))]
    return _ShareFacts(len(share), X.min(0), X.max(0), beyond)


def _read(
    frame: Any,
    columns: list[str],
    label: str,
    qid: str,
    levels: Levels,
    measures: Sequence[Measure],
    name: str,
    form: Any,
) -> Any:
    """A partition, checked, the rows of each query together in the order of the table; FIRST is 1 in its first row."""
    import pandas as pd

    if not len(frame):
        return form
    frame = frame.sort_values(ROW) if ROW in frame.columns else frame
    frame = frame.iloc[np.argsort(pd.factorize(frame[qid])[0], kind="stable")]
    features = features_from_frame(frame, query_id=qid, doc_id=None, relevance=label, features=columns, name=name)
    if outside := set(features.grades) - set(levels):
        raise InputError(f"{name}: grade {min(outside):g} is not one of the levels {show_levels(levels)}")
    first = np.zeros(len(features), np.int64)
    first[features.offsets[:-1]] = 1
    rows = pd.DataFrame(features.X, columns=columns).assign(**{GRADE: features.grades, FIRST: first})
    if not measures:
        return rows
    try:
        places = trainable_places(replace(features, levels=levels), levels, measures)
    except TooManyLevels:
        raise
    except InputError:  # here; others may have something to learn
        return form
    return rows.iloc[select_rows(np.arange(len(features)), features, places)]


def _grow_with_lightgbm(client: Any, ranker: TreeRanker, table: _Table, objective: LambdaObjective) -> LightGBMForest:
    model = lightgbm_engine().DaskLGBMRanker(
        client=client,
        objective=objective.ranker,
        n_estimators=ranker.epochs,
        tree_learner="data",
        time_out=CONNECT,
        **lightgbm_settings(ranker),
        **BINNING,
    )
    data = table.features(client), table.array(client, GRADE)
    with warnings.catch_warnings():  # of LightGBM, that it takes the threads of the workers
        warnings.filterwarnings("ignore", "Parameter n_jobs will be ignored", UserWarning)
        model.fit(*data, group=table.sizes(client))
    return LightGBMForest.of(model.booster_)


def _grow_with_xgboost(
    client: Any,
    ranker: TreeRanker,
    table: _Table,
    objective: LambdaObjective,
    valid: _Table | None,
    metric: EngineMetric | None,
) -> XGBoostForest:
    """With validation data, XGBoost stops early."""
    with require_engine("fit_dask(engine='xgboost')"):
        from xgboost import dask as engine
        from xgboost.callback import EarlyStopping
    shape = leaf_wise_shape(ranker)
    settings = {
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_bin": BINS,
        "max_leaves": shape["leaves"],
        "eta": ranker.learning_rate,
        "lambda": shape["l2"],
        "min_child_weight": XGBOOST_HESSIAN * least_hessian(ranker.objective),
        "base_score": 0.0,
        "disable_default_eval_metric": True,
        "verbosity": 0,
    }

    def matrix(kind: Any, table: _Table, **options: Any) -> Any:
        grades = table.array(client, GRADE)
        return kind(client, table.features(client), grades, qid=table.queries(client), **options)

    stopping: dict[str, Any] = {}
    if valid is not None and metric is not None:
        stopping = {
            "evals": [(matrix(engine.DaskDMatrix, valid), "valid")],
            "custom_metric": partial(_mean_over_workers, metric),
            "callbacks": [EarlyStopping(rounds=ranker.patience, maximize=True, save_best=True)],
        }
    data = matrix(engine.DaskQuantileDMatrix, table, max_bin=BINS)
    grown = engine.train(client, settings, data, ranker.epochs, obj=objective, verbose_eval=False, **stopping)
    return XGBoostForest.of(grown["booster"])


def _mean_over_workers(metric: EngineMetric, scores: Array, matrix: Any) -> tuple[str, float]:
    """A metric of XGBoost: the mean over the queries of all workers, and not a mean of their means."""
    from xgboost import collective

    total = np.zeros(2)  # the sum of the values, and how many there are
    if matrix.num_row():
        values = metric.score(scores, matrix.get_label(), offsets_of_matrix(matrix))
        counted = values.counted[0, :, 0]
        total = np.array([values.transformed()[0, :, 0][counted].sum(), counted.sum()])
    total = collective.allreduce(total, collective.Op.SUM)
    return str(metric.measure), float(combine([metric.measure], total[:1], total[1:])[0])


def _ranker_of(objective: Objective | str, rounds: int, engine: str, parameters: dict[str, Any]) -> TreeRanker:
    for given in parameters:
        if given not in PARAMETERS:
            near = nearest(given, PARAMETERS)
            known = ", ".join(PARAMETERS)
            raise InputError(f"{given}= is no parameter of fit_dask{near}; of TreeRanker's there are {known}")
    if engine == "xgboost":
        if parameters.get("min_rows", 1) != 1:
            raise InputError("min_rows: XGBoost has no least number of rows in a leaf; leave it out, or take lightgbm")
        parameters = {**parameters, "min_rows": 1}
    ranker = TreeRanker(objective, epochs=arguments.whole("rounds", rounds, 1), subsample=1.0, **parameters)
    if METHODS[ranker.objective.method].mu is None:
        raise InputError(f"{ranker.objective}: on Dask trees learn by pairs of documents; write 'lambdarank:MEASURE'")
    return ranker


def _list_workers(client: Any) -> dict[str, int]:
    """The addresses of the workers, and the threads of each."""
    if not hasattr(client, "ncores") or getattr(client, "asynchronous", False):
        raise InputError(f"client is a {type(client).__name__}; give a distributed.Client that is not asynchronous")
    workers: dict[str, int] = dict(client.ncores())
    if not workers:
        raise InputError("the cluster of the client has no workers; start some, or wait for them")
    return workers
