"""The tables and figures of the texts in docs/papers/items.md: what each asks, and whose files are the text's."""

from __future__ import annotations

from gradeval.papers.item import TEXTS, Item
from gradeval.papers.registry import items_of, title_of


def items_list() -> str:
    """A table for each text, with a row for each table and figure, and below it whose files are the text's own."""
    return "\n".join([*map(_of_text, TEXTS), ""])


def _of_text(text: str) -> str:
    items = items_of(text)
    rows = [f"\n## {title_of(text)}\n", "| command | asks |", "|---|---|", *map(_row, items)]
    by_files: dict[str, list[str]] = {}
    for item in items:
        by_files.setdefault(item.originals, []).append(item.name)
    own = [f"{', '.join(names)}: {originals}" for originals, names in by_files.items()]
    return "\n".join([*rows, "", f"The text's own files. {'. '.join(own)}."])


def _row(item: Item) -> str:
    command = f"`{item}`{' †' * (item.printed is not None)}"
    differs = f" ({item.differs})" if item.differs else ""
    cells = [command, item.question + differs]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
