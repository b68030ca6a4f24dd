"""Zhai & Massung (2016), Text Data Management and Analysis, section 9.3."""

from __future__ import annotations

from gradeval.papers.item import Item, Printed

TITLE = "Zhai & Massung (2016): Text Data Management and Analysis, section 9.3"

ITEMS = (
    Item(
        "zhai16",
        "figure9.4",
        "What are precision and recall down a ranked list, and what is the area below their curve?",
        "curve",
        "QRELS RUNS...",
        "a ranking that the public copy of the text has lost",
        {"per_topic": True},
        lost="a picture; the public copy of the text has lost its ranking",
    ),
    Item(
        "zhai16",
        "figure9.6",
        "How is average precision calculated, rank by rank?",
        "gradeval.papers.worked:precision_example",
        "",
        "a list with the ranks and the number of relevant documents that the text names (--grades takes another)",
        differs="the first and the third relevant document stand at the ranks of which the text speaks",
        printed=Printed(),
    ),
)
