"""Validation: the mean of one measure for successive rankings of the same documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gradeval.collection.meeting import JudgedRuns, meet
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.data.trainable import without_ids
from gradeval.scores.scoring import score


@dataclass(frozen=True, eq=False)
class Validation:
    """The mean of a measure under LETOR's rules: equal scores stay in the order of the rows, empty queries count 0.

    The numbers are those of ``evaluate(features.qrels, features.run(scores), measure, ties="order")``; documents and
    judgments are matched once, in ``of``; each call only reorders them.

    Attributes
    ----------
    features : the documents that are ranked, with their grades.
    measure : the validation measure.
    """

    features: Features
    measure: Measure
    _judged: JudgedRuns
    _topic: Array

    @classmethod
    def of(cls, features: Features, measure: Measure) -> Self:
        """Prepare the validation data; each row is a document of its own, even where two have the same id."""
        features = without_ids(features)
        judged = meet(features.qrels, [features.run(-np.arange(float(len(features))))], ties="order")
        return cls(features, measure, judged, np.repeat(np.arange(len(features.topics)), np.diff(features.offsets)))

    def __call__(self, scores: Array) -> float:
        """The mean of the measure when documents are ranked by ``scores`` float[row]."""
        order = np.lexsort((-scores, self._topic))  # it is stable
        document = np.append(self._judged.document[:-1][order], self._judged.document[-1:])
        ranked = replace(self._judged, document=document)
        return float(score(ranked, [self.measure]).mean()[0, 0])
