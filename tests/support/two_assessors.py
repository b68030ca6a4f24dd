"""A small collection that two assessors judged, and runs on it, drawn at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Judgments = dict[str, dict[str, float]]


class TwoAssessors(NamedTuple):
    """Judgments of humans and of a judge, and runs, as plain dictionaries."""

    human: Judgments
    judge: Judgments
    runs: dict[str, Judgments]


def two_assessors(
    seed: int = 0, topics: int = 8, documents: int = 30, runs: int = 6, *, same_pool: bool = True
) -> TwoAssessors:
    """Grades 0 to 3; the judge is right most of the time, and some documents are in the pool of one side only."""
    rng = np.random.default_rng(seed)
    human: Judgments = {}
    judge: Judgments = {}
    for topic in (f"t{number:02}" for number in range(topics)):
        grades = rng.choice(4, documents, p=[0.5, 0.2, 0.2, 0.1])
        guesses = np.where(rng.random(documents) < 0.6, grades, rng.integers(0, 4, documents))
        human[topic] = {f"d{place}": int(grade) for place, grade in enumerate(grades)}
        judge[topic] = {f"d{place}": int(grade) for place, grade in enumerate(guesses)}
        if not same_pool:
            for place in rng.choice(documents, 4, replace=False).tolist():
                del (human if place % 2 else judge)[topic][f"d{place}"]
    retrieved: dict[str, Judgments] = {}
    for number in range(runs):
        scores: Judgments = {}
        for topic, grades_of in human.items():
            known = [grades_of.get(f"d{place}", 1) for place in range(documents + 5)]
            noisy = np.array(known) / (1 + number) + rng.normal(size=documents + 5)
            chosen = rng.choice(documents + 5, 20, replace=False).tolist()
            scores[topic] = {f"d{place}": float(noisy[place]) for place in chosen}
        retrieved[f"run{number}"] = scores
    return TwoAssessors(human, judge, retrieved)
