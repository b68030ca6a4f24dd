"""The names under which other tools compute the same; tests/docs/test_peers.py asks those installed."""

from __future__ import annotations

from collections.abc import Iterator

from gradeval import parse_measure

TREC_EVAL = (
    "map map_cut_10 gm_map Rprec Rprec_mult_0.50 bpref gm_bpref recip_rank infAP 11pt_avg ndcg ndcg_cut_10 ndcg_rel "
    "Rndcg G binG set_P set_recall set_F set_map set_relative_P utility num_q num_ret num_rel num_rel_ret "
    "num_nonrel_judged_ret P_10 recall_10 relative_P_10 success_10 iprec_at_recall_0.50"
).split()
IR_MEASURES = (
    "AP AP(rel=2)@10 nDCG nDCG@10 P@10 P(rel=2)@10 R@10 RR Rprec Success@10 Bpref infAP "
    "SetP SetR SetF SetAP NumQ NumRel NumRet Judged@10"
).split()
RANX = (
    "hits@10 hit_rate@10 dcg@10 dcg_burges@10 precision@10 recall@10 f1@10 f1 r-precision mrr map map@10 ndcg ndcg@10 "
    "ndcg_burges@10 rbp.95"
).split()
SCIKIT_LEARN = {
    "ndcg_score(..., k=10)": "nDCG@10",
    "dcg_score(..., k=10)": "DCG@10",
    "roc_auc_score": "AUC",
    "average_precision_score": "AP",
}
NTCIREVAL = {"AP": "AP", "Q-measure": "Q", "MSnDCG": "nDCG", "RR": "RR"}
"""Compared as docs/agreement.md says; there is no test of it."""


def same_elsewhere(name: str) -> Iterator[tuple[str, str, str]]:
    """The tools that have a measure: tool, name there, spelling here."""
    for tool, theirs, ours in table():
        if parse_measure(ours).name == name:
            yield tool, theirs, ours


def table() -> Iterator[tuple[str, str, str]]:
    """All names of all tools, each with our spelling."""
    for tool, names in (("trec_eval", TREC_EVAL), ("ir_measures", IR_MEASURES), ("ranx", RANX)):
        yield from ((tool, name, str(parse_measure(name))) for name in names)
    for tool, pairs in (("scikit-learn", SCIKIT_LEARN), ("NTCIREVAL", NTCIREVAL)):
        yield from ((tool, theirs, ours) for theirs, ours in pairs.items())
