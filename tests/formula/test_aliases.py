from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gradeval
from gradeval import AP, InputError, nDCG, parse_measure
from gradeval.formula.aliases import ELSEWHERE, explain_elsewhere
from gradeval.formula.definition import REGISTRY
from gradeval.formula.spelling import ALIASES, CUT_ALIASES, parse_measures

SPELLINGS = """
map AP      map_cut_10 AP@10        ndcg nDCG         ndcg_cut_20 nDCG@20     ndcg_cut_10 nDCG@10    P_5 P@5    P.5 P@5
recall_1000 R@1000                  recip_rank RR     MRR@10 RR@10            mrr@10 RR@10             ndcg@10 nDCG@10
Rprec Rprec                         set_map SetAP     num_rel_ret NumRelRet   11pt_avg IPrec11(mode='trec9')
MAP(rel=2) AP(rel=2)                iprec_at_recall_0.20 IPrec(mode='trec9')@0.2                  ndcg_cut.10 nDCG@10
iprec_at_recall.0.2 IPrec(mode='trec9')@0.2           Rprec_mult_0.20 Rprec(multiple=0.2)
Rprec_mult.0.2 Rprec(multiple=0.2)  relative_P_5 RelP@5                       Rndcg RnDCG              gm_bpref gmBpref
ndcg.1=3,2=9 nDCG(gains={1:3,2:9})  G.1=3.5 G(gains={1:3.5})                  Rndcg.2=4 RnDCG(gains={2:4})
set_F.0.5 SetF(beta=0.5)            utility.1,-2,0,0.5 Utility(p2=-2,p4=0.5)  utility Utility          f1 SetF
f1@10 F@10  hits@10 Hits@10         hit_rate@10 Success@10                    r-precision Rprec        AP-l2 AP(rel=2)
rbp.95 RBP(p=0.95,rel=1)            rbp.5-l2 RBP(p=0.5,rel=2)                 map@100-l2 AP(rel=2)@100
ndcg@10-l1 nDCG@10                  ndcg@10-l3 nDCG(gains={1:0,2:0})@10       ndcg_burges@10 nDCG(dcg='exp-log2')@10
ndcg_at_10 nDCG@10  mrr_at_10 RR@10         precision_at_1 P@1  map_at_10 AP@10   recall_at_100 R@100  f1_at_5 F@5
MRR_AT_10 RR@10     nDCG_at_10 nDCG@10      Precision_At_1 P@1  P_at_5 P@5        ndcg_at_10-l2 nDCG(gains={1:0})@10
hit_rate_at_10 Success@10                   HR@10 Success@10    hr_at_10 Success@10                    Hit@10 Success@10
accuracy@10 Success@10                      accuracy_at_1 Success@1               GAP_at_100 GAP@100
recall_cap@100 RelP@100             R_cap@100 RelP@100  recall_cap_at_10 RelP@10  recall_cap RelP   hr_at_5 Success@5
HitRate@10 Success@10                  HitRatio@10 Success@10                    hit_ratio@10 Success@10
Precision(rel=2)@5 P(rel=2)@5       ndcg_burges(discount='jk')@10 nDCG(dcg='exp-log2',discount='jk')@10
""".split()
"""Names that other tools have, and ours beside them."""


@pytest.mark.parametrize(("text", "spelling"), list(zip(SPELLINGS[::2], SPELLINGS[1::2], strict=True)))
def test_names_of_other_tools_are_read_with_their_parameters(text: str, spelling: str) -> None:
    assert str(parse_measure(text)) == spelling


@pytest.mark.parametrize("change", [str.upper, str.lower, str.swapcase, str.title])
def test_names_are_read_in_any_case(change: Callable[[str], str]) -> None:
    for name in gradeval.measures.__all__:
        if name in REGISTRY:
            assert parse_measure(change(name)) == REGISTRY[name]
    for alias in ALIASES:
        assert parse_measure(change(alias)) == parse_measure(alias)
    for stem in CUT_ALIASES:
        for spelling in (f"{stem}_1", f"{stem}.1"):
            assert parse_measure(change(spelling)) == parse_measure(spelling)
    assert parse_measure("Ndcg(dcg='exp-log2')@10") == nDCG(dcg="exp-log2") @ 10
    assert not REGISTRY.keys() & ALIASES.keys(), "a measure's own name is no alias"


def test_a_name_that_two_measures_have_in_other_cases_is_an_error_that_names_both() -> None:
    @gradeval.measure
    def Ap(judged: gradeval.JudgedRankings) -> Any:
        """Another measure of that name."""
        return judged.retrieved * 0.0

    try:
        assert parse_measure("AP") is AP
        assert parse_measure("Ap") is Ap
        assert parse_measure("map") == AP
        with pytest.raises(InputError, match="the measure 'ap' may be AP or Ap: write one of them"):
            parse_measure("ap")
    finally:
        del REGISTRY["Ap"]


def test_spellings_of_ir_measures_are_read() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    texts = ["AP(rel=2)@100", "P(rel=2)@5", "nDCG@10", "nDCG(dcg='exp-log2')@10", "RBP(p=0.9)", "RR@10", "R@1000"]
    texts += ["Bpref(rel=2)", "Rprec", "infAP", "IPrec@0.2", "Success@5", "SetF(beta=0.5)", "NumRet(rel=1)", "ERR@20"]
    texts += ["Judged@10", "AP(judged_only=True)", "SetAP", "NumQ", "NumRel"]
    for text in texts:
        assert str(parse_measure(str(ir_measures.parse_measure(text)))) == text
        assert str(ir_measures.parse_measure(str(parse_measure(text)))) == text
    assert parse_measures([ir_measures.SetRelP, ir_measures.SetRelP(rel=2), ir_measures.SetP(relative=False)]) == [
        parse_measure("SetRelP"),
        parse_measure("SetRelP(rel=2)"),
        parse_measure("SetP"),
    ]


@pytest.mark.parametrize(
    ("name", "meant"), [("ndcg10", "nDCG@10"), ("P10", "P@10"), ("map100", "AP@100"), ("mrr_5", "RR@5")]
)
def test_a_number_at_the_end_of_a_name_is_taken_for_a_cutoff(name: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf"unknown measure '{name}' \(did you mean {meant}\?\)"):
        parse_measure(name)


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("alpha_nDCG@10", "needs judgments by subtopic; ndeval, or ir_measures with pyndeval has it"),
        ("alpha-nDCG@10", "pyndeval"),
        ("\u03b1_nDCG", "pyndeval"),
        ("err_ia@20", "pyndeval"),
        ("strec@10", "pyndeval"),
        ("nNRBP", "pyndeval"),
        ("Accuracy(rel=2)", "ir_measures has it"),
        ("hole@10", "(not for this topic: Unjudged@k); BEIR has it"),
        ("Hole_at_10", "Unjudged@k"),
        ("rpp", "the command gradeval preferences has it"),
        ("adm", "the command gradeval adm has it"),
        ("CTR", "an experimentation platform (docs/coming-from/not-here.md) has it"),
        ("GiniIndex@10", "it is a measure of all lists together, which needs no judgments; RecTools"),
        ("gini_index", "it is a measure of all lists together, which needs no judgments; RecTools"),
        ("Personalization", "all lists together"),
        ("UserCoverage", "all lists together"),
        ("Entropy", "all lists together"),
        ("IntraListDiversity@10", "how alike the items of a list are, which needs their features; RecTools"),
        ("ild@10", "how alike the items of a list are"),
        ("Diversity", "how alike the items of a list are"),
        ("AvgPop@5", "it is a measure of popularity, which needs how often the training data has each item"),
        ("ARP", "popularity"),
        ("EPC@10", "popularity"),
        ("EFD@10", "popularity"),
        ("Novelty", "popularity"),
        ("Serendipity", "which needs what each user took before; RecTools, Recommenders or RePlay"),
        ("Unexpectedness", "what each user took before"),
        ("PSP@5", "pyxclib (docs/coming-from/not-here.md) has it"),
        ("RMSE", "scikit-learn (docs/coming-from/not-here.md) has it"),
        ("coverage@10", "RecTools, LensKit, Elliot or recmetrics (docs/coming-from/not-here.md) has it"),
    ],
)
def test_measures_that_other_tools_have_are_said_to_be_theirs(name: str, who: str) -> None:
    with pytest.raises(InputError, match="is not offered: it is ") as error:
        parse_measure(name)
    assert who in str(error.value)
    with pytest.raises(InputError, match="is not offered"):
        parse_measures(f"AP {name}")


def test_a_measure_is_offered_here_or_said_to_be_elsewhere() -> None:
    """Every name that ir_measures has is one of ours, an alias, or explained."""
    ir_measures = pytest.importorskip("ir_measures")
    for name in ELSEWHERE:
        assert explain_elsewhere(name)
        assert name not in REGISTRY
    for name in {str(known.NAME) for known in ir_measures.measures.registry.values()} - REGISTRY.keys():
        assert explain_elsewhere(name) is not None, name


def test_the_page_of_what_is_not_here_names_these_measures() -> None:
    page = Path(__file__).parents[2].joinpath("docs/coming-from/not-here.md").read_text(encoding="utf-8").casefold()
    other_names = {"map_ia": "ap_ia", "strec": "strecall"}
    for name in ELSEWHERE:
        assert f"`{other_names.get(name.casefold(), name.casefold())}`" in page, name


def test_the_scale_is_that_of_the_collection_and_no_parameter() -> None:
    with pytest.raises(
        InputError, match=r"INST has no parameter 'max_rel': leave it out, as the collection has one scale: --lev"
    ):
        parse_measure("INST(T=2,max_rel=3)")


@pytest.mark.parametrize("name", ["ndcg.1", "ndcg.x=1", "ndcg.1=x", "ndcg.1=2=3", "G.1=2,3"])
def test_gains_that_are_no_pairs_of_numbers_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        parse_measure(name)
