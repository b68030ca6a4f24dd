"""A collection with human grades of some topics and model grades of all."""

from __future__ import annotations

import numpy as np

import gradeval
from gradeval import Scores, evaluate

TOPICS = [f"t{number:02}" for number in range(30)]
HUMAN = TOPICS[3:27:2]
DOCUMENTS = [f"d{number}" for number in range(20)]


def collection(seed: int = 0) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]], dict[str, gradeval.Run]]:
    """Human and lenient model grades of all topics, and three runs, the first of which is the best."""
    rng = np.random.default_rng(seed)
    human, model = {}, {}
    runs: dict[str, dict[str, dict[str, float]]] = {"elm": {}, "oak": {}, "ash": {}}
    for topic in TOPICS:
        grades = rng.integers(0, 4, 20)
        lenient = np.clip(grades + (rng.random(20) < 0.2), 0, 3)
        human[topic] = dict(zip(DOCUMENTS, grades.tolist(), strict=True))
        model[topic] = dict(zip(DOCUMENTS, lenient.tolist(), strict=True))
        hard = rng.uniform(0.2, 3)
        for run, noise in zip(runs, (0.5, 1.5, 4.0), strict=True):
            scores = grades + hard * noise * rng.standard_normal(20)
            runs[run][topic] = dict(zip(DOCUMENTS, scores.tolist(), strict=True))
    return human, model, {name: gradeval.Run.from_dict(run, name) for name, run in runs.items()}


def scored(measures: str = "AP nDCG@5 GAP gmAP", **options: str) -> tuple[Scores, Scores]:
    human, model, runs = collection()
    few = {topic: human[topic] for topic in HUMAN}
    return evaluate(few, runs, measures, **options), evaluate(model, runs, measures, **options)
