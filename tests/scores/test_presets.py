from __future__ import annotations

import pytest

from gradeval import InputError, describe, parse_measure
from gradeval.formula.definition import REGISTRY
from gradeval.scores.presets import PRESETS, configure_measures, configure_one


@pytest.mark.parametrize("name", PRESETS)
def test_presets_set_parameters_that_measures_have(name: str) -> None:
    for measure, parameters in PRESETS[name].parameters.items():
        REGISTRY[measure].configured(parameters)


@pytest.mark.parametrize(
    ("preset", "spelling", "meant"),
    [
        ("letor", "nDCG@10", "nDCG(dcg='exp-log2',discount='letor')@10"),
        ("letor", "MeannDCG@10", "MeannDCG(dcg='exp-log2',discount='letor')@10"),
        ("letor", "nDCG(discount='ms')@10", "nDCG(dcg='exp-log2')@10"),
        ("letor", "nDCG(dcg='log2')@10", "nDCG(discount='letor')@10"),
        ("letor", "nDCG(gains={1:1,2:5})", "nDCG(gains={1:1,2:5},discount='letor')"),
        ("letor", "AP", "AP"),
        ("ntcir", "Q@10", "Q(norm='min')@10"),
        ("ntcir", "Q(beta=10)@10", "Q(beta=10,norm='min')@10"),
        ("ntcir", "AP@10", "AP(norm='min')@10 AP(rel=2,norm='min')@10"),  # Relaxed and Rigid
        ("ntcir", "AP(rel=2)@10 AP@10", "AP(rel=2,norm='min')@10 AP(norm='min')@10"),
        ("ntcir", "AP(rel=1) Q", "AP(norm='min') Q(norm='min')"),
        ("matters", "nDCG RBP DCG@5", "nDCG(discount='jk',base=10) RBP(rel=1) DCG(discount='jk',base=10)@5"),
        ("matters", "nDCG(base=2) AP", "nDCG(discount='jk') AP"),
        ("ntcir", "nDCG@10", "nDCG(discount='jk')@10"),
        ("ntcir", "RBP", "RBP(p=0.95)"),
        ("ntcir", "RBP(p=0.5)", "RBP(p=0.5)"),
        ("ntcir", "RBP(p=0.8)", "RBP"),  # what is spelled out stands, also where it is the default
        ("trec", "RBP", "RBP(p=0.9)"),
        ("trec", "IPrec@0.2", "IPrec(mode='trec10')@0.2"),
        ("trec", "nDCG@10", "nDCG@10"),
        ("trec9", "IPrec@0.2", "IPrec(mode='trec9')@0.2"),
        ("dl", "IPrec@0.2", "IPrec(rel=2,mode='trec9')@0.2"),
        ("dl", "AP(rel=1) nDCG RBP", "AP nDCG RBP(p=0.9)"),
        ("covid", "RBP IPrec@0.2", "RBP(p=0.5) IPrec(mode='trec9')@0.2"),
    ],
)
def test_a_preset_fills_in_what_is_not_spelled_out(preset: str, spelling: str, meant: str) -> None:
    assert " ".join(map(str, configure_measures(preset, spelling)[0])) == meant


def test_dl_takes_grade_2_for_every_measure_of_relevant_documents() -> None:
    binary = {name for name, measure in REGISTRY.items() if measure.parameters.get("rel") == 1}
    assert {name for name, given in PRESETS["dl"].parameters.items() if given.get("rel") == 2} == binary


def test_two_measures_are_refused_where_one_is_asked_for() -> None:
    assert configure_one("ntcir", "AP@10")[0] == parse_measure("AP(norm='min')@10")
    with pytest.raises(InputError, match=r"'AP nDCG@10' names 2 measures; name one"):
        configure_one(None, "AP nDCG@10")
    with pytest.raises(InputError, match=r"measure=AP nDCG@10: 'AP nDCG@10' names 2 measures; name one"):
        describe({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, measure="AP nDCG@10")
