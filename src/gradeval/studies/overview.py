"""Everything that a report says of an evaluation, computed once: scores, ranks, and the studies of the measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from gradeval import checks
from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure, parse_measures
from gradeval.scores.scores import Scores
from gradeval.studies.agreement.leave_out import LeftOut, leave_out
from gradeval.studies.agreement.measure_correlation import Correlations, correlate
from gradeval.studies.agreement.robustness import Robustness, robustness
from gradeval.studies.certainty.ranks import RankSets, rank_sets
from gradeval.studies.certainty.topics_needed import TopicSetSize, topic_set_size
from gradeval.studies.differences import Differences
from gradeval.studies.grade_weights import GradeWeights, grade_weights
from gradeval.studies.information.expected import expected
from gradeval.studies.information.inference import find_eligible, inform
from gradeval.studies.information.informativeness import Informativeness
from gradeval.studies.requirements import Measures
from gradeval.studies.significance.comparison import Comparison
from gradeval.studies.significance.discrimination import Discrimination, discriminate
from gradeval.studies.significance.power_differences import power_differences
from gradeval.studies.significance.significance import compare

MEASURES = "nDCG@10 AP GAP eGAP nDCG Q RBP"
"""The measures of a report by default; the first one orders the runs."""

LIVE = "GAP eGAP nDCG DCG"
"""The measures whose weights of grades can be set on the page, beside those of the report that can."""

STUDIES = ("correlate", "discriminate", "robustness", "inform", "leave-out")
"""The studies that one can leave out."""

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
    bounds : float64[run, measure, 2]: intervals of the means.
    judged : the runs as judged; None where only scores are known.
    baseline : the run with which the others are compared.
    absent : by the name of a part, the reason why it is not there.
    forms : the measures whose weights of grades can be set.
    comparison, pairs : tests against the baseline, and of all pairs of the best runs by the first measure.
    ranks, sizes, correlations, discrimination, robust, informative, left_out : the studies.
    powers : differences between the measures in discriminative power, with intervals.
    inferred, eligible : rankings from which was inferred, and those that could have been.
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
    comparison: Comparison | None
    pairs: Comparison | None
    correlations: Correlations | None
    discrimination: Discrimination | None
    powers: Differences | None
    robust: Robustness | None
    informative: Informativeness | None
    left_out: LeftOut | None
    inferred: int
    eligible: int
    seed: int

    @property
    def measure(self) -> Measure:
        """The measure by which runs are ordered."""
        return self.scores.measures[0]

    @cached_property
    def order(self) -> list[int]:
        """The places of the runs, the highest mean of the first measure first."""
        return _order(self.scores)


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


def look_over(
    scores: Scores,
    judged: JudgedRuns | None = None,
    *,
    studies: str | Sequence[str] = "all",
    baseline: str | None = None,
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
    seed : of everything random.
    """
    chosen, seed = choose_studies(studies), checks.seed(seed)
    if baseline is not None and baseline not in scores.runs:
        raise InputError(f"no run {baseline!r} to compare with{nearest(baseline, scores.runs)}")
    steps = _Steps(watch, len(chosen) + 4 + ("discriminate" in chosen))
    absent: dict[str, str] = {name: "not asked for (--studies)" for name in STUDIES if name not in chosen}
    options: dict[str, Any] = {"seed": seed, "threads": threads}

    def attempt(name: str, words: str, compute: Callable[[], Any], *, rankings: bool = False) -> Any:
        """The result of a study; None, and the reason, where there cannot be one."""
        if name in absent:
            return None
        steps.begin(words)
        if rankings and judged is None:
            absent[name] = "needs judgments and runs, and only scores were given"
            return None
        try:
            return compute()
        except InputError as error:
            absent[name] = str(error)
            return None

    bounds = attempt("intervals", "resampling topics", lambda: scores.ci(seed=seed))
    ranked = scores if len(scores.runs) <= RANKED else scores.sel(measures=scores.measures[:1])
    ranks = attempt("ranks", "ranking", lambda: rank_sets(ranked, samples=SAMPLES, **options))
    sizes = attempt("sizes", "", lambda: topic_set_size(scores))
    comparison = None
    if baseline is not None:
        comparison = attempt("comparison", "comparing", lambda: compare(scores, baseline, **options))
    best = _order(scores)[:PAIRED]
    paired = scores.sel(runs=[scores.runs[run] for run in best], measures=scores.measures[:1])
    pairs = attempt("pairs", "comparing pairs", lambda: compare(paired, **options))
    correlations = attempt("correlate", "correlating", lambda: correlate(scores, samples=SAMPLES, seed=seed))
    discrimination = attempt("discriminate", "testing pairs", lambda: discriminate(scores, **options))
    powers = None
    if discrimination is not None and len(scores.measures) > 1:
        resampling = {"samples": TESTED, "resampled": RESAMPLED, **options}
        powers = attempt("powers", "testing resamples", lambda: power_differences(scores, **resampling))
    thin: dict[str, Any] = {"missing": scores.missing, "empty": scores.empty, "threads": threads}
    robust = attempt(
        "robustness",
        "thinning judgments",
        lambda: robustness(judged, scores.measures, samples=POOLS, seed=seed, **thin),  # type: ignore[arg-type]
        rankings=True,
    )
    left_out = attempt(
        "leave-out",
        "leaving runs out",
        lambda: leave_out(judged, scores.measures[:1], **thin),  # type: ignore[arg-type]
        rankings=True,
    )
    sampled: list[int] = [0, 0]

    def infer() -> Informativeness:
        assert judged is not None
        informative, sampled[:] = _infer(judged, scores.measures, seed, threads)
        return informative

    informative = attempt("inform", "inferring rankings", infer, rankings=True)
    steps.begin("weighing grades")
    forms = [] if judged is None else _forms(judged, scores)
    steps.end()
    return Overview(
        scores=scores,
        bounds=bounds,
        judged=judged,
        baseline=baseline,
        absent=absent,
        forms=forms,
        ranks=ranks,
        sizes=sizes,
        comparison=comparison,
        pairs=pairs,
        correlations=correlations,
        discrimination=discrimination,
        powers=powers,
        robust=robust,
        informative=informative,
        left_out=left_out,
        inferred=sampled[0],
        eligible=sampled[1],
        seed=seed,
    )


class _Steps:
    """Tells how many steps are done."""

    def __init__(self, watch: Watch | None, total: int) -> None:
        self.watch, self.total, self.done = watch, total, -1

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


def _forms(judged: JudgedRuns, scores: Scores) -> list[GradeWeights]:
    """The measures of the report, and the usual ones, as functions of the weights of the grades."""
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
    rows = np.sort(find_eligible(judged))
    eligible = len(rows)
    if eligible > RANKINGS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, RANKINGS, replace=False))
    chosen = only_rows(judged, np.isin(np.arange(len(judged)), rows))
    return inform(chosen, able, samples=SAMPLES, seed=seed, threads=threads), [len(rows), eligible]


def _has_expectation(measure: Measure, judged: JudgedRuns) -> bool:
    try:
        expected(measure, judged.pool[:1], judged.levels, 10)
    except InputError:
        return False
    return True


def with_measures(measures: Measures | None) -> list[Measure]:
    """The measures of a report: those chosen, or where none is, the default ones."""
    return parse_measures(measures or MEASURES)


JUDGED = parse_measure("Judged@10")
"""The share of the first documents that is judged, which the leaderboard shows."""
