"""{topic: {"items": [...], "scores": [...]}}: the documents of a topic in a list under its usual name, and their scores
in another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import RANKS, SCORES, normal_name
from gradeval.files.lists import as_list
from gradeval.files.plain_text import quote
from gradeval.files.record_names import LISTS

IDS = {*LISTS["run"], "ids", "item_ids", "doc_ids", "document_ids"}
"""What such a list of documents is called, by its normal name."""


def is_of_listings(value: Any) -> bool:
    """Has each topic a list of documents by a usual name, and nothing beside it except one of scores?"""
    if not isinstance(value, Mapping) or not value:
        return False
    there = [one for one in value.values() if one is not None]
    return bool(there) and all(isinstance(one, Mapping) and _are_lists(one) for one in there)


def _are_lists(listing: Mapping[Any, Any]) -> bool:
    if not 0 < len(listing) < 3 or not all(isinstance(name, str) for name in listing):
        return False
    names = [normal_name(name) for name in listing]
    ids = [name for name in names if name in IDS]
    lists = all(one is None or isinstance(one, list | tuple) or _is_row(one) for one in listing.values())
    return len(ids) == 1 and lists and all(name in ids or _is_of_scores(name) for name in names)


def _is_row(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 1


def _is_of_scores(name: str) -> bool:
    single = name.removesuffix("s")
    return (name in SCORES or single in SCORES) and single not in RANKS


def lists_of_listings(listings: Mapping[Any, Any], place: str) -> dict[Any, Any]:
    """``{topic: [document, ...]}``, or ``{topic: [(document, score), ...]}`` of topics with scores."""
    return {topic: _list_of(listing, f"{place}: topic {quote(str(topic))}") for topic, listing in listings.items()}


def _list_of(listing: Mapping[str, Any] | None, where: str) -> list[Any] | None:
    if listing is None:
        return None
    called = {normal_name(name) in IDS: name for name in listing}
    documents = listing[called[True]]
    if False not in called or documents is None:
        return documents if documents is None else [*as_list(documents)]
    ids, scores = [*as_list(documents)], [*as_list(() if (given := listing[called[False]]) is None else given)]
    if len(ids) != len(scores):
        raise InputError(
            f"{where}: {len(ids)} documents in {called[True]} have {len(scores)} numbers in {called[False]}; give each "
            "document one"
        )
    return [*zip(ids, scores, strict=True)]
