"""How many pairs of runs of TREC DL 2021 are told apart by preferences, and how many by measures?

python benchmarks/preferences.py DATA        # DATA holds trec-dl21-passage, unpacked; its table goes into PAGE
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import get_args

from gradeval import judge, preferences
from gradeval.studies.correlation import kendall_tau
from gradeval.studies.preferences import PreferenceRule, Preferences

PAGE = Path(__file__).parents[1] / "docs" / "studies" / "preferences.md"
MEASURES = "AP AP(rel=2) nDCG@10 GAP RR(rel=2)"
BEST = "top:15:nDCG@10"
HEAD = """| by | told apart | topics tied | tau | of the best 15 | topics tied | tau |
|---|--:|--:|--:|--:|--:|--:|"""


def main(data: str) -> None:
    """Count, and put the table into the page."""
    collection = Path(data) / "trec-dl21-passage"
    judged = judge(collection / "qrels.txt", sorted((collection / "runs").iterdir()))
    whole = [preferences.silently(judged, measures=MEASURES, rule=rule) for rule in get_args(PreferenceRule)]
    best = [preferences.silently(judged, measures=MEASURES, rule=rule, runs=BEST) for rule in get_args(PreferenceRule)]
    columns = [cells(results) for results in (whole, best)]
    rows = [f"| {name} | {' | '.join([*columns[0][name], *columns[1][name]])} |" for name in columns[0]]
    about = (
        f"{len(whole[0].runs)} runs ({len(whole[0].pairs):,} pairs) and the 15 best by nDCG@10 ({len(best[0].pairs)} "
        f"pairs), {len(whole[0].topics)} topics; {whole[0].samples:,} and {best[0].samples:,} samples. tau: Kendall's, "
        "of the order of the runs with that by nDCG@10."
    )
    block = "<!-- pairs:begin -->\n" + "\n".join([HEAD, *rows]) + f"\n\n{about}\n<!-- pairs:end -->"
    text = PAGE.read_text()
    PAGE.write_text(re.sub("<!-- pairs:begin -->.*?<!-- pairs:end -->", lambda _: block, text, flags=re.DOTALL))
    print(block)


def cells(results: list[Preferences]) -> dict[str, list[str]]:
    """By the name of each rule and measure: pairs told apart, the share of topics that tie, and tau."""
    reference = results[0].means[:, [str(one) for one in results[0].measures].index("nDCG@10")]
    found = {}
    for place, name in enumerate(results[0].ways):
        several = results if place == 0 else results[:1]
        for one in several:
            order = one.preferred if place == 0 else one.means[:, place - 1]
            apart = int(one.significant[place].sum())
            tied = one.ties[place].sum() / (one.counted[place] * len(one.pairs))
            tau = float(kendall_tau(order, reference))
            found[one.rule if place == 0 else name] = [f"{apart / len(one.pairs):.1%}", f"{tied:.1%}", f"{tau:.2f}"]
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
