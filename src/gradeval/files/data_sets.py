"""Data sets in one object, as LlamaIndex keeps them: texts of queries, and relevant documents, by topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import EDGES, quote
from gradeval.files.record_names import is_of_lists

LISTS, TEXTS = "relevant_docs", "queries"
"""The keys of the lists of documents, and of the texts of queries."""


def is_data_set(whole: Mapping[str, Any]) -> bool:
    """Has it lists of relevant documents by topic?"""
    return is_of_lists(whole.get(LISTS))


def texts_of(whole: Mapping[str, Any]) -> dict[str, str]:
    """The text of each query of a data set; empty where it has none."""
    texts = whole.get(TEXTS)
    if not is_data_set(whole) or not isinstance(texts, dict):
        return {}
    return {topic: text.strip(EDGES) for topic, text in texts.items() if isinstance(text, str)}


def lists_of_data_set(whole: Mapping[str, Any], columns: Columns, place: str) -> tuple[dict[str, Any], str]:
    """The lists of relevant documents, by the texts of queries where the user names these, else by topic; and how
    messages call the format."""
    lists = whole[LISTS]
    if columns.query != TEXTS:
        return lists, f"JSON with {LISTS}"
    columns.met[TEXTS] = None
    texts, by_text = texts_of(whole), {}
    for topic, documents in lists.items():
        if not (text := texts.get(topic, "")):
            raise InputError(
                f"{place}: topic {quote(topic)} has no text in {TEXTS}; add it, or name no column of queries"
            )
        if text in by_text:
            raise InputError(f"{place}: topic {quote(topic)} has the text of another, {quote(text)}; keep one of them")
        by_text[text] = documents
    return by_text, f"JSON with {LISTS}; the topics are the texts of {TEXTS}"
