"""Measures of users who stop, through cwl_eval as ir_measures calls it."""

from __future__ import annotations

import random

import pytest

from gradeval import evaluate

ir_measures = pytest.importorskip("ir_measures")
pytest.importorskip("cwl", reason="cwl-eval is not installed")
pytestmark = pytest.mark.peers

OURS = "INST BPM@20 NERR8@10 NERR9@10 NERR10 NERR11(T=2) INSQ(T=2) SDCG@10 BPM(T=2)@10"
THEIRS = (
    "INST(max_rel=4) BPM(max_rel=4)@20 NERR8(max_rel=4)@10 NERR9(max_rel=4)@10 NERR10(max_rel=4) "
    "NERR11(T=2.0,max_rel=4) INSQ(T=2.0,max_rel=4) SDCG(max_rel=4)@10 BPM(T=2.0,max_rel=4)@10"
)


def test_rates_of_gain_are_those_of_cwl_eval() -> None:
    drawn = random.Random(1)
    qrels, run = {}, {}
    for topic in map(str, range(12)):
        qrels[topic] = {"best": 4, **{f"d{j}": drawn.choice([0, 0, 1, 2, 3, 4]) for j in range(30)}}
        documents = drawn.sample(sorted(qrels[topic]), 20) + [f"unjudged{j}" for j in range(980)]
        head = documents[:40]
        drawn.shuffle(head)
        run[topic] = {document: 2000.0 - rank for rank, document in enumerate(head + documents[40:])}
    measures = [ir_measures.parse_measure(text) for text in THEIRS.split()]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    ours = dict(zip(OURS.split(), evaluate(qrels, run, OURS).mean()[0], strict=True))
    for measure, name in zip(measures, ours, strict=True):
        endless = name.startswith("INS")  # cwl_eval ends at rank 1,000; the ranks beyond weigh about 1 / 1,000
        assert ours[name] == pytest.approx(
            theirs[measure], rel=5e-3 if endless else 1e-3 if name == "NERR11(T=2)" else 1e-9
        )
