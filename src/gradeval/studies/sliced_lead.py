"""Does the lead of the best run hold in every slice of the topics?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import tiny
from gradeval.scores.scores import Scores
from gradeval.scores.slices import Slice, Slices
from gradeval.studies.compare import compare
from gradeval.studies.sliced_comparison import SlicedComparison


class TurnedLead(NamedTuple):
    """A slice in which a run is ahead of the one that leads over all topics; ``p`` is of the test of interaction."""

    slice: Slice
    run: str
    difference: float
    p: float


@dataclass(frozen=True, eq=False)
class SlicedLead:
    """The best runs by slices of the topics.

    Attributes
    ----------
    scores : of these runs by all measures, the leader by the first measure in front; they have the slices.
    comparison : the others compared with the leader by the first measure, by slice; None: they cannot be.
    why : the reason.
    """

    scores: Scores
    comparison: SlicedComparison | None
    why: str = ""

    @property
    def leader(self) -> str:
        """The run with the highest mean of the first measure over all topics."""
        return self.scores.runs[0]

    @property
    def tested(self) -> list[Slice]:
        """The slices that are compared by a test of interaction."""
        if self.comparison is None:
            return []
        labels = {(one.column, label) for one in self.comparison.interactions for label in one.labels}
        return [one.slice for one in self.comparison.slices if (one.slice.column, one.slice.label) in labels]

    @property
    def depending(self) -> list[tuple[str, str, float]]:
        """The columns of labels on which the lead over a run depends, with the run and the p value."""
        compared = self.comparison
        if compared is None:
            return []
        return [
            (one.column, compared.pairs[pair][0], float(one.corrected[pair]))
            for one in compared.interactions
            for pair in np.flatnonzero(one.corrected < compared.whole.alpha).tolist()
            if compared.pairs[pair][0] not in compared.whole.unjudged
        ]

    @property
    def turned(self) -> list[TurnedLead]:
        """Where a lead turns: only where the test of interaction rejects, and only in slices that it compares, whose
        own interval excludes 0."""
        return [one for one, is_shown in self._find_ahead() if is_shown]

    @property
    def undecided(self) -> list[TurnedLead]:
        """Where a run on which the lead depends has the higher mean in a slice, whose interval includes 0."""
        return [one for one, is_shown in self._find_ahead() if not is_shown]

    @property
    def lost(self) -> list[TurnedLead]:
        """The slice in which each run on which the lead depends is behind most; only where its interval excludes 0."""
        behind: dict[str, TurnedLead] = {}
        for one, (_, high) in self._compare_in_slices():
            if high < 0 and (one.run not in behind or one.difference < behind[one.run].difference):
                behind[one.run] = one
        return list(behind.values())

    def _find_ahead(self) -> Iterator[tuple[TurnedLead, bool]]:
        """The slices in which another run has the higher mean, and whether the interval of the slice shows it."""
        for one, (low, _) in self._compare_in_slices():
            if one.difference > 0:
                yield one, not low <= 0  # NaN: all differences are equal

    def _compare_in_slices(self) -> Iterator[tuple[TurnedLead, tuple[float, float]]]:
        """The differences of runs on which the lead depends from the leader, with their intervals, in tested slices."""
        compared, tested = self.comparison, self.tested
        if compared is None:
            return
        runs = [run for run, _ in compared.pairs]
        highest = np.abs(compared.whole.means).max()
        ahead = compared.whole.difference[0]
        led = (ahead < 0) & ~tiny(ahead, highest)
        for column, run, p in self.depending:
            pair = runs.index(run)
            for one in compared.slices:
                if led[pair] and one.slice.column == column and one.slice in tested and one.result is not None:
                    differences = one.result.difference[0]
                    if not tiny(differences, highest)[pair]:
                        low, high = one.result.interval[0, pair].tolist()
                        yield TurnedLead(one.slice, run, float(differences[pair]), p), (low, high)


def find_sliced_lead(
    scores: Scores, runs: Sequence[str], slices: Slices, *, seed: int = 0, threads: int = 0
) -> SlicedLead:
    """Compare runs with the first of them by slices; ``runs``: the best ones, by the first measure."""
    sliced = scores.sel(runs=list(runs))
    if len(sliced.runs) < 2:
        return SlicedLead(replace(sliced, slices=slices), None, "there is one run")
    try:
        first = sliced.sel(measures=sliced.measures[:1])
        compared: Any = compare.silently(first, baseline=sliced.runs[0], by=slices, seed=seed, threads=threads)
    except InputError as error:
        return SlicedLead(replace(sliced, slices=slices), None, str(error))
    return SlicedLead(replace(sliced, slices=slices), compared)
