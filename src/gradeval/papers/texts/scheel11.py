"""Scheel, Lommatzsch & Albayrak (2011), Performance measures for multi-graded relevance."""

from __future__ import annotations

from gradeval.papers.item import Item, Printed

TITLE = "Scheel, Lommatzsch & Albayrak (2011): Performance Measures for Multi-Graded Relevance"
OHSUMED = "OHSUMED of LETOR 2.0: its five parts, features 1 to 25"
MADE = "made data: the command makes its own"

ITEMS = (
    Item(
        "scheel11",
        "table1",
        "How does average precision depend on the grade from which on documents are relevant?",
        "gradeval.papers.worked:threshold_example",
        "",
        "a list of eight ratings, as it stands in the text (--grades takes another)",
        printed=Printed(),
    ),
    Item(
        "scheel11",
        "table2",
        "How does NDCG depend on the scale of the ratings, and NDCNG not?",
        "gradeval.papers.worked:scale_example",
        "",
        "the list of table1, and the same with twice the ratings (--grades takes another)",
        differs="columns A to H are the ranks; the last example is NDCNG",
        printed=Printed(),
    ),
    Item(
        "scheel11",
        "figure4",
        "How fast do measures fall as a ranking is shuffled, and does the number of levels matter?",
        "swaps",
        "",
        MADE,
    ),
    Item(
        "scheel11",
        "figure5",
        "Where levels have unequal numbers of items, or none: how fast do measures fall, and does their number matter?",
        "swaps",
        "",
        MADE,
        {"shares": "dirichlet:0.5"},
        differs="the text does not say how shares are drawn: here from a Dirichlet distribution (--shares)",
    ),
    Item(
        "scheel11",
        "figure6",
        "How do eight strategies do by the labels, grade by grade, by muMAP, NDCG and NDCNG?",
        "virtual_users",
        "FILES...",
        OHSUMED,
        {"users": "labels"},
    ),
    Item(
        "scheel11",
        "figure7",
        "How do eight strategies do by a virtual user of 9 levels, the first feature?",
        "virtual_users",
        "FILES...",
        OHSUMED,
        {"users": "1:ranks", "empty": "skip"},
        differs="queries without a grade are left out at its threshold, as the text's statements ask for",
    ),
    Item(
        "scheel11",
        "figure8",
        "How do eight strategies do by a virtual user of very many levels, the ninth feature?",
        "virtual_users",
        "FILES...",
        OHSUMED,
        {"users": "1:ranks,9:values", "empty": "skip"},
        differs="the public files have 1,126 levels, the text 158; figure 7 follows, with the changes",
    ),
)
