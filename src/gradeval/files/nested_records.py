"""Records that hold deeper what counts: fields by dotted names, a list for each retriever, and answers of Chroma."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, islice
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import RUNS, InputKind, normal_name
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import quote
from gradeval.files.record_names import LISTS, OBJECTS, are_hits, has_document
from gradeval.files.unknown_columns import USUAL
from gradeval.messages import list_some

Located = tuple[str, Any]
"""A record, and where it stands: file and line, or file and number in the list."""
LocatedRecords = Callable[[], Iterator[Located]]
"""What gives all records, from the first one on, each time that it is called."""
LOOKED_AT = 100
"""Records in which lists of several retrievers are looked for."""
RETRIEVED = "retrieved"
"""The field of the new record that holds such a list."""
OF_CHROMA = frozenset("documents metadatas embeddings uris data included".split())
"""What Chroma's answers hold next to ids and distances, each a list of lists."""


def unfold(records: LocatedRecords, kind: InputKind, columns: Columns) -> tuple[LocatedRecords, str]:
    """The records with what counts at their top, and what is then said of them."""
    dotted = [name for name in (columns.query, columns.doc, columns.grade, columns.score, columns.rank) if name]
    dotted = [name for name in (*dotted, *filter(None, [columns.run])) if "." in name.strip(".")]
    if dotted:
        records = partial(_map, records, partial(_name_parts, dotted=dotted, columns=columns))
    if kind == "qrels":
        return records, ""
    records = partial(_map, records, _open_chroma)
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
    first = {name.partition(".")[0] for name in dotted}
    whole = {name: _read_json(value) if name in first else value for name, value in record.items()}
    columns.met.update(dict.fromkeys(names_within(whole)))
    named = _with_names(whole, dotted)
    for name in (name for name in dotted if name not in named):
        _name_in_lists(named, name, name.split("."))
    return named


def _with_names(value: Any, dotted: Sequence[str]) -> Any:
    """A value in which all objects have these parts under their names, too."""
    if isinstance(value, list):
        return [_with_names(one, dotted) for one in value]
    if not isinstance(value, dict):
        return value
    named = {name: _with_names(inner, dotted) for name, inner in value.items()}
    for name in dotted:
        found: Any = value
        for step in name.split("."):
            found = _read_json(found)
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None:
            named.setdefault(name, found)
    return named


def _name_in_lists(value: Any, name: str, steps: Sequence[str]) -> None:
    """Give the objects of a list, to which the first steps lead, the part to which the others lead."""
    for at, step in enumerate(steps):
        if isinstance(value, list):
            for hit in value:
                layer: Any = hit
                for inner in steps[at:]:
                    layer = layer.get(inner) if isinstance(layer, dict) else None
                if layer is not None and isinstance(hit, dict):
                    hit.setdefault(name, layer)
            return
        value = value.get(step) if isinstance(value, dict) else None


def _read_json(value: Any) -> Any:
    """The object or list that a text holds as JSON; another value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def names_within(value: Any, before: str = "") -> Iterator[str]:
    """The dotted names of the parts of an object, and of the first object in its lists."""
    value = _read_json(value)
    if isinstance(value, list):
        yield from names_within(value[0], before) if value else ()
    elif isinstance(value, dict):
        for name, inner in value.items():
            inner = _read_json(inner)
            if not isinstance(inner, dict | list):
                yield f"{before}{name}"
            yield from names_within(inner, f"{before}{name}.")


def find_judged_field(place: str, judged: Collection[str]) -> str:
    """The field in the first lines of a file of JSON records that holds a judged document; empty: none does."""
    with suppress(OSError, ValueError, RecursionError), open(place, encoding="utf-8") as file:
        for line in islice(file, LOOKED_AT):
            found = next((name for name, text in _texts_within(json.loads(line)) if text in judged), None)
            if found is not None:
                return found
    return ""


def _texts_within(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """All texts in a value, each with the name of its field."""
    if isinstance(value, str) and name:
        yield name, value
    elif isinstance(value, list):
        for one in value:
            yield from _texts_within(one, name)
    elif isinstance(value, dict):
        for field, inner in value.items():
            yield from _texts_within(inner, field)


def name_parts(part: Mapping[str, Any], name: str, kind: InputKind) -> str:
    """How to name a part of an object that has a usual name; empty: none has."""
    inner = [*names_within(part, f"{name}.")]
    roles = ("query", "doc", "grade" if kind == "qrels" else "score")
    usual = [(role, one) for role in roles for one in inner if normal_name(one.rpartition(".")[2]) in USUAL[role]]
    if not usual:
        return ""
    role, one = usual[0]
    return f"name a part, as in --columns {role}={one} (it has {list_some(inner)}); or "


def _open_chroma(record: Any, where: str) -> Any:
    """The answer of Chroma to one query, ``{"ids": [[...]], "distances": [[...]]}``, as a list of ids."""
    lists: Any = record.get("ids") if isinstance(record, dict) else None
    if not _is_list_of_one(lists):
        return record
    [ids] = lists
    others = {name: value for name, value in record.items() if name != "ids" and name not in OF_CHROMA}
    distances: Any = record.get("distances")
    if _is_list_of_one(distances):
        others["distances"] = distances = distances[0]
        if len(distances) != len(ids):
            raise InputError(f"{where}: {len(ids)} ids have {len(distances)} distances; give each id one")
        if any(not isinstance(one, int | float) for one in distances) or distances != sorted(distances):
            raise InputError(f"{where}: distances fall down the list; sort ids by them, the nearest first")
    return {**others, "retrieved_ids": ids}


def _is_list_of_one(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], list)


def _find_retrievers(records: LocatedRecords, columns: Columns) -> dict[str, str]:
    """The lists of several retrievers by their names, each with the object that holds it, empty for the record; none
    where the lists are not plainly alike."""
    try:
        first = [record for _, record in islice(records(), LOOKED_AT)]
    except InputError:
        return {}  # who reads the records says so
    dicts = [record for record in first if isinstance(record, dict)]
    found: dict[str, str] = {}
    for record in dicts:
        if has_document(record) or (columns.doc or "") in record or _has_usual_list(record):
            return {}
        for holder in ("", *(name for name, value in record.items() if _holds_lists(value))):
            of_holder = record[holder] if holder else record
            found.update((name, holder) for name, value in of_holder.items() if _may_be_ranking(name, value))
    if hits := {name: holder for name, holder in found.items() if _holds_hits(name, holder, dicts)}:
        found = hits
    lists = [
        [(record.get(holder) or {} if holder else record).get(name) or [] for record in dicts]
        for name, holder in found.items()
    ]
    if len({*found.values()}) != 1 or len(lists) < 2 or not (hits or _share_ids(lists)):
        return {}
    return found


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
    if not isinstance(value, list) or not value or normal_name(name) in LISTS["qrels"]:
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
