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
from gradeval.formula.arithmetic import Array, tiny
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.messages import join_names, list_some, nearest
from gradeval.scores.scores import Scores
from gradeval.studies.baselines import refuse_joined
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
    paired : the comparison that decides between two runs; None where there are more runs.
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
        """The warnings of the ranks and of the comparison with the baseline.

        Where the report decides between two runs, these are only the warnings of the comparison that decides.
        """
        results = (self.ranks, self.comparison) if self.decision is None else (self.paired,)
        notes = [note for one in results if one is not None for note in one.notes if note.category is not None]
        return list(dict.fromkeys(notes))

    @property
    def judged_top(self) -> list[float | None] | None:
        """Of each run the share of judged documents among the first 10 of all topics; None: it returned nothing.

        Topics that a run lacks do not count, as in all that is said of unjudged documents. None: it is not known.
        """
        coverage = self.scores.judging
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


def _find_baseline(baseline: str | Sequence[str], runs: Sequence[str]) -> str:
    """The run that is meant; an InputError where there is none."""
    if not isinstance(baseline, str) or (found := find_run(baseline, runs)) is None:
        refuse_joined(baseline, runs, "a report")
        near = nearest(str(baseline), runs)
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
    paired = replace(scores.sel(runs=best, measures=scores.measures[:1]), as_often=None)
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
