"""Labels of topics, by which these are sliced: csv, tsv, Parquet and frames; a column of topics, then labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import isnan
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.files.column_choice import TOPICS_OR_IDS
from gradeval.files.column_names import first_usual, places_by_name
from gradeval.files.header_rows import Head, read_head, read_text_rows
from gradeval.files.joined_columns import join_rows
from gradeval.files.json_values import is_json
from gradeval.files.named_columns import JOIN
from gradeval.files.plain_text import EDGES, quote
from gradeval.files.separated_rows import TextRows
from gradeval.files.source import Source
from gradeval.messages import kind_of

if TYPE_CHECKING:
    import pyarrow

LabelsByColumn: TypeAlias = dict[str, dict[str, str]]
"""By the name of each column of labels, the label of each topic; topics stand as they come, without a label not at
all."""

UNNAMED = "slice"
"""What a column of labels is called that has no name."""
ACCEPTED = "a column of topics and one or more of labels, as in topic,segment"


def read_topic_labels(path: str | PathLike[str], topics: Collection[str], wanted: str = "") -> LabelsByColumn:
    """The labels in a file; ``topics``: the collection's, which tell the first line from a header; ``wanted``: the
    columns that are read, COLUMN,COLUMN, where all of them are there; else all are.

    Raises
    ------
    InputError : a file of another kind, lines of unlike width, a topic with two labels of one column.
    """
    source = Source(path)
    beginning, place = source.beginning, source.place
    if beginning.startswith(b"PAR1"):
        from gradeval.files.columnar import read_parquet  # here, as text needs none

        return _read_table(read_parquet(source), place, wanted)
    if is_json(beginning):
        raise InputError(f"{place}: is JSON; accepted are csv, tsv and Parquet with {ACCEPTED}")
    return read_text_rows(source, f"accepted is {ACCEPTED}", lambda rows: _take_labels(rows, frozenset(topics), wanted))


def labels_of_frame(frame: Any, place: str) -> LabelsByColumn:
    """The labels in a frame; ``place`` names it in messages."""
    from gradeval.files.frame_tables import arrow_table  # here, as files need none

    return _read_table(arrow_table(frame, place), place)


def read_label(value: Any, where: str) -> str:
    """The label that a value of a mapping or a frame stands for; empty: there is none (None, NaN, no text).

    Whole numbers, numbers and truth values are labels, too, as Python writes them; 2.0 is 2.
    """
    if value is None or (isinstance(value, Real) and isnan(float(value))):
        return ""
    if isinstance(value, str):
        return value.strip(EDGES)
    if isinstance(value, bool | Integral):
        return str(value)
    if isinstance(value, Real):
        return repr(float(value)).removesuffix(".0")
    if type(value).__name__ in ("bool_", "bool"):  # of NumPy
        return str(bool(value))
    if str(value) in ("NaT", "<NA>"):  # what pandas calls missing
        return ""
    raise InputError(f"{where}: the label is {kind_of(value)}; accepted are text and numbers, one a topic")


def _take_labels(rows: TextRows, topics: frozenset[str], wanted: str, joined: str = "") -> LabelsByColumn:
    """The labels in rows; ``joined``: the column of topics, which joins others."""
    place = rows.place

    def is_header(cells: Sequence[str]) -> bool:
        return _find_topics(cells) is not None and cells[0] not in topics

    found = read_head(rows, is_header, is_header)
    if found is None:
        raise InputError(f"{place}: holds comments and no lines; accepted is {ACCEPTED}")
    head, data = found
    width, where = len(head.cells), f"{place}:{head.line}"
    if width < 2:
        raise InputError(f"{where}: found 1 column ({quote(head.cells[0])}); accepted is {ACCEPTED}")
    if head.is_header:
        at = head.cells.index(joined) if joined else _find_topics(head.cells)
        assert at is not None  # so it was found to be a header
        if not joined and (joined := _find_join(rows, head, at, topics)):
            return _take_labels(join_rows(rows, head.line, head.cells, joined), topics, wanted, joined)
        # an index that pandas wrote has no name
        taken = (at, _find_topics(head.cells))
        names = {column: name for column, name in enumerate(head.cells) if column not in taken and (name or column)}
        _require_names(names.values(), where)
    elif head.cells[0] in topics:
        at, names = 0, _name_columns(width)
    else:
        raise InputError(
            f"{where}: {quote(head.cells[0])} is no topic of the collection, and no name of a column of topics; name "
            "the columns in the first line, as in topic,segment"
        )
    kept = _find_wanted([*names.values()], wanted)
    names = {column: name for column, name in names.items() if name in kept}
    labels: LabelsByColumn = {name: {} for name in names.values()}
    first: dict[tuple[str, str], int] = {}
    for line, row in data:
        if len(row) != width:
            found_here = "1 column" if len(row) == 1 else f"{len(row)} columns"
            raise InputError(f"{place}:{line}: found {found_here}, where the first line has {width}")
        if not (topic := row[at].strip(EDGES)):
            raise InputError(f"{place}:{line}: the topic is empty; each line names one")
        for column, name in names.items():
            _add_label(labels, first, name, topic, row[column].strip(EDGES), line, f"{place}:{line}", "line")
    return labels


def _find_join(rows: TextRows, head: Head, at: int, topics: frozenset[str]) -> str:
    """The columns of which a join has topics of the collection, where the usual column, ``at``, has none; else an empty
    text."""
    below = [
        [cell.strip(EDGES) for cell in row] for line, row in rows if line > head.line and len(row) == len(head.cells)
    ]
    if not topics.isdisjoint(row[at] for row in below):
        return ""
    pairs = [pair for other in range(len(head.cells)) if other != at for pair in ((at, other), (other, at))]
    joins = {JOIN.join(head.cells[one] for one in pair): pair for pair in pairs}
    return next(
        (name for name, pair in joins.items() if any(JOIN.join(row[one] for one in pair) in topics for row in below)),
        "",
    )


def _read_table(table: pyarrow.Table, place: str, wanted: str = "") -> LabelsByColumn:
    from gradeval.files.arrow_columns import read_ids, require_frame_columns
    from gradeval.files.frame_columns import columns_beside_index, index_of_ids, nameless

    known = [*columns_beside_index(table.schema), *index_of_ids(table.schema)]
    at = _find_topics(known)
    if at is None:
        listed = ", ".join(known) or "none"
        raise InputError(f"{place}: no column is known to hold the topics (columns: {listed}); call it topic")
    names = [name for number, name in enumerate(known) if number != at and name not in nameless(known)]
    if not names:
        raise InputError(f"{place}: has no column of labels besides {known[at]}; accepted is {ACCEPTED}")
    _require_names(names, place)
    names = _find_wanted(names, wanted)
    ids = require_frame_columns(table, [known[at]], place, "rename one of them")[known[at]]
    topics = read_ids(ids, known[at], place)
    columns = require_frame_columns(table, names, place, "rename one of them", missing=True)
    labels: LabelsByColumn = {name: {} for name in names}
    first: dict[tuple[str, str], int] = {}
    for name in names:
        for row, (topic, value) in enumerate(zip(topics, columns[name].to_pylist(), strict=True)):
            where = f"{place}: row {row}"
            label = read_label(value, f"{where}: column {name!r}")
            _add_label(labels, first, name, topic, label, row, where, "row")
    return labels


def _find_wanted(names: list[str], wanted: str) -> list[str]:
    """The columns that are asked for by COLUMN,COLUMN; all of them where one is not there, or nothing is asked for."""
    asked = [wanted] if wanted in names else [name.strip(EDGES) for name in wanted.split(",")]
    return [name for name in names if name in asked] if {*names}.issuperset(asked) else names


def _add_label(
    labels: LabelsByColumn,
    first: dict[tuple[str, str], int],
    name: str,
    topic: str,
    label: str,
    line: int,
    where: str,
    what: str,
) -> None:
    """Add a label of a topic, unless it is empty; ``first``: where each label of a topic stands."""
    if not label:
        return
    before = labels[name].setdefault(topic, label)
    begin = first.setdefault((name, topic), line)
    if before != label:
        raise InputError(
            f"{where}: topic {topic} is {quote(label)} by {name}, and {quote(before)} in {what} {begin}; give each "
            "topic one label of a column"
        )


def _find_topics(names: Sequence[str]) -> int | None:
    """Where the column of topics stands, by its usual names; None where there is none."""
    return first_usual(places_by_name(names), TOPICS_OR_IDS)


def _name_columns(width: int) -> dict[int, str]:
    """What the columns of labels are called in lines without a header, by their places."""
    return {1: UNNAMED} if width == 2 else {place: f"{UNNAMED} {place}" for place in range(1, width)}


def _require_names(names: Iterable[str], where: str) -> None:
    """Refuse columns without a name, and two of one name."""
    listed = list(names)
    if "" in listed:
        raise InputError(f"{where}: a column of labels has no name; name it")
    if (twice := find_twice(listed)) is not None:
        raise InputError(f"{where}: two columns are called {quote(twice)}; rename one of them")
