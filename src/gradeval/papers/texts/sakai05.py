"""Sakai (2005), Ranking the NTCIR systems based on multigrade relevance."""

from __future__ import annotations

from gradeval.papers.item import Item, Takes, TypedParameters

TITLE = "Sakai (2005): Ranking the NTCIR Systems Based on Multigrade Relevance"
ORIGINALS = "NTCIR-3 CLIR (NTCIR-4 above the tables of the text), {}: runs and judgments from NII on a signed request"
LOST = "the public copy of the text has lost the numbers of this table"
SEVERAL: Takes = "QRELS RUNS... | --collection NAME QRELS RUNS ..."
ONE: TypedParameters = {"statistic": "spearman,kendall", "samples": "0"}
Q: TypedParameters = {**ONE, "tables": "Q"}
R_MEASURE: TypedParameters = {**ONE, "tables": "RMeasure"}
OF_Q = "How do Q and AWP with several gains, and relaxed and rigid AP, order runs {}?"
OF_R = "How do R-measure and R-WP with several gains, and R-precision, order runs {}?"
MEAN = "on average over collections (--collection NAME QRELS RUNS, each)"
GAINS = "gains for other numbers of grades than three are made alike (--gains takes yours)"
EQUAL = f"{GAINS}; equal gains, which make both R-precision, stand there, too, and in the text's tables do not"
RUNS = ("C-runs", "J-runs", "E-runs")

ITEMS = (
    *(
        Item(
            "sakai05",
            f"table{number}",
            OF_Q.format(f"as on the {runs}"),
            "correlate_gains",
            SEVERAL,
            ORIGINALS.format(runs),
            Q,
            differs=GAINS,
            lost=LOST,
        )
        for number, runs in enumerate(RUNS, 1)
    ),
    Item(
        "sakai05",
        "table4",
        OF_Q.format(MEAN),
        "correlate_gains",
        SEVERAL,
        ORIGINALS.format("C-, J-, E- and K-runs"),
        Q,
        differs=GAINS,
        lost=LOST,
    ),
    Item(
        "sakai05",
        "figures",
        "Which measures swap runs that stand in the order of relaxed AP?",
        "run_swaps",
        "QRELS RUNS...",
        ORIGINALS.format("C-, J-, E- and K-runs"),
        {"measures": "AP AP(rel=2) Q AWP"},
        differs="a rise of a curve is a swap; rigid is AP from grade 2 on",
        lost="pictures, which the public copy of the text has lost",
    ),
    *(
        Item(
            "sakai05",
            f"table{number}",
            OF_R.format(f"as on the {runs}"),
            "correlate_gains",
            SEVERAL,
            ORIGINALS.format(runs),
            R_MEASURE,
            differs=EQUAL,
            lost=LOST,
        )
        for number, runs in enumerate(RUNS, 5)
    ),
    Item(
        "sakai05",
        "table8",
        OF_R.format(MEAN),
        "correlate_gains",
        SEVERAL,
        ORIGINALS.format("C-, J-, E- and K-runs"),
        R_MEASURE,
        differs=EQUAL,
        lost=LOST,
    ),
)
