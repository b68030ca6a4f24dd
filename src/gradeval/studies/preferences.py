"""Which of two runs do users prefer? Pairs compared without a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Number, Seed, Threads, Whole
from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import show_levels
from gradeval.messages import plain
from gradeval.progress import Progress
from gradeval.scores.scores import find_places
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import require_enough
from gradeval.studies.significance import (
    CORRECTIONS,
    MEANS_AT_ONCE,
    TESTS,
    Correction,
    all_pairs,
    correction_clause,
    differences_of,
    out_of_reach,
    pair_values,
    samples_to_reach,
)
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Column, Grid, places_of_best
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, SignificanceWarning

PreferenceRule: TypeAlias = Literal["rpp", "lexiprecision", "lexirecall"]

TEST = "permutation"
SAMPLES = 10_000
"""Draws of the signs, unless the smallest p value needs more."""
NEVER = 1e18
"""The rank of a document that is not retrieved: behind all others."""
RULES: dict[PreferenceRule, str] = {
    "rpp": "the mean over all users",
    "lexiprecision": "for each threshold the user who wants fewest documents, among users who see a difference",
    "lexirecall": "for each threshold the user who wants most documents, among users who see a difference",
}
"""Whose preference counts."""


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Result):
    """Which run of each pair is preferred, and which pairs are told apart, with the same by measures.

    Attributes
    ----------
    values : float64[way, pair]: the mean over topics of the preference for the first run, from -1 (always the second)
        to 1, then the difference of the means by each measure.
    p, corrected : float64[way, pair]: p values of the two-sided test, and after the correction for the pairs.
    wins, ties, losses : int64[way, pair]: topics on which the first run is preferred, none is, the second is.
    by_threshold : float64[threshold, pair]: the preferences of the users of one threshold alone, over the topics that
        have documents for them.
    counted : int64[way]: topics that were counted.
    means : float64[run, measure]: the means of the runs.
    pairs : intp[pair, 2]: places of the two runs.
    thresholds : the lowest grades that users take for relevant.
    rule, correction, alpha, samples, seed : as for ``preferences``.
    measures, runs, topics : names.
    """

    values: Array
    p: Array
    corrected: Array
    wins: Array
    ties: Array
    losses: Array
    by_threshold: Array
    counted: Array
    means: Array
    pairs: Array
    thresholds: list[float]
    rule: PreferenceRule
    correction: Correction
    alpha: float
    samples: int
    seed: int
    measures: list[Measure]
    runs: list[str]
    topics: list[str]

    @property
    def ways(self) -> list[str]:
        """What pairs of runs are told apart by: the rule, then the measures."""
        return [self.rule, *map(str, self.measures)]

    @property
    def significant(self) -> Array:
        """bool[way, pair]: is the corrected p value below alpha?"""
        return self.corrected < self.alpha

    @property
    def preferred(self) -> Array:
        """float64[run]: the mean preference for each run over all others."""
        mean = np.zeros((2, len(self.runs)))
        for side, sign in ((0, 1.0), (1, -1.0)):
            np.add.at(mean[side], self.pairs[:, side], sign * self.values[0])
        return np.asarray(mean.sum(0) / (len(self.runs) - 1))

    def of(self, run: str, other: str) -> float:
        """The mean preference for a run over another one."""
        first, second = (find_places(name, self.runs, "run")[0] for name in (run, other))
        if first == second:
            raise InputError(f"preferences: {run!r} is compared with other runs; name two")
        pair = (self.pairs == sorted((first, second))).all(-1)
        return float(self.values[0, pair][0]) * (1 if first < second else -1)

    def table(self, digits: int = 4) -> Table:
        """The runs, the most preferred first; then how many pairs are told apart, by the rule and by each measure."""
        return Table([self._runs(digits), self._told_apart()], self._records())

    def _runs(self, digits: int) -> Grid:
        order = np.argsort(-self.preferred, kind="stable").tolist()
        sign = np.where(self.significant[0], np.sign(self.values[0]), 0)
        first, second = self.pairs.T
        beats, loses = np.zeros((2, len(self.runs)), int)
        for ahead, behind, here in ((first, second, sign > 0), (second, first, sign < 0)):
            np.add.at(beats, ahead[here], 1)
            np.add.at(loses, behind[here], 1)
        preferred = [f"{value:+.{digits}f}" for value in self.preferred[order].tolist()]
        texts = [[f"{value:.{digits}f}" for value in means] for means in self.means[order].T.tolist()]
        best = {(row, 1) for row in places_of_best(preferred, preferred[0])}
        for place, (column, means) in enumerate(zip(texts, self.means.T, strict=True)):
            best |= {(row, 3 + place) for row in places_of_best(column, f"{means.max():.{digits}f}")}
        return Grid.of_columns(
            (Column("run", "name"), [self.runs[run] for run in order]),
            (Column("preferred", spec=f"+.{digits}f"), self.preferred[order]),
            (Column("beats/loses to", "text"), [f"{beats[run]}/{loses[run]}" for run in order]),
            *zip([Column(str(one), spec=f".{digits}f") for one in self.measures], self.means[order].T, strict=True),
            title=f"runs by {self.rule}",
            best=frozenset(best),
        )

    def _told_apart(self) -> Grid:
        apart = self.significant.sum(-1)
        every = len(self.pairs)
        return Grid.of_columns(
            (Column("rule or measure", "name"), self.ways),
            (Column("pairs told apart", "text"), [f"{number} of {every}" for number in apart]),
            (Column("share", spec=".1%"), apart / every),
            (Column("topics tied", spec=".1%"), self.ties.sum(-1) / (self.counted * every)),
            title="pairs of runs told apart",
            best=frozenset((row, 1) for row in places_of_best([str(one) for one in apart], str(apart.max()))),
        )

    def _records(self) -> Records:
        """All pairs by the rule and by each measure, then by the rule for the users of one threshold."""
        names = [(self.runs[one], self.runs[two]) for one, two in self.pairs]
        whole = Records.over(
            {"measure": self.ways, "run other": names},
            statistic="difference",
            value=self.values,
            p=self.p,
            corrected=self.corrected,
            significant=self.significant,
            wins=self.wins,
            ties=self.ties,
            losses=self.losses,
            topics=self.counted[:, None],
            test=TEST,
            correction=self.correction,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
        )
        single = Records.over(
            {"threshold": self.thresholds, "run other": names},
            measure=self.rule,
            statistic="difference",
            value=self.by_threshold,
        )
        return whole.then(single)

    @property
    def description(self) -> str:
        """Whose preferences they are and how pairs were tested, in a sentence."""
        grades = ", ".join(f"{one:g}" for one in self.thresholds)
        return (
            f"{self.rule}: {RULES[self.rule]}; thresholds of users: {grades}; preferred is +1 if all users prefer the "
            f"run to all others; told apart at {self.alpha:g} by a {TEST} test, {self.samples} samples, seed "
            f"{self.seed}{correction_clause(self.correction, len(self.pairs))}"
        )


@study(
    measures="AP nDCG@10 GAP",
    examples="""
      gradeval preferences qrels.txt runs/*
      gradeval preferences qrels.txt runs/* --rule lexirecall -m "AP nDCG@10 RR"
      gradeval preferences qrels.txt runs/* --rel 2 --plot preferences.svg -o preferences.tsv""",
)
def preferences(
    data: Judged,
    /,
    *,
    rule: PreferenceRule = "rpp",
    rel: Annotated[float | None, Number(above=0, kind="a grade above 0")] = None,
    correction: Correction = "holm",
    alpha: Alpha = 0.05,
    samples: Annotated[int | None, Whole(2, 10_000_000)] = None,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
) -> Preferences:
    """Compare the places at which two runs have the documents of each user; count the pairs that are told apart.

    A user (k, i) wants i documents of grade k or better, and prefers the run that has the i-th of them at the smaller
    rank: pref(k, i) = sign(rank in the second run - rank in the first). A document that is not retrieved stands behind
    all others. With RB(k) documents of grade k or better in the pool, a topic prefers the first run by

    rpp: sum_k sum_{i <= RB(k)} pref(k, i) / sum_k RB(k), the mean over all users;
    lexiprecision: the mean over the thresholds k of pref(k, i) for the smallest i where it is not 0;
    lexirecall: the mean over the thresholds k of pref(k, i) for the largest i where it is not 0.

    Users have thresholds as in GAP. Values of runs play no part, so that two runs with equal values, even the best, are
    still compared. Nothing says how much better a run is. The same test of the means over topics tells pairs apart by
    the rule and by each measure: all signs of the topics' differences, or random ones, as ``compare`` does with
    "permutation".

    Parameters
    ----------
    rule : whose preference counts: all users', or one user's. All users' (rpp); or, among users who see a difference,
        the user who wants fewest or most documents.
    rel : only users to whom documents of this grade or better are relevant. Default: users of every grade above 0 in
        the collection.
    correction : the correction of p values for the number of pairs. It is made by the rule and by each measure.
    alpha : level below which a pair is told apart.
    samples : how many times the signs are drawn. Default: 10000, or twice as many as the correction needs for the
        smallest p.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, rel above all grades of the collection.
    Source: Diaz & Ferraro (2022), "Offline retrieval evaluation without evaluation metrics", SIGIR (rpp, over all
    thresholds as their program has it); Diaz (2023), arXiv:2306.07908 (lexiprecision); Diaz, Ekstrand & Mitra (2025),
    "Recall, robustness, and lexicographic evaluation", ACM TORS (lexirecall). The last two are for one threshold, as
    ``rel`` gives it.

    >>> from gradeval import judge
    >>> qrels = {str(topic): {"a": 2, "b": 1, "c": 0} for topic in range(6)}
    >>> first, second = {"a": 3.0, "c": 2.0, "b": 1.0}, {"c": 3.0, "a": 2.0, "b": 1.0}
    >>> runs = {"x": dict.fromkeys(qrels, first), "y": dict.fromkeys(qrels, second)}
    >>> print(preferences(judge(qrels, runs), measures="AP").of("x", "y"))
    0.6666666666666666
    """
    scores = data.scores
    require_enough(scores)
    thresholds = _thresholds(data.runs.levels, rel)
    matrices = pair_values(scores)
    pairs = all_pairs(len(scores.runs))
    by_users = np.zeros((len(thresholds), len(pairs), len(scores.topics)))
    users = np.zeros((len(thresholds), 1, len(scores.topics)))
    rows = np.array(find_places(scores.runs, data.runs.runs, "run")) * len(data.runs.topics)
    for place, topic in enumerate(find_places(scores.topics, data.runs.topics, "topic")):
        judged = data.runs.rows(rows + topic)
        for number, threshold in enumerate(thresholds):
            base = int(judged.recall_base(threshold)[0])
            users[number, 0, place] = base
            if base:
                by_users[number, :, place] = prefer(relevant_ranks(judged, threshold, base), pairs, rule)
    weights = users if rule == "rpp" else (users > 0).astype(float)  # by_users holds the mean over a threshold's users
    by_topic = ratio((by_users * weights).sum(0), weights.sum(0))
    if scores.empty == "skip":
        by_topic = by_topic[:, users.sum(0)[0] > 0]
    ways = [by_topic, *(differences_of(values, pairs) for values in matrices)]
    counted = np.array([one.shape[-1] for one in ways])
    fewest = int(counted.min())
    needed = samples_to_reach(TEST, correction, alpha, fewest, len(pairs))
    samples = max(SAMPLES, 2 * (needed or 0)) if samples is None else samples
    tests = [partial(TESTS[TEST], one, samples, seed) for one in ways]
    p = np.array(run_in_parallel(tests, threads, progress, len(ways) * len(pairs)))
    wins, losses = (np.array([(one * sign > 0).sum(-1) for one in ways]) for sign in (1, -1))
    result = Preferences(
        values=np.array([one.mean(-1) for one in ways]),
        p=p,
        corrected=CORRECTIONS[correction](p),
        wins=wins,
        ties=counted[:, None] - wins - losses,
        losses=losses,
        by_threshold=ratio(by_users.sum(-1), (users > 0).sum(-1)),
        counted=counted,
        means=scores.mean(),
        pairs=pairs,
        thresholds=thresholds,
        rule=rule,
        correction=correction,
        alpha=alpha,
        samples=samples,
        seed=seed,
        measures=scores.measures,
        runs=scores.runs,
        topics=scores.topics,
        unit=scores.unit,
    )
    notes = [Note.method(result.description), *_about_reach(result, fewest, needed)]
    return replace(result, notes=notes)


def _thresholds(levels: Sequence[float], rel: float | None) -> list[float]:
    """The thresholds of the users, or an error where no grade of the collection reaches the one that is asked for."""
    if rel is None:
        return list(levels[1:])
    if rel > levels[-1]:
        raise InputError(
            plain("rel", f"{rel:g}"), f" is above all grades; the levels here are {show_levels(tuple(levels))}"
        )
    return [rel]


def relevant_ranks(judged: JudgedRankings, rel: float, base: int) -> Array:
    """float64[run, i]: the rank of the i-th document of grade ``rel`` or better; NEVER where fewer are retrieved.

    ``base``: how many of them the pool has.
    """
    ranks = np.full((len(judged.ranks), base), NEVER)
    ordered = np.sort(np.where(judged.hits(rel) & judged.pooled, judged.ranks, NEVER), axis=-1)[:, :base]
    ranks[:, : ordered.shape[-1]] = np.minimum(ordered, NEVER)
    return ranks


def prefer(ranks: Array, pairs: Array, rule: PreferenceRule) -> Array:
    """float64[pair]: how much the users of ranks[run, i] prefer the first run of each pair to the second; see
    ``preferences``."""
    preferred = np.zeros(len(pairs))
    for block in blocks(len(pairs), MEANS_AT_ONCE // ranks.shape[-1]):
        first, second = pairs[block].T
        signs = np.sign(ranks[second] - ranks[first])
        if rule == "rpp":
            preferred[block] = signs.mean(-1)
            continue
        order = signs if rule == "lexiprecision" else signs[:, ::-1]
        place = (order != 0).argmax(-1)
        preferred[block] = order[np.arange(len(order)), place]
    return preferred


def _about_reach(result: Preferences, topics: int, needed: int | None) -> Iterator[Note]:
    """That no pair can be told apart, whatever the preferences, and how to change that."""
    if out_of_reach(TEST, result.correction, result.alpha, topics, result.samples, len(result.pairs)):
        remedy = f"give {needed} samples or more" if needed is not None else f"give more {result.unit}, or fewer runs"
        text = f"{remedy}: with {result.samples} samples no pair can be told apart at {result.alpha:g}"
        yield Note(text, SignificanceWarning)
