"""From judgments and runs to scores: what is scored, what counts, what is said about the rest."""

from __future__ import annotations

import doctest
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from refusing import said_of

from gradeval import (
    AP,
    GAP,
    Bpref,
    InputError,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    Qrels,
    Run,
    evaluate,
    expected_precision,
    graded_precision_recall_curve,
    graded_recall,
    interpolated_curve,
    judge,
    nDCG,
    precision_recall_curve,
)
from gradeval.collection.meeting import meet
from gradeval.scores.scoring import score
from gradeval.warning_categories import CoverageWarning

QRELS = {"301": {"a": 2, "b": 1, "c": 0}, "302": {"a": 1, "d": 0}, "303": {"e": 0}}
ONE = {"301": {"a": 3.0, "x": 2.0, "b": 1.0}, "302": {"d": 2.0, "a": 1.0}, "303": {"e": 1.0}}
TWO = {"301": {"b": 1.0}, "999": {"z": 1.0}}


def write(path: Path, table: dict[str, dict[str, float]], tag: str | None = None) -> Path:
    """A run, or judgments where no tag is given."""
    lines = [
        f"{topic} Q0 {document} 0 {number} {tag}\n" if tag else f"{topic} 0 {document} {number}\n"
        for topic, documents in table.items()
        for document, number in documents.items()
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(lines))
    return path


refusal = partial(said_of, evaluate)


def test_every_measure_of_every_run_on_every_topic_is_scored() -> None:
    scores = evaluate(QRELS, [ONE, TWO], [AP, P @ 1])
    assert scores.runs == ["run", "run 2"]
    assert scores.topics == ["301", "302", "303"]
    assert scores.measures == [AP, P @ 1]
    assert scores.values.tolist() == [
        [[(1 / 1 + 2 / 3) / 2, 1.0], [1 / 2, 0.0], [0.0, 0.0]],
        [[1 / 1 / 2, 1.0], [0.0, 0.0], [0.0, 0.0]],
    ]


def test_topics_that_a_run_misses_score_0_and_are_told() -> None:
    scores = evaluate(QRELS, [ONE, TWO], AP)
    assert scores.present.tolist() == [[True, True, True], [True, False, False]]
    assert scores.coverage is not None
    assert scores.coverage.missing.tolist() == [0, 2]
    assert scores.mean()[1, 0] == (1 / 2 + 0 + 0) / 3
    assert evaluate(QRELS, [ONE, TWO], AP, missing="skip").mean()[1, 0] == 1 / 2


def test_topics_that_some_run_misses_are_left_out_of_all_and_told() -> None:
    with pytest.warns(CoverageWarning) as warned:
        scores = evaluate(QRELS, {"A": ONE, "B": TWO}, [AP, P @ 1], missing="common", by={"301": "x", "302": "y"})
    alone = evaluate(QRELS, {"A": ONE, "B": TWO}, [AP, P @ 1], topics=["301"], by={"301": "x", "302": "y"})
    assert scores.topics == ["301"]
    assert scores.values.tolist() == alone.values.tolist()
    assert str(scores) == str(alone)
    assert str(warned[0].message) == (
        "topics: 1 of 3 count, as B lacks 2 (302, 303); leaving hard topics out favours the runs that lack them"
    )
    assert scores.coverage is not None
    assert [sorted(topics) for topics in scores.coverage.unjudged_topics] == [[], ["999"]]
    whole = evaluate(QRELS, {"A": ONE}, AP, missing="common")  # misses nothing
    assert not [note for note in whole.notes if "leaving" in str(note)]
    assert len(whole.topics) == 3
    assert refusal(QRELS, {"A": {"302": {"a": 1.0}}, "B": TWO}, AP, missing="common") == (
        "missing='common': no topic is in all 2 runs; leave out A or others"
    )


def test_empty_topics_are_marked_by_measure() -> None:
    scores = evaluate(QRELS, ONE, [AP, AP(rel=2), GAP(g=[0.0, 1.0]), P @ 1, NumRet])
    assert scores.vacant.tolist() == [
        [False, False, False, False, False],
        [False, True, True, False, False],
        [True, True, True, scores.vacant[2, 3], False],
    ]
    assert evaluate(QRELS, ONE, AP, empty="skip").mean()[0, 0] == ((1 / 1 + 2 / 3) / 2 + 1 / 2) / 2
    assert evaluate(QRELS, ONE, AP, empty="one").mean()[0, 0] == ((1 / 1 + 2 / 3) / 2 + 1 / 2 + 1) / 3


def test_counts_are_added_up_over_topics() -> None:
    scores = evaluate(QRELS, [ONE, TWO], [NumQ, NumRet, NumRelRet])
    assert scores.mean()[0].tolist() == [3, 3 + 2 + 1, 2 + 1]
    assert evaluate(QRELS, ONE, NumRel).mean().tolist() == [[2 + 1]]


def test_topics_without_judgments_are_not_scored_but_reported() -> None:
    coverage = evaluate(QRELS, [ONE, TWO], AP).coverage
    assert coverage is not None
    assert coverage.unjudged_topics == [[], ["999"]]


def test_chosen_topics_come_in_the_order_of_the_qrels_with_the_levels_of_the_collection() -> None:
    qrels = {"2": {"a": 1}, "1": {"a": 3, "b": 1}, "3": {"a": 0}}
    run = {topic: {"a": 1.0} for topic in qrels} | {"9": {"a": 1.0}}
    scores = evaluate(qrels, run, [GAP], topics=["3", "2"])
    assert scores.topics == ["2", "3"]
    whole = evaluate(qrels, run, [GAP])
    assert scores.values.tolist() == whole.sel(topics=["2", "3"]).values.tolist()
    assert scores.coverage is not None
    assert scores.coverage.unjudged_topics == [["9"]], "topics left aside are no topics without judgments"


def test_one_topic_may_be_chosen_by_its_name() -> None:
    assert evaluate(QRELS, ONE, AP, topics="302").topics == ["302"]


def test_a_topic_that_the_qrels_lack_cannot_be_chosen() -> None:
    said = refusal(QRELS, ONE, AP, topics=["301", "7", "8"])
    assert said == f"topics=301,7,8: no topic '7'; the topics are {', '.join(QRELS)}"


def test_rankings_are_cut_at_the_depth() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    run = {"1": {"x": 5.0, "a": 4.0, "y": 3.0, "b": 2.0}}
    assert evaluate(qrels, run, AP, depth=3).values.tolist() == [[[(1 / 2) / 2]]]
    assert evaluate(qrels, run, NumRet, depth=3).values.tolist() == [[[3]]]
    assert evaluate(qrels, run, AP, depth=4).values.tolist() == evaluate(qrels, run, AP).values.tolist()


def test_ties_are_those_of_the_whole_run_whatever_the_depth() -> None:
    run = {"1": {"a": 10.0, "b": 9.0, "c": 8.0, "d": 1.0, "e": 1.0, "f": 1.0}}
    for depth in (None, 2, 5):
        coverage = evaluate({"1": {"a": 1}}, run, "AP", depth=depth).coverage
        assert coverage is not None
        assert coverage.tied_share.tolist() == [3 / 6]


def test_ties_are_broken_by_the_chosen_rule() -> None:
    qrels, run = {"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0 + 1e-12}}
    assert evaluate(qrels, run, AP).values.item() == 1 / 3
    assert evaluate(qrels, run, AP, ties="docid-float32").values.item() == 1 / 3
    assert evaluate({"1": {"d": 1}}, {"1": {"e": 1.0, "d": 1.0 + 1e-12}}, AP).values.item() == 1
    assert (
        evaluate({"1": {"d": 1}}, {"1": {"e": 1.0, "d": 1.0 + 1e-12}}, AP, ties="docid-float32").values.item() == 1 / 2
    )
    assert evaluate(qrels, {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}, AP, ties="order").values.item() == 1 / 2


def test_negative_grades_are_judged_or_unjudged_by_choice() -> None:
    qrels, run = {"1": {"a": 1, "b": -1}}, {"1": {"b": 2.0, "a": 1.0}}
    assert evaluate(qrels, run, [Judged @ 2, Bpref]).values.tolist() == [[[2 / 2, 0.0]]]
    assert evaluate(qrels, run, [Judged @ 2, Bpref], negative="unjudged").values.tolist() == [[[1 / 2, 1.0]]]


@pytest.mark.parametrize("option", ["missing", "empty", "ties", "negative"])
def test_an_unknown_word_for_an_option_is_an_error_that_lists_the_accepted(option: str) -> None:
    message = refusal(QRELS, ONE, AP, **{option: "nonsense"})
    assert "nonsense" in message
    accepted = {"missing": "'skip'", "empty": "'one'", "ties": "order", "negative": "'unjudged'"}
    assert accepted[option] in message


def test_two_runs_of_one_name_are_an_error(tmp_path: Path) -> None:
    assert refusal(QRELS, [Run.from_dict(ONE, "mine")] * 2, AP) == "mine: is given twice; name each run once"
    path = write(tmp_path / "run", ONE, "bm25")
    assert refusal(QRELS, [path, path], AP) == f"{path}: is given twice; name each run once"
    with pytest.raises(InputError, match="two runs are called 'mine'"):
        score(meet(Qrels.from_dict(QRELS), [Run.from_dict(ONE, "mine")] * 2), [AP])


def test_measures_are_named_together_or_one_by_one() -> None:
    together = evaluate(QRELS, ONE, "AP nDCG@10 GAP(g=[0.5, 0.5])")
    apart = evaluate(QRELS, ONE, ["AP nDCG@10", GAP(g=[0.5, 0.5])])
    assert together.measures == apart.measures == [AP, nDCG @ 10, GAP(g=[0.5, 0.5])]
    assert together.values.tolist() == apart.values.tolist()


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        ("nDGC@10", "unknown measure 'nDGC' (did you mean"),
        ("AP(rle=2)", "AP has no parameter 'rle' (did you mean rel?)"),
        ("P", "P needs a cutoff: write P@10"),
        ("P(rel=2)", "P(rel=2) needs a cutoff: write P(rel=2)@10"),
        ("IPrec(mode='trec9')", "needs a recall: write IPrec(mode='trec9')@0.5"),
        ("GAP(g=[0.5,0.6])", "sum to 1"),
        ("GAP(g=[0.2,0.3,0.5])", "g has 3 probabilities, the collection has 2 positive levels (1,2)"),
        ("GAP(g={5:1})", "g names grade 5, the collection has 1,2"),
    ],
)
def test_a_measure_that_cannot_be_scored_is_an_error(measures: str, said: str) -> None:
    assert said in refusal(QRELS, ONE, measures)


def test_unscorable_judgments_are_errors() -> None:
    assert "run.txt: no such file" in refusal(QRELS, "run.txt", AP)
    assert "qrels.txt: no such file" in refusal("qrels.txt", ONE, AP)
    assert "no topic to score" in refusal({}, ONE, AP)


@pytest.mark.parametrize("module", ["gradeval.scores.evaluation", "gradeval.collection.qrels"])
def test_examples_in_docstrings_hold(module: str) -> None:
    assert doctest.testmod(sys.modules[module]).failed == 0


@pytest.mark.parametrize("function", [judge, evaluate])
def test_what_is_no_judgments_or_no_run_is_refused(function: Any) -> None:
    with pytest.raises(InputError, match=r"^qrels are Qrels, a file, a frame, .* or records, .*, not a NoneType$"):
        function(None, {"1": {"x": 1.0}})
    with pytest.raises(InputError, match=r"^a run is a Run, a file, a frame, .*, or records, .*, not an int$"):
        function({"1": {"x": 1}}, [{"1": {"x": 1.0}}, 3])
    with pytest.raises(InputError, match="no run given"):
        function({"1": {"x": 1}}, [])
    frame = pa.table({"query_id": ["1"], "doc_id": ["x"], "weight": [1.0]})
    with pytest.raises(InputError, match="qrels: no column is known to hold the grades"):
        function(frame, {"1": {"x": 1.0}})
    with pytest.raises(InputError, match="is given twice"):
        function({"1": {"x": 1}}, [Run.from_dict({"1": {"x": 1.0}}, "mine")] * 2)


def test_runs_without_a_topic_in_common_with_the_judgments_are_refused() -> None:
    with pytest.raises(InputError, match="no run has a topic of qrels: 'q1' there, '01' here"):
        evaluate({"q1": {"x": 1}}, {"01": {"x": 1.0}}, "AP")
    assert evaluate({"q1": {"x": 1}}, {"q1": {}}, "AP").mean().tolist() == [[0.0]]  # nothing found is a result
    missed = evaluate({"q1": {"x": 1}, "q2": {"x": 1}}, {"q2": {"x": 1.0}}, "AP", topics=["q1"])
    assert missed.mean().tolist() == [[0.0]]  # the run is on topics of the qrels, only not on the chosen ones


def test_no_topic_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="no topic to score"):
        evaluate({"1": {"x": 1}}, {"1": {"x": 1.0}}, "AP", topics=[])


def test_curves_take_what_judge_returns() -> None:
    judged = judge({"1": {"x": 2, "y": 1}}, {"1": {"x": 2.0, "z": 1.5, "y": 1.0}})
    assert precision_recall_curve(judged).precision.tolist() == [[[1.0, 2 / 3]]]
    assert graded_precision_recall_curve(judged).area() == pytest.approx(GAP(judged))
    assert graded_recall(judged).tolist() == [[1.0]]
    assert expected_precision(judged, cutoff=2).tolist() == [[1 / 2]]
    assert interpolated_curve(judged, recalls=[1.0]).tolist() == [[[2 / 3]]]


def test_runs_on_other_topics_may_fill_a_portion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.scores.evaluation.PORTION", 1)
    own, foreign = Run.from_dict({"301": {"a": 1.0}}, "own"), Run.from_dict({"x1": {"d1": 3.0}}, "foreign")
    scores = evaluate(Qrels.from_dict(QRELS), [own, foreign], "AP", missing="skip", progress=lambda *_: None)
    assert scores.runs == ["own", "foreign"]
    assert scores.values[1].sum() == 0 < scores.values[0].sum()


def test_levels_are_declared_where_they_are_scored() -> None:
    grades, run = {"1": {"a": 1, "b": 2}, "2": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    declared = Qrels.from_dict(grades).with_levels((0, 1, 2, 3, 4))
    for levels in ((0, 1, 2, 3, 4), [0.0, 1.0, 2.0, 3.0, 4.0], range(5)):
        scores = evaluate(grades, run, "ERR GAP", levels=levels)
        assert scores.values.tolist() == evaluate(declared, run, "ERR GAP").values.tolist()
        assert judge(grades, run, levels=levels).levels == scores.levels == declared.levels
    assert scores.values.tolist() != evaluate(grades, run, "ERR GAP").values.tolist()
    wrong: list[tuple[Any, str]] = [
        ((0, 1), "grade 2 is not one of the levels 0,1"),
        ((1, 2), "must ascend from 0"),
        (4, "levels=4 is no list of levels"),
        ("0,1", "levels='0,1' is no list of levels"),
    ]
    for levels, said in wrong:
        with pytest.raises(InputError, match=said):
            evaluate(grades, run, "ERR", levels=levels)
