"""Runs by the grades of humans and of judges: what follows for their order, their means and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradeval._core import InputError
from gradeval.collection.joint_pool import JointPool
from gradeval.collection.regraded import Regrading
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.progress import ShowProgress
from gradeval.scores.notes import list_some, plural
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import score
from gradeval.studies.agreement.correlation import Statistic
from gradeval.studies.judges.ceiling import Ceiling, score_ceiling
from gradeval.studies.judges.consequences import Consequences, compare_conclusions
from gradeval.studies.judges.labels import count_confusion
from gradeval.studies.judges.orders import (
    FLOORS,
    OrderAgreement,
    around,
    correlate_means,
    ordered_means,
    resample_correlations,
    shuffle_within_topics,
)
from gradeval.studies.judges.shift import measure_shift
from gradeval.studies.judges.worth import compute_worth
from gradeval.studies.requirements import TOPICS
from gradeval.studies.significance.bootstrap import resample_topics
from gradeval.studies.significance.comparison import Comparison
from gradeval.studies.significance.corrections import Correction
from gradeval.studies.significance.significance import compare
from gradeval.tables.grid import Estimate
from gradeval.tied.rankings import seed_of

NEARLY_ALL = 0.95
"""Share of the humans' pairs from which on a judge has the floor of the whole pool, else one of its own pairs."""


@dataclass(frozen=True, eq=False)
class Study:
    """Runs by the grades of humans and of judges: what follows by each measure.

    Attributes
    ----------
    regrading : the runs, which have met the documents of all assessors.
    policies : how topics that are missing and empty count.
    groups : the places of the runs of each group.
    test, correction, alpha, threads : of the significant differences between runs.
    samples, seed : of everything random.
    depth : the rank after which the runs are cut; None: they are whole.
    """

    pool: JointPool
    regrading: Regrading
    measures: list[Measure]
    policies: tuple[Missing, Empty]
    statistic: Statistic
    groups: dict[str, list[int]]
    test: str
    correction: Correction | None
    alpha: float
    threads: int
    samples: int
    seed: int
    depth: int | None
    progress: ShowProgress

    @cached_property
    def human(self) -> Scores:
        """The scores by the humans."""
        return self._score(self.pool.human)

    def consequences(self) -> dict[str, list[Consequences]]:
        """By judge, what follows by each measure; judges on the same topics share their resamples."""
        human = self.human
        by_topics: dict[tuple[int, ...], list[str]] = {}
        for judge in self.pool.judges:
            common = np.unique(self.pool.topic[self.pool.common(judge, self.regrading.negative)])
            by_topics.setdefault(tuple(common.tolist()), []).append(judge)
        results: dict[str, list[Consequences]] = {}
        for places, judges in by_topics.items():
            names = [self.pool.topics[place] for place in places]
            if len(names) < TOPICS:
                raise InputError(
                    f"{list_some(judges)}: only {plural(len(names), 'topic')} judged by humans and judge; conclusions "
                    f"about runs need at least {TOPICS}"
                )
            for judge, consequences in self._on_topics(names, judges, human.sel(topics=names)):
                results[judge] = consequences
                if callable(self.progress):
                    self.progress(len(results), len(self.pool.judges))
        return {judge: results[judge] for judge in self.pool.judges}

    def _on_topics(
        self, topics: list[str], judges: list[str], human: Scores
    ) -> Iterator[tuple[str, list[Consequences]]]:
        """What follows by the judges that judged these topics."""
        weights = resample_topics(len(topics), self.samples, self.seed)
        scores = [self._score(self.pool.judges[judge]).sel(topics=topics) for judge in judges]
        means = np.stack([ordered_means(one) for one in scores])
        taus = correlate_means(self.statistic, ordered_means(human), means)
        resampled = resample_correlations(self.statistic, human, scores, weights)
        conclusions = self._compare(human)
        floors: dict[bytes, tuple[Array, Array]] = {}
        for place, judge in enumerate(judges):
            pooled = self._pool_of_floor(judge, topics)
            key = np.packbits(pooled).tobytes()
            if key not in floors:
                floors[key] = self._floors(pooled, topics, human)
            blind, constant = floors[key]
            orders = [
                self._orders(taus[place, column], resampled[:, place, column], blind[:, column], constant[column])
                for column in range(len(self.measures))
            ]
            yield judge, self._follow(judge, topics, human, scores[place], orders, conclusions, weights)

    def _follow(
        self,
        judge: str,
        topics: list[str],
        human: Scores,
        scores: Scores,
        orders: list[OrderAgreement],
        conclusions: Comparison,
        weights: Array,
    ) -> list[Consequences]:
        """What follows by one judge."""
        common = self.pool.common(judge, self.regrading.negative)
        grades = (self.pool.human[common], self.pool.judges[judge][common])
        confusion = count_confusion(*grades, self.pool.topic[common], len(self.pool.topics), self.pool.levels).sum(0)
        ceilings = self._ceilings(judge, topics, human, weights)
        other = self._compare(scores)
        return [
            Consequences(
                orders=orders[place],
                shift=measure_shift(human, scores, place, self.groups, self.alpha),
                conclusions=compare_conclusions(conclusions, other, place),
                ceiling=ceilings[place],
                worth=compute_worth(measure, confusion, self.pool.levels),
            )
            for place, measure in enumerate(self.measures)
        ]

    def _score(self, grades: Array) -> Scores:
        missing, empty = self.policies
        return score(self.regrading.by(grades), self.measures, missing=missing, empty=empty)

    def _compare(self, scores: Scores) -> Comparison:
        return compare(
            scores,
            test=self.test,
            correction=self.correction,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
            threads=self.threads,
        )

    def _orders(self, tau: float, resampled: Array, floors: Array, constant: Array) -> OrderAgreement:
        known = floors[~np.isnan(floors)].tolist()
        floor = Estimate(float(np.mean(known)), bounds=(min(known), max(known))) if known else None
        level = 1 - self.alpha
        return OrderAgreement(
            tau=around(float(tau), resampled, level),
            floor=floor,
            constant=None if np.isnan(constant) else float(constant),
        )

    def _pool_of_floor(self, judge: str, topics: list[str]) -> Array:
        """bool[document]: those whose human grades are shuffled for the floor of a judge."""
        pooled = ~np.isnan(self.pool.human)
        pooled &= np.isin(self.pool.topic, [self.pool.qrels.place_of_topic[topic] for topic in topics])
        common = self.pool.common(judge, self.regrading.negative)
        return pooled if common.sum() >= NEARLY_ALL * pooled.sum() else common

    def _floors(self, pooled: Array, topics: list[str], human: Scores) -> tuple[Array, Array]:
        """float64[time, measure] and float64[measure]: the taus of judges that know nothing, and of a constant one."""
        grades = np.where(pooled, self.pool.human, np.nan)
        constant = np.where(pooled, self.pool.levels[-1], np.nan)
        blind = [*shuffle_within_topics(grades, self.pool.topic, FLOORS, self.seed), constant]
        means = np.stack([ordered_means(self._score(one).sel(topics=topics)) for one in blind])
        taus = correlate_means(self.statistic, ordered_means(human), means)
        return taus[:-1], taus[-1]

    def _ceilings(self, judge: str, topics: list[str], human: Scores, weights: Array) -> list[Ceiling]:
        """By measure, the pool ranked by a judge and scored by the humans."""
        common = self.pool.common(judge, self.regrading.negative)
        places = [self.pool.qrels.place_of_topic[topic] for topic in topics]
        number = np.full(len(self.pool.topics), -1)
        number[places] = np.arange(len(places))
        counts = self.regrading.by(self.pool.human).pool[places]
        expected = score_ceiling(
            self.measures,
            self.pool.human[common],
            self.pool.judges[judge][common],
            number[self.pool.topic[common]],
            counts,
            self.pool.levels,
            np.array([seed_of(topic, self.seed) for topic in topics], np.int64),
            self.depth,
        )
        errors = np.sqrt(np.square(expected.errors).sum(-1)) / len(topics)
        pooled = _as_run(expected.values, human)
        means, samples = pooled.mean()[0], pooled.aggregate(weights)[:, 0]
        tails = [self.alpha / 2, 1 - self.alpha / 2]
        bounds = np.quantile(samples, tails, axis=0).T.tolist()
        ceilings, reached = [], human.mean()
        for place, (mean, (low, high), error) in enumerate(zip(means.tolist(), bounds, errors.tolist(), strict=True)):
            best = np.argsort(-reached[:, place], kind="stable").tolist()
            above = [human.runs[run] for run in best if reached[run, place] > mean]
            ceilings.append(Ceiling(Estimate(mean, bounds=(low, high)), error, above))
        return ceilings

    def about_undefined(self, consequences: Mapping[str, Sequence[Consequences]]) -> Iterator[str]:
        """Judges by whose grades all runs are equal, so that there is no order to compare."""
        for judge, results in consequences.items():
            names = [str(one) for one, found in zip(self.measures, results, strict=True) if found.orders.tau is None]
            if names:
                yield f"{judge}: all runs have the same mean by {list_some(names)}: there is no tau and no skill (-)"


def _as_run(values: Array, human: Scores) -> Scores:
    """values[measure, topic] as the scores of one run, on the topics of others."""
    return Scores(
        values=values.T[None],
        present=np.ones((1, len(human.topics)), bool),
        vacant=human.vacant,
        runs=["pool"],
        topics=human.topics,
        measures=human.measures,
        missing=human.missing,
        empty=human.empty,
    )
