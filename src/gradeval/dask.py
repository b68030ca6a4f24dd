"""``evaluate`` on the workers of a Dask cluster, for judgments and runs that one machine's memory does not hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval._core import ONCE_IN_RUN, InputError, Pools
from gradeval.arguments import known_arguments
from gradeval.collection.meeting import TIES, Ties, meet
from gradeval.collection.qrels import Identity, Negative, Qrels, digest_topics
from gradeval.collection.runs import Repeated, Run, drop_endings, name_file
from gradeval.extras import install_hint
from gradeval.files.arrow_columns import first_line, read_coded_ids, require_frame_columns
from gradeval.files.column_names import InputKind
from gradeval.files.frame_columns import find_needed
from gradeval.files.frame_tables import arrow_table
from gradeval.files.frames import columns_of_frame, qrels_from_frame, run_from_frame
from gradeval.files.run_columns import require_one_run
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, levels_of, require_levels
from gradeval.messages import kind_of
from gradeval.scores.evaluation import DEFAULT, evaluate_part, require_common_topic
from gradeval.scores.grade_notes import about_negatives_that_count
from gradeval.scores.notes import about_scores, warn_of
from gradeval.scores.presets import PresetName, configure_measures, with_preset
from gradeval.scores.scores import Empty, Missing, Scores, require_policies
from gradeval.scores.selection import keep_common

if TYPE_CHECKING:
    import pyarrow

__all__ = ["evaluate"]

FarTable: TypeAlias = Any
"""A Dask DataFrame, or the place of Parquet files."""
RunTables: TypeAlias = FarTable | Mapping[str, FarTable] | Iterable[FarTable]

SOURCE, AT = "source", "at"
"""Columns besides topic, document, value and rank: the place of the run among all runs, and where the row stood."""
JUDGMENTS = -1
"""The source of judgments."""
ROWS = 40
"""Bits for the number of a row; those above it number the partitions."""
RENAME = "rename it, as in frame.rename(columns={'old': 'new'})"
ONE_GRADE = "a topic judges a document once: keep one row of each, or the mean of their grades"
BEFORE = "choose rows of the frames before, and declare levels="


@known_arguments(
    topics=BEFORE,
    runs=BEFORE,
    by="give it to a study of these scores, as in compare(scores, by=...)",
    exclude=BEFORE,
    threads="a task has one thread, and Dask says how many tasks run at once",
    progress="distributed.progress shows Dask's own",
)
@with_preset
def evaluate(
    qrels: FarTable,
    ranked: RunTables,
    /,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    preset: PresetName | None = None,
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    levels: Sequence[float] | None = None,
    repeated: Repeated | None = None,
    depth: int | None = None,
    residuals: bool = False,
    seed: int = 0,
) -> Scores:
    """Score runs on the workers of a Dask cluster: the numbers of ``gradeval.evaluate``, to the last bit.

        import gradeval.dask
        from dask.distributed import Client

        client = Client("scheduler:8786")
        scores = gradeval.dask.evaluate("/data/qrels.parquet", "/data/runs", "AP nDCG@10")

    Dask shuffles judgments and runs by topic, so that each partition has whole topics, and scores these. Where no
    client is open, Dask's own threads or processes do it.

    Parameters
    ----------
    qrels : a Dask DataFrame with a row a judgment, or the place of a Parquet file or folder, as
        ``dask.dataframe.read_parquet`` takes it; workers must find it there. Columns are known by the names that
        ``gradeval.evaluate`` knows: query_id, topic, qid ...; doc_id, docno ...; relevance, grade ...
    ranked : the same with a score or a rank in each row. Where a column run (or system, model, tag) holds several
        names, it holds several runs; ``{name: table}`` and a list of tables are several, too.
    levels : the grades of the collection, ascending from 0. Default: one pass over all judgments finds them.
    measures, preset, missing, empty, ties, negative, repeated, depth, residuals, seed : see ``gradeval.evaluate``.

    Notes
    -----
    Topics stand in the order of the judgments, runs in the order in which their names first come. A partition must fit
    into the memory of a worker: ``frame.repartition`` makes more of them. The work of a worker that is lost is done
    again by others, as Dask does with all tasks.

    Raises
    ------
    InputError : what ``gradeval.evaluate`` refuses; a row is named by its partition and its place there, from 0.

    Warns
    -----
    GradevalWarning : as ``gradeval.evaluate``, without looking for documents that are spelled in another way.
    """
    how: dict[str, Any] = {"missing": missing, "empty": empty, "ties": ties, "negative": negative}
    parsed, about = configure_measures(preset, measures, how)
    _require_options(missing, empty, ties, negative, repeated)
    declared = None if levels is None else require_levels(levels)
    if residuals:
        from gradeval.scores.residuals import about_residuals  # imported where they are asked for

        about += about_residuals(parsed, ties, empty)
    how |= {"depth": depth, "seed": arguments.seed(seed), "residuals": residuals, "threads": 1}
    judgments, tables = _open(qrels, "qrels", "qrels"), _open_runs(ranked)
    grades, names = _look_ahead(judgments, tables, declared)
    runs = _name_runs(tables, names)
    every = levels_of(grades) if declared is None else declared
    shares = _score_shares(judgments, tables, runs, (parsed, every, repeated, how))
    if not any(share.topics for share in shares):
        raise InputError(f"{judgments.place}: the table has no rows")
    scores = _put_together(shares)
    for number, run in enumerate(runs):
        if not scores.present[number].any() and not any(share.unjudged[number] for share in shares):
            raise InputError(f"{run.table.place}: the table has no rows")
    known = Qrels.from_dict({topic: {} for topic in scores.topics}, judgments.place)
    require_common_topic(known, scores.present, _unjudged_topics(shares))
    if missing == "common":
        kept, more = keep_common(scores.topics, scores.present, scores.runs)
        scores, about = scores.sel(topics=kept), [*about, *more]
    pools = JudgedRankings.empty(np.concatenate([share.pool for share in shares]), every)
    if negative == "nonrelevant":
        about = [*about, *about_negatives_that_count(parsed, every, sum(share.below for share in shares))]
    scores.notes[:] = [*about, *about_scores(scores, None, pools=pools)]
    warn_of(scores.notes, stacklevel=4)
    return scores


def _require_options(missing: str, empty: str, ties: str, negative: str, repeated: str | None) -> None:
    """Refuse unknown words here, rather than after the shuffle."""
    require_policies(missing, empty)
    arguments.one_of("ties", ties, TIES)
    arguments.one_of("negative", negative, get_args(Negative))
    if repeated is not None:
        arguments.one_of("repeated", repeated, get_args(Repeated))


@dataclass(frozen=True)
class _Opened:
    """A table on the workers.

    Attributes
    ----------
    parts : its partitions with the columns that are needed, delayed.
    kind : judgments or a run.
    place : what messages call it.
    name : what the run is called, where the table has no column that says so.
    of_user : is that the name that the user gave?
    naming : the columns that may hold names of runs.
    """

    parts: list[Any]
    kind: InputKind
    place: str
    name: str
    of_user: bool
    naming: list[str]


class _Named(NamedTuple):
    """A run: its name, its table, and the column that holds the name, if any."""

    name: str
    table: _Opened
    column: str | None


def _open(table: FarTable, kind: InputKind, place: str, name: str | None = None) -> _Opened:
    """A table, its columns found, before anything is read."""
    try:
        import dask.dataframe as dd
        import pyarrow
    except ImportError as error:
        packages = install_hint("dask")
        raise InputError(f"gradeval.dask needs the package {error.name}: {packages}") from None
    own = name_file(fspath(table)) if isinstance(table, str | PathLike) else "run"
    if isinstance(table, str | PathLike):
        place = fspath(table)
        try:
            table = dd.read_parquet(place)
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise InputError(
                f"{place}: cannot be read as Parquet ({first_line(error)}); name a file or a folder"
            ) from error
    if not hasattr(table, "to_delayed") or not hasattr(table, "columns"):
        raise InputError(
            f"{place}: {kind_of(table)} is no Dask DataFrame; dask.dataframe has from_pandas and "
            "read_parquet, and gradeval.evaluate takes what lies on one machine"
        )
    table = table.rename(columns=str)
    needed = find_needed(pyarrow.Schema.from_pandas(table._meta), kind, place, RENAME)
    kept = [column for column in table.columns if column in needed.names]  # the index stays by itself
    return _Opened(table[kept].to_delayed(), kind, place, name or own, name is not None, needed.runs)


def _open_runs(ranked: RunTables) -> list[_Opened]:
    if isinstance(ranked, Mapping):
        opened = [_open(table, "run", str(name), str(name)) for name, table in ranked.items()]
    elif isinstance(ranked, list | tuple):
        places = ["run", *(f"run {number}" for number in range(2, len(ranked) + 1))]
        opened = [_open(table, "run", place) for place, table in zip(places, ranked, strict=False)]
        opened = [
            replace(one, name=one.place) if one.place == place else one
            for one, place in zip(opened, places, strict=False)
        ]
    else:
        opened = [_open(ranked, "run", "run")]
    if not opened:
        raise InputError("no run given")
    return opened


def _look_ahead(
    judgments: _Opened, tables: Sequence[_Opened], levels: Levels | None
) -> tuple[Any, list[dict[str, dict[str, None]]]]:
    """float64[grade]: the grades of all judgments, unless levels are declared; and for each table the names of runs
    that its columns hold, in order."""
    from dask import compute, delayed

    grades = (
        []
        if levels is not None
        else [delayed(_list_grades)(part, number, judgments.place) for number, part in enumerate(judgments.parts)]
    )
    names = [[delayed(_list_names)(part, one.naming) for part in one.parts if one.naming] for one in tables]
    by_partition, by_table = compute(grades, names)
    merged: list[dict[str, dict[str, None]]] = []
    for one, parts in zip(tables, by_table, strict=True):
        merged.append({column: {} for column in one.naming})
        for part in parts:
            for column in one.naming:
                merged[-1][column].update(dict.fromkeys(part[column]))
    return np.unique(np.concatenate([np.zeros(0), *by_partition])), merged


def _name_runs(tables: Sequence[_Opened], names: Sequence[Mapping[str, Mapping[str, None]]]) -> list[_Named]:
    """All runs, of which a table may hold several."""
    runs: list[_Named] = []
    for table, by_column in zip(tables, names, strict=True):
        several = [column for column, values in by_column.items() if len(values) > 1]
        if table.of_user:
            for column in several:
                require_one_run(list(by_column[column]), column, table.place)
        if len(several) > 1:
            raise InputError(
                f"{table.place}: columns {several[0]} and {several[1]} both hold several names of runs; drop one"
            )
        holding = [column for column in (*several, *by_column) if by_column[column]]
        if holding and not table.of_user:
            runs += [_Named(name, table, holding[0]) for name in by_column[holding[0]]]
        else:
            runs.append(_Named(table.name, table, None))
    if (twice := arguments.find_twice([run.name for run in runs])) is not None:
        raise InputError(f"two runs are called {str(twice)!r}; give each a name of its own, as in {{name: table}}")
    called = drop_endings([run.name for run in runs])
    return [run._replace(name=name) for run, name in zip(runs, called, strict=True)]


class _Share(NamedTuple):
    """What the topics of one partition give.

    Attributes
    ----------
    scores : of its judged topics; None: it has none.
    topics : where each judged topic stood.
    digests : of the judgments of each topic.
    unjudged : for each run, its topics without judgments, and where each stood.
    pool : int64[topic, level]: judged documents.
    below : how many grades are negative.
    """

    scores: Scores | None
    topics: list[int]
    digests: list[bytes]
    unjudged: list[dict[str, int]]
    pool: Array
    below: int = 0


def _score_shares(
    judgments: _Opened, tables: Sequence[_Opened], runs: Sequence[_Named], how: tuple[Any, ...]
) -> list[_Share]:
    """The scores of each partition after the shuffle by topic."""
    import dask.dataframe as dd
    from dask import compute, delayed

    form = _form()
    arranged = [
        delayed(_arrange)(part, number, judgments.kind, judgments.place, None, JUDGMENTS)
        for number, part in enumerate(judgments.parts)
    ]
    for table in tables:
        own = [(place, run) for place, run in enumerate(runs) if run.table is table]
        column = own[0][1].column
        source = own[0][0] if column is None else {run.name: place for place, run in own}
        arranged += [
            delayed(_arrange)(part, number, table.kind, table.place, table.naming, source, column)
            for number, part in enumerate(table.parts)
        ]
    rows = dd.from_delayed(arranged, meta=form, verify_meta=False)
    shares = rows.shuffle("topic", npartitions=len(arranged)).to_delayed()
    called = [(run.name, run.table.place) for run in runs]
    scored: list[_Share] = list(compute(*(delayed(_score)(part, judgments.place, called, *how) for part in shares)))
    return scored


def _list_grades(frame: Any, number: int, place: str) -> Any:
    """float64[grade]: the different grades of a partition of judgments."""
    arranged = _arrange(frame, number, "qrels", place, None, JUDGMENTS)
    return np.unique(arranged["value"].to_numpy())


def _list_names(frame: Any, columns: Sequence[str]) -> dict[str, list[str]]:
    """The names of runs in some columns of a partition, in order; columns of other numbers hold none."""
    by_column: dict[str, list[str]] = {}
    for column in columns:
        names = frame[column].dropna().unique()
        by_column[column] = [] if getattr(names.dtype, "kind", "") in "fb" else [str(name) for name in names]
    return by_column


def _form() -> Any:
    """A table without rows that has the columns of all partitions."""
    import pyarrow

    columns = {"topic": pyarrow.large_string(), "document": pyarrow.large_string(), "value": pyarrow.float64()}
    columns |= {"rank": pyarrow.float64(), SOURCE: pyarrow.int32(), AT: pyarrow.int64()}
    return _as_pandas(pyarrow.schema(columns).empty_table())


def _as_pandas(table: pyarrow.Table) -> Any:
    import pandas
    import pyarrow

    text = {pyarrow.large_string(): pandas.StringDtype("pyarrow")}
    return table.to_pandas(types_mapper=text.get)


def _arrange(
    frame: Any,
    number: int,
    kind: InputKind,
    place: str,
    naming: Sequence[str] | None,
    source: int | Mapping[str, int],
    column: str | None = None,
) -> Any:
    """A partition in the form of ``_form``, checked, each row with its run and where it stood."""
    import pyarrow

    if not len(frame):
        return _form()
    where = f"{place}: partition {number}"
    table = arrow_table(frame, where)
    if isinstance(source, int):
        sources = np.full(len(table), source, np.int32)
    else:
        named = require_frame_columns(table, [str(column)], where, "rename one of them")
        names, codes = read_coded_ids(named[str(column)], str(column), where)
        sources = np.array([source[name] for name in names], np.int32)[codes]
    columns = columns_of_frame(table.drop_columns(list(naming or ())), kind, where)
    _require_finite(columns, "grade" if kind == "qrels" else "score", where)
    at = (number << ROWS) + np.arange(len(table))
    return _as_pandas(columns.append_column(SOURCE, pyarrow.array(sources)).append_column(AT, pyarrow.array(at)))


def _require_finite(columns: pyarrow.Table, what: str, where: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(columns["value"].to_numpy()))
    if len(wrong):
        row = int(wrong[0])
        topic, document = columns["topic"][row], columns["document"][row]
        raise InputError(
            f"{where}: row {row}: {what} is infinite; it must be a finite number (topic {topic}, document {document})"
        )


def _score(
    part: Any,
    qrels_place: str,
    called: Sequence[tuple[str, str]],
    measures: Sequence[Measure],
    levels: Levels,
    repeated: Repeated | None,
    how: Mapping[str, Any],
) -> _Share:
    """Score the topics of a partition, for every run."""
    import pyarrow

    sources = part[SOURCE].to_numpy()
    order = np.lexsort((part[AT].to_numpy(), sources))
    table = pyarrow.Table.from_pandas(part.iloc[order], preserve_index=False)
    ends = np.searchsorted(sources[order], np.arange(JUDGMENTS, len(called) + 1))
    judged, *ranked = (table.slice(begin, end - begin) for begin, end in pairwise(ends.tolist()))
    try:
        runs = [
            _run_of(rows, name, place).keeping(repeated) for rows, (name, place) in zip(ranked, called, strict=True)
        ]
        if not len(judged):  # the lines of the runs are checked all the same
            unjudged = meet(
                Qrels.of_pools(Pools.of_mapping({}, qrels_place), qrels_place), runs, threads=1
            ).unjudged_topics
            none = np.zeros((0, len(levels)), np.int64)
            return _Share(None, [], [], list(map(_places_of, ranked, unjudged)), none)
        named = judged.rename_columns({"topic": "query_id", "document": "doc_id", "value": "relevance"})
        qrels = qrels_from_frame(named.drop_columns(["rank"]), name=qrels_place).with_levels(levels)
        if qrels.repeated:
            _refuse_twice(judged, qrels_place, ONE_GRADE)
        scores, unjudged = evaluate_part(qrels, runs, measures, **how)
    except InputError:
        _refuse_twice(judged, qrels_place, ONE_GRADE)
        if repeated is None:
            for rows, (_, place) in zip(ranked, called, strict=True):
                _refuse_twice(rows, place, ONCE_IN_RUN)
        raise
    assert scores.collection is not None
    known = replace(scores, collection=Identity.from_digest("", scores.collection.reading))
    places = _places_of(judged, qrels.topics)
    others, grading = list(map(_places_of, ranked, unjudged)), qrels.grading()
    pool = grading.pools.pool.reshape(-1, len(levels))
    return _Share(known, list(places.values()), digest_topics(qrels), others, pool, grading.below)


def _run_of(rows: pyarrow.Table, name: str, place: str) -> Run:
    if not len(rows):
        return Run.from_dict({}, name)
    named = rows.rename_columns({"topic": "query_id", "document": "doc_id", "value": "score"})
    return run_from_frame(named, name=name, place=place)


def _places_of(rows: pyarrow.Table, topics: Sequence[str]) -> dict[str, int]:
    """Where each of some topics first stood."""
    if not topics:
        return {}
    known, codes = read_coded_ids(rows["topic"], "topic", "")
    first = np.unique(codes, return_index=True)[1]
    places = dict(zip(known, rows[AT].to_numpy()[first].tolist(), strict=True))
    return {topic: places[topic] for topic in topics}


def _refuse_twice(rows: pyarrow.Table, place: str, remedy: str) -> None:
    """Refuse a document that comes twice in a topic; the error says where the rows stood before the shuffle."""
    frame = rows.select(["topic", "document", AT]).to_pandas()
    again = frame[frame.duplicated(["topic", "document"])]
    if not len(again):
        return
    topic, document, second = again.iloc[again[AT].argmin()]
    first = frame[(frame["topic"] == topic) & (frame["document"] == document)][AT].min()
    raise InputError(
        f"{place}: {_describe_place(second)}: document {document!r} of topic {topic} was already given in "
        f"{_describe_place(first)}; {remedy}"
    )


def _describe_place(at: int) -> str:
    return f"partition {int(at) >> ROWS}, row {int(at) & ((1 << ROWS) - 1)}"


def _put_together(shares: Sequence[_Share]) -> Scores:
    """The scores of all topics, in the order of the judgments."""
    scored = [share.scores for share in shares if share.scores is not None]
    scores = Scores.concat(scored, axis="topic")
    order = np.argsort([place for share in shares for place in share.topics]).tolist()
    assert scores.collection is not None
    assert scores.levels is not None
    assert scores.coverage is not None
    reading = scores.collection.reading
    digests = chain.from_iterable(share.digests for share in shares)
    coverage = replace(scores.coverage, unjudged_topics=_unjudged_topics(shares))
    known = replace(scores, coverage=coverage, collection=Identity.of_topics(digests, scores.levels, reading))
    return known.sel(topics=[scores.topics[place] for place in order])


def _unjudged_topics(shares: Sequence[_Share]) -> list[list[str]]:
    """For each run, its topics without judgments, in its order."""
    by_run: Iterator[Sequence[dict[str, int]]] = zip(*(share.unjudged for share in shares), strict=True)
    every = ({topic: at for share in run for topic, at in share.items()} for run in by_run)
    return [sorted(places, key=places.__getitem__) for places in every]
