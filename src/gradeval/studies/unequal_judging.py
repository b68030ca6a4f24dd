"""Is a run behind another one for documents that nobody judged? What a verdict says of such losses.

A new run against judgments of old ones is judged far less: documents that only it found count as not relevant. Where
most of its loss is gone over judged documents alone, the verdict says to judge first. A measure without a cutoff, as
AP, divides by all relevant documents, also by those that the run may have under unjudged ids: nothing moves up into
their place. There the loss is asked for if unjudged documents were relevant as often as judged ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, ratio, rounded, tiny
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.messages import list_some
from gradeval.scores.coverage import TOP, Judging
from gradeval.scores.judged_alone import add_judged_only, sees_unjudged
from gradeval.scores.notes import MUCH_UNJUDGED
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import score
from gradeval.studies.significance import pair_values
from gradeval.studies.unjudged_runs import UnjudgedLoss
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

WITHOUT = "without them, which favours runs outside the pool"
AS_OFTEN = "if they are relevant as often as judged ones, which favours runs outside the pool"
"""What differences are of which a verdict says that they may be the right ones."""


def is_mostly_unjudged(loss: Array | float, alone: Array | float) -> Array:
    """bool: is more than half of a loss gone over judged documents ``alone``? A gain is no loss.

    Exactly half is not more: what is beyond half must be larger than rounding errors of the largest difference.
    """
    beyond = np.asarray(2 * alone - loss)
    largest = max(np.abs(loss).max(initial=0.0), np.abs(alone).max(initial=0.0))
    return np.asarray((loss < 0) & (beyond > 0) & ~tiny(beyond, 2 * largest))


def judged_unequally(scores: Scores) -> bool:
    """Are some runs judged far less than others?"""
    judging = scores.judging
    if judging is None or judging.judged_top is None:
        return False
    return bool(np.ptp(judging.unjudged_top_share) >= MUCH_UNJUDGED)


def with_judged_only(scores: Scores, judged: JudgedRuns) -> Scores:
    """The scores, with their values over judged documents alone where some runs are judged far less than others."""
    if not judged_unequally(scores):
        return scores
    return add_judged_only(
        scores, judged.grading.pools.pool, lambda condensed: score(judged, condensed, coverage=scores.coverage)
    )


def about_scores_alone(scores: Scores, study: str) -> list[Note]:
    """That scores of runs do not say what is left of a loss over judged documents alone, where some runs are
    judged far less than others."""
    judging = scores.judging
    if judging is None or scores.judged_only is not None or len(scores.runs) < 2:
        return []
    top = judging.unjudged_top_share
    most, least = int(top.argmax()), int(top.argmin())
    if top[most] - top[least] < MUCH_UNJUDGED:
        return []
    named = (f"{scores.runs[place]} {top[place]:.1%}" for place in (most, least))
    return [
        Note(
            f"unjudged documents in the top {TOP}: {' and '.join(named)}; give {study} judgments and runs to see which "
            "losses they make",
            own_weight=NoteWeight.COVERAGE,
        )
    ]


def counts_all_relevant(measure: Measure, levels: Levels) -> bool:
    """Do relevant documents lower a value by being there, without being retrieved; or does it count those that are?"""
    if measure.definition.aggregate == "sum":
        return True
    none = [0] * (len(levels) - 1)
    one, two = (JudgedRankings.of([levels[-1]], pool=[*none, number], levels=levels) for number in (1, 2))
    return bool((measure(two) < measure(one)).all())


def _looks_beyond(measure: Measure, scores: Scores, judging: Judging) -> bool:
    """Does a measure count all relevant documents, and look further than the judged documents of a run reach?"""
    if scores.levels is None or not counts_all_relevant(measure, scores.levels):
        return False
    reach = ratio(judging.judged.sum(-1), np.count_nonzero(judging.retrieved, axis=-1)).min()
    return measure.cutoff is None or measure.cutoff > reach


def _as_often(means: Array, measure: Measure, judged: Array) -> Array:
    """float64[run]: means over judged documents alone, if the unjudged ones were relevant as often.

    ``judged``: float64[run], the share of the top that is judged; at least one document counts as judged.
    Shares by rank doubt as many losses, and miss more that judgments undo: what is judged far down is near the top of
    another run, and relevant nearly as often as near its own.
    """
    judged = np.maximum(judged, 1 / TOP)
    if measure.definition.aggregate == "geometric":
        return means - np.log(judged)
    more = means / judged
    return more if "bounded" in measure.definition.exempt else np.minimum(more, np.maximum(means, 1.0))


def find_unjudged_losses(scores: Scores, pairs: Sequence[Array], sure: Sequence[Array]) -> list[list[UnjudgedLoss]]:
    """By measure the losses that are mostly gone over judged documents alone, the largest difference there first.

    ``pairs``: by measure intp[pair, 2], the places of a run that loses and of the one that wins; ``sure``: bool[pair],
    does a test show the loss? Else it counts only where the run would win over judged documents alone. A run counts
    that is judged less than the other by ``MUCH_UNJUDGED`` of its top.
    """
    if scores.judged_only is None or scores.judging is None:
        return [[] for _ in scores.measures]
    top = scores.judging.unjudged_top_share
    losses: list[list[UnjudgedLoss]] = []
    both = pair_values(scores), pair_values(replace(scores, values=scores.judged_only))
    for measure, of_measure, shown, values, condensed in zip(scores.measures, pairs, sure, *both, strict=True):
        if not len(of_measure):
            losses.append([])
            continue
        losers, winners = of_measure.T
        beyond = sees_unjudged(measure) and _looks_beyond(measure, scores, scores.judging)
        known = _as_often(condensed.mean(0), measure, 1 - top) if beyond else condensed.mean(0)
        loss, alone = (rounded(mean[losers] - mean[winners]) for mean in (values.mean(0), known))
        much = top[losers] - top[winners] >= MUCH_UNJUDGED
        kept = np.flatnonzero(much & is_mostly_unjudged(loss, alone) & (shown | (alone > 0)))
        kept = kept[np.argsort(-alone[kept], kind="stable")]
        told = zip(losers[kept].tolist(), winners[kept].tolist(), alone[kept].tolist(), strict=True)
        losses.append([UnjudgedLoss(scores.runs[run], scores.runs[other], gap, beyond) for run, other, gap in told])
    return losses


def about_unjudged_losses(measures: Sequence[Measure], losses: Sequence[Sequence[UnjudgedLoss]]) -> Iterator[Note]:
    """What to judge before one decides, and how the runs differ without what nobody judged, or if it is as relevant."""
    by = {str(measure): some for measure, some in zip(measures, losses, strict=True) if some}
    if not by:
        return
    measure, some = next(iter(by.items()))
    others = {one.other for one in some}
    winner = some[0].other if len(others) == 1 else ""
    named = [
        f"{one.run} {one.alone:+.4f}" if winner else f"{one.run} {one.alone:+.4f} from {one.other}" for one in some
    ]
    likewise = f"; likewise by {list_some([*by][1:])}" if len(by) > 1 else ""
    lost = f"the loss to {winner}" if winner else "these losses"
    yield Note(
        f"judge before you decide: by {measure} unjudged documents may make most of {lost}; "
        f"{AS_OFTEN if some[0].as_often else WITHOUT}: "
        f"{list_some(named)}{likewise}; 'gradeval unjudged' lists what to judge",
        CoverageWarning,
        own_weight=NoteWeight.OMISSION,
    )
