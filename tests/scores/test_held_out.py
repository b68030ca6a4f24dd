"""Held-out items: nobody can judge the others, so that no verdict says to judge first."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradeval import compare, evaluate, gate, ranks, report
from gradeval.scores.held_out import are_held_out
from gradeval.scores.notes import HELD_OUT

TOPICS = [str(topic) for topic in range(30)]


def ranking(documents: list[str]) -> dict[str, float]:
    return {document: -float(place) for place, document in enumerate(documents)}


def hold_out(zeros: bool, items: int = 7) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """A few rated items of each user, and two recommenders of which one hits more of them at its top.

    ``zeros``: two of the ratings are bad, and counted as not relevant.
    """
    draw = random.Random(5)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"als": {}, "popular": {}}
    for topic in TOPICS:
        rated = draw.sample(range(1000), items)
        qrels[topic] = {f"i{one}": 0 if zeros and place < 2 else 4 + place % 2 for place, one in enumerate(rated)}
        others = [f"i{one}" for one in range(1000) if one not in rated]
        for run, hits in {"als": 1, "popular": 3}.items():
            found = draw.sample([*qrels[topic]], hits) + draw.sample(others, 10 - hits)
            runs[run][topic] = ranking(draw.sample(found, 10))
    return qrels, runs


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("ask", [compare, ranks, report, evaluate])
def test_held_out_items_cannot_be_judged(zeros: bool, ask: Callable[..., Any]) -> None:
    qrels, runs = hold_out(zeros)
    said = [note.text for note in ask(qrels, runs, "P@5").notes]
    assert not [text for text in said if "judge before" in text or "judge these" in text]
    assert HELD_OUT in said


@pytest.mark.parametrize("zeros", [False, True])
def test_gate_rejects_by_held_out_items_without_advice_to_judge(zeros: bool) -> None:
    qrels, runs = hold_out(zeros)
    decision = gate(qrels, runs["popular"], runs["als"], "P@5")
    assert decision.verdict == "worse"
    assert decision.as_often == {}
    assert not [note for note in decision.notes if "judge before" in note.text or "judge these" in note.text]


def test_a_pool_of_which_a_run_is_judged_is_not_held_out() -> None:
    """Seven judged documents a topic, among them most of the old run's top: the new run is to be judged."""
    qrels, runs = hold_out(True)
    old = {topic: ranking([*grades, "u1", "u2", "u3"]) for topic, grades in qrels.items()}
    said = [note.text for note in evaluate(qrels, {"old": old, "als": runs["als"]}, "P@5").notes]
    assert HELD_OUT not in said
    assert any("judge these documents before you decide" in text for text in said)
    # the judgments of many documents a topic are a pool, too, though neither run is in it
    many, others = hold_out(True, items=30)
    said = [note.text for note in evaluate(many, others, "P@5").notes]
    assert HELD_OUT not in said
    assert any("judge these documents before you decide" in text for text in said)


@pytest.mark.parametrize(
    ("pool", "tops", "held_out"),
    [
        ([[0, 7], [0, 7], [1, 6]], [0.1, 0.9], True),  # two of three topics hold no document of grade 0
        ([[1, 6], [0, 7]], [0.1, 0.9], False),  # half of them do, and a run is judged
        ([[1, 6], [1, 6]], [0.51, 0.9], True),  # few are judged, and little of any top
        ([[1, 6], [1, 6]], [0.5, 0.9], False),
        ([[1, 6], [5, 6], [5, 6]], [0.9, 0.9], False),  # most topics have more than a top
        ([[1, 6]], [], True),  # of no run is anything judged
    ],
)
def test_few_documents_of_grade_0_or_few_documents_and_little_of_every_top(
    pool: list[list[int]], tops: list[float], held_out: bool
) -> None:
    assert are_held_out(np.array(pool), tops) is held_out
