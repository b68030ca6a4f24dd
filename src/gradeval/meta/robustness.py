"""Robustness to incomplete judgments: do runs keep their order where part of the pool was never judged?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.judged import Array, JudgedRankings, ratio
from gradeval.measure import Measure
from gradeval.meeting import JudgedRuns
from gradeval.meta.agreement import EXACT, enough, refuse_constant
from gradeval.meta.correlation import Statistic, constant, matrix
from gradeval.meta.thinning import Sampling, Stratified, pools_of, thinned
from gradeval.notation import parse_measures
from gradeval.scores import Empty, Missing, Scores

Progress: TypeAlias = Callable[[int, int], None]
"""Told how much of the work is done: progress(done, total)."""

BLOCK = 2**16  # documents, times the thinned pools, that are scored at once: they stay in the processor's cache
ROOM = 2**24  # documents of the pools and values, times the thinned pools, that are held at once


@dataclass(frozen=True, eq=False)
class Robustness:
    """Correlation of the order of the runs under thinned pools with that under the full one, measure by measure.

    Attributes
    ----------
    values : float64[step, sample, measure]: the correlation; 0 where it is undefined.
    undefined : bool[step, sample, measure]: by the thinned pool all runs are equal. Left out of mean and spread.
    kept : float64[step, sample]: share of the judgments that were kept.
    sampling : how judgments were taken away; its ``steps`` name the first axis.
    statistic, measures, runs, topics, seed : what was correlated, and over what.
    """

    values: Array
    undefined: Array
    kept: Array
    sampling: Sampling
    statistic: Statistic
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    seed: int

    def mean(self) -> Array:
        """float64[step, measure]: the mean over samples."""
        return ratio((self.values * ~self.undefined).sum(1), (~self.undefined).sum(1))

    def spread(self) -> Array:
        """float64[step, measure]: the standard deviation over samples; 0 where there is only one."""
        squares = (np.square(self.values - self.mean()[:, None]) * ~self.undefined).sum(1)
        return np.sqrt(ratio(squares, (~self.undefined).sum(1) - 1))


def robustness(
    judged: JudgedRuns,
    measures: str | Measure | Sequence[str | Measure],
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
    progress: Progress | None = None,
) -> Robustness:
    """Order the runs by each measure under thinned pools and correlate with their order under the full pool.

    Parameters
    ----------
    sampling : Stratified() (the default), Random() or Depth() of ``gradeval.meta.thinning``.
    samples : thinned pools for each step; one is enough where nothing is random.
    topics, runs : only these, chosen on the full pool.
    statistic : see ``gradeval.meta.agreement.agree``.
    missing, empty : see ``evaluate``.
    seed : sample s is drawn from (seed, s), whatever the number of samples and threads.
    threads : 0 takes all cores.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; a measure by which all runs are equal, under the full pool or under
        every sample of a step.
    Source: Buckley & Voorhees (2004); Ferrante, Ferro & Maistro (2014), figures 1 and 2.
    """
    sampling = Stratified() if sampling is None else sampling
    if samples < 1:
        raise InputError(f"samples {samples} is not a number of thinned pools from 1")
    study = _Study(judged, parse_measures(measures), topics, runs, missing, empty, threads)
    samples = samples if sampling.random else 1
    steps, size = len(sampling.steps), len(study.measures)
    values = np.zeros((samples, steps, size))
    undefined = np.zeros((samples, steps, size), bool)
    shares = np.zeros((samples, steps))
    known = judged.grading.judged[:-1]
    full = study.means(known)
    refuse_constant(full, study.measures)
    for block in _chunks(samples, steps * (len(known) + len(judged) * size)):
        drawn = [sampling.draw(judged, np.random.default_rng([seed, sample])) for sample in block]
        kept = np.stack(drawn)
        shares[block] = kept.sum(-1) / known.sum()
        # A pool of which nothing went is the full one: not nearly the same in the last bits, but the same.
        thinner = (kept != known).any(-1)
        means = np.broadcast_to(full, (*thinner.shape, *full.shape)).copy()
        means[thinner] = study.means(kept[thinner], _within(progress, block, samples))
        values[block] = matrix(statistic, full[..., None, :], means[..., None, :])[..., 0, 0]
        undefined[block] = constant(means)
    values, undefined = np.swapaxes(values, 0, 1), np.swapaxes(undefined, 0, 1)
    _refuse_undefined(undefined, sampling, study.measures)
    return Robustness(values, undefined, shares.T, sampling, statistic, study.measures, study.runs, study.topics, seed)


def _chunks(samples: int, each: int) -> Iterator[Array]:
    """The samples, as many at a time as memory allows."""
    together = max(1, ROOM // each)
    for begin in range(0, samples, together):
        yield np.arange(begin, min(begin + together, samples))


def _within(progress: Progress | None, block: Array, samples: int) -> Progress | None:
    """Progress within some of the samples as progress of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress(int(block[0]) * total + len(block) * done, samples * total)


def _refuse_undefined(undefined: Array, sampling: Sampling, measures: list[Measure]) -> None:
    if undefined.all(1).any():
        step, measure = np.argwhere(undefined.all(1))[0]
        raise InputError(
            f"{measures[measure]}: at {sampling.steps[step]:g} all runs are equal in every sample, so the correlation "
            "is undefined; raise the floor, or leave the step or the measure out"
        )


class _Study:
    """The means of some runs over some topics, under any part of the judgments."""

    def __init__(
        self,
        judged: JudgedRuns,
        measures: list[Measure],
        topics: Sequence[str] | None,
        runs: Sequence[str] | None,
        missing: Missing,
        empty: Empty,
        threads: int,
    ) -> None:
        self.judged = judged
        self.measures = measures
        self.threads = threads or os.cpu_count() or 1
        rows, columns = len(judged.runs), len(judged.topics)
        whole = Scores(
            values=np.zeros((rows, columns, len(measures))),
            present=judged.present,
            vacant=np.zeros((columns, len(measures)), bool),
            runs=judged.runs,
            topics=judged.topics,
            measures=measures,
            missing=missing,
            empty=empty,
        )
        self.chosen = whole.sel(runs=runs, topics=topics)
        self.runs, self.topics = self.chosen.runs, self.chosen.topics
        enough(self.chosen)
        self.run_places = [judged.runs.index(run) for run in self.runs]
        self.topic_places = [judged.topics.index(topic) for topic in self.topics]
        wanted = np.zeros((rows, columns), bool)
        wanted[np.ix_(self.run_places, self.topic_places)] = True
        self.wanted = wanted.ravel()

    def means(self, kept: Array, progress: Progress | None = None) -> Array:
        """float64[..., measure, run]: means over the topics where judgments are kept[..., document] only."""
        leading = kept.shape[:-1]
        pools = pools_of(self.judged, kept)
        values = self._values(kept, pools, progress)[..., self.run_places, :, :][..., self.topic_places, :]
        vacant = self._vacant(pools)[..., self.topic_places, :]
        means = np.zeros((*leading, len(self.measures), len(self.runs)))
        for place in np.ndindex(leading):
            scores = Scores(
                values=values[place],
                present=self.chosen.present,
                vacant=vacant[place],
                runs=self.runs,
                topics=self.topics,
                measures=self.measures,
                missing=self.chosen.missing,
                empty=self.chosen.empty,
            )
            means[place] = np.round(scores.mean(), EXACT).T
        return means

    def _values(self, kept: Array, pools: Array, progress: Progress | None) -> Array:
        """float64[..., run, topic, measure]; 0 for rows that are not wanted."""
        judged, leading = self.judged, kept.shape[:-1]
        values = np.zeros((*leading, len(judged), len(self.measures)))
        mask = np.concatenate([kept, np.zeros((*leading, 1), bool)], axis=-1)
        blocks = self._blocks(max(1, BLOCK // max(1, int(np.prod(leading)))))
        lock = Lock()
        done = 0

        def work() -> None:
            nonlocal done
            while True:
                with lock:
                    rows, block = next(blocks, (None, None))
                    if rows is None or block is None:
                        return
                topic = rows % len(judged.topics)
                entry = np.where(block.document >= 0, judged.grading.first[topic][:, None] + block.document, -1)
                left = thinned(block, mask[..., entry], pools[..., topic, :])
                for column, measure in enumerate(self.measures):
                    values[..., rows, column] = measure(left)
                with lock:
                    done += len(rows)
                    if progress:
                        progress(done, int(self.wanted.sum()))

        with ThreadPoolExecutor(self.threads) as pool:
            for worker in [pool.submit(work) for _ in range(self.threads)]:
                worker.result()
        return values.reshape(*leading, len(judged.runs), len(judged.topics), len(self.measures))

    def _blocks(self, size: int) -> Iterator[tuple[Array, JudgedRankings]]:
        for rows, block in self.judged.blocks(size):
            here = self.wanted[rows]
            if here.all():
                yield rows, block
            elif here.any():
                yield rows[here], self.judged.rows(rows[here])

    def _vacant(self, pools: Array) -> Array:
        """bool[..., topic, measure]: topics that hold nothing to be found for a measure."""
        none = np.zeros((*pools.shape[:-1], 0))
        nothing = JudgedRankings(
            grades=none,
            ranks=none,
            judged=none.astype(bool),
            document=none.astype(np.int32),
            pool=pools,
            levels=self.judged.levels,
            retrieved=np.zeros(pools.shape[:-1], np.int64),
        )
        bases = [measure.base(nothing) for measure in self.measures]
        empty = [np.zeros(pools.shape[:-1], bool) if base is None else base == 0 for base in bases]
        return np.stack(np.broadcast_arrays(*empty), axis=-1)
