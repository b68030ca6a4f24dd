"""Count everything that docs/inference.md states about coverage and write its tables.

    python benchmarks/coverage/table.py [PART ...] [--samples 1000]

GRADEVAL_DATA names the folder of the data, packed or unpacked. Parts are named in ``PARTS``; all of them by default,
which takes about an hour on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import clicks
import differences
import means
import ranks
import tests_of_pairs

PAGE = Path(__file__).parents[2] / "docs" / "inference.md"
PARTS: dict[str, Callable[[int], str]] = {
    "means": means.section,
    "pairs": tests_of_pairs.section,
    "ranks": ranks.section,
    "differences": differences.section,
    "clicks": clicks.section,
}
"""What counts a part of the page, from a number of samples; it stands between comments of its name."""


def main() -> None:
    """Count the parts that are asked for, print them, and put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--samples", type=int, default=1000, help="of topics; some parts take a share of it")
    options = parser.parse_args()
    for name in options.parts or PARTS:
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        block = f"{begin}{PARTS[name](options.samples)}\n{end}"
        print(block, flush=True)
        before, found, rest = PAGE.read_text().partition(begin)
        if not found:
            raise SystemExit(f"{PAGE} has no place for {name}: put {begin.strip()} and {end} there")
        PAGE.write_text(before + block + rest.partition(end)[2])


if __name__ == "__main__":
    main()
