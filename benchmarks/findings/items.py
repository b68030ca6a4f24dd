"""Every table and figure of the texts that takes runs, in full, on the three collections: ``gradeval papers``.

``gradeval papers TEXT ITEM ... -o FILE`` writes the tables; here stands, for each, how long it takes, how many numbers
it has, and how many of the printed ones stand on the side on which they are printed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from claims import table
from public_runs import Collection

from gradeval import InputError, papers
from gradeval.papers.item import Item

BOTH = "QRELS RUNS... | --collection NAME QRELS RUNS ..."


def items(collections: list[Collection]) -> Iterator[str]:
    """A row for each item and collection."""
    rows = []
    for item in papers.items():
        if item.takes not in ("QRELS RUNS...", BOTH):
            continue
        for one in collections:
            if item.grades in (0, one.grades):
                rows.append([str(item), one.name, *_computed(item, one)])
    yield "The texts' tables and figures on these collections\n"
    yield table(["item", "collection", "seconds:", "numbers:", "beside those printed"], rows)


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
