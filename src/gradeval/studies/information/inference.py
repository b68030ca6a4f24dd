"""Infer rankings from the values of measures, and compare their precision-recall curves with the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import get_args

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, show_levels
from gradeval.formula.spelling import parse_measures
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.notes import plural
from gradeval.studies.information.expected import expected
from gradeval.studies.information.informativeness import Counts, Informativeness
from gradeval.studies.information.maximum_entropy import MaximumEntropy, maximum_entropy
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import TOPICS, Measures

NDCGS = "nDCG nDCG(dcg='exp-log2') nDCG(discount='linear') nDCG(dcg='exp-log2',discount='linear')"
"""The four nDCGs that Robertson, Kanoulas & Yilmaz (2010) compare: footnote 1."""

MEASURES = f"{NDCGS} AP GAP"
"""The measures from whose values rankings are inferred by default."""
PORTION = 32  # lists that one thread infers before it takes the next


@with_progress_bar
def inform(
    judged: JudgedRuns,
    measures: Measures | None = None,
    *,
    thresholds: Sequence[float] | None = None,
    least: int = 5,
    counts: Counts = "retrieved",
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
) -> Informativeness:
    """Infer rankings from the values of measures, and compare their precision-recall curves with the true ones.

    For each list and measure the distribution of maximum entropy is sought that has this value and this number of
    documents of each grade (``maximum_entropy``). The more the measure tells, the nearer is its curve.

    Parameters
    ----------
    judged : what ``judge(qrels, runs)`` gives.
    measures : those that have an expected value in closed form (see ``expected``), others are errors that name them;
        default: the four nDCGs of the paper's footnote 1, AP and GAP.
    thresholds : grades from which on a document is relevant, one curve for each; default: all positive levels.
    least : a list is studied if it holds this many documents of each kind, from one threshold to below the next
        ("at least 5 relevant and 5 highly relevant").
    counts : how many documents of a grade a list is assumed to hold: those it retrieved, or ("pool", the literal
        reading of Robertson et al.) all there are; lists shorter than their pool then do not converge.
    samples, level, seed : bootstrap over topics with all their lists, for the intervals; 0 samples: no intervals.
    threads : 0 takes all cores; the results are the same for any number.
    progress : called with the lists times measures done, and with their total.

    Raises
    ------
    InputError : a measure without a closed form, no ranking that holds enough documents, rankings of fewer than 3
        topics where there are samples.

    Source: Aslam, Yilmaz & Pavlu (2005); Robertson, Kanoulas & Yilmaz (2010), section 4.1. Departures: between two
    ranks the inferred curve is linear in recall, and constant beyond its ends.
    """
    if not isinstance(judged, JudgedRuns):
        raise InputError(f"inform takes judged runs, as judge(qrels, runs) gives, not {type(judged).__name__}")
    chosen = parse_measures(MEASURES if measures is None else measures)
    grades = choose_thresholds(thresholds, judged.levels)
    checks.one_of("counts", counts, get_args(Counts))
    samples, level = checks.whole("samples", samples, 0), checks.share("level", level, 0.95)
    seed, threads = checks.seed(seed), checks.threads(threads)
    rows = find_eligible(judged, grades, least)
    if samples:
        _require_topics(len(np.unique(rows % len(judged.topics))), least)
    errors = np.zeros((len(chosen), len(grades), len(rows)))
    converged = np.zeros((len(chosen), len(rows)), bool)
    values = np.zeros((len(chosen), len(rows)))

    def infer(first: int, place: int, step: Step) -> None:
        part = slice(first, first + PORTION)
        block = judged.rows(rows[part])
        errors[place, :, part], converged[place, part] = _infer(block, chosen[place], grades, counts)
        values[place, part] = chosen[place](block)
        step(len(rows[part]))

    tasks = [partial(infer, *task) for task in product(range(0, len(rows), PORTION), range(len(chosen)))]
    run_in_parallel(tasks, threads, progress, len(rows) * len(chosen))
    run, topic = np.divmod(rows, len(judged.topics))
    order = np.argsort(rows)
    return Informativeness(
        errors[:, :, order],
        converged[:, order],
        run[order],
        topic[order],
        chosen,
        grades,
        judged.runs,
        judged.topics,
        counts,
        least,
        samples,
        level,
        seed,
        values[:, order],
    )


def find_eligible(judged: JudgedRuns, thresholds: Sequence[float] | None = None, least: int = 5) -> Array:
    """intp[list]: the rows of ``judged`` that ``inform`` studies, shorter rankings first.

    They hold ``least`` documents of each kind, from one threshold to below the next; an error where none does.
    """
    grades = choose_thresholds(thresholds, judged.levels)
    least = checks.whole("least", least, 1, unit="documents")
    enough = np.zeros(len(judged), bool)
    for rows, block in judged.blocks():
        reached = np.stack([block.relevant_retrieved(grade) for grade in grades] + [np.zeros(len(rows), int)])
        enough[rows] = (-np.diff(reached, axis=0) >= least).all(0)
    if not enough.any():
        raise InputError(
            f"no ranking holds {least} documents from each threshold ({show_levels(grades)}) to the next: "
            "ask for fewer (least), or for fewer thresholds"
        )
    rows = np.flatnonzero(enough)
    return rows[np.argsort(judged.retrieved.ravel()[rows], kind="stable")]


def inferred_curve(p: Array, recall_base: Array, hit: Array) -> tuple[Array, Array]:
    """float64[..., rank], twice: expected recall and precision at each rank.

    ``p[..., level, rank]`` is the distribution of levels; ``hit[level]``: is the level relevant?
    """
    relevant = p[..., np.asarray(hit), :].sum(-2).cumsum(-1)
    return relevant / np.asarray(recall_base)[..., None], relevant / np.arange(1, p.shape[-1] + 1)


def rms_error(recall: Array, precision: Array, true_recall: Array, true_precision: Array) -> float:
    """Root mean square difference of two precision-recall curves at the points of the true one.

    The first curve, of ascending recall, is linear between its points and constant beyond its ends; where it
    descends steeply (at one recall), its upper end counts.
    """
    after = np.searchsorted(recall, true_recall)
    right = np.minimum(after, len(recall) - 1)
    left = np.maximum(right - 1, 0)
    step = recall[right] - recall[left]
    share = np.divide(true_recall - recall[left], step, out=np.ones(len(right)), where=step > 0)
    inferred = precision[left] + np.clip(share, 0.0, 1.0) * (precision[right] - precision[left])
    return float(np.sqrt(np.mean((inferred - true_precision) ** 2)))


def choose_thresholds(thresholds: Sequence[float] | None, levels: Levels) -> Levels:
    """The grades from which on a document is relevant, ascending: some positive levels, or all of them."""
    if thresholds is None:
        return levels[1:]
    grades = tuple(sorted({checks.number("thresholds", grade) for grade in thresholds}))
    wrong = [grade for grade in grades if grade not in levels[1:]]
    if wrong or not grades:
        raise InputError(
            f"threshold {show_levels(wrong[:1]) or 'missing'} is not a positive level of the collection; "
            f"these are {show_levels(levels[1:])}"
        )
    return grades


def _require_topics(number: int, least: int) -> None:
    """Refuse rankings of too few topics for intervals, before the work."""
    if number < TOPICS:
        raise InputError(
            f"{plural(number, 'topic')} with rankings that hold {plural(least, 'document')} from each threshold to the "
            f"next, and intervals need {TOPICS}: choose more topics or runs, fewer documents (least), "
            "other thresholds, or 0 samples"
        )


def infer_lists(block: JudgedRankings, measure: Measure, counts: str) -> MaximumEntropy:
    """The distributions of maximum entropy that agree with the value of a measure for each list."""
    form = expected(measure, block.pool, block.levels, block.retrieved)
    documents = block.pool
    if counts == "retrieved":
        documents = np.stack([(block.level == level).sum(-1) for level in range(len(block.levels))], -1)
    return maximum_entropy(form, documents, measure(block), block.retrieved)


def _infer(block: JudgedRankings, measure: Measure, thresholds: Levels, counts: str) -> tuple[Array, Array]:
    """float64[threshold, list], bool[list]: RMS errors of the lists inferred from a measure; did they converge?"""
    inferred = infer_lists(block, measure, counts)
    errors = np.zeros((len(thresholds), len(block.retrieved)))
    for place, grade in enumerate(thresholds):
        base, hits, relevant = block.recall_base(grade), block.hits(grade), block.counts(grade)
        curve = inferred_curve(inferred.probability, base, np.array(block.levels) >= grade)
        for i, length in enumerate(block.retrieved):
            true = relevant[i, hits[i]]
            recall, precision = (each[i, :length] for each in curve)
            errors[place, i] = rms_error(recall, precision, true / base[i], true / block.ranks[i, hits[i]])
    return errors, inferred.converged
