"""Count everything that docs/inference.md and the pages behind it state about coverage, and write their tables.

    python benchmarks/coverage/table.py [PART ...] [--samples 1000]

GRADEVAL_DATA names the folder of the data, packed or unpacked. Parts are named in ``PARTS``; all of them by default,
which takes about an hour on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import clicks
import conformal
import differences
import gate
import judge_verdicts
import means
import objectives_compared
import ranks
import sampled
import skewed_pairs
import tests_of_pairs
import unjudged_losses

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "inference.md", *sorted((DOCS / "inference").glob("*.md")), *sorted((DOCS / "judges").glob("*.md"))]
PARTS: dict[str, Callable[[int], str]] = {
    "means": means.section,
    "widths": means.section_of_kinds,
    "pairs": tests_of_pairs.section,
    "skewed": skewed_pairs.section,
    "ranks": ranks.section,
    "objectives": objectives_compared.section,
    "differences": differences.section,
    "rms": differences.section_of_rms,
    "clicks": clicks.section,
    "gate": gate.section,
    "unjudged": unjudged_losses.section,
    "sampled": sampled.section,
    "verdicts": judge_verdicts.section,
    "conformal": conformal.section,
}
"""What counts a part of the pages, from a number of samples; it stands between comments of its name."""


def main() -> None:
    """Count the parts that are asked for, print them, and put each into the page that has a place for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--samples", type=int, default=1000, help="of topics; some parts take a share of it")
    options = parser.parse_args()
    for name in options.parts or PARTS:
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        page = next((one for one in PAGES if begin in one.read_text()), None)
        if page is None:
            raise SystemExit(f"no page has a place for {name}: put {begin.strip()} and {end} where it is to stand")
        block = f"{begin}{PARTS[name](options.samples)}\n{end}"
        print(block, flush=True)
        before, _, rest = page.read_text().partition(begin)
        page.write_text(before + block + rest.partition(end)[2])


if __name__ == "__main__":
    main()
