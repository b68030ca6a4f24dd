"""Judged runs under other grades of the same documents, as another assessor gives them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Grading, Negative
from gradeval.collection.thinned import pooled_places, topic_of, with_entries
from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels


class Regrading:
    """Runs that have met the documents of several assessors once, to be judged by the grades of each.

    ``judged``: the meeting with all documents that any of the assessors judged.
    """

    def __init__(self, judged: JudgedRuns, levels: Levels, negative: Negative = "nonrelevant") -> None:
        self.judged, self.levels, self.negative = judged, levels, negative
        self._places = pooled_places(judged)
        self._topic = topic_of(judged)

    def by(self, grades: Array) -> JudgedRuns:
        """The runs by the grades[document] of one assessor, in the order of the pools; NaN: not in the pool."""
        pooled = ~np.isnan(grades)
        known = pooled if self.negative == "nonrelevant" else grades >= 0  # NaN is not
        judged = self.judged if pooled.all() else with_entries(self.judged, np.flatnonzero(pooled[self._places]))
        values = np.where(known, np.maximum(grades, 0.0), 0.0)
        width, topics = len(self.levels), len(judged.topics)
        cell = self._topic * width + np.searchsorted(self.levels, values)
        pool = np.bincount(cell[known], minlength=topics * width).reshape(topics, width)
        grading = Grading(
            grades=np.append(values, 0.0),
            judged=np.append(known, False),
            first=judged.grading.first,
            pools=JudgedRankings.empty(pool, self.levels),
            complete=bool(known.all()),
        )
        return replace(judged, grading=grading)
