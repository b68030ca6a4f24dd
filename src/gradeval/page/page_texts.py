"""The texts of topics and documents as a page shows them: cut to what it has room for, without control characters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gradeval.files.texts import Text
from gradeval.messages import visible
from gradeval.tables.text import shorten

IN_LABELS = 160
"""Letters of a query that follow the name of its topic."""
MOST_BYTES = 600_000
"""Bytes that the texts of documents may take."""
CUTS = ((300, None), (200, None), (120, None), (120, 20), (120, 10), (80, 10), (80, 5), (50, 3))
"""Letters of each document, and how far down each ranking documents have texts; the first that fits is taken."""
ISOLATE, END = "\u2068", "\u2069"
"""What stands around a text of unknown direction, so that it turns nothing that stands next to it."""
ShownText: TypeAlias = list[str]
"""Title and text of a document."""


@dataclass(frozen=True, eq=False)
class PageTexts:
    """The queries of topics, and what reads the texts of documents once it is known which are shown; None: no texts."""

    queries: Mapping[str, Text] = field(default_factory=dict)
    read_documents: Callable[[Sequence[str]], Mapping[str, Text]] | None = None

    def query(self, topic: str) -> str:
        """The query of a topic; empty where it has none."""
        return self.queries[topic].text if topic in self.queries else ""

    def cells(self, topic: str) -> list[str | None]:
        """The cells of a table with what a topic asks: one where there are queries, else none."""
        return [self.query(topic) or None] if self.queries else []

    def label(self, topic: str) -> str:
        """A topic and the beginning of its query, as a list or a map names it."""
        query = visible(shorten(self.query(topic), IN_LABELS))
        return f"{topic} · {ISOLATE}{query}{END}" if query else topic

    def tell(self, *topics: str) -> list[str]:
        """A sentence for each of these topics that has a query: what it asks."""
        return [f"Topic {topic} asks: {query}" for topic in dict.fromkeys(topics) if (query := self.query(topic))]


def fit_texts(
    texts: Mapping[str, Text], ranks: Sequence[Mapping[str, int]]
) -> tuple[list[dict[str, ShownText]], int, int | None]:
    """The texts of the documents of each topic as far as there is room, the letters of each, and how far down.

    ``ranks``: for each topic its documents and the best rank that each has in a run, from 0.
    """
    for letters, depth in CUTS:
        cut = {name: [visible(shorten(part, letters)) for part in text] for name, text in texts.items()}
        sizes = {name: len(json.dumps(parts)) + len(name) for name, parts in cut.items()}
        chosen = [
            {name: cut[name] for name, rank in topic.items() if name in cut and (depth is None or rank < depth)}
            for topic in ranks
        ]
        if sum(sizes[name] for topic in chosen for name in topic) <= MOST_BYTES:
            break
    return chosen, letters, depth
