"""Tables of values by topic and document: of several runs in one file, and of one run in several files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import NamedTuple, TypeAlias

from gradeval._core import InputError, Pools
from gradeval.collection.runs import Again, come_again
from gradeval.files.column_names import InputKind
from gradeval.files.folders import files_are_runs
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.plain_text import ONCE, RanksByTopic, ValuesByTopic, quote
from gradeval.files.run_columns import RunKey, drop_ids_of_topics, name_runs
from gradeval.files.source import Source

ValuesAndRanks: TypeAlias = tuple[ValuesByTopic, RanksByTopic]
"""The values, and the ranks that a run has in addition to its scores."""
TablesByRun: TypeAlias = dict[str, ValuesAndRanks]
"""The tables by the name of the run; an empty one where nothing names it."""
TablesOfPart: TypeAlias = tuple[str, TablesByRun]
"""The place of a part, and its tables."""


def merge_named(
    tables: Mapping[RunKey, ValuesAndRanks],
    names: Sequence[str],
    kind: InputKind,
    place: str,
    columns: Columns = GUESSED,
) -> TablesByRun:
    """The tables by the names of their runs; ``names``: of the columns that name a run; ``columns``: what the user
    names."""
    if len(tables) == 1 and not names:
        return {"": next(iter(tables.values()))}
    named = dict.fromkeys(tables, "")
    pairs = ((key, topic) for key, (values, _) in tables.items() for topic in values)
    if kept := drop_ids_of_topics(pairs, names, place, columns):
        reduced = {key: tuple(key[at] for at in kept) for key in tables}
        by_key = name_runs([*dict.fromkeys(reduced.values())], [names[at] for at in kept], place)
        named = {key: by_key[reduced[key]] for key in tables}
    merged: TablesByRun = {}
    for key, table in tables.items():
        if merged.setdefault(named[key], table) is not table:

            def refuse(topic: str, document: str) -> InputError:
                where = f"document {quote(document)} of topic {quote(topic)} occurs twice"
                return InputError(f"{place}: {where}; {ONCE[kind]}")

            _add(merged[named[key]], table, refuse, repeats=False)
    return merged


def merge_parts(parts: Sequence[TablesOfPart], source: Source, kind: InputKind) -> TablesByRun:
    """The tables of all parts of a folder, in their order; a document that two parts have of a topic is an error, but
    for the same judgment."""
    if len(parts) == 1:
        return parts[0][1] or {"": ({}, {})}
    names = dict.fromkeys(name for _, tables in parts for name in tables)
    if len(names) > 1 and "" in names:
        unnamed = next(place for place, tables in parts if "" in tables)
        raise InputError(f"{unnamed}: no column names the run, as in other parts; write all parts with it")
    merged: TablesByRun = {name: ({}, {}) for name in names} or {"": ({}, {})}
    for number, (_, tables) in enumerate(parts):
        for name, table in tables.items():

            def refuse(topic: str, document: str, name: str = name, number: int = number) -> InputError:
                earlier = next(
                    other
                    for other, tables in parts[:number]
                    if document in tables.get(name, ({}, {}))[0].get(topic, {})
                )
                return repeated_in_parts(source.place, topic, document, earlier, parts[number][0], kind)

            _add(merged[name], table, refuse, repeats=source.repeats, graded=kind == "qrels")
    return merged


def _add(
    whole: ValuesAndRanks,
    table: ValuesAndRanks,
    refuse: Callable[[str, str], InputError],
    *,
    repeats: bool,
    graded: bool = False,
) -> None:
    """Add a table to another one; ``refuse`` makes the error for a document that both have of a topic, unless it may
    come again; ``graded``: are these judgments?"""
    values, ranks = whole
    for topic, documents in table[0].items():
        known = values.setdefault(topic, {})
        if topic in table[1] or topic in ranks:
            listed = ranks.setdefault(topic, [nan] * len(known))
            listed += table[1].get(topic) or [nan] * len(documents)
        for document, value in documents.items():
            if document in known:
                again = come_again(document, value, known, repeats=repeats, graded=graded)
                if again is None:
                    raise refuse(topic, document)
                document = again
            known[document] = value


def numbers_of(tables: Iterable[ValuesAndRanks]) -> Iterator[float]:
    """The grades or scores in some tables."""
    return (number for values, _ in tables for documents in values.values() for number in documents.values())


def come_back(tables: Iterable[ValuesAndRanks]) -> bool:
    """Has a topic in these tables a document several times?"""
    return any(isinstance(one, Again) for values, _ in tables for documents in values.values() for one in documents)


class PartTopics(NamedTuple):
    """The topics of a part of a folder, and what gives the documents of each that no other part may have;
    ``graded``: except judgments with the same grade."""

    place: str
    topics: Sequence[str]
    of: Callable[[str], Mapping[str, float]]
    graded: bool = False


def part_of_pools(pools: Pools, place: str) -> PartTopics:
    """The topics of a part that holds judgments."""
    topics = pools.topics
    places = {topic: number for number, topic in enumerate(topics)}

    def grades_of(topic: str) -> dict[str, float]:
        first, last = pools.offsets[places[topic] : places[topic] + 2]
        return dict(zip(pools.documents(places[topic]), pools.grades[first:last].tolist(), strict=True))

    return PartTopics(place, topics, grades_of, graded=True)


def require_apart(folder: str, parts: Sequence[PartTopics]) -> None:
    """Refuse a document that two parts have of a topic."""
    by_topic: dict[str, list[PartTopics]] = {}
    for part in parts:
        for topic in part.topics:
            by_topic.setdefault(topic, []).append(part)
    for topic, sharing in by_topic.items():
        seen: dict[str, tuple[str, float]] = {}
        for part in sharing if sharing[1:] else ():
            for document, value in part.of(topic).items():
                first, earlier = seen.setdefault(document, (part.place, value))
                if first != part.place and not (part.graded and value == earlier):
                    kind: InputKind = "qrels" if part.graded else "run"
                    raise repeated_in_parts(folder, topic, document, first, part.place, kind)


def repeated_in_parts(folder: str, topic: str, document: str, first: str, second: str, kind: InputKind) -> InputError:
    """The error for a document that two parts of a folder have of a topic."""
    said = f"{folder}: document {quote(document)} of topic {quote(topic)} is in {first} and in {second}"
    if kind == "qrels":
        return InputError(f"{said}, with another grade; {ONCE[kind]}")
    return InputError(f"{said}, and the folder is read as one; {files_are_runs(folder)}")
