"""What does a verdict say of runs of which no document is judged, or whose unjudged documents decide?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradeval.messages import join_names
from gradeval.scores.alike_ids import DOUBTFUL_TOP
from gradeval.scores.coverage import TOP, Judging
from gradeval.scores.mistakes import find_unjudged_tops
from gradeval.scores.scores import Scores
from gradeval.warning_categories import ask_of_respelt_runs

NAMED = 3
"""Runs that a verdict names; of more it tells the number."""


class UndecidedRun(str):
    """The name of a run on which nothing is decided, as no document is judged; ``said``: the sentence that says so."""

    __slots__ = ()
    said = "no document of {} is judged"


class UnjudgedTop(UndecidedRun):
    """A run with judged documents, but none near the top of any topic."""

    __slots__ = ()
    said = f"none of the first {TOP} documents of {{}} is judged"


class RespeltRun(UndecidedRun):
    """A run with some judged documents, and more that seem to be judged under other ids."""

    __slots__ = ()
    said = "the judgments seem to spell ids of {} otherwise"


class UnjudgedLoss(NamedTuple):
    """A run whose loss to another one is mostly gone if documents that nobody judged are relevant as often as others.

    Attributes
    ----------
    run, other : the one that loses, and the one that wins.
    as_often : the difference if unjudged documents are relevant as often as judged ones; None: rankings are too long.
    """

    run: str
    other: str
    as_often: float | None


def find_unjudged_runs(scores: Scores) -> list[UndecidedRun]:
    """The runs without judged documents, without any near the top, or with most judged under other ids; none where
    nobody knows what is judged. Tops do not count where judgments are held out."""
    judging = scores.judging
    if judging is None:
        return []
    respelt = ask_of_respelt_runs(scores.notes)
    tops = find_unjudged_tops(judging) if _are_tops_judged(scores, judging) else np.zeros(len(scores.runs), bool)
    every = [
        (UndecidedRun, judging.judged.sum(-1) == 0),
        (RespeltRun, np.array([run in respelt for run in scores.runs])),
        (UnjudgedTop, tops),
    ]
    kinds = [next((kind for kind, are in every if are[place]), None) for place in range(len(scores.runs))]
    return [kind(run) for kind, run in zip(kinds, scores.runs, strict=True) if kind is not None]


def _are_tops_judged(scores: Scores, judging: Judging) -> bool:
    """Is a top without judged documents no chance, as one of a bad run is where judgments are held out?"""
    return scores.as_often is not None or bool(judging.unjudged_top_share.min() <= 1 - DOUBTFUL_TOP)


def say_unjudged(runs: Sequence[UndecidedRun], asked: str = "") -> str:
    """That no document of these runs is judged under its id, or few; ``asked``: are ids that look alike the same?"""
    asked = asked or f"are {'its' if len(runs) == 1 else 'their'} ids written as in the judgments?"
    by_kind: dict[str, list[str]] = {}
    for run in runs:
        by_kind.setdefault(run.said, []).append(run)
    said = [text.format(join_names(some, NAMED)) for text, some in sorted(by_kind.items())]
    return f"{', and '.join(said)}; {asked}"


def say_undecided(runs: Sequence[UndecidedRun]) -> str:
    """That nothing is decided on these runs, and why."""
    return f"Not decided: {say_unjudged(runs)}"


def say_doubt(losses: Sequence[UnjudgedLoss]) -> str:
    """Whose documents a verdict rests on that nobody judged, as its last clause; empty where there are none."""
    runs = list(dict.fromkeys(one.run for one in losses))
    if not runs:
        return ""
    named = join_names(runs) if len(runs) <= NAMED else f"{len(runs)} runs"
    return f", if unjudged documents of {named} are not relevant"
