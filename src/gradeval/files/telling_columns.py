"""What to do where a column tells apart the documents that a topic has several times: it names runs, raters or queries
in segments; and a warning where queries of several segments are read as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradeval.files.column_names import TIMES, InputKind, RowsOfTable, find_segments, is_segment, normal_name
from gradeval.files.named_columns import GUESSED, JOIN, Columns
from gradeval.files.parts_of_files import describe_parts, is_of_whole, join_in_pandas
from gradeval.files.plain_text import ONCE, split_by_raters
from gradeval.files.unknown_columns import describe_naming, how_to_name
from gradeval.messages import plural
from gradeval.warning_categories import FilesWarning, warn

RATERS = frozenset("rater annotator assessor judge worker labeler labeller reviewer expert user by".split())
"""Words in the usual names of columns of raters, as in rated_by."""


def describe_telling(name: str, kind: InputKind, query: str, doc: str, columns: Columns = GUESSED) -> str:
    """What to type. ``query``, ``doc``: columns of topics and documents; ``columns``: the columns that are named."""
    if is_segment(name):
        return describe_join(name, query, columns)
    if is_of_whole(name):
        return f"{describe_parts(name, doc, kind)}: {join_in_pandas(name, doc)}; else {ONCE[kind]}"
    if kind == "qrels":
        return f"{ONCE['qrels']}{tell_raters_or_queries(name, query, columns)}"
    naming = describe_naming(name, columns)
    return f"{naming}; {describe_join(name, query, columns)}"


def tell_raters_or_queries(name: str, query: str, columns: Columns) -> str:
    """What stands behind an error on judgments that a column tells apart; nothing where it holds times."""
    words = frozenset(normal_name(name).split("_"))
    raters = "" if is_segment(name) else split_by_raters(name)
    queries = "" if words & RATERS or normal_name(name) in TIMES else describe_join(name, query, columns)
    return raters + (f"; {queries}" if queries else "")


def keep_last(names: Sequence[str], query: str, doc: str) -> str:
    """How to keep the last grade of a user who rated again, where a column holds times; else nothing."""
    times = next((name for name in names if normal_name(name) in TIMES), None)
    if times is None:
        return ""
    keys = f"[{query!r}, {doc!r}]"
    return f"; of users who rated again keep the last: df.sort_values({times!r}).drop_duplicates({keys}, keep='last')"


def describe_join(name: str, query: str, columns: Columns = GUESSED) -> str:
    """How to join the column of the topics with one that tells queries apart."""
    joined = f"{query}{JOIN}{name}"
    how = f"query_id={joined!r}" if columns.in_python else how_to_name({"query": joined}, columns=columns)
    return f"if {name!r} tells queries apart, join both columns: {how}"


def warn_of_segments(names: Sequence[str], query: int, columns: Columns, rows: RowsOfTable, place: str) -> None:
    """Say that rows of a topic differ in a column that may tell queries apart, as product_locale does, unless the user
    names the column of the topics."""
    for at in find_segments(names, query) if columns.query is None else ():
        first: dict[Any, Any] = {}
        mixed = {row[query] for row in rows() if len(row) > at and first.setdefault(row[query], row[at]) != row[at]}
        if mixed:
            differ = "differs" if len(mixed) == 1 else "differ"
            own = f"query_id={names[query]!r}" if columns.in_python else f"query={names[query]}"
            warn(
                f"{place}: {plural(len(mixed), 'topic')} {differ} in {names[at]!r} from row to row; "
                f"{describe_join(names[at], names[query], columns)}; if not, {own} says so",
                FilesWarning,
            )
