"""Verdicts of a gate that rest on unjudged documents or missing topics, against ``compare`` and a literal loop."""

from __future__ import annotations

import random
from typing import Any, Literal

import pytest

from gradeval import GateDecision, compare, evaluate, gate

Ranked = dict[str, dict[str, float]]
TOPICS = [str(topic) for topic in range(401, 431)]

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def collection(seed: int = 0) -> tuple[dict[str, dict[str, int]], Ranked]:
    """Judgments of 60 documents a topic, a quarter of them relevant, and a run of these, good but not perfect."""
    draw = random.Random(seed)
    qrels = {topic: {f"d{place}": int(place % 4 == 0) for place in range(60)} for topic in TOPICS}
    run = {topic: {one: grade + draw.gauss(0, 0.6) for one, grade in grades.items()} for topic, grades in qrels.items()}
    return qrels, run


def with_ending(run: Ranked, share: float, seed: int = 0) -> Ranked:
    """The run, with .html behind a share of its ids."""
    draw = random.Random(seed)
    return {
        topic: {f"{one}.html" if draw.random() < share else one: score for one, score in found.items()}
        for topic, found in run.items()
    }


def decide(*data: Any, fail_if: Literal["worse", "not-shown"] = "worse", **options: Any) -> GateDecision:
    return gate(*data, fail_if=fail_if, **options)


@pytest.mark.parametrize("fail_if", ["worse", "not-shown"])
@pytest.mark.parametrize("measures", ["AP", "nDCG@10", "AP nDCG@10", "RR P@5"])
def test_half_of_a_run_under_other_ids_is_no_plain_loss(measures: str, fail_if: Any) -> None:
    qrels, run = collection()
    other = with_ending(run, 0.5)
    found = decide(qrels, run, other, measures, fail_if=fail_if)
    assert not found.passed
    assert found.reason.endswith("30 topics), if unjudged documents of AFTER are not relevant")
    assert any(note.text.startswith("judge before you decide: by ") for note in found.notes)
    back = decide(qrels, other, run, measures, fail_if=fail_if)
    assert back.passed
    better = f"better by {', '.join(measures.split())}, if unjudged documents of BEFORE are not relevant"
    assert back.reason.endswith(better)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("shift", [0.0, 0.5, 2.0])
def test_the_losses_are_those_of_compare(share: float, shift: float) -> None:
    """AFTER is worse on judged documents, too: only where most of its loss is gone is there a condition."""
    qrels, run = collection()
    draw = random.Random(1)
    worse = {t: {one: score + draw.gauss(0, shift) for one, score in found.items()} for t, found in run.items()}
    after = with_ending(worse, share)
    found = gate(qrels, run, after, "AP nDCG@10")
    other = compare(qrels, {"BEFORE": run, "AFTER": after}, "AP nDCG@10")
    assert [[*some] for some in found.unjudged_losses] == [[*some] for some in other.unjudged_losses]
    conditions = [bool(some) for some in found.unjudged_losses]
    assert ("unjudged" in found.reason) == any(conditions)


def test_measures_of_which_some_rest_on_unjudged_documents_are_named() -> None:
    """By P@1 AFTER loses what is judged; by RR@3 and P@3 nothing but what is not."""
    qrels = {topic: {"a": 1, "b": 1, "c": 1, "n": 0, "m": 0} for topic in TOPICS}
    before = {topic: {"a": 5.0, "b": 4.0, "c": 3.0} for topic in TOPICS}
    after = {topic: {"n": 5.0, "x": 4.0, "y": 3.0, "a": 2.0, "b": 1.5, "c": 1.0} for topic in TOPICS}
    found = gate(qrels, before, after, "P@1 P@3")
    assert found.reason.endswith("30 topics); P@3 only if unjudged documents of AFTER are not relevant")


def test_a_loss_for_missing_topics_carries_the_condition() -> None:
    """AFTER is BEFORE without some topics: over common topics nothing is lost."""
    qrels, run = collection()
    cut = {topic: run[topic] for topic in TOPICS[:18]}
    found = gate(qrels, run, cut, "P@5")
    assert found.verdict == "worse"
    assert found.reason.endswith("30 topics, 12 not in AFTER), if AFTER's missing topics count 0")
    (note,) = [note.text for note in found.notes if "rest on missing" in note.text]
    assert note == (
        "by P@5 these losses rest on missing topics, which count 0; over the topics of both runs: AFTER +0.0000 from "
        "BEFORE; --topics FILE (topics=) chooses common topics"
    )
    chosen = gate(qrels, run, cut, "P@5", topics=TOPICS[:18], allow_equal=True)
    assert chosen.passed
    back = gate(qrels, cut, run, "P@5")
    assert back.reason.endswith("significantly better by P@5, if BEFORE's missing topics count 0")
    ready = gate(evaluate(qrels, run, "P@5"), evaluate(qrels, cut, "P@5"))
    assert ready.reason.endswith("if AFTER's missing topics count 0")


def test_a_loss_on_common_topics_has_no_condition() -> None:
    qrels, run = collection()
    turned = {topic: {one: -score for one, score in run[topic].items()} for topic in TOPICS[:25]}
    assert gate(qrels, run, turned, "P@5").reason.endswith("30 topics, 5 not in AFTER)")


def test_two_topics_have_a_verdict_and_no_condition() -> None:
    qrels, run = collection()
    two = {topic: qrels[topic] for topic in TOPICS[:2]}
    found = gate(two, run, with_ending(run, 0.5), "AP")
    assert found.counted.tolist() == [2]
    assert "unjudged documents of AFTER" not in found.reason
