"""Columns of TREC text that seem to stand in another order than they should, told by what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from math import isnan

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.decimal_ids import remedy_of_decimals
from gradeval.collection.qrels import Qrels
from gradeval.files.likely_ranks import look_like_ranks
from gradeval.files.plain_text import quote, read_decimal, split_columns
from gradeval.files.source import BEGINNING, Source

ORDER = "topic iteration document grade"
ENOUGH = 5  # lines that show which columns vary
RUN_COLUMNS = 6


def guess_order_of_columns(path: Path) -> str:
    """What the order of the columns of TREC judgments seems to be, where it is another; else an empty text.

    The documents are the column that is no number, or that varies most; grades and iterations are small numbers.
    """
    try:
        beginning = Source(path).beginning.decode("utf-8", "replace")
    except InputError:
        return ""
    lines = islice((columns for _, columns in split_columns(beginning) if not columns[0].startswith("#")), 200)
    rows = [columns for columns in lines if len(columns) == 4]
    if len(rows) < ENOUGH:
        return ""
    different = [len(set(column)) for column in zip(*rows, strict=True)]
    numeric = [all(_is_small(cell) for cell in column) for column in zip(*rows, strict=True)]
    most = max(different)
    documents = [
        place for place in range(4) if different[place] > max(1, most // 2) and not (numeric[place] and most > 6)
    ]
    if len(documents) != 1 or documents == [2]:
        return ""
    return f"; the documents seem to be in column {documents[0] + 1}: the order is {ORDER}"


def _is_small(cell: str) -> bool:
    return abs(read_decimal(cell)) < 20


def ask_about_ranks(beginning: bytes) -> str:
    """Whether rank and score of a run are swapped, where ranks are decimals, and scores count the documents of each
    topic; else an empty text."""
    text = beginning.decode("utf-8", "replace").removeprefix("\ufeff")
    is_cut = len(beginning) >= BEGINNING
    rows = [columns for _, columns in split_columns(text) if not columns[0].startswith("#")][: -1 if is_cut else None]
    if any(len(row) != RUN_COLUMNS for row in rows):
        return ""
    odd = next((row[3] for row in rows if not _is_whole(row[3])), None)
    if odd is None or any(isnan(read_decimal(row[3])) for row in rows):
        return ""
    scores: dict[str, list[float]] = {}
    for row in rows:
        scores.setdefault(row[0], []).append(read_decimal(row[4]))
    topics = [*scores.values()]
    first = min(topics[0])
    whole = topics[:-1] if is_cut and len(topics) > 1 else topics  # the last topic may go on
    if first not in (0, 1) or not look_like_ranks([score - first + 1 for score in topic] for topic in whole):
        return ""
    return (
        f"ranks are no whole numbers, as {odd}, and scores count from {first:g}: are rank and score swapped? Then name "
        "columns query=1,doc=3,score=4"
    )


def _is_whole(rank: str) -> bool:
    return rank.isdecimal() or read_decimal(rank) % 1 == 0


def ask_about_topics(topics: Iterable[str], qrels: Qrels) -> str:
    """What to write where a topic has decimals; whether topics and documents are swapped, where topics of runs are
    documents of the judgments; else an empty text."""
    topics = list(topics)
    if remedy := remedy_of_decimals([*topics[:1], *qrels.topics[:1]]):
        return remedy
    documents = {document for topic in qrels.topics for document in qrels.of(topic)}
    known = next((topic for topic in topics if topic in documents), None)
    if known is None:
        return ""
    where = "judgments" if len(qrels.topics) > len(documents) else "run"
    return f"{quote(known)} is a document of the judgments: are topic and document swapped in the {where}?"
