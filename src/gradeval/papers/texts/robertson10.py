"""Robertson, Kanoulas & Yilmaz (2010), Extending average precision to graded relevance judgments."""

from __future__ import annotations

from gradeval.papers.item import Item, TypedParameters

TITLE = "Robertson, Kanoulas & Yilmaz (2010): Extending Average Precision to Graded Relevance Judgments"
TREC = "TREC 9, 10 (Web) and 12 (Robust, topics 601-650): runs from NIST on a signed request"
WEB = "5,000 queries of a web search engine: private; any set of features with grades instead"
OHSUMED = "OHSUMED of LETOR: its five parts"
EXPONENTIAL = "nDCG(dcg='exp-log2')"
LOST = "the public copy of the text has lost the numbers of this table"
TRAINED = tuple(
    f"{method}:{measure}" for method in ("softrank", "lambdarank") for measure in (EXPONENTIAL, "GAP", "AP")
)
TRAINING: TypedParameters = {"objectives": TRAINED, "ranker": "neural", "measures": f"{EXPONENTIAL}@10 AP P@10"}
NETWORKS = "networks of 10 hidden units (--hidden); --ranker linear is faster"

ITEMS = (
    Item(
        "robertson10",
        "curves",
        "Section 3.2: what are precision and recall when documents have grades, and is GAP the area below their curve?",
        "curve",
        "QRELS RUNS...",
        "no collection: a definition",
        {"g": "uniform"},
        lost="a definition, without numbers",
    ),
    Item(
        "robertson10",
        "figure1",
        "Which ranking of maximum entropy does the value of GAP or nDCG suggest?",
        "infer_curves",
        "QRELS RUNS...",
        TREC,
        {"measures": f"GAP {EXPONENTIAL}"},
        differs="the figure states the problem; here are its solutions, ranking by ranking",
        lost="the formulation of a problem, without numbers",
    ),
    Item(
        "robertson10",
        "figure2",
        "For which users does GAP tell most of a ranking, and more than nDCG?",
        "inform_users",
        "QRELS RUNS...",
        TREC,
        {"measures": f"{EXPONENTIAL} AP"},
        differs="xGAP and eGAP are computed with GAP; lists hold what they retrieved (--counts pool: all there is)",
    ),
    Item(
        "robertson10",
        "footnote1",
        "Which of four nDCGs, GAP and AP tells most about a ranking?",
        "inform",
        "QRELS RUNS...",
        TREC,
        lost="the text prints no numbers",
    ),
    Item(
        "robertson10",
        "informativeness",
        "Does GAP with equal shares tell more of rankings than AP and nDCG do?",
        "rms_differences",
        "QRELS RUNS...",
        TREC,
        {"measures": f"GAP AP {EXPONENTIAL}"},
        differs="the differences behind figure2, with intervals",
        lost="the text prints no numbers",
    ),
    Item(
        "robertson10",
        "figure3",
        "How many pairs of runs do GAP and nDCG tell apart?",
        "discriminate",
        "QRELS RUNS...",
        TREC,
        {"measures": f"GAP {EXPONENTIAL}"},
    ),
    Item(
        "robertson10",
        "figure3-top15",
        "The inner plot: how many pairs of the 15 best runs do GAP and nDCG tell apart?",
        "discriminate",
        "QRELS RUNS...",
        TREC,
        {"measures": f"GAP {EXPONENTIAL}", "runs": "top:15"},
    ),
    Item(
        "robertson10",
        "power",
        "By how much do GAP and nDCG differ in the pairs that they tell apart?",
        "power_differences",
        "QRELS RUNS...",
        TREC,
        {"measures": f"GAP {EXPONENTIAL}"},
        differs="the difference behind figure3, with its interval; --runs top:15 for the inner plot",
        lost="the text prints no numbers",
    ),
    Item(
        "robertson10",
        "table1",
        "Does it matter on a large web collection whether rankers are trained for GAP, nDCG or AP?",
        "gradeval.ltr:crossval",
        "PARTS...",
        WEB,
        TRAINING,
        differs=NETWORKS,
        lost=LOST,
    ),
    Item(
        "robertson10",
        "table2",
        "Does it matter on OHSUMED whether rankers are trained for GAP, nDCG or AP?",
        "gradeval.ltr:crossval",
        "PARTS...",
        OHSUMED,
        TRAINING,
        differs=NETWORKS,
        lost=LOST,
    ),
)
