"""JSON in which records stand deeper, and tables by rows or columns, as pandas writes: what makes records of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import DOCUMENTS, QUERIES, is_name_of_column, normal_name
from gradeval.files.listings import is_of_listings
from gradeval.files.plain_text import quote
from gradeval.files.record_names import LISTS, OBJECTS, find_likely_query

DEEPEST = 3
"""Keys that lead to a list of records."""


def refuse_tables(whole: Mapping[str, Any], place: str) -> None:
    """Refuse an object that is a table with its rows as lists, as MLflow writes, or with its columns by their names, as
    pandas and data sets of Hugging Face do."""
    split = _is_split(whole)
    if split or _has_columns(whole):
        what, how = ("rows as lists", ", orient='split'") if split else ("columns by their names", "")
        raise InputError(
            f"{place}: is a table with its {what}; write records, in pandas: pd.read_json({place!r}{how}, dtype=False)"
            ".to_json('records.jsonl', orient='records', lines=True)"
        )


def refuse_other_json(whole: Mapping[str, Any], place: str) -> None:
    """Refuse an object that holds records beside plain values, as promptfoo writes."""
    if all(isinstance(value, dict | list) for value in whole.values()):
        return
    found = [*_find_records(whole)]
    if not found:
        return
    steps, number = max(found, key=lambda one: one[1])
    keys = "".join(f"[{step!r}]" for step in steps)
    raise InputError(
        f"{place}: its {number} records stand in {quote('.'.join(steps))}; write one a line, in Python: "
        "import json; from pathlib import Path; Path('records.jsonl').write_text('\\n'.join(map(json.dumps, "
        f"json.loads(Path({place!r}).read_text()){keys})))"
    )


def find_inner_table(whole: Mapping[str, Any]) -> str | None:
    """The key of the only object, which is a table of runs, or of topics where texts and numbers that describe it stand
    beside."""
    inner = [name for name, value in whole.items() if isinstance(value, dict)]
    others = [value for value in whole.values() if not isinstance(value, dict)]
    if len(inner) != 1 or not all(isinstance(value, str | int | float) for value in others):
        return None
    table = whole[inner[0]]
    if not table or is_of_listings(table):
        return None
    found = all(map(_is_of_topics, table.values())) or (bool(others) and _is_of_topics(table))
    return inner[0] if found else None


def _is_of_topics(table: Any) -> bool:
    """Has each topic a list of documents, or a number for each; and is none of the names usual for such a list?"""
    if not isinstance(table, dict) or not table:
        return False
    if all(isinstance(one, list) and all(map(_is_document, one)) for one in table.values()):
        names = {normal_name(str(name)) for name in table}
        return not names & {*LISTS["run"], *OBJECTS["run"]}
    return all(
        isinstance(one, dict)
        and all(isinstance(number, int | float) and not is_name_of_column(str(name)) for name, number in one.items())
        for one in table.values()
    )


def _is_document(item: Any) -> bool:
    """Is it an id, or an object that has the id of a document by its usual name?"""
    if isinstance(item, dict):
        return any(normal_name(name) in DOCUMENTS for name in item)
    return isinstance(item, str | int)


def is_other_json(value: Mapping[str, Any]) -> bool:
    """Is it a table of such a kind, or has it no query, and a list of records that have one, and lists?"""
    table = _is_split(value) or _has_columns(value)
    return table or (not find_likely_query(value) and any(map(_are_records, value.values())))


def _are_records(value: Any) -> bool:
    """Is it a list of records that each have a query and a list?"""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(one, dict) and find_likely_query(one) and any(isinstance(inner, list) for inner in one.values())
            for one in value
        )
    )


def _is_split(whole: Mapping[str, Any]) -> bool:
    """Has it the names of columns, and rows that are as long?"""
    names, rows = whole.get("columns"), whole.get("data")
    if not isinstance(names, list) or not isinstance(rows, list) or not rows:
        return False
    return all(isinstance(row, list) and len(row) == len(names) for row in rows)


def _has_columns(whole: Mapping[str, Any]) -> bool:
    """Has it queries, and what else records name, in columns as long, as lists or by the numbers of rows?"""
    lists = all(isinstance(column, list) for column in whole.values())
    if not lists and not all(isinstance(column, dict) and all(map(str.isdecimal, column)) for column in whole.values()):
        return False
    names = [normal_name(name) for name in whole]
    known = [name for name in names if is_name_of_column(name) or any(name in of_kind for of_kind in LISTS.values())]
    alike = len({len(column) if lists else tuple(column) for column in whole.values()}) == 1
    return alike and bool(known[1:]) and any(name in QUERIES for name in names)


def _find_records(whole: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The keys that lead to lists of objects, and how many these are."""
    for name, value in whole.items():
        steps = (*before, name)
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            yield steps, len(value)
        elif isinstance(value, dict) and len(steps) < DEEPEST:
            yield from _find_records(value, steps)
