"""Everything that a report says of an evaluation, computed once: scores, ranks, and the studies of the measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.runs import find_run
from gradeval.collection.thinned import only_rows
from gradeval.formula.arithmetic import Array, ratio, rounded, tiny
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.messages import join_names, list_some, nearest
from gradeval.scores.scores import Scores
from gradeval.studies.compare import compare
from gradeval.studies.compared_runs import Comparison
from gradeval.studies.correlate import Correlations, correlate
from gradeval.studies.decision import PairDecision
from gradeval.studies.discriminate import Discrimination, discriminate
from gradeval.studies.grade_weights import GradeWeights, grade_weights
from gradeval.studies.informativeness.expected import expected
from gradeval.studies.informativeness.inform import FEWEST_DOCUMENTS, Informativeness, find_eligible, inform
from gradeval.studies.leave_out import LeftOut, leave_out
from gradeval.studies.measure_differences import MeasureDifferences
from gradeval.studies.power_differences import power_differences
from gradeval.studies.ranks import RankSets, ranks
from gradeval.studies.robustness import Robustness, robustness
from gradeval.studies.topic_set_size import TopicSetSize, topic_set_size
from gradeval.warning_categories import Note

MEASURES = "nDCG@10 AP GAP eGAP nDCG Q RBP"
"""The measures of a report by default; the first one orders the runs."""

LIVE = "GAP eGAP nDCG DCG"
"""The measures whose weights of grades can be set on the page, besides the report's own measures that can."""

STUDIES = ("correlate", "discriminate", "robustness", "inform", "leave-out")
"""The studies that one can leave out."""

OF_MEASURES = ("correlate", "discriminate", "robustness", "inform")
"""The studies that say which measure to trust."""

FEWEST_RUNS = 5
"""Runs from which studies say something of measures: 10 pairs of runs; 4 runs have 6."""

RANKINGS = 400
"""Rankings from which ``inform`` infers, at most; more are sampled."""

SAMPLES = 1000
"""Resamples of every study."""

RANKED = 400
"""Runs up to which ranks have intervals by all measures; of more runs only by the first one."""

PAIRED = 150
"""The best runs, of which all pairs are tested."""

RESAMPLED, TESTED = 50, 200
"""Resamples of the topics behind the intervals of discriminative power, and the samples of each test in them."""

POOLS = 5
"""Thinned pools at each rate."""


class Watch(Protocol):
    """Called with the work done, all work, and what is being done."""

    def __call__(self, done: int, total: int, words: str = "", /) -> None:
        """Take note of the progress."""


@dataclass(frozen=True, eq=False)
class Overview:
    """What is known of some runs; what could not be computed is None, and ``absent`` says why.

    Attributes
    ----------
    scores : the values of all measures.
    bounds : float64[run, measure, 2]: intervals of the means, by ``Scores.ci``.
    judged : the runs as judged; None where only scores are known.
    baseline : the run with which the others are compared.
    absent : by the name of a part, the reason why it is not there.
    forms : the measures whose weights of grades can be set.
    paired : the comparison of two runs, by which one of them is taken; None of more.
    comparison, pairs : tests against the baseline, and of all pairs of the best runs by the first measure.
    ranks, sizes, correlations, discrimination, robust, informative, left_out : the studies.
    powers : differences between the measures in discriminative power, with intervals.
    inferred, eligible : rankings from which was inferred, and those that could have been.
    few_runs : were studies of the measures asked for, and left out as there are too few runs?
    seed : of everything random.
    """

    scores: Scores
    bounds: Array | None
    judged: JudgedRuns | None
    baseline: str | None
    absent: Mapping[str, str]
    forms: list[GradeWeights]
    ranks: RankSets | None
    sizes: TopicSetSize | None
    paired: Comparison | None
    comparison: Comparison | None
    pairs: Comparison | None
    correlations: Correlations | None
    discrimination: Discrimination | None
    powers: MeasureDifferences | None
    robust: Robustness | None
    informative: Informativeness | None
    left_out: LeftOut | None
    inferred: int
    eligible: int
    few_runs: bool
    seed: int

    @property
    def measure(self) -> Measure:
        """The measure by which runs are ordered."""
        return self.scores.measures[0]

    @property
    def relevant_from(self) -> float:
        """The grade from which documents are relevant by the first measure; where it has no ``rel``, the lowest level
        from 1 on, where other measures begin, though means of raters may lie below; else the lowest above 0."""
        rel, levels = self.measure.threshold, self.scores.levels
        if rel is not None or not levels:
            return 1 if rel is None else rel
        return next((level for level in levels if level >= 1), levels[1])

    @property
    def other_thresholds(self) -> str:
        """From which other grades documents are relevant by some measures, as a part of a sentence; empty: none."""
        by_rel: dict[float, list[str]] = {}
        for one in self.scores.measures:
            if one.threshold is not None and one.threshold != self.relevant_from:
                by_rel.setdefault(one.threshold, []).append(str(one))
        return "".join(f"; by {join_names(names, 6)} grade {rel:g} or more" for rel, names in by_rel.items())

    @property
    def relevant(self) -> Array | None:
        """int64[topic]: documents that are relevant by the first measure; None where only scores are known."""
        return None if self.judged is None else self.judged.grading.pools.recall_base(self.relevant_from)

    @property
    def decision(self) -> PairDecision | None:
        """Of two runs, whether the other one may take the place of the baseline (default: the first)."""
        return None if self.paired is None else self.paired.decision

    @property
    def doubts(self) -> list[Note]:
        """Warnings of the ranks, and of the comparison with the baseline; of two runs of their comparison alone."""
        results = (self.ranks, self.comparison) if self.decision is None else (self.paired,)
        notes = [note for one in results if one is not None for note in one.notes if note.category is not None]
        return list(dict.fromkeys(notes))

    @property
    def judged_top(self) -> list[float | None] | None:
        """Of each run the share of judged documents among the first 10 of all topics; None: it returned nothing.

        Topics that a run lacks do not count, as in all that is said of unjudged documents. None: it is not known.
        """
        coverage = self.scores.coverage
        if coverage is None:
            return None
        known = (coverage.retrieved.sum(-1) > 0).tolist()
        shares = (1 - coverage.unjudged_top_share).tolist()
        return [share if some else None for share, some in zip(shares, known, strict=True)]

    @cached_property
    def order(self) -> list[int]:
        """The places of the runs, the highest mean of the first measure first."""
        return _order(self.scores)

    @cached_property
    def identical(self) -> list[list[int]]:
        """The places of runs with the same values of the first measure on all topics, in groups, the best first."""
        values = self.scores.credited[:, :, 0]
        scale = np.abs(values).max(initial=0.0)
        groups: list[list[int]] = []
        for run in self.order:
            for group in reversed(groups):  # equal runs follow each other, or stand near
                if tiny(values[run] - values[group[0]], scale).all():
                    group.append(run)
                    break
            else:
                groups.append([run])
        return [group for group in groups if len(group) > 1]

    @property
    def rival(self) -> int:
        """The place of the best run that is not the same as the leader; where all are the same, of the second."""
        same = next((group for group in self.identical if self.order[0] in group), self.order[:1])
        return next((run for run in self.order if run not in same), self.order[1])


def _order(scores: Scores) -> list[int]:
    means = scores.mean()[:, 0].tolist()
    return sorted(range(len(means)), key=lambda run: -means[run])


def choose_studies(text: str | Sequence[str]) -> tuple[str, ...]:
    """The studies that "all", "none", or names with commas between them choose."""
    names = text.split(",") if isinstance(text, str) else list(text)
    if names in (["all"], ["none"]):
        return STUDIES if names == ["all"] else ()
    for name in names:
        if name not in STUDIES:
            accepted = f"all, none, or some of {', '.join(STUDIES)}"
            raise InputError(f"no study {name!r}{nearest(name, STUDIES)}; accepted: {accepted}")
    return tuple(name for name in STUDIES if name in names)


def compute_report(
    scores: Scores,
    judged: JudgedRuns | None = None,
    *,
    studies: str | Sequence[str] = "all",
    baseline: str | None = None,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    threads: int = 0,
    watch: Watch | None = None,
) -> Overview:
    """Compute everything that a report says.

    Parameters
    ----------
    scores : the values by the measures; the first orders the runs.
    judged : the runs as judged, of the same runs and topics; None: what needs rankings is left out.
    studies : see ``choose_studies``.
    baseline : a run with which the others are compared.
    groups : the group of each run, for the study that leaves runs out.
    seed : of everything random.
    """
    chosen, seed = choose_studies(studies), arguments.seed(seed)
    baseline = None if baseline is None else _find_baseline(baseline, scores.runs)
    few = OF_MEASURES if len(scores.runs) < FEWEST_RUNS else ()
    attempt = _Attempts(chosen, few, judged, watch)
    options: dict[str, Any] = {"seed": seed, "threads": threads}
    bounds = attempt("intervals", "", scores.ci)
    of_runs = _compare_runs(attempt, scores, baseline, options)
    of_measures = _compare_measures(attempt, scores, options)
    of_rankings = _study_rankings(attempt, scores, groups, options)
    attempt.begin("weighing grades")
    forms = [] if judged is None else _forms(judged, scores)
    attempt.end()
    return Overview(
        scores=scores,
        bounds=bounds,
        judged=judged,
        baseline=baseline,
        absent=attempt.absent,
        forms=forms,
        few_runs=any(name in chosen for name in few),
        seed=seed,
        **of_runs,
        **of_measures,
        **of_rankings,
    )


def _find_baseline(baseline: str, runs: Sequence[str]) -> str:
    """The run that is meant; an InputError where there is none."""
    if (found := find_run(baseline, runs)) is None:
        near = nearest(baseline, runs)
        raise InputError(f"no run {baseline!r} to compare with{near}; the runs are {list_some(runs)}")
    return found


class _Attempts:
    """Computes studies one after the other, and tells how many are done.

    Attributes
    ----------
    absent : the reason of each that cannot be computed.
    """

    def __init__(
        self, chosen: Sequence[str], few: Sequence[str], judged: JudgedRuns | None, watch: Watch | None
    ) -> None:
        """``few``: the studies for which there are too few runs."""
        self.judged, self.watch = judged, watch
        left = [name for name in chosen if name not in few]
        self.total, self.done = len(left) + 4 + ("discriminate" in left), -1
        self.absent = {name: "not asked for (--studies)" for name in STUDIES if name not in chosen}
        self.absent |= {name: f"needs {FEWEST_RUNS} runs" for name in chosen if name in few}

    def __call__(self, name: str, words: str, compute: Callable[[], Any]) -> Any:
        """The result of a study; None, and the reason, where there cannot be one."""
        if name in self.absent:
            return None
        self.begin(words)
        try:
            return compute()
        except InputError as error:
            self.absent[name] = str(error)
            return None

    def on_rankings(self, name: str, words: str, compute: Callable[[JudgedRuns], Any]) -> Any:
        """The same for a study of judged runs, which scores alone do not allow."""

        def compute_from_runs() -> Any:
            if self.judged is None:
                raise InputError("needs judgments and runs, and only scores were given")
            return compute(self.judged)

        return self(name, words, compute_from_runs)

    def begin(self, words: str) -> None:
        """The next step begins; without words it belongs to the last one."""
        if words:
            self.done += 1
            if self.watch is not None:
                self.watch(min(self.done, self.total), self.total, words)

    def end(self) -> None:
        """All steps are done."""
        if self.watch is not None:
            self.watch(self.total, self.total)


def _compare_runs(
    attempt: _Attempts, scores: Scores, baseline: str | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Which run is best, and how sure is that?"""
    ranked = scores if len(scores.runs) <= RANKED else scores.sel(measures=scores.measures[:1])
    results = {
        "ranks": attempt("ranks", "ranking", lambda: ranks.silently(ranked, **options)),
        "sizes": attempt("sizes", "", lambda: topic_set_size(scores)),
        "comparison": None,
        "paired": None,
    }
    if baseline is not None:
        results["comparison"] = attempt(
            "comparison", "comparing", lambda: compare.silently(scores, baseline=baseline, **options)
        )
    if len(scores.runs) == 2:
        results["paired"] = results["comparison"] or attempt(
            "decision", "", lambda: compare.silently(scores, **options)
        )
    best = [scores.runs[run] for run in _order(scores)[:PAIRED]]
    paired = replace(scores.sel(runs=best, measures=scores.measures[:1]), judged_only=None)
    return results | {"pairs": attempt("pairs", "comparing pairs", lambda: compare(paired, **options))}


def _compare_measures(attempt: _Attempts, scores: Scores, options: Mapping[str, Any]) -> dict[str, Any]:
    """Do measures agree, and which of them tells more runs apart?"""
    sampled = {"samples": SAMPLES, "seed": options["seed"]}
    correlations = attempt("correlate", "correlating", lambda: correlate.silently(scores, **sampled))
    discrimination = attempt("discriminate", "testing pairs", lambda: discriminate(scores, **options))
    powers = None
    if discrimination is not None and len(scores.measures) > 1:
        resampling = {"samples": TESTED, "resamples": RESAMPLED, **options}
        powers = attempt("powers", "testing resamples", lambda: power_differences(scores, **resampling))
    return {"correlations": correlations, "discrimination": discrimination, "powers": powers}


def _study_rankings(
    attempt: _Attempts, scores: Scores, groups: Mapping[str, str] | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What would other judgments or other runs say, and what do values tell of rankings?"""
    thin = {"missing": scores.missing, "empty": scores.empty, "threads": options["threads"]}
    thinned = {"samples": POOLS, "seed": options["seed"], **thin}
    results = {
        "robust": attempt.on_rankings(
            "robustness", "thinning judgments", lambda judged: robustness.silently(judged, scores.measures, **thinned)
        ),
        "left_out": attempt.on_rankings(
            "leave-out",
            "leaving runs out",
            lambda judged: leave_out.silently(judged, scores.measures[:1], groups=groups, **thin),
        ),
    }
    inferred = attempt.on_rankings(
        "inform", "inferring rankings", lambda judged: _infer(judged, scores.measures, **options)
    )
    informative, numbers = inferred or (None, [0, 0])
    return results | {"informative": informative, "inferred": numbers[0], "eligible": numbers[1]}


def _forms(judged: JudgedRuns, scores: Scores) -> list[GradeWeights]:
    """The measures of the report, and the usual ones, as functions of the weights of the grades.

    A single positive grade has no weight that could change an order.
    """
    if len(judged.levels) < 3:
        return []
    plain = [measure for measure in scores.measures if "(" not in str(measure)]
    wanted = list(dict.fromkeys([*parse_measures(LIVE), *plain]))
    forms = (grade_weights(judged, measure, missing=scores.missing, empty=scores.empty) for measure in wanted)
    return [form for form in forms if form is not None]


def _infer(
    judged: JudgedRuns, measures: Sequence[Measure], seed: int, threads: int
) -> tuple[Informativeness, list[int]]:
    """``inform`` for the measures that have an expected value, from a sample of the rankings."""
    import numpy as np

    able = [measure for measure in measures if _has_expectation(measure, judged)]
    if not able:
        raise InputError("none of the measures has an expected value in closed form")
    try:
        rows = np.sort(find_eligible(judged))
    except InputError:
        few = f"no ranking holds {FEWEST_DOCUMENTS} documents of each relevant grade"
        raise InputError(f"{few}; 'gradeval inform --least 1' asks for fewer") from None
    eligible = len(rows)
    if eligible > RANKINGS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, RANKINGS, replace=False))
    chosen = only_rows(judged, np.isin(np.arange(len(judged)), rows))
    return inform.silently(chosen, able, samples=SAMPLES, seed=seed, threads=threads), [len(rows), eligible]


def _has_expectation(measure: Measure, judged: JudgedRuns) -> bool:
    try:
        expected(measure, judged.pool[:1], judged.levels, 10)
    except InputError:
        return False
    return True


POINTS = 10_001
"""Weights of the first of two grades at which the leader is looked up."""
SIDE = 40
"""Steps along each side of the triangle of three grades."""


@dataclass(frozen=True)
class Stretch:
    """Weights of the first grade, from ``low`` to ``high``, where one run has the highest mean."""

    low: float
    high: float
    run: str


def stretches(form: GradeWeights) -> list[Stretch]:
    """Where each run leads, for two positive grades with weights w and 1 - w.

    The leader is looked up at POINTS equally spaced w; where it changes between two of them, the change is found by
    bisection to the last bit. Of runs with the same mean the first one leads.

    Raises
    ------
    InputError : there are not two positive grades.
    """
    if len(form.grades) != 2:
        raise InputError(f"a strip shows two positive grades, and there are {len(form.grades)}")
    places = np.linspace(0, 1, POINTS)
    leaders = _leaders(form, np.stack([places, 1 - places], axis=-1))
    changes = np.flatnonzero(np.diff(leaders))
    bounds = [0.0, *(_bisect(form, places[at], places[at + 1], int(leaders[at])) for at in changes.tolist()), 1.0]
    first = [int(leaders[0]), *leaders[changes + 1].tolist()]
    return [Stretch(low, high, form.runs[run]) for low, high, run in zip(bounds[:-1], bounds[1:], first, strict=True)]


def triangle(form: GradeWeights, side: int = SIDE, place: int = 1) -> tuple[Array, list[str]]:
    """The leader on a grid, for three positive grades: (float64[point, grade], the run that leads at each point).

    ``place`` 2 is the runner-up.

    Raises
    ------
    InputError : there are not three positive grades.
    """
    if len(form.grades) != 3:
        raise InputError(f"a triangle shows three positive grades, and there are {len(form.grades)}")
    points = np.array([(a, b, side - a - b) for a in range(side + 1) for b in range(side + 1 - a)]) / side
    best_first = np.argsort(-rounded(form.means(points)), axis=-1, kind="stable")
    return points, [form.runs[run] for run in best_first[:, place - 1].tolist()]


def _leaders(form: GradeWeights, points: Array) -> Array:
    """intp[point]: the run with the highest mean, of points[point, grade]."""
    leaders: Array = rounded(form.means(points)).argmax(-1)
    return leaders


def _bisect(form: GradeWeights, low: float, high: float, run: int) -> float:
    """The largest weight between two at which the run of the lower one still leads."""
    while low < (middle := (low + high) / 2) < high:
        if int(_leaders(form, np.array([[middle, 1 - middle]]))[0]) == run:
            low = middle
        else:
            high = middle
    return low


FALLEN = 0.9
"""The correlation under which an order counts as changed."""


@dataclass(frozen=True, eq=False)
class Criterion:
    """What a study says of each measure.

    Attributes
    ----------
    name : what is measured.
    merit : what the best measure does, as in "tells most pairs of runs apart".
    values : float64[measure]; NaN where the study says nothing of a measure.
    intervals : float64[measure, 2]; the value twice where there is no interval.
    higher : is a higher value better?
    spec : how Python formats the values.
    apart : bool[measure, measure]: is the value of the first higher than the second's, beyond the interval of their
        difference? None: the intervals of the values decide.
    """

    name: str
    merit: str
    values: Array
    intervals: Array
    higher: bool
    spec: str
    apart: Array | None = None

    def beats(self) -> Array:
        """bool[measure, measure]: is the first better than the second beyond their intervals?"""
        if self.apart is not None:
            return self.apart if self.higher else self.apart.T
        low, high = self.intervals[:, 0], self.intervals[:, 1]
        return low[:, None] > high[None] if self.higher else high[:, None] < low[None]

    def wins(self) -> bool:
        """Is the best value better than every other one, beyond their intervals?"""
        best = self.best()
        others = ~np.isnan(self.values)
        others[best] = False
        return bool(others.any() and self.beats()[best][others].all())

    def best(self) -> int:
        """The place of the measure with the best value."""
        return int(np.nanargmax(self.values) if self.higher else np.nanargmin(self.values))


def unbeaten(criteria: Sequence[Criterion]) -> list[int]:
    """The measures that no other beats on all criteria beyond the intervals; one without a value is not beaten."""
    beaten = np.all([criterion.beats() for criterion in criteria], axis=0)
    return np.flatnonzero(~beaten.any(0)).tolist()


def power(discrimination: Discrimination, differences: MeasureDifferences | None = None) -> Criterion:
    """The share of pairs of runs that a measure tells apart; with differences of power also their intervals.

    The intervals of the values show how sure each of them is; measures are compared by intervals of the differences,
    which come from the same resamples of the topics. Without differences, all measures count as equal.
    """
    values = discrimination.power
    bounds, apart = np.stack([values, values], axis=-1), np.zeros((len(values), len(values)), bool)
    if differences is not None:
        bounds = np.clip(differences.bounds[:, 0] + (values - differences.values[:, 0])[:, None], 0, 1)
        first, second = differences.pairs.T
        apart[first, second] = differences.interval[:, 0, 0] > 0
        apart[second, first] = differences.interval[:, 0, 1] < 0
    name = f"pairs told apart at {discrimination.alpha:g}"
    return Criterion(name, "tells most pairs of runs apart", values, bounds, True, ".1%", apart)


def robust_until(study: Robustness) -> Criterion:
    """The share of the judgments at which the correlation with the full order falls under 0.9.

    Between two rates the correlation is taken as linear. The interval goes from the lowest to the highest of the
    samples. Where it never falls, the share is the smallest that was tried.
    """
    order = np.argsort(-study.judged_share.mean(1), kind="stable")
    shares = study.judged_share.mean(1)[order]
    by_sample = np.array(
        [[_falls(shares, curve) for curve in sample.T] for sample in study.values[order].swapaxes(0, 1)]
    )
    values = np.array([_falls(shares, curve) for curve in study.mean()[order].T])
    intervals = np.stack([np.minimum(values, by_sample.min(0)), np.maximum(values, by_sample.max(0))], axis=-1)
    merit = "keeps the order of the runs with fewest judgments"
    return Criterion(f"judgments at which tau < {FALLEN:g}", merit, values, intervals, False, ".1%")


def _falls(shares: Array, curve: Array) -> float:
    """The share at which a curve over descending shares first falls under 0.9."""
    under = np.flatnonzero(curve < FALLEN)
    if not len(under):
        return float(shares[-1])
    at = int(under[0])
    if at == 0:
        return float(shares[0])
    step = (curve[at - 1] - FALLEN) / (curve[at - 1] - curve[at])
    return float(shares[at - 1] + step * (shares[at] - shares[at - 1]))


def informative(study: Informativeness, scores: Scores) -> list[Criterion]:
    """The root mean square error of the inferred precision-recall curve, at each threshold."""
    places = [scores.measures.index(measure) for measure in study.measures]
    bounds = study.interval
    criteria = []
    for column, grade in enumerate(study.thresholds):
        values = np.full(len(scores.measures), np.nan)
        intervals = np.full((len(values), 2), np.nan)
        values[places] = study.mean()[:, column]
        if bounds is not None:
            intervals[places] = bounds[:, column]
        name = f"error of the inferred curve, grade {grade:g}"
        merit = f"says most of where documents from grade {grade:g} are"
        criteria.append(Criterion(name, merit, values, intervals, False, ".4f"))
    return criteria


def tied(scores: Scores) -> Criterion:
    """The share of pairs of runs, topic by topic, whose values are equal."""
    values = np.zeros(len(scores.measures))
    runs = len(scores.runs)
    for place in range(len(values)):
        column = np.sort(scores.credited[:, :, place], axis=0)
        steps = ~tiny(np.diff(column, axis=0), np.abs(column).max(initial=0.0))
        group = np.concatenate([np.zeros((1, column.shape[1]), int), steps.cumsum(0)])
        sizes = [np.bincount(each) for each in group.T]
        values[place] = np.mean([ratio(np.sum(size * (size - 1)), np.array(runs * (runs - 1))) for size in sizes])
    return Criterion("ties on a topic", "ties fewest runs", values, np.stack([values, values], axis=-1), False, ".1%")
