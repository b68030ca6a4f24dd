"""What clicks say of users: the share of them with each grade as their threshold, as a result with its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.measures.gap import GAP
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = "statistic grade rank value lower upper shown clicked sessions samples seed".split()
PASTED = 4  # decimals of a g to paste


@dataclass(frozen=True, eq=False)
class Joined:
    """Lines of a click log whose documents are judged.

    Attributes
    ----------
    session, rank, level : int64[line]: which session, which of ``ranks``, which level of the judgments.
    click : bool[line].
    ranks : int64[rank], ascending.
    levels : how many levels the judgments have.
    unjudged : lines that were left out.
    """

    session: Array
    rank: Array
    level: Array
    click: Array
    ranks: Array
    levels: int
    unjudged: int


@dataclass(frozen=True, eq=False, repr=False)
class ClickedUsers(Tabular):
    """The thresholds of users, estimated from their clicks.

    Attributes
    ----------
    levels : the grades of the collection.
    g : float64[positive level]: the share of users with this threshold; they sum to 1.
    interval : float64[positive level, 2]: intervals that hold all of g at once with the confidence ``level``.
    slips : how often a document that is not relevant to the user is clicked on, once looked at.
    examined : float64[rank]: how often a rank is looked at, times how often a relevant document there is clicked on.
    ranks : int64[rank]: the ranks at which judged documents were shown.
    shown, clicked : float64[rank, level]: documents shown, and clicked on.
    sessions, lines, unjudged : of the log; the documents of ``unjudged`` lines have no judgment and were left out.
    slips_known : do documents of grade 0 share ranks with others? Else slips are taken to be 0.
    samples, level, seed : of the bootstrap.
    """

    levels: Levels
    g: Array
    interval: Array
    slips: float
    examined: Array
    ranks: Array
    shown: Array
    clicked: Array
    sessions: int
    lines: int
    unjudged: int
    slips_known: bool
    samples: int
    level: float
    seed: int

    @property
    def measure(self) -> Measure:
        """GAP with this g, rounded to 4 decimals."""
        return GAP(g=round_shares(self.g.tolist(), PASTED))

    def table(self, digits: int = 4) -> Table:
        """A line a grade: clicks, and the share of users whose threshold it is; and a line a rank."""
        spec = f".{digits}f"
        shown, clicked = self.shown.sum(0), self.clicked.sum(0)
        reached = np.append(0.0, self.g.cumsum())
        by_grade: list[list[Cell]] = [
            [f"{grade:g}", int(shown[k]), int(clicked[k]), float(ratio(clicked, shown)[k]), float(reached[k]), share]
            for k, (grade, share) in enumerate(zip(self.levels, self._shares(), strict=True))
        ]
        shown, clicked = self.shown.sum(1), self.clicked.sum(1)
        by_rank: list[list[Cell]] = [
            [str(rank), int(shown[r]), int(clicked[r]), float(ratio(clicked, shown)[r]), float(self.examined[r])]
            for r, rank in enumerate(self.ranks.tolist())
        ]
        counts = [Column("shown", spec="d"), Column("clicked", spec="d"), Column("clicked/shown", spec=spec)]
        grades = [Column("grade", "name"), *counts, Column("relevant to (G)", spec=spec), Column("g", spec=spec)]
        ranks = [Column("rank", "name"), *counts, Column("looked at", spec=spec)]
        grids = [Grid(grades, by_grade, "users by the grade from which documents are relevant to them")]
        return Table([*grids, Grid(ranks, by_rank, "ranks")], Records.of(FIELDS, self._records()), self.notes)

    def _shares(self) -> list[Cell]:
        """The cells of g, that of grade 0 empty."""
        bounds = self.interval.tolist()
        shares = zip(self.g.tolist(), bounds, strict=True)
        return [None, *(Estimate(share, bounds=(low, high)) for share, (low, high) in shares)]

    @property
    def notes(self) -> list[str]:
        """What was estimated from what, what it assumes, and the measure to go on with."""
        notes = [f"{self.sessions} sessions, {self.lines} documents shown"]
        if self.unjudged:
            notes.append(f"{self.unjudged} of {self.lines} documents shown are unjudged and left out")
        slips = f"{self.slips:.4f} of documents not relevant to the user are clicked on by mistake, once looked at"
        notes.append(slips if self.slips_known else "grade 0 shares no rank with others: taken to be never clicked on")
        notes.append(
            "assumed: whether a rank is looked at depends on the rank alone; the top grade is relevant to all users"
        )
        resampling = f"{self.samples} bootstrap samples of the sessions, seed {self.seed}"
        notes.append(f"intervals: {self.level:.4g} confidence for all grades together, {resampling}")
        return [*notes, f"to go on with: {self.measure}"]

    def _records(self) -> Iterator[list[Value]]:
        settings: list[Value] = [self.sessions, self.samples, self.seed]
        shown, clicked = self.shown.sum(0).tolist(), self.clicked.sum(0).tolist()
        yield ["slips", 0.0, None, self.slips, None, None, int(shown[0]), int(clicked[0]), *settings]
        for k, (share, (low, high)) in enumerate(zip(self.g.tolist(), self.interval.tolist(), strict=True), 1):
            yield ["g", self.levels[k], None, share, low, high, int(shown[k]), int(clicked[k]), *settings]
        shown, clicked = self.shown.sum(1).tolist(), self.clicked.sum(1).tolist()
        for r, (rank, looked) in enumerate(zip(self.ranks.tolist(), self.examined.tolist(), strict=True)):
            yield ["looked at", None, rank, looked, None, None, int(shown[r]), int(clicked[r]), *settings]


def round_shares(shares: Sequence[float], digits: int) -> list[float]:
    """Shares rounded to some decimals that still sum to 1: those with the largest remainders are rounded up."""
    unit = 10**digits
    scaled = np.array(shares) * unit
    whole = np.floor(scaled + 1e-9).astype(int)
    short = max(0, unit - int(whole.sum()))
    whole[np.argsort(whole - scaled, kind="stable")[:short]] += 1
    return [count / unit for count in whole.tolist()]
