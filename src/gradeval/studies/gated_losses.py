"""Which verdicts of a gate rest on documents that nobody judged, or on topics that a run lacks? As ``compare`` asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gradeval.scores.scores import Scores
from gradeval.studies.gate_decision import GateDecision
from gradeval.studies.missing_topics import about_missing_losses, find_missing_losses
from gradeval.studies.requirements import TOPICS
from gradeval.studies.unequal_judging import about_unjudged_losses, find_unjudged_losses
from gradeval.warning_categories import Note

COMMON = "--topics FILE (topics=) chooses common topics"
"""How a gate compares both on the topics that both have."""


def find_losses(decision: GateDecision, scores: Scores) -> GateDecision:
    """The decision with the losses that rest on unjudged documents or missing topics: AFTER's where it is behind, and
    BEFORE's where AFTER is ahead.

    Bounds below minus the margin show no loss; there a missing topic counts only where AFTER would win without it. So
    few topics that nothing is tested over them rest on nothing.
    """
    if decision.counted.min() < TOPICS:
        nothing: list[list[Any]] = [[] for _ in decision.measures]
        return replace(decision, unjudged_losses=nothing, missing_losses=nothing)
    scores = replace(scores, runs=["BEFORE", "AFTER"])
    pairs = [np.array([[0, 1]] if gap > 0 else [[1, 0]])[: int(gap != 0)] for gap in decision.difference.tolist()]
    told = decision.told_apart
    better = np.array([verdict == "better" for verdict in told.values()])
    failed = np.array([verdict != "passed" for verdict in decision.verdicts.values()])
    shown = better if decision.margins is not None else better | failed
    level = decision.alpha if decision.passed else 2 * decision.alpha  # of a two-sided test, where one side is asked
    losses = [
        [one[: len(pair)] for one, pair in zip(sure[:, None], pairs, strict=True)] for sure in (better | failed, shown)
    ]
    return replace(
        decision,
        unjudged_losses=find_unjudged_losses(scores, pairs, losses[0]),
        missing_losses=find_missing_losses(scores, pairs, losses[1], level, len(scores.measures)),
    )


def about_losses(decision: GateDecision, scores: Scores) -> Iterator[Note]:
    """What to judge before one decides, and how both differ over the topics that both have."""
    yield from about_unjudged_losses(decision.measures, decision.unjudged_losses)
    yield from about_missing_losses(scores, decision.measures, decision.missing_losses, COMMON)
