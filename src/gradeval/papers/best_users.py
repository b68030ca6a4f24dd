"""Which users let GAP tell most about rankings? A search near the best g."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Number, Seed, Threads, Whole
from gradeval.formula.aggregation import draw, interval
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.levels import Levels
from gradeval.papers.correlate_users import GridStep, over_grid, user_grid
from gradeval.progress import Progress
from gradeval.studies.clicks import about_untold
from gradeval.studies.informativeness.inform import NOTHING, Counts, Informativeness, Least, Thresholds, infer
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Column, Grid, estimates_of
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

UserShares: TypeAlias = tuple[float, ...]

FIELDS = "measure g statistic grade value lower upper samples seed".split()
UNIT = 10_000  # shares are whole multiples of 1/UNIT, so that points are told apart exactly
SHOWN = 5
"""Points that the table shows: the best ones."""


@dataclass(frozen=True, eq=False, repr=False)
class BestUsers(Result):
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
    alpha, samples, seed : of the bootstrap.
    """

    name: str
    points: list[UserShares]
    errors: Array
    interval: Array
    levels: Levels
    thresholds: Levels
    rankings: int
    finest: float
    alpha: float
    samples: int
    seed: int

    @property
    def order(self) -> list[int]:
        """The points, the most informative first."""
        return [int(place) for place in np.argsort(self.errors.sum(-1), kind="stable")]

    @property
    def g(self) -> UserShares:
        """The most informative one."""
        return self.points[self.order[0]]

    @property
    def measure(self) -> Measure:
        """The measure with this g; an InputError where the interval of a share is wider than 0.5."""
        if untold := self._about_untold():
            raise InputError(f"best_users: {untold}")
        return REGISTRY[self.name](g=self.g)

    def _about_untold(self) -> str | None:
        """Why there is no measure to go on with, and what would tell."""
        untold = about_untold(self.levels, self.interval)
        return untold and f"{untold}; give more topics; until then, {self.name} takes equal shares"

    @property
    def description(self) -> str:
        """Where the interval comes from, in a sentence."""
        return (
            f"interval of g: {1 - self.alpha:.4g} confidence, the best of {len(self.points)} points in {self.samples} "
            f"bootstrap samples of the topics, seed {self.seed}"
        )

    def table(self, digits: int = 4) -> Table:
        """The shares of the best g with their intervals, and the errors of the best points."""
        spec, best = f".{digits}f", list(self.order[:SHOWN])
        shares = Grid.of_columns(
            (Column("grade", "name"), [f"{grade:g}" for grade in self.levels[1:]]),
            (Column("g", spec=spec), estimates_of(np.array(self.g), self.interval)),
            title=f"the g by which {self.name} tells most",
        )
        errors = [Column(f"RMS from grade {grade:g}", spec=spec) for grade in self.thresholds]
        points = Grid.of_columns(
            (Column(self.name, "name"), [write_users(self.points[place]) for place in best]),
            *zip(errors, self.errors[best].T, strict=True),
            (Column("sum", spec=spec), [float(self.errors[place].sum()) for place in best]),
            title=f"the best {len(best)} of {len(self.points)} points",
        )
        return Table([shares, points], self._records())

    def _records(self) -> Records:
        """The shares of the best g, and the errors at every point."""
        settings: dict[str, Any] = {"measure": self.name, "samples": self.samples, "seed": self.seed}
        lower, upper = self.interval.T
        shares = {"statistic": "most informative g", "value": np.array(self.g), "lower": lower, "upper": upper}
        best = Records.over({"grade": self.levels[1:]}, g=write_users(self.g), **shares, **settings)
        tried = {"g": list(map(write_users, self.points)), "grade": self.thresholds}
        return best.then(Records.over(tried, statistic="rms", value=self.errors, **settings)).ordered(FIELDS)


def write_users(users: UserShares) -> str:
    """A g as it is typed: 0.4,0.4,0.2."""
    return ",".join(f"{share:.4g}" for share in users)


@study(
    measures="AP",
    chooses_measures=False,
    consequence=NOTHING,
    examples="""
      gradeval best-users qrels.txt runs/* --runs top:15:AP
      gradeval best-users qrels.txt runs/* --measure eGAP --step 0.25 --finest 0.01""",
)
def best_users(
    data: Judged,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(20, 10_000_000)] = 2000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress | None,
    measure: Literal["GAP", "xGAP", "eGAP"] = "GAP",
    step: Annotated[float | None, GridStep()] = None,
    finest: Annotated[float, Number(least=0.001, most=0.5)] = 0.025,
    thresholds: Thresholds = None,
    least: Least = 5,
    counts: Counts = "retrieved",
) -> BestUsers:
    """Search the most informative g on a grid and, ever more finely, around its best point.

    From the best g tried so far, shares of a step are moved from each grade to each other; where none of these points
    is better, the step is halved, down to the finest. The interval of g comes from the best of all points tried, over
    bootstrap samples of the topics with their rankings; it holds what noise of the topics does to the choice.

    Parameters
    ----------
    measure : the measure whose g is searched.
    step : the step of the grid. Default: 0.1 for two positive levels, 0.2 for three, 0.25 for four, else 0.5.
    finest : the last step of the grid, which is the finest.
    samples : bootstrap samples of the topics.
    alpha : intervals cover 1 - alpha.
    thresholds : the grades from which on a document is relevant. Default: all positive levels.
    least : how many documents of each kind a list must hold to be studied. A kind goes from one threshold to below the
        next.
    counts : how many documents of each grade a list is assumed to hold. retrieved: as many as it retrieved; pool: all
        there are.

    Raises
    ------
    InputError : as ``inform``; a grid of fewer than 2 points, rankings of fewer than 2 topics.

    Source: Robertson, Kanoulas & Yilmaz (2010), sections 2 and 4.1, who look at steps of 0.1.
    """
    grid = over_grid([measure], user_grid(len(data.runs.levels) - 1, step))
    if len(grid) < 2:
        raise InputError(f"{measure}: a grid of 1 point has no best one; give judgments with two positive grades")

    def try_all(measures: list[Measure], progress: Progress | None = None) -> Informativeness:
        return infer(data, measures, thresholds, least, counts, threads, progress)

    # How many points are tried around the best one is not known: what is reported is the grid.
    informativeness = try_all(grid, progress)
    tried = dict(zip(map(_point_of, grid), _errors(informativeness), strict=True))
    width = len(next(iter(tried)))
    reach = _largest_step(list(tried)) // 2
    while reach >= round(finest * UNIT):
        best = min(tried, key=lambda point: _sum_of_means(tried, point))
        ahead = [point for point in _neighbours(best, reach, width) if point not in tried]
        if ahead:
            more = try_all([REGISTRY[measure](g=_shares_of_point(point)) for point in ahead])
            tried |= dict(zip(ahead, _errors(more), strict=True))
        if min(tried, key=lambda point: _sum_of_means(tried, point)) == best:
            reach //= 2
    result = _conclude(informativeness, measure, tried, finest, samples, alpha, seed, data.runs.levels)
    return replace(result, notes=[*_describe_search(result)])


def _describe_search(result: BestUsers) -> Iterator[Note]:
    """How it was searched, where the intervals come from, and the measure to go on with."""
    tried = f"{len(result.points)} g on {result.rankings} rankings"
    yield Note.method(f"{result.name}: {tried}, down to steps of {result.finest:g} around the best")
    yield Note.method(result.description)
    yield Note.answer(result._about_untold() or f"use this measure: {result.measure}")


GridPoint: TypeAlias = tuple[int, ...]
"""A g in units of 1/UNIT."""


def _point_of(measure: Measure) -> GridPoint:
    """The g of a measure; by default equal shares."""
    g: Any = dict(measure.changed)["g"]
    return _point(g)


def _errors(informativeness: Informativeness) -> Array:
    """float64[measure, threshold, list], NaN where a list was not inferred."""
    return np.where(informativeness.converged[:, None], informativeness.errors, np.nan)


def _point(g: Sequence[float]) -> GridPoint:
    whole = [round(share * UNIT) for share in g[:-1]]
    return (*whole, UNIT - sum(whole))


def _shares_of_point(point: GridPoint) -> UserShares:
    return tuple(units / UNIT for units in point)


def _sum_of_means(tried: dict[GridPoint, Array], point: GridPoint) -> float:
    """The sum over thresholds of the mean error of a point, over the lists inferred from all points."""
    counted = ~np.isnan(np.stack(list(tried.values()))).any((0, 1))
    if not counted.any():
        raise InputError("no ranking was inferred at every g, so that they cannot be compared")
    return float(tried[point][:, counted].mean(-1).sum())


def _largest_step(points: Sequence[GridPoint]) -> int:
    """The largest difference of neighbouring values of the first share: the step of the grid."""
    first = sorted({point[0] for point in points})
    steps = np.diff(first)
    return int(steps.max()) if len(steps) else UNIT


def _neighbours(point: GridPoint, step: int, width: int) -> Iterator[GridPoint]:
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
    tried: dict[GridPoint, Array],
    finest: float,
    samples: int,
    alpha: float,
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
    weights = draw(len(names), samples, seed)
    best = ((weights @ totals.T) / (weights @ number)[:, None]).argmin(-1)
    points = [_shares_of_point(point) for point in tried]
    return BestUsers(
        name,
        points,
        errors.mean(-1),
        interval(np.array(points)[best], alpha),
        levels,
        informativeness.thresholds,
        int(counted.sum()),
        finest,
        alpha,
        samples,
        seed,
    )
