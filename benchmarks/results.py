"""The rows of the table of benchmarks, and the check that both sides compute the same values."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from timing import ratio


@dataclass(frozen=True)
class Row:
    """One line of the table: our seconds, the other's, taken in turn."""

    work: str
    ours: list[float]
    other: list[float]
    against: str
    unit: str = "s"  # "M": not seconds, but millions of instructions
    as_long: bool = False  # print the ratio of our time to the other's, not the speed-up

    def __str__(self) -> str:
        scale = {"s": 1, "ms": 1e3, "us": 1e6, "M": 1}[self.unit]
        mine = f"{statistics.median(self.ours) * scale:.3g} {self.unit}"
        theirs = f"{statistics.median(self.other) * scale:.3g} {self.unit}"
        if self.as_long:
            comparison = f"{ratio(self.ours, self.other):.3g}x as long"
        else:
            comparison = f"{ratio(self.other, self.ours):.3g}x faster"
        return f"| {self.work} | {mine} | {theirs} | {comparison} | {self.against} |"


def body(output: str) -> str:
    """Our tsv without its header."""
    return output.partition("\n")[2]


def read_means(output: str) -> dict[tuple[str, str], float]:
    """(run, measure) -> mean, from lines of run, topic, measure, value."""
    means: dict[tuple[str, str], float] = {}
    for line in output.splitlines():
        run, topic, measure, value = line.split("\t")
        if topic == "all":
            means[run, measure] = float(value)
    return means


def means_agree(ours: str, theirs: str, within: float) -> None:
    """Stop the benchmark where a mean differs by more than ``within``."""
    mine, other = read_means(ours), read_means(theirs)
    if mine.keys() != other.keys():
        raise SystemExit(f"different means: {sorted(mine.keys() ^ other.keys())[:6]}")
    worst = max(mine, key=lambda key: abs(mine[key] - other[key]))
    if abs(mine[worst] - other[worst]) > within:
        raise SystemExit(f"{worst}: {mine[worst]} against {other[worst]}")
