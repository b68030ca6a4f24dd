"""Ferrante, Ferro & Maistro (2014), Rethinking how to extend average precision to graded relevance."""

from __future__ import annotations

from gradeval.papers.item import Item, Printed

TITLE = "Ferrante, Ferro & Maistro (2014): Rethinking How to Extend Average Precision to Graded Relevance"
NIST = "runs from NIST on a signed request, judgments from trec.nist.gov"
TWO_GRADES = f"TREC 10 (2001 Web) and TREC 14 (2005 Robust): {NIST}"
THREE_GRADES = f"TREC 21 (2012 Web): {NIST}; its grade 4 is 3 (--recode 4=3)"
AGAINST_GAP = Printed(contrast="measure", against="GAP", trivial=("GAP",))
OTHERS = "nDCG RBP(rel=1) Bpref"
PARAMETERS = "nDCG and RBP have gradeval's parameters; --preset matters has the parameters of the text's library"
LIMITS = "the text takes orders above 0.9 for equivalent, and orders below 0.8 for noticeably changed"
RATES = "100,90,70,50,30,10,5"

ITEMS = (
    Item(
        "ferro14",
        "table1",
        "How large are the collections, and where are few documents highly relevant?",
        "describe",
        "QRELS [RUNS...]",
        f"{TWO_GRADES}; {THREE_GRADES}",
        printed=Printed(),
    ),
    Item(
        "ferro14",
        "table2",
        "Two positive grades: do GAP, xGAP and eGAP order runs as other measures do, for which users?",
        "correlate_users",
        "QRELS RUNS...",
        TWO_GRADES,
        {"topics": "all,few:2", "runs": "above-q1:AP", "samples": "0"},
        grades=2,
        differs=f"{PARAMETERS}; {LIMITS}",
        printed=AGAINST_GAP,
    ),
    Item(
        "ferro14",
        "table3",
        "Three positive grades: do GAP, xGAP and eGAP order runs as other measures do, for which users?",
        "correlate_users",
        "QRELS RUNS...",
        THREE_GRADES,
        {"topics": "all,few:2,few:3", "runs": "above-q1:AP", "samples": "0"},
        grades=3,
        differs="as in table2; equal shares of users stand in the grid, too",
        printed=AGAINST_GAP,
    ),
    Item(
        "ferro14",
        "figure1",
        "Two positive grades: do runs keep their order where part of the pool was never judged?",
        "robustness",
        "QRELS RUNS...",
        TWO_GRADES,
        {
            "measures": f"AP GAP(g=[0.1,0.9]) xGAP(g=[0.1,0.9]) eGAP(g=[0.1,0.9]) {OTHERS}",
            "topics": "all,few:2",
            "runs": "above-q1:AP",
            "rates": RATES,
        },
        grades=2,
        differs="the mean over 10 thinned pools (--samples)",
    ),
    Item(
        "ferro14",
        "figure2",
        "Three positive grades: do runs keep their order where part of the pool was never judged?",
        "robustness",
        "QRELS RUNS...",
        THREE_GRADES,
        {
            "measures": f"AP GAP(g=[0.2,0.2,0.6]) xGAP(g=[0.2,0.2,0.6]) eGAP(g=[0.2,0.2,0.6]) {OTHERS}",
            "topics": "all,few:2,few:3",
            "runs": "above-q1:AP",
            "rates": RATES,
        },
        grades=3,
        differs="the mean over 10 thinned pools (--samples)",
    ),
)
