"""The tables and figures of the texts in docs/papers/items.md: what each asks, and whose files are the text's."""

from __future__ import annotations

from collections.abc import Sequence

from gradeval.papers.item import TEXTS, Item
from gradeval.papers.registry import items_of, title_of


def items_list() -> str:
    """A table for each text, with a row for each table and figure, and below it whose files are the text's own."""
    return "\n".join([*map(_of_text, TEXTS), ""])


def _of_text(text: str) -> str:
    items = items_of(text)
    rows = [f"\n## {title_of(text)}\n", "| command | asks |", "|---|---|", *map(_row, items)]
    own, differs = (_by_words(items, field) for field in ("originals", "differs"))
    below = [f"The text's own files. {own}", *([f"Here otherwise. {differs}"] if differs else [])]
    return "\n".join([*rows, "", "\n\n".join(below)])


def _by_words(items: Sequence[Item], field: str) -> str:
    """The names of the items of which the same words are said, and the words."""
    names: dict[str, list[str]] = {}
    for item in items:
        names.setdefault(getattr(item, field), []).append(item.name)
    return " ".join(f"{', '.join(listed)}: {words}." for words, listed in names.items() if words)


def _row(item: Item) -> str:
    cells = [f"`{item}`{' †' * (item.printed is not None)}", item.question]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
