from __future__ import annotations

import pickle
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusing import said_of

import gradeval
from gradeval import AP, GAP, RR, InputError, IPrec, Measure, P, R, Utility, evaluate, nDCG, parse_measure
from gradeval.formula.definition import REGISTRY
from gradeval.formula.parameters import AcceptedValues, Choice, Distribution, FiniteNumber, GradeTable
from gradeval.formula.spelling import measure_of_values, name_briefly, parse_measures, split_measures

NUMBERS = st.one_of(st.integers(1, 50), st.floats(1e-3, 1e3).map(lambda number: round(number, 3)))


def values_of(kind: AcceptedValues) -> st.SearchStrategy[Any]:
    """What a kind of parameter accepts."""
    match kind:
        case Choice():
            return st.sampled_from(kind.words)
        case FiniteNumber():
            low, high = max(kind.low, -1000), min(kind.high, 1000)
            if kind.whole:
                return st.integers(int(low) + 1, int(high))
            return st.floats(low, high, exclude_min=not kind.closed)
        case Distribution():
            weights = st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any)
            lists = weights.map(lambda many: [weight / sum(many) for weight in many])
            return lists | lists.map(lambda many: dict(enumerate(many, 1)))
        case GradeTable():
            return st.dictionaries(NUMBERS, NUMBERS, min_size=1, max_size=4)
        case _:
            raise AssertionError(f"no values for {kind!r}")


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure in any configuration."""
    measure = REGISTRY[draw(st.sampled_from(sorted(REGISTRY)))]
    names = draw(st.sets(st.sampled_from(sorted(measure.definition.kinds))))
    return measure(**{name: draw(values_of(measure.definition.kinds[name][0])) for name in names})


@given(measures())
def test_a_measure_reads_back_from_its_name(measure: Measure) -> None:
    again = parse_measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)


@given(st.lists(measures(), min_size=1, max_size=5, unique=True))
def test_a_list_of_measures_splits_where_they_end(many: list[Measure]) -> None:
    assert parse_measures(" ".join(map(str, many))) == many
    assert parse_measures(map(str, many)) == many
    assert parse_measures(many) == many


@pytest.mark.parametrize(
    ("text", "measure", "canonical"),
    [
        ("AP", AP, "AP"),
        ("AP()", AP, "AP"),
        ("AP(rel=1)", AP, "AP"),
        (" AP ( rel = 2.0 ) @ 100 ", AP(rel=2) @ 100, "AP(rel=2)@100"),
        ("AP(norm='min',rel=2)", AP(rel=2, norm="min"), "AP(rel=2,norm='min')"),
        ('AP(norm="min")', AP(norm="min"), "AP(norm='min')"),
        ("AP(cutoff=10)", AP @ 10, "AP@10"),
        ("AP(judged_only=True)@10", AP(judged_only=True) @ 10, "AP(judged_only=True)@10"),
        ("AP(judged_only=False)", AP, "AP"),
        ("nDCG(dcg='exp-log2')@10", nDCG(dcg="exp-log2") @ 10, "nDCG(dcg='exp-log2')@10"),
        ("GAP(g=[.5, 0.5])@100", GAP(g=[0.5, 0.5]) @ 100, "GAP(g=[0.5,0.5])@100"),
        ("GAP(g=(0.1,0.9))", GAP(g=(0.1, 0.9)), "GAP(g=[0.1,0.9])"),
        ("GAP(g={3:0.9, 1:.1})", GAP(g={1: 0.1, 3: 0.9}), "GAP(g={1:0.1,3:0.9})"),
        ("nDCG(gains={1:1,2:3})", nDCG(gains={1: 1, 2: 3}), "nDCG(gains={1:1,2:3})"),
        ("IPrec@0.20", IPrec @ 0.2, "IPrec@0.2"),
        ("IPrec(mode='trec9')@1.0", IPrec(mode="trec9") @ 1, "IPrec(mode='trec9')@1"),
        ("P@5", P @ 5, "P@5"),
        ("P@007", P @ 7, "P@7"),
        ("P@1e1", P @ 10, "P@10"),
    ],
)
def test_spellings(text: str, measure: Measure, canonical: str) -> None:
    assert parse_measure(text) == measure
    assert str(measure) == repr(measure) == canonical


def test_lists_split_on_white_space_outside_brackets() -> None:
    assert split_measures("AP  GAP(g=[0.5, 0.5])@10\n nDCG(dcg='exp-log2') ") == [
        "AP",
        "GAP(g=[0.5, 0.5])@10",
        "nDCG(dcg='exp-log2')",
    ]
    assert parse_measures("AP,P@5, RR ,R@10") == [AP, P @ 5, RR, R @ 10]
    assert parse_measures("ndcg_cut.5,10,P.1,3") == [nDCG @ 5, nDCG @ 10, P @ 1, P @ 3]
    assert parse_measures("GAP(g=[0.5,0.5]),utility.1,-1,0,0.5,AP") == [GAP(g=[0.5, 0.5]), Utility(p4=0.5), AP]
    assert parse_measures(["ndcg.1=3,2=9,AP"]) == [nDCG(gains={1: 3, 2: 9}), AP]
    assert parse_measures("AP P@5 map") == [AP, P @ 5]  # named twice, measured once
    assert parse_measures(AP) == [AP]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("APP", r"unknown measure 'APP' \(did you mean AP.*'gradeval measures' lists them all"),
        ("Qmeasure", r"unknown measure 'Qmeasure' \(did you mean Q\?\)"),
        ("Q-measure@10", r"unknown measure 'Q-measure' \(did you mean Q\?\)"),
        ("R-measure", r"unknown measure 'R-measure' \(did you mean RMeasure\?\)"),
        ("f_measure", r"unknown measure 'f_measure' \(did you mean F\?\)"),
        ("nDCG-score", r"unknown measure 'nDCG-score' \(did you mean nDCG\?\)"),
        ("xyzzy", "unknown measure 'xyzzy'; 'gradeval measures' lists them all: AP"),
        ("nDGC@10", r"unknown measure 'nDGC' \(did you mean nDCG or"),
        ("hit_rat@5", r"unknown measure 'hit_rat' \(did you mean hit_rate or hit_ratio or HitRate\?"),
        ("ndcg_cutt_20", r"unknown measure 'ndcg_cutt_20' \(did you mean ndcg_cut_20"),
        ("ndcg_cut", r"unknown measure 'ndcg_cut' \(did you mean ndcg_cut_10"),
        ("r-precison", r"unknown measure 'r-precison' \(did you mean r-precision"),
        ("ndcg_cut.5,10", r"'ndcg_cut.5,10' names 2 measures where one is expected, as in ndcg_cut\.5"),
        ("P_5@10", "gives the place twice, in its name and behind @"),
        ("ndcg_burges(dcg='log2')", "gives dcg twice, by its name and in brackets"),
        ("rbp@95", r"'rbp@95' is p = 0\.95 in ranx and a cutoff here: write rbp\.95 or RBP@95"),
        ("Judged-l2", "'Judged-l2': Judged has no lowest relevant grade: leave -l2 out"),
        ("map-l0", "AP: rel=0 is not a grade above 0"),
        ("set_F.x", r"unknown measure 'set_F\.x'"),
        ("utility.1,2", "cannot read the measure 'utility.1,2'"),
        ("ndcg.1", r"unknown measure 'ndcg\.1'"),
        ("AP(rle=2)", r"AP has no parameter 'rle' \(did you mean rel\?\); it takes rel, norm, judged_only and @cutoff"),
        ("NumQ(rel=2)", "NumQ has no parameter 'rel'; it takes judged_only"),
        ("IPrec(recal=1)", "did you mean recall"),
        ("AP(rel=-1)", "AP: rel=-1 is not a grade above 0"),
        ("AP(rel='x')", "AP: rel='x' is not a grade above 0"),
        ("AP(rel=True)", "AP: rel=True is not a grade above 0"),
        ("AP(rel=None)", "AP: rel=None is not a grade above 0"),
        ("AP(rel=1e999)", "AP: rel=inf is not a grade above 0"),
        (f"AP(rel=1{'0' * 400})", "AP: rel=10* is not a grade above 0"),
        ("AP(norm='max')", "AP: norm='max' is not 'R' or 'min'"),
        ("AP(norm=[1])", r"AP: norm=\[1\] is not 'R' or 'min'"),
        ("AP(judged_only=2)", "AP: judged_only=2 is not True or False"),
        ("AP@0", "AP: cutoff=0 is not a whole number of ranks from 1"),
        ("AP@2.5", r"AP: cutoff=2\.5 is not a whole number of ranks from 1"),
        ("AP@-3", "AP: cutoff=-3 is not a whole number of ranks from 1"),
        ("AP@x", "cannot read the measure 'AP@x': behind @ stands a number, as in nDCG@10"),
        ("P@10(rel=2)", r"cannot read the measure 'P@10\(rel=2\)': write P\(rel=2\)@10$"),
        ("AP@", "cannot read the measure 'AP@'"),
        ("Rprec@10", "Rprec takes no @"),
        ("IPrec@1.1", r"IPrec: recall=1\.1 is not a recall from 0 to 1"),
        ("GAP(g=[0.5,0.6])", r"GAP: g=\[0.5,0.6\] is not probabilities that sum to 1"),
        ("GAP(g=[])", "GAP: g=.* is not probabilities that sum to 1"),
        ("GAP(g={0.3,0.7})", "GAP: g=.* is not probabilities that sum to 1"),  # a set has no order
        ("GAP(g='ab')", "GAP: g='ab' is not probabilities that sum to 1"),
        ("nDCG(gains={1:-1})", r"nDCG: gains={1:-1} is not {grade: value} with values of at least 0"),
        ("AP(", r"cannot read the measure 'AP\('"),
        ("AP(rel=)", "cannot read the parameters of .* write name=value pairs, as in AP"),
        ("GAP(g=0.2, 0.3,0.5)@10", r"a list stands in brackets; write GAP\(g=\[0.2,0.3,0.5\]\)@10$"),
        ("AP(2)", "cannot read the parameters of .* write name=value pairs"),
        ("AP(**{})", "cannot read the parameters of .* write name=value pairs"),
        ("AP(rel=1)(rel=2)", "cannot read the parameters of .* write name=value pairs"),
        ("AP(rel=1,rel=2)", "gives rel twice"),
        ("AP(cutoff=5)@10", "gives cutoff twice, in brackets and behind @"),
        ("AP(rel=2+2)", r"AP: rel='2\+2' is not a grade above 0$"),
        ("AP(rel=__import__('os').getcwd())", "AP: rel=.* is not a grade above 0$"),
        ("AP(norm=min)", r"cannot read the value of norm in .*: write AP\(norm='min'\)$"),
        ("AP@10(norm=min)-l2", r"write AP\(norm='min'\)@10-l2$"),
        ("nDCG(judged_only=true)@10", r"the value of judged_only in .*: write nDCG\(judged_only=True\)@10$"),
        ("nDCG(judged_only=FALSE)", "write nDCG$"),
        ("SetP(relative=true)", "cannot read the value of relative in .*: write SetRelP$"),
        ("nDCG@10(gain=exp)", r"nDCG has no parameter 'gain': write nDCG\(dcg='exp-log2'\)@10$"),
        ("nDCG(dcg=exp-log2)@10", r"cannot read the value of dcg in .*: write nDCG\(dcg='exp-log2'\)@10$"),
        ("nDCG(gain=linear)@10", r"nDCG has no parameter 'gain': write nDCG@10$"),
        ("nDCG@10(rel=2)", r"nDCG has no parameter 'rel': it tells .* or nDCG\(gains={1:0,2:1,3:1}\)@10$"),
        ("AP(norm=max)", "AP: norm='max' is not 'R' or 'min'$"),
        ("infNDCG@10", "'infNDCG' is not offered: it is an estimate .*; sample_eval of TREC has it"),
        ("AP(rel=\x002)", "cannot read the parameters"),
        (f"AP(rel={'(' * 500}1{')' * 500})", "cannot read the parameters"),
        (f"AP(rel={'[' * 150}{']' * 150})", "rel=.* is not a grade above 0"),
        ("", "cannot read the measure ''"),
        ("nDCG@10 AP", "cannot read the measure"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_what_can(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_measure(text)


@given(st.text(max_size=30) | st.text("APnDCG(){}[]@=,:.'\" 0123456789eg_", max_size=40))
def test_no_text_makes_anything_but_a_measure_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        assert isinstance(parse_measure(text), Measure)


NAMESAKE = """
@measure
def {name}(judged, *, cutoff: int | None = None):
    \"\"\"The share {share}, whatever the ranking.\"\"\"
    return np.full(judged.ranks.shape[:-1], {share})
"""


@pytest.mark.parametrize("name", ["Halves", "MAP", "P_5", "map_cut_5"])
def test_a_measure_defined_again_is_the_new_one_by_every_spelling(name: str) -> None:
    notebook: dict[str, Any] = {"measure": gradeval.measure, "np": np, "__name__": "notebook"}
    try:
        for share in (0.5, 0.9):  # one cell of a notebook, edited and run again
            exec(NAMESAKE.format(name=name, share=share), notebook)
            spellings = [name, f" {name}", f"{name}@10", f"{name}(cutoff=10)", f"{name} AP", notebook[name]]
            for spelling in spellings:
                values = evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}}, spelling).values
                assert values[0, 0, 0] == share, spelling
            assert pickle.loads(pickle.dumps(notebook[name])) == parse_measure(name)
    finally:
        del REGISTRY[name]
    meaning = str(parse_measure(name)) if name != "Halves" else "unknown"
    assert meaning == {"Halves": "unknown", "MAP": "AP", "P_5": "P@5", "map_cut_5": "AP@5"}[name]


WRONG = """
nDCG@10(gain=exp) nDCG(gain=exp)@10 nDCG(gain='exp')@10 nDCG(gains=exp)@10 nDCG(gain={1:1,2:3})
nDCG@10(dcg=exp-log2) nDCG(dcg=exp-log2)@10 nDCG(dcg=exp)@10 nDCG(dcg='exp')@10 nDCG(dcg=exponential)
nDCG(gain='2^g-1')@10 nDCG(gain=2^g-1)@10 nDCG(gain=2**g-1)@10 nDCG(gain=linear)@10 nDCG(dcg='linear')
nDCG(dcg=burges)@10 nDCG(DCG='exp-log2') nDCG@10(rel=2) nDCG(rel=2)@10 nDCG(threshold=2)@10
nDCG@10(judged_only=true) nDCG(k=10) nDCG(at=10) nDCG(k=10)@10 nDCG(depth=ten) nDCG(discount=linear)
nDCG(discount=log) nDCG(base=e) nDCG(base='2') DCG@5(gain=exp) ndcg_cut_10(dcg=exp) NDCG@10(gain=exp)
ndcg_burges(dcg=exp) P@10(rel=2) P@10(relevance=2) P@10(rel='2') P@10(cutoff=5) P(rel=two)@5 P@10(2) P(5)
RBP(0.8) RBP(p='1') GAP([0.5,0.5]) GAP(g=0.5,0.5) GAP@10(g=[0.5,0.5]) GAP@10(g=[.5,.6]) AP(norm=min)
AP(norm=Min) AP(norm=max) AP@10(norm=min) AP@10(norm=min)-l2 AP(rel=-1)-l2 AP(min_rel=2) AP(Rel=2)
AP(rel=>2) AP(relevance=2) ERR(max_rel=3) SetP(relative=true) IPrec(mode=exact) IPrec@0.2(mode=trec9)
IPrec(mode=trec)@0.2 xyz@10(rel=2) nDCG@10@5 Rprec@10(rel=2) Rprec@10 P@5,10 P_5,10 ndcg_cut_5,10
nDCG[10] nDCG{10} AP[5] nDCG[x] nDCG[1.2.3] Rprec[10] ndcg[10] AP(rel=2)[10] nDCG[10]@5 nDCG@10[rel=2] [10] P[-1]
recall_5,10,20 IPrec@0.1,0.2 AP,5 AP(rel=2),5 xyz,5 P@5,0 GAP(g=[.5,.6]@10) P(rel=2@5) P([.5,.5]) GAP([.5,.6])
nDCG(gains='exp2') AP(min_rel=2)@5 AP(level=2) INST(min_rel=0)
""".split()
"""Spellings that are no measures, as people try them."""


WRONG += [
    "nDCG at 10",
    "AP nDCG at 10 P@5",
    "P@5 at 10",
    "Rprec at 10",
    "at 10",
    "nDCG at",
    "recall AT 5",
    "nDCG [10]",
    "at at 5",
]


@pytest.mark.parametrize("text", WRONG)
def test_what_an_error_says_to_write_is_a_measure(text: str) -> None:
    said = said_of(lambda: parse_measures(text))
    _, write, advice = said.partition("write ")
    if write:
        assert all(parse_measures(one) for one in advice.rpartition("as in ")[2].split(" or ")), said


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("nDCG at 10", "nDCG@10"),
        ("nDCG AT 10", "nDCG@10"),
        ("nDCG[10]", "nDCG@10"),
        ("nDCG [10]", "nDCG@10"),
        ("nDCG{10}", "nDCG@10"),
        ("AP(rel=2)[10]", "AP(rel=2)@10"),
    ],
)
def test_a_cutoff_without_at_is_named_with_it(text: str, meant: str) -> None:
    for read in (parse_measure, parse_measures):
        assert said_of(lambda read=read: read(text)).endswith(f"write {meant}")


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("nDCG@10(rel=2)", "nDCG(gains={1:0,2:1,3:1})@10"),
        ("nDCG(rel=2)@10", "nDCG(gains={1:0,2:1,3:1})@10"),
        ("nDCG(rel=1)", "nDCG(gains={1:1,2:1})"),
        ("ERR@20(rel=2)", "ERR(gains={1:0,2:1,3:1})@20"),
        (
            "nDCG(rel=2,dcg='exp-log2',judged_only=True)@5",
            "nDCG(dcg='exp-log2',gains={1:0,2:1,3:1},judged_only=True)@5",
        ),
    ],
)
def test_gains_in_place_of_a_threshold_keep_the_rest_of_the_measure(text: str, measure: str) -> None:
    said = said_of(lambda: parse_measure(text))
    assert parse_measure(said.rpartition(" or ")[2]) == parse_measure(measure)


@pytest.mark.parametrize("text", ["nDCG @ 10", "nDCG @10", "nDCG@ 10", " nDCG  @\n10 "])
def test_blanks_around_the_cutoff_split_nothing(text: str) -> None:
    assert parse_measures(f"AP {text} P @ 5") == [AP, nDCG @ 10, P @ 5]
    assert parse_measure(text) == nDCG @ 10


def test_python_says_the_parameter_that_was_meant() -> None:
    assert said_of(lambda: nDCG(gain="exp")) == "nDCG has no parameter 'gain': write dcg='exp-log2'"
    assert said_of(lambda: nDCG(dcg="exp")) == "nDCG: dcg='exp' is not 'log2' or 'exp-log2': write dcg='exp-log2'"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("AP(min_rel=2)", "AP(rel=2)"),
        ("P(relevance_level=2)@5", "P(rel=2)@5"),
        ("nDCG(gains='exp2')@10", "nDCG(dcg='exp-log2')@10"),
        ("nDCG(gain='exp2')", "nDCG(dcg='exp-log2')"),
        ("GAP([.5,.3,.2])@10", "GAP(g=[0.5,0.3,0.2])@10"),
        ("GAP(g=[.5,.3,.2]@10)", "GAP(g=[0.5,0.3,0.2])@10"),
        ("P(rel=2@5)", "P(rel=2)@5"),
    ],
)
def test_words_of_other_tools_and_misplaced_parts_are_written_anew(text: str, meant: str) -> None:
    assert said_of(lambda: parse_measure(text)).endswith(f" write {meant}")


def test_a_measure_in_python_has_no_parts() -> None:
    assert said_of(lambda: nDCG[10]).startswith("nDCG has no parts: write nDCG@10 for a cutoff")


def test_values_computed_elsewhere_go_by_any_name() -> None:
    assert measure_of_values("ndcg_cut_10") == nDCG @ 10
    for name in ("MyOwn", "MyOwn(x=2)@10", "web.err20", "a b", "", "err", "gap@10"):
        assert str(measure_of_values(name)) == name
        assert measure_of_values(name) == measure_of_values(name)


def test_no_measure_at_all_is_an_error() -> None:
    for nothing in ("", "  ", []):
        with pytest.raises(InputError, match="no measure given"):
            parse_measures(nothing)


def test_public_names_of_measures_are_their_own() -> None:
    for name, measure in REGISTRY.items():
        assert getattr(gradeval, name) is measure
        assert measure.name == str(measure) == name


@pytest.mark.parametrize("value", [5, None, [5], print, [AP, None], 0.5])
def test_what_is_no_measure_is_an_error_in_one_line(value: object) -> None:
    with pytest.raises(InputError, match="is no measure; name measures as in 'AP nDCG@10'"):
        parse_measures(value)


def test_two_cutoffs_are_refused() -> None:
    with pytest.raises(InputError, match="only one @ may follow"):
        parse_measure("nDCG @ 10 @ 5")
    with pytest.raises(InputError, match="nDCG@10 has a cutoff already; for another one write nDCG@5"):
        _ = parse_measure("nDCG@10") @ 5
    with pytest.raises(InputError, match=r"for another one write AP\(rel=2\)@5"):
        _ = parse_measure("AP(rel=2)@10") @ 5


def test_long_numbers_have_three_digits() -> None:
    thirds = parse_measures(f"GAP(g=[{1 / 3},{1 / 3},{1 / 3}]) xGAP(g=[0.875,0.125]) nDCG@10 RBP(p=0.95)")
    assert name_briefly(thirds) == ["GAP(g=[0.333,0.333,0.333])", "xGAP(g=[0.875,0.125])", "nDCG@10", "RBP(p=0.95)"]


def test_measures_that_would_look_alike_keep_their_names() -> None:
    close = parse_measures("RBP(p=0.80001) RBP(p=0.80002) RBP(p=0.70001)")
    assert name_briefly(close) == ["RBP(p=0.80001)", "RBP(p=0.80002)", "RBP(p=0.7)"]
    assert name_briefly(parse_measures("RBP(p=0.8) RBP(p=0.80001)")) == ["RBP", "RBP(p=0.8)"]


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("nDCG@5,10,20", "nDCG@5 nDCG@10"),
        ("AP P@5, 10", "P@5 P@10"),
        ("P_5,10", "P_5 P_10"),
        ("ndcg_cut_5,10", "ndcg_cut_5 ndcg_cut_10"),
        ("nDCG(dcg='exp-log2')@5,10", "nDCG(dcg='exp-log2')@10"),
    ],
)
def test_several_cutoffs_behind_one_name_are_refused_with_what_to_write(text: str, remedy: str) -> None:
    said = said_of(lambda: parse_measures(text))
    assert "write a name before each cutoff" in said
    assert remedy in said


@pytest.mark.parametrize(
    ("text", "meant"), [("R@1k", "R@1000"), ("nDCG@10K", "nDCG@10000"), ("P(rel=2)@2k", "P(rel=2)@2000")]
)
def test_a_cutoff_may_be_in_thousands(text: str, meant: str) -> None:
    assert str(parse_measure(text)) == meant
    assert list(map(str, parse_measures(f"AP {text}"))) == ["AP", meant]
    with pytest.raises(InputError, match="behind @ stands a number"):
        parse_measure(f"{text}5")
