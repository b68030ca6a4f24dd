"""Which findings of four papers hold on public runs? The tables of docs/findings.md.

    python benchmarks/findings DATA [STUDY ...]

DATA holds trec-covid-r5, trec-dl21-passage and trec14-robust2005, each with qrels.txt and runs/. The studies are
correlation, robustness, gains, informativeness, top, power, swaps and items; all of them by default.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import ferrante
import items
import robertson
import sakai
import scheel
from public_runs import Collection, read_collections

STUDIES: dict[str, Callable[[list[Collection]], Iterator[str]]] = {
    "correlation": ferrante.correlation,
    "robustness": ferrante.robustness,
    "gains": sakai.gains,
    "informativeness": robertson.informativeness,
    "top": robertson.top,
    "power": robertson.power,
    "swaps": scheel.swaps,
    "items": items.items,
}


def main(data: str, *names: str) -> None:
    collections = read_collections(Path(data))
    for name in names or STUDIES:
        begin = time.perf_counter()
        print(f"## {name}\n", flush=True)
        for text in STUDIES[name](collections):
            print(text, flush=True)
        print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
