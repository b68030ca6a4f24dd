"""Is any document of a run judged? Else its values say nothing, and no verdict is given on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval.messages import join_names
from gradeval.scores.scores import Scores

NAMED = 3
"""Runs that a sentence names."""


def find_unjudged_runs(scores: Scores) -> list[str]:
    """The runs of which no document is judged; none where it is not known."""
    if scores.coverage is None:
        return []
    judged = scores.coverage.judged.sum(-1)
    return [scores.runs[place] for place in np.flatnonzero(judged == 0).tolist()]


def say_unjudged(runs: Sequence[str], asked: str = "") -> str:
    """That no document of these runs is judged; ``asked``: a question on ids that look alike, where there are some."""
    asked = asked or f"are {'its' if len(runs) == 1 else 'their'} ids written as in the judgments?"
    return f"no document of {join_names(runs, NAMED)} is judged; {asked}"


def say_undecided(runs: Sequence[str]) -> str:
    """That nothing is decided on these runs, and why."""
    return f"Not decided: {say_unjudged(runs)}"
