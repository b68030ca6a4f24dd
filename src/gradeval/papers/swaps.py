"""How fast does a measure fall as a perfect ranking is shuffled?

The artificial-data experiment of Scheel, Lommatzsch & Albayrak (2011), section 2.1, figures 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Seed, Several, Whole, find_twice
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.spelling import parse_measures
from gradeval.measures.ap import muAP
from gradeval.measures.gain import NDCNG, nDCG
from gradeval.messages import plain
from gradeval.progress import Progress
from gradeval.studies.shares import Shares, SharesKind
from gradeval.studies.study import Measures, Result, study
from gradeval.tables.grid import Cell, Column, Grid, as_label
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

LEVELS = (2, 10, 20, 50)
"""Numbers of levels, the irrelevant one included."""
NONUNIFORM = Shares(0.5)
"""The shares of ``nonuniform``: Jeffreys' prior. Others change how large the effects are, and the paper does not say
which it took."""
TOGETHER = 8  # repetitions scored at once
SHOWN = (0.05, 0.1, 0.2, 0.5)
"""After which shares of the swaps the table shows the values, besides the first and the last."""

SAME = 1e-12
"""Values that differ by rounding errors alone are the same."""
Score: TypeAlias = Callable[[JudgedRankings], Array]
"""float64[repetition, swaps, measure] of rankings."""


@dataclass(frozen=True, eq=False, repr=False)
class Swaps(Result):
    """Measures against the number of swaps, for scales with different numbers of levels.

    Attributes
    ----------
    values : float64[level, swaps, measure]: means over the repetitions, from 0 swaps.
    error : float64[level, swaps, measure]: their standard errors.
    levels : numbers of levels, 0 included.
    unchanged : float64[level, measure]: the share of the swaps of items of different grades that leave the value as it
        was; 0 where there was none.
    measures : names; ``mean`` stands for the mean over the cutoffs 1 to the number of items.
    shares, items, repetitions, seed : how it was done.
    """

    values: Array
    error: Array
    unchanged: Array
    levels: tuple[int, ...]
    measures: list[str]
    shares: Shares
    items: int
    repetitions: int
    seed: int

    def spread(self) -> Array:
        """float64[swaps, measure]: the largest less the smallest value over the numbers of levels."""
        return np.asarray(np.ptp(self.values, axis=0))

    def spread_error(self) -> Array:
        """float64[swaps, measure]: the standard error of the difference of the two means that make the spread.

        A spread is never negative: where the number of levels does not matter at all, it is still some of these.
        """
        ends = np.stack([self.values.argmax(0), self.values.argmin(0)])
        return np.asarray(np.sqrt(np.square(np.take_along_axis(self.error, ends, axis=0)).sum(0)))

    def table(self, digits: int = 3) -> Table:
        """Values after some of the swaps, a column for each number of grades, and their spread with its error.

        Below: how many swaps of items of different grades a measure does not notice. The records hold every number of
        swaps.
        """
        last = self.values.shape[1] - 1
        spec = f".{digits}f"
        rows: list[list[Cell]] = []
        for place, measure in enumerate(self.measures):
            spread, error = self.spread()[:, place].tolist(), self.spread_error()[:, place].tolist()
            for swap in sorted({0, *(round(last * share) for share in SHOWN), last}):
                between = f"{spread[swap]:{spec}} ± {error[swap]:{spec}}"
                rows.append([measure, swap, *self.values[:, swap, place].tolist(), between])
        columns = [
            Column("measure", "name"),
            Column("swaps", spec="d"),
            *(Column(f"{number} grades", spec=spec) for number in self.levels),
            Column("spread ± s.e.", "text"),
        ]
        grids = [Grid(columns, rows, title="mean value"), self._unnoticed()]
        return Table(grids, self._records())

    def _unnoticed(self) -> Grid:
        """A row a measure, a column for each number of grades."""
        rows: list[list[Cell]] = [
            [measure, *self.unchanged[:, place].tolist()] for place, measure in enumerate(self.measures)
        ]
        columns = [Column("measure", "name"), *(Column(f"{number} grades", spec=".1%") for number in self.levels)]
        title = "swaps of items of different grades that leave the value as it was"
        return Grid(columns, rows, title=title, label=as_label(title, " ".join(map(str, self.measures))))

    @property
    def shape(self) -> str:
        """How the items are shared out among the grades."""
        if self.shares.concentration is not None:
            return f"non-uniform (Dirichlet, parameter {self.shares.concentration:g})"
        return str(self.shares) if self.shares.alike else f"non-uniform (expected {self.shares})"

    @property
    def description(self) -> str:
        """What was simulated, in a sentence."""
        return f"{self.shape} grades, {self.items} items, {self.repetitions} repetitions, seed {self.seed}"

    def _records(self) -> Records:
        """The mean after each number of swaps, and behind the last one the share of swaps that change nothing."""
        size = len(self.measures), len(self.levels), self.values.shape[1] + 1
        means, errors = (np.zeros(size), np.zeros(size))
        means[..., :-1], errors[..., :-1] = self.values.transpose(2, 0, 1), self.error.transpose(2, 0, 1)
        means[..., -1] = self.unchanged.T
        last = np.arange(size[-1]) == size[-1] - 1
        return Records.over(
            {"measure": self.measures, "levels": self.levels, "": range(size[-1])},
            swaps=np.ma.array(np.arange(size[-1]), mask=last),
            statistic=np.where(last, "unchanged", "mean"),
            value=means,
            standard_error=np.ma.array(errors, mask=np.broadcast_to(last, size)),
            shares=str(self.shares),
            items=self.items,
            repetitions=self.repetitions,
            seed=self.seed,
        )


@study(
    measures="muAP, nDCG(dcg='exp-log2'), NDCNG, and the means of both over all cutoffs",
    digits=3,
    examples="""
      gradeval swaps
      gradeval swaps --nonuniform --levels 2,10,20,50 --plot swaps.svg
      gradeval swaps -m "AP GAP Q ERR muAP NDCNG\"""",
)
def swaps(
    *,
    seed: Seed = 0,
    progress: Progress | None,
    measures: Measures | None = None,
    levels: Annotated[Sequence[int], Several(Whole(2), "numbers of grades as in 2,10,20,50")] = LEVELS,
    nonuniform: bool = False,
    shares: Annotated[Shares, SharesKind("SHARES")] = Shares(),  # noqa: B008 - frozen
    items: Annotated[int, Whole(2)] = 100,
    swaps: Annotated[int, Whole(0)] = 99,
    repetitions: Annotated[int, Whole(2)] = 100,
) -> Swaps:
    """Exchange random items of a perfect ranking again and again: how do measures fall, and does the scale matter?

    A measure that does not depend on the number of grades has equal columns. Below: how many swaps of items of
    different grades a measure does not notice, as one with a threshold often does not. tsv, csv and jsonl hold every
    number of swaps.

    Parameters
    ----------
    levels : numbers of grades, 0 included. Each has its own random numbers, from (seed, L).
    nonuniform : give the grades the shares dirichlet:0.5.
    shares : the shares of the grades: uniform, dirichlet:A, or weights. uniform: as many items of each grade;
        dirichlet:A: drawn anew for each ranking; weights: one for each grade from 0 on, by which items are drawn. Where
        all items would have one grade, they are drawn again.
    items : the number of items of a ranking.
    swaps : the number of swaps, one after the other.
    repetitions : rankings for each number of grades.

    Raises
    ------
    InputError : more levels than items; items that cannot be shared evenly.
    Source: Scheel, Lommatzsch & Albayrak (2011), figures 4 and 5.
    """
    if nonuniform:
        shares = _nonuniform(shares)
    if (twice := find_twice(levels)) is not None:
        raise InputError(plain("levels", twice), " is given twice")
    for number in levels:
        if number > items:
            raise InputError(
                plain("levels", number), f" is not a number of levels from 2 to the number of items, {items}"
            )
        if shares.alike and items % number:
            raise InputError(
                plain("levels", number),
                f": {items} items cannot be shared evenly among {number} levels; take nonuniform",
            )
    names, score = _by_default(items) if measures is None else _chosen(parse_measures(measures))
    size = (len(levels), swaps + 1, len(names))
    values, error = np.zeros(size), np.zeros(size)
    unchanged = np.zeros((len(levels), len(names)))
    for place, number in enumerate(levels):
        rng = np.random.default_rng([seed, number])
        blocks, changed = [], []
        for block in _blocks(number, shares, items, swaps, repetitions, rng):
            blocks.append(score(block))
            changed.append((np.diff(block.grades, axis=1) != 0).any(-1))
            if progress is not None:
                done = min(TOGETHER * len(blocks), repetitions)
                progress(place * repetitions + done, len(levels) * repetitions)
        measured = np.concatenate(blocks)  # float64[repetition, swaps, measure]
        values[place] = measured.mean(0)
        error[place] = measured.std(0, ddof=1) / np.sqrt(repetitions)
        unchanged[place] = _share_unchanged(measured, np.concatenate(changed))
    result = Swaps(values, error, unchanged, tuple(levels), names, shares, items, repetitions, seed)
    return replace(result, notes=[Note.method(result.description), *map(Note, _about_empty_scales(result))])


def _about_empty_scales(study: Swaps) -> Iterator[str]:
    """The measures to which nothing is relevant on a scale, so that even the perfect ranking counts 0."""
    for place, measure in enumerate(study.measures):
        firsts = zip(study.levels, study.values[:, 0, place], strict=True)
        if scales := [str(number) for number, value in firsts if not value]:
            yield f"{measure}: nothing is relevant on scales of {', '.join(scales)} grades; it is 0 there"


def _blocks(
    levels: int, shares: Shares, items: int, swaps: int, repetitions: int, rng: np.random.Generator
) -> Iterator[JudgedRankings]:
    """Rankings [repetition, swaps, item], some repetitions at a time."""
    for begin in range(0, repetitions, TOGETHER):
        here = min(TOGETHER, repetitions - begin)
        pool = _pools(here, levels, shares, items, rng)
        state = np.stack([np.repeat(np.arange(levels)[::-1], counts[::-1]) for counts in pool])
        shown = np.empty((here, swaps + 1, items))
        shown[:, 0] = state
        each = np.arange(here)
        for swap in range(1, swaps + 1):
            first = rng.integers(items, size=here)
            second = (first + rng.integers(1, items, size=here)) % items
            state[each, first], state[each, second] = state[each, second], state[each, first]
            shown[:, swap] = state
        yield JudgedRankings.full(
            shown, np.broadcast_to(pool[:, None], (here, swaps + 1, levels)), tuple(map(float, range(levels)))
        )


def _pools(number: int, levels: int, shares: Shares, items: int, rng: np.random.Generator) -> Array:
    """int64[repetition, level]: how many items have each level."""
    if shares.alike:
        return np.full((number, levels), items // levels)
    pools = np.zeros((number, levels), int)
    flat = np.arange(number)
    while flat.size:
        for place in flat:
            pools[place] = rng.multinomial(items, shares.draw(1, levels, rng)[0])
        flat = np.flatnonzero((pools > 0).sum(-1) < 2)
    return pools


def _nonuniform(shares: Shares) -> Shares:
    """The shares of ``nonuniform``; an InputError for others."""
    if not shares.alike:
        raise InputError(
            "nonuniform is ", plain("shares", NONUNIFORM), "; give it or ", plain("shares", shares), ", not both"
        )
    return NONUNIFORM


def _share_unchanged(measured: Array, changed: Array) -> Array:
    """float64[measure]: of the swaps that changed[repetition, swap] the grades, those that left the value as it was."""
    same = np.abs(np.diff(measured, axis=1)) <= SAME
    return ratio((same & changed[..., None]).sum((0, 1)), changed.sum())


def _by_default(items: int) -> tuple[list[str], Score]:
    """The measures of the figures: their names, and a function that scores by them."""
    plain: list[Measure] = [muAP, nDCG(dcg="exp-log2") @ items, NDCNG @ items]
    names = [*map(str, plain), f"mean {nDCG(dcg='exp-log2')}", f"mean {NDCNG}"]
    return names, partial(_score_swapped, plain=plain)


def _chosen(measures: Sequence[Measure]) -> tuple[list[str], Score]:
    """The same of measures that the user named."""
    return [*map(str, measures)], lambda rankings: np.stack([measure(rankings) for measure in measures], axis=-1)


def _score_swapped(rankings: JudgedRankings, plain: Sequence[Measure]) -> Array:
    """float64[repetition, swaps, measure]"""
    largest = rankings.grades.max(-1, keepdims=True)
    return np.stack(
        [
            *(measure(rankings) for measure in plain),
            mean_over_ranks(np.exp2(rankings.grades) - 1),
            mean_over_ranks(np.exp2(rankings.grades / largest) - 1),
        ],
        axis=-1,
    )


def mean_over_ranks(gains: Array) -> Array:
    """float64[...]: mean of nDCG@n over n = 1..N for rankings that hold the whole pool."""
    return np.asarray(ndcg_by_rank(gains).mean(-1))


def ndcg_by_rank(gains: Array) -> Array:
    """float64[..., n]: nDCG@n for n = 1..N of rankings that hold the whole pool, with discount 1/log2(n+1)."""
    discount = 1 / np.log2(np.arange(2, gains.shape[-1] + 2))
    ideal = np.sort(gains, axis=-1)[..., ::-1]
    return np.asarray((gains * discount).cumsum(-1) / (ideal * discount).cumsum(-1))
