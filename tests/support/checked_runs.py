"""A run that keeps the rules, in TREC text and as records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LINES = """\
1 Q0 a 1 3 up
1 Q0 b 2 2 up
1 Q0 c 3 1 up
2 Q0 a 1 1 up
"""


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def rows(text: str) -> list[dict[str, Any]]:
    """The lines as records; ranks are numbers where all of them are."""
    words = [line.split() for line in text.splitlines()]
    read = int if all(rank.isdigit() for _, _, _, rank, _, _ in words) else str
    return [
        {"query_id": topic, "doc_id": document, "rank": read(rank), "score": float(score)}
        for topic, _, document, rank, score, _ in words
    ]
