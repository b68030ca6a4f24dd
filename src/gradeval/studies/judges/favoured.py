"""Whom a judge favours, in a sentence: the runs, or groups of runs, beyond chance, with intervals that exclude 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradeval.formula.definition import Measure
from gradeval.messages import list_some
from gradeval.studies.judges.bounded_figures import short, with_bounds
from gradeval.studies.judges.favours import Favours
from gradeval.studies.judges.verdicts import MANY

TINY = 1e-12
"""The least width of an interval by which a gain is divided."""
NAMED = 3
"""Favoured runs that a sentence names before it counts the rest."""
BEYOND = "beyond its random errors"
"""What a gain is compared with."""
OR_HUMANS = "but human errors do so, too"
"""Why a gain that the humans' grades do not confirm accuses nobody."""


def find_favoured(favours: Favours | None, *, sure: bool = True) -> tuple[list[str], list[str]]:
    """The names that a judge favours by one of the measures, and the names that it disadvantages, the furthest from 0
    first: after the correction for names and measures.

    ``sure``: only where the humans' grades confirm it; else all that move beyond chance, whichever side errs.
    """
    if favours is None:
        return [], []
    low, high = favours.interval.T
    moved = favours.significant_over_measures if sure else favours.p_over_measures < favours.alpha
    order = np.argsort(-np.abs(favours.value), kind="stable").tolist()
    up, down = (moved & (low > 0)), (moved & (high < 0))
    return [favours.names[place] for place in order if up[place]], [favours.names[one] for one in order if down[one]]


def tell_of_favours(judge: str, measures: Sequence[Measure], by_measure: Sequence[Favours | None], what: str) -> str:
    """Whom the judge favours by the measure that shows it most clearly; else whom it disadvantages; else whom it moves
    as it would if the humans err; else an empty text.

    ``what``: what these are, as "group"; empty for runs.
    """
    sure = any(any(find_favoured(favours)) for favours in by_measure)
    clearest = max(range(len(measures)), key=lambda place: _clarity(by_measure[place], sure), default=None)
    favours = None if clearest is None else by_measure[clearest]
    favoured, against = find_favoured(favours, sure=sure)
    if clearest is None or favours is None or not favoured + against:
        return ""
    names = favoured or against
    what = what and f"the {what}{'s' * (len(names) > 1)} "
    who = f"{what}{list_some(names, NAMED)}"
    place = favours.names.index(names[0])
    gain = with_bounds(float(favours.value[place]), tuple(favours.interval[place].tolist()), short, sign=True)
    of = f"{names[0]}: " if names[1:] else ""
    tested = "" if len(favours.names) < MANY else f" over {len(favours.names)} {'groups' if what else 'runs'}"
    tested += (" and" if tested else " over") + f" {len(measures)} measures" if measures[1:] else ""
    p = f"p {short(float(favours.p_over_measures[place]))}{tested}"
    shown = f"{of}{measures[clearest]} {gain} {BEYOND}, {p}"
    if sure:
        return f"Favours: {judge} {'favours' if favoured else 'disadvantages'} {who} ({shown})"
    return f"Favours: not decided; {judge} {'raises' if favoured else 'lowers'} {who} ({shown}), {OR_HUMANS}"


def tell_of_others(others: Mapping[str, Sequence[Favours | None]]) -> str:
    """Which further judges favour a run, each with the run; an empty text where none does."""
    named = {
        judge: next((favoured[0] for favoured, _ in map(find_favoured, by_measure) if favoured), None)
        for judge, by_measure in others.items()
    }
    some = [f"{judge} {run}" for judge, run in named.items() if run is not None]
    return f"Favours of other judges: {list_some(some)}; --all or table(all=True) shows by how much" if some else ""


def _clarity(favours: Favours | None, sure: bool) -> tuple[bool, float, float]:
    """How clearly a measure shows whom a judge moves, and favours if ``sure``: is somebody raised, p, and the gain in
    widths of its interval."""
    raised, lowered = find_favoured(favours, sure=sure)
    if favours is None or not raised + lowered:
        return False, -2.0, 0.0
    place = favours.names.index((raised or lowered)[0])
    low, high = favours.interval[place].tolist()
    return (
        bool(raised),
        -float(favours.p_over_measures[place]),
        abs(float(favours.value[place])) / max(high - low, TINY),
    )
