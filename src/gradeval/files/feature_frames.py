"""Tables as features for learning to rank, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.features.features import Features
from gradeval.files.arrow_columns import (
    code_words,
    decoded,
    is_category,
    is_text,
    read_coded_ids,
    read_ids,
    read_numbers,
    refuse_no_numbers,
    require_frame_columns,
    with_read_texts,
    without_flags,
)
from gradeval.files.column_names import find_documents
from gradeval.files.feature_columns import FeatureRoles
from gradeval.files.frame_columns import WHY_NAMELESS, columns_beside_index, nameless
from gradeval.files.frame_tables import arrow_table
from gradeval.files.grade_words import TRUTH
from gradeval.files.plain_text import read_decimal
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.messages import list_some, nearest
from gradeval.tables.arrow import require_pyarrow
from gradeval.warning_categories import FeaturesWarning, warn

if TYPE_CHECKING:
    import pyarrow


@known_arguments()
def features_from_frame(
    frame: Any,
    *,
    query_id: str = "query_id",
    doc_id: str | None = "doc_id",
    relevance: str | None = "relevance",
    features: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    name: str = "features",
) -> Features:
    """Features from a table with a row for each document of a query.

    Parameters
    ----------
    frame : anything that speaks Arrow (see ``qrels_from_frame``), or a dict of columns. The rows of a query stand
        together.
    query_id, doc_id, relevance : names of the columns with queries, documents (None: there are none; where the
        default is absent, a column docid, docno or alike) and grades (None: there are none, the documents are to be
        ranked).
    features : names of the columns with features, in order. Default: all others; the index of a frame of pandas is
        none of them.
    categorical : names of features whose words are categories. A ranker of trees takes them as they are. Columns of
        words that are of type category need not be named.
    name : what messages call the features.

    A feature that is null or NaN is a missing value, which trees take and other rankers refuse; true is 1, false 0. A
    missing id or grade,
    an infinite number, a negative grade and a query whose rows are scattered are InputErrors
    that name the row, counted from 0. Needs pyarrow, which the extra ``arrow`` brings.
    """
    table = arrow_table(frame, name)
    if doc_id == "doc_id" and doc_id not in table.column_names:
        others = [column for column in table.column_names if column not in (query_id, relevance, *(features or ()))]
        doc_id = find_documents(others)
    keys = [key for key in (query_id, doc_id, relevance) if key is not None]
    if features is None:
        chosen = [column for column in columns_beside_index(table.schema) if column not in keys]
        if found := nameless(chosen):  # mostly an index, whose order can tell which documents are relevant
            raise InputError(f"{name}: {WHY_NAMELESS.format(found[0])}, or name the features with features=")
    else:
        chosen = list(features)
    if isinstance(categorical, str):
        raise InputError(f"{name}: categorical={categorical!r} is no list of names; write [{categorical!r}]")
    named = list(categorical)
    if unknown := [column for column in named if column not in chosen]:
        raise InputError(
            f"{name}: has no feature {unknown[0]!r}{nearest(unknown[0], chosen)} to be a category; it has "
            f"{list_some(chosen)}"
        )
    return read_feature_table(table, FeatureRoles(query_id, doc_id, relevance, chosen, named, named), name)


def read_feature_table(
    table: pyarrow.Table, roles: FeatureRoles, name: str, spell_row: Callable[[int], str] = "row {}".format
) -> Features:
    """Features from some columns of a table; ``spell_row``: how messages call a row by its number from 0."""
    keys = [key for key in roles[:3] if key is not None]
    if not roles.features:
        raise InputError(f"{name}: has no column with a feature besides {', '.join(keys)}")
    remedy = "name the columns with query_id=, doc_id=, relevance= and features="
    columns = require_frame_columns(table, keys, name, remedy)
    of_features = without_flags(require_frame_columns(table, roles.features, name, remedy, missing=True))
    if roles.categorical is not None and not roles.trained:
        typed = {column: of_features[column] for column in roles.features if is_category(table.column(column).type)}
        numbers = with_read_texts(typed)[1]  # any column of text may be kept so
        words = [column for column in typed if column not in (*numbers, *roles.words)]
        roles = roles._replace(words=[*roles.words, *words])
    categories, of_features = _code_categories(of_features, roles)
    of_features, texts = with_read_texts(of_features)
    documents = roles.doc is not None
    refuse_no_numbers(
        of_features, name, spell_row, documents=documents, categorical=roles.categorical, trained=roles.trained
    )
    if texts:
        warn(f"{name}: text of {list_some(texts)} is read as numbers; leave it out if these are codes", FeaturesWarning)
    X = np.empty((len(table), len(of_features)))
    for place, (column, values) in enumerate(of_features.items()):
        X[:, place] = read_numbers(values, column, name)
    if (infinite := np.isinf(X)).any():
        row, at = (int(place) for place in np.argwhere(infinite)[0])
        raise InputError(
            f"{name}: {spell_row(row)}: feature {roles.features[at]} is infinite; mend it, or leave it empty (missing)"
        )
    grades = None if roles.grade is None else _read_grades(columns[roles.grade], roles.grade, name)
    if grades is not None and (grades < 0).any():
        row = int(np.argmax(grades < 0))
        raise InputError(
            f"{name}: {spell_row(row)}: {roles.grade} {grades[row]:g} is negative; grades are 0 or more; drop such "
            "rows to train, leave the column out to rank"
        )
    read = Features.from_arrays(
        X,
        grades,
        topics=read_ids(columns[roles.query], roles.query, name),
        docs=None if roles.doc is None else read_ids(columns[roles.doc], roles.doc, name),
        columns=roles.features,
        name=name,
    )
    return replace(read, categories=categories)


def _code_categories(
    columns: Mapping[str, pyarrow.ChunkedArray], roles: FeatureRoles
) -> tuple[dict[str, list[str]], dict[str, pyarrow.ChunkedArray]]:
    """The words of the categories among some columns, and the columns with codes in their place."""
    import pyarrow

    coded, words = dict(columns), {}
    for name in roles.words:
        column = decoded(columns[name])
        if is_text(column) or (name not in (roles.categorical or ()) and pyarrow.types.is_integer(column.type)):
            words[name], codes = code_words(column)
            coded[name] = pyarrow.chunked_array([pyarrow.array(codes, from_pandas=True)])
    return words, coded


def _read_grades(column: pyarrow.ChunkedArray, name: str, place: str) -> Array:
    """float64[row]: the grades of a column of numbers, of truths, or of yes and no, as judgments have them."""
    if not is_text(column):
        return read_numbers(without_flags({name: decoded(column)})[name], name, place)
    words, rows = read_coded_ids(column, name, place)
    read = [TRUTH.get(word.lower(), read_decimal(word)) for word in words]
    if any(map(math.isnan, read)):
        raise InputError(
            f"{place}: column {name!r} holds words ({list_some(words)}); write a number from 0 for each, the highest "
            "for the most relevant"
        )
    numbers: Array = np.array(read, float)[rows]
    return numbers


@known_arguments()
def features_to_frame(features: Features) -> pyarrow.Table:
    """An Arrow table with the columns query_id, doc_id, relevance and one for each feature, words where it is a
    category of words.

    ``features_to_frame(features).to_pandas()`` and ``polars.from_arrow(features_to_frame(features))`` turn it into
    theirs.
    """
    arrow = require_pyarrow("a table of features needs")
    topic = part_of_row(features.offsets).astype(np.int32)
    return arrow.table(
        {
            "query_id": arrow.array(features.topics, arrow.string()).take(arrow.array(topic)),
            "doc_id": arrow.array(features.docs, arrow.string()),
            "relevance": arrow.array(features.grades, mask=np.isnan(features.grades)),
            **{column: _to_column(features, place) for place, column in enumerate(features.columns)},
        }
    )


def _to_column(features: Features, place: int) -> Any:
    """A feature as a column: its numbers, or its words where it is a category of words."""
    import pyarrow

    values = features.X[:, place]
    words = features.categories.get(features.columns[place])
    if words is None:
        return values
    codes = pyarrow.array(values, from_pandas=True).cast(pyarrow.int32())  # null for NaN
    return pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(words, pyarrow.string()))
