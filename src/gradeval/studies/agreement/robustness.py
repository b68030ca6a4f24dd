"""Robustness to incomplete judgments: do runs keep their order where part of the pool was never judged?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows, pooled_places, sees_unjudged, thinned, topic_of
from gradeval.formula.arithmetic import Array, ratio, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.scores import Empty, Missing
from gradeval.scores.scoring import score
from gradeval.studies.agreement.correlation import Statistic, correlation_matrix, is_constant
from gradeval.studies.agreement.thinning import Sampling, Stratified
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import STUDIED, Measures, refuse_constant, require_enough, require_judged
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = (
    "selection measure method step sample judged statistic value floor floor_nonrelevant samples seed runs topics"
).split()
ALL = "all"


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Tabular):
    """Correlation of the order of the runs under thinned pools with that under the full one, measure by measure.

    Attributes
    ----------
    values : float64[step, sample, measure]: the correlation; 0 where it is undefined.
    undefined : bool[step, sample, measure]: by the thinned pool all runs are equal. Left out of mean and spread.
    judged_share : float64[step, sample]: share of the judgments of the topics that were kept.
    sampling : how judgments were taken away; its ``steps`` name the first axis.
    statistic, measures, runs, topics, seed : what was correlated, and over what.
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
    seed: int
    selection: str = ALL

    def mean(self) -> Array:
        """float64[step, measure]: the mean over samples."""
        return ratio((self.values * ~self.undefined).sum(1), (~self.undefined).sum(1))

    def spread(self) -> Array:
        """float64[step, measure]: the standard deviation over samples; 0 where there is only one."""
        squares = (np.square(self.values - self.mean()[:, None]) * ~self.undefined).sum(1)
        return np.sqrt(ratio(squares, (~self.undefined).sum(1) - 1))

    def table(self, digits: int = 3) -> Table:
        """The mean over samples, with its standard deviation, at each step and by each measure."""
        return replace(robustness_table([self], digits), notes=[self.description])

    @property
    def description(self) -> str:
        """What was thinned and correlated, and how, in a sentence."""
        size = f"{len(self.runs)} runs, {len(self.topics)} topics"
        pools = f"{self.values.shape[1]} thinned pools at each step, seed {self.seed}"
        resampling = f"; {pools}" if self.sampling.random else ""
        return f"{self.sampling}: {self.statistic} with the order under the full pool; {size}{resampling}"

    def grid(self, digits: int = 3, title: str = "") -> Grid:
        """The grid of the table: a row a step, a column a measure."""
        several = self.values.shape[1] > 1  # one sample has no spread
        spreads = self.spread().tolist()
        rows: list[list[Cell]] = []
        for place, (step, means) in enumerate(zip(self.sampling.steps, self.mean().tolist(), strict=True)):
            cells = [Estimate(m, spread=s if several else None) for m, s in zip(means, spreads[place], strict=True)]
            rows.append([step, float(self.judged_share[place].mean()), *cells])
        columns = [Column(str(measure), spec=f".{digits}f") for measure in self.measures]
        first = [Column(self.sampling.unit, spec="g"), Column("judged", spec=".1%")]
        return Grid([*first, *columns], rows, title=title or str(self.sampling))

    def records(self) -> Iterator[list[Value]]:
        """The records of the table: the correlation in every sample, in the order of ``FIELDS``."""
        sampling = self.sampling
        floors: list[Value] = [None, None]
        if isinstance(sampling, Stratified):
            floors = [sampling.floor, sampling.floor_nonrelevant]
        random: list[Value] = [self.values.shape[1], self.seed] if sampling.random else [None, None]
        settings: list[Value] = [*floors, *random, len(self.runs), len(self.topics)]
        for step, sample in np.ndindex(self.judged_share.shape):
            for place, measure in enumerate(self.measures):
                where: list[Value] = [sampling.name, float(sampling.steps[step]), sample]
                undefined = self.undefined[step, sample, place]
                value = None if undefined else float(self.values[step, sample, place])
                yield [
                    self.selection,
                    str(measure),
                    *where,
                    float(self.judged_share[step, sample]),
                    self.statistic,
                    value,
                    *settings,
                ]


def robustness_table(studies: Sequence[Robustness], digits: int = 3) -> Table:
    """The tables of one or several studies, such as with and without a floor, or of several selections of topics."""
    records = [record for study in studies for record in study.records()]
    several = len({study.selection for study in studies}) > 1
    titles = [f"topics {study.selection}: {study.sampling}" if several else str(study.sampling) for study in studies]
    grids = [study.grid(digits, title) for study, title in zip(studies, titles, strict=True)]
    return Table(grids, Records.of(FIELDS, records))


@with_progress_bar
def robustness(
    judged: JudgedRuns,
    measures: Measures = STUDIED,
    sampling: Sampling | None = None,
    *,
    samples: int = 10,
    statistic: Statistic = "kendall",
    topics: Sequence[str] | None = None,
    runs: Sequence[str] | None = None,
    missing: Missing = "zero",
    empty: Empty = "zero",
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
) -> Robustness:
    """Order the runs by each measure under thinned pools and correlate with their order under the full pool.

    Parameters
    ----------
    judged : what ``judge(qrels, runs)`` gives.
    measures : which; default AP, nDCG, GAP, xGAP, eGAP, RBP(rel=1) and Bpref.
    sampling : Stratified() (the default), Random() or Depth() of ``gradeval.studies.agreement.thinning``.
    samples : thinned pools for each step; one is enough where nothing is random.
    topics, runs : only these, chosen on the full pool.
    statistic : see ``gradeval.studies.agreement.measure_correlation.correlate``.
    missing, empty : see ``evaluate``.
    seed : sample s is drawn from (seed, s), whatever the number of samples and threads.
    threads : 0 takes all cores.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; a measure by which all runs are equal, under the full pool or under
        every sample of a step.
    Source: Buckley & Voorhees (2004); Ferrante, Ferro & Maistro (2014), figures 1 and 2.
    """
    require_judged(judged)
    sampling = Stratified() if sampling is None else sampling
    if not all(hasattr(sampling, name) for name in ("random", "steps", "draw")):
        raise InputError(
            f"sampling={checks.shown(sampling)} is none of Stratified(), Random() and Depth() of "
            "gradeval.studies.agreement.thinning"
        )
    samples, seed, threads = checks.whole("samples", samples, 1), checks.seed(seed), checks.threads(threads)
    samples = samples if sampling.random else 1
    study = _Study(judged, parse_measures(measures), topics, runs, missing, empty)
    known = judged.grading.judged[:-1]
    here = np.isin(topic_of(judged), [judged.topics.index(topic) for topic in study.topics])
    full = study.means(known)
    refuse_constant(full, study.measures)
    means = np.zeros((len(sampling.steps), samples, *full.shape))
    shares = np.zeros(means.shape[:2])

    def thin_and_score(sample: int, step: Step) -> None:
        for place, kept in enumerate(sampling.draw(judged, np.random.default_rng([seed, sample]))):
            shares[place, sample] = kept[here].sum() / known[here].sum()
            means[place, sample] = study.means(kept)
            step(1)

    run_in_parallel([partial(thin_and_score, sample) for sample in range(samples)], threads, progress, shares.size)
    undefined = is_constant(means)
    _refuse_undefined(undefined, sampling, study.measures)
    values = correlation_matrix(statistic, full[:, None, :], means[..., None, :])[..., 0, 0]
    selection = ALL if topics is None else ",".join(study.topics)
    return Robustness(
        values, undefined, shares, sampling, statistic, study.measures, study.runs, study.topics, seed, selection
    )


def _refuse_undefined(undefined: Array, sampling: Sampling, measures: list[Measure]) -> None:
    if undefined.all(1).any():
        step, measure = np.argwhere(undefined.all(1))[0]
        where = f"{measures[measure]}: at {sampling.unit} {sampling.steps[step]:g}"
        raise InputError(
            f"{where} all runs are equal in every sample, so the correlation is undefined; "
            "raise the floor, or leave the step or the measure out"
        )


class _Study:
    """Some runs and topics, and their means under any part of the judgments."""

    def __init__(
        self,
        judged: JudgedRuns,
        measures: list[Measure],
        topics: Sequence[str] | None,
        runs: Sequence[str] | None,
        missing: Missing,
        empty: Empty,
    ) -> None:
        self.measures = measures
        self.missing, self.empty = missing, empty
        chosen = score(judged, measures).sel(runs=runs, topics=topics)
        require_enough(chosen)
        self.runs, self.topics = chosen.runs, chosen.topics
        selected = np.zeros((len(judged.runs), len(judged.topics)), bool)
        places = [judged.runs.index(run) for run in self.runs], [judged.topics.index(topic) for topic in self.topics]
        selected[np.ix_(*places)] = True
        self.judged = only_rows(judged, selected.ravel())
        self.places = pooled_places(self.judged)
        seeing = np.array([sees_unjudged(measure, judged.levels) for measure in measures])
        # For measures that do not see unjudged documents, these are dropped, which saves most of the work.
        self.parts = [(drop, np.flatnonzero(seeing != drop)) for drop in (False, True) if (seeing != drop).any()]

    def means(self, kept: Array) -> Array:
        """float64[measure, run]: means over the topics where only the judgments kept[document] are left."""
        means = np.zeros((len(self.measures), len(self.runs)))
        for drop, places in self.parts:
            left = thinned(self.judged, kept, drop=drop, places=self.places)
            measures = [self.measures[place] for place in places]
            scores = score(left, measures, missing=self.missing, empty=self.empty)
            means[places] = rounded(scores.sel(runs=self.runs, topics=self.topics).mean().T)
        return means
