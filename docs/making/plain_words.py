"""Phrases after which a reader asks "which?", counted in prose: plain sentences name the noun."""

from __future__ import annotations

import re
from collections.abc import Iterator

PHRASES = ("that of", "those of", "of it", "but for", "to be had", "dealt", "beside")
UNCLEAR = re.compile(r"\b(?:" + "|".join(PHRASES).replace(" ", r"\s+") + r")\b", re.IGNORECASE)
NO_PROSE = re.compile(r"^```.*?^```|<!--.*?-->|`[^`\n]*`|\]\([^()\s]*\)", re.MULTILINE | re.DOTALL)


def words(markdown: str) -> int:
    """How many words of prose a page has: without blocks, code, comments and addresses."""
    return len(_prose(markdown).split())


def unclear(markdown: str) -> Iterator[str]:
    """Each such phrase in the prose of a page, as ``line 3: that of``."""
    text = _prose(markdown)
    for match in UNCLEAR.finditer(text):
        yield f"line {text.count(chr(10), 0, match.start()) + 1}: {' '.join(match[0].lower().split())}"


def _prose(markdown: str) -> str:
    return NO_PROSE.sub(lambda match: "\n" * match[0].count("\n") or " ", markdown)
