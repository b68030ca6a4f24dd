"""The tables and figures of the texts in docs/papers.md: each with its command, and whose files are the text's."""

from __future__ import annotations

from gradeval.papers.item import Item
from gradeval.papers.registry import TEXTS, items_of, title_of

FILES = {
    "QRELS RUNS...": " qrels.txt runs/*",
    "QRELS [RUNS...]": " qrels.txt runs/*",
    "QRELS RUNS... | --collection NAME QRELS RUNS ...": " qrels.txt runs/*",
    "FILES...": " ohsumed/S?.txt",
    "PARTS...": " ohsumed/S?.txt",
    "": "",
}
"""What stands for the files that an item takes."""


def items_list() -> str:
    """A table for each text, with a row for each table and figure."""
    parts = []
    for text in TEXTS:
        rows = [
            f"\n### {title_of(text)}\n",
            "| command | asks | the text's own |",
            "|---|---|---|",
            *map(_row, items_of(text)),
        ]
        parts.append("\n".join(rows))
    return "\n".join([*parts, ""])


def _row(item: Item) -> str:
    command = f"gradeval papers {item}{FILES[item.takes]}"
    printed = "; `--published`: its numbers beside yours" if item.printed is not None else ""
    differs = f" ({item.differs})" if item.differs else ""
    cells = [f"`{command}`{printed}", item.question + differs, item.originals]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
