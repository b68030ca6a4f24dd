"""How much of a ranking can one infer from the value of a measure?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Annotated, Literal, TypeAlias

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import Alpha, Number, Resamples, Seed, Several, Threads, Whole
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows
from gradeval.formula.aggregation import blocks, draw, interval
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, show_levels
from gradeval.formula.spelling import name_briefly
from gradeval.messages import Given, list_some, plain, plural
from gradeval.progress import Progress, Step
from gradeval.studies.informativeness.expected import expected
from gradeval.studies.informativeness.maximum_entropy import MaximumEntropy, maximum_entropy
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import TOPICS
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Cell, Column, Grid, estimates_of, places_of_best
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, NoteWeight

NDCGS = "nDCG nDCG(dcg='exp-log2') nDCG(discount='linear') nDCG(dcg='exp-log2',discount='linear')"
"""The four nDCGs that Robertson, Kanoulas & Yilmaz (2010) compare: footnote 1."""

MEASURES = f"{NDCGS} AP GAP"
"""The measures from whose values rankings are inferred by default."""
FEWEST_DOCUMENTS = 5
"""Documents of each kind that a list must hold to be studied, by default."""
NOTHING = "nothing is inferred from them"
"""What becomes of missing and empty topics."""
PORTION = 100  # lists that one thread infers before it takes the next


Counts: TypeAlias = Literal["retrieved", "pool"]

Thresholds: TypeAlias = Annotated[Sequence[float] | None, Several(Number(), "grades as in 1,2")]
Least: TypeAlias = Annotated[int, Whole(1, unit="documents")]

FIELDS = (
    "measure threshold statistic value lower upper not_found counts least samples seed rankings topics "
    "run topic inferred"
).split()


@dataclass(frozen=True, eq=False, repr=False)
class Informativeness(Result):
    """How far the precision-recall curves inferred from the values of measures are from the true ones.

    Attributes
    ----------
    errors : float64[measure, threshold, list]: root mean square difference of the inferred and the true precision,
        over the ranks of the list's relevant documents.
    converged : bool[measure, list]: was the list of maximum entropy found?
    run, topic : intp[list]: places in ``runs`` and ``topics``.
    measures, thresholds, runs, topics : what was studied; a document is relevant whose grade reaches the threshold.
    counts, least : the documents of each grade that a list is assumed to hold, and how many of each kind a list needs.
    rankings : how many rankings there are, of which the lists are those that hold enough documents.
    values : float64[measure, list]: the values from which the lists were inferred; None where they are not known.
    interval : float64[measure, threshold, 2]: bounds of the bootstrap intervals of ``mean()``; None without samples.
    alpha, samples, seed : the bootstrap; alpha and seed are None where there are no samples.
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
    rankings: int
    values: Array | None = None
    interval: Array | None = None
    alpha: float | None = None
    samples: int = 0
    seed: int | None = None

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

    def ci(self, alpha: float = 0.05, seed: int = 0, samples: int = 2000) -> Array:
        """float64[measure, threshold, 2]: bounds of bootstrap intervals of ``mean()``, which cover 1 - alpha.

        Topics are resampled with all their lists, which resemble each other; all measures have the same resamples.
        """
        alpha = arguments.share("alpha", alpha, 0.05)
        samples, seed = arguments.whole("samples", samples, 1), arguments.seed(seed)
        total, number = self._by_topic()
        if len(number) < 2:
            raise InputError("an interval needs lists of at least 2 topics")
        weights = draw(len(number), samples, seed)
        return interval(np.einsum("mkt,st->smk", total, weights) / (weights @ number)[:, None, None], alpha)

    def _by_topic(self) -> tuple[Array, Array]:
        """float64[measure, threshold, topic], int64[topic]: summed errors and lists of the topics that have any."""
        if not self.counted.any():
            raise InputError("no list of maximum entropy was found for every measure, so there is no mean")
        topic = self.topic[self.counted]
        belongs = topic[:, None] == np.unique(topic)
        return self.errors[:, :, self.counted] @ belongs.astype(float), belongs.sum(0)

    @property
    def description(self) -> str:
        """Of what the errors are the means, in a sentence."""
        topics = plural(len(np.unique(self.topic[self.counted])), "topic")
        if self.alpha is None:
            return f"mean errors over {plural(int(self.counted.sum()), 'list')} of {topics}"
        resampling = f"{self.samples} bootstrap samples of {topics} with their rankings, seed {self.seed}"
        return f"intervals: {1 - self.alpha:.4g} confidence, {resampling}"

    def table(self, digits: int = 4) -> Table:
        """The mean error by each measure at each threshold, with its interval; the lowest are marked as the best."""
        means = self.mean()
        failed = (~self.converged).sum(-1).tolist()
        spec = f".{digits}f"
        columns = [
            Column("measure", "name"),
            *(Column(f"RMS from grade {grade:g}", spec=spec) for grade in self.thresholds),
            Column("sum", spec=spec),
            Column("not inferred", spec="d"),
        ]
        rows = [
            [name, *self._estimates(place), float(means[place].sum()), failed[place]]
            for place, name in enumerate(name_briefly(self.measures))
        ]
        compared = np.column_stack([means, means.sum(-1)])
        best = {
            (row, number)
            for number, (column, errors) in enumerate(zip(columns[1:], compared.T.tolist(), strict=False), 1)
            for row in places_of_best(list(map(column.write, errors)), column.write(min(errors)))
        }
        grid = Grid(columns, rows, best=frozenset(best))
        return Table([grid], self._records())

    def _estimates(self, measure: int) -> list[Cell]:
        """The mean errors of a measure, with their intervals where there are some."""
        means = self.mean()[measure]
        return means.tolist() if self.interval is None else [*estimates_of(means, self.interval[measure])]

    def _records(self) -> Records:
        """Of each measure the means, then every list: its value, and its errors."""
        means, failed = self.mean(), (~self.converged).sum(-1).tolist()
        parts = []
        for place, measure in enumerate(self.measures):
            bounds = [None, None] if self.interval is None else [self.interval[place][None, :, end] for end in (0, 1)]
            over = Records.over(
                {"measure": [measure], "threshold": list(map(float, self.thresholds))},
                statistic="rms",
                value=means[place][None],
                lower=bounds[0],
                upper=bounds[1],
                not_found=failed[place],
                counts=self.counts,
                least=self.least,
                samples=self.samples,
                seed=self.seed,
                rankings=len(self.run),
                topics=len(np.unique(self.topic)),
            )
            parts += [over, self._records_of_lists(place)]
        return reduce(Records.then, parts).ordered(FIELDS)

    def _records_of_lists(self, measure: int) -> Records:
        """The value of a measure for each list, and the error at each threshold; none where it was not inferred."""
        lists = [(self.runs[run], self.topics[topic]) for run, topic in zip(self.run, self.topic, strict=True)]
        value = [] if self.values is None else [self.values[measure]]
        numbers = np.array([*value, *self.errors[measure]])
        errors = np.arange(len(numbers)) >= len(value)
        return Records.over(
            {"measure": [self.measures[measure]], "run topic": lists, "": range(len(numbers))},
            threshold=np.ma.array([0.0] * len(value) + list(self.thresholds), mask=~errors),
            statistic=np.array(["value"] * len(value) + ["rms of ranking"] * len(self.thresholds)),
            value=np.ma.array(numbers, mask=errors[:, None] & ~self.converged[measure]).T[None],
            counts=self.counts,
            least=self.least,
            inferred=self.converged[measure][None, :, None],
        )


@study(
    measures=MEASURES,
    consequence=NOTHING,
    examples="""
      gradeval inform qrels.txt runs/* -m "nDCG AP GAP(g=[0.2,0.3,0.5])"
      gradeval inform qrels.txt runs/* --runs top:15:AP --plot rms.svg
      gradeval inform qrels.txt runs/elm.txt --least 3 --thresholds 1,2""",
)
def inform(
    data: Judged,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Resamples(0, 10_000_000)] = 2000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress | None,
    thresholds: Thresholds = None,
    least: Least = FEWEST_DOCUMENTS,
    counts: Counts = "retrieved",
) -> Informativeness:
    """Infer every ranking from the value of a measure (maximum entropy) and compare precision-recall curves.

    Shown is the root mean square error of the inferred curve, averaged over rankings, for each threshold of
    relevance: the lower, the more the measure tells. Rankings are left out where one of the measures has no solution.

    For each list and measure the distribution of maximum entropy is sought that has this value and this number of
    documents of each grade (``maximum_entropy``). The more the measure tells, the nearer is its curve. missing and
    empty decide only which runs a measure chooses, as in runs top:15:AP. Measures need an expected value in closed form
    (see ``expected``); by default they are the four nDCGs of the paper's footnote 1, AP and GAP.

    Parameters
    ----------
    thresholds : the grades from which on a document is relevant, one curve each. Default: all positive levels.
    least : how many documents of each kind a list must hold to be studied. A kind goes from one threshold to below the
        next ("at least 5 relevant and 5 highly relevant").
    counts : how many documents of each grade a list is assumed to hold. retrieved: as many as it retrieved; pool (the
        literal reading of Robertson et al.): all there are; lists shorter than their pool then do not converge.
    samples : bootstrap samples of the topics with all their rankings; 0: no intervals.
    alpha : intervals cover 1 - alpha.

    Raises
    ------
    InputError : a measure without a closed form, no ranking that holds enough documents, rankings of fewer than 3
        topics where there are samples.

    Source: Aslam, Yilmaz & Pavlu (2005); Robertson, Kanoulas & Yilmaz (2010), section 4.1. Departures: between two
    ranks the inferred curve is linear in recall, and constant beyond its ends.
    """
    result = infer(data, data.scores.measures, thresholds, least, counts, threads, progress, samples=samples)
    result = replace(
        result,
        interval=result.ci(alpha, seed, samples) if samples else None,
        alpha=alpha if samples else None,
        samples=samples,
        seed=seed if samples else None,
    )
    return with_notes(result)


def infer(
    data: Judged,
    chosen: list[Measure],
    thresholds: Sequence[float] | None,
    least: int,
    counts: Counts,
    threads: int,
    progress: Progress | None,
    *,
    samples: int = 0,
) -> Informativeness:
    """The errors of the rankings inferred from some measures, without intervals.

    ``samples``: 0 where there may be too few topics for intervals.
    """
    judged = studied_rankings(data)
    grades = choose_thresholds(thresholds, judged.levels)
    rows = find_eligible(judged, grades, least)
    if samples:
        _require_topics(len(np.unique(rows % len(judged.topics))), least)
    errors = np.zeros((len(chosen), len(grades), len(rows)))
    converged = np.zeros((len(chosen), len(rows)), bool)
    values = np.zeros((len(chosen), len(rows)))

    def infer_portion(part: slice, step: Step) -> None:
        block = judged.rows(rows[part])
        curves = [true_curves(block, grade) for grade in grades]
        for place, measure in enumerate(chosen):
            inferred = infer_lists(block, measure, counts)
            converged[place, part] = inferred.converged
            errors[place, :, part] = [rms_errors(inferred.probability, of_grade) for of_grade in curves]
            values[place, part] = measure(block)
            step(len(block.retrieved))

    tasks = [partial(infer_portion, part) for part in blocks(len(rows), PORTION)]
    run_in_parallel(tasks, threads, progress, len(rows) * len(chosen))
    run, topic = np.divmod(rows, len(judged.topics))
    order = np.argsort(rows)
    return Informativeness(
        errors=errors[:, :, order],
        converged=converged[:, order],
        run=run[order],
        topic=topic[order],
        measures=chosen,
        thresholds=grades,
        runs=judged.runs,
        topics=judged.topics,
        counts=counts,
        least=least,
        rankings=int(data.scores.present.sum()),
        values=values[:, order],
    )


def studied_rankings(data: Judged) -> JudgedRuns:
    """The judged runs, of which only the rankings of the chosen runs for the chosen topics are there."""
    runs, topics = np.isin(data.runs.runs, data.scores.runs), np.isin(data.runs.topics, data.scores.topics)
    if runs.all() and topics.all():
        return data.runs
    return only_rows(data.runs, np.ravel(runs[:, None] & topics & data.runs.present))


def with_notes(result: Informativeness) -> Informativeness:
    """The result, and what a reader should know."""
    return replace(result, notes=[*_describe_lists(result)])


def _describe_lists(result: Informativeness) -> Iterator[Note]:
    """What was studied, what was left out, and where the intervals come from."""
    yield Note.method(about_eligible(len(result.run), result.rankings, result.least, result.thresholds))
    if left_out := len(result.run) - int(result.counted.sum()):
        text = f"{left_out} of these rankings are left out of the means, as some measure leaves their curve open"
        yield Note(text, own_weight=NoteWeight.MEANING)
    for measure, lists in result.not_inferred.items():
        yield Note(f"not inferred by {measure}: {list_some(lists)}")
    if result.alpha is not None:
        yield Note.method(result.description)


def about_eligible(number: int, rankings: int, least: int, thresholds: Levels) -> str:
    """How many of the rankings are studied, and why."""
    hold = f"{number} of {plural(rankings, 'ranking')} {'holds' if number == 1 else 'hold'}"
    return (
        f"{hold} at least {plural(least, 'document')} from each threshold ({show_levels(thresholds)}) to the next "
        "(least)"
    )


def find_eligible(
    judged: JudgedRuns, thresholds: Sequence[float] | None = None, least: int = FEWEST_DOCUMENTS
) -> Array:
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
            plain("least", least),
            f": no ranking holds {least} documents from each threshold ({show_levels(grades)}) to the "
            "next; ask for fewer, or for fewer thresholds",
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


def choose_thresholds(thresholds: Sequence[float] | None, levels: Levels, name: str = "thresholds") -> Levels:
    """The grades from which on a document is relevant, ascending: some positive levels, or all of them.

    ``name``: of the parameter.
    """
    if thresholds is None:
        return levels[1:]
    grades = tuple(sorted({arguments.number(name, grade) for grade in thresholds}))
    wrong = [grade for grade in grades if grade not in levels[1:]]
    if wrong or not grades:
        raise InputError(
            Given(name, None, show_levels(wrong[:1])),
            f" is not a positive level of the collection; these are {show_levels(levels[1:])}",
        )
    return grades


def _require_topics(number: int, least: int) -> None:
    """Refuse rankings of too few topics for intervals, before the work."""
    if number < TOPICS:
        raise InputError(
            f"{plural(number, 'topic')} with rankings that hold {plural(least, 'document')} from each threshold to the "
            f"next; intervals need {TOPICS} topics; choose more topics or runs, fewer documents (least), "
            "other thresholds, or 0 samples"
        )


def infer_lists(block: JudgedRankings, measure: Measure, counts: str) -> MaximumEntropy:
    """The distributions of maximum entropy that agree with the value of a measure for each list."""
    form = expected(measure, block.pool, block.levels, block.retrieved)
    documents = block.pool
    if counts == "retrieved":
        documents = np.stack([(block.level == level).sum(-1) for level in range(len(block.levels))], -1)
    return maximum_entropy(form, documents, measure(block), block.retrieved)


@dataclass(frozen=True, eq=False)
class TrueCurves:
    """The precision-recall curves of some lists, at the ranks of their relevant documents.

    Attributes
    ----------
    relevant : bool[level]: is a document of the level relevant?
    base : int64[list]: relevant documents in the pool.
    length : int64[list]
    points : recall and precision of each list, float64[point] each.
    """

    relevant: Array
    base: Array
    length: Array
    points: list[tuple[Array, Array]]


def true_curves(block: JudgedRankings, grade: float) -> TrueCurves:
    """The true curves of lists, where documents from a grade on are relevant."""
    base, hits, relevant = block.recall_base(grade), block.hits(grade), block.counts(grade)
    found = [(own[hit], ranks[hit]) for own, ranks, hit in zip(relevant, block.ranks, hits, strict=True)]
    points = [(count / whole, count / rank) for (count, rank), whole in zip(found, base, strict=True)]
    return TrueCurves(np.array(block.levels) >= grade, base, block.retrieved, points)


def rms_errors(probability: Array, true: TrueCurves) -> Array:
    """float64[list]: ``rms_error`` of the curves inferred from probability[list, level, rank]."""
    recalls, precisions = inferred_curve(probability, true.base, true.relevant)
    lists = zip(recalls, precisions, true.length, true.points, strict=True)
    return np.array([rms_error(recall[:end], precision[:end], *point) for recall, precision, end, point in lists])
