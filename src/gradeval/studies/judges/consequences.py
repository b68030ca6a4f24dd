"""What follows for the runs from the grades of a judge: above all, which significant differences it keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval.studies.judges.ceiling import Ceiling
from gradeval.studies.judges.orders import OrderAgreement
from gradeval.studies.judges.shift import Shift
from gradeval.studies.judges.worth import Worth
from gradeval.studies.significance.comparison import Comparison


@dataclass(frozen=True)
class Conclusions:
    """Pairs of runs by whom they differ significantly, and in which direction.

    Attributes
    ----------
    kept : by humans and judge, in the same direction.
    reversed : by humans and judge, in opposite directions.
    missed : by the humans alone.
    not_confirmed : by the judge alone.
    """

    kept: int
    reversed: int
    missed: int
    not_confirmed: int

    @property
    def human(self) -> int:
        """Pairs that differ significantly by the humans' grades."""
        return self.kept + self.reversed + self.missed


def compare_conclusions(human: Comparison, judge: Comparison, place: int) -> Conclusions:
    """Count the pairs by the measure at this place of two comparisons of the same runs."""
    signs = [np.where(one.significant[place], np.sign(one.difference[place]), 0.0) for one in (human, judge)]
    agreement = signs[0] * signs[1]
    return Conclusions(
        kept=int((agreement > 0).sum()),
        reversed=int((agreement < 0).sum()),
        missed=int(((signs[0] != 0) & (signs[1] == 0)).sum()),
        not_confirmed=int(((signs[0] == 0) & (signs[1] != 0)).sum()),
    )


@dataclass(frozen=True, eq=False)
class Consequences:
    """What a judge's grades make of the runs by one measure.

    Attributes
    ----------
    orders : how alike the orders of the runs are.
    shift : how their means move; None where fewer than two topics count.
    conclusions : which significant differences are kept.
    ceiling : the pool ranked by the judge.
    worth : of the humans' grades; None for a measure that weighs no grades.
    """

    orders: OrderAgreement
    shift: Shift | None
    conclusions: Conclusions
    ceiling: Ceiling
    worth: Worth | None
