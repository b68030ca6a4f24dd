"""A drawn collection, and its judgments without documents that went."""

from __future__ import annotations

from gradeval import Qrels
from gradeval.formula.arithmetic import Array

MEASURES = "AP AP(rel=2) GAP(g=[0.1,0.9]) xGAP(g=[0.1,0.9]) eGAP(g=[0.1,0.9]) nDCG Q ERR@10 RBP(p=0.8,rel=1) Bpref P@5"


def thinned_qrels(qrels: Qrels, kept: Array) -> Qrels:
    """The qrels without the documents that went; read as if they had never been in the pool."""
    table, place = {}, 0
    for topic in qrels.topics:
        grades = qrels.of(topic)
        table[topic] = {doc: grade for doc, grade in grades.items() if kept[place + list(grades).index(doc)]}
        place += len(grades)
    return Qrels.from_dict(table).with_levels(qrels.levels)
