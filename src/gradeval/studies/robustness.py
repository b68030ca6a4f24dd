"""Do runs keep their order where judgments are missing?

Judgments are taken away in steps, as if nobody had made them. The steps of one draw are nested: a larger pool has all
documents of the smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Annotated, Any, ClassVar, Protocol

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import Each, Number, OneOf, Seed, Several, Threads, Whole, find_twice
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows, pooled_places, tells_unjudged_apart, thinned, topic_of
from gradeval.formula.arithmetic import Array, ratio, rounded
from gradeval.formula.definition import Measure
from gradeval.messages import Given, list_some, plural
from gradeval.progress import Progress, Step
from gradeval.scores.scores import Scores, find_places
from gradeval.scores.scoring import score
from gradeval.studies.correlation import NAMES, Statistic, correlation_matrix, is_constant
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import about_few_runs, refuse_constant, require_enough
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

RATES = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0, 5.0)
"""Percentages of the pool that are kept by default."""
FLOOR, FLOOR_NONRELEVANT = 1, 10
"""Documents that are kept of a positive grade, and of grade 0, by default."""
FIELDS = (
    "selection measure method step sample judged statistic value floor floor_nonrelevant samples seed runs topics"
).split()


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Result):
    """Correlation of the order of the runs under thinned pools with the order under the full pool, by measure.

    Attributes
    ----------
    values : float64[step, sample, measure]: the correlation; 0 where it is undefined.
    undefined : bool[step, sample, measure]: by the thinned pool all runs are equal. Left out of mean and spread.
    judged_share : float64[step, sample]: share of the judgments of the topics that were kept.
    sampling : how judgments were taken away; its ``steps`` name the first axis.
    statistic, measures, runs, topics : what was correlated, and over what.
    seed : None where nothing is random.
    selection : how the topics were chosen, as in ``few:2``.
    """

    values: Array
    undefined: Array
    judged_share: Array
    sampling: Sampling
    statistic: Statistic
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    seed: int | None
    selection: str = "all"

    @property
    def samples(self) -> int | None:
        """Thinned pools at each step; None where nothing is random."""
        return self.values.shape[1] if self.sampling.random else None

    @property
    def floor(self) -> int | None:
        """Documents that are kept of each positive grade; None where there is no floor."""
        return getattr(self.sampling, "floor", None)

    @property
    def floor_nonrelevant(self) -> int | None:
        """Documents that are kept of grade 0; None where there is no floor."""
        return getattr(self.sampling, "floor_nonrelevant", None)

    def mean(self) -> Array:
        """float64[step, measure]: the mean over samples."""
        return ratio((self.values * ~self.undefined).sum(1), (~self.undefined).sum(1))

    def spread(self) -> Array:
        """float64[step, measure]: the standard deviation over samples; 0 where there is only one."""
        squares = (np.square(self.values - self.mean()[:, None]) * ~self.undefined).sum(1)
        return np.sqrt(ratio(squares, (~self.undefined).sum(1) - 1))

    def table(self, digits: int = 3) -> Table:
        """The mean over samples, with its standard deviation, at each step and by each measure."""
        return Table([self.grid(digits)], self.records)

    @property
    def description(self) -> str:
        """What was thinned and correlated, and how, in a sentence."""
        return f"{self.sampling}: {self._in_captions}"

    @property
    def _in_captions(self) -> str:
        size = f"{len(self.runs)} runs, {len(self.topics)} topics"
        said = f"{NAMES[self.statistic].partition(',')[0]} with the order under the full pool; {size}"
        if self.samples is None:
            return said
        spread = "; ±: standard deviation over pools" if self.samples > 1 else ""
        least = f"; a topic keeps {self.floor} of each other grade and {self.floor_nonrelevant} of grade 0 at least"
        floor = "" if self.floor is None else least
        return f"{said}; {plural(self.samples, 'thinned pool')} at each rate, seed {self.seed}{floor}{spread}"

    def grid(self, digits: int = 3, title: str = "") -> Grid:
        """The grid of the table: a row a step, a column a measure."""
        several = self.values.shape[1] > 1  # one sample has no spread
        shares, means, spreads = self.judged_share.mean(1).tolist(), self.mean().tolist(), self.spread().tolist()
        rows: list[list[Cell]] = []
        for step, share, at, spread in zip(self.sampling.steps, shares, means, spreads, strict=True):
            cells = [Estimate(m, spread=s if several else None) for m, s in zip(at, spread, strict=True)]
            rows.append([step, share, *cells])
        columns = [Column(str(measure), spec=f".{digits}f") for measure in self.measures]
        first = [Column(self.sampling.unit, spec="g"), Column("judged", spec=".1%")]
        return Grid([*first, *columns], rows, title=title or str(self.sampling))

    @property
    def records(self) -> Records:
        """The correlation in every sample."""
        steps, samples = list(map(float, self.sampling.steps)), range(self.values.shape[1])
        cells = Records.over(
            {"step": steps, "sample": samples, "measure": self.measures},
            selection=self.selection,
            method=self.sampling.name,
            judged=self.judged_share[..., None],
            statistic=self.statistic,
            value=np.ma.array(self.values, mask=self.undefined),
            floor=self.floor,
            floor_nonrelevant=self.floor_nonrelevant,
            samples=self.samples,
            seed=self.seed,
            runs=len(self.runs),
            topics=len(self.topics),
        )
        return cells.ordered(FIELDS)


@dataclass(frozen=True, eq=False, repr=False)
class RobustnessStudies(Result):
    """Several studies side by side: with different floors, of different selections of topics.

    Attributes
    ----------
    parts : a result for each selection of topics and each floor.
    """

    parts: list[Robustness]

    @property
    def several_selections(self) -> bool:
        """Do the parts have different topics?"""
        return len({part.selection for part in self.parts}) > 1

    def title(self, part: Robustness) -> str:
        """What is different in a part."""
        return f"topics {part.selection}: {part.sampling}" if self.several_selections else str(part.sampling)

    def table(self, digits: int = 3) -> Table:
        """The table of each part under its title."""
        tables = [
            Table([part.grid(digits, self.title(part))], part.records).captioned(part._in_captions, "robustness")
            for part in self.parts
        ]
        records = reduce(Records.then, (table.records for table in tables))
        return Table([grid for table in tables for grid in table.grids], records)


def put_side_by_side(parts: list[Robustness]) -> RobustnessStudies:
    """Several studies as one result."""
    both = RobustnessStudies(parts)
    where = [f"topics {part.selection}" * both.several_selections for part in parts]
    shared = [note for note in parts[0].notes if all(note in part.notes for part in parts)]
    notes = [
        note.within(place)
        for place, part in zip(where, parts, strict=True)
        for note in part.notes
        if note not in shared
    ]
    return replace(both, notes=[*notes, *shared])


class _Method(OneOf):
    """A word for a way of sampling, or a ``Sampling``."""

    def check(self, name: str, value: Any) -> Any:
        """The value."""
        is_sampling = all(hasattr(value, part) for part in ("random", "steps", "draw"))
        return value if is_sampling else super().check(name, value)


@study(
    examples="""
      gradeval robustness qrels.txt runs/*
      gradeval robustness qrels.txt runs/* -m "AP GAP nDCG infAP" --rates 100,50,20,10,5 --samples 50
      gradeval robustness qrels.txt runs/* --floor 1,0 --topics few:2
      gradeval robustness qrels.txt runs/* --topics all,few:2 --plot robustness.pdf
      gradeval robustness qrels.txt runs/* --method depth --rates 50,20,10""",
    digits=3,
    join=put_side_by_side,
)
def robustness(
    data: Judged,
    /,
    *,
    samples: Annotated[int, Whole(1, 100_000)] = 10,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
    method: Annotated[str | Sampling, _Method(("stratified", "random", "depth"))] = "stratified",
    rates: Annotated[Sequence[float] | None, Several(Number(least=0), "percentages or ranks as in 50,20,10")] = None,
    floor: Annotated[int, Each(Whole(0, unit="documents"), "numbers of documents as in 1,0")] = FLOOR,
    floor_nonrelevant: Annotated[int, Whole(0, unit="documents")] = FLOOR_NONRELEVANT,
    statistic: Statistic = "kendall",
) -> Robustness:
    """Thin the judgments and correlate the order of the runs with that under the full pool, measure by measure.

    Topics and runs are chosen on the full pool; topics all,few:2 studies both selections, each in a table and a panel
    of its own. A floor of 1 keeps a document of every grade that a topic has:
    measures that live on a scarce grade look more robust than they are; see floor 1,0.

    Parameters
    ----------
    method : how judgments are taken away: stratified, random, or by depth. stratified keeps so many percent of each
        grade of each topic; random so many of each topic's pool, with a relevant document at the lowest rate; depth
        keeps what any of the judged runs has at the top. In Python also a ``Sampling``.
    rates : percentages of the pool, or for depth ranks. They are the ranks that its shallower pools reach, whereas a
        depth of reading cuts the runs. Default 100,90,70,50,30,10,5; of depth 100,50,20,10,5.
    floor : how many documents of each positive grade stratified keeps. 1,0 is a study with each, which shows what
        scarce grades are worth.
    floor_nonrelevant : how many documents of grade 0 stratified keeps.
    samples : thinned pools at each rate, where they are random. Sample s is drawn from (seed, s).
    statistic : how orders are correlated; the full pool is the truth.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; a measure by which all runs are equal, under the full pool or under
        every sample of a step.
    Source: Buckley & Voorhees (2004); Ferrante, Ferro & Maistro (2014), figures 1 and 2.
    """
    judged, scores = data.runs, data.scores
    require_enough(scores)
    sampling = _sampling(method, rates, floor, floor_nonrelevant)
    samples = samples if sampling.random else 1
    thinning = _Thinning(judged, scores)
    known = judged.grading.judged[:-1]
    here = np.isin(topic_of(judged), find_places(scores.topics, judged.topics, "topic"))
    full = thinning.means(known)
    refuse_constant(full, scores.measures)
    means = np.zeros((len(sampling.steps), samples, *full.shape))
    shares = np.zeros(means.shape[:2])

    def thin_and_score(sample: int, step: Step) -> None:
        for place, kept in enumerate(sampling.draw(judged, np.random.default_rng([seed, sample]))):
            shares[place, sample] = kept[here].sum() / known[here].sum()
            means[place, sample] = full if np.array_equal(kept, known) else thinning.means(kept)
            step(1)

    run_in_parallel([partial(thin_and_score, sample) for sample in range(samples)], threads, progress, shares.size)
    undefined = is_constant(means)
    _refuse_undefined(undefined, sampling, scores.measures)
    result = Robustness(
        values=correlation_matrix(statistic, full[:, None, :], means[..., None, :])[..., 0, 0],
        undefined=undefined,
        judged_share=shares,
        sampling=sampling,
        statistic=statistic,
        measures=scores.measures,
        runs=scores.runs,
        topics=scores.topics,
        seed=seed if sampling.random else None,
    )
    notes = [Note.method(result.description), *map(Note, [*_about_floor(result, judged), *_about_undefined(result)])]
    return replace(result, notes=[*notes, *about_few_runs(len(scores.runs))])


def _sampling(method: str | Sampling, rates: Any, floor: int, floor_nonrelevant: int) -> Sampling:
    """How judgments are taken away."""
    if not isinstance(method, str):
        return method
    steps = () if rates is None else (tuple(rates),)
    if method == "stratified":
        return replace(Stratified(*steps), floor=floor, floor_nonrelevant=floor_nonrelevant)
    return Random(*steps) if method == "random" else PoolDepth(*steps)


def _about_floor(result: Robustness, judged: JudgedRuns) -> Iterator[str]:
    """The number of topics in which the floor keeps documents that the lowest rate would take away."""
    sampling = result.sampling
    if not isinstance(sampling, Stratified) or not sampling.floor:
        return
    rate, floor = min(sampling.rates), sampling.floor
    pool = judged.pool[find_places(result.topics, judged.topics, "topic"), 1:]
    acts = (count_kept(pool, rate, floor) > count_kept(pool, rate, 0)).any(-1)
    if acts.any():
        yield (
            f"floor {floor} keeps relevant documents that rate {rate:g}% would remove, in {int(acts.sum())} of "
            f"{plural(len(result.topics), 'topic')}; take floor {floor},0 to see how much they matter"
        )


def _about_undefined(result: Robustness) -> Iterator[str]:
    """Where a correlation is undefined, and in how many samples."""
    number = result.undefined.sum(1)
    cells = [
        f"{result.measures[measure]} at {result.sampling.unit} {result.sampling.steps[step]:g} {number[step, measure]}"
        for step, measure in np.argwhere(number)
    ]
    if cells:
        where = f"{result.sampling}: left out as undefined, as all runs are equal in the sample"
        yield f"{where}: {list_some(cells)} of {result.values.shape[1]}"


def _refuse_undefined(undefined: Array, sampling: Sampling, measures: list[Measure]) -> None:
    for step, measure in np.argwhere(undefined.all(1)):
        raise InputError(
            f"{measures[measure]}: at {sampling.unit} {sampling.steps[step]:g} all runs are equal in every sample, so "
            "the correlation is undefined; raise the floor, or leave the step or the measure out"
        )


class _Thinning:
    """The scores that are studied, under any part of the judgments."""

    def __init__(self, judged: JudgedRuns, scores: Scores) -> None:
        self.scores = scores
        selected = np.zeros((len(judged.runs), len(judged.topics)), bool)
        run, topic = find_places(scores.runs, judged.runs, "run"), find_places(scores.topics, judged.topics, "topic")
        selected[np.ix_(run, topic)] = True
        self.judged = only_rows(judged, selected.ravel())
        self.places = pooled_places(self.judged)
        seeing = np.array([tells_unjudged_apart(measure, judged.levels) for measure in scores.measures])
        # For measures that do not see unjudged documents, these are dropped, which saves most of the work.
        self.parts = [(drop, np.flatnonzero(seeing != drop)) for drop in (False, True) if (seeing != drop).any()]

    def means(self, kept: Array) -> Array:
        """float64[measure, run]: means over the topics where only the judgments kept[document] are left."""
        whole = self.scores
        means = np.zeros((len(whole.measures), len(whole.runs)))
        for drop, places in self.parts:
            left = thinned(self.judged, kept, drop=drop, places=self.places)
            measures = [whole.measures[place] for place in places]
            scores = score(left, measures, missing=whole.missing, empty=whole.empty)
            means[places] = rounded(scores.sel(runs=whole.runs, topics=whole.topics).mean().T)
        return means


class Sampling(Protocol):
    """A way of taking judgments away, in steps; ``str`` names it, with its floor.

    Attributes
    ----------
    name : what it is called.
    unit : what its steps are: "rate" (percentages of the pool) or "depth" (ranks).
    random : does one draw differ from the next?
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    random: ClassVar[bool]

    @property
    def steps(self) -> tuple[float, ...]:
        """What each step keeps: a percentage, or a depth."""

    def draw(self, judged: JudgedRuns, rng: np.random.Generator) -> Array:
        """bool[step, document]: whether each document of the pools, topic after topic, keeps its judgment."""


@dataclass(frozen=True)
class _ByRate:
    """What ways of sampling have in common that keep percentages of the pool."""

    unit: ClassVar[str] = "rate"
    random: ClassVar[bool] = True
    rates: tuple[float, ...] = RATES
    name: ClassVar[str]

    def __post_init__(self) -> None:
        for rate in self.rates:
            arguments.number("rate", rate, least=0, most=100, kind="a percentage")
        _check_steps("rate", self.rates, "percentages of the pool from 0 to 100, as in 100,50,10")

    def __str__(self) -> str:
        return str(self.name)

    @property
    def steps(self) -> tuple[float, ...]:
        """The rates."""
        return self.rates


@dataclass(frozen=True)
class Stratified(_ByRate):
    """A percentage of each grade of each topic, but no fewer than a floor (or all of them where there are fewer).

    ``floor`` holds for each positive grade, ``floor_nonrelevant`` for grade 0.
    Source: Buckley & Voorhees (2004), by grade as in Ferrante, Ferro & Maistro (2014), section 6.
    """

    name: ClassVar[str] = "stratified"
    floor: int = FLOOR
    floor_nonrelevant: int = FLOOR_NONRELEVANT

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, floor in (("floor", self.floor), ("floor_nonrelevant", self.floor_nonrelevant)):
            arguments.whole(name, floor, 0, unit="documents")

    def __str__(self) -> str:
        return f"{self.name}, floor {self.floor}"

    def draw(self, judged: JudgedRuns, rng: np.random.Generator) -> Array:
        """bool[step, document]: one random order of each grade of each topic, cut at each rate."""
        width = len(judged.levels)
        grade = np.searchsorted(judged.levels, judged.grading.grades[:-1])
        stratum = topic_of(judged) * width + grade
        known = judged.grading.judged[:-1]
        # Documents without a judgment form a stratum of their own, of which nothing is kept.
        stratum = np.where(known, stratum, len(judged.topics) * width)
        place, size = _places_in_stratum(stratum, rng.random(len(stratum)))
        floor = np.where(grade == 0, self.floor_nonrelevant, self.floor)
        return np.stack([known & (place < count_kept(size, rate, floor)) for rate in self.rates])


@dataclass(frozen=True)
class Random(_ByRate):
    """A percentage of each topic's pool whatever the grades, with at least one relevant document in it.

    The order of a topic's pool is redrawn until its smallest part holds a relevant document, if the topic has any: the
    parts are nested, so the larger ones depend a little on the smallest rate, too. With a single rate it is the method
    of Yilmaz & Aslam.
    Source: Yilmaz & Aslam (2006).
    """

    name: ClassVar[str] = "random"

    def draw(self, judged: JudgedRuns, rng: np.random.Generator) -> Array:
        """bool[step, document]: one random order of each topic's pool, cut at each rate."""
        known = judged.grading.judged[:-1]
        relevant = known & (judged.grading.grades[:-1] > 0)
        topics = len(judged.topics)
        topic = topic_of(judged)
        stratum = np.where(known, topic, topics)
        has_relevant = np.bincount(topic[relevant], minlength=topics) > 0
        place, size = np.zeros(len(stratum), int), np.zeros(len(stratum), int)
        pending = np.arange(len(stratum))
        while pending.size:
            place[pending], size[pending] = _places_in_stratum(stratum[pending], rng.random(len(pending)))
            smallest = place < count_kept(size, min(self.rates), 1)
            satisfied = np.bincount(topic[relevant & smallest], minlength=topics) > 0
            pending = np.flatnonzero((has_relevant & ~satisfied)[topic])
        return np.stack([known & (place < count_kept(size, rate, 1)) for rate in self.rates])


@dataclass(frozen=True)
class PoolDepth:
    """The documents that some judged run, studied or not, ranks above a depth: a shallower pool. Nothing is random."""

    name: ClassVar[str] = "depth"
    unit: ClassVar[str] = "depth"
    random: ClassVar[bool] = False
    depths: tuple[float, ...] = (100.0, 50.0, 20.0, 10.0, 5.0)

    def __post_init__(self) -> None:
        for depth in self.depths:
            if arguments.number("depth", depth, least=1, kind="a whole number of ranks") != int(depth):
                raise InputError(Given("depth", depth, f"{depth:g}"), " is not a whole number of ranks from 1")
        _check_steps("depth", self.depths, "ranks from 1, as in 50,20,10")

    def __str__(self) -> str:
        return self.name

    @property
    def steps(self) -> tuple[float, ...]:
        """The depths."""
        return self.depths

    def draw(self, judged: JudgedRuns, _: np.random.Generator) -> Array:
        """bool[step, document]: does the best rank of the document reach the depth?"""
        best = np.full(len(judged.grading.judged) - 1, np.inf)
        np.minimum.at(best, pooled_places(judged), judged.rank[:-1])
        known = judged.grading.judged[:-1]
        return np.stack([known & (best <= depth) for depth in self.depths])


def count_kept(size: Array, rate: float, floor: Array | int) -> Array:
    """int64[...]: how many documents of a stratum are kept: min(size, max(floor, round half up(rate size / 100)))."""
    return np.minimum(size, np.maximum(floor, np.floor(rate * size / 100 + 0.5))).astype(int)


def _places_in_stratum(stratum: Array, keys: Array) -> tuple[Array, Array]:
    """intp[document] twice: place of each document in its stratum by ascending key, and the stratum's size."""
    order = np.lexsort((keys, stratum))
    sizes = np.bincount(stratum)
    begins = np.cumsum(sizes) - sizes
    place = np.empty(len(stratum), int)
    place[order] = np.arange(len(stratum)) - begins[stratum[order]]
    return place, sizes[stratum]


def _check_steps(what: str, steps: tuple[float, ...], accepts: str) -> None:
    if not steps:
        raise InputError(f"no {what}s given: name {accepts}")
    if (twice := find_twice(steps)) is not None:
        raise InputError(f"{what} {twice:g} is given twice")
