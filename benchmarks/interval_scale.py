"""Would the order of the runs of TREC DL 2021 survive, if all values of a measure were equally far apart?

python benchmarks/interval_scale.py DATA        # DATA holds trec-dl21-passage, unpacked; its table goes into PAGE
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from gradeval import interval_scale, judge

PAGE = Path(__file__).parents[1] / "docs" / "studies" / "interval-scales.md"
MEASURES = "P(rel=2)@10 RR(rel=2)@10 AP(rel=2)@10 nDCG@5 nDCG@10 RBP ERR@10 ERR@20 AP AP(rel=2) GAP"
HEAD = """| measure | values | tau | swapped | told apart | by steps | by both |
|---|---|--:|--:|--:|--:|--:|"""


def main(data: str) -> None:
    """Compute, and put the table into the page."""
    collection = Path(data) / "trec-dl21-passage"
    judged = judge(collection / "qrels.txt", sorted((collection / "runs").iterdir()))
    found = interval_scale.silently(judged, measures=MEASURES)
    rows = [f"| {' | '.join(cells[:7])} |" for cells in found.table(2).grids[0].texts()]
    about = f"{len(found.runs)} runs, {len(found.pairs):,} pairs, {len(found.topics)} topics."
    block = "<!-- steps:begin -->\n" + "\n".join([HEAD, *rows]) + f"\n\n{about}\n<!-- steps:end -->"
    text = PAGE.read_text()
    PAGE.write_text(re.sub("<!-- steps:begin -->.*?<!-- steps:end -->", lambda _: block, text, flags=re.DOTALL))
    print(block)


if __name__ == "__main__":
    main(*sys.argv[1:])
