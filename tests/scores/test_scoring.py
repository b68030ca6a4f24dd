"""Several cutoffs in one pass: the values of each alone; and dictionaries judged in place."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest
from refusing import said_of

import gradeval
from gradeval import InputError, JudgedRankings
from gradeval.collection.meeting import meet
from gradeval.collection.runs import Run
from gradeval.formula.definition import REGISTRY
from gradeval.scores.scoring import plan_passes, score_block

SHARED = {name: one.definition for name, one in REGISTRY.items() if one.definition.many}
MANY = sorted(name for name, definition in SHARED.items() if definition.many == "cutoff")
CUTOFFS = (1, 2, 3, 7, 20, 1000)


def collection(topics: int, depth: int, seed: int = 0) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for topic in range(topics):
        documents = [f"d{number}" for number in rng.choice(10 * depth, depth, replace=False)]
        run[f"q{topic}"] = dict(zip(documents, np.round(rng.normal(size=depth), 2).tolist(), strict=True))
        judged = rng.choice(documents, depth // 2, replace=False).tolist()
        qrels[f"q{topic}"] = {document: int(rng.integers(-1, 4)) for document in [*judged, "missed"]}
    return qrels, run


@cache
def judged_runs(topics: int) -> gradeval.JudgedRuns:
    return gradeval.judge(*collection(topics, 60))


def test_the_measures_of_mteb_are_among_those_with_many_cutoffs() -> None:
    assert {"nDCG", "AP", "R", "P", "Success", "RR"} <= set(MANY)


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("topics", [3, 1200])  # one small rectangle, and several
def test_a_pass_over_cutoffs_gives_each_its_value(name: str, judged_only: bool, topics: int) -> None:
    judged = judged_runs(topics)
    measures = tuple(REGISTRY[name](cutoff=cutoff, judged_only=judged_only) for cutoff in CUTOFFS)
    assert len(plan_passes(measures)) == 1
    for _, block in judged.blocks():
        together = score_block(measures, block)
        for measure, values in zip(measures, together, strict=True):
            np.testing.assert_array_equal(values, measure(block), err_msg=str(measure))


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("mode", ["exact", "trec9", "trec10"])
def test_a_pass_over_recall_levels_gives_each_its_value(judged_only: bool, mode: str) -> None:
    assert {name for name, definition in SHARED.items() if definition.many != "cutoff"} == {"IPrec", "Rprec"}
    judged = judged_runs(30)
    levels = (0, 0.1, 0.25, 1 / 3, 0.5, 0.95, 1)
    measures = tuple(gradeval.IPrec(recall=level, mode=mode, judged_only=judged_only) for level in levels)
    assert len(plan_passes(measures)) == 1
    for _, block in judged.blocks():
        for measure, values in zip(measures, score_block(measures, block), strict=True):
            np.testing.assert_array_equal(values, measure(block), err_msg=str(measure))


@pytest.mark.parametrize("judged_only", [False, True])
def test_a_pass_over_multiples_of_the_recall_base_gives_each_its_value(judged_only: bool) -> None:
    judged = judged_runs(30)
    measures = tuple(gradeval.Rprec(multiple=number, judged_only=judged_only) for number in (0, 0.2, 1, 1.4, 30))
    assert len(plan_passes(measures)) == 1
    for _, block in judged.blocks():
        for measure, values in zip(measures, score_block(measures, block), strict=True):
            np.testing.assert_array_equal(values, measure(block), err_msg=str(measure))


def test_a_measure_of_all_rankings_goes_through_all_rectangles() -> None:
    judged = judged_runs(1200)
    values = judged.map(gradeval.AP)[0]
    assert len(list(judged.blocks())) > 1
    for rows, block in judged.blocks():
        np.testing.assert_array_equal(values[rows], gradeval.AP(block))


def test_an_ideal_of_the_first_ranks_is_that_of_each_cutoff() -> None:
    ranking = JudgedRankings.of([0, 2, 1, 0, 2], pool=[2, 3, 4])
    measures = tuple(gradeval.nDCG @ cutoff for cutoff in (1, 3))
    gain = [0, 2, 1]
    dcg = [sum(gain[rank] / math.log2(rank + 2) for rank in range(cutoff)) for cutoff in (1, 3)]
    ideal = [sum(2 / math.log2(rank + 2) for rank in range(cutoff)) for cutoff in (1, 3)]
    np.testing.assert_allclose(score_block(measures, ranking)[:, 0], np.divide(dcg, ideal))


@pytest.mark.parametrize("ties", ["docid", "docid-float32", "order"])
def test_a_dictionary_judged_in_place_gives_what_its_copy_gives(ties: str) -> None:
    qrels, run = collection(20, 50)
    run["elsewhere"] = {"d1": 1.0}
    run["q3"] = {}
    run["q4"] = {document: np.float64(score) for document, score in run["q4"].items()}
    run["q5"] = {document: int(100 * score) for document, score in run["q5"].items()}
    run["q6"] = {"é" + document: 0.0 for document in run["q6"]}
    judgments = gradeval.Qrels.from_dict(qrels)
    here, copied = (meet(judgments, [one], ties=ties) for one in (Run.over(run), Run.from_dict(run)))
    for name in ("rank", "document", "offsets", "retrieved", "tied"):
        np.testing.assert_array_equal(getattr(here, name), getattr(copied, name), err_msg=name)
    assert here.unjudged_topics == copied.unjudged_topics == [["elsewhere"]]


def test_other_mappings_are_copied() -> None:
    qrels, run = collection(3, 10)
    strange = {
        np.str_(topic): {document: np.float32(score) for document, score in scores.items()}
        for topic, scores in run.items()
    }
    close = {
        topic: {document: float(np.float32(score)) for document, score in scores.items()}
        for topic, scores in run.items()
    }
    np.testing.assert_array_equal(
        gradeval.evaluate(qrels, strange, "AP nDCG").values, gradeval.evaluate(qrels, close, "AP nDCG").values
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400])
def test_a_wrong_score_is_refused_alike(value: object) -> None:
    run = {"q0": {"d1": 1.0, "d2": value}}
    here = said_of(lambda: gradeval.evaluate({"q0": {"d1": 1}}, run, "AP"))
    copied = said_of(lambda: Run.from_dict(run))
    for said in (here, copied):
        assert said.startswith("run: score ")
        assert {"q0", "d2"} <= set(re.findall(r"\b[qd]\d\b", said))


@pytest.mark.parametrize("value", ["x", True, None])
def test_a_score_that_is_no_number_is_refused_with_its_place(value: object) -> None:
    run = {"q0": {"d1": 1.0, "d2": value}}
    for read in (lambda: gradeval.evaluate({"q0": {"d1": 1}}, run, "AP"), lambda: Run.from_dict(run)):
        assert re.match(r"run: .*score .*", said_of(read))
        assert {"q0", "d2"} <= set(re.findall(r"\b[qd]\d\b", said_of(read)))


@pytest.mark.parametrize("scale", [1.0, 1e300, 5e-324, 1e-300])
def test_scores_of_any_size_are_ranked(scale: float) -> None:
    """Buckets of a sort by counting must hold the extremes: their range may overflow or vanish."""
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal(size=300) * 40) * scale
    documents = [f"d{number:03}" for number in range(300)]
    run = {"q": dict(zip(documents, scores.tolist(), strict=True))}
    order = sorted(documents, key=lambda document: (run["q"][document], document), reverse=True)
    judged = gradeval.judge({"q": dict.fromkeys(documents, 1)}, run)
    assert [documents[place] for place in judged.document[:-1]] == order


def test_scores_as_dictionaries() -> None:
    scores = gradeval.evaluate(
        {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 0}}, {"q1": {"b": 2.0, "a": 1.0}}, "AP P@1"
    )
    zero = {"AP": 0.0, "P@1": 0.0}
    assert scores.to_dict() == {"run": {"q1": {"AP": 1 / 2, "P@1": 0.0}, "q2": zero, "q3": zero}}
    assert scores.to_dict(["map", "P_1"])["run"]["q1"] == {"map": 1 / 2, "P_1": 0.0}
    skipped = gradeval.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}, "AP", missing="skip")
    assert skipped.to_dict() == {"run": {"q1": {"AP": 1.0}}}
    with pytest.raises(InputError, match="1 names for 2 measures"):
        scores.to_dict(["map"])
