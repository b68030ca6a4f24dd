"""Lists of ids by query, where most formats have a line a document: mappings {query: [id, ...]}, records of ragas and
Tevatron, and hits of search engines and vector stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import nan
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.collection.missing_grades import is_missing
from gradeval.collection.runs import come_again
from gradeval.files.column_names import HIGHEST_GRADE, RANKS, SCORES, InputKind, normal_name
from gradeval.files.given_values import is_number_or_words, read_value
from gradeval.files.named_columns import IN_LISTS
from gradeval.files.padding import FILLED, FILLERS, MissingIds, is_padding, say_fillers, without_fillers
from gradeval.files.paired_arrays import are_paired, pair_up, refuse_unclear
from gradeval.files.plain_text import EDGES, ONCE, ValuesByTopic, quote, read_id, read_number
from gradeval.files.record_names import (
    LISTS,
    RecordNames,
    find_likely_query,
    is_of_lists,
    layers_of,
    several_lists,
    with_parts,
)
from gradeval.messages import kind_of

RANK = "rank"
"""What a hit calls its rank."""
OF_GRADES = "grade relevance relevancy label rating judgment judgement gain".split()
"""The last words of what a list of grades is called, without the s of the plural."""


class ReadList(NamedTuple):
    """The topic of a record with a list, ``{document: value}``, and how many of its documents have no grade."""

    topic: str
    documents: dict[str, float]
    blank: int = 0


def read_id_lists(
    record: Any, names: RecordNames, where: str, missing: MissingIds, *, repeats: bool = False
) -> ReadList | None:
    """A record with a list of ids or of hits; None where it has none that is known by its name.

    Hits that all have a score keep it; else the document at rank r of a run gets the score -r. Judgments that have a
    grade keep it; where only some have one, the others are unjudged. ``names`` say what counts in the records of the
    file; ``missing`` counts the ids that stand for no document.
    """
    if not isinstance(record, dict):
        return None
    kind, own, record = names.kind, record, with_parts(record, names.kind)
    lists = names.find_lists(record)
    topic = None if names.query is None else record.get(names.query)
    listing = [name for name in lists if isinstance(record[name], list) or (record[name] is None and topic)]
    if not listing or (topic is None and is_of_lists(record)):
        return None  # else queries with lists may be called as lists are here
    if topic is None:
        known = ", ".join(map(str, own))
        if names.query is not None:
            raise InputError(f"{where}: has no {names.query!r}, which names the query (it has {known}); write it")
        likely = find_likely_query(record)
        how = (
            f"name it: --columns query={likely}, or in Python read_{kind}(FILE, columns=...)"
            if likely
            else "call it query_id"
        )
        raise InputError(f"{where}: no name is known to hold the query (it has {known}); {how}")
    of_objects = any(normal_name(name) not in LISTS[kind] for name in lists)
    if len(lists) > 1 and (kind == "run" or of_objects):
        raise several_lists(lists, kind, where, names.columns)
    names.columns.met.update(dict.fromkeys(record))
    documents: dict[str, float] = {}
    blank = 0
    for name in lists:
        listed = record[name] or []
        if not isinstance(listed, list):
            raise InputError(f'{where}: {name} {quote(str(listed))} is no list of ids; write it as in ["d1", "d2"]')
        listed = _with_numbers(listed, record, name, names, where)
        hits = [_read_hit(hit, names, f"{where}: {name}") for hit in listed]
        hits = missing.leave_out(hits, f"{where}: {name}", lambda hit: hit if hit.unjudged else hit.document)
        judged = [hit for hit in hits if not hit.unjudged]
        blank += len(hits) - len(judged)
        grade = LISTS[kind].get(normal_name(name), 1 if kind == "qrels" else None)
        if all(hit.value is None for hit in hits):
            _refuse_numbers_apart(record, name, grade, kind, where)
        for document, value in _values_of_hits(judged, grade, names, f"{where}: {name}"):
            _put(documents, document, value, kind, where, repeats=repeats, apart=partial(_describe_parts, hits))
    return ReadList(read_id(topic, "query", where), documents, blank)


def _refuse_numbers_apart(
    record: Mapping[str, Any], name: str, grade: float | None, kind: InputKind, where: str
) -> None:
    """Refuse the grades of a list of ids in another list, and scores or ranks that deny its order: they would not
    count."""
    size = len(record[name] or [])
    others = [other for other in record if other != name and _are_numbers(record[other], size)]
    alike = [other for other in record if isinstance(record[other], list) and len(record[other]) == size]
    if not size or len(alike) != 2 or len(others) != 1:
        return  # they may be of another list
    [other] = others
    numbers, called = record[other], normal_name(other).removesuffix("s").rpartition("_")[2]
    if kind == "qrels":
        denied = called in OF_GRADES and any(number != grade for number in numbers)
    else:
        falls, rises = (numbers == sorted(numbers, reverse=reverse) for reverse in (True, False))
        denied = (called in SCORES and not falls) or (called in RANKS and not rises)
    if denied:
        value = "grade" if kind == "qrels" else "rank" if called in RANKS else "score"
        raise InputError(
            f"{where}: {quote(name)} has its {value}s in a list of their own, {quote(other)}; write "
            f'{{"id": "d1", "{value}": 2}} for each document'
        )


def _are_numbers(value: Any, size: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == size
        and all(isinstance(one, Real) and not isinstance(one, bool) for one in value)
    )


def _values_of_hits(
    hits: list[_Hit], grade: float | None, names: RecordNames, where: str
) -> Iterator[tuple[str, float]]:
    """Each document in a list, with its grade or score."""
    kind, columns = names.kind, names.columns
    numbers = [hit.value for hit in hits if hit.value is not None]
    if 0 < len(numbers) < len(hits):
        raise InputError(f"{where}: {len(numbers)} of {len(hits)} documents have a number; give all one, or none")
    if kind == "run" and numbers != sorted(numbers, reverse=True) and not _do_scores_count(names):
        raise RisingScores(f"{where}: scores rise down the list; {_name_order(hits, names)}")
    named = columns.grade if kind == "qrels" else None if columns.in_order_of_lists else columns.score or columns.rank
    without = hits and not numbers and not (columns.rank is not None and _ranks_of(hits))
    if without and named is not None and (kind == "run" or any(hit.is_object for hit in hits)):
        raise InputError(f"{where}: no document has {named!r}; name what holds the numbers, or leave it out")
    ranks = [] if columns.in_order_of_lists else _ranks_of(hits)
    if not numbers and ranks != sorted(ranks):
        raise InputError(f"{where}: ranks fall down the list; sort it by its ranks, or leave them out")
    usual = [float(-rank) if grade is None else grade for rank in range(1, len(hits) + 1)]
    for hit, value in zip(hits, numbers or usual, strict=True):
        yield read_id(hit.document, "document", where), value


def _do_scores_count(names: RecordNames) -> bool:
    """Does the user name the scores, whatever the order of a list says, and does their name not say distances?"""
    from gradeval.files.unknown_columns import is_distance  # here, as scores seldom rise

    named = names.columns.score
    return named is not None and normal_name(named) == names.value and not is_distance(named)


def _ranks_of(hits: Iterable[_Hit]) -> list[float]:
    return [hit.rank for hit in hits if hit.rank is not None]


def _name_order(hits: Sequence[_Hit], names: RecordNames) -> str:
    """What to do where scores contradict the order of a list: name the numbers that fall down it, or the distances."""
    from gradeval.files.unknown_columns import is_distance  # here, as scores seldom rise

    score = names.value
    if score is None or not all(hit.is_object for hit in hits):
        return "sort it by its scores, or leave them out where they are distances, of which less is better"
    numbers = [hit.value for hit in hits if hit.value is not None]
    falling = [name for name in hits[0].fields if name != score and _descends([hit.fields.get(name) for hit in hits])]
    name = f"if less is better: --columns rank={score}; " if numbers == sorted(numbers) else ""
    name += f"if {quote(falling[0])} orders it: --columns score={falling[0]}; " if falling else ""
    name += "" if is_distance(score) else f"if its scores count: --columns score={score}; "
    of_python = "read_run(FILE, columns=...)"
    return f"{name}if its order counts, without scores: --columns score={IN_LISTS}, or in Python {of_python}"


def _descends(values: Sequence[Any]) -> bool:
    """Do numbers fall from the first to the last?"""
    numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    return numeric and all(one >= other for one, other in pairwise(values)) and values[0] > values[-1]


def _with_numbers(listed: list[Any], record: Mapping[str, Any], name: str, names: RecordNames, where: str) -> list[Any]:
    """The ids of a list with the numbers that the user names, where these are a list of their own."""
    columns = names.columns
    named = columns.grade if names.kind == "qrels" else columns.score or columns.rank
    numbers = None if named is None else record.get(named)
    if not isinstance(numbers, list) or named == name:
        return listed
    if len(numbers) != len(listed):
        raise InputError(
            f"{where}: {len(listed)} documents in {name} have {len(numbers)} numbers in {named}; give each one"
        )
    ranked = names.kind == "run" and columns.rank is not None
    return [
        [one, -read_number(number, str(named), where) if ranked else number]
        for one, number in zip(listed, numbers, strict=True)
    ]


def grades_in_lists(record: Any, names: RecordNames) -> Iterator[Any]:
    """What stands as grades in the lists of a record: behind ids, in objects, or in a list of their own."""
    if not isinstance(record, dict):
        return
    record = with_parts(record, names.kind)
    for name in names.find_lists(record):
        listed = record[name] if isinstance(record[name], list) else []
        for hit in listed:
            if _is_pair(hit, names.kind):
                yield hit[1]
            for layer in layers_of(hit):
                yield from (value for name, value in layer.items() if normal_name(name) == names.value)
    apart = record.get(names.columns.grade)
    yield from apart if isinstance(apart, list) else []


def _likely_id(hit: Mapping[str, Any]) -> str:
    """The first text or number within an object of a hit, which may be its id; else NAME."""
    from shlex import quote as quote_argument  # here, as names are seldom unknown

    within = (
        f"{outer}.{name}"
        for outer, inner in hit.items()
        if isinstance(inner, dict)
        for name, value in inner.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
    )
    return quote_argument(next(within, "NAME"))


class RisingScores(InputError):
    """Scores deny the order of a list: other names do not mend that."""


class _Hit(NamedTuple):
    """The id of a hit; its score or grade, and its rank in a run, where it has them; is it an object, and is it a
    document that has no grade where others have one? ``fields``: all that an object says, by normal names."""

    document: Any
    value: float | None = None
    rank: float | None = None
    is_object: bool = False
    unjudged: bool = False
    fields: Mapping[str, Any] = MappingProxyType({})


def _read_hit(hit: Any, names: RecordNames, where: str) -> _Hit:
    """A hit: an id alone, an object, or a pair of hit and score."""
    if _is_pair(hit, names.kind):
        number = read_value(hit[1], names.kind, "number", names.words, where)
        return _Hit(_read_hit(hit[0], names, where).document, number)
    if not isinstance(hit, dict):
        return _Hit(hit)
    kind, columns = names.kind, names.columns
    layers = [
        {normal_name(name): _sole_value(value) for name, value in reversed(layer.items()) if value is not None}
        for layer in layers_of(hit)
    ]
    columns.met.update(dict.fromkeys(name for layer in layers_of(hit) for name in layer))
    known = {name: value for layer in reversed(layers) for name, value in layer.items()}
    value = None if names.value is None else known.get(names.value)
    names.words.column = names.value or ""
    if kind == "qrels" and names.value is not None and names.words.is_missing(value):
        return _Hit(None, is_object=True, unjudged=True)
    document = None if names.id is None else next((layer[names.id] for layer in layers if names.id in layer), None)
    if document is None:
        has = ", ".join(layers[0]) or "nothing"
        if names.id is not None:
            raise InputError(
                f"{where}: a document has no {names.id!r}, as others have (it has {has}); give each its id"
            )
        known_by = f"call it id, or name it: --columns doc={_likely_id(hit)}"
        raise InputError(f"{where}: no name of an id is known in a document (it has {has}); {known_by}")
    if value is not None and names.value is not None:
        value = read_value(value, kind, names.value, names.words, where)
    at_rank = RANK if columns.rank is None else normal_name(columns.rank)
    rank = read_number(known[at_rank], at_rank, where) if kind == "run" and at_rank in known else None
    return _Hit(document, value, rank, is_object=True, fields=known)


def _sole_value(value: Any) -> Any:
    """The value in a list of one, as fields of Elasticsearch are; any other value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | Real) else value


def _describe_parts(hits: Sequence[_Hit]) -> str:
    """How to write ids that are only numbers within a file which another field tells; empty: no field does."""
    from gradeval.files.parts_of_files import describe_parts, is_of_whole  # here, as few documents come twice

    for name in filter(is_of_whole, hits[0].fields):
        pairs = [(hit.fields.get(name), hit.document) for hit in hits]
        if all(isinstance(one, str) for one, _ in pairs) and len({*map(str, pairs)}) == len(pairs):
            doc = next((other for other, value in hits[0].fields.items() if value == hits[0].document), "id")
            return f"{describe_parts(name, doc)}: write {f'{pairs[0][0]}::{pairs[0][1]}'!r} for {doc} there; else "
    return ""


def _put(
    values: dict[str, float],
    document: str,
    value: float,
    kind: InputKind,
    where: str,
    *,
    repeats: bool = False,
    apart: Callable[[], str] = str,
) -> None:
    """Add a document that is not there; ``apart`` says what to do where more than the id tells documents apart."""
    if document in values:
        again = come_again(document, value, values, repeats=repeats, graded=kind == "qrels")
        if again is None:
            how = FILLED if document in map(str, FILLERS) else apart() + ONCE[kind]
            raise InputError(f"{where}: document {quote(document)} is listed twice; {how}")
        document = again
    values[document] = value


def without_edges(table: dict[str, Any], kind: InputKind, place: str, *, repeats: bool = False) -> dict[str, Any]:
    """``{topic: {document: value}}`` of a file, whose ids lose the blanks around them, as in csv."""
    kept: dict[str, Any] = {}
    for given, documents in table.items():
        topic = given.strip(EDGES)
        if topic in kept:
            raise InputError(f"{place}: topic {topic} is given twice, as {topic!r} and as {given!r}; give it once")
        kept[topic] = documents
        if isinstance(documents, dict) and any(document != document.strip(EDGES) for document in documents):
            kept[topic] = {}
            for document, value in documents.items():
                where = f"{place}: topic {quote(topic)}"
                _put(kept[topic], document.strip(EDGES), value, kind, where, repeats=repeats)
    return kept


def _without_padding(documents: Any, where: str, missing: MissingIds) -> Any:
    """A list or a set without -1, and a list without what is missing at its end, all of which ``missing`` counts."""
    if isinstance(documents, set | frozenset):
        kept = [one for one in documents if not is_padding(one)]
        missing.number += len(documents) - len(kept)
        return kept
    if not isinstance(documents, list | tuple) or not documents:
        return documents
    first = documents[0]
    if is_missing(first) and all(map(is_missing, documents)):
        return documents  # a list of nothing else is a mistake
    return missing.leave_out(documents, where, _id_of_pair if isinstance(first, list | tuple) else lambda one: one)


def _id_of_pair(item: Any) -> Any:
    """The id of a pair with a score; anything else as it is."""
    return item[0] if isinstance(item, list | tuple) and len(item) == 2 else item


def _refuse_vectors(lists: Sequence[Any], kind: InputKind, place: str) -> None:
    """Refuse rows of grades, as [1, 0, 0, 2], that would read as ids: equally many small numbers, some twice; and rows
    of hits."""
    rows = [row for row in lists if isinstance(row, list | tuple)]
    if len(rows) < len(lists) or len({*map(len, rows)}) != 1:
        return
    if kind == "run" and {type(one) for row in rows for one in row} == {bool}:
        raise InputError(
            f"{place}: rows of True and False say which ranks hold hits, not which documents; give "
            "{topic: [document, ...]}, as dict(zip(users, ids)) makes of the ids that were ranked"
        )
    if all(isinstance(one, Integral) and 0 <= int(one) <= HIGHEST_GRADE for row in rows for one in row) and any(
        len({*row}) < len(row) for row in rows
    ):
        raise InputError(
            f"{place}: lists of equal length hold small numbers twice, as grades of the same documents do; give "
            "{topic: dict(zip(documents, grades))}, or give grades and scores to judge_arrays()"
        )


def grades_or_ranks(
    documents: Iterable[Any], kind: InputKind, where: str, *, repeats: bool = False
) -> dict[str, float]:
    """``{document: value}`` of a list of ids: each is relevant by grade 1, or the document at rank r of a run has score
    -r. Pairs of a document and a number have their grade or score with them; NaN stands for a grade that is missing."""
    values: dict[str, float] = {}
    paired = None
    for rank, item in enumerate(documents, 1):
        blank = kind == "qrels" and _is_blank_pair(item)
        pair = blank or _is_pair(item, kind)
        document, value = item if pair else (item, 1.0 if kind == "qrels" else float(-rank))
        value = nan if blank else value
        if not isinstance(document, str | Integral) or paired not in (None, pair):
            accepted = f"ids, or pairs (document, {'grade' if kind == 'qrels' else 'score'})"
            said = f"{where}: item {rank} is {kind_of(item)}; accepted are {accepted}"
            named = kind == "run" and (isinstance(item, list | tuple) or getattr(item, "ndim", 0) > 0)
            more = "; a run by its name is {name: {topic: [document, ...]}}" if named else ""
            if isinstance(document, float) and document.is_integer():
                raise InputError(f"{said}; of an array give ids.astype(int), of a list [int(one) for one in ids]")
            raise InputError(f"{said}, as dict(zip(documents, numbers)) has them{more}")
        paired = pair
        _put(values, read_id(document, "document", where), value, kind, where, repeats=repeats)
    return values


def _is_pair(item: object, kind: InputKind) -> bool:
    """Is it a document and its number, for which judgments may have a word?"""
    if not isinstance(item, tuple | list) or len(item) != 2:
        return False
    worded = kind == "qrels" and isinstance(item[0], str | Integral) and isinstance(item[1], str)
    return worded or is_number_or_words(item[1])


def _is_blank_pair(item: object) -> bool:
    """Is it a document whose grade is missing?"""
    return isinstance(item, tuple | list) and len(item) == 2 and not isinstance(item[1], str) and is_missing(item[1])


def as_list(documents: Any) -> Any:
    """A list of ids, or of pairs, from an array, a column of a frame or an iterator; a mapping, and a column of numbers
    by document, as they are."""
    if isinstance(documents, list | tuple | set | frozenset | Mapping | str):
        return documents
    index, kind = getattr(documents, "index", None), getattr(getattr(documents, "dtype", None), "kind", "")
    numeric = kind in "fiu" or (kind == "O" and all(is_missing(one) or isinstance(one, Real) for one in documents))
    if hasattr(documents, "keys") and numeric and type(index).__name__ != "RangeIndex":
        return documents  # a Series {document: number}
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(documents, name):
            return getattr(documents, name)()
    return list(documents) if isinstance(documents, Iterable) else documents


def read_mapping_of_lists(
    lists: Mapping[Any, Iterable[object] | None], kind: InputKind, place: str, *, repeats: bool = False
) -> ValuesByTopic:
    """``{query: {document: value}}`` of ``{query: [id, ...]}``; a run has an order, and no sets."""
    missing = MissingIds()
    table = read_lists_by_query(lists, kind, place, missing, repeats=repeats)
    missing.say(place)
    return table


def read_lists_by_query(
    lists: Mapping[Any, Iterable[object] | None],
    kind: InputKind,
    place: str,
    missing: MissingIds,
    *,
    repeats: bool = False,
) -> ValuesByTopic:
    """The same; ``missing`` counts the ids that stand for no document and are left out."""
    there: dict[Any, Iterable[object]] = {topic: () if one is None else one for topic, one in lists.items()}
    if not repeats:
        _refuse_vectors([*there.values()], kind, place)
        there, filled = without_fillers(there)
        say_fillers(filled, place)
    table: ValuesByTopic = {}
    for topic, documents in there.items():
        where = f"{place}: query {quote(str(topic))}"
        if kind == "run" and isinstance(documents, set | frozenset):
            raise InputError(f"{where}: has a set, which has no order; list the documents of a run from rank 1 on")
        if are_paired(documents):
            documents = pair_up(documents, kind, where)
        refuse_unclear(documents, kind, where)
        documents = _without_padding(documents, where, missing)
        name = read_id(topic, "query", place)
        if name in table:
            raise InputError(f"{place}: topic {name} is given twice, as {name} and as {name!r}; give it once")
        table[name] = grades_or_ranks(documents, kind, where, repeats=repeats)
    return table
