"""Ids in mappings of Python that only blanks around them tell apart; files are read without these blanks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import MappingLines, Run
from gradeval.files.plain_text import EDGES
from gradeval.messages import plural
from gradeval.scores.alike_ids import MOST_LINES, STRIP, RespeltDocuments, doubt_ids
from gradeval.warning_categories import Note


def about_stray_blanks(names: Sequence[str], topics: Sequence[str], qrels: Qrels, runs: Sequence[Run]) -> list[Note]:
    """That documents of a topic differ by blanks around their ids alone: judged and retrieved ones, or two of one list.

    It looks at values of Python, up to ``MOST_LINES``, as it takes time. ``names`` of the runs.
    """
    if len(qrels) > MOST_LINES:
        return []
    places = qrels.place_of_topic
    judged = {topic: qrels.pools.documents(places[topic]) for topic in topics if topic in places}
    stray = {topic for topic, documents in judged.items() if _have_edges(documents)}
    notes = [*_ask_of_list(qrels.name, {topic: judged[topic] for topic in stray})]
    for name, run in zip(names, runs, strict=True):
        documents_of, size = _reader_of(run)
        if size > MOST_LINES:
            continue
        ranked = {topic: documents_of(topic) for topic in judged}
        doubtful = [topic for topic in judged if topic in stray or _have_edges(ranked[topic])]
        notes += _ask_of_list(name, {topic: ranked[topic] for topic in doubtful})
        pairs = [pair for topic in doubtful for pair in _find_pairs(topic, ranked[topic], judged[topic])]
        if pairs:
            respelt = RespeltDocuments(name, pairs)
            notes.append(doubt_ids(f"{name}: {respelt.ask()}", respelt.weigh(len(qrels))))
    return notes


def _reader_of(run: Run) -> tuple[Callable[[str], Iterable[str]], int]:
    """What gives the documents of a topic, and how many lines there are."""
    if isinstance(run.lines, MappingLines):
        mapping: Any = run.lines.mapping
        return lambda topic: [*map(str, mapping[topic])] if topic in mapping else (), sum(map(len, mapping.values()))
    size = len(run)
    there = set(run.topics) if size <= MOST_LINES else set()
    return lambda topic: run.of(topic) if topic in there else (), size


def _have_edges(documents: Iterable[str]) -> bool:
    """Has one of the ids blanks around it? One text of all ids is looked at, as that takes least time."""
    text = "\0".join(["", *documents, ""])
    return any(edge in text and (f"{edge}\0" in text or f"\0{edge}" in text) for edge in EDGES)


def _ask_of_list(holder: str, lists: dict[str, Iterable[str]] | dict[str, list[str]]) -> Iterator[Note]:
    """Whether two documents of one topic are the same, where some are."""
    pairs = []
    for topic, documents in lists.items():
        spelt: dict[str, str] = {}
        for one in documents:
            other = spelt.setdefault(one.strip(EDGES), one)
            if other != one:
                pairs.append((topic, other, one))
    if pairs:
        topic, one, other = pairs[0]
        more = f" ({plural(len(pairs) - 1, 'more pair')})" if pairs[1:] else ""
        yield doubt_ids(f"{holder}: topic {topic} has {one!r} and {other!r}: are they the same?{more} If so, {STRIP}")


def _find_pairs(topic: str, ranked: Iterable[str], judged: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The topic, with each document that nobody judged, and a judged one that was not retrieved."""
    there, here = set(judged), set(ranked)
    others = {document.strip(EDGES): document for document in there - here}
    for one in ranked:
        if one not in there and (other := others.get(one.strip(EDGES))) is not None:
            yield topic, one, other
