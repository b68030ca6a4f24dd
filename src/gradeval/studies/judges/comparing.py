"""compare_judges(): do the grades of judges lead to the conclusions of human grades?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.collection.joint_pool import JointPool, join_pools
from gradeval.collection.meeting import Ties, meet
from gradeval.collection.qrels import Negative
from gradeval.collection.regraded import Regrading
from gradeval.evaluation import require_common_topic
from gradeval.formats.accepted import Judgments, RankedRuns, as_qrels, as_runs
from gradeval.formula.spelling import parse_measures
from gradeval.progress import ShowProgress, with_progress_bar
from gradeval.scores.notes import about_coverage, list_some, plural
from gradeval.scores.scores import Empty, Missing, require_policies
from gradeval.studies.agreement.correlation import Statistic
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.judges.labels import Labels, compare_labels, count_confusion
from gradeval.studies.judges.study import NEARLY_ALL, Study
from gradeval.studies.requirements import Measures, require_runs
from gradeval.studies.significance.bootstrap import resample_topics
from gradeval.studies.significance.corrections import Correction
from gradeval.warning_categories import CoverageWarning

Orders: TypeAlias = Literal["tau", "tau-ap"]
STATISTICS: dict[str, Statistic] = {"tau": "kendall", "tau-ap": "tau-ap"}

MEASURES = "GAP AP nDCG@10"
"""The measures by which judges are compared by default."""
ENOUGH = 20
"""Topics from which on bootstrap intervals are hardly too narrow."""


@with_progress_bar
def compare_judges(
    human: Judgments,
    judges: Mapping[str, Judgments],
    runs: RankedRuns | None = None,
    measures: Measures = MEASURES,
    *,
    statistic: Orders = "tau",
    groups: Mapping[str, str] | None = None,
    levels: Sequence[float] | None = None,
    test: str = "t",
    correction: Correction | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    depth: int | None = None,
    threads: int = 0,
    progress: ShowProgress = False,
) -> JudgeComparison:
    """Do the grades of judges, such as language models, lead to the conclusions of human grades?

    Without runs only labels are compared. Two human assessors are compared likewise.

    Parameters
    ----------
    human, judges : judgments, and those of each judge by its name: whatever ``evaluate`` takes as qrels. Documents that
        one side alone judged are counted; nothing is assumed of them.
    runs, ties, negative, missing, empty, depth, threads : see ``evaluate``. Runs are read once.
    measures : by which the runs are scored.
    statistic : how orders of runs are correlated: "tau" (Kendall's tau-b) or "tau-ap", in which the humans' order is
        the truth.
    groups : the group of each run, as in ``{"bm25": "lexical", "ance": "dense"}``; each group is tested against all
        other runs.
    levels : the grades that both sides may give; default: those of the humans, which must then be those of the judges.
    test, correction : of the differences between runs, as for ``compare``; by default no correction.
    alpha : significant is p < alpha; intervals cover 1 - alpha.
    samples, seed : of the bootstrap over topics; the seed also of shuffled grades and of tied documents.

    Warns
    -----
    CoverageWarning : a judge that lacks more than 5% of the humans' pairs.

    Raises
    ------
    InputError : no judge; a judge on another scale, or without any pair in common with the humans; one run only, fewer
        than 3 topics, an unknown run among the groups; a number outside its range.

    >>> human = {"301": {"a": 2, "b": 0, "c": 1}, "302": {"d": 1, "e": 0, "f": 2}}
    >>> model = {"301": {"a": 2, "b": 1, "c": 1}, "302": {"d": 1, "e": 0, "f": 1}}
    >>> compare_judges(human, {"model": model}).labels["model"].confusion.tolist()
    [[1, 1, 0], [0, 2, 0], [0, 1, 1]]
    """
    checks.one_of("statistic", statistic, get_args(Orders))
    require_policies(missing, empty)
    alpha = checks.share("alpha", alpha, 0.05)
    samples, seed = checks.whole("samples", samples, 2), checks.seed(seed)
    if not judges:
        raise InputError("no judge to compare: give {name: judgments}")
    _require_mapping("judges", judges, "{name: judgments}")
    read = {str(name): as_qrels(judgments) for name, judgments in judges.items()}
    truth = as_qrels(human)
    pool = join_pools(truth, read, levels)
    labels = {judge: _compare_labels(pool, judge, negative, samples, seed, 1 - alpha) for judge in read}
    study, consequences = None, {}
    if runs is not None:
        opened = as_runs(runs)
        require_runs(len(opened))
        met = meet(pool.qrels, opened, ties=ties, threads=threads)
        met = met if depth is None else met.top(checks.whole("depth", depth, 1, unit="ranks"))
        study = Study(
            pool=pool,
            regrading=Regrading(met, pool.levels, negative),
            measures=parse_measures(measures),
            policies=(missing, empty),
            statistic=STATISTICS[statistic],
            groups=_places_of(groups, met.runs),
            test=test,
            correction="none" if correction is None else correction,
            alpha=alpha,
            threads=threads,
            samples=samples,
            seed=seed,
            depth=depth,
            progress=progress,
        )
        require_common_topic(truth, study.human.present, [one for extra in met.unjudged_topics for one in extra])
        consequences = study.consequences()
    smaller = list(_about_smaller_pools(pool, negative, study is not None))
    many_fewer, fewer = ([text for many, text in smaller if many == wanted] for wanted in (True, False))
    for text in many_fewer:
        warnings.warn(text, CoverageWarning, stacklevel=3)  # of the caller: a progress bar stands between
    return JudgeComparison(
        human=truth.name,
        judges=list(read),
        levels=pool.levels,
        labels=labels,
        runs=[] if study is None else study.regrading.judged.runs,
        measures=[] if study is None else study.measures,
        consequences=consequences,
        topics={judge: one.topics for judge, one in labels.items()},
        statistic=statistic,
        test=test,
        correction=correction or "none",
        alpha=alpha,
        samples=samples,
        seed=seed,
        notes=[
            *([] if study is None else about_coverage(study.human)),
            *_about_pool(pool, negative),
            *fewer,
            *([] if study is None else study.about_undefined(consequences)),
            *_about_few_topics(labels),
        ],
        warnings=many_fewer,
    )


def _compare_labels(pool: JointPool, judge: str, negative: Negative, samples: int, seed: int, level: float) -> Labels:
    common, grades = pool.common(judge, negative), pool.judges[judge]
    counts = count_confusion(pool.human[common], grades[common], pool.topic[common], len(pool.topics), pool.levels)
    counts = counts[counts.any((-1, -2))]  # the topics that both judged
    weights = resample_topics(len(counts), samples, seed)
    here, there = ~np.isnan(grades), ~np.isnan(pool.human)
    return compare_labels(counts, pool.levels, weights, int((there & ~here).sum()), int((here & ~there).sum()), level)


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
