"""A cross-validation of a few small trees that several tests, and processes of theirs, share."""

from __future__ import annotations

from graded_features import graded_features

from gradeval import Features
from gradeval.ltr import CrossValidation, TreeRanker, crossval

PARTS = [graded_features(8, seed=seed, prefix=f"p{seed}-") for seed in range(4)]
OBJECTIVES = ["lambdarank:AP", "lambdarank:GAP(g=[0.5,0.5])"]
MEASURES = "nDCG@5 AP"
SETTINGS = {"epochs": 12, "patience": 4, "min_rows": 3, "learning_rate": 0.2}


def run(parts: list[Features] = PARTS, objectives: object = OBJECTIVES, **changes: object) -> CrossValidation:
    settings = {"measures": MEASURES, "ranker": TreeRanker, **SETTINGS, **changes}
    return crossval(parts, objectives, settings.pop("measures"), settings.pop("ranker"), **settings)
