"""Which claims of the five texts hold on public collections? What is measured for ``gradeval papers --claims``.

    python benchmarks/findings DATA [STUDY ...]

DATA holds trec-covid-r5, trec-dl21-passage and trec14-robust2005, each with qrels.txt and runs/, and ohsumed-letor2,
ohsumed-letor3 and mq2008, each with S1.txt to S5.txt. The studies are correlation, robustness, likeness, gains,
informativeness, letter, power, swaps, thresholds, laws, users and training; all of them by default. What they find
replaces what stands in src/gradeval/papers/claims/measured.tsv, from which docs/making/findings.py writes the pages.
few_topics.py, beside this, counts how often intervals of few topics hold.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import ferrante
import laws
import robertson
import sakai
import scheel
import training
from claims import Found
from public_runs import Collection, read_collections

from gradeval.papers.claims_register import FOLDER

STUDIES: dict[str, Callable[[list[Collection]], Iterator[Found]]] = {
    "correlation": ferrante.correlation,
    "robustness": ferrante.robustness,
    "likeness": ferrante.likeness,
    "gains": sakai.gains,
    "informativeness": robertson.informativeness,
    "letter": robertson.letter,
    "power": robertson.power,
    "swaps": scheel.swaps,
    "thresholds": scheel.thresholds,
    "laws": laws.laws,
}
OF_FEATURES: dict[str, Callable[[Path], Iterator[Found]]] = {"users": scheel.users, "training": training.training}
MEASURED = FOLDER / "measured.tsv"


def main(folder: str, *names: str) -> None:
    """Compute the studies, and keep what they found of every claim in place of what was there."""
    data = Path(folder)
    collections = read_collections(data)
    studies = {name: partial(study, collections) for name, study in STUDIES.items()}
    studies |= {name: partial(study, data) for name, study in OF_FEATURES.items()}
    for name in names or studies:
        begin = time.perf_counter()
        keep(list(studies[name]()))
        print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)


def keep(found: list[Found]) -> None:
    """Write what was found, and what was there of other claims."""
    claims = {each.claim for each in found}
    rows = [[*each[:2], *(f"{number:.6g}" for number in each[2:])] for each in found]
    if MEASURED.exists():
        with open(MEASURED, encoding="utf-8", newline="") as file:
            _, *before = csv.reader(file, delimiter="\t")
        rows += [row for row in before if row[0] not in claims]
    lines = ["\t".join(row) for row in [list(Found._fields), *sorted(rows, key=lambda row: row[0])]]
    MEASURED.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
