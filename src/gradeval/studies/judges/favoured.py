"""Whom a judge favours, in a sentence: the runs, or groups of runs, beyond chance and with intervals that exclude 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradeval.formula.definition import Measure
from gradeval.messages import list_some
from gradeval.studies.judges.bounded_figures import short, with_bounds
from gradeval.studies.judges.favours import Favours

TINY = 1e-12
"""The least width of an interval by which a gain is divided."""
NAMED = 3
"""Favoured runs that a sentence names before it counts the rest."""


def find_favoured(favours: Favours | None) -> tuple[list[str], list[str]]:
    """The names that a judge favours by one of the measures, and the names that it disadvantages, the furthest from 0
    first: after the correction for names and measures."""
    if favours is None:
        return [], []
    low, high = favours.interval.T
    significant = favours.p_over_measures < favours.alpha
    favoured, against = (significant & (low > 0)), (significant & (high < 0))
    order = np.argsort(-np.abs(favours.value), kind="stable").tolist()
    names = [(favours.names[place], place) for place in order]
    return [name for name, place in names if favoured[place]], [name for name, place in names if against[place]]


def tell_of_favours(judge: str, measures: Sequence[Measure], by_measure: Sequence[Favours | None], what: str) -> str:
    """Whom a judge favours by the measure that shows it most clearly; else whom it disadvantages; else an empty text.

    ``what``: what these are, as "group"; empty for runs.
    """
    clearest = max(range(len(measures)), key=lambda place: _clarity(by_measure[place]), default=None)
    favours = None if clearest is None else by_measure[clearest]
    favoured, against = find_favoured(favours)
    if clearest is None or favours is None or not favoured + against:
        return ""
    names = favoured or against
    what = what and f"the {what}{'s' * (len(names) > 1)} "
    place = favours.names.index(names[0])
    gain = with_bounds(float(favours.value[place]), tuple(favours.interval[place].tolist()), short, sign=True)
    who = f"{names[0]}: " if names[1:] else ""
    p = f"p {short(float(favours.p_over_measures[place]))}" + (
        f" over {len(measures)} measures" if measures[1:] else ""
    )
    return (
        f"Favours: {judge} {'favours' if favoured else 'disadvantages'} {what}{list_some(names, NAMED)} "
        f"({who}{measures[clearest]} {gain} beyond its usual errors, {p})"
    )


def tell_of_others(others: Mapping[str, Sequence[Favours | None]]) -> str:
    """Which further judges favour a run, each with the run; an empty text where none does."""
    named = {
        judge: next((favoured[0] for favoured, _ in map(find_favoured, by_measure) if favoured), None)
        for judge, by_measure in others.items()
    }
    some = [f"{judge} {run}" for judge, run in named.items() if run is not None]
    return f"Favours of other judges: {list_some(some)}; --all or table(all=True) shows by how much" if some else ""


def _clarity(favours: Favours | None) -> tuple[bool, float, float]:
    """How clearly a measure shows whom a judge favours: is somebody favoured, p, and the gain in widths of its
    interval."""
    favoured, against = find_favoured(favours)
    if favours is None or not favoured + against:
        return False, -2.0, 0.0
    place = favours.names.index((favoured or against)[0])
    low, high = favours.interval[place].tolist()
    return (
        bool(favoured),
        -float(favours.p_over_measures[place]),
        abs(float(favours.value[place])) / max(high - low, TINY),
    )
