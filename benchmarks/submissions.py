"""How fast is a shared task scored? The 126 runs of TREC-COVID round 5, from the shell, against a peer.

python benchmarks/submissions.py DATA        # DATA holds trec-covid-r5, unpacked
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from results import Row, body, means_agree
from timing import in_turn, seconds

HERE = Path(__file__).parent
FOUR = "AP nDCG@20 P@20 Bpref"
MANY = (
    "AP nDCG@20 P@20 Bpref GAP GAP(g=[0.1,0.9]) xGAP eGAP muAP NDCNG@20 nDCG(dcg='exp-log2')@10 MeannDCG@20 "
    "Q Q(beta=10)@100 AWP RWP RMeasure RBP RBP(p=0.5) ERR@20 nERR@20 infAP Rprec RR gP@20"
)


def measure(data: Path) -> list[Row]:
    """The rows of the table: four measures against the peers, 25 measures and a report against four."""
    collection = data / "trec-covid-r5"
    qrels, runs = str(collection / "qrels.txt"), sorted(map(str, (collection / "runs").iterdir()))
    ours = [sys.executable, "-m", "gradeval", "evaluate", qrels, *runs, "--names", "file", "--format", "tsv", "-m"]
    assert len(MANY.split()) == 25
    peer = [sys.executable, str(HERE / "peer_ir_measures.py"), qrels, FOUR, *runs]
    four, many, peers = in_turn([[*ours, FOUR], [*ours, MANY], peer], rounds=3)
    # The peer compares scores in single precision, so a few runs with near-ties differ in the third digit.
    means_agree(body(four[0].output), peers[0].output, within=2e-3)
    with tempfile.TemporaryDirectory() as folder:
        page = [sys.executable, "-m", "gradeval", "report", qrels, *runs, "-o", f"{folder}/report.html"]
        reports, again = in_turn([page, [*ours, FOUR]], rounds=3)
    means_agree(body(again[0].output), body(four[0].output), within=0)
    return [
        Row(
            "126 run files (5.7 M lines), 4 measures, whole process",
            seconds(four),
            seconds(peers),
            "ir_measures over pytrec_eval-terrier, one process",
        ),
        Row(
            "the same with 25 measures of all graded families",
            seconds(many),
            seconds(four),
            "gradeval with 4",
            as_long=True,
        ),
        Row(
            "a report on them with all studies, whole process",
            seconds(reports),
            seconds(again),
            "gradeval evaluate with 4 measures",
            as_long=True,
        ),
    ]


if __name__ == "__main__":
    for row in measure(Path(sys.argv[1])):
        print(row)
