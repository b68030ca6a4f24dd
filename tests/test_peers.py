"""The same collections through other evaluation tools: pytrec-eval-terrier (trec_eval 9 in C) and ir_measures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradeval import Judged, evaluate, judge, parse_measure

pytrec_eval = pytest.importorskip("pytrec_eval")
ir_measures = pytest.importorskip("ir_measures")

GEOMETRIC = ("gm_map", "gm_bpref")

Table = dict[str, dict[str, float]]
Values = dict[str, list[float]]  # name -> the values by topic, in the order of the qrels

# Scores that tie, that tie in single precision only, and that do not.
SCORES = [0.0, -1.5, 2.5, 2.5 + 1e-9, 1 / 3, 1e-20, 16_777_216.0, 16_777_217.0]
NAMES = ["a", "b", "B", "10", "9", "é", "z-1", "FT911-3"]

TREC_EVAL = (
    "map gm_map Rprec bpref gm_bpref recip_rank infAP 11pt_avg ndcg ndcg_rel Rndcg G binG set_P set_recall set_F "
    "set_map set_relative_P utility num_q num_ret num_rel num_rel_ret num_nonrel_judged_ret"
).split()
CUT = [*(f"{stem}_{k}" for stem in ("map_cut", "ndcg_cut", "P", "recall", "relative_P", "success") for k in (1, 3, 10))]
MULTIPLES = [f"Rprec_mult_{multiple}" for multiple in ("0.05", "0.20", "0.70", "1.00", "1.20", "2.00")]
RECALL = [f"iprec_at_recall_{level}" for level in ("0.00", "0.10", "0.20", "0.25", "0.50", "0.70", "1.00")]


@dataclass(frozen=True)
class Collection:
    qrels: dict[str, dict[str, int]]
    run: Table


@st.composite
def collections(draw: st.DrawFn, *, rel: int = 1, worst: int = -2, ties: bool = True) -> Collection:
    """A few topics: judgments (negative ones too) and a run, which share most of their documents.

    One document has at least the grade below the threshold: trec_eval reads beyond its table of grades without.
    """
    scores = (st.sampled_from(SCORES) | st.floats(-100, 100)) if ties else st.floats(-100, 100)
    grades = st.dictionaries(st.sampled_from(NAMES), st.integers(worst, 3))
    judgments = st.builds(lambda some, one: {"a-1": one, **some}, grades, st.integers(rel - 1, 3))
    documents = st.sampled_from([*NAMES, "a-1", "unjudged-1", "unjudged-2"])
    ranking = st.dictionaries(documents, scores, min_size=1)
    if not ties:  # not in single precision either
        ranking = ranking.filter(lambda some: len({np.float32(score) for score in some.values()}) == len(some))
    topics = draw(st.lists(st.sampled_from(["301", "0302", "t"]), min_size=1, unique=True))
    return Collection({topic: draw(judgments) for topic in topics}, {topic: draw(ranking) for topic in topics})


def trec_eval(collection: Collection, names: list[str], rel: int = 1, judged_only: bool = False) -> Values:
    asked = {name.rpartition("_")[0] + "." + name.rpartition("_")[2] if name[-1].isdigit() else name for name in names}
    evaluator = pytrec_eval.RelevanceEvaluator(
        collection.qrels, asked, relevance_level=rel, judged_docs_only_flag=judged_only
    )
    results = evaluator.evaluate(collection.run)
    return {name: [results[topic][name] for topic in collection.qrels] for name in names}


def ours(collection: Collection, names: list[str], **parameters: object) -> Values:
    """The same from us, read as trec_eval 9 reads: single precision, negative grades unjudged."""
    judged = judge(collection.qrels, collection.run, ties="docid-float32", negative="unjudged")
    values = {}
    for name in names:
        measure = parse_measure(name)
        accepted = {key: value for key, value in parameters.items() if key in measure.definition.kinds}
        values[name] = measure(**accepted)(judged)[0].tolist()
    return values


def agree(one: Values, other: Values) -> None:
    for name in one:
        assert other[name] == pytest.approx(one[name], rel=1e-9, abs=1e-12), name


@given(collections())
def test_every_measure_that_trec_eval_has_agrees_with_it(collection: Collection) -> None:
    names = TREC_EVAL + CUT + RECALL + MULTIPLES
    theirs = trec_eval(collection, names)
    values = ours(collection, names)
    for name in GEOMETRIC:
        theirs[name] = [math.exp(log) for log in theirs[name]]
        values[name] = np.maximum(values[name], 1e-5).tolist()
    agree(theirs, values)


def test_these_are_all_measures_that_trec_eval_has() -> None:
    stems = {name.rpartition("_")[0] for name in CUT + RECALL + MULTIPLES}
    assert {*TREC_EVAL, *stems, "runid", "relstring"} == pytrec_eval.supported_measures


@given(collections())
def test_the_geometric_mean_over_topics_agrees_with_trec_eval(collection: Collection) -> None:
    logs = trec_eval(collection, ["gm_map"])["gm_map"]
    scores = evaluate(collection.qrels, collection.run, "gm_map", ties="docid-float32", negative="unjudged")
    assert scores.mean() == pytest.approx(math.exp(sum(logs) / len(logs)))


SPELLINGS = (
    "AP AP(rel=2) AP@3 nDCG nDCG@3 P@3 P(rel=2)@3 R@3 RR RR(rel=2) Rprec Success@3 Bpref infAP SetP SetR SetF "
    "SetF(beta=0.5) SetAP NumQ NumRel NumRet NumRet(rel=1) Judged@3 Judged"
).split()  # without judged_only, which ir_measures lets slip into other measures of the same call


@given(collections(rel=2, worst=0, ties=False))
def test_ir_measures_reads_our_spellings_and_agrees(collection: Collection) -> None:
    measures = [ir_measures.parse_measure(text) for text in SPELLINGS]
    results = ir_measures.iter_calc(measures, as_qrels(collection), as_documents(collection))
    theirs = {(str(result.measure), result.query_id): result.value for result in results}
    for text in SPELLINGS:
        values = parse_measure(text)(judge(collection.qrels, collection.run))[0]
        assert values.tolist() == pytest.approx([theirs[text, topic] for topic in collection.qrels]), text


def as_qrels(collection: Collection) -> list[object]:
    return [
        ir_measures.Qrel(topic, document, grade)
        for topic, judgments in collection.qrels.items()
        for document, grade in judgments.items()
    ]


def as_documents(collection: Collection) -> list[object]:
    return [
        ir_measures.ScoredDoc(topic, document, score)
        for topic, ranking in collection.run.items()
        for document, score in ranking.items()
    ]


# Where we differ, and by what.


def test_scores_that_differ_only_in_double_precision_tie_for_trec_eval_9() -> None:
    collection = Collection({"1": {"a": 1, "b": 0}}, {"1": {"a": 2.5 + 1e-9, "b": 2.5}})
    assert trec_eval(collection, ["recip_rank"])["recip_rank"] == [1 / 2]
    assert evaluate(collection.qrels, collection.run, "RR", ties="docid-float32").mean() == 1 / 2
    assert evaluate(collection.qrels, collection.run, "RR").mean() == 1


def test_negative_grades_are_judged_non_relevant_unless_one_asks_for_trec_evals_reading() -> None:
    collection = Collection({"1": {"a": 1, "b": -2, "c": 0}}, {"1": {"b": 2.0, "a": 1.0}})
    assert trec_eval(collection, ["bpref"])["bpref"] == [1]
    assert evaluate(collection.qrels, collection.run, "Bpref", negative="unjudged").mean() == 1
    assert evaluate(collection.qrels, collection.run, "Bpref").mean() == 0


def test_ir_measures_takes_the_smallest_id_first_for_the_judged_share_of_tied_documents() -> None:
    collection = Collection({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}})
    judged_at_1 = ir_measures.parse_measure("Judged@1")
    assert ir_measures.calc_aggregate([judged_at_1], as_qrels(collection), as_documents(collection))[judged_at_1] == 1
    assert (Judged @ 1)(judge(collection.qrels, collection.run)) == 0  # as everywhere, the largest first


def test_interpolated_precision_compares_recall_exactly_unless_one_asks_for_trec_evals_counting() -> None:
    # A recall of 0.26 is 1.04 of four documents: two for us, floor(1.04 + 0.9) = 1 for trec_eval.
    qrels = {"1": {"a": 1, "b": 1, "c": 1, "d": 1}}
    run = {"1": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}
    name = "iprec_at_recall_0.26"
    assert trec_eval(Collection(qrels, run), [name])[name] == [1]
    assert evaluate(qrels, run, "IPrec(mode='trec9')@0.26").mean() == 1
    assert evaluate(qrels, run, "IPrec@0.26").mean() == 2 / 4
