"""Every table and figure of the texts that takes runs, in full, on the three collections: ``gradeval papers``.

    python benchmarks/findings/items.py DATA

``gradeval papers TEXT ITEM ... -o FILE`` writes the tables; here stands, for each, how long it takes, how many numbers
it has, and how many of the printed ones stand on the side on which they are printed.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from public_runs import Collection, read_collections

from gradeval import InputError, papers
from gradeval.papers.item import Item

BOTH = "QRELS RUNS... | --collection NAME QRELS RUNS ..."


def main(data: str) -> None:
    """Print a line for each item and collection."""
    collections = read_collections(Path(data))
    print("| item | collection | seconds | numbers | against the printed numbers |\n|---|---|--:|--:|---|")
    for item in papers.items():
        if item.takes not in ("QRELS RUNS...", BOTH):
            continue
        for one in collections:
            if item.grades in (0, one.grades):
                print(f"| {item} | {one.name} | {' | '.join(_computed(item, one))} |", flush=True)


def _computed(item: Item, one: Collection) -> list[str]:
    """Seconds, records and agreement; or why there is none."""
    begin = time.perf_counter()
    try:
        result = papers.run(item.text, item.name, one.judged, published=item.printed is not None)
    except InputError as error:
        return ["", "", str(error)]
    seconds, numbers = time.perf_counter() - begin, len(result.result.table().records)
    counts = Counter(number.agreement for number in result.beside.numbers) if result.beside else {}
    agreement = ", ".join(
        f"{counts[word]} {word}" for word in ("agrees", "differs", "cannot be told") if word in counts
    )
    return [f"{seconds:.1f}", f"{numbers:,}", agreement]


if __name__ == "__main__":
    main(*sys.argv[1:])
