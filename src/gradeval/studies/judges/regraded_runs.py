"""What follows for the runs from the grades of judges, by each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from gradeval.collection.joint_pool import JointPool, Regrading
from gradeval.formula.aggregation import draw
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.kernels.tied import seed_of
from gradeval.messages import list_some
from gradeval.progress import Progress
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import score
from gradeval.studies.correlation import Statistic
from gradeval.studies.judges.ceiling import Ceiling, average_ceiling, score_ceiling
from gradeval.studies.judges.conclusions import (
    SAMPLES,
    Conclusions,
    ConclusionShares,
    OrderAgreement,
    Rule,
    best_runs,
    compare_shares,
    correlate_halves,
    correlate_means,
    count_conclusions,
    ordered_means,
    pairs_among,
    resample_correlations,
    shares_of,
)
from gradeval.studies.judges.favoured import find_favoured
from gradeval.studies.judges.favours import (
    DrawnJudges,
    Favours,
    Shift,
    beside_humans,
    find_favours,
    measure_shift,
    shuffle_by_grade,
)
from gradeval.studies.judges.floors import FLOORS, RESAMPLES, add_interval, compare_with_floor, shuffle_within_topics
from gradeval.studies.judges.labels import OneGrade, Worth, compute_worth, count_by_topic, find_one_grade
from gradeval.studies.judges.sides import NOTHING, Side, compare_sides
from gradeval.studies.judges.verdicts import (
    DIFFERENCES,
    ORDER,
    JudgeAgreement,
    JudgeVerdict,
    Second,
    judge_differences,
    judge_order,
    judge_scores,
    unless_one_grade,
)
from gradeval.studies.requirements import TOPICS
from gradeval.studies.unequal_judging import with_as_often
from gradeval.tables.grid import Estimate


class _RunsOfJudge(NamedTuple):
    """What the runs are by the grades of a judge, and, a value a measure, how far it agrees with the humans."""

    judge: str
    side: Side
    orders: list[OrderAgreement]
    shares: list[ConclusionShares]
    agreements: list[JudgeAgreement]


@dataclass(frozen=True, eq=False)
class TopRuns:
    """What a judge's grades make of the best runs by the humans' means.

    Attributes
    ----------
    runs : which these are.
    tau : the correlation of their orders; None where a side ties them, or they are fewer than ``LEAST_TOP``.
    kept : the share of the humans' significant differences between them that the judge keeps; None likewise, or where
        there are none.
    significant : how many differences between them are significant by the humans.
    """

    runs: list[str]
    tau: Estimate | None
    kept: Estimate | None
    significant: int


@dataclass(frozen=True, eq=False)
class Consequences:
    """What a judge's grades make of the runs by one measure.

    Attributes
    ----------
    orders : how alike the orders of the runs are.
    top : the best runs by the humans.
    shift : how their means move; None where fewer than two topics count.
    runs, groups : whom the judge favours; None where fewer than two topics count, no judge was drawn, the humans gave
        one grade, or there are no groups.
    conclusions : which significant differences are kept.
    shares : these as shares, with the shares of judges that know nothing.
    ceiling : the pool ranked by the judge.
    worth : of the humans' grades; None for a measure that weighs no grades.
    one_grade : the grade of all common pairs by the humans; None where they gave several.
    order, differences, absolute_scores : the verdicts on the order of the runs, their significant differences, their
        means.
    """

    orders: OrderAgreement
    top: TopRuns
    shift: Shift | None
    runs: Favours | None
    groups: Favours | None
    conclusions: Conclusions
    shares: ConclusionShares
    ceiling: Ceiling
    worth: Worth | None
    one_grade: OneGrade | None
    order: JudgeVerdict
    differences: JudgeVerdict
    absolute_scores: JudgeVerdict


@dataclass(frozen=True, eq=False)
class Floors:
    """What judges reach that know nothing.

    Attributes
    ----------
    taus, resampled_taus : float64[floor, measure], float64[sample, floor, measure]
    constant : float64[measure]: the tau of a judge that gives all documents one grade.
    shares, resampled_shares : float64[floor, measure, share], float64[floor, measure, sample, share]
    """

    taus: Array
    resampled_taus: Array
    constant: Array
    shares: Array
    resampled_shares: Array


@dataclass(frozen=True, eq=False)
class RegradedRuns:
    """Runs by the grades of humans and of judges: what follows by each measure.

    Attributes
    ----------
    regrading : the runs, which have met the documents of all assessors.
    policies : how topics that are missing and empty count.
    groups : the places of the runs of each group.
    rule : when a difference between runs is significant.
    alpha : intervals cover 1 - alpha.
    samples, seed : of everything random.
    draws : judges that are drawn to see whom one favours; 0: that is left out.
    depth : the rank after which the runs are cut; None: they are whole.
    top_runs : the best runs by the humans that are compared by themselves, at most, and at most half of all.
    second : which of the judges is a second human assessor; None: none is.
    """

    pool: JointPool
    regrading: Regrading
    measures: list[Measure]
    policies: tuple[Missing, Empty]
    statistic: Statistic
    groups: dict[str, list[int]]
    rule: Rule
    alpha: float
    samples: int
    seed: int
    draws: int
    depth: int | None
    top_runs: int
    second: str | None
    progress: Progress | None

    @cached_property
    def human(self) -> Scores:
        """The scores by the humans."""
        return self._score(self.pool.human)

    def consequences(self) -> dict[str, list[Consequences]]:
        """By judge, what follows by each measure; judges on the same topics and pairs share their resamples."""
        alike: dict[tuple[tuple[int, ...], bytes], list[str]] = {}
        for judge in self.pool.judges:
            part = self._part(judge)
            pairs = b"" if part is None else np.packbits(part).tobytes()
            alike.setdefault((self._topics_of(judge), pairs), []).append(judge)
        results: dict[str, list[Consequences]] = {}
        for judges in alike.values():
            for judge, consequences in self._on_topics(judges, len(results)):
                results[judge] = consequences
        return {judge: results[judge] for judge in self.pool.judges}

    def _on_topics(self, judges: list[str], done: int) -> Iterator[tuple[str, list[Consequences]]]:
        """What follows by judges of the same topics and pairs; ``done``: judges before them."""
        human, topics = self._by_humans(judges[0]), self._names(judges[0])
        weights = draw(len(topics), self.samples, self.seed)
        truth = Side.of(human, weights[:SAMPLES], self.rule)
        scores = [self._by(judge, judge) for judge in judges]
        taus = correlate_means(self.statistic, truth.means, np.stack([ordered_means(one) for one in scores]))
        resampled = resample_correlations(self.statistic, human, scores, weights)
        floors: dict[bytes, Floors] = {}
        for place, judge in enumerate(judges):
            pooled = self._pool_of_floor(judge)
            key = np.packbits(pooled).tobytes()
            if key not in floors:
                floors[key] = self._floors(pooled, topics, truth, weights[:RESAMPLES])
            side = Side.of(scores[place], weights[:SAMPLES], self.rule)
            orders = [
                self._orders(taus[place, column], resampled[:, place, column], floors[key], column, len(topics))
                for column in range(len(self.measures))
            ]
            shares = self._shares(truth, side, floors[key])
            agreements = compare_sides(self.statistic, truth, side, self.top_runs, weights, resampled[:, place])
            of_judge = _RunsOfJudge(judge, side, orders, shares, agreements)
            yield judge, self._follow(of_judge, truth, weights, done + place)

    def sides(self, judge: str) -> tuple[Scores, Scores]:
        """The scores by the humans and by a judge, on the topics that both judged; on the pairs, too, where the judge
        judged a part of them. With values if unjudged ones were relevant as often, where a run is judged far less."""
        both = (self._grades(one, judge) for one in (self.pool.human, self.pool.judges[judge]))
        ours, theirs = (
            with_as_often(self._score(one), self.regrading.by(one)).sel(topics=self._names(judge)) for one in both
        )
        return ours, theirs

    def _topics_of(self, *judges: str) -> tuple[int, ...]:
        return self.pool.topics_of(*judges, negative=self.regrading.negative)

    def _names(self, *judges: str) -> list[str]:
        """The topics that the humans and these judges judged."""
        return [self.pool.topics[place] for place in self._topics_of(*judges)]

    def _part(self, *judges: str) -> Array | None:
        """bool[document]: see ``JointPool.common_part``."""
        return self.pool.common_part(*judges, negative=self.regrading.negative)

    def _grades(self, grades: Array, *judges: str) -> Array:
        """Grades[document], cut to the pairs that these judges judged where one of them judged a part."""
        part = self._part(*judges)
        return grades if part is None else np.where(part, grades, np.nan)

    def _by_humans(self, *judges: str) -> Scores:
        """The scores by the humans on what these judges judged."""
        whole = self._part(*judges) is None
        scores = self.human if whole else self._score(self._grades(self.pool.human, *judges))
        return scores.sel(topics=self._names(*judges))

    def _by(self, judge: str, *judges: str) -> Scores:
        """The scores by a judge on what these judges judged."""
        return self._score(self._grades(self.pool.judges[judge], *judges)).sel(topics=self._names(*judges))

    def _beside_second(self, judge: str) -> tuple[list[JudgeAgreement], list[Second]] | None:
        """By measure, how far a judge and the second assessor agree with the humans, on what all judged.

        None without such an assessor, for this one, and on fewer topics than are needed.
        """
        if self.second is None or judge == self.second:
            return None
        both = (judge, self.second)
        if (topics := len(self._topics_of(*both))) < TOPICS:
            return None
        weights = draw(topics, self.samples, self.seed)
        truth = Side.of(self._by_humans(*both), weights[:SAMPLES], self.rule)
        agreements = []
        for one in both:
            side = Side.of(self._by(one, *both), weights[:SAMPLES], self.rule)
            agreements.append(compare_sides(self.statistic, truth, side, self.top_runs, weights))
        part = self.pool.tell_common_part(judge, self.second, self.regrading.negative)
        return agreements[0], [Second(self.second, one, part) for one in agreements[1]]

    def _top(self, truth: Side, own: JudgeAgreement, place: int) -> TopRuns:
        """What a judge makes of the best runs by the measure at this place."""
        top, topics = best_runs(truth.scores, own.top_runs)[place], own.topics
        tau, kept = own.top_tau, own.top_kept
        return TopRuns(
            runs=[truth.scores.runs[run] for run in top],
            tau=add_interval(tau.value, tau.samples, topics, self.alpha),
            kept=add_interval(kept.value, kept.samples, topics, self.alpha, (0.0, 1.0)),
            significant=int(np.count_nonzero(truth.signs[place][pairs_among(len(truth.scores.runs), top)])),
        )

    def one_grade(self, judge: str) -> OneGrade | None:
        """The only grade of the humans for what a judge graded, too; None where they gave several."""
        return find_one_grade(count_by_topic(self.pool, judge, self.regrading.negative).sum(0), self.pool.levels)

    def _follow(self, of_judge: _RunsOfJudge, truth: Side, weights: Array, done: int) -> list[Consequences]:
        """What follows by one judge; ``done``: judges before it."""
        judge, side, orders, shares, agreements = of_judge
        counts = count_by_topic(self.pool, judge, self.regrading.negative)
        one_grade = self.one_grade(judge)
        ceilings = self._ceilings(judge, truth.scores, weights)
        favours = self._favours(judge, truth.scores, side.scores, done)
        shifts = [
            measure_shift(truth.scores, side.scores, place, self.alpha, weights) for place in range(len(self.measures))
        ]
        paired = self._beside_second(judge)
        own, second = (agreements, [None] * len(agreements)) if paired is None else paired
        alone = self.second in (None, judge) or paired is not None
        about = f"{self.second} judged too few of these topics"
        return [
            Consequences(
                orders=orders[place],
                top=self._top(truth, agreements[place], place),
                shift=shifts[place],
                runs=favours[place][0],
                groups=favours[place][1],
                conclusions=count_conclusions(truth.signs[place], side.signs[place]),
                shares=shares[place],
                ceiling=ceilings[place],
                worth=compute_worth(measure, counts, self.pool.levels, weights, self.alpha),
                one_grade=one_grade,
                order=unless_one_grade(
                    judge_order(own[place], orders[place].skill_estimate, self.alpha, second[place])
                    if alone
                    else JudgeVerdict(ORDER, lacking=about),
                    one_grade,
                ),
                differences=unless_one_grade(
                    judge_differences(own[place], shares[place].kept.skill, self.alpha, second[place])
                    if alone
                    else JudgeVerdict(DIFFERENCES, lacking=about),
                    one_grade,
                ),
                absolute_scores=unless_one_grade(
                    judge_scores(
                        shifts[place], self.alpha, len(truth.scores.runs), [*chain(*find_favoured(favours[place][0]))]
                    ),
                    one_grade,
                ),
            )
            for place, measure in enumerate(self.measures)
        ]

    def _score(self, grades: Array) -> Scores:
        missing, empty = self.policies
        return score(self.regrading.by(grades), self.measures, missing=missing, empty=empty)

    def _orders(self, tau: float, resampled: Array, floors: Floors, measure: int, topics: int) -> OrderAgreement:
        figure = compare_with_floor(
            float(tau),
            resampled,
            floors.taus[:, measure],
            floors.resampled_taus[:, :, measure],
            topics,
            self.alpha,
            within=(-1.0, 1.0),
        )
        constant = floors.constant[measure]
        return OrderAgreement(
            tau=figure.value,
            floor=figure.floor,
            constant=None if np.isnan(constant) else float(constant),
            skill_bounds=None if figure.skill is None else figure.skill.bounds,
        )

    def _shares(self, truth: Side, side: Side, floors: Floors) -> list[ConclusionShares]:
        """By measure, the shares of conclusions of a judge and of judges that know nothing."""
        return [
            compare_shares(
                shares_of(truth.signs[place], side.signs[place]),
                shares_of(truth.resampled[place], side.resampled[place]) if side.resampled else NOTHING,
                floors.shares[:, place],
                np.moveaxis(floors.resampled_shares[:, place], 0, 1),
                len(truth.scores.topics),
                self.alpha,
            )
            for place in range(len(self.measures))
        ]

    def _pool_of_floor(self, judge: str) -> Array:
        """bool[document]: those whose human grades are shuffled for the floor of a judge."""
        part = self._part(judge)
        return self.pool.of_topics(judge, negative=self.regrading.negative) if part is None else part

    def _floors(self, pooled: Array, topics: list[str], truth: Side, weights: Array) -> Floors:
        """What judges reach that know nothing, and one that gives all documents the highest grade."""
        grades = np.where(pooled, self.pool.human, np.nan)
        constant = np.where(pooled, self.pool.levels[-1], np.nan)
        blind = [*shuffle_within_topics(grades, self.pool.topic, FLOORS, self.seed), constant]
        scores = [self._score(one).sel(topics=topics) for one in blind]
        taus = correlate_means(self.statistic, truth.means, np.stack([ordered_means(one) for one in scores]))
        shares, resampled = [], []
        for one in scores[:-1]:
            side = Side.of(one, weights, self.rule)
            shares.append([shares_of(*signs) for signs in zip(truth.signs, side.signs, strict=True)])
            pairs = zip(truth.resampled, side.resampled, strict=True)
            again = [shares_of(human[: len(weights)], judge) for human, judge in pairs]
            resampled.append(again or [NOTHING] * len(self.measures))
        return Floors(
            taus=taus[:-1],
            resampled_taus=resample_correlations(self.statistic, truth.scores, scores[:-1], weights),
            constant=taus[-1],
            shares=np.array(shares),
            resampled_shares=np.array(resampled),
        )

    def _favours(
        self, judge: str, human: Scores, scores: Scores, done: int
    ) -> list[tuple[Favours | None, Favours | None]]:
        """By measure, the runs and the groups of runs that a judge favours; ``done``: judges before it.

        The humans are tested, too, where some run gains or loses beyond chance.
        """
        steps = 2 * self.draws + 1
        tests: list[tuple[Favours | None, Favours | None]] = [(None, None)] * len(self.measures)
        if self.draws and self.one_grade(judge) is None:
            common = self.pool.common(judge, self.regrading.negative)
            ours, theirs = (self._grades(one, judge) for one in (self.pool.human, self.pool.judges[judge]))
            tests = self._test_gains(np.where(common, ours, np.nan), theirs, human, scores, done * steps)
            if any(one is not None and one.beyond_chance.any() for pair in tests for one in pair):
                swapped = self._test_gains(
                    np.where(common, theirs, np.nan), ours, scores, human, done * steps + self.draws
                )
                tests = [
                    (beside_humans(runs, by_humans), beside_humans(groups, of_groups))
                    for (runs, groups), (by_humans, of_groups) in zip(tests, swapped, strict=True)
                ]
        self._report((done + 1) * steps)
        return tests

    def _test_gains(
        self, given: Array, grades: Array, by_given: Scores, scores: Scores, done: int
    ) -> list[tuple[Favours | None, Favours | None]]:
        """By measure, the gains of runs and groups by grades[document] beyond what their errors explain, as counted
        from the given grades; ``done``: steps before it."""
        drawn = DrawnJudges.of(by_given, scores)
        shuffled = shuffle_by_grade(given, grades, self.pool.topic, np.random.default_rng(self.seed))
        for number in range(self.draws):
            drawn.add(self._score(next(shuffled)).sel(topics=scores.topics))
            self._report(done + number + 1)
        return find_favours(scores, drawn, self.groups, self.alpha)

    def _report(self, done: int) -> None:
        """Tell the progress."""
        if callable(self.progress):
            self.progress(done, len(self.pool.judges) * (2 * self.draws + 1))

    def _ceilings(self, judge: str, human: Scores, weights: Array) -> list[Ceiling]:
        """By measure, the pool ranked by a judge and scored by the humans."""
        common = self.pool.common(judge, self.regrading.negative)
        places = [self.pool.qrels.place_of_topic[topic] for topic in human.topics]
        number = np.full(len(self.pool.topics), -1)
        number[places] = np.arange(len(places))
        expected = score_ceiling(
            self.measures,
            self.pool.human[common],
            self.pool.judges[judge][common],
            number[self.pool.topic[common]],
            self.regrading.by(self._grades(self.pool.human, judge)).pool[places],
            self.pool.levels,
            np.array([seed_of(topic, self.seed) for topic in human.topics], np.int64),
            self.depth,
        )
        return average_ceiling(expected, human, weights, self.alpha)

    def halves(self) -> dict[Measure, float]:
        """By measure, how alike the humans order the runs by two halves of the topics; none where all are tied."""
        values = correlate_halves(self.statistic, self.human, self.seed).tolist()
        return {one: value for one, value in zip(self.measures, values, strict=True) if not np.isnan(value)}

    def about_undefined(self, consequences: Mapping[str, Sequence[Consequences]]) -> Iterator[str]:
        """Judges by whose grades all runs are equal, so that there is no order to compare."""
        for judge, results in consequences.items():
            names = [str(one) for one, result in zip(self.measures, results, strict=True) if result.orders.tau is None]
            if names:
                yield f"{judge}: all runs have the same mean by {list_some(names)}: there is no tau and no skill (-)"
