"""The rows that a user trains on or scores: features, arrays, sparse matrices, and frames with names of columns."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.array_checks import EXACT, read_array, read_queries
from gradeval.features.categories import Categories, recode, warn_of_new_values
from gradeval.features.feature_arrays import SplitQueriesError, order_by_query, warn_of_split_queries
from gradeval.features.features import Features
from gradeval.files.arrow_columns import SPREAD, describe_value, is_list, may_be_category
from gradeval.files.column_names import GRADES, QUERIES, SCORES, USERS, find_documents, normal_name, usual_column
from gradeval.files.feature_columns import warn_of_others
from gradeval.files.frame_columns import WHY_NAMELESS, columns_beside_index, nameless
from gradeval.formula.arithmetic import Array
from gradeval.messages import LISTED, join_names, nearest, shown
from gradeval.warning_categories import FeaturesWarning, warn

QUERY = "qid"
"""The column of a frame that names the query of each row; it is no feature."""
FORMS = "give Features, an array, a scipy.sparse matrix, or a frame of pandas, Polars or Arrow"


@dataclass(frozen=True, eq=False)
class Rows:
    """A table as the user gave it.

    Attributes
    ----------
    X : number[row, feature], NaN where a value is missing; a category is its code.
    columns : the names of the features; None where the table has none.
    categories : which features of a frame are categories.
    queries : the query of each row, where a frame has the column ``qid``.
    """

    X: Array
    columns: tuple[str, ...] | None = None
    categories: Categories = field(default_factory=dict)
    queries: Array | None = None

    @classmethod
    def of(
        cls,
        table: Any,
        known: Mapping[str, Sequence[Any]] | None = None,
        left_out: Collection[str] = (QUERY,),
        wanted: Sequence[str] = (),
        *,
        declared: Collection[str] = (),
        place: str = "X",
    ) -> Rows:
        """The rows of an array, a sparse matrix or a frame, which messages call ``place``; ``known`` are the categories
        that a ranker was trained on, whose codes are taken: another value is missing, as in LightGBM, and a
        FeaturesWarning names it. Columns ``left_out`` are no features; of a frame that has all ``wanted`` ones, these
        are taken, in this order, and a FeaturesWarning names the others. ``declared`` are categories, also by words."""
        _require_in_memory(table)
        names = column_names(table)
        if names is not None:
            return _of_frame(table, names, known, left_out, wanted, declared, place)
        if hasattr(table, "toarray") and hasattr(table, "nnz"):
            return cls(table.toarray())  # what a sparse matrix leaves out is 0
        X = read_array("X", table)
        if X.ndim != 2:
            raise InputError(f"X has {X.ndim} axes, not two: number[row, feature]; {FORMS}")
        if X.dtype.kind == "O":
            X = _to_numbers(X, "X")
        return cls(X)


class TrainingRows(NamedTuple):
    """What a table of a user holds.

    Attributes
    ----------
    features : the rows of each query together.
    categories : which features are categories.
    order : int64[row], the place in the table of each row of ``features``; None where it is the same.
    left_out : the columns of a frame that are no features: queries, grades and documents.
    """

    features: Features
    categories: Categories
    order: Array | None
    left_out: tuple[str, ...] = ()


def training_features(
    table: Any,
    y: Any,
    *,
    group: Any,
    qid: Any,
    name: str,
    known: Mapping[str, Sequence[Any]] | None = None,
    declared: Collection[str] = (),
) -> TrainingRows:
    """Features from X and y as scikit-learn's estimators take them.

    ``group`` are the numbers of rows of the queries, ``qid`` is the query of each row; a frame may have the column
    ``qid`` instead. A column of a frame that names the documents, or the queries once more, is no feature, as a
    FeaturesWarning says. Where the rows of a query stand apart, rows are sorted by query, with a SplitQueriesWarning.
    """
    _require_in_memory(table)
    if y is None:
        ways = f"give fit(X, y, qid=...) or fit(Features); of frames give {_spell_fit(table, 'frame')}"
        raise InputError(f"{name}: y is missing, the grade of each row; {ways}")
    if getattr(y, "columns", None) is not None and len(column_names(y) or ()) > 1:
        frames = f"of frames give {_spell_fit(table, 'train, valid')}"
        raise InputError(f"{name}: y is a frame, not the grade of each row; {frames}")
    require_rows_of(table, {"y": y, "qid": qid}, name)
    warns = known is None  # once, of the training data
    document = leave_out_documents(column_names(table) or (), name, warns=warns)
    others = (*document, *_leave_out_queries(table, group, qid, name, warns=warns))
    rows = Rows.of(table, known, {QUERY, *others}, declared=declared, place=name)
    queries = one_of_queries(group, qid, rows.queries, name)
    topics, columns = None if queries is None else _to_ids(queries, name), rows.columns
    try:
        features = Features.from_arrays(rows.X, y, topics=topics, sizes=group, columns=columns, name=name)
        return TrainingRows(features, rows.categories, None, others)
    except SplitQueriesError:
        assert topics is not None
        order = order_by_query(topics)
        warn_of_split_queries(name)
    grades = read_array(f"{name}: y", y)[order]
    features = Features.from_arrays(rows.X[order], grades, topics=topics[order], columns=columns, name=name)
    return TrainingRows(features, rows.categories, order, others)


def one_of_queries(group: Any, qid: Any, column: Any, name: str) -> Any:
    """The query of each row as ``qid`` or the column ``qid`` has it, None where ``group`` is given; an InputError for
    none of them, or several."""
    every = (("group=", group), ("qid=", qid), ("the column qid", column))
    given = [text for text, value in every if value is not None]
    if len(given) != 1:
        ways = "group= (the rows of each query), qid= (the query of each row), or a frame with the column qid"
        raise InputError(f"{name}: {' and '.join(given) or 'no queries'}; give one of {ways}")
    return column if qid is None else qid


def _spell_fit(table: Any, given: str) -> str:
    """How to train on frames with the columns of this one: by their usual names, NAME where there is none."""
    names = [name for name in column_names(table) or () if isinstance(name, str)]
    query = usual_column(names, QUERIES)
    label = usual_column([name for name in names if name != query], [name for name in GRADES if name not in SCORES])
    words = ["NAME" if name is None else repr(name) for name in (query, label)]
    return f"fit({given}, query={words[0]}, label={words[1]})"


def require_rows_of(table: Any, given: Mapping[str, Any], name: str) -> None:
    """An InputError where a Series of pandas has the rows of the frame in another order, by its index."""
    index: Any = getattr(table, "index", None)
    for what, values in given.items():
        other: Any = getattr(values, "index", None)
        if not hasattr(index, "equals") or not hasattr(other, "equals") or len(index) != len(other):
            continue
        if not index.equals(other) and index.is_unique and index.sort_values().equals(other.sort_values()):
            raise InputError(f"{name}: {what} has the rows of X in another order; give {what}.loc[X.index]")


def leave_out_documents(names: Iterable[Any], name: str, *, warns: bool) -> tuple[str, ...]:
    """The column of a frame called ``name`` that names the documents, with a warning if asked; empty: there is none."""
    document = find_documents(names)
    if document is None:
        return ()
    if warns:
        _warn_of_no_feature(document, "documents", name)
    return (document,)


def _warn_of_no_feature(column: Any, what: str, name: str) -> None:
    """Say that a column of a frame called ``name`` is left out, as it names the documents or the queries."""
    warn(f"{name}: column {column!r} names the {what}, and is no feature; rename it if it is one", FeaturesWarning)


def _leave_out_queries(frame: Any, group: Any, qid: Any, name: str, *, warns: bool) -> tuple[Any, ...]:
    """The column of a frame that by its name and its values is the queries, which are given beside it, as ``group``,
    ``qid`` or the column ``qid``; empty: there is none. An InputError where ``group`` has others than the column."""
    names = column_names(frame) or ()
    column = usual_column([one for one in names if one != QUERY], QUERIES)
    if column is None:
        return ()
    if group is not None:
        sizes = read_array("group", group)
        if sizes.dtype.kind not in "iu" or sizes.ndim != 1 or (sizes < 0).any():
            return ()  # an error tells of it
        given: Any = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    else:
        given = qid if qid is not None else frame[QUERY] if QUERY in names else ()
    queries, values = (list(map(str, np.asarray(ids))) for ids in (given, frame[column]))
    pairs = dict.fromkeys(zip(queries, values, strict=False))
    if len(queries) != len(values):
        return ()
    if not len(pairs) == len({*queries}) == len({*values}):
        if group is not None and normal_name(str(column)) not in USERS:
            raise _refuse_order([*pairs], column, name, "qid" if warns else "eval_qid")
        return ()
    if warns:
        _warn_of_no_feature(column, "queries", name)
    return (column,)


def _refuse_order(pairs: Sequence[tuple[str, str]], column: Any, name: str, argument: str) -> InputError:
    """The error for rows in another order than ``group`` has them, by a column that names their queries. ``pairs``:
    each group with each query that it has; ``argument`` takes the queries of rows instead."""
    queries, groups = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for group, query in pairs:
        queries[group].append(query)
        groups[query].append(group)
    mixed = [f"{shown(some[0])} and {shown(some[1])} in group {one}" for one, some in queries.items() if some[1:]]
    torn = [f"{shown(one)} in groups {some[0]} and {some[1]}" for one, some in groups.items() if some[1:]]
    how = f"give {argument}=X[{column!r}] instead of {argument.replace('qid', 'group')}=, or sort the rows"
    return InputError(
        f"{name}: the rows are not in the order of group=: {how}; column {column!r} has {(mixed or torn)[0]}; "
        "rename it if it names no queries"
    )


def frame_features(
    frame: Any,
    query: str | None,
    label: str | None,
    *,
    name: str,
    whose: str,
    known: Mapping[str, Sequence[Any]] | None = None,
    declared: Collection[str] = (),
) -> TrainingRows:
    """The features of a frame whose columns ``query`` and ``label`` hold the query and the grade of each row; all
    others are features, except one that names the documents. ``whose`` says in an error what else is accepted."""
    _require_in_memory(frame)
    given = column_names(frame)
    if given is None or not isinstance(query, str) or not isinstance(label, str):
        how = "" if given is None else f", as in {_spell_fit(frame, 'frame')}"
        raise InputError(
            f"{whose}a frame of pandas, Polars or Arrow; query= and label= name its columns with the query and the "
            f"grade of each row{how}"
        )
    for what, column in (("query", query), ("label", label)):
        if column not in given:
            raise InputError(
                f"{what}={column!r} is no column of the frame{nearest(column, given)}: {', '.join(map(str, given))}"
            )
    kept = [column for column in given if column not in (query, label)]
    read = training_features(
        frame[kept] if hasattr(frame, "iloc") else frame.select(kept),
        np.asarray(frame[label]),
        group=None,
        qid=np.asarray(frame[query]),
        name=name,
        known=known,
        declared=declared,
    )
    return read._replace(left_out=(query, label, *read.left_out))


def _require_in_memory(table: Any) -> None:
    """An InputError for a file, and for a table of Polars or Dask that is only planned so far."""
    if isinstance(table, str | PathLike):
        raise InputError(
            f"{os.fspath(table)}: is the name of a file; read it first: give the frame of pandas.read_csv(FILE), or "
            "read_letor(FILE) of LETOR text"
        )
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        raise InputError(f"X is a {type(table).__name__} of Polars, which has no rows yet: give X.collect()")
    if hasattr(table, "dask") and hasattr(table, "compute"):
        raise InputError("X is a table of Dask: call fit_dask, or give X.compute()")


def column_names(table: Any) -> list[Any] | None:
    """The names of the columns of a frame; None where the table is no frame."""
    names = getattr(table, "column_names", None)  # Arrow
    if names is None and not isinstance(table, Features):
        names = getattr(table, "columns", None)
    return None if names is None or callable(names) else list(names)


def _of_frame(
    frame: Any,
    names: list[Any],
    known: Mapping[str, Sequence[Any]] | None,
    left_out: Collection[str],
    wanted: Sequence[str],
    declared: Collection[str],
    place: str,
) -> Rows:
    if (twice := find_twice(names)) is not None:
        raise InputError(f"two columns of X are called {twice!r}; rename one of them")
    if hasattr(frame, "to_pandas") and hasattr(frame, "column_names"):  # Arrow, with the index of pandas as columns
        names = columns_beside_index(frame.schema, [QUERY])
        frame = {name: frame.column(name).to_pandas() for name in names}
    queries = np.asarray(frame[QUERY]) if QUERY in names else None
    chosen = _choose_columns([name for name in names if name not in left_out], wanted)
    if unnamed := nameless(chosen):
        raise InputError(f"X: {WHY_NAMELESS.format(unnamed[0])}")
    X = np.empty((len(frame[names[0]]) if names else 0, len(chosen)))
    others: dict[Any, Any] = {}
    categories: Categories = {}
    for at, name in enumerate(chosen):
        column = frame[name]
        values = _category_values(column)
        if values is None and (
            name in declared or any(isinstance(one, str) for one in (known or {}).get(str(name), ()))
        ):
            values = _read_words(column)
        if known is not None:
            _require_kind_of_training(str(name), values is not None, known.get(str(name)))
        if values is None:
            numbers = _find_numbers(column)
            if numbers is None:
                others[name] = column
            else:
                X[:, at] = numbers
            continue
        listed, codes = values
        if known is not None and known.get(str(name)):
            warn_of_new_values(f"{place}: {name}", listed, codes, known[str(name)])
            codes = recode(codes, listed, known[str(name)])
            listed = list(known[str(name)])
        X[:, at] = np.where(codes < 0, np.nan, codes)
        categories[str(name)] = listed
    if others:
        raise _no_numbers(others)
    columns = _feature_names(chosen)
    if columns is None and categories:
        raise InputError("a frame with categories needs names of columns that are text; rename the columns")
    return Rows(X, columns, categories, queries)


def _choose_columns(names: list[Any], wanted: Sequence[str]) -> list[Any]:
    """The wanted columns, where all are there by names that are text, with a warning of others; else all columns."""
    if not wanted or not {*wanted} <= {*names}:
        return names
    if others := [str(name) for name in names if name not in wanted]:
        warn_of_others("X", others, wanted)
    return [*wanted]


def _feature_names(names: list[Any]) -> tuple[str, ...] | None:
    """The names of features from the names of columns; None where pandas numbered the columns 0, 1 ... itself."""
    if not all(isinstance(name, str | int | np.integer) for name in names):
        return None
    if not any(isinstance(name, str) for name in names):
        if names == list(range(len(names))):
            return None
        if sorted(names) == list(range(len(names))):
            raise InputError(
                f"the columns of X are numbered 0 to {len(names) - 1}, but stand in another order; sort them, or give "
                "them names"
            )
    return tuple(map(str, names))


def _require_kind_of_training(name: str, is_category: bool, trained: Sequence[Any] | None) -> None:
    """An InputError where a column is a category here but was not in training, or the reverse, as its numbers
    would then be taken for codes. ``trained`` are the values in training: none for codes, None for plain numbers."""
    if is_category and not trained:
        was = "numbers" if trained is None else "codes of a category"
        raise InputError(f"column {name!r} of X is a category, and in training it was {was}; give it as in training")
    if trained and not is_category:
        some = ", ".join(repr(value) for value in trained[:3])
        raise InputError(
            f"column {name!r} of X was a category in training (of {some}{' ...' if trained[3:] else ''}), and is none "
            "now; make it one (dtype 'category')"
        )


def _category_values(column: Any) -> tuple[list[Any], Array] | None:
    """The categories of a column and the code of each row, -1 where it is missing; None for another column."""
    kind = str(getattr(column, "dtype", ""))
    if kind == "category":  # pandas
        return [_plain(value) for value in column.cat.categories], np.asarray(column.cat.codes, float)
    if kind.startswith(("Categorical", "Enum")):  # Polars
        values = column.cast(str).to_list()
        listed = column.dtype.categories.to_list() if kind.startswith("Enum") else sorted({*values} - {None})
        places = {value: place for place, value in enumerate(listed)}
        return listed, np.array([places.get(value, -1) for value in values], float)
    return None


def _read_words(column: Any) -> tuple[list[Any], Array] | None:
    """The different words of a column of text, sorted, and the code of each row, -1 where it is missing; None for
    another column."""
    words = [value.strip() if isinstance(value, str) else "" for value in column]
    listed = sorted({*words} - {""})
    if not listed or not all(isinstance(value, str) or _is_missing(value) for value in column):
        return None
    places = {word: place for place, word in enumerate(listed)}
    return [*listed], np.array([places.get(word, -1) for word in words], float)


def _is_missing(value: Any) -> bool:
    """Is a value None, NaN, or missing in another way?"""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA
        return True


def _plain(value: Any) -> Any:
    """A category as the card of a model can keep it: text or a number."""
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, str | int | float | bool) else str(plain)


def _no_numbers(columns: Mapping[Any, Any]) -> InputError:
    """The error for columns of a frame that hold something other than numbers: what, and what to do."""
    names = [*columns]
    listed = join_names([f"{name!r} ({_describe_first(column)})" for name, column in columns.items()], LISTED)
    what, hold, them = ("columns", "hold", "them") if names[1:] else ("column", "holds", "it")
    dropped = names if names[1:] else names[0]
    lists = [name for name, column in columns.items() if any(map(is_list, column))]
    convert = SPREAD.format(repr(lists[0])) if lists else f", or convert {them} to numbers"
    how = f"leave {them} out (frame.drop(columns={dropped!r})){convert}"
    if kinds := [name for name, column in columns.items() if _may_be_category(column)]:
        are = "are categories" if kinds[1:] else "is a category"
        how += f"; if {join_names(list(map(repr, kinds)), LISTED)} {are}: TreeRanker(categorical={kinds!r})"
    return InputError(f"{what} {listed} of X {hold} something other than numbers; {how}")


def _may_be_category(column: Any) -> bool:
    """Does a column hold words that repeat, as categories do and ids do not?"""
    read = _read_words(column)
    return read is not None and may_be_category([read[0][code] for code in read[1].astype(int).tolist() if code >= 0])


def _describe_first(column: Any) -> str:
    """The first value of a column that is no number, and its row."""
    for row, value in enumerate(column):
        if is_list(value) or _find_numbers(np.array([value], object)) is None:
            return f"row {row}: {describe_value(value)}"
    return str(getattr(column, "dtype", "objects"))


OF_CATEGORIES = "(dtype 'category'), which TreeRanker takes"


def _to_numbers(values: Any, what: str) -> Array:
    """float64[...]: the numbers of an array, NaN where one is missing."""
    numbers = _find_numbers(values)
    if numbers is None:
        raise InputError(
            f"{what} holds something other than numbers; leave columns of ids out; else convert it, or make it a "
            f"category {OF_CATEGORIES}"
        )
    return numbers


def _find_numbers(column: Any) -> Array | None:
    """float64[...]: the numbers of a column, NaN where one is missing; None where it holds something else."""
    try:
        _require_no_dates(column)
        if hasattr(column, "isna"):  # pandas, whose missing values have several forms
            return np.asarray(column.to_numpy(dtype=float, na_value=np.nan))
        if hasattr(column, "fill_null"):  # Polars
            return np.asarray(column.cast(float).to_numpy(), float)
        return np.asarray(column, float)
    except (TypeError, ValueError, ArithmeticError):
        pass
    except Exception as error:  # Polars has errors of its own
        if "polars" not in type(error).__module__:
            raise
    return None


def _require_no_dates(column: Any) -> None:
    """A TypeError for dates, times and complex numbers, which would be cast without a word."""
    dtype: Any = getattr(column, "dtype", None)
    if getattr(dtype, "kind", "") in ("M", "m", "c") or (hasattr(dtype, "is_temporal") and dtype.is_temporal()):
        raise TypeError


def _to_ids(given: Any, name: str) -> Array:
    """The queries of rows as text or whole numbers."""
    queries = read_queries(f"{name}: qid", given)
    if (
        queries.dtype.kind == "f"
        and (np.abs(queries, dtype=float) <= EXACT).all()
        and (queries == np.floor(queries)).all()
    ):
        return queries.astype(np.int64)
    return queries
