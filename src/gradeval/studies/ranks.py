"""Which runs may be the best, and between which ranks is each run?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np

from gradeval.arguments import Alpha, Seed, Threads, Whole
from gradeval.formula.arithmetic import Array, means_of_columns
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure
from gradeval.messages import join_names, list_some, plural
from gradeval.progress import Progress, Step
from gradeval.scores.scores import ONE, Scores
from gradeval.studies.best import BestRuns, find_best_runs
from gradeval.studies.missing_topics import (
    MissingLoss,
    about_missing_losses,
    count_lacking,
    find_missing_losses,
    list_lacking,
    say_conditions,
)
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import require_enough, require_samples
from gradeval.studies.sign_flips import (
    FLIPS,
    Flipped,
    bonferroni_t,
    count_draws,
    critical_value,
    flip_signs,
    largest_by_run,
    reaches,
)
from gradeval.studies.significance import pair_values
from gradeval.studies.skewed_differences import ARE_SKEWED, SKEWED, skewness
from gradeval.studies.study import Result, study
from gradeval.studies.unequal_judging import about_unjudged_losses, find_unjudged_losses
from gradeval.studies.unjudged_runs import UndecidedRun, UnjudgedLoss, find_unjudged_runs, say_undecided
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

OUT_WITHOUT_GAP = "no, though behind by at least 0: this run's own test rejects it, the bounds of all runs do not"
"""Stands below a table where a run is out whose bounds say nothing against it."""


@dataclass(frozen=True, eq=False, repr=False)
class RankSets(Result):
    """Simultaneous intervals of the ranks of all runs, and the set of the runs that may be the best, by each measure.

    Attributes
    ----------
    mean : float64[measure, run]: the means of the runs (of logarithms for gmAP).
    rank : int64[measure, run]: 1 + the number of runs with a larger mean.
    lower, upper : int64[measure, run]: the interval of the rank. With probability 1 - alpha, all intervals of a
        measure contain the ranks over the population of topics.
    may_be_best : bool[measure, run]: is the run in the set that holds the best one with probability 1 - alpha?
    p : float64[measure, run]: the smallest level at which the run is outside that set. It is two-sided, by the largest
        |t| against any other run: see ``ranks``.
    behind : float64[measure, run]: how far the run is behind the best one at least; with probability 1 - alpha, all
        bounds of a measure hold.
    from_best : float64[measure, run, 2]: the interval of the difference from the best run, whichever that is, with
        probability 1 - alpha for each run by itself. NaN where so few topics differ by the same amount that none is.
    unjudged_losses : by measure the runs that are behind the leader mostly for documents that nobody judged; none of
        runs that may be the best and are behind over judged documents, too.
    missing_losses : likewise the runs that are behind the leader for topics that they lack, which count 0.
    lacking : by run how many topics it lacks that count 0.
    unjudged : the runs on which nothing is decided, as nobody judged what they return. Any may be at any rank.
    counted : int64[measure]: topics that were counted.
    measures, runs, topics : what was ranked, by what, over what.
    alpha, samples, seed : level, and draws of the signs of the topics.
    """

    mean: Array
    rank: Array
    lower: Array
    upper: Array
    may_be_best: Array
    p: Array
    behind: Array
    from_best: Array
    counted: Array
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    alpha: float
    samples: int
    seed: int
    unjudged_losses: Sequence[Sequence[UnjudgedLoss]] = ()
    missing_losses: Sequence[Sequence[MissingLoss]] = ()
    lacking: Sequence[int] = ()
    unjudged: Sequence[UndecidedRun] = ()

    def best(self, measure: str | Measure) -> list[str]:
        """The runs that may be the best, the highest mean first."""
        place = place_of_measure(measure, self.measures, "ranks")
        return [self.runs[run] for run in self._order(place) if self.may_be_best[place, run]]

    def leaders(self, measure: str | Measure) -> list[str]:
        """The runs with the highest mean; several where means are equal."""
        place = place_of_measure(measure, self.measures, "ranks")
        return [run for run, rank in zip(self.runs, self.rank[place].tolist(), strict=True) if rank == 1]

    def answer(self, measure: str | Measure) -> str:
        """Who leads and whether that is sure, in a sentence."""
        place = place_of_measure(measure, self.measures, "ranks")
        leaders, best = (self.judged_of(runs) for runs in (self.leaders(measure), self.best(measure)))
        runs = len(self.judged_of(self.runs))
        if runs < 2 and self.unjudged:
            return f"{self.measures[place]}: {self.undecided}"
        if len(best) == 1:
            said = f"{leaders[0]} is the best of {runs} runs"
        else:
            lead = f"{join_names(leaders, 3)} {'leads' if len(leaders) == 1 else 'lead'}"
            said = f"{lead}, and {len(best)} of {runs} runs may be the best"
        others = f"{self.undecided} Of the others, " if self.unjudged else ""
        return f"{self.measures[place]}: {others}{said} at alpha {self.alpha:g}{self.doubt(measure)}"

    @property
    def undecided(self) -> str:
        """That nothing is decided on runs without a judged document; empty where there are none."""
        return say_undecided(self.unjudged) if self.unjudged else ""

    def judged_of(self, runs: Sequence[str]) -> list[str]:
        """These runs without those that have no judged document."""
        return [run for run in runs if run not in self.unjudged]

    def doubt(self, measure: str | Measure) -> str:
        """Whose unjudged documents and missing topics the answer rests on, as its last clause; empty where on none."""
        place = place_of_measure(measure, self.measures, "ranks")
        unjudged = self.unjudged_losses[place] if self.unjudged_losses else ()
        missing = self.missing_losses[place] if self.missing_losses else ()
        return say_conditions(unjudged, missing, self.unit)

    def table(self, digits: int = 4) -> Table:
        """A grid a measure: its runs by their means, with rank, interval, and those that may be the best."""
        grids = [self._grid(place, digits) for place in range(len(self.measures))]
        return Table(grids, self._records())

    @property
    def description(self) -> str:
        """What was computed, and how, in a sentence."""
        return (
            f"confidence {1 - self.alpha:.4g}: all {len(self.runs)} intervals of rank of a measure hold at once, "
            "as does 'behind the best'; the intervals of compare hold for each run alone; "
            "the truly best run is among the runs marked may be best; "
            '"best?" is easier than "which rank?", so a run can be out although its interval begins at 1; '
            f"{self.method}"
        )

    @property
    def _in_captions(self) -> str:
        return (
            f"all {len(self.runs)} intervals of rank hold at once with {1 - self.alpha:.4g} confidence, as do the "
            f"distances from the best; {'; '.join(filter(None, [list_lacking(self.runs, self.lacking), self.method]))}"
        )

    @property
    def method(self) -> str:
        """Where the critical values come from."""
        fewest = int(self.counted.min())
        draws, topics = count_draws(fewest, self.samples), plural(fewest, ONE[self.unit])
        if not reaches(draws, self.alpha):
            return f"Bonferroni's t, as the signs of {topics} are too few for alpha {self.alpha:g}"
        drawn = f"{draws} draws of the" if draws == self.samples else f"all {draws + 1}"
        return f"critical values from {drawn} signs of {topics}, seed {self.seed}"

    def _order(self, measure: int) -> list[int]:
        order: list[int] = np.argsort(-self.mean[measure], kind="stable").tolist()
        return order

    def _grid(self, measure: int, digits: int) -> Grid:
        order = self._order(measure)
        at = measure, order
        close = ~self.may_be_best[measure] & (self.behind[measure] <= 0)
        ends = zip(self.lower[at].tolist(), self.upper[at].tolist(), strict=True)
        grid = Grid.of_columns(
            (Column("run", "name"), [self.runs[run] for run in order]),
            (Column("mean", spec=f".{digits}f"), self.mean[at]),
            (Column("rank", spec="d"), self.rank[at]),
            (Column("ranks", "text"), [str(low) if low == high else f"{low} to {high}" for low, high in ends]),
            (Column("may be best", "text"), np.where(self.may_be_best[at], "yes", "no")),
            (Column("behind the best by at least", spec=f".{digits}f"), np.maximum(self.behind[at], 0.0)),
            title=str(self.measures[measure]),
        )
        return replace(grid, foot=OUT_WITHOUT_GAP if close.any() else "")

    @property
    def _rest_on_missing(self) -> Array:
        """bool[measure, run]: is the run behind the leader for topics that it lacks?"""
        behind = [[one.run for one in some] for some in self.missing_losses] or [[] for _ in self.measures]
        return np.array([np.isin(self.runs, some) for some in behind])

    def _records(self) -> Records:
        return Records.over(
            {"measure": list(map(str, self.measures)), "run": self.runs},
            statistic="rank",
            value=self.rank,
            lower=self.lower,
            upper=self.upper,
            mean=self.mean,
            best=self.may_be_best,
            p=self.p,
            behind=self.behind,
            missing=np.array(self.lacking or [0] * len(self.runs)),
            rests_on_missing=self._rest_on_missing,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
            topics=self.counted[:, None],
        )


@study(
    tells_apart=True,
    names_better=True,
    measures="AP nDCG@10 GAP",
    examples="""
      gradeval ranks qrels.txt runs/*
      gradeval ranks qrels.txt runs/* -m "nDCG@10 GAP" --alpha 0.1
      gradeval ranks qrels.txt runs/* -m GAP --plot ranks.svg -o ranks.tsv
      gradeval ranks --scores scores.tsv""",
)
def ranks(
    scores: Scores,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = FLIPS,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
) -> RankSets:
    """Give every run the interval of ranks that the topics leave possible, and say which runs may be the best.

    Run i certainly stands before run j where t_ij, the mean of the differences over their standard error, is above a
    critical value for all pairs of runs at once. The interval of a run begins after the runs that certainly stand
    before it and ends before the runs certainly behind it: with probability 1 - alpha none of the intervals misses.

    A run may be the best where no other run is better than it by a test against all others at once: the best run
    is among them with probability 1 - alpha. "Best?" is an easier question than "which rank?", so fewer runs may be the
    best than have intervals that begin at 1.

    The critical value is the 1 - alpha quantile of the largest |t|, so it is two-sided, where the signs of the topics
    are drawn (step-down for the intervals of rank): it accounts for how the runs correlate, and the level is right for
    equal runs with symmetric errors. Where topics have too few signs for alpha (5 topics for 0.05), it is Bonferroni's
    t.

    p of a run is two-sided, too: the share of draws whose largest |t| against this run reaches the observed largest t
    among the runs that are ahead. Signs are drawn of the differences, and again of their deviations from their means
    (centred, at most Bonferroni's p); the larger share counts.

    Parameters
    ----------
    alpha : the probability that some interval of a measure misses. Likewise that the best run is not among those named.
    samples : draws of the signs of the topics; all there are, where these are fewer.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, alpha outside (0, 1), fewer samples than alpha needs.
    Source: Mogstad, Romano, Shaikh & Wilhelm (2024), "Inference for ranks"; Romano & Wolf (2005); Hsu (1984).

    >>> from gradeval import evaluate
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(9)}
    >>> good = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    >>> bad = {topic: {"a": 1.0, "b": 2.0 - (topic == "0") * 1.5} for topic in qrels}
    >>> sets = ranks(evaluate(qrels, [good, bad], "AP"))
    >>> print(sets.answer("AP"))
    AP: run is the best of 2 runs at alpha 0.05
    """
    require_enough(scores)
    require_samples(samples, alpha)
    matrices = pair_values(scores)
    unjudged = find_unjudged_runs(scores)
    unknown = np.isin(scores.runs, unjudged)
    tasks = [partial(_rank, values, unknown, alpha, samples, seed) for values in matrices]
    draws = sum(count_draws(len(values), samples) for values in matrices)
    found = run_in_parallel(tasks, threads, progress, 2 * draws)
    flipped, best, before = zip(*found, strict=True)
    means = np.array([means_of_columns(values) for values in matrices])
    losses = _find_losses(means, np.array([one.inside for one in best]))
    result = RankSets(
        mean=means,
        rank=np.array([1 + (one.differences.mean > 0).sum(0) for one in flipped]),
        lower=np.array([1 + one.sum(0) for one in before]),
        upper=np.array([len(one) - one.sum(1) for one in before]),
        may_be_best=np.array([one.inside for one in best]),
        p=np.array([one.p for one in best]),
        behind=np.array([one.behind for one in best]),
        from_best=np.array([np.stack([-one.upper, -one.lower], axis=-1) + 0.0 for one in best]),
        counted=np.array([len(values) for values in matrices]),
        measures=scores.measures,
        runs=scores.runs,
        topics=scores.topics,
        alpha=alpha,
        samples=samples,
        seed=seed,
        unjudged_losses=find_unjudged_losses(scores, *losses),
        missing_losses=find_missing_losses(scores, *losses, alpha, len(scores.runs) - 1),
        lacking=count_lacking(scores),
        unjudged=unjudged,
        unit=scores.unit,
    )
    skewed = [str(m) for m, one in zip(result.measures, flipped, strict=True) if skewness(one.values) > SKEWED]
    return replace(
        result,
        notes=[
            *(Note.answer(result.answer(measure)) for measure in result.measures),
            *about_unjudged_losses(result.measures, result.unjudged_losses),
            *about_missing_losses(scores, result.measures, result.missing_losses),
            Note.method(result.description),
            *map(Note.doubt, _about_skewed(skewed)),
        ],
    )


def _find_losses(means_by_measure: Array, may_be_best: Array) -> tuple[list[Array], list[Array]]:
    """By measure the runs behind the leader, each with it, and which of them cannot be the best.

    A run that may be the best counts where it would lead without what is doubtful.
    """
    behind, outside = [], []
    for means, inside in zip(means_by_measure, may_be_best, strict=True):
        places = np.flatnonzero(means < means.max())
        behind.append(np.stack([places, np.full(len(places), means.argmax())], axis=-1))
        outside.append(~inside[places])
    return behind, outside


def _about_skewed(skewed: Sequence[str]) -> Iterator[str]:
    """By which measures differences are so skewed that the intervals may hold less often."""
    if skewed:
        yield (
            f"{list_some(skewed)}: {ARE_SKEWED}; for equally good runs, the intervals of rank hold less often than "
            "they should (docs/inference/ranks.md)"
        )


def _rank(
    values: Array, unknown: Array, alpha: float, samples: int, seed: int, step: Step
) -> tuple[Flipped, BestRuns, Array]:
    """The draws of the signs of values[topic, run], the best runs, and who certainly stands before whom.

    Runs that are ``unknown`` may be the best, and stand certainly before and behind none.
    """
    flipped = flip_signs(values, samples, seed, step)
    best = find_best_runs(flipped, alpha)
    before = certainly_before(flipped, best, alpha) & ~unknown & ~unknown[:, None]
    p, behind = np.where(unknown, 1.0, best.p), np.where(unknown, 0.0, best.behind)
    return flipped, replace(best, p=p, inside=best.inside | unknown, behind=behind), before


def certainly_before(flipped: Flipped, best: BestRuns, alpha: float) -> Array:
    """bool[run, run]: does the first run certainly stand before the second?

    Step-down: pairs that are told apart are left out, and the others tested again with the critical value that these
    have alone. No run that may be the best is certainly behind another one.
    """
    t, topics = flipped.differences.t, flipped.differences.topics
    if not reaches(len(flipped.signs), alpha):
        return t > np.maximum(bonferroni_t(alpha, len(t) * (len(t) - 1) // 2, topics), best.critical)
    sizes, largest = flipped.differences.sizes[0], flipped.plain.max(0)
    before = np.zeros(t.shape, bool)
    while True:
        further = t > np.maximum(critical_value(largest, alpha, topics), best.critical)
        if not (further & ~before).any():
            return before
        before |= further
        sizes = np.where(before | before.T, np.inf, sizes)
        largest = largest_by_run(flipped.values, sizes, flipped.signs).max(0)
