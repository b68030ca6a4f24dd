"""What does a verdict say of runs of which no document is judged, or whose unjudged documents decide?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradeval.messages import join_names
from gradeval.scores.scores import Scores
from gradeval.warning_categories import ask_of_respelt_runs

NAMED = 3
"""Runs that a verdict names; of more it tells the number."""


class RespeltRun(str):
    """The name of a run of which some documents are judged, and more seem to be under other ids."""

    __slots__ = ()


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


def find_unjudged_runs(scores: Scores) -> list[str]:
    """The runs of which no document is judged, or most judged ones under other ids; none where it is not known."""
    if scores.judging is None:
        return []
    judged = scores.judging.judged.sum(-1)
    respelt = ask_of_respelt_runs(scores.notes)
    runs = zip(scores.runs, judged.tolist(), strict=True)
    return [RespeltRun(run) if number else run for run, number in runs if not number or run in respelt]


def say_unjudged(runs: Sequence[str], asked: str = "") -> str:
    """That no document of these runs is judged under its id, or few are; ``asked``: a question on ids that look
    alike, where there are some."""
    asked = asked or f"are {'its' if len(runs) == 1 else 'their'} ids written as in the judgments?"
    respelt = [run for run in runs if isinstance(run, RespeltRun)]
    none = [run for run in runs if run not in respelt]
    said = [f"no document of {join_names(none, NAMED)} is judged"] if none else []
    said += (
        [f"the judgments seem to name topics or documents of {join_names(respelt, NAMED)} otherwise"] if respelt else []
    )
    return f"{', and '.join(said)}; {asked}"


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
