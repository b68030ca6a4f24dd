"""Are ids numbers with decimals, as pandas makes of whole numbers where a merge leaves some out, or without zeros?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice

from gradeval._core import InputError, Pools
from gradeval.collection.exclusion import Exclusion

DECIMAL = re.compile(r"\d+\.0+")
LOOKED_AT = 1000
"""Ids of a kind that are looked at."""


def remedy_of_decimals(ids: Iterable[str]) -> str:
    """What to write where one of two ids that should be alike has decimals, as 12.0; else an empty text.

    The line for files knows what may follow an id: every delimiter, quotes, brackets of JSON, and the end of a line.
    """
    if not any(DECIMAL.fullmatch(one) for one in ids):
        return ""
    return (
        "pandas wrote ids as decimals: df[COLUMN] = df[COLUMN].astype('Int64') before it is given or written, where "
        r"""COLUMN has these ids; for a file of text: sed -E 's/([0-9])\.0+([],;:|"}[:space:]]|$)/\1\2/g' FILE > NEW"""
    )


def remedy_of_zeros(pairs: Sequence[tuple[str, str]], sides: tuple[str, str]) -> str:
    """What to write where the ids of a run, or the ids of judgments, lack only zeros in front, as Excel drops them.

    ``pairs``: of a run or another holder, and of judgments, as ``sides`` names both. Empty where some differ by more,
    or by zeros here and by zeros there.
    """
    for place, what in reversed([*enumerate(sides)]):
        if all(pair[place] == pair[1 - place].lstrip("0") != pair[1 - place] for pair in pairs) and all(
            whole.isdecimal() for pair in pairs for whole in pair
        ):
            widths = {len(pair[1 - place]) for pair in pairs}
            lost = f"the {what} lost zeros, as Excel and read_csv drop them:"
            text = "ids are text: read_csv(FILE, dtype=str), in Excel import the column as Text"
            if len(widths) > 1:
                return f"{lost} export them once more; {text}"
            padded = f"df[COLUMN] = df[COLUMN].astype(str).str.zfill({widths.pop()}), where COLUMN has these ids"
            return f"{lost} in pandas {padded}; {text}"
    return ""


def require_alike(exclusion: Exclusion, pools: Pools, name: str) -> None:
    """Refuse to exclude topics or documents with decimals from judgments whose ids have none, and the other way round,
    as nothing would be excluded."""
    for what, there in (("topic", [*pools.topics]), ("document", _documents(pools))):
        here = [
            *chain.from_iterable(pairs.topics if what == "topic" else _documents(pairs) for pairs in exclusion.pairs)
        ]
        for ids, others in ((here, there), (there, here)):
            decimal = next(iter(ids), "")
            if ids and others and all(map(DECIMAL.fullmatch, ids)) and all(map(str.isdecimal, others)):
                raise InputError(
                    f"exclude has {what} {here[0]!r}, and {name} {there[0]!r}: nothing would be excluded; "
                    f"{remedy_of_decimals([decimal])}"
                )


def _documents(pools: Pools) -> list[str]:
    every = chain.from_iterable(pools.documents(place) for place in range(len(pools.topics)))
    return list(islice(every, LOOKED_AT))
