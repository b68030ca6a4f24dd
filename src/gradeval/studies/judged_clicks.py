"""Clicks meet the judgments: what was shown and clicked on, by rank and grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.collection.user_clicks import Clicks, encode
from gradeval.formula.arithmetic import Array, ratio
from gradeval.scores.alike_ids import find_respelt_in_log


@dataclass(frozen=True, eq=False)
class JudgedClicks:
    """Lines of a click log whose documents are judged.

    Attributes
    ----------
    session, topic, rank, level : int64[line]: which session and topic, which of ``ranks``, which level.
    click : bool[line].
    ranks : int64[rank], ascending.
    levels : how many levels the judgments have.
    unjudged : lines that were left out.
    respelt : whether their documents are judged ones that are spelled otherwise; empty: none look so.
    """

    session: Array
    topic: Array
    rank: Array
    level: Array
    click: Array
    ranks: Array
    levels: int
    unjudged: int
    respelt: str


def join_clicks(log: Clicks, qrels: Qrels) -> JudgedClicks:
    """The lines whose documents are judged, with the levels of those."""
    level_of = {grade: place for place, grade in enumerate(qrels.levels)}
    topics, topic = encode(log.topic)
    known = set(qrels.topics)
    table: dict[tuple[int, str], int] = {}
    for number, name in enumerate(topics):
        if name in known:
            grades = qrels.of(name).items()
            table.update({(number, document): level_of[float(max(grade, 0))] for document, grade in grades})
    keys = zip(topic.tolist(), log.document, strict=True)
    level = np.fromiter((table.get(key, -1) for key in keys), np.int64, len(log))
    judged = level >= 0
    respelt = "" if judged.all() else _ask_about_respelt(log, qrels)
    if not judged.any():
        raise InputError(
            f"{log.place}: no document shown is judged in {qrels.name} (topic {log.topic[0]!r}, document "
            f"{log.document[0]!r} is not); {respelt or 'are the ids alike?'}"
        )
    ranks, rank = np.unique(log.rank[judged], return_inverse=True)
    _, session = encode(np.asarray(encode(log.session)[1])[judged].tolist())
    _, topic = encode(topic[judged].tolist())
    left_out = int((~judged).sum())
    return JudgedClicks(
        session, topic, rank, level[judged], log.click[judged], ranks, len(qrels.levels), left_out, respelt
    )


def _ask_about_respelt(log: Clicks, qrels: Qrels) -> str:
    """Whether documents shown are judged ones that are spelled otherwise; empty where none look so."""
    shown: dict[str, dict[str, None]] = {topic: {} for topic in qrels.topics}
    for topic, document in zip(log.topic, log.document, strict=True):
        if topic in shown:
            shown[topic][document] = None
    respelt = find_respelt_in_log(log.place, shown, qrels)
    return respelt.ask() if respelt.pairs else ""


def count_clicks(joined: JudgedClicks, group: Array, groups: int) -> tuple[Array, Array]:
    """float64[group, rank, level], twice: documents shown, and clicked on."""
    shape = (groups, len(joined.ranks), joined.levels)
    cell = np.ravel_multi_index((group, joined.rank, joined.level), shape)
    size = int(np.prod(shape))
    counts = [np.bincount(cell, weights, size) for weights in (None, joined.click.astype(float))]
    return counts[0].reshape(shape).astype(float), counts[1].reshape(shape)


def clicks_below_first(joined: JudgedClicks, shown: Array, clicked: Array) -> tuple[float, float]:
    """Clicks below the first one of a page (a session's documents of a topic), and how many are to be expected there.

    Expected is that a document is clicked on as often as all of its rank and grade. Users who find more relevant click
    more, above and below, so that independent clicks are at least as many; users who stop at the first make fewer.
    """
    page = joined.session * (joined.topic.max() + 1) + joined.topic
    _, page = np.unique(page, return_inverse=True)
    first = np.full(page.max() + 1, len(joined.ranks))
    np.minimum.at(first, page[joined.click], joined.rank[joined.click])
    below = joined.rank > first[page]
    often = ratio(clicked, shown)[joined.rank[below], joined.level[below]]
    return float(joined.click[below].sum()), float(often.sum())
