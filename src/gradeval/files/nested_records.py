"""Records that hold deeper what counts: fields by dotted names, and a list for each retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import RUNS, InputKind, normal_name
from gradeval.files.json_in_text import read_json_text
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import quote
from gradeval.files.record_names import LISTS, OBJECTS, are_hits, has_document, is_of_judgments, is_of_lists
from gradeval.messages import list_some

Located = tuple[str, Any]
"""A record, and where it stands: file and line, or file and number in the list."""
LocatedRecords = Callable[[], Iterator[Located]]
"""What gives all records, from the first one on, each time that it is called."""
LOOKED_AT = 100
"""Records in which lists of several retrievers are looked for."""
RETRIEVED = "retrieved"
"""The field of the new record that holds such a list."""


def unfold(records: LocatedRecords, kind: InputKind, columns: Columns) -> tuple[LocatedRecords, str]:
    """The records with what counts at their top, and what is then said of them."""
    dotted = [name for name in (columns.query, columns.doc, columns.grade, columns.score, columns.rank) if name]
    dotted = [name for name in (*dotted, *filter(None, [columns.run])) if "." in name.strip(".")]
    if dotted:
        records = partial(_map, records, partial(_name_parts, dotted=dotted, columns=columns))
    if kind == "qrels":
        return records, ""
    retrievers = _find_retrievers(records, columns)
    if not retrievers:
        return records, ""
    return partial(_split_retrievers, records, retrievers), f"; a run by list ({list_some([*retrievers])})"


def _map(records: LocatedRecords, change: Callable[[Any, str], Any]) -> Iterator[Located]:
    return ((where, change(record, where)) for where, record in records())


def _name_parts(record: Any, _: str, dotted: Sequence[str], columns: Columns) -> Any:
    """A record and its hits, with these parts under their dotted names; text that holds JSON is read."""
    if not isinstance(record, dict):
        return record
    whole = {
        name: read_json_text(value) if any(one.startswith(f"{name}.") for one in dotted) else value
        for name, value in record.items()
    }
    columns.met.update(dict.fromkeys(names_within(whole)))
    named: dict[str, Any] = _with_names(whole, dotted)
    for name in (name for name in dotted if name not in named):
        listed = _name_in_list(named, name, name)
        if listed is not None and name == columns.doc:
            named[name] = listed
        elif listed is not None and len(listed) == 1 and isinstance(listed[0], dict) and name in listed[0]:
            named[name] = listed[0][name]  # as the only one of the choices of a model
        elif listed is None and name == columns.grade and (answer := find_answer(whole, name)) is not None:
            named[name] = answer
    return named


def find_answer(value: Any, name: str) -> str | None:
    """The text where a dotted name leads into JSON in other records: a model's answer in words;
    None: no text does."""
    if isinstance(value, str):
        return value if value.strip() and not isinstance(read_json_text(value), dict | list) else None
    inner = read_json_text(value)
    if not isinstance(inner, dict):
        return None
    below = (find_answer(inner[key], name[len(key) + 1 :]) for key in inner if name.startswith(f"{key}."))
    return next((found for found in below if found is not None), None)


def _with_names(value: Any, dotted: Sequence[str]) -> Any:
    """A value in which all objects have these parts under their names, too."""
    if isinstance(value, list):
        return [_with_names(one, dotted) for one in value]
    if not isinstance(value, dict):
        return value
    named = {name: _with_names(inner, dotted) for name, inner in value.items()}
    for name in dotted:
        part = follow(value, name)
        if part is not None:
            named.setdefault(name, part)
    return named


def follow(value: Any, name: str) -> Any:
    """The part of an object to which a dotted name leads, also within text that is JSON; None: it leads to none. Keys
    may hold dots themselves."""
    if not name:
        return value
    value = read_json_text(value)
    if not isinstance(value, dict):
        return None
    if name in value:
        return value[name]
    inner = (follow(value[key], name[len(key) + 1 :]) for key in value if name.startswith(f"{key}."))
    return next((found for found in inner if found is not None), None)


def _name_in_list(value: dict[str, Any], steps: str, name: str) -> list[Any] | None:
    """Give the objects of the list, to which the first ``steps`` lead, the part to which the others lead, under a name;
    and that list. None: they lead to no list."""
    for key in value:
        if not steps.startswith(f"{key}."):
            continue
        value[key] = inner = read_json_text(value[key])
        rest = steps[len(key) + 1 :]
        if isinstance(inner, dict) and (listed := _name_in_list(inner, rest, name)) is not None:
            return listed
        if isinstance(inner, list) and all(isinstance(hit, dict) for hit in inner):
            for hit in inner:
                if (part := follow(hit, rest)) is not None:
                    hit.setdefault(name, part)
            return inner
    return None


def names_within(value: Any, before: str = "") -> Iterator[str]:
    """The dotted names of the parts of an object, and of the first object in its lists."""
    value = read_json_text(value)
    if isinstance(value, list):
        yield from names_within(value[0], before) if value else ()
    elif isinstance(value, dict):
        for name, inner in value.items():
            inner = read_json_text(inner)
            if not isinstance(inner, dict | list) or (isinstance(inner, list) and not _holds_objects(inner)):
                yield f"{before}{name}"
            yield from names_within(inner, f"{before}{name}.")


def _holds_objects(listed: list[Any]) -> bool:
    return any(isinstance(one, dict) for one in listed[:1])


def texts_within(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """All texts in a value, each with the dotted name of its field."""
    value = read_json_text(value)
    if isinstance(value, str) and name:
        yield name, value
    elif isinstance(value, list):
        for one in value:
            yield from texts_within(one, name)
    elif isinstance(value, dict):
        for field, inner in value.items():
            yield from texts_within(inner, f"{name}.{field}" if name else field)


def _find_retrievers(records: LocatedRecords, columns: Columns) -> dict[str, str]:
    """The lists of several retrievers by their names, each with the object that holds it, empty for the record; none
    where the lists are not plainly alike."""
    try:
        first = [record for _, record in islice(records(), LOOKED_AT)]
    except InputError:
        return {}  # who reads the records says so
    dicts = [record for record in first if isinstance(record, dict)]
    holders: dict[str, str] = {}
    for record in dicts:
        by_topic = is_of_lists(record)  # as no query is in the record
        if by_topic or has_document(record) or (columns.doc or "") in record or _has_usual_list(record):
            return {}
        for holder in ("", *(name for name, value in record.items() if _holds_lists(value))):
            of_holder = record[holder] if holder else record
            holders.update((name, holder) for name, value in of_holder.items() if _may_be_ranking(name, value))
    if hits := {name: holder for name, holder in holders.items() if _holds_hits(name, holder, dicts)}:
        holders = hits
    lists = [
        [(record.get(holder) or {} if holder else record).get(name) or [] for record in dicts]
        for name, holder in holders.items()
    ]
    if len({*holders.values()}) != 1 or len(lists) < 2 or not (hits or _share_ids(lists)):
        return {}
    return holders


def _holds_hits(name: str, holder: str, records: Iterable[Mapping[str, Any]]) -> bool:
    """Are these lists in all records lists of hits?"""
    layers = ((record.get(holder) or {}) if holder else record for record in records)
    return all(are_hits(layer.get(name) or []) for layer in layers)


def _has_usual_list(record: Mapping[str, Any]) -> bool:
    """Has it a list that is read as the run?"""
    usual = {*LISTS["run"], *OBJECTS["run"]}
    return any(isinstance(value, list) and normal_name(name) in usual for name, value in record.items())


def _holds_lists(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(one, list) for one in value.values())


def _may_be_ranking(name: str, value: Any) -> bool:
    """Is it a list of hits, or of texts that may be ids, which is not called as judgments are?"""
    if not isinstance(value, list) or not value or is_of_judgments(name):
        return False
    return are_hits(value) or all(isinstance(one, str) and len(one.split()) == 1 for one in value)


def _share_ids(lists: Sequence[Sequence[list[Any]]]) -> bool:
    """Has each list an id that another one has for the same query?"""
    ids = [{(at, str(one)) for at, listed in enumerate(column) for one in listed} for column in lists]
    shared = {at for pair in combinations(range(len(ids)), 2) if ids[pair[0]] & ids[pair[1]] for at in pair}
    return len(shared) == len(ids)


def _split_retrievers(records: LocatedRecords, retrievers: Mapping[str, str]) -> Iterator[Located]:
    """A record for each retriever, which gives its name to the run."""
    holders = {*retrievers.values()} - {""}
    for where, record in records():
        if not isinstance(record, dict):
            yield where, record
            continue
        others = {name: value for name, value in record.items() if name not in retrievers and name not in holders}
        run = next((name for name in RUNS if name not in map(normal_name, others)), "run")
        for name, holder in retrievers.items():
            within = record.get(holder) if holder else record
            listed = within.get(name) if isinstance(within, dict) else None
            if listed is not None:
                if not isinstance(listed, list):
                    raise InputError(f"{where}: {quote(name)} is no list, as in other records; write a list of ids")
                yield where, {**others, run: name, RETRIEVED: listed}
