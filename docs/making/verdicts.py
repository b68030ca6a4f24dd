"""The verdicts of docs/papers/, counted: ``python docs/making/verdicts.py`` prints the table of docs/papers.md."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

PAPERS = Path(__file__).resolve().parents[1] / "papers"
KINDS = {
    "works": r"works|as printed|as said|as defined|holds",
    "in part": r"(holds|works) (on|over|but|in|for)\b.*",
    "no, or open": r"((it )?does not hold|cannot be told)\b.*",
    "cannot be had": r"cannot be had",
}
"""What a bold verdict says, by the column that counts it."""


def find_verdicts(text: str) -> list[str]:
    """The bold verdicts of a page: those in its table of items where it has one, else all."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    items = re.search(r"^\| of the .*?\| verdict \|\n(?:\|.*\n)+", prose, re.MULTILINE)
    return re.findall(r"\*\*([^*]+)\*\*", items[0] if items else prose)


def count_verdicts(text: str) -> Counter[str]:
    """The number of verdicts of each kind; ValueError for one of no kind."""
    counts = Counter(dict.fromkeys(KINDS, 0))
    for verdict in find_verdicts(text):
        said = verdict.rstrip(".:").lower()
        kind = next((kind for kind, pattern in KINDS.items() if re.fullmatch(pattern, said)), None)
        if kind is None:
            raise ValueError(f"**{verdict}** is no verdict: {', '.join(KINDS.values())}")
        counts[kind] += 1
    return counts


def counted() -> dict[str, Counter[str]]:
    """The verdicts of every page, by its name."""
    return {path.stem: count_verdicts(path.read_text(encoding="utf-8")) for path in sorted(PAPERS.glob("*.md"))}


if __name__ == "__main__":
    for name, counts in counted().items():
        print(f"{name} | " + " | ".join(str(counts[kind]) for kind in KINDS))
    print("all | " + " | ".join(str(sum(counts[kind] for counts in counted().values())) for kind in KINDS))
