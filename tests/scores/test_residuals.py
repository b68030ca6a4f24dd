"""The lowest and the highest value that unjudged documents could give, beside all assignments of levels to them."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradeval
from gradeval import InputError, JudgedRankings, JudgedRuns, Scores, evaluate, judge, read_scores
from gradeval.formula.definition import REGISTRY
from gradeval.formula.spelling import parse_measures
from gradeval.scores.residuals import ALONE, BY_COUNT, BY_STEPS, find_residuals, why_not

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCUMENTS = "abcdefgh"
MEASURES = """
    P@3 P(rel=2)@5 Hits Hits@2 Success@2 RR RR(rel=2)@4 CG@3 CG(gains={0:1,2:0.5})@4 DCG DCG(dcg='exp-log2')@3
    DCG(gains={1:3,2:1}) gP@3 RBP RBP(rel=2) RBP(p=0.5,gains={1:0,2:1}) SDCG@4 INSQ INSQ@3 ERR ERR@3
    ERR(gains={0:1,1:2,2:1}) SetP NumQ NumRet NumRel NumRel(rel=2) NumRelRet
    Rprec Rprec(multiple=2) RelP@3 F@3 F(beta=2,rel=2)@2 IPrec@0.5 IPrec11 SetR SetF SetAP SetRelP YAAP binG
    binG(rel=2) Utility Utility(p1=2,p2=1,p3=1,p4=-1)
    AP AP(rel=2) AP@3 AP(norm='min')@3 AP(rel=3) gmAP gmAP(rel=2)@2 R@3 R(rel=2)@2 GAP GAP@3 GAP(norm='min')@2
    GAP(g=[0.9,0.1]) GAP(g={2:1}) eGAP eGAP(g=[0.1,0.9])@3 nDCG nDCG@3 nDCG(dcg='exp-log2')@2 nDCG(discount='jk',base=3)
    nDCG(gains={0:1,1:3,2:2})@3 nDCG(gains={1:0})@4 nDCG(discount='linear') gR@3 gR(gains={1:5})@2"""
PARSED = parse_measures(MEASURES)

grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 2))
rankings = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=6)


Grades = dict[str, int]


def judge_each(judgments: list[Grades], ranking: list[str], negative: Any) -> JudgedRuns:
    """The same ranking by several judgments, each of which is a topic, beside one of the highest grade."""
    topics = {f"{place}": {"x": 0, **graded} for place, graded in enumerate(judgments)}
    run = {name: -float(place) for place, name in enumerate(ranking)}
    return judge(
        {**topics, "top": {"y": 2}}, {"top": {"y": 1.0}, **{topic: run for topic in topics if run}}, negative=negative
    )


@settings(max_examples=80, deadline=None)
@given(grades, rankings, st.sampled_from(["nonrelevant", "unjudged"]))
def test_ends_are_those_of_all_assignments_of_levels(graded: Grades, ranking: list[str], negative: Any) -> None:
    every = [name for name in ranking if name not in graded or (negative == "unjudged" and graded[name] < 0)]
    unjudged = every[:4]
    graded = graded | dict.fromkeys(every[4:], 0)  # what is not to be tried is judged
    judged = judge_each([graded], ranking, negative)
    values = np.stack([measure(judged) for measure in PARSED], axis=-1)
    found = find_residuals(judged, PARSED, values)[0, 0]
    # A document that nobody judged may stay so: where grade 0 gains something that is another value.
    ways = product([None, 0, 1, 2], repeat=len(unjudged))
    chosen = [{name: one for name, one in zip(unjudged, way, strict=True) if one is not None} for way in ways]
    tried = judge_each([graded | more for more in chosen], ranking, negative)
    for place, measure in enumerate(PARSED):
        given_any = measure(tried)[0, :-1]
        assert found[place].tolist() == pytest.approx([given_any.min(), given_any.max()], abs=1e-12), measure
        assert found[place, 0] <= values[0, 0, place] <= found[place, 1]
    assert not np.signbit(found[found == 0]).any()


def test_every_measure_has_residuals_or_a_reason() -> None:
    for name, measure in REGISTRY.items():
        reason = why_not(measure)
        assert (reason is None) == (name in ALONE | BY_COUNT | BY_STEPS), name
        assert why_not(measure(judged_only=True)) == "judged_only leaves unjudged documents out"
    for text in ("eGAP(renormalise=True)", "Q@10", "nERR", "muAP"):
        assert why_not(parse_measures(text)[0])


def test_an_empty_topic_that_unjudged_documents_could_fill_counts() -> None:
    qrels, run = {"1": {"x": 1, "y": 0}, "2": {"z": 0}}, {"1": {"y": 1.0}, "2": {"u": 2.0, "z": 1.0}}
    means = evaluate(qrels, run, "AP GAP", residuals=True).residual_means()[0]
    filled = evaluate(qrels | {"2": {"u": 1, "z": 0}}, run, "AP GAP").mean()[0]
    assert means.tolist() == [[0, highest] for highest in filled.tolist()] == [[0, 0.5], [0, 0.5]]
    for empty in ("skip", "one"):  # without the topic, or with 1 for it, the end would be another
        with pytest.raises(InputError, match=f"residuals=True and empty='{empty}': an empty topic"):
            evaluate(qrels, run, "AP", residuals=True, empty=empty)


def test_every_measure_that_has_residuals_is_tried() -> None:
    assert {measure.name for measure in PARSED} == ALONE | BY_COUNT | BY_STEPS


def test_a_measure_of_ones_own_has_none() -> None:
    @gradeval.measure
    def Firsts(judged: JudgedRankings) -> Any:
        """Is the first document relevant?"""
        return judged.total(judged.hits(1), 1)

    try:
        assert why_not(Firsts) == "no exact search is known"
    finally:
        del REGISTRY["Firsts"]


def test_the_upper_end_of_rank_biased_precision_is_what_its_residual_says() -> None:
    """But for the ranks after the end, which documents of the ranking cannot take."""
    scores = evaluate(EXAMPLES / "qrels.txt", EXAMPLES / "runs" / "elm.txt", "RBP RBPresidual", residuals=True)
    judged = judge(EXAMPLES / "qrels.txt", EXAMPLES / "runs" / "elm.txt")
    rest = 0.8 ** judged.retrieved[0]
    value, residual = scores.values[0].T
    assert scores.residuals is not None
    assert scores.residuals[0, :, 0, 1] == pytest.approx(value + residual - rest)
    assert scores.residuals[0, :, 0, 0] == pytest.approx(value)
    assert np.isnan(scores.residuals[0, :, 1]).all()


def test_residuals_are_chosen_joined_and_averaged_as_values_are() -> None:
    runs = {path.stem: path for path in sorted((EXAMPLES / "runs").iterdir())[:3]}
    measures = "AP gmAP NumRelRet"
    whole = evaluate(EXAMPLES / "qrels.txt", runs, measures, residuals=True)
    assert whole.residuals is not None
    apart = [{name: path} for name, path in runs.items()]
    joined = Scores.concat([evaluate(EXAMPLES / "qrels.txt", one, measures, residuals=True) for one in apart])
    assert joined.residuals is not None
    assert joined.residuals.tolist() == whole.residuals.tolist()
    some = whole.sel(runs=list(runs)[1], measures="gmAP", topics=whole.topics[3:9])
    assert some.residuals is not None
    assert some.residuals.tolist() == whole.residuals[1:2, 3:9, 1:2].tolist()
    logarithms = np.log(np.maximum(whole.residuals[:, :, 1], 1e-5))
    assert whole.residual_means()[:, 1] == pytest.approx(np.exp(logarithms.mean(1)))
    assert whole.residual_means()[:, 2].tolist() == whole.residuals[:, :, 2].sum(1).tolist()
    with pytest.raises(InputError, match="these scores have no residuals"):
        evaluate(EXAMPLES / "qrels.txt", runs, "AP").residual_means()


def test_a_saved_table_has_both_ends(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    scores = evaluate(EXAMPLES / "qrels.txt", EXAMPLES / "runs" / "elm.txt", "AP Q", residuals=True)
    assert scores.residuals is not None
    frame = scores.to_frame()
    low = scores.residuals[..., 0].ravel()
    assert frame["low"].to_pylist() == [None if np.isnan(one) else one for one in low.tolist()]
    scores.save(tmp_path / "scores.parquet")
    assert read_scores(tmp_path / "scores.parquet").values.tolist() == scores.values.tolist()


@pytest.mark.parametrize("form", ["table", "markdown", "html", "latex"])
def test_the_heads_of_a_table_say_what_its_brackets_hold(form: str, tmp_path: Path) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", EXAMPLES / "runs" / "elm.txt", "AP Q P@5", residuals=True)
    place = tmp_path / "scores"
    for options in ({}, {"by_topic": True}, {"ci": True}):
        scores.save(place, format=form, **options)
        written = place.read_text()
        shown = [f"{name} [low, high]" in written for name in ("AP", "Q", "P@5")]
        assert shown == [False] * 3 if "ci" in options else [True, False, True]
    assert scores.table().grids[0].head == ["run", "AP [low, high]", "Q", "P@5 [low, high]"]
