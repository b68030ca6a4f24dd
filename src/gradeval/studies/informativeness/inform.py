"""Infer rankings from the values of measures, and compare their precision-recall curves with the true ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, show_levels
from gradeval.formula.spelling import name_briefly, parse_measures
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.notes import plural
from gradeval.studies.informativeness.expected import expected
from gradeval.studies.informativeness.maximum_entropy import MaximumEntropy, maximum_entropy
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import TOPICS, Measures
from gradeval.tables.grid import Cell, Column, Estimate, Grid, find_best
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

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
    arguments.one_of("counts", counts, get_args(Counts))
    samples, level = arguments.whole("samples", samples, 0), arguments.share("level", level, 0.95)
    seed, threads = arguments.seed(seed), arguments.threads(threads)
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
    least = arguments.whole("least", least, 1, unit="documents")
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
    grades = tuple(sorted({arguments.number("thresholds", grade) for grade in thresholds}))
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


Counts: TypeAlias = Literal["retrieved", "pool"]

FIELDS = (
    "measure threshold statistic value lower upper not_found counts least samples seed rankings topics "
    "run topic inferred"
).split()

NAMED = 6
"""Lists that a note names before it counts the rest; the records hold them all."""


@dataclass(frozen=True, eq=False, repr=False)
class Informativeness(Tabular):
    """How far the precision-recall curves inferred from the values of measures are from the true ones.

    Attributes
    ----------
    errors : float64[measure, threshold, list]: root mean square difference of the inferred and the true precision,
        over the ranks of the list's relevant documents.
    converged : bool[measure, list]: was the list of maximum entropy found?
    run, topic : intp[list]: places in ``runs`` and ``topics``.
    measures, thresholds, runs, topics : what was studied; a document is relevant whose grade reaches the threshold.
    counts, least : the documents of each grade that a list is assumed to hold, and how many of each kind a list needs.
    samples, level, seed : the bootstrap behind ``interval``; 0 samples: there is none.
    values : float64[measure, list]: the values from which the lists were inferred; None where they are not known.
    """

    errors: Array
    converged: Array
    run: Array
    topic: Array
    measures: list[Measure]
    thresholds: Levels
    runs: list[str]
    topics: list[str]
    counts: Counts
    least: int
    samples: int
    level: float
    seed: int
    values: Array | None = None

    @property
    def counted(self) -> Array:
        """bool[list]: the lists that enter the means: those that were inferred by every measure."""
        return np.asarray(self.converged.all(0))

    @property
    def not_inferred(self) -> dict[str, list[str]]:
        """The lists for which no list of maximum entropy was found, as "topic 301 of bm25", by the measure."""
        return {
            str(measure): [
                f"topic {self.topics[self.topic[place]]} of {self.runs[self.run[place]]}"
                for place in np.flatnonzero(~converged).tolist()
            ]
            for measure, converged in zip(self.measures, self.converged, strict=True)
            if not converged.all()
        }

    def mean(self) -> Array:
        """float64[measure, threshold]: mean RMS error over the lists; the lower, the more informative."""
        total, number = self._by_topic()
        return np.asarray(total.sum(-1) / number.sum())

    @cached_property
    def interval(self) -> Array | None:
        """float64[measure, threshold, 2]: bounds of the bootstrap intervals of ``mean()``; None without samples."""
        return self.ci(self.level, self.seed, self.samples) if self.samples else None

    def ci(self, level: float = 0.95, seed: int = 0, samples: int = 2000) -> Array:
        """float64[measure, threshold, 2]: bounds of bootstrap intervals of ``mean()``.

        Topics are resampled with all their lists, which resemble each other; all measures have the same resamples.
        """
        level = arguments.share("level", level, 0.95)
        samples, seed = arguments.whole("samples", samples, 1), arguments.seed(seed)
        total, number = self._by_topic()
        topics = len(number)
        if topics < 2:
            raise InputError("an interval needs lists of at least 2 topics")
        weights = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=samples)
        means = np.einsum("mkt,st->mks", total, weights) / (weights @ number)
        return np.moveaxis(np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=-1), 0, -1)

    def _by_topic(self) -> tuple[Array, Array]:
        """float64[measure, threshold, topic], int64[topic]: summed errors and lists of the topics that have any."""
        if not self.counted.any():
            raise InputError("no list of maximum entropy was found for every measure, so there is no mean")
        topic = self.topic[self.counted]
        belongs = topic[:, None] == np.unique(topic)
        return self.errors[:, :, self.counted] @ belongs.astype(float), belongs.sum(0)

    def table(self, digits: int = 4) -> Table:
        """The mean error by each measure at each threshold, with its interval; the lowest are marked as the best."""
        means = self.mean()
        failed = (~self.converged).sum(-1).tolist()
        spec = f".{digits}f"
        columns = [
            Column("measure", "name"),
            *(Column(f"RMS from grade {grade:g}", spec=spec) for grade in self.thresholds),
            Column("sum", spec=spec),
            Column("not found", spec="d"),
        ]
        rows = [
            [name, *self._estimates(place), float(means[place].sum()), failed[place]]
            for place, name in enumerate(name_briefly(self.measures))
        ]
        compared = np.column_stack([means, means.sum(-1)])
        best = {
            (row, number)
            for number, (column, errors) in enumerate(zip(columns[1:], compared.T.tolist(), strict=False), 1)
            for row in find_best(list(map(column.write, errors)), column.write(min(errors)))
        }
        return Table([Grid(columns, rows, best=frozenset(best))], Records.of(FIELDS, self._records()), self.notes)

    @property
    def notes(self) -> list[str]:
        """What was studied, what was left out, and where the intervals come from, in sentences."""
        kinds = f"{self.least} documents (least) from each threshold ({show_levels(self.thresholds)}) to the next"
        notes = [f"{len(self.run)} rankings hold {kinds}"]
        if left_out := len(self.run) - int(self.counted.sum()):
            notes.append(f"{left_out} of them could not be inferred by every measure and are left out of the means")
        for measure, lists in self.not_inferred.items():
            more = f" and {len(lists) - NAMED} more" if len(lists) > NAMED else ""
            notes.append(f"not inferred by {measure}: {', '.join(lists[:NAMED])}{more}")
        if self.samples:
            resampling = f"{self.samples} bootstrap samples of the topics with their rankings, seed {self.seed}"
            notes.append(f"intervals: {self.level:.4g} confidence, {resampling}")
        return notes

    def _estimates(self, measure: int) -> list[Cell]:
        """The mean errors of a measure, with their intervals where there are some."""
        means = self.mean()[measure].tolist()
        if self.interval is None:
            return list(means)
        bounds = self.interval[measure].tolist()
        return [Estimate(mean, bounds=(low, high)) for mean, (low, high) in zip(means, bounds, strict=True)]

    def _records(self) -> Iterator[list[Value]]:
        means = self.mean()
        settings: list[Value] = [self.counts, self.least, self.samples, self.seed if self.samples else None]
        size: list[Value] = [len(self.run), len(np.unique(self.topic))]
        for place, measure in enumerate(self.measures):
            failed = int((~self.converged[place]).sum())
            for column, grade in enumerate(self.thresholds):
                bounds = [None, None] if self.interval is None else self.interval[place, column].tolist()
                value = float(means[place, column])
                yield [str(measure), float(grade), "rms", value, *bounds, failed, *settings, *size, None, None, None]
            yield from self._records_of_lists(place)

    def _records_of_lists(self, measure: int) -> Iterator[list[Value]]:
        """The value of a measure for each list, and the error at each threshold; none where it was not inferred."""
        settings: list[Value] = [self.counts, self.least, None, None, None, None]
        for place, (run, topic) in enumerate(zip(self.run.tolist(), self.topic.tolist(), strict=True)):
            inferred = bool(self.converged[measure, place])
            names: list[Value] = [self.runs[run], self.topics[topic], inferred]
            errors = self.errors[measure, :, place].tolist()
            lines: list[tuple[float | None, str, float | None]] = [
                (float(grade), "rms of ranking", error if inferred else None)
                for grade, error in zip(self.thresholds, errors, strict=True)
            ]
            if self.values is not None:
                lines.insert(0, (None, "value", float(self.values[measure, place])))
            for grade, statistic, value in lines:
                yield [str(self.measures[measure]), grade, statistic, value, None, None, None, *settings, *names]
