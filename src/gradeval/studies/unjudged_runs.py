"""What does a verdict say of runs of which no document is judged, or whose unjudged documents decide?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradeval.messages import join_names
from gradeval.scores.scores import Scores

NAMED = 3
"""Runs that a verdict names; of more it tells the number."""


class UnjudgedLoss(NamedTuple):
    """A run whose loss to another one is mostly gone without documents that nobody judged.

    Attributes
    ----------
    run, other : the one that loses, and the one that wins.
    alone : the difference over judged documents alone; or if unjudged documents were relevant ``as_often`` as these.
    """

    run: str
    other: str
    alone: float
    as_often: bool = False


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


def say_doubt(losses: Sequence[UnjudgedLoss]) -> str:
    """Whose documents a verdict rests on that nobody judged, as its last clause; empty where there are none."""
    runs = list(dict.fromkeys(one.run for one in losses))
    if not runs:
        return ""
    named = join_names(runs) if len(runs) <= NAMED else f"{len(runs)} runs"
    return f", if unjudged documents of {named} are not relevant"
