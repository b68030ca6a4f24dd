"""Names of runs without the endings of their files, and the run that a name stands for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

ENDINGS = re.compile(
    r"(?<=.)(\.(csv|tsv|txt|jsonl?|ndjson|parquet|pq|feather|arrow|ipc|run|res|trec|gz|bz2|xz|zst|zip))+$",
    re.IGNORECASE,
)
"""How files of runs end; other dots, as in bm25.v2, belong to the name."""


def drop_endings(runs: Sequence[str]) -> list[str]:
    """The names without the endings of files, where no two runs get one name by that.

    >>> drop_endings(["a.csv", "b.csv", "b.tsv", "c.v2"])
    ['a', 'b.csv', 'b.tsv', 'c.v2']
    """
    short = [ENDINGS.sub("", run) for run in runs]
    often = Counter([*short, *(run for run, name in zip(runs, short, strict=True) if run != name)])
    return [name if often[name] == 1 else run for run, name in zip(runs, short, strict=True)]


def find_run(name: str, runs: Sequence[str]) -> str | None:
    """The run of this name, or the only one whose name is the same without the ending of a file; None: there is none.

    >>> find_run("a", ["a.csv", "b.csv"])
    'a.csv'
    """
    if name in runs or not isinstance(name, str):
        return name if name in runs else None
    alike = [run for run in runs if ENDINGS.sub("", run) == ENDINGS.sub("", name)]
    return alike[0] if len(alike) == 1 else None
