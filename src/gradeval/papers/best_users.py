"""Which users make GAP tell most of rankings? A fine search for g around the best point of a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeAlias

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.levels import Levels
from gradeval.progress import ShowProgress, with_progress_bar
from gradeval.studies.informativeness.inform import Informativeness, inform
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

Users: TypeAlias = tuple[float, ...]

FIELDS = "measure g statistic grade value lower upper samples seed".split()
UNIT = 10_000  # shares are whole multiples of 1/UNIT, so that points are told apart exactly
SHOWN = 5
"""Points that the table shows: the best ones."""


@dataclass(frozen=True, eq=False, repr=False)
class BestUsers(Tabular):
    """The g with which a measure tells most of rankings: the least sum over thresholds of the RMS error.

    Attributes
    ----------
    name : the measure: GAP, xGAP or eGAP.
    points : the g that were tried.
    errors : float64[point, threshold]: mean RMS errors, over the rankings that were inferred from all of them.
    interval : float64[positive level, 2]: bounds of the shares of the best point over bootstrap samples of the topics.
    levels, thresholds : of the collection, and of the curves.
    rankings : how many entered the means.
    finest : the step of the search around the best point.
    samples, level, seed : of the bootstrap.
    """

    name: str
    points: list[Users]
    errors: Array
    interval: Array
    levels: Levels
    thresholds: Levels
    rankings: int
    finest: float
    samples: int
    level: float
    seed: int

    @property
    def order(self) -> list[int]:
        """The points, the most informative first."""
        return [int(place) for place in np.argsort(self.errors.sum(-1), kind="stable")]

    @property
    def g(self) -> Users:
        """The most informative one."""
        return self.points[self.order[0]]

    @property
    def measure(self) -> Measure:
        """The measure with this g."""
        return REGISTRY[self.name](g=self.g)

    def table(self, digits: int = 4) -> Table:
        """The shares of the best g with their intervals, and the errors of the best points."""
        shares: list[list[Cell]] = [
            [f"{grade:g}", Estimate(share, bounds=(low, high))]
            for grade, share, (low, high) in zip(self.levels[1:], self.g, self.interval.tolist(), strict=True)
        ]
        spec = f".{digits}f"
        columns = [
            Column(self.name, "name"),
            *(Column(f"RMS from grade {grade:g}", spec=spec) for grade in self.thresholds),
            Column("sum", spec=spec),
        ]
        rows: list[list[Cell]] = [
            [write_users(self.points[place]), *self.errors[place].tolist(), float(self.errors[place].sum())]
            for place in self.order[:SHOWN]
        ]
        grids = [
            Grid([Column("grade", "name"), Column("g", spec=spec)], shares, f"the g by which {self.name} tells most"),
            Grid(columns, rows, f"the best {len(rows)} of {len(self.points)} points"),
        ]
        return Table(grids, Records.of(FIELDS, self._records()), self.notes)

    @property
    def notes(self) -> list[str]:
        """How it was searched, where the intervals come from, and the measure to go on with."""
        return [
            f"{self.name}: {len(self.points)} g on {self.rankings} rankings, down to steps of {self.finest:g} around "
            "the best",
            f"interval of g: {self.level:.4g} confidence, the best of these points in {self.samples} bootstrap samples "
            f"of the topics, seed {self.seed}",
            f"to go on with: {self.measure}",
        ]

    def _records(self) -> Iterator[list[Value]]:
        settings: list[Value] = [self.samples, self.seed]
        best = write_users(self.g)
        for grade, share, (low, high) in zip(self.levels[1:], self.g, self.interval.tolist(), strict=True):
            yield [self.name, best, "most informative g", grade, share, low, high, *settings]
        for users, errors in zip(self.points, self.errors.tolist(), strict=True):
            for grade, error in zip(self.thresholds, errors, strict=True):
                yield [self.name, write_users(users), "rms", grade, error, None, None, *settings]


def write_users(users: Users) -> str:
    """A g as it is typed: 0.4,0.4,0.2."""
    return ",".join(f"{share:.4g}" for share in users)


@with_progress_bar
def refine_users(
    judged: JudgedRuns,
    informativeness: Informativeness,
    name: str = "GAP",
    *,
    finest: float = 0.025,
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
) -> BestUsers:
    """Search the most informative g around the best point of a grid, ever more finely.

    From the best g tried so far, shares of a step are moved from each grade to each other; where none of these points
    is better, the step is halved, down to ``finest``. The interval of g is that of the best of all points tried over
    bootstrap samples of the topics with their rankings; it holds what noise of the topics does to the choice.

    Parameters
    ----------
    judged : the judged runs of ``informativeness``.
    informativeness : what ``inform`` gives for the measure at some g (``user_grid`` makes a grid).
    name : GAP, xGAP or eGAP.
    finest : the last step, from 0.001.

    Raises
    ------
    InputError : fewer than 2 points of the measure in ``informativeness``, rankings of fewer than 2 topics.

    Source: Robertson, Kanoulas & Yilmaz (2010), sections 2 and 4.1, who look at steps of 0.1.
    """
    finest = arguments.number("finest", finest, least=0.001, most=0.5)
    samples, seed = arguments.whole("samples", samples, 20), arguments.seed(seed)
    level = arguments.share("level", level, 0.95)
    tried = _tried(informativeness, name)
    if len(tried) < 2:
        raise InputError(f"{name} was studied at fewer than 2 g; give a grid of them")
    width = len(next(iter(tried)))
    step = _largest_step(list(tried)) // 2
    while step >= round(finest * UNIT):
        best = min(tried, key=lambda point: _sum_of_means(tried, point))
        ahead = [point for point in _neighbours(best, step, width) if point not in tried]
        if ahead:
            measures = [REGISTRY[name](g=_shares(point)) for point in ahead]
            more = inform(
                judged,
                measures,
                thresholds=informativeness.thresholds,
                least=informativeness.least,
                counts=informativeness.counts,
                samples=0,
                threads=threads,
                progress=progress,
            )
            tried |= dict(zip(ahead, _errors(more), strict=True))
        if min(tried, key=lambda point: _sum_of_means(tried, point)) == best:
            step //= 2
    return _conclude(informativeness, name, tried, finest, samples, level, seed, judged.levels)


Point: TypeAlias = tuple[int, ...]
"""A g in units of 1/UNIT."""


def _tried(informativeness: Informativeness, name: str) -> dict[Point, Array]:
    """float64[threshold, list] of each g at which the measure was studied; NaN where a list was not inferred."""
    errors = _errors(informativeness)
    tried = {}
    for place, measure in enumerate(informativeness.measures):
        g = dict(measure.changed).get("g")
        if measure.name == name and len(measure.changed) == 1 and isinstance(g, tuple) and _is_plain(g):
            tried[_point(g)] = errors[place]
    return tried


def _is_plain(g: Sequence[object]) -> bool:
    """Is it a list of shares, rather than a table by grade?"""
    return all(isinstance(share, int | float) for share in g)


def _errors(informativeness: Informativeness) -> Array:
    """float64[measure, threshold, list], NaN where a list was not inferred."""
    return np.where(informativeness.converged[:, None], informativeness.errors, np.nan)


def _point(g: Sequence[float]) -> Point:
    whole = [round(share * UNIT) for share in g[:-1]]
    return (*whole, UNIT - sum(whole))


def _shares(point: Point) -> Users:
    return tuple(units / UNIT for units in point)


def _sum_of_means(tried: dict[Point, Array], point: Point) -> float:
    """The sum over thresholds of the mean error of a point, over the lists inferred from all points."""
    counted = ~np.isnan(np.stack(list(tried.values()))).any((0, 1))
    if not counted.any():
        raise InputError("no ranking was inferred at every g, so that they cannot be compared")
    return float(tried[point][:, counted].mean(-1).sum())


def _largest_step(points: Sequence[Point]) -> int:
    """The largest difference of neighbouring values of the first share: the step of the grid."""
    first = sorted({point[0] for point in points})
    steps = np.diff(first)
    return int(steps.max()) if len(steps) else UNIT


def _neighbours(point: Point, step: int, width: int) -> Iterator[Point]:
    """The points to which a step is moved from one grade to another."""
    for giver, taker in permutations(range(width), 2):
        moved = list(point)
        here = min(step, moved[giver])
        moved[giver] -= here
        moved[taker] += here
        if here:
            yield tuple(moved)


def _conclude(
    informativeness: Informativeness,
    name: str,
    tried: dict[Point, Array],
    finest: float,
    samples: int,
    level: float,
    seed: int,
    levels: Levels,
) -> BestUsers:
    """The points tried, with their mean errors and the interval of the best."""
    stacked = np.stack(list(tried.values()))
    counted = ~np.isnan(stacked).any((0, 1))
    errors = stacked[:, :, counted]
    names, topic = np.unique(informativeness.topic[counted], return_inverse=True)
    if len(names) < 2:
        raise InputError("an interval needs rankings of at least 2 topics")
    belongs = (topic[:, None] == np.arange(len(names))).astype(float)
    totals, number = errors.sum(1) @ belongs, belongs.sum(0)  # [point, topic], [topic]
    weights = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), size=samples)
    best = ((weights @ totals.T) / (weights @ number)[:, None]).argmin(-1)
    points = [_shares(point) for point in tried]
    bounds = np.quantile(np.array(points)[best], [(1 - level) / 2, (1 + level) / 2], axis=0)
    return BestUsers(
        name,
        points,
        errors.mean(-1),
        np.asarray(bounds.T),
        levels,
        informativeness.thresholds,
        int(counted.sum()),
        finest,
        samples,
        level,
        seed,
    )
