"""Features for learning to rank from Parquet, csv and tsv files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.features.feature_arrays import SplitQueriesError, order_by_query, warn_of_split_queries
from gradeval.features.features import Features
from gradeval.files import letor
from gradeval.files.arrow_columns import first_line, is_text
from gradeval.files.columnar import arrow_file, read_parquet
from gradeval.files.feature_columns import FeatureColumns, FeatureRoles
from gradeval.files.feature_frames import read_feature_table
from gradeval.files.plain_text import tell_shortened
from gradeval.files.sized_queries import SizedQueries, holds_numbers
from gradeval.files.source import Source, as_source, name_place
from gradeval.messages import list_some
from gradeval.tables.arrow import require_pyarrow
from gradeval.warning_categories import FeaturesWarning, warn

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import csv

LETOR = re.compile(rb"\s*\S+\s+qid:\S")
"""How a line of LETOR text begins, which no line of names does."""

HEADER = 1 << 20  # bytes in which the line of names is looked for

COMMA = r"^[-+]?\d*,\d+([eE][-+]?\d+)?$"
"""A number with a comma, as Arrow's expressions write it,"""
NUMBER = r"^([-+]?\d*(,\d+)?([eE][-+]?\d+)?)$"
"""a number without a point, or nothing,"""
THOUSANDS = r"^[-+]?[1-9]\d{0,2},\d{3}$"
"""and one whose comma may stand between thousands and hundreds."""


def read_parquet_features(path: Path, name: str | None, given: FeatureColumns) -> Features:
    """Features from a Parquet file."""
    place = name or name_place(path)
    table = read_parquet(path)
    return _read_table(table, given.choose(table.schema, place), place, "row {}".format)


def read_csv_features(path: Path, name: str | None, given: FeatureColumns) -> Features:
    """Features from a csv or tsv file whose first line names the columns; an empty cell is a missing value.

    Next to FILE.query or FILE.group, which have the sizes of the queries, the line of names may lack: the first column
    is then the grade, as LightGBM has it.

    Columns are separated by what is most frequent in that line: commas, semicolons or tabs. Numbers may have decimal
    commas.
    """
    text = _TableText.of(path, given)
    import pyarrow
    from pyarrow import csv

    source, sizes, table = text.source, text.sizes, text.table
    place = name or source.place
    if sizes is not None and text.headless:
        return given.leave_out_of(sizes.read_headless(table, place))
    made = False
    if sizes is not None:
        table, made = sizes.name_queries(table, given.columns.query)
    roles = given.choose(table.schema, place)
    for key in (roles.query, roles.doc):
        if key is not None and pyarrow.types.is_floating(table.schema.field(key).type):
            how = csv.ConvertOptions(include_columns=[key], column_types={key: pyarrow.string()})
            again = csv.read_csv(arrow_file(source), parse_options=text.separated, convert_options=how)
            _refuse_shortened(again.column(0).to_pylist(), key, place, partial(_line_of_row, source))
    numbers = [name for name in (*roles.features, roles.grade) if name is not None and name not in roles.words]
    table = with_decimal_points(table, numbers, place)
    for key in (roles.query, roles.doc, roles.grade):
        if key is not None and table.column(key).null_count:
            row = int(np.argmax(table.column(key).is_null().to_numpy()))
            raise InputError(f"{place}:{_line_of_row(source, row)}: {key} is missing; fill it, or drop the line")
    features = _read_table(table, roles, place, lambda row: f"line {_line_of_row(source, row)}")
    return replace(features, numbered=made)


@dataclass(frozen=True, eq=False)
class _TableText:
    """A csv or tsv file as an Arrow table: whether it lacks names, how it is separated, and the sizes of its queries
    where FILE.query or FILE.group has them."""

    source: Source
    sizes: SizedQueries | None
    separated: csv.ParseOptions
    headless: bool
    table: pyarrow.Table

    @classmethod
    def of(cls, path: Path, given: FeatureColumns) -> Self:
        source = as_source(path)
        arrow = require_pyarrow(f"{source.place}: reading features from it needs")
        from pyarrow import csv

        header = bytes(source.data[:HEADER]).partition(b"\n")[0]
        sizes = SizedQueries.beside(path, source)
        if LETOR.match(header):
            raise InputError(f"{source.place}: is LETOR text by its first line; write letor:{source.place}")
        try:
            separated = csv.ParseOptions(delimiter=max(",;\t", key=lambda mark: header.count(mark.encode())))
            # A category that a ranker knows by words may here have such words alone as 1 and 2.
            words = csv.ConvertOptions(
                column_types=dict.fromkeys(given.find_words([*given.categories]), arrow.string())
            )
            headless = sizes is not None and holds_numbers(header.decode("utf-8", "replace").split(separated.delimiter))
            table = csv.read_csv(
                arrow_file(source),
                read_options=csv.ReadOptions(autogenerate_column_names=headless),
                parse_options=separated,
                convert_options=words,
            )
        except arrow.ArrowException as error:
            fault = first_line(error)
            raise InputError(f"{source.place}: is no csv table with a header ({fault}); mend it first") from error
        return cls(source, sizes, separated, headless, table)


def qrels_of_place(path: Path, name: str | None = None) -> Qrels:
    """The judgments of ``letor:FILE``: the grades of LETOR text, or of a table next to FILE.query or FILE.group."""
    file = os.fspath(path).removeprefix(letor.PREFIX)
    if (table := _sized_table(file)) is None:
        return letor.qrels_of_place(path, name)
    return _one_column(table, None, name or os.fspath(path)).qrels


def run_of_place(path: Path, name: str | None = None) -> Run:
    """The run of ``letor:FILE#9``: the documents by feature 9 of LETOR text, or of such a table by a feature's name."""
    file, _, feature = os.fspath(path).removeprefix(letor.PREFIX).rpartition("#")
    if (table := _sized_table(file)) is None:
        return letor.run_of_place(path, name)
    return _one_column(table, feature, file).run(feature, name=name)


def _sized_table(file: str) -> _TableText | None:
    """A table whose queries have their sizes in a file next to it; None for other files."""
    if not (file.lower().endswith(letor.TABLES) and os.path.isfile(file) and letor.find_sizes_file(file)):
        return None
    with open(file, "rb") as opened:
        is_letor = LETOR.match(opened.readline(HEADER))
    return None if is_letor else _TableText.of(file, FeatureColumns())


def _one_column(text: _TableText, feature: str | None, place: str) -> Features:
    """A feature of a table, or its grades alone, as others may hold words."""
    assert text.sizes is not None
    if text.headless:
        return text.sizes.read_headless(text.table, place)
    table, _ = text.sizes.name_queries(text.table, None)
    roles = FeatureColumns().choose(table.schema, place)
    column = roles.grade if feature is None else feature
    if column is None or column not in table.column_names:
        lacking = "no column of grades (called label, relevance ...)" if feature is None else f"no column {feature!r}"
        raise InputError(f"{place}: has {lacking}; name one of {list_some(roles.features)}")
    table = with_decimal_points(table, [column], place)
    return _read_table(
        table, roles._replace(features=[column]), place, lambda row: f"line {_line_of_row(text.source, row)}"
    )


def _refuse_shortened(ids: Sequence[str], name: str, place: str, line: Callable[[int], int]) -> None:
    """Refuse ids that a spreadsheet wrote as 8.84E+08: they lost their last digits."""
    for row, one in enumerate(ids):
        if shortened := tell_shortened(one):
            raise InputError(f"{place}:{line(row)}: {name} {one.strip()} {shortened}")


def _read_table(table: pyarrow.Table, roles: FeatureRoles, place: str, spell_row: Callable[[int], str]) -> Features:
    """Features from some columns of a table. Without a column of grades the documents can only be ranked; without a
    column of documents they have no names. Where the rows of a query stand apart, rows are sorted by query, with a
    SplitQueriesWarning."""
    try:
        return read_feature_table(table, roles, place, spell_row)
    except SplitQueriesError:
        warn_of_split_queries(place)
        table = table.take(order_by_query(np.asarray(table.column(roles.query))))
        return read_feature_table(table, roles, place)


def _line_of_row(source: Source, row: int) -> int:
    """The line of a csv file in which a row stands; lines without text are none of the rows."""
    lines = (number for number, line in enumerate(bytes(source.data).split(b"\n"), 1) if line.strip(b"\r"))
    return next(number for at, number in enumerate(lines) if at == row + 1)


def with_decimal_points(table: pyarrow.Table, names: Sequence[str], place: str) -> pyarrow.Table:
    """The table with numbers in place of text with decimal commas, with a FeaturesWarning; an InputError where the
    comma may as well separate thousands."""
    import pyarrow
    from pyarrow import compute

    def match(column: pyarrow.ChunkedArray, pattern: str) -> pyarrow.ChunkedArray:
        return compute.match_substring_regex(compute.utf8_trim_whitespace(column), pattern)

    kinds = dict(zip(table.column_names, table.schema.types, strict=True))
    texts = {name: table.column(name) for name in names if is_text(table.column(name))}
    commas = {
        name: column
        for name, column in texts.items()
        if compute.any(match(column, COMMA)).as_py() and compute.all(match(column, NUMBER)).as_py()
    }
    if not commas:
        return table
    first = next(iter(commas))
    if pointed := [name for name in names if pyarrow.types.is_floating(kinds[name])]:
        raise InputError(
            f"{place}: column {first!r} has decimal commas, and {pointed[0]!r} decimal points; write all in one way"
        )
    with_comma = [column.filter(match(column, COMMA)) for column in commas.values()]
    if all(compute.all(match(column, THOUSANDS)).as_py() for column in with_comma):
        cell = with_comma[0][0].as_py().strip()
        raise InputError(
            f"{place}: column {first!r} holds {cell!r}, whose comma may be a decimal comma or separate thousands; "
            f"write {cell.replace(',', '.')} or {cell.replace(',', '')}"
        )
    for name, column in commas.items():
        points = compute.replace_substring(compute.utf8_trim_whitespace(column), ",", ".")
        points = compute.if_else(compute.equal(points, ""), None, points)
        table = table.set_column(table.column_names.index(name), name, points.cast(pyarrow.float64()))
    text = f"decimal commas are read in {list_some(list(commas))}"
    warn(f"{place}: {text}", FeaturesWarning)
    return table
