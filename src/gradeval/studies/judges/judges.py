"""Compare grades of language models with those of humans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import Annotated, Any, Literal

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, OneOf, Seed, Threads, Whole, nearest
from gradeval.collection.joint_pool import JointPool, Regrading, join_pools
from gradeval.collection.meeting import Ties, meet
from gradeval.collection.qrels import Negative
from gradeval.files.accepted import Judgments, RankedRuns, as_qrels, as_runs
from gradeval.files.source import read_bytes
from gradeval.formula.aggregation import draw, interval
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.kernels.tied import seed_of
from gradeval.progress import Progress
from gradeval.scores.evaluation import choose_input, require_common_topic
from gradeval.scores.notes import Note, about_coverage, list_some, plural
from gradeval.scores.presets import PresetName, configure_measures
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import score
from gradeval.scores.selection import RunChoice, TopicChoice
from gradeval.studies.compare import TEST_NAMES, Comparison, compare
from gradeval.studies.correlation import Statistic
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.judges.labels import Labels, compare_labels, compute_worth, count_confusion
from gradeval.studies.judges.orders import (
    FLOORS,
    Ceiling,
    Consequences,
    OrderAgreement,
    around,
    compare_conclusions,
    correlate_means,
    measure_shift,
    ordered_means,
    resample_correlations,
    score_ceiling,
    shuffle_within_topics,
)
from gradeval.studies.paired_tests import Correction
from gradeval.studies.requirements import TOPICS, require_runs
from gradeval.studies.study import Data, InFile, Measures, study
from gradeval.tables.grid import Estimate
from gradeval.warning_categories import CoverageWarning

DEFAULT = "GAP AP nDCG@10"
"""The measures by which judges are compared by default."""
ENOUGH = 20
"""Topics from which on bootstrap intervals are hardly too narrow."""


@dataclass(frozen=True)
class Groups(InFile):
    """The group of each run: ``{run: group}``, or a file of lines of a run and its group."""

    def check(self, name: str, value: Any) -> dict[str, str]:
        """The group of each run."""
        if isinstance(value, str | PathLike):
            return read_groups(fspath(value))
        _require_mapping(name, value, "{run: group}, as in {'bm25': 'lexical'}")
        return {str(run): str(group) for run, group in value.items()}


@study(
    measures=DEFAULT,
    examples="""
      gradeval judges qrels.txt --judge judges/lenient.txt
      gradeval judges qrels.txt runs/* --judge judges/lenient.txt -m "GAP AP nDCG@10"
      gradeval judges qrels.txt runs/* --judge judges/lenient.txt --judge none=judges/blind.txt --plot skill.svg
      gradeval judges qrels.txt runs/* --judge 'judges/*.txt' --levels 0,1,2,3 -o judges.tsv
      gradeval judges human.txt runs/* --judge exam=exam.txt --recode 4=3,5=3 --groups families.txt
      gradeval judges first-assessor.txt runs/* --judge second-assessor.txt""",
    digits=3,
)
def judges(
    human: Annotated[Judgments, Data("HUMAN.qrels", "judgments")],
    others: Annotated[Mapping[str, Judgments], Data("[NAME=]MODEL.qrels", "judges")],
    ranked: Annotated[RankedRuns | None, Data("RUNS", "runs")] = None,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: PresetName | None = None,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = 1000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress | None = None,
    statistic: Literal["kendall", "tau-ap"] = "kendall",
    groups: Annotated[Mapping[str, str], Groups()] | None = None,
    levels: Sequence[float] | None = None,
    test: Annotated[str, OneOf(TEST_NAMES)] = "t",
    correction: Correction = "none",
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    depth: Annotated[int, Whole(1)] | None = None,
) -> JudgeComparison:
    """Compare the grades of judges, such as language models, or of other assessors, with those of humans.

    Without runs: how alike the labels are. With runs: how alike both order them, beside the tau that a judge reaches
    who knows nothing (the humans' grades shuffled within each topic: the floor), and skill = (tau - floor) /
    (1 - floor); by how much the judge raises the means, and of which runs; which significant differences it keeps; and
    which runs are better than the pool ranked by the judge. The levels are those of both sides. ``explain("kappa")``
    (or alpha, tau, floor, skill, shift, kept, ceiling, worth) says where each comes from.

    Documents that one side alone judged are counted; nothing is assumed of them.

    Parameters
    ----------
    statistic : how orders of runs are correlated; the humans' order is the truth of tau-ap.
    groups : the group of each run, or a file of lines of a run and its group: does the judge favour one? (paired test)
    levels : the grades that both sides may give; default: those of the humans, which must then be those of the judges.
    test, correction : of the differences between runs; the correction is for the number of pairs of runs, measure by
        measure.
    alpha : level of the significant differences; intervals cover the rest.
    samples : bootstrap samples of the topics, and those of the test.
    ties, negative, depth : see ``judge``.

    Raises
    ------
    InputError : no judge; a judge on another scale, or without any pair in common with the humans; one run only, fewer
        than 3 topics, an unknown run among the groups; a number outside its range.

    >>> human = {"301": {"a": 2, "b": 0, "c": 1}, "302": {"d": 1, "e": 0, "f": 2}}
    >>> model = {"301": {"a": 2, "b": 1, "c": 1}, "302": {"d": 1, "e": 0, "f": 1}}
    >>> judges(human, {"model": model}).labels["model"].confusion.tolist()
    [[1, 1, 0], [0, 2, 0], [0, 1, 1]]
    """
    if not others:
        raise InputError("no judge to compare: give {name: judgments}")
    _require_mapping("judges", others, "{name: judgments}")
    how: dict[str, Any] = {"missing": missing, "empty": empty, "ties": ties, "negative": negative, "threads": threads}
    parsed, notes = configure_measures(preset, DEFAULT if measures is None else measures, how)
    opened = [] if ranked is None else as_runs(ranked)
    choice = None if ranked is None else runs
    truth, opened, more = choose_input(
        as_qrels(human), opened, topics, choice, preset, measures=parsed, depth=depth, **how
    )
    read = {str(name): as_qrels(judgments) for name, judgments in others.items()}
    if topics is not None:
        read = {name: one.select([each for each in one.topics if each in truth.topics]) for name, one in read.items()}
    pool = join_pools(truth, read, levels)
    labels = {judge: _compare_labels(pool, judge, negative, samples, seed, alpha) for judge in read}
    made, consequences = None, {}
    if ranked is not None:
        require_runs(len(opened))
        met = meet(pool.qrels, opened, ties=ties, threads=threads)
        met = met if depth is None else met.top(depth)
        made = Study(
            pool=pool,
            regrading=Regrading(met, pool.levels, negative),
            measures=parsed,
            policies=(missing, empty),
            statistic=statistic,
            groups=_places_of(groups, met.runs),
            test=test,
            correction=correction,
            alpha=alpha,
            threads=threads,
            samples=samples,
            seed=seed,
            depth=depth,
            progress=progress,
        )
        require_common_topic(truth, made.human.present, [one for extra in met.unjudged_topics for one in extra])
        consequences = made.consequences()
    found = JudgeComparison(
        human=truth.name,
        judges=list(read),
        levels=pool.levels,
        labels=labels,
        runs=[] if made is None else made.regrading.judged.runs,
        measures=[] if made is None else made.measures,
        consequences=consequences,
        topics={judge: one.topics for judge, one in labels.items()},
        statistic=None if made is None else statistic,
        test=None if made is None else test,
        correction=None if made is None else correction,
        alpha=alpha,
        samples=samples,
        seed=seed,
    )
    without_use = {"runs": runs, "measures": measures, "groups": groups, "depth": depth} if made is None else {}
    smaller = list(_about_smaller_pools(pool, negative, made is not None))
    said = [
        *(f"{name} does nothing here and is ignored, as there are no runs" for name, one in without_use.items() if one),
        *([] if made is None else about_coverage(made.human)),
        *_about_pool(pool, negative),
        *(text for many, text in smaller if not many),
        *([] if made is None else made.about_undefined(consequences)),
        *_about_few_topics(labels),
        found.description,
        *found.answers,
    ]
    warned = [Note(text, CoverageWarning) for many, text in smaller if many]
    return replace(found, notes=[*notes, *more, *warned, *map(Note, said)])


def read_groups(place: str) -> dict[str, str]:
    """The group of each run, from lines of a run and its group; # begins a comment."""
    try:
        lines = bytes(read_bytes(place)).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; accepted: lines of a run and its group") from None
    groups: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        run, _, group = line.strip().replace("\t", " ").partition(" ")
        group = group.strip()
        if not run or run.startswith("#"):
            continue
        if not group:
            raise InputError(
                f"{place}:{number}: {run!r} has no group; accepted: a run and its group, as in bm25 lexical"
            )
        if groups.setdefault(run, group) != group:
            raise InputError(f"{place}:{number}: {run!r} is in {groups[run]!r} already; a run has one group")
    if not groups:
        raise InputError(f"{place}: names no run; accepted: lines of a run and its group, as in bm25 lexical")
    return groups


def _compare_labels(pool: JointPool, judge: str, negative: Negative, samples: int, seed: int, alpha: float) -> Labels:
    common, grades = pool.common(judge, negative), pool.judges[judge]
    counts = count_confusion(pool.human[common], grades[common], pool.topic[common], len(pool.topics), pool.levels)
    counts = counts[counts.any((-1, -2))]  # the topics that both judged
    weights = draw(len(counts), samples, seed)
    here, there = ~np.isnan(grades), ~np.isnan(pool.human)
    return compare_labels(counts, pool.levels, weights, int((there & ~here).sum()), int((here & ~there).sum()), alpha)


def _require_mapping(name: str, value: object, accepted: str) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} are {accepted}, not a {type(value).__name__}")


def _places_of(groups: Mapping[str, str] | None, runs: Sequence[str]) -> dict[str, list[int]]:
    """The places of the runs of each group."""
    _require_mapping("groups", groups or {}, "{run: group}, as in {'bm25': 'lexical'}")
    places: dict[str, list[int]] = {}
    for run, group in (groups or {}).items():
        if run not in runs:
            raise InputError(f"groups: no run {run!r}{nearest(run, runs)}; the runs are {list_some(runs)}")
        places.setdefault(str(group), []).append(runs.index(run))
    for group, members in places.items():
        if len(members) == len(runs):
            raise InputError(f"groups: {group!r} holds all {len(runs)} runs; leave some out, or name a second group")
    return places


def _about_pool(pool: JointPool, negative: Negative) -> Iterator[str]:
    """What the humans and each judge do not have in common, in sentences."""
    there = ~np.isnan(pool.human)
    for judge, grades in pool.judges.items():
        common = pool.common(judge, negative)
        lacking = np.setdiff1d(pool.topic[there], pool.topic[common])
        if strangers := pool.strangers[judge]:
            number = plural(len(strangers), "topic")
            yield f"{judge}: {number} without human judgments ({list_some(strangers)}) left out"
        if lacking.size:
            names = [pool.topics[place] for place in lacking.tolist()]
            number = plural(len(names), "topic")
            yield f"{judge}: judged nothing in {number} of the humans ({list_some(names)}), left out"
        extra = int((~np.isnan(grades) & ~there).sum())
        if extra:
            yield f"{judge}: {plural(extra, 'document')} that no human judged: no label to compare, but in its own pool"
        given = set(np.maximum(grades[common], 0.0).tolist())
        unused = [level for level in pool.levels if level not in given and (pool.human[common] == level).any()]
        if unused:
            yield f"{judge}: never gives the grade {' or '.join(f'{level:g}' for level in unused)}"


def _about_few_topics(labels: Mapping[str, Labels]) -> Iterator[str]:
    few = [f"{judge} {one.topics}" for judge, one in labels.items() if one.topics < ENOUGH]
    if few:
        yield (
            f"fewer than {ENOUGH} topics ({list_some(few)}): intervals are too narrow, as bootstrap percentiles over "
            "few topics are"
        )


def _about_smaller_pools(pool: JointPool, negative: Negative, measured: bool) -> Iterator[tuple[bool, str]]:
    """By judge that lacks documents of the humans: does it lack many, and how many, in a sentence."""
    there = ~np.isnan(pool.human)
    consequence = "labels are compared on the common ones" + (", its measures see a smaller pool" * measured)
    for judge in pool.judges:
        common = int((there & pool.common(judge, negative)).sum())
        lacks = int(there.sum()) - common
        if lacks:
            share = f"{lacks:,} of {int(there.sum()):,} documents that humans judged ({lacks / int(there.sum()):.1%})"
            yield common < NEARLY_ALL * int(there.sum()), f"{judge}: lacks {share}; {consequence}"


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
    progress: Progress | None

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
        weights = draw(len(topics), self.samples, self.seed)
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
        return compare.silently(
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
        return OrderAgreement(
            tau=around(float(tau), resampled, self.alpha),
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
        bounds = interval(samples, self.alpha).tolist()
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
