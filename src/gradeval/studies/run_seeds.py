"""Runs that may be seeds of the same systems, as their names tell: A_s1, A_s2, B_s1, B_s2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradeval.messages import list_some
from gradeval.warning_categories import Note, NoteWeight

SEED = re.compile(r"(.*?\w)(?:[._-](?:seed|run|rep|r|s)[._-]?\d+|[_-]\d|(?<!\d)\.\d)", re.IGNORECASE)
"""A system, and its seed behind; a dot behind a digit belongs to a version or a setting."""
FEWEST = 2
"""So many systems, and seeds of each, are no chance."""


def seeds_by_system(runs: Sequence[str]) -> dict[str, list[str]]:
    """The runs of each system with several seeds; empty where these are few systems, or less than half of the runs."""
    systems: dict[str, list[str]] = {}
    for run in runs:
        if (found := SEED.fullmatch(run)) is not None:
            systems.setdefault(found[1], []).append(run)
    several = {system: seeds for system, seeds in systems.items() if len(seeds) >= FEWEST}
    return several if len(several) >= FEWEST and 2 * sum(map(len, several.values())) >= len(runs) else {}


def about_seeds(runs: Sequence[str]) -> Iterator[Note]:
    """That each seed counts as a system, and where to read how to average them."""
    if systems := seeds_by_system(runs):
        seeds = [run for some in systems.values() for run in some]
        yield Note(
            f"if {list_some(seeds, 3)} are seeds of {list_some([*systems], 3)}, average them by topic first "
            "(docs/getting-started/compare-two-variants.md#seeds-of-a-system): here each counts as a system",
            own_weight=NoteWeight.OMISSION,
        )
