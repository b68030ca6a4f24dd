"""Which measures swap runs, compared with the order of one measure?

Source: Sakai (2005), figures: runs are renamed in the order of one measure; a rise in the curve of another is a swap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.requirements import require_enough
from gradeval.studies.study import Result, study
from gradeval.studies.study_parameters import Reference
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

FIELDS = "measure against statistic value runs topics".split()


@dataclass(frozen=True, eq=False, repr=False)
class RunSwaps(Result):
    """Runs in the order of a reference measure, and the runs that measures swap.

    Attributes
    ----------
    means : float64[measure, run]: means over the topics; the runs in the order of the reference, the best first.
    rises : int64[measure]: how often the next run in that order is better by the measure.
    swaps : int64[measure, measure]: the pairs of runs that two measures order differently. Ties are no swap.
    reference : the measure that orders the runs.
    measures, runs, topics : names; the runs in that order.
    """

    means: Array
    rises: Array
    swaps: Array
    reference: Measure
    measures: list[Measure]
    runs: list[str]
    topics: list[str]

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def description(self) -> str:
        """What was counted, in a sentence."""
        return (
            f"swaps: how many of the {self.pairs} pairs of {len(self.runs)} runs two measures order differently; "
            f"rises: how many neighbours in the order by {self.reference} the measure puts the other way round"
        )

    def table(self, digits: int = 3) -> Table:  # noqa: ARG002 - whole numbers only
        """A row a measure: its rises, and its swaps with each other measure, which are whole numbers."""
        against = [Column(str(measure), spec="d") for measure in self.measures]
        grid = Grid.of_columns(
            (Column("measure", "name"), map(str, self.measures)),
            (Column("rises", spec="d"), map(int, self.rises)),
            *zip(against, self.swaps.T.astype(int), strict=True),
            title="pairs of runs swapped",
        )
        return Table([grid], self._records())

    def _records(self) -> Records:
        """Of each measure its rises, then its swaps with each measure."""
        records = Records.over(
            {"measure": self.measures, "against": [self.reference, *self.measures]},
            value=np.column_stack([self.rises, self.swaps]),
            runs=len(self.runs),
            topics=len(self.topics),
        )
        kinds = np.tile([0] + [1] * len(self.measures), len(self.measures))
        return Records({**records.fields, "statistic": Coded(["rises", "swaps"], kinds)}).ordered(FIELDS)


@study(
    examples="""
      gradeval run-swaps qrels.txt runs/* -m "AP AP(rel=2) Q AWP"
      gradeval run-swaps qrels.txt runs/* -m "AP AP(rel=2) Q AWP" --plot swaps.svg
      gradeval run-swaps --scores scores.tsv --reference nDCG"""
)
def run_swaps(scores: Scores, /, *, reference: Reference = None) -> RunSwaps:
    """Order the runs by a measure, and count the runs that others swap.

    Parameters
    ----------
    reference : the measure that orders the runs; by default the first. Runs that it ties stay in the order of the
        scores.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; an unknown reference.
    """
    require_enough(scores)
    truth = 0 if reference is None else scores.measures.index(reference)
    means = rounded(scores.mean().T)
    order = np.argsort(-means[truth], kind="stable")
    means = means[:, order]
    # The sign of the difference of each two runs, by each measure.
    first, second = np.triu_indices(len(scores.runs), 1)
    signs = np.sign(means[:, first] - means[:, second])
    # In the order of the reference, only neighbours that it does not tie can be swapped.
    falls = means[truth, :-1] > means[truth, 1:]
    swaps = RunSwaps(
        means=means,
        rises=((means[:, 1:] > means[:, :-1]) & falls).sum(-1),
        swaps=(signs[:, None] * signs[None] < 0).sum(-1),
        reference=scores.measures[truth],
        measures=scores.measures,
        runs=[scores.runs[place] for place in order],
        topics=scores.topics,
    )
    return replace(swaps, notes=[Note.method(swaps.description)])
