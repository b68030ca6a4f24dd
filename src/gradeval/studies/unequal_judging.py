"""Is a run behind another one for documents that nobody judged? What a verdict says of such losses.

A new run against judgments of old ones is judged far less: documents that only it found count as not relevant. Where
most of its loss is gone if unjudged documents are relevant as often as judged ones, the verdict says to judge first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, rounded, tiny
from gradeval.formula.definition import Measure
from gradeval.messages import list_some
from gradeval.scores.as_often import add_as_often, is_too_deep, values_as_often
from gradeval.scores.coverage import TOP
from gradeval.scores.notes import MUCH_UNJUDGED
from gradeval.scores.scores import Scores
from gradeval.studies.significance import pair_values
from gradeval.studies.unjudged_runs import UnjudgedLoss
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

AS_OFTEN = "if they are relevant as often as judged ones, which favours runs outside the pool"
"""What differences are of which a verdict says that they may be the right ones."""


def is_mostly_unjudged(loss: Array | float, then: Array | float) -> Array:
    """bool: is more than half of a loss gone ``then``, if unjudged documents are relevant as often? A gain is no loss.

    Exactly half is not more: what is beyond half must be larger than rounding errors of the largest difference.
    """
    beyond = np.asarray(2 * then - loss)
    largest = max(np.abs(loss).max(initial=0.0), np.abs(then).max(initial=0.0))
    return np.asarray((loss < 0) & (beyond > 0) & ~tiny(beyond, 2 * largest))


def judged_unequally(scores: Scores) -> bool:
    """Are some runs judged far less than others?"""
    judging = scores.judging
    if judging is None or judging.judged_top is None:
        return False
    return bool(np.ptp(judging.unjudged_top_share) >= MUCH_UNJUDGED)


def with_as_often(scores: Scores, judged: JudgedRuns) -> Scores:
    """The scores, with their values if unjudged documents were relevant as often as judged ones, where some runs are
    judged far less than others."""
    return add_as_often(scores, judged) if judged_unequally(scores) else scores


def about_scores_alone(scores: Scores, study: str) -> list[Note]:
    """That scores of runs do not say which losses unjudged documents make, where some runs are judged far less than
    others."""
    judging = scores.judging
    if judging is None or scores.as_often is not None or len(scores.runs) < 2:
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


def find_unjudged_losses(scores: Scores, pairs: Sequence[Array], sure: Sequence[Array]) -> list[list[UnjudgedLoss]]:
    """By measure the losses that are mostly gone if unjudged documents are relevant as often, the largest gain first.

    ``pairs``: by measure intp[pair, 2], the places of a run that loses and of the one that wins; ``sure``: bool[pair],
    does a test show the loss? Else it counts only where the run would then win. A run counts that is
    judged less than the other by ``MUCH_UNJUDGED`` of its top.
    """
    if scores.as_often is None or scores.judging is None:
        return [[] for _ in scores.measures]
    top = scores.judging.unjudged_top_share
    losses: list[list[UnjudgedLoss]] = []
    both = pair_values(scores), pair_values(replace(scores, values=values_as_often(scores)))
    for measure, of_measure, shown, values, others in zip(scores.measures, pairs, sure, *both, strict=True):
        if not len(of_measure):
            losses.append([])
            continue
        losers, winners = of_measure.T
        loss, then = (rounded(mean[losers] - mean[winners]) for mean in (values.mean(0), others.mean(0)))
        much = top[losers] - top[winners] >= MUCH_UNJUDGED
        kept = np.flatnonzero(much & is_mostly_unjudged(loss, then) & (shown | (then > 0)))
        kept = kept[np.argsort(-then[kept], kind="stable")]
        told = zip(losers[kept].tolist(), winners[kept].tolist(), then[kept].tolist(), strict=True)
        deep = is_too_deep(measure, scores)
        losses.append(
            [UnjudgedLoss(scores.runs[run], scores.runs[other], None if deep else gap) for run, other, gap in told]
        )
    return losses


def about_unjudged_losses(measures: Sequence[Measure], losses: Sequence[Sequence[UnjudgedLoss]]) -> Iterator[Note]:
    """What to judge before one decides, and how the runs differ if what nobody judged is as relevant."""
    by = {str(measure): some for measure, some in zip(measures, losses, strict=True) if some}
    if not by:
        return
    measure, some = next(iter(by.items()))
    others = {one.other for one in some}
    winner = some[0].other if len(others) == 1 else ""
    gaps = [one.run if one.as_often is None else f"{one.run} {one.as_often:+.4f}" for one in some]
    named = list_some(gaps if winner else [f"{gap} from {one.other}" for gap, one in zip(gaps, some, strict=True)])
    likewise = f"; likewise by {list_some([*by][1:])}" if len(by) > 1 else ""
    if some[0].as_often is not None:
        lost = f"the loss to {winner}" if winner else "these losses"
        lost += f"; {AS_OFTEN}: {named}"
    else:
        lost = f"the loss of {named} to {winner}" if winner else f"these losses: {named}"
    yield Note(
        f"judge before you decide: by {measure} unjudged documents may make most of {lost}{likewise}; "
        "'gradeval unjudged' lists what to judge",
        CoverageWarning,
        own_weight=NoteWeight.OMISSION,
    )
