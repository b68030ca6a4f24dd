"""Is a run behind another one for topics that it lacks, which count 0? What a verdict says of such losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gradeval.formula.arithmetic import Array, tiny
from gradeval.formula.definition import Measure
from gradeval.messages import join_names, list_some
from gradeval.scores.mistakes import find_uncounted
from gradeval.scores.scores import Scores, Unit
from gradeval.studies.requirements import TOPICS
from gradeval.studies.significance import pair_values, t_test
from gradeval.studies.unjudged_runs import NAMED, UnjudgedLoss, say_doubt
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

COMMON = "--missing common (missing=) compares common topics"
"""How studies compare runs on the topics that all have."""


class MissingLoss(NamedTuple):
    """A run whose loss to another one rests on topics that it lacks.

    Attributes
    ----------
    run, other : the one that loses, and the one that wins.
    alone : the difference over the topics that both have; None: there are none.
    """

    run: str
    other: str
    alone: float | None


def count_lacking(scores: Scores) -> list[int]:
    """By run how many topics it lacks that count 0."""
    counts: list[int] = (~scores.present & ~find_uncounted(scores)).sum(1).tolist()
    return counts if scores.missing == "zero" and scores.unit != "tasks" else [0 for _ in counts]


def find_missing_losses(
    scores: Scores, pairs: Sequence[Array], sure: Sequence[Array], alpha: float, family: int
) -> list[list[MissingLoss]]:
    """By measure the losses that rest on topics which the run lacks: a t test over the topics of both runs shows none.

    ``pairs``: by measure intp[pair, 2], the places of a run that loses and of the one that wins; ``sure``: bool[pair],
    is the loss shown? Else it counts only where the run would win over the topics of both. ``family``: how many tests
    are corrected together, here by Bonferroni.
    """
    if not any(count_lacking(scores)):
        return [[] for _ in scores.measures]
    losses: list[list[MissingLoss]] = []
    for place, (of_measure, shown, values) in enumerate(zip(pairs, sure, pair_values(scores), strict=True)):
        present = scores.present[:, scores.counted[0, :, place]]
        found = []
        for (run, other), is_shown in zip(of_measure.tolist(), shown.tolist(), strict=True):
            gaps = (values[:, run] - values[:, other])[present[run] & present[other]]
            if not present[run].all() and (_is_behind(gaps, alpha / family) < is_shown or _is_ahead(gaps)):
                alone = float(gaps.mean()) if len(gaps) else None
                found.append(MissingLoss(scores.runs[run], scores.runs[other], alone))
        losses.append(found)
    return losses


def _is_behind(gaps: Array, alpha: float) -> bool:
    """Does a paired t test show that gaps[topic] are below 0 on average?"""
    return bool(len(gaps) >= TOPICS and gaps.mean() < 0 and t_test(gaps[None])[0] < alpha)


def _is_ahead(gaps: Array) -> bool:
    """Are gaps[topic] above 0 on average, by more than rounding errors?"""
    return bool(gaps.sum() > 0 and not tiny(gaps.sum(), np.abs(gaps).sum()))


def say_missing(losses: Sequence[MissingLoss], unit: Unit) -> str:
    """Whose missing topics a verdict rests on, as a condition; empty where it rests on none."""
    runs = [*dict.fromkeys(one.run for one in losses)]
    if len(runs) < 2:
        return f"{runs[0]}'s missing {unit} count 0" if runs else ""
    named = join_names(runs) if len(runs) <= NAMED else f"{len(runs)} runs"
    return f"missing {unit} of {named} count 0"


def say_conditions(unjudged: Sequence[UnjudgedLoss], missing: Sequence[MissingLoss], unit: Unit) -> str:
    """Whose unjudged documents and missing topics a verdict rests on, as its last clause; empty where on none."""
    doubt, lacking = say_doubt(unjudged), say_missing(missing, unit)
    return f"{doubt}{(' and ' if doubt else ', if ') if lacking else ''}{lacking}"


def list_lacking(runs: Sequence[str], lacking: Sequence[int]) -> str:
    """How many topics runs lack that count 0, for a caption; empty where none lacks any."""
    some = [f"{run} {number}" for run, number in zip(runs, lacking, strict=False) if number]
    return f"missing topics count 0 ({list_some(some, NAMED)})" if some else ""


def about_missing_losses(
    scores: Scores, measures: Sequence[Measure], losses: Sequence[Sequence[MissingLoss]], how: str = COMMON
) -> Iterator[Note]:
    """Which losses rest on missing topics, how the runs differ without these, and ``how`` to compare them so."""
    by = {str(measure): some for measure, some in zip(measures, losses, strict=True) if some}
    if not by:
        return
    measure, some = next(iter(by.items()))
    named = [
        f"{one.run} {'has none' if one.alone is None else format(one.alone, '+.4f')} from {one.other}" for one in some
    ]
    likewise = f"; likewise by {list_some([*by][1:])}" if len(by) > 1 else ""
    few = int(np.count_nonzero(scores.present.all(0))) < TOPICS
    how = "choose runs with common topics" if few else how
    yield Note(
        f"by {measure} these losses rest on missing {scores.unit}, which count 0; over the {scores.unit} of both runs: "
        f"{list_some(named)}{likewise}; {how}",
        CoverageWarning,
        own_weight=NoteWeight.OMISSION,
    )
